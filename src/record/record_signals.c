// record_signals.c: every signal of a system by name, and its value in a sample.
//
// Position and velocity of a place r fixed in a body with state (p, θ), (v, ω), in the plane:
//
//     x = p + R(θ) r        x' = v + ω × R(θ) r
//
// (in space: record_space.c). Contacts that appear in the middle of a run have events but no
// signals: the columns of a table are those of its first row.
// Signals of a fixed body are constants, unless it moves as told.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_private.h"

enum { BODY_FIELD_COUNT = 6, ENERGY_FIELD_COUNT = 8 };
// Of more contacts in space only those near at the start are recorded without being asked for.
enum { STANDARD_CONTACTS = 64 };
enum { PLACE_X, PLACE_Y, PLACE_VX, PLACE_VY };
enum {
    CONTACT_GAP,
    CONTACT_SLIP,
    CONTACT_NORMAL,
    CONTACT_TANGENTIAL,
    CONTACT_MODE,
    CONTACT_FRICTION,
    CONTACT_DEPTH,
    CONTACT_FIELD_COUNT, // in the plane
    CONTACT_SLIP_X = CONTACT_FIELD_COUNT,
    CONTACT_SLIP_Y,
    CONTACT_SLIP_Z,
    CONTACT_TANGENTIAL_X,
    CONTACT_TANGENTIAL_Y,
    CONTACT_TANGENTIAL_Z,
    SPACE_CONTACT_FIELD_COUNT
};
enum {
    ENERGY_KINETIC,
    ENERGY_POTENTIAL,
    ENERGY_ELASTIC,
    ENERGY_FRICTION,
    ENERGY_IMPACT,
    ENERGY_DAMPING,
    ENERGY_ACTUATION,
    ENERGY_SWITCH
};

static const char *const body_fields[BODY_FIELD_COUNT] = {"x", "y", "angle", "vx", "vy", "spin"};
static const char *const contact_fields[SPACE_CONTACT_FIELD_COUNT] = {
    "gap",    "slip",   "normal", "tangential",   "mode",         "friction",    "depth",
    "slip.x", "slip.y", "slip.z", "tangential.x", "tangential.y", "tangential.z"};
static const char *const energy_fields[ENERGY_FIELD_COUNT] = {
    "kinetic", "potential", "elastic", "friction", "impact", "damping", "actuation", "switch"};

// ---- The catalogue ------------------------------------------------------------------------------

SpragStatus signal_list_add(SpragContext *context, SignalList *list, const Signal *signal)
{
    SPRAG_TRY(sprag_reserve(context, &list->items, &list->capacity, (size_t)list->count + 1,
                            sizeof *list->items));
    list->items[list->count++] = *signal;
    return SPRAG_OK;
}

// "head.tail" in the catalogue's memory; head NULL: tail alone. NULL: no memory.
static const char *join_name(Catalogue *catalogue, const char *head, const char *tail)
{
    size_t bytes = (head ? strlen(head) + 1 : 0) + strlen(tail) + 1;
    char *name = sprag_arena_alloc(catalogue->names, bytes, 1);
    if (name)
        snprintf(name, bytes, "%s%s%s", head ? head : "", head ? "." : "", tail);
    return name;
}

SpragStatus catalogue_add(Catalogue *catalogue, const char *head, const char *tail, Signal signal)
{
    signal.name = join_name(catalogue, head, tail);
    if (!signal.name)
        return SPRAG_ERROR_MEMORY;
    return signal_list_add(catalogue->context, &catalogue->signals, &signal);
}

const char *const *place_fields(const SpragSystem *system, int *count)
{
    static const char *const plane[] = {"x", "y", "vx", "vy"};
    static const char *const space[] = {"x", "y", "z", "vx", "vy", "vz"};
    bool spatial = sprag_system_dimension(system) == 3;
    *count = spatial ? 6 : 4;
    return spatial ? space : plane;
}

static double plane_place_value(int field, SpragVec3 local, const double *q, const double *v)
{
    SpragVec2 arm = sprag_vec2_turn(sprag_vec3_flat(local), cos(q[2]), sin(q[2]));
    switch (field) {
    case PLACE_X:
        return q[0] + arm.x;
    case PLACE_Y:
        return q[1] + arm.y;
    case PLACE_VX:
        return v[0] - v[2] * arm.y;
    default:
        return v[1] + v[2] * arm.x;
    }
}

static double place_value(const Signal *signal, const double *q, const double *v)
{
    return signal->space ? space_place_value(signal->field, signal->local, q, v)
                         : plane_place_value(signal->field, signal->local, q, v);
}

// The value of a place of a fixed body.
static double fixed_place_value(const Signal *signal, const SpragBody *body)
{
    const double still[6] = {0};
    const double *x = body->position;
    const SpragQuaternion *Q = &body->orientation;
    const double plane[] = {x[0], x[1], body->angle};
    const double space[] = {x[0], x[1], x[2], Q->w, Q->x, Q->y, Q->z};
    return place_value(signal, signal->space ? space : plane, still);
}

SpragStatus catalogue_place_signal(Catalogue *catalogue, const char *path, const SpragPlace *place,
                                   int field, Signal *signal)
{
    const SpragSystem *system = catalogue->system;
    int fields;
    const char *const *names = place_fields(system, &fields);
    memset(signal, 0, sizeof *signal);
    signal->source = SOURCE_PLACE;
    signal->index = sprag_system_body_coordinate(system, place->body);
    signal->position = sprag_system_body_position(system, place->body);
    signal->space = sprag_system_dimension(system) == 3;
    signal->field = field;
    signal->local = place->local;
    signal->standard = signal->index >= 0;
    bool driven = sprag_system_model(system)->bodies[place->body].driven;
    signal->system = driven ? system : NULL;
    signal->body = place->body;
    if (signal->index < 0 && !driven) {
        signal->source = SOURCE_CONSTANT;
        signal->constant =
            fixed_place_value(signal, &sprag_system_model(system)->bodies[place->body]);
    }
    signal->name = join_name(catalogue, path, names[field]);
    return signal->name ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus add_site(Catalogue *catalogue, const SpragModel *model, const SpragSite *site)
{
    SpragPlace place = {site->body, site->local};
    int fields;
    const char *path = join_name(catalogue, model->bodies[site->body].name, site->name);
    if (!path)
        return SPRAG_ERROR_MEMORY;
    (void)place_fields(catalogue->system, &fields);
    for (int field = 0; field < fields; field++) {
        Signal signal;
        SPRAG_TRY(catalogue_place_signal(catalogue, path, &place, field, &signal));
        SPRAG_TRY(signal_list_add(catalogue->context, &catalogue->signals, &signal));
    }
    return SPRAG_OK;
}

static SpragStatus add_plane_body(Catalogue *catalogue, const SpragModel *model, int index)
{
    const SpragBody *body = &model->bodies[index];
    int coordinate = sprag_system_body_coordinate(catalogue->system, index);
    const double fixed[BODY_FIELD_COUNT] = {body->position[0], body->position[1], body->angle};
    for (int field = 0; field < BODY_FIELD_COUNT; field++) {
        Signal signal = {.standard = coordinate >= 0};
        signal.source = coordinate < 0 ? SOURCE_CONSTANT
                        : field < 3    ? SOURCE_POSITION
                                       : SOURCE_VELOCITY;
        signal.index = coordinate + field % 3;
        signal.constant = fixed[field];
        if (body->driven) {
            signal.source = SOURCE_DRIVEN;
            signal.system = catalogue->system;
            signal.body = index;
            signal.index = field;
            signal.standard = true;
        }
        SPRAG_TRY(catalogue_add(catalogue, body->name, body_fields[field], signal));
    }
    return SPRAG_OK;
}

static SpragStatus add_body(Catalogue *catalogue, const SpragModel *model, int index)
{
    SPRAG_TRY(model->dimension == 3 ? space_add_body(catalogue, index)
                                    : add_plane_body(catalogue, model, index));
    for (int i = 0; i < model->site_count; i++)
        if (model->sites[i].body == index)
            SPRAG_TRY(add_site(catalogue, model, &model->sites[i]));
    return SPRAG_OK;
}

static SpragStatus add_coordinates(Catalogue *catalogue)
{
    static const char *const heads[] = {"q", "v"};
    static const Source sources[] = {SOURCE_POSITION, SOURCE_VELOCITY};
    int count = sprag_system_velocity_count(catalogue->system);
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < count; i++) {
            char number[16];
            Signal signal = {.source = sources[k], .index = i, .standard = true};
            snprintf(number, sizeof number, "%d", i);
            SPRAG_TRY(catalogue_add(catalogue, heads[k], number, signal));
        }
    return SPRAG_OK;
}

// Fields in the order of the columns: vectors beside their sizes.
static const int plane_order[] = {CONTACT_GAP,        CONTACT_SLIP, CONTACT_NORMAL,
                                  CONTACT_TANGENTIAL, CONTACT_MODE, CONTACT_FRICTION,
                                  CONTACT_DEPTH};
static const int space_order[] = {CONTACT_GAP,          CONTACT_SLIP,         CONTACT_SLIP_X,
                                  CONTACT_SLIP_Y,       CONTACT_SLIP_Z,       CONTACT_NORMAL,
                                  CONTACT_TANGENTIAL,   CONTACT_TANGENTIAL_X, CONTACT_TANGENTIAL_Y,
                                  CONTACT_TANGENTIAL_Z, CONTACT_MODE,         CONTACT_FRICTION,
                                  CONTACT_DEPTH};

static SpragStatus add_contact(Catalogue *catalogue, int slot, bool standard)
{
    const char *name = sprag_system_contact_name(catalogue->system, slot);
    bool space = sprag_system_dimension(catalogue->system) == 3;
    int count = space ? SPACE_CONTACT_FIELD_COUNT : CONTACT_FIELD_COUNT;
    for (int i = 0; i < count; i++) {
        int field = space ? space_order[i] : plane_order[i];
        Signal signal = {.source = SOURCE_CONTACT, .index = slot, .field = field};
        signal.standard = standard && field != CONTACT_DEPTH; // a negative gap
        signal.kind = field == CONTACT_MODE ? SPRAG_SIGNAL_MODE : SPRAG_SIGNAL_NUMBER;
        SPRAG_TRY(catalogue_add(catalogue, name, contact_fields[field], signal));
    }
    Signal margin = {.source = SOURCE_MARGIN, .index = slot};
    return catalogue_add(catalogue, name, "margin", margin);
}

static SpragStatus add_contacts(Catalogue *catalogue)
{
    const int *near;
    int count = sprag_system_contact_count(catalogue->system), next = 0;
    int near_count = sprag_system_near(catalogue->system, &near);
    for (int slot = 0; slot < count; slot++) {
        bool is_near = next < near_count && near[next] == slot;
        next += is_near;
        SPRAG_TRY(add_contact(catalogue, slot, is_near || count <= STANDARD_CONTACTS));
    }
    return SPRAG_OK;
}

static SpragStatus add_all(Catalogue *catalogue)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    SPRAG_TRY(
        catalogue_add(catalogue, NULL, "t", (Signal){.source = SOURCE_TIME, .standard = true}));
    for (int i = 0; model && i < model->body_count; i++)
        SPRAG_TRY(add_body(catalogue, model, i));
    if (!model)
        SPRAG_TRY(add_coordinates(catalogue));
    SPRAG_TRY(joint_add_signals(catalogue));
    SPRAG_TRY(add_contacts(catalogue));
    for (int field = 0; field < ENERGY_FIELD_COUNT; field++) {
        Signal signal = {.source = SOURCE_ENERGY, .field = field};
        signal.standard = field != ENERGY_SWITCH; // only where contacts change their model
        SPRAG_TRY(catalogue_add(catalogue, "energy", energy_fields[field], signal));
    }
    Signal verdict = {.source = SOURCE_VERDICT, .kind = SPRAG_SIGNAL_VERDICT, .standard = true};
    SPRAG_TRY(catalogue_add(catalogue, NULL, "verdict", verdict));
    Signal margin = {.source = SOURCE_MARGIN, .index = SPRAG_ALL_CONTACTS};
    SPRAG_TRY(catalogue_add(catalogue, NULL, "margin", margin));
    // of use where the scene steps; what auto chooses is not known yet
    Signal residual = {.source = SOURCE_RESIDUAL};
    residual.standard = model && model->simulate.motion == SPRAG_MOTION_STEPPING;
    SPRAG_TRY(catalogue_add(catalogue, "stepping", "residual", residual));
    return catalogue_add(catalogue, NULL, "solutions",
                         (Signal){.source = SOURCE_SOLUTIONS, .standard = true});
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// A contact called "energy" or two of one name would give two columns the same head.
static SpragStatus refuse_twins(const Catalogue *catalogue)
{
    SpragContext *context = catalogue->context;
    size_t count = (size_t)catalogue->signals.count;
    const char **names = sprag_alloc(context, count, sizeof *names);
    SpragStatus status = names ? SPRAG_OK : SPRAG_ERROR_MEMORY;
    for (size_t i = 0; names && i < count; i++)
        names[i] = catalogue->signals.items[i].name;
    if (names)
        qsort((void *)names, count, sizeof *names, compare_names);
    for (size_t i = 1; status == SPRAG_OK && i < count; i++)
        if (strcmp(names[i - 1], names[i]) == 0)
            status = sprag_fail(context, SPRAG_ERROR_INPUT,
                                "two signals would be called \"%s\": rename the contact", names[i]);
    sprag_free(context, (void *)names);
    return status;
}

SpragStatus catalogue_create(SpragContext *context, const SpragSystem *system, Catalogue *catalogue)
{
    enum { FIRST_BYTES = 4096 };
    memset(catalogue, 0, sizeof *catalogue);
    catalogue->context = context;
    catalogue->system = system;
    SPRAG_TRY(sprag_arena_create(context, FIRST_BYTES, &catalogue->names));
    SPRAG_TRY(add_all(catalogue));
    return refuse_twins(catalogue);
}

void catalogue_destroy(Catalogue *catalogue)
{
    sprag_free(catalogue->context, catalogue->signals.items);
    sprag_arena_destroy(catalogue->names);
}

// ---- Values -------------------------------------------------------------------------------------

static double contact_value(const SpragRunContact *contact, int field)
{
    switch (field) {
    case CONTACT_GAP:
        return contact->gap;
    case CONTACT_SLIP:
        return contact->slip;
    case CONTACT_NORMAL:
        return contact->normal;
    case CONTACT_TANGENTIAL:
        return contact->tangential;
    case CONTACT_MODE:
        return (double)contact->mode;
    case CONTACT_DEPTH:
        return contact->depth;
    case CONTACT_SLIP_X:
        return contact->slip_vector.x;
    case CONTACT_SLIP_Y:
        return contact->slip_vector.y;
    case CONTACT_SLIP_Z:
        return contact->slip_vector.z;
    case CONTACT_TANGENTIAL_X:
        return contact->tangential_vector.x;
    case CONTACT_TANGENTIAL_Y:
        return contact->tangential_vector.y;
    case CONTACT_TANGENTIAL_Z:
        return contact->tangential_vector.z;
    default:
        return contact->friction;
    }
}

static double energy_value(const SpragEnergyAccount *energy, int field)
{
    switch (field) {
    case ENERGY_KINETIC:
        return energy->kinetic;
    case ENERGY_POTENTIAL:
        return energy->potential;
    case ENERGY_ELASTIC:
        return energy->elastic;
    case ENERGY_FRICTION:
        return energy->friction;
    case ENERGY_IMPACT:
        return energy->impact;
    case ENERGY_DAMPING:
        return energy->damping;
    case ENERGY_SWITCH:
        return energy->change;
    default:
        return energy->actuation;
    }
}

static SpragStatus margin_value(int slot, const SpragRunSample *sample, double *value)
{
    *value = NAN;
    if (!sample->run)
        return SPRAG_OK;
    SpragStatus status = sprag_run_margin(sample->run, slot, value);
    return status == SPRAG_ERROR_NUMERIC ? SPRAG_OK : status;
}

// Positions, then velocities, in the order of the fields of a body.
static double driven_value(const Signal *signal, double t)
{
    double q[7], v[6];
    int positions = sprag_system_dimension(signal->system) == 3 ? 7 : 3;
    sprag_system_driven_state(signal->system, signal->body, t, q, v);
    return signal->index < positions ? q[signal->index] : v[signal->index - positions];
}

SpragStatus signal_value(const Signal *signal, const SpragRunSample *sample, double *value)
{
    switch (signal->source) {
    case SOURCE_TIME:
        *value = sample->t;
        break;
    case SOURCE_POSITION:
        *value = sample->q[signal->index];
        break;
    case SOURCE_VELOCITY:
        *value = sample->v[signal->index];
        break;
    case SOURCE_CONSTANT:
        *value = signal->constant;
        break;
    case SOURCE_DRIVEN:
        *value = driven_value(signal, sample->t);
        break;
    case SOURCE_JOINT:
        *value = joint_value(signal, sample);
        break;
    case SOURCE_PLACE:
        if (signal->system) {
            double q[7], v[6];
            sprag_system_driven_state(signal->system, signal->body, sample->t, q, v);
            *value = place_value(signal, q, v);
            break;
        }
        *value = place_value(signal, sample->q + signal->position, sample->v + signal->index);
        break;
    case SOURCE_UP:
        *value = space_up_value(signal->field, sample->q + signal->position);
        break;
    case SOURCE_CONTACT:
        *value = contact_value(sprag_run_sample_contact(sample, signal->index), signal->field);
        break;
    case SOURCE_ENERGY:
        *value = energy_value(&sample->energy, signal->field);
        break;
    case SOURCE_VERDICT:
        *value = (double)sample->verdict;
        break;
    case SOURCE_RESIDUAL:
        *value = sample->residual;
        break;
    case SOURCE_SOLUTIONS:
        *value = (double)sample->solution_count;
        break;
    default:
        return margin_value(signal->index, sample, value);
    }
    return SPRAG_OK;
}

const char *signal_unit(const Signal *signal)
{
    static const struct {
        const char *field, *unit;
    } units[] = {{"t", "s"},
                 {"x", "m"},
                 {"y", "m"},
                 {"angle", "rad"},
                 {"vx", "m/s"},
                 {"vy", "m/s"},
                 {"gap", "m"},
                 {"slip", "m/s"},
                 {"spin", "rad/s"},
                 {"depth", "m"},
                 {"normal", "N"},
                 {"tangential", "N"},
                 {"z", "m"},
                 {"vz", "m/s"},
                 {"wx", "rad/s"},
                 {"wy", "rad/s"},
                 {"wz", "rad/s"},
                 {"slip.x", "m/s"},
                 {"slip.y", "m/s"},
                 {"slip.z", "m/s"},
                 {"tangential.x", "N"},
                 {"tangential.y", "N"},
                 {"tangential.z", "N"}};
    const char *dot = strrchr(signal->name, '.'), *field = dot ? dot + 1 : signal->name;
    if (signal->source == SOURCE_ENERGY)
        return "J";
    if (signal->source == SOURCE_JOINT)
        return joint_unit(signal);
    if (signal->source == SOURCE_CONTACT)
        field = contact_fields[signal->field];
    if (signal->source == SOURCE_UP)
        return "";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(field, units[i].field) == 0)
            return units[i].unit;
    return "";
}

const char *sprag_signal_word(SpragSignalKind kind, double value)
{
    if (kind == SPRAG_SIGNAL_MODE && value >= SPRAG_MODE_SEPARATE && value <= SPRAG_MODE_SLIDE)
        return value == SPRAG_MODE_SEPARATE ? "open" : sprag_mode_name((SpragMode)value);
    if (kind == SPRAG_SIGNAL_VERDICT && value >= SPRAG_VERDICT_UNIQUE &&
        value <= SPRAG_VERDICT_UNKNOWN)
        return sprag_verdict_name((SpragVerdictKind)value);
    return kind == SPRAG_SIGNAL_NUMBER ? NULL : "?";
}
