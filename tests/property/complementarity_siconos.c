// complementarity_siconos.c: cross-check with Siconos: on definite problems, where the solution is
// unique, both must give the same; what Siconos solves of others, Sprag must solve too, and its
// point is among all solutions.
#include <fcntl.h>
#include <unistd.h>

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

#include "support/lcp_check.h"
#include "support/lcp_scenes.h"

// The peer's Lemke; it prints, so its output goes away while it runs.
static void peer_solve(const LcpScene *scene, double *z, double *w)
{
    size_t n = (size_t)scene->n;
    double *M = malloc(n * n * sizeof *M);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            M[j * n + i] = scene->M[i * n + j];
    NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, scene->n, scene->n, M);
    LinearComplementarityProblem problem = {scene->n, matrix, scene->q};
    SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
    options->iparam[SICONOS_IPARAM_MAX_ITER] = 10000;
    fflush(stdout);
    int saved = dup(1), nothing = open("/dev/null", O_WRONLY);
    dup2(nothing, 1);
    close(nothing);
    memset(z, 0, n * sizeof *z);
    linearComplementarity_driver(&problem, z, w, options);
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    solver_options_delete(options);
    free(options);
    NM_clear(matrix);
    free(matrix);
}

static void both_agree(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragLcpWorkspace *workspace = NULL;
    SpragLcpAll *all = NULL;
    assert_ok(context, sprag_lcp_workspace_create(context, &workspace));
    assert_ok(context, sprag_lcp_all_create(context, &all));
    int compared = 0;
    for (int draw = 0; draw < test_draws(30); draw++) {
        LcpScene scene = lcp_scene_make(LCP_SLIDING, 2 + draw % 11, 9000 + (uint64_t)draw);
        SpragLcp p = {scene.n, scene.M, scene.q};
        double z[12], w[12], own[12];
        SpragLcpInfo info;
        peer_solve(&scene, z, w);
        if (sprag_lcp_residual(&p, z, NULL) <= 1e-10) {
            compared++;
            assert_ok(context, sprag_lcp_solve(workspace, &p, NULL, own, w, &info));
            assert_int_equal(info.status, SPRAG_LCP_SOLVED);
            assert_ok(context, sprag_lcp_all_solve(all, &p, NULL));
            int found = 0;
            for (int k = 0; k < sprag_lcp_all_count(all); k++)
                found += point_in_set(&p, sprag_lcp_all_get(all, k), z);
            assert_true(found >= 1);
            if (sprag_lcp_all_verdict(all) == SPRAG_LCP_VERDICT_UNIQUE)
                assert_true(points_close(p.n, z, own));
        }
        lcp_scene_free(&scene);
    }
    assert_true(compared > 10);
    sprag_lcp_all_destroy(all);
    sprag_lcp_workspace_destroy(workspace);
    sprag_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
