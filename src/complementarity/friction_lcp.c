// friction_lcp.c: the LCP of Stewart and Trinkle with k-sided cones.
//
// Problem   theory.md (11.4), (11.5) with W r + q for the velocities: z = (p_n, p_f, s), m forces
//           along the vertices of a polygon in the circle of friction.
// Method    dense LCP, Lemke's method; theory.md 11.2, 11.3
// Assumes   at most a few hundred contacts; in space the directions of friction are those of the
//           polygon, and the residual of the exact law shows it
#include <math.h>
#include <string.h>

#include "friction_internal.h"

enum { MAX_ROWS = 4000 };
static const double TWO_PI = 6.283185307179586;

typedef struct Polygon {
    int sides, rows; // rows of the LCP
    double *M, *q, *z, *w, *W;
    double *bias;     // q without the bilateral rows
    int *joint, *own; // bilateral rows in the order of their elimination; contacts that have cones
    int joint_count, own_count;
    double *unit; // of each contact's forces
    double *turn; // cosine and sine of the angle by which each contact's polygon is turned
    double direction[64][2];
} Polygon;

// Column of the LCP's forces in the rows of W: contact i, part 0 (normal) or 1 … sides.
static void spread(const Polygon *p, size_t d, size_t i, size_t part, double *x)
{
    x[0] = part == 0 ? 1 : 0;
    for (size_t k = 1; k < d; k++)
        x[k] = 0;
    if (part == 0)
        return;
    const double *vertex = p->direction[part - 1], *turn = p->turn + 2 * i;
    x[1] = turn[0] * vertex[0] - turn[1] * vertex[1];
    if (d == 3)
        x[2] = turn[1] * vertex[0] + turn[0] * vertex[1];
}

// Turns every polygon so that a vertex is opposite to the slip there is, or lies along the friction
// there is: where that is right, the polygon is as good as the circle.
static void turn(const Friction *f, Polygon *p)
{
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double x = 1, y = 0;
        if (f->d == 3) {
            const double *r = f->r + 3 * i, *u = f->u + 3 * i;
            double slip = hypot(u[1], u[2]), friction = hypot(r[1], r[2]);
            bool slips = slip > 1e-6 * f->norm_q;
            x = slips ? -u[1] / slip : friction > 0 ? r[1] / friction : 1;
            y = slips ? -u[2] / slip : friction > 0 ? r[2] / friction : 0;
        }
        p->turn[2 * i] = x;
        p->turn[2 * i + 1] = y;
    }
}

// Bilateral rows go first: Gauss-Jordan on their largest diagonal entries takes r of such a row out
// of all others. Rows that depend on those before keep r = 0.
static void eliminate(const Friction *f, Polygon *p, bool *left)
{
    size_t n = f->size;
    double most = 0;
    for (size_t k = 0; k < n; k++) {
        left[k] = f->kind[k / (size_t)f->d] == SPRAG_FRICTION_BILATERAL && !f->dead[k];
        most = left[k] ? fmax(most, p->W[k * n + k]) : most;
    }
    for (;;) {
        size_t pivot = n;
        for (size_t k = 0; k < n; k++)
            if (left[k] && (pivot == n || p->W[k * n + k] > p->W[pivot * n + pivot]))
                pivot = k;
        if (pivot == n || !(p->W[pivot * n + pivot] > 1e-12 * most))
            return;
        left[pivot] = false;
        p->joint[p->joint_count++] = (int)pivot;
        const double *from = p->W + pivot * n;
        for (size_t i = 0; i < n; i++) {
            double factor = i == pivot ? 0 : p->W[i * n + pivot] / from[pivot];
            if (factor == 0)
                continue;
            for (size_t k = 0; k < n; k++)
                p->W[i * n + k] -= factor * from[k];
            p->bias[i] -= factor * p->bias[pivot];
        }
    }
}

static SpragStatus take_out_joints(Friction *f, Polygon *p)
{
    memcpy(p->bias, f->q, f->size * sizeof *p->bias);
    for (int i = 0; i < f->c; i++)
        if (f->kind[i] == SPRAG_FRICTION_CONTACT)
            p->own[p->own_count++] = i;
    if (f->joints == 0)
        return SPRAG_OK;
    bool *left = sprag_arena_alloc(f->workspace->arena, f->size, sizeof *left);
    if (!left)
        return SPRAG_ERROR_MEMORY;
    eliminate(f, p, left);
    return SPRAG_OK;
}

static void put_joints_back(const Friction *f, const Polygon *p, double *r)
{
    size_t n = f->size, d = (size_t)f->d;
    for (int k = 0; k < p->joint_count; k++) {
        size_t row = (size_t)p->joint[k];
        double sum = p->bias[row];
        for (int i = 0; i < p->own_count; i++)
            for (size_t e = (size_t)p->own[i] * d; e < ((size_t)p->own[i] + 1) * d; e++)
                sum += p->W[row * n + e] * r[e];
        r[row] = -sum / p->W[row * n + row];
    }
}

static void fill(const Friction *f, Polygon *p)
{
    size_t d = (size_t)f->d, c = (size_t)p->own_count, size = f->size, m = (size_t)p->sides,
           n = (size_t)p->rows;
    size_t parts = 1 + m;
    for (size_t i = 0; i < c; i++)
        for (size_t a = 0; a < parts; a++) {
            double x[3], y[3], *row = p->M + (i * parts + a) * n;
            size_t at = (size_t)p->own[i] * d;
            spread(p, d, at / d, a, x);
            for (size_t j = 0; j < c; j++)
                for (size_t b = 0; b < parts; b++) {
                    size_t to = (size_t)p->own[j] * d;
                    spread(p, d, to / d, b, y);
                    double sum = 0;
                    for (size_t e = 0; e < d * d; e++)
                        sum += x[e / d] * p->W[(at + e / d) * size + to + e % d] * y[e % d];
                    row[j * parts + b] = p->unit[at / d] * sum * p->unit[to / d];
                }
            double bias = 0;
            for (size_t e = 0; e < d; e++)
                bias += x[e] * p->bias[at + e];
            p->q[i * parts + a] = p->unit[at / d] * bias;
            if (a > 0)
                row[c * parts + i] = 1;
            p->M[(c * parts + i) * n + i * parts + a] = a > 0 ? -1 : f->mu[at / d];
        }
}

static void unfold(const Friction *f, const Polygon *p, double *r)
{
    size_t d = (size_t)f->d, parts = 1 + (size_t)p->sides;
    memset(r, 0, f->size * sizeof *r);
    for (size_t i = 0; i < (size_t)p->own_count; i++)
        for (size_t a = 0; a < parts; a++) {
            double x[3];
            size_t at = (size_t)p->own[i];
            spread(p, d, at, a, x);
            for (size_t k = 0; k < d; k++)
                r[at * d + k] += p->unit[at] * x[k] * p->z[i * parts + a];
        }
    put_joints_back(f, p, r);
}

static SpragStatus allocate(Friction *f, Polygon *p)
{
    SpragArena *arena = f->workspace->arena;
    size_t n = (size_t)p->rows;
    p->M = sprag_arena_alloc(arena, n * n, sizeof(double));
    p->q = sprag_arena_alloc(arena, n, sizeof(double));
    p->z = sprag_arena_alloc(arena, n, sizeof(double));
    p->w = sprag_arena_alloc(arena, n, sizeof(double));
    p->W = sprag_arena_alloc(arena, f->size * f->size, sizeof(double));
    p->turn = sprag_arena_alloc(arena, 2 * (size_t)f->c, sizeof(double));
    p->bias = sprag_arena_alloc(arena, f->size, sizeof(double));
    p->joint = sprag_arena_alloc(arena, f->size, sizeof(int));
    p->own = sprag_arena_alloc(arena, (size_t)f->c, sizeof(int));
    p->unit = sprag_arena_alloc(arena, (size_t)f->c, sizeof(double));
    if (!p->M || !p->q || !p->z || !p->w || !p->W || !p->turn || !p->bias || !p->joint || !p->own ||
        !p->unit)
        return SPRAG_ERROR_MEMORY;
    if (!f->workspace->lcp)
        SPRAG_TRY(sprag_lcp_workspace_create(f->workspace->context, &f->workspace->lcp));
    return SPRAG_OK;
}

// W column by column: any storage will do.
static void densify(Friction *f, Polygon *p)
{
    double *x = f->r, *y = f->u;
    memset(x, 0, f->size * sizeof *x);
    for (size_t j = 0; j < f->size; j++) {
        x[j] = 1;
        friction_multiply(f, x, y, f->velocity);
        x[j] = 0;
        for (size_t i = 0; i < f->size; i++)
            p->W[i * f->size + j] = y[i];
    }
}

// With `scaled` forces of a contact count in units that make its diagonal entry of W about one.
// With masses decades apart that, or leaving it, decides which pivots rounding spoils.
SpragStatus friction_lcp(Friction *f, int sides, bool scaled, SpragFrictionStatus *status,
                         int *done)
{
    Polygon p = {.sides = f->d == 2 ? 2 : sides};
    double rows = (double)(f->c - f->joints) * (2 + p.sides);
    if (rows > MAX_ROWS || f->size > MAX_ROWS) {
        *status = SPRAG_FRICTION_UNSUITABLE;
        return SPRAG_OK;
    }
    p.rows = (int)rows;
    for (int k = 0; k < p.sides; k++) {
        double angle = TWO_PI * k / p.sides;
        p.direction[k][0] = f->d == 2 ? 1 - 2 * k : cos(angle);
        p.direction[k][1] = sin(angle);
    }
    SPRAG_TRY(allocate(f, &p));
    for (int i = 0; i < f->c; i++)
        p.unit[i] = scaled ? 1 / sqrt(f->weight[i]) : 1;
    friction_apply(f, f->r, f->u);
    turn(f, &p);
    densify(f, &p);
    SPRAG_TRY(take_out_joints(f, &p));
    fill(f, &p);
    SpragLcpSettings settings = sprag_lcp_default();
    SpragLcpInfo info = {0};
    settings.method = SPRAG_LCP_LEMKE;
    settings.max_starts = f->d == 2 && scaled ? 1 : 2;
    settings.max_pivots = 200 + 10 * p.rows;
    SpragLcp lcp = {p.rows, p.M, p.q};
    if (p.rows > 0)
        SPRAG_TRY(sprag_lcp_solve(f->workspace->lcp, &lcp, &settings, p.z, p.w, &info));
    unfold(f, &p, f->r);
    friction_apply(f, f->r, f->u);
    f->iterations += info.pivots;
    *done += info.pivots;
    double residual = friction_judge(f, SPRAG_FRICTION_LCP);
    *status = residual <= f->settings.tolerance ? SPRAG_FRICTION_SOLVED : SPRAG_FRICTION_STALLED;
    return SPRAG_OK;
}
