// model_check_space.c: whether the numbers of bodies and shapes in space can be.
// An inertia tensor of a rigid body is positive definite, and its principal moments A ≤ B ≤ C obey
// A + B ≥ C: C − A − B = −2 ∫ z² dm along the third axis. A line of mass (a thin rod) has A = 0 and
// B = C: nothing can spin it about itself, theory.md (13.10).
#include <math.h>

#include "model_private.h"

SpragStatus sprag_tensor_check(SpragContext *context, const char *whose, const double tensor[6])
{
    const double slack = 1e-9; // flat bodies reach the bound: allow for printed digits
    SpragMat3 I = {{tensor[0], tensor[3], tensor[4], tensor[3], tensor[1], tensor[5], tensor[4],
                    tensor[5], tensor[2]}},
              axes;
    double most = SPRAG_MODEL_LARGEST * SPRAG_MODEL_LARGEST * SPRAG_MODEL_LARGEST;
    double least = SPRAG_MODEL_SMALLEST * SPRAG_MODEL_SMALLEST, moments[3];
    for (int i = 0; i < 6; i++)
        if (!(fabs(tensor[i]) <= most))
            return sprag_fail(context, SPRAG_ERROR_INPUT,
                              "%s: inertia must be finite numbers of at most 1e90 kg m², got %g",
                              whose, tensor[i]);
    sprag_mat3_principal(&I, moments, &axes);
    // rounding of the eigenvalues is some 1e-16 of the largest
    const double rounding = 1e-14;
    if (!(moments[1] >= least && moments[1] > rounding * moments[2] &&
          moments[0] >= -rounding * moments[2]))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "%s: inertia must be positive about every axis (0 about the axis of a "
                          "thin rod); its principal moments are %g, %g, %g kg m²",
                          whose, moments[0], moments[1], moments[2]);
    if (moments[0] + moments[1] < moments[2] * (1 - slack))
        return sprag_fail(context, SPRAG_ERROR_INPUT,
                          "%s: no rigid body has this inertia: of its principal moments %g, %g, %g "
                          "kg m² two together must be at least the third (triangle inequality), "
                          "but %g + %g < %g",
                          whose, moments[0], moments[1], moments[2], moments[0], moments[1],
                          moments[2]);
    return SPRAG_OK;
}

SpragStatus body_check_space(const SpragModel *model, const SpragBody *item)
{
    SpragQuaternion q = item->orientation;
    double length = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    // rounding of a normalised quaternion is a few 1e-16
    if (!(fabs(length - 1) <= 1e-12))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "%s: the quaternion of the orientation must have length 1, got %g",
                          item->name, length);
    return item->fixed ? SPRAG_OK : sprag_tensor_check(model->context, item->name, item->tensor);
}

static int points_needed(SpragShapeKind kind)
{
    switch (kind) {
    case SPRAG_SHAPE_CAPSULE:
    case SPRAG_SHAPE_CYLINDER:
    case SPRAG_SHAPE_ROD:
        return 2;
    case SPRAG_SHAPE_BOX:
        return 8;
    case SPRAG_SHAPE_HULL:
        return 4;
    case SPRAG_SHAPE_SPHERE:
    case SPRAG_SHAPE_POINTS:
        return 1;
    default:
        return 0;
    }
}

static bool is_round(SpragShapeKind kind)
{
    return kind == SPRAG_SHAPE_SPHERE || kind == SPRAG_SHAPE_CAPSULE ||
           kind == SPRAG_SHAPE_CYLINDER;
}

static bool is_planar(SpragShapeKind kind)
{
    return kind == SPRAG_SHAPE_CIRCLE || kind == SPRAG_SHAPE_POLYGON || kind == SPRAG_SHAPE_CHAIN;
}

// Kinds whose solid may be around them.
static bool can_be_inside(const SpragShape *item)
{
    return is_round(item->kind) || item->kind == SPRAG_SHAPE_BOX ||
           item->kind == SPRAG_SHAPE_HULL || item->solid;
}

static SpragStatus check_points(const SpragModel *model, const char *kind, const SpragShape *item)
{
    if (item->vertex_count < points_needed(item->kind) ||
        (item->kind == SPRAG_SHAPE_BOX && item->vertex_count != 8) ||
        (item->vertex_count > 0 && !item->points))
        return model_refuse(model, kind, "has too few points");
    for (int i = 0; i < item->vertex_count; i++)
        SPRAG_TRY(vec3_check(model, kind, "a point", item->points[i]));
    if (item->kind != SPRAG_SHAPE_CAPSULE && item->kind != SPRAG_SHAPE_CYLINDER &&
        item->kind != SPRAG_SHAPE_ROD)
        return SPRAG_OK;
    double length = sprag_vec3_norm(sprag_vec3_sub(item->points[1], item->points[0]));
    return length >= SPRAG_MODEL_SMALLEST ? SPRAG_OK
                                          : model_refuse(model, kind, "the length must be > 0");
}

SpragStatus shape_check_space(const SpragModel *model, const SpragShape *item)
{
    const char *kind = sprag_shape_kind_name(item->kind);
    if (is_planar(item->kind))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT,
                          "a %s is a shape of the plane; this is a scene in space", kind);
    SPRAG_TRY(check_points(model, kind, item));
    SPRAG_TRY(vec3_check(model, kind, "centre", item->centre));
    if (is_round(item->kind) && !(item->radius >= SPRAG_MODEL_SMALLEST))
        return model_refuse(model, kind, "the radius must be > 0");
    if (!is_round(item->kind) && item->radius != 0)
        return model_refuse(model, kind, "has no radius");
    bool meshed = item->kind == SPRAG_SHAPE_MESH || item->kind == SPRAG_SHAPE_FIELD;
    if (meshed && !item->surface && !(item->solid && item->kind == SPRAG_SHAPE_MESH))
        return model_refuse(model, kind, "needs its triangles");
    bool infinite = item->kind == SPRAG_SHAPE_PLANE || item->surface;
    if (infinite && !model->bodies[item->body].fixed)
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "a %s needs a fixed body", kind);
    if (item->inside && !can_be_inside(item))
        return sprag_fail(model->context, SPRAG_ERROR_INPUT, "a %s cannot be inside: true", kind);
    if (item->kind == SPRAG_SHAPE_PLANE && !(fabs(sprag_vec3_norm(item->normal) - 1) <= 1e-12))
        return model_refuse(model, kind, "the normal must have length 1");
    return SPRAG_OK;
}
