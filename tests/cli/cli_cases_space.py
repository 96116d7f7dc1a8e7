"""Cases of contact problems in space; run_cli.py explains their form."""
import math

ONE = "{e}/spatial-contact.yaml"
SCENE = "sprag: 1\ndimension: 3\n"
PART = SCENE + "bodies: [{name: part, density: 1000, com: auto, shapes: [{mesh: {file: part.stl}}]}]\n"
TETRAHEDRON = [("0 0 0", "0 1 0", "1 0 0"), ("0 0 0", "1 0 0", "0 0 1"), ("1 0 0", "0 1 0", "0 0 1"), ("0 0 0", "0 0 1", "0 1 0")]


def stl(faces):
    """Text of an STL file."""
    facets = ["facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {corner}\n" for corner in face) + "endloop\nendfacet\n"
              for face in faces]
    return "solid part\n" + "".join(facets) + "endsolid part\n"


BOX = "{e}/box-feet.yaml"
G = 9.81


def close(a, b, tolerance=1e-9):
    return all(abs(x - y) <= tolerance for x, y in zip(a, b, strict=True))


def rows_of(path):
    lines = path.read_text().splitlines()
    names = lines[0].split(",")
    return [dict(zip(names, line.split(","))) for line in lines[1:]]


def held_below_the_slope(folder):
    """The box is held where tan(slope) <= mu."""
    for row in rows_of(folder / "map.csv"):
        held = math.tan(float(row["slope"])) <= float(row["mu"])
        if (row["held"] == "true") != held:
            return f"{row}"
        if row["modes"] != " ".join(["stick" if held else "slide"] * 4):
            return f"{row}"
    return None


def borders(folder):
    """A particle of 1 kg with mu = 1 sticks where |b_T| <= 1."""
    for row in rows_of(folder / "map.csv"):
        sticks = math.hypot(float(row["b.1"]), float(row["b.2"])) <= 1
        if row["modes"] != ("stick" if sticks else "slide"):
            return f"{row}"
    points = rows_of(folder / "borders.csv")
    for row in points:
        if abs(math.hypot(float(row["b.1"]), float(row["b.2"])) - 1) > 1e-6:
            return f"{row}"
    return None if points else "no borders"


SPACE = [
    {"name": "three motions of one contact", "run": ["analyze", "--json", ONE],
     "json": {"verdict": "multiple", "complete": True, "A": 1 - 0.6 * math.sqrt(2), "B": -1,
              "stable_count": 2, "held": False, "contacts.0.slip": [0, 0],
              "solutions.0.modes": ["stick"], "solutions.1.modes": ["slide"],
              "solutions.0.direction": [[0, 0]],
              "solutions.0.tangential": lambda t: close(t[0], [-4.04, -3.96]),
              "solutions.1.normal": lambda n: close(n, [2.5]),
              "solutions.1.tangential": lambda t: close(t[0], [-2.5, 0]),
              "solutions.1.direction": lambda d: close(d[0], [1, 0]),
              "solutions.1.tangential_range": lambda r: len(r[0]) == 2 and len(r[0][0]) == 2,
              "solutions.1.stable": True, "solutions.2.stable": False,
              "solutions.2.stability": "divergent", "reason": lambda r: "turns away" in r}},
    {"name": "for people", "run": ["analyze", ONE],
     "out": ["slide 0°", "slide 1.012", "a_o [m/s²]", "the direction of slip turns away", "(0, 0)"]},
    {"name": "matrices", "run": ["analyze", "-v", ONE], "out": ["tip second", "Delassus matrix W"]},
    {"name": "it slides already", "run": ["analyze", "--json", ONE, "--set", "contacts.0.slip=[3, 4]",
                                          "--set", "contacts.0.friction=0.5"],
     "json": {"verdict": "unique", "A": 1 - 0.5 * 0.84, "contacts.0.mode": "slide",
              "contacts.0.slip": [3, 4], "solutions.0.normal": lambda n: close(n, [1 / 0.58]),
              "solutions.0.direction": lambda d: close(d[0], [0.6, 0.8])}},
    {"name": "margin", "run": ["analyze", "--json", ONE, "--set", "b=[-1, 0.3, 0.4]", "--set",
                               "W=[[1, 0, 0], [0, 1, 0], [0, 0, 1]]"],
     "json": {"verdict": "unique", "held": True,
              "margin.friction": lambda m: abs(m - 0.5) < 1e-8}},
    {"name": "box on a slope is held", "run": ["analyze", "-q", BOX], "lines": 1,
     "out": ["unique: one motion, and it is stable; held: at rest, and stays so"]},
    {"name": "box on a steep slope slides", "run": ["analyze", "-q", BOX, "--set", "slope=40 deg"],
     "out": ["unique: one motion, and it is stable; its forces are indeterminate"], "lines": 1},
    {"name": "check", "run": ["check", BOX], "out": ["dimension 3, 4 contacts, 12 rows"]},
    {"name": "map", "run": ["map", BOX, "--x", "slope=5deg:40deg:3", "--y", "mu=0.21,0.5", "-o",
                            "{t}/map.csv"], "after": held_below_the_slope},
    {"name": "map with borders", "run": ["map", ONE, "--x", "b.1=0:1:5", "--y", "b.2=0.1:0.9:3",
                                         "--set", "W=[[1, 0, 0], [0, 1, 0], [0, 0, 1]]", "-o",
                                         "{t}/map.csv", "--borders", "{t}/borders.csv"],
     "after": borders},
    {"name": "a planar shape", "run": ["check", "{t}/s.yaml"], "exit": 3, "err": ["3:42", "in the plane"],
     "files": {"s.yaml": "sprag: 1\ndimension: 3\nbodies: [{name: disc, mass: 1, shapes: [{circle: {radius: 1}}]}]\n"}},
    {"name": "slip of one number", "run": ["check", ONE, "--set", "contacts.0.slip=2"], "exit": 3,
     "err": ["slip must be two numbers"]},

    # small oscillations of a disc that rolls in a round hollow: w² = 2 g/(3 (R − r))
    {"name": "a hollow in the plane", "run": ["run", "--json", "{t}/s.yaml"], "close": 2e-4,
     "json": {"outcome": "done", "outputs.quarter": math.pi / 2 * math.sqrt(1.5 * 0.45 / 9.81)},
     "files": {"s.yaml": "sprag: 1\nbodies:\n  - {name: bowl, fixed: true, shapes: [{circle: {radius: 0.5}, inside: true}]}\n"
                         "  - {name: disc, density: 1, position: [0.45*sin(2 deg), -0.45*cos(2 deg)], shapes: [{circle: {radius: 5 cm}}]}\n"
                         "contacts: [{between: [disc, bowl], friction: 0.5}]\nsimulate: {until: 0.6}\n"
                         "events: [{name: low, signal: disc.x, below: 0}]\noutputs: {quarter: {time: low}}\n"}},
    {"name": "out of a hollow", "run": ["run", "{t}/s.yaml"], "exit": 3, "err": ["disc lies 0.05 m inside bowl"],
     "files": {"s.yaml": "sprag: 1\nbodies:\n  - {name: bowl, fixed: true, shapes: [{circle: {radius: 0.5}, inside: true}]}\n"
                         "  - {name: disc, density: 1, position: [0.5, 0], shapes: [{circle: {radius: 5 cm}}]}\n"}},
    {"name": "a mesh that is missing", "run": ["run", "{t}/s.yaml"], "exit": 3,
     "err": ["s.yaml:3:", "part.stl cannot be read"], "files": {"s.yaml": PART}},
    {"name": "a mesh that is open", "run": ["run", "{t}/s.yaml"], "exit": 3, "err": ["s.yaml:3:", "the mesh is open"],
     "files": {"s.yaml": PART, "part.stl": stl(TETRAHEDRON[:3])}},
    {"name": "a mesh that is inverted", "run": ["run", "{t}/s.yaml"], "exit": 3,
     "err": ["s.yaml:3:", "the mesh is inverted"],
     "files": {"s.yaml": PART, "part.stl": stl([face[::-1] for face in TETRAHEDRON])}},
    {"name": "a mesh that is broken", "run": ["run", "{t}/s.yaml"], "exit": 3, "err": ["part.stl:4: a finite number"],
     "files": {"s.yaml": PART, "part.stl": stl(TETRAHEDRON).replace("vertex 0 0 0", "vertex 0 x 0", 1)}},
    {"name": "a mesh", "run": ["check", "--json", "{t}/s.yaml"], "close": 1e-12,
     "json": {"bodies.0.mass": 1000 / 6, "shapes.0.faces": 4, "shapes.0.features": ["c0", "c1", "c2", "c3"]},
     "files": {"s.yaml": PART, "part.stl": stl(TETRAHEDRON)}},
    {"name": "no thickness", "run": ["run", "{t}/s.yaml"], "exit": 3, "err": ["s.yaml:3:", "thickness"],
     "files": {"s.yaml": SCENE + "bodies: [{name: card, mass: 1, shapes: [{box: {size: [1, 1, 0]}}]}]\n"}},
    {"name": "triangle inequality", "run": ["run", "{t}/s.yaml"], "exit": 3, "err": ["s.yaml:3:", "1 + 2 < 3.5"],
     "files": {"s.yaml": SCENE + "bodies: [{name: b, mass: 1, inertia: [1, 3.5, 2], shapes: [{sphere: {radius: 9}}]}]\n"}},
    {"name": "an included file in error", "run": ["run", "{t}/s.yaml"], "exit": 3,
     "err": ["part.yaml:3:"],
     "files": {"s.yaml": SCENE + "include: [{file: part.yaml, name: p}]\n",
               "part.yaml": SCENE + "bodies: [{name: b, mass: -1}]\n"}},
    {"name": "a value in an included file", "run": ["check", "--json", "{e}/three-balls.yaml", "--set", "large/r=7cm", "--set",
                                                   "bodies.small1/ball.velocity=[0, 1, 0]"], "close": 1e-12,
     "json": {"bodies.0.mass": 7800 * 4 / 3 * 3.141592653589793 * 0.07**3, "bodies.2.velocity": [0, 1, 0]}},
]
