// friction_siconos.c: cross-check with Siconos: its residual of our solutions is ours, and its
// solutions of the files are judged by both alike.
#include <fcntl.h>
#include <unistd.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <fc3d_Solvers.h>
#include <fc3d_compute_error.h>

#include "support/test.h"

static const char *const files[] = {"Confeti-ex13-4contact-Fc3D-SBM.dat",
                                    "FC3D_Example1.dat",
                                    "FrictionContact3D_1c.dat",
                                    "NESpheres_10_1.dat",
                                    "OneObject-i100000-499.hdf5.dat",
                                    "Rover1039.dat",
                                    "Rover1040.dat",
                                    "Rover4144.dat",
                                    "Capsules-i100-889.dat"};

typedef struct Peer {
    FrictionContactProblem *problem;
    double norm;
} Peer;

// The same problem for the peer, W dense by columns.
static Peer peer_of(const SpragFrictionProblem *problem)
{
    int d = problem->dimension, n = d * problem->contact_count;
    double *M = calloc((size_t)n * (size_t)n, sizeof *M), *x = calloc((size_t)n, sizeof *x);
    double *u = calloc((size_t)n, sizeof *u), *q = malloc((size_t)n * sizeof *q);
    double *mu = malloc((size_t)problem->contact_count * sizeof *mu), norm = 0;
    for (int j = 0; j < n; j++) {
        x[j] = 1;
        sprag_friction_velocity(problem, x, u, NULL);
        x[j] = 0;
        q[j] = problem->q[j];
        norm += q[j] * q[j];
        for (int i = 0; i < n; i++)
            M[j * n + i] = u[i] - problem->q[i];
    }
    memcpy(mu, problem->friction, (size_t)problem->contact_count * sizeof *mu);
    free(x);
    free(u);
    NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, n, n, M);
    return (Peer){frictionContactProblem_new_with_data(d, problem->contact_count, matrix, q, mu),
                  sqrt(norm)};
}

static double peer_error(Peer *peer, SolverOptions *options, double *r, double *u)
{
    double error = -1;
    fc3d_compute_error(peer->problem, r, u, 1e-8, options, peer->norm, &error);
    return error;
}

static int silence(void)
{
    fflush(stdout);
    int saved = dup(1), nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1);
    close(nothing);
    return saved;
}

static void hear(int saved)
{
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
}

static void compare(SpragContext *context, SpragFrictionWorkspace *workspace, const char *name)
{
    char path[1024];
    SpragFrictionFile file;
    SpragFrictionInfo info;
    snprintf(path, sizeof path, "%s/tests/data/friction/%s", SPRAG_SOURCE_DIR, name);
    assert_ok(context, sprag_friction_read(context, path, &file));
    size_t n = (size_t)(file.problem.dimension * file.problem.contact_count);
    double *r = calloc(n, sizeof *r), *u = calloc(n, sizeof *u);
    assert_ok(context, sprag_friction_solve(workspace, &file.problem, NULL, r, u, &info));
    assert_int_equal(info.status, SPRAG_FRICTION_SOLVED);
    Peer peer = peer_of(&file.problem);
    int saved = silence();
    SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 200;
    options->dparam[SICONOS_DPARAM_TOL] = 1e-8;
    double own = peer_error(&peer, options, r, u);
    memset(r, 0, n * sizeof *r);
    fc3d_driver(peer.problem, r, u, options);
    double theirs = peer_error(&peer, options, r, u);
    hear(saved);
    // both sum the same squares; W r is added up in another order, and where W r is large beside q
    // (Confeti: by 1e6) that shows in the ninth digit
    assert_close(own, info.residual.natural, 1e-3 * info.residual.natural + 1e-8);
    sprag_friction_velocity(&file.problem, r, u, NULL);
    double judged = sprag_friction_residual(&file.problem, r, u).natural;
    assert_close(judged, theirs, 1e-3 * theirs + 1e-8);
    solver_options_delete(options);
    free(options);
    frictionContactProblem_free(peer.problem);
    free(r);
    free(u);
    sprag_friction_file_destroy(context, &file);
}

static void residuals_agree(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragFrictionWorkspace *workspace;
    assert_ok(context, sprag_friction_workspace_create(context, &workspace));
    for (size_t k = 0; k < sizeof files / sizeof *files; k++)
        compare(context, workspace, files[k]);
    sprag_friction_workspace_destroy(workspace);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(residuals_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
