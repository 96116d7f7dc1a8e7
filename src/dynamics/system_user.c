// system_user.c: callbacks of a user-defined system, with checks of what they return.
#include <math.h>
#include <string.h>

#include "dynamics_private.h"

// What elimination must leave of a diagonal entry of M, relative to it.
static const double SINGULAR = 1e-14;

static SpragStatus check_return(const SpragSystem *system, int returned, const char *who)
{
    if (returned == 0)
        return SPRAG_OK;
    if (returned < 0)
        return sprag_fail(system->context, SPRAG_ERROR_CALLBACK, "the %s callback stopped with %d",
                          who, returned);
    return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                      "the %s callback cannot be evaluated here (%d)", who, returned);
}

static SpragStatus check_finite(const SpragSystem *system, const double *values, int count,
                                const char *who, const char *what)
{
    for (int i = 0; i < count; i++)
        if (!isfinite(values[i]))
            return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                              "the %s callback gave %s[%d] = %g", who, what, i, values[i]);
    return SPRAG_OK;
}

// Inverse of a symmetric positive definite matrix by Cholesky, in place of L: M = L Lᵀ, then the
// columns of M⁻¹ one by one. False: not positive definite.
static bool invert(int n, const double *M, double *L, double *inverse)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = M[i * n + j];
            for (int k = 0; k < j; k++)
                sum -= L[i * n + k] * L[j * n + k];
            if (i == j && !(sum > SINGULAR * M[i * n + i] && sum > 0))
                return false;
            L[i * n + j] = i == j ? sqrt(sum) : sum / L[j * n + j];
        }
    }
    for (int c = 0; c < n; c++) {
        for (int i = 0; i < n; i++) {
            double sum = i == c ? 1 : 0;
            for (int k = 0; k < i; k++)
                sum -= L[i * n + k] * inverse[k * n + c];
            inverse[i * n + c] = sum / L[i * n + i];
        }
        for (int i = n - 1; i >= 0; i--) {
            double sum = inverse[i * n + c];
            for (int k = i + 1; k < n; k++)
                sum -= L[k * n + i] * inverse[k * n + c];
            inverse[i * n + c] = sum / L[i * n + i];
        }
    }
    return true;
}

bool user_inverse_is_definite(SpragSystem *system)
{
    return invert(system->velocity_count, system->inertia, system->factor, system->inverse_inertia);
}

SpragStatus user_inertia_given(SpragSystem *system, double t, const double *q)
{
    int n = system->velocity_count;
    memset(system->inertia, 0, (size_t)n * (size_t)n * sizeof *system->inertia);
    int returned = system->def.inertia(t, q, system->inertia, system->def.user);
    SPRAG_TRY(check_return(system, returned, "inertia"));
    const char *what = system->def.inertia_is_inverse ? "M⁻¹" : "M";
    return check_finite(system, system->inertia, n * n, "inertia", what);
}

SpragStatus user_inertia(SpragSystem *system, double t, const double *q)
{
    size_t n = (size_t)system->velocity_count;
    SPRAG_TRY(user_inertia_given(system, t, q));
    if (system->def.inertia_is_inverse) {
        memcpy(system->inverse_inertia, system->inertia, n * n * sizeof *system->inertia);
        return SPRAG_OK;
    }
    if (!invert((int)n, system->inertia, system->factor, system->inverse_inertia))
        return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                          "the inertia callback gave an M that is not positive definite");
    return SPRAG_OK;
}

SpragStatus user_force(SpragSystem *system, double t, const double *q, const double *v,
                       double *force)
{
    memset(force, 0, (size_t)system->velocity_count * sizeof *force);
    SPRAG_TRY(check_return(system, system->def.force(t, q, v, force, system->def.user), "force"));
    return check_finite(system, force, system->velocity_count, "force", "u - h");
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static SpragStatus check_sample(const SpragSystem *system, int contact,
                                const SpragContactSample *sample)
{
    const char *name = system->names[contact];
    bool gap_counts = !is_velocity_level(system, contact);
    if (gap_counts && (isnan(sample->gap) || sample->gap == -INFINITY))
        return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                          "the contact callback gave %s the gap %g", name, sample->gap);
    const struct {
        const char *what;
        const double *values;
        int count;
    } parts[] = {
        {"normal", sample->normal, system->velocity_count},
        {"tangent", sample->tangent, sample->tangent ? system->velocity_count : 0},
        {"tangent2", sample->tangent2, sample->tangent2 ? system->velocity_count : 0},
        {"normal_bias", &sample->normal_bias, 1},
        {"tangent_bias", sample->tangent_bias, 2},
        {"normal_drift", &sample->normal_drift, 1},
        {"slip_drift", sample->slip_drift, 2},
        {"friction_static", &sample->friction_static, 1},
        {"friction_kinetic", &sample->friction_kinetic, 1},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        for (int k = 0; k < parts[i].count; k++)
            if (!isfinite(parts[i].values[k]))
                return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                                  "the contact callback gave %s %s[%d] = %g", name, parts[i].what,
                                  k, parts[i].values[k]);
    if (sample->friction_static < 0 || sample->friction_kinetic < 0)
        return sprag_fail(system->context, SPRAG_ERROR_NUMERIC,
                          "the contact callback gave %s a negative friction", name);
    return SPRAG_OK;
}

SpragStatus user_contact(SpragSystem *system, double t, const double *q, const double *v,
                         int contact, Evaluation *evaluation)
{
    int n = system->velocity_count, rows = contact_rows(system, contact);
    memset(evaluation, 0, sizeof *evaluation);
    memset(system->rows, 0, CONTACT_ROWS * (size_t)n * sizeof *system->rows);
    SpragContactSample sample = {.normal = system->rows};
    sample.tangent = rows > 1 ? system->rows + n : NULL;
    sample.tangent2 = rows > 2 ? system->rows + 2 * n : NULL;
    int returned = system->def.contact(t, q, v, contact, &sample, system->def.user);
    SPRAG_TRY(check_return(system, returned, "contact"));
    sample.normal = system->rows;
    sample.tangent = rows > 1 ? system->rows + n : NULL;
    sample.tangent2 = rows > 2 ? system->rows + 2 * n : NULL;
    SPRAG_TRY(check_sample(system, contact, &sample));
    evaluation->gap = is_velocity_level(system, contact) ? 0 : sample.gap;
    evaluation->normal_drift = sample.normal_drift;
    evaluation->gap_rate = dot(n, sample.normal, v) + sample.normal_drift;
    evaluation->bias[0] = sample.normal_bias;
    for (int k = 0; k + 1 < rows; k++) {
        evaluation->slip_drift[k] = sample.slip_drift[k];
        evaluation->slip[k] = dot(n, system->rows + (k + 1) * n, v) + sample.slip_drift[k];
        evaluation->bias[k + 1] = sample.tangent_bias[k];
    }
    evaluation->law = &system->contacts[contact].friction_law;
    evaluation->friction_static = sample.friction_static;
    evaluation->friction_kinetic = sample.friction_kinetic;
    evaluation->row_count = rows;
    evaluation->normals = 1;
    evaluation->pressed = 0;
    evaluation->block[0] = 0;
    evaluation->block[1] = -1;
    return SPRAG_OK;
}

SpragStatus user_energy(SpragSystem *system, double t, const double *q, const double *v,
                        double *kinetic, double *potential)
{
    *kinetic = *potential = 0;
    if (system->def.energy) {
        int returned = system->def.energy(t, q, v, kinetic, potential, system->def.user);
        SPRAG_TRY(check_return(system, returned, "energy"));
        SPRAG_TRY(check_finite(system, kinetic, 1, "energy", "kinetic"));
        return check_finite(system, potential, 1, "energy", "potential");
    }
    // without the callback: ½ vᵀMv, if M is given
    int n = system->velocity_count;
    SPRAG_TRY(user_inertia(system, t, q));
    if (!system->def.inertia_is_inverse)
        for (int i = 0; i < n; i++)
            *kinetic += v[i] * dot(n, system->inertia + (size_t)i * (size_t)n, v) / 2;
    return SPRAG_OK;
}
