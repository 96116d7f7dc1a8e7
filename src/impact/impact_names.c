// impact_names.c: words for the record and for results.
#include "sprag/impact.h"

static const char *const LAW_NAMES[SPRAG_IMPACT_LAW_COUNT] = {
    [SPRAG_IMPACT_ROUTH_PLASTIC] = "plastic, Routh's path",
    [SPRAG_IMPACT_VELOCITY_PLASTIC] = "plastic, velocity level",
    [SPRAG_IMPACT_ROUTH] = "Routh's path",
    [SPRAG_IMPACT_HODOGRAPH] = "slip hodograph",
    [SPRAG_IMPACT_TOGETHER_NEWTON] = "together, Newton",
    [SPRAG_IMPACT_TOGETHER_POISSON] = "together, Poisson in two phases",
    [SPRAG_IMPACT_TOGETHER_MIXED] = "together, Newton and Poisson",
    [SPRAG_IMPACT_SEQUENCE] = "one after the other",
    [SPRAG_IMPACT_PATH] = "energetic, impulse path",
};

static const char *const CASE_NAMES[SPRAG_IMPACT_CASE_COUNT] = {
    [SPRAG_IMPACT_NONE] = "none",
    [SPRAG_IMPACT_SLIDE] = "slide",
    [SPRAG_IMPACT_STICK_COMPRESSION] = "stick-in-compression",
    [SPRAG_IMPACT_STICK_RESTITUTION] = "stick-in-restitution",
    [SPRAG_IMPACT_REVERSE_COMPRESSION] = "reverse-in-compression",
    [SPRAG_IMPACT_REVERSE_RESTITUTION] = "reverse-in-restitution",
    [SPRAG_IMPACT_STICK] = "stick",
    [SPRAG_IMPACT_SLIDE_FROM_REST] = "slide-from-rest",
};

const char *sprag_impact_law_name(SpragImpactLaw law)
{
    return (unsigned)law < SPRAG_IMPACT_LAW_COUNT ? LAW_NAMES[law] : "?";
}

const char *sprag_impact_case_name(SpragImpactCase kind)
{
    return (unsigned)kind < SPRAG_IMPACT_CASE_COUNT ? CASE_NAMES[kind] : "?";
}
