// stepping_incline.c: the law of friction by what a block on an incline does, and whether what is
// read from an engine's contacts agrees with that.
#include <math.h>

#include "stepping_peer.h"

static const double GRAVITY = 9.81, MU = 0.5;

// What a run tells: by its places, and by the impulses of its contacts.
typedef struct Slide {
    double creep, acceleration;
    double told_acceleration, law_error;
} Slide;

// A flat block on an incline that is turned into gravity; heading in the plane of the incline.
static bool on_incline(const Engine *engine, int dimension, double slope, double heading,
                       Slide *slide)
{
    double place[3] = {0}, middle[4], end[4], angle = atan(slope * MU);
    Workload w = {.name = "incline",
                  .dimension = dimension,
                  .count = 1,
                  .half = {0.5, 0.5, 0.1},
                  .mass = 1,
                  .friction = MU,
                  .step = 1.0 / 240,
                  .steps = 480,
                  .place = place};
    Laws laws;
    if (dimension == 2)
        w.half[1] = 0.1;
    place[dimension - 1] = 0.1;
    w.gravity[0] = GRAVITY * sin(angle) * cos(heading);
    if (dimension == 3)
        w.gravity[1] = GRAVITY * sin(angle) * sin(heading);
    w.gravity[dimension - 1] = -GRAVITY * cos(angle);
    if (!laws_create(&w, &laws))
        return false;
    Outcome outcome = {.middle = middle, .end = end, .laws = &laws};
    bool done = engine->run(&w, &outcome);
    laws_conclude(&laws);
    laws_destroy(&laws);
    double along =
        dimension == 3 ? hypot(end[0] - middle[0], end[1] - middle[1]) : fabs(end[0] - middle[0]);
    double time = w.steps * w.step;
    *slide = (Slide){.creep = along / (0.5 * time),
                     .acceleration = along / (0.375 * time * time),
                     .told_acceleration = hypot(laws.way[0], laws.way[1]) / (0.375 * time * time),
                     .law_error = laws.median};
    return done;
}

Law find_law(const Engine *engine, int dimension)
{
    Law law = {0};
    for (int k = 0; k < (dimension == 3 ? 4 : 2); k++) {
        double heading = dimension == 3 ? 0.2617993877991494 * k : 3.141592653589793 * k;
        double angle = atan(1.1 * MU), exact = GRAVITY * (sin(angle) - MU * cos(angle));
        Slide slide;
        if (!on_incline(engine, dimension, 0.9, heading, &slide))
            continue;
        law.creep = fmax(law.creep, slide.creep);
        law.told_stick = fmax(law.told_stick, slide.law_error);
        if (!on_incline(engine, dimension, 1.1, heading, &slide))
            continue;
        law.slip = fmax(law.slip, fabs(slide.acceleration - exact) / exact);
        law.told_slip = fmax(law.told_slip, fabs(slide.told_acceleration - exact) / exact);
    }
    return law;
}
