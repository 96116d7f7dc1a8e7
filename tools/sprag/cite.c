// cite.c: --cite: BibTeX of Sprag, and of the methods that a command uses.
// Method    docs/references.bib is inside the tool; a table says which of its entries belong to
//           what a command does, and to the motion, the layers and the laws of its scene.
#include "cite.h"

#include <string.h>

extern const char tool_references[], tool_references_end[];

// What is used, one bit each.
enum {
    BY_EVENTS = 1,
    BY_LAYERS = 2,
    BY_STEPS = 4,
    STEWART_TRINKLE = 8,
    MODES = 16, // the search over modes and its complementarity problems
    FIT = 32,
    SOLVE = 64,
    SPACE = 128,
    HUNT_CROSSLEY = 256,
    HERTZ = 512,
    LANKARANI = 1024,
    FLORES = 2048,
    STRIBECK = 4096,
    REGULARIZED = 8192,
    KARNOPP = 16384,
    DAHL = 32768,
    LUGRE = 65536,
    MOVES = BY_EVENTS | BY_LAYERS
};

static const struct {
    const char *key;
    unsigned when;
} entries[] = {
    {"HairerNorsettWanner1993", BY_EVENTS},
    {"Chandrupatla1997", MOVES},
    {"Trefethen2000", MOVES},
    {"HairerWanner1996", BY_LAYERS},
    {"Cottle1992", MODES | SOLVE},
    {"Moreau1988", BY_STEPS},
    {"Jean1999", BY_STEPS},
    {"StewartTrinkle1996", STEWART_TRINKLE},
    {"AcaryBrogliato2008", BY_STEPS},
    {"AlartCurnier1991", BY_STEPS | SOLVE},
    {"DeSaxceFeng1998", BY_STEPS | SOLVE},
    {"JourdanAlartJean1998", BY_STEPS | SOLVE},
    {"MazharEtAl2015", SOLVE},
    {"AcaryBremondHuber2018", SOLVE},
    {"NesterovTodd1998", SOLVE},
    {"Mehrotra1992", SOLVE},
    {"More1978", FIT},
    {"Gilbert1988", SPACE},
    {"Bergen2001", SPACE},
    {"HuntCrossley1975", HUNT_CROSSLEY},
    {"Hertz1882", HERTZ},
    {"LankaraniNikravesh1990", LANKARANI},
    {"Flores2011", FLORES},
    {"Stribeck1902", STRIBECK},
    {"OdenPires1983", REGULARIZED},
    {"Karnopp1985", KARNOPP},
    {"Dahl1968", DAHL},
    {"CanudasDeWit1995", LUGRE},
};

// ---- What is used -------------------------------------------------------------------------------

static unsigned uses_of_command(const char *command)
{
    static const struct {
        const char *command;
        unsigned uses;
    } rows[] = {{"run", MODES},       {"analyze", MODES}, {"impact", MODES}, {"map", MODES},
                {"fit", MODES | FIT}, {"view", MODES},    {"solve", SOLVE}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(rows[i].command, command) == 0)
            return rows[i].uses;
    return 0;
}

static bool runs(const char *command)
{
    return strcmp(command, "run") == 0 || strcmp(command, "fit") == 0 ||
           strcmp(command, "view") == 0;
}

static unsigned uses_of_motion(const SpragSimulate *simulate)
{
    if (simulate->motion == SPRAG_MOTION_EVENTS)
        return BY_EVENTS;
    if (simulate->motion == SPRAG_MOTION_COMPLIANT)
        return BY_LAYERS;
    if (simulate->motion == SPRAG_MOTION_AUTO)
        return BY_EVENTS | BY_LAYERS;
    return BY_STEPS | (simulate->scheme == SPRAG_STEP_STEWART_TRINKLE ? STEWART_TRINKLE : 0u);
}

static unsigned uses_of_rule(const SpragRule *rule)
{
    static const unsigned laws[] = {[SPRAG_FRICTION_REGULARIZED] = REGULARIZED,
                                    [SPRAG_FRICTION_KARNOPP] = KARNOPP,
                                    [SPRAG_FRICTION_DAHL] = DAHL,
                                    [SPRAG_FRICTION_LUGRE] = LUGRE};
    const SpragCompliance *layer = &rule->compliance;
    unsigned uses = laws[rule->friction_law.kind];
    uses |= rule->friction.stribeck > 0 ? STRIBECK : 0u;
    if (!rule->compliance_given)
        return uses;
    uses |= layer->law == SPRAG_COMPLIANCE_HERTZ ? HERTZ : 0u;
    if (layer->damping_source == SPRAG_DAMPING_LANKARANI)
        return uses | LANKARANI;
    if (layer->damping_source == SPRAG_DAMPING_FLORES)
        return uses | FLORES;
    return uses | (layer->law == SPRAG_COMPLIANCE_HUNT_CROSSLEY ? HUNT_CROSSLEY : 0u);
}

static unsigned uses_of_model(const SpragModel *model, const char *command)
{
    unsigned uses = runs(command) ? uses_of_motion(&model->simulate) : 0;
    uses |= model->dimension == 3 ? SPACE : 0u;
    for (int i = 0; i < model->rule_count; i++)
        uses |= uses_of_rule(&model->rules[i]);
    return uses;
}

// ---- The entries --------------------------------------------------------------------------------

static void add_entry(const char *key, SpragText *text)
{
    size_t length = strlen(key);
    for (const char *at = tool_references; at < tool_references_end; at++) {
        const char *brace = *at == '@' ? strchr(at, '{') : NULL;
        if (!brace || strncmp(brace + 1, key, length) != 0 || brace[1 + length] != ',')
            continue;
        const char *end = strstr(at, "\n}\n");
        if (end)
            sprag_text_add(text, "\n%.*s\n", (int)(end + 2 - at), at);
        return;
    }
}

ToolExit cite(SpragContext *context, const Arguments *arguments)
{
    unsigned uses = arguments ? uses_of_command(arguments->rules->command) : 0;
    SpragText text;
    sprag_text_init(&text, context);
    sprag_text_add(&text,
                   "@software{Sprag,\n  author  = {{The authors of Sprag}},\n"
                   "  title   = {{Sprag}: mechanical systems with frictional contact, and whether "
                   "rigid-body\n             motion exists, is unique, and is stable},\n"
                   "  version = {%s}\n}\n",
                   sprag_version());
    // bare problems and files of other programs have no model
    if (arguments && arguments->positional_count > 0 && (uses & MODES)) {
        SpragScene *scene;
        SpragStatus status = tool_read_scene(context, arguments, &scene);
        if (status != SPRAG_OK) {
            sprag_text_destroy(&text);
            return tool_fail(context, status, arguments->positional[0]);
        }
        const SpragModel *model = sprag_scene_model(scene);
        uses |= model ? uses_of_model(model, arguments->rules->command) : 0;
        uses &= uses & BY_STEPS ? ~(unsigned)MODES : ~0u; // nobody asks for other motions
        sprag_scene_destroy(scene);
    }
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
        if (uses & entries[i].when)
            add_entry(entries[i].key, &text);
    ToolExit result = tool_write(&text);
    sprag_text_destroy(&text);
    return result;
}
