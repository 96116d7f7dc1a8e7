// record_signals.c: every signal of a system by name, and its value in a sample.
//
// Position and velocity of a place r fixed in a body with state (p, θ), (v, ω), in the plane:
//
//     x = p + R(θ) r        x' = v + ω × R(θ) r
//
// A fixed body does not move in this version: its signals are constants.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_private.h"

enum { BODY_FIELD_COUNT = 6, CONTACT_FIELD_COUNT = 7, ENERGY_FIELD_COUNT = 8 };
enum { PLACE_X, PLACE_Y, PLACE_VX, PLACE_VY };
enum {
    CONTACT_GAP,
    CONTACT_SLIP,
    CONTACT_NORMAL,
    CONTACT_TANGENTIAL,
    CONTACT_MODE,
    CONTACT_FRICTION,
    CONTACT_DEPTH
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
const char *const place_fields[PLACE_FIELD_COUNT] = {"x", "y", "vx", "vy"};
static const char *const contact_fields[CONTACT_FIELD_COUNT] = {
    "gap", "slip", "normal", "tangential", "mode", "friction", "depth"};
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

static SpragStatus add(Catalogue *catalogue, const char *head, const char *tail, Signal signal)
{
    signal.name = join_name(catalogue, head, tail);
    if (!signal.name)
        return SPRAG_ERROR_MEMORY;
    return signal_list_add(catalogue->context, &catalogue->signals, &signal);
}

SpragStatus catalogue_place_signal(Catalogue *catalogue, const char *path, const SpragPlace *place,
                                   int field, Signal *signal)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    const SpragBody *body = &model->bodies[place->body];
    memset(signal, 0, sizeof *signal);
    signal->source = SOURCE_PLACE;
    signal->index = sprag_system_body_coordinate(catalogue->system, place->body);
    signal->field = field;
    signal->local = sprag_vec3_flat(place->local);
    signal->standard = signal->index >= 0;
    if (signal->index < 0) {
        SpragVec2 turned = sprag_vec2_turn(signal->local, cos(body->angle), sin(body->angle));
        double at[PLACE_FIELD_COUNT] = {body->position[0] + turned.x, body->position[1] + turned.y};
        signal->source = SOURCE_CONSTANT;
        signal->constant = at[field];
    }
    signal->name = join_name(catalogue, path, place_fields[field]);
    return signal->name ? SPRAG_OK : SPRAG_ERROR_MEMORY;
}

static SpragStatus add_site(Catalogue *catalogue, const SpragModel *model, const SpragSite *site)
{
    SpragPlace place = {site->body, site->local};
    const char *path = join_name(catalogue, model->bodies[site->body].name, site->name);
    if (!path)
        return SPRAG_ERROR_MEMORY;
    for (int field = 0; field < PLACE_FIELD_COUNT; field++) {
        Signal signal;
        SPRAG_TRY(catalogue_place_signal(catalogue, path, &place, field, &signal));
        SPRAG_TRY(signal_list_add(catalogue->context, &catalogue->signals, &signal));
    }
    return SPRAG_OK;
}

static SpragStatus add_body(Catalogue *catalogue, const SpragModel *model, int index)
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
        SPRAG_TRY(add(catalogue, body->name, body_fields[field], signal));
    }
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
            SPRAG_TRY(add(catalogue, heads[k], number, signal));
        }
    return SPRAG_OK;
}

static SpragStatus add_contacts(Catalogue *catalogue)
{
    int count = sprag_system_contact_count(catalogue->system);
    for (int slot = 0; slot < count; slot++) {
        const char *name = sprag_system_contact_name(catalogue->system, slot);
        for (int field = 0; field < CONTACT_FIELD_COUNT; field++) {
            Signal signal = {.source = SOURCE_CONTACT, .index = slot, .field = field};
            signal.standard = field != CONTACT_DEPTH; // a negative gap
            signal.kind = field == CONTACT_MODE ? SPRAG_SIGNAL_MODE : SPRAG_SIGNAL_NUMBER;
            SPRAG_TRY(add(catalogue, name, contact_fields[field], signal));
        }
        Signal margin = {.source = SOURCE_MARGIN, .index = slot};
        SPRAG_TRY(add(catalogue, name, "margin", margin));
    }
    return SPRAG_OK;
}

static SpragStatus add_all(Catalogue *catalogue)
{
    const SpragModel *model = sprag_system_model(catalogue->system);
    SPRAG_TRY(add(catalogue, NULL, "t", (Signal){.source = SOURCE_TIME, .standard = true}));
    for (int i = 0; model && i < model->body_count; i++)
        SPRAG_TRY(add_body(catalogue, model, i));
    if (!model)
        SPRAG_TRY(add_coordinates(catalogue));
    SPRAG_TRY(add_contacts(catalogue));
    for (int field = 0; field < ENERGY_FIELD_COUNT; field++) {
        Signal signal = {.source = SOURCE_ENERGY, .field = field};
        signal.standard = field != ENERGY_SWITCH; // only where contacts change their model
        SPRAG_TRY(add(catalogue, "energy", energy_fields[field], signal));
    }
    Signal verdict = {.source = SOURCE_VERDICT, .kind = SPRAG_SIGNAL_VERDICT, .standard = true};
    SPRAG_TRY(add(catalogue, NULL, "verdict", verdict));
    Signal margin = {.source = SOURCE_MARGIN, .index = SPRAG_ALL_CONTACTS};
    SPRAG_TRY(add(catalogue, NULL, "margin", margin));
    return add(catalogue, NULL, "solutions",
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

static double place_value(const Signal *signal, const double *q, const double *v)
{
    SpragVec2 arm = sprag_vec2_turn(signal->local, cos(q[2]), sin(q[2]));
    switch (signal->field) {
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
    case SOURCE_PLACE:
        *value = place_value(signal, sample->q + signal->index, sample->v + signal->index);
        break;
    case SOURCE_CONTACT:
        *value = contact_value(&sample->contacts[signal->index], signal->field);
        break;
    case SOURCE_ENERGY:
        *value = energy_value(&sample->energy, signal->field);
        break;
    case SOURCE_VERDICT:
        *value = (double)sample->verdict;
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
    } units[] = {{"t", "s"},        {"x", "m"},     {"y", "m"},      {"angle", "rad"},
                 {"vx", "m/s"},     {"vy", "m/s"},  {"gap", "m"},    {"slip", "m/s"},
                 {"spin", "rad/s"}, {"depth", "m"}, {"normal", "N"}, {"tangential", "N"}};
    const char *dot = strrchr(signal->name, '.'), *field = dot ? dot + 1 : signal->name;
    if (signal->source == SOURCE_ENERGY)
        return "J";
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
        value <= SPRAG_VERDICT_OPEN)
        return sprag_verdict_name((SpragVerdictKind)value);
    return kind == SPRAG_SIGNAL_NUMBER ? NULL : "?";
}
