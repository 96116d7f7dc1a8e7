// analyze_exits.c: both exits of a saddle (theory.md 8.2): where one percent more and one percent
// less of the contact force lead, by two short compliant runs.
#include <math.h>

#include "analyze.h"
#include "sprag/motion.h"

enum { EXIT_COUNT = 2 };
static const double exit_factors[EXIT_COUNT] = {1.01, 0.99};
// Where nothing gives a layer it is a stiff one: while the disturbance grows the motion itself must
// not drift by a percent.
static const double STIFF_EPSILON = 1e-10;
static const char *const exit_names[EXIT_COUNT] = {"more", "less"};

// A motion that diverges, of bodies that a run can follow.
static bool has_exits(const Situation *situation, const SpragSolution *solution)
{
    return situation->system && solution->stability == SPRAG_DIVERGENT && !solution->turns &&
           isfinite(solution->growth_time);
}

// False: the run could not be followed.
static bool find_exit(const Situation *situation, const SpragSolution *solution, double factor,
                      SpragExit *exit)
{
    SpragExitStart start = {.t = situation->t,
                            .q = situation->q,
                            .v = situation->v,
                            .problem = situation->problem,
                            .solution = solution,
                            .factor = factor};
    SpragRunSettings settings = sprag_run_default();
    settings.epsilon = STIFF_EPSILON;
    return sprag_run_exit(situation->system, &settings, &start, exit) == SPRAG_OK;
}

void exits_text(const Situation *situation, const SpragSolution *solution, SpragText *text)
{
    for (int k = 0; k < EXIT_COUNT && has_exits(situation, solution); k++) {
        SpragExit exit;
        if (find_exit(situation, solution, exit_factors[k], &exit))
            sprag_text_add(text, "  1 %% %s force: %s\n", exit_names[k], exit.text);
    }
}

void exits_json(const Situation *situation, const SpragSolution *solution, Json *json)
{
    if (!has_exits(situation, solution))
        return;
    json_begin_object(json, "exits");
    for (int k = 0; k < EXIT_COUNT; k++) {
        SpragExit exit;
        if (!find_exit(situation, solution, exit_factors[k], &exit)) {
            json_null(json, exit_names[k]);
            continue;
        }
        bool any = exit.event_count > 0;
        json_begin_flat_object(json, exit_names[k]);
        json_text(json, "event", any ? sprag_event_name(exit.first) : NULL);
        json_text(json, "contact",
                  exit.contact >= 0 ? sprag_system_contact_name(situation->system, exit.contact)
                                    : NULL);
        json_number(json, "after", any ? exit.after : NAN);
        json_number(json, "peak", exit.peak);
        json_text(json, "detail", exit.text);
        json_end_object(json);
    }
    json_end_object(json);
}
