// scene_bodies_space.c: bodies in space: state, and inertia from the shapes.
// Problem   V = Σ V_i,  c = Σ V_i c_i / V,  I = (m / V) Σ (I_i + V_i (|d_i|² 1 − d_i d_iᵀ)),
//           d_i = c_i − c, with volume, centroid and tensor of each shape
//           (sprag_shape_measure_space); then moved to the centre of mass.
// Lines     a rod, or points on a line, has no inertia about that line, and a free body needs one:
//           it gets LEAST_SHARE of the largest moment. Forces at its ends do not turn it about
//           the line, so that this number does not matter to them.
#include <math.h>
#include <string.h>

#include "scene_bodies.h"

static const double LEAST_SHARE = 1e-6;

// I + weight (|d|² 1 − d dᵀ), entries xx yy zz xy xz yz.
static void add_offset(double I[6], double weight, SpragVec3 d)
{
    I[0] += weight * (d.y * d.y + d.z * d.z);
    I[1] += weight * (d.x * d.x + d.z * d.z);
    I[2] += weight * (d.x * d.x + d.y * d.y);
    I[3] -= weight * d.x * d.y;
    I[4] -= weight * d.x * d.z;
    I[5] -= weight * d.y * d.z;
}

void measure_space(BodyDraft *draft)
{
    double amount = 0, V, I[6];
    SpragVec3 moment = {0, 0, 0}, c;
    for (int i = 0; i < draft->shape_count; i++) {
        if (shape_family(&draft->shapes[i]) != shape_family(&draft->shapes[0]) ||
            !sprag_shape_measure_space(&draft->shapes[i], &V, &c, I))
            return;
        amount += V;
        moment = sprag_vec3_along(moment, V, c);
    }
    if (!(amount > 0 && isfinite(amount)))
        return;
    draft->amount = amount;
    draft->centroid = sprag_vec3_scale(1 / amount, moment);
    memset(draft->tensor, 0, sizeof draft->tensor);
    for (int i = 0; i < draft->shape_count; i++) {
        sprag_shape_measure_space(&draft->shapes[i], &V, &c, I);
        for (int k = 0; k < 6; k++)
            draft->tensor[k] += I[k];
        add_offset(draft->tensor, V, sprag_vec3_sub(c, draft->centroid));
    }
    draft->measured = true;
    for (int k = 0; k < 6; k++)
        draft->measured &= isfinite(draft->tensor[k]);
}

// Raises what a line lacks.
static SpragStatus complete_line(Reader *reader, BodyDraft *draft)
{
    double *I = draft->body.tensor, moments[3];
    SpragMat3 A = {{I[0], I[3], I[4], I[3], I[1], I[5], I[4], I[5], I[2]}}, axes;
    sprag_mat3_principal(&A, moments, &axes);
    if (!(moments[2] > 0))
        return fail_at(reader, draft->node,
                       "the shapes of %s have no inertia about the centre of mass; give inertia",
                       draft->body.name);
    double missing = LEAST_SHARE * moments[2] - moments[0];
    if (missing <= 0 || shape_family(&draft->shapes[0]) == FAMILY_FULL)
        return SPRAG_OK;
    SpragVec3 u = sprag_mat3_column(&axes, 0);
    I[0] += missing * u.x * u.x;
    I[1] += missing * u.y * u.y;
    I[2] += missing * u.z * u.z;
    I[3] += missing * u.x * u.y;
    I[4] += missing * u.x * u.z;
    I[5] += missing * u.y * u.z;
    return note(reader,
                "%s is a line, without inertia about itself: %.6g kg m² is taken there, %g of that "
                "across",
                draft->body.name, LEAST_SHARE * moments[2], LEAST_SHARE);
}

// Products of inertia that symmetry makes 0 come out as rounding of the sums.
static void drop_rounding(double I[6])
{
    const double rounding = 1e-14; // of the largest moment
    double largest = fmax(I[0], fmax(I[1], I[2]));
    for (int k = 3; k < 6; k++)
        if (fabs(I[k]) <= rounding * largest)
            I[k] = 0;
}

static SpragStatus derive(Reader *reader, BodyDraft *draft)
{
    SpragBody *body = &draft->body;
    if (draft->shape_count == 0)
        return fail_at(reader, draft->node,
                       "%s has no shapes to derive its inertia from; give inertia", body->name);
    if (!draft->measured)
        return fail_at(reader, draft->node,
                       "the inertia of %s cannot be derived from its shapes (all need a volume, or "
                       "all are rods, or all points; none inside: true); give inertia",
                       body->name);
    double offset = sprag_vec3_norm(draft->centroid), radius = 0;
    for (int k = 0; k < 6; k++)
        body->tensor[k] = body->mass / draft->amount * draft->tensor[k];
    add_offset(body->tensor, body->mass, draft->centroid);
    drop_rounding(body->tensor);
    SPRAG_TRY(complete_line(reader, draft));
    for (int i = 0; i < draft->shape_count; i++)
        radius = fmax(radius, sprag_shape_reach(&draft->shapes[i]));
    const double slack = 1e-9; // of the body's size: rounding of the file's numbers
    if (offset > slack * radius)
        SPRAG_TRY(note(reader,
                       "%s: the centroid of the shapes is %.6g m from the centre of mass; the "
                       "derived inertia counts it (com: auto moves the centre)",
                       body->name, offset));
    const double *I = body->tensor;
    double largest = fmax(I[0], fmax(I[1], I[2])), off = fabs(I[3]) + fabs(I[4]) + fabs(I[5]);
    if (off <= slack * largest)
        return note(reader, "inertia of %s: [%.6g, %.6g, %.6g] kg m², from its shapes", body->name,
                    I[0], I[1], I[2]);
    return note(reader,
                "inertia of %s: [%.6g, %.6g, %.6g, %.6g, %.6g, %.6g] kg m², from its shapes",
                body->name, I[0], I[1], I[2], I[3], I[4], I[5]);
}

static SpragStatus check_reach(Reader *reader, const BodyDraft *draft, const Node *inertia)
{
    const SpragBody *body = &draft->body;
    const double slack = 1e-9; // point masses reach the bound: allow rounding
    double radius = 0, half = 0.5 * (body->tensor[0] + body->tensor[1] + body->tensor[2]);
    for (int i = 0; i < draft->shape_count; i++) {
        const SpragShape *shape = &draft->shapes[i];
        radius = fmax(radius, sprag_shape_bounds_mass(shape) ? sprag_shape_reach(shape) : INFINITY);
    }
    double most = body->mass * radius * radius;
    if (radius > 0 && half > most * (1 + slack))
        return fail_at(reader, inertia,
                       "half the trace of the inertia, %g kg m², is more than a rigid body of mass "
                       "%g kg within %g m of its centre of mass can have; at most %g",
                       half, body->mass, radius, most);
    return SPRAG_OK;
}

static SpragStatus read_tensor(Reader *reader, const Node *node, double tensor[6])
{
    if (node->kind != NODE_SEQUENCE || (node->count != 3 && node->count != 6))
        return fail_at(reader, node,
                       "inertia in space is [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz], got "
                       "%s",
                       node->kind == NODE_SEQUENCE ? "another number of entries"
                                                   : shown_node(reader, node));
    memset(tensor, 0, 6 * sizeof *tensor);
    for (int i = 0; i < node->count; i++)
        SPRAG_TRY(read_number(reader, node->items[i], "inertia", KIND_INERTIA,
                              i < 3 ? RANGE_POSITIVE : RANGE_ALL, &tensor[i]));
    return SPRAG_OK;
}

SpragStatus read_inertia_space(Reader *reader, BodyDraft *draft)
{
    const Node *node = node_get(draft->node, "inertia");
    SpragBody *body = &draft->body;
    if (!node)
        return derive(reader, draft);
    SPRAG_TRY(read_tensor(reader, node, body->tensor));
    SPRAG_TRY(locate(reader, node, sprag_tensor_check(reader->context, body->name, body->tensor)));
    return check_reach(reader, draft, node);
}

SpragStatus check_unused_space(Reader *reader, const Node *node)
{
    const Node *inertia = node_get(node, "inertia");
    double tensor[6];
    return inertia ? read_tensor(reader, inertia, tensor) : SPRAG_OK;
}

SpragStatus read_state_space(Reader *reader, BodyDraft *draft)
{
    SpragBody *body = &draft->body;
    const Node *orientation = node_get(draft->node, "orientation");
    const Node *spin = node_get(draft->node, "spin");
    SPRAG_TRY(refuse_angle(reader, draft->node));
    body->orientation = (SpragQuaternion){1, 0, 0, 0};
    body->angle_given = orientation != NULL;
    body->spin_given = spin != NULL;
    if (orientation)
        SPRAG_TRY(read_orientation(reader, orientation, &body->orientation));
    return spin ? read_numbers(reader, spin, "spin", KIND_SPIN, 3, body->angular) : SPRAG_OK;
}
