// contact_space_cuts.c: a point inside of a thin set of forces in round cones.
// Problem   planes ≥ 0 and cones s ≥ |(v, w)| of affine functions of y, and a last unknown by
//           which all of them are widened: the least that it can be
// Method    linear programs: the planes, eight sides of each cone, and one more side where the
//           solution is outside of a round one, until none is (cutting planes)
// Assumes   the barrier (contact_space_barrier.c) has lost its digits: it is the faster one
//           elsewhere
#include <math.h>

#include "contact_space_cone.h"
#include "sprag/complementarity.h"

SpragStatus cone_set_cut_inside(const ConeSet *set, double size, double *y)
{
    enum { FIRST_SIDES = 8, ROUNDS = 24 };
    SpragArena *arena = set->mode->reduced->arena;
    SpragArenaMark mark = sprag_arena_mark(arena);
    const Barrier *barrier = &set->barrier;
    int w = barrier->d, m = 0, sides = barrier->cone_count * (FIRST_SIDES + ROUNDS);
    size_t rows = (size_t)(barrier->plane_count + sides) + 1, width = (size_t)w;
    double *A = sprag_arena_alloc(arena, rows * width, sizeof *A);
    double *b = sprag_arena_alloc(arena, rows, sizeof *b);
    double *c = sprag_arena_alloc(arena, 2 * width, sizeof *c);
    if (!A || !b || !c)
        return SPRAG_ERROR_MEMORY;
    double *x = c + width;
    c[w - 1] = -1;
    for (int i = 0; i < barrier->plane_count; i++, m++) {
        const double *row = barrier->planes + i * (w + 1);
        for (int k = 0; k < w; k++)
            A[m * w + k] = -row[k];
        b[m] = row[w] / size;
    }
    for (int round = 0; round < ROUNDS; round++) {
        bool cut = false;
        for (int i = 0; i < barrier->cone_count; i++) {
            const double *s = barrier->cones + 3 * i * (w + 1), *u = s + w + 1, *v = u + w + 1;
            double at[3] = {s[w] / size, u[w] / size, v[w] / size};
            for (int k = 0; k < w && round > 0; k++) {
                at[0] += s[k] * x[k];
                at[1] += u[k] * x[k];
                at[2] += v[k] * x[k];
            }
            double length = hypot(at[1], at[2]);
            if (round > 0 && length <= at[0] + 1e-14 * (1 + length))
                continue;
            cut = true;
            for (int side = 0; side < (round > 0 ? 1 : FIRST_SIDES); side++, m++) {
                double angle = 8 * atan(1) * side / FIRST_SIDES;
                double e[2] = {cos(angle), sin(angle)};
                if (round > 0) {
                    e[0] = at[1] / length;
                    e[1] = at[2] / length;
                }
                for (int k = 0; k < w; k++)
                    A[m * w + k] = e[0] * u[k] + e[1] * v[k] - s[k];
                b[m] = (s[w] - e[0] * u[w] - e[1] * v[w]) / size;
            }
        }
        SpragLpStatus status = SPRAG_LP_INFEASIBLE;
        SpragLp program = {w, m, 0, A, b, c};
        if (cut)
            SPRAG_TRY(sprag_lp_solve(arena, &program, 1e-12, x, NULL, &status));
        if (!cut || status != SPRAG_LP_OPTIMAL)
            break;
        for (int k = 0; k < w; k++)
            y[k] = size * x[k];
    }
    sprag_arena_release(arena, mark);
    return SPRAG_OK;
}
