// shifted.c: (μ I − J) x = r for real and complex shifts μ.
// Problem   implicit methods solve with one J and a few μ, many right-hand sides each
// Method    components are sorted once for each J: a *passive* one (zero column: quadratures) is
//           computed from the others; a *simple* one (row with one entry a in column j: q' = v) is
//           x_i = (r_i + a x_j)/μ, put into the other rows; what is left, the *core*, is
//               μ I − J_cc − J_cs P/μ
//           with P the entries of the simple rows, and is factored with partial pivoting
//                               [GolubVanLoan2013, Alg. 3.4.1]
// Assumes   sizes of tens; μ ≠ 0. Loops run down columns, so that they have no dependent sums.
#include "shifted.h"

#include <math.h>

// ---- Memory and structure -----------------------------------------------------------------------

size_t sprag_shifted_doubles(int n)
{
    size_t size = (size_t)n;
    return 5 * size * size + size;
}

size_t sprag_shifted_integers(int n)
{
    return 4 * (size_t)n;
}

void sprag_shifted_carve(ShiftedSystem *system, int n, double *doubles, int *integers)
{
    size_t square = (size_t)n * (size_t)n;
    system->direct = doubles;
    system->through = doubles + square;
    system->core_simple = doubles + 2 * square;
    system->passive_core = doubles + 3 * square;
    system->passive_simple = doubles + 4 * square;
    system->slope = doubles + 5 * square;
    system->core = integers;
    system->simple = integers + n;
    system->passive = integers + 2 * n;
    system->target = integers + 3 * n;
}

// The only column with an entry in row i, −1 if there is none, or several, or it is i itself.
static int single_entry(int n, const double *J, int i)
{
    int found = -1;
    for (int j = 0; j < n; j++) {
        if (J[i * n + j] == 0.0)
            continue;
        if (found >= 0 || j == i)
            return -1;
        found = j;
    }
    return found;
}

static bool is_zero_column(int n, const double *J, int j)
{
    for (int i = 0; i < n; i++)
        if (J[i * n + j] != 0.0)
            return false;
    return true;
}

static int position(int count, const int *list, int value)
{
    int i = 0;
    while (i < count && list[i] != value)
        i++;
    return i < count ? i : -1;
}

// Fills the lists; a simple row leads to a core row, never to another simple one.
static void classify(ShiftedSystem *system, int n, const double *J)
{
    system->core_count = system->simple_count = system->passive_count = 0;
    for (int i = 0; i < n; i++) {
        if (is_zero_column(n, J, i)) {
            system->passive[system->passive_count++] = i;
            continue;
        }
        int j = single_entry(n, J, i);
        bool simple = j >= 0 && position(system->simple_count, system->simple, j) < 0 &&
                      position(system->simple_count, system->target, i) < 0;
        if (simple) {
            system->target[system->simple_count] = j;
            system->simple[system->simple_count++] = i;
        } else {
            system->core[system->core_count++] = i;
        }
    }
    for (int k = 0; k < system->simple_count; k++) {
        int j = system->target[k];
        system->slope[k] = J[system->simple[k] * n + j];
        system->target[k] = position(system->core_count, system->core, j);
    }
}

static void take_block(int n, const double *J, int row_count, const int *rows, int column_count,
                       const int *columns, double *block)
{
    for (int j = 0; j < column_count; j++)
        for (int i = 0; i < row_count; i++)
            block[j * row_count + i] = J[rows[i] * n + columns[j]];
}

void sprag_shifted_sort(ShiftedSystem *system, int n, const double *J)
{
    classify(system, n, J);
    int cores = system->core_count, simples = system->simple_count;
    int passives = system->passive_count;
    take_block(n, J, cores, system->core, cores, system->core, system->direct);
    take_block(n, J, cores, system->core, simples, system->simple, system->core_simple);
    take_block(n, J, passives, system->passive, cores, system->core, system->passive_core);
    take_block(n, J, passives, system->passive, simples, system->simple, system->passive_simple);
    for (int i = 0; i < cores * cores; i++)
        system->through[i] = 0.0;
    for (int k = 0; k < simples; k++)
        for (int i = 0; i < cores; i++)
            system->through[system->target[k] * cores + i] +=
                system->core_simple[k * cores + i] * system->slope[k];
}

// ---- Real shift ---------------------------------------------------------------------------------

static void swap(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

// x −= factor · column
static inline void subtract(int n, double *restrict x, double factor, const double *restrict column)
{
    for (int i = 0; i < n; i++)
        x[i] -= factor * column[i];
}

// In place P A = L U, column-major; the diagonal holds reciprocals.
static bool factor_real(int n, double *A, int *pivots)
{
    for (int k = 0; k < n; k++) {
        double *column = A + k * n;
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(column[i]) > fabs(column[pivot]))
                pivot = i;
        pivots[k] = pivot;
        if (!(fabs(column[pivot]) > 0.0))
            return false;
        if (pivot != k)
            for (int j = 0; j < n; j++)
                swap(&A[j * n + k], &A[j * n + pivot]);
        column[k] = 1.0 / column[k];
        for (int i = k + 1; i < n; i++)
            column[i] *= column[k];
        for (int j = k + 1; j < n; j++)
            subtract(n - k - 1, A + j * n + k + 1, A[j * n + k], column + k + 1);
    }
    return true;
}

static void solve_real(int n, const double *LU, const int *pivots, double *restrict x)
{
    for (int k = 0; k < n; k++)
        swap(&x[k], &x[pivots[k]]);
    for (int k = 0; k < n; k++)
        subtract(n - k - 1, x + k + 1, x[k], LU + k * n + k + 1);
    for (int k = n - 1; k >= 0; k--) {
        x[k] *= LU[k * n + k];
        subtract(k, x, x[k], LU + k * n);
    }
}

void sprag_shifted_solve(const ShiftedSystem *system, const ShiftedFactors *factors,
                         double *restrict x, double *restrict work)
{
    int cores = system->core_count, simples = system->simple_count;
    int passives = system->passive_count;
    double inverse = 1.0 / factors->shift;
    for (int i = 0; i < cores; i++)
        work[i] = x[system->core[i]];
    for (int k = 0; k < simples; k++)
        subtract(cores, work, -inverse * x[system->simple[k]], system->core_simple + k * cores);
    solve_real(cores, factors->real, factors->pivots, work);
    for (int i = 0; i < cores; i++)
        x[system->core[i]] = work[i];
    for (int k = 0; k < simples; k++) {
        double *place = &x[system->simple[k]];
        *place = inverse * (*place + system->slope[k] * work[system->target[k]]);
    }
    for (int p = 0; p < passives; p++) {
        double sum = x[system->passive[p]];
        for (int i = 0; i < cores; i++)
            sum += system->passive_core[i * passives + p] * work[i];
        for (int k = 0; k < simples; k++)
            sum += system->passive_simple[k * passives + p] * x[system->simple[k]];
        x[system->passive[p]] = inverse * sum;
    }
}

// ---- Complex shift ------------------------------------------------------------------------------

typedef struct Complex {
    double re, im;
} Complex;

static inline Complex times(Complex a, Complex b)
{
    return (Complex){a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

static inline Complex reciprocal(Complex a)
{
    double square = a.re * a.re + a.im * a.im;
    return (Complex){a.re / square, -a.im / square};
}

// (x, y) −= factor · (re, im)
static inline void subtract_complex(int n, double *restrict x, double *restrict y, Complex factor,
                                    const double *restrict re, const double *restrict im)
{
    for (int i = 0; i < n; i++) {
        x[i] -= factor.re * re[i] - factor.im * im[i];
        y[i] -= factor.re * im[i] + factor.im * re[i];
    }
}

// As factor_real; pivots by |re| + |im|.
static bool factor_complex(int n, double *A, double *B, int *pivots)
{
    for (int k = 0; k < n; k++) {
        double *re = A + k * n, *im = B + k * n;
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(re[i]) + fabs(im[i]) > fabs(re[pivot]) + fabs(im[pivot]))
                pivot = i;
        pivots[k] = pivot;
        if (!(fabs(re[pivot]) + fabs(im[pivot]) > 0.0))
            return false;
        for (int j = 0; j < n && pivot != k; j++) {
            swap(&A[j * n + k], &A[j * n + pivot]);
            swap(&B[j * n + k], &B[j * n + pivot]);
        }
        Complex inverse = reciprocal((Complex){re[k], im[k]});
        re[k] = inverse.re;
        im[k] = inverse.im;
        for (int i = k + 1; i < n; i++) {
            Complex scaled = times(inverse, (Complex){re[i], im[i]});
            re[i] = scaled.re;
            im[i] = scaled.im;
        }
        for (int j = k + 1; j < n; j++) {
            int first = j * n + k + 1;
            subtract_complex(n - k - 1, A + first, B + first, (Complex){A[first - 1], B[first - 1]},
                             re + k + 1, im + k + 1);
        }
    }
    return true;
}

static void solve_complex(int n, const ShiftedFactors *factors, double *restrict x,
                          double *restrict y)
{
    const double *A = factors->real, *B = factors->imaginary;
    for (int k = 0; k < n; k++) {
        swap(&x[k], &x[factors->pivots[k]]);
        swap(&y[k], &y[factors->pivots[k]]);
    }
    for (int k = 0; k < n; k++) {
        int first = k * n + k + 1;
        subtract_complex(n - k - 1, x + k + 1, y + k + 1, (Complex){x[k], y[k]}, A + first,
                         B + first);
    }
    for (int k = n - 1; k >= 0; k--) {
        Complex value = times((Complex){A[k * n + k], B[k * n + k]}, (Complex){x[k], y[k]});
        x[k] = value.re;
        y[k] = value.im;
        subtract_complex(k, x, y, value, A + k * n, B + k * n);
    }
}

static void solve_passive_complex(const ShiftedSystem *system, Complex inverse, double *x,
                                  double *y, const double *work)
{
    int cores = system->core_count, passives = system->passive_count;
    for (int p = 0; p < passives; p++) {
        Complex sum = {x[system->passive[p]], y[system->passive[p]]};
        for (int i = 0; i < cores; i++) {
            sum.re += system->passive_core[i * passives + p] * work[i];
            sum.im += system->passive_core[i * passives + p] * work[cores + i];
        }
        for (int k = 0; k < system->simple_count; k++) {
            sum.re += system->passive_simple[k * passives + p] * x[system->simple[k]];
            sum.im += system->passive_simple[k * passives + p] * y[system->simple[k]];
        }
        sum = times(inverse, sum);
        x[system->passive[p]] = sum.re;
        y[system->passive[p]] = sum.im;
    }
}

void sprag_shifted_solve_complex(const ShiftedSystem *system, const ShiftedFactors *factors,
                                 double *restrict x, double *restrict y, double *restrict work)
{
    int cores = system->core_count, simples = system->simple_count;
    double *re = work, *im = work + cores;
    Complex inverse = reciprocal((Complex){factors->shift, factors->shift_imaginary});
    for (int i = 0; i < cores; i++) {
        re[i] = x[system->core[i]];
        im[i] = y[system->core[i]];
    }
    for (int k = 0; k < simples; k++) {
        int place = system->simple[k];
        Complex first = times(inverse, (Complex){x[place], y[place]});
        subtract(cores, re, -first.re, system->core_simple + k * cores);
        subtract(cores, im, -first.im, system->core_simple + k * cores);
    }
    solve_complex(cores, factors, re, im);
    for (int i = 0; i < cores; i++) {
        x[system->core[i]] = re[i];
        y[system->core[i]] = im[i];
    }
    for (int k = 0; k < simples; k++) {
        int place = system->simple[k], target = system->target[k];
        Complex sum = {x[place] + system->slope[k] * re[target],
                       y[place] + system->slope[k] * im[target]};
        sum = times(inverse, sum);
        x[place] = sum.re;
        y[place] = sum.im;
    }
    solve_passive_complex(system, inverse, x, y, work);
}

bool sprag_shifted_factor(const ShiftedSystem *system, ShiftedFactors *factors)
{
    int n = system->core_count;
    Complex shift = {factors->shift, factors->shift_imaginary};
    Complex inverse = reciprocal(shift);
    double *A = factors->real, *B = factors->imaginary;
    for (int i = 0; i < n * n; i++)
        A[i] = -system->direct[i] - inverse.re * system->through[i];
    for (int i = 0; i < n; i++)
        A[i * n + i] += shift.re;
    if (!B)
        return factor_real(n, A, factors->pivots);
    for (int i = 0; i < n * n; i++)
        B[i] = -inverse.im * system->through[i];
    for (int i = 0; i < n; i++)
        B[i * n + i] += shift.im;
    return factor_complex(n, A, B, factors->pivots);
}
