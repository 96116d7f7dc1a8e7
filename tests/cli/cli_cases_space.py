"""Cases of contact problems in space; run_cli.py explains their form."""
import math

ONE = "{e}/spatial-contact.yaml"
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
    {"name": "a planar shape", "run": ["check", "{t}/s.yaml"], "exit": 3, "err": ["3:41", "in the plane"],
     "files": {"s.yaml": "sprag: 1\ndimension: 3\nbodies: [{name: disc, mass: 1, shapes: [{circle: {radius: 1}}]}]\n"}},
    {"name": "slip of one number", "run": ["check", ONE, "--set", "contacts.0.slip=2"], "exit": 3,
     "err": ["slip must be two numbers"]},
]
