// machines.h: a machine as all simulators of bench_machines get it: links on joints, in space.
#ifndef SPRAG_BENCH_MACHINES_H
#define SPRAG_BENCH_MACHINES_H

#ifdef __cplusplus
extern "C" {
#endif

enum { MOST_LINKS = 32, MACHINE_WORLD = -1, MACHINE_FREE = -2 };
typedef enum MachineGeom { GEOM_NONE, GEOM_SPHERE, GEOM_BOX } MachineGeom;

typedef struct MachineLink {
    double position[3], mass,
        inertia[3];            // of the centre of mass; frames are the world's at the start
    int parent;                // a link before it, the world, or free
    int slides;                // prismatic, else revolute
    double axis[3], anchor[3]; // world, at the start
    double force;              // along a slider
    MachineGeom geom;          // at the centre of mass
    double size[3];            // radius; whole edges of a box
} MachineLink;

typedef struct Machine {
    const char *name;
    int count;
    MachineLink links[MOST_LINKS];
    int floor;       // a plane z = 0
    double friction; // of all pairs
    int watched;     // link whose position is compared
    double until;
} Machine;

// Position of the watched link at the end, and the wall time; 0: it failed.
int bullet_machine(const Machine *machine, double step, double position[3], double *seconds);

#ifdef __cplusplus
}
#endif

#endif
