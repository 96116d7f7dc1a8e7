// serve_pull.c: a viewer pulls a body with a spring.
//
// The spring is in the model from the beginning, slack and without stiffness, so that a pull only
// changes numbers: the system is brought up to date and the run goes on from its present state.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "serve_private.h"

static int first_free(const SpragModel *model)
{
    for (int i = 0; i < model->body_count; i++)
        if (!model->bodies[i].fixed)
            return i;
    return -1;
}

static SpragSpring slack_spring(ServeSession *session, int body)
{
    SpragSpring spring = {.name = session->spring_name,
                          .ends = {{.body = body}, {.body = SPRAG_WORLD}}};
    const double *at = session->model->bodies[body].position;
    snprintf(session->spring_name, sizeof session->spring_name, "pulled-by-hand");
    spring.ends[1].local = (SpragVec3){at[0], at[1] + 1, at[2]};
    return spring;
}

SpragStatus serve_pull_prepare(ServeSession *session)
{
    int body = first_free(session->model);
    session->pull_spring = -1;
    if (body < 0)
        return SPRAG_OK;
    SpragSpring spring = slack_spring(session, body);
    // a scene that cannot take it is shown all the same, without pulling
    if (sprag_model_add_spring(session->model, &spring, &session->pull_spring) != SPRAG_OK)
        session->pull_spring = -1;
    return SPRAG_OK;
}

// Other numbers of the spring, from the present state on.
static SpragStatus change(ServeSession *session, const SpragSpring *spring)
{
    size_t positions = (size_t)sprag_system_position_count(session->system);
    size_t velocities = (size_t)sprag_system_velocity_count(session->system);
    double t = sprag_run_time(session->run);
    SPRAG_TRY(sprag_reserve(session->context, &session->state, &session->state_capacity,
                            positions + velocities, sizeof *session->state));
    memcpy(session->state, sprag_run_position(session->run), positions * sizeof(double));
    memcpy(session->state + positions, sprag_run_velocity(session->run),
           velocities * sizeof(double));
    SPRAG_TRY(sprag_model_replace_spring(session->model, session->pull_spring, spring));
    SPRAG_TRY(sprag_system_update(session->system, false));
    SPRAG_TRY(sprag_run_restart(session->run, t, session->state, session->state + positions));
    session->spent = session->last;
    return SPRAG_OK;
}

void serve_pull(ServeSession *session, int body, const double local[3], const double to[3])
{
    const SpragModel *model = session->model;
    if (session->pull_spring < 0 || session->ended || model->bodies[body].fixed)
        return;
    // two swings a second, nearly without overshoot
    const double frequency = 12.6, ratio = 0.7;
    double mass = model->bodies[body].mass;
    bool plane = model->dimension == 2;
    SpragSpring spring = slack_spring(session, body);
    spring.ends[0].local = (SpragVec3){local[0], local[1], plane ? 0 : local[2]};
    spring.ends[1].local = (SpragVec3){to[0], to[1], plane ? 0 : to[2]};
    spring.stiffness = mass * frequency * frequency;
    spring.damping = 2 * ratio * mass * frequency;
    if (change(session, &spring) != SPRAG_OK)
        serve_session_restart(session, 0);
}

void serve_pull_release(ServeSession *session)
{
    if (session->pull_spring < 0 || session->ended)
        return;
    int body = first_free(session->model);
    SpragSpring spring = slack_spring(session, body);
    if (change(session, &spring) != SPRAG_OK)
        serve_session_restart(session, 0);
}
