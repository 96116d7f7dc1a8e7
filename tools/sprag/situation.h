// situation.h: a scene at an instant: the system, its state, its contacts as results list them.
#ifndef SPRAG_TOOL_SITUATION_H
#define SPRAG_TOOL_SITUATION_H

#include "sprag/analysis.h"
#include "sprag/contact.h"
#include "sprag/dynamics.h"
#include "sprag/scene.h"
#include "tool.h"

// One contact of the list. Every array of a result has an entry for each.
typedef struct ContactLine {
    const char *name;
    const char *mode; // open, leaving, impact, stick, slide+, slide-; closed for other constraints
    double gap;       // m; within tolerance of 0: closed
    double gap_rate;  // m/s
    double slip[SPRAG_CONSTRAINT_WAYS]; // m/s, along the tangents
    SpragVec3 slip_vector, point, normal,
        tangent[SPRAG_CONSTRAINT_WAYS]; // of a scene in space, world
    double friction;                    // that holds now
    bool friction_given;                // false: nothing gives it, so it is 0
    int constraint;                     // its number in the contact problem; −1: it is not in it
} ContactLine;

typedef struct Situation {
    SpragContext *context;
    SpragScene *scene;
    const SpragModel *model; // NULL: a bare problem
    SpragSystem *system;     // NULL: a bare problem
    int velocity_count, position_count;
    double t;       // s
    double *q, *v;  // at t = 0 `start` solved; later as the run by events has it
    char ended[64]; // how the run ended before the time asked for; "": it did not
    SpragContactTolerances tolerances;
    int contact_count;                  // slots of the system; a run in space may add more
    SpragContactKinematics *kinematics; // one a slot
    SpragContactProblem built;          // of a model
    const SpragContactProblem *problem; // the one above or the bare one; NULL: an LCP or QP
    int line_count;
    ContactLine *lines;
    int impact_count; // contacts that approach
} Situation;

// Reads the scene of the arguments and evaluates it at its start, or where a run by events is at
// the time that --at gives (at the end of the run if that comes first). On failure too, the
// situation is to be destroyed.
SPRAG_MUST_USE SpragStatus situation_create(SpragContext *context, const Arguments *arguments,
                                            Situation *situation);
void situation_destroy(Situation *situation);
// The list of contacts: a table for people, and the member "contacts"; rules: what a verdict makes
// of each constraint of the problem, or NULL.
void situation_print_contacts(const Situation *situation, SpragText *text);
void situation_json_contacts(const Situation *situation, const SpragRuleKind *rules, Json *json);
// Whether the contacts are those of a scene in space, with vectors in the world.
bool situation_is_spatial(const Situation *situation);
// The contacts and lists anew at the situation's state.
SPRAG_MUST_USE SpragStatus situation_look(Situation *situation);
// The rule for a contact of the list.
SpragRuleKind situation_rule(const ContactLine *line, const SpragRuleKind *rules);

// Entry `row` (0: normal, then tangents) of a constraint in a vector of rows; of a bearing with
// several normals the size of them all. NAN: it has no such row.
double situation_entry(const SpragConstraint *constraint, const double *vector, int row);
// Number of its tangents.
int situation_tangents(const SpragConstraint *constraint);
// Least and greatest force of such an entry.
void situation_range(const SpragConstraint *constraint, const SpragMotion *motion, int row,
                     double range[2]);

#endif
