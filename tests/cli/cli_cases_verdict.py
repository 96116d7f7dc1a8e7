"""Cases of what stands behind a verdict: layers, stiffness ratios, tests of the matrices, the model of each contact."""
import math

G = 9.81
FLOOR = "sprag: 1\nbodies:\n  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"


def box(name, x, speed=0, feet="[-1.2, -1], r: [0.8, -1]"):
    return (f"  - {{name: {name}, mass: 1, inertia: 2/3, position: [{x}, 1], velocity: [{speed}, 0],\n"
            f"     shapes: [{{points: {{l: {feet}}}}}]}}\n")


def sliding_box(compliance):
    return (FLOOR + box("box", 0, -1) + "contacts:\n  - {between: [box, floor], friction: 0.6, compliance: "
            + compliance + "}\n")


def layer_case(name, compliance, wanted):
    return {"name": name, "run": ["analyze", "--json", "{t}/box.yaml"],
            "files": {"box.yaml": sliding_box(compliance)}, "json": wanted}


# D of the off-centre box, theory.md 6.3: 1/m + x_i (x_j + mu h)/I
FEET = (-1.2, 0.8)
D = [[1 + 1.5 * a * (b + 0.6) for b in FEET] for a in FEET]
FORCES = (0.7 * G, 0.3 * G)


def spectrum(k, c):
    """The sum and the product of the eigenvalues of (6.5) for two rows."""
    determinant = D[0][0] * D[1][1] - D[0][1] * D[1][0]
    total, product = -sum(D[i][i] * c[i] for i in (0, 1)), determinant * k[0] * k[1]

    def check(values):
        s = sum(v["re"] for v in values)
        p = math.prod(math.hypot(v["re"], v["im"]) for v in values)
        return abs(s - total) < 1e-8 * abs(total) and abs(p - product) < 1e-8 * product
    return check


# theory.md (5.13), (5.16): epsilon 1e-3, length 0.5 m, mass 1 kg, T² = L/g
T2, EPS, LENGTH = 0.5 / G, 1e-3, 0.5
HC = 2 * math.sqrt(1 / (T2 * LENGTH * EPS**2))

WALLS = "sprag: 1\nproblem: contact\ndimension: 2\n"
TWO_ISLANDS = FLOOR + box("still", -10, 0, "[-1, -1], r: [1, -1]") + box("flutter", 10, -1) \
    + "contacts: [{between: [still, floor], friction: 0.6}, {between: [flutter, floor], friction: 0.6}]\n"
PAINLEVE = (WALLS + "W: [[1, -0.75, 0, 0], [-0.75, 2, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]\n"
            "b: [-1, 0, -1, 0]\ncontacts: [{friction: 2, slip: -1}, {friction: 0.5}]\n")

VERDICT = [
    {"name": "default layer", "run": ["analyze", "--json", "{e}/off-centre-box.yaml"],
     "json": {"verdict": "unique", "recommended": "compliant", "solutions.0.stability": "depends",
              "solutions.0.layer_source": "default", "solutions.0.normal": list(FORCES[::-1]),
              "solutions.0.layer.0.re": 2.38,
              "solutions.0.layer.0.im": lambda x: abs(abs(x) - 0.579) < 5e-4,
              "solutions.0.critical_damping": lambda z: abs(z - 0.123) < 5e-4,
              "solutions.0.ratios.tried": 9, "solutions.0.ratios.result": "depends on the ratio",
              "solutions.0.ratios.witness.length": 2, "solutions.0.ratios.witness_stability": "stable",
              "tests.p_matrix": True, "tests.p_witness": [], "tests.coherent": True,
              "contacts.0.recommended": "compliant",
              "contacts.1.rule": "takes part in the unstable eigenvector"}},
    {"name": "unique but flutter", "run": ["analyze", "--json", "{e}/unique-but-flutter.yaml"],
     "json": {"verdict": "unique", "solutions.0.stable": False, "solutions.0.stability": "flutter",
              "solutions.0.layer_source": "scene", "tests.p_matrix": True,
              "solutions.0.eigenvalues": lambda v: abs(max(e["re"] for e in v) - 0.268) < 5e-4,
              "solutions.0.growth_time": lambda t: abs(1 / t - 0.268) < 5e-4,
              "solutions.0.critical_factor": lambda f: abs(f - 0.8 / math.sqrt(1.64) / 0.2) < 1e-8}},
    {"name": "damped it is stable", "run": ["analyze", "--json", "{e}/unique-but-flutter.yaml", "--set", "c=0.8"],
     "json": {"solutions.0.stability": "stable", "recommended": "rigid", "contacts.0.rule": "one stable motion"}},
    {"name": "not definite, yet stable for all ratios", "run": ["analyze", "--json", "{t}/p.yaml"],
     "files": {"p.yaml": WALLS + "W: [[1, 0, 0, 4], [0, 1, 0, 0], [0, 0, 1, 0], [4, 0, 0, 20]]\nb: [-5, 0, -1, 0]\n"
                         "contacts: [{friction: 1, slip: -1}, {friction: 1, slip: -1}]\n"},
     "json": {"solutions.0.normal": [1, 1], "solutions.0.stability": "stable", "solutions.0.ratios.proven": True,
              "solutions.0.ratios.result": "stable for all ratios tried", "solutions.0.ratios.witness": None}},
    layer_case("kelvin-voigt", "{law: kelvin-voigt, stiffness: 2e5, damping: 30}",
               {"solutions.0.layer_source": "scene", "solutions.0.eigenvalues": spectrum((2e5, 2e5), (30, 30))}),
    layer_case("kelvin-voigt without damping", "{stiffness: 2e5}",
               {"solutions.0.layer_source": "mixed", "solutions.0.stability": "flutter",
                # d̄ is the mean of a_nn; the critical factor is that of the critical ratio 0.1226
                "solutions.0.critical_factor": lambda f: abs(f - 1.2264133) < 1e-6}),
    layer_case("kelvin-voigt by epsilon", "{law: kelvin-voigt, epsilon: 1e-3, length: 0.5}",
               {"solutions.0.layer_source": "scene",
                "solutions.0.eigenvalues": spectrum([1 / (EPS * T2)] * 2, [1 / math.sqrt(EPS * T2)] * 2)}),
    layer_case("hunt-crossley at the force", "{law: hunt-crossley, stiffness: 1e7, alpha: 0.2}",
               {"solutions.0.layer_source": "scene", "solutions.0.eigenvalues": spectrum(
                   [1.5 * 1e7 ** (2 / 3) * f ** (1 / 3) for f in FORCES], [0.3 * f for f in FORCES])}),
    layer_case("hunt-crossley by epsilon", "{law: hunt-crossley, exponent: 2, epsilon: 1e-3, length: 0.5}",
               {"solutions.0.layer_source": "scene", "solutions.0.eigenvalues": spectrum(
                   [HC * math.sqrt(f) for f in FORCES],
                   [math.sqrt(T2 / EPS) / LENGTH * f for f in FORCES])}),
    {"name": "layers, for people", "run": ["analyze", "{e}/off-centre-box.yaml"],
     "out": ["no stiffness given: Kelvin-Voigt with ε = 0.0001, ζ = 0.1 assumed", "stiffness ratios: depends on the ratio",
             "model of each contact", "takes part in the unstable eigenvector"]},
    {"name": "nothing presses, no layer", "run": ["analyze", "--json", "{s}/contact.yaml", "--set", "push=2"],
     "json": {"solutions.0.layer_source": None}},
    {"name": "another island stays rigid", "run": ["analyze", "--json", "{t}/two.yaml"],
     "files": {"two.yaml": TWO_ISLANDS},
     "json": {"recommended": "compliant", "contacts": lambda all: {c["name"].split(".")[0]: c["recommended"] for c in all}
              == {"still": "rigid", "flutter": "compliant"},
              "contacts.0.rule": "takes no part in the failure"}},
    {"name": "no motion: one contact is to blame", "run": ["analyze", "--json", "{t}/none.yaml"],
     "files": {"none.yaml": PAINLEVE},
     "json": {"verdict": "none", "contacts.0.recommended": "compliant", "contacts.1.recommended": "rigid",
              "contacts.0.rule": "no motion: index set of the non-positive determinant", "tests.p_matrix": None,
              "tests.coherent": False, "tests.determinant": -0.5, "tests.determinant_modes.0": "slide-"}},
    {"name": "open contacts are rigid", "run": ["analyze", "--json", "{s}/drop.yaml"],
     "json": {"contacts.0.recommended": "rigid", "contacts.0.rule": "not closed",
              "tests.determinant": None, "tests.omitted": "no contact is closed"}},
    {"name": "stable motions differ", "run": ["analyze", "--json", "{e}/wedge.yaml"],
     "json": {"contacts.0.rule": "stable motions differ here", "tests.coherent": False}},
    {"name": "dependent rows prove nothing", "run": ["analyze", "--json", "{s}/box.yaml"],
     "json": {"tests.coherent": None, "tests.p_matrix": None, "contacts.0.rule": "one stable motion"}},
    {"name": "witness of the P-test", "run": ["analyze", "--json", "{s}/painleve.yaml"],
     "json": {"tests.p_matrix": False, "tests.p_witness": lambda w: len(w) == 1, "tests.sufficient": True,
              "tests.p_minor": lambda m: m < 0}},
    {"name": "check has no advice", "run": ["check", "--json", "{s}/box.yaml"],
     "json": {"contacts.0": lambda c: "rule" not in c}},
]
