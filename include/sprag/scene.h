// scene.h: scene and problem files in: YAML (so JSON too), expressions, units.
//
// Every message reads "file:line:column: what is wrong, and what would be right".
#ifndef SPRAG_SCENE_H
#define SPRAG_SCENE_H

#include "sprag/complementarity.h"
#include "sprag/contact.h"
#include "sprag/friction.h"
#include "sprag/model.h"
#include "sprag/output.h"
#include "sprag/scalar.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpragScene SpragScene;

typedef enum SpragSceneKind {
    SPRAG_SCENE_MODEL,        // bodies
    SPRAG_SCENE_CONTACT,      // problem: contact
    SPRAG_SCENE_LCP,          // problem: lcp
    SPRAG_SCENE_QP,           // problem: qp
    SPRAG_SCENE_FRICTION,     // problem: friction
    SPRAG_SCENE_SCALAR,       // problem: scalar, one coordinate
    SPRAG_SCENE_GUIDES,       // problem: scalar with matrices
    SPRAG_SCENE_SCREW,        // problem: screw
    SPRAG_SCENE_TRANSMISSION, // problem: transmission
    SPRAG_SCENE_IMPACT        // problem: impact
} SpragSceneKind;

// One --set PATH=VALUE: a parameter's name, or a path through the file by keys, names and indices.
typedef struct SpragSceneSet {
    const char *path;
    const char *value;
} SpragSceneSet;

typedef struct SpragSceneSettings {
    const SpragSceneSet *sets; // applied in order, before anything is interpreted
    int set_count;
    uint32_t cookie;
} SpragSceneSettings;

SpragSceneSettings sprag_scene_default(void);

// Reads and checks a file; settings NULL: the defaults. *scene is owned by the caller.
SPRAG_MUST_USE SpragStatus sprag_scene_read(SpragContext *context, const char *path,
                                            const SpragSceneSettings *settings, SpragScene **scene);
// The same from memory; `name` stands for the file in messages.
SPRAG_MUST_USE SpragStatus sprag_scene_read_text(SpragContext *context, const char *name,
                                                 const char *text, size_t length,
                                                 const SpragSceneSettings *settings,
                                                 SpragScene **scene);
void sprag_scene_destroy(SpragScene *scene);

SpragSceneKind sprag_scene_kind(const SpragScene *scene);
const char *sprag_scene_name(const SpragScene *scene);
// Borrowed; NULL unless the scene is of that kind.
const SpragModel *sprag_scene_model(const SpragScene *scene);
// The same, for who has the scene alone and changes its model (sprag_model_add_*, _replace_*).
SpragModel *sprag_scene_edit_model(SpragScene *scene);
const SpragContactProblem *sprag_scene_contact_problem(const SpragScene *scene);
// Whether a bare contact problem tells that something moves: it has a bias J̇ v other than 0. (A
// slip is told by its contact.) False for all other scenes.
bool sprag_scene_is_moving(const SpragScene *scene);

// What a bare impact says of one contact beside its friction.
typedef struct SpragSceneImpactContact {
    SpragRestitution restitution;
    double stiffness, exponent; // of its layer, relative to the others; 0: not given
} SpragSceneImpactContact;
// problem: impact, u⁺ = W P + u⁻ (theory.md section 10).
typedef struct SpragSceneImpact {
    const SpragContactProblem *problem; // b: u⁻; friction: kinetic, and friction_static
    const SpragSceneImpactContact *contacts;
    bool has_velocity; // free_acceleration of the problem: velocities of the coordinates before
} SpragSceneImpact;
const SpragSceneImpact *sprag_scene_impact(const SpragScene *scene);

// Bare LCP w = M z + q and QP min ½ xᵀQx + cᵀx, H x ≤ K, x ≥ 0 (theory.md (3.6)). Row-major.
typedef struct SpragSceneLcp {
    int n;
    const double *M, *q;
} SpragSceneLcp;
typedef struct SpragSceneQp {
    int n, constraint_count;
    const double *Q, *c, *H, *K;
} SpragSceneQp;
const SpragSceneLcp *sprag_scene_lcp(const SpragScene *scene);
const SpragSceneQp *sprag_scene_qp(const SpragScene *scene);
// problem: friction, W dense.
const SpragFrictionProblem *sprag_scene_friction(const SpragScene *scene);

// problem: scalar, screw or transmission of one degree of freedom (theory.md section 9).
typedef struct SpragSceneDrive {
    SpragPair pair;       // checked
    SpragPairState state; // at t = 0, with the inputs there
    bool has_input, has_acceleration;
    double acceleration; // wanted, of the output coordinate: the inverse problem
    bool input_varies;   // in time
    SpragScalar scalar;  // what the file has; of the scene's kind only
    SpragScrew screw;
    SpragTransmission transmission;
    SpragSimulate simulate;
} SpragSceneDrive;
const SpragSceneDrive *sprag_scene_drive(const SpragScene *scene);
// Input 0 or 1 of the drive, or one of a coordinate of several guides, at time t; nothing is
// allocated. Not finite: the formula has no value.
double sprag_scene_input(const SpragScene *scene, int input, double t);
// Times where an input has a kink, ascending; borrowed.
const double *sprag_scene_input_breaks(const SpragScene *scene, int *count);
// problem: scalar with matrices and vectors; the acceleration wanted, or NULL.
const SpragGuides *sprag_scene_guides(const SpragScene *scene, const double **acceleration);
// What a run of several guides needs beside them.
typedef struct SpragSceneGuidesRun {
    const double *position;       // n, at t = 0
    bool has_input, input_varies; // in time
    SpragSimulate simulate;
} SpragSceneGuidesRun;
const SpragSceneGuidesRun *sprag_scene_guides_run(const SpragScene *scene);
// A drive from sprag_scene_source_build whose numbers contradict each other, as friction beyond
// (9.15): the reason; then nothing else may be asked of it. "" for others; files fail instead.
const char *sprag_scene_drive_invalid(const SpragScene *scene);

// Defaults that were used and things worth saying, one sentence each ("friction of rod.a-table:
// nothing gives it, 0").
int sprag_scene_note_count(const SpragScene *scene);
const char *sprag_scene_note(const SpragScene *scene, int note);

// ---- Built-in scenes ----------------------------------------------------------------------------

// The scenes of examples/ are inside the library: wherever the path of a scene is asked for,
// "example:painleve-rod" is one of them, with the parts and meshes that it names.
typedef struct SpragExample {
    char name[64];    // "painleve-rod"
    char title[160];  // its `name:`
    const char *text; // the file, `length` bytes and a 0
    size_t length;
} SpragExample;

// The bytes of a scene's file, built-in ones too, added to `text`.
SPRAG_MUST_USE SpragStatus sprag_scene_read_file(SpragContext *context, const char *path,
                                                 SpragText *text);
int sprag_example_count(void);
// In the order of their names; all zero if there is no such number.
void sprag_example_about(int index, SpragExample *about);
// −1: there is none of that name.
int sprag_example_find(const char *name);

// ---- Outputs and expectations -------------------------------------------------------------------

// What `outputs:` lists, in its order; borrowed. Names of events, contacts and signals are looked
// up where a system is there (sprag_record_create).
const SpragOutput *sprag_scene_outputs(const SpragScene *scene, int *count);

// What `events:` lists, in its order; borrowed.
const SpragWatch *sprag_scene_events(const SpragScene *scene, int *count);

// One line of `expect:`: an output, or a key of a result, and what it must be.
typedef struct SpragSceneExpect {
    const char *name;   // "t_rev", "verdict", "energy.drift"
    const char *word;   // wanted: "unique", "true"; NULL: a number
    double least, most; // of the number; equal: one value is wanted
    int line, column;   // where it stands in the file; 0: not from a file
} SpragSceneExpect;

// What `expect:` lists, in its order; borrowed.
const SpragSceneExpect *sprag_scene_expects(const SpragScene *scene, int *count);
// Whether a number is what is wanted. A single value is met to a millionth of itself; 0 to 1e-9.
bool sprag_expect_is_met(const SpragSceneExpect *expect, double number);

// ---- One file, many numbers ---------------------------------------------------------------------

// A file that is parsed once and made into scenes again and again with other numbers: for maps and
// margins. Belongs to one thread, with its context.
typedef struct SpragSceneSource SpragSceneSource;

// Reads and parses a file; settings as for sprag_scene_read. *source is owned by the caller.
SPRAG_MUST_USE SpragStatus sprag_scene_source_create(SpragContext *context, const char *path,
                                                     const SpragSceneSettings *settings,
                                                     SpragSceneSource **source);
// The same from memory; `name` stands for the file in messages.
SPRAG_MUST_USE SpragStatus sprag_scene_source_create_text(SpragContext *context, const char *name,
                                                          const char *text, size_t length,
                                                          const SpragSceneSettings *settings,
                                                          SpragSceneSource **source);
void sprag_scene_source_destroy(SpragSceneSource *source);

// A number of the file that is to vary.
typedef struct SpragSceneVariable {
    bool has_value; // the file gives it one
    double value;   // SI
    bool has_range; // a parameter's
    double from, to;
    double unit;        // SI value of the unit that people use for it; 1: none
    char unit_name[24]; // "deg"; "": none
} SpragSceneVariable;

// Makes the number at a path (as in SpragSceneSet) the next variable, from 0; all of them before
// the first scene is made.
SPRAG_MUST_USE SpragStatus sprag_scene_source_add_variable(SpragSceneSource *source,
                                                           const char *path);
// What is known of a variable.
const SpragSceneVariable *sprag_scene_source_variable(const SpragSceneSource *source, int variable);
// Reads `texts` ("5 deg", "2*pi/3") as values of a variable, SI. A unit of the last one holds for
// those that have none, and becomes the variable's.
SPRAG_MUST_USE SpragStatus sprag_scene_source_read_values(SpragSceneSource *source, int variable,
                                                          int count, const char *const *texts,
                                                          double *numbers);
// The scene with these values of the variables (SI), its notes may be missing. *scene is owned by
// the caller.
SPRAG_MUST_USE SpragStatus sprag_scene_source_build(SpragSceneSource *source, const double *values,
                                                    SpragScene **scene);

// What sprag_scene_source_update did to a scene, from little to much.
typedef enum SpragSceneChange {
    SPRAG_SCENE_SAME,     // nothing that a system is made from
    SPRAG_SCENE_CONTACTS, // friction, restitution and layers of contacts
    SPRAG_SCENE_NUMBERS,  // any numbers; names, kinds, counts and order stayed
    SPRAG_SCENE_OTHER // it cannot be done in place, or a number is not allowed: the scene is fit
                      // to be destroyed only, and sprag_scene_source_build tells more
} SpragSceneChange;

// Gives the scene that this source made last other values of the variables: its model or contact
// problem is then as sprag_scene_source_build would make it, at the same address, and only what
// depends on the values was read again. Other kinds of scenes are left alone: OTHER. Warm, nothing
// is allocated.
SPRAG_MUST_USE SpragStatus sprag_scene_source_update(SpragSceneSource *source, const double *values,
                                                     SpragScene *scene, SpragSceneChange *change);

// ---- Files of others ----------------------------------------------------------------------------

// An LCP w = M z + q read from a Siconos .dat file. Owned by the caller.
typedef struct SpragLcpFile {
    int n;
    double *M; // n × n, row-major
    double *q; // n
} SpragLcpFile;

// Reads a .dat file: dense storage (0) or sparse blocks (1). What follows q is remark.
SPRAG_MUST_USE SpragStatus sprag_lcp_read_dat(SpragContext *context, const char *path,
                                              SpragLcpFile *file);
// The same from memory; `name` stands for the file in messages.
SPRAG_MUST_USE SpragStatus sprag_lcp_read_dat_text(SpragContext *context, const char *name,
                                                   const char *text, size_t length,
                                                   SpragLcpFile *file);
void sprag_lcp_file_destroy(SpragContext *context, SpragLcpFile *file);

// A friction problem u = W r + q read from a file. problem borrows the arrays, which are owned by
// the caller through the whole; those that its storage does not need are NULL.
typedef struct SpragFrictionFile {
    SpragFrictionProblem problem;
    double *q, *friction, *W; // W: dense, or blocks
    int *row_start, *column;
    double *inverse_inertia, *jacobian;
    int *bodies;
    unsigned char *kinds;
} SpragFrictionFile;

// Reads a Siconos .dat file (W dense, in sparse blocks, or as CSparse prints it) or an FCLIB file
// (HDF5; local, or global: then M is eliminated, or kept body by body where it is made of bodies;
// rows that hold at any force become bilateral blocks behind the contacts).
SPRAG_MUST_USE SpragStatus sprag_friction_read(SpragContext *context, const char *path,
                                               SpragFrictionFile *file);
// The same from memory; `name` stands for the file in messages.
SPRAG_MUST_USE SpragStatus sprag_friction_read_dat_text(SpragContext *context, const char *name,
                                                        const char *text, size_t length,
                                                        SpragFrictionFile *file);
SPRAG_MUST_USE SpragStatus sprag_friction_read_fclib_bytes(SpragContext *context, const char *name,
                                                           const char *bytes, size_t length,
                                                           SpragFrictionFile *file);
void sprag_friction_file_destroy(SpragContext *context, SpragFrictionFile *file);

// What a problem file of others holds, by its first words or bytes; LCP_DAT where nothing tells.
typedef enum SpragProblemFileKind {
    SPRAG_PROBLEM_FILE_LCP_DAT,
    SPRAG_PROBLEM_FILE_FRICTION_DAT,
    SPRAG_PROBLEM_FILE_FCLIB
} SpragProblemFileKind;
SPRAG_MUST_USE SpragStatus sprag_problem_file_kind(SpragContext *context, const char *path,
                                                   SpragProblemFileKind *kind);

// Triangles read from a mesh file, in the file's unit of length. Vertices at one place are one.
typedef struct SpragMeshFile {
    int vertex_count, triangle_count;
    SpragVec3 *vertices; // in the order in which the file has them first
    int *triangles;      // three vertices each, in the file's order
    int dropped;         // triangles that were left out: two of their corners coincide
} SpragMeshFile;

// Reads the bytes of an STL file (text or binary) or an OBJ file; the end of `name` (.stl, .obj)
// tells which. Messages have the line, or the byte. The caller owns what *file points to.
SPRAG_MUST_USE SpragStatus sprag_mesh_read_text(SpragContext *context, const char *name,
                                                const char *bytes, size_t length,
                                                SpragMeshFile *file);
void sprag_mesh_file_destroy(SpragContext *context, SpragMeshFile *file);

#ifdef __cplusplus
}
#endif

#endif
