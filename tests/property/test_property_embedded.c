// Random planar scenes and the same scenes in space: motions, events and energies agree.
// Embedding  (x, y) of the plane becomes Q (x, 0, y) with a random rotation Q. Single scenes have
//            features that are points in both (circles as spheres, rods, points, capsules); paired
//            ones have depth, so that each point of the plane is two in space (boxes, prisms,
//            circles as lying cylinders). They are not mixed: where several contacts collide, two
//            points would be twice as stiff as one.
// Tolerance  from the planar runs: scenes whose initial states differ by the runs' own tolerance,
//            relative to the sizes, end as far apart as the motion spreads errors (impacts do, and
//            accumulating ones most). The embedded run must not differ by more than some of that.
//            Where impacts accumulate the last ones count as a landing when they rise by less than
//            the contact tolerance c, with speeds of sqrt(2 g c), which is what is left to differ
//            then.
// Left       a search over the modes of many points that is not complete sends the run in space to
//            compliant contacts, and a collision may have several solutions of which not all are
//            those of the plane; it says either: such scenes are counted, and must be few.
#include "support/runs.h"
#include "support/with_context.h"

enum { MOST = 3, SLICES = 8, NEIGHBOURS = 3, TRACE_EVENTS = 128, TEXT = 8192 };

static const double TOLERANCE = 1e-10; // of the runs
static const double SPREAD = 30;       // times the spread of the neighbours

typedef enum Kind { CIRCLE, ROD, POINTS, CAPSULE, BOX, POLYGON, WHEEL } Kind;

typedef struct Thing {
    Kind kind;
    double width, height, depth, mass, inertia;
    double q[3], v[3];
} Thing;

typedef struct Draft {
    bool paired, slab;
    double depth; // of all paired things; 0: each its own
    double incline, friction, restitution, until;
    SpragMotionKind motion;
    int count;
    Thing things[MOST];
    SpragQuaternion turn;
} Draft;

// ---- Drafts -------------------------------------------------------------------------------------

static void draw_thing(SpragRandom *random, Draft *draft, int i)
{
    Thing *thing = &draft->things[i];
    thing->kind = (Kind)(draft->paired ? BOX + sprag_random_below(random, 3)
                                       : CIRCLE + sprag_random_below(random, 4));
    thing->width = sprag_random_uniform(random, 0.25, 0.45);
    thing->height = sprag_random_uniform(random, 0.1, 0.25);
    thing->depth = sprag_random_uniform(random, 0.1, 0.4);
    if (draft->depth > 0)
        thing->depth = draft->depth;
    thing->mass = sprag_random_uniform(random, 0.5, 2);
    double reach = thing->kind == CIRCLE || thing->kind == WHEEL ? thing->height : 0.11;
    thing->inertia = thing->mass * reach * reach * sprag_random_uniform(random, 0.3, 0.8);
    bool above = sprag_random_below(random, 2) == 0;
    double x = above ? sprag_random_uniform(random, -0.1, 0.1) : 0.9 * i - 0.5;
    double clear = 0.35 + (above ? 0.65 * i : 0) + x * tan(draft->incline);
    thing->q[0] = x;
    thing->q[1] = clear + sprag_random_uniform(random, 0, 0.15);
    if (!above && i > 0) // may be over one that stands above
        thing->q[1] += 0.65 * i;
    thing->q[2] = sprag_random_uniform(random, -1.5, 1.5);
    for (int k = 0; k < 3; k++)
        thing->v[k] = sprag_random_uniform(random, -1, 1);
    thing->v[2] *= 3;
}

static void draw_draft(SpragRandom *random, Draft *draft)
{
    static const double frictions[] = {0, 0.1, 0.3, 0.5, 0.8}, restitutions[] = {0, 0, 0.3, 0.6};
    *draft = (Draft){.paired = sprag_random_below(random, 2) == 0,
                     .slab = sprag_random_below(random, 3) == 0,
                     .friction = frictions[sprag_random_below(random, 5)],
                     .restitution = restitutions[sprag_random_below(random, 4)],
                     .until = sprag_random_uniform(random, 0.3, 0.6),
                     .count = 1 + sprag_random_below(random, MOST)};
    if (sprag_random_below(random, 3) == 0)
        draft->depth = sprag_random_uniform(random, 0.1, 0.4);
    draft->incline = sprag_random_below(random, 2) ? sprag_random_uniform(random, -0.5, 0.5) : 0;
    draft->motion = sprag_random_below(random, 2) ? SPRAG_MOTION_EVENTS : SPRAG_MOTION_AUTO;
    SpragVec3 turn = {0, 0, 0};
    int how = sprag_random_below(random, 3);
    if (how > 0)
        turn.z = sprag_random_uniform(random, -3, 3);
    if (how > 1) {
        turn.x = sprag_random_uniform(random, -2, 2);
        turn.y = sprag_random_uniform(random, -2, 2);
    }
    draft->turn = sprag_quaternion_exp(turn);
    for (int i = 0; i < draft->count; i++)
        draw_thing(random, draft, i);
}

// ---- As text ------------------------------------------------------------------------------------

typedef struct Text {
    char text[TEXT];
    size_t length;
} Text;

static void put(Text *text, const char *format, ...) SPRAG_PRINTF(2, 3);
static void put(Text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(text->text + text->length, TEXT - text->length, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && text->length + (size_t)length < TEXT);
    text->length += (size_t)length;
}

static void put_vector(Text *text, SpragVec3 v)
{
    put(text, "[%.17g, %.17g, %.17g]", v.x, v.y, v.z);
}

static SpragVec3 embed(const Draft *draft, double x, double y)
{
    SpragMat3 R = sprag_quaternion_matrix(draft->turn);
    return sprag_mat3_apply(&R, sprag_vec3(x, 0, y));
}

static SpragQuaternion embed_angle(const Draft *draft, double angle)
{
    return sprag_quaternion_product(draft->turn, sprag_quaternion_exp(sprag_vec3(0, -angle, 0)));
}

static void put_head(Text *text, const Draft *draft, bool space)
{
    text->length = 0;
    put(text, "sprag: 1\n");
    if (space) {
        put(text, "dimension: 3\ngravity: ");
        put_vector(text, embed(draft, 0, -9.81));
    }
    put(text, "\nmaterials: {default: {friction: %.17g, restitution: %.17g}}\nbodies:\n",
        draft->friction, draft->restitution);
}

// A plane, or a slab that ends.
static void put_ground(Text *text, const Draft *draft, bool space)
{
    double sine = sin(draft->incline), cosine = cos(draft->incline);
    put(text, "  - {name: table, fixed: true, ");
    if (!draft->slab) {
        put(text, "shapes: [{plane: {normal: ");
        if (space)
            put_vector(text, embed(draft, -sine, cosine));
        else
            put(text, "[%.17g, %.17g]", -sine, cosine);
        put(text, "}}]}\n");
        return;
    }
    put(text, "position: ");
    if (space) {
        SpragQuaternion q = embed_angle(draft, draft->incline);
        put_vector(text, embed(draft, 0.1 * sine, -0.1 * cosine));
        put(text, ", orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, ", q.w, q.x, q.y,
            q.z);
        put(text, "shapes: [{box: {size: [1.2, 0.7, 0.2]}}]}\n");
    } else {
        put(text, "[%.17g, %.17g], angle: %.17g, shapes: [{box: {size: [1.2, 0.2]}}]}\n",
            0.1 * sine, -0.1 * cosine, draft->incline);
    }
}

static void put_corners(Text *text, const Thing *thing, bool space)
{
    double w = thing->width / 2, h = thing->height;
    const double corners[3][2] = {{-w, -h / 2}, {w, -h / 2}, {0.2 * w, h}};
    bool hull = space && thing->kind == POLYGON;
    static const char *const names[3] = {"p", "q", "r"};
    put(text, thing->kind == POINTS ? "points: {"
              : hull                ? "hull: {points: ["
                                    : "polygon: {points: [");
    for (int i = 0; i < (hull ? 6 : 3); i++) {
        const double *p = corners[i % 3];
        put(text, i > 0 ? ", " : "");
        if (thing->kind == POINTS)
            put(text, "%s: ", names[i % 3]);
        if (space)
            put_vector(text,
                       sprag_vec3(p[0], hull ? (i < 3 ? -0.5 : 0.5) * thing->depth : 0, p[1]));
        else
            put(text, "[%.17g, %.17g]", p[0], p[1]);
    }
    put(text, thing->kind == POINTS ? "}" : "]}");
}

static void put_shape(Text *text, const Thing *thing, bool space)
{
    static const char *const lying = ", orientation: {axis: [0, 1, 0], angle: 90 deg}";
    put(text, "shapes: [{");
    switch (thing->kind) {
    case CIRCLE:
        put(text, "%s: {radius: %.17g}", space ? "sphere" : "circle", thing->height);
        break;
    case WHEEL:
        if (space)
            put(text,
                "cylinder: {radius: %.17g, length: %.17g}, orientation: {axis: [1, 0, 0], angle: "
                "90 deg}",
                thing->height, thing->depth);
        else
            put(text, "circle: {radius: %.17g}", thing->height);
        break;
    case ROD:
        put(text, "rod: {length: %.17g}%s", thing->width, space ? lying : "");
        break;
    case CAPSULE:
        put(text, "capsule: {radius: %.17g, length: %.17g}%s", thing->height / 3,
            0.7 * thing->width, space ? lying : "");
        break;
    case BOX:
        if (space)
            put(text, "box: {size: [%.17g, %.17g, %.17g]}", thing->width, thing->depth,
                thing->height);
        else
            put(text, "box: {size: [%.17g, %.17g]}", thing->width, thing->height);
        break;
    default:
        put_corners(text, thing, space);
    }
    put(text, "}]}\n");
}

static void put_thing(Text *text, const Draft *draft, int i, bool space)
{
    const Thing *thing = &draft->things[i];
    const double *q = thing->q, *v = thing->v;
    put(text, "  - {name: b%d, mass: %.17g, ", i, thing->mass);
    if (!space) {
        put(text,
            "inertia: %.17g, position: [%.17g, %.17g], angle: %.17g, velocity: [%.17g, %.17g], "
            "spin: %.17g, ",
            thing->inertia, q[0], q[1], q[2], v[0], v[1], v[2]);
    } else {
        SpragQuaternion Q = embed_angle(draft, q[2]);
        SpragMat3 R = sprag_quaternion_matrix(draft->turn);
        put(text, "inertia: ");
        put_vector(text, sprag_vec3(0.6 * thing->inertia, thing->inertia, 0.6 * thing->inertia));
        put(text, ", position: ");
        put_vector(text, embed(draft, q[0], q[1]));
        put(text, ", orientation: {quaternion: [%.17g, %.17g, %.17g, %.17g]}, velocity: ", Q.w, Q.x,
            Q.y, Q.z);
        put_vector(text, embed(draft, v[0], v[1]));
        put(text, ", spin: ");
        put_vector(text, sprag_mat3_apply(&R, sprag_vec3(0, -v[2], 0)));
        put(text, ", ");
    }
    put_shape(text, thing, space);
}

// ---- Runs ---------------------------------------------------------------------------------------

typedef struct TraceEvent {
    double t;
    SpragEventType type;
    char pair[32]; // "b0-table"
} TraceEvent;

typedef struct Trace {
    SpragRunOutcome outcome;
    int slices, event_count;
    double q[SLICES][3 * MOST], v[SLICES][3 * MOST], across[SLICES]; // place and velocity off plane
    double energy[4]; // mechanical, friction, impact, of the start
    double hop;       // speed that counts as none at the end of an accumulation
    bool left;        // for compliant contacts
    TraceEvent events[TRACE_EVENTS];
} Trace;

// "b0.c1-table" is "b0-table".
static void pair_name(const char *name, char pair[32])
{
    int length = 0;
    bool feature = false;
    for (; *name && length < 31; name++) {
        feature = *name == '.' || (feature && *name != '-');
        if (!feature)
            pair[length++] = *name;
    }
    pair[length] = 0;
}

// A contact that ends where another one of the same bodies begins at once (times are good to 1e-9
// s) has passed onto another surface, whichever way that is told.
static bool passes_on(Trace *trace, const TraceEvent *fresh)
{
    TraceEvent *last = trace->event_count > 0 ? &trace->events[trace->event_count - 1] : NULL;
    if (!last || fresh->t - last->t > 1e-9 || strcmp(last->pair, fresh->pair) != 0)
        return false;
    bool again = last->type == SPRAG_EVENT_SURFACE && fresh->type == SPRAG_EVENT_SEPARATION;
    bool lands = last->type == SPRAG_EVENT_SURFACE || last->type == SPRAG_EVENT_SEPARATION;
    if (!again && !(lands && fresh->type == SPRAG_EVENT_LANDING))
        return false;
    last->type = SPRAG_EVENT_SURFACE;
    return true;
}

// Points in pairs, or several of a flat contact, are one event; order within an instant is free.
static void note_event(Trace *trace, const TestRun *r, const SpragEvent *event)
{
    TraceEvent fresh = {.t = event->t, .type = event->type};
    if (event->type == SPRAG_EVENT_SLIP_TURN)
        fresh.type = SPRAG_EVENT_SLIP_REVERSAL;
    if (event->contact >= 0)
        pair_name(sprag_system_contact_name(r->system, event->contact), fresh.pair);
    for (int i = 0; i < trace->event_count; i++) {
        const TraceEvent *old = &trace->events[i];
        if (old->t == fresh.t && old->type == fresh.type && strcmp(old->pair, fresh.pair) == 0)
            return;
    }
    if (!passes_on(trace, &fresh) && trace->event_count < TRACE_EVENTS)
        trace->events[trace->event_count++] = fresh;
}

static void note_state(Trace *trace, int slice, const Draft *draft, const SpragRun *run, bool space)
{
    const double *q = sprag_run_position(run), *v = sprag_run_velocity(run);
    SpragMat3 R = sprag_quaternion_matrix(draft->turn);
    for (int i = 0; i < draft->count; i++) {
        double *to_q = trace->q[slice] + 3 * i, *to_v = trace->v[slice] + 3 * i;
        if (!space) {
            memcpy(to_q, q + 3 * i, 3 * sizeof *q);
            memcpy(to_v, v + 3 * i, 3 * sizeof *v);
            continue;
        }
        const double *p = q + 7 * i, *u = v + 6 * i;
        SpragVec3 x = sprag_mat3_apply_back(&R, sprag_vec3_of(p));
        SpragVec3 w = sprag_mat3_apply_back(&R, sprag_vec3_of(u));
        SpragVec3 spin = sprag_mat3_apply_back(&R, sprag_vec3_of(u + 3));
        SpragQuaternion Q = {p[3], p[4], p[5], p[6]}, back = draft->turn;
        back = (SpragQuaternion){back.w, -back.x, -back.y, -back.z};
        Q = sprag_quaternion_product(back, Q);
        to_q[0] = x.x;
        to_q[1] = x.z;
        to_q[2] = 2 * atan2(-Q.y, Q.w);
        to_v[0] = w.x;
        to_v[1] = w.z;
        to_v[2] = -spin.y;
        trace->across[slice] = fmax(trace->across[slice], fmax(fabs(x.y), fabs(w.y)));
        trace->across[slice] = fmax(trace->across[slice], fmax(fabs(Q.x), fabs(Q.z)));
    }
}

static void follow(const Draft *draft, bool space, Trace *trace)
{
    static Text text;
    TestRun r;
    memset(trace, 0, sizeof *trace);
    put_head(&text, draft, space);
    put_ground(&text, draft, space);
    for (int i = 0; i < draft->count; i++)
        put_thing(&text, draft, i, space);
    if (getenv("SPRAG_TEST_SHOW"))
        fprintf(stderr, "%s\n", text.text);
    test_run_open(&r, context, text.text);
    SpragRunSettings settings = sprag_run_default();
    SpragSink sink = test_run_sink(&r);
    settings.motion = draft->motion;
    settings.tolerance = TOLERANCE;
    settings.verdicts = false;
    assert_ok(context, sprag_run_create(r.system, &settings, &sink, &r.run));
    const SpragEnergyAccount *energy = &sprag_run_sample(r.run)->energy;
    trace->energy[3] = energy->kinetic + energy->potential;
    for (int slice = 0; slice < SLICES; slice++) {
        double t = draft->until * (slice + 1) / SLICES;
        assert_ok(context, sprag_run_advance(r.run, t, &r.outcome));
        trace->outcome = r.outcome;
        if (r.outcome != SPRAG_RUN_DONE)
            break;
        note_state(trace, slice, draft, r.run, space);
        trace->slices++;
    }
    for (int i = 0; i < r.event_count; i++) {
        note_event(trace, &r, &r.events[i]);
        trace->left |= r.events[i].type == SPRAG_EVENT_TO_COMPLIANT ||
                       r.events[i].type == SPRAG_EVENT_NO_SOLUTION ||
                       r.events[i].type == SPRAG_EVENT_AMBIGUITY ||
                       strstr(r.events[i].detail, "several solutions");
    }
    trace->hop = sqrt(2 * 9.81 * sprag_system_contact_tolerance(r.system));
    energy = &sprag_run_sample(r.run)->energy;
    trace->energy[0] = energy->kinetic + energy->potential;
    trace->energy[1] = energy->friction;
    trace->energy[2] = energy->impact;
    test_run_close(&r);
}

// ---- Comparison ---------------------------------------------------------------------------------

static double turned(double angle)
{
    return fabs(remainder(angle, 2 * 3.14159265358979323846));
}

// Largest difference of the states at a slice.
static double state_difference(const Draft *draft, const Trace *a, const Trace *b, int slice)
{
    double most = 0;
    for (int i = 0; i < 3 * draft->count; i++) {
        double dq = a->q[slice][i] - b->q[slice][i];
        most = fmax(most, i % 3 == 2 ? turned(dq) : fabs(dq));
        most = fmax(most, fabs(a->v[slice][i] - b->v[slice][i]));
    }
    return most;
}

static bool same_kind(const Trace *a, const Trace *b, int event)
{
    if (event >= a->event_count || event >= b->event_count)
        return event >= a->event_count && event >= b->event_count;
    return a->events[event].type == b->events[event].type &&
           strcmp(a->events[event].pair, b->events[event].pair) == 0;
}

// When impacts have accumulated: a landing, or two of them within a hop.
static double accumulation(const Trace *trace)
{
    for (int i = 0; i < trace->event_count; i++) {
        const TraceEvent *event = &trace->events[i];
        double since = i > 0 ? event->t - event[-1].t : INFINITY;
        bool hops = event->type == SPRAG_EVENT_IMPACT && since > 0 &&
                    since < 10 * 2 * trace->hop / 9.81 && event[-1].type == SPRAG_EVENT_IMPACT;
        if (hops || event->type == SPRAG_EVENT_LANDING)
            return event->t;
    }
    return INFINITY;
}

// Whether what happens from a time on is between two bodies only: a pile that collapses by
// accumulating impacts is not the same after them.
static bool is_lonely(const Trace *trace, double from)
{
    const char *pair = NULL;
    for (int i = 0; i < trace->event_count; i++) {
        const TraceEvent *event = &trace->events[i];
        if (event->t < from || !event->pair[0])
            continue;
        if (pair && strcmp(pair, event->pair) != 0)
            return false;
        pair = event->pair;
    }
    return true;
}

// Number of events that the neighbours agree on, and the differences of their times.
static int common_events(const Trace *base, const Trace *near, double *spread)
{
    int count = 0;
    double end = accumulation(base);
    for (; count < base->event_count && base->events[count].t < end; count++) {
        spread[count] = count > 0 ? spread[count - 1] : 1e-9;
        for (int k = 0; k < NEIGHBOURS; k++) {
            if (!same_kind(base, &near[k], count))
                return count;
            spread[count] =
                fmax(spread[count], fabs(base->events[count].t - near[k].events[count].t));
        }
        // what is nearer than errors of time may change places
        if (count > 0 && base->events[count].t - base->events[count - 1].t < SPREAD * spread[count])
            return count;
    }
    return count;
}

static void show(const Trace *trace, const char *name)
{
    print_message("%s: %s, energy %.9g friction %.9g impact %.9g\n", name,
                  sprag_run_outcome_name(trace->outcome), trace->energy[0], trace->energy[1],
                  trace->energy[2]);
    for (int i = 0; i < trace->event_count; i++)
        print_message("   %.12g %s %s\n", trace->events[i].t,
                      sprag_event_name(trace->events[i].type), trace->events[i].pair);
}

typedef struct Tally {
    int wild, left, renamed, compared_events, slices;
    double worst, spread;
} Tally;

static bool agree(const Draft *draft, const Trace *plane, const Trace *near, const Trace *space,
                  Tally *tally)
{
    double spread[TRACE_EVENTS], energy = 1e-9;
    int events = common_events(plane, near, spread);
    bool good = plane->outcome == space->outcome;
    double end = fmin(accumulation(plane), accumulation(space)), mass = 0;
    for (int i = 0; i < draft->count; i++)
        mass += draft->things[i].mass;
    // a contact that ends where another one begins may be told either way
    bool same = true;
    for (int i = 0; i < events && same; i++)
        same = same_kind(plane, space, i) &&
               fabs(plane->events[i].t - space->events[i].t) <= SPREAD * spread[i];
    tally->renamed = !same;
    tally->compared_events += events;
    bool lonely = end == INFINITY || (is_lonely(plane, end) && is_lonely(space, end));
    for (int slice = 0; slice < plane->slices && good; slice++) {
        double allowed = 1e-8; // to which collisions of several contacts in space are followed
        if (!lonely && draft->until * (slice + 1) / SLICES >= end)
            break;
        for (int k = 0; k < NEIGHBOURS; k++)
            allowed = fmax(allowed, state_difference(draft, plane, &near[k], slice));
        if (draft->until * (slice + 1) / SLICES >= end)
            allowed = fmax(allowed, plane->hop);
        double found = state_difference(draft, plane, space, slice);
        good = found <= SPREAD * allowed && space->across[slice] <= SPREAD * allowed;
        tally->worst = fmax(tally->worst, found / allowed);
        tally->spread = fmax(tally->spread, allowed);
        tally->slices++;
    }
    if (end < INFINITY) // at some metres a second
        energy = 3 * mass * plane->hop;
    for (int i = 0; i < 3 && good && lonely; i++) {
        for (int k = 0; k < NEIGHBOURS; k++)
            energy = fmax(energy, fabs(plane->energy[i] - near[k].energy[i]));
        good = fabs(plane->energy[i] - space->energy[i]) <= SPREAD * energy;
    }
    return good;
}

// A scene whose bodies start elsewhere by the tolerance.
static Draft neighbour(const Draft *draft, SpragRandom *random)
{
    Draft other = *draft;
    for (int i = 0; i < draft->count; i++) {
        for (int k = 0; k < 3; k++) {
            other.things[i].q[k] += 10 * TOLERANCE * sprag_random_uniform(random, -1, 1);
            other.things[i].v[k] += 10 * TOLERANCE * sprag_random_uniform(random, -1, 1);
        }
    }
    return other;
}

// Whether a draw is the same in space; what it adds to the tally.
static bool is_same(int draw, Tally *all)
{
    static Trace plane, space, near[NEIGHBOURS];
    SpragRandom random;
    Draft draft;
    Tally tally = {0};
    sprag_random_init(&random, 900 + (uint64_t)draw);
    draw_draft(&random, &draft);
    follow(&draft, false, &plane);
    follow(&draft, true, &space);
    for (int k = 0; k < NEIGHBOURS; k++) {
        Draft other = neighbour(&draft, &random);
        follow(&other, false, &near[k]);
    }
    bool good = agree(&draft, &plane, near, &space, &tally);
    if (!good && space.left) {
        all->left++;
        return true;
    }
    // a motion that spreads errors a hundred thousand times proves nothing
    all->wild += tally.spread > 1e-3;
    all->compared_events += tally.compared_events;
    all->renamed += good && tally.renamed;
    if (getenv("SPRAG_TEST_SHOW") || !good) {
        print_message("draw %d: worst %.3g, spread %.3g, %d events\n", draw, tally.worst,
                      tally.spread, tally.compared_events);
        show(&plane, "plane");
        show(&space, "space");
        for (int slice = 0; slice < plane.slices; slice++)
            print_message("  %.6g: %.3g (neighbour %.3g), off plane %.3g\n",
                          draft.until * (slice + 1) / SLICES,
                          state_difference(&draft, &plane, &space, slice),
                          state_difference(&draft, &plane, &near[0], slice), space.across[slice]);
    }
    return good;
}

static void test_embedded(void **state)
{
    (void)state;
    const char *from = getenv("SPRAG_TEST_FROM");
    int first = from ? atoi(from) : 0, bad = 0, draws = test_draws(8);
    Tally all = {0};
    for (int draw = first; draw < first + draws; draw++)
        bad += !is_same(draw, &all);
    print_message(
        "%d events compared; of %d scenes %d wild, %d left, %d told otherwise, %d differ\n",
        all.compared_events, draws, all.wild, all.left, all.renamed, bad);
    assert_int_equal(bad, 0);
    assert_true(all.compared_events >= 3 * draws);
    assert_true(10 * all.wild <= draws);
    assert_true(50 * all.left <= draws && 50 * all.renamed <= draws);
}

// Draws that were wrong once: wheels that slide so slowly that their slip turns within a step, an
// edge whose two ends stop being compressed within rounding of each other, and a wheel that rolls
// over the end of a side while the side's gap has drifted.
static void test_wrong_once(void **state)
{
    (void)state;
    static const int draws[] = {30, 435, 649, 651};
    Tally all = {0};
    for (size_t i = 0; i < sizeof draws / sizeof draws[0]; i++)
        assert_true(is_same(draws[i], &all));
    assert_int_equal(all.left, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_embedded),
                                       cmocka_unit_test(test_wrong_once)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
