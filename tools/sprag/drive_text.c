// drive_text.c: the verdict on a drive, for people.
#include <math.h>

#include "drive.h"
#include "print.h"

static void add_sentence(const SpragPairVerdict *verdict, SpragText *text)
{
    sprag_text_add(text, "%s: ", sprag_verdict_name(verdict->kind));
    switch (verdict->kind) {
    case SPRAG_VERDICT_UNIQUE:
        sprag_text_add(text, "one motion, %s",
                       verdict->stable_count ? "and it is stable" : "but it is not stable");
        break;
    case SPRAG_VERDICT_MULTIPLE:
        sprag_text_add(text, "%d motions, %d of them stable", verdict->motion_count,
                       verdict->stable_count);
        break;
    case SPRAG_VERDICT_INFINITE:
        sprag_text_add(text, "a continuum of motions");
        break;
    default:
        sprag_text_add(text, "no rigid motion%s",
                       verdict->jam ? ": it jams, the velocity jumps to zero" : "");
    }
    if (verdict->held)
        sprag_text_add(text, "; held: friction can keep it at rest");
}

static void add_facts(const DriveReport *report, SpragText *text)
{
    const SpragPairVerdict *verdict = &report->verdict;
    char low[NUMBER_BYTES], high[NUMBER_BYTES];
    sprag_text_add(text, "input        %s%s\n", print_number(report->state.input[0], low),
                   report->drive->input_varies ? " at t = 0" : "");
    if (isfinite(verdict->tau_cr))
        sprag_text_add(text, "critical     %.6g: there the normal force vanishes\n",
                       verdict->tau_cr);
    sprag_text_add(text, "static band  %s%s … %s, the input is %s it\n",
                   verdict->band_outside ? "outside of " : "", print_number(verdict->band_low, low),
                   print_number(verdict->band_high, high), verdict->in_band ? "in" : "not in");
    sprag_text_add(text, "uniqueness   %s\n",
                   verdict->unique_for_every_input
                       ? "one motion for every input while it moves: friction is below critical"
                       : "not for every input: friction is at or above its critical value (9.4)");
    if (sprag_scene_kind(report->scene) == SPRAG_SCENE_SCALAR && report->drive->scalar.c != 0)
        sprag_text_add(text, "             friction %.5g, critical a/c = %.5g\n",
                       report->drive->pair.friction,
                       report->drive->scalar.a / fabs(report->drive->scalar.c));
}

static void add_stability(Table *table, const SpragPairMotion *motion)
{
    if (motion->stable)
        table_add(table, "stable");
    else if (isnan(motion->growth))
        table_add(table, "not stable: grows as exp(%.4g √k t)", motion->growth_unit);
    else
        table_add(table, "not stable: e-fold in %.4g s", 1 / motion->growth);
}

static void add_motions(const DriveReport *report, SpragText *text)
{
    static const char *const heads[] = {"motion",         "acceleration",      "normal force",
                                        "friction force", "effective inertia", "stability"};
    const SpragPairVerdict *verdict = &report->verdict;
    Table table;
    if (verdict->motion_count == 0)
        return;
    table_init(&table, text->context, "lrrrrl");
    table_add_heads(&table, heads);
    for (int i = 0; i < verdict->motion_count; i++) {
        const SpragPairMotion *motion = &verdict->motions[i];
        const char *how = verdict->direction == 0 ? "starts" : "moves";
        if (motion->direction == 0)
            table_add(&table, "held");
        else
            table_add(&table, "%s %s%s", how, motion->direction > 0 ? "forward" : "back",
                      motion->continuum ? ", one of a continuum" : "");
        table_add_number(&table, motion->acceleration[report->drive->pair.output]);
        table_add_number(&table, motion->normal);
        table_add_number(&table, motion->friction);
        table_add_number(&table, motion->inertia);
        add_stability(&table, motion);
    }
    sprag_text_add(text, "\nmotions\n");
    table_print(&table, text);
    table_destroy(&table);
}

static void add_inverse(const DriveReport *report, SpragText *text)
{
    static const char *const words[] = {"it is realised: the only stable motion under that input",
                                        "a stable motion under that input, but not the only one",
                                        "not realised: under that input the motion is not stable",
                                        "not a motion under that input"};
    const SpragPairInverse *inverse = &report->inverse;
    if (!report->drive->has_acceleration)
        return;
    sprag_text_add(text, "\ninverse\n  acceleration %.6g ", report->drive->acceleration);
    if (inverse->held)
        sprag_text_add(text, "at rest: every input in %.6g … %.6g\n", inverse->band_low,
                       inverse->band_high);
    else if (inverse->count == 0)
        sprag_text_add(text, "is given by no input\n");
    for (int i = 0; i < inverse->count; i++)
        sprag_text_add(text, "%sneeds input %.9g; %s\n", i ? "  or it " : "", inverse->input[i],
                       words[inverse->realised[i]]);
}

static void add_screw(const DriveReport *report, SpragText *text)
{
    const SpragScrewFacts *facts = &report->facts;
    const SpragScrew *screw = &report->drive->screw;
    if (!report->is_screw)
        return;
    sprag_text_add(
        text,
        "\nscrew\n  l = %.6g m/rad, helix %.4g deg, thread radius %.5g m, friction angle "
        "%.4g deg\n",
        screw->lead, screw->helix * 57.29577951308232, facts->radius,
        facts->rho * 57.29577951308232);
    sprag_text_add(text, "  efficiency %.5g driving, %.5g driven; %s\n", facts->efficiency[0],
                   facts->efficiency[1], facts->self_locking ? "self-locking" : "not self-locking");
    sprag_text_add(text, "  effective inertia %.5g and %.5g kg m²\n", facts->effective_inertia[0],
                   facts->effective_inertia[1]);
    if (facts->critical_inertia > 0)
        sprag_text_add(text, "  paradox below the inertia %.5g kg m² (it has %.5g)%s\n",
                       facts->critical_inertia, screw->inertia,
                       facts->paradox ? ": it is there" : "");
    if (isfinite(facts->critical_friction))
        sprag_text_add(text, "  paradox above the friction %.5g (it has %.5g)\n",
                       facts->critical_friction, screw->friction);
    else
        sprag_text_add(text, "  no friction below its limit %.5g makes the paradox\n",
                       facts->friction_limit);
}

void drive_text(const DriveReport *report, const Arguments *arguments, SpragText *text)
{
    const SpragPairVerdict *verdict = &report->verdict;
    const char *name = sprag_scene_name(report->scene);
    if (arguments->quiet) {
        add_sentence(verdict, text);
        sprag_text_add(text, "\n");
        return;
    }
    if (name[0])
        sprag_text_add(text, "%s\n", name);
    sprag_text_add(text, "verdict      ");
    add_sentence(verdict, text);
    sprag_text_add(text, "\nbecause      %s\nrecommended  %s\n", verdict->reason,
                   verdict->chosen < 0 ? "compliant drive" : "rigid drive");
    add_facts(report, text);
    add_motions(report, text);
    add_inverse(report, text);
    add_screw(report, text);
}
