// analyze_drives.c: the forces that driven joints need in a motion, and whether they would make it.
#include "analyze.h"
#include "sprag/motion.h"

// Forces of the drives (joint_count) in *force, which the caller frees; false: nothing is driven,
// or it failed.
static bool find_drives(const Situation *situation, const SpragMotion *motion, double **force,
                        SpragInverse *inverse)
{
    const SpragModel *model = situation->model;
    bool any = false;
    *force = NULL;
    for (int j = 0; model && j < model->joint_count; j++)
        any |= model->joints[j].driven;
    if (!any)
        return false;
    SpragInverseState state = {situation->t, situation->q, situation->v, situation->problem,
                               motion};
    *force = sprag_alloc(situation->context, (size_t)model->joint_count, sizeof **force);
    return *force && sprag_inverse_dynamics(situation->system, &state, *force, inverse) == SPRAG_OK;
}

static bool is_force(const SpragJoint *joint)
{
    return joint->kind == SPRAG_JOINT_PRISMATIC || joint->kind == SPRAG_JOINT_DISTANCE;
}

static const char *in_words(const SpragInverse *inverse)
{
    if (!inverse->known)
        return "whether they make this motion by themselves is not known: the search is not "
               "complete";
    switch (inverse->realised) {
    case SPRAG_REALISED_YES:
        return "by themselves they make this motion, and no other stable one";
    case SPRAG_REALISED_AMONG:
        return "by themselves they make this motion, but another one is stable too";
    case SPRAG_REALISED_UNSTABLE:
        return "by themselves they do not make this motion: it is not stable under them";
    case SPRAG_REALISED_NO:
        return "by themselves they do not make this motion at all";
    }
    return "";
}

void analyze_add_drives(const Situation *situation, const SpragMotion *motion, SpragText *text)
{
    SpragInverse inverse;
    double *force;
    if (find_drives(situation, motion, &force, &inverse)) {
        sprag_text_add(text, "  drives need");
        for (int j = 0, count = 0; j < situation->model->joint_count; j++) {
            const SpragJoint *joint = &situation->model->joints[j];
            if (joint->driven)
                sprag_text_add(text, "%s %s %.5g %s", count++ ? "," : "", joint->name, force[j],
                               is_force(joint) ? "N" : "N m");
        }
        sprag_text_add(text, "\n  %s\n", in_words(&inverse));
    }
    sprag_free(situation->context, force);
}

void analyze_json_drives(const Situation *situation, const SpragMotion *motion, Json *json)
{
    SpragInverse inverse;
    double *force;
    if (find_drives(situation, motion, &force, &inverse)) {
        json_begin_flat_object(json, "drives");
        for (int j = 0; j < situation->model->joint_count; j++)
            if (situation->model->joints[j].driven)
                json_number(json, situation->model->joints[j].name, force[j]);
        json_end_object(json);
        json_text(json, "realised",
                  inverse.known ? sprag_realised_name(inverse.realised) : "unknown");
    }
    sprag_free(situation->context, force);
}
