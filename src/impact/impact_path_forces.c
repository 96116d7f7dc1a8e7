// impact_path_forces.c: forces along the impulse path, and how the states change with them.
// Problem   theory.md (10.32)–(10.35): layers press by their depth; friction of slip is against it,
//           that of rest the minimum of impact_friction.c
// States    impulses of all rows; depths, then works of friction of all contacts; velocities of all
//           rows
#include <math.h>
#include <string.h>

#include "impact_path.h"

double impact_path_force(const PathContact *c, double depth)
{
    if (c->phase == IDLE || !(depth > 0))
        return 0;
    return c->eta == 1 ? c->k * depth : c->k * pow(depth, c->eta);
}

double impact_path_energy(const PathContact *c, double depth)
{
    return depth > 0 ? c->k * pow(depth, c->eta + 1) / (c->eta + 1) : 0;
}

void impact_path_velocities(const struct ImpactPath *path, const double *P, double *u)
{
    int n = path->rows;
    for (int i = 0; i < n; i++) {
        double sum = path->before[i];
        for (int j = 0; j < n; j++)
            sum += path->W[i * n + j] * P[j];
        u[i] = sum;
    }
}

// Impulses per unit of time in all rows at the velocities u: path->rate.
void impact_path_forces(struct ImpactPath *path, const double *depth, const double *u)
{
    ImpactFriction *friction = &path->friction;
    friction->count = 0;
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double *rate = path->rate + c->row, F = impact_path_force(c, depth[i]);
        rate[0] = F;
        if (c->tangents == 0)
            continue;
        if (c->rest) {
            // dependent rows (two corners on one floor) leave their sum free to share: the same
            // share at the same state, or no step of the integration succeeds
            for (int k = 1; k <= c->tangents; k++)
                rate[k] = 0;
            impact_friction_add(friction, c->row + 1, c->tangents, c->mu_static * F);
        } else if (c->tangents == 1) {
            rate[1] = -c->side * c->mu * F;
        } else {
            double speed = hypot(u[c->row + 1], u[c->row + 2]);
            double ratio = speed > 0 ? c->mu * F / speed : 0;
            rate[1] = -ratio * u[c->row + 1];
            rate[2] = -ratio * u[c->row + 2];
        }
    }
    impact_friction_solve(friction, path->rows, path->W, path->rate);
}

static double depth_rate(const PathContact *c, double C)
{
    return c->phase == LOADING ? -C : c->phase == UNLOADING ? -C / c->e_squared : 0;
}

int impact_path_derivative(double t, const double *y, double *dy, void *user)
{
    (void)t;
    struct ImpactPath *path = user;
    const double *depth = y + path->rows;
    impact_path_velocities(path, y, path->u);
    impact_path_forces(path, depth, path->u);
    memcpy(dy, path->rate, (size_t)path->rows * sizeof *dy);
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double power = 0;
        for (int k = 1; k <= c->tangents; k++)
            power -= path->rate[c->row + k] * path->u[c->row + k];
        dy[path->rows + i] = depth_rate(c, path->u[c->row]);
        dy[path->rows + path->count + i] = power;
    }
    double *du = dy + path->rows + 2 * path->count;
    for (int i = 0; i < path->rows; i++) {
        du[i] = 0;
        for (int j = 0; j < path->rows; j++)
            du[i] += path->W[i * path->rows + j] * path->rate[j];
    }
    return 0;
}

static double stiffness_of(const PathContact *c, double depth)
{
    if (c->phase == IDLE || !(depth > 0))
        return 0;
    return c->eta == 1 ? c->k : c->k * c->eta * pow(depth, c->eta - 1);
}

// Slopes of the force of friction in slip: a row for each tangent, over all states.
static void friction_slopes(const struct ImpactPath *path, const PathContact *c, double depth,
                            const double *u, int at, double *J)
{
    const double *S = u + c->row + 1;
    double speed = c->tangents == 2 ? hypot(S[0], S[1]) : 1, F = impact_path_force(c, depth);
    double along[2] = {c->side, 0};
    if (!(speed > 0))
        return;
    for (int k = 0; k < 2 && c->tangents == 2; k++)
        along[k] = S[k] / speed;
    for (int k = 0; k < c->tangents; k++) {
        double *row = J + (size_t)(c->row + 1 + k) * (size_t)path->states;
        row[at] = -c->mu * stiffness_of(c, depth) * along[k];
        for (int l = 0; l < c->tangents && c->tangents == 2; l++) {
            double turn = -c->mu * F / speed * ((k == l) - along[k] * along[l]);
            for (int j = 0; j < path->rows; j++)
                row[j] += turn * path->W[(c->row + 1 + l) * path->rows + j];
        }
    }
}

// ∂f/∂y without what friction at rest answers and without works, on which nothing depends.
int impact_path_jacobian(double t, const double *y, double *J, void *user)
{
    (void)t;
    struct ImpactPath *path = user;
    int n = path->rows, states = path->states;
    impact_path_velocities(path, y, path->u);
    for (int i = 0; i < path->count; i++) {
        const PathContact *c = &path->contacts[i];
        double depth = y[n + i];
        J[c->row * states + n + i] = stiffness_of(c, depth);
        if (!c->rest)
            friction_slopes(path, c, depth, path->u, n + i, J);
        for (int j = 0; j < n; j++)
            J[(n + i) * states + j] = depth_rate(c, path->W[c->row * n + j]);
    }
    for (int r = 0; r < n; r++) {
        double *row = J + (size_t)(n + 2 * path->count + r) * (size_t)states;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n + path->count; j++)
                row[j] += path->W[r * n + k] * J[k * states + j];
    }
    return 0;
}
