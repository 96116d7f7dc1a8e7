"""sprag impact: every law and case, several contacts, scenes, figures; run_cli.py says what the entries mean."""
import math
import xml.dom.minidom
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def bare(W="[[2.5, -1.5], [-1.5, 2.5]]", velocity="[-1, 0.2]", friction=0.9, restitution=1, more="", **keys):
    """A bare impact of one contact; the one of theory.md 10.8 but for what the arguments change."""
    values = {"W": W, "velocity": velocity,
              "contacts": f"[{{friction: {friction}, restitution: {restitution}{more}}}]", **keys}
    return "sprag: 1\nproblem: impact\n" + "".join(f"{k}: {v}\n" for k, v in values.items())


def closed_form(i1, i2, i3, mu, S0, C0, e):
    """Total normal impulse under the three laws, theory.md (10.7)-(10.13), for S0 != 0 and C0 < 0."""
    j = 1 if S0 > 0 else -1
    A, B = mu * i1 + j * i3, i2 + j * mu * i3
    P_s = abs(S0) / A if A > 0 else math.inf
    P_c0 = -C0 / B if B > 0 else math.inf
    sticks = mu >= abs(i3) / i1
    B2 = i2 - i3 ** 2 / i1 if sticks else i2 - j * mu * i3
    if P_s >= (1 + e) * P_c0:
        return {law: (1 + e) * P_c0 for law in ("newton", "poisson", "energetic")}, "slide"
    C_s = C0 + B * P_s
    newton = P_s + (-e * C0 - C_s) / B2
    word = "stick" if sticks else "reverse"
    if P_s < P_c0:
        P_c = P_s - C_s / B2
        W_c = 0.5 * (C0 + C_s) * P_s + 0.5 * C_s * (P_c - P_s)
        return {"newton": newton, "poisson": (1 + e) * P_c,
                "energetic": P_c + e * math.sqrt(-2 * W_c / B2)}, word + "-in-compression"
    W_c = 0.5 * C0 * P_c0
    R = -e * e * W_c - 0.5 * B * (P_s - P_c0) ** 2
    return {"newton": newton, "poisson": (1 + e) * P_c0,
            "energetic": P_s + (-C_s + math.sqrt(C_s ** 2 + 2 * B2 * R)) / B2}, word + "-in-restitution"


def case_of(name, i1, i2, i3, mu, S0, C0, e):
    impulses, kind = closed_form(i1, i2, i3, mu, S0, C0, e)
    wanted = {f"laws.{law}.normal_impulse": P for law, P in impulses.items()}
    wanted["laws.energetic.case"] = kind
    wanted["laws.energetic.energy_gain"] = 0
    wanted["laws.energetic.dissipated.normal"] = lambda loss: loss > -1e-12
    return {"name": f"closed form: {name}", "run": ["impact", "--json", "{t}/i.yaml"],
            "files": {"i.yaml": bare(f"[[{i2}, {-i3}], [{-i3}, {i1}]]", f"[{C0}, {S0}]", mu, e)},
            "json": wanted}


def figure(folder):
    """Routh's diagram is XML with two dashed lines, a path, and three ends."""
    document = xml.dom.minidom.parse(str(folder / "r.svg"))
    strokes = [p.getAttribute("stroke") for p in document.getElementsByTagName("path")]
    text = " ".join(t.firstChild.data for t in document.getElementsByTagName("text") if t.firstChild)
    for word in ("Newton", "Poisson", "energetic", "slip stops", "makes 0.0625 J of energy"):
        if word not in text:
            return f"{word} is not in the figure: {text}"
    if strokes.count("#b04c06") != 2 or strokes.count("#0b62a8") < 2:
        return f"lines {strokes}"
    return None if not (folder / "r.svg.part").exists() else "a part is left"


def kept(folder):
    """The figure of the guide is what this version draws, but for its description."""
    drawn = (folder / "r.svg").read_text().split("</desc>")[1]
    return None if drawn == (ROOT / "docs/images/routh.svg").read_text().split("</desc>")[1] else "it has changed"


def png(folder):
    return None if (folder / "r.png").read_bytes()[:4] == b"\x89PNG" else "no PNG"


TWO = """\
sprag: 1
problem: impact
W: [[2, 0, -1, 0], [0, 6, 0, -1], [-1, 0, 2, 0], [0, -1, 0, 6]]
velocity: [-1, 0, 0, 0]
contacts: [{friction: 0, restitution: 1}, {friction: 0, restitution: 1}]
"""
SPHERE = """\
sprag: 1
problem: impact
dimension: 3
W: [[1, 0, 0], [0, 3.5, 0], [0, 0, 3.5]]
velocity: [-2, %.17g, %.17g]
contacts: [{friction: %s, restitution: 0.6}]
"""
BALL = """\
sprag: 1
name: ball
gravity: [0, -10]
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}
  - {name: ball, mass: 2, position: [0, %s], velocity: [1, 0], shapes: [{circle: {radius: 0.1}}]}
contacts: [{name: c, between: [ball, floor], friction: 0.1, restitution: {law: poisson, e: 0.5}}]
simulate: {until: 1}
"""
# a uniform rod of half length 1 and mass 1 that slides into its tip: theory.md 4.2, A < 0, B < 0
JAM = """\
sprag: 1
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 1]}}]}
  - {name: rod, mass: 1, inertia: 1/3, angle: 60 deg, spin: %s, shapes: [{rod: {length: 2}}]}
contacts: [{name: tip, between: [rod.a, floor], friction: 1.8, restitution: 0.5}]
start: [{contact: tip, slip: -1}]
"""
LAWS = ("newton", "poisson", "energetic")
# slip of the sphere: stops iff mu >= |S|/(3.5 (1 + e) |C|)
THRESHOLD = 5 / (3.5 * 1.6 * 2)

IMPACT = [
    case_of("slide", 3.4, 1.6, 1.2, 0.1, 2, -1, 0.5),
    case_of("stick in compression", 2.5, 2.5, 1.5, 0.9, 0.2, -1, 1),
    case_of("stick in restitution", 3.4, 1.6, 0.4, 0.5, 1.3, -1, 0.9),
    case_of("reverse in compression", 1.5, 2.5, 1.2, 0.5, 0.1, -1, 0.7),
    case_of("reverse in restitution", 1.5, 2.5, 1.2, 0.5, 1.0, -1, 0.9),
    case_of("jam", 3.4, 1.6, 1.2, 1.8, -1, -0.5, 0.6),
    {"name": "theory 10.8", "run": ["impact", "--json", "{t}/i.yaml"], "files": {"i.yaml": bare()},
     "json": {"collides": True, "tangential": False, "laws.newton.energy_gain": 0.0625,
              "laws.newton.normal_impulse": 1.175, "laws.newton.after": [1, 0],
              "laws.newton.dissipated.normal": -0.0673, "laws.newton.dissipated.tangential": 0.0048,
              "laws.poisson.energy_gain": 0, "laws.energetic.dissipated.normal": 0}, "close": 1e-12},
    {"name": "the warning", "run": ["impact", "{t}/i.yaml"], "files": {"i.yaml": bare()},
     "out": ["WARNING: newton makes 0.0625 J", "stick-in-compression", "energetic"]},
    {"name": "the table alone", "run": ["impact", "-q", "{t}/i.yaml"], "files": {"i.yaml": bare()},
     "lines": 4},
    {"name": "no slip", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare(velocity="[-1, 0]")}, "json": {"laws.energetic.case": "stick"}},
    {"name": "slide from rest", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare(velocity="[-1, 0]", friction=0.3)},
     "json": {"laws.energetic.case": "slide-from-rest", "laws.newton.after": lambda u: u[1] < 0}},
    {"name": "static friction holds what kinetic does not", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare(velocity="[-1, 0]", friction="{static: 0.7, kinetic: 0.3}")},
     "json": {"laws.energetic.case": "stick", "contacts.0.friction_static": 0.7}},
    {"name": "tangential impact", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare("[[1.6, -1.2], [-1.2, 3.4]]", "[0, -1]", 1.8, 1)},
     "json": {"tangential": True, "laws.poisson.normal_impulse": 0.6, "laws.newton.normal_impulse": 0.3,
              "laws.poisson.dissipated.normal": lambda loss: abs(loss + 0.03587) < 1e-5}},
    {"name": "nothing approaches", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare(velocity="[0.1, 1]")},
     "json": {"collides": False, "reason": lambda text: "nothing collides" in text}},
    {"name": "no slip and no approach", "run": ["impact", "{t}/i.yaml"],
     "files": {"i.yaml": bare(velocity="[0, 0]")}, "out": ["nothing collides"]},
    {"name": "e over speed", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare(restitution="{law: newton, e: [[0, 1], [2, 0]]}", friction=0)},
     "json": {"contacts.0.e": 0.5, "laws.newton.after.0": 0.5}},
    {"name": "set", "run": ["impact", "--json", "{t}/i.yaml", "--set", "contacts.0.restitution=0",
                            "--set", "velocity.0=-2"], "files": {"i.yaml": bare()},
     "json": {f"laws.{law}.after.0": 0 for law in LAWS}},
    {"name": "masses", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": "sprag: 1\nproblem: impact\nmass: [2, 2, 1]\nJ: [[0, 1, 0], [1, 0, 0]]\n"
                         "generalized-velocity: [3, -1, 5]\ncontacts: [{friction: 0.1, restitution: 0.5}]\n"},
     "json": {f"laws.{law}.generalized_velocity": [2.85, 0.5, 5] for law in LAWS}},
    # ---- space -----------------------------------------------------------------------------------------
    {"name": "sphere: stick", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": SPHERE % (3, 4, THRESHOLD * 1.000001)},
     "json": {"laws.energetic.after": [1.2, 0, 0], "laws.newton.case": lambda case: case.startswith("stick")}},
    {"name": "sphere: slip", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": SPHERE % (3, 4, THRESHOLD * 0.9)},
     "json": {"laws.energetic.after": [1.2, 0.3, 0.4], "laws.energetic.case": "slide",
              "laws.energetic.tangential_impulse": [-0.9 * 3 / 3.5, -0.9 * 4 / 3.5]}, "close": 1e-8},
    {"name": "space: slip that does not dig in", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": SPHERE.replace("-2", "0") % (3, 4, 0.3)}, "json": {"collides": False}},
    {"name": "space: slip that digs in", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": "sprag: 1\nproblem: impact\ndimension: 3\nW: [[1.6, -1.2, 0], [-1.2, 3.4, 0], [0, 0, 1]]\n"
                         "velocity: [0, -1, 0]\ncontacts: [{friction: 1.8, restitution: 1}]\n"},
     "json": {"tangential": True, "laws.poisson.normal_impulse": 0.6}, "close": 1e-6},
    {"name": "space has no diagram", "run": ["impact", "{t}/i.yaml", "-o", "{t}/r.svg"], "exit": 3,
     "files": {"i.yaml": SPHERE % (3, 4, 0.1)}, "err": ["one contact in the plane"]},
    # ---- several contacts ------------------------------------------------------------------------------
    {"name": "three balls", "run": ["impact", "--json", "{t}/i.yaml"], "files": {"i.yaml": TWO},
     "json": {"schemes_agree": False, "laws.newton.normal_impulse": [4 / 3, 2 / 3],
              "laws.poisson.normal_impulse": [4 / 3, 2 / 3], "schemes.sequence.normal_impulse": [1, 1],
              "schemes.together.normal_impulse": [4 / 3, 2 / 3], "laws.energetic.energy_gain": 0,
              "schemes.path.normal_impulse": lambda P: 1 < P[0] < 1.2 and 0.9 < P[1] < 1}},
    {"name": "three balls for people", "run": ["impact", "{t}/i.yaml"], "files": {"i.yaml": TWO},
     "out": ["do not agree", "together", "sequence", "path"]},
    {"name": "plastic balls agree", "run": ["impact", "--json", "{t}/i.yaml", "--set", "contacts.0.restitution=0",
                                            "--set", "contacts.1.restitution=0"], "files": {"i.yaml": TWO},
     "json": {"laws.newton.after": [0, 0, 0, 0]}, "close": 1e-8},
    {"name": "several have no diagram", "run": ["impact", "{t}/i.yaml", "-o", "{t}/r.svg"], "exit": 3,
     "files": {"i.yaml": TWO}, "err": ["one contact in the plane"]},
    # ---- scenes ----------------------------------------------------------------------------------------
    {"name": "a scene that will collide", "run": ["impact", "{t}/b.yaml"], "files": {"b.yaml": BALL % 1.1},
     "out": ["nothing collides at t = 0 s", "first impact at t = 0.447213595 s, at c"]},
    {"name": "a scene that will not", "run": ["impact", "{t}/b.yaml"], "files": {"b.yaml": BALL % 100},
     "out": ["nothing collides", "nor does anything in a run until 1 s"]},
    {"name": "the next collision of very many bodies, by events", "exit": 0,
     "run": ["impact", "{e}/piles/spheres-in-box.yaml", "--set", "n=6"],
     "out": ["a run has its first impact at t = 0.0451523641 s"]},
    {"name": "the next collision", "run": ["impact", "--json", "--next", "{t}/b.yaml"],
     "files": {"b.yaml": BALL % 1.1},
     "json": {"t": math.sqrt(0.2), "collides": True, "contacts.0.law": "poisson", "energy_before": 21,
              "laws.poisson.bodies.ball.velocity": [2 / 3, 0.5 * math.sqrt(20)]}},
    {"name": "a start that collides", "run": ["impact", "--json", "{t}/b.yaml"],
     "files": {"b.yaml": BALL % 1 + "start: [{contact: c, velocity: [-2, 1]}]\n"},
     "json": {"t": 0, "laws.newton.after": [1, 0.1], "contacts.0.name": "c"}},
    {"name": "a scene that jams", "run": ["impact", "--json", "{t}/j.yaml"], "files": {"j.yaml": JAM % 0},
     "json": {"tangential": True, "laws.energetic.normal_impulse": lambda P: P > 0,
              "laws.energetic.case": "stick-in-compression"}},
    {"name": "an example", "run": ["impact", "{e}/newton-gains-energy.yaml"],
     "out": ["WARNING", "laws.newton.energy_gain: wanted 0.0625, got 0.0625, met"]},
    {"name": "the bare example", "run": ["impact", "--json", "{e}/impact-bare.yaml"],
     "json": {"expect": lambda list_: all(e["met"] for e in list_)}},
    {"name": "the chain", "run": ["impact", "--json", "{e}/ball-chain.yaml"],
     "json": {"expect": lambda list_: len(list_) == 6 and all(e["met"] for e in list_)}},
    {"name": "an expectation that is not met", "run": ["impact", "-q", "{t}/i.yaml"], "exit": 1,
     "files": {"i.yaml": bare(expect="{laws.newton.energy_gain: 0}")}, "err": ["is not met"]},
    # ---- the account of runs ---------------------------------------------------------------------------
    {"name": "a run tells the account of an impact", "run": ["run", "--json", "{t}/b.yaml", "--until", "0.5"],
     "files": {"b.yaml": BALL % 1.1},
     "json": {"events.0.impact.law": "poisson", "events.0.impact.e": 0.5, "events.0.impact.case": "stick-in-compression",
              "events.0.impact.after.0": 0.5 * math.sqrt(20), "events.0.impact.energy_before": 21,
              "events.0.impact.dissipated.normal_compression": 20,
              "events.0.impact.dissipated.normal_restitution": -5}},
    {"name": "a run warns of energy", "run": ["run", "--json", "{e}/newton-gains-energy.yaml"],
     "json": {"notes": lambda notes: any("WARNING" in note and "0.0625" in note for note in notes),
              "events.0.impact.energy_gain": 0.0625, "energy.impact": -0.0625,
              "events.0.detail": lambda text: "made energy" in text}},
    {"name": "one after the other", "run": ["run", "--json", "{e}/ball-chain.yaml", "--impacts", "sequence"],
     "json": {"bodies.third.velocity": [1, 0], "bodies.first.velocity": [0, 0]}},
    {"name": "together", "run": ["run", "--json", "{e}/ball-chain.yaml", "--impacts", "together"],
     "json": {"bodies.third.velocity.0": 2 / 3, "bodies.first.velocity.0": -1 / 3}},
    # ---- figures ---------------------------------------------------------------------------------------
    {"name": "Routh's diagram", "run": ["impact", "-q", "{t}/i.yaml", "-o", "{t}/r.svg"],
     "files": {"i.yaml": bare()}, "after": figure},
    {"name": "Routh's diagram of the guide", "run": ["impact", "-q", "{e}/newton-gains-energy.yaml", "-o", "{t}/r.svg"],
     "after": kept},
    {"name": "Routh's diagram as PNG", "run": ["impact", "-q", "{t}/i.yaml", "-o", "{t}/r.png"],
     "files": {"i.yaml": bare()}, "after": png},
    {"name": "another kind of figure", "run": ["impact", "{t}/i.yaml", "-o", "{t}/r.pdf"], "exit": 2,
     "files": {"i.yaml": bare()}, "err": ["not supported in this version"]},
    {"name": "a folder that is not there", "run": ["impact", "{t}/i.yaml", "-o", "{t}/x/r.svg"], "exit": 5,
     "files": {"i.yaml": bare()}, "err": ["cannot"]},
    {"name": "nothing to draw", "run": ["impact", "{t}/i.yaml", "-o", "{t}/r.svg"], "exit": 3,
     "files": {"i.yaml": bare(velocity="[1, 0]")}, "err": ["nothing collides"]},
    # ---- what is not right -----------------------------------------------------------------------------
    {"name": "help", "run": ["impact", "--help"], "out": ["Newton's, Poisson's and the energetic law", "--next"]},
    {"name": "no file", "run": ["impact"], "exit": 2},
    {"name": "a file that is not there", "run": ["impact", "{t}/none.yaml"], "exit": 3, "err": ["none.yaml"]},
    {"name": "an LCP", "run": ["impact", "{t}/l.yaml"], "exit": 3,
     "files": {"l.yaml": "sprag: 1\nproblem: lcp\nM: [[1]]\nq: [1]\n"}, "err": ["problem: impact"]},
    {"name": "analyze refuses an impact", "run": ["analyze", "{t}/i.yaml"], "exit": 3,
     "files": {"i.yaml": bare()}, "err": ["analyze takes"]},
    {"name": "run refuses an impact", "run": ["run", "{t}/i.yaml"], "exit": 3, "files": {"i.yaml": bare()},
     "err": ["run takes"]},
    {"name": "check tells of an impact", "run": ["check", "{t}/i.yaml"], "files": {"i.yaml": bare()},
     "out": ["bare impact: dimension 2, 1 contacts, 2 rows"]},
    {"name": "garbage", "run": ["impact", "{t}/i.yaml"], "exit": 3, "files": {"i.yaml": b"\xff\x00{{{"}},
    {"name": "W that is no matrix", "run": ["impact", "{t}/i.yaml"], "exit": 3,
     "files": {"i.yaml": bare(W="[1, 2]")}, "err": ["i.yaml:3:"]},
    {"name": "W that is not definite", "run": ["impact", "{t}/i.yaml"], "exit": 3,
     "files": {"i.yaml": bare(W="[[1, 2], [2, 1]]")}, "err": ["i.yaml:3:"]},
    {"name": "NaN", "run": ["impact", "{t}/i.yaml"], "exit": 3, "files": {"i.yaml": bare(velocity="[.nan, 0]")}},
    {"name": "e above one", "run": ["impact", "{t}/i.yaml"], "exit": 3, "files": {"i.yaml": bare(restitution=1.5)},
     "err": ["in 0 … 1, got 1.5"]},
    {"name": "huge numbers", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare("[[1e20, 0], [0, 1e20]]", "[-1e10, 1e10]")}, "json": {"laws.newton.found": True}},
    {"name": "tiny numbers", "run": ["impact", "--json", "{t}/i.yaml"],
     "files": {"i.yaml": bare("[[1e-20, 0], [0, 1e-20]]", "[-1e-10, 1e-10]")}, "json": {"laws.newton.found": True}},
]
