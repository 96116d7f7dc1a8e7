// integrate_dop853.c: Dormand and Prince's explicit Runge–Kutta method 8(5,3) with dense output of
// order 7.
// Problem   one step of y' = f(t, y) from (t, y) to t + h
// Method    k_i = f(t + c_i h, y + h Σ_j a_ij k_j),  y_new = y + h Σ_i b_i k_i  with 12 stages; the
//           13th, k_12 = f(t + h, y_new), is the first one of the next step
//                                                          [HairerNorsettWanner1993, sec. II.5]
// Error     err5 = ‖h Σ e5_i k_i‖ of order 5, err3 = ‖h (Σ b_i k_i − Σ b3_i k_i)‖ of order 3;
//           scaled component by component. err = err5² / √(err5² + err3²/100) is O(h⁸) as long as
//           the two estimates are in their asymptotic range, and pessimistic where they are not
//                                                         [HairerNorsettWanner1993, sec. II.10]
// Dense     a polynomial of degree 7 in s = (t − t_old)/h through both ends and their derivatives,
//           with three more stages                         [HairerNorsettWanner1993, sec. II.6]
// Assumes   f smooth within the step; not stiff
// Numbering here starts at 0: k_i is k_{i+1} of the book. The numbers are those of the book's
// program; test_integrate.c checks them against the order conditions.
#include <math.h>

#include "integrate_private.h"

enum { LAST = 12, STAGES = 16, DENSE = 7 };

// Weight of err3² beside err5² [HairerNorsettWanner1993, sec. II.10].
static const double THIRD_ORDER_WEIGHT = 0.01;

static const double c[STAGES] = {0.0,
                                 0.526001519587677318785587544488e-1,
                                 0.789002279381515978178381316732e-1,
                                 0.118350341907227396726757197510,
                                 0.281649658092772603273242802490,
                                 1.0 / 3.0,
                                 0.25,
                                 4.0 / 13.0,
                                 127.0 / 195.0,
                                 0.6,
                                 6.0 / 7.0,
                                 1.0,
                                 1.0,
                                 0.1,
                                 0.2,
                                 7.0 / 9.0};

// Row 12 of a holds b, rows from 13 on belong to the dense output.
static const double a[16][16] = {
    [1] = {[0] = 5.26001519587677318785587544488e-2},
    [2] = {[0] = 1.97250569845378994544595329183e-2, [1] = 5.91751709536136983633785987549e-2},
    [3] = {[0] = 2.95875854768068491816892993775e-2, [2] = 8.87627564304205475450678981324e-2},
    [4] = {[0] = 2.41365134159266685502369798665e-1,
           [2] = -8.84549479328286085344864962717e-1,
           [3] = 9.24834003261792003115737966543e-1},
    [5] = {[0] = 3.7037037037037037037037037037e-2,
           [3] = 1.70828608729473871279604482173e-1,
           [4] = 1.25467687566822425016691814123e-1},
    [6] = {[0] = 3.7109375e-2,
           [3] = 1.70252211019544039314978060272e-1,
           [4] = 6.02165389804559606850219397283e-2,
           [5] = -1.7578125e-2},
    [7] = {[0] = 3.70920001185047927108779319836e-2,
           [3] = 1.70383925712239993810214054705e-1,
           [4] = 1.07262030446373284651809199168e-1,
           [5] = -1.53194377486244017527936158236e-2,
           [6] = 8.27378916381402288758473766002e-3},
    [8] = {[0] = 6.24110958716075717114429577812e-1,
           [3] = -3.36089262944694129406857109825,
           [4] = -8.68219346841726006818189891453e-1,
           [5] = 2.75920996994467083049415600797e1,
           [6] = 2.01540675504778934086186788979e1,
           [7] = -4.34898841810699588477366255144e1},
    [9] = {[0] = 4.77662536438264365890433908527e-1,
           [3] = -2.48811461997166764192642586468,
           [4] = -5.90290826836842996371446475743e-1,
           [5] = 2.12300514481811942347288949897e1,
           [6] = 1.52792336328824235832596922938e1,
           [7] = -3.32882109689848629194453265587e1,
           [8] = -2.03312017085086261358222928593e-2},
    [10] = {[0] = -9.3714243008598732571704021658e-1,
            [3] = 5.18637242884406370830023853209,
            [4] = 1.09143734899672957818500254654,
            [5] = -8.14978701074692612513997267357,
            [6] = -1.85200656599969598641566180701e1,
            [7] = 2.27394870993505042818970056734e1,
            [8] = 2.49360555267965238987089396762,
            [9] = -3.0467644718982195003823669022},
    [11] = {[0] = 2.27331014751653820792359768449,
            [3] = -1.05344954667372501984066689879e1,
            [4] = -2.00087205822486249909675718444,
            [5] = -1.79589318631187989172765950534e1,
            [6] = 2.79488845294199600508499808837e1,
            [7] = -2.85899827713502369474065508674,
            [8] = -8.87285693353062954433549289258,
            [9] = 1.23605671757943030647266201528e1,
            [10] = 6.43392746015763530355970484046e-1},
    [12] = {[0] = 5.42937341165687622380535766363e-2,
            [5] = 4.45031289275240888144113950566,
            [6] = 1.89151789931450038304281599044,
            [7] = -5.8012039600105847814672114227,
            [8] = 3.1116436695781989440891606237e-1,
            [9] = -1.52160949662516078556178806805e-1,
            [10] = 2.01365400804030348374776537501e-1,
            [11] = 4.47106157277725905176885569043e-2},
    [13] = {[0] = 5.61675022830479523392909219681e-2,
            [6] = 2.53500210216624811088794765333e-1,
            [7] = -2.46239037470802489917441475441e-1,
            [8] = -1.24191423263816360469010140626e-1,
            [9] = 1.5329179827876569731206322685e-1,
            [10] = 8.20105229563468988491666602057e-3,
            [11] = 7.56789766054569976138603589584e-3,
            [12] = -8.298e-3},
    [14] = {[0] = 3.18346481635021405060768473261e-2,
            [5] = 2.83009096723667755288322961402e-2,
            [6] = 5.35419883074385676223797384372e-2,
            [7] = -5.49237485713909884646569340306e-2,
            [10] = -1.08347328697249322858509316994e-4,
            [11] = 3.82571090835658412954920192323e-4,
            [12] = -3.40465008687404560802977114492e-4,
            [13] = 1.41312443674632500278074618366e-1},
    [15] = {[0] = -4.28896301583791923408573538692e-1,
            [5] = -4.69762141536116384314449447206,
            [6] = 7.68342119606259904184240953878,
            [7] = 4.06898981839711007970213554331,
            [8] = 3.56727187455281109270669543021e-1,
            [12] = -1.39902416515901462129418009734e-3,
            [13] = 2.9475147891527723389556272149,
            [14] = -9.15095847217987001081870187138},
};

static const double d[4][16] = {
    [0] = {[0] = -0.84289382761090128651353491142e+1,
           [5] = 0.56671495351937776962531783590,
           [6] = -0.30689499459498916912797304727e+1,
           [7] = 0.23846676565120698287728149680e+1,
           [8] = 0.21170345824450282767155149946e+1,
           [9] = -0.87139158377797299206789907490,
           [10] = 0.22404374302607882758541771650e+1,
           [11] = 0.63157877876946881815570249290,
           [12] = -0.88990336451333310820698117400e-1,
           [13] = 0.18148505520854727256656404962e+2,
           [14] = -0.91946323924783554000451984436e+1,
           [15] = -0.44360363875948939664310572000e+1},
    [1] = {[0] = 0.10427508642579134603413151009e+2,
           [5] = 0.24228349177525818288430175319e+3,
           [6] = 0.16520045171727028198505394887e+3,
           [7] = -0.37454675472269020279518312152e+3,
           [8] = -0.22113666853125306036270938578e+2,
           [9] = 0.77334326684722638389603898808e+1,
           [10] = -0.30674084731089398182061213626e+2,
           [11] = -0.93321305264302278729567221706e+1,
           [12] = 0.15697238121770843886131091075e+2,
           [13] = -0.31139403219565177677282850411e+2,
           [14] = -0.93529243588444783865713862664e+1,
           [15] = 0.35816841486394083752465898540e+2},
    [2] = {[0] = 0.19985053242002433820987653617e+2,
           [5] = -0.38703730874935176555105901742e+3,
           [6] = -0.18917813819516756882830838328e+3,
           [7] = 0.52780815920542364900561016686e+3,
           [8] = -0.11573902539959630126141871134e+2,
           [9] = 0.68812326946963000169666922661e+1,
           [10] = -0.10006050966910838403183860980e+1,
           [11] = 0.77771377980534432092869265740,
           [12] = -0.27782057523535084065932004339e+1,
           [13] = -0.60196695231264120758267380846e+2,
           [14] = 0.84320405506677161018159903784e+2,
           [15] = 0.11992291136182789328035130030e+2},
    [3] = {[0] = -0.25693933462703749003312586129e+2,
           [5] = -0.15418974869023643374053993627e+3,
           [6] = -0.23152937917604549567536039109e+3,
           [7] = 0.35763911791061412378285349910e+3,
           [8] = 0.93405324183624310003907691704e+2,
           [9] = -0.37458323136451633156875139351e+2,
           [10] = 0.10409964950896230045147246184e+3,
           [11] = 0.29840293426660503123344363579e+2,
           [12] = -0.43533456590011143754432175058e+2,
           [13] = 0.96324553959188282948394950600e+2,
           [14] = -0.39177261675615439165231486172e+2,
           [15] = -0.14972683625798562581422125276e+3},
};

static const double e5[12] = {
    [0] = 0.1312004499419488073250102996e-1,  [5] = -0.1225156446376204440720569753e+1,
    [6] = -0.4957589496572501915214079952,    [7] = 0.1664377182454986536961530415e+1,
    [8] = -0.3503288487499736816886487290,    [9] = 0.3341791187130174790297318841,
    [10] = 0.8192320648511571246570742613e-1, [11] = -0.2235530786388629525884427845e-1};

static const double b3[12] = {[0] = 0.244094488188976377952755905512,
                              [8] = 0.733846688281611857341361741547,
                              [11] = 0.220588235294117647058823529412e-1};

// Before a loop whose iterations do not depend on each other: spares the checks at run time that
// arrays do not overlap. (restrict does not survive the calls of f.)
#if defined(__clang__)
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#else
#define INDEPENDENT
#endif

// Term j of a sum over stages: row s of a, e5 or d.
#define A(s, j) (a[s][j] * k##j[i])
#define E(j) (e5[j] * k##j[i])
#define D(s, j) (d[s][j] * k##j[i])
// w = y + h (older + newest), with the newest term, for which the sum may have to wait, added last;
// k_s = f there.
#define STAGE(s, time, older, newest)                                                              \
    do {                                                                                           \
        const double weight_ = h * a[s][newest];                                                   \
        INDEPENDENT                                                                                \
        for (int i = 0; i < width; i++)                                                            \
            w[i] = (y[i] + h * (older)) + weight_ * k##newest[i];                                  \
        int code_ = integrator_call(integrator, time, w, k##s);                                    \
        if (code_ != 0)                                                                            \
            return code_;                                                                          \
    } while (0)

// y_new and the scaled error.
static double finish(SpragIntegrator *integrator, double h)
{
    const int width = integrator->width & ~1;
    const double *restrict y = integrator->begin, *restrict absolute = integrator->absolute;
    double *restrict y_new = integrator->end;
    double *restrict q5 = integrator->work, *restrict q3 = integrator->work2;
    double *const *k = integrator->k;
    const double *restrict k0 = k[0], *restrict k5 = k[5], *restrict k6 = k[6], *restrict k7 = k[7];
    const double *restrict k8 = k[8], *restrict k9 = k[9];
    const double *restrict k10 = k[10], *restrict k11 = k[11];
    const double relative = integrator->relative;
    INDEPENDENT
    for (int i = 0; i < width; i++) {
        double slope = (A(12, 0) + A(12, 5) + A(12, 6) + A(12, 7)) +
                       (A(12, 8) + A(12, 9) + A(12, 10) + A(12, 11));
        double fifth = (E(0) + E(5) + E(6) + E(7)) + (E(8) + E(9) + E(10) + E(11));
        double third = slope - (b3[0] * k0[i] + b3[8] * k8[i] + b3[11] * k11[i]);
        y_new[i] = y[i] + h * slope;
        double size = fabs(y[i]), size_new = fabs(y_new[i]);
        double scale = absolute[i] + relative * (size > size_new ? size : size_new);
        q5[i] = fifth / scale;
        q3[i] = third / scale;
    }
    // 0·y_new is 0, or not a number where y_new overflowed
    double sum5 = 0.0, sum3 = 0.0, finite = 0.0;
    for (int i = 0; i < width; i++) {
        sum5 += q5[i] * q5[i];
        sum3 += q3[i] * q3[i];
        finite += 0.0 * y_new[i];
    }
    double denominator = (sum5 + THIRD_ORDER_WEIGHT * sum3) * integrator->controlled_count;
    if (denominator <= 0.0)
        return finite;
    return fabs(h) * sum5 / sqrt(denominator) + finite;
}

static int attempt(SpragIntegrator *integrator, double h, double *error)
{
    const int width = integrator->width & ~1;
    const double t = integrator->t_begin;
    const double *restrict y = integrator->begin;
    double *restrict w = integrator->work;
    double *const *k = integrator->k;
    double *restrict k0 = k[0], *restrict k1 = k[1], *restrict k2 = k[2], *restrict k3 = k[3];
    double *restrict k4 = k[4], *restrict k5 = k[5], *restrict k6 = k[6], *restrict k7 = k[7];
    double *restrict k8 = k[8], *restrict k9 = k[9], *restrict k10 = k[10], *restrict k11 = k[11];
    STAGE(1, t + c[1] * h, 0.0, 0);
    STAGE(2, t + c[2] * h, A(2, 0), 1);
    STAGE(3, t + c[3] * h, A(3, 0), 2);
    STAGE(4, t + c[4] * h, A(4, 0) + A(4, 2), 3);
    STAGE(5, t + c[5] * h, A(5, 0) + A(5, 3), 4);
    STAGE(6, t + c[6] * h, A(6, 0) + A(6, 3) + A(6, 4), 5);
    STAGE(7, t + c[7] * h, A(7, 0) + A(7, 3) + A(7, 4) + A(7, 5), 6);
    STAGE(8, t + c[8] * h, A(8, 0) + A(8, 3) + A(8, 4) + A(8, 5) + A(8, 6), 7);
    STAGE(9, t + c[9] * h, A(9, 0) + A(9, 3) + A(9, 4) + A(9, 5) + A(9, 6) + A(9, 7), 8);
    STAGE(10, t + c[10] * h,
          A(10, 0) + A(10, 3) + A(10, 4) + A(10, 5) + A(10, 6) + A(10, 7) + A(10, 8), 9);
    STAGE(11, integrator->t_end,
          A(11, 0) + A(11, 3) + A(11, 4) + A(11, 5) + A(11, 6) + A(11, 7) + A(11, 8) + A(11, 9),
          10);
    *error = finish(integrator, h);
    return 0;
}

// The coefficients r of y(s) = y + s (r0 + (1−s)(r1 + s (r2 + (1−s)(r3 + s (r4 + …))))): r0 to r2
// interpolate y_new and both end derivatives.
static void fill_dense(SpragIntegrator *integrator, double h)
{
    const int width = integrator->width & ~1;
    const double *restrict y = integrator->begin, *restrict y_new = integrator->end;
    double *const *k = integrator->k, *const *dense = integrator->dense;
    const double *restrict k0 = k[0], *restrict k5 = k[5], *restrict k6 = k[6], *restrict k7 = k[7];
    const double *restrict k8 = k[8], *restrict k9 = k[9], *restrict k10 = k[10];
    const double *restrict k11 = k[11], *restrict k12 = k[12], *restrict k13 = k[13];
    const double *restrict k14 = k[14], *restrict k15 = k[15];
    double *restrict r0 = dense[0], *restrict r1 = dense[1], *restrict r2 = dense[2];
    INDEPENDENT
    for (int i = 0; i < width; i++) {
        r0[i] = y_new[i] - y[i];
        r1[i] = h * k0[i] - r0[i];
        r2[i] = r0[i] - h * k12[i] - r1[i];
    }
#define FILL(s)                                                                                    \
    do {                                                                                           \
        double *restrict r = dense[3 + (s)];                                                       \
        INDEPENDENT for (int i = 0; i < width; i++) r[i] =                                         \
            h *                                                                                    \
            ((D(s, 0) + D(s, 5) + D(s, 6) + D(s, 7)) + (D(s, 8) + D(s, 9) + D(s, 10) + D(s, 11)) + \
             (D(s, 12) + D(s, 13) + D(s, 14) + D(s, 15)));                                         \
    } while (0)
    FILL(0);
    FILL(1);
    FILL(2);
    FILL(3);
#undef FILL
}

static int build_dense(SpragIntegrator *integrator)
{
    const int width = integrator->width & ~1;
    const double t = integrator->t_begin, h = integrator->t_end - t;
    const double *restrict y = integrator->begin;
    double *restrict w = integrator->work;
    double *const *k = integrator->k;
    const double *restrict k0 = k[0], *restrict k5 = k[5], *restrict k6 = k[6], *restrict k7 = k[7];
    const double *restrict k8 = k[8], *restrict k9 = k[9], *restrict k10 = k[10];
    const double *restrict k11 = k[11], *restrict k12 = k[12];
    double *restrict k13 = k[13], *restrict k14 = k[14], *restrict k15 = k[15];
    STAGE(13, t + c[13] * h,
          A(13, 0) + A(13, 6) + A(13, 7) + A(13, 8) + A(13, 9) + A(13, 10) + A(13, 11), 12);
    STAGE(14, t + c[14] * h,
          A(14, 0) + A(14, 5) + A(14, 6) + A(14, 7) + A(14, 10) + A(14, 11) + A(14, 12), 13);
    STAGE(15, t + c[15] * h,
          A(15, 0) + A(15, 5) + A(15, 6) + A(15, 7) + A(15, 8) + A(15, 12) + A(15, 13), 14);
    fill_dense(integrator, h);
    return 0;
}

static double component(const SpragIntegrator *integrator, double s, int i)
{
    double *const *r = integrator->dense;
    double u = 1.0 - s;
    double inner = r[3][i] + s * (r[4][i] + u * (r[5][i] + s * r[6][i]));
    return integrator->begin[i] + s * (r[0][i] + u * (r[1][i] + s * (r[2][i] + u * inner)));
}

static void components(const SpragIntegrator *integrator, double s, double *restrict y)
{
    for (int i = 0; i < integrator->n; i++)
        y[i] = component(integrator, s, i);
}

static double eighth_root(const SpragIntegrator *integrator, double error)
{
    (void)integrator;
    return sqrt(sqrt(sqrt(error)));
}

static const SpragIntegratorCode code = {.dense_count = DENSE,
                                         .last_stage = LAST,
                                         .attempt = attempt,
                                         .build_dense = build_dense,
                                         .component = component,
                                         .components = components,
                                         .error_root = eighth_root};

const SpragIntegratorMethod sprag_dop853 = {.name = "dop853",
                                            .source = "Hairer, Nørsett, Wanner, Solving Ordinary "
                                                      "Differential Equations I, 2nd ed., 1993",
                                            .order = 8,
                                            .dense_order = 7,
                                            .stage_count = LAST + 1,
                                            .extended_count = STAGES,
                                            .a = &a[0][0],
                                            .c = c,
                                            .code = &code};
