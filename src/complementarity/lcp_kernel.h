// lcp_kernel.h: the inner loops of the tableau. Included once per instruction set with KERNEL(name)
// and KERNEL_TARGET defined. Products and differences are rounded separately and lane by lane, so
// every instruction set gives the same bits.

typedef double KERNEL(Lane) __attribute__((vector_size(32), aligned(8), may_alias));

#define LANE(address) (*(KERNEL(Lane) *)(address))
#define CONST_LANE(address) (*(const KERNEL(Lane) *)(address))

// Four rows and eight columns of T −= U V, in registers.
KERNEL_TARGET static inline __attribute__((always_inline)) void
KERNEL(tile)(int ld, const double *U, const double *V, double *T)
{
    double *row[4] = {T, T + ld, T + 2 * (size_t)ld, T + 3 * (size_t)ld};
    KERNEL(Lane) a0 = CONST_LANE(row[0]), a1 = CONST_LANE(row[0] + 4);
    KERNEL(Lane) b0 = CONST_LANE(row[1]), b1 = CONST_LANE(row[1] + 4);
    KERNEL(Lane) c0 = CONST_LANE(row[2]), c1 = CONST_LANE(row[2] + 4);
    KERNEL(Lane) d0 = CONST_LANE(row[3]), d1 = CONST_LANE(row[3] + 4);
    for (int k = 0; k < LCP_BLOCK; k++) {
        KERNEL(Lane) v0 = CONST_LANE(V + (size_t)k * ld), v1 = CONST_LANE(V + (size_t)k * ld + 4);
        double ua = U[k], ub = U[LCP_BLOCK + k];
        double uc = U[2 * LCP_BLOCK + k], ud = U[3 * LCP_BLOCK + k];
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

// T −= U V on `columns` columns, a multiple of 8.
KERNEL_TARGET static void KERNEL(update)(int rows, int columns, int ld, const double *U,
                                         const double *V, double *T)
{
    int i = 0;
    for (; i + 4 <= rows; i += 4)
        for (int j = 0; j < columns; j += 8)
            KERNEL(tile)(ld, U + (size_t)i * LCP_BLOCK, V + j, T + (size_t)i * ld + j);
    for (; i < rows; i++)
        for (int k = 0; k < LCP_BLOCK; k++) {
            double u = U[(size_t)i * LCP_BLOCK + k];
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

#undef LANE
#undef CONST_LANE
