// report.h: figures from results: SVG as plain text, and PNG.
#ifndef SPRAG_REPORT_H
#define SPRAG_REPORT_H

#include "sprag/sweep.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct SpragFigureSettings {
    const char *title;   // NULL: one made from the result
    const char *command; // what made it, for the file's description; NULL: nothing
    double scale;        // pixels of a PNG per unit of length; 2
    uint32_t cookie;
} SpragFigureSettings;

SpragFigureSettings sprag_figure_default(void);

// Whether figures can be written as PNG: Sprag was built with cairo.
bool sprag_figure_has_png(void);

// The map with its regions, borders, axes and legend. The file's ending says the kind: .svg or
// .png. Needs two axes and their borders; of an interrupted map the complete rows are shown. The
// same map gives the same bytes.
SPRAG_MUST_USE SpragStatus sprag_figure_write_map(const SpragMap *map,
                                                  const SpragFigureSettings *settings,
                                                  const char *path);

#ifdef __cplusplus
}
#endif

#endif
