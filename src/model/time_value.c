// time_value.c: numbers that vary in time.
#include "sprag/model.h"

void sprag_time_value_evaluate(const SpragTimeValue *value, double t, int order, double *result)
{
    for (int i = 0; i <= order; i++)
        result[i] = i == 0 ? value->number : 0;
    if (value->evaluate)
        value->evaluate(t, order, result, value->user);
}
