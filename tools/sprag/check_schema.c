// check_schema.c: sprag check --schema: the grammar of scene files as JSON Schema, for editors.
//
// Editors complete keys and words with it and mark those that do not exist. What numbers may be,
// which keys go together and what names mean is for the reader of scenes to say.
#include "check.h"

#include <string.h>

// A key of a part. kind: a definition; "*kind": a list of them, "%kind": a mapping of names to
// them.
typedef struct SchemaKey {
    const char *part, *key, *kind;
} SchemaKey;

static const SchemaKey KEYS[] = {
    {"scene", "sprag", "version"},
    {"scene", "name", "text"},
    {"scene", "description", "text"},
    {"scene", "source", "text"},
    {"scene", "dimension", "dimension"},
    {"scene", "gravity", "vector"},
    {"scene", "parameters", "%parameter"},
    {"scene", "materials", "%material"},
    {"scene", "include", "*include"},
    {"scene", "bodies", "*body"},
    {"scene", "contacts", "*contact"},
    {"scene", "start", "*start"},
    {"scene", "joints", "*joint"},
    {"scene", "loads", "*load"},
    {"scene", "controllers", "*controller"},
    {"scene", "events", "*event"},
    {"scene", "outputs", "%output"},
    {"scene", "expect", "%expectation"},
    {"scene", "simulate", "simulate"},
    {"range", "value", "number"},
    {"range", "from", "number"},
    {"range", "to", "number"},
    {"material", "friction", "friction"},
    {"material", "restitution", "restitution"},
    {"material", "young", "number"},
    {"material", "poisson-ratio", "number"},
    {"material", "compliance", "compliance"},
    {"friction-values", "static", "number"},
    {"friction-values", "kinetic", "number"},
    {"friction-values", "stribeck", "number"},
    {"include", "file", "text"},
    {"include", "name", "text"},
    {"include", "position", "vector"},
    {"include", "orientation", "orientation"},
    {"include", "angle", "number"},
    {"include", "set", "%anything"},
    {"body", "name", "text"},
    {"body", "fixed", "flag"},
    {"body", "mass", "number"},
    {"body", "density", "number"},
    {"body", "inertia", "numbers"},
    {"body", "position", "vector"},
    {"body", "angle", "number"},
    {"body", "orientation", "orientation"},
    {"body", "velocity", "vector"},
    {"body", "spin", "numbers"},
    {"body", "com", "anything"},
    {"body", "shapes", "*shape"},
    {"body", "surface-velocity", "anything"},
    {"body", "sites", "%vector"},
    {"body", "drive", "body-drive"},
    {"body-drive", "position", "*value"},
    {"body-drive", "angle", "value"},
    {"body-drive", "axis", "vector"},
    {"orientation", "axis", "vector"},
    {"orientation", "angle", "number"},
    {"orientation", "quaternion", "vector"},
    {"orientation", "euler", "vector"},
    {"shape", "name", "text"},
    {"shape", "circle", "object"},
    {"shape", "capsule", "object"},
    {"shape", "box", "object"},
    {"shape", "polygon", "object"},
    {"shape", "rod", "object"},
    {"shape", "points", "anything"},
    {"shape", "plane", "object"},
    {"shape", "chain", "object"},
    {"shape", "sphere", "object"},
    {"shape", "cylinder", "object"},
    {"shape", "hull", "object"},
    {"shape", "mesh", "object"},
    {"shape", "height-field", "object"},
    {"shape", "at", "vector"},
    {"shape", "angle", "number"},
    {"shape", "orientation", "orientation"},
    {"shape", "inside", "flag"},
    {"shape", "material", "text"},
    {"shape", "surface-velocity", "anything"},
    {"contact", "name", "text"},
    {"contact", "between", "*place"},
    {"contact", "friction", "friction"},
    {"contact", "friction-law", "anything"},
    {"contact", "restitution", "restitution"},
    {"contact", "compliance", "compliance"},
    {"contact", "model", "model"},
    {"contact", "collide", "flag"},
    {"start", "contact", "anything"},
    {"start", "gap", "number"},
    {"start", "slip", "numbers"},
    {"start", "velocity", "numbers"},
    {"start", "point", "place"},
    {"start", "at", "vector"},
    {"start", "joint", "text"},
    {"start", "position", "number"},
    {"joint", "name", "text"},
    {"joint", "type", "joint-type"},
    {"joint", "between", "*place"},
    {"joint", "at", "vector"},
    {"joint", "axis", "vector"},
    {"joint", "second-axis", "vector"},
    {"joint", "length", "number"},
    {"joint", "limits", "*number"},
    {"joint", "restitution", "restitution"},
    {"joint", "friction", "number"},
    {"joint", "radius", "number"},
    {"joint", "bearing", "number"},
    {"joint", "lead", "number"},
    {"joint", "thread-angle", "number"},
    {"joint", "compliance", "compliance"},
    {"joint", "model", "model"},
    {"joint", "spring", "spring"},
    {"joint", "drive", "value"},
    {"spring", "stiffness", "numbers"},
    {"spring", "damping", "numbers"},
    {"spring", "rest", "numbers"},
    {"load", "body", "text"},
    {"load", "joint", "text"},
    {"load", "on", "text"},
    {"load", "force", "values"},
    {"load", "torque", "values"},
    {"load", "at", "place"},
    {"load", "frame", "frame"},
    {"controller", "name", "text"},
    {"controller", "joint", "text"},
    {"controller", "pd", "pd"},
    {"controller", "limit", "number"},
    {"controller", "every", "number"},
    {"pd", "kp", "number"},
    {"pd", "kd", "number"},
    {"pd", "ki", "number"},
    {"pd", "target", "value"},
    {"pd", "forward", "value"},
    {"curve", "table", "anything"},
    {"curve", "column", "text"},
    {"curve", "smooth", "flag"},
    {"event", "name", "text"},
    {"event", "signal", "text"},
    {"event", "above", "number"},
    {"event", "below", "number"},
    {"event", "crosses", "number"},
    {"event", "type", "text"},
    {"event", "contact", "text"},
    {"event", "count", "number"},
    {"event", "stop", "flag"},
    {"output", "time", "text"},
    {"output", "count", "text"},
    {"output", "period", "text"},
    {"output", "first", "text"},
    {"output", "last", "text"},
    {"output", "min", "text"},
    {"output", "max", "text"},
    {"output", "mean", "text"},
    {"output", "range", "text"},
    {"output", "of", "text"},
    {"output", "from", "number"},
    {"output", "to", "number"},
    {"simulate", "motion", "motion"},
    {"simulate", "until", "number"},
    {"simulate", "step", "number"},
    {"simulate", "tolerance", "number"},
    {"simulate", "output-step", "number"},
    {"simulate", "contact-tolerance", "number"},
    {"simulate", "branch", "branch"},
    {"simulate", "paradox", "paradox"},
    {"simulate", "impacts", "impacts"},
    {"simulate", "scheme", "scheme"},
    {"simulate", "theta", "number"},
    {"simulate", "threads", "number"},
    {"simulate", "law-tolerance", "number"},
};
enum { KEY_COUNT = sizeof KEYS / sizeof *KEYS };

// Words of which one is given.
typedef struct SchemaWords {
    const char *name;
    const char *words[10];
} SchemaWords;

static const SchemaWords WORDS[] = {
    {"model", {"auto", "rigid", "compliant"}},
    {"frame", {"world", "body"}},
    {"joint-type",
     {"revolute", "prismatic", "weld", "distance", "screw", "ball", "universal", "cylindrical"}},
    {"motion", {"auto", "events", "compliant", "stepping"}},
    {"branch", {"keep", "lift", "stick", "both"}},
    {"paradox", {"stop", "impulse", "compliant"}},
    {"scheme", {"moreau-jean", "stewart-trinkle"}},
    {"impacts", {"together", "sequence", "path"}},
    {"problem", {"contact", "lcp", "qp", "impact", "scalar", "screw", "transmission", "friction"}},
};

// Definitions that are one of several.
static const SchemaWords CHOICES[] = {
    {"vector", {"*number"}},
    {"numbers", {"number", "*number"}},
    {"value", {"number", "curve"}},
    {"values", {"value", "*value"}},
    {"parameter", {"number", "range", "anything"}},
    {"friction", {"number", "friction-values"}},
    {"restitution", {"number", "object"}},
    {"compliance", {"text", "object"}},
    {"place", {"text", "*number"}},
    {"expectation", {"number", "flag", "*number"}},
};

static void write_reference(Json *json, const char *key, const char *kind)
{
    bool list = kind[0] == '*', names = kind[0] == '%';
    SpragText path;
    sprag_text_init(&path, json->text->context);
    sprag_text_add(&path, "#/$defs/%s", kind + (list || names));
    json_begin_flat_object(json, key);
    if (list || names) {
        json_text(json, "type", list ? "array" : "object");
        json_begin_flat_object(json, list ? "items" : "additionalProperties");
    }
    json_text(json, "$ref", path.bytes ? path.bytes : "");
    if (list || names)
        json_end_object(json);
    json_end_object(json);
    sprag_text_destroy(&path);
}

static void write_types(Json *json, const char *key, int count, const char *const *types)
{
    json_begin_flat_object(json, key);
    json_begin_flat_array(json, "type");
    for (int i = 0; i < count; i++)
        json_text(json, NULL, types[i]);
    json_end_array(json);
    json_end_object(json);
}

// Keys of a part, and what goes everywhere: x-… is passed over, repeat copies entries of lists.
static void write_part(Json *json, const char *part)
{
    json_text(json, "type", "object");
    json_begin_object(json, "properties");
    for (int i = 0; i < KEY_COUNT; i++)
        if (strcmp(KEYS[i].part, part) == 0)
            write_reference(json, KEYS[i].key, KEYS[i].kind);
    if (strcmp(part, "scene") != 0)
        write_reference(json, "repeat", "object");
    json_end_object(json);
    json_begin_flat_object(json, "patternProperties");
    write_reference(json, "^x-", "anything");
    json_end_object(json);
    json_bool(json, "additionalProperties", false);
}

static void write_definitions(Json *json)
{
    static const char *const any[] = {"number", "string", "boolean", "array", "object", "null"};
    static const char *const texts[] = {"string", "number"};
    write_types(json, "anything", 6, any);
    write_types(json, "number", 2, any);
    write_types(json, "text", 2, texts);
    write_types(json, "flag", 1, any + 2);
    write_types(json, "object", 1, any + 4);
    json_begin_flat_object(json, "version");
    json_integer(json, "const", 1);
    json_end_object(json);
    json_begin_flat_object(json, "dimension");
    json_numbers(json, "enum", 2, (const double[]){2, 3});
    json_end_object(json);
    for (size_t i = 0; i < sizeof WORDS / sizeof *WORDS; i++) {
        json_begin_flat_object(json, WORDS[i].name);
        json_begin_flat_array(json, "enum");
        for (int k = 0; WORDS[i].words[k]; k++)
            json_text(json, NULL, WORDS[i].words[k]);
        json_end_array(json);
        json_end_object(json);
    }
    for (size_t i = 0; i < sizeof CHOICES / sizeof *CHOICES; i++) {
        json_begin_flat_object(json, CHOICES[i].name);
        json_begin_flat_array(json, "anyOf");
        for (int k = 0; CHOICES[i].words[k]; k++)
            write_reference(json, NULL, CHOICES[i].words[k]);
        json_end_array(json);
        json_end_object(json);
    }
    for (int i = 0; i < KEY_COUNT; i++) {
        if (i > 0 && strcmp(KEYS[i].part, KEYS[i - 1].part) == 0)
            continue;
        json_begin_object(json, KEYS[i].part);
        write_part(json, KEYS[i].part);
        json_end_object(json);
    }
}

static void write_required(Json *json, const char *key)
{
    json_begin_flat_array(json, "required");
    json_text(json, NULL, key);
    json_end_array(json);
}

void check_schema(SpragText *text)
{
    Json json;
    json_init(&json, text);
    json_begin_object(&json, NULL);
    json_text(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_text(&json, "title", "Sprag scene or bare problem");
    json_text(&json, "type", "object");
    write_required(&json, "sprag");
    json_begin_object(&json, "if");
    write_required(&json, "problem");
    json_end_object(&json);
    json_begin_object(&json, "then");
    json_begin_flat_object(&json, "properties");
    write_reference(&json, "sprag", "version");
    write_reference(&json, "problem", "problem");
    json_end_object(&json);
    json_end_object(&json);
    json_begin_object(&json, "else");
    json_text(&json, "$ref", "#/$defs/scene");
    write_required(&json, "bodies");
    json_end_object(&json);
    json_begin_object(&json, "$defs");
    write_definitions(&json);
    json_end_object(&json);
    json_end_object(&json);
    sprag_text_add(text, "\n");
}
