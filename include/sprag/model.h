// model.h: what a scene means once it is checked: bodies, shapes, materials, rules, loads, springs.
//
// A model is built once through the sprag_model_add_* calls (the scene reader uses nothing else)
// and then read only, unless sprag_model_replace_* gives its items other numbers. Bodies, shapes
// and so on are indices in the order they were added. Lengths are metres, angles radians. In the
// plane (dimension 2) only x, y of a vector are used, and z is 0.
#ifndef SPRAG_MODEL_H
#define SPRAG_MODEL_H

#include "sprag/base.h"
#include "sprag/compliance.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPRAG_WORLD = -1 }; // body index of the world

// ---- Friction and materials ---------------------------------------------------------------------

typedef struct SpragFriction {
    bool given;
    double stationary; // μ at zero slip
    double kinetic;    // μ in slip
    double stribeck;   // speed over which one passes into the other; 0: at once
} SpragFriction;

typedef struct SpragMaterial {
    char *name;
    SpragFriction friction;
    SpragRestitution restitution;
    double young, poisson_ratio; // 0: not given
    SpragCompliance compliance;  // law RIGID: none given; two materials act in series
} SpragMaterial;

// ---- Bodies and shapes --------------------------------------------------------------------------

typedef struct SpragBody {
    char *name;
    bool fixed;
    double mass;        // kg; 0 for a fixed body
    double inertia;     // kg m², about the centre of mass (plane)
    double tensor[6];   // space: Ixx Iyy Izz Ixy Ixz Iyz about the centre of mass, body's frame
    double position[3]; // of the centre of mass
    double angle;       // plane
    SpragQuaternion orientation; // space: from the body's frame to the world's; of length 1
    double velocity[3];          // of the centre of mass
    double spin;                 // plane
    double angular[3];           // space: angular velocity, world frame
    bool angle_given;            // the scene fixes it (or orientation): `start` must not change it
    bool spin_given;
    double com[3];              // centre of mass in the frame that shapes and sites were given in
    double surface_velocity[3]; // of a fixed body's surface (a belt), world frame
    int line, column;           // where it stands in the file; 0: not from a file
} SpragBody;

typedef enum SpragShapeKind {
    SPRAG_SHAPE_CIRCLE,  // plane: 1 vertex (the centre), radius
    SPRAG_SHAPE_CAPSULE, // 2 vertices a, b (ends of the core), radius
    SPRAG_SHAPE_BOX,     // 4 vertices c0 … c3, counter-clockwise from the lower left; in space 8:
                         // those of the lower side seen from above, then those of the upper side
    SPRAG_SHAPE_POLYGON, // plane: 3 or more vertices c0 …, convex, counter-clockwise
    SPRAG_SHAPE_ROD,     // 2 vertices a, b: touches with its point tips only
    SPRAG_SHAPE_POINTS,  // 1 or more named vertices
    SPRAG_SHAPE_PLANE,   // half-plane, half-space: normal · (p − origin) = offset; infinite
    SPRAG_SHAPE_CHAIN,   // plane: 2 or more vertices p0 …, segments s0 …; closed or open
    SPRAG_SHAPE_SPHERE,  // space: 1 vertex (the centre), radius
    SPRAG_SHAPE_CYLINDER, // space: 2 vertices a, b (centres of its flat ends), radius
    SPRAG_SHAPE_HULL,     // space: a convex polyhedron, corners c0 … in the order given
    SPRAG_SHAPE_MESH,     // space: a convex body (solid) or, on a fixed body, triangles (surface)
    SPRAG_SHAPE_FIELD,    // space: height-field, fixed triangles (surface)
    SPRAG_SHAPE_KIND_COUNT
} SpragShapeKind;

const char *sprag_shape_kind_name(SpragShapeKind kind);

// A convex polyhedron in the body's frame. Coplanar facets are one face.
typedef struct SpragSolid {
    int vertex_count, face_count, edge_count;
    SpragVec3 *vertices;
    int *face_first;    // face_count + 1: where each face begins in face_vertices
    int *face_vertices; // loops of vertices, counter-clockwise seen from outside
    SpragVec3 *normals; // unit, outward
    double *offsets;    // normal · p = offset on the face
    int *edge_vertices; // two an edge
    int *edge_faces; // two an edge: on the left and on the right of the way from the first vertex
                     // to the second, seen from outside
} SpragSolid;

// Triangles, one-sided: the solid lies behind them (vertices counter-clockwise seen from outside).
typedef struct SpragSurface {
    int vertex_count, triangle_count;
    SpragVec3 *vertices;
    int *triangles;     // three vertices a triangle
    SpragVec3 *normals; // unit, one a triangle
    int *neighbours;    // three a triangle: across the side from vertex i to i + 1; −1: a border
} SpragSurface;

// Vertices and normal are in the body's frame with the centre of mass as origin: `at`, `angle` or
// `orientation`, and `com` of the scene have been applied.
typedef struct SpragShape {
    SpragShapeKind kind;
    int body;
    char *name;   // NULL: none given
    int material; // index; −1: none
    int vertex_count;
    SpragVec2 *vertices;   // plane (dimension 2); else NULL
    SpragVec3 *points;     // space: the same; those of a solid too, in its order; surfaces: NULL, 0
    char **vertex_names;   // vertex_count names: a, b; c0 …; p0 …; those of `points`; "centre"
    double radius;         // circle, capsule, sphere, cylinder; else 0
    SpragVec3 normal;      // plane: unit normal, out of the solid
    double offset;         // plane: distance of the surface from the body's origin along the normal
    bool closed;           // chain
    bool inside;           // the solid is around the shape (a hole, a bowl); plane: circles only
    SpragVec3 centre;      // space: origin of the shape's own frame
    SpragMat3 axes;        // space: its columns are the axes of that frame
    double size[3];        // box: whole lengths along them; cylinder, capsule: [2] is the length
    SpragSolid *solid;     // box, hull, convex mesh in space; owned; else NULL
    SpragSurface *surface; // fixed mesh, height-field; owned; else NULL
    bool has_surface_velocity;
    double surface_velocity[3]; // of this shape, world frame; else the body's
} SpragShape;

// A named place of a body, in the body's frame.
typedef struct SpragSite {
    char *name;
    int body;
    SpragVec3 local;
} SpragSite;

// A place: fixed in the frame of `body` (SPRAG_WORLD: in the world).
typedef struct SpragPlace {
    int body;
    SpragVec3 local;
} SpragPlace;

// ---- Pair rules, loads, springs, start ----------------------------------------------------------

// What a rule's `between` names. More specific selectors have larger kinds.
typedef struct SpragSelector {
    enum {
        SPRAG_SELECT_ANY,
        SPRAG_SELECT_MATERIAL,
        SPRAG_SELECT_BODY,
        SPRAG_SELECT_SHAPE,
        SPRAG_SELECT_FEATURE
    } kind;
    int index;   // material, body or shape
    int feature; // vertex of the shape
} SpragSelector;

typedef enum SpragPairModel {
    SPRAG_PAIR_AUTO,
    SPRAG_PAIR_RIGID,
    SPRAG_PAIR_COMPLIANT
} SpragPairModel;

typedef struct SpragRule {
    char *name; // NULL: none
    SpragSelector between[2];
    SpragFriction friction;
    SpragRestitution restitution;
    bool compliance_given;
    SpragCompliance compliance;
    SpragFrictionLaw friction_law;
    bool ignore;               // collide: false
    SpragPairModel pair_model; // model:
} SpragRule;

typedef struct SpragLoad {
    int body;
    double force[3];  // N, in the world frame, or the body's
    double torque;    // N m (plane)
    double moment[3]; // N m (space), in the same frame as the force
    SpragVec3 local;  // point of application in the body's frame
    bool body_frame;
} SpragLoad;

// Linear spring and damper between two places: force stiffness (length − rest) + damping length'.
typedef struct SpragSpring {
    char *name;
    SpragPlace ends[2];
    double stiffness, damping, rest;
} SpragSpring;

// One line of `start`.
typedef struct SpragStart {
    enum { SPRAG_START_CONTACT, SPRAG_START_POINT } kind;
    char *contact;              // name of a rule or a contact; NULL: the pair below
    SpragSelector between[2];   // contact NULL
    double gap;                 // wanted gap
    bool normal_velocity_given; // else 0
    double normal_velocity;
    bool slip_given;
    double slip; // plane
    SpragVec3
        slip_along;   // space: a vector in the world, of which the part along the surface counts
    SpragPlace point; // kind POINT
    bool at_given;
    SpragVec3 at;
    bool velocity_given;
    SpragVec3 velocity;
    int line, column; // where it stands in the file; 0: not from a file
} SpragStart;

typedef struct SpragParameter {
    char *name;
    double value;
    bool has_range;
    double from, to;
} SpragParameter;

typedef enum SpragMotionKind {
    SPRAG_MOTION_AUTO,
    SPRAG_MOTION_EVENTS,
    SPRAG_MOTION_COMPLIANT,
    SPRAG_MOTION_STEPPING
} SpragMotionKind;

typedef enum SpragBranch {
    SPRAG_BRANCH_KEEP,
    SPRAG_BRANCH_LIFT,
    SPRAG_BRANCH_STICK,
    SPRAG_BRANCH_BOTH
} SpragBranch;

typedef enum SpragParadox {
    SPRAG_PARADOX_DEFAULT, // as the motion says
    SPRAG_PARADOX_STOP,
    SPRAG_PARADOX_IMPULSE,
    SPRAG_PARADOX_COMPLIANT
} SpragParadox;

typedef struct SpragSimulate {
    SpragMotionKind motion;
    double until, step, tolerance, output_step, contact_tolerance;
    SpragBranch branch;
    SpragParadox paradox;
    SpragImpactScheme impacts;
} SpragSimulate;

SpragSimulate sprag_simulate_default(void);

// ---- The model ----------------------------------------------------------------------------------

typedef struct SpragModelNames SpragModelNames;

// Largest magnitude of any length, velocity, force … of a model, and the least mass: far beyond
// mechanics, and such that products of a few numbers stay finite.
#define SPRAG_MODEL_LARGEST 1e30
#define SPRAG_MODEL_SMALLEST 1e-30

typedef struct SpragModel {
    SpragContext *context;
    SpragModelNames *names; // owned: who is called what, for quick look-up
    char *name;             // "" if none
    char *source;           // owned: the file, for messages; NULL: built in code
    int dimension;
    double gravity[3];
    SpragSimulate simulate;
    int parameter_count, material_count, body_count, shape_count, site_count, rule_count,
        load_count, spring_count, start_count;
    SpragParameter *parameters;
    SpragMaterial *materials;
    SpragBody *bodies;
    SpragShape *shapes;
    SpragSite *sites;
    SpragRule *rules;
    SpragLoad *loads;
    SpragSpring *springs;
    SpragStart *starts;
    size_t parameter_capacity, material_capacity, body_capacity, shape_capacity, site_capacity,
        rule_capacity, load_capacity, spring_capacity, start_capacity;
} SpragModel;

SPRAG_MUST_USE SpragStatus sprag_model_create(SpragContext *context, SpragModel **model);
void sprag_model_destroy(SpragModel *model);

// Each call copies its argument (texts, arrays, solids and surfaces too) to the end of the list;
// *index (may be NULL) receives its number. A shape in space whose `axes` are all zero gets centre,
// axes and size from its points; a box or a hull without `solid` gets that too. Numbers are checked
// as far as one entry can tell: finite, mass > 0, an inertia a rigid body can have, μ ≥ 0, names
// new and not reserved; ERROR_INPUT otherwise.
SPRAG_MUST_USE SpragStatus sprag_model_add_parameter(SpragModel *model, const SpragParameter *item,
                                                     int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_material(SpragModel *model, const SpragMaterial *item,
                                                    int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_body(SpragModel *model, const SpragBody *item,
                                                int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_shape(SpragModel *model, const SpragShape *item,
                                                 int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_site(SpragModel *model, const SpragSite *item,
                                                int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_rule(SpragModel *model, const SpragRule *item,
                                                int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_load(SpragModel *model, const SpragLoad *item,
                                                int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_spring(SpragModel *model, const SpragSpring *item,
                                                  int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_start(SpragModel *model, const SpragStart *item,
                                                 int *index);

// Each call puts other numbers into item `index` of a list: for models that are wanted again and
// again with small changes. Names and owned texts of `item` are not looked at; what it is called,
// its kind and its counts stay. Checks as above; on failure the model is as before.
SPRAG_MUST_USE SpragStatus sprag_model_replace_parameter(SpragModel *model, int index,
                                                         const SpragParameter *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_material(SpragModel *model, int index,
                                                        const SpragMaterial *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_body(SpragModel *model, int index,
                                                    const SpragBody *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_shape(SpragModel *model, int index,
                                                     const SpragShape *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_site(SpragModel *model, int index,
                                                    const SpragSite *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_rule(SpragModel *model, int index,
                                                    const SpragRule *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_load(SpragModel *model, int index,
                                                    const SpragLoad *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_spring(SpragModel *model, int index,
                                                      const SpragSpring *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_start(SpragModel *model, int index,
                                                     const SpragStart *item);

// Index of the body with that name, −1 if there is none.
int sprag_model_find_body(const SpragModel *model, const char *name);
int sprag_model_find_material(const SpragModel *model, const char *name);
// A place by its path "body.com", "body.site", "body.feature", "body.shape.feature". False: no
// such.
bool sprag_model_find_place(const SpragModel *model, const char *path, SpragPlace *place);

// What a rule's `between` may name: "*", "body", "body.shape", "body.feature",
// "body.shape.feature", "material"; an unnamed shape answers to its kind ("rod.capsule"). A body
// goes before a material of the same name. False: no such, or several features have that name.
bool sprag_model_find_selector(const SpragModel *model, const char *path, SpragSelector *selector);

// What needs several entries: an inertia about the centre of mass is at most mass × (largest
// distance of the body's shapes from it)², if its shapes are finite. ERROR_INPUT otherwise.
SPRAG_MUST_USE SpragStatus sprag_model_check(const SpragModel *model);
// Largest distance of the body's shapes from its centre of mass; INFINITY for a plane; 0: no
// shapes.
double sprag_model_body_radius(const SpragModel *model, int body);

// NULL if the text may be the name of a body, material, site, contact …, else what is wrong with it
// ("is reserved" …): letters, digits, _ - and /, not first a digit; not on off yes no true false
// null world.
const char *sprag_name_fault(const char *name);

// Volume, centroid and second moments Ixx Iyy Izz Ixy Ixz Iyz about the centroid, in the body's
// frame, of a shape in space of density 1 (kg/m³); a rod counts as a line of 1 kg/m, points as
// masses of 1 kg each. False: the shape has no such measure (plane, surface, inside).
bool sprag_shape_measure_space(const SpragShape *shape, double *volume, SpragVec3 *centroid,
                               double second_moment[6]);
// Whether a rigid body can have this inertia tensor (Ixx Iyy Izz Ixy Ixz Iyz): positive about every
// axis, principal moments that obey the triangle inequality. ERROR_INPUT with the numbers
// otherwise; `whose` begins the sentence.
SPRAG_MUST_USE SpragStatus sprag_tensor_check(SpragContext *context, const char *whose,
                                              const double tensor[6]);
// Largest distance of a shape in space from its body's origin; INFINITY for a plane.
double sprag_shape_reach(const SpragShape *shape);
// The polyhedron of a box (8 corners in the order of SPRAG_SHAPE_BOX), the convex hull of points
// (points inside of it or on its faces are left out; order kept), and the one that triangles (three
// indices each) enclose. ERROR_INPUT: flat, or, of triangles, open, inverted or not convex, with a
// sentence that says where. The caller owns *solid.
SPRAG_MUST_USE SpragStatus sprag_solid_create_hull(SpragContext *context, int count,
                                                   const SpragVec3 *points, SpragSolid **solid);
SPRAG_MUST_USE SpragStatus sprag_solid_create_triangles(SpragContext *context, int count,
                                                        const SpragVec3 *points, int triangle_count,
                                                        const int *triangles, SpragSolid **solid);
void sprag_solid_destroy(SpragContext *context, SpragSolid *solid);
// A surface of triangles with its normals and neighbours. ERROR_INPUT: no triangles, an index or a
// number that is none, a side that more than two share.
SPRAG_MUST_USE SpragStatus sprag_surface_create(SpragContext *context, int count,
                                                const SpragVec3 *points, int triangle_count,
                                                const int *triangles, SpragSurface **surface);
void sprag_surface_destroy(SpragContext *context, SpragSurface *surface);

// Area, centroid and second moment about the centroid of a shape of density 1 (kg/m²). A rod counts
// as a line of mass 1 kg/m; points as equal masses. False: the shape has no such measure (plane,
// chain, inside).
bool sprag_shape_measure(const SpragShape *shape, double *area, SpragVec2 *centroid,
                         double *second_moment);
// The scene's size that relative tolerances refer to, in metres: twice the largest distance of a
// moving body's shapes from its centre of mass (1 if nothing has a size). Where bodies stand does
// not matter to it.
double sprag_model_size(const SpragModel *model);

#ifdef __cplusplus
}
#endif

#endif
