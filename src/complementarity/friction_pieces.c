// friction_pieces.c: the pieces of the function of Alart and Curnier, and where a step leaves them.
//
// Problem   on a step from (r, u) along (dr, du): which contact is the first whose equations change
//           into others, and into which, theory.md (11.16), (11.41)
// Method    p = r_N − ρ u_N is linear along the step, |y|² − μ² p² with y = r_T − ρ u_T a
//           parabola: roots of both
// Assumes   a contact may lie outside of its piece by rounding: it leaves at once if it moves on
//           outwards, and else not where it is
#include <math.h>

#include "friction_internal.h"

FrictionPiece friction_piece(const Friction *f, size_t i, const double *r, const double *u)
{
    double rho = 1 / f->weight[i], p = r[0] - rho * u[0], square = 0;
    for (int k = 1; k < f->d; k++)
        square += (r[k] - rho * u[k]) * (r[k] - rho * u[k]);
    if (p <= 0)
        return PIECE_OPEN;
    return sqrt(square) <= f->mu[i] * p && f->mu[i] > 0 ? PIECE_STICK : PIECE_SLIP;
}

void friction_pieces(const Friction *f, const double *r, const double *u, unsigned char *pieces)
{
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++)
        pieces[i] = (unsigned char)friction_piece(f, i, r + i * d, u + i * d);
}

// First s ≥ 0 at which a s² + 2 b s + c falls below 0, where c ≥ 0 but for rounding.
static double falls(double a, double b, double c)
{
    double root = b * b - a * c;
    if (c <= 0 && b < 0)
        return 0;
    // back into the piece first: the larger root counts
    if (c <= 0)
        return a < 0 ? (b + sqrt(fmax(0, root))) / -a : INFINITY;
    if (!(root >= 0))
        return INFINITY;
    // both roots without cancellation
    double h = -(b + copysign(sqrt(root), b)), first = INFINITY;
    double roots[2] = {a != 0 ? h / a : -1, h != 0 ? c / h : -1};
    for (int k = 0; k < 2; k++)
        if (roots[k] > 0 && roots[k] < first)
            first = roots[k];
    return first;
}

// Where contact i leaves its piece.
static FrictionKink leave(const Friction *f, size_t i, FrictionPiece piece, const double *r,
                          const double *u, const double *dr, const double *du)
{
    FrictionKink kink = {.step = INFINITY, .contact = i, .piece = piece};
    double rho = 1 / f->weight[i], square = f->mu[i] * f->mu[i];
    double p = r[0] - rho * u[0], dp = dr[0] - rho * du[0];
    // |y|² − μ² p² along the step
    double a = -square * dp * dp, b = -square * p * dp, c = -square * p * p;
    for (int k = 1; k < f->d; k++) {
        double y = r[k] - rho * u[k], dy = dr[k] - rho * du[k];
        a += dy * dy;
        b += y * dy;
        c += y * y;
    }
    if ((piece == PIECE_OPEN && dp > 0) || (piece == PIECE_SLIP && dp < 0)) {
        kink.step = fmax(0, -p / dp);
        kink.piece = piece == PIECE_OPEN ? PIECE_SLIP : PIECE_OPEN;
    }
    if (piece == PIECE_OPEN || square == 0)
        return kink;
    double cone = piece == PIECE_SLIP ? falls(a, b, c) : falls(-a, -b, -c);
    if (cone < kink.step) {
        kink.step = cone;
        kink.piece = piece == PIECE_SLIP ? PIECE_STICK : PIECE_SLIP;
    }
    return kink;
}

FrictionKink friction_first_kink(const Friction *f, const unsigned char *pieces, const double *r,
                                 const double *u, const double *dr, const double *du)
{
    FrictionKink first = {.step = INFINITY};
    size_t d = (size_t)f->d;
    for (size_t i = 0; i < (size_t)f->c; i++) {
        if (f->kind[i] != SPRAG_FRICTION_CONTACT)
            continue;
        FrictionKink own = leave(f, i, pieces[i], r + i * d, u + i * d, dr + i * d, du + i * d);
        if (own.step < first.step)
            first = own;
    }
    return first;
}
