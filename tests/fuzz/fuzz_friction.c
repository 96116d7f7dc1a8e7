// fuzz_friction.c: any bytes as a friction problem of Siconos or FCLIB.
// Whatever comes in, the reader gives a problem that passes its check, or one line that says why
// not; a small problem is then solved, and the answer's residual is what was told.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sprag/scene.h"

enum { MOST_CONTACTS = 12, STEPS = 50 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(int condition, const char *what, const char *message)
{
    if (condition)
        return;
    fprintf(stderr, "%s: %s\n", what, message);
    abort();
}

static void solve(SpragContext *context, const SpragFrictionProblem *problem)
{
    double r[3 * MOST_CONTACTS], u[3 * MOST_CONTACTS];
    SpragFrictionWorkspace *workspace;
    SpragFrictionSettings settings = sprag_friction_default();
    SpragFrictionInfo info;
    settings.max_iterations = STEPS;
    if (sprag_friction_workspace_create(context, &workspace) != SPRAG_OK)
        return;
    SpragStatus status = sprag_friction_solve(workspace, problem, &settings, r, u, &info);
    demand(status == SPRAG_OK, "a checked problem is refused", sprag_context_message(context));
    demand(info.status != SPRAG_FRICTION_SOLVED || info.residual.natural < 1.1e-8,
           "solved, with a residual", "");
    sprag_friction_workspace_destroy(workspace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    SpragContext *context;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 0;
    SpragFrictionFile file;
    const char *text = (const char *)data;
    bool hdf5 = size >= 4 && memcmp(text, "\x89HDF", 4) == 0;
    SpragStatus status = hdf5 ? sprag_friction_read_fclib_bytes(context, "fuzz", text, size, &file)
                              : sprag_friction_read_dat_text(context, "fuzz", text, size, &file);
    const char *message = sprag_context_message(context);
    demand(status == SPRAG_OK || status == SPRAG_ERROR_INPUT || status == SPRAG_ERROR_LIMIT,
           "unexpected status", sprag_status_name(status));
    demand(status == SPRAG_OK || (message[0] && !strchr(message, '\n')), "not one line", message);
    if (status == SPRAG_OK) {
        demand(sprag_friction_check(context, &file.problem) == SPRAG_OK, "a problem that fails",
               sprag_context_message(context));
        if (file.problem.contact_count <= MOST_CONTACTS &&
            file.problem.storage != SPRAG_FRICTION_BODIES)
            solve(context, &file.problem);
        sprag_friction_file_destroy(context, &file);
    }
    sprag_context_destroy(context);
    return 0;
}
