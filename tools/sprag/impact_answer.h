// impact_answer.h: the parts of `sprag impact`: a collision, resolved by every law and every
// scheme.
#ifndef SPRAG_TOOL_IMPACT_ANSWER_H
#define SPRAG_TOOL_IMPACT_ANSWER_H

#include "situation.h"
#include "sprag/impact.h"
#include "sprag/motion.h"

enum { IMPACT_LAWS = 3, IMPACT_SCHEMES = 3 };

// One way to end the collision.
typedef struct ImpactAnswer {
    const char *name;             // "newton" …, "together" …
    SpragRestitutionLaw law;      // of a law
    bool found;                   // false: no impulses end it
    bool fell_back;               // the scheme could not do it; `how` says what did
    const char *how;              // words of the library
    double *impulse, *after;      // a row
    SpragImpactContact *contacts; // one a contact
    double *velocity;             // of the coordinates after; NULL: not known
    double loss;                  // kinetic energy before minus after, J
    double gain;                  // J; 0: none
} ImpactAnswer;

typedef struct Impact {
    SpragContext *context;
    Situation *situation;
    const SpragContactProblem *problem; // all contacts that take part; NULL: nothing collides
    SpragContactProblem built;          // of a scene
    SpragImpactRule *rules;             // one a contact
    int *island;                        // one a contact: number of its island
    bool tangential;                    // an impact without collision, theory.md 10.7
    double t;                           // s
    double kinetic;                     // energy before, J; NAN: not known
    const double *velocity;             // of the coordinates before; NULL: not known
    SpragImpactScheme scheme;
    ImpactAnswer laws[IMPACT_LAWS], schemes[IMPACT_SCHEMES];
    bool schemes_agree;
    SpragText nothing; // why nothing collides
} Impact;

// Fills problem, rules and what goes with them, or says why nothing collides.
SPRAG_MUST_USE SpragStatus impact_find(Impact *impact, bool next);
// Finds the collision of the situation and resolves it; next: the first one of a run from there.
SPRAG_MUST_USE SpragStatus impact_create(Situation *situation, bool next, Impact *impact);
void impact_destroy(Impact *impact);
// The collision of one contact in the plane, for its diagram; false: it is not such a one.
bool impact_single(const Impact *impact, SpragSingleImpact *single);
// Sums of the losses of all contacts.
SpragImpactLoss impact_losses(const Impact *impact, const ImpactAnswer *answer);

void impact_text(const Impact *impact, const Arguments *arguments, SpragText *text);
void impact_json(const Impact *impact, const Arguments *arguments, SpragText *text);

#endif
