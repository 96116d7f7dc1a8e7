// compliance_restitution.c: names of restitution laws, and e at an approach speed.
#include "sprag/compliance.h"

const char *sprag_restitution_law_name(SpragRestitutionLaw law)
{
    static const char *const names[] = {"energetic", "newton", "poisson"};
    return names[law];
}

double sprag_restitution_at(const SpragRestitution *restitution, double speed)
{
    int count = restitution->point_count;
    const double *v = restitution->speed, *e = restitution->value;
    if (speed < restitution->rest_speed)
        return 0;
    if (count == 0)
        return restitution->e;
    if (speed <= v[0])
        return e[0];
    for (int i = 1; i < count; i++)
        if (speed < v[i])
            return e[i - 1] + (e[i] - e[i - 1]) * ((speed - v[i - 1]) / (v[i] - v[i - 1]));
    return e[count - 1];
}
