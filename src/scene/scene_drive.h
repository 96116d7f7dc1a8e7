// scene_drive.h: shared by the readers of problems with guides.
#ifndef SPRAG_SCENE_DRIVE_H
#define SPRAG_SCENE_DRIVE_H

#include "scene_private.h"

// The value of a key that must be there.
SpragStatus drive_need(Reader *reader, const char *key, const char *what, const Node **node);
// problem: scalar with matrices.
SpragStatus read_guides(Reader *reader);

#endif
