// scene_drive.h: shared by the readers of problems with guides.
#ifndef SPRAG_SCENE_DRIVE_H
#define SPRAG_SCENE_DRIVE_H

#include "scene_private.h"

// The value of a key that must be there.
SpragStatus drive_need(Reader *reader, const char *key, const char *what, const Node **node);
// What a check of a whole drive found: an error, or for a scene from a source (a point of a map)
// kept as the reason why it is invalid.
SpragStatus drive_checked(Reader *reader, const Node *node, SpragStatus status);
// All times at which a table of the first `count` inputs has a row, ascending.
SpragStatus drive_collect_breaks(Reader *reader, int count);
// problem: scalar with matrices.
SpragStatus read_guides(Reader *reader);

#endif
