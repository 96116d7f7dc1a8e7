// complementarity.h: LCPs, convex QPs and small linear programs on plain matrices. No mechanics.
//
// LCP: find z ≥ 0 with w = M z + q ≥ 0 and zᵀw = 0, theory.md 3.1. Matrices are row-major.
//
// A solver has four parts: the problem (borrowed), settings (from a ..._default()), a workspace
// that is reused (a second solve of the same size allocates nothing) and an info. A numerical
// outcome is part of the info; the SpragStatus only tells of bad input and missing memory.
#ifndef SPRAG_COMPLEMENTARITY_H
#define SPRAG_COMPLEMENTARITY_H

#include "sprag/base.h"

#ifdef __cplusplus
extern "C" {
#endif

// ---- Linear programs ----------------------------------------------------------------------------

typedef enum SpragLpStatus {
    SPRAG_LP_OPTIMAL,
    SPRAG_LP_INFEASIBLE,
    SPRAG_LP_UNBOUNDED,
    SPRAG_LP_LIMIT // too many pivots: nothing is known
} SpragLpStatus;

// maximise cᵀx subject to rows A x ≤ b (the first inequality_count rows) and A x = b (the rest); x
// is free.
typedef struct SpragLp {
    int variable_count;
    int inequality_count;
    int equality_count;
    const double *A; // (inequality_count + equality_count) × variable_count
    const double *b;
    const double *c; // NULL: any feasible point will do
} SpragLp;

// Dense simplex with Bland's rule in doubt: for the small programs of contact problems. tolerance
// is relative to the largest entry of each row. x (variable_count) receives the point. Scratch
// comes from arena.
SPRAG_MUST_USE SpragStatus sprag_lp_solve(SpragArena *arena, const SpragLp *problem,
                                          double tolerance, double *x, double *value,
                                          SpragLpStatus *status);

// The same over one feasible set for several objectives (objective_count × variable_count, row by
// row; problem->c is not read): maxima receives the greatest value of each, INFINITY where it is
// unbounded. *status is OPTIMAL, or INFEASIBLE or LIMIT: then maxima are not set.
SPRAG_MUST_USE SpragStatus sprag_lp_maxima(SpragArena *arena, const SpragLp *problem,
                                           double tolerance, int objective_count,
                                           const double *objectives, double *maxima,
                                           SpragLpStatus *status);

// ---- Least distance -----------------------------------------------------------------------------

// The point of {y : G y ≥ h} (row_count × n) that is nearest to the origin, by non-negative least
// squares [LawsonHanson1995, Alg. 23.27]. False in *feasible: the set is empty. Scratch comes from
// arena.
SPRAG_MUST_USE SpragStatus sprag_least_distance(SpragArena *arena, int row_count, int n,
                                                const double *G, const double *h, double *y,
                                                bool *feasible);

// ---- Linear complementarity problems ------------------------------------------------------------

// w = M z + q. Borrowed. Limits: 1 ≤ n ≤ SPRAG_LCP_MAX_SIZE, every entry finite.
typedef struct SpragLcp {
    int n;
    const double *M; // n × n
    const double *q; // n
} SpragLcp;

enum { SPRAG_LCP_MAX_SIZE = 20000 };

// What a solve came to. One list gives code, name and text.
#define SPRAG_LCP_STATUS_LIST(X)                                                                   \
    X(SOLVED, "solved", "a solution within the tolerance was found")                               \
    X(NONE, "none", "proved: there is no solution")                                                \
    X(RAY, "ray", "the method ended on a ray, which proves nothing here")                          \
    X(LIMIT, "limit", "the method stopped at its limit of pivots, iterations or nodes")            \
    X(STALLED, "stalled", "the method made no further progress")                                   \
    X(UNSUITABLE, "unsuitable", "the matrix is not of the class that the method needs")

typedef enum SpragLcpStatus {
#define SPRAG_LCP_STATUS_ENUM(id, name, text) SPRAG_LCP_##id,
    SPRAG_LCP_STATUS_LIST(SPRAG_LCP_STATUS_ENUM)
#undef SPRAG_LCP_STATUS_ENUM
        SPRAG_LCP_STATUS_COUNT
} SpragLcpStatus;

const char *sprag_lcp_status_name(SpragLcpStatus status);
// The sentence of SPRAG_LCP_STATUS_LIST.
const char *sprag_lcp_status_text(SpragLcpStatus status);

// The methods; sprag_lcp_method_get gives name, needs and promises of each.
typedef enum SpragLcpMethod {
    SPRAG_LCP_AUTO,
    SPRAG_LCP_LEMKE,
    SPRAG_LCP_MURTY,
    SPRAG_LCP_KELLER,
    SPRAG_LCP_COTTLE_DANTZIG,
    SPRAG_LCP_NEWTON_FB,
    SPRAG_LCP_NEWTON_MIN,
    SPRAG_LCP_PGS,
    SPRAG_LCP_ENUMERATION,
    SPRAG_LCP_METHOD_COUNT
} SpragLcpMethod;

typedef struct SpragLcpMethodInfo {
    SpragLcpMethod id;
    const char *name;     // as on the command line
    const char *needs;    // the matrix class, or "nothing"
    const char *promises; // what is certain when the needs are met
} SpragLcpMethodInfo;

// One line of the table of methods, in the order of SpragLcpMethod; NULL outside it. Static.
const SpragLcpMethodInfo *sprag_lcp_method_get(int method);
// SPRAG_LCP_METHOD_COUNT for a name that is not in the table.
SpragLcpMethod sprag_lcp_method_by_name(const char *name);

typedef struct SpragLcpSettings {
    SpragLcpMethod method;
    double tolerance;      // largest residual that counts as solved; default 1e-9
    int max_pivots;        // per start of a pivoting method; 0: 100 + 50 n
    int max_iterations;    // Newton steps; sweeps of PGS are 50 times as many; 0: 200
    int max_starts;        // Lemke: covering vectors and starting bases to try; default 8
    int64_t max_nodes;     // enumeration; 0: 4 million
    bool warm;             // begin with the basis of the workspace's last solve if n is the same
    const double *start_z; // begin near this z (n); NULL: cold. Goes before warm.
    uint64_t seed;         // of the random covering vectors
    uint32_t cookie;       // set by sprag_lcp_default
} SpragLcpSettings;

SpragLcpSettings sprag_lcp_default(void);

// What is known about existence when no solution was found.
typedef enum SpragLcpProof {
    SPRAG_LCP_PROOF_NOTHING,
    // y ≥ 0 with Mᵀy ≤ 0 and qᵀy < 0 was found, so no z ≥ 0 has M z + q ≥ 0. The ray of Lemke's
    // method gives such a y whenever M is copositive-plus (positive semidefinite, say); for any
    // other matrix it is reported only if this y passes the test.
    SPRAG_LCP_PROOF_INFEASIBLE,
    // every complementary basis was searched
    SPRAG_LCP_PROOF_SEARCH
} SpragLcpProof;

// One method that was tried, as it ended.
typedef struct SpragLcpStep {
    SpragLcpMethod method;
    SpragLcpStatus status;
    int pivots, iterations;
    double residual;
} SpragLcpStep;

enum { SPRAG_LCP_MAX_STEPS = 8 };

typedef struct SpragLcpInfo {
    SpragLcpStatus status;
    SpragLcpMethod method; // the one that gave z
    SpragLcpProof proof;
    double residual;  // by sprag_lcp_residual from the problem, never taken from a method
    int pivots;       // of all methods tried
    int iterations;   // Newton steps, sweeps or nodes of all methods tried
    int starts;       // covering vectors, bases or points begun with
    bool warm_solved; // the basis or point given was a solution after at most a few corrections
    SpragLcpStep steps[SPRAG_LCP_MAX_STEPS]; // what was done, in order
    int step_count;
} SpragLcpInfo;

// Scratch memory and the last basis. Owned by the caller; one thread at a time.
typedef struct SpragLcpWorkspace SpragLcpWorkspace;
SPRAG_MUST_USE SpragStatus sprag_lcp_workspace_create(SpragContext *context,
                                                      SpragLcpWorkspace **workspace);
void sprag_lcp_workspace_destroy(SpragLcpWorkspace *workspace);

// Solves with settings->method (settings NULL: the defaults). z and w (n each) receive the best
// point found, w = M z + q with entries within the tolerance of zero where z > 0. ERROR_INPUT: a
// size or an entry is not valid, with its place in the message.
SPRAG_MUST_USE SpragStatus sprag_lcp_solve(SpragLcpWorkspace *workspace, const SpragLcp *problem,
                                           const SpragLcpSettings *settings, double *z, double *w,
                                           SpragLcpInfo *info);

// max_i |min(z_i, w_i)| / (1 + max_i |q_i|) with w = M z + q, which is written to w (may be NULL).
// +inf if z is not finite. The one judge of every method.
double sprag_lcp_residual(const SpragLcp *problem, const double *z, double *w);

// ERROR_INPUT with a sentence unless sizes and entries are valid.
SPRAG_MUST_USE SpragStatus sprag_lcp_check(SpragContext *context, const SpragLcp *problem);

// ---- All solutions ------------------------------------------------------------------------------

// A maximal convex piece of the solution set: one point, or a polyhedron
// conv(vertices) + cone(rays). All of it has z_i = 0 where basis[i] is false and w_i = 0 where
// true.
typedef struct SpragLcpSet {
    int dimension;       // 0: an isolated point
    int vertex_count;    // ≥ 1
    int ray_count;       // > 0: unbounded
    const double *z;     // vertex_count × n
    const double *w;     // vertex_count × n
    const double *ray_z; // ray_count × n, largest |entry| 1
    const double *ray_w; // ray_count × n
    const bool *basis;   // n
    double residual;     // the worst of the vertices
} SpragLcpSet;

typedef struct SpragLcpAllSettings {
    double tolerance;   // residual of a solution; default 1e-9
    int max_sets;       // default 20 000
    int64_t max_nodes;  // default 200 million
    double max_seconds; // 0: no limit. The answer then depends on the machine's speed
    int max_generators; // vertices and rays of one polyhedron while it is built; default 4096
    uint32_t cookie;
} SpragLcpAllSettings;

SpragLcpAllSettings sprag_lcp_all_default(void);

#define SPRAG_LCP_VERDICT_LIST(X)                                                                  \
    X(NONE, "none")                                                                                \
    X(UNIQUE, "unique")                                                                            \
    X(MULTIPLE, "multiple")                                                                        \
    X(INFINITE, "infinite")                                                                        \
    X(UNKNOWN, "unknown")

typedef enum SpragLcpVerdict {
#define SPRAG_LCP_VERDICT_ENUM(id, name) SPRAG_LCP_VERDICT_##id,
    SPRAG_LCP_VERDICT_LIST(SPRAG_LCP_VERDICT_ENUM)
#undef SPRAG_LCP_VERDICT_ENUM
        SPRAG_LCP_VERDICT_COUNT
} SpragLcpVerdict;

const char *sprag_lcp_verdict_name(SpragLcpVerdict verdict);

// Every solution, in the order of the search (deterministic). Owned by the caller; sets are valid
// until the next search with the same object.
typedef struct SpragLcpAll SpragLcpAll;
SPRAG_MUST_USE SpragStatus sprag_lcp_all_create(SpragContext *context, SpragLcpAll **all);
void sprag_lcp_all_destroy(SpragLcpAll *all);
// Searches; settings NULL: the defaults.
SPRAG_MUST_USE SpragStatus sprag_lcp_all_solve(SpragLcpAll *all, const SpragLcp *problem,
                                               const SpragLcpAllSettings *settings);
int sprag_lcp_all_count(const SpragLcpAll *all);
// Transient: until the next search. NULL outside 0 … count − 1.
const SpragLcpSet *sprag_lcp_all_get(const SpragLcpAll *all, int set);
// Whether the search was exhaustive: nothing was cut off by a limit.
bool sprag_lcp_all_complete(const SpragLcpAll *all);
// none and unique only of a complete search; infinite and multiple as soon as they are seen.
SpragLcpVerdict sprag_lcp_all_verdict(const SpragLcpAll *all);
int64_t sprag_lcp_all_nodes(const SpragLcpAll *all);

// ---- Matrix classes -----------------------------------------------------------------------------

typedef enum SpragAnswer { SPRAG_ANSWER_NO, SPRAG_ANSWER_YES, SPRAG_ANSWER_UNKNOWN } SpragAnswer;
// "no", "yes", "unknown".
const char *sprag_answer_name(SpragAnswer answer);

#define SPRAG_MATRIX_CLASS_LIST(X)                                                                 \
    X(P, "P", "every principal minor is positive")                                                 \
    X(P0, "P0", "no principal minor is negative")                                                  \
    X(POSITIVE_DEFINITE, "positive-definite", "x'Mx > 0 for x other than 0")                       \
    X(POSITIVE_SEMIDEFINITE, "positive-semidefinite", "x'Mx is never negative")                    \
    X(COPOSITIVE, "copositive", "x'Mx is not negative for x >= 0")                                 \
    X(STRICTLY_COPOSITIVE, "strictly-copositive", "x'Mx > 0 for x >= 0 other than 0")              \
    X(Z, "Z", "no off-diagonal entry is positive")                                                 \
    X(M, "M", "a Z-matrix that is a P-matrix")

typedef enum SpragMatrixClass {
#define SPRAG_MATRIX_CLASS_ENUM(id, name, text) SPRAG_MATRIX_##id,
    SPRAG_MATRIX_CLASS_LIST(SPRAG_MATRIX_CLASS_ENUM)
#undef SPRAG_MATRIX_CLASS_ENUM
        SPRAG_MATRIX_CLASS_COUNT
} SpragMatrixClass;

const char *sprag_matrix_class_name(SpragMatrixClass which);
// What the class means, in one sentence.
const char *sprag_matrix_class_text(SpragMatrixClass which);

// An answer and what shows it. Of a "no": the principal submatrix with the wrong minor (member), a
// vector with the wrong xᵀMx (vector), or the entry that is wrong (row, column).
typedef struct SpragMatrixWitness {
    SpragAnswer answer;
    int member_count;     // > 0: the rows member[…], ascending, have the minor `value`
    const int *member;    // from the arena: transient
    const double *vector; // NULL, or n entries with xᵀMx = value; from the arena: transient
    int row, column;      // ≥ 0: the entry (row, column) with its `value`; else −1
    double value;
} SpragMatrixWitness;

typedef struct SpragMatrixSettings {
    double tolerance;  // a pivot, form or entry within this × its scale of zero is zero; 1e-11
    int64_t max_nodes; // bound of the work, beyond which the answer is unknown; default 20 million
    uint32_t cookie;
} SpragMatrixSettings;
SpragMatrixSettings sprag_matrix_default(void);

// Decides one class for the n × n matrix M; settings NULL: the defaults. Scratch and the witness
// come from arena.
SPRAG_MUST_USE SpragStatus sprag_matrix_class_check(SpragContext *context, SpragArena *arena, int n,
                                                    const double *M, SpragMatrixClass which,
                                                    const SpragMatrixSettings *settings,
                                                    SpragMatrixWitness *witness);

// ---- Convex quadratic programs ------------------------------------------------------------------

// minimise ½ xᵀQx + cᵀx subject to H x ≤ K (the first inequality_count rows), H x = K (the rest)
// and lower ≤ x ≤ upper, theory.md (3.6). Q is symmetric positive semidefinite.
typedef struct SpragQp {
    int n;
    int inequality_count;
    int equality_count;
    const double *Q;     // n × n
    const double *c;     // n
    const double *H;     // (inequality_count + equality_count) × n; NULL if there are none
    const double *K;     // one per row of H
    const double *lower; // NULL: all 0. −INFINITY: none
    const double *upper; // NULL: none. INFINITY: none
} SpragQp;

#define SPRAG_QP_STATUS_LIST(X)                                                                    \
    X(SOLVED, "solved")                                                                            \
    X(INFEASIBLE, "infeasible")                                                                    \
    X(UNBOUNDED, "unbounded")                                                                      \
    X(NOT_CONVEX, "not convex")                                                                    \
    X(LIMIT, "limit")

typedef enum SpragQpStatus {
#define SPRAG_QP_STATUS_ENUM(id, name) SPRAG_QP_##id,
    SPRAG_QP_STATUS_LIST(SPRAG_QP_STATUS_ENUM)
#undef SPRAG_QP_STATUS_ENUM
        SPRAG_QP_STATUS_COUNT
} SpragQpStatus;
const char *sprag_qp_status_name(SpragQpStatus status);

typedef enum SpragQpMethod {
    SPRAG_QP_ACTIVE_SET, // default
    SPRAG_QP_WOLFE,      // theory.md 3.5
    SPRAG_QP_LCP,        // Lemke's method on (3.6)
    SPRAG_QP_METHOD_COUNT
} SpragQpMethod;
const char *sprag_qp_method_name(SpragQpMethod method);

typedef struct SpragQpSettings {
    SpragQpMethod method;
    double tolerance;   // of the residual; default 1e-8
    int max_iterations; // 0: 100 + 50 (n + rows)
    bool ranges;        // also find the interval of every variable over all solutions
    uint32_t cookie;
} SpragQpSettings;
SpragQpSettings sprag_qp_default(void);

typedef struct SpragQpInfo {
    SpragQpStatus status;
    double value;    // ½ xᵀQx + cᵀx
    double residual; // by sprag_qp_residual
    int iterations;
    // Q x is the same for all solutions. The rest: directions of null(Q) with cᵀd = 0 along which
    // the solution set extends.
    int null_dimension;     // of the null space of Q
    int solution_dimension; // of the set of solutions; −1 unless settings.ranges
} SpragQpInfo;

// Where the solution goes: arrays of the caller. NULL for what is not wanted (x is needed).
typedef struct SpragQpSolution {
    double *x;           // n
    double *multipliers; // one per row of H: ≥ 0 for inequalities
    double *low, *high;  // n each, if settings.ranges: the interval of every variable over all
                         // solutions, ±INFINITY where it has no end
} SpragQpSolution;

// Solves; settings NULL: the defaults. Scratch comes from arena.
SPRAG_MUST_USE SpragStatus sprag_qp_solve(SpragContext *context, SpragArena *arena,
                                          const SpragQp *problem, const SpragQpSettings *settings,
                                          SpragQpSolution *solution, SpragQpInfo *info);
// Largest violation of feasibility, sign and stationarity, each relative to 1 + its terms. The
// multipliers of bounds are taken as what stationarity leaves.
double sprag_qp_residual(const SpragQp *problem, const double *x, const double *multipliers);

#ifdef __cplusplus
}
#endif

#endif
