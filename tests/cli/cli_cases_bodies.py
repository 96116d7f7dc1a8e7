"""Cases of scenes with bodies in space; run_cli.py explains their form."""
import math

BALL = "{e}/rolling-ball.yaml"
BOX = "{e}/box-on-incline-in-space.yaml"
ROD = "{e}/spatial-rod-body.yaml"
G = 9.81

HEAD = "sprag: 1\ndimension: 3\nmaterials: {default: {friction: 0.5}}\nbodies:\n" \
       "  - {name: floor, fixed: true, shapes: [{plane: {normal: [0, 0, 1], offset: 0}}]}\n"
CUBE = "  - {name: cube, mass: 1, position: [0, 0, %s], shapes: [{box: {size: [1, 1, 1]}}]}\n"
STICK = "  - {name: rod, mass: 1, position: [0, 0, 3], shapes: [{rod: {length: 2}}]}\n"


def close(a, b, tolerance=1e-9):
    return all(abs(x - y) <= tolerance for x, y in zip(a, b, strict=True))


def rows_of(path):
    lines = path.read_text().splitlines()
    names = lines[0].split(",")
    return [dict(zip(names, line.split(","))) for line in lines[1:]]


def rod_map(folder):
    """A of theory.md (13.6), and a motion only where it is positive."""
    rows = rows_of(folder / "map.csv")
    for row in rows:
        th, chi, psi = float(row["theta"]), float(row["chi"]), math.radians(20)
        wanted = 1 + 3 * math.cos(th) * (math.cos(th) + 1.8 * math.sin(th) * math.cos(chi - psi))
        if abs(float(row["A"]) - wanted) > 1e-8 or (row["verdict"] == "unique") != (wanted > 0):
            return f"{row}"
    return None if any(row["verdict"] == "none" for row in rows) else "the rod never digs in"


def rod_layer(folder):
    """Eigenvalues 1, 4, 4 of (13.8), whatever the angles."""
    for row in rows_of(folder / "map.csv"):
        values = [float(row[f"layer.{i}"]) for i in (1, 2, 3)]
        if not close(values, [1, 4, 4], 1e-6) or row["modes"] != "stick":
            return f"{row}"
    return None


def any_heading(folder):
    """Held below tan(slope) = mu = 0.4, whatever the heading; else it slides down by g (sin - mu cos)."""
    for row in rows_of(folder / "map.csv"):
        slope = float(row["slope"])
        held = math.tan(slope) < 0.4
        fall = 0 if held else G * (math.sin(slope) - 0.4 * math.cos(slope)) * math.sin(slope)
        if row["modes"] != " ".join(["stick" if held else "slide"] * 4):
            return f"{row}"
        if abs(float(row["acceleration.box.z"]) + fall) > 1e-7:
            return f"{row}: {fall}"
    return None


def columns(folder):
    rows = rows_of(folder / "out.csv")
    last = rows[-1]
    up = math.hypot(float(last["ball.up.x"]), float(last["ball.up.y"]), float(last["ball.up.z"]))
    if abs(up - 1) > 1e-12:
        return f"up is {up}"
    if rows[0]["ball-table.mode"] != "slide" or last["ball-table.mode"] != "stick":
        return "modes"
    return None if close([float(rows[0]["ball-table.slip.x"])], [3]) else "slip"


BODIES = [
    {"name": "ball", "run": ["run", "--json", BALL], "close": 1e-9,
     "json": {"bodies.ball.velocity": lambda v: close(v, [15 / 7, 20 / 7, 0]),
              "bodies.ball.spin": lambda w: close(w, [-200 / 7, 150 / 7, 0], 1e-8),
              "bodies.ball.orientation.length": 4, "bodies.table.position": [0, 0, 0],
              "events.length": 1, "events.0.type": "stick",
              "outputs.rolls": 10 / (7 * 0.3 * G)}},
    {"name": "ball for people", "run": ["run", BALL],
     "out": ["quaternion", "(2.1429, 2.8571, 0)", "slip (0.6, 0.8, 0) ends"]},
    {"name": "signals", "run": ["run", "-q", BALL, "-o", "{t}/out.csv", "--signals",
                                "ball.up.*,ball-table.slip.*,ball-table.mode"], "after": columns},
    {"name": "a signal that is none", "run": ["run", BALL, "--signals", "ball.qq"], "exit": 3,
     "err": ["there is no signal \"ball.qq\""]},
    {"name": "verdict of the ball", "run": ["analyze", "--json", BALL],
     "json": {"verdict": "unique", "contacts.0.mode": "slide", "contacts.0.slip": [3, 4, 0],
              "contacts.0.normal": [0, 0, 1], "contacts.0.tangents": [[1, 0, 0], [0, 1, 0]],
              "solutions.0.direction": lambda d: close(d[0], [0.6, 0.8]),
              "solutions.0.acceleration.ball.x": -0.6 * 0.3 * G,
              "solutions.0.acceleration.ball.rx": 0.8 * 0.3 * G * 2.5 / 0.1 * -1,
              "held": False}},
    {"name": "later", "run": ["analyze", "--json", BALL, "--at", "0.8"],
     "json": {"contacts.0.mode": "stick", "t": 0.8}},
    {"name": "box", "run": ["analyze", "--json", BOX],
     "json": {"verdict": "unique", "held": True, "forces": "indeterminate",
              "solutions.0.modes": lambda m: m[:4] == ["stick"] * 4,
              "solutions.0.normal": lambda n: close([sum(n)], [2 * G * math.cos(math.radians(20))])}},
    {"name": "matrices", "run": ["analyze", "-v", BOX], "out": ["rz [m]", "Ixx, Iyy, Izz"]},
    {"name": "box in any heading",
     "run": ["map", BOX, "--x", "heading=-140:100deg:3", "--y", "slope=5:40deg:4", "--value",
             "acceleration.box.z", "-o", "{t}/map.csv"], "after": any_heading},
    {"name": "no angle in space", "run": ["map", BOX, "--x", "heading=0:1:2", "--y", "slope=0.1:0.2:2",
                                          "--value", "acceleration.box.angle"], "exit": 2,
     "err": ["x, y, z, rx, ry, rz, not angle"]},
    {"name": "rod of Xu: where it digs in",
     "run": ["map", ROD, "--x", "chi=0:360deg:13", "--y", "theta=5:85deg:9", "--set", "mu=1.8",
             "--value", "A", "-o", "{t}/map.csv"], "after": rod_map},
    {"name": "rod of Xu: eigenvalues of the layer",
     "run": ["map", ROD, "--x", "theta=5:85deg:5", "--y", "psi=0:180deg:4", "--set", "speed=0", "--set",
             "mu=20", "--value", "layer.1,layer.2,layer.3", "-o", "{t}/map.csv"], "after": rod_layer},
    {"name": "check", "run": ["check", "--json", ROD],
     "json": {"dimension": 3, "bodies.1.inertia.length": 6, "bodies.1.orientation.length": 4,
              "contacts.0.name": "tip", "contacts.0.gap": lambda g: abs(g) < 1e-12,
              "contacts.0.slip": lambda s: close(s, [math.cos(math.radians(200)),
                                                     math.sin(math.radians(200)), 0])}},
    {"name": "check for people", "run": ["check", BOX], "out": ["3-D, gravity (0, 0, -9.81)", "quaternion"]},
    {"name": "overlap", "files": {"a.yaml": HEAD + CUBE % "0.4"}, "run": ["check", "{t}/a.yaml"], "exit": 3,
     "err": ["a.yaml:6:5: cube lies 0.1 m inside floor"]},
    {"name": "a small gap is closed", "files": {"a.yaml": HEAD + CUBE % "0.5000000001"},
     "run": ["analyze", "--json", "{t}/a.yaml"], "json": {"held": True, "contacts.0.gap": 0}},
    {"name": "both ends", "files": {"a.yaml": HEAD + STICK + "start: [{contact: rod.a-floor}, {contact: "
                                              "rod.b-floor, slip: [1, 2, 9]}]\n"},
     "run": ["check", "--json", "{t}/a.yaml"],
     "json": {"bodies.1.position.2": lambda z: abs(z) < 1e-9,
              "contacts.0.gap": lambda g: abs(g) < 1e-9, "contacts.1.gap": lambda g: abs(g) < 1e-9,
              "contacts.1.slip": lambda s: close(s, [1, 2, 0])}},
    {"name": "both ends of a rod that stands", "exit": 3,
     "files": {"a.yaml": HEAD + STICK.replace("shapes", "orientation: {euler: [0, 0, 0]}, shapes")
               + "start: [{contact: rod.a-floor}, {contact: rod.b-floor}]\n"},
     "run": ["check", "{t}/a.yaml"], "err": ["a.yaml:7:", "gap of rod.b-floor cannot be made 0: residual 2 m"]},
    {"name": "impact", "files": {"a.yaml": HEAD + "  - {name: ball, mass: 1, position: [0, 0, 0.1], velocity: "
                                               "[1, 2, -3], shapes: [{sphere: {radius: 0.1}}]}\n"},
     "run": ["impact", "--json", "{t}/a.yaml", "--set", "materials.default.restitution=0.5"],
     # without slip left 2/7 of the tangential momentum is taken: less than mu times the normal one
     "json": {"collides": True, "laws.newton.normal_impulse": 4.5,
              "laws.newton.bodies.ball.velocity": lambda v: close(v, [5 / 7, 10 / 7, 1.5]),
              "laws.newton.bodies.ball.spin": lambda w: close(w, [-100 / 7, 50 / 7, 0])}},
]
