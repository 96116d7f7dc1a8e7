"""Cases of the gallery in examples/ and of sprag examples; run_cli.py explains their form.

Every scene of the gallery runs and meets its own expectations. What those cannot say by a formula is computed here, by
other means than Sprag's: minimal coordinates, vertices of polyhedra, closed forms over grids of parameters."""
import csv
import itertools
import math
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENES = [path for path in sorted((ROOT / "examples").glob("*.yaml")) if path.read_text().startswith("# Gallery")]
G = 9.81


def account(energy):
    """Drives and motors included, what came in is there or was lost; what is left over is the drift."""
    losses = energy["friction"] + energy["impact"] + energy["damping"] + energy["switch"]
    left = energy["initial"] + energy["actuation"] - energy["final"] - losses
    largest = max(abs(energy[key]) for key in ("initial", "final", "actuation", "friction", "impact"))
    return abs(left - energy["drift"]) <= 1e-12 + 1e-9 * largest and abs(energy["drift"]) <= 1e-9 + 1e-6 * largest


GALLERY = [
    {"name": f"{path.stem} as its head says", "run": ["run", "--json", str(path)],
     "json": {"expect": lambda list_: len(list_) > 0 and all(line["met"] for line in list_), "energy": account}}
    for path in SCENES
]


def sets(**values):
    return [word for key, value in values.items() for word in ("--set", f"{key}={value}")]


def near(value, tolerance):
    return lambda number: abs(number - value) <= tolerance


# ---- Sliders ---------------------------------------------------------------------------------------

RANGE = re.compile(r"^  (\w+): \{value: .*?from: ([^,}]+), to: ([^,}]+)\}", re.M)
GALLERY += [  # a slider of the viewer must not lead into an error
    {"name": f"{path.stem} with {name} = {end}", "run": ["check", "-q", str(path), "--set", f"{name}={end}"]}
    for path in sorted((ROOT / "examples").glob("*.yaml")) for name, *ends in RANGE.findall(path.read_text()) for end in ends
]

# ---- sprag examples --------------------------------------------------------------------------------

GALLERY += [
    {"name": "a list of all scenes", "run": ["examples"], "out": [path.stem for path in SCENES] + ["Painlevé rod"],
     "lines": len(list((ROOT / "examples").glob("*.yaml")))},
    {"name": "the list as JSON", "run": ["examples", "--json"],
     "json": {"examples.length": len(list((ROOT / "examples").glob("*.yaml"))), "examples.0.name": "ball-chain"}},
    {"name": "the file of one", "run": ["examples", "ladder"], "out_is": (ROOT / "examples/ladder.yaml").read_text()},
    {"name": "the file of one as JSON", "run": ["examples", "ladder", "--json"],
     "json": {"name": "ladder", "text": (ROOT / "examples/ladder.yaml").read_text(), "provenance.command": "examples"}},
    {"name": "one that is not there", "run": ["examples", "lader"], "exit": 3, "err": ["did you mean 'ladder'?"]},
    {"name": "too many names", "run": ["examples", "ladder", "disc"], "exit": 2, "err": ["disc"]},
    {"name": "run a built-in scene", "run": ["run", "--json", "example:sliding-ladder"],
     "json": {"provenance.scene": "example:sliding-ladder", "expect.0.met": True}},
    {"name": "a built-in scene with a part", "run": ["check", "--json", "example:peg-jams"],
     "json": {"bodies": lambda bodies: [body["name"] for body in bodies] == ["left", "right", "peg"]}},
    {"name": "a built-in scene with a mesh", "run": ["check", "-q", "example:mesh-part"]},
    {"name": "a map of a built-in scene", "run": ["map", "example:painleve-rod", "--x", "theta", "--points", "3", "--json"],
     "json": {"provenance.scene": "example:painleve-rod"}},
    {"name": "no such built-in scene", "run": ["run", "example:nothing"], "exit": 3, "err": ["there is no such example"]},
]

# ---- The peg: Whitney's diagram and the wedging condition ------------------------------------------


def peg(mu, fx, moment, play):
    """Two points touch: that half of the parallelogram's border counts which they can make (theory.md 8.8)."""
    r, depth, fz = 0.01, 0.015, 10.0
    wide = depth / (2 * r * mu)
    middle = moment / (r * fz) + mu * (1 + wide) * fx / fz
    jams = middle <= -wide if play > 0 else middle >= wide
    return jams or abs(fx / fz) >= 1 / mu


def peg_cases():
    for mu, fx, moment, play in itertools.product((0.2, 0.4), (-6, 0, 4), (-0.55, -0.2, 0.05, 0.45), (1e-9, -1e-9)):
        r, depth, fz = 0.01, 0.015, 10.0
        wide = depth / (2 * r * mu)
        middle = moment / (r * fz) + mu * (1 + wide) * fx / fz
        if abs(abs(middle) - wide) < 0.05 or (middle > 0) == (play > 0) and abs(middle) > wide:
            continue  # on the border; or a moment that takes the peg off these two points
        yield {"name": f"Whitney: mu {mu}, fx {fx}, moment {moment}, play {play}",
               "run": ["analyze", "--json", "{e}/peg-in-hole.yaml",
                       *sets(mu=mu, fx=f"{fx}N", moment=f"{moment}N*m", play=f"{play}m")],
               "json": {"held": peg(mu, fx, moment, play)}}


GALLERY += list(peg_cases())
GALLERY += [
    # two contacts can squeeze the peg if each lies in the other's cone: depth/(2 r) < mu
    {"name": f"wedging: depth {depth} mm, mu {mu}", "run": ["analyze", "--json", "{e}/peg-wedges.yaml",
                                                          *sets(**{"include.0.set.l": f"{depth}mm", "include.0.set.mu": mu})],
     "exit": 0 if depth / 20 < mu else 1,  # the scene expects to be wedged
     "json": {"verdict": "multiple" if depth / 20 < mu else "unique"}}
    for depth, mu in ((3, 0.2), (3, 0.1), (5, 0.3), (5, 0.2), (9, 0.5), (9, 0.4))
]

def peg_way(mu, fx, moment, play, time=0.02):
    """How far a peg that touches at two points goes: they press by balance of forces across and moments; None: they do not."""
    r, depth, fz, mass = 0.01, 0.015, 10.0, 0.1
    sign = 1 if play > 0 else -1
    upper = -(sign * moment + r * mu * sign * fx) / depth
    lower = upper - sign * fx
    if min(upper, lower) <= 0:
        return None
    return max(0.0, fz - mu * (upper + lower)) / mass * time**2 / 2


def peg_runs():
    for mu, fx, moment, play in itertools.product((0.2, 0.4), (-2, 0, 3), (-0.4, -0.05, 0.05, 0.4), (1e-9, -1e-9)):
        way = peg_way(mu, fx, moment, play)
        if way is None or abs(way) < 1e-9 and abs(moment) < 0.1:
            continue
        yield {"name": f"peg runs: mu {mu}, fx {fx}, moment {moment}, play {play}",
               "run": ["run", "--json", "{e}/peg-in-hole.yaml", "--motion", "events", "--until", "0.02",
                       *sets(mu=mu, fx=f"{fx}N", moment=f"{moment}N*m", play=f"{play}m")],
               "json": {"bodies.peg.position.1": near(0.02 - way, 1e-7)}}


GALLERY += list(peg_runs())
GALLERY += [
    # the load goes and the squeeze stays if depth/(2 r) < mu; then a pull of 0.5 N does not move the peg
    {"name": f"wedged after the load: depth {depth} mm, mu {mu}", "exit": (0, 1),
     "run": ["run", "--json", "{e}/peg-holds.yaml", *sets(l=f"{depth}mm", mu=mu)],
     "json": {"outputs.squeeze": (lambda squeeze, held=depth / 20 < mu: squeeze > 1 if held else squeeze == 0),
              "outputs.speed": (lambda speed, held=depth / 20 < mu: abs(speed) < 1e-9 if held else speed > 0.1)}}
    for depth, mu in ((5, 0.2), (5, 0.24), (5, 0.3), (5, 0.5), (9, 0.3), (9, 0.44), (9, 0.47), (12, 0.55), (12, 0.7))
]

# ---- Guides, grasps ----------------------------------------------------------------------------------

for first, second, degrees in ((1, 1, 50), (2, 1, 60), (1, 3, 40), (5, 1, 75), (1, 8, 20)):
    threshold = (first + second) / (second * math.tan(math.radians(degrees)))
    for part in (0.98, 1.02):
        GALLERY.append({
            "name": f"Painlevé-Klein {first}, {second}, {degrees} deg at {part} of the threshold",
            "run": ["analyze", "--json", "{e}/painleve-klein.yaml",
                    *sets(m1=first, m2=second, phi=f"{degrees}deg", mu=part * threshold)],
            "json": {"verdict": "unique" if part < 1 else (lambda verdict: verdict in ("none", "multiple"))}})
for scene, force, mass, fingers in (("two-finger-grasp", 40, 1, 2), ("three-finger-grasp", 20, 0.3, 3)):
    for acceleration in (0, 2, 5):
        least = mass * (G + acceleration) / (fingers * force)
        time = 0.5 if fingers == 2 else 0.3
        for part in (1.01, 0.985):
            risen = acceleration * time**2 / 2
            # slipping: the fingers give part of what is needed, the rest is missing
            slips = (part * (G + acceleration) - G) * time**2 / 2
            GALLERY.append({
                "name": f"{scene}: {part} of the least friction, hand at {acceleration} m/s²",
                "run": ["run", "--json", f"{{e}}/{scene}.yaml", *sets(mu=part * least, a=acceleration)],
                "exit": 0 if part > 1 else 1,
                "json": {"outputs.height": near(risen if part > 1 else slips, 1e-6)}})

# ---- Fixture: what statics allows --------------------------------------------------------------------


def solve(matrix, right):
    """Gauss; None: singular."""
    n = len(right)
    rows = [list(row) + [value] for row, value in zip(matrix, right)]
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        if abs(rows[pivot][i]) < 1e-12:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        for k in range(n):
            if k != i:
                factor = rows[k][i] / rows[i][i]
                rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i])]
    return [rows[i][n] / rows[i][i] for i in range(n)]


def fixture_ranges(mu, clamp):
    """Least and largest normal forces: vertices of {equilibrium, |T| <= mu N} (six unknowns: N, T of each locator)."""
    points = ((-0.06, 0, 0, 1), (0.06, 0, 0, 1), (-0.1, 0.03, 1, 0))  # x, y, normal
    columns = []
    for x, y, nx, ny in points:
        for fx, fy in ((nx, ny), (ny, -nx)):  # the sign of a tangent does not matter here
            columns.append((fx, fy, x * fy - y * fx))
    cx, cy = -clamp * math.cos(math.pi / 4), -clamp * math.sin(math.pi / 4)
    right = [-cx, -cy + 2 * G, -(0.1 * cy - 0.1 * cx)]
    facets = []
    for i in range(3):
        for sign in (1, -1):
            row = [0.0] * 6
            row[2 * i], row[2 * i + 1] = mu, sign
            facets.append(row)
    balance = [[column[k] for column in columns] for k in range(3)]
    ranges = [[math.inf, -math.inf] for _ in range(3)]
    for active in itertools.combinations(range(6), 3):
        forces = solve(balance + [facets[k] for k in active], right + [0.0] * 3)
        if forces is None or any(sum(a * f for a, f in zip(row, forces)) < -1e-9 for row in facets):
            continue
        for i in range(3):
            ranges[i] = [min(ranges[i][0], forces[2 * i]), max(ranges[i][1], forces[2 * i])]
    return ranges


def within(wanted):
    return lambda got: all(abs(a - b) < 1e-6 * max(1, abs(b)) for pair, want in zip(got, wanted) for a, b in zip(pair, want))


def inside(wanted):
    return lambda got: all(low - 1e-6 <= force <= high + 1e-6 for force, (low, high) in zip(got, wanted))


GALLERY += [
    {"name": f"fixture: mu {mu}, clamp {clamp} N", "run": ["analyze", "--json", "{e}/fixture.yaml", *sets(mu=mu, clamp=f"{clamp}N")],
     "json": {"held": True, "solutions.0.normal_range": within(fixture_ranges(mu, clamp)),
              "solutions.0.normal": inside(fixture_ranges(mu, clamp))}}
    for mu, clamp in itertools.product((0.1, 0.2, 0.35), (30, 50, 100, 300))
]

# ---- Walkers -------------------------------------------------------------------------------------------

for degrees in (4.5, 7):
    a, slope = math.pi / 8, math.radians(degrees)
    eta, rise = (0.1 + math.cos(2 * a)) / 1.1, 4 * G * math.sin(a) * math.sin(slope) / 1.1
    fixed = math.sqrt(eta**2 * rise / (1 - eta**2))
    speed = 1.2 * fixed
    for step in range(1, 4):
        speed = eta * math.sqrt(speed**2 + rise)
        GALLERY.append({"name": f"rimless wheel: step {step} on {degrees} deg", "exit": 1,  # not at its fixed point yet
                        "run": ["run", "--json", "{e}/rimless-wheel.yaml", *sets(slope=f"{degrees}deg", **{"events.0.count": step})],
                        "json": {"outputs.after": near(-speed, 1e-7)}})

# The gait that Tedrake's book and the program beside it (8 spokes of 1 m, slope 0.08, the mass in the hub) have in closed form.
# With less inertia roundings of the forces that hold a foot turn the wheel, unless they are taken out again.
for spokes, slope, I, error in ((8, 0.08, 1e-6, 3e-6), (8, 0.12, 1e-6, 3e-6), (8, 0.08, 1e-9, 1e-7), (8, 0.12, 1e-11, 1e-7)):
    a = math.pi / spokes
    book = math.cos(2 * a) / math.sin(2 * a) * math.sqrt(4 * G * math.sin(a) * math.sin(slope))
    GALLERY.append({"name": f"rimless wheel of points on {slope}, {I} kg m²",
                    "run": ["run", "--json", "{e}/rimless-wheel.yaml", "--until", "40", *sets(slope=slope, I=f"{I}kg*m^2")],
                    # of the order of I/(m l²), and of what 30 steps with a tolerance of 1e-10 leave
                    "json": {"outputs.after": near(-book, error)}})

# ---- Slider-crank: the three angles alone, until the first corner meets the guide ------------------


def crank_first_impact():
    l1, l2, a, b, play = 0.153, 0.306, 0.05, 0.025, 0.001
    m1, m2, m3, j1, j2 = 0.038, 0.038, 0.076, 7.4e-5, 5.9e-4

    def rates(y):
        p, q, u, v = y[0], y[1], y[3], y[4]
        m11 = j1 + m1 * l1 * l1 / 4 + (m2 + m3) * l1 * l1
        m22 = j2 + m2 * l2 * l2 / 4 + m3 * l2 * l2
        k = (m2 / 2 + m3) * l1 * l2
        m12, s = k * math.cos(p - q), k * math.sin(p - q)
        r1 = -s * v * v - G * math.cos(p) * l1 * (m1 / 2 + m2 + m3)
        r2 = s * u * u - G * math.cos(q) * l2 * (m2 / 2 + m3)
        det = m11 * m22 - m12 * m12
        return [u, v, y[5], (r1 * m22 - m12 * r2) / det, (m11 * r2 - m12 * r1) / det, 0.0]

    def step(y, h):
        k1 = rates(y)
        k2 = rates([x + h / 2 * k for x, k in zip(y, k1)])
        k3 = rates([x + h / 2 * k for x, k in zip(y, k2)])
        k4 = rates([x + h * k for x, k in zip(y, k3)])
        return [x + h / 6 * (p + 2 * q + 2 * r + s) for x, p, q, r, s in zip(y, k1, k2, k3, k4)]

    def gap(y):
        height = l1 * math.sin(y[0]) + l2 * math.sin(y[1])
        reach = a * abs(math.sin(y[2])) + b * math.cos(y[2])
        return b + play - abs(height) - reach

    y, t, h = [0.0, 0.0, 0.0, 150.0, -75.0, 0.0], 0.0, 1e-6
    while gap(y) > 0:
        before, y, t = y, step(y, h), t + h
    low, high = 0.0, h
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if gap(step(before, middle)) > 0 else (low, middle)
    return t - h + low


GALLERY.append({"name": "slider-crank: its first strike", "run": ["run", "--json", "{e}/slider-crank-clearance.yaml"],
                "json": {"outputs.first": near(crank_first_impact(), 1e-8)}})

# ---- Double pendulum: Newton's gain, with the two angles as coordinates ---------------------------


def newton_gain(p1, p2, w1, w2, mu, e):
    m11, m22, m12 = 4 / 3, 1 / 3, 0.5 * math.cos(p1 - p2)
    det = m11 * m22 - m12 * m12
    inverse = ((m22 / det, -m12 / det), (-m12 / det, m11 / det))
    normal, along = (math.sin(p1), math.sin(p2)), (math.cos(p1), math.cos(p2))

    def product(x, y):
        return sum(x[i] * inverse[i][k] * y[k] for i in range(2) for k in range(2))

    wnn, wnt, wtt = product(normal, normal), product(normal, along), product(along, along)
    un, ut = normal[0] * w1 + normal[1] * w2, along[0] * w1 + along[1] * w2
    first = -math.copysign(mu, ut)  # friction per normal impulse while it slips as before
    stop = -ut / (wnt + wtt * first)
    second = -math.copysign(mu, wnt + wtt * 0)  # reversed: slip goes where the normal impulse drives it
    assert stop > 0 and abs(wnt) > mu * wtt
    at_stop = un + (wnn + wnt * first) * stop
    rest = (-e * un - at_stop) / (wnn + wnt * second)
    pn, pt = stop + rest, first * stop + second * rest
    after_n, after_t = un + wnn * pn + wnt * pt, ut + wnt * pn + wtt * pt
    return 0.5 * (pn * (un + after_n) + pt * (ut + after_t))


GALLERY.append({"name": "double pendulum: Newton's law makes energy", "run": ["impact", "--json", "{e}/double-pendulum-impact.yaml"],
                "json": {"laws.newton.energy_gain": near(newton_gain(math.radians(20), math.radians(30), 0.1, -0.3, 0.5, 1), 1e-12),
                         "laws.poisson.energy_gain": 0, "laws.energetic.energy_gain": 0}})

# ---- Feeder: one coordinate, friction with the changing weight -------------------------------------


def feeder_way(until=0.4, steps=400000):
    """Explicit steps on the slip; at rest on the tray while friction can hold. Error about 1e-3 of the way."""
    amplitude, w, mu = 1e-4, 2 * math.pi * 50, 0.3
    ax, ay = amplitude * math.cos(math.pi / 6), amplitude * math.sin(math.pi / 6)
    h, slip, x = until / steps, 0.0, 0.0
    for i in range(steps):
        sine = math.sin(w * (i + 0.5) * h)
        pull, weight = ax * w * w * sine, G - ay * w * w * sine
        if slip == 0:
            new = 0.0 if abs(pull) <= mu * weight else (pull - math.copysign(mu * weight, pull)) * h
        else:
            new = slip + (pull - math.copysign(mu * weight, slip)) * h
            if new * slip < 0:
                new = 0.0
        x += (slip + new) / 2 * h
        slip = new
    return x + ax * math.sin(w * until)


GALLERY.append({"name": "feeder: its way", "run": ["run", "--json", "{e}/vibratory-feeder.yaml"],
                "json": {"outputs.way": (lambda way, ours=feeder_way(): abs(way - ours) < 2e-3 * abs(ours))}})

# ---- Tippe top: what friction at one point cannot change ---------------------------------------------


def jellett(folder):
    """L . r, r from the centre of mass to the point of contact; the inertia is the same about all axes."""
    with open(folder / "top.csv", newline="") as file:
        values = []
        for row in csv.DictReader(file):
            w, x, y, z = (float(row[f"top.q{part}"]) for part in "wxyz")
            axis = (2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y))
            arm = [0.003 * part for part in axis]
            arm[2] -= 0.015
            values.append(sum(a * float(row[f"top.w{part}"]) for a, part in zip(arm, "xyz")))
    spread = (max(values) - min(values)) / abs(values[0])
    return None if len(values) > 100 and spread < 1e-6 else f"Jellett's constant spreads by {spread:.2g}"


GALLERY.append({"name": "tippe top: Jellett's constant", "run": ["run", "{e}/tippe-top.yaml", "-o", "{t}/top.csv", "-q"],
                "after": jellett})

# ---- What check and run say of joints and drives ---------------------------------------------------

PARALLELOGRAM = str(ROOT / "tests/cli/scenes/parallelogram.yaml")
GALLERY += [
    {"name": "redundant joints are named", "run": ["check", PARALLELOGRAM], "out": ["1 row of joints repeats", "redundant"]},
    {"name": "redundant joints as JSON", "run": ["check", "--json", PARALLELOGRAM],
     "json": {"redundant": lambda text: "1 row" in text}},
    # a crank that turns evenly under the weight of four bodies: the drive's work is the energy that the bodies gain
    {"name": "forces and work of a drive", "run": ["run", "--json", PARALLELOGRAM],
     "json": {"drives.A.work": near(9.81 * (3 * 0.5 + 1) * (math.cos(1) - 1), 1e-6), "drives.A.t": near(1, 1e-9)}},
    {"name": "forces and work in words", "run": ["run", PARALLELOGRAM], "out": ["forces along driven joints", "N m"]},
]
