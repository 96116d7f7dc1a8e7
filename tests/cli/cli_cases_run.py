"""The cases of `sprag run`; run_cli.py says what the entries mean."""
import csv
import math
from pathlib import Path

G = 9.81


def rows(folder, name):
    """The rows of a CSV file: a dictionary each; numbers where they are numbers."""
    def value(text):
        try:
            return float(text)
        except ValueError:
            return text
    with open(folder / name, newline="") as file:
        return [{k: value(v) for k, v in row.items()} for row in csv.DictReader(file)]


def only(folder, *names):
    left = sorted(p.name for p in folder.iterdir())
    return None if left == sorted(names) else f"the folder has {left}, wanted {sorted(names)}"


def nothing_left(folder):
    return only(folder)


# ---- Tables that abut, and boxes of one width -----------------------------------------------------

def seam(velocity, motion="events"):
    """A box slides over the seams of four tables of one height."""
    tables = "".join(f"  - {{name: t{i}, fixed: true, position: [{i + 0.5}, -0.05], shapes: [box: {{size: [1, 0.1]}}]}}\n"
                     for i in range(-1, 3))
    return (f"sprag: 1\nmaterials: {{default: {{friction: 0.3}}}}\nbodies:\n{tables.replace('t-1', 'start')}"
            f"  - {{name: box, mass: 2, position: [-0.3, 0.05], velocity: [{velocity}, 0], shapes: [box: {{size: [0.2, 0.1]}}]}}\n"
            f"simulate: {{motion: {motion}, until: 2}}\n")


def slides_on(velocity):
    """Coulomb's way to stop, v^2/(2 mu g), to the tolerance of the run. No seam is hit: corners change
    sides within some 1e-9 m, and a body that falls so far loses some 1e-8 J."""
    end = -0.3 + velocity**2 / (2 * 0.3 * G)
    return {"outcome": "done", "bodies.box.position": lambda p: abs(p[0] - end) < 1e-8 and abs(p[1] - 0.05) < 1e-9,
            "events": lambda events: events[-1]["type"] == "rest" and
            not {"jam", "to-compliant"} & {event["type"] for event in events},
            "energy.impact": lambda lost: abs(lost) < 1e-7}


STACK = """sprag: 1
materials: {default: {friction: 0.5}}
bodies:
  - {name: table, fixed: true, shapes: [plane: {normal: [0, 1]}]}
  - {name: low, mass: 2, position: [0, 0.05], shapes: [box: {size: [0.2, 0.1]}]}
  - {name: middle, mass: 2, position: [0, 0.15], shapes: [box: {size: [0.2, 0.1]}]}
  - {name: top, mass: 2, position: [0, 0.25], shapes: [box: {size: [0.2, 0.1]}]}
simulate: {motion: compliant, until: 0.5}
"""


def stands(position):
    # three layers of epsilon 1e-4 sink by less than a thousandth of a box
    return abs(position[0]) < 1e-9 and -1e-3 < position[1] - 0.25 < 0


SEAMS = [
    {"name": f"over seams at {velocity} m/s, {motion}", "run": ["run", "--json", "{t}/s.yaml"],
     "files": {"s.yaml": seam(velocity, motion)}, "json": slides_on(velocity)}
    for velocity, motion in ((1.5, "events"), (1.7, "events"), (2, "auto"), (2.2, "events"), (2.5, "auto"), (3.5, "events"))
] + [
    {"name": "static friction below kinetic", "run": ["check", "{t}/s.yaml"], "exit": 3,
     "files": {"s.yaml": STACK.replace("friction: 0.5", "friction: {static: 0.2, kinetic: 0.4}")},
     "err": ["static friction must not be below kinetic, got 0.2 and 0.4"]},
    {"name": "friction that rises with speed", "run": ["check", "{t}/s.yaml"],
     "files": {"s.yaml": STACK.replace("friction: 0.5", "friction: {static: 0.2, kinetic: 0.4, stribeck: 0.01}")}},
    {"name": "equal boxes stand on each other in layers", "run": ["run", "--json", "{t}/s.yaml"], "files": {"s.yaml": STACK},
     "json": {"outcome": "done", "bodies.top.position": stands}},
]


# ---- The falling rod -----------------------------------------------------------------------------

def rod_file(folder):
    """Two rows at the reversal, with a jump of the friction force; the tip stays on the table."""
    table = rows(folder, "rod.csv")
    if only(folder, "rod.csv"):
        return only(folder, "rod.csv")
    if list(table[0])[:2] != ["t", "rod.x"] or len(table) < 210:
        return f"{len(table)} rows, columns {list(table[0])}"
    times = [row["t"] for row in table]
    if times != sorted(times) or times[0] != 0 or abs(times[-1] - 0.21) > 1e-12:
        return "times are not in order from 0 to 0.21"
    twins = [i for i in range(1, len(table)) if times[i] == times[i - 1]]
    if len(twins) != 1 or abs(times[twins[0]] - 0.2031) > 0.003:
        return f"two rows of one time at {[times[i] for i in twins]}"
    before, after = table[twins[0] - 1], table[twins[0]]
    if (before["tip.mode"], after["tip.mode"]) != ("slide-", "slide+"):
        return f"modes {before['tip.mode']}, {after['tip.mode']}"
    for row, sign in ((before, 1), (after, -1)):
        if abs(row["tip.tangential"] - sign * 0.27 * row["tip.normal"]) > 1e-12:
            return f"friction {row['tip.tangential']} beside {row['tip.normal']}"
    if max(abs(row["tip.gap"]) for row in table) > 1e-9:
        return "the tip leaves the table"
    for row in table:  # the tip's place by the body's state: y_a = y - L sin angle
        if abs(row["rod.y"] - 0.234 * math.sin(row["rod.angle"]) - row["tip.gap"]) > 1e-12:
            return f"gap and position disagree at {row['t']}"
    total = [row["energy.kinetic"] + row["energy.potential"] + row["energy.friction"] for row in table]
    if max(total) - min(total) > 1e-9:
        return f"energy drifts by {max(total) - min(total)}"
    return None


def picked(folder):
    table = rows(folder, "a.csv")
    if (folder / "a.csv").read_bytes() != (folder / "b.csv").read_bytes():
        return "two files of one run differ"
    if list(table[0]) != ["t", "rod.b.y", "tip.normal", "tip.mode", "verdict"]:
        return f"columns {list(table[0])}"
    if len(table) != 3 or [row["t"] for row in table] != [0, 0.05, 0.1]:
        return f"rows at {[row['t'] for row in table]}"
    wanted = 0.468 * math.sin(math.radians(42.3))
    return None if abs(table[0]["rod.b.y"] - wanted) < 1e-12 else f"rod.b.y {table[0]['rod.b.y']}"


def partial(folder):
    table = rows(folder, "out.csv")
    return only(folder, "out.csv") or (None if len(table) >= 1 else "the file is empty")


def block(v=1.0, alpha=0.0, mu=0.3):
    """Time and way to rest of a block that slides up an incline: constant deceleration."""
    a = G * (math.sin(alpha) + mu * math.cos(alpha))
    return v / a, v * v / (2 * a)


SLIDING = """\
sprag: 1
name: block that stops
parameters: {alpha: 10 deg, mu: 0.3, speed: 1}
materials: {default: {friction: mu}}
bodies:
  - {name: slope, fixed: true, shapes: [{plane: {normal: [-sin(alpha), cos(alpha)]}}]}
  - name: block
    mass: 1
    angle: alpha
    position: [-0.05*sin(alpha), 0.05*cos(alpha)]
    velocity: [speed*cos(alpha), speed*sin(alpha)]
    shapes: [{box: {size: [0.4, 0.1]}}]
simulate: {motion: events, until: 1}
"""
T_STOP, WAY = block(alpha=math.radians(10))


def closes(energy):
    losses = energy["friction"] + energy["impact"] + energy["damping"] + energy["switch"]
    left = energy["initial"] + energy["actuation"] - energy["final"] - losses
    return abs(left - energy["drift"]) < 1e-12 and abs(energy["drift"]) < 1e-8


def closes_softly(energy):
    losses = energy["friction"] + energy["impact"] + energy["damping"] + energy["switch"]
    left = energy["initial"] + energy["actuation"] - energy["final"] - losses
    return abs(left - energy["drift"]) < 1e-12 and abs(energy["drift"]) < 1e-7 * max(1, abs(energy["initial"]))


def resting_box(folder):
    """The layers carry the weight in the end: K depth = normal on each foot, with the K of theory.md (6.9)."""
    last = rows(folder, "a.csv")[-1]
    stiffness = [last[k.replace("depth", "normal")] / last[k] for k in last if k.endswith(".depth") and last[k] > 0]
    if len(stiffness) != 2 or abs(stiffness[0] / stiffness[1] - 1) > 1e-6:
        return f"stiffnesses {stiffness}"
    weight = sum(last[k] for k in last if k.endswith(".normal"))
    return None if abs(weight - 2 * G) < 1e-6 else f"weight {weight}"


RUN = [
    {"name": "falling rod", "run": ["run", "--json", "{s}/rod.yaml", "--until", "0.22"], "close": 1e-6,
     "json": {"scene": "falling rod", "motion": "auto", "t": 0.22, "outcome": "done",
              "events.length": 1, "events.0.type": "slip-reversal", "events.0.contact": "tip",
              "events.0.t": lambda t: abs(t - 0.2031) < 0.003, "events.0.detail": lambda d: len(d) > 3,
              "verdicts": lambda v: all(i["solutions"] == 1 and i["stable"] == 1 and
                                        i["verdict"] == "unique" for i in v),
              "verdicts.0.from": 0, "verdicts.0.chosen": "slide-", "verdicts.1.chosen": "slide+",
              "verdicts.1.to": 0.22, "verdicts.1.reason": lambda r: len(r) > 5,
              "energy": closes, "energy.switch": 0, "energy.impact": 0, "energy.elastic": 0,
              "energy.friction": lambda e: e > 0,
              "energy.initial": 0.088 * G * 0.234 * math.sin(math.radians(42.3)),
              "bodies.rod.position.length": 2, "bodies.rod.velocity.length": 2,
              "bodies.rod.angle": lambda a: 0 < a < 0.2, "bodies.rod.spin": lambda w: w < -1,
              "bodies.table.position": [0, 0], "bodies.table.spin": 0, "files": [],
              "stats.steps": lambda n: n > 0, "stats.evaluations": lambda n: n > 0,
              "stats.solves": lambda n: n > 0, "stats": lambda s: "wall" not in s,
              "provenance.command": "run", "provenance.set": ["simulate.until=0.22"]}},
    {"name": "falling rod, for people", "run": ["run", "{s}/rod.yaml", "--until=0.22"],
     "out": ["falling rod: 0 to 0.22 s", "1 event\n", "slip-reversal  tip", "bodies at 0.22 s", "unique",
             "lost in friction", "drift", "steps"],
     "not_out": ["files"]},
    {"name": "falling rod, its file", "run": ["run", "-q", "{s}/rod.yaml", "--until", "0.21", "-o",
                                              "{t}/rod.csv"], "lines": 1, "after": rod_file},
    {"name": "picked signals in two files",
     "run": ["run", "{s}/rod.yaml", "--until", "0.1", "--output-step", "50 ms", "-o", "{t}/a.csv",
             "-o{t}/b.csv", "--signals", "rod.b.y, tip.n*,tip.mode,verdict"],
     "out": ["a.csv: 3 rows, 5 signals", "b.csv: 3 rows"], "after": picked},
    {"name": "-v has the time", "run": ["run", "-v", "--json", "{s}/rod.yaml", "--until", "0.01"],
     "json": {"stats.wall": lambda s: s > 0}},
    {"name": "-q prints one line", "run": ["run", "-q", "{s}/box.yaml"], "lines": 1, "out": ["done"]},
    {"name": "events asked for: no note", "run": ["run", "{s}/rod.yaml", "--motion", "events", "--until",
                                                  "0.01"], "not_out": ["auto"]},
    {"name": "until 0", "run": ["run", "--json", "{s}/box.yaml", "--until", "0"],
     "json": {"t": 0, "outcome": "done", "events": []}},
    {"name": "options win over --set", "run": ["run", "--json", "{s}/box.yaml", "--until", "0.5", "--set",
                                               "simulate.until=0.7"], "json": {"t": 0.5}},
    {"name": "a tighter tolerance takes more steps",
     "run": ["run", "--json", "{s}/rod.yaml", "--until", "0.2", "--tolerance", "1e-13"],
     "json": {"stats.steps": lambda n: n > 8}},
    # ---- other motions with an answer known --------------------------------------------------------
    {"name": "block that stops", "run": ["run", "--json", "{t}/block.yaml"], "close": 1e-8,
     "files": {"block.yaml": SLIDING},
     "json": {"outcome": "done", "events.0.type": "stick", "events.0.t": T_STOP,
              "bodies.block.velocity": [0, 0], "bodies.block.spin": 0,
              "bodies.block.position.0": WAY * math.cos(math.radians(10)) -
              0.05 * math.sin(math.radians(10)),
              "energy": closes, "notes": lambda notes: not any("auto" in note for note in notes),
              "energy.friction": 0.3 * G * math.cos(math.radians(10)) * WAY}},
    {"name": "box at rest", "run": ["run", "--json", "{s}/box.yaml"],
     "json": {"events": [], "bodies.box.position": [0, 0.1], "verdicts.length": 1,
              "energy.initial": 2 * G * 0.1, "energy.final": 2 * G * 0.1, "energy.drift": 0}},
    {"name": "a falling disc lands", "run": ["run", "--json", "{s}/drop.yaml"],
     "json": {"events.0.type": "impact", "events.0.t": math.sqrt(2 / G), "energy.impact": G,
              "events.0.contact": "disc-table", "bodies.disc.position.1": 0.1}},
    # ---- where rigid mechanics ends ----------------------------------------------------------------
    {"name": "no motion", "run": ["run", "--json", "{s}/painleve.yaml", "--motion", "events", "-o", "{t}/out.csv"], "exit": 4,
     "err": ["painleve.yaml: the run ended at t = 0 s: no-solution"], "after": partial,
     "json": {"outcome": "no-solution", "events.0.type": "no-solution", "t": 0,
              "verdicts.0.verdict": "none", "reason": lambda r: "Coulomb" in r,
              "files.0": lambda f: f.endswith("out.csv")}},
    {"name": "no motion, for people", "run": ["run", "{s}/painleve.yaml", "--motion", "events"], "exit": 4,
     "out": ["no-solution", "because no motion", "energy"], "err": ["no-solution"]},
    {"name": "no motion, -q", "run": ["run", "-q", "{s}/painleve.yaml", "--motion", "events"], "exit": 4, "lines": 1,
     "err": ["no-solution"]},
    # ---- interrupted -------------------------------------------------------------------------------
    {"name": "Ctrl-C", "run": ["run", "{s}/rod.yaml", "--output-step", "1e-9", "--until", "0.2", "-o",
                               "{t}/out.csv"],
     "interrupt": 1.0, "exit": 130, "out": ["interrupted"], "err": ["interrupted"], "after": partial},
    # ---- what cannot be written ---------------------------------------------------------------------
    {"name": "no such folder", "run": ["run", "{s}/rod.yaml", "-o", "{t}/none/out.csv"], "exit": 5,
     "err": ["none/out.csv", "does not exist"], "out_is": "", "after": nothing_left},
    {"name": "no such folder is found before the run", "run": ["run", "{s}/rod.yaml", "--until", "1e5",
     "-o", "{t}/none/out.csv"], "exit": 5},
    {"name": "full disk", "run": ["run", "{s}/rod.yaml", "-o", "/dev/full"], "exit": 5,
     "err": ["/dev/full: cannot write: No space"], "out_is": ""},
    {"name": "full disk through a link", "run": ["run", "{s}/rod.yaml", "-o", "{t}/out.csv"], "exit": 5,
     "links": {"out.csv": "/dev/full"}, "err": ["out.csv: cannot write: No space"],
     "after": lambda folder: only(folder, "out.csv")},
    {"name": "the summary cannot be written", "run": ["run", "{s}/rod.yaml", "-o", "{t}/out.csv"],
     "to": "/dev/full", "exit": 5, "err": ["cannot write to standard output"], "after": partial},
    {"name": "a folder as a file", "run": ["run", "{s}/rod.yaml", "-o", "{t}/x.csv/"], "exit": 2},
    {"name": "an empty name", "run": ["run", "{s}/rod.yaml", "-o", ""], "exit": 2},
    {"name": "another kind of file", "run": ["run", "{s}/rod.yaml", "-o", "{t}/out.h5"], "exit": 2,
     "err": ["out.h5", "not supported in this version"], "after": nothing_left},
    {"name": "one file twice", "run": ["run", "{s}/rod.yaml", "-o", "{t}/a.csv", "-o", "{t}/a.csv"],
     "exit": 2, "err": ["twice"], "after": nothing_left},
    {"name": "bad scene leaves no file", "run": ["run", "{t}/none.yaml", "-o", "{t}/a.csv"], "exit": 3,
     "after": nothing_left},
    # ---- what is not right ---------------------------------------------------------------------------
    {"name": "unknown signal", "run": ["run", "{s}/rod.yaml", "--signals", "tip.nromal", "-o",
                                       "{t}/a.csv"], "exit": 3,
     "err": ["\"tip.nromal\"", "did you mean \"tip.normal\""], "after": nothing_left},
    {"name": "pattern without a match", "run": ["run", "{s}/rod.yaml", "--signals", "rdo.*"], "exit": 3,
     "err": ["rdo.*"]},
    {"name": "no signals", "run": ["run", "{s}/rod.yaml", "--signals", ""], "exit": 3, "err": ["empty"]},
    {"name": "stepping", "run": ["run", "{s}/rod.yaml", "--motion", "stepping", "--step", "2 ms"],
     "out": ["by time stepping", "steps of 0.002 s (theta 0.5)", "contact laws met to", "(unit-free residual, worst at", "overlaps up to", "J/s² h²"]},
    {"name": "stepping, residual by its name", "run": ["run", "{s}/rod.yaml", "--motion", "stepping", "--step", "2 ms", "--json"],
     "json": {"stepping.residual_unit_free": lambda r: 0 <= r <= 1e-6}},
    {"name": "stepping, unknown scheme", "run": ["run", "{s}/rod.yaml", "--motion", "stepping", "--scheme", "euler"], "exit": 3,
     "err": ["scheme must be moreau-jean or stewart-trinkle"]},
    {"name": "stepping, theta", "run": ["run", "{s}/rod.yaml", "--motion", "stepping", "--theta", "1.5"], "exit": 3,
     "err": ["theta must be a number in 0 … 1, got 1.5"]},
    {"name": "stepping, theta of the other scheme",
     "run": ["run", "{s}/rod.yaml", "--motion", "stepping", "--scheme", "stewart-trinkle", "--theta", "0.7"], "exit": 3,
     "err": ["theta belongs to scheme: moreau-jean"]},
    {"name": "stepping, step 0", "run": ["run", "{s}/rod.yaml", "--motion", "stepping", "--step", "0"], "exit": 3,
     "err": ["step must be a number > 0"]},
    {"name": "tolerance too large", "run": ["run", "{s}/rod.yaml", "--tolerance", "1"], "exit": 3,
     "err": ["tolerance must be in 1e-14 … 0.1, got 1"]},
    {"name": "contact tolerance too large", "run": ["run", "{s}/rod.yaml", "--contact-tolerance", "5"], "exit": 3,
     "err": ["contact-tolerance must be at most 0.01, got 5"]},
    {"name": "stepping, threads", "run": ["run", "{s}/rod.yaml", "--motion", "stepping", "--threads", "1.5"], "exit": 3,
     "err": ["threads must be a whole number in 1 … 64, got 1.5"]},
    {"name": "unknown motion", "run": ["run", "{s}/rod.yaml", "--motion", "evnets"], "exit": 3,
     "err": ["events"]},
    {"name": "negative until", "run": ["run", "{s}/rod.yaml", "--until", "-1"], "exit": 3, "err": ["until"]},
    {"name": "rows without end", "run": ["run", "{s}/rod.yaml", "--output-step", "1e-300", "-o", "{t}/a.csv"],
     "exit": 3, "err": ["output-step"], "after": nothing_left},
    {"name": "until is no number", "run": ["run", "{s}/rod.yaml", "--until", "soon"], "exit": 3,
     "err": ["until"]},
    {"name": "until without a value", "run": ["run", "{s}/rod.yaml", "--until"], "exit": 2,
     "err": ["--until needs a value"]},
    {"name": "a bare problem", "run": ["run", "{s}/contact.yaml"], "exit": 3, "err": ["bodies"]},
]

# ---- The examples: they run, their accounts close --------------------------------------------------

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
# the gallery has its own group
PLAIN = [path for path in sorted(EXAMPLES.glob("*.yaml"))
         if "\nbodies:" in path.read_text() and not path.read_text().startswith("# Gallery")]
# what a purely rigid run cannot decide ends it at once; under auto the pilot carries on
STOPS = {"painleve-none": "no-solution", "peg-in-hole": "ambiguity", "wedge": "ambiguity", "off-centre-box": "unstable",
         "song-case2": "ambiguity"}
RUN += [
    {"name": f"example {path.stem} under auto", "run": ["run", "--json", str(path), "--motion", "auto"],
     "json": {"outcome": "done", "energy": closes, "events": lambda events, stem=path.stem: (
         stem in STOPS) == any(event["type"] == "to-compliant" for event in events)}}
    for path in PLAIN
] + [
    {"name": f"example {path.stem}", "run": ["run", "--json", str(path), "--motion", "events"],
     "exit": 4 if path.stem in STOPS else 0,
     "json": {"outcome": STOPS.get(path.stem, "done"), "energy": closes}}
    for path in PLAIN
] + [
    # layers decide where rigid mechanics cannot; what an example expects of its rigid run may be missed by
    # the softness of the layers
    {"name": f"example {path.stem}, compliant", "run": ["run", "--json", str(path), "--motion", "compliant"],
     "exit": 1 if path.stem in ("sliding-block", "bouncing-ball", "rocking-block") else 0,
     "json": {"outcome": "done", "motion": "compliant", "energy": closes_softly,
              "events": lambda events: not any(event["type"] in ("impact", "separation") for event in events)}}
    for path in PLAIN
]
RUN += [
    {"name": "compliant: depth, and what a box at rest does",
     "run": ["run", "--json", "{e}/box-at-rest.yaml", "--motion", "compliant", "--signals", "*.depth,*.normal",
             "-o", "{t}/a.csv"], "after": resting_box,
     "json": {"bodies.box.velocity": [0, 0], "events": lambda events: [e["type"] for e in events] == ["rest"],
              "verdicts": lambda verdicts: [v["chosen"] for v in verdicts] == ["stick stick"]}, "close": 1e-9},
]

# ---- Rows of events -------------------------------------------------------------------------------

# A ball that falls 0.9 m from rest, in its own way past 0.5 m, and hits the floor at sqrt(1.8/g); it is stopped at
# x = 0.7. Another one starts on the floor, approaching it.
FALL = """sprag: 1
materials: {default: {restitution: 0.5}}
bodies:
  - {name: floor, fixed: true, shapes: [plane: {normal: [0, 1]}]}
  - {name: ball, mass: 1, position: [0, 1], velocity: [1, 0], shapes: [circle: {radius: 0.1}]}
events:
  - {name: low, signal: ball.y, below: 0.5}
  - {name: right, signal: ball.x, above: 0.7, stop: true}
expect: {verdict: open}
"""
STRIKE = FALL.split("events:")[0].replace("[0, 1], velocity: [1, 0]", "[0, 0.1], velocity: [1, -2]")


def twin_rows(*wanted):
    """Two rows of one time at the wanted times, and nowhere else."""
    def look(folder):
        times = [row["t"] for row in rows(folder, "a.csv")]
        twins = [a for a, b in zip(times, times[1:]) if a == b]
        if times != sorted(times) or len(twins) != len(wanted):
            return f"times {times}"
        return None if all(abs(a - b) < 1e-5 for a, b in zip(twins, wanted)) else f"twins {twins}, wanted {wanted}"
    return look


def strike_rows(folder):
    """The state before an impact at the start, and the one after it."""
    table = rows(folder, "a.csv")[:2]
    found = [(row["t"], row["ball.vy"], row["energy.impact"]) for row in table]
    return None if found[0] == (0, -2, 0) and found[1] == (0, 1, 1.5) else f"{found}"


RUN += [
    {"name": "rows at the scene's own events, events", "files": {"a.yaml": FALL},
     "run": ["run", "{t}/a.yaml", "--output-step", "0.2", "-q", "-o", "{t}/a.csv"],
     "after": twin_rows(math.sqrt(1 / G), math.sqrt(1.8 / G), 0.7)},
    # impacts of a step have no rows of their own; what falls is exact at the ends of steps, and between them a chord:
    # off by less than g h^2/8 = 1e-6 m, 4e-7 s
    {"name": "rows at the scene's own events, stepping", "files": {"a.yaml": FALL},
     "run": ["run", "{t}/a.yaml", "--motion", "stepping", "--output-step", "0.2", "-q", "-o", "{t}/a.csv"],
     "after": twin_rows(math.sqrt(1 / G), 0.7)},
    {"name": "rows at an impact at the start", "files": {"a.yaml": STRIKE},
     "run": ["run", "{t}/a.yaml", "--until", "0.1", "-q", "-o", "{t}/a.csv"], "after": strike_rows},
    # time stepping asks for no verdict: none is told, and what the scene expects of it is left to analyze
    {"name": "stepping tells no verdict", "files": {"a.yaml": FALL.replace("open", "unique")},
     "run": ["run", "{t}/a.yaml", "--motion", "stepping", "--json"],
     "json": {"verdict": None, "verdicts": [], "expect": []}},
    {"name": "the verdict of stepping is unknown in files", "files": {"a.yaml": FALL},
     "run": ["run", "{t}/a.yaml", "--motion", "stepping", "--signals", "verdict", "-q", "-o", "{t}/a.csv"],
     "after": lambda folder: None if {row["verdict"] for row in rows(folder, "a.csv")} == {"unknown"} else "another word"},
]

RUN += SEAMS
