"""The cases of the command line; run_cli.py says what the entries mean."""
import math
import re
import shlex
from pathlib import Path

from cli_cases_accounts import ACCOUNTS
from cli_cases_bodies import BODIES
from cli_cases_drive import DRIVE
from cli_cases_fit import FIT
from cli_cases_gallery import GALLERY
from cli_cases_hold import HOLD
from cli_cases_impact import IMPACT
from cli_cases_layers import LAYERS
from cli_cases_machines import MACHINES
from cli_cases_map import MAP
from cli_cases_outputs import OUTPUTS
from cli_cases_pilot import PILOT
from cli_cases_run import RUN
from cli_cases_solve import SOLVE
from cli_cases_space import SPACE
from cli_cases_theory import THEORY
from cli_cases_verdict import VERDICT
from cli_cases_view import VIEW

G = 9.81

# ---- Usage: exit status 2, one line, a hint ------------------------------------------------------

USAGE = [
    {"name": "version", "run": ["--version"], "out": ["sprag 0."], "lines": 1},
    {"name": "version of a command", "run": ["check", "--version"], "out": ["sprag 0."], "lines": 1},
    {"name": "cite", "run": ["--cite"], "begins": "@software{Sprag,\n", "not_out": ["@book"]},
    {"name": "cite, methods of a command", "run": ["solve", "--cite"], "out": ["@software{Sprag,", "@book{Cottle1992,"],
     "not_out": ["HairerNorsett"]},
    {"name": "cite, methods of a scene", "run": ["run", "--cite", "example:hertz-ball"],
     "out": ["@book{HairerNorsettWanner1993,", "@book{HairerWanner1996,", "@article{Hertz1882,"], "not_out": ["Moreau1988", "Gilbert1988"]},
    {"name": "cite, a given motion", "run": ["run", "--cite", "{e}/box-on-incline-in-space.yaml", "--motion", "stepping"],
     "out": ["@incollection{Moreau1988,", "@article{Gilbert1988,"], "not_out": ["HairerWanner", "StewartTrinkle"]},
    {"name": "cite, a scene that is not there", "run": ["run", "--cite", "{t}/none.yaml"], "exit": 3, "err": ["none.yaml"]},
    {"name": "help", "run": ["--help"], "out": ["usage: sprag", "analyze SCENE", "check SCENE", "--cite"]},
    {"name": "help as a command", "run": ["help"], "out": ["usage: sprag COMMAND"]},
    {"name": "help of a command by help", "run": ["help", "check"], "out": ["usage: sprag check"]},
    {"name": "no arguments", "run": [], "exit": 2, "err": ["COMMAND is missing", "--help"]},
    {"name": "unknown command", "run": ["analise", "x"], "exit": 2,
     "err": ["unknown command 'analise'", "did you mean 'analyze'"]},
    {"name": "unknown command, nothing near", "run": ["frobnicate"], "exit": 2,
     "err": ["unknown command 'frobnicate'", "--help"]},
    {"name": "unknown command of help", "run": ["help", "chekc"], "exit": 2, "err": ["'check'"]},
    {"name": "empty command", "run": [""], "exit": 2},
    {"name": "option before the command", "run": ["--json", "check"], "exit": 2,
     "err": ["the command comes first"]},
    {"name": "unknown option before the command", "run": ["--verison"], "exit": 2,
     "err": ["did you mean '--version'"]},
]
for _command in ("run", "analyze", "check"):
    USAGE += [
        {"name": f"help of {_command}", "run": [_command, "--help"],
         "out": [f"usage: sprag {_command} SCENE", "--json", "--set PATH=VALUE", "-q, --quiet",
                 "-v, --verbose", "--help", "--version"]},
        {"name": f"{_command}: help wins over a missing scene", "run": [_command, "-h"],
         "out": ["usage:"]},
        {"name": f"{_command}: unknown option", "run": [_command, "--jsno", "{s}/box.yaml"], "exit": 2,
         "err": [f"sprag {_command}: unknown option '--jsno', did you mean '--json'",
                 f"'sprag {_command} --help'"]},
        {"name": f"{_command}: unknown letter", "run": [_command, "-x", "{s}/box.yaml"], "exit": 2,
         "err": ["unknown option '-x'"]},
        {"name": f"{_command}: no scene", "run": [_command], "exit": 2, "err": ["SCENE is missing"]},
        {"name": f"{_command}: two scenes", "run": [_command, "a", "b"], "exit": 2,
         "err": ["'b' is one argument too many"]},
        {"name": f"{_command}: --set without a value", "run": [_command, "{s}/box.yaml", "--set"],
         "exit": 2, "err": ["--set needs a value: PATH=VALUE"]},
        {"name": f"{_command}: --set without =", "run": [_command, "{s}/box.yaml", "--set", "mu"],
         "exit": 2, "err": ["--set takes PATH=VALUE", "'mu'"]},
        {"name": f"{_command}: --set without a path", "run": [_command, "{s}/box.yaml", "--set==3"],
         "exit": 2, "err": ["--set takes PATH=VALUE"]},
        {"name": f"{_command}: a flag with a value", "run": [_command, "{s}/box.yaml", "--json=yes"],
         "exit": 2, "err": ["--json takes no value"]},
        {"name": f"{_command}: a long argument", "run": [_command, "--" + "x" * 5000], "exit": 2},
    ]

# ---- Output: JSON alone, quiet, verbose, a full disk ---------------------------------------------

OUTPUT = [
    {"name": "json of analyze", "run": ["analyze", "--json", "{s}/box.yaml"],
     "json": {"provenance.command": "analyze", "provenance.set": [], "provenance.seed": None,
              "provenance.version": lambda v: v.count(".") == 2,
              "provenance.scene": lambda s: s.endswith("box.yaml"), "t": 0}},
    {"name": "json of check", "run": ["check", "--json", "{s}/box.yaml"],
     "json": {"provenance.command": "check", "kind": "scene", "name": "box at rest"}},
    {"name": "json with -q and -v", "run": ["analyze", "-qv", "--json", "{s}/box.yaml"],
     "json": {"verdict": "unique", "problem.b": [-G, 0, -G, 0], "problem.W.length": 4,
              # feet at (∓0.2, −0.1) from the centre: N = (0, 1, r_x), T = (1, 0, −r_y)
              "problem.J": [[0, 1, -0.2], [1, 0, 0.1], [0, 1, 0.2], [1, 0, 0.1]],
              "problem.mass.box": [2, 2, 2 * (0.4**2 + 0.2**2) / 12]}},
    {"name": "set is recorded", "run": ["analyze", "--json", "{s}/rod.yaml", "--set", "mu=0.4",
                                        "--set=bodies.rod.mass=0.1"],
     "json": {"provenance.set": ["mu=0.4", "bodies.rod.mass=0.1"], "contacts.0.friction": 0.4}},
    # a block that slides: its speed falls by μ g t, to the tolerance 1e-9 of the run
    {"name": "analyze at a time", "run": ["analyze", "--json", "{s}/box.yaml", "--set",
                                          "bodies.box.velocity=[1, 0]", "--at", "100 ms"],
     "json": {"t": 0.1, "verdict": "unique", "contacts.0.mode": "slide+", "provenance.set.length": 1,
              "contacts.0.slip": lambda v: abs(v - (1 - 0.05 * G)) < 1e-8}},
    {"name": "analyze where the block has stopped", "run": [
        "analyze", "--json", "{s}/box.yaml", "--set", "bodies.box.velocity=[1, 0]", "--at", "1"],
     "json": {"t": 1, "held": True, "contacts.0.mode": "stick"}},
    {"name": "analyze where a run ends", "run": ["analyze", "--json", "{e}/painleve-none.yaml",
                                                 "--set", "simulate.motion=events", "--at", "1"],
     "json": {"t": 0, "run_ended": "no-solution", "verdict": "none"}},
    {"name": "analyze a bare problem at a time", "run": ["analyze", "{e}/bare-contact.yaml", "--at", "1"],
     "exit": 3, "err": ["--at takes a scene with bodies"]},
    {"name": "analyze at a bad time", "run": ["analyze", "{s}/box.yaml", "--at", "-1"], "exit": 3,
     "err": ["--at must be a time ≥ 0, got -1"]},
    {"name": "a parameter's margin at a time", "run": ["analyze", "{s}/rod.yaml", "--at", "0.1",
                                                       "--margin", "mu"],
     "exit": 2, "err": ["--margin", "--at"]},
    {"name": "-q of analyze", "run": ["analyze", "-q", "{s}/box.yaml"], "lines": 1, "out": ["unique"]},
    {"name": "-q of check", "run": ["check", "-q", "{s}/box.yaml"], "out_is": ""},
    {"name": "-v of analyze", "run": ["analyze", "-v", "{s}/rod.yaml"],
     "out": ["mass matrix", "Jacobian", "Delassus matrix W", "eigenvalues"]},
    {"name": "no matrices without -v", "run": ["analyze", "{s}/rod.yaml"], "not_out": ["Jacobian"]},
    {"name": "-- ends the options", "run": ["check", "-q", "--", "{s}/box.yaml"], "out_is": ""},
    {"name": "full disk", "run": ["analyze", "{s}/box.yaml"], "to": "/dev/full", "exit": 5,
     "err": ["cannot write"]},
    {"name": "full disk, json", "run": ["check", "--json", "{s}/box.yaml"], "to": "/dev/full",
     "exit": 5, "err": ["cannot write"]},
    {"name": "full disk, help", "run": ["--help"], "to": "/dev/full", "exit": 5},
    {"name": "quotes and control characters in names",
     "run": ["analyze", "--json", "{t}/odd \"name\".yaml"],
     "files": {"odd \"name\".yaml": "sprag: 1\nname: \"a \\\"b\\\" \\\\ \\t µ\"\nproblem: contact\n"
                                    "W: [[1, 0], [0, 1]]\nb: [-1, 0]\ncontacts: [{friction: 0.5}]\n"},
     "json": {"name": "a \"b\" \\ \t µ", "provenance.scene": lambda s: s.endswith('odd "name".yaml')}},
]

# ---- Bad input: exit status 3, one line with file, line and column -------------------------------

HEAD = "sprag: 1\nbodies:\n  - {name: table, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}\n"


def box(**keys):
    entries = {"name": "box", "mass": "1", "position": "[0, 0.1]",
               "shapes": "[{box: {size: [0.4, 0.2]}}]", **keys}
    return HEAD + "  - {" + ", ".join(f"{k}: {v}" for k, v in entries.items()) + "}\n"


LAUGHS = "sprag: 1\nx-a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n" + "".join(
    f"x-{b}: &{b} [{', '.join(['*' + a] * 10)}]\n" for a, b in zip("abcdefghi", "bcdefghij"))

BAD_FILES = {
    "empty": ("", []),
    "not YAML": ("sprag: 1\nbodies: [}\n", ["bad.yaml:2:"]),
    "no version": ("bodies: []\n", ["sprag"]),
    "unknown key": (HEAD.replace("bodies", "bodeis"), ["bad.yaml:2:1", "bodeis", "bodies"]),
    "unknown key of a body": (box(mas="1").replace("mass: 1, ", ""), ["mas", "mass"]),
    "negative mass": (box(mass="-1"), ["bad.yaml:4:", "mass"]),
    "mass not a number": (box(mass=".nan"), ["mass"]),
    "infinite mass": (box(mass="1e400"), ["mass"]),
    "wrong unit": (box(mass="3 mm"), ["mass"]),
    "duplicate key": (box() + "bodies: []\n", ["bodies"]),
    "duplicate name": (box(name="table"), ["table"]),
    "body inside the table": (box(position="[0, 0.05]"), ["bad.yaml"]),
    "impossible inertia": (box(inertia="-2"), ["inertia"]),
    "a list where a map belongs": ("[1, 2]\n", ["bad.yaml"]),
    "ten thousand levels": ("sprag: 1\nbodies: " + "[" * 10000, ["bad.yaml"]),
    "a billion laughs": (LAUGHS, ["bad.yaml"]),
    "bytes that are no text": (b"sprag: 1\nname: \xff\xfe\x00\n", ["bad.yaml"]),
    "a megabyte of garbage": (bytes((i * 7919 + i // 251) % 256 for i in range(1 << 20)), ["bad.yaml"]),
    "a megabyte of letters": ("a" * (1 << 20), ["bad.yaml"]),
}

INPUT = [
    {"name": f"{command}: {name}", "run": [command, "{t}/bad.yaml"], "exit": 3,
     "files": {"bad.yaml": text}, "err": ["bad.yaml", *fragments]}
    for name, (text, fragments) in BAD_FILES.items() for command in ("check", "analyze", "run")
]
INPUT += [
    {"name": "missing file", "run": ["analyze", "{t}/none.yaml"], "exit": 3, "err": ["none.yaml"]},
    {"name": "a folder", "run": ["check", "{t}"], "exit": 3},
    {"name": "json of bad input", "run": ["analyze", "--json", "{t}/none.yaml"], "exit": 3},
    {"name": "set of an unknown path", "run": ["check", "{s}/rod.yaml", "--set", "nu=1"], "exit": 3,
     "err": ["nu", "mu"]},
    {"name": "set of a bad value", "run": ["check", "{s}/rod.yaml", "--set", "bodies.rod.mass=-1"],
     "exit": 3, "err": ["mass"]},
    {"name": "set of garbage", "run": ["check", "{s}/rod.yaml", "--set", "mu=[1"], "exit": 3},
    {"name": "an LCP is not analyzed", "run": ["analyze", "{t}/lcp.yaml"], "exit": 3,
     "files": {"lcp.yaml": "sprag: 1\nproblem: lcp\nM: [[1, 2], [2, 1]]\nq: [-1, -1]\n"},
     "err": ["lcp.yaml", "problem: contact"]},
]

# ---- check ---------------------------------------------------------------------------------------

# the lower tip of the rod stands on the table: y = L sin θ, found by `start`
ROD_Y = 0.234 * math.sin(math.radians(42.3))

CHECK = [
    {"name": "state after start", "run": ["check", "--json", "{s}/rod.yaml"],
     "json": {"bodies.1.name": "rod", "bodies.1.position": [0, ROD_Y], "bodies.1.velocity": [0, 0],
              "bodies.1.angle": math.radians(42.3), "bodies.0.fixed": True, "gravity": [0, -9.81],
              "parameters.1.name": "mu", "parameters.1.value": 0.27, "parameters.1.to": 2,
              "contacts.0.name": "tip", "contacts.0.friction": 0.27, "contacts.0.mode": "stick"}},
    {"name": "derived inertia", "run": ["check", "--json", "{s}/box.yaml"],
     "json": {"bodies.1.inertia": 2 * (0.4**2 + 0.2**2) / 12}},
    {"name": "all that is listed", "run": ["check", "{s}/loaded.yaml"],
     "out": ["loaded box", "parameters", "bodies", "shapes", "hull", "feet", "springs", "cord", "loads"]},
    {"name": "all that is listed, json", "run": ["check", "--json", "{s}/loaded.yaml"],
     "json": {"springs.0.stiffness": 100, "springs.0.rest": 0.8, "loads.0.force": [1, 0],
              "loads.0.torque": 0.1, "shapes.length": 2, "shapes.1.features.length": 4}},
    {"name": "a default is noted", "run": ["check", "--json", "{s}/drop.yaml"],
     "json": {"notes": lambda notes: any("friction" in note for note in notes)}},
    {"name": "bare problem", "run": ["check", "{s}/contact.yaml"], "out": ["bare contact problem"]},
    {"name": "bare LCP", "run": ["check", "{t}/lcp.yaml"], "out": ["bare LCP: 2"],
     "files": {"lcp.yaml": "sprag: 1\nproblem: lcp\nM: [[1, 2], [2, 1]]\nq: [-1, -1]\n"}},
    {"name": "set of a name in a path", "run": ["check", "--json", "{s}/box.yaml", "--set",
                                                "bodies.box.mass=3 kg"],
     "json": {"bodies.1.mass": 3}},
]

# ---- analyze -------------------------------------------------------------------------------------

def rod_at_rest(m=0.088, inertia=1.606176e-3, half=0.234, theta=math.radians(42.3), mu=0.27):
    """theory.md (4.7), (4.9): the rod released from rest slides to the left (k = −1)."""
    a_nn = 1 / m + (half * math.cos(theta)) ** 2 / inertia
    a_tt = 1 / m + (half * math.sin(theta)) ** 2 / inertia
    a_nt = -half**2 * math.sin(theta) * math.cos(theta) / inertia
    normal = G / (a_nn + mu * a_nt)
    tangential = mu * normal
    return {
        "A": a_nn - mu * abs(a_nt), "B": -G, "normal": normal, "tangential": tangential,
        "slip": a_nt * normal + a_tt * tangential, "x": tangential / m, "y": normal / m - G,
        "angle": (-normal * half * math.cos(theta) + tangential * half * math.sin(theta)) / inertia,
    }


def sliding_rod(mu=1.6, half=1.0, m=1.0, inertia=1 / 3, theta=math.atan(2), spin=0.0):
    """theory.md (4.4), (4.5): A and B of a tip that slides to the left (mu_s = +mu)."""
    A = 1 / m + half**2 * math.cos(theta) / inertia * (math.cos(theta) - mu * math.sin(theta))
    return A, half * spin**2 * math.sin(theta) - G


ROD = rod_at_rest()
A_STEEP, B_STILL = sliding_rod()
_, B_FAST = sliding_rod(spin=5)
TAN20 = math.tan(math.radians(20))

ANALYZE = [
    {"name": "falling rod", "run": ["analyze", "--json", "{s}/rod.yaml"],
     "json": {"verdict": "unique", "complete": True, "forces": "unique", "held": False,
              "recommended": "rigid", "A": ROD["A"], "B": ROD["B"], "solutions.length": 1,
              "contacts.0.name": "tip", "contacts.0.mode": "stick", "contacts.0.slip": 0,
              "contacts.0.gap": 0, "contacts.length": 2, "contacts.1.mode": "open",
              "solutions.0.modes": ["slide-", "separate"], "solutions.0.normal": [ROD["normal"], 0],
              "solutions.0.tangential": [ROD["tangential"], 0],
              "solutions.0.acceleration.rod.x": ROD["x"], "solutions.0.acceleration.rod.y": ROD["y"],
              "solutions.0.acceleration.rod.angle": ROD["angle"],
              "solutions.0.normal_acceleration": [0, None],
              "solutions.0.tangential_acceleration": [ROD["slip"], None],
              "solutions.0.stable": True, "solutions.0.stability": "stable",
              "solutions.0.force_dimension": 0, "solutions.0.forces": "unique",
              "solutions.0.normal_range": [[ROD["normal"]] * 2, [0, 0]],
              "solutions.0.eigenvalues.0.re": lambda x: x < 0, "reason": lambda r: len(r) > 10}},
    {"name": "falling rod, for people", "run": ["analyze", "{s}/rod.yaml"],
     "out": ["falling rod", "verdict      unique", "because", "recommended  rigid", "tip", "slide-",
             "A = ", "B = -9.81", "motion 1 of 1: stable", "forces unique", "rod"]},
    {"name": "rod that sticks", "run": ["analyze", "--json", "{s}/rod.yaml", "--set", "mu=0.7"],
     "json": {"verdict": "unique", "solutions.0.modes": ["stick", "separate"]}},
    {"name": "box at rest", "run": ["analyze", "--json", "{s}/box.yaml"],
     "json": {"verdict": "unique", "forces": "indeterminate", "held": True, "A": None, "B": None,
              "recommended": "rigid", "solutions.length": 1, "solutions.0.stable": True,
              "solutions.0.forces": "indeterminate", "solutions.0.force_dimension": 1,
              "solutions.0.acceleration.box.y": 0, "solutions.0.acceleration.box.angle": 0}},
    {"name": "box at rest, for people", "run": ["analyze", "{s}/box.yaml"],
     "out": ["indeterminate", "held", "…", "motion 1 of 1: stable"]},
    {"name": "incline below", "run": ["analyze", "--json", "{s}/incline.yaml", "--set",
                                      f"mu={TAN20 * (1 + 1e-9)!r}"],
     "json": {"verdict": "unique", "held": True}},
    {"name": "incline above", "run": ["analyze", "--json", "{s}/incline.yaml", "--set",
                                      f"mu={TAN20 * (1 - 1e-9)!r}"],
     "json": {"verdict": "unique", "held": False}},
    {"name": "A < 0, B < 0: no motion", "run": ["analyze", "--json", "{s}/painleve.yaml"],
     "json": {"verdict": "none", "solutions": [], "recommended": "compliant", "A": A_STEEP,
              "B": B_STILL, "held": False}},
    {"name": "A < 0, B < 0, for people", "run": ["analyze", "{s}/painleve.yaml"],
     "out": ["verdict      none", "compliant"]},
    {"name": "A < 0, B > 0: two motions", "run": ["analyze", "--json", "{s}/painleve.yaml", "--set",
                                                 "spin=5"],
     "json": {"verdict": "multiple", "solutions.length": 2, "A": A_STEEP, "B": B_FAST,
              "solutions": lambda all: sorted(s["stable"] for s in all) == [False, True]
              and sorted(s["modes"][0] for s in all) == ["separate", "slide-"]
              and any(abs(s["normal"][0] + B_FAST / A_STEEP) < 1e-6 and s["stability"] == "divergent"
                      for s in all)}},
    {"name": "A > 0, slip to the right", "run": ["analyze", "--json", "{s}/painleve.yaml", "--set",
                                                "slip=1"],
     "json": {"verdict": "unique", "contacts.0.mode": "slide+", "contacts.0.slip": 1}},
    {"name": "in the air", "run": ["analyze", "--json", "{s}/drop.yaml"],
     "json": {"verdict": "open", "held": False, "contacts.0.mode": "open", "contacts.0.gap": 1}},
    {"name": "in the air, for people", "run": ["analyze", "{s}/drop.yaml"], "out": ["open"]},
    {"name": "an impact comes first", "run": ["analyze", "{s}/drop.yaml", "--set", "height=0", "--set",
                                              "fall=2"],
     "out": ["an impact comes first", "2 m/s"]},
    {"name": "an impact comes first, json",
     "run": ["analyze", "--json", "{s}/drop.yaml", "--set", "height=0", "--set", "fall=2"],
     "json": {"contacts.0.mode": "impact", "impact": True,
              "reason": lambda r: "impact comes first" in r}},
    {"name": "box on a belt", "run": ["analyze", "--json", "{s}/loaded.yaml", "--set", "k=0"],
     "json": {"verdict": "unique", "contacts.0.mode": "slide-", "contacts.0.slip": -0.5}},
]

# ---- bare problems: every sign case of theory.md 4.2 ---------------------------------------------


def sign_case(name, mu, push, wanted):
    """A = 1.6 − 1.2 μ for slip −2 (μ_s = +μ), B = push."""
    return {"name": name, "run": ["analyze", "--json", "{s}/contact.yaml", "--set", f"mu={mu}", "--set",
                                  f"push={push}"],
            "json": {"A": 1.6 - 1.2 * mu, "B": push, **wanted}}


PROBLEMS = [
    sign_case("A > 0, B > 0", 0.5, 2, {"verdict": "unique", "solutions.0.modes": ["separate"],
                                       "solutions.0.stability": "free"}),
    sign_case("A > 0, B < 0", 0.5, -9.81, {"verdict": "unique", "solutions.0.modes": ["slide-"],
                                           "solutions.0.normal": [9.81], "solutions.0.stable": True,
                                           "solutions.0.acceleration.normal": [0]}),
    sign_case("A < 0, B > 0", 2, 2, {"verdict": "multiple", "solutions.length": 2, "stable_count": 1}),
    sign_case("A < 0, B < 0", 2, -2, {"verdict": "none", "recommended": "compliant"}),
    {"name": "at rest", "run": ["analyze", "--json", "{s}/contact.yaml", "--set", "slip=0"],
     "json": {"contacts.0.mode": "stick", "verdict": lambda v: v in ("unique", "multiple")}},
    {"name": "for people", "run": ["analyze", "-v", "{s}/contact.yaml"], "out": ["Delassus matrix W"]},
    {"name": "not symmetric", "run": ["analyze", "{t}/w.yaml"], "exit": 3, "err": ["W"],
     "files": {"w.yaml": "sprag: 1\nproblem: contact\nW: [[1, 2], [0, 1]]\nb: [-1, 0]\n"
                         "contacts: [{friction: 0.5}]\n"}},
]

# ---- What the documents show is what the tool prints ----------------------------------------------

ROOT = Path(__file__).resolve().parents[2]


def shown(document):
    """A case for every `$ sprag …` in a fenced block; a last line … stands for more output."""
    for block in re.findall(r"^```[a-z]*\n(.*?)^```", (ROOT / document).read_text(), re.M | re.S):
        for command, output in re.findall(r"^\$ sprag (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            case = {"name": f"{document}: {command}", "run": shlex.split(command), "in": str(ROOT)}
            if output.endswith("…\n"):
                case["begins"] = output[:-len("…\n")]
            else:
                case["out_is"] = output
            yield case


def written(document):
    """A case for every whole scene in a document: it is valid, and can be analysed."""
    blocks = re.findall(r"^```yaml\n(sprag: 1.*?)^```", (ROOT / document).read_text(), re.M | re.S)
    for number, block in enumerate(blocks):
        yield {"name": f"{document}: scene {number}", "run": ["analyze", "--json", "{t}/scene.yaml"],
               "files": {"scene.yaml": block}, "json": {"verdict": "unique"}}


DOCUMENTS = [case for document in ("README.md", "docs/guide/getting-started.md",
                                              "docs/guide/running.md", "docs/guide/one-degree.md",
                                              "docs/guide/complementarity.md",
                                              "docs/guide/maps.md", "docs/guide/holding.md", "docs/guide/impacts.md",
                                              "docs/guide/spatial-rod.md", "docs/guide/verdict.md",
                                              "docs/guide/compliance.md", "docs/guide/fit.md",
                                              "docs/guide/convergence.md", "docs/guide/shapes.md")
             for cases in (shown, written) for case in cases(document)]
EXAMPLES = [{"name": f"{command} {path.name}", "run": [command, "--json", str(path)],
             "json": {"name": lambda name: name is not None}}
            for path in sorted((ROOT / "examples").glob("*.yaml")) for command in ("check", "impact" if "\nproblem: impact" in path.read_text() else "analyze")]

GROUPS = {"fit": FIT, "documents": DOCUMENTS, "examples": EXAMPLES, "usage": USAGE, "output": OUTPUT, "input": INPUT, "check": CHECK, "analyze": ANALYZE,
          "problems": PROBLEMS, "pilot": PILOT, "run": RUN, "drive": DRIVE, "map": MAP, "hold": HOLD, "impact": IMPACT, "solve": SOLVE, "space": SPACE, "bodies": BODIES, "theory": THEORY,
          "verdict": VERDICT, "outputs": OUTPUTS, "layers": LAYERS, "view": VIEW, "gallery": GALLERY, "accounts": ACCOUNTS,
          "machines": MACHINES}
