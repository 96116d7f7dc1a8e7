// solvability.c: does the matrix alone promise one motion for every load?
// Problem   P-property of the sliding LCP matrix (2.7), theory.md (3.1); signs of the determinants
//           (3.4) of every mode; in space one contact by its worst slip direction, theory.md 13.1
// Method    the classes of complementarity; all modes one by one, LU with complete pivoting
// Assumes   W symmetric, positive semidefinite; bilateral rows independent (else no answer)
#include <math.h>
#include <string.h>

#include "solvability.h"
#include "sprag/numeric.h"

// Rounding of a determinant, relative to the product of its largest row entries.
static const double DETERMINANT_ROUNDING = 1e-13;

// A choice of modes: rows of accelerations that vanish, and forces as combinations of columns.
typedef struct ModeRows {
    const SpragContactProblem *problem;
    int n;
    int row[DETERMINANT_ROWS];         // of W
    double friction[DETERMINANT_ROWS]; // λT per λN of the column
    SpragMode modes[DETERMINANT_ROWS]; // per constraint
    int closed;                        // constraints that are not bilateral, not separate
    double bilateral;                  // determinant of the bilateral rows alone
    ModeVisitor *visitor;
    void *user;
} ModeRows;

// The determinant of the chosen rows, each divided by the diagonal of W.
static double mode_determinant(const ModeRows *modes, double *zero)
{
    double A[DETERMINANT_ROWS * DETERMINANT_ROWS];
    int n = modes->n, size = modes->problem->row_count, sign;
    const double *W = modes->problem->W;
    int rows[DETERMINANT_ROWS], columns[DETERMINANT_ROWS];
    *zero = DETERMINANT_ROUNDING * n;
    for (int i = 0; i < n; i++) {
        double largest = 0;
        for (int j = 0; j < n; j++) {
            const double *at = W + modes->row[i] * size + modes->row[j];
            double diagonal = W[modes->row[i] * (size + 1)];
            double entry = at[0] + (modes->friction[j] != 0 ? modes->friction[j] * at[1] : 0);
            A[i * n + j] = diagonal > 0 ? entry / diagonal : 0;
            largest = fmax(largest, fabs(A[i * n + j]));
        }
        *zero *= fmax(1, largest);
    }
    if (sprag_lu_factor(n, A, 0, rows, columns, &sign) < n)
        return 0;
    double determinant = sign;
    for (int i = 0; i < n; i++)
        determinant *= fabs(A[i * n + i]);
    return determinant;
}

static void visit_modes(ModeRows *modes, int c);

// Constraint c in the given mode, with its rows; then all choices for the others.
static void visit_closed(ModeRows *modes, int c, SpragMode mode, double friction)
{
    const SpragConstraint *item = &modes->problem->constraints[c];
    int n = modes->n, row_count = mode == SPRAG_MODE_STICK ? 2 : 1;
    bool counts = item->kind != SPRAG_CONSTRAINT_BILATERAL;
    for (int k = 0; k < row_count; k++) {
        modes->row[n + k] = item->row + k;
        modes->friction[n + k] = friction;
    }
    modes->modes[c] = mode;
    modes->n = n + row_count;
    modes->closed += counts;
    visit_modes(modes, c + 1);
    modes->closed -= counts;
    modes->n = n;
}

// All choices for constraints from c on; depth is bounded by DETERMINANT_ROWS.
static void visit_modes(ModeRows *modes, int c)
{
    double zero;
    if (c == modes->problem->constraint_count) {
        if (modes->closed == 0)
            return;
        double determinant = mode_determinant(modes, &zero);
        modes->visitor(modes->modes, determinant / modes->bilateral, zero / modes->bilateral,
                       modes->user);
        return;
    }
    const SpragConstraint *item = &modes->problem->constraints[c];
    if (item->kind == SPRAG_CONSTRAINT_BILATERAL) {
        visit_closed(modes, c, SPRAG_MODE_CLOSED, 0);
        return;
    }
    modes->modes[c] = SPRAG_MODE_SEPARATE;
    visit_modes(modes, c + 1);
    if (item->kind == SPRAG_CONSTRAINT_LIMIT) {
        visit_closed(modes, c, SPRAG_MODE_CLOSED, 0);
        return;
    }
    if (!item->sliding || item->slip[0] < 0)
        visit_closed(modes, c, SPRAG_MODE_SLIDE_MINUS, item->friction);
    if (!item->sliding || item->slip[0] > 0)
        visit_closed(modes, c, SPRAG_MODE_SLIDE_PLUS, -item->friction);
    if (!item->sliding)
        visit_closed(modes, c, SPRAG_MODE_STICK, 0);
}

// Modes of a constraint, and the most rows that one of them has.
static int mode_count(const SpragConstraint *item, int *rows)
{
    bool rests = item->kind == SPRAG_CONSTRAINT_CONTACT && !item->sliding;
    *rows += rests ? 2 : 1;
    if (item->kind == SPRAG_CONSTRAINT_BILATERAL)
        return 1;
    return rests ? 4 : 2;
}

static double bilateral_determinant(const SpragContactProblem *problem)
{
    ModeRows modes = {.problem = problem};
    double zero, determinant;
    for (int c = 0; c < problem->constraint_count; c++)
        if (problem->constraints[c].kind == SPRAG_CONSTRAINT_BILATERAL)
            modes.row[modes.n++] = problem->constraints[c].row;
    if (modes.n == 0)
        return 1;
    determinant = mode_determinant(&modes, &zero);
    return determinant > zero ? determinant : 0;
}

const char *solvability_visit(const SpragContactProblem *problem, ModeVisitor *visitor, void *user)
{
    ModeRows modes = {.problem = problem, .visitor = visitor, .user = user};
    int choices = 1, rows = 0;
    if (problem->constraint_count == 0)
        return "no contact is closed";
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (item->kind == SPRAG_CONSTRAINT_GUIDE)
            return "a guide presses from either side";
        if (item->kind == SPRAG_CONSTRAINT_BEARING)
            return "a bearing presses to every side";
        if (item->kind == SPRAG_CONSTRAINT_CONTACT && item->row_count != 2)
            return "contacts in space have a continuum of slip directions";
        if (rows <= DETERMINANT_ROWS && choices <= DETERMINANT_MODES)
            choices *= mode_count(item, &rows);
    }
    if (rows > DETERMINANT_ROWS || choices > DETERMINANT_MODES)
        return "more than 4096 modes, or 24 rows";
    modes.bilateral = bilateral_determinant(problem);
    if (!(modes.bilateral > 0))
        return "bilateral rows depend on each other";
    visit_modes(&modes, 0);
    return NULL;
}

// ---- The least determinant ----------------------------------------------------------------------

typedef struct Least {
    int constraint_count;
    double determinant;
    SpragMode *modes; // may be NULL
    bool negative, zero;
} Least;

static void keep_least(const SpragMode *modes, double determinant, double zero, void *user)
{
    Least *least = user;
    least->negative |= determinant < -zero;
    least->zero |= fabs(determinant) <= zero;
    if (!(determinant < least->determinant))
        return;
    least->determinant = determinant;
    if (least->modes)
        memcpy(least->modes, modes, (size_t)least->constraint_count * sizeof *modes);
}

// One contact in space: A of (13.2) over a_nn; at rest that of the worst direction.
static double spatial_ratio(const SpragContactProblem *problem)
{
    const SpragConstraint *item = problem->constraints;
    const double *W = problem->W + item->row * (problem->row_count + 1);
    double slip = hypot(item->slip[0], item->slip[1]);
    double against = hypot(W[1], W[2]);
    if (item->sliding && slip > 0)
        against = (W[1] * item->slip[0] + W[2] * item->slip[1]) / slip;
    return W[0] > 0 ? 1 - item->friction * against / W[0] : NAN;
}

static bool is_one_in_space(const SpragContactProblem *problem)
{
    return problem->constraint_count == 1 && problem->constraints[0].row_count == 3 &&
           problem->constraints[0].kind == SPRAG_CONSTRAINT_CONTACT;
}

double sprag_contact_determinant(const SpragContactProblem *problem, SpragMode *modes)
{
    Least least = {problem->constraint_count, INFINITY, modes, false, false};
    if (is_one_in_space(problem))
        return spatial_ratio(problem);
    return solvability_visit(problem, keep_least, &least) ? NAN : least.determinant;
}

static SpragStatus test_determinants(SpragArena *arena, const SpragContactProblem *problem,
                                     SpragSolvability *tests)
{
    size_t count = (size_t)problem->constraint_count;
    SpragMode *modes = sprag_arena_alloc(arena, count + 1, sizeof *modes);
    Least least = {problem->constraint_count, INFINITY, modes, false, false};
    if (!modes)
        return SPRAG_ERROR_MEMORY;
    if (is_one_in_space(problem)) {
        bool slides = problem->constraints[0].sliding;
        tests->determinant = spatial_ratio(problem);
        tests->sufficient = slides;
        if (tests->determinant < -DETERMINANT_ROUNDING)
            tests->coherent = SPRAG_ANSWER_NO;
        else if (slides && tests->determinant > DETERMINANT_ROUNDING)
            tests->coherent = SPRAG_ANSWER_YES;
        return SPRAG_OK;
    }
    tests->omitted = solvability_visit(problem, keep_least, &least);
    if (tests->omitted)
        return SPRAG_OK;
    tests->determinant = least.determinant;
    tests->determinant_modes = modes;
    tests->coherent = least.negative ? SPRAG_ANSWER_NO
                      : least.zero   ? SPRAG_ANSWER_UNKNOWN
                                     : SPRAG_ANSWER_YES;
    tests->sufficient = count == 1;
    return SPRAG_OK;
}

// ---- The LCP of sliding contacts ----------------------------------------------------------------

static bool all_slide(const SpragContactProblem *problem)
{
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        bool slides = item->sliding || item->friction == 0;
        if (item->kind != SPRAG_CONSTRAINT_LIMIT &&
            (item->kind != SPRAG_CONSTRAINT_CONTACT || !slides))
            return false;
    }
    return problem->constraint_count > 0;
}

// Entry (c, d) of (2.6), in space (13.2), divided by the diagonal of W.
static double sliding_entry(const SpragContactProblem *problem, int c, int d)
{
    const SpragConstraint *row = &problem->constraints[c], *column = &problem->constraints[d];
    const double *W = problem->W + row->row * problem->row_count;
    double entry = W[column->row], slip = hypot(column->slip[0], column->slip[1]);
    for (int k = 1; column->sliding && slip > 0 && k < column->row_count; k++)
        entry -= column->friction * column->slip[k - 1] / slip * W[column->row + k];
    return W[row->row] > 0 ? entry / W[row->row] : entry;
}

static SpragStatus test_p_matrix(SpragArena *arena, const SpragContactProblem *problem,
                                 SpragSolvability *tests)
{
    size_t n = (size_t)problem->constraint_count;
    SpragMatrixWitness witness;
    if (!all_slide(problem))
        return SPRAG_OK;
    double *A = sprag_arena_alloc(arena, n * n + 1, sizeof *A);
    if (!A)
        return SPRAG_ERROR_MEMORY;
    for (size_t i = 0; i < n * n; i++)
        A[i] = sliding_entry(problem, (int)(i / n), (int)(i % n));
    SPRAG_TRY(sprag_matrix_class_check(problem->context, arena, (int)n, A, SPRAG_MATRIX_P, NULL,
                                       &witness));
    tests->p_asked = true;
    tests->p_matrix = witness.answer;
    tests->p_count = witness.answer == SPRAG_ANSWER_NO ? witness.member_count : 0;
    tests->p_witness = witness.member;
    tests->p_minor = witness.value;
    return SPRAG_OK;
}

SpragStatus solvability_test(SpragArena *arena, const SpragContactProblem *problem,
                             SpragSolvability *tests)
{
    *tests = (SpragSolvability){
        .p_matrix = SPRAG_ANSWER_UNKNOWN, .determinant = NAN, .coherent = SPRAG_ANSWER_UNKNOWN};
    SPRAG_TRY(test_determinants(arena, problem, tests));
    return test_p_matrix(arena, problem, tests);
}
