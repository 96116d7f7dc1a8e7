// with_analysis.h: one context and one analysis for all tests of a program.
#ifndef SPRAG_TEST_WITH_ANALYSIS_H
#define SPRAG_TEST_WITH_ANALYSIS_H

#include "support/test.h"

static SpragContext *context;
static SpragAnalysis *analysis;

static int setup(void **state)
{
    (void)state;
    context = test_context();
    return sprag_analysis_create(context, &analysis) != SPRAG_OK;
}

static int teardown(void **state)
{
    (void)state;
    sprag_analysis_destroy(analysis);
    sprag_context_destroy(context);
    return 0;
}

#endif
