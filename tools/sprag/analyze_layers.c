// analyze_layers.c: what the numbers of layers and friction laws mean.
// Layer     depth at rest, period and damping ratio at the present force (theory.md (6.4)), and the
//           isolated impact of the mass 1/a_nn at the speed of approach; where nothing approaches,
//           at the speed that the layer's restitution belongs to, else at √(g × size)/10
// Friction  a law that is a function of the slip holds nothing: what Coulomb's law would hold
//           creeps (theory.md (7.3)). The force needed is that of the same problem with Coulomb's
//           law.
#include "analyze_layers.h"

#include <math.h>
#include <string.h>

#include "analyze.h"

#define TWO_PI 6.28318530717958647693
#define SPEED_PART 0.1  // of √(g L)
#define GRAVITY 9.81    // m/s², where the scene has none
#define SAME_PLANE 1e-6 // rad
#define OPEN_IN_SPACE 16

// ---- Layers -------------------------------------------------------------------------------------

// Coordinates of one contact: slot, its pair, and W of its rows.
typedef struct Slot {
    int slot;
    SpragContactPair pair;
    double W[9];
} Slot;

static double gravity_of(const Situation *situation)
{
    const double *g = situation->model->gravity;
    return situation->model->dimension == 3 ? hypot(hypot(g[0], g[1]), g[2]) : hypot(g[0], g[1]);
}

// T of theory.md (6.9); of an open contact as if it were closed, as it will be when it needs a
// layer.
static double time_scale(const Situation *situation, int slot,
                         const SpragAnalysisSettings *settings)
{
    SpragContactState *state = &situation->kinematics[slot].state, now = *state;
    double T = settings->time_scale;
    if (now == SPRAG_CONTACT_OPEN) {
        *state = SPRAG_CONTACT_APPROACHING;
        T = sprag_system_time_scale(situation->system, situation->q, situation->v,
                                    situation->kinematics);
        *state = now;
    }
    return T > 0 ? T : 1;
}

// Kelvin–Voigt of theory.md (6.9), for this contact alone.
static SpragCompliance default_layer(const Situation *situation, const Slot *slot,
                                     const SpragAnalysisSettings *settings)
{
    double T = time_scale(situation, slot->slot, settings);
    return (SpragCompliance){.law = SPRAG_COMPLIANCE_KELVIN_VOIGT,
                             .stiffness = 1 / (slot->W[0] * settings->epsilon * T * T)};
}

static double impact_speed(const Situation *situation, const Slot *slot, SpeedSource *source)
{
    const SpragContactKinematics *kinematics = &situation->kinematics[slot->slot];
    double gravity = gravity_of(situation);
    if (kinematics->gap_rate < -situation->tolerances.rate) {
        *source = SPEED_APPROACH;
        return -kinematics->gap_rate;
    }
    if (slot->pair.compliance.speed > 0) {
        *source = SPEED_LAYER;
        return slot->pair.compliance.speed;
    }
    *source = gravity > 0 ? SPEED_SCALE : SPEED_UNIT;
    return gravity > 0 ? SPEED_PART * sqrt(gravity * sprag_model_size(situation->model)) : 1;
}

static void describe_layer(const Situation *situation, const SpragVerdict *verdict,
                           const Slot *slot, const SpragAnalysisSettings *settings, LayerLine *line)
{
    const SpragCompliance given = slot->pair.compliance.law == SPRAG_COMPLIANCE_RIGID
                                      ? default_layer(situation, slot, settings)
                                      : slot->pair.compliance;
    double gravity = gravity_of(situation), stiffness, damping;
    line->given = slot->pair.compliance;
    line->mass = 1 / slot->W[0];
    line->force = line->mass * (gravity > 0 ? gravity : GRAVITY);
    // the motion that rigid bodies take, or the only one, stable or not
    int motion = verdict->solution_count == 1 ? 0 : verdict->chosen;
    for (int c = 0; motion >= 0 && c < situation->problem->constraint_count; c++) {
        const SpragConstraint *item = &situation->problem->constraints[c];
        double force = verdict->solutions[motion].motion->force[item->row];
        if (item->id == slot->slot && force > 0) {
            line->force = force;
            line->pressed = true;
        }
    }
    if (!sprag_layer_complete(&given, line->mass, line->force, &line->layer)) {
        line->layer = (SpragLayer){0};
        return;
    }
    line->depth = sprag_layer_depth(&line->layer, line->force);
    (void)sprag_layer_normal(&line->layer, line->depth, 0, NULL, &stiffness, &damping);
    line->period = TWO_PI * sqrt(line->mass / stiffness);
    line->damping_ratio = damping / (2 * sqrt(stiffness * line->mass));
    line->speed = impact_speed(situation, slot, &line->speed_source);
    sprag_layer_impact(&line->layer, line->mass, line->speed, &line->impact);
}

// ---- Friction laws ------------------------------------------------------------------------------

bool layers_law_is_function(const SpragFrictionLaw *law)
{
    return sprag_friction_law_is_smooth(law) && !sprag_friction_law_has_state(law);
}

static SpragFrictionNumbers numbers_of(const Situation *situation, int slot)
{
    const SpragSlot *shown = sprag_system_slot(situation->system, slot);
    if (!shown) {
        int joint = sprag_system_contact_joint(situation->system, slot);
        const SpragFriction *friction = &situation->model->joints[joint].friction;
        return (SpragFrictionNumbers){friction->stationary, friction->kinetic, friction->stribeck};
    }
    return (SpragFrictionNumbers){shown->friction_static, shown->friction_kinetic, shown->stribeck};
}

static void describe_law(const Situation *situation, const Slot *slot, LayerLine *line)
{
    const SpragFrictionNumbers numbers = numbers_of(situation, slot->slot);
    const double *slip = situation->kinematics[slot->slot].slip;
    line->law = slot->pair.friction_law;
    line->mu = sprag_friction_law_holds(&line->law, &numbers);
    line->ratio =
        sprag_friction_law_steady(&line->law, &numbers, sprag_length(SPRAG_CONSTRAINT_WAYS, slip));
    line->hold = line->creep = NAN;
}

// The problem of now, with every law that is a function of the slip replaced by Coulomb's, at rest.
static SpragStatus build_held(const Situation *situation, SpragContactProblem *problem)
{
    SPRAG_TRY(sprag_system_build_problem(situation->system, situation->t, situation->q,
                                         situation->v, &situation->tolerances, problem));
    for (int c = 0; c < problem->constraint_count; c++) {
        SpragConstraint *item = &problem->constraints[c];
        SpragContactPair pair;
        sprag_system_pair(situation->system, item->id, &pair);
        if (!layers_law_is_function(&pair.friction_law))
            continue;
        const SpragFrictionNumbers numbers = numbers_of(situation, item->id);
        item->sliding = false;
        memset(item->slip, 0, sizeof item->slip);
        item->friction = sprag_friction_law_holds(&pair.friction_law, &numbers);
    }
    return SPRAG_OK;
}

// Whether two contacts slip as one: same bodies, same plane.
static bool slip_together(const Situation *situation, int first, int second)
{
    const SpragSlot *a = sprag_system_slot(situation->system, first);
    const SpragSlot *b = sprag_system_slot(situation->system, second);
    if (!a || !b)
        return false;
    SpragVec3 n = situation->kinematics[first].normal, m = situation->kinematics[second].normal;
    return a->body[0] == b->body[0] && a->body[1] == b->body[1] &&
           sprag_vec3_norm(sprag_vec3_cross(n, m)) < SAME_PLANE && sprag_vec3_dot(n, m) > 0;
}

// Force ratio and creep of a contact that sticks in the chosen motion of that problem. Several that
// slip as one carry their force together, whatever the part of each that rigid bodies leave open.
static void set_creep(const Situation *situation, const SpragContactProblem *problem,
                      const SpragVerdict *verdict, LayerLine *line)
{
    const SpragMotion *motion = verdict->solutions[verdict->chosen].motion;
    double normal = 0, tangential[2] = {0, 0};
    int at = 0;
    while (at < problem->constraint_count && problem->constraints[at].id != line->slot)
        at++;
    if (at == problem->constraint_count || motion->modes[at] != SPRAG_MODE_STICK)
        return;
    for (int c = 0; c < problem->constraint_count; c++) {
        const SpragConstraint *item = &problem->constraints[c];
        if (!slip_together(situation, line->slot, item->id))
            continue;
        normal += motion->force[item->row];
        for (int k = 1; k < item->row_count; k++)
            tangential[k - 1] += motion->force[item->row + k];
    }
    if (!(normal > 0))
        return;
    const SpragFrictionNumbers numbers = numbers_of(situation, line->slot);
    line->hold = hypot(tangential[0], tangential[1]) / normal;
    line->creep = sprag_friction_law_creep(&line->law, &numbers, line->hold);
}

static SpragStatus find_creep(const Situation *situation, const SpragAnalysisSettings *settings,
                              Layers *layers)
{
    SpragContactProblem problem;
    SpragAnalysis *analysis = NULL;
    SpragAnalysisSettings plain = *settings;
    SpragVerdict verdict;
    plain.details = false;
    sprag_contact_problem_init(&problem, situation->context);
    SpragStatus status = build_held(situation, &problem);
    if (status == SPRAG_OK)
        status = sprag_analysis_create(situation->context, &analysis);
    if (status == SPRAG_OK)
        status = sprag_analysis_run(analysis, &problem, &plain, &verdict);
    for (int i = 0; status == SPRAG_OK && verdict.chosen >= 0 && i < layers->count; i++)
        if (layers_law_is_function(&layers->lines[i].law))
            set_creep(situation, &problem, &verdict, &layers->lines[i]);
    sprag_analysis_destroy(analysis);
    sprag_contact_problem_destroy(&problem);
    return status;
}

// ---- All of them --------------------------------------------------------------------------------

// Whether there is something to say of a contact.
static bool is_told(const Situation *situation, const SpragContactPair *pair)
{
    bool compliant = situation->model->simulate.motion == SPRAG_MOTION_COMPLIANT &&
                     pair->model != SPRAG_PAIR_RIGID;
    return pair->compliance.law != SPRAG_COMPLIANCE_RIGID || compliant ||
           pair->model == SPRAG_PAIR_COMPLIANT || pair->friction_law.kind != SPRAG_FRICTION_COULOMB;
}

static SpragStatus describe(const Situation *situation, const SpragVerdict *verdict,
                            const SpragAnalysisSettings *settings, Slot *slot, LayerLine *line)
{
    const SpragSystemSample sample = {.W = slot->W};
    const SpragContactPair *pair = &slot->pair;
    SPRAG_TRY(sprag_system_sample(situation->system, situation->t, situation->q, situation->v, 1,
                                  &slot->slot, &sample));
    line->name = sprag_system_contact_name(situation->system, slot->slot);
    line->slot = slot->slot;
    bool only_law = pair->compliance.law == SPRAG_COMPLIANCE_RIGID &&
                    pair->model != SPRAG_PAIR_COMPLIANT &&
                    situation->model->simulate.motion != SPRAG_MOTION_COMPLIANT;
    if (!only_law && slot->W[0] > 0)
        describe_layer(situation, verdict, slot, settings, line);
    describe_law(situation, slot, line);
    return SPRAG_OK;
}

// The closed contacts, or the open ones.
static SpragStatus list(const Situation *situation, const SpragVerdict *verdict,
                        const SpragAnalysisSettings *settings, bool open, Layers *layers)
{
    for (int i = 0; i < situation->contact_count; i++) {
        const SpragContactKinematics *kinematics = &situation->kinematics[i];
        Slot slot = {.slot = i};
        if ((kinematics->state == SPRAG_CONTACT_OPEN) != open || !isfinite(kinematics->gap))
            continue;
        sprag_system_pair(situation->system, i, &slot.pair);
        if (is_told(situation, &slot.pair))
            SPRAG_TRY(
                describe(situation, verdict, settings, &slot, &layers->lines[layers->count++]));
    }
    return SPRAG_OK;
}

SpragStatus layers_find(const Situation *situation, const SpragVerdict *verdict,
                        const SpragAnalysisSettings *settings, Layers *layers)
{
    *layers = (Layers){0};
    if (!situation->system)
        return SPRAG_OK;
    size_t count = (size_t)situation->contact_count;
    // two boxes in space have many pairs that are merely open
    bool few = situation->problem->dimension == 2 || count <= OPEN_IN_SPACE;
    layers->lines = sprag_alloc(situation->context, count + 1, sizeof *layers->lines);
    if (!layers->lines)
        return SPRAG_ERROR_MEMORY;
    SPRAG_TRY(list(situation, verdict, settings, false, layers));
    if (layers->count == 0 && few)
        SPRAG_TRY(list(situation, verdict, settings, true, layers));
    bool smooth = false;
    for (int i = 0; i < layers->count; i++)
        smooth = smooth || layers_law_is_function(&layers->lines[i].law);
    return smooth ? find_creep(situation, settings, layers) : SPRAG_OK;
}

void layers_destroy(SpragContext *context, Layers *layers)
{
    sprag_free(context, layers->lines);
    *layers = (Layers){0};
}
