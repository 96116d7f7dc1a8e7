// space_solid.c: features of a convex polyhedron, the nearest one to a point, and how far two
// shapes are apart along a direction. Method    all faces and edges are tried. Inside of a
// polyhedron the nearest feature is a face.
#include "space_corner.h"

void meeting_set(Meeting3 *meeting, SpragPiece first, int first_feature, SpragPiece second,
                 int second_feature)
{
    *meeting = (Meeting3){true, {first, second}, {first_feature, second_feature}};
}

// Features of a solid have one numbering: faces, then edges, then corners.
int solid_edge_feature(const SpragSolid *solid, int edge)
{
    return solid->face_count + edge;
}

int solid_corner_feature(const SpragSolid *solid, int corner)
{
    return solid->face_count + solid->edge_count + corner;
}

SpragPiece solid_face_piece(const SpragSolid *solid, int face)
{
    int corner = solid->face_vertices[solid->face_first[face]];
    return piece_plane(solid->vertices[corner], solid->normals[face]);
}

SpragVec3 solid_edge_direction(const SpragSolid *solid, int edge)
{
    const int *ends = &solid->edge_vertices[2 * edge];
    return sprag_vec3_unit(sprag_vec3_sub(solid->vertices[ends[1]], solid->vertices[ends[0]]));
}

SpragPiece solid_feature_piece(const SpragSolid *solid, int feature)
{
    if (feature < solid->face_count)
        return solid_face_piece(solid, feature);
    int edge = feature - solid->face_count;
    if (edge < solid->edge_count) {
        SpragVec3 from = solid->vertices[solid->edge_vertices[2 * edge]];
        return piece_line(from, solid_edge_direction(solid, edge), 0);
    }
    return piece_point(solid->vertices[edge - solid->edge_count], 0);
}

double solid_face_height(const SpragSolid *solid, int face, SpragVec3 c)
{
    return sprag_vec3_dot(solid->normals[face], c) - solid->offsets[face];
}

// How far c lies outside of a face's side (negative: inside), measured in the plane of the face.
double solid_side_excess(const SpragSolid *solid, int face, int side, SpragVec3 c, int *next)
{
    int first = solid->face_first[face], last = solid->face_first[face + 1] - 1;
    *next = side == last ? first : side + 1;
    SpragVec3 a = solid->vertices[solid->face_vertices[side]];
    SpragVec3 b = solid->vertices[solid->face_vertices[*next]];
    SpragVec3 out = sprag_vec3_cross(sprag_vec3_sub(b, a), solid->normals[face]);
    return sprag_vec3_dot(sprag_vec3_unit(out), sprag_vec3_sub(c, a));
}

// Largest excess over the sides of a face.
static double face_excess(const SpragSolid *solid, int face, SpragVec3 c)
{
    double most = -INFINITY;
    for (int i = solid->face_first[face], next; i < solid->face_first[face + 1]; i++)
        most = fmax(most, solid_side_excess(solid, face, i, c, &next));
    return most;
}

// Face whose plane is highest below (or least above) c.
int solid_highest_face(const SpragSolid *solid, SpragVec3 c, double *height)
{
    int best = 0;
    *height = -INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        double at = solid_face_height(solid, f, c);
        if (at > *height) {
            *height = at;
            best = f;
        }
    }
    return best;
}

static void nearest_edge(const SpragSolid *solid, SpragVec3 c, SolidNearest *nearest)
{
    nearest->distance = INFINITY;
    for (int e = 0; e < solid->edge_count; e++) {
        const int *ends = &solid->edge_vertices[2 * e];
        SpragVec3 a = solid->vertices[ends[0]], b = solid->vertices[ends[1]];
        SpragVec3 d = sprag_vec3_sub(b, a);
        double along = sprag_vec3_dot(d, sprag_vec3_sub(c, a)) / sprag_vec3_dot(d, d);
        SpragVec3 p = along <= 0 ? a : along >= 1 ? b : sprag_vec3_along(a, along, d);
        double distance = sprag_vec3_norm(sprag_vec3_sub(c, p));
        if (distance >= nearest->distance)
            continue;
        nearest->distance = distance;
        nearest->point = p;
        nearest->feature = along <= 0   ? solid_corner_feature(solid, ends[0])
                           : along >= 1 ? solid_corner_feature(solid, ends[1])
                                        : solid_edge_feature(solid, e);
    }
}

SolidNearest solid_nearest(const SpragSolid *solid, const bool *covered, SpragVec3 c)
{
    SolidNearest nearest = {.feature = 0, .distance = -INFINITY, .point = c};
    for (int f = 0; f < solid->face_count; f++) {
        double height = solid_face_height(solid, f, c);
        // what is inside comes out through a face that does not lie against another part
        bool way = !covered || !covered[f] || height > 0;
        if (way && height > nearest.distance) {
            nearest.distance = height;
            nearest.feature = f;
        }
    }
    if (nearest.distance <= 0)
        return nearest;
    for (int f = 0; f < solid->face_count; f++) {
        double height = solid_face_height(solid, f, c);
        if (height > 0 && face_excess(solid, f, c) <= 0) {
            nearest.feature = f;
            nearest.distance = height;
            return nearest;
        }
    }
    nearest_edge(solid, c, &nearest);
    return nearest;
}

// ---- Overlap of whole shapes along a direction
// ---------------------------------------------------

void shape_extent(const SpragShape *shape, const SpragPose *pose, SpragVec3 n, double *low,
                  double *high)
{
    SpragVec3 local = sprag_mat3_apply_back(&pose->R, n);
    double from = sprag_vec3_dot(n, pose->x), least = INFINITY, most = -INFINITY;
    for (int i = 0; i < shape->vertex_count; i++) {
        double at = sprag_vec3_dot(local, shape->points[i]);
        least = fmin(least, at);
        most = fmax(most, at);
    }
    *low = from + least - shape->radius;
    *high = from + most + shape->radius;
}

// How far role 0 is from role 1 along n (negative: they overlap).
double wholes_separation(const View3 *view, SpragVec3 n)
{
    double low, high, other_low, other_high;
    shape_extent(view->shape[0], view->pose[0], n, &low, &high);
    shape_extent(view->shape[1], view->pose[1], n, &other_low, &other_high);
    return low - other_high;
}

// The same along the normal of a face of one of the two polyhedra; its own extent is known.
double wholes_face_separation(const View3 *view, int role, int face, SpragVec3 *n)
{
    const SpragSolid *solid = view->shape[role]->solid;
    const SpragPose *pose = view->pose[role];
    SpragVec3 out = sprag_mat3_apply(&pose->R, solid->normals[face]);
    double low, high;
    shape_extent(view->shape[1 - role], view->pose[1 - role], out, &low, &high);
    *n = role == 1 ? out : sprag_vec3_scale(-1, out);
    return low - solid->offsets[face] - sprag_vec3_dot(out, pose->x);
}

// Whether a face of role 1 lies against another part: nothing parts through it.
static bool is_covered(const View3 *view, int face)
{
    return view->covered[1] && view->covered[1][face];
}

int solid_parting_face(const View3 *view, double *separated)
{
    const SpragSolid *solid = view->shape[1]->solid;
    int best = 0;
    SpragVec3 n;
    *separated = -INFINITY;
    for (int f = 0; f < solid->face_count; f++) {
        if (is_covered(view, f))
            continue;
        double along = wholes_face_separation(view, 1, f, &n);
        if (along > *separated) {
            *separated = along;
            best = f;
        }
    }
    return best;
}

double solid_face_separation(const View3 *view, SpragVec3 *normal)
{
    double best = -INFINITY;
    for (int role = 0; role < 2; role++) {
        const SpragSolid *solid = view->shape[role]->solid;
        for (int f = 0; solid && f < solid->face_count; f++) {
            SpragVec3 n;
            double along = wholes_face_separation(view, role, f, &n);
            if (along > best) {
                best = along;
                *normal = n;
            }
        }
    }
    return best;
}
