// lcp_check.h: comparison of a set of solutions with brute force.
#ifndef SPRAG_TESTS_SUPPORT_LCP_CHECK_H
#define SPRAG_TESTS_SUPPORT_LCP_CHECK_H

#include "support/lcp_brute.h"
#include "support/test.h"

// Distance of two points relative to the size of the first; absolute part for zeros.
static inline bool points_close(int n, const double *a, const double *b)
{
    double distance = 0, size = 1e-12;
    for (int i = 0; i < n; i++) {
        distance = fmax(distance, fabs(a[i] - b[i]));
        size = fmax(size, fabs(a[i]));
    }
    // both solve the same square systems, condition up to about 1e8 in the suites
    return distance <= 1e-6 * size;
}

// Whether z is in the set by the set's own definition: its basis says which entries vanish.
static inline bool point_in_set(const SpragLcp *p, const SpragLcpSet *set, const double *z)
{
    if (set->dimension == 0)
        return points_close(p->n, set->z, z);
    double *w = malloc((size_t)p->n * sizeof *w), z_size = 0, w_size = 0;
    bool inside = sprag_lcp_residual(p, z, w) <= 1e-7;
    for (int i = 0; i < p->n; i++) {
        z_size = fmax(z_size, fabs(z[i]));
        w_size = fmax(w_size, fabs(w[i]) + fabs(p->q[i]));
    }
    for (int i = 0; i < p->n; i++)
        inside =
            inside && (set->basis[i] ? fabs(w[i]) <= 1e-6 * w_size : fabs(z[i]) <= 1e-6 * z_size);
    free(w);
    return inside;
}

// Vertices are solutions; so are mixtures of them with rays added; sizes and dimension agree.
static inline void check_set(const SpragLcp *p, const SpragLcpSet *set, SpragRandom *random)
{
    int n = p->n;
    double *z = malloc((size_t)n * sizeof *z);
    assert_true(set->vertex_count >= 1);
    assert_true((set->dimension > 0) == (set->vertex_count + set->ray_count > 1));
    for (int trial = 0; trial < 4; trial++) {
        double total = 0;
        memset(z, 0, (size_t)n * sizeof *z);
        for (int k = 0; k < set->vertex_count; k++) {
            double weight = sprag_random_uniform(random, 0, 1);
            total += weight;
            for (int i = 0; i < n; i++)
                z[i] += weight * set->z[k * n + i];
        }
        for (int i = 0; i < n; i++)
            z[i] /= total;
        for (int k = 0; k < set->ray_count; k++) {
            double weight = sprag_random_uniform(random, 0, 2);
            for (int i = 0; i < n; i++)
                z[i] += weight * set->ray_z[k * n + i];
        }
        double size = 0;
        for (int i = 0; i < n * n; i++)
            size = fmax(size, fabs(p->M[i]));
        assert_true(sprag_lcp_residual(p, z, NULL) <= 1e-9 * (1 + size));
    }
    free(z);
}

// The library's sets against all vertices found by brute force.
static inline void check_against_brute(SpragContext *context, SpragLcpAll *all, const SpragLcp *p,
                                       bool singular)
{
    SpragRandom random;
    sprag_random_init(&random, 5);
    assert_ok(context, sprag_lcp_all_solve(all, p, NULL));
    assert_true(sprag_lcp_all_complete(all));
    LcpBrute brute = brute_solve(p->n, p->M, p->q, singular);
    int count = sprag_lcp_all_count(all), isolated = 0, expected = 0;
    for (int s = 0; s < count; s++) {
        const SpragLcpSet *set = sprag_lcp_all_get(all, s);
        check_set(p, set, &random);
        isolated += set->dimension == 0;
        for (int v = 0; singular && v < set->vertex_count; v++) {
            int k = 0;
            while (k < brute.count && !points_close(p->n, brute.z + k * p->n, set->z + v * p->n))
                k++;
            assert_true(k < brute.count);
        }
    }
    for (int k = 0; k < brute.count; k++) {
        int found = 0, continua = 0;
        for (int s = 0; s < count; s++) {
            const SpragLcpSet *set = sprag_lcp_all_get(all, s);
            bool inside = point_in_set(p, set, brute.z + k * p->n);
            found += inside;
            continua += inside && set->dimension > 0;
        }
        if (!found) {
            print_error("lost (%d sets):", count);
            for (int i = 0; i < p->n; i++)
                print_error(" %g", brute.z[k * p->n + i]);
            print_error("\n");
        }
        assert_true(found >= 1);
        expected += continua == 0;
    }
    // every isolated one exactly once
    assert_int_equal(isolated, expected);
    brute_free(&brute);
}

#endif
