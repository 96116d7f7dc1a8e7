// contact_residual.c: how far a force vector is from obeying the contact laws; the judge of every
// solver. It works on W and b alone and shares no code with the search.
#include <math.h>

#include "sprag/contact.h"
#include "sprag/vector.h"

// Everything is compared after scaling a constraint's rows by s = sqrt(max W_rr): accelerations
// become a/s, forces λ s, of one unit (square root of power per time); then the largest of |b|/s is
// the scale.
static double constraint_scale(const SpragContactProblem *p, const SpragConstraint *c)
{
    double largest = 0;
    for (int k = 0; k < c->row_count; k++)
        largest = fmax(largest, p->W[(c->row + k) * p->row_count + c->row + k]);
    return largest > 0 ? sqrt(largest) : 1;
}

// Violation of |λT| ≤ μ N, N ≥ 0 and of the direction of friction; N = |λN| for a guide or bearing.
static double friction_violation(const SpragConstraint *c, double normal, const double *tangential,
                                 const double *acceleration)
{
    int tangents = c->kind == SPRAG_CONSTRAINT_BEARING ? c->tangents : c->row_count - 1;
    double size = sprag_length(tangents, tangential);
    double bound = c->friction * normal;
    double violation = fmax(0, size - bound);
    const double *direction = c->sliding ? c->slip : acceleration;
    double length = sprag_length(tangents, direction);
    if (length == 0)
        return violation;
    // λT must be −μ N d: entirely in slip, and as far as the acceleration is not zero at rest
    double off = 0;
    for (int k = 0; k < tangents; k++)
        off = hypot(off, tangential[k] + bound * direction[k] / length);
    return fmax(violation, c->sliding ? off : fmin(length, off));
}

// force: of the rows of this constraint, then that of the row it shares; acceleration: of its rows.
static double constraint_violation(const SpragConstraint *c, double s, const double *force,
                                   const double *acceleration)
{
    double lambda[SPRAG_CONSTRAINT_ROWS] = {0}, a[SPRAG_CONSTRAINT_ROWS] = {0};
    for (int k = 0; k < c->row_count; k++) {
        lambda[k] = force[k] * s;
        a[k] = acceleration[k] / s;
    }
    if (c->kind == SPRAG_CONSTRAINT_BILATERAL)
        return fabs(a[0]);
    if (c->kind == SPRAG_CONSTRAINT_LIMIT)
        return fabs(fmin(lambda[0], a[0]));
    if (c->kind == SPRAG_CONSTRAINT_GUIDE)
        return fmax(fabs(a[0]), friction_violation(c, fabs(lambda[0]), lambda + 1, a + 1));
    if (c->kind == SPRAG_CONSTRAINT_BEARING) {
        int normals = c->row_count - c->tangents;
        double pressure = sprag_length(normals, lambda), rigid = 0;
        if (c->shared >= 0)
            pressure = hypot(pressure, force[c->row_count] * s);
        for (int k = 0; k < normals; k++)
            rigid = fmax(rigid, fabs(a[k]));
        return fmax(rigid, friction_violation(c, pressure, lambda + normals, a + normals));
    }
    double violation = fabs(fmin(lambda[0], a[0]));
    return fmax(violation, friction_violation(c, fmax(lambda[0], 0), lambda + 1, a + 1));
}

double sprag_contact_residual(const SpragContactProblem *problem, const double *force)
{
    double worst = 0, scale = 0;
    int n = problem->row_count;
    for (int i = 0; i < problem->constraint_count; i++) {
        const SpragConstraint *c = &problem->constraints[i];
        double s = constraint_scale(problem, c);
        double a[SPRAG_CONSTRAINT_ROWS] = {0}, own[SPRAG_CONSTRAINT_ROWS + 1] = {0};
        own[c->row_count] = c->shared >= 0 ? force[c->shared] : 0;
        for (int k = 0; k < c->row_count; k++) {
            int row = c->row + k;
            own[k] = force[row];
            a[k] = problem->b[row];
            for (int j = 0; j < n; j++)
                a[k] += problem->W[row * n + j] * force[j];
            scale = fmax(scale, fmax(fabs(problem->b[row]) / s, fabs(force[row]) * s));
        }
        worst = fmax(worst, constraint_violation(c, s, own, a));
    }
    return scale > 0 ? worst / scale : worst;
}
