"""Numbers of docs/theory.md as a user would ask for them; run_cli.py says what the entries mean."""
import math
import re
import shlex
from pathlib import Path

from cli_cases_map import critical

ROOT = Path(__file__).resolve().parents[2]

MECHANICS = """sprag: 1
problem: contact
contacts: [{friction: 1, slip: -1}]
"""


def margin(name, scene, sets, what, expected):
    """A case: the named margin (in absolute terms: what the number may fall or rise to)."""
    key, side = what
    return {"name": name, "close": 1e-9,
            "run": ["analyze", "--json", scene, *(a for s in sets for a in ("--set", s)), "--margin", key],
            "json": {f"margin.parameters.{key}.{side}.value": expected}}


def refused(name, text, fragments):
    return {"name": name, "run": ["analyze", "{t}/p.yaml"], "files": {"p.yaml": MECHANICS + text}, "exit": 3,
            "err": fragments}


def near(value, digits=5e-4):
    return lambda actual: abs(actual - value) <= digits


def largest_real(value):
    return lambda spectrum: abs(max(e["re"] for e in spectrum) - value) <= 5e-4


def pictures(document):
    """A case for every command of a guide that draws a picture: it still draws what is committed."""
    for command in re.findall(r"^    sprag (.* -o docs/images/.*\.svg)$", (ROOT / document).read_text(), re.M):
        *arguments, picture = shlex.split(command)
        name = Path(picture).name

        def same(folder, picture=picture, name=name):
            made, kept = ((path).read_text().split("</desc>")[1] for path in (folder / name, ROOT / picture))
            return None if made == kept else f"{picture} is not what the tool draws now"
        yield {"name": f"{document}: {picture}", "run": [*arguments, "{t}/" + name], "in": str(ROOT), "after": same}


THEORY = [
    *pictures("docs/guide/spatial-rod.md"),
    # ---- mass, J, force, bias ---------------------------------------------------------------------------
    {"name": "a rod by its mass matrix", "run": ["analyze", "--json", "{e}/rod-by-mass.yaml"],
     "json": {"verdict": "multiple", "A": 1 + 3 * 0.5 * (0.5 - 1.8 * math.sqrt(0.75)),
              "B": 18 * math.sqrt(0.75) - 9.81, "solutions.1.acceleration.q": lambda q: q == [-9.81, 0, 0],
              "solutions.0.acceleration.q.length": 3, "held": False}},
    {"name": "the same as the scene", "run": ["analyze", "--json", "{e}/painleve-rod.yaml"],
     "json": {"verdict": "multiple", "A": 1 + 3 * 0.5 * (0.5 - 1.8 * math.sqrt(0.75)),
              "B": 18 * math.sqrt(0.75) - 9.81}},
    {"name": "for people", "run": ["analyze", "-v", "{e}/rod-by-mass.yaml"], "out": ["q[2]", "62.405", "Delassus"]},
    {"name": "held needs rest: a bias tells of motion", "run": ["analyze", "--json", "{t}/p.yaml"],
     "files": {"p.yaml": "sprag: 1\nproblem: contact\nmass: [1, 1]\nJ: [[0, 1], [1, 0]]\nforce: [0, -9.81]\n"
                         "bias: [1, 0]\ncontacts: [{friction: 1}]\n"},
     "json": {"verdict": "unique", "held": False, "solutions.0.modes": lambda m: m == ["stick"]}},
    {"name": "without it", "run": ["analyze", "--json", "{t}/p.yaml"],
     "files": {"p.yaml": "sprag: 1\nproblem: contact\nmass: [1, 1]\nJ: [[0, 1], [1, 0]]\nforce: [0, -9.81]\n"
                         "contacts: [{friction: 1}]\n"},
     "json": {"verdict": "unique", "held": True, "solutions.0.acceleration.q": lambda q: max(map(abs, q)) < 1e-12}},
    refused("both forms", "mass: [1]\nJ: [[1], [1]]\nW: [[1, 0], [0, 1]]\nb: [0, 0]\n", ["p.yaml:6:1:", "not both"]),
    refused("mass not definite", "mass: [[1, 2], [2, 1]]\nJ: [[1, 0], [0, 1]]\n", ["p.yaml:4:7:", "positive definite"]),
    refused("rows of J", "mass: [1]\nJ: [[1]]\n", ["p.yaml:5:4:", "2 rows"]),
    # ---- section 4 --------------------------------------------------------------------------------------
    *(margin(f"critical friction at {degrees} degrees", "{e}/painleve-rod.yaml",
             [f"theta={degrees}deg", f"mu={0.3 * critical(math.radians(degrees))}", "omega=0",
              "parameters.mu.to=1000"],
             ("mu", "up"), critical(math.radians(degrees))) for degrees in (1, 10, 45, 63, 75, 89)),
    # ---- 6.3 --------------------------------------------------------------------------------------------
    {"name": "flutter with a P-matrix", "run": ["analyze", "--json", "{e}/flutter.yaml"],
     "json": {"verdict": "unique", "solutions.0.stable": False, "solutions.0.eigenvalues": largest_real(0.268),
              "solutions.0.layer.0.re": 1, "recommended": "compliant"}},
    {"name": "more damping", "run": ["analyze", "--json", "{e}/flutter.yaml", "--set", "c=0.8"],
     "json": {"verdict": "unique", "solutions.0.stable": True}},
    margin("its critical damping (6.7)", "{e}/flutter.yaml", [], ("c", "up"), 0.8 / math.sqrt(1.64)),
    {"name": "the off-centre box", "run": ["analyze", "--json", "{e}/off-centre-box.yaml"],
     "json": {"solutions.0.stability": "depends", "solutions.0.layer.0.re": near(2.38),
              "solutions.0.layer.0.im": lambda x: abs(abs(x) - 0.579) < 5e-4,
              "solutions.0.critical_damping": near(0.123), "solutions.0.normal.1": 0.7 * 9.81}},
    {"name": "the same box, centred", "run": ["analyze", "--json", "{e}/off-centre-box.yaml", "--set", "d=0"],
     "json": {"solutions.0.stability": "stable", "solutions.0.layer.0.re": 3, "solutions.0.layer.1.re": 2}},
    # ---- 8.5 --------------------------------------------------------------------------------------------
    {"name": "a block on two feet (8.2)", "run": ["analyze", "--json", "{e}/block-on-feet.yaml"],
     "json": {"solutions.0.normal.0": 9.81 * 0.4, "solutions.0.normal.1": 9.81 * 1.6}},
    margin("its rear foot lifts", "{e}/block-on-feet.yaml", [], ("mu", "up"), 0.5 / 0.8),
    margin("the wedge", "{e}/wedge.yaml", [], ("mu", "down"), 0.2 / 0.5),
    margin("the ladder's friction", "{e}/ladder.yaml", [], ("mu", "down"), 2 - math.sqrt(3)),
    margin("the ladder's angle", "{e}/ladder.yaml", [], ("theta", "down"), math.atan((1 - 0.09) / 0.6)),
    margin("a smooth wall", "{e}/ladder.yaml", ["contacts.top.friction=0", "contacts.foot.friction=0.4"],
           ("theta", "down"), math.atan(1 / 0.8)),
    # ---- 13.1, 13.2 -------------------------------------------------------------------------------------
    margin("the tip of the region of the spatial rod", "{e}/spatial-rod-paper.yaml",
           ["theta=atan(2)", "mu_sgn=-1"], ("mu_sgn", "up"), -4 / 3),
    *({"name": f"eigenvalues, {name}, psi {psi}",
       "run": ["analyze", "--json", "{e}/" + name + ".yaml", "--set", "speed=0", "--set", "mu_sgn=1",
               "--set", f"psi={psi}deg"],
       "json": {"verdict": "unique", "solutions.0.stability": "stable", "held": False,
                "solutions.0.layer": lambda layer, wanted=wanted:
                all(abs(a - b) < 1e-12 for a, b in zip(sorted(e["re"] for e in layer), wanted, strict=True))}}
      for name, wanted in (("spatial-rod-paper", [1, 1.75, 4]), ("spatial-rod", [1, 4, 4])) for psi in (0, 50, 170)),
    *({"name": f"slip along {chi} degrees", "run": ["analyze", "--json", "{e}/spatial-rod.yaml", "--set", "mu_sgn=1.8",
                                                    "--set", f"chi={chi}deg", "--set", "psi=20deg"],
       "json": {"A": 1 + 1.5 * (0.5 + 1.8 * math.sqrt(0.75) * math.cos(math.radians(chi - 20))), "B": -9.81}}
      for chi in (0, 45, 110, 200, 300)),
]
