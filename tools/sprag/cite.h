// cite.h: what to cite: BibTeX of Sprag, and of the methods that a command uses.
#ifndef SPRAG_TOOL_CITE_H
#define SPRAG_TOOL_CITE_H

#include "tool.h"

// The entries for a command; arguments NULL: Sprag alone. With a scene those of its motion, layers
// and friction laws too.
ToolExit cite(SpragContext *context, const Arguments *arguments);

#endif
