// scene_private.h: what the sources of the room share: nodes of a file, the reader, typed values.
#ifndef SPRAG_SCENE_PRIVATE_H
#define SPRAG_SCENE_PRIVATE_H

#include <locale.h>
#include <stdio.h>

#include "sprag/scene.h"

// ---- Values -------------------------------------------------------------------------------------

// Exponents of metre, kilogram, second, radian.
typedef struct Dimension {
    double length, mass, time, angle;
} Dimension;

// PLAIN: a number without unit; TIMED: t and numbers without unit; FREE: has passed through a
// parameter without unit, so that its kind is unknown; UNIT: the kind is known, of a product with t
// up to a power of time (t may be a number of seconds or a time).
typedef enum ValueState { VALUE_PLAIN, VALUE_TIMED, VALUE_FREE, VALUE_UNIT } ValueState;

typedef struct Value {
    double number; // SI
    ValueState state;
    Dimension dimension; // VALUE_UNIT
    bool timed;          // VALUE_UNIT: whatever its power of time
} Value;

// ---- Nodes --------------------------------------------------------------------------------------

typedef enum NodeKind { NODE_SCALAR, NODE_SEQUENCE, NODE_MAPPING } NodeKind;

// Variables of `repeat` that hold inside a copy.
typedef struct Scope Scope;
struct Scope {
    const Scope *outer;
    const char *name;
    double value;
};

// A file that is included.
typedef struct Include Include;

typedef struct Node Node;
struct Node {
    NodeKind kind;
    bool quoted;                // scalar
    const char *origin;         // NULL: the file; else the path of the --set that wrote it
    const Include *include;     // the included file where it stands; NULL: the scene itself
    int line, column;           // from 1
    const char *text;           // scalar, terminated; "" otherwise
    int count;                  // items, or pairs of a mapping
    Node **items;               // sequence: items; mapping: values
    Node **keys;                // mapping: scalars
    const Scope *scope;         // NULL: none
    const char *const *checked; // its keys are all in this list
    bool known;                 // value is what text means, whatever varies
    int parameter;              // text is the name of that parameter, from 1; 0: not known to be
    uint32_t varies;            // bit of the variable that gives its value: text is not read
    const Value *given;         // varies: that value
    Value value;                // known
    struct TimeSlot *slot;      // a value over time: its place in the last scene that was made
};

enum {
    MAX_DEPTH = 64,            // of collections in a file
    MAX_NODES = 1000000,       // of a file with its aliases and repeats expanded
    MAX_BYTES = 32 << 20,      // of a file
    MAX_EXPRESSION_DEPTH = 200 // parentheses, signs, powers and parameters of parameters together
};

// ---- The reader ---------------------------------------------------------------------------------

typedef struct Parameter {
    const char *name;
    Node *node;  // expression of the value
    Node *whole; // what stands in the file: the same, or {value, from, to}
    enum { PARAMETER_NEW, PARAMETER_OPEN, PARAMETER_DONE } state;
    uint32_t varies; // variables of the source that it depends on
    Value value;
} Parameter;

struct Include {
    const Include *outer; // the included file that includes it; NULL: the scene does
    const char *file;
    const char *prefix; // of its names: "arm/"; "": none
    const Node *entry;  // its line of `include`
    Node *root;
    Parameter *parameters; // sorted by name
    int parameter_count;
    Include *next; // in the order in which they are read
};

// First and second derivative of a function at x, where its value is y.
typedef void Slopes(double x, double y, double d[2]);
// Value and two derivatives in time of what a function makes of x and y, given likewise.
typedef void Join(const double x[3], const double y[3], double z[3]);

// One operation of a formula in postfix order.
typedef struct Operation {
    enum { PUSH_NUMBER, PUSH_TIME, APPLY_ONE, APPLY_TWO } kind;
    double number;
    double (*one)(double);
    double (*two)(double, double);
    Slopes *slopes; // of one
    Join *join;     // of two
} Operation;

// A formula of t, compiled once.
typedef struct Program {
    Operation *operations; // from the scene's memory
    size_t capacity;
    int count;
    int depth, most_depth; // of the stack
    bool varies;           // has t
} Program;

enum { MAX_PROGRAM_DEPTH = 256 };

// A value that may vary in time.
typedef struct TimeValue {
    double number;    // at t = 0, or always
    Program program;  // count 0: none
    SpragCurve curve; // count 0: none
} TimeValue;

// A value over time of a model, as read from one node; the scene keeps it.
typedef struct TimeSlot TimeSlot;
typedef struct TimeSum {
    double weights[3];
    const TimeSlot *slot;
} TimeSum;
struct TimeSlot {
    TimeSlot *next;
    TimeValue value;
    // of a list in an included file that is turned: sums of its entries
    SpragTimeValue of[3];
    TimeSum sums[3];
    double *breaks;
    size_t break_capacity;
};

struct SpragScene {
    SpragContext *context;
    SpragSceneKind kind;
    char *name;
    SpragModel *model;
    bool has_problem;
    SpragContactProblem problem;
    SpragSceneImpact impact;
    SpragSceneImpactContact *impact_contacts; // among `owned`
    SpragSceneLcp lcp;
    SpragSceneQp qp;
    SpragFrictionProblem friction;
    double *numbers[4];   // of lcp, qp or friction
    unsigned char *kinds; // of friction
    SpragSceneDrive drive;
    SpragGuides guides;
    SpragSceneGuidesRun guides_run;
    SpragCurve ratio;
    TimeValue inputs[SPRAG_GUIDES_MOST];
    double *breaks;
    int break_count;
    const double *wanted; // accelerations of guides; NULL: none
    char invalid[256];    // why the numbers of a drive do not fit together; "": they do
    void **owned;         // memory that goes with the scene
    size_t owned_capacity;
    int owned_count;
    TimeSlot *slots;      // values over time of the model
    SpragOutput *outputs; // these and their texts are among `owned`
    int output_count;
    SpragWatch *events;
    int event_count;
    SpragSceneExpect *expects;
    int expect_count;
    char **notes;
    int note_count;
    size_t note_capacity;
};

// A file inside of the page of a run, or one that is noted while a scene is packed.
typedef struct BundleFile BundleFile;
struct BundleFile {
    const char *name;  // relative to the folder of the scene
    const char *bytes; // with a zero behind them
    size_t length;
    const BundleFile *next;
};

typedef struct Reader Reader;

// A part of a scene that comes from one node, and what it depends on: when one of its variables
// changes it can be read again, into the same place (scene_parts.c).
typedef struct Part Part;
typedef SpragStatus PartReader(Reader *reader, Part *part);
struct Part {
    PartReader *read;
    SpragSceneChange change;     // what other numbers in it mean
    const Node *key, *node;      // key: where it stands in a mapping, else NULL
    int index;                   // in its list of the model; −1: not there yet
    int body;                    // part of that body; −1: of none
    int first_shape, first_site; // a body's
    uint32_t varies;             // variables of the source that it depends on
    Part *next;
};

// Bit of Reader.varied for what `repeat` counts: it differs between copies, not between scenes.
#define VARIES_IN_COPIES (UINT32_C(1) << 31)

struct Reader {
    SpragContext *context;
    const char *file;
    SpragArena *arena;
    SpragScene *scene;
    SpragModel *model; // NULL for bare problems
    Node *root;
    int dimension;
    locale_t locale; // "C", so that 0.1 is a number everywhere
    size_t node_count;
    Parameter *parameters; // sorted by name
    int parameter_count;
    Include *includes, *last_include;
    const Include *including; // whose nodes are being made
    bool lenient;             // a drive that cannot be is kept, with the reason
    int expression_depth;
    bool keeps;      // the tree is interpreted again: values that cannot change are kept in it
    uint32_t varied; // what is being read has met these variables
    bool again;      // a part is read again: values over time go into the places they have
    Part *parts;     // those that can change, in the order in which they were read
    Part *last_part;
    const BundleFile *bundle; // files of the page that is read; NULL: files are on disk
    SpragText *pack;          // where files are noted that are read; NULL: nowhere
    const BundleFile *packed; // those noted so far
};

// "file:line:column: …" (or "--set PATH: …") and ERROR_INPUT.
SpragStatus fail_at(Reader *reader, const Node *node, const char *format, ...) SPRAG_PRINTF(3, 4);
// Puts the position before the message that another room left; other failures pass unchanged.
SpragStatus locate(Reader *reader, const Node *node, SpragStatus status);
// Where a node stands in the scene's own file; 0: nowhere in it.
void place_of(const Node *node, int *line, int *column);
// Text fit for one line of a message: short, printable. From the arena; "?" without memory.
const char *shown(Reader *reader, const char *text);
// What stands there, for "got …": the text, or "a list", "a mapping", "nothing".
const char *shown_node(Reader *reader, const Node *node);
// Adds a sentence to the scene's notes.
SpragStatus note(Reader *reader, const char *format, ...) SPRAG_PRINTF(2, 3);
// ", did you mean …?" or "" for the candidate nearest to the word. From the arena.
const char *suggestion(Reader *reader, const char *word, const char *const *candidates, int count);

// ---- yaml.c, node.c -----------------------------------------------------------------------------

// Parses a text into a tree. origin NULL: the file of the reader.
SpragStatus yaml_parse(Reader *reader, const char *origin, const char *text, size_t length,
                       Node **root);
// Position of a byte: line and column (in characters) from 1.
void text_position(const char *text, size_t offset, int *line, int *column);
// First byte that is not allowed in a file (not UTF-8, NUL, control character) and why; false:
// none.
bool text_find_fault(const char *text, size_t length, size_t *offset, const char **why);

Node *node_create(Reader *reader, NodeKind kind, const char *origin, int line, int column);
// A deep copy; counts against the budget. where: for messages; depth: of the place where it goes.
SpragStatus node_copy(Reader *reader, const Node *where, const Node *node, int depth,
                      const Scope *scope, Node **copy);
// Value of a key, NULL if there is none.
Node *node_get(const Node *mapping, const char *key);
// The key node itself; NULL if there is none.
Node *node_key(const Node *mapping, const char *key);
// Appends (key, value) to a mapping.
SpragStatus node_put(Reader *reader, Node *mapping, Node *key, Node *value);
// Length of the part of a path before the file's own name; "example:" counts as a folder.
size_t folder_length(const char *path);
// The file in which a node stands.
const char *node_file(const Reader *reader, const Node *node);
// A scalar without text, or ~ or null.
bool node_is_empty(const Node *node);

// ---- scene.c ------------------------------------------------------------------------------------

// A reader of `name` with its arena and locale; to be closed on failure too.
SpragStatus reader_open(Reader *reader, SpragContext *context, const char *name);
void reader_close(Reader *reader);
// Parses the text into reader->root and applies the sets.
SpragStatus reader_parse(Reader *reader, const char *text, size_t length,
                         const SpragSceneSettings *settings);
// Fills reader->scene from the tree.
SpragStatus reader_interpret(Reader *reader);
// The settings, checked, or the defaults.
SpragStatus choose_settings(SpragContext *context, const SpragSceneSettings *settings,
                            SpragSceneSettings *chosen);
// The bytes of a file.
SpragStatus read_whole_file(SpragContext *context, const char *path, SpragText *text);

// ---- scene_bundle.c -----------------------------------------------------------------------------

// Whether a text is an HTML page.
bool bundle_is_page(const char *text, size_t length);
// The scene in a page instead of the page, its sets before those of the settings; the reader's file
// becomes "run.html/rod.yaml".
SpragStatus bundle_enter(Reader *reader, const char **text, size_t *length,
                         SpragSceneSettings *settings);
// A file of the page that is read; NULL: it is not there.
const BundleFile *bundle_find(const Reader *reader, const char *path);
// A stream of a file on disk or in the page; NULL and errno: none.
FILE *bundle_open(Reader *reader, const char *path);
// Notes a file that was read, if the scene is being packed.
SpragStatus bundle_note(Reader *reader, const char *path, const SpragText *text);

// ---- scene_set.c, repeat.c ----------------------------------------------------------------------

SpragStatus apply_set(Reader *reader, const SpragSceneSet *set);
// Puts a node where a path leads; *before: what stood there, or NULL.
SpragStatus replace_node(Reader *reader, const char *path, Node *value, Node **before);
// The parameter of a name without dots as it stands in the file; NULL: there is none.
const Node *find_parameter_node(Reader *reader, const char *name);
SpragStatus expand_repeats(Reader *reader);
// The copies that entries of one list ask for.
SpragStatus expand_list(Reader *reader, Node *list);

// ---- scene_include.c ----------------------------------------------------------------------------

bool has_includes(const Node *root);
// Reads the files that the scene includes and puts their lists before its own.
SpragStatus expand_includes(Reader *reader);
// Checks what can be told of them once parameters have values; keys: those of a scene.
SpragStatus check_includes(Reader *reader, const char *const *keys);
// The name that `text` of an included file (NULL: of the scene) has in the scene; NULL: no memory.
const char *full_name(Reader *reader, const Include *include, const char *text);
// Whether `text` is the name, in the scene, of a child of parent.
bool is_called(const Node *parent, const Node *name, const char *text);
// A text that may be a name, with the prefix of its file.
SpragStatus read_full_name(Reader *reader, const Node *node, const char **name);
// Moves what an included file says of the world to where the file stands.
SpragStatus place_vector(Reader *reader, const Include *include, SpragVec3 *v);
SpragStatus place_point(Reader *reader, const Include *include, SpragVec3 *p);
SpragStatus place_body(Reader *reader, const Include *include, SpragBody *body);

// ---- units.c, expression.c, parameters.c --------------------------------------------------------

// Longest unit name at the start of text: its length, factor and dimension; 0: none.
size_t unit_find(const char *text, double *factor, Dimension *dimension);
// "a length", "a mass" …, or the unit spelled out ("kg m/s^2"). From the arena.
const char *dimension_name(Reader *reader, Dimension dimension);
bool dimension_equal(Dimension a, Dimension b);

// The value of a formula; node: where it stands, what: the key, for messages.
SpragStatus expression_evaluate(Reader *reader, const Node *node, const char *what,
                                const char *text, Value *value);

// The same, where the value may vary in time: *value is that at t = 0, *program the formula.
SpragStatus expression_compile(Reader *reader, const Node *node, const char *what, const char *text,
                               Value *value, Program *program);
// The value at time t; nothing is allocated.
double program_evaluate(const Program *program, double t);
// How many of its operations have a kink (min, max, abs); the value, and for each of them a number
// that passes zero where the kink is.
int program_kinks(const Program *program);
double program_evaluate_kinks(const Program *program, double t, double *kinks);
// The value and its first two derivatives.
void program_evaluate_jet(const Program *program, double t, double value[3]);

SpragStatus parameters_collect(Reader *reader);
// Those of an included file, or (include NULL) of the scene.
Parameter *parameter_list(const Reader *reader, const Include *include, int *count);
Parameter *parameter_find(const Reader *reader, const Include *include, const char *name,
                          size_t length);
// Those that depend on these variables have to be evaluated again.
void parameters_renew(Reader *reader, uint32_t variables);
SpragStatus parameter_evaluate(Reader *reader, Parameter *parameter);
SpragStatus parameters_add(Reader *reader);

// ---- value.c ------------------------------------------------------------------------------------

typedef enum Kind {
    KIND_NUMBER, // without dimension
    KIND_ANGLE,
    KIND_LENGTH,
    KIND_TIME,
    KIND_MASS,
    KIND_DENSITY,
    KIND_INERTIA,
    KIND_VELOCITY,
    KIND_SPIN,
    KIND_ACCELERATION,
    KIND_FORCE,
    KIND_TORQUE,
    KIND_STIFFNESS,
    KIND_DAMPING,
    KIND_PRESSURE,
    KIND_ALPHA, // s/m
    KIND_ANY
} Kind;

typedef enum Range {
    RANGE_ALL,
    RANGE_NOT_NEGATIVE,
    RANGE_POSITIVE,
    RANGE_UNIT // 0 … 1
} Range;

Dimension kind_dimension(Kind kind);
// A number of that kind and range; `what` names the key in messages.
SpragStatus read_number(Reader *reader, const Node *node, const char *what, Kind kind, Range range,
                        double *number);
SpragStatus read_quantity(Reader *reader, const Node *node, const char *what, Dimension dimension,
                          Range range, double *number);
// Checks the kind and range of a value that was evaluated.
SpragStatus accept_value(Reader *reader, const Node *node, const char *what, Kind kind, Range range,
                         const Value *value, double *number);
// The same for key `what` of a mapping; *number stays if the key is absent.
SpragStatus read_optional(Reader *reader, const Node *mapping, const char *what, Kind kind,
                          Range range, double *number);
// A list of `count` numbers.
SpragStatus read_numbers(Reader *reader, const Node *node, const char *what, Kind kind, int count,
                         double *numbers);
SpragStatus read_vec2(Reader *reader, const Node *node, const char *what, Kind kind, SpragVec2 *v);
// As many entries as the scene has dimensions; z is 0 in the plane.
SpragStatus read_vec3(Reader *reader, const Node *node, const char *what, Kind kind, SpragVec3 *v);
SpragStatus read_bool(Reader *reader, const Node *node, const char *what, bool *value);
// One of `count` words.
SpragStatus read_word(Reader *reader, const Node *node, const char *what, const char *const *words,
                      int count, int *index);
// Any text.
SpragStatus read_text(Reader *reader, const Node *node, const char *what, const char **text);
// A text that may be a name.
SpragStatus read_name(Reader *reader, const Node *node, const char **name);

SpragStatus need_mapping(Reader *reader, const Node *node, const char *what);
SpragStatus need_sequence(Reader *reader, const Node *node, const char *what);
// Every key of the mapping is one of `keys` (NULL-terminated) or begins with x-.
SpragStatus check_keys(Reader *reader, const Node *node, const char *what, const char *const *keys);
SpragStatus not_supported(Reader *reader, const Node *node, const char *what);

// ---- scene_parts.c ------------------------------------------------------------------------------

// Reads a part, and notes it if it depends on a variable. `part` has what is known of it.
SpragStatus read_part(Reader *reader, Part part);
// The same for a part that has been read, with what it depends on.
SpragStatus note_part(Reader *reader, const Part *part);
// Variables that a body depends on, added to those met: a place of it moves with them.
void meet_body(Reader *reader, int body);
// Reads those parts again that depend on these variables; *change: the largest of theirs.
SpragStatus update_parts(Reader *reader, uint32_t variables, SpragSceneChange *change);

// ---- the parts of a scene -----------------------------------------------------------------------

SpragStatus read_friction(Reader *reader, const Node *node, SpragFriction *friction);
SpragStatus read_restitution(Reader *reader, const Node *node, SpragRestitution *restitution);
SpragStatus read_materials(Reader *reader, const Node *node);
SpragStatus read_bodies(Reader *reader, const Node *node);
// Fills one shape of body number `body`; vertices are in the frame of the file (no com applied).
SpragStatus read_shape(Reader *reader, const Node *node, bool fixed, SpragShape *shape);
// A length of a shape that must be given and positive.
SpragStatus need_length(Reader *reader, const Node *node, const char *key, double *length);
// The names of `points: {name: place}`, in the plane or in space.
SpragStatus read_point_names(Reader *reader, const Node *node, SpragShape *shape);
// scene_shapes_space.c: the same in space, of what follows the kind, and of at and orientation.
SpragStatus read_shape_space(Reader *reader, const Node *node, const Node *size, bool fixed,
                             SpragShape *shape);
// scene_mesh.c, scene_field.c
SpragStatus read_mesh(Reader *reader, const Node *node, bool fixed, SpragShape *shape);
SpragStatus read_height_field(Reader *reader, const Node *node, SpragShape *shape);
// The bytes of a file that a node names, relative to the folder of the file where the node stands;
// *path: from the arena. `what` names it in messages.
SpragStatus read_beside(Reader *reader, const Node *node, const char *what, const char **path,
                        SpragText *text);
// Move a solid or surface to the reader's memory, into the shape (its corners too).
SpragStatus keep_solid(Reader *reader, SpragSolid *solid, SpragShape *shape);
SpragStatus keep_surface(Reader *reader, SpragSurface *surface, SpragShape *shape);
// Moves a shape within its body, in the plane or in space.
void shift_shape(SpragShape *shape, SpragVec3 by);
// scene_orientation.c: a turn in one of its three forms, of length 1.
SpragStatus read_orientation(Reader *reader, const Node *node, SpragQuaternion *q);
// angle is a key of the plane.
SpragStatus refuse_angle(Reader *reader, const Node *node);
SpragStatus read_contacts(Reader *reader, const Node *node);
// scene_layers.c
SpragStatus read_compliance(Reader *reader, const Node *node, SpragCompliance *layer);
// A name, or {law: …} with its numbers.
SpragStatus read_friction_law(Reader *reader, const Node *node, SpragFrictionLaw *law);
// Says what the law makes of the rule's coefficients where that may surprise; node: the rule.
SpragStatus note_friction_law(Reader *reader, const Node *node, const SpragRule *rule);
SpragStatus read_selector(Reader *reader, const Node *node, const char *what,
                          SpragSelector *selector);
SpragStatus read_place(Reader *reader, const Node *node, const char *what, SpragPlace *place);
// scene_joints.c, scene_loads.c, scene_controllers.c
SpragStatus read_joints(Reader *reader, const Node *node);
// The joint that a node names; elastic distances have no place among them.
SpragStatus read_joint_name(Reader *reader, const Node *node, int *joint);
// What a joint's first position is: a length, or an angle.
bool joint_is_length(SpragJointKind kind);
SpragStatus read_controllers(Reader *reader, const Node *node);
// drive: of a body.
SpragStatus read_body_drive(Reader *reader, const Node *node, SpragBody *body);
SpragStatus read_loads(Reader *reader, const Node *node);
SpragStatus read_start(Reader *reader, const Node *node);
SpragStatus read_simulate(Reader *reader, const Node *node);
SpragStatus read_simulate_into(Reader *reader, const Node *node, SpragSimulate *simulate);
SpragStatus read_problem(Reader *reader, const char *problem);
SpragStatus read_friction_problem(Reader *reader);
// rows × columns numbers, row-major.
SpragStatus read_matrix(Reader *reader, const Node *node, const char *key, int rows, int columns,
                        double *numbers);
// The matrix W of a bare contact problem, checked for its size and symmetry; *W is its place.
SpragStatus read_contact_W(Reader *reader, const Node **W);
// A (n × n), read from the matrix `key` of the file, is symmetric up to printed digits.
SpragStatus check_symmetric(Reader *reader, const char *key, int n, const double *A);
// Whether a contact problem is given by mass, J, force, bias; fills the scene's problem from them.
bool problem_has_mechanics(Reader *reader);
SpragStatus read_mechanics(Reader *reader);
SpragStatus read_drive(Reader *reader, const char *problem);
// scene_impact.c
SpragStatus read_impact_problem(Reader *reader, Part *part);
// A key of the file that a bare problem cannot do without; `what` says what it is.
const Node *need_key(Reader *reader, const char *key, const char *what, SpragStatus *status);
// The name that a contact of a bare problem gives itself, else c0, c1 …
SpragStatus name_constraint(Reader *reader, const Node *node, int index,
                            SpragConstraint *constraint);
// A number, a formula of t, or {table: [[t, value], …], smooth: true}.
SpragStatus read_time_value(Reader *reader, const Node *node, const char *what, Kind kind,
                            TimeValue *value);
double time_value_at(const TimeValue *value, double t);
// The value and its first two derivatives; at a row of a table those to its right.
void time_value_jet(const TimeValue *value, double t, double jet[3]);
// The same as a value of the model. A number, or a formula that does not vary, is a constant.
SpragStatus read_model_time(Reader *reader, const Node *node, const char *what, Kind kind,
                            SpragTimeValue *value);
// A list of as many of them as the scene has dimensions, into values[0 …]; others are 0.
SpragStatus read_model_times(Reader *reader, const Node *node, const char *what, Kind kind,
                             SpragTimeValue values[3]);
// Turns a vector that varies in time as place_vector does; node: where it stands.
SpragStatus place_times(Reader *reader, const Node *node, SpragTimeValue values[3]);
bool time_varies(const SpragTimeValue *values, int count);
void scene_free_slots(SpragScene *scene);
// A list of pairs [x, y], x ascending, at least `least` of them.
SpragStatus read_curve(Reader *reader, const Node *node, const char *what, int least, bool smooth,
                       SpragCurve *curve);
// The same with numbers of two kinds.
SpragStatus read_curve_of(Reader *reader, const Node *node, const char *what, const Kind kinds[2],
                          bool smooth, SpragCurve *curve);
// The same from two columns of a CSV file (column NULL: the first two).
SpragStatus read_curve_file(Reader *reader, const Node *node, const Node *column, bool smooth,
                            SpragCurve *curve);
// Zeroed memory that the scene keeps; NULL with a message.
void *scene_keep(Reader *reader, size_t count, size_t size);
SpragStatus read_model(Reader *reader);
// scene_outputs.c
SpragStatus read_events(Reader *reader, const Node *node);
SpragStatus read_outputs(Reader *reader, const Node *node);
SpragStatus read_expect(Reader *reader, const Node *node);

#endif
