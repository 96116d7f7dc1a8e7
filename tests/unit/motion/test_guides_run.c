// Several guides over time, theory.md 9.4: against runs of one guide (apart, in turned coordinates,
// shared by two pads), against the laws at every sample, compliant against rigid and (9.25).
#include "support/test.h"

enum { MOST = 3, MOST_EVENTS = 128 };

typedef struct Inputs {
    double mean[MOST], swing[MOST], frequency[MOST];
    double turn[MOST * MOST]; // inputs are turn × these
    int n;
} Inputs;

static double own_input(const Inputs *inputs, int i, double t)
{
    return inputs->mean[i] + inputs->swing[i] * sin(inputs->frequency[i] * t);
}

static double turned_input(int i, double t, void *user)
{
    const Inputs *inputs = user;
    double sum = 0;
    for (int k = 0; k < inputs->n; k++)
        sum += inputs->turn[i * inputs->n + k] * own_input(inputs, k, t);
    return sum;
}

typedef struct Case {
    int n, m;
    double A[MOST * MOST], b[MOST], C[MOST * MOST], d[MOST], mu[MOST], E[MOST * MOST], v[MOST];
    double k[MOST], damping[MOST];
    SpragGuides guides;
    Inputs inputs;
    SpragDriveSettings settings;
    double until;
} Case;

typedef struct Heard {
    const Case *c;
    int event_count, verdict_count;
    SpragEvent events[MOST_EVENTS];
    long sample_count;
    double worst;                        // residual of the laws at the samples
    double first_layer, t_layer, growth; // of guide 1, where the sample asked for is
    double wanted, rigid;
    double position[MOST], velocity[MOST];
    SpragMode modes[MOST];
    SpragEnergyAccount energy;
} Heard;

// A q'' + b + E f = tau; slipping: f = mu |F| sgn; sticking: |f| ≤ mu |F|, no slip. Rigid runs: F =
// C q'' + d.
static double residual(const Case *c, const SpragGuidesSample *s)
{
    double worst = 0;
    for (int i = 0; i < c->n; i++) {
        double sum = c->b[i] - s->input[i], size = 1;
        for (int k = 0; k < c->n; k++)
            sum += c->A[i * c->n + k] * s->acceleration[k];
        for (int j = 0; j < c->m; j++) {
            sum += c->E[i * c->m + j] * s->friction[j];
            size += fabs(s->friction[j]);
        }
        worst = fmax(worst, fabs(sum) / size);
    }
    for (int j = 0; j < c->m; j++) {
        double slip = 0, F = c->d[j], most = c->mu[j] * fabs(s->normal[j]);
        for (int i = 0; i < c->n; i++) {
            slip += c->E[i * c->m + j] * s->velocity[i];
            F += c->C[j * c->n + i] * s->acceleration[i];
        }
        if (!c->settings.compliant)
            worst = fmax(worst, fabs(F - s->normal[j]) / (1 + fabs(F)));
        if (s->modes[j] == SPRAG_MODE_STICK) {
            worst = fmax(worst, fmax(fabs(slip), fabs(s->friction[j]) - most) / (1 + most));
            continue;
        }
        int sign = s->modes[j] == SPRAG_MODE_SLIDE_PLUS ? 1 : -1;
        worst = fmax(worst, fabs(s->friction[j] - sign * most) / (1 + most));
        worst = fmax(worst, -sign * slip); // 0 at a start
    }
    return worst;
}

static int hear_sample(const SpragGuidesSample *sample, void *user)
{
    Heard *heard = user;
    heard->sample_count++;
    if (!sample->before_event)
        heard->worst = fmax(heard->worst, residual(heard->c, sample));
    for (int i = 0; i < sample->n; i++) {
        heard->position[i] = sample->position[i];
        heard->velocity[i] = sample->velocity[i];
    }
    for (int j = 0; j < sample->m; j++)
        heard->modes[j] = sample->modes[j];
    heard->energy = sample->energy;
    double off = fabs(sample->normal[0] - heard->rigid);
    if (heard->t_layer == 0 && off > heard->wanted && heard->wanted > 0) {
        heard->t_layer = sample->t;
        heard->first_layer = off;
    }
    if (heard->t_layer > 0 && heard->growth == 0 && off > 10 * heard->wanted)
        heard->growth = log(off / heard->first_layer) / (sample->t - heard->t_layer);
    return 0;
}

static int hear_event(const SpragEvent *event, void *user)
{
    Heard *heard = user;
    if (heard->event_count < MOST_EVENTS)
        heard->events[heard->event_count++] = *event;
    return 0;
}

static int hear_verdict(const SpragRunVerdict *verdict, void *user)
{
    Heard *heard = user;
    assert_true(verdict->to >= verdict->from);
    heard->verdict_count++;
    return 0;
}

static SpragRunOutcome go(Case *c, Heard *heard)
{
    SpragContext *context = test_context();
    SpragGuidesRun *run = NULL;
    SpragRunOutcome outcome;
    SpragGuidesSink sink = {hear_sample, hear_event, hear_verdict, heard};
    double start[MOST];
    c->guides = (SpragGuides){.n = c->n,
                              .m = c->m,
                              .A = c->A,
                              .b = c->b,
                              .C = c->C,
                              .d = c->d,
                              .friction = c->mu,
                              .direction = c->E,
                              .velocity = c->v,
                              .input = start};
    if (c->k[0] > 0) {
        c->guides.stiffness = c->k;
        c->guides.damping = c->damping;
    }
    c->inputs.n = c->n;
    for (int i = 0; i < c->n; i++)
        start[i] = turned_input(i, 0, &c->inputs);
    SpragGuidesProblem problem = {.guides = &c->guides, .input = turned_input, .user = &c->inputs};
    heard->c = c;
    assert_ok(context, sprag_guides_check(context, &c->guides));
    assert_ok(context, sprag_guides_run_create(context, &problem, &c->settings, &sink, &run));
    assert_ok(context, sprag_guides_run_advance(run, c->until, &outcome));
    // each step adds about its tolerance times the energies
    assert_close(sprag_guides_run_drift(run), 0,
                 1e-6 * (1 + fabs(heard->energy.actuation) + heard->energy.friction));
    sprag_guides_run_destroy(run);
    sprag_context_destroy(context);
    return outcome;
}

// ---- Apart --------------------------------------------------------------------------------------

typedef struct Alone {
    const Inputs *inputs;
    int coordinate;
} Alone;

static double alone_input(int input, double t, void *user)
{
    const Alone *alone = user;
    return input == 0 ? own_input(alone->inputs, alone->coordinate, t) : 0;
}

// The same coordinate as a drive of its own.
static SpragDriveSample go_alone(const Case *c, int i, double a, Heard *heard)
{
    SpragContext *context = test_context();
    SpragScalar scalar = {.a = a,
                          .b = c->b[i],
                          .c = c->C[i * c->n + i],
                          .d = c->d[i],
                          .friction = c->mu[i],
                          .stiffness = c->k[i],
                          .damping = c->damping[i]};
    SpragPair pair;
    SpragDriveRun *run = NULL;
    SpragRunOutcome outcome;
    Alone alone = {&c->inputs, i};
    SpragDriveSink sink = {NULL, hear_event, NULL, heard};
    sprag_pair_of_scalar(&scalar, &pair);
    SpragDriveProblem problem = {.pair = &pair, .input = alone_input, .user = &alone};
    problem.state.velocity = c->v[i];
    problem.state.input[0] = own_input(&c->inputs, i, 0);
    assert_ok(context, sprag_drive_run_create(context, &problem, &c->settings, &sink, &run));
    assert_ok(context, sprag_drive_run_advance(run, c->until, &outcome));
    assert_int_equal(outcome, SPRAG_RUN_DONE);
    SpragDriveSample last = *sprag_drive_run_sample(run);
    sprag_drive_run_destroy(run);
    sprag_context_destroy(context);
    return last;
}

static Case draw_apart(SpragRandom *random, int n)
{
    Case c = {.n = n, .m = n, .until = 3, .settings = sprag_drive_default()};
    for (int i = 0; i < n; i++) {
        c.A[i * n + i] = sprag_random_uniform(random, 0.5, 2);
        c.C[i * n + i] = sprag_random_uniform(random, 0.3, 1.5);
        c.E[i * n + i] = c.inputs.turn[i * n + i] = 1;
        c.b[i] = sprag_random_uniform(random, -1, 1);
        c.d[i] = sprag_random_uniform(random, -2, 2);
        // both sides of a/c: jams and three motions at rest are among them
        c.mu[i] = c.A[i * n + i] / c.C[i * n + i] * sprag_random_uniform(random, 0.1, 1.6);
        c.v[i] = sprag_random_below(random, 3) - 1;
        c.inputs.mean[i] = sprag_random_uniform(random, -1, 1);
        c.inputs.swing[i] = sprag_random_uniform(random, 1, 6);
        c.inputs.frequency[i] = sprag_random_uniform(random, 1, 5);
    }
    c.settings.output_step = 0.05;
    return c;
}

static void compare_events(const Heard *one, const Heard *several, int guide)
{
    int k = 0;
    for (int i = 0; i < several->event_count; i++) {
        if (several->events[i].contact != guide)
            continue;
        assert_true(k < one->event_count);
        assert_int_equal(several->events[i].type, one->events[k].type);
        assert_close(several->events[i].t, one->events[k].t, 1e-7);
        k++;
    }
    assert_int_equal(k, one->event_count);
}

// Coordinates that share nothing move as if alone: positions, events, jams.
static void test_apart(void **state)
{
    (void)state;
    SpragRandom random;
    int jams = 0, sticks = 0;
    sprag_random_init(&random, 941);
    for (int draw = 0; draw < test_draws(24); draw++) {
        Heard heard = {0};
        Case c = draw_apart(&random, 1 + draw % MOST);
        assert_int_equal(go(&c, &heard), SPRAG_RUN_DONE);
        assert_true(heard.worst < 1e-7);
        for (int i = 0; i < c.n; i++) {
            Heard one = {0};
            SpragDriveSample last = go_alone(&c, i, c.A[i * c.n + i], &one);
            assert_close(heard.position[i], last.position, 1e-6);
            assert_close(heard.velocity[i], last.velocity, 1e-6);
            assert_int_equal(heard.modes[i], last.mode);
            compare_events(&one, &heard, i);
            for (int k = 0; k < one.event_count; k++) {
                jams += one.events[k].type == SPRAG_EVENT_JAM;
                sticks += one.events[k].type == SPRAG_EVENT_STICK;
            }
        }
    }
    assert_true(jams > 3 && sticks > 10);
}

// q = T p with T orthogonal: the same motion in other coordinates, where guides act across them.
static void test_turned(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 942);
    int compared = 0;
    for (int draw = 0; draw < test_draws(16); draw++) {
        Heard plain = {0}, turned = {0};
        Case c = draw_apart(&random, 2), t = c;
        double angle = sprag_random_uniform(&random, 0, 6), co = cos(angle), si = sin(angle);
        const double T[4] = {co, -si, si, co};
        for (int i = 0; i < 2; i++) // a jam of coupled coordinates has no rigid answer
            c.mu[i] = t.mu[i] = fmin(c.mu[i], 0.9 * c.A[3 * i] / c.C[3 * i]);
        for (int i = 0; i < 2; i++) {
            t.b[i] = T[i] * c.b[0] + T[2 + i] * c.b[1];
            t.v[i] = T[i] * c.v[0] + T[2 + i] * c.v[1];
            for (int k = 0; k < 2; k++) {
                t.A[2 * i + k] = T[i] * c.A[0] * T[k] + T[2 + i] * c.A[3] * T[2 + k];
                t.C[2 * i + k] = c.C[3 * i] * T[2 * i + k];
                t.E[2 * i + k] = T[2 * k + i];
                t.inputs.turn[2 * i + k] = T[2 * k + i];
            }
        }
        t.A[1] = t.A[2] = 0.5 * (t.A[1] + t.A[2]);
        c.settings.compliant = t.settings.compliant = draw % 4 == 3;
        assert_int_equal(go(&c, &plain), SPRAG_RUN_DONE);
        assert_int_equal(go(&t, &turned), SPRAG_RUN_DONE);
        assert_true(turned.worst < 1e-7);
        for (int i = 0; i < 2; i++) {
            double q = T[2 * i] * turned.position[0] + T[2 * i + 1] * turned.position[1];
            assert_close(q, plain.position[i], 1e-6);
            assert_int_equal(plain.modes[i], turned.modes[i]);
        }
        assert_int_equal(plain.event_count, turned.event_count);
        for (int k = 0; k < plain.event_count; k++) {
            assert_int_equal(plain.events[k].type, turned.events[k].type);
            assert_close(plain.events[k].t, turned.events[k].t, 1e-7);
        }
        compared += plain.event_count;
    }
    assert_true(compared > 40);
}

// Two pads on one slide that share its normal force are the slide with one; at rest the share of
// each is open, and their sum decides.
static void test_pads(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 943);
    for (int draw = 0; draw < test_draws(16); draw++) {
        Heard one = {0}, two = {0}, alone = {0};
        Case c = draw_apart(&random, 1), p = c;
        double share = sprag_random_uniform(&random, 0.2, 0.8);
        p.m = 2;
        for (int j = 0; j < 2; j++) {
            p.C[j] = c.C[0] * (j ? 1 - share : share);
            p.d[j] = c.d[0] * (j ? 1 - share : share);
            p.mu[j] = c.mu[0];
            p.E[j] = 1;
        }
        assert_int_equal(go(&c, &one), SPRAG_RUN_DONE);
        assert_int_equal(go(&p, &two), SPRAG_RUN_DONE);
        assert_true(two.worst < 1e-7);
        go_alone(&c, 0, c.A[0], &alone);
        assert_close(one.position[0], two.position[0], 1e-6);
        assert_int_equal(one.modes[0], two.modes[1]);
        compare_events(&alone, &one, 0);
    }
}

// ---- Coupled ------------------------------------------------------------------------------------

static Case draw_coupled(SpragRandom *random, int n)
{
    Case c = draw_apart(random, n);
    for (int i = 0; i < n; i++) {
        // friction far enough below a/c that one motion is left
        c.mu[i] = 0.3 * c.A[i * n + i] / c.C[i * n + i];
        for (int k = 0; k < i; k++) {
            c.A[i * n + k] = c.A[k * n + i] = sprag_random_uniform(random, -0.2, 0.2);
            c.C[i * n + k] = sprag_random_uniform(random, -0.2, 0.2);
            c.C[k * n + i] = sprag_random_uniform(random, -0.2, 0.2);
        }
    }
    return c;
}

// The laws hold at every sample, and energy is accounted for.
static void test_laws(void **state)
{
    (void)state;
    SpragRandom random;
    int events = 0;
    sprag_random_init(&random, 944);
    for (int draw = 0; draw < test_draws(24); draw++) {
        Heard heard = {0};
        Case c = draw_coupled(&random, 2 + draw % 2);
        c.settings.compliant = draw % 3 == 2;
        assert_int_equal(go(&c, &heard), SPRAG_RUN_DONE);
        assert_true(heard.worst < 1e-7);
        assert_true(heard.sample_count > 60);
        events += heard.event_count;
    }
    assert_true(events > 60);
}

// As the guides get stiffer (well damped) the compliant run comes to the rigid one, like 1/k.
static void test_limit(void **state)
{
    (void)state;
    SpragRandom random;
    sprag_random_init(&random, 945);
    for (int draw = 0; draw < test_draws(6); draw++) {
        Heard rigid = {0};
        Case c = draw_coupled(&random, 2);
        double off[2];
        c.until = 2;
        go(&c, &rigid);
        for (int k = 0; k < 2; k++) {
            Heard soft = {0};
            c.settings.compliant = true;
            for (int j = 0; j < 2; j++) {
                c.k[j] = k == 0 ? 1e4 : 1e6;
                c.damping[j] = sqrt(c.k[j]);
            }
            go(&c, &soft);
            off[k] = fmax(fabs(soft.position[0] - rigid.position[0]),
                          fabs(soft.position[1] - rigid.position[1]));
        }
        // a tenth per decade of the time constant √k
        assert_true(off[0] < 0.02 && off[1] < 0.2 * off[0] + 1e-7);
    }
}

// From 1 % beside a motion that is not stable the layer leaves it at the rate that the verdict
// gives; from beside a stable one it comes back.
static void test_growth(void **state)
{
    (void)state;
    SpragContext *context = test_context();
    SpragArena *arena = NULL;
    assert_ok(context, sprag_arena_create(context, 4096, &arena));
    for (int sign = -1; sign <= 1; sign += 2) {
        Case c = {.n = 2,
                  .m = 2,
                  .A = {1, 0.2, 0.2, 1.5},
                  .b = {0.5, 0},
                  .C = {1, 0.1, -0.1, 0.5},
                  .d = {2, 1},
                  .mu = {2, 0.1},
                  .E = {1, 0, 0, 1},
                  .v = {50, 1},
                  .k = {1e6, 1e6},
                  .damping = {10, 500},
                  .settings = sprag_drive_default(),
                  .until = 0.02};
        double tau[2] = {0, 0};
        SpragGuidesVerdict verdict;
        SpragGuides guides = {.n = 2,
                              .m = 2,
                              .A = c.A,
                              .b = c.b,
                              .C = c.C,
                              .d = c.d,
                              .friction = c.mu,
                              .velocity = c.v,
                              .input = tau,
                              .stiffness = c.k,
                              .damping = c.damping};
        assert_ok(context, sprag_guides_forward(context, arena, &guides, &verdict));
        assert_int_equal(verdict.motion_count, 2);
        assert_int_equal(verdict.stable_count, 1);
        for (int i = 0; i < 2; i++) {
            const SpragGuidesMotion *motion = &verdict.motions[i];
            Heard heard = {.rigid = motion->normal[0]};
            c.settings.compliant = true;
            c.settings.start_motion = i;
            c.settings.disturbance = 0.01 * sign;
            c.settings.output_step = 1e-5;
            heard.wanted = motion->stable ? 0 : 0.03 * fabs(motion->normal[0]);
            assert_int_equal(go(&c, &heard), SPRAG_RUN_DONE);
            if (!motion->stable) // the slow modes have died away to some per cent
                assert_close(heard.growth, motion->growth, 0.03 * motion->growth);
        }
    }
    sprag_arena_destroy(arena);
    sprag_context_destroy(context);
}

// Coupled guides without a motion: the rigid run ends with the reason, the compliant one goes on.
static void test_no_motion(void **state)
{
    (void)state;
    Heard heard = {0}, soft = {0};
    Case c = {.n = 2,
              .m = 2,
              .A = {1, 0.2, 0.2, 1.5},
              .b = {0.5, 0},
              .C = {1, 0.1, -0.1, 0.5},
              .d = {2, 1},
              .mu = {2, 0.1},
              .E = {1, 0, 0, 1},
              .v = {5, 1},
              .inputs = {.mean = {-4, 0}, .turn = {1, 0, 0, 1}},
              .settings = sprag_drive_default(),
              .until = 0.5};
    assert_int_equal(go(&c, &heard), SPRAG_RUN_NO_SOLUTION);
    assert_int_equal(heard.event_count, 1);
    assert_int_equal(heard.events[0].type, SPRAG_EVENT_NO_SOLUTION);
    assert_non_null(strstr(heard.events[0].detail, "coupled"));
    c.settings.compliant = true;
    assert_int_equal(go(&c, &soft), SPRAG_RUN_DONE);
    assert_true(soft.velocity[0] <= 0); // it was stopped at once
    assert_true(soft.event_count > 0 && soft.events[0].t < 0.05);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apart),     cmocka_unit_test(test_turned),
        cmocka_unit_test(test_pads),      cmocka_unit_test(test_laws),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_growth),
        cmocka_unit_test(test_no_motion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
