// lcp_kernel.h: the inner loops of the tableau. Included once per instruction set with KERNEL(name)
// and KERNEL_TARGET defined. Products and differences are rounded separately and lane by lane, so
// every instruction set gives the same bits.

typedef double KERNEL(Lane) __attribute__((vector_size(32), aligned(8), may_alias));

typedef int64_t KERNEL(Mask) __attribute__((vector_size(32)));

// a where the mask is set, b elsewhere
#define CHOOSE(mask, a, b)                                                                         \
    ((KERNEL(Lane))(((mask) & (KERNEL(Mask))(a)) | (~(mask) & (KERNEL(Mask))(b))))
#define LANE(address) (*(KERNEL(Lane) *)(address))
#define CONST_LANE(address) (*(const KERNEL(Lane) *)(address))

// Four rows and eight columns of T −= U V, in registers.
KERNEL_TARGET static inline __attribute__((always_inline)) void
KERNEL(tile)(int us, int ld, const double *U, const double *V, double *T)
{
    double *row[4] = {T, T + ld, T + 2 * (size_t)ld, T + 3 * (size_t)ld};
    KERNEL(Lane) a0 = CONST_LANE(row[0]), a1 = CONST_LANE(row[0] + 4);
    KERNEL(Lane) b0 = CONST_LANE(row[1]), b1 = CONST_LANE(row[1] + 4);
    KERNEL(Lane) c0 = CONST_LANE(row[2]), c1 = CONST_LANE(row[2] + 4);
    KERNEL(Lane) d0 = CONST_LANE(row[3]), d1 = CONST_LANE(row[3] + 4);
    for (int k = 0; k < LCP_BLOCK; k++) {
        KERNEL(Lane) v0 = CONST_LANE(V + (size_t)k * ld), v1 = CONST_LANE(V + (size_t)k * ld + 4);
        const double *u = U + (size_t)k * us;
        double ua = u[0], ub = u[1], uc = u[2], ud = u[3];
        a0 -= ua * v0, a1 -= ua * v1;
        b0 -= ub * v0, b1 -= ub * v1;
        c0 -= uc * v0, c1 -= uc * v1;
        d0 -= ud * v0, d1 -= ud * v1;
    }
    LANE(row[0]) = a0, LANE(row[0] + 4) = a1;
    LANE(row[1]) = b0, LANE(row[1] + 4) = b1;
    LANE(row[2]) = c0, LANE(row[2] + 4) = c1;
    LANE(row[3]) = d0, LANE(row[3] + 4) = d1;
}

// T −= Uᵀ V on `columns` columns, a multiple of 8; U is LCP_BLOCK rows of length us.
KERNEL_TARGET static void KERNEL(update)(int rows, int columns, int us, int ld, const double *U,
                                         const double *V, double *T)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4)
        for (int j = 0; j < columns; j += 8)
            KERNEL(tile)(us, ld, U + i, V + j, T + (size_t)i * ld + j);
    for (; i < rows; i++)
        for (int k = 0; k < LCP_BLOCK; k++) {
            double u = U[(size_t)k * us + i];
            for (int j = 0; j < columns; j += 4)
                LANE(T + (size_t)i * ld + j) -= u * CONST_LANE(V + (size_t)k * ld + j);
        }
}

// T −= u vᵀ; rows with u_i = 0 are left alone (frictional problems have many).
KERNEL_TARGET static void KERNEL(rank_one)(int rows, int ld, const double *u, const double *v,
                                           double *T)
{
    for (int i = 0; i < rows; i++) {
        if (u[i] == 0)
            continue;
        double *row = T + (size_t)i * ld;
        for (int j = 0; j < ld; j += 4)
            LANE(row + j) -= u[i] * CONST_LANE(v + j);
    }
}

KERNEL_TARGET static void KERNEL(axpy)(int count, double a, const double *x, double *y)
{
    int j = 0;
    for (; j + 4 <= count; j += 4)
        LANE(y + j) -= a * CONST_LANE(x + j);
    for (; j < count; j++)
        y[j] -= a * x[j];
}

// Eight partial sums in a fixed order.
KERNEL_TARGET static double KERNEL(dot)(int count, const double *x, const double *y)
{
    KERNEL(Lane) s0 = {0, 0, 0, 0}, s1 = s0;
    int j = 0;
    for (; j + 8 <= count; j += 8) {
        s0 += CONST_LANE(x + j) * CONST_LANE(y + j);
        s1 += CONST_LANE(x + j + 4) * CONST_LANE(y + j + 4);
    }
    s0 += s1;
    double sum = (s0[0] + s0[1]) + (s0[2] + s0[3]);
    for (; j < count; j++)
        sum += x[j] * y[j];
    return sum;
}

// w = q + M z on the rows from … to − 1; max |min(z_i, w_i)|, or INFINITY if something is not
// finite.
KERNEL_TARGET static double KERNEL(judge)(const SpragLcp *problem, int from, int to,
                                          const double *z, double *w)
{
    int n = problem->n;
    const double *q = problem->q;
    double worst = 0, total = 0;
    for (int i = from; i < to; i++) {
        const double *row = problem->M + (size_t)i * n;
        KERNEL(Lane) s0 = {0, 0, 0, 0}, s1 = s0;
        int j = 0;
        for (; j + 8 <= n; j += 8) {
            s0 += CONST_LANE(row + j) * CONST_LANE(z + j);
            s1 += CONST_LANE(row + j + 4) * CONST_LANE(z + j + 4);
        }
        s0 += s1;
        double value = (s0[0] + s0[1]) + (s0[2] + s0[3]);
        for (; j < n; j++)
            value += row[j] * z[j];
        value += q[i];
        w[i - from] = value;
        double least = value < z[i] ? value : z[i];
        least = least < 0 ? -least : least;
        worst = least > worst ? least : worst;
        total += 0 * value + 0 * z[i];
    }
    return total == 0 ? worst : INFINITY;
}

// The smallest ratio q_i/−c_i, q_i cut at 0, over c_i < −zero × max|c|; INFINITY if there is none.
// *largest: max|c|. count is a multiple of 4, padding zero.
KERNEL_TARGET static double KERNEL(ratio)(int count, double zero, const double *c, const double *q,
                                          double *largest)
{
    const KERNEL(Lane) nothing = {0, 0, 0, 0}, infinite = {INFINITY, INFINITY, INFINITY, INFINITY};
    KERNEL(Lane) most = nothing, best = infinite;
    for (int i = 0; i < count; i += 4) {
        KERNEL(Lane) x = CONST_LANE(c + i), y = -x;
        x = CHOOSE(x > y, x, y);
        most = CHOOSE(most > x, most, x);
    }
    double low = most[0] > most[1] ? most[0] : most[1],
           high = most[2] > most[3] ? most[2] : most[3];
    *largest = low > high ? low : high;
    KERNEL(Lane) bound = nothing + zero * *largest;
    for (int i = 0; i < count; i += 4) {
        KERNEL(Lane) x = -CONST_LANE(c + i), y = CONST_LANE(q + i);
        y = CHOOSE(y > nothing, y, nothing);
        y = CHOOSE(x > bound, y / x, infinite);
        best = CHOOSE(best < y, best, y);
    }
    low = best[0] < best[1] ? best[0] : best[1], high = best[2] < best[3] ? best[2] : best[3];
    return low < high ? low : high;
}

// max |x_i|; NaN is passed over.
KERNEL_TARGET static double KERNEL(largest)(size_t count, const double *x)
{
    KERNEL(Lane) most = {0, 0, 0, 0};
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        KERNEL(Lane) a = CONST_LANE(x + i), b = -a;
        a = CHOOSE(a > b, a, b);
        most = CHOOSE(a > most, a, most);
    }
    double low = most[0] > most[1] ? most[0] : most[1];
    double high = most[2] > most[3] ? most[2] : most[3];
    low = low > high ? low : high;
    for (; i < count; i++) {
        double size = x[i] < 0 ? -x[i] : x[i];
        low = size > low ? size : low;
    }
    return low;
}

// The vectors of an exchange: q += c theta, u = c inverse.
KERNEL_TARGET static void KERNEL(pivot)(int count, double theta, double inverse, const double *c,
                                        double *q, double *u)
{
    for (int i = 0; i < count; i += 4) {
        KERNEL(Lane) x = CONST_LANE(c + i);
        LANE(q + i) += x * theta;
        LANE(u + i) = x * inverse;
    }
}

// ---- Lemke's method for up to LCP_SMALL rows ----------------------------------------------------

// Columns of the tableau one after the other, each of `lanes` lanes; covering vector e. Everything
// in one function, since a pivot takes a few dozen cycles. Ties, rays and the limit are left to the
// general code: false.
KERNEL_TARGET static inline __attribute__((always_inline)) bool
KERNEL(small_lanes)(LcpTableau *t, const int lanes, double zero, double tie, int limit, int *pivots)
{
    enum { WIDTH = LCP_SMALL / 4 };
    const KERNEL(Lane) nothing = {0, 0, 0, 0}, infinite = {INFINITY, INFINITY, INFINITY, INFINITY};
    const int n = t->n, rows = 4 * lanes;
    KERNEL(Lane) q[WIDTH], c[WIDTH];
    KERNEL(Mask) number[WIDTH], bit[WIDTH];
    double scale = 0, least = 0;
    int row = -1, entering = n;
    for (int l = 0; l < lanes; l++) {
        q[l] = CONST_LANE(t->q + 4 * l);
        c[l] = nothing + 1;
        number[l] = (KERNEL(Mask)){4 * l, 4 * l + 1, 4 * l + 2, 4 * l + 3};
        bit[l] = (KERNEL(Mask)){1 << 4 * l, 2 << 4 * l, 4 << 4 * l, 8 << 4 * l};
    }
    for (int i = 0; i < n; i++) {
        double size = t->q[i] < 0 ? -t->q[i] : t->q[i];
        scale = size > scale ? size : scale;
        row = t->q[i] <= least && t->q[i] < 0 ? i : row;
        least = t->q[i] < least ? t->q[i] : least;
    }
    if (row < 0)
        return true;
    double pivot = 1, value = least;
    for (;;) {
        // exchange `row` and `entering`, whose column is c
        const double inverse = 1 / pivot, theta = -value * inverse;
        KERNEL(Mask) here[WIDTH];
        for (int l = 0; l < lanes; l++) {
            here[l] = number[l] == row;
            q[l] = CHOOSE(here[l], nothing + theta, q[l] + c[l] * theta);
        }
        for (int j = 0; j <= n; j++) {
            double *column = t->T + j * rows;
            const double factor = column[row] * inverse;
            if (j == entering)
                for (int l = 0; l < lanes; l++)
                    LANE(column + 4 * l) = CHOOSE(here[l], nothing + inverse, c[l] * inverse);
            else
                for (int l = 0; l < lanes; l++) {
                    KERNEL(Lane) x = CONST_LANE(column + 4 * l) - c[l] * factor;
                    LANE(column + 4 * l) = CHOOSE(here[l], nothing - factor, x);
                }
        }
        const int leaving = t->row_variable[row];
        t->row_variable[row] = t->column_variable[entering];
        t->position[t->row_variable[row]] = row;
        t->column_variable[entering] = leaving;
        t->position[leaving] = -1 - entering;
        ++*pivots;
        if (leaving == 2 * n || *pivots >= limit)
            break;
        // next column and its ratios
        entering = -1 - t->position[leaving < n ? leaving + n : leaving - n];
        KERNEL(Lane) most = nothing, best = infinite;
        for (int l = 0; l < lanes; l++) {
            c[l] = CONST_LANE(t->T + entering * rows + 4 * l);
            KERNEL(Lane) y = -c[l];
            y = CHOOSE(c[l] > y, c[l], y);
            most = CHOOSE(most > y, most, y);
        }
        double low = most[0] > most[1] ? most[0] : most[1];
        double high = most[2] > most[3] ? most[2] : most[3];
        const double largest = low > high ? low : high;
        const KERNEL(Lane) bound = nothing + zero * largest;
        for (int l = 0; l < lanes; l++) {
            KERNEL(Lane) x = -c[l], y = CHOOSE(q[l] > nothing, q[l], nothing);
            y = CHOOSE(x > bound, y / x, infinite);
            best = CHOOSE(best < y, best, y);
        }
        low = best[0] < best[1] ? best[0] : best[1];
        high = best[2] < best[3] ? best[2] : best[3];
        const double smallest = low < high ? low : high;
        const KERNEL(Lane) reach = nothing + (smallest + tie * (smallest + scale / largest));
        KERNEL(Mask) found = {0, 0, 0, 0};
        for (int l = 0; l < lanes; l++)
            found |= (-c[l] > bound) & (q[l] <= reach * -c[l]) & bit[l];
        const int ties = (int)(found[0] | found[1] | found[2] | found[3]);
        const int covering = t->position[2 * n];
        if (ties == 0 || smallest == INFINITY)
            return false;
        if (ties >> covering & 1)
            row = covering;
        else if ((ties & (ties - 1)) == 0)
            row = __builtin_ctz((unsigned)ties);
        else
            return false;
        pivot = t->T[entering * rows + row];
        double values[LCP_SMALL];
        for (int l = 0; l < lanes; l++)
            LANE(values + 4 * l) = q[l];
        value = values[row];
    }
    for (int l = 0; l < lanes; l++)
        LANE(t->q + 4 * l) = q[l];
    return t->position[2 * n] < 0;
}

KERNEL_TARGET static bool KERNEL(small)(LcpTableau *t, double zero, double tie, int limit,
                                        int *pivots)
{
    switch (t->us / 4) {
    case 1:
        return KERNEL(small_lanes)(t, 1, zero, tie, limit, pivots);
    case 2:
        return KERNEL(small_lanes)(t, 2, zero, tie, limit, pivots);
    case 3:
        return KERNEL(small_lanes)(t, 3, zero, tie, limit, pivots);
    default:
        return KERNEL(small_lanes)(t, 4, zero, tie, limit, pivots);
    }
}

#undef LANE
#undef CHOOSE
#undef CONST_LANE
