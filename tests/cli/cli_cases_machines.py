"""Machines that are not right: what is wrong, with line and column, exit status 3; and the grammar as JSON Schema.
run_cli.py explains the form."""
import csv
import math
import re
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "src/scene"

HEAD = """sprag: 1
bodies:
  - {name: upper, mass: 1, inertia: 0.1, position: [0.5, 0], sites: {a: [-0.5, 0], b: [0.5, 0]}}
  - {name: lower, mass: 1, inertia: 0.1, position: [1.5, 0], sites: {a: [-0.5, 0], b: [0.5, 0]}}
joints:
  - {name: shoulder, type: revolute, between: [world, upper.a], at: [0, 0]}
"""


def elbow(more="", after=""):
    return f"  - {{name: elbow, type: revolute, between: [upper.b, lower.a]{more}}}\n{after}"


def joint(text):
    return f"  - {{name: e, {text}}}\n"


def load(value):
    return elbow("", f"loads:\n  - {{joint: elbow, torque: {value}}}\n")


def controller(pd, more=""):
    return elbow("", f"controllers:\n  - {{joint: elbow, pd: {{{pd}}}{more}}}\n")


BAD = [
    ("a joint between a body and itself", joint("type: revolute, between: [upper.a, upper.b]"), "7:40", "both are of upper"),
    ("a joint between the world and itself", joint("type: revolute, between: [world, world]"), "7:40", "two bodies, or one and world"),
    ("limits upside down", elbow(", limits: [1, 0]"), "7:72", "the first must be below the second"),
    ("one limit", elbow(", limits: [1]"), "7:72", "[least, largest]"),
    ("a limit that is no number", elbow(", limits: [nan, 1]"), "7:73", "must be finite"),
    ("a limit that is too large", elbow(", limits: [0, 1e400]"), "7:76", "too large"),
    ("a load on a missing joint", elbow("", "loads:\n  - {joint: elbo, torque: 1}\n"), "9:13", 'did you mean "elbow"?'),
    ("a start of a missing joint", elbow("", "start:\n  - {joint: elbo, velocity: 1}\n"), "9:13", 'there is no joint "elbo"'),
    ("a drive of a missing joint", elbow("", "controllers:\n  - {joint: elbo, pd: {kp: 1}}\n"), "9:13", 'there is no joint "elbo"'),
    ("times of a load's table that go back", load("{table: [[0, 1], [0.2, 1], [0.1, 2]]}"), "9:55", "must ascend: 0.1 follows 0.2"),
    ("times of a drive's table that stand", elbow(", drive: {table: [[0, 0], [1, 1], [1, 2]]}"), "7:96", "must ascend: 1 follows 1"),
    ("an empty table", load("{table: []}"), "9:36", "at least 1"),
    ("a table of three columns", load("{table: [[0, 1, 2], [0.2, 1, 3]]}"), "9:37", "a list of 2 numbers, got 3"),
    ("a table with no number", load("{table: [[0, nan], [0.2, 1]]}"), "9:41", "must be finite"),
    ("a table that is not there", load("{table: nofile.csv, column: fx}"), "9:36", "cannot be read"),
    ("a joint of no kind", joint("type: revolut, between: [upper.b, lower.a]"), "7:21", "type must be revolute"),
    ("a joint without a type", joint("between: [upper.b, lower.a]"), "7:5", "needs a type"),
    ("a joint without bodies", joint("type: revolute"), "7:5", "needs between"),
    ("a joint at a missing place", joint("type: revolute, between: [upper.c, lower.a]"), "7:41", 'upper has no "c"'),
    ("a name given twice", "  - {name: shoulder, type: revolute, between: [upper.b, lower.a]}\n", "7:12", "given twice"),
    ("an axis of length 0", joint("type: prismatic, between: [upper.b, lower.a], axis: [0, 0]"), "7:67", "must not be of length 0"),
    ("negative damping", elbow(", spring: {stiffness: 1, damping: -1}"), "7:96", "damping must be a number ≥ 0"),
    ("friction without a pin", elbow(", friction: 0.1"), "7:64", "needs radius"),
    ("friction that is no number", elbow(", friction: nan, radius: 1 mm"), "7:74", "must be finite"),
    ("restitution above 1", elbow(", limits: [0, 1], restitution: 2"), "7:93", "must be in 0 … 1"),
    ("a drive with limits", elbow(", limits: [0, 1], drive: 2*t"), "7:80", "it has no limits"),
    ("a drive without its bracket", elbow(", drive: sin(t"), None, ""),
    ("a drive that divides by zero", elbow(", drive: 1/t"), "7:71", "division by zero"),
    ("a drive of the wrong unit", elbow(", drive: 3 mm"), "7:71", "must be an angle"),
    ("a drive of the wrong unit, in time", elbow(", drive: 3 mm*t"), "7:71", "must be an angle (rad, deg), got 3 mm*t, a length (m)"),
    ("a drive of another unit, in time", elbow(", drive: 20 deg + 2 kg*t"), "7:71", "an angle (rad, deg) is joined with a mass (kg)"),
    ("a sine of a mass", elbow(", drive: sin(5 kg*t)"), "7:71", "sin takes a number without unit, got a mass (kg)"),
    ("a torque that is a force, in time", load("3 N*t"), "9:28", "must be a torque or energy (N m), got 3 N*t, a force (N)"),
    ("a target of the wrong unit, in time", controller("kp: 1, target: 3 mm*t"), "9:40", "must be an angle"),
    ("a value of a table of the wrong unit", load("{table: [[0, 1], [1 s, 2 N]]}"), "9:51", "must be a torque or energy (N m), got 2 N"),
    ("a root of a negative number", elbow(", drive: sqrt(t - 1)"), "7:71", "not a real number"),
    ("a controller without pd", elbow("", "controllers:\n  - {joint: elbow}\n"), "9:5", "needs pd"),
    ("a controller with an unknown gain", controller("kp: 1, kq: 1"), "9:32", 'did you mean "kp"?'),
    ("a controller that samples never", controller("kp: 1", ", every: 0"), None, "every must be a number > 0"),
    ("a target of an unknown name", controller("kp: 1, target: foo*t"), "9:40", '"foo" is no parameter'),
    ("a start beyond the limits", elbow(", limits: [0, 1]", "start:\n  - {joint: elbow, position: 2}\n"), "7:5", "beyond the limits"),
    ("a loop that cannot be closed", elbow("", joint("type: distance, between: [world, lower.b], at: [9, 0], length: 1")), "7:5",
     "the loop of joints elbow, e, shoulder cannot be closed"),
    ("an output of an unknown signal", elbow("", "outputs: {a: {max: elbow.positon}}\n"), "8:20", 'did you mean "elbow.position"?'),
    ("an event of an unknown signal", elbow("", "events: [{name: low, signal: elbo.position, below: 1}]\n"), "8:30", "there is no signal"),
    ("an expectation of nothing", elbow("", "expect: {foo: 1}\n"), "8:10", 'no output or result "foo"'),
    ("a range upside down", elbow("", "outputs: {a: {max: upper.x}}\nexpect: {a: [2, 1]}\n"), "9:13", "must be [least, most]"),
]

# Units in formulas of t that are right: t is a time, or a number of seconds.
UNITS = ["3 rad/s*t", "300 rpm*t + 20 deg", "0.5*t", "2 deg*sin(300 rpm*t)", "3 deg*t", "20 deg*(1 - exp(-t/0.1 s))", "sin(5 Hz*t)",
         "'min(t/2 s, 1)*20 deg'", "1 rad/s^2*t^2", "(t + 1)^2*3 deg"]

IN_SPACE = """sprag: 1
dimension: 3
bodies:
  - {name: upper, mass: 1, inertia: [1, 1, 1]}
joints:
"""
RUBBING = [("ball", "friction: 0.1", "56", "needs radius, that of the ball"), ("universal", "friction: 0.1", "61", "needs radius, that of the pins"),
           ("weld", "friction: 0.1", "56", "is not supported"), ("ball", "radius: 1 mm", "56", "the radius of a ball joint is that on which it rubs: it needs friction"),
           ("ball", "friction: 0.1, radius: 0", "79", "radius must be a number > 0"), ("ball", "friction: -0.1, radius: 1 mm", "66", "friction"),
           ("ball", "friction: 0.1, radius: 1 kg", "79", "radius must be a length"), ("distance", "friction: 0.1, length: 1", "60", "is not supported"),
           ("prismatic", "friction: 0.1, radius: 1 mm", "76", "a prismatic joint has no radius")]

MACHINES = [
    {"name": f"a {kind} joint that rubs about its axis", "run": ["check", "{t}/m.yaml"], "exit": 3,
     "files": {"m.yaml": IN_SPACE + f"  - {{name: e, type: {kind}, between: [world, upper.com], {keys}}}\n"},
     "err": [f"m.yaml:6:{place}: ", fragment]}
    for kind, keys, place, fragment in RUBBING
] + [
    {"name": f"a drive of the right unit, in time: {formula}", "run": ["check", "{t}/m.yaml"], "out": ["is valid"],
     "files": {"m.yaml": HEAD + elbow(f", drive: {formula}")}}
    for formula in UNITS
] + [
    {"name": name, "run": ["run", "{t}/m.yaml", "--until", "0.01"], "exit": 3, "files": {"m.yaml": HEAD + text},
     "err": [f"m.yaml:{place}: " if place else "m.yaml:", fragment]}
    for name, text, place, fragment in BAD
]

# Forces of drives make their motion by themselves: also where a sampled controller holds a force, and a joint is where the drive put it.
REALISED = """sprag: 1
bodies:
  - {name: upper, mass: 1, inertia: 0.1, position: [0.5, 0], sites: {a: [-0.5, 0]}}
  - {name: lower, mass: 1, inertia: 0.1, position: [1.5, 0]}
joints:
  - {name: shoulder, type: revolute, between: [world, upper.a], at: [0, 0], drive: 0.7 + 2*t}
  - {name: elbow, type: revolute, between: [upper, lower], at: [1, 0], spring: {stiffness: 5, rest: 0.4}}
controllers:
  - {joint: elbow, pd: {kp: 3, target: 1}, every: 10 ms}
"""
MACHINES += [
    {"name": f"forces of drives beside a controller at {t} s", "run": ["analyze", "--json", "{t}/m.yaml", "--at", t], "files": {"m.yaml": REALISED},
     "json": {"solutions.0.realised": "yes"}}
    for t in ("0", "0.034")
]

# A shaft of 2 kg on a level axis, radius 50 mm: 4 N along and 0.15 N m about it are 5 N of the 5.886 N that hold. On a cross of the
# same weight both pins are pressed by it, and hold 0.1 N m and 0.05 N m at 30 mm.
HELD = """sprag: 1
dimension: 3
gravity: [0, 0, -9.81]
bodies:
  - {name: s, mass: 2, inertia: [0.01, 0.02, 0.02]%s}
joints:
  - {name: j, %s}
loads:
  - {body: s, %s}
"""
HELD_SHAFT = HELD % ("", "type: cylindrical, between: [world, s.com], at: [0, 0, 0], axis: [1, 0, 0], radius: 50 mm, friction: 0.3",
                     "force: [4, 0, 0], torque: [0.15, 0, 0]")
HELD_CROSS = HELD % (", position: [0, 0, -0.5]", "type: universal, between: [world, s], at: [0, 0, 0], axis: [1, 0, 0], "
                     "second-axis: [0, 1, 0], radius: 30 mm, friction: 0.2", "torque: [0.1, 0.05, 0]")


def near(*wanted):
    """Whether a list has these numbers."""
    return lambda got: len(got) == len(wanted) and all(abs(a - b) < 1e-9 for a, b in zip(got, wanted))


MACHINES += [
    {"name": "a shaft held along and about its axis", "run": ["analyze", "--json", "{t}/m.yaml"], "files": {"m.yaml": HELD_SHAFT},
     "json": {"verdict": "unique", "complete": True, "held": True, "solutions.0.normal": near(2 * 9.81),
              "solutions.0.tangential.0": near(-4, -3)}},
    {"name": "a cross held on both pins", "run": ["analyze", "--json", "{t}/m.yaml"], "files": {"m.yaml": HELD_CROSS},
     "json": {"verdict": "unique", "complete": True, "held": True, "solutions.0.normal": near(2 * 9.81, 2 * 9.81),
              "solutions.0.tangential": near(-0.1 / 0.03, -0.05 / 0.03)}},
]

# A ball joint on which a body hangs is held against a moment of three components; 1.177 N m hold.
HELD_BALL = HELD % (", position: [0, 0, -0.5]", "type: ball, between: [world, s], at: [0, 0, 0], radius: 30 mm, friction: 2",
                    "torque: [0.3, -0.4, 1.05]")
SLIPS_BALL = HELD_BALL.replace("[0.3, -0.4, 1.05]", "[0.3, -0.4, 1.1]")  # 1.2083 N m


def is_against(got):
    """Friction of the ball that slips: μ |F| along three tangents."""
    return len(got) == 3 and abs(math.sqrt(sum(x * x for x in got)) - 2 * 2 * 9.81) < 0.5


MACHINES += [
    {"name": "a ball held against a moment", "run": ["analyze", "--json", "{t}/m.yaml"], "files": {"m.yaml": HELD_BALL},
     "json": {"verdict": "unique", "complete": True, "held": True, "solutions.0.normal": near(2 * 9.81),
              "solutions.0.modes": ["stick"], "solutions.0.tangential.0": near(-10, 0.4 / 0.03, -35)}},
    {"name": "a ball that slips", "run": ["analyze", "--json", "{t}/m.yaml"], "files": {"m.yaml": SLIPS_BALL},
     "json": {"verdict": "unique", "solutions.0.modes": ["slide"], "solutions.0.tangential.0": is_against,
              "solutions.0.direction.0": lambda got: len(got) == 3 and abs(sum(x * x for x in got) - 1) < 1e-12}},
    {"name": "a ball as text", "run": ["analyze", "{t}/m.yaml"], "files": {"m.yaml": HELD_BALL}, "out": ["third [N]", "held: at rest"]},
    {"name": "a ball in check", "run": ["check", "{t}/m.yaml"], "files": {"m.yaml": HELD_BALL}, "out": ["friction 2, radius 0.03 m"]},
]

# Forces of joints with several normals over a load fy: reactions are (−1.5, −fy, 19.62) N, moments about the joint (fy, −1.5)/2 N m.
MAPPED = HELD.replace("gravity", "parameters: {fy: 1}\ngravity")
PUSHED = "force: [1.5, fy, 0]"
MAPS = {
    "universal": (", position: [0, 0, -0.5]", "between: [world, s], at: [0, 0, 0], axis: [1, 0, 0], second-axis: [0, 1, 0], radius: 30 mm, friction: 2",
                  PUSHED, {"normal.j.first": lambda fy: math.hypot(fy, 19.62), "normal.j.second": lambda fy: math.hypot(1.5, 19.62),
                           "tangential.j.first": lambda fy: -fy / 0.06, "tangential.j.second": lambda fy: 1.5 / 0.06}),
    "cylindrical": ("", "between: [world, s.com], at: [0, 0, 0], axis: [1, 0, 0], radius: 50 mm, friction: 0.3", PUSHED + ", torque: [0.1, 0, 0]",
                    {"normal.j": lambda fy: math.hypot(fy, 19.62), "tangential.j": lambda fy: math.hypot(1.5, 2)}),
    "ball": (", position: [0, 0, -0.5]", "between: [world, s], at: [0, 0, 0], radius: 30 mm, friction: 3", PUSHED,
             {"normal.j": lambda fy: math.sqrt(1.5**2 + fy**2 + 19.62**2), "tangential.j": lambda fy: math.hypot(fy, 1.5) / 0.06}),
}


def mapped(values):
    def look(folder):
        with open(folder / "map.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        if len(rows) != 4:
            return f"{len(rows)} rows"
        for row in rows:
            for name, value in values.items():
                if abs(float(row[name]) - value(float(row["fy"]))) > 1e-9:
                    return f"{name} is {row[name]} in {row}, not {value(float(row['fy']))}"
        return None
    return look


MACHINES += [
    {"name": f"a map of the forces of a {kind} joint", "run": ["map", "{t}/m.yaml", "-q", "--x", "fy=0.5:2:4", "--value", ",".join(values), "-o",
                                                               "{t}/map.csv"],
     "files": {"m.yaml": MAPPED % (place, f"type: {kind}, {joint}", load)}, "after": mapped(values)}
    for kind, (place, joint, load, values) in MAPS.items()
]

# A crank of 0.3 m is driven, links of 0.35 m and 0.25 m go on to a pin 0.8 m away: they are stretched where cos(angle) = 0.37/0.48, at
# 0.69 rad, and nothing moves beyond.
BEYOND = """sprag: 1
bodies:
  - {name: crank, mass: 1, inertia: 0.01, position: [0.15*cos(0.3), 0.15*sin(0.3)], angle: 0.3, sites: {a: [-0.15, 0], b: [0.15, 0]}}
  - {name: link, mass: 1, inertia: 0.01, position: [0.45, 0.15], sites: {a: [-0.175, 0], b: [0.175, 0]}}
  - {name: rocker, mass: 1, inertia: 0.01, position: [0.72, 0.1], sites: {a: [-0.125, 0], b: [0.125, 0]}}
joints:
  - {name: turn, type: revolute, between: [world, crank.a], at: [0, 0], drive: 0.3 + t}
  - {name: knee, type: revolute, between: [crank.b, link.a]}
  - {name: rod, type: revolute, between: [link.b, rocker.a]}
  - {name: pin, type: revolute, between: [world, rocker.b], at: [0.8, 0]}
"""
MACHINES += [
    {"name": f"a crank driven beyond its dead point, {motion}", "run": ["run", "{t}/m.yaml", "--motion", motion], "exit": 4,
     "files": {"m.yaml": BEYOND}, "out": [f"ended at {when}", f"cannot follow at t = {when}"], "err": ["cannot follow"]}
    for motion, when in (("events", "0.39"), ("stepping", "0.40"))  # steps end where a hundredth of the machine is missing
]

# ---- Steps that a stiff bushing does not bear: stable up to 2/sqrt(k/m) = 2e-3 s ----------------------

BUSHING = """sprag: 1
gravity: [0, 0]
bodies: [{name: b, mass: 1, inertia: 1, position: [0, 0], velocity: [0.1, 0]}]
joints: [{name: grip, type: weld, between: [world, b], at: [0, 0], spring: {stiffness: [1e6, 1e6, 1]}}]
simulate: {motion: stepping, until: 0.01}
"""
MACHINES += [
    {"name": "steps too long for a bushing", "run": ["run", "{t}/m.yaml", "--step", "2.5e-3"], "files": {"m.yaml": BUSHING},
     "out": ["steps of 0.0025 s are longer than", "(0.002 s where the run begins): each is cut into 3"]},
    {"name": "what a bushing makes of them", "run": ["run", "--json", "{t}/m.yaml", "--step", "2.5e-3"], "files": {"m.yaml": BUSHING},
     "json": {"stepping.parts": 3, "stepping.step": lambda step: abs(3 * step - 2.5e-3) < 1e-12}},
    {"name": "steps that a bushing bears", "run": ["run", "{t}/m.yaml", "--step", "1.5e-3"], "files": {"m.yaml": BUSHING}, "not_out": ["WARNING", "cut into"]},
    {"name": "steps of a bushing, by default", "run": ["run", "--json", "{t}/m.yaml"], "files": {"m.yaml": BUSHING},
     "json": {"stepping.step": lambda step: abs(step - 2e-4) < 1e-6, "stepping.longest_step": lambda step: abs(step - 2e-3) < 1e-5}},
]

# ---- A four-bar linkage that friction in two of its pins holds ------------------------------------------

LENGTHS, MASSES, PIN = (0.3, 0.8, 0.6), (0.5, 1.2, 0.9), 0.04


def four_bar(angle):
    """Angles of crank, coupler and rocker (from its pin at 0.9 m), and where the links begin."""
    x, y = 0.3 * math.cos(angle), 0.3 * math.sin(angle)
    apart = math.hypot(0.9 - x, y)
    coupler = math.atan2(-y, 0.9 - x) + math.acos((apart**2 + 0.8**2 - 0.6**2) / (1.6 * apart))
    ends = (x + 0.8 * math.cos(coupler), y + 0.8 * math.sin(coupler))
    return (angle, coupler, math.atan2(ends[1], ends[0] - 0.9)), ((0, 0), (x, y), (0.9, 0))


def solve_equations(rows):
    """Gauss, each row with its right side."""
    n = len(rows)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(n):
            if k != i:
                rows[k] = [a - rows[k][i] * b for a, b in zip(rows[k], rows[i])]
    return [row[n] for row in rows]


def statics(angle, torque):
    """Torque at the first pin and the forces of the first two, with the torque at the second given: forces of pins o, p, s, w on the
    crank, coupler, coupler and rocker (against: on the link before, s on the rocker)."""
    angles, _ = four_bar(angle)
    rows = []
    links = (((0, 1), (1, -1)), ((1, 1), (2, 1)), ((3, 1), (2, -1)))     # pin, sign: at the begin and at the end of each link
    for link, pins in enumerate(links):
        weight = 9.81 * MASSES[link]
        c, d = math.cos(angles[link]), math.sin(angles[link])
        fx, fy, moment = [0.0] * 10, [0.0] * 10, [0.0] * 10
        for where, (pin, sign) in zip((0, LENGTHS[link]), pins):
            fx[2 * pin] += sign
            fy[2 * pin + 1] += sign
            moment[2 * pin] -= sign * where * d
            moment[2 * pin + 1] += sign * where * c
        fy[9] = weight
        moment[9] = weight * LENGTHS[link] / 2 * c
        if link == 0:
            moment[8], moment[9] = 1.0, moment[9] + torque
        if link == 1:
            moment[9] -= torque
        rows += [fx, fy, moment]
    found = solve_equations(rows)
    return found[8], math.hypot(*found[0:2]), math.hypot(*found[2:4])


def is_held(angle, friction):
    """Some share of the torques is inside both friction circles."""
    for k in range(-100, 101):
        torque = k / 50
        first, o, p = statics(angle, torque)
        if abs(first) <= friction * PIN * o and abs(torque) <= friction * PIN * p:
            return True
    return False


def held_scene(angle, friction):
    angles, starts = four_bar(angle)
    names = ("c", "k", "r")
    bodies = "".join(
        f"  - {{name: {n}, mass: {m}, inertia: {m * l * l / 12!r}, angle: {a!r}, position: [{x + l / 2 * math.cos(a)!r}, {y + l / 2 * math.sin(a)!r}],"
        f" sites: {{a: [{-l / 2}, 0], b: [{l / 2}, 0]}}}}\n"
        for n, m, l, a, (x, y) in zip(names, MASSES, LENGTHS, angles, starts))
    rubs = f", friction: {friction}, radius: {PIN}"
    return ("sprag: 1\nbodies:\n" + bodies + "joints:\n"
            f"  - {{name: o, type: revolute, between: [world, c.a], at: [0, 0]{rubs}}}\n"
            f"  - {{name: p, type: revolute, between: [c.b, k.a]{rubs}}}\n"
            "  - {name: s, type: revolute, between: [k.b, r.b]}\n"
            "  - {name: w, type: revolute, between: [world, r.a], at: [0.9, 0]}\n")


MACHINES += [
    {"name": f"a four-bar at {angle} rad with friction {friction} in two pins", "run": ["analyze", "--json", "{t}/m.yaml"],
     "files": {"m.yaml": held_scene(angle, friction)}, "json": {"verdict": "unique", "complete": True, "held": is_held(angle, friction)}}
    for angle in (-2.2, 0.4, 1.135) for friction in (0.2, 1.2, 1.4, 2.0)
]

# ---- sprag check --schema -----------------------------------------------------------------------------

PARTS = {"a body": "body", "a contact rule": "contact", "a joint": "joint", "a load": "load", "a controller": "controller", "pd": "pd",
         "simulate": "simulate", "an output": "output", "an event": "event", "a shape": "shape", "orientation": "orientation",
         "include": "include", "a value over time": "curve", "drive": "body-drive", "the file": "scene", "a material": "material"}


def keys_of_reader():
    """Keys that the reader of scenes checks, by the name that it has for the part: the list before each check."""
    for path in sorted(SOURCES.glob("scene_*.c")):
        text = path.read_text()
        for check in re.finditer(r'check_keys\(reader, [^;]*?, "([^"]+)", keys\)', text):
            lists = list(re.finditer(r"char \*const keys\[\] = \{([^}]*)\}", text[:check.start()]))
            if lists and check.group(1) in PARTS and (check.group(1) != "the file" or path.name == "scene_model.c"):
                yield PARTS[check.group(1)], re.findall(r'"([^"]+)"', lists[-1].group(1))


def complete(definitions):
    """No key that the reader knows is missing."""
    found = 0
    for part, keys in keys_of_reader():
        found += len(keys)
        if not set(keys) <= set(definitions[part]["properties"]):
            print(f"    {part} lacks {set(keys) - set(definitions[part]['properties'])}")
            return False
    return found > 100


MACHINES += [
    {"name": "the schema", "run": ["check", "--schema"],
     "json": {"$schema": "https://json-schema.org/draft/2020-12/schema", "$defs": complete, "required": ["sprag"],
              "$defs.joint-type.enum.length": 8, "$defs.joint.additionalProperties": False, "else.required": ["bodies"]}},
    {"name": "neither schema nor scene", "run": ["check"], "exit": 2, "err": ["SCENE is missing", "'sprag check --help'"]},
    {"name": "help of the schema", "run": ["check", "--help"], "out": ["--schema", "JSON Schema"]},
]
