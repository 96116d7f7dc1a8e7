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

// ---- Values over time ---------------------------------------------------------------------------

// value[0 … order]: the value at t and its first `order` (0, 1 or 2) derivatives.
typedef void SpragTimeFunction(double t, int order, double *value, const void *user);

// A number that may vary in time. What `user` and `breaks` point to outlives the model.
typedef struct SpragTimeValue {
    double number;               // the value at t = 0; without `evaluate` at all times
    SpragTimeFunction *evaluate; // NULL: constant
    const void *user;
    const double *breaks; // times where it has a kink, ascending
    int break_count;
} SpragTimeValue;

// value[0 … order] at t.
void sprag_time_value_evaluate(const SpragTimeValue *value, double t, int order, double *result);

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
    int line, column;            // where its layer stands in the file; 0: not from a file
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
    // moves as told, whatever pushes it (fixed is true): offsets, added to position and angle above
    bool driven;
    SpragTimeValue drive_position[3];
    SpragTimeValue drive_angle; // plane; space: about drive_axis (world)
    SpragVec3 drive_axis;
    int line, column; // where it stands in the file; 0: not from a file
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
    bool collide;              // collide: true: bodies that share a joint, too
    SpragPairModel pair_model; // model:
    int line, column;          // where its layer stands in the file; 0: not from a file
} SpragRule;

typedef struct SpragLoad {
    int body;         // −1: on a joint
    double force[3];  // N, in the world frame, or the body's; at t = 0 if it varies
    double torque;    // N m (plane)
    double moment[3]; // N m (space), in the same frame as the force
    SpragVec3 local;  // point of application in the body's frame
    bool body_frame;
    bool on_joint; // force[0] (prismatic, distance) or torque (others) along `joint`
    int joint;
    bool varies;                   // in time: the six below count instead of the numbers above
    SpragTimeValue force_over[3];  // on a joint: [0]
    SpragTimeValue moment_over[3]; // plane and on a joint: the torque is [2]
} SpragLoad;

// Linear spring and damper between two places: force stiffness (length − rest) + damping length'.
typedef struct SpragSpring {
    char *name;
    SpragPlace ends[2];
    double stiffness, damping, rest;
} SpragSpring;

// ---- Joints and controllers ---------------------------------------------------------------------

// Names as in files. In the plane: the first five (screw: no).
#define SPRAG_JOINT_LIST(X)                                                                        \
    X(REVOLUTE, "revolute")       /* turns about its axis */                                       \
    X(PRISMATIC, "prismatic")     /* slides along its axis */                                      \
    X(WELD, "weld")               /* does not move */                                              \
    X(DISTANCE, "distance")       /* its places keep their distance */                             \
    X(SCREW, "screw")             /* space: turns about its axis and advances by `lead` a turn */  \
    X(BALL, "ball")               /* space: turns freely about its place */                        \
    X(UNIVERSAL, "universal")     /* space: turns about two crossed axes */                        \
    X(CYLINDRICAL, "cylindrical") /* space: turns about its axis and slides along it */

typedef enum SpragJointKind {
#define SPRAG_JOINT_ENUM(name, text) SPRAG_JOINT_##name,
    SPRAG_JOINT_LIST(SPRAG_JOINT_ENUM)
#undef SPRAG_JOINT_ENUM
        SPRAG_JOINT_KIND_COUNT
} SpragJointKind;

const char *sprag_joint_kind_name(SpragJointKind kind);

// The position of a joint is that of the frame of ends[1] as seen from the frame of ends[0]: an
// angle about the axis, a way along it (distance: the distance; cylindrical and screw: the angle,
// and the way second; ball and universal: none), 0 where the two frames agree.
typedef struct SpragJoint {
    char *name;
    SpragJointKind kind;
    SpragPlace ends[2];
    // Frames at the ends, in the frames of their bodies (or the world's). Columns; space: the axis
    // of the joint is the last one (universal: of ends[0] the last, of ends[1] the first), plane:
    // prismatic slides along the first.
    SpragMat3 axes[2];
    bool as_placed; // ends[1] and axes[1] are not given: they agree with the first where bodies
                    // stand after `start` (distance: the ends are given, its length is not)
    double length;  // distance; with limits it is a rope: no row, the limits only
    double lead;    // screw: advance a turn, m; > 0 right-handed
    double radius;  // of the pin, or mean radius of the thread, m
    double thread_angle;        // screw: normal angle theta of theory.md 9.3
    double bearing;             // prismatic: length of the bearing; 0: moments do not rub
    SpragFriction friction;     // from the joint's own reaction, theory.md 9.5
    SpragCompliance compliance; // of what rubs: Kelvin–Voigt, of a screw along its axis, theory.md
                                // (9.18); law RIGID: not given
    SpragPairModel model; // AUTO: as the motion says
    bool limited;
    double limits[2]; // least and largest position (of cylindrical and screw: the angle)
    SpragRestitution restitution; // at the limits
    bool sprung;                  // spring and damper along the joint; weld: a bushing, and no rows
    double stiffness[6], damping[6], rest[6]; // [0]; weld: plane x, y, angle; space x, y, z, angles
    bool driven;                              // its position (the first one) is told
    SpragTimeValue drive;
    int line, column; // where it stands in the file; 0: not from a file
} SpragJoint;

// A motor on a joint: force or torque
//     u = kp (target − position) + kd (target' − velocity) + ki ∫ (target − position) dt + forward
// within ± limit. every > 0: computed at multiples of it and held in between.
typedef struct SpragController {
    char *name; // NULL: none
    int joint;
    double kp, kd, ki;
    SpragTimeValue target, forward;
    double limit; // INFINITY: none
    double every; // s; 0: continuous (then ki must be 0)
    // In code: replaces the formula above; u is limited all the same. position, velocity of the
    // joint. NULL: the formula.
    double (*callback)(double t, double position, double velocity, void *user);
    void *user;
    int line, column;
} SpragController;

// One line of `start`.
typedef struct SpragStart {
    enum { SPRAG_START_CONTACT, SPRAG_START_POINT, SPRAG_START_JOINT } kind;
    int joint; // kind JOINT: the first position, and its rate
    bool joint_position_given, joint_velocity_given;
    double joint_position, joint_velocity;
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

// Schemes of time stepping, theory.md 11.10.
typedef enum SpragStepScheme {
    SPRAG_STEP_MOREAU_JEAN,
    SPRAG_STEP_STEWART_TRINKLE // θ = 1
} SpragStepScheme;

// Bounds of `tolerance`, and the largest `contact-tolerance`: a contact that counts as closed at a
// hundredth of the scene's size is no contact.
#define SPRAG_LEAST_RUN_TOLERANCE 1e-14
#define SPRAG_MOST_RUN_TOLERANCE 0.1
#define SPRAG_MOST_CONTACT_TOLERANCE 1e-2

enum { SPRAG_STEP_MOST_THREADS = 64 };

typedef struct SpragSimulate {
    SpragMotionKind motion;
    double until, step, tolerance, output_step, contact_tolerance; // step 0: from the scene
    SpragStepScheme scheme;
    double theta;         // of Moreau-Jean, 0 … 1
    int threads;          // of time stepping; 0: as many as there are cores
    double law_tolerance; // of time stepping, in islands of many contacts
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
        load_count, spring_count, joint_count, controller_count, start_count;
    SpragParameter *parameters;
    SpragMaterial *materials;
    SpragBody *bodies;
    SpragShape *shapes;
    SpragSite *sites;
    SpragRule *rules;
    SpragLoad *loads;
    SpragSpring *springs;
    SpragJoint *joints;
    SpragController *controllers;
    SpragStart *starts;
    size_t parameter_capacity, material_capacity, body_capacity, shape_capacity, site_capacity,
        rule_capacity, load_capacity, spring_capacity, joint_capacity, controller_capacity,
        start_capacity;
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
SPRAG_MUST_USE SpragStatus sprag_model_add_joint(SpragModel *model, const SpragJoint *item,
                                                 int *index);
SPRAG_MUST_USE SpragStatus sprag_model_add_controller(SpragModel *model,
                                                      const SpragController *item, int *index);
// What sprag_model_add_joint asks of a body whose end of a joint is at `local`: enough inertia for
// that arm. For ends that are found where the bodies stand (as_placed).
SPRAG_MUST_USE SpragStatus sprag_model_check_arm(const SpragModel *model, const SpragJoint *item,
                                                 int body, SpragVec3 local);
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
SPRAG_MUST_USE SpragStatus sprag_model_replace_joint(SpragModel *model, int index,
                                                     const SpragJoint *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_controller(SpragModel *model, int index,
                                                          const SpragController *item);
SPRAG_MUST_USE SpragStatus sprag_model_replace_start(SpragModel *model, int index,
                                                     const SpragStart *item);

// Index of the body with that name, −1 if there is none.
int sprag_model_find_body(const SpragModel *model, const char *name);
int sprag_model_find_material(const SpragModel *model, const char *name);
int sprag_model_find_joint(const SpragModel *model, const char *name);
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
// Whether the mass of its body lies within it: not of points, which only say where a body touches,
// and not of what is around a hole.
bool sprag_shape_bounds_mass(const SpragShape *shape);
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
