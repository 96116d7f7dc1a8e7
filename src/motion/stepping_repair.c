// stepping_repair.c: bodies that would overlap at the end of a step are moved apart.
// Problem   the smallest displacement d in the metric of M with g + N d ≥ 0 for all contacts and
//           e + E d = 0 for rows of joints, g and e the gaps and errors at the end of the step as
//           the rows tell, theory.md (11.27)
// Method    d = M⁻¹ (Nᵀ y + Eᵀ z): row after row solved, y ≥ 0, the change goes into d at once, up
//           and down in turn. It ends when what is left of the worst overlap is rounding or a
//           small part of it: the next step begins with the rest.
#include <math.h>
#include <string.h>

#include "stepping.h"

enum { MOST_SWEEPS = 100, PACKET_SWEEPS = 100 };
static const double PART_LEFT = 1e-4;

// One row of the problem.
typedef struct RepairRow {
    int body[2];                    // −1: none
    double rows[2][MOST_BODY_SIZE]; // of the contact or joint
    double gain[2][MOST_BODY_SIZE]; // M⁻¹ of them
    double inverse;                 // 1/W of the row, > 0
    double error;                   // g or e
    double y;
    bool joint;
} RepairRow;

// Gap at the end of the step, as the rows tell; or the error of a joint's row.
static double end_error(const Stepping *s, int i, int row, double h)
{
    const StepContacts *c = &s->sorted;
    int at = s->d * i + row;
    double sum = c->drift[at];
    for (int side = 0; side < 2; side++) {
        int body = c->bodies[2 * i + side];
        const double *J = c->jacobian + (size_t)(((2 * i + side) * s->d + row) * s->m);
        sum += body >= 0 ? step_product(s, J, s->mean + body * s->m) : 0;
    }
    return c->error[at] + h * sum;
}

static int row_count(const Stepping *s, int i)
{
    return step_is_joint(&s->sorted, i) ? s->d : 1;
}

// Errors of joints alone are taken away when positions are known, by stepping_hold_position. ends:
// of the first row of each.
static double worst_overlap(const Stepping *s, const Island *island, double h, double *ends)
{
    double worst = 0;
    for (int i = 0; i < island->count; i++) {
        double end = ends[i] = end_error(s, island->first + i, 0, h);
        if (-end > worst && !step_is_joint(&s->sorted, island->first + i))
            worst = -end;
    }
    return worst;
}

static void fill_row(const Stepping *s, int i, int row, double h, RepairRow *out)
{
    const StepContacts *c = &s->sorted;
    int m = s->m;
    double weight = 0;
    *out = (RepairRow){.error = end_error(s, i, row, h), .joint = step_is_joint(c, i)};
    for (int side = 0; side < 2; side++) {
        int body = out->body[side] = c->bodies[2 * i + side];
        if (body < 0)
            continue;
        const double *J = c->jacobian + (size_t)(((2 * i + side) * s->d + row) * m);
        const double *inverse = s->inertia + body * m * m;
        memcpy(out->rows[side], J, (size_t)m * sizeof *J);
        for (int k = 0; k < m; k++) {
            for (int e = 0; e < m; e++)
                out->gain[side][k] += inverse[k * m + e] * J[e];
            weight += J[k] * out->gain[side][k];
        }
    }
    out->inverse = weight > 0 ? 1 / weight : 0;
}

// Two sums: one chain of additions would be waited for.
static inline double product(const double *a, const double *b, int m)
{
    double even = 0, odd = 0;
    for (int k = 0; k + 1 < m; k += 2) {
        even += a[k] * b[k];
        odd += a[k + 1] * b[k + 1];
    }
    return (m % 2 ? even + a[m - 1] * b[m - 1] : even) + odd;
}

// Solves one row; returns what was left of it before. *way: by how much that moved its bodies.
static inline double visit(RepairRow *row, double *shift, int m, double *way)
{
    double left = row->error;
    for (int side = 0; side < 2; side++)
        if (row->body[side] >= 0)
            left += product(row->rows[side], shift + row->body[side] * m, m);
    double y = row->y - left * row->inverse;
    if (!row->joint && y < 0)
        y = 0;
    double change = y - row->y;
    *way = fabs(change) / row->inverse;
    row->y = y;
    for (int side = 0; change != 0 && side < 2; side++) {
        double *d = shift + row->body[side] * m;
        for (int k = 0; row->body[side] >= 0 && k < m; k++)
            d[k] += change * row->gain[side][k];
    }
    return row->joint ? fabs(left) : fmax(0, -left);
}

// The last sweep in which a body of the row was moved by more than matters.
static inline int last_moved(const Stepping *s, const RepairRow *row)
{
    int a = row->body[0] >= 0 ? s->moved[row->body[0]] : -1;
    int b = row->body[1] >= 0 ? s->moved[row->body[1]] : -1;
    return a > b ? a : b;
}

// Overlaps are few and far between: after the first sweep a row is only looked at while its bodies
// move.
static void sweep(Stepping *s, RepairRow *rows, int count, double enough)
{
    const double part = 0.01;
    for (int e = 0; e < count; e++)
        for (int side = 0; side < 2; side++)
            if (rows[e].body[side] >= 0)
                s->moved[rows[e].body[side]] = 0;
    for (int k = 1; k <= MOST_SWEEPS; k++) {
        double worst = 0;
        for (int e = 0; e < count; e++) {
            RepairRow *row = &rows[k % 2 ? e : count - 1 - e];
            double way;
            if (last_moved(s, row) < k - 1)
                continue;
            double left = s->m == 6 ? visit(row, s->shift, 6, &way) : visit(row, s->shift, 3, &way);
            worst = fmax(worst, left);
            for (int side = 0; way > part * enough && side < 2; side++)
                if (row->body[side] >= 0)
                    s->moved[row->body[side]] = k;
        }
        if (worst <= enough)
            return;
    }
}

// s->shift of the bodies of an island: M⁻¹ Nᵀ y, y in units of the mean mass.
static void displace(Stepping *s, const Island *island, const double *y)
{
    const StepContacts *c = &s->sorted;
    int d = s->d, m = s->m;
    double *push = s->work; // zero for all bodies
    for (int i = 0; i < 2 * island->count; i++) {
        int side = 2 * island->first + i, body = c->bodies[side];
        const double *normal = c->jacobian + (size_t)(side * d * m);
        for (int k = 0; body >= 0 && y[i / 2] > 0 && k < m; k++)
            push[body * m + k] += s->mass * y[i / 2] * normal[k];
    }
    for (int i = 0; i < island->body_count; i++) {
        int body = s->island_bodies[island->first_body + i];
        for (int k = 0; k < m; k++)
            s->shift[body * m + k] =
                step_product(s, s->inertia + (body * m + k) * m, push + body * m);
    }
}

// Many contacts without joints, by packets; w->q: where they end. False: it was not done.
static SpragStatus repair_many(Stepping *s, const Island *island, StepWorker *w, double enough,
                               bool *done)
{
    SpragFrictionProblem problem;
    int sweeps;
    *done = false;
    SPRAG_TRY(stepping_problem(s, island, w, &problem));
    memset(w->r, 0, (size_t)island->count * sizeof *w->r);
    SPRAG_TRY(sprag_friction_part(w->solver, &problem, w->q, PACKET_SWEEPS, enough, w->r, &sweeps));
    *done = sweeps > 0;
    if (*done)
        displace(s, island, w->r);
    return SPRAG_OK;
}

static SpragStatus repair_island(void *user, int number, StepWorker *w)
{
    Stepping *s = user;
    const Island *island = &s->islands[number];
    double h = s->h_now, tolerance = s->run->tolerances.gap;
    int count = 0;
    SPRAG_TRY(sprag_reserve(w->context, &w->q, &w->q_capacity, (size_t)(s->d * island->count) + 1,
                            sizeof *w->q));
    double worst = worst_overlap(s, island, h, w->q);
    if (!(worst > tolerance))
        return SPRAG_OK;
    double enough = fmax(0.5 * tolerance, PART_LEFT * worst);
    bool done;
    SPRAG_TRY(repair_many(s, island, w, enough, &done));
    if (done)
        return SPRAG_OK;
    SPRAG_TRY(sprag_reserve(w->context, &w->repair, &w->repair_capacity,
                            (size_t)(s->d * island->count), sizeof(RepairRow)));
    RepairRow *rows = w->repair;
    for (int i = island->first; i < island->first + island->count; i++)
        for (int row = 0; row < row_count(s, i); row++) {
            fill_row(s, i, row, h, &rows[count]);
            count += rows[count].inverse > 0; // nothing can move the others
        }
    sweep(s, rows, count, enough);
    return SPRAG_OK;
}

SpragStatus stepping_repair(Stepping *s, double h)
{
    memset(s->shift, 0, (size_t)s->run->n * sizeof *s->shift);
    memset(s->work, 0, (size_t)s->run->n * sizeof *s->work);
    s->h_now = h;
    return pool_run(s, repair_island, s, s->island_count, s->sorted.count);
}

// ---- What it costs ------------------------------------------------------------------------------

// Energy that moving the bodies of an island apart gains against gravity, less what its contacts
// took in the step: where bodies roll and turn the two are one error, and nearly make up for each
// other; after a blow hardly anything may be left to pay with.
static double gain_of_repair(const Stepping *s, const Island *island)
{
    const SpragModel *model = sprag_system_model(s->system);
    const int *bodies = s->island_bodies + island->first_body;
    const StepContacts *c = &s->sorted;
    double gain = 0;
    for (int i = 0; i < island->body_count; i++)
        for (int k = 0; k < s->d; k++)
            gain -= model->bodies[s->model_body[bodies[i]]].mass * model->gravity[k] *
                    s->shift[bodies[i] * s->m + k];
    for (int i = island->first; gain > 0 && i < island->first + island->count; i++) {
        double work = c->impulse[s->d * i] * c->bound[i];
        for (int k = s->d * i; k < s->d * (i + 1); k++)
            work += c->impulse[k] * (c->before[k] + c->after[k]);
        if (!step_is_joint(c, i))
            gain += fmin(work / 2, 0);
    }
    return gain;
}

static double kinetic_energy(const Stepping *s, int block, const double *v)
{
    const SpragBody *body = &sprag_system_model(s->system)->bodies[s->model_body[block]];
    const double *t = body->tensor, *rate = v + block * s->m;
    if (s->d == 2)
        return (body->mass * (rate[0] * rate[0] + rate[1] * rate[1]) +
                body->inertia * rate[2] * rate[2]) /
               2;
    SpragPose pose;
    sprag_pose_set(s->run->y + block * step_position_size(s), rate, &pose);
    SpragVec3 w = sprag_mat3_apply_back(&pose.R, pose.w);
    double turning = t[0] * w.x * w.x + t[1] * w.y * w.y + t[2] * w.z * w.z +
                     2 * (t[3] * w.x * w.y + t[4] * w.x * w.z + t[5] * w.y * w.z);
    return (body->mass * sprag_vec3_dot(pose.v, pose.v) + turning) / 2;
}

void stepping_pay(Stepping *s, double *v)
{
    for (int k = 0; k < s->island_count; k++) {
        const Island *island = &s->islands[k];
        const int *bodies = s->island_bodies + island->first_body;
        double gain = gain_of_repair(s, island), kinetic = 0;
        for (int i = 0; gain > 0 && i < island->body_count; i++)
            kinetic += kinetic_energy(s, bodies[i], v);
        if (!(kinetic > 0))
            continue;
        double paid = fmin(gain, kinetic), left = sqrt(1 - paid / kinetic);
        s->run->change += paid;
        for (int i = 0; i < island->body_count; i++)
            for (int e = 0; e < s->m; e++)
                v[bodies[i] * s->m + e] *= left;
    }
}
