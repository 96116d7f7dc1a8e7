#include "impact_private.h"
void impact_space(const SpragSingleImpact *problem, SpragSingleResult *result)
{
    (void)problem;
    (void)result;
}
