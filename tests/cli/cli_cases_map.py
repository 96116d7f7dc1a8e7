"""Cases of sprag map and of margins; run_cli.py explains their form."""
import math
import xml.dom.minidom
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROD = "{e}/painleve-rod.yaml"
GRID = ["--x", "theta=5:85deg:9", "--y", "mu=0:3:7"]


def critical(theta):
    """theory.md (4.8) with κ = 3."""
    return (1 + 3 * math.cos(theta) ** 2) / (3 * math.sin(theta) * math.cos(theta))


def rows_of(path):
    lines = path.read_text().splitlines()
    names = lines[0].split(",")
    return names, [dict(zip(names, line.split(","))) for line in lines[1:]]


def table(folder):
    names, rows = rows_of(folder / "map.csv")
    if names != "theta mu solutions stable verdict forces held modes A B".split():
        return f"columns {names}"
    if len(rows) != 63:
        return f"{len(rows)} rows"
    for row in rows:
        theta, mu = float(row["theta"]), float(row["mu"])
        A = 1 + 3 * math.cos(theta) * (math.cos(theta) - mu * math.sin(theta))
        B = 18 * math.sin(theta) - 9.81
        words = {(True, True): ("1", "unique", "separate"), (True, False): ("1", "unique", "slide-"),
                 (False, True): ("2", "multiple", "separate|slide-"), (False, False): ("0", "none", "")}
        if (row["solutions"], row["verdict"], row["modes"]) != words[A > 0, B > 0]:
            return f"row {row}"
        if abs(float(row["A"]) - A) > 1e-12 or abs(float(row["B"]) - B) > 1e-12:
            return f"values of {row}"
    return None


def borders(folder):
    _, rows = rows_of(folder / "b.csv")
    on_curve = [r for r in rows if {r["verdict"], r["other verdict"]} - {"unique"}
                and abs(18 * math.sin(float(r["theta"])) - 9.81) > 1e-6]
    if len(on_curve) < 20:
        return f"{len(on_curve)} points"
    worst = max(abs(float(r["mu"]) - critical(float(r["theta"]))) for r in on_curve)
    return f"off by {worst}" if worst > 1e-9 else None


def same(*names):
    def compare(folder):
        contents = {(folder / name).read_bytes() for name in names}
        return None if len(contents) == 1 else "the files differ"
    return compare


def svg(folder):
    text = (folder / "map.svg").read_text()
    for word in ("<title>Painlevé rod", "<desc>sprag map", "θ, deg", "No motion", "</svg>"):
        if word not in text:
            return f"no {word}"
    return None


def png(folder):
    return None if (folder / "map.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n" else "no PNG"


def as_committed(name):
    def compare(folder):
        made = (folder / name).read_text().split("</desc>")[1]
        kept = (ROOT / "docs/images" / name).read_text().split("</desc>")[1]
        return None if made == kept else f"docs/images/{name} is not what the tool draws now"
    return compare


def picture(name, *arguments):
    """A picture of the guide: the tool draws it again, byte by byte but for the path in its description."""
    return {"name": f"the picture {name}", "run": [*arguments, "-q", "-o", "{t}/" + name], "in": str(ROOT),
            "after": as_committed(name)}


def drawn(*words):
    """map.svg is XML and has these texts."""
    def check(folder):
        document = xml.dom.minidom.parse(str(folder / "map.svg"))
        texts = [t.firstChild.data for t in document.getElementsByTagName("text") if t.firstChild]
        for word in words:
            if not any(word in text for text in texts):
                return f"no {word} in {texts}"
        return None
    return check


def some_values(folder):
    _, rows = rows_of(folder / "map.csv")
    bad = [r for r in rows if not float(r["margin"]) >= 0 or not r["A"]]
    return None if not bad and len(rows) < 4000000 else f"{len(rows)} rows, {bad[:1]}"


def row_borders(folder):
    names, rows = rows_of(folder / "b.csv")
    if names != ["mu", "verdict", "modes", "other verdict", "other modes"] or len(rows) != 1:
        return f"{names}, {rows}"
    return None if abs(float(rows[0]["mu"]) - critical(math.radians(60))) < 1e-9 else rows


def some_rows(folder):
    names, rows = rows_of(folder / "map.csv")
    return None if names[0] == "theta" and len(rows) < 4000000 else f"{len(rows)} rows"


def nothing(folder):
    return None if not list(folder.iterdir()) else "something was written"


def refused(name, arguments, words, status=2):
    return {"name": name, "run": ["map", ROD, *arguments, "-o", "{t}/map.csv"], "exit": status,
            "err": words, "out_is": "", "after": nothing}


MAP = [
    {"name": "CSV", "run": ["map", ROD, *GRID, "--value", "A,B", "-o", "{t}/map.csv"], "after": table,
     "out": ["63 points", "multiple", "written: "]},
    {"name": "one thread and three", "run": ["map", ROD, *GRID, "--jobs", "3", "--value", "A", "--value", "B",
                                             "-o", "{t}/map.csv"], "after": table},
    {"name": "borders", "run": ["map", ROD, "--x", "theta=5:85deg:31", "--y", "mu=0.01:3:31", "--borders",
                                "{t}/b.csv"], "after": borders},
    {"name": "SVG", "run": ["map", ROD, "--x", "theta", "--y", "mu", "--points", "40", "--refine", "-o",
                            "{t}/map.svg"], "after": svg},
    {"name": "PNG", "run": ["map", ROD, *GRID, "-o", "{t}/map.png", "-q"], "after": png, "out_is": ""},
    {"name": "to standard output", "run": ["map", ROD, *GRID, "-q", "-o", "/dev/stdout"],
     "begins": "theta,mu,solutions,stable,verdict,forces,held,modes\n", "lines": 64},
    {"name": "the figure of README.md", "run": ["map", "examples/painleve-rod.yaml", "--x", "theta", "--y", "mu",
                                                "-o", "{t}/painleve-map.svg"],
     "in": str(ROOT), "after": as_committed("painleve-map.svg")},
    picture("rod-a.svg", "map", "examples/painleve-rod.yaml", "--x", "theta", "--y", "mu", "--points", "51", "--value",
            "A"),
    picture("rod-growth.svg", "map", "examples/painleve-rod.yaml", "--x", "theta", "--y", "mu", "--points", "51", "--value",
            "growth"),
    picture("rod-row.svg", "map", "examples/painleve-rod.yaml", "--x", "theta", "--set", "mu=2", "--value",
            "A,normal.tip"),
    picture("wedge-eigenvalues.svg", "analyze", "examples/wedge.yaml"),
    {"name": "values with refinement", "run": ["map", ROD, *GRID, "--value", "A,B", "--refine", "-o", "{t}/map.csv"],
     "after": table},
    {"name": "SVG of several values", "run": ["map", ROD, *GRID, "-q", "--value", "A,solutions,slowest,normal.tip",
                                              "-o", "{t}/map.svg"],
     "after": drawn("A, 1/kg", "solutions", "slowest, 1/s", "normal.tip, N", "the verdict changes")},
    {"name": "SVG of one axis", "run": ["map", ROD, "--x", "theta=5:85deg:41", "-q", "--value", "A,B", "-o",
                                        "{t}/map.svg"],
     "after": drawn("A, 1/kg", "B, m/s²", "θ, deg", "Two motions, one stable")},
    {"name": "SVG of one axis without values", "run": ["map", ROD, "--x", "theta=5:85deg:41", "-q", "-o",
                                                       "{t}/map.svg"],
     "after": drawn("two: separate | slide−", "the verdict over θ")},
    {"name": "PNG of values", "run": ["map", ROD, *GRID, "--value", "A", "-o", "{t}/map.png", "-q"], "after": png,
     "out_is": ""},
    {"name": "borders of one axis", "run": ["map", ROD, "--x", "mu=0.5:3:11", "-q", "--borders", "{t}/b.csv"],
     "after": row_borders},
    {"name": "a count is no second column", "run": ["map", ROD, "--x", "mu=0.5:3:3", "-q", "--value",
                                                    "solutions,stable,A", "-o", "/dev/stdout"],
     "begins": "mu,solutions,stable,verdict,forces,held,modes,A\n", "lines": 4},
    {"name": "JSON of values", "run": ["map", "--json", ROD, *GRID, "--value", "A,normal.tip"],
     "json": {"x.unit": "deg", "x.unit_size": math.radians(1), "x.scene": math.radians(60), "y.unit": "",
              "values.length": 2, "values.0.unit": "1/kg", "values.0.undefined": 0, "values.1.unit": "N",
              "borders": None, "grid.x.length": 9, "grid.y.length": 7, "grid.outcomes.length": 7,
              "grid.outcomes.6.length": 9, "grid.outcomes.0.0": 0,
              "grid.values.A.0.0": 1 + 3 * math.cos(math.radians(5)) ** 2, "grid.y.6": 3}},
    {"name": "JSON of borders", "run": ["map", "--json", ROD, "--x", "mu=0.5:3:11", "--borders", "{t}/b.csv"],
     "json": {"borders.length": 1, "borders.0.from": [critical(math.radians(60))], "borders.0.left": 0,
              "borders.0.right": 1, "grid.y": None, "grid.outcomes.0.length": 11}},
    {"name": "JSON", "run": ["map", "--json", ROD, *GRID],
     "json": {"points": 63, "interrupted": False, "x.path": "theta", "x.from": math.radians(5), "y.count": 7,
              "outcomes.length": 3, "outcomes.0.modes": "slide-", "provenance.command": "map"}},
    {"name": "one axis, bare problem", "run": ["map", "--json", "{e}/bare-contact.yaml", "--x",
                                               "contacts.0.friction=0.1:10:21:log"],
     "json": {"points": 21, "y": None, "outcomes.length": 2, "outcomes.1.verdict": "none"}},
    {"name": "a set holds", "run": ["map", "--json", ROD, *GRID, "--set", "omega=0"],
     "json": {"outcomes.length": 2, "outcomes.1.verdict": "none"}},
    {"name": "held", "run": ["map", "--json", "{e}/box-on-incline.yaml", "--x", "alpha=1:45deg:5", "--y",
                             "mu=0.05:1:5"],
     "json": {"outcomes": lambda o: {x["held"] for x in o} == {True, False}}},
    {"name": "Ctrl-C", "run": ["map", ROD, "--x", "theta=5:85deg:2000", "--y", "mu=0:3:2000", "-o", "{t}/map.csv"],
     "interrupt": 1.0, "exit": 130, "err": ["interrupted"], "out": ["interrupted after"], "after": some_rows},
    {"name": "Ctrl-C with values", "run": ["map", ROD, "--x", "theta=5:85deg:2000", "--y", "mu=0:3:2000", "--value",
                                           "margin,A", "-o", "{t}/map.csv", "-o", "{t}/map.svg"],
     "interrupt": 1.0, "exit": 130, "err": ["interrupted"], "out": ["interrupted after"], "after": some_values},
    # ---- usage ------------------------------------------------------------------------------------------
    refused("no axis", [], ["--x is missing"]),
    refused("no range", ["--x", "theta=5:85deg"], ["FROM:TO:N"]),
    refused("one point", ["--x", "mu=0:1:1"], ["2 … 100000"]),
    refused("an empty range", ["--x", "mu=1:1:5"], ["two different ends"]),
    refused("a logarithm of 0", ["--x", "mu=0:1:5:log"], ["> 0"]),
    refused("unknown value", ["--x", "mu=0:1:5", "--value", "C"], ["'C'", "determinant"]),
    refused("no such eigenvalue", ["--x", "mu=0:1:5", "--value", "layer.0"], ["'layer.0'", "layer.1"]),
    refused("no such contact", ["--x", "mu=0:1:5", "--value", "normal.top"], ["'top'", "tip"]),
    refused("no such body", ["--x", "mu=0:1:5", "--value", "acceleration.rad.x"], ["'rad'"]),
    refused("no threads", ["--x", "mu=0:1:5", "--jobs", "0"], ["--jobs"]),
    refused("another kind of file", ["--x", "mu=0:1:5", "-o", "{t}/m.gif"], [".svg"]),
    refused("too many points", ["--x", "mu=0:1:100000", "--y", "theta=1:2:100000"], ["points"]),
    # ---- input ------------------------------------------------------------------------------------------
    refused("friction below 0", ["--x", "mu=-1:1:5"], ["friction must be a number ≥ 0"], 3),
    refused("no such parameter", ["--x", "nu=0:1:5"], ['"mu"'], 3),
    refused("not a number", ["--x", "bodies=0:1:5"], ["number"], 3),
    refused("twice the same", ["--x", "mu=0:1:5", "--y", "mu=0:2:5"], ["twice"], 3),
    refused("a wrong unit", ["--x", "theta=0:1kg:5"], ["kg"], 3),
    {"name": "no such file", "run": ["map", "{t}/none.yaml", *GRID], "exit": 3, "err": ["none.yaml"]},
    {"name": "an LCP", "run": ["map", "{t}/lcp.yaml", "--x", "M.0.0=1:2:3"], "exit": 3, "err": ["map takes"],
     "files": {"lcp.yaml": "sprag: 1\nproblem: lcp\nM: [[1, 2], [2, 1]]\nq: [-1, -1]\n"}},
    # ---- output -----------------------------------------------------------------------------------------
    {"name": "no such folder", "run": ["map", ROD, "--x", "theta=5:85deg:5000", "--y", "mu=0:3:5000", "-o",
                                       "{t}/none/map.csv"], "exit": 5, "err": ["none/map.csv"], "out_is": ""},
    {"name": "full disk", "run": ["map", ROD, *GRID, "-o", "/dev/full"], "exit": 5, "err": ["/dev/full"],
     "out_is": ""},
    # ---- eigenvalues ------------------------------------------------------------------------------------
    {"name": "eigenvalues", "run": ["analyze", ROD, "-q", "-o", "{t}/map.svg"],
     "after": drawn("two motions, one stable", "divergent, growth", "free: no contact presses", "unstable")},
    {"name": "eigenvalues of none", "run": ["analyze", ROD, "-q", "--set", "omega=0", "-o", "{t}/map.svg"],
     "after": drawn("no motion")},
    {"name": "eigenvalues in the air", "run": ["analyze", "{e}/disc.yaml", "-q", "--set",
                                               "bodies.disc.position=[0, 9]", "-o", "{t}/map.svg"],
     "after": drawn("no contact")},
    {"name": "eigenvalues as PNG", "run": ["analyze", ROD, "-q", "-o", "{t}/map.png"], "after": png},
    {"name": "two-V diagram as PNG", "run": ["analyze", "{e}/scalar-jam.yaml", "-q", "-o", "{t}/map.png"], "after": png},
    {"name": "eigenvalues in no folder", "run": ["analyze", ROD, "-o", "{t}/no/e.svg"], "exit": 5,
     "err": ["e.svg: cannot"]},
    # ---- margins ----------------------------------------------------------------------------------------
    {"name": "margin of the rod", "run": ["analyze", "--json", ROD, "--margin", "mu", "--margin", "theta"],
     "close": 2e-9,
     "json": {"margin.friction": 1 - critical(math.radians(60)) / 1.8, "margin.all.up": None,
              "margin.all.down.verdict": "unique", "margin.contacts.tip.down.modes": "separate",
              "margin.parameters.mu.down.value": critical(math.radians(60))}},
    {"name": "margin of a slope", "run": ["analyze", "--json", "{e}/box-on-incline.yaml", "--margin", "alpha"],
     "close": 2e-9,
     "json": {"margin.friction": 1 - math.tan(math.radians(20)) / 0.5,
              "margin.parameters.alpha.up.value": math.atan(0.5), "margin.parameters.alpha.up.held": False}},
    {"name": "margin of what is not there", "run": ["analyze", ROD, "--margin", "nu"], "exit": 3,
     "err": ['"mu"']},
    {"name": "no margin without contact", "run": ["analyze", "--json", "{e}/disc.yaml", "--set",
                                                  "bodies.disc.position=[0, 9]"],
     "json": {"margin": lambda m: "friction" in m}},
]
