// contact_guess.c: modes that a contact problem in space probably has.
// Problem   where the search over modes of many coupled contacts was cut short it may have missed
//           the motion; a guess of its modes is enough, since the search in given modes is exact
// Method    projected Gauss–Seidel on the accelerations with de Saxcé's change of variables: each
//           contact in turn takes λ ← P_K(λ − r (a_N + μ |a_T|, a_T)), K its cone; one that slides
//           has its friction along its slip. Fixed points obey Coulomb's law (Acary and Cadoux
//           2013)
// Assumes   nothing: without convergence the guess is a bad one, and the search finds nothing there
#include <math.h>
#include <string.h>

#include "sprag/contact.h"
#include "sprag/vector.h"

enum { MOST_SWEEPS = 4000 };
static const double CONVERGED = 1e-13, NO_FORCE = 1e-8, NO_ACCELERATION = 1e-7, MOST_FRICTION = 1e6;

// Accelerations of the rows of a constraint.
static void accelerate(const SpragContactProblem *p, const SpragConstraint *item,
                       const double *force, double *a)
{
    for (int k = 0; k < item->row_count; k++) {
        const double *w = p->W + (size_t)(item->row + k) * (size_t)p->row_count;
        a[k] = p->b[item->row + k];
        for (int c = 0; c < p->row_count; c++)
            a[k] += w[c] * force[c];
    }
}

// The nearest point of the cone |(y, z)| ≤ μ x.
static void project_cone(double mu, double *x)
{
    double size = hypot(x[1], x[2]);
    if (size <= mu * x[0])
        return;
    double normal = mu * size <= -x[0] ? 0 : (x[0] + mu * size) / (1 + mu * mu);
    for (int k = 1; k < 3; k++)
        x[k] *= size > 0 ? mu * normal / size : 0;
    x[0] = normal;
}

// Friction of a bearing against its slip, or into its cone.
static void limit_friction(const SpragConstraint *item, double limit, double *x)
{
    double slip = sprag_length(item->tangents, item->slip), size = sprag_length(item->tangents, x);
    for (int k = 0; k < item->tangents; k++)
        if (item->sliding && slip > 0)
            x[k] = -limit * item->slip[k] / slip;
        else if (size > limit)
            x[k] *= limit / size;
}

// The same of a bearing: normals that press to either side, one to three tangents.
static double relax_bearing(const SpragContactProblem *p, const SpragConstraint *item,
                            double *force)
{
    double a[SPRAG_CONSTRAINT_ROWS], old[SPRAG_CONSTRAINT_ROWS], change = 0;
    double *x = force + item->row;
    int t = sprag_constraint_normals(item);
    const double *w = p->W + (size_t)item->row * (size_t)(p->row_count + 1);
    memcpy(old, x, (size_t)item->row_count * sizeof *old);
    for (int k = 0; k < item->row_count; k++) {
        double stiff = w[k * (p->row_count + 1)];
        if (!(stiff > 0))
            continue;
        accelerate(p, item, force, a);
        x[k] -= a[k] / stiff;
        if (k >= t)
            limit_friction(item, item->friction * sprag_constraint_pressure(item, force), x + t);
    }
    for (int k = 0; k < item->row_count; k++)
        change = fmax(change, fabs(x[k] - old[k]));
    return change;
}

// One contact in turn; returns how much its forces have changed.
static double relax(const SpragContactProblem *p, const SpragConstraint *item, double *force)
{
    double a[SPRAG_CONSTRAINT_ROWS], old[3], *x = force + item->row, slip[2] = {0, 0}, change = 0;
    const double *w = p->W + (size_t)item->row * (size_t)(p->row_count + 1);
    double mu = item->row_count > 1 ? fmin(item->friction, MOST_FRICTION) : 0,
           size = hypot(item->slip[0], item->slip[1]);
    bool slides = item->row_count > 1 && item->sliding && size > 0;
    if (item->kind == SPRAG_CONSTRAINT_BEARING)
        return relax_bearing(p, item, force);
    if (!(w[0] > 0))
        return 0;
    memcpy(old, x, (size_t)item->row_count * sizeof *old);
    accelerate(p, item, force, a);
    for (int k = 0; slides && k < item->row_count - 1; k++)
        slip[k] = item->slip[k] / size;
    if (item->kind == SPRAG_CONSTRAINT_BILATERAL) {
        x[0] -= a[0] / w[0];
    } else if (item->row_count == 2 && !slides) {
        double stiff = fmax(w[p->row_count + 1], w[0] * 1e-12);
        x[0] = fmax(x[0] - a[0] / w[0], 0);
        x[1] = fmin(fmax(x[1] - a[1] / stiff, -mu * x[0]), mu * x[0]);
    } else if (slides || mu == 0 || item->row_count != 3) {
        x[0] = fmax(x[0] - a[0] / w[0], 0);
        for (int k = 1; k < item->row_count; k++)
            x[k] = -mu * x[0] * slip[k - 1];
    } else {
        double stiff = w[0];
        for (int k = 1; k < 3; k++)
            stiff = fmax(stiff, w[k * (p->row_count + 1)]);
        x[0] -= (a[0] + mu * hypot(a[1], a[2])) / stiff;
        for (int k = 1; k < 3; k++)
            x[k] -= a[k] / stiff;
        project_cone(mu, x);
    }
    for (int k = 0; k < item->row_count; k++)
        change = fmax(change, fabs(x[k] - old[k]));
    return change;
}

static SpragMode mode_of(const SpragContactProblem *p, const SpragConstraint *item,
                         const double *force, double scale)
{
    double a[SPRAG_CONSTRAINT_ROWS], size = hypot(item->slip[0], item->slip[1]);
    const double *x = force + item->row;
    if (item->kind == SPRAG_CONSTRAINT_BILATERAL)
        return SPRAG_MODE_CLOSED;
    if (item->kind == SPRAG_CONSTRAINT_BEARING) {
        int t = sprag_constraint_normals(item);
        double w = p->W[(size_t)(item->row + t) * (size_t)(p->row_count + 1)];
        accelerate(p, item, force, a);
        double way = item->sliding && item->slip[0] != 0 ? item->slip[0] : a[t];
        double most = sprag_length(item->tangents, a + t);
        bool rests = !item->sliding && most <= NO_ACCELERATION * w * scale;
        if (item->tangents > 1)
            return rests ? SPRAG_MODE_STICK : SPRAG_MODE_SLIDE;
        return rests ? SPRAG_MODE_STICK : way > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
    }
    if (x[0] <= NO_FORCE * scale)
        return SPRAG_MODE_SEPARATE;
    if (item->row_count == 1)
        return SPRAG_MODE_CLOSED;
    accelerate(p, item, force, a);
    if (item->row_count == 2) {
        double stiff = p->W[(size_t)(item->row + 1) * (size_t)(p->row_count + 1)];
        double way = item->sliding && size > 0 ? item->slip[0] : a[1];
        bool rests = !(item->sliding && size > 0) && fabs(a[1]) <= NO_ACCELERATION * stiff * scale;
        return rests ? SPRAG_MODE_STICK : way > 0 ? SPRAG_MODE_SLIDE_PLUS : SPRAG_MODE_SLIDE_MINUS;
    }
    if (item->sliding && size > 0)
        return SPRAG_MODE_SLIDE;
    double w = p->W[(size_t)item->row * (size_t)(p->row_count + 1)];
    return hypot(a[1], a[2]) > NO_ACCELERATION * w * scale ? SPRAG_MODE_SLIDE : SPRAG_MODE_STICK;
}

void sprag_contact_guess(const SpragContactProblem *problem, double *force, SpragMode *modes)
{
    double scale = 0, change = INFINITY;
    memset(force, 0, (size_t)problem->row_count * sizeof *force);
    for (int r = 0; r < problem->row_count; r++) {
        double w = problem->W[(size_t)r * (size_t)(problem->row_count + 1)];
        scale = w > 0 ? fmax(scale, fabs(problem->b[r]) / w) : scale;
    }
    for (int sweep = 0; sweep < MOST_SWEEPS && change > CONVERGED * scale; sweep++) {
        change = 0;
        for (int i = 0; i < problem->constraint_count; i++)
            change = fmax(change, relax(problem, &problem->constraints[i], force));
    }
    for (int i = 0; i < problem->constraint_count; i++)
        modes[i] = mode_of(problem, &problem->constraints[i], force, scale);
}
