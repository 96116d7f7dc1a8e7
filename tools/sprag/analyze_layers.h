// analyze_layers.h: what the numbers of layers and friction laws mean, contact by contact.
#ifndef SPRAG_TOOL_ANALYZE_LAYERS_H
#define SPRAG_TOOL_ANALYZE_LAYERS_H

#include "json.h"
#include "situation.h"
#include "sprag/compliance.h"

// Where the speed of the isolated impact comes from.
typedef enum SpeedSource { SPEED_APPROACH, SPEED_LAYER, SPEED_SCALE, SPEED_UNIT } SpeedSource;

typedef struct LayerLine {
    const char *name;
    int slot;
    // the layer; layer.stiffness 0: none
    SpragCompliance given; // law RIGID: the default one
    SpragLayer layer;
    double mass;  // kg, 1/a_nn
    double force; // N: of the chosen motion, or the weight of that mass
    bool pressed; // it is the former
    double depth; // m, at rest under that force
    double period, damping_ratio;
    double speed; // m/s, of the impact
    SpeedSource speed_source;
    SpragLayerImpact impact;
    // the friction law
    SpragFrictionLaw law;
    double mu;    // that the law can carry for ever
    double ratio; // |λT|/λN at the present slip
    double hold; // |λT|/λN with which Coulomb's law would hold the body at rest; NAN: it would not
    double creep; // m/s: slip at which the law carries that; NAN: hold is
} LayerLine;

typedef struct Layers {
    int count;
    LayerLine *lines;
} Layers;

// Contacts that have a layer (or will have the default one) or a law other than Coulomb's: those
// that are closed, or if none of them is, the open ones.
SPRAG_MUST_USE SpragStatus layers_find(const Situation *situation, const SpragVerdict *verdict,
                                       const SpragAnalysisSettings *settings, Layers *layers);
void layers_destroy(SpragContext *context, Layers *layers);
// Friction is a function of the slip alone.
bool layers_law_is_function(const SpragFrictionLaw *law);
void layers_text(const Layers *layers, SpragText *text);
void layers_json(const Layers *layers, Json *json);

#endif
