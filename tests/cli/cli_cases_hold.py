"""Cases of closure and of --hold; run_cli.py explains their form."""
import math
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BOX = "{e}/box-on-incline.yaml"
PEG = "{e}/peg-in-hole.yaml"
G = 9.81

GRIPPER = """sprag: 1
name: gripper
parameters: {mu: 0.3, tilt: {value: 0 deg, from: -45 deg, to: 45 deg}, load: {value: 0 N, from: -1 N, to: 1 N}}
gravity: [0, 0]
bodies:
  - {name: left, fixed: true, shapes: [{plane: {normal: [cos(tilt), sin(tilt)], offset: -0.1*cos(tilt)}}]}
  - {name: right, fixed: true, shapes: [{plane: {normal: [-1, 0], offset: -0.1}}]}
  - {name: part, mass: 1, inertia: 0.01, shapes: [{points: {l: [-0.1, 0], r: [0.1, 0]}}]}
contacts: [{between: [part, "*"], friction: mu}]
loads: [{body: part, force: [0, load]}]
"""
# a part that is pressed against a wall
CLAMP = """sprag: 1
gravity: [0, 0]
parameters: {squeeze: 10, pull: 0}
bodies:
  - {name: base, fixed: true, shapes: [{plane: {normal: [1, 0], offset: 0}}]}
  - {name: part, mass: 1, position: [0.1, 0], shapes: [{box: {size: [0.2, 0.2]}}]}
contacts: [{between: [part, base], friction: 0.5}]
loads: [{body: part, force: [-squeeze, pull]}]
"""
STACK = """sprag: 1
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}
  - {name: low, mass: 1, position: [0, 0.1], shapes: [{box: {size: [0.4, 0.2]}}]}
  - {name: high, mass: 1, position: [0, 0.3], shapes: [{box: {size: [0.2, 0.2]}}]}
contacts: [{between: ["*", "*"], friction: 0.5}]
"""


def analyze(name, text, arguments, wanted, **more):
    return {"name": name, "run": ["analyze", "--json", "{t}/s.yaml", *arguments], "files": {"s.yaml": text},
            "json": wanted, **more}


def refused(name, arguments, words, status=3):
    return {"name": name, "run": ["analyze", *arguments], "exit": status, "err": words, "out_is": ""}


def as_committed(folder):
    made = (folder / "whitney-map.svg").read_text().split("</desc>")[1]
    kept = (ROOT / "docs/images/whitney-map.svg").read_text().split("</desc>")[1]
    return None if made == kept else "docs/images/whitney-map.svg is not what the tool draws now"


HOLD = [
    # ---- closure ----------------------------------------------------------------------------------------
    {"name": "a box can be lifted", "run": ["analyze", "--json", "{s}/box.yaml"],
     "json": {"closure.kind": "none", "closure.bodies.box": "none", "closure.margin": 0, "hold": [],
              "closure.witness.motion.box.y": 1, "closure.witness.motion.box.x": lambda x: abs(x) < 1e-9,
              "closure.witness.gap_rate": lambda rates: max(abs(r - 1) for r in rates if r is not None) < 1e-9}},
    {"name": "the wedge is closed, and not held", "run": ["analyze", "--json", "{e}/wedge.yaml"],
     "json": {"closure.kind": "force", "closure.bodies.wedge": "force", "held": False, "verdict": "multiple",
              "closure.margin": lambda m: 0 < m <= 1,
              # the line between the points has the slope 0.4
              "closure.witness.normal": [1, None, None, 1],
              "closure.witness.tangential": [-0.4, None, None, -0.4]}},
    {"name": "a smaller friction", "run": ["analyze", "--json", "{e}/wedge.yaml", "--set", "mu=0.4"],
     "json": {"closure.kind": "none"}},
    {"name": "closure for people", "run": ["analyze", "{e}/wedge.yaml"],
     "out": ["closure: force, contact forces exist against any load"]},
    {"name": "-q without closure", "run": ["analyze", "-q", "{e}/wedge.yaml"], "not_out": ["closure"], "lines": 1},
    analyze("fingers that face each other", GRIPPER, [], {"closure.kind": "force"}),
    analyze("fingers without friction", GRIPPER, ["--set", "mu=0"], {"closure.kind": "none"}),
    analyze("a finger turned inside of the cone", GRIPPER, ["--set", "tilt=16 deg"], {"closure.kind": "force"}),
    analyze("a finger turned out of the cone", GRIPPER, ["--set", "tilt=17 deg"], {"closure.kind": "none"}),
    analyze("a stack", STACK, [], {"closure.kind": "none", "closure.bodies": {"low": "force", "high": "none"}}),
    {"name": "a stack for people", "run": ["analyze", "{t}/s.yaml"], "files": {"s.yaml": STACK},
     "out": ["each alone: low force, high none", "motion of high: x' 0, y' 1"]},
    {"name": "nothing touches", "run": ["analyze", "--json", "{e}/disc.yaml", "--set", "bodies.disc.position=[0, 9]"],
     "json": {"closure.kind": "none", "closure.reason": "nothing touches it"}},
    {"name": "closure of a bare problem", "run": ["analyze", "--json", "{e}/bare-contact.yaml"],
     "json": {"closure.kind": "none", "closure.bodies": {},
              "closure.reason": lambda r: r.endswith("(of loads that act through the contacts)")}},
    # ---- ranges -----------------------------------------------------------------------------------------
    {"name": "slope and friction", "run": ["analyze", "--json", BOX, "--hold", "alpha", "--hold", "mu"],
     "json": {"hold.length": 2, "hold.0.path": "alpha", "hold.0.held": True, "hold.0.value": math.radians(20),
              "hold.0.from": 0, "hold.0.below.end": "range", "hold.0.to": math.atan(0.5),
              "hold.0.above": {"end": "changes", "verdict": "unique", "solutions": 1, "stable": 1,
                               "modes": "slide- slide-"},
              "hold.1.from": math.tan(math.radians(20)), "hold.1.to": 1}},
    {"name": "with another slope", "run": ["analyze", "--json", BOX, "--set", "alpha=30deg", "--hold", "mu"],
     "json": {"hold.0.held": False, "hold.0.value": 0.5, "hold.0.from": math.tan(math.radians(30)),
              "hold.0.below.modes": "slide- slide-"}},
    analyze("a clamped part", CLAMP, ["--hold", "pull", "--hold", "squeeze"],
            # friction bears 5 N; any moment about the corner is borne, the box is as high as wide
            {"hold.0.from": -5, "hold.0.to": 5, "hold.1.to": "inf", "hold.1.above.end": "unbounded"}),
    analyze("never held", CLAMP, ["--set", "squeeze=-1", "--hold", "pull"],
            {"hold.0.held": False, "hold.0.from": None, "hold.0.to": None, "hold.0.below": None}),
    {"name": "a range for people", "run": ["analyze", BOX, "--hold", "alpha"],
     "out": ["hold: the values over which it is held", "26.565 deg", "(its range ends)"]},
    {"name": "a bare problem", "run": ["analyze", "--json", "{t}/s.yaml", "--hold", "b.1"],
     "files": {"s.yaml": "sprag: 1\nproblem: contact\nW: [[1, 0], [0, 1]]\nb: [-10, 0]\n"
                         "contacts: [{friction: 0.5}]\n"},
     "json": {"hold.0.from": -5, "hold.0.to": 5, "hold.0.above.modes": "slide+"}},
    {"name": "Whitney's border", "run": ["analyze", "--json", PEG, "--set", "play=0.1mm", "--set", "moment=-0.4",
                                         "--hold", "fx", "--hold", "moment", "--hold", "mu"],
     # -4 = -2.5 - 0.3 (1 + 2.5) fx/fz; -λ r fz; λ = 4
     "json": {"hold.0.to": 10 * 1.5 / 1.05, "hold.1.to": -0.25, "hold.2.from": 0.1875,
              "hold.2.below.modes": "slide+ slide-"}},
    {"name": "the figure of the guide", "run": ["map", "examples/peg-in-hole.yaml", "--x", "fx", "--y", "moment",
                                                "--points", "121", "--refine", "-o", "{t}/whitney-map.svg"],
     "in": str(ROOT), "after": as_committed},
    # ---- bad input --------------------------------------------------------------------------------------
    refused("what is not there", [BOX, "--hold", "nu"], ['"mu"']),
    refused("not a number", [BOX, "--hold", "bodies"], ["number"]),
    refused("an empty path", [BOX, "--hold", ""], [""]),
    refused("no path", [BOX, "--hold"], ["--hold needs a value: PATH"], 2),
    refused("at a later time", [BOX, "--hold", "mu", "--at", "0.1"], ["--hold PATH speaks of the start"], 2),
    refused("a drive", ["{e}/screw-drive.yaml", "--hold", "friction"], ["--hold: it takes"], 2),
]
