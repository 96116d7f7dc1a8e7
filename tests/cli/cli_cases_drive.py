"""Drives of one degree of freedom: analyze, run, check; run_cli.py says what the entries mean."""
import csv
import math
import xml.dom.minidom

G = 9.81


def scalar(**keys):
    """A scalar problem file: the joint of theory.md 9.1 with what the keys change."""
    values = {"a": 1, "b": 0.5, "c": 1, "d": 2, "friction": 2, **keys}
    return "sprag: 1\nproblem: scalar\n" + "".join(f"{k}: {v}\n" for k, v in values.items()
                                                 if v is not None)


def figure(folder):
    """The diagram is XML with four half-lines, two of them dashed, and two motions, one hollow."""
    document = xml.dom.minidom.parse(str(folder / "v.svg"))
    paths = [p.getAttribute("stroke-dasharray") for p in document.getElementsByTagName("path")
             if p.getAttribute("stroke") in ("#b04c06", "#0a7566")]
    dots = [c.getAttribute("stroke") for c in document.getElementsByTagName("circle")
            if c.getAttribute("r") == "5"]
    if sorted(paths) != ["", "", "", "", "6 4", "6 4"]:  # two of them of the legend
        return f"lines {paths}"
    if sorted(dots) != ["#c2183f", "#c2183f", "#ffffff", "#ffffff"]:  # and two of the legend
        return f"dots {dots}"
    return None if not (folder / "v.svg.part").exists() else "a part is left"


def jam_rows(folder):
    with open(folder / "j.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    if list(rows[0])[:5] != ["t", "q", "v", "a", "normal"]:
        return f"columns {list(rows[0])}"
    twins = [i for i in range(1, len(rows)) if rows[i]["t"] == rows[i - 1]["t"]]
    if not twins or abs(float(rows[twins[0]]["t"]) - 1.5) > 1e-8:
        return f"two rows of one time at {[rows[i]['t'] for i in twins]}"
    before, after = rows[twins[0] - 1], rows[twins[0]]
    if abs(float(before["v"]) - 2.375) > 1e-6 or float(after["v"]) != 0:
        return f"velocity {before['v']} to {after['v']}"
    for row in rows:  # the law, row by row: a q'' + b + f = input, |f| = mu |F| while it slides
        if abs(float(row["a"]) + 0.5 + float(row["friction"]) - float(row["input"])) > 1e-9:
            return f"the law does not hold at {row['t']}"
        if abs(float(row["a"]) + 2 - float(row["normal"])) > 1e-9:
            return f"the normal force is wrong at {row['t']}"
        if row["mode"] != "stick" and abs(abs(float(row["friction"])) - 2 * abs(float(row["normal"]))) > 1e-9:
            return f"friction is not sliding friction at {row['t']}"
    return None


def closes(energy):
    losses = energy["friction"] + energy["impact"] + energy["damping"]
    left = energy["initial"] + energy["actuation"] - energy["final"] - losses
    return abs(left - energy["drift"]) < 1e-12 and abs(energy["drift"]) < 1e-7


SCREW = """\
sprag: 1
problem: screw
inertia: 1e-6
mass: 20
lead: 5 mm
radius: 10 mm
thread-angle: 15 deg
friction: 0.2
velocity: 10
input: 0.6
"""
L = 5e-3 / (2 * math.pi)
ALPHA = math.atan(L / 10e-3)
RHO = math.atan(0.2 / math.cos(math.radians(15)))
ETA = [math.tan(ALPHA) / math.tan(ALPHA + RHO), math.tan(ALPHA) / math.tan(ALPHA - RHO)]

TRANSMISSION = """\
sprag: 1
problem: transmission
a: [1, 2]
c: [1, -0.5]
d: [0.2, 0.3]
friction: 0.5
ratio: 0.5
velocity: 1
input: [3, 1]
"""

GUIDES = """\
sprag: 1
problem: scalar
a: [[2, 0], [0, 1]]
b: [0, 0]
c: [[1, 0], [0, 1]]
d: [1, 2]
friction: [0.5, 2]
velocity: [1, 1]
input: [3, 0.5]
acceleration: [1, 1]
"""


def one(name, text, wanted, **more):
    return {"name": name, "run": ["analyze", "--json", "{t}/f.yaml"], "files": {"f.yaml": text},
            "json": wanted, **more}


def bad(name, text, *fragments):
    return {"name": name, "run": ["analyze", "{t}/f.yaml"], "files": {"f.yaml": text}, "exit": 3,
            "err": ["f.yaml:", *fragments]}


DRIVE = [
    # ---- the table of theory.md 9.1 ---------------------------------------------------------------
    one("two motions", scalar(velocity=1, input=-0.5),
        {"verdict": "multiple", "count": 2, "stable": 1, "tau_cr": -1.5, "band.low": -3.5,
         "band.high": 4.5, "band.holds": True, "unique_for_every_input": False, "held": False,
         "solutions.0.acceleration": -5 / 3, "solutions.0.normal": 1 / 3, "solutions.0.stable": True,
         "solutions.0.stability": "stable", "solutions.0.growth": 0, "solutions.1.acceleration": -3,
         "solutions.1.normal": -1, "solutions.1.stable": False, "solutions.1.stability": "divergent",
         "solutions.1.growth": None, "solutions.1.growth_per_root_stiffness": 1,
         "solutions.1.effective_inertia": -1, "chosen": 0, "jam": False, "recommended": "rigid",
         "provenance.command": "analyze", "problem": "scalar", "t": 0}),
    one("growth with a stiffness", scalar(velocity=1, input=-0.5, stiffness="1e4"),
        {"solutions.1.growth": 100}),
    one("no motion", scalar(velocity=1, input=-2),
        {"verdict": "none", "solutions": [], "jam": True, "recommended": "compliant", "chosen": None}),
    one("three at rest", scalar(input=-2),
        {"verdict": "multiple", "count": 3, "stable": 2, "held": True,
         "solutions.0.mode": "stick", "solutions.1.mode": "slide-", "solutions.2.mode": "slide-"}),
    one("below a/c", scalar(friction=0.5, velocity=-1, input=-2),
        {"verdict": "unique", "unique_for_every_input": True}),
    one("a continuum", scalar(friction=1, velocity=1, input=-1.5), {"verdict": "infinite"}),
    one("constant normal force", scalar(c=0, velocity=1, input=7),
        {"verdict": "unique", "tau_cr": None, "solutions.0.acceleration": 2.5}),
    {"name": "--set of a scalar", "run": ["analyze", "--json", "{t}/f.yaml", "--set", "friction=0.5"],
     "files": {"f.yaml": scalar(velocity=1, input=-0.5)}, "json": {"count": 1, "friction": 0.5}},
    {"name": "for people", "run": ["analyze", "{t}/f.yaml"],
     "files": {"f.yaml": scalar(velocity=1, input=-0.5)},
     "out": ["multiple: 2 motions, 1 of them stable", "critical     -1.5", "-3.5 … 4.5",
             "moves forward", "not stable: grows as exp(1 √k t)", "critical a/c = 1"]},
    {"name": "jam, for people", "run": ["analyze", "{t}/f.yaml"],
     "files": {"f.yaml": scalar(velocity=1, input=-2)}, "out": ["none", "jams"]},
    {"name": "-q", "run": ["analyze", "-q", "{t}/f.yaml"],
     "files": {"f.yaml": scalar(velocity=1, input=-2)}, "lines": 1, "out": ["none"]},
    # ---- inverse ------------------------------------------------------------------------------------
    one("inverse, not stable", scalar(velocity=1, acceleration=-3),
        {"inverse.inputs.0.input": -0.5, "inverse.inputs.0.realised": "unstable", "input": -0.5}),
    one("inverse, realised", scalar(velocity=1, acceleration="-5/3"),
        {"inverse.inputs.0.input": -0.5, "inverse.inputs.0.realised": "yes"}),
    one("inverse at rest", scalar(acceleration=0),
        {"inverse.held": True, "inverse.band.low": -3.5, "inverse.band.high": 4.5}),
    # ---- screw and transmission -----------------------------------------------------------------------
    one("screw", SCREW, {
        "problem": "screw", "state.velocity": 10, "screw.efficiency": ETA, "screw.self_locking": True, "screw.paradox": True,
        "tau_cr": -1e-6 * G / L, "band.low": 20 * G * L / ETA[1], "band.high": 20 * G * L / ETA[0],
        "solutions.0.acceleration": (0.6 - 20 * G * L / ETA[0]) / (1e-6 + 20 * L * L / ETA[0]),
        "screw.critical_inertia": 20 * L * L * math.tan(RHO - ALPHA) / math.tan(ALPHA),
        "solutions.0.effective_inertia": 1e-6 + 20 * L * L / ETA[0],
        "solutions.1.effective_inertia": 1e-6 + 20 * L * L / ETA[1]}),
    one("lead per radian", SCREW.replace("5 mm", f"{L!r} m/rad"), {"screw.lead_per_radian": L}),
    one("helix for radius", SCREW.replace("radius: 10 mm", f"helix: {ALPHA!r}"),
        {"screw.radius": 10e-3}),
    {"name": "screw, for people", "run": ["analyze", "{t}/f.yaml"], "files": {"f.yaml": SCREW},
     "out": ["self-locking", "paradox below the inertia", "efficiency"]},
    one("transmission", TRANSMISSION, {"problem": "transmission", "verdict": "unique"}),
    one("transmission by a table",
        TRANSMISSION.replace("ratio: 0.5", "ratio: {table: [[-1, -0.5], [0, 0], [1, 0.5], [2, 1]]}"),
        {"verdict": "unique"}),
    one("several guides", GUIDES, {
        "verdict": "multiple", "count": 2, "stable": 1, "complete": True, "patterns": 4,
        "solutions.0.modes": ["slide+", "slide+"], "inverse.input": [3, 7], "inverse.realised": "yes",
        "chosen": 0, "jam": False}),
    {"name": "several guides, for people", "run": ["analyze", "{t}/f.yaml"],
     "files": {"f.yaml": GUIDES}, "out": ["multiple: 2 motions", "motion 2 of 2", "inverse"]},
    # ---- the diagram ----------------------------------------------------------------------------------
    {"name": "diagram", "run": ["analyze", "-q", "{t}/f.yaml", "-o", "{t}/v.svg"],
     "files": {"f.yaml": scalar(velocity=1, input=-0.5, name="a < b & c")}, "after": figure},
    {"name": "diagram of guides", "run": ["analyze", "{t}/f.yaml", "-o", "{t}/v.svg"], "exit": 2,
     "files": {"f.yaml": GUIDES}, "err": ["diagram"]},
    {"name": "diagram as something else", "run": ["analyze", "{t}/f.yaml", "-o", "{t}/v.pdf"],
     "files": {"f.yaml": scalar()}, "exit": 2, "err": [".svg and .png are"]},
    {"name": "diagram in no folder", "run": ["analyze", "{t}/f.yaml", "-o", "{t}/no/v.svg"],
     "files": {"f.yaml": scalar()}, "exit": 5, "err": ["v.svg: cannot write"]},
    # ---- runs -----------------------------------------------------------------------------------------
    {"name": "run into a jam", "run": ["run", "--json", "{e}/scalar-jam.yaml", "-o", "{t}/j.csv"],
     "close": 1e-6, "after": jam_rows,
     "json": {"outcome": "done", "motion": "events", "events.length": 2, "events.0.type": "jam",
              "events.0.t": 1.5, "events.1.type": "slip-start", "events.1.t": 3.5, "energy": closes,
              "energy.impact": 0.5 * 2.375**2, "state.mode": "slide-",
              "verdicts": lambda v: [i["solutions"] for i in v] == [2, 3, 1], "verdicts.1.chosen": "stick"}},
    {"name": "run, compliant", "run": ["run", "--json", "{e}/screw-drive.yaml", "--motion",
                                       "compliant"],
     "json": {"outcome": "done", "motion": "compliant", "energy": closes, "state.mode": "stick"}},
    {"name": "run of a transmission", "run": ["run", "--json", "{e}/transmission.yaml"],
     "json": {"outcome": "done", "energy": closes}},
    {"name": "run, for people", "run": ["run", "{e}/scalar-jam.yaml"],
     "out": ["rigid by events", "jam", "lost in friction", "drift"]},
    {"name": "run, -q", "run": ["run", "-q", "{e}/screw-drive.yaml"], "lines": 1},
    {"name": "run with a table",
     "run": ["run", "--json", "{t}/f.yaml", "--until", "2"],
     "files": {"f.yaml": scalar(friction=0.5, input="{table: [[0, 0], [1, 0], [1.001, 10]]}")},
     "json": {"events.0.type": "slip-start", "events.0.t": lambda t: 1 < t < 1.001}},
    {"name": "run with a table from a file", "run": ["run", "--json", "{t}/f.yaml", "--until", "2"],
     "files": {"f.yaml": scalar(friction=0.5, input="{table: in.csv, column: fx}"),
               "in.csv": "# measured\n\"t\",fy,fx\n0,9,0\n1,9,0\n\n1.001,9,10\r\n"},
     "json": {"events.0.type": "slip-start", "events.0.t": lambda t: 1 < t < 1.001}},
    {"name": "a table without names", "run": ["analyze", "--json", "{t}/f.yaml"],
     "files": {"f.yaml": scalar(input="{table: in.csv}"), "in.csv": "0,-2\n1,3\n"},
     "json": {"input": -2, "count": 3}},
    {"name": "a table without that column", "run": ["run", "{t}/f.yaml"], "exit": 3,
     "files": {"f.yaml": scalar(input="{table: in.csv, column: u}"), "in.csv": "t,v\n0,1\n"},
     "err": ["f.yaml:", "the table has no column u"]},
    {"name": "a table with a hole", "run": ["run", "{t}/f.yaml"], "exit": 3,
     "files": {"f.yaml": scalar(input="{table: in.csv}"), "in.csv": "t,v\n0,1\n1,\n"},
     "err": ["line 3 of the table lacks a number"]},
    {"name": "an empty table", "run": ["run", "{t}/f.yaml"], "exit": 3,
     "files": {"f.yaml": scalar(input="{table: in.csv}"), "in.csv": "t,v\n"}, "err": ["no rows"]},
    {"name": "run, picked signals", "run": ["run", "-q", "{e}/scalar-jam.yaml", "-o", "{t}/a.csv",
                                            "--signals", "v, energy.i*"],
     "after": lambda folder: None if (folder / "a.csv").read_text().startswith("t,v,energy.impact\n0,5,0\n")
     else (folder / "a.csv").read_text()[:60]},
    {"name": "run, unknown signal", "run": ["run", "{e}/scalar-jam.yaml", "--signals", "w"], "exit": 3,
     "err": ["\"w\" is no signal"]},
    {"name": "run, no folder", "run": ["run", "{e}/scalar-jam.yaml", "-o", "{t}/no/a.csv"], "exit": 5,
     "err": ["does not exist"]},
    {"name": "run, full disk", "run": ["run", "{e}/scalar-jam.yaml", "-o", "/dev/full"], "exit": 5,
     "err": ["/dev/full: cannot write"]},
    {"name": "run, stepping", "run": ["run", "{e}/scalar-jam.yaml", "--motion", "stepping"], "exit": 3,
     "err": ["stepping is not supported"]},
    {"name": "run of an inverse problem", "run": ["run", "{t}/f.yaml"],
     "files": {"f.yaml": scalar(acceleration=1)}, "exit": 3, "err": ["needs an input"]},
    {"name": "compliant run of a constant normal force",
     "run": ["run", "{t}/f.yaml", "--motion", "compliant"],
     "files": {"f.yaml": scalar(c=0, input=1)}, "exit": 3, "err": ["needs c other than 0"]},
    {"name": "an input without a value later", "run": ["run", "{t}/f.yaml"],
     "files": {"f.yaml": scalar(input="5*sqrt(0.5 - t)")}, "exit": 4, "err": ["not-converged"]},
    {"name": "run of several guides", "run": ["run", "--json", "{e}/two-guides.yaml", "-o", "{t}/g.csv"],
     "json": {"outcome": "done", "energy": closes, "events.length": 3, "events.1.type": "stick",
              "events.1.contact": "guide1", "state.modes": ["slide+", "slide+"]},
     "after": lambda folder: None if (folder / "g.csv").read_text().startswith("t,q1,q2,v1,v2,a1,a2,input1,")
     else (folder / "g.csv").read_text()[:60]},
    {"name": "run of several guides, compliant",
     "run": ["run", "--json", "{e}/two-guides.yaml", "--motion", "compliant"],
     "json": {"outcome": "done", "motion": "compliant", "energy": closes}},
    {"name": "run of several guides, for people", "run": ["run", "{e}/two-guides.yaml"],
     "out": ["guide1", "lost in jams", "slide+ stick"]},
    {"name": "coupled guides without a motion",
     "run": ["run", "-q", "{e}/two-guides.yaml", "--set", "friction=[8, 8]", "--set", "input=[-40, 0]"],
     "exit": 4, "err": ["the guides are coupled"]},
    {"name": "map of a drive", "close": 1e-9,
     "run": ["map", "--json", "{e}/scalar-jam.yaml", "--set", "velocity=0", "--x", "mu=0:3:31", "--y",
             "input=-5:5:41", "--value", "tau_cr,growth", "-o", "{t}/m.csv", "-o", "{t}/m.svg"],
     "json": {"points": 31 * 41, "outcomes": lambda o: {i["solutions"] for i in o} == {1, 2, 3}},
     "after": lambda folder: None if "forward+" in (folder / "m.csv").read_text()
     and "jam" not in (folder / "m.csv").read_text() else "the modes are wrong"},
    {"name": "map of a screw beyond (9.15)",
     "run": ["map", "--json", "{e}/screw-drive.yaml", "--x", "mu=0:5:21", "--y", "radius=0.2:10mm:21"],
     "json": {"outcomes": lambda o: "invalid" in {i["verdict"] for i in o}}},
    {"name": "map, a value of contacts", "run": ["map", "{e}/scalar-jam.yaml", "--x", "mu", "--value", "A"],
     "exit": 2, "err": ["tau_cr"]},
    {"name": "map, negative friction", "run": ["map", "{e}/scalar-jam.yaml", "--x", "mu=-1:1:5"], "exit": 3,
     "err": ["friction must be a number ≥ 0"]},
    {"name": "check of a drive", "run": ["check", "{e}/screw-drive.yaml"],
     "out": ["lead 0.005 m per turn", "varies in time"]},
    {"name": "check of a drive, JSON", "run": ["check", "--json", "{e}/screw-drive.yaml"],
     "json": {"kind": "screw"}},
    # ---- what is not right ------------------------------------------------------------------------------
    bad("negative inertia", scalar(a=-1), "3:4", "a must be a number > 0, got -1"),
    bad("zero inertia", scalar(a=0), "a must be a number > 0"),
    bad("negative friction", scalar(friction=-1), "friction must be a number ≥ 0"),
    bad("no c", scalar(c=None), "c is missing"),
    bad("unknown key", scalar(mu=1), "unknown key \"mu\""),
    bad("t where nothing varies", scalar(d="t"), "may not vary in time"),
    bad("screw: negative inertia", SCREW.replace("1e-6", "-1e-6"), "3:10", "inertia must be a number > 0"),
    bad("screw: zero lead", SCREW.replace("5 mm", "0"), "5:7", "lead must be a number > 0"),
    bad("screw: lead of the wrong kind", SCREW.replace("5 mm", "5 kg"), "lead must be a length"),
    bad("screw: too much friction", SCREW.replace("friction: 0.2", "friction: 13"), "8:11",
        "cos(α + ρ) ≤ 0"),
    bad("screw: helix and radius", SCREW + "helix: 0.1\n", "give one"),
    bad("screw: neither", SCREW.replace("radius: 10 mm\n", ""), "radius is missing"),
    bad("screw: helix of 90 deg", SCREW.replace("radius: 10 mm", "helix: 90 deg"), "helix must be"),
    bad("transmission: one number", TRANSMISSION.replace("[1, 2]", "1"), "list of 2"),
    bad("transmission: ratio 0", TRANSMISSION.replace("ratio: 0.5", "ratio: 0"), "ratio"),
    bad("transmission: negative inertia", TRANSMISSION.replace("[1, 2]", "[1, -2]"), "inertia"),
    bad("transmission: table backwards",
        TRANSMISSION.replace("ratio: 0.5", "ratio: {table: [[1, 0], [0, 1]]}"), "must ascend"),
    bad("guides: not symmetric", GUIDES.replace("[[2, 0], [0, 1]]", "[[2, 1], [0, 1]]"), "symmetric"),
    bad("guides: indefinite", GUIDES.replace("[[2, 0], [0, 1]]", "[[2, 0], [0, -1]]"), "positive definite"),
    bad("guides: wrong length", GUIDES.replace("d: [1, 2]", "d: [1]"), "d must be a list of 2"),
]
