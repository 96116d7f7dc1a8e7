// friction.c: friction problems of settled piles, to 1e-4 and 1e-8, beside Siconos' best method.
//
// A scene is a text file of a pile: bodies, contacts, step; for every body its place, inverse mass,
// inverse inertia (3 × 3) and velocity; for every contact two bodies (−1: none), point, normal and
// friction. Without scenes a wall of bricks and a stack are taken. Times are processor time, the
// least of three; the peer is given the same problem as a sparse matrix, and its methods are tried
// in turn within the time.
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <SparseBlockMatrix.h>
#include <fc3d_Solvers.h>

#include "friction_table.h"
#include "sprag/sprag.h"
#include "support/friction_scenes.h"

enum { REPEATS = 3 };

typedef struct Pile {
    const char *name;
    SpragFrictionProblem problem;
    double *q, *friction, *inverse, *jacobian;
    int *bodies;
} Pile;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void *need(void *pointer)
{
    if (!pointer) {
        fprintf(stderr, "no memory\n");
        exit(1);
    }
    return pointer;
}

// ---- Scenes -------------------------------------------------------------------------------------

static bool read_numbers(FILE *stream, int count, double *numbers)
{
    for (int k = 0; k < count; k++)
        if (fscanf(stream, "%lf", &numbers[k]) != 1)
            return false;
    return true;
}

static void add_rows(Pile *pile, int c, const double *numbers, const double *place,
                     const double *velocity, double step)
{
    const double *p = numbers, *n = numbers + 3;
    double axes[3][3], helper[3] = {fabs(n[0]) < 0.6, fabs(n[0]) >= 0.6, 0}, length = 0;
    double dot = helper[0] * n[0] + helper[1] * n[1];
    for (int k = 0; k < 3; k++) {
        axes[0][k] = n[k];
        axes[1][k] = helper[k] - dot * n[k];
        length += axes[1][k] * axes[1][k];
    }
    for (int k = 0; k < 3; k++)
        axes[1][k] /= sqrt(length);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        axes[2][k] = n[i] * axes[1][j] - n[j] * axes[1][i];
    }
    for (int side = 0; side < 2; side++) {
        int body = pile->bodies[2 * c + side];
        for (int t = 0; body >= 0 && t < 3; t++) {
            double *row = pile->jacobian + ((2 * c + side) * 3 + t) * 6, sign = side ? -1 : 1;
            for (int k = 0; k < 3; k++) {
                int i = (k + 1) % 3, j = (k + 2) % 3;
                const double *x = place + 3 * body;
                row[k] = sign * axes[t][k];
                row[3 + k] = sign * ((p[i] - x[i]) * axes[t][j] - (p[j] - x[j]) * axes[t][i]);
            }
            for (int k = 0; k < 6; k++)
                pile->q[3 * c + t] +=
                    row[k] * (velocity[6 * body + k] - (k == 2 ? 9.81 * step : 0));
        }
    }
}

static bool read_pile(const char *path, Pile *pile)
{
    FILE *stream = fopen(path, "r");
    int bodies, contacts;
    double step;
    if (!stream || fscanf(stream, "%d %d %lf", &bodies, &contacts, &step) != 3 || bodies < 1 ||
        contacts < 1)
        return false;
    const char *slash = strrchr(path, '/');
    pile->name = slash ? slash + 1 : path;
    size_t b = (size_t)bodies, c = (size_t)contacts;
    double *place = need(calloc(3 * b, sizeof *place)),
           *velocity = need(calloc(6 * b, sizeof *place));
    pile->q = need(calloc(3 * c, sizeof(double)));
    pile->friction = need(calloc(c, sizeof(double)));
    pile->inverse = need(calloc(36 * b, sizeof(double)));
    pile->jacobian = need(calloc(36 * c, sizeof(double)));
    pile->bodies = need(calloc(2 * c, sizeof(int)));
    bool fine = true;
    for (int i = 0; i < bodies && fine; i++) {
        double numbers[10];
        fine = read_numbers(stream, 3, place + 3 * i) && read_numbers(stream, 10, numbers) &&
               read_numbers(stream, 6, velocity + 6 * i);
        for (int k = 0; k < 9; k++) {
            pile->inverse[36 * i + 7 * (k / 3)] = numbers[0];
            pile->inverse[36 * i + (3 + k / 3) * 6 + 3 + k % 3] = numbers[1 + k];
        }
    }
    for (int i = 0; i < contacts && fine; i++) {
        double numbers[7];
        fine = fscanf(stream, "%d %d", &pile->bodies[2 * i], &pile->bodies[2 * i + 1]) == 2 &&
               read_numbers(stream, 7, numbers);
        pile->friction[i] = numbers[6];
        add_rows(pile, i, numbers, place, velocity, step);
    }
    pile->problem = (SpragFrictionProblem){.dimension = 3,
                                           .contact_count = contacts,
                                           .q = pile->q,
                                           .friction = pile->friction,
                                           .storage = SPRAG_FRICTION_BODIES,
                                           .body_count = bodies,
                                           .body_size = 6,
                                           .inverse_inertia = pile->inverse,
                                           .bodies = pile->bodies,
                                           .jacobian = pile->jacobian};
    free(place);
    free(velocity);
    fclose(stream);
    return fine;
}

// ---- The peer -----------------------------------------------------------------------------------

// W column by column; a column touches the contacts of two bodies only, the rest is zero.
static FrictionContactProblem *peer_make(const Pile *pile, bool blocks)
{
    const SpragFrictionProblem *p = &pile->problem;
    int n = 3 * p->contact_count;
    double *x = need(calloc((size_t)n, sizeof *x)), *u = need(calloc((size_t)n, sizeof *u));
    double *v = need(calloc((size_t)p->body_count * 6, sizeof *v));
    double *q = need(malloc((size_t)n * sizeof *q));
    double *mu = need(malloc((size_t)p->contact_count * sizeof *mu));
    NumericsMatrix *M = NM_create(NM_SPARSE, n, n);
    NM_triplet_alloc(M, 144 * p->contact_count);
    M->matrix2->origin = NSM_TRIPLET;
    for (int j = 0; j < n; j++) {
        x[j] = 1;
        sprag_friction_velocity(p, x, u, v);
        x[j] = 0;
        for (int i = 0; i < n; i++)
            if (u[i] != p->q[i] || i == j)
                NM_entry(M, i, j, u[i] - p->q[i]);
        q[j] = p->q[j];
    }
    memcpy(mu, p->friction, (size_t)p->contact_count * sizeof *mu);
    free(x);
    free(u);
    free(v);
    NumericsMatrix *R = M;
    if (blocks) {
        R = NM_create(NM_SPARSE_BLOCK, n, n);
        if (!R->matrix1)
            R->matrix1 = SBM_new();
        SBM_from_csparse(3, NM_csc(M), R->matrix1);
    } else {
        NM_csc(M);
    }
    return frictionContactProblem_new_with_data(3, p->contact_count, R, q, mu);
}

// Least time of the peer's methods that reach the tolerance; negative: none did.
static double peer_best(const Pile *pile, double tolerance, double budget, const char **name)
{
    static const struct {
        int id;
        const char *name;
        bool blocks;
        double cost; // seconds a contact and iteration, for the limit
    } methods[] = {{SICONOS_FRICTION_3D_ADMM, "admm", false, 1e-6},
                   {SICONOS_FRICTION_3D_NSGS, "nsgs", true, 6e-7}};
    double best = -1;
    size_t n = 3 * (size_t)pile->problem.contact_count;
    double *r = need(calloc(n, sizeof *r)), *u = need(calloc(n, sizeof *u));
    double *v = need(calloc((size_t)pile->problem.body_count * 6, sizeof *v));
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        FrictionContactProblem *problem = peer_make(pile, methods[k].blocks);
        SolverOptions *options = solver_options_create(methods[k].id);
        options->dparam[SICONOS_DPARAM_TOL] = tolerance;
        options->iparam[SICONOS_IPARAM_MAX_ITER] =
            (int)(budget / (pile->problem.contact_count * methods[k].cost));
        memset(r, 0, n * sizeof *r);
        fflush(stdout);
        int saved = dup(1), nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, 1);
        close(nothing);
        double start = seconds();
        fc3d_driver(problem, r, u, options);
        double time = seconds() - start;
        fflush(stdout);
        dup2(saved, 1);
        close(saved);
        sprag_friction_velocity(&pile->problem, r, u, v);
        double residual = sprag_friction_residual(&pile->problem, r, u).natural;
        if (residual <= 1.5 * tolerance && (best < 0 || time < best)) {
            best = time;
            *name = methods[k].name;
        }
        solver_options_delete(options);
        free(options);
        frictionContactProblem_free(problem);
    }
    free(r);
    free(u);
    free(v);
    return best;
}

// ---- Both ---------------------------------------------------------------------------------------

static void measure(SpragContext *context, const Pile *pile, double tolerance, double budget)
{
    SpragFrictionWorkspace *workspace;
    SpragFrictionInfo info = {0};
    SpragFrictionSettings settings = sprag_friction_default();
    size_t n = 3 * (size_t)pile->problem.contact_count;
    double *r = need(calloc(n, sizeof *r)), *u = need(calloc(n, sizeof *u)), best = INFINITY;
    settings.tolerance = tolerance;
    if (sprag_friction_workspace_create(context, &workspace) != SPRAG_OK)
        exit(1);
    for (int k = 0; k < REPEATS && best > -1; k++) {
        double start = seconds();
        if (sprag_friction_solve(workspace, &pile->problem, &settings, r, u, &info) != SPRAG_OK) {
            fprintf(stderr, "%s: %s\n", pile->name, sprag_context_message(context));
            break;
        }
        double time = seconds() - start;
        best = fmin(best, time);
        if (time > 2)
            break;
    }
    const char *peer_name = "none";
    double peer = budget > 0 ? peer_best(pile, tolerance, budget, &peer_name) : -1;
    printf("%-16s %5d %6d  %.0e  %-9s %9.2f  %.1e %5d %4d", pile->name, pile->problem.body_count,
           pile->problem.contact_count, tolerance, sprag_friction_status_name(info.status),
           1e3 * best, info.residual.natural, info.iterations, info.factorizations);
    if (peer > 0)
        printf("  %9.2f (%s)  %6.1f\n", 1e3 * peer, peer_name, peer / best);
    else
        printf("  %s\n", budget > 0 ? "not in its time" : "-");
    fflush(stdout);
    sprag_friction_workspace_destroy(workspace);
    free(r);
    free(u);
}

int friction_table(double budget, int count, char **scenes)
{
    SpragContext *context;
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 1;
    printf(
        "pile              bodies contacts tol  status      own ms  residual  iter fact  peer ms  "
        "ratio\n");
    for (int k = 0; k < count; k++) {
        Pile pile = {0};
        if (!read_pile(scenes[k], &pile)) {
            fprintf(stderr, "%s: cannot be read as a pile\n", scenes[k]);
            continue;
        }
        measure(context, &pile, 1e-4, budget);
        measure(context, &pile, 1e-8, budget);
        free(pile.q);
        free(pile.friction);
        free(pile.inverse);
        free(pile.jacobian);
        free(pile.bodies);
    }
    if (count == 0) {
        FrictionScene *own[] = {friction_scene_wall(8, 8, 0.5),
                                friction_scene_stack(20, 100, 0.5, 0.1)};
        static const char *const names[] = {"wall", "stack"};
        for (int k = 0; k < 2; k++) {
            Pile pile = {.name = names[k], .problem = own[k]->problem};
            measure(context, &pile, 1e-4, budget);
            measure(context, &pile, 1e-8, budget);
            free(own[k]);
        }
    }
    sprag_context_destroy(context);
    return 0;
}
