// friction_linear.c: the linear systems of the Newton and path methods.
//
// Problem   A_i du_i + B_i dr_i = −F_i for all contacts i, du = W dr; theory.md (11.18), (11.19).
// Method    with sparse blocks: (B + A W) dr = −F, block rows scaled to one. With bodies:
//           dr = −B⁻¹(F + A du), du = J dv, and (1 + M⁻¹ Jᵀ B⁻¹A J) dv = −M⁻¹ Jᵀ B⁻¹ F, whose size
//           is that of the bodies' velocities whatever the number of contacts; a body that cannot
//           turn (M⁻¹ singular) is no special case. One step of refinement.
// Assumes   B_i regular
#include <math.h>
#include <string.h>

#include "friction_internal.h"

static void *allocate(Friction *f, size_t count, size_t size)
{
    return sprag_arena_alloc(f->workspace->arena, count + 1, size);
}

// ---- Pattern ------------------------------------------------------------------------------------

// Bodies that share a contact with each body, itself included, ascending; then where the four
// blocks of every contact lie.
static int find(const int *list, int count, int value)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static SpragStatus connect(Friction *f, int *start, int *list, int *mark, int *count)
{
    const SpragFrictionProblem *problem = f->problem;
    int n = problem->body_count;
    // contacts by body
    for (int k = 0; k < 2 * f->c; k++)
        if (problem->bodies[k] >= 0)
            start[problem->bodies[k] + 2]++;
    for (int b = 0; b < n; b++)
        start[b + 2] += start[b + 1];
    for (int k = 0; k < 2 * f->c; k++)
        if (problem->bodies[k] >= 0)
            list[start[problem->bodies[k] + 1]++] = k;
    int *row_start = allocate(f, (size_t)n + 1, sizeof *row_start);
    int *column = allocate(f, (size_t)n + 2 * (size_t)f->c, sizeof *column);
    if (!row_start || !column)
        return SPRAG_ERROR_MEMORY;
    for (int b = 0; b < n; b++)
        mark[b] = -1;
    *count = 0;
    for (int b = 0; b < n; b++) {
        int first = *count;
        row_start[b] = first;
        mark[b] = b;
        column[(*count)++] = b;
        for (int e = start[b]; e < start[b + 1]; e++) {
            int other = problem->bodies[list[e] ^ 1];
            if (other < 0 || mark[other] == b)
                continue;
            mark[other] = b;
            int k = (*count)++;
            for (; k > first && column[k - 1] > other; k--)
                column[k] = column[k - 1];
            column[k] = other;
        }
    }
    row_start[n] = *count;
    f->linear.pattern = (SpragSparsePattern){n, f->body_size, row_start, column};
    return SPRAG_OK;
}

static void place(Friction *f)
{
    const SpragSparsePattern *pattern = &f->linear.pattern;
    for (int i = 0; i < f->c; i++)
        for (int k = 0; k < 4; k++) {
            int a = f->problem->bodies[2 * i + k / 2], b = f->problem->bodies[2 * i + k % 2];
            if (a < 0 || b < 0)
                continue;
            int from = pattern->row_start[a], to = pattern->row_start[a + 1];
            f->linear.slot[4 * i + k] = from + find(pattern->column + from, to - from, b);
        }
}

static SpragStatus prepare_bodies(Friction *f, int *count)
{
    size_t n = (size_t)f->problem->body_count, c = (size_t)f->c;
    int *start = allocate(f, n + 2, sizeof *start), *list = allocate(f, 2 * c, sizeof *list);
    int *mark = allocate(f, n, sizeof *mark);
    f->linear.slot = allocate(f, 4 * c, sizeof *f->linear.slot);
    f->linear.inverse = allocate(f, c * 9, sizeof(double));
    f->linear.gain = allocate(f, n * (size_t)f->body_size, sizeof(double));
    if (!start || !list || !mark || !f->linear.slot || !f->linear.inverse || !f->linear.gain)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(connect(f, start, list, mark, count));
    place(f);
    return SPRAG_OK;
}

SpragStatus friction_linear_prepare(Friction *f)
{
    FrictionLinear *linear = &f->linear;
    if (linear->ready)
        return SPRAG_OK;
    int count = f->bodies ? 0 : f->row_start[f->c];
    if (f->bodies)
        SPRAG_TRY(prepare_bodies(f, &count));
    else
        linear->pattern = (SpragSparsePattern){f->c, f->d, f->row_start, f->column};
    size_t b = (size_t)linear->pattern.block, d = (size_t)f->d, c = (size_t)f->c;
    size_t right = f->bodies ? b * (size_t)linear->pattern.count : f->size;
    linear->values = allocate(f, (size_t)count * b * b, sizeof(double));
    linear->A = allocate(f, c * d * d, sizeof(double));
    linear->B = allocate(f, c * d * d, sizeof(double));
    linear->right = allocate(f, right, sizeof(double));
    linear->more = allocate(f, f->size, sizeof(double));
    linear->rest = allocate(f, 2 * f->size, sizeof(double));
    if (!linear->values || !linear->A || !linear->B || !linear->right || !linear->more ||
        !linear->rest)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(sprag_sparse_lu_analyze(f->workspace->lu, &linear->pattern));
    linear->ready = true;
    return SPRAG_OK;
}

// ---- Matrix -------------------------------------------------------------------------------------

static inline void invert(size_t d, const double *B, double *inverse)
{
    if (d == 2) {
        double determinant = B[0] * B[3] - B[1] * B[2];
        inverse[0] = B[3] / determinant;
        inverse[1] = -B[1] / determinant;
        inverse[2] = -B[2] / determinant;
        inverse[3] = B[0] / determinant;
        return;
    }
    inverse[0] = B[4] * B[8] - B[5] * B[7];
    inverse[1] = B[7] * B[2] - B[8] * B[1];
    inverse[2] = B[1] * B[5] - B[2] * B[4];
    inverse[3] = B[5] * B[6] - B[3] * B[8];
    inverse[4] = B[8] * B[0] - B[6] * B[2];
    inverse[5] = B[2] * B[3] - B[0] * B[5];
    inverse[6] = B[3] * B[7] - B[4] * B[6];
    inverse[7] = B[6] * B[1] - B[7] * B[0];
    inverse[8] = B[0] * B[4] - B[1] * B[3];
    double determinant = B[0] * inverse[0] + B[1] * inverse[3] + B[2] * inverse[6];
    for (size_t k = 0; k < 9; k++)
        inverse[k] /= determinant;
}

// C = A B, d × d.
static inline void product(size_t d, const double *A, const double *B, double *C)
{
    for (size_t i = 0; i < d; i++)
        for (size_t j = 0; j < d; j++) {
            double sum = 0;
            for (size_t k = 0; k < d; k++)
                sum += A[i * d + k] * B[k * d + j];
            C[i * d + j] = sum;
        }
}

static void fill_blocks(Friction *f)
{
    size_t d = (size_t)f->d;
    for (int i = 0; i < f->c; i++)
        for (int k = f->row_start[i]; k < f->row_start[i + 1]; k++) {
            double *value = f->linear.values + (size_t)k * d * d;
            product(d, f->linear.A + (size_t)i * d * d, f->blocks + (size_t)k * d * d, value);
            for (size_t e = 0; f->column[k] == i && e < d * d; e++)
                value[e] += f->linear.B[(size_t)i * d * d + e];
        }
}

// Adds M⁻¹ Jᵀ_x D J_y of one contact to a block.
static inline void add_pair(size_t d, size_t m, const double *MJ, const double *DJ, double *value)
{
    for (size_t i = 0; i < m; i++)
        for (size_t a = 0; a < d; a++) {
            double x = MJ[a * m + i];
            for (size_t j = 0; j < m; j++)
                value[i * m + j] += x * DJ[a * m + j];
        }
}

// What one contact adds to the blocks of its bodies.
static inline void fill_contact(Friction *f, size_t i, size_t d, size_t m)
{
    double D[9], DJ[2][18];
    const double *J = f->problem->jacobian + 2 * i * d * m, *MJ = f->MJ + 2 * i * d * m;
    const int *bodies = f->problem->bodies + 2 * i;
    invert(d, f->linear.B + i * d * d, f->linear.inverse + i * 9);
    product(d, f->linear.inverse + i * 9, f->linear.A + i * d * d, D);
    for (size_t side = 0; side < 2; side++)
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++) {
                double sum = 0;
                for (size_t e = 0; e < d; e++)
                    sum += D[a * d + e] * J[(side * d + e) * m + k];
                DJ[side][a * m + k] = sum;
            }
    for (size_t k = 0; k < 4; k++)
        if (bodies[k / 2] >= 0 && bodies[k % 2] >= 0)
            add_pair(d, m, MJ + k / 2 * d * m, DJ[k % 2],
                     f->linear.values + (size_t)f->linear.slot[4 * i + k] * m * m);
}

static void fill_bodies(Friction *f)
{
    size_t d = (size_t)f->d, m = (size_t)f->body_size;
    const SpragSparsePattern *pattern = &f->linear.pattern;
    memset(f->linear.values, 0,
           (size_t)pattern->row_start[pattern->count] * m * m * sizeof(double));
    for (int b = 0; b < pattern->count; b++) {
        int from = pattern->row_start[b], to = pattern->row_start[b + 1];
        double *value =
            f->linear.values + (size_t)(from + find(pattern->column + from, to - from, b)) * m * m;
        for (size_t k = 0; k < m; k++)
            value[k * m + k] = 1;
    }
    // sizes as constants: the compiler unrolls the loops
    for (size_t i = 0; i < (size_t)f->c; i++)
        if (d == 3 && m == 6)
            fill_contact(f, i, 3, 6);
        else if (d == 2 && m == 3)
            fill_contact(f, i, 2, 3);
        else
            fill_contact(f, i, d, m);
}

bool friction_linear_factor(Friction *f, const double *A, const double *B)
{
    size_t d = (size_t)f->d, dd = d * d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        for (size_t k = 0; k < dd; k++) {
            f->linear.A[i * dd + k] = A[i * dd + k];
            f->linear.B[i * dd + k] = B[i * dd + k];
        }
    if (f->bodies)
        fill_bodies(f);
    else
        fill_blocks(f);
    f->factorizations++;
    return sprag_sparse_lu_factor(f->workspace->lu, f->linear.values) >= 0;
}

// ---- Solution -----------------------------------------------------------------------------------

static inline void times(size_t d, const double *A, const double *x, double *y)
{
    for (size_t i = 0; i < d; i++) {
        y[i] = 0;
        for (size_t k = 0; k < d; k++)
            y[i] += A[i * d + k] * x[k];
    }
}

// The share of one contact in the right-hand side of the bodies.
static inline void add_right(Friction *f, size_t i, size_t d, size_t m, const double *F)
{
    double y[3];
    times(d, f->linear.inverse + i * 9, F + i * d, y);
    for (size_t side = 0; side < 2; side++) {
        int body = f->problem->bodies[2 * i + side];
        if (body < 0)
            continue;
        double *right = f->linear.right + (size_t)body * m;
        const double *MJ = f->MJ + (2 * i + side) * d * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                right[k] -= MJ[a * m + k] * y[a];
    }
}

// du and dr of one contact from the change of the bodies' velocities.
static inline void take_change(Friction *f, size_t i, size_t d, size_t m, const double *F,
                               double *dr, double *du)
{
    double y[3], u[3] = {0};
    for (size_t side = 0; side < 2; side++) {
        int body = f->problem->bodies[2 * i + side];
        if (body < 0)
            continue;
        const double *J = f->problem->jacobian + (2 * i + side) * d * m;
        const double *gain = f->linear.gain + (size_t)body * m;
        for (size_t a = 0; a < d; a++)
            for (size_t k = 0; k < m; k++)
                u[a] += J[a * m + k] * gain[k];
    }
    times(d, f->linear.A + i * d * d, u, y);
    for (size_t a = 0; a < d; a++) {
        y[a] = -y[a] - F[i * d + a];
        du[i * d + a] = u[a];
    }
    times(d, f->linear.inverse + i * 9, y, dr + i * d);
}

static inline void solve_sized(Friction *f, size_t d, size_t m, const double *F, double *dr,
                               double *du)
{
    memset(f->linear.right, 0, (size_t)f->problem->body_count * m * sizeof *f->linear.right);
    for (size_t i = 0; i < (size_t)f->c; i++)
        add_right(f, i, d, m, F);
    sprag_sparse_lu_solve(f->workspace->lu, f->linear.right, f->linear.gain);
    for (size_t i = 0; i < (size_t)f->c; i++)
        take_change(f, i, d, m, F, dr, du);
}

static void solve_bodies(Friction *f, const double *F, double *dr, double *du)
{
    if (f->d == 3 && f->body_size == 6)
        solve_sized(f, 3, 6, F, dr, du);
    else if (f->d == 2 && f->body_size == 3)
        solve_sized(f, 2, 3, F, dr, du);
    else
        solve_sized(f, (size_t)f->d, (size_t)f->body_size, F, dr, du);
}

// With blocks du is left as it is.
static void solve_plain(Friction *f, const double *F, double *dr, double *du)
{
    if (f->bodies) {
        solve_bodies(f, F, dr, du);
    } else {
        for (size_t k = 0; k < f->size; k++)
            f->linear.right[k] = -F[k];
        sprag_sparse_lu_solve(f->workspace->lu, f->linear.right, dr);
    }
}

// F + A W dr + B dr, with du = W dr computed afresh.
static void remainder_of(Friction *f, const double *F, const double *dr, double *du, double *rest)
{
    size_t d = (size_t)f->d;
    friction_multiply(f, dr, du, f->linear.gain);
    for (size_t i = 0; i < (size_t)f->c; i++) {
        double a[3], b[3];
        times(d, f->linear.A + i * d * d, du + i * d, a);
        times(d, f->linear.B + i * d * d, dr + i * d, b);
        for (size_t k = 0; k < d; k++)
            rest[i * d + k] = F[i * d + k] + a[k] + b[k];
    }
}

void friction_linear_solve(Friction *f, const double *F, double *dr, double *du)
{
    double *rest = f->linear.rest, *more = f->linear.more;
    solve_plain(f, F, dr, du);
    remainder_of(f, F, dr, du, rest);
    solve_plain(f, rest, more, rest + f->size);
    for (size_t k = 0; k < f->size; k++)
        dr[k] += more[k];
    friction_multiply(f, dr, du, f->linear.gain);
}

void friction_linear_solve_once(Friction *f, const double *F, double *dr, double *du)
{
    solve_plain(f, F, dr, du);
    if (!f->bodies)
        friction_multiply(f, dr, du, f->linear.gain);
}
