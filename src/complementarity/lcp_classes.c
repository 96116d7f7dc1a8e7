// lcp_classes.c: matrix classes that decide what an LCP solver may promise.
//
// Problem   is M a P, P0, positive (semi)definite, (strictly) copositive, Z or M matrix
// theory.md 3.1 Method    P: M is P iff m_11 > 0 and both M without its first row and column, and
// the Schur complement
//           of m_11, are P (Tsatsomeros and Li 2000): 2ⁿ nodes of shrinking size instead of 2ⁿ
//           determinants, and none of them for definite, Z or otherwise plain cases.
//           P0: M + εI is P for a small ε; a failure counts only if its minor of M itself is
//           negative. Definiteness: symmetric elimination with diagonal pivoting; a pivot or 2 × 2
//           block of the wrong sign is carried back to a vector. Copositive: a minimal index set α
//           whose S_αα is not copositive has u = −S_αα⁻¹e ≥ 0 (Hadeler 1983), and any such u is a
//           witness, so all α are tried.
// Assumes   finite entries; the exponential ones stop at settings.max_nodes with "unknown"
#include <math.h>
#include <string.h>

#include "lcp_internal.h"

enum { MATRIX_COOKIE = 0x4d435331, COPOSITIVE_MAX_SIZE = 30 };
// P0 is decided for M + this × max|M| I.
static const double P0_SHIFT = 1e-9;

typedef struct Check {
    SpragArena *arena;
    int n;
    const double *M;
    double tolerance; // absolute: settings.tolerance × max|M|
    int64_t nodes_left;
    int *member;
    int member_count;
    SpragMatrixWitness *witness;
} Check;

SpragMatrixSettings sprag_matrix_default(void)
{
    SpragMatrixSettings settings = {1e-11, 20000000, MATRIX_COOKIE};
    return settings;
}

const char *sprag_answer_name(SpragAnswer answer)
{
    return answer == SPRAG_ANSWER_NO ? "no" : answer == SPRAG_ANSWER_YES ? "yes" : "unknown";
}

const char *sprag_matrix_class_name(SpragMatrixClass which)
{
    static const char *const names[] = {
#define NAME(id, name, text) name,
        SPRAG_MATRIX_CLASS_LIST(NAME)
#undef NAME
    };
    return (unsigned)which < SPRAG_MATRIX_CLASS_COUNT ? names[which] : "?";
}

const char *sprag_matrix_class_text(SpragMatrixClass which)
{
    static const char *const texts[] = {
#define TEXT(id, name, text) text,
        SPRAG_MATRIX_CLASS_LIST(TEXT)
#undef TEXT
    };
    return (unsigned)which < SPRAG_MATRIX_CLASS_COUNT ? texts[which] : "?";
}

// ---- Z ------------------------------------------------------------------------------------------

static void check_z(Check *check)
{
    size_t n = (size_t)check->n;
    check->witness->answer = SPRAG_ANSWER_YES;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (i != j && check->M[i * n + j] > check->tolerance) {
                check->witness->answer = SPRAG_ANSWER_NO;
                check->witness->row = (int)i;
                check->witness->column = (int)j;
                check->witness->value = check->M[i * n + j];
                return;
            }
}

// ---- Definiteness -------------------------------------------------------------------------------

typedef struct Elimination {
    int n, rank;
    double *S;  // n × n symmetric part, eliminated in place; row of a pivot stays as it was used
    int *order; // pivots so far, in order
    bool *done;
    double *x;
} Elimination;

// Completes x, given on the rows that are left, so that the eliminated rows of S x vanish.
static void carry_back(Elimination *e)
{
    size_t n = (size_t)e->n;
    for (int k = e->rank - 1; k >= 0; k--) {
        size_t p = (size_t)e->order[k];
        double sum = 0;
        for (size_t j = 0; j < n; j++)
            if (j != p && e->x[j] != 0)
                sum += e->S[p * n + j] * e->x[j];
        e->x[p] = -sum / e->S[p * n + p];
    }
}

static void eliminate_pivot(Elimination *e, int p)
{
    size_t n = (size_t)e->n, pivot = (size_t)p;
    e->done[p] = true;
    e->order[e->rank++] = p;
    for (size_t i = 0; i < n; i++) {
        if (e->done[i])
            continue;
        double factor = e->S[i * n + pivot] / e->S[pivot * n + pivot];
        for (size_t j = 0; j < n; j++)
            if (!e->done[j])
                e->S[i * n + j] -= factor * e->S[pivot * n + j];
    }
    // rows eliminated earlier must not see this one twice: their entries to done columns stay, and
    // carry_back runs from the last pivot to the first, so every x it reads is known
    for (size_t i = 0; i < n; i++)
        if (!e->done[i])
            e->S[i * n + pivot] = 0;
}

// Sets x to a direction of the rest with negative form, or zero form if `strict`; false if none.
static bool bad_direction(Elimination *e, double tolerance, bool strict)
{
    size_t n = (size_t)e->n;
    memset(e->x, 0, n * sizeof *e->x);
    for (size_t i = 0; i < n; i++)
        if (!e->done[i] && e->S[i * n + i] < -tolerance) {
            e->x[i] = 1;
            return true;
        }
    // zero diagonal: an off-diagonal entry makes it indefinite
    double allowed = sqrt(tolerance) * 1e-3 > tolerance ? sqrt(tolerance) * 1e-3 : tolerance;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (!e->done[i] && !e->done[j] && fabs(e->S[i * n + j]) > allowed) {
                e->x[i] = 1;
                e->x[j] = e->S[i * n + j] > 0 ? -1 : 1;
                return true;
            }
    for (size_t i = 0; strict && i < n; i++)
        if (!e->done[i]) {
            e->x[i] = 1;
            return true;
        }
    return false;
}

static double form(int n, const double *M, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * lcp_kernel_dot(n, M + (size_t)i * (size_t)n, x);
    return sum;
}

static SpragStatus check_definite(Check *check, bool strict)
{
    size_t n = (size_t)check->n;
    Elimination e = {check->n, 0, NULL, NULL, NULL, NULL};
    e.S = sprag_arena_alloc(check->arena, n * n, sizeof *e.S);
    e.order = sprag_arena_alloc(check->arena, n, sizeof *e.order);
    e.done = sprag_arena_alloc(check->arena, n, sizeof *e.done);
    e.x = sprag_arena_alloc(check->arena, n, sizeof *e.x);
    if (!e.S || !e.order || !e.done || !e.x)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            e.S[i * n + j] = 0.5 * (check->M[i * n + j] + check->M[j * n + i]);
    for (;;) {
        int best = -1;
        for (size_t i = 0; i < n; i++)
            if (!e.done[i] && e.S[i * n + i] > check->tolerance &&
                (best < 0 || e.S[i * n + i] > e.S[(size_t)best * n + (size_t)best]))
                best = (int)i;
        if (best < 0)
            break;
        eliminate_pivot(&e, best);
    }
    check->witness->answer = SPRAG_ANSWER_YES;
    if (bad_direction(&e, check->tolerance, strict)) {
        carry_back(&e);
        check->witness->answer = SPRAG_ANSWER_NO;
        check->witness->vector = e.x;
        check->witness->value = form(check->n, check->M, e.x);
    }
    return SPRAG_OK;
}

// ---- P and P0 -----------------------------------------------------------------------------------

// A is m × m on the rows first … of M; `minor` is the minor of the members chosen so far, and
// storage below A holds the smaller matrices. False once a wrong minor is found or nodes run out.
static bool search_minors(Check *check, int m, const double *A, double minor, double *storage)
{
    if (m == 0)
        return true;
    if (check->nodes_left-- <= 0)
        return false;
    int index = check->n - m, rest = m - 1;
    if (!(A[0] > check->tolerance)) {
        check->member[check->member_count++] = index;
        check->witness->answer = SPRAG_ANSWER_NO;
        check->witness->member_count = check->member_count;
        check->witness->value = minor * A[0];
        return false;
    }
    double *next = storage + (size_t)rest * (size_t)rest;
    for (int i = 0; i < rest; i++)
        memcpy(storage + (size_t)i * (size_t)rest, A + (size_t)(i + 1) * (size_t)m + 1,
               (size_t)rest * sizeof *storage);
    if (!search_minors(check, rest, storage, minor, next))
        return false;
    for (int i = 0; i < rest; i++)
        lcp_kernel_axpy(rest, A[(size_t)(i + 1) * (size_t)m] / A[0], A + 1,
                        storage + (size_t)i * (size_t)rest);
    check->member[check->member_count++] = index;
    bool good = search_minors(check, rest, storage, minor * A[0], next);
    if (good)
        check->member_count--;
    return good;
}

// Whether the Z-matrix M is an M-matrix: its leading minors are positive (n³).
static bool leading_minors_positive(Check *check, double *A)
{
    int n = check->n;
    memcpy(A, check->M, (size_t)n * (size_t)n * sizeof *A);
    for (int k = 0; k < n; k++) {
        const double *pivot = A + (size_t)k * (size_t)n;
        if (!(pivot[k] > check->tolerance))
            return false;
        for (int i = k + 1; i < n; i++) {
            double *row = A + (size_t)i * (size_t)n;
            lcp_kernel_axpy(n - k - 1, row[k] / pivot[k], pivot + k + 1, row + k + 1);
        }
    }
    return true;
}

// The recursion on M + shift I.
static SpragStatus run_minors(Check *check, double shift)
{
    size_t n = (size_t)check->n, total = n * n;
    for (size_t m = 1; m < n; m++)
        total += m * m;
    double *A = sprag_arena_alloc(check->arena, total, sizeof *A);
    if (!A)
        return SPRAG_ERROR_MEMORY;
    memcpy(A, check->M, n * n * sizeof *A);
    for (size_t i = 0; i < n; i++)
        A[i * n + i] += shift;
    check->member_count = 0;
    check->witness->answer = SPRAG_ANSWER_UNKNOWN;
    if (search_minors(check, check->n, A, 1, A + n * n))
        check->witness->answer = SPRAG_ANSWER_YES;
    check->witness->member = check->member;
    return SPRAG_OK;
}

// Definiteness on the way to another answer: the witness that was asked for stays in place.
static SpragStatus ask_definite(Check *check, bool strict, SpragMatrixWitness *definite)
{
    SpragMatrixWitness *asked = check->witness;
    memset(definite, 0, sizeof *definite);
    check->witness = definite;
    SpragStatus status = check_definite(check, strict);
    check->witness = asked;
    return status;
}

static SpragStatus check_p(Check *check)
{
    SpragMatrixWitness definite, sign = {0}, *asked = check->witness;
    check->witness = &sign;
    check_z(check);
    check->witness = asked;
    SPRAG_TRY(ask_definite(check, true, &definite));
    asked->answer = SPRAG_ANSWER_YES;
    if (definite.answer == SPRAG_ANSWER_YES)
        return SPRAG_OK;
    if (sign.answer == SPRAG_ANSWER_YES) {
        size_t n = (size_t)check->n;
        double *A = sprag_arena_alloc(check->arena, n * n, sizeof *A);
        if (!A)
            return SPRAG_ERROR_MEMORY;
        if (leading_minors_positive(check, A))
            return SPRAG_OK;
    }
    return run_minors(check, 0);
}

// Determinant of the principal submatrix of the witness.
static SpragStatus minor_of_members(Check *check, double *minor)
{
    size_t m = (size_t)check->witness->member_count, n = (size_t)check->n;
    double *A = sprag_arena_alloc(check->arena, m * m, sizeof *A);
    if (!A)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            A[i * m + j] = check->M[(size_t)check->member[i] * n + (size_t)check->member[j]];
    *minor = 1;
    for (size_t k = 0; k < m; k++) {
        size_t p = k;
        for (size_t i = k + 1; i < m; i++)
            p = fabs(A[i * m + k]) > fabs(A[p * m + k]) ? i : p;
        for (size_t j = 0; p != k && j < m; j++) {
            double held = A[k * m + j];
            A[k * m + j] = A[p * m + j];
            A[p * m + j] = held;
        }
        *minor *= p == k ? A[k * m + k] : -A[k * m + k];
        for (size_t i = k + 1; A[k * m + k] != 0 && i < m; i++)
            lcp_kernel_axpy((int)(m - k), A[i * m + k] / A[k * m + k], A + k * m + k,
                            A + i * m + k);
    }
    return SPRAG_OK;
}

static SpragStatus check_p0(Check *check, double largest)
{
    SpragMatrixWitness definite, *asked = check->witness;
    SPRAG_TRY(ask_definite(check, false, &definite));
    asked->answer = SPRAG_ANSWER_YES;
    if (definite.answer == SPRAG_ANSWER_YES)
        return SPRAG_OK;
    SPRAG_TRY(run_minors(check, P0_SHIFT * largest));
    if (asked->answer != SPRAG_ANSWER_NO)
        return SPRAG_OK;
    double minor, scale = 1;
    SPRAG_TRY(minor_of_members(check, &minor));
    for (int k = 0; k < asked->member_count; k++)
        scale *= largest;
    asked->value = minor;
    if (!(minor < -check->tolerance / largest * scale))
        asked->answer = SPRAG_ANSWER_UNKNOWN;
    return SPRAG_OK;
}

// ---- Copositive ---------------------------------------------------------------------------------

typedef struct Faces {
    double *S;      // n × n symmetric part
    double *matrix; // factors
    double *rhs, *u, *panel;
    int *member, *permutation;
} Faces;

static bool faces_alloc(Check *check, Faces *f)
{
    size_t n = (size_t)check->n, ld = (size_t)lcp_lu_row_length(check->n);
    f->S = sprag_arena_alloc(check->arena, n * n, sizeof(double));
    f->matrix = sprag_arena_alloc(check->arena, n * ld, sizeof(double));
    f->rhs = sprag_arena_alloc(check->arena, n, sizeof(double));
    f->u = sprag_arena_alloc(check->arena, n, sizeof(double));
    f->panel = sprag_arena_alloc(check->arena, (n + 4) * LCP_BLOCK, sizeof(double));
    f->member = sprag_arena_alloc(check->arena, n, sizeof(int));
    f->permutation = sprag_arena_alloc(check->arena, n, sizeof(int));
    return f->S && f->matrix && f->rhs && f->u && f->panel && f->member && f->permutation;
}

// u ≥ 0 on the face with uᵀSu < 0 (or = 0 if strict); false if the face gives none.
static bool face_is_bad(Check *check, Faces *f, int m, bool strict)
{
    size_t n = (size_t)check->n, ld = (size_t)lcp_lu_row_length(m);
    for (size_t i = 0; i < (size_t)m; i++) {
        for (size_t j = 0; j < ld; j++)
            f->matrix[i * ld + j] =
                j < (size_t)m ? f->S[(size_t)f->member[i] * n + (size_t)f->member[j]] : 0;
        // a singular face with a positive null vector: strict ones fail there, so move it by less
        // than the tolerance and let u grow
        if (strict)
            f->matrix[i * ld + i] -= check->tolerance;
        f->rhs[i] = -1;
    }
    if (!lcp_lu_factor(m, f->matrix, 1e-15, f->permutation, f->panel))
        return false;
    lcp_lu_solve(m, f->matrix, f->permutation, f->rhs, f->u);
    double largest = 0;
    for (int i = 0; i < m; i++)
        largest = fmax(largest, fabs(f->u[i]));
    for (int i = 0; i < m; i++)
        if (!(f->u[i] >= -1e-12 * largest))
            return false;
    return largest > 0;
}

static SpragStatus report_face(Check *check, const Faces *f, int m)
{
    double *x = sprag_arena_alloc(check->arena, (size_t)check->n, sizeof *x), largest = 0;
    if (!x)
        return SPRAG_ERROR_MEMORY;
    for (int i = 0; i < m; i++)
        largest = fmax(largest, f->u[i]);
    for (int i = 0; i < m; i++)
        x[f->member[i]] = fmax(f->u[i], 0) / largest;
    check->witness->answer = SPRAG_ANSWER_NO;
    check->witness->vector = x;
    check->witness->value = form(check->n, check->M, x);
    return SPRAG_OK;
}

static SpragStatus search_faces(Check *check, bool strict)
{
    Faces f;
    size_t n = (size_t)check->n;
    if (!faces_alloc(check, &f))
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            f.S[i * n + j] = 0.5 * (check->M[i * n + j] + check->M[j * n + i]);
    for (uint64_t mask = 1; mask < (uint64_t)1 << n; mask++) {
        int m = 0;
        for (int i = 0; i < check->n; i++)
            if (mask >> i & 1)
                f.member[m++] = i;
        if (!face_is_bad(check, &f, m, strict))
            continue;
        SPRAG_TRY(report_face(check, &f, m));
        double bound = strict ? 4 * check->tolerance * m : -check->tolerance;
        if (check->witness->value <= bound)
            return SPRAG_OK;
    }
    check->witness->answer = SPRAG_ANSWER_YES;
    check->witness->vector = NULL;
    check->witness->value = 0;
    return SPRAG_OK;
}

static SpragStatus check_copositive(Check *check, bool strict)
{
    SpragMatrixWitness definite, *asked = check->witness;
    SPRAG_TRY(ask_definite(check, strict, &definite));
    bool nonnegative = true;
    for (size_t i = 0; i < (size_t)check->n; i++)
        for (size_t j = 0; j < (size_t)check->n; j++) {
            double entry = check->M[i * (size_t)check->n + j];
            nonnegative =
                nonnegative && entry >= 0 && !(strict && i == j && entry <= check->tolerance);
        }
    asked->answer = SPRAG_ANSWER_YES;
    if (definite.answer == SPRAG_ANSWER_YES || nonnegative)
        return SPRAG_OK;
    asked->answer = SPRAG_ANSWER_UNKNOWN;
    if (check->n > COPOSITIVE_MAX_SIZE || (int64_t)1 << check->n > check->nodes_left)
        return SPRAG_OK;
    return search_faces(check, strict);
}

// ---- Dispatch -----------------------------------------------------------------------------------

static SpragStatus check_m(Check *check)
{
    check_z(check);
    return check->witness->answer == SPRAG_ANSWER_YES ? check_p(check) : SPRAG_OK;
}

static SpragStatus dispatch(Check *check, SpragMatrixClass which, double largest)
{
    switch (which) {
    case SPRAG_MATRIX_P:
        return check_p(check);
    case SPRAG_MATRIX_P0:
        return check_p0(check, largest);
    case SPRAG_MATRIX_POSITIVE_DEFINITE:
        return check_definite(check, true);
    case SPRAG_MATRIX_POSITIVE_SEMIDEFINITE:
        return check_definite(check, false);
    case SPRAG_MATRIX_COPOSITIVE:
        return check_copositive(check, false);
    case SPRAG_MATRIX_STRICTLY_COPOSITIVE:
        return check_copositive(check, true);
    case SPRAG_MATRIX_M:
        return check_m(check);
    case SPRAG_MATRIX_Z:
    case SPRAG_MATRIX_CLASS_COUNT:
        break;
    }
    check_z(check);
    return SPRAG_OK;
}

SpragStatus sprag_matrix_class_check(SpragContext *context, SpragArena *arena, int n,
                                     const double *M, SpragMatrixClass which,
                                     const SpragMatrixSettings *settings,
                                     SpragMatrixWitness *witness)
{
    SpragMatrixSettings chosen = settings ? *settings : sprag_matrix_default();
    memset(witness, 0, sizeof *witness);
    witness->answer = SPRAG_ANSWER_UNKNOWN;
    witness->row = witness->column = -1;
    if (chosen.cookie != MATRIX_COOKIE || (unsigned)which >= SPRAG_MATRIX_CLASS_COUNT)
        return sprag_fail(context, SPRAG_ERROR_ARGUMENT,
                          "settings must come from sprag_matrix_default, and the class be known");
    if (!(chosen.tolerance >= 0) || chosen.max_nodes < 1)
        return sprag_fail(context, SPRAG_ERROR_INPUT, "tolerance and limits must be positive");
    // q is M's first row: only M is of interest
    SpragLcp problem = {n, M, M};
    SPRAG_TRY(sprag_lcp_check(context, &problem));
    double largest = 0;
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++)
        largest = fmax(largest, fabs(M[k]));
    int *member = sprag_arena_alloc(arena, (size_t)n, sizeof *member);
    if (!member)
        return SPRAG_ERROR_MEMORY;
    Check check = {arena, n, M, chosen.tolerance * largest, chosen.max_nodes, member, 0, witness};
    return dispatch(&check, which, largest);
}
