// spatial_rod.c: a system of one's own, given to Sprag as callbacks in its own coordinates.
//
// The slender rod of Xu, Dai, Xie and Li on its tip, q = (x, y, z, theta, psi): the tip is at
// CM - l u, u = (cos theta cos psi, cos theta sin psi, sin theta). Two models of its inertia:
//   the paper's   M = diag(m, m, m, J, J), h = 0
//   the true one  M = diag(m, m, m, J, J cos^2 theta) with h of theory.md (13.5)
// The program prints the eigenvalues of the contact layer's D while the tip sticks, theory.md
// (13.8), and what happens when it slides backwards with a friction of 1.8.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <sprag/sprag.h>

typedef struct Rod {
    double m, l, J; // mass, distance from the tip to the mass centre, inertia about it
    double friction, gravity;
    bool true_inertia; // false: the paper's constant M
    bool cross_terms;  // of the bias, which the paper leaves out
} Rod;

static int rod_inertia(double t, const double *q, double *M, void *user)
{
    const Rod *rod = user;
    double c = cos(q[3]);
    (void)t;
    M[0] = M[6] = M[12] = rod->m;
    M[18] = rod->J;
    M[24] = rod->true_inertia ? rod->J * c * c : rod->J;
    return 0;
}

// u - h: gravity, and the inertia forces of (13.5).
static int rod_force(double t, const double *q, const double *v, double *force, void *user)
{
    const Rod *rod = user;
    double sc = sin(q[3]) * cos(q[3]);
    (void)t;
    force[2] = -rod->m * rod->gravity;
    if (rod->true_inertia) {
        force[3] = -rod->J * sc * v[4] * v[4];
        force[4] = 2 * rod->J * sc * v[3] * v[4];
    }
    return 0;
}

// The rows N (z), T (y), O (x) of the tip, (13.3), and their rates, (13.4).
static int rod_contact(double t, const double *q, const double *v, int contact,
                       SpragContactSample *sample, void *user)
{
    const Rod *rod = user;
    double l = rod->l, s = sin(q[3]), c = cos(q[3]), sp = sin(q[4]), cp = cos(q[4]);
    double squares = v[3] * v[3] + v[4] * v[4];
    double cross = rod->cross_terms ? 2 * l * s * v[3] * v[4] : 0;
    (void)t, (void)contact;
    sample->gap = q[2] - l * s;
    sample->normal[2] = 1;
    sample->normal[3] = -l * c;
    sample->tangent[1] = 1;
    sample->tangent[3] = l * s * sp;
    sample->tangent[4] = -l * c * cp;
    sample->tangent2[0] = 1;
    sample->tangent2[3] = l * s * cp;
    sample->tangent2[4] = l * c * sp;
    sample->normal_bias = l * s * v[3] * v[3];
    sample->tangent_bias[0] = l * c * sp * squares + cross * cp;
    sample->tangent_bias[1] = l * c * cp * squares - cross * sp;
    sample->friction_static = sample->friction_kinetic = rod->friction;
    return 0;
}

static SpragSystemDef rod_system(Rod *rod)
{
    static const SpragSystemContact contacts[] = {
        {.name = "tip", .kind = SPRAG_CONSTRAINT_CONTACT, .velocity_level = false}};
    SpragSystemDef def = sprag_system_default();
    def.dimension = 3;
    def.velocity_count = 5;
    def.contact_count = 1;
    def.contacts = contacts;
    def.inertia = rod_inertia;
    def.force = rod_force;
    def.contact = rod_contact;
    def.user = rod;
    def.size = 2 * rod->l;
    return def;
}

// One line: the eigenvalues of D at rest, then the verdict on sliding along -x.
static SpragStatus show(SpragSystem *system, SpragAnalysis *analysis, SpragContactProblem *problem,
                        double l, double degrees)
{
    double theta = degrees * 3.14159265358979323846 / 180, q[5] = {0}, v[5] = {0};
    SpragVerdict verdict;
    q[2] = l * sin(theta);
    q[3] = theta;
    SpragContactTolerances tolerances = sprag_system_tolerances(system, v);
    SPRAG_TRY(sprag_system_build_problem(system, 0, q, v, &tolerances, problem));
    SPRAG_TRY(sprag_analysis_run(analysis, problem, NULL, &verdict));
    printf("%5g", degrees);
    for (int i = 0; i < verdict.solution_count; i++)
        if (verdict.solutions[i].motion->modes[0] == SPRAG_MODE_STICK)
            for (int k = verdict.solutions[i].layer_count - 1; k >= 0; k--)
                printf("  %7.4f", verdict.solutions[i].layer[k].real);
    v[0] = -1;
    SPRAG_TRY(sprag_system_build_problem(system, 0, q, v, &tolerances, problem));
    SPRAG_TRY(sprag_analysis_run(analysis, problem, NULL, &verdict));
    printf("  %8.4f  %s\n", verdict.A, sprag_verdict_name(verdict.kind));
    return SPRAG_OK;
}

static SpragStatus show_table(SpragContext *context, Rod *rod)
{
    SpragSystemDef def = rod_system(rod);
    SpragSystem *system = NULL;
    SpragAnalysis *analysis = NULL;
    SpragContactProblem problem;
    sprag_contact_problem_init(&problem, context);
    SpragStatus status = sprag_system_create(context, &def, &system);
    if (status == SPRAG_OK)
        status = sprag_analysis_create(context, &analysis);
    printf("%s\ntheta  eigenvalues of D, 1/kg         A  sliding\n",
           rod->true_inertia ? "the true rod" : "the rod of the paper");
    for (int degrees = 5; degrees < 90 && status == SPRAG_OK; degrees += 10)
        status = show(system, analysis, &problem, rod->l, degrees);
    sprag_contact_problem_destroy(&problem);
    sprag_analysis_destroy(analysis);
    sprag_system_destroy(system);
    return status;
}

int main(void)
{
    SpragContext *context;
    Rod rod = {.m = 1, .l = 1, .J = 1.0 / 3, .friction = 1.8, .gravity = 9.81};
    if (sprag_context_create(NULL, &context) != SPRAG_OK)
        return 2;
    rod.cross_terms = true;
    SpragStatus status = show_table(context, &rod);
    rod.true_inertia = true;
    if (status == SPRAG_OK)
        status = show_table(context, &rod);
    if (status != SPRAG_OK)
        fprintf(stderr, "%s\n", sprag_context_message(context));
    sprag_context_destroy(context);
    return status != SPRAG_OK;
}
