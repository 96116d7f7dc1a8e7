"""Cases of layers and friction laws; run_cli.py explains their form."""
import math

G = 9.81
BALL = "{e}/hertz-ball.yaml"
SLOPE = "{e}/tanh-incline.yaml"

BLOCK = """sprag: 1
parameters: {mu: 0.5, v: -0.002}
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {}}]}
  - {name: block, mass: 2, inertia: 1, velocity: [v, 0], shapes: [{points: {foot: [0, 0]}}]}
contacts: [{between: [block, floor], friction: mu%s}]
"""
BOX = """sprag: 1
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {}}]}
  - {name: box, mass: 3, position: [0, 0.05], velocity: [2, 0], shapes: [{box: {size: [0.4, 0.1]}}]}
contacts: [{between: [box, floor], friction: 0.25%s}]
simulate: {until: 0.01}
"""
# theory.md (4.3): a uniform rod of length 2, slipping to the left, with tanh friction
ROD = """sprag: 1
parameters: {mu: 1.6, v: -1, gamma: 1, theta: atan(2)}
bodies:
  - {name: floor, fixed: true, shapes: [{plane: {}}]}
  - {name: rod, mass: 1, inertia: 1/3, angle: theta, shapes: [{rod: {length: 2}}]}
contacts: [{name: tip, between: [rod.a, floor], friction: mu, friction-law: {law: tanh, speed: gamma}}]
start: [{contact: tip, slip: v}]
"""


def near(wanted, part=1e-6):
    return lambda value: value is not None and abs(value - wanted) <= part * abs(wanted)


def balance(w, e):
    """theory.md (5.5)"""
    return w * (1 + e) - math.log((1 + w) / (1 - w * e))


def rod_A(mu, theta=math.atan(2)):
    """a_nn + μ_s a_nt of theory.md (2.6) for the rod above, slipping left: μ_s = +μ"""
    c, s = math.cos(theta), math.sin(theta)
    return 1 + 3 * c * c - mu * 3 * s * c


def analyze(name, text, arguments, wanted, **more):
    return {"name": name, "run": ["analyze", "--json", "{t}/s.yaml", *arguments], "files": {"s.yaml": text},
            "json": wanted, **more}


def ball(name, compliance, wanted, *sets):
    arguments = [part for text in sets for part in ("--set", text)]
    return {"name": name, "run": ["analyze", "--json", BALL, "--set", f"contacts.spot.compliance={compliance}",
                                  *arguments], "json": wanted}


def refused(name, rule, words, scene=BLOCK):
    return {"name": name, "run": ["check", "{t}/s.yaml"], "files": {"s.yaml": scene % rule}, "exit": 3, "err": words,
            "out_is": ""}


K = 4 / 3 * 210e9 / (2 * 0.91) * math.sqrt(0.01)  # of the ball on its plate
M, V = 0.0327, 0.5
DEPTH = (5 * M * V * V / (4 * K)) ** 0.4
Z = 100 / (2 * math.sqrt(1e7 * M))
ROOT = math.sqrt(1 - Z * Z)
CREEP = 1e-3 * math.atanh(math.tan(math.radians(20)) / 0.5)

LAYERS = [
    # ---- what layers mean -------------------------------------------------------------------------------
    ball("Hertz without damping", "{law: hertz, alpha: 0}",
         {"layers.0.stiffness": near(K), "layers.0.impact.restitution": 1,
          "layers.0.impact.contact_time": near(2.94327 * DEPTH / V, 1e-5), "layers.0.impact.depth": near(DEPTH),
          "layers.0.impact.force": near(K * DEPTH ** 1.5), "layers.0.depth": near((M * G / K) ** (2 / 3)),
          "layers.0.impact.speed": V, "layers.0.impact.speed_source": "approach", "layers.0.pressed": False}),
    ball("a wanted restitution", "{law: hertz, restitution: 0.6, speed: speed}",
         {"layers.0.impact.restitution": near(0.6, 1e-9), "layers.0.impact.nominal_restitution": 0.6,
          "layers.0.alpha": lambda alpha: abs(balance(1.5 * alpha * V, 0.6)) < 1e-9}),
    ball("nominal and effective", "{law: lankarani-nikravesh, restitution: 0.2, speed: 50 cm/s}",
         {"layers.0.law": "lankarani-nikravesh", "layers.0.impact.nominal_restitution": 0.2,
          "layers.0.alpha": near(0.96 / (2 * V)),
          "layers.0.impact.restitution": lambda e: e > 0.66 and abs(balance(0.72, e)) < 1e-9}),
    ball("Flores", "{law: flores, stiffness: 1e9, restitution: 0.5, speed: speed}",
         {"layers.0.impact.restitution": lambda e: abs(e - 0.470445) < 1e-5, "layers.0.stiffness": 1e9}),
    ball("Kelvin-Voigt, both releases", "{stiffness: 1e7, damping: 100}",
         {"layers.0.damping_ratio": near(Z), "layers.0.period": near(2 * math.pi * math.sqrt(M / 1e7)),
          "layers.0.impact.restitution": near(math.exp(-Z / ROOT * (math.pi - 2 * math.asin(Z)))),
          "layers.0.impact.restitution_at_zero_depth": near(math.exp(-math.pi * Z / ROOT)),
          "layers.0.impact.contact_time": near((math.pi - 2 * math.asin(Z)) / ROOT * math.sqrt(M / 1e7))}),
    ball("Kelvin-Voigt by its restitution", "{stiffness: 1e7, restitution: 0.3}",
         {"layers.0.impact.restitution": near(0.3, 1e-9)}),
    ball("damping that is 0", "{stiffness: 1e7, damping: 0}",
         {"layers.0.damping": 0, "layers.0.impact.restitution": 1, "layers.0.damping_ratio": 0}),
    ball("damping that is not given", "{stiffness: 1e7}", {"layers.0.damping_ratio": near(0.1)}),
    ball("by epsilon", "{epsilon: 1e-4, length: 1 cm}",
         {"layers.0.stiffness": near(M * G / (1e-4 * 0.01)), "layers.0.source": "scene"}),
    # (6.9): T = L/|v|, L from the centre to the place that will touch
    ball("the default where it will be used", "default", {"layers.0.source": "default",
                                                           "layers.0.stiffness": near(M / (1e-4 * (0.01 / V) ** 2)),
                                                           "layers.0.damping_ratio": near(0.1)},
         "contacts.spot.model=compliant"),
    ball("no layer, nothing to say", "default", {"layers": [], "friction_laws": []}),
    {"name": "an effective mass", "run": ["analyze", "--json", "{t}/s.yaml", "--set", "mu=0.5"],
     "files": {"s.yaml": ROD.replace("friction-law: {law: tanh, speed: gamma}", "compliance: {stiffness: 1e6}")},
     "json": {"layers.0.mass": near(1 / (1 + 3 / 5)), "layers.0.pressed": True,
              "layers.0.impact.speed_source": "scale"}},
    {"name": "for people", "run": ["analyze", BALL],
     "out": ["what the layers mean", "restitution 0.9, contact time 8.013e-05 s", "as it approaches"]},
    {"name": "nominal for people", "run": ["analyze", BALL, "--set", "contacts.spot.compliance.law=flores", "--set",
                                           "e=0.2"], "out": ["restitution 0.1555 (nominal 0.2 at 0.5 m/s)"]},
    # explicit zero is not the default: the box of theory.md 6.3 flutters below ζ = 0.123
    {"name": "zero damping flutters", "run": ["analyze", "--json", "{e}/off-centre-box.yaml", "--set",
                                              "contacts.0.compliance={stiffness: 1e6, damping: 0}"],
     "json": {"solutions.0.stability": "flutter", "solutions.0.layer_source": "scene"}},
    {"name": "zero damping of a box at rest", "run": ["analyze", "--json", "{e}/box-on-incline.yaml", "--set",
                                                      "contacts.0.compliance={stiffness: 1e6, damping: 0}"],
     "json": {"verdict": "unique", "solutions.0.stability": "stable"}},
    # ---- friction laws ----------------------------------------------------------------------------------
    {"name": "creep of tanh", "run": ["analyze", "--json", SLOPE],
     "json": {"friction_laws.0.creep": near(CREEP), "friction_laws.0.hold": near(math.tan(math.radians(20))),
              "friction_laws.0.friction": 0, "held": False}},
    {"name": "creep of Oden and Pires", "run": ["analyze", "--json", SLOPE, "--set",
                                                "contacts.foot.friction-law.law=oden-pires"],
     "json": {"friction_laws.0.creep": near(1e-3 * (1 - math.sqrt(1 - math.tan(math.radians(20)) / 0.5)))}},
    {"name": "too steep to creep", "run": ["analyze", "--json", SLOPE, "--set", "alpha=30deg"],
     "json": {"friction_laws.0.creep": None, "friction_laws.0.hold": None}},
    {"name": "a run creeps so", "run": ["run", "--json", SLOPE, "--until", "0.5"],
     "json": {"bodies.box.velocity.0": near(-CREEP, 1e-5)}},
    {"name": "a run of Oden and Pires", "run": ["run", "--json", SLOPE, "--until", "0.5", "--set",
                                                "contacts.foot.friction-law.law=oden-pires"],
     "json": {"bodies.box.velocity.0": near(-1e-3 * (1 - math.sqrt(1 - math.tan(math.radians(20)) / 0.5)), 1e-5)}},
    {"name": "Coulomb's law holds", "run": ["analyze", "--json", SLOPE, "--set", "contacts.foot.friction-law=coulomb"],
     "json": {"held": True, "friction_laws": []}},
    {"name": "Karnopp's band is rest", "run": ["analyze", "--json", "{t}/s.yaml"],
     "files": {"s.yaml": BLOCK % ", friction-law: {law: karnopp, speed: 1 cm/s}"},
     "json": {"contacts.0.mode": "stick", "solutions.0.modes": ["stick"], "contacts.0.friction": 0.5}},
    {"name": "beyond the band", "run": ["analyze", "--json", "{t}/s.yaml", "--set", "v=-0.02"],
     "files": {"s.yaml": BLOCK % ", friction-law: {law: karnopp, speed: 1 cm/s}"},
     "json": {"solutions.0.modes": ["slide-"], "solutions.0.tangential": [0.5 * 2 * G]}},
    {"name": "Dahl and LuGre enter as Coulomb", "run": ["analyze", "--json", "{t}/s.yaml"],
     "files": {"s.yaml": BLOCK % ", friction-law: {law: lugre, viscous: 10}"},
     "json": {"solutions.0.tangential": [(0.5 + 0.02) * 2 * G], "friction_laws.0.law": "lugre",
              "friction_laws.0.stiffness": 1e5}},
    # bristles that a fast slip finds unbent: 316 times Coulomb's friction for some microseconds, theory.md (7.11)
    {"name": "unbent bristles are no paradox", "run": ["run", "--json", "{t}/s.yaml", "--motion", "compliant"],
     "files": {"s.yaml": BOX % ", friction-law: lugre"},
     "json": {"outcome": "done", "verdict": "unique", "verdicts": lambda all: all[0]["verdict"] == "unique"}},
    # theory.md (7.2): A of the rod with μ tanh(slip/γ), and the paradox at fast slip
    analyze("slow slip, one motion", ROD, [], {"A": rod_A(1.6 * math.tanh(1)), "verdict": "unique"}),
    analyze("fast slip, A < 0", ROD, ["--set", "v=-10"], {"A": rod_A(1.6 * math.tanh(10)),
                                                          "verdict": lambda v: v in ("none", "multiple")}),
    analyze("slip 0 has no friction", ROD, ["--set", "v=0"], {"A": rod_A(0), "contacts.0.friction": 0,
                                                              "verdict": "unique"}),
    {"name": "a map over the speed of tanh", "run": ["map", "{t}/s.yaml", "--x", "gamma=0.1:4:5", "--y", "v=-2:-0.2:3",
                                                     "--json"], "files": {"s.yaml": ROD}, "json": {"x.path": "gamma"}},
    {"name": "check lists laws", "run": ["check", SLOPE], "out": ["layers and friction laws", "tanh"]},
    {"name": "check in JSON", "run": ["check", "--json", BALL],
     "json": {"layers.0.layer": "hunt-crossley", "layers.0.stiffness": near(K), "layers.0.damping": None,
              "layers.0.friction_law": "coulomb"}},
    {"name": "a law by name alone", "run": ["check", "{t}/s.yaml"], "files": {"s.yaml": BLOCK % ", friction-law: tanh"},
     "out": ["friction-law in line 6: speed 0.001 m/s"]},
    {"name": "no jump in smooth laws", "run": ["check", SLOPE, "--set",
                                               "contacts.foot.friction={static: 0.6, kinetic: 0.5}"],
     "out": ["tanh has no jump from static to kinetic friction"]},
    # ---- materials --------------------------------------------------------------------------------------
    {"name": "materials in series", "run": ["analyze", "--json", "{t}/s.yaml"],
     "files": {"s.yaml": "sprag: 1\nmaterials: {default: {friction: 0.3, compliance: {stiffness: 4e5, damping: 8}}}\n"
               + (BLOCK % "").split("\n", 2)[2].replace("velocity: [v, 0], ", "").split("contacts")[0]},
     "json": {"layers.0.stiffness": near(2e5), "layers.0.damping": near(4)}},
    # ---- garbage ----------------------------------------------------------------------------------------
    refused("Hertz's law without material data", ", compliance: {law: hertz}",
            ["s.yaml:6:64: compliance between block and floor: hertz: the material of block needs young"]),
    refused("a law of Hertz of a corner", ", compliance: {law: hertz}", ["s.yaml:6:64", "sharp corner"],
            BLOCK + "materials: {default: {young: 2e11, poisson-ratio: 0.3}}\n"),
    refused("no such law", ", friction-law: glue", ["s.yaml:6", "friction-law must be coulomb, tanh"]),
    refused("a speed that is none", ", friction-law: {law: tanh, speed: 1 kg}", ["speed must be a velocity"]),
    refused("a law in a list", ", friction-law: [tanh, dahl]", ["friction-law must be"]),
    refused("a key of another law", ", friction-law: {law: dahl, speed: 1}", ['unknown key "speed"']),
    refused("a nearby key", ", friction-law: {law: dahl, stifness: 1}", ['did you mean "stiffness"?']),
    refused("not a number", ", friction-law: {law: lugre, stiffness: .nan}", ["stiffness"]),
    refused("too large", ", friction-law: {law: lugre, stiffness: 1e300}", ["at most 1e30"]),
    refused("too small", ", friction-law: {law: tanh, speed: 1e-300}", ["needs a speed"]),
    refused("Hertz of a corner", ", compliance: hertz", ["block", "floor"]),
    refused("a restitution above 1", ", compliance: {law: flores, stiffness: 1, restitution: 2, speed: 1}",
            ["in 0 … 1, got 2"]),
    refused("twice damped", ", compliance: {stiffness: 1, damping: 0, restitution: 1}", ["damping or restitution"]),
    refused("an expression without value", ", compliance: {stiffness: 1/0}", ["stiffness"]),
]
