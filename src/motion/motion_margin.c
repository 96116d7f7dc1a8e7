// motion_margin.c: forces of dependent rows: how far inside of their cones they can be, theory.md
// (14.4).
// Problem   the forces of a mode whose rows depend on each other are a set. The mode ends where no
//           member of it is inside of all cones: σ, the largest margin of any of them, falls to
//           zero
// Method    σ by a linear program. Its cost grows with the third power of the contacts, and it is
//           asked for again and again while nothing is near its end: any forces of the mode with a
//           margin bound σ from below, and the least ones take one factorisation
#include <float.h>
#include <math.h>
#include <string.h>

#include "motion_private.h"
#include "sprag/complementarity.h"

// A margin above this is not looked at any closer, in units of the force scale.
static const double CLEAR = 1e-2;
// Of a margin that is looked for its zero so much may be missing.
static const double NEAR = 1e-3;
// Forces with this margin are inside of their cones.
static const double INSIDE = 1e-9;
enum { MOST_ROUNDS = 3 };

// ---- Least forces -------------------------------------------------------------------------------

// The rows that stand for all: D x = right, in units of the force scale; G: how long the force of a
// unit of each unknown is, squared.
typedef struct Rows {
    int r, k;
    int *first; // r: of each row of S
    double *D, *G, *right, *S, *x;
} Rows;

static bool allocate_rows(SpragRun *run, Rows *rows)
{
    rows->r = run->frozen.solved_count;
    rows->k = run->frozen.unknown_count;
    size_t r = (size_t)rows->r, k = (size_t)rows->k;
    rows->D = sprag_arena_alloc(run->arena, r * k + r * r + r + 2 * k + 1, sizeof *rows->D);
    rows->first = sprag_arena_alloc(run->arena, r + 1, sizeof *rows->first);
    if (!rows->D || !rows->first)
        return false;
    rows->S = rows->D + r * k;
    rows->right = rows->S + r * r;
    rows->G = rows->right + r;
    rows->x = rows->G + k;
    return true;
}

static void weigh(const SpragRun *run, Rows *rows)
{
    const Frozen *f = &run->frozen;
    for (int j = 0; j < rows->k; j++) {
        const Unknown *u = &f->unknowns[j];
        rows->G[j] = 1;
        // bearings are left to the program
        for (int d = 0; !u->tangential && d < f->rows[u->contact] - f->normals[u->contact]; d++)
            rows->G[j] += pow(modes_friction_ratio(run, u->contact, u->normal, d), 2);
    }
}

// Friction counts the more the less its contact presses under x: it is shared like normal forces.
static void weigh_friction(const SpragRun *run, Rows *rows)
{
    const double least = 1e-2;
    const Frozen *f = &run->frozen;
    double most = 0;
    for (int j = 0; j < rows->k; j++)
        if (!f->unknowns[j].tangential)
            most = fmax(most, rows->x[j]);
    for (int j = 0, normal = -1; j < rows->k; j++) {
        const Unknown *u = &f->unknowns[j];
        normal = u->tangential ? normal : j;
        bool own = u->tangential && normal >= 0 && f->unknowns[normal].contact == u->contact;
        if (own && most > 0)
            rows->G[j] = most / fmax(rows->x[normal], least * most);
    }
}

static void fill_rows(const SpragRun *run, Rows *rows)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    for (int i = 0; i < rows->r; i++) {
        int r = f->unknowns[f->solved[i]].row;
        double scale = 1 / sqrt(fmax(e->W[r * (f->row_count + 1)], DBL_MIN));
        for (int j = 0; j < rows->k; j++)
            rows->D[i * rows->k + j] =
                scale * modes_entry(run, e->W + r * f->row_count, &f->unknowns[j]);
        rows->right[i] = -scale * (e->b[r] + e->load[r]) / run->force_scale;
    }
}

// S = D G⁻¹ Dᵀ, and the first entry of each of its rows: islands do not know of each other.
static void multiply_rows(Rows *rows)
{
    int n = rows->r, k = rows->k;
    for (int i = 0; i < n; i++) {
        const double *a = rows->D + (size_t)i * (size_t)k;
        int low = 0, high = k;
        while (low < high && a[low] == 0)
            low++;
        while (high > low && a[high - 1] == 0)
            high--;
        rows->first[i] = i;
        for (int j = i; j >= 0; j--) {
            const double *b = rows->D + (size_t)j * (size_t)k;
            double sum = 0;
            for (int c = low; c < high; c++)
                sum += a[c] * b[c] / rows->G[c];
            rows->S[i * n + j] = sum;
            rows->first[i] = sum != 0 ? j : rows->first[i];
        }
    }
}

// S = L Lᵀ; false: the rows are not independent any more.
static bool factor_rows(Rows *rows)
{
    const double dependent = 1e-10;
    int n = rows->r;
    multiply_rows(rows);
    for (int i = 0; i < n; i++)
        for (int j = rows->first[i]; j <= i; j++) {
            double *s = &rows->S[i * n + j], whole = *s;
            for (int c = rows->first[j] > rows->first[i] ? rows->first[j] : rows->first[i]; c < j;
                 c++)
                *s -= rows->S[i * n + c] * rows->S[j * n + c];
            if (j < i)
                *s /= rows->S[j * n + j];
            else if (!(*s > dependent * whole))
                return false;
            else
                *s = sqrt(*s);
        }
    return true;
}

// x = G⁻¹ Dᵀ S⁻¹ right.
static void solve_rows(Rows *rows)
{
    int n = rows->r, k = rows->k;
    double *y = rows->right;
    for (int i = 0; i < n; i++) {
        for (int c = 0; c < i; c++)
            y[i] -= rows->S[i * n + c] * y[c];
        y[i] /= rows->S[i * n + i];
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int c = i + 1; c < n; c++)
            y[i] -= rows->S[c * n + i] * y[c];
        y[i] /= rows->S[i * n + i];
    }
    memset(rows->x, 0, (size_t)k * sizeof *rows->x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < k; j++)
            rows->x[j] += rows->D[i * k + j] * y[i] / rows->G[j];
}

// Rows that depend on each other contradict each other by what their contacts have drifted since
// the last projection: contacts of a body that turns by w, off their common axis by the tolerance
// of gaps, by w² times that, and with velocities that are not zero by w times these; in m/s²,
// theory.md (14.14).
static double drift_of_rows(const SpragRun *run)
{
    const double *v = run->now.y + run->m;
    double spin = 0;
    for (int i = 0; i < run->n; i += run->tangents == 2 ? 6 : 3)
        spin = fmax(spin, run->tangents == 2 ? sprag_vec3_norm(sprag_vec3_of(v + i + 3))
                                             : fabs(v[i + 2]));
    return spin * (run->tolerances.rate + spin * run->tolerances.gap);
}

// Whether all rows of the mode are zero under x: those that depend on others may contradict them.
static bool holds_all(const SpragRun *run, const double *x)
{
    const double contradicts = 1e-9;
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double drift = drift_of_rows(run) / run->force_scale;
    for (int i = 0; i < f->unknown_count; i++) {
        int r = f->unknowns[i].row;
        if (!modes_row_moves(run, &f->unknowns[i]))
            continue;
        double sum = (e->b[r] + e->load[r]) / run->force_scale, size = fabs(sum);
        for (int j = 0; j < f->unknown_count; j++) {
            double term = modes_entry(run, e->W + r * f->row_count, &f->unknowns[j]) * x[j];
            sum += term;
            size += fabs(term);
        }
        if (fabs(sum) > contradicts * size + drift)
            return false;
    }
    return true;
}

// Margin of forces x; −1: they are outside of a cone.
static double margin_of(const SpragRun *run, const double *x)
{
    const Frozen *f = &run->frozen;
    double least = 1;
    for (int i = 0; i < f->unknown_count; i++) {
        const Unknown *u = &f->unknowns[i];
        double mu = run->now.friction[2 * u->contact];
        if (!u->tangential) {
            least = fmin(least, x[i]);
        } else if (u->row == f->first[u->contact] + 1) {
            double normal = f->soft[u->contact]
                                ? run->now.force[f->first[u->contact]] / run->force_scale
                                : x[i - 1];
            least = fmin(least, mu * normal - hypot(x[i], f->rows[u->contact] == 3 ? x[i + 1] : 0));
        }
    }
    return fmax(least, -1);
}

// Forces of all rows from those of the unknowns.
static void give_forces(const SpragRun *run, const double *x, double *force)
{
    const Frozen *f = &run->frozen;
    for (int i = 0; i < f->active_count; i++) // what slides follows the unknowns
        for (int r = f->normals[i]; !f->soft[i] && f->sliding[i] && r < f->rows[i]; r++)
            force[f->first[i] + r] = 0;
    for (int i = 0; i < f->unknown_count; i++) {
        const Unknown *u = &f->unknowns[i];
        force[u->row] = x[i] * run->force_scale;
        modes_add_friction(run, u, force[u->row], force);
    }
}

// Forces of the mode, the least ones first, in rows->x; *found: some with this margin. Bearings
// press to every side, and are left to the program.
static SpragStatus find_inside(SpragRun *run, int rounds, double least, Rows *rows, bool *found)
{
    const Frozen *f = &run->frozen;
    *found = false;
    for (int i = 0; i < f->active_count; i++)
        if (f->bearing[i])
            return SPRAG_OK;
    if (!allocate_rows(run, rows))
        return SPRAG_ERROR_MEMORY;
    weigh(run, rows);
    for (int round = 0; round < rounds && !*found; round++) {
        if (round > 0)
            weigh_friction(run, rows);
        fill_rows(run, rows);
        if (!factor_rows(rows))
            break;
        solve_rows(rows);
        *found = margin_of(run, rows->x) >= least && holds_all(run, rows->x);
    }
    return SPRAG_OK;
}

static bool is_plain(const SpragRun *run, int slot)
{
    SpragContactPair pair;
    sprag_system_pair(run->system, slot, &pair);
    return pair.compliance.law == SPRAG_COMPLIANCE_RIGID &&
           !sprag_friction_law_is_smooth(&run->law[slot]);
}

SpragStatus margin_least(SpragRun *run, double *force, bool *inside)
{
    const Frozen *f = &run->frozen;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Rows rows;
    *inside = false;
    for (int i = 0; i < f->active_count; i++)
        if (f->soft[i] || !is_plain(run, f->active[i]))
            return SPRAG_OK;
    SPRAG_TRY(find_inside(run, 1, INSIDE, &rows, inside));
    memcpy(force, run->now.force, (size_t)f->row_count * sizeof *force);
    if (*inside)
        give_forces(run, rows.x, force);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

// ---- The program --------------------------------------------------------------------------------

// The linear program of theory.md (14.4): forces of the unknowns in units of the force scale, then
// σ. Inequalities first, then the equations of the mode.
typedef struct Program {
    int k, width, most; // unknowns, columns, inequalities that there is room for
    int count;          // inequalities
    int equations;
    double *A, *b, *c, *x;
} Program;

// Sides of a cone at first: around a circle; through faces and corners of a cube where there are
// three tangents.
enum { FIRST_SIDES = 8, CUBE_SIDES = 14, MOST_CUTS = 30 };

static bool allocate_program(SpragRun *run, Program *p)
{
    p->k = run->frozen.unknown_count;
    p->width = p->k + 1;
    p->most = 1 + p->k * (run->tangents == 1 ? 2 : FIRST_SIDES + MOST_CUTS);
    for (int i = 0; i < run->frozen.active_count; i++)
        if (run->frozen.rows[i] - run->frozen.normals[i] == 3)
            p->most += CUBE_SIDES - FIRST_SIDES;
    p->count = 0;
    size_t rows = (size_t)(p->most + p->k + 1), width = (size_t)p->width;
    p->A = sprag_arena_alloc(run->arena, rows * width, sizeof *p->A);
    p->b = sprag_arena_alloc(run->arena, rows, sizeof *p->b);
    p->c = sprag_arena_alloc(run->arena, width, sizeof *p->c);
    p->x = sprag_arena_alloc(run->arena, width, sizeof *p->x);
    return p->A && p->b && p->c && p->x;
}

static int unknown_of(const Frozen *f, int row)
{
    int i = 0;
    while (f->unknowns[i].row != row)
        i++;
    return i;
}

// λN of forces x, of a bearing along its aim.
static double pressing(const SpragRun *run, int contact, const double *x)
{
    const Frozen *f = &run->frozen;
    int press[WAYS], count = modes_press(f, contact, press);
    const double *aim = run->now.aim + WAYS * contact;
    double sum = 0;
    for (int k = 0; k < count; k++)
        sum += x[unknown_of(f, press[k])] * (f->bearing[contact] ? aim[k] : 1);
    return sum;
}

// d·λT + σ ≤ μ λN for the contact whose first tangential unknown is i; its normal force is the
// unknown before, or comes from a layer.
static void add_side(const SpragRun *run, Program *p, int i, const double *d)
{
    const Frozen *f = &run->frozen;
    const Unknown *u = &f->unknowns[i];
    double *row = p->A + (size_t)p->count * (size_t)p->width;
    double mu = run->now.friction[2 * u->contact];
    memset(row, 0, (size_t)p->width * sizeof *row);
    p->b[p->count] = 0;
    int press[WAYS], normals = modes_press(f, u->contact, press);
    int tangents = f->rows[u->contact] - f->normals[u->contact];
    const double *aim = run->now.aim + WAYS * u->contact;
    if (f->soft[u->contact])
        p->b[p->count] = mu * run->now.force[f->first[u->contact]] / run->force_scale;
    else
        for (int k = 0; k < normals; k++)
            row[unknown_of(f, press[k])] = f->bearing[u->contact] ? -mu * aim[k] : -mu;
    for (int k = 0; k < tangents; k++)
        row[i + k] = d[k];
    row[p->k] = 1;
    p->count++;
}

// Whether unknown i is the first tangential one of its contact.
static bool begins_cone(const Frozen *f, int i)
{
    const Unknown *u = &f->unknowns[i];
    return u->tangential && modes_has_direction(f, u->contact) &&
           u->row == f->first[u->contact] + f->normals[u->contact];
}

// The direction of all friction together: where a body that lies flat is about to slip, every
// contact pulls along it.
static double common_direction(const SpragRun *run)
{
    const Frozen *f = &run->frozen;
    const double *force = run->now.force;
    double sum[2] = {0, 0};
    for (int i = 0; run->tangents == 2 && i < f->active_count; i++)
        for (int k = 0; k < 2 && f->rows[i] == 3 && !f->bearing[i] && !f->sliding[i]; k++)
            sum[k] += force[f->first[i] + 1 + k];
    return atan2(sum[1], sum[0]);
}

static void add_sides(const SpragRun *run, Program *p, int i, double first)
{
    const Frozen *f = &run->frozen;
    int contact = f->unknowns[i].contact;
    bool ball = f->rows[contact] - f->normals[contact] == 3;
    for (int side = 0; !ball && side < FIRST_SIDES; side++) {
        double angle = first + 2 * 3.14159265358979323846 * side / FIRST_SIDES;
        add_side(run, p, i, (const double[]){cos(angle), sin(angle)});
    }
    for (int side = 0; ball && side < CUBE_SIDES; side++) {
        double d[WAYS];
        for (int k = 0; k < WAYS; k++)
            d[k] = side < 6 ? (side / 2 == k) * (side % 2 ? -1 : 1)
                            : ((side - 6) >> k & 1 ? -1 : 1) / sqrt(3);
        add_side(run, p, i, d);
    }
}

static void add_inequalities(const SpragRun *run, Program *p)
{
    const Frozen *f = &run->frozen;
    double first = common_direction(run);
    for (int i = 0; i < p->k; i++) {
        double *row = p->A + (size_t)p->count * (size_t)p->width;
        bool bearing = f->bearing[f->unknowns[i].contact];
        if (!f->unknowns[i].tangential && bearing)
            continue; // it presses to every side
        if (!f->unknowns[i].tangential) {
            row[i] = -1; // λN ≥ σ
            row[p->k] = 1;
            p->count++;
        } else if (!modes_has_direction(f, f->unknowns[i].contact)) {
            add_side(run, p, i, (const double[]){-1});
            add_side(run, p, i, (const double[]){1});
        } else if (begins_cone(f, i)) {
            add_sides(run, p, i, first);
        }
    }
    p->A[(size_t)p->count * (size_t)p->width + (size_t)p->k] = 1;
    p->b[p->count++] = 1;
}

// What a row would accelerate by under the forces of the rows that stand for all: those rows 0.
static double row_contradiction(const SpragRun *run, int r)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    double sum = e->b[r] + e->load[r];
    for (int j = 0; j < f->row_count; j++)
        sum += e->W[r * f->row_count + j] * e->force[j];
    return sum;
}

// Rows of the mode, behind the inequalities; those that contradict others by drift alone agree with
// them. Of contacts whose normals are soft only the
// independent ones: their bodies still turn a little, and then two tangents of one body do not
// agree.
static void add_equations(const SpragRun *run, Program *p)
{
    const Frozen *f = &run->frozen;
    const Evaluation *e = &run->now;
    bool all = f->soft_count == 0;
    double drift = drift_of_rows(run);
    p->equations = all ? p->k : f->solved_count;
    for (int i = 0; i < p->equations; i++) {
        const Unknown *unknown = &f->unknowns[all ? i : f->solved[i]];
        int r = unknown->row;
        double *row = p->A + (size_t)(p->count + i) * (size_t)p->width;
        const double *w = e->W + r * f->row_count;
        bool moves = modes_row_moves(run, unknown); // else there is no equation
        for (int j = 0; j < p->k; j++)
            row[j] = moves ? modes_entry(run, w, &f->unknowns[j]) : 0;
        row[p->k] = 0;
        double off = all && f->dependent && moves ? row_contradiction(run, r) : 0;
        off = fabs(off) <= drift ? off : 0;
        p->b[p->count + i] = moves ? -(e->b[r] + e->load[r] - off) / run->force_scale : 0;
    }
}

// Sides where the solution is outside of its round cones; false: it is inside of all.
static bool add_cuts(const SpragRun *run, Program *p)
{
    const double outside = 1e-13;
    bool any = false;
    for (int i = 0; run->tangents == 2 && i < p->k && p->count < p->most; i++) {
        const double *t = p->x + i;
        if (!begins_cone(&run->frozen, i))
            continue;
        const Unknown *u = &run->frozen.unknowns[i];
        int tangents = run->frozen.rows[u->contact] - run->frozen.normals[u->contact];
        double mu = run->now.friction[2 * u->contact], size = sprag_length(tangents, t);
        double normal = run->frozen.soft[u->contact]
                            ? run->now.force[run->frozen.first[u->contact]] / run->force_scale
                            : pressing(run, u->contact, p->x);
        if (!(size > mu * normal - p->x[p->k] + outside * (1 + size)))
            continue;
        double d[WAYS];
        for (int k = 0; k < tangents; k++)
            d[k] = t[k] / size;
        add_side(run, p, i, d);
        any = true;
    }
    return any;
}

// σ of theory.md (14.4): the largest s ≤ 1 so that some forces of the mode stay inside their cones
// by s times the force scale. Negative: the mode has no admissible forces. In space the cones are
// polyhedra whose sides are added where the solution is outside of the round ones (Kelley's cuts).
// Every side lowers σ: what a round says above the ones before it is rounding, since sides that
// almost agree have tiny pivots, and the lowest holds; a round that has lost its way ends it.
// force (rows, may be NULL) receives those forces of rigid contacts.
static SpragStatus margin(SpragRun *run, double *sigma, double *force)
{
    const double lost = 1e-9;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    Program p;
    double *x = sprag_arena_alloc(run->arena, (size_t)run->frozen.unknown_count + 1, sizeof *x);
    if (!x || !allocate_program(run, &p))
        return SPRAG_ERROR_MEMORY;
    add_inequalities(run, &p);
    p.c[p.k] = 1;
    *sigma = 1;
    for (int round = 0; round <= MOST_CUTS; round++) {
        SpragLpStatus status;
        double value;
        add_equations(run, &p);
        SpragLp program = {p.width, p.count, p.equations, p.A, p.b, p.c};
        SPRAG_TRY(sprag_lp_solve(run->arena, &program, 1e-9, p.x, &value, &status));
        if (status != SPRAG_LP_OPTIMAL)
            *sigma = -1;
        if (status != SPRAG_LP_OPTIMAL || value > *sigma + lost)
            break;
        *sigma = fmin(*sigma, value);
        memcpy(x, p.x, (size_t)p.k * sizeof *x);
        // σ is between the margin of these forces and the program's: near enough where only its
        // zero is asked for
        bool near = !force && *sigma - margin_of(run, p.x) <= NEAR * fabs(*sigma);
        if (near || !add_cuts(run, &p))
            break;
    }
    if (force && *sigma > -1)
        give_forces(run, x, force);
    sprag_arena_release(run->arena, mark);
    return SPRAG_OK;
}

SpragStatus margin_admissible(SpragRun *run, double *force)
{
    double sigma;
    memcpy(force, run->now.force, (size_t)run->frozen.row_count * sizeof *force);
    return margin(run, &sigma, force);
}

SpragStatus margin_clear(SpragRun *run, double *sigma)
{
    bool clear = false;
    Rows rows;
    SpragArenaMark mark = sprag_arena_mark(run->arena);
    if (run->tangents == 1)
        return margin(run, sigma, NULL);
    SPRAG_TRY(find_inside(run, MOST_ROUNDS, CLEAR, &rows, &clear));
    sprag_arena_release(run->arena, mark);
    if (!clear)
        SPRAG_TRY(margin(run, sigma, NULL));
    *sigma = clear ? CLEAR : fmin(*sigma, CLEAR);
    return SPRAG_OK;
}
