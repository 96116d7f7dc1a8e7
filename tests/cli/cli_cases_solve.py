"""The cases of `sprag solve`; run_cli.py says what the entries mean."""


def lcp(M, q):
    return f"sprag: 1\nproblem: lcp\nM: {M}\nq: {q}\n"


def dat(name):
    return "{s}/../../data/lcp/" + name + ".dat"


THREE = lcp([[1, 2], [2, 1]], [-1, -1])  # (1, 0), (0, 1) and (1/3, 1/3)
EMPTY = lcp([[0, 1], [0, 0]], [-1, 1])   # feasible, but without a solution
QP = "sprag: 1\nproblem: qp\nQ: [[1, 1], [1, 1]]\nc: [-1, -1]\nH: [[1, 0]]\nK: [0.3]\n"


def friction(name):
    return "{s}/../../data/friction/" + name


PAINLEVE = ("sprag: 1\nproblem: friction\ndimension: 3\nW: [[1, 0.6, 0.6], [0.6, 2, 0], [0.6, 0, 0.5]]\n"
            "q: [-1, 4.6, -1.5]\nfriction: 1\n")  # theory.md 13.1: three solutions
STUCK = "sprag: 1\nproblem: friction\nW: [[0, 0], [0, 0]]\nq: [-1, 0]\nfriction: [0.5]\n"
SKEW = "sprag: 1\nproblem: friction\nW: [[1, 0.5], [0, 1]]\nq: [-1, 0]\nfriction: 0.5\n"


def small(r):
    return r <= 1e-8


def total_one(z):
    return abs(sum(z) - 1) < 1e-12


SOLVE = [
    {"name": "help", "run": ["solve", "--help"],
     "out": ["usage: sprag solve", "--all", "--method NAME", "--list-methods", "--tolerance T"]},
    {"name": "the methods", "run": ["solve", "--list-methods"],
     "out": ["lemke", "murty", "keller", "cottle-dantzig", "newton-fb", "newton-min", "pgs",
             "enumeration", "needs", "promises", "wolfe", "active-set"]},
    {"name": "the methods as JSON", "run": ["solve", "--list-methods", "--json"],
     "json": {"methods.0.name": "auto", "methods.1.needs": "nothing"}},
    {"name": "no problem", "run": ["solve"], "exit": 2, "err": ["PROBLEM is missing"]},
    {"name": "unknown method", "run": ["solve", "--method", "lemk", dat("lcp_CPS_1")], "exit": 2,
     "err": ["'lemk'", "did you mean 'lemke'"]},
    {"name": "bad tolerance", "run": ["solve", "--tolerance", "0", dat("lcp_CPS_1")], "exit": 2,
     "err": ["--tolerance must be a number > 0"]},
    {"name": "a segment", "run": ["solve", "--all", "--json", dat("lcp_CPS_1")],
     "json": {"verdict": "infinite", "complete": True, "count": 1, "solutions.length": 1,
              "solutions.0.dimension": 1, "solutions.0.vertices.length": 2,
              "solutions.0.z": total_one, "solutions.0.rays.length": 0, "p_matrix": False}},
    {"name": "a ray", "run": ["solve", "--all", "--json", dat("lcp_CPS_5")],
     "json": {"verdict": "infinite", "solutions.0.rays.0.0": 1, "solutions.0.rays.0.1": 1}},
    {"name": "three solutions", "run": ["solve", "--all", "--json", "{t}/p.yaml"],
     "files": {"p.yaml": THREE},
     "json": {"verdict": "multiple", "count": 3, "solutions.length": 3, "complete": True}},
    {"name": "one of three", "run": ["solve", "--json", "{t}/p.yaml"], "files": {"p.yaml": THREE},
     "json": {"verdict": "multiple", "count": 1, "complete": False,
              "residual": lambda r: r <= 1e-9}},
    {"name": "a P-matrix", "run": ["solve", "--json", dat("lcp_deudeu")],
     "json": {"verdict": "unique", "complete": True, "p_matrix": True, "method": "lemke",
              "solutions.0.z.0": 4 / 3, "solutions.0.z.1": 7 / 3,
              "pivots": lambda n: n >= 1, "status": "solved"}},
    {"name": "infeasible", "run": ["solve", "--json", dat("lcp_CPS_4")], "exit": 4,
     "json": {"verdict": "none", "complete": True, "count": 0, "solutions.length": 0}},
    {"name": "without a solution", "run": ["solve", "--json", "{t}/p.yaml"], "exit": 4,
     "files": {"p.yaml": EMPTY}, "json": {"verdict": "none", "steps.length": lambda n: n > 2}},
    {"name": "a ray that proves nothing", "run": ["solve", "--method", "lemke", "--json", "{t}/p.yaml"],
     "exit": 4, "files": {"p.yaml": EMPTY}, "json": {"verdict": "unknown", "status": "ray"}},
    {"name": "every method by name", "run": ["solve", "--method", "keller", "--json", dat("lcp_ortiz")],
     "json": {"method": "keller", "residual": lambda r: r <= 1e-9}},
    {"name": "a QP", "run": ["solve", "--json", "{t}/q.yaml"], "files": {"q.yaml": QP},
     "json": {"verdict": "infinite", "value": -0.5, "solutions.0.low.0": 0, "solutions.0.high.0": 0.3,
              "solutions.0.low.1": 0.7, "solutions.0.high.1": 1, "null_dimension": 1}},
    {"name": "a QP by Wolfe", "run": ["solve", "--method", "wolfe", "--json", "{t}/q.yaml"],
     "files": {"q.yaml": QP}, "json": {"method": "wolfe", "value": -0.5}},
    {"name": "a QP without that method", "run": ["solve", "--method", "lemke", "{t}/q.yaml"],
     "files": {"q.yaml": QP}, "exit": 2, "err": ["no QP method is called 'lemke'"]},
    {"name": "truncated", "run": ["solve", "{t}/x.dat"], "files": {"x.dat": "2\n0\n2\n2\n2 2\n1 2\n3 4\n5\n"},
     "exit": 3, "err": ["x.dat:9:1: the file ends where q[1] is expected"]},
    {"name": "corrupted", "run": ["solve", "--all", "{t}/x.dat"],
     "files": {"x.dat": "2\n0\n2\n2\n2 2\n1 nan\n3 4\n5 6\n"}, "exit": 3,
     "err": ["x.dat:6:3: M[0][1] must be a number, got 'nan'"]},
    {"name": "missing", "run": ["solve", "{t}/none.dat"], "exit": 3, "err": ["none.dat"]},
    {"name": "a scene", "run": ["solve", "{s}/box.yaml"], "exit": 3, "err": ["problem: lcp", "analyze"]},
    {"name": "--set on .dat", "run": ["solve", "--set", "q.0=1", dat("lcp_CPS_1")], "exit": 2,
     "err": ["--set needs a YAML"]},
    {"name": "quiet", "run": ["solve", "-q", dat("lcp_CPS_1")], "out_is": ""},
    {"name": "friction methods", "run": ["solve", "--list-methods"],
     "out": ["methods for friction problems", "gauss-seidel", "gradient", "interior", "flow"]},
    {"name": "friction by a flow", "run": ["solve", "--json", "--method", "flow", friction("NESpheres_10_1.dat")],
     "json": {"problem": "friction", "residual": small, "status": "solved", "steps.0.method": "flow"}},
    {"name": "friction of Siconos, dense", "run": ["solve", "--json", friction("Rover4144.dat")],
     "err": ["warning: W differs from its transpose by 8e-06"],
     "json": {"problem": "friction", "contacts": 4, "count": 1, "residual": small, "verdict": "unknown",
              "solutions.0.r.length": 12, "solutions.0.u.length": 12, "status": "solved"}},
    {"name": "friction of Siconos, blocks", "run": ["solve", "--json", friction("Capsules-i100-889.dat")],
     "err": ["warning: W differs"], "json": {"contacts": 276, "residual": small}},
    {"name": "friction of Siconos, printed", "run": ["solve", "--json",
                                                     friction("fc2d_granularflowonwall_00667_00000.dat")],
     "json": {"dimension": 2, "contacts": 667, "residual": small}},
    {"name": "friction of FCLIB", "run": ["solve", "--json", friction("Box_Stacks-i0122-82-5.hdf5")],
     "json": {"contacts": 82, "residual": small, "asymmetry": 0}},
    {"name": "friction in YAML", "run": ["solve", "{t}/p.yaml"], "files": {"p.yaml": PAINLEVE},
     "out": ["1 contact: solved", "natural residual", "(tolerance 1e-08; unit-free residual", "5.8"]},
    {"name": "all solutions of a friction problem", "run": ["solve", "--all", "--json", "{t}/p.yaml"],
     "files": {"p.yaml": PAINLEVE},
     "json": {"verdict": "multiple", "count": 3, "complete": True, "residual": small}},
    {"name": "friction with polygons", "run": ["solve", "--method", "lcp", "--sides", "16", "--json",
                                               friction("NESpheres_10_1.dat")],
     "exit": 4, "err": ["not converged: residual"],
     "json": {"method": "lcp", "count": 0, "residual": lambda r: 1e-8 < r < 0.1}},
    {"name": "friction with too many polygons", "run": ["solve", "-q", "--method", "lcp", "--sides", "64",
                                                        friction("Capsules-i100-889.dat")],
     "exit": 4, "err": ["not converged: the method lcp is for LCPs of up to 4000 rows (2 and as many"]},
    {"name": "friction without a solution", "run": ["solve", "--json", "{t}/p.yaml"], "files": {"p.yaml": STUCK},
     "exit": 4, "err": ["not converged: residual", "(natural, worst at contact 0) is above the tolerance 1e-08"],
     "json": {"count": 0, "residual": lambda r: r > 0.1}},
    {"name": "W that is not symmetric", "run": ["solve", "--json", "{t}/p.yaml"], "files": {"p.yaml": SKEW},
     "err": ["warning: W differs from its transpose by 0.5"], "json": {"residual": small}},
    {"name": "and a method that needs it", "run": ["solve", "--method", "gradient", "{t}/p.yaml"],
     "files": {"p.yaml": SKEW}, "exit": 3, "err": ["W must be symmetric for the method 'gradient'"]},
    {"name": "no such friction method", "run": ["solve", "--method", "newtn", "{t}/p.yaml"],
     "files": {"p.yaml": SKEW}, "exit": 2, "err": ["did you mean 'newton'"]},
    {"name": "bad sides", "run": ["solve", "--sides", "2", "{t}/p.yaml"], "files": {"p.yaml": SKEW}, "exit": 2,
     "err": ["--sides must be a whole number from 3 to 64"]},
    {"name": "friction, truncated", "run": ["solve", "{t}/x.dat"],
     "files": {"x.dat": "2\n1\n0\n2\n2\n2 2\n1 2\n3 4\n5 6\n"}, "exit": 3,
     "err": ["x.dat:10:1: the file ends where mu[0] is expected"]},
    {"name": "friction, negative", "run": ["solve", "{t}/p.yaml"], "exit": 3,
     "files": {"p.yaml": SKEW.replace("0.5\n", "-0.5\n")}, "err": ["p.yaml:5:11: friction must be"]},
    {"name": "no HDF5", "run": ["solve", "{t}/x.hdf5"], "files": {"x.hdf5": "nothing"}, "exit": 3,
     "err": ["x.hdf5: not an HDF5 file"]},
]
