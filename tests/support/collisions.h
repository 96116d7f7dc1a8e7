// collisions.h: the fixture of tests that collide bodies given by their contact problem.
#ifndef SPRAG_TEST_COLLISIONS_H
#define SPRAG_TEST_COLLISIONS_H

#include "support/test.h"

typedef struct Fixture {
    SpragContext *context;
    SpragImpact *impact;
    SpragContactProblem problem;
    SpragCollisionResult result;
    double impulse[24], after[24];
} Fixture;

static inline int set_up(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->context = test_context();
    assert_ok(f->context, sprag_impact_create(f->context, &f->impact));
    sprag_contact_problem_init(&f->problem, f->context);
    *state = f;
    return 0;
}

static inline int tear_down(void **state)
{
    Fixture *f = *state;
    sprag_contact_problem_destroy(&f->problem);
    sprag_impact_destroy(f->impact);
    sprag_context_destroy(f->context);
    free(f);
    return 0;
}

#endif
