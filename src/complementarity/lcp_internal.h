// lcp_internal.h: what the LCP methods share: tableau, workspace, outcome of a method.
#ifndef SPRAG_LCP_INTERNAL_H
#define SPRAG_LCP_INTERNAL_H

#include "sprag/complementarity.h"

// ERROR_INPUT names the first entry that is not finite.
SPRAG_MUST_USE SpragStatus problem_check_finite(SpragContext *context, const char *name,
                                                const double *values, size_t count);

// ---- Tableau ------------------------------------------------------------------------------------

// Number of exchanges that are gathered before the matrix is touched, for tables that do not fit
// the first-level cache; a row of U is then one cache line.
enum { LCP_BLOCK = 8 };
// Up to this size Lemke's method runs in one kernel.
enum { LCP_SMALL = 16 };

// The system y = q + T x of basic y (rows) and nonbasic x (columns). Variables are numbered w_i: i,
// z_i: n + i, covering variable z_0: 2n.
//
// An exchange of y_r and x_s with pivot p = T_rs changes T to T° − u vᵀ, where T° is T with row r
// and column s set to zero, u = (column s)/p with u_r = 1/p, v = (row r) with v_s = −1. Up to
// `block` such updates are pending: the present matrix is T − Uᵀ V.
typedef struct LcpFactors LcpFactors;

typedef struct LcpTableau {
    int n;       // rows
    int columns; // nonbasic variables: n, or n + 1 with the covering variable
    int ld;      // row length of T and V, a multiple of 8 (of 4 when block is 1)
    int block;   // 1 or LCP_BLOCK
    int pending;
    int us;         // row length of U: n in whole lanes; q and column have as many entries
    double *T;      // n × ld
    double *U;      // block × us
    double *V;      // block × ld
    double *q;      // us, always up to date
    double *column; // us: the column last fetched; padding zero
    int *row_variable;
    int *column_variable;
    int *position;             // 2n + 1: row ≥ 0, or −1 − column
    int *origin;               // n: the variables that the lexicographic perturbation belongs to
    const LcpFactors *factors; // not NULL: T is not formed, its rows and columns come from here
    bool full;                 // … and no further exchange can be kept pending
} LcpTableau;

// The tableau of a complementary basis by its factors (lcp_factors.c). Borrowed arrays.
struct LcpFactors {
    const SpragLcp *problem;
    const double *LU;
    const int *permutation, *members;
    int m;
    const bool *basis;
    const double *covering;       // n
    double *full, *part, *other;  // n each: scratch
    bool *row_gone, *column_gone; // n + 1 each: set to zero by an exchange
};
// Rows and columns of the tableau before any exchange; a row has n + 1 entries.
void lcp_factors_column(const LcpFactors *factors, int s, double *column);
void lcp_factors_row(const LcpFactors *factors, int r, double *row);
// Makes the tableau stand for the factors' basis. They must live as long as it is used.
void lcp_factors_load(const LcpFactors *factors, LcpTableau *tableau);

// Doubles and ints that a tableau of size n needs.
size_t lcp_tableau_doubles(int n);
size_t lcp_tableau_ints(int n);
void lcp_tableau_carve(LcpTableau *tableau, int n, double *doubles, int *ints);
// T = row_scale M column_scale (NULL: ones), q likewise; covering: n entries or NULL for none.
void lcp_tableau_load(LcpTableau *tableau, const SpragLcp *problem, const double *row_scale,
                      const double *column_scale, const double *covering);
// Lemke's method with covering vector e from z = 0 for n ≤ LCP_SMALL; q ≥ 0 is solved. True: the
// variables and q of the tableau are those of the end, T is not. False: the general code has to
// begin anew. zero and tie as in lcp_lemke.c.
bool lcp_tableau_small(LcpTableau *tableau, const SpragLcp *problem, double zero, double tie,
                       int limit, int *pivots);
// Writes the present column s to tableau->column.
void lcp_tableau_column(LcpTableau *tableau, int s);
// The present entry (r, s).
double lcp_tableau_entry(const LcpTableau *tableau, int r, int s);
// Writes the present row r to row (ld entries).
void lcp_tableau_row(const LcpTableau *tableau, int r, double *row);
// Exchanges row r and column s, whose column is in tableau->column.
void lcp_tableau_exchange(LcpTableau *tableau, int r, int s);
// Principal pivot transform: exchanges w_i and z_i for all i with basis[i], in an order that is
// stable. False if the submatrix is singular.
bool lcp_tableau_transform(LcpTableau *tableau, const bool *basis);
// z (n) of the basic solution, negative values cut off.
void lcp_tableau_point(const LcpTableau *tableau, double *z);
// Makes the present basis the one that is perturbed: its rows become lexicographically positive.
void lcp_tableau_set_origin(LcpTableau *tableau);
// Adds the covering variable to a tableau that was loaded without it.
void lcp_tableau_cover(LcpTableau *tableau, const double *covering);
// Of the rows candidates[0 … count − 1] that tie in the ratio test for tableau->column, the
// lexicographically smallest: (q_i + ε^{i+1}) perturbed, ε → 0. Reorders candidates.
int lcp_tableau_lexicographic(const LcpTableau *tableau, int *candidates, int count);
// T −= Uᵀ V with U LCP_BLOCK rows of length us, and V, T of row length ld, on `columns` columns
// (whole multiples of 8).
void lcp_kernel_update(int rows, int columns, int us, int ld, const double *U, const double *V,
                       double *T);
// y −= a x over count entries.
void lcp_kernel_axpy(int count, double a, const double *x, double *y);
double lcp_kernel_dot(int count, const double *x, const double *y);
double lcp_kernel_largest(size_t count, const double *x);
// (q + M z)_i for from ≤ i < to, in w[i − from]; the largest |min(z_i, w_i)| of them, or INFINITY
// if one is not finite.
double lcp_kernel_judge(const SpragLcp *problem, int from, int to, const double *z, double *w);
// Smallest ratio of the tableau's column, see lcp_kernel.h.
double lcp_tableau_ratio(const LcpTableau *tableau, double zero, double *largest);

// ---- Dense systems ------------------------------------------------------------------------------

// Row length of a matrix of size m that lcp_lu_factor takes: whole lanes.
int lcp_lu_row_length(int m);
// In place P A = L U by partial pivoting. False if a pivot is not above tolerance × the largest
// entry. The row length is lcp_lu_row_length(m), padding is zero; panel: LCP_BLOCK × (m + 4)
// scratch.
bool lcp_lu_factor(int m, double *A, double tolerance, int *rows, double *panel);
// x = A⁻¹ b; x and b may not overlap.
void lcp_lu_solve(int m, const double *LU, const int *rows, const double *b, double *x);

// ---- Workspace ----------------------------------------------------------------------------------

struct SpragLcpWorkspace {
    SpragContext *context;
    SpragArena *arena; // for what is rare: linear programs, searches
    int n;             // the size the arrays below are carved for
    LcpTableau tableau;
    double *matrix;       // factors: n rows of lcp_lu_row_length(n)
    double *panel;        // n × LCP_BLOCK
    double *row;          // one row of the tableau
    double *vectors[10];  // n each: scratch of one method
    double *best_z;       // n: of the driver
    double *covering;     // n
    double *row_scale;    // n
    double *column_scale; // n
    int *candidates;      // n + 1
    int *members;         // n
    int *permutation;     // n
    bool *basis;          // n: of the last solution
    bool *trial;          // n
    bool *row_gone;       // n + 1
    bool *column_gone;    // n + 1
    bool has_basis;
    bool judged;            // the method has judged its point already:
    double judged_residual; // by sprag_lcp_residual, which also wrote
    double *judged_w;       // n
    double *double_block;
    size_t double_capacity;
    int *int_block;
    size_t int_capacity;
    bool *bool_block;
    size_t bool_capacity;
    SpragLcpAll *all; // made at the first enumeration
};

// Makes the arrays fit problems of size n; keeps the basis if they do already.
SPRAG_MUST_USE SpragStatus lcp_workspace_fit(SpragLcpWorkspace *workspace, int n);
SPRAG_MUST_USE SpragStatus lcp_check_settings(SpragContext *context, const SpragLcp *problem,
                                              const SpragLcpSettings *settings);

typedef struct LcpOutcome {
    SpragLcpStatus status;
    SpragLcpProof proof;
    int pivots, iterations, starts;
    bool warm_solved;
} LcpOutcome;

// A method: writes its point to z. Failure (memory) is a status; numerics go to outcome.
typedef SpragStatus LcpMethod(SpragLcpWorkspace *workspace, const SpragLcp *problem,
                              const SpragLcpSettings *settings, double *z, LcpOutcome *outcome);

LcpMethod lcp_lemke, lcp_murty, lcp_keller, lcp_cottle_dantzig, lcp_newton_fb, lcp_newton_min,
    lcp_pgs, lcp_enumeration;

// Factors M_αα for α = basis: members, permutation and matrix of the workspace. *m: its size. False
// if singular.
bool lcp_basis_factor(SpragLcpWorkspace *workspace, const SpragLcp *problem, const bool *basis,
                      int *m);
// Solves M_αα z_α = −q_α with those factors, z = 0 elsewhere, and refines so many times.
void lcp_basis_solve(SpragLcpWorkspace *workspace, const SpragLcp *problem, int m, int refinements,
                     double *z);
// Replaces z by the point of its own support when that has a smaller residual; the residual.
double lcp_polish(SpragLcpWorkspace *workspace, const SpragLcp *problem, double *z);
// The point of a complementary tableau in z (times column_scale, NULL: 1), recomputed from its
// support if need be; keeps the basis. True if it is within the tolerance.
bool lcp_finish(SpragLcpWorkspace *workspace, const SpragLcp *problem,
                const SpragLcpSettings *settings, const double *column_scale, double *z);
// Corrects a basis by min-map steps from where it stands; true if it ends at a solution in z.
bool lcp_basis_correct(SpragLcpWorkspace *workspace, const SpragLcp *problem,
                       const SpragLcpSettings *settings, bool *basis, double *z, int max_steps);
// y ≥ 0, Mᵀy ≤ 0, qᵀy < 0 within rounding: no z ≥ 0 has M z + q ≥ 0.
bool lcp_is_infeasibility_proof(const SpragLcp *problem, const double *y, double *scratch);
// Powers of two that bring the largest entry of every row and column of M near one.
void lcp_equilibrate(const SpragLcp *problem, double *row_scale, double *column_scale);
int lcp_pivot_limit(const SpragLcpSettings *settings, int n);

#endif
