// lcp_keller.c: Keller's symmetric principal pivoting.
//
// Problem   find z >= 0 with w = M z + q >= 0 and z'w = 0
// Method    a negative basic variable is driven to zero by its complement. A basic variable s that
//           would become negative on the way leaves by a diagonal exchange while the driving
//           variable keeps its value, or, if its diagonal entry is zero, by a 2 × 2 exchange that
//           ends the cycle. The basis is complementary after every step.
// Assumes   M is row sufficient: positive semidefinite or P, say
// Result    SOLVED; RAY if nothing limits the driving variable (for row sufficient M: no solution);
//           LIMIT
#include <math.h>

#include "lcp_internal.h"

// Basic values above −this × max|q| are not negative.
static const double NEGATIVE = 1e-13;
// Entries below this × the largest of their column are zero.
static const double PIVOT_ZERO = 1e-11;

typedef enum Move { MOVE_DONE, MOVE_ON, MOVE_RAY } Move;

typedef struct Drive {
    LcpTableau *t;
    double negative; // bound below which a value is negative
    int row;         // of the variable that is driven to zero
    int column;      // of its complement, which drives
    double value;    // of the driving variable
    int pivots;
} Drive;

static double largest_entry(const LcpTableau *t)
{
    double largest = 0;
    for (int i = 0; i < t->n; i++)
        largest = fmax(largest, fabs(t->column[i]));
    return largest;
}

// Row that first reaches zero as the driving variable grows from its value; −1 if none does.
static int blocking_row(Drive *drive, double *value)
{
    const LcpTableau *t = drive->t;
    double zero = PIVOT_ZERO * largest_entry(t), best = INFINITY;
    int row = -1;
    if (t->column[drive->row] > zero) {
        best = -t->q[drive->row] / t->column[drive->row];
        row = drive->row;
    }
    for (int i = 0; i < t->n; i++) {
        double present = t->q[i] + t->column[i] * drive->value;
        if (i == drive->row || t->column[i] >= -zero || present < drive->negative)
            continue;
        double reached = fmax(t->q[i] / -t->column[i], drive->value);
        if (reached < best) {
            best = reached;
            row = i;
        }
    }
    *value = best;
    return row;
}

// Column of the complement of the variable in a row.
static int complement_column(const LcpTableau *t, int row)
{
    int variable = t->row_variable[row];
    return -1 - t->position[variable < t->n ? variable + t->n : variable - t->n];
}

static Move step(Drive *drive)
{
    LcpTableau *t = drive->t;
    double value;
    lcp_tableau_column(t, drive->column);
    int s = blocking_row(drive, &value);
    if (s < 0)
        return MOVE_RAY;
    drive->pivots++;
    if (s == drive->row) {
        lcp_tableau_exchange(t, s, drive->column);
        return MOVE_DONE;
    }
    drive->value = value;
    int column = complement_column(t, s);
    lcp_tableau_column(t, column);
    if (t->column[s] > PIVOT_ZERO * largest_entry(t)) {
        lcp_tableau_exchange(t, s, column);
        return MOVE_ON;
    }
    lcp_tableau_column(t, drive->column);
    lcp_tableau_exchange(t, s, drive->column);
    lcp_tableau_column(t, column);
    if (!(fabs(t->column[drive->row]) > 0))
        return MOVE_RAY;
    lcp_tableau_exchange(t, drive->row, column);
    drive->pivots++;
    return MOVE_DONE;
}

static int most_negative(const LcpTableau *t, double bound)
{
    int row = -1;
    for (int i = 0; i < t->n; i++)
        if (t->q[i] < bound) {
            bound = t->q[i];
            row = i;
        }
    return row;
}

SpragStatus lcp_keller(SpragLcpWorkspace *ws, const SpragLcp *problem,
                       const SpragLcpSettings *settings, double *z, LcpOutcome *outcome)
{
    LcpTableau *t = &ws->tableau;
    Drive drive = {.t = t};
    int limit = lcp_pivot_limit(settings, problem->n);
    lcp_tableau_load(t, problem, NULL, NULL, NULL);
    for (int i = 0; i < t->n; i++)
        drive.negative = fmin(drive.negative, -NEGATIVE * fabs(t->q[i]));
    outcome->starts++;
    outcome->status = SPRAG_LCP_SOLVED;
    while (outcome->status == SPRAG_LCP_SOLVED) {
        drive.row = most_negative(t, drive.negative);
        if (drive.row < 0)
            break;
        drive.column = complement_column(t, drive.row);
        drive.value = 0;
        Move move = MOVE_ON;
        while (move == MOVE_ON && drive.pivots < limit)
            move = step(&drive);
        if (move != MOVE_DONE)
            outcome->status = move == MOVE_RAY ? SPRAG_LCP_RAY : SPRAG_LCP_LIMIT;
    }
    outcome->pivots += drive.pivots;
    bool within = lcp_finish(ws, problem, settings, NULL, z);
    if (outcome->status == SPRAG_LCP_SOLVED && !within)
        outcome->status = SPRAG_LCP_STALLED;
    return SPRAG_OK;
}
