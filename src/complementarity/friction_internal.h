// friction_internal.h: what the methods for friction problems share.
#ifndef SPRAG_COMPLEMENTARITY_FRICTION_INTERNAL_H
#define SPRAG_COMPLEMENTARITY_FRICTION_INTERNAL_H

#include "sprag/complementarity.h"
#include "sprag/friction.h"
#include "sprag/sparse.h"

// Places of contacts in packets, and the bodies that they were found for: nothing else goes into
// them, and the same contacts are often packed again.
typedef struct PackedPlaces {
    int *bodies, *place; // two a contact, one
    size_t body_capacity, place_capacity, contacts, paired;
    int count;
} PackedPlaces;

struct SpragFrictionWorkspace {
    SpragContext *context;
    SpragArena *arena;
    SpragSparseLu *lu;
    SpragLcpWorkspace *lcp; // made when it is first needed
    PackedPlaces packed;
};

// Systems A_i du_i + B_i dr_i = −F_i for all contacts, du = W dr: in the space of the contacts, or
// of the bodies' velocities.
typedef struct FrictionLinear {
    bool ready;
    SpragSparsePattern pattern;
    double *values;       // of the matrix
    double *A, *B;        // d × d a contact, as they were factored
    double *inverse;      // B⁻¹, for bodies
    double *right, *gain; // right-hand side; change of the bodies' velocities
    double *more, *rest;  // for refinement
    int *slot;            // bodies: where (a, a), (a, b), (b, a), (b, b) of a contact lie
} FrictionLinear;

typedef struct Friction {
    SpragFrictionWorkspace *workspace;
    const SpragFrictionProblem *problem;
    SpragFrictionSettings settings;
    int d, c;
    size_t size; // d c
    const double *q, *mu;
    unsigned char *kind;  // SpragFrictionKind of each contact
    unsigned char *dead;  // rows of bilateral blocks in which W is zero throughout: r = 0
    int joints;           // number of bilateral blocks
    bool scaled_polygons; // in the next LCP, see friction_lcp
    bool hasty;           // Newton's method gives up early: others are at hand
    bool plain_sweeps;    // without mixing: before other methods take over it only costs
    bool bodies;
    // sparse blocks
    const int *row_start, *column;
    const double *blocks;
    // bodies: M⁻¹ Jᵀ, stored as J is
    int body_size;
    double *MJ;
    double *velocity;
    double *diagonal; // blocks W_ii
    double *inverse;  // of those, in space
    double *weight;   // mean diagonal entry of W_ii, > 0
    double *slip;     // last multiplier of each contact's slip, to begin the next search with
    double norm_q;
    double *r, *u; // the point that methods move; u = W r + q
    double *best;  // least residual so far
    double best_residual;
    SpragFrictionMethod best_method;
    int iterations, factorizations;
    FrictionLinear linear;
} Friction;

// Zeroed memory of the workspace's arena.
void *friction_allocate(Friction *f, size_t count, size_t size);
// All of f but settings, workspace and problem, from those.
SpragStatus friction_set_up(Friction *f);
// Runs one method from f->r and notes how it ended. limit: of iterations; of sides for the method
// lcp.
SpragStatus friction_run(Friction *f, SpragFrictionMethod method, int limit, double progress,
                         SpragFrictionInfo *info);
// The default.
SpragStatus friction_auto(Friction *f, SpragFrictionInfo *info);
// Iterations of one method: the settings', or `own`.
int friction_limit(const Friction *f, int own);

// u = W r + q; bodies' velocities are left in f->velocity.
void friction_apply(Friction *f, const double *r, double *u);
// W x without q; bodies: `velocity` receives M⁻¹ Jᵀ x.
void friction_multiply(const Friction *f, const double *x, double *y, double *velocity);
// Natural residual of (r, u) relative to |q|.
double friction_natural(const Friction *f, const double *r, const double *u);
// The same, unit-free: what line searches and switches look at.
double friction_unit_free(const Friction *f, const double *r, const double *u);
// Judges f->r, f->u: keeps them if they are the best so far. Returns the natural residual.
double friction_judge(Friction *f, SpragFrictionMethod method);

// Point of contact i's cone, or of the whole space for a bilateral block, nearest to x.
void friction_project(const Friction *f, size_t i, const double *x, double *nearest);
// u_N + μ|u_T| − u_N: the shift of ũ, 0 for a bilateral block.
double friction_shift(const Friction *f, size_t i, const double *u);

// One bilateral block: W r + b = 0 in the rows that are not dead; rows that depend on others get
// r = 0.
void friction_bilateral(int d, const double *W, const double *b, const unsigned char *dead,
                        double *r);
// Inverse of a block in space for friction_contact; zero if it is close to singular.
void friction_contact_invert(const double *W, double *inverse);
// One contact, beginning with the multiplier *slip of its last slip. inverse (in space; may be
// NULL) makes stick cheap to find, and a slip to be visited again.
void friction_contact(int d, const double *W, const double *inverse, const double *b, double mu,
                      double *slip, double *r);

// Pieces on which the function of Alart and Curnier is smooth, theory.md (11.16). Bilateral blocks
// have one only.
typedef enum FrictionPiece { PIECE_OPEN, PIECE_STICK, PIECE_SLIP } FrictionPiece;
// A_i du_i + B_i dr_i = −F_i, d × d and d entries a contact.
typedef struct FrictionSystem {
    double *A, *B, *F;
} FrictionSystem;
// The contact that leaves its piece first on the way from (r, u) along (dr, du): after this part of
// the way (INFINITY: none ever does), and for which piece.
typedef struct FrictionKink {
    double step;
    size_t contact;
    FrictionPiece piece;
} FrictionKink;
// The piece that r and u of contact i (d entries) are on; those of all of them.
FrictionPiece friction_piece(const Friction *f, size_t i, const double *r, const double *u);
void friction_pieces(const Friction *f, const double *r, const double *u, unsigned char *pieces);
FrictionKink friction_first_kink(const Friction *f, const unsigned char *pieces, const double *r,
                                 const double *u, const double *dr, const double *du);

// A step of Newton's method and the point that is tried along it.
typedef struct FrictionTrial {
    double *dr, *du;
    double *r, *u;
} FrictionTrial;
// u + α w (r − centre) in the place of u.
typedef struct FrictionProx {
    double alpha;
    double *centre, *shifted;
} FrictionProx;
// prox->shifted receives u with the prox term.
void friction_prox(const Friction *f, const FrictionProx *prox, const double *r, const double *u);

// Mixing of sweeps (friction_mixing.c).
enum { MIXING_DEPTH = 5 };
typedef struct FrictionMixing {
    size_t size;
    bool begun;
    int count;                    // differences kept so far
    double least;                 // smallest square of a change since it began
    double *start, *change, *end; // r before and after the last pair of sweeps, and between
    double *changes, *ends;       // differences of change and end from pair to pair
    double gram[MIXING_DEPTH][MIXING_DEPTH]; // of `changes`
} FrictionMixing;
// From f->r on; false: no memory.
bool mixing_begin(Friction *f, FrictionMixing *mixing);
// r after a pair of sweeps becomes the point to go on from; true: another one.
bool mixing_step(FrictionMixing *mixing, double *r);
// Σ a b, in four sums.
double mixing_product(size_t n, const double *a, const double *b);
// Weights of `known` differences of changes (n numbers each, their products in gram) that best give
// a change; false: there are none.
bool mixing_weights(size_t n, int known, double gram[MIXING_DEPTH][MIXING_DEPTH],
                    const double *changes, const double *change, double *weights);

// At most `sweeps` of them; stops when the residual is met, or falls by less than `progress` (a
// factor below 1; 1: never) from one check to the next.
SpragFrictionStatus friction_gauss_seidel(Friction *f, int sweeps, double progress, int *done);
SpragStatus friction_gradient(Friction *f, int limit, SpragFrictionStatus *status, int *done);
SpragStatus friction_newton(Friction *f, int limit, SpragFrictionStatus *status, int *done);
// Linearises the function of Alart and Curnier at (r, u), each contact on its piece (NULL: the one
// that (r, u) is on); `regular` times the weight of a contact is what a unit of dr adds to du.
void friction_newton_linearize(const Friction *f, const double *r, const double *u, double regular,
                               const unsigned char *pieces, const FrictionSystem *system);
SpragStatus friction_proximal(Friction *f, int limit, SpragFrictionStatus *status, int *done);
SpragStatus friction_smooth(Friction *f, int limit, SpragFrictionStatus *status, int *done);
enum { FRICTION_FLOWS = 4 }; // kinds of flows, the last one for a long way
SpragStatus friction_flow(Friction *f, int which, int limit, SpragFrictionStatus *status,
                          int *done);
enum { MANY_CONTACTS = 1000 }; // above that fewer paths are tried
// Contacts by what a factorisation costs: that of a pile in the plane takes as long as that of one
// in space with a quarter of its contacts (fronts are lines there, not areas).
static inline int friction_contacts_by_cost(const Friction *f)
{
    return f->d == 2 ? (f->c + 3) / 4 : f->c;
}
// Which starts of the interior path are tried: the default has something cheaper to try before the
// others.
typedef enum FrictionPaths {
    FRICTION_PATHS_ALL,
    FRICTION_PATHS_FIRST,
    FRICTION_PATHS_DAMPED, // damped ones, in the order of DAMPED_SHARE in friction_interior.c
    FRICTION_PATHS_EASED,
    FRICTION_PATHS_FIRMER,
    FRICTION_PATHS_WHOLE,
    FRICTION_PATHS_OTHER // and proximal points
} FrictionPaths;
SpragStatus friction_interior(Friction *f, FrictionPaths paths, int limit,
                              SpragFrictionStatus *status, int *done);
SpragStatus friction_lcp(Friction *f, int sides, bool scaled, SpragFrictionStatus *status,
                         int *done);

// Prepares the pattern once a solve.
SpragStatus friction_linear_prepare(Friction *f);
// False if the matrix is not finite.
bool friction_linear_factor(Friction *f, const double *A, const double *B);
// dr and du (size entries each) for F; refined once.
void friction_linear_solve(Friction *f, const double *F, double *dr, double *du);
// The same without refinement: for steps that only guide others.
void friction_linear_solve_once(Friction *f, const double *F, double *dr, double *du);

#endif
