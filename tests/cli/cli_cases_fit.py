"""Cases of sprag fit, of run --epsilon, of figures over time, and of the examples of Song et al.; run_cli.py explains
their form."""
import json
import math
import subprocess
import sys
import xml.dom.minidom
from pathlib import Path

from cli_cases_map import png, rows_of

ROOT = Path(__file__).resolve().parents[2]
TOOL = sys.argv[1] if len(sys.argv) > 1 else "sprag"
ROD = "{e}/falling-rod.yaml"
DATA = "{e}/rod-measured.csv"
COLUMNS = ["--columns", "t=time ms, rod.x=u mm +-1, rod.angle=phi deg +-0.3"]
CASE1, CASE2, FIGURE7 = (str(ROOT / "examples" / f"song-{name}.yaml") for name in ("case1", "case2", "fig7"))


def ask(*arguments):
    """The tool's JSON."""
    done = subprocess.run([TOOL, *arguments, "--json"], capture_output=True, check=True, timeout=120)
    return json.loads(done.stdout)


def fitted_csv(folder):
    names, rows = rows_of(folder / "fit.csv")
    if names[:4] != ["t", "rod.x data", "rod.x model", "rod.x residual"] or len(rows) != 45:
        return f"{names}, {len(rows)} rows"
    for row in rows:
        if abs(float(row["rod.x model"]) - float(row["rod.x data"]) - float(row["rod.x residual"])) > 1e-15:
            return f"row {row}"
    rms = math.sqrt(sum(float(r["rod.x residual"]) ** 2 for r in rows) / len(rows))
    return None if 0.5e-3 < rms < 1.5e-3 else f"rms {rms}"


def drawn(name, *words):
    def check(folder):
        document = xml.dom.minidom.parse(str(folder / name))
        texts = [t.firstChild.data for t in document.getElementsByTagName("text") if t.firstChild]
        missing = [word for word in words if not any(word in text for text in texts)]
        return f"no {missing} in {texts}" if missing else None
    return check


def within(centre, width):
    return lambda value: abs(value - centre) <= width


def refused(name, words, *arguments, data="t,rod.x\n0,0\n0.1,0.01\n", status=3):
    return {"name": f"fit refuses {name}", "files": {"d.csv": data}, "exit": status, "err": [words],
            "run": ["fit", ROD, "{t}/d.csv", *(arguments or ["--free", "mu"])]}


# ---- Song et al., theory.md section 15 ----------------------------------------------------------------------------

def rigid_case(_folder):
    """Case 1 by events: reversal time, and forces before and after it, from the equations of the rod (4.4), (4.5)."""
    result = ask("run", CASE1, "--motion", "events")
    outputs = result["outputs"]
    # Runge and Kutta's method on theory.md section 4: theta'' and the contact force of a sliding tip
    m, inertia, half, g, mu = 0.088, 1.606176e-3, 0.234, 9.81, 0.27

    def forces(theta, omega, side):
        c, s = math.cos(theta), math.sin(theta)
        A = 1 / m + half * c * (half * c - side * mu * half * s) / inertia
        B = half * s * omega ** 2 - g
        return -B / A

    def rates(state, side):
        theta, omega, slip = state
        c, s = math.cos(theta), math.sin(theta)
        normal = forces(theta, omega, side)
        tangential = side * mu * normal
        alpha = (-half * c * normal + half * s * tangential) / inertia
        # tip at −L (cos, sin) from the centre
        return omega, alpha, tangential / m + half * s * alpha + half * c * omega ** 2

    state, t, h, side = (math.radians(42.3), 0.0, 0.0), 0.0, 1e-5, 1
    before = after = reversal = None
    while t < 0.215 - h / 2:
        k1 = rates(state, side)
        k2 = rates([x + h / 2 * k for x, k in zip(state, k1)], side)
        k3 = rates([x + h / 2 * k for x, k in zip(state, k2)], side)
        k4 = rates([x + h * k for x, k in zip(state, k3)], side)
        new = [x + h / 6 * (a + 2 * b + 2 * c + d) for x, a, b, c, d in zip(state, k1, k2, k3, k4)]
        if side == 1 and t > 0.1 and new[2] >= 0:
            reversal, side = t + h * state[2] / (state[2] - new[2]), -1
        state, t = new, t + h
        if abs(t - 0.19) < h / 2:
            before = side * mu * forces(state[0], state[1], side)
    after = side * mu * forces(state[0], state[1], side)
    for name, wanted, close in (("t_rev", reversal, 1e-7), ("before", before, 1e-6), ("after", after, 1e-5)):
        if abs(outputs[name] - wanted) > close:
            return f"{name} is {outputs[name]}, not {wanted}"
    return None if abs(reversal - 0.205) < 0.002 else f"reversal {reversal}"


def compliant_case(_folder):
    """Forces and reversal with layers: within a few √ε of the rigid ones, and the distance falls as √ε or better."""
    rigid = ask("run", CASE1, "--motion", "events")["outputs"]
    for epsilon in (1e-3, 1e-4, 1e-5):
        soft = ask("run", CASE1, "--set", f"epsilon={epsilon}")["outputs"]
        for name, size in (("t_rev", 0.205), ("before", rigid["before"]), ("after", rigid["after"])):
            if abs(soft[name] - rigid[name]) > 2 * math.sqrt(epsilon) * abs(size):
                return f"{name} at {epsilon}: {soft[name]}, rigid {rigid[name]}"
    result = ask("run", CASE1, "--epsilon", "1e-2,1e-3,1e-4,1e-5")
    runs = result["epsilon"]
    if any(run["distance"] > 0.1 * math.sqrt(run["epsilon"]) for run in runs):
        return f"distances {runs}"
    if any(run["order"] < 0.48 for run in runs[1:]) or result["order"] < 0.5:
        return f"orders {[run['order'] for run in runs]}"
    shifts = [run["events"][0]["shift"] for run in runs]
    return None if all(0 < s < 0.05 * math.sqrt(r["epsilon"]) for s, r in zip(shifts, runs)) else f"shifts {shifts}"


def transient(folder):
    """The fast transient decays and swings as the eigenvalues of the layer say (theory.md (6.5)): its extrema over
    twenty half periods; they are read from rows 1 µs apart, 1/60 of a half period."""
    layer = "contacts.0.compliance={law: kelvin-voigt, stiffness: 1e8, damping: 200}"
    subprocess.run([TOOL, "run", CASE1, "-q", "--set", layer, "--until", "0.002", "--output-step", "1e-6", "--signals",
                    "tip.normal", "-o", str(folder / "e.csv")], check=True, capture_output=True, timeout=60)
    _, rows = rows_of(folder / "e.csv")
    t, normal = [float(r["t"]) for r in rows], [float(r["tip.normal"]) for r in rows]
    turns = [i for i in range(1, len(t) - 1) if (normal[i] - normal[i - 1]) * (normal[i + 1] - normal[i]) < 0][:22]
    swings = [abs(normal[b] - normal[a]) for a, b in zip(turns, turns[1:])]
    time = t[turns[20]] - t[turns[0]]
    decay, speed = math.log(swings[20] / swings[0]) / time, 20 * math.pi / time
    wanted = ask("analyze", CASE1, "--set", layer)["solutions"][0]["eigenvalues"][0]
    if abs(decay - wanted["re"]) > 0.01 * abs(wanted["re"]) or abs(speed - abs(wanted["im"])) > 0.005 * speed:
        return f"decay {decay}, speed {speed}, eigenvalue {wanted}"
    return None


def two_solutions(_folder):
    """Case 2 (R1): one stable motion of two; the compliant rod leaves after a time ~ √ε, then flies as the rigid one."""
    verdict = ask("analyze", CASE2, "--set", "approach=0")
    if verdict["verdict"] != "multiple" or verdict["stable_count"] != 1 or not verdict["A"] < 0 < verdict["B"]:
        return f"verdict {verdict['verdict']}, A {verdict['A']}, B {verdict['B']}"
    rigid = ask("run", CASE2, "--motion", "events", "--set", "approach=0")
    times, distances = [], []
    for epsilon in (1e-2, 1e-3, 1e-4, 1e-5):
        soft = ask("run", CASE2, "--set", f"epsilon={epsilon}")
        times.append(soft["outputs"]["t_off"])
        distances.append(math.dist(soft["bodies"]["rod"]["position"], rigid["bodies"]["rod"]["position"]))
    for values in (times, distances):
        orders = [math.log10(a / b) for a, b in zip(values, values[1:])]
        if any(abs(order - 0.5) > 0.05 for order in orders):
            return f"orders {orders} of {values}"
    return None


def smooth_law(folder):
    """Figure 7: the reversal is where it was to 1e-4 s, and λT passes from 76 % (tanh 1) of one side to that of the
    other in 2 γ/|slip''| (theory.md 15.4)."""
    rigid = ask("run", CASE1, "--motion", "events")["outputs"]["t_rev"]
    smooth = ask("run", FIGURE7)["outputs"]["t_rev"]
    if abs(smooth - rigid) > 1e-4:
        return f"reversal {smooth}, rigid {rigid}"
    subprocess.run([TOOL, "run", FIGURE7, "-q", "--until", "0.206", "--output-step", "1e-5", "--signals",
                    "tip.normal,tip.tangential,tip.slip", "-o", str(folder / "f.csv")], check=True, timeout=60,
                   capture_output=True)
    _, rows = rows_of(folder / "f.csv")
    rows = [{k: float(v) for k, v in r.items()} for r in rows if float(r["t"]) > 0.2]
    for row in rows:
        wanted = -0.27 * row["tip.normal"] * math.tanh(row["tip.slip"] / 1e-3)
        if abs(row["tip.tangential"] - wanted) > 1e-9:
            return f"{row}, wanted {wanted}"
    inside = [r for r in rows if abs(r["tip.slip"]) < 1e-3]
    took, speed = inside[-1]["t"] - inside[0]["t"], (inside[-1]["tip.slip"] - inside[0]["tip.slip"])
    return None if abs(took - 2e-3 / (speed / took)) < 3e-5 and took < 1e-3 else f"took {took}"


def whole_script(folder):
    """scripts/figures writes what is kept."""
    done = subprocess.run([str(ROOT / "scripts/figures"), str(folder)], env={"SPRAG": TOOL, "PATH": "/usr/bin:/bin"},
                          capture_output=True, timeout=200)
    if done.returncode:
        return done.stderr.decode()
    names = ["song-figure-4.svg", "song-figure-5.svg", "song-figure-7.svg", "falling-rod.svg", "rod-fit.svg"]
    for name in names:
        made, kept = ((f / name).read_text().split("</desc>")[1] for f in (folder, ROOT / "docs/images"))
        if made != kept:
            return f"docs/images/{name} is not what the tool draws now"
    return None


FIT = [
    {"name": "fit of two parameters", "run": ["fit", ROD, DATA, "--free", "mu", "--free", "theta=30:60deg", *COLUMNS,
                                              "--json"],
     # the data are of mu = 0.31, theta = 43.1°: within three standard errors
     "json": {"parameters.mu.value": within(0.31, 0.009), "parameters.mu.error": within(0.0027, 0.0008),
              "parameters.theta.value": within(math.radians(43.1), 0.0026), "parameters.theta.error": within(8e-4, 3e-4),
              "residual": within(1, 0.3), "freedom": 88, "correlation.0.0": 1, "warnings.length": 0, "covered": 45,
              "converged": True, "columns.1.signal": "rod.angle"}},
    {"name": "fit in words", "run": ["fit", ROD, DATA, "--free", "mu", *COLUMNS],
     "out": ["45 rows of", "mu", "error", "rod.angle", "degrees of freedom"]},
    {"name": "fit in one line", "run": ["fit", ROD, DATA, "--free", "mu", *COLUMNS, "-q"], "lines": 1, "out": ["mu = 0.3"]},
    {"name": "fit to files", "run": ["fit", ROD, DATA, "--free", "mu", "--free", "theta=30:60deg", *COLUMNS, "-o",
                                     "{t}/fit.csv", "-o", "{t}/fit.svg"], "after": fitted_csv},
    {"name": "fit as a figure", "run": ["fit", ROD, DATA, "--free", "mu", *COLUMNS, "-q", "-o", "{t}/map.png"], "after": png},
    {"name": "figure of a fit", "run": ["fit", ROD, DATA, "--free", "mu", *COLUMNS, "-q", "-o", "{t}/f.svg"],
     "after": drawn("f.svg", "falling rod: mu = 0.3", "data", "fitted run", "residual", "time, s")},
    {"name": "fit of what does not matter", "run": ["fit", ROD, DATA, "--free", "mu", "--free", "bodies.rod.mass=0.05:0.1",
                                                    "--free", "bodies.rod.inertia=1e-3:2e-3", *COLUMNS, "--json"],
     "json": {"warnings": lambda w: any("do not determine bodies.rod.mass, bodies.rod.inertia" in x for x in w),
              "parameters": lambda p: p["bodies.rod.mass"]["error"] is None and p["mu"]["error"] > 0}},
    {"name": "fit at a bound", "run": ["fit", ROD, DATA, "--free", "mu=0.4:1", *COLUMNS, "--json"],
     "json": {"parameters.mu.value": 0.4, "parameters.mu.at_bound": True, "parameters.mu.error": None,
              "warnings": lambda w: any("end of its range" in x for x in w)}},
    {"name": "fit is interrupted", "run": ["fit", ROD, DATA, "--free", "mu", *COLUMNS, "--scan", "100000"],
     "interrupt": 1.0, "exit": 130, "err": ["interrupted"]},
    refused("words", "d.csv:3: the cell of 'rod.x' is not a number", data="t,rod.x\n0,0\n0.1,x\n"),
    refused("NaN", "d.csv:3: the cell of 'rod.x' is not finite", data="t,rod.x\n0,0\n0.1,nan\n"),
    refused("times that fall", "d.csv:4: the times must ascend", data="t,rod.x\n0,0\n0.2,1\n0.1,2\n"),
    refused("short rows", "d.csv:3: the row has 1 cells", data="t,rod.x\n0,0\n0.2\n"),
    refused("an empty file", "d.csv: the table is empty", data=""),
    refused("a missing column", "there is no column 'y'", "--free", "mu", "--columns", "t=t, rod.x=y"),
    refused("an unknown signal", 'did you mean "rod.x"', "--free", "mu", "--columns", "t=t, rod.z=rod.x"),
    refused("a wrong unit", "rod.x is in m: 'deg'", "--free", "mu", "--columns", "t=t, rod.x=rod.x deg", status=2),
    refused("an unknown parameter", '"mu"', "--free", "nu"),
    refused("a range of one end", "PATH=FROM:TO", "--free", "mu=1", status=2),
    refused("nothing free", "--free is missing", "-q", status=2),
    {"name": "fit needs data", "run": ["fit", ROD], "exit": 2, "err": ["DATA.csv"]},
    {"name": "fit without a file", "run": ["fit", ROD, "{t}/none.csv", "--free", "mu"], "exit": 3, "err": ["cannot be read"]},
    {"name": "fit into no folder", "run": ["fit", ROD, DATA, "--free", "mu", *COLUMNS, "-o", "{t}/no/f.csv"], "exit": 5,
     "err": ["f.csv: cannot"]},
    {"name": "fit of a drive", "run": ["fit", "{e}/scalar-jam.yaml", DATA, "--free", "mu=0:1"], "exit": 3,
     "err": ["a fit takes a scene with bodies"]},
    # ---- over time --------------------------------------------------------------------------------------
    {"name": "figure of a run", "run": ["run", ROD, "-q", "-o", "{t}/r.svg"],
     "after": drawn("r.svg", "falling rod", "verdict", "one, stable", "slip-reversal", "Contact force", "tip.normal", "Energy",
                    "time, s")},
    {"name": "figure of chosen signals", "run": ["run", ROD, "-q", "--signals", "rod.vx,tip.friction", "-o", "{t}/r.svg"],
     "after": drawn("r.svg", "Velocity", "rod.vx", "tip.friction")},
    {"name": "figure of a run as PNG", "run": ["run", ROD, "-q", "-o", "{t}/map.png"], "after": png},
    {"name": "figure of a drive", "run": ["run", "{e}/two-guides.yaml", "-q", "-o", "{t}/r.svg"],
     "after": drawn("r.svg", "two guides", "Coordinate", "normal2", "slip-start")},
    {"name": "figure in no folder", "run": ["run", ROD, "-o", "{t}/no/r.svg"], "exit": 5, "err": ["r.svg: cannot"]},
    {"name": "figure of words", "run": ["run", ROD, "--signals", "tip.mode", "-o", "{t}/r.svg"], "exit": 1,
     "err": ["no signal that a figure"]},
    # ---- compliant beside rigid -------------------------------------------------------------------------
    {"name": "epsilon in words", "run": ["run", ROD, "--epsilon", "1e-2,1e-3,1e-4"],
     "out": ["distance ~ epsilon^0.", "slip-reversal", "theorem 6.1 does not cover", "0.234 m"]},
    {"name": "epsilon in one line", "run": ["run", ROD, "--epsilon", "1e-3,1e-4", "-q"], "lines": 1},
    {"name": "epsilon as JSON", "run": ["run", ROD, "--epsilon", "1e-3,1e-2", "--json"], "close": 1e-4,
     "json": {"epsilon.length": 2, "epsilon.0.epsilon": 1e-2, "epsilon.0.order": None,
              "epsilon.1.events.0.type": "slip-reversal", "events.0.t": 0.203115306, "motion": "events",
              "epsilon.1.distance": lambda d: 0 < d < 3e-3}},
    {"name": "epsilon to files", "run": ["run", ROD, "--epsilon", "1e-2,1e-3", "-q", "-o", "{t}/e.svg", "-o", "{t}/e.csv"],
     "after": drawn("e.svg", "falling rod: compliant and rigid", "ε = 0.01", "rigid", "tip.slip")},
    {"name": "epsilon out of range", "run": ["run", ROD, "--epsilon", "2"], "exit": 2, "err": ["between 0 and 1"]},
    {"name": "epsilon of words", "run": ["run", ROD, "--epsilon", "1e-2,x"], "exit": 2, "err": ["between 0 and 1"]},
    {"name": "epsilon twice", "run": ["run", ROD, "--epsilon", "1e-2,1e-2"], "exit": 2, "err": ["given twice"]},
    {"name": "epsilon without a rigid motion", "run": ["run", "{e}/painleve-none.yaml", "--epsilon", "1e-2"], "exit": 4,
     "err": ["nothing to compare"]},
    # ---- Song et al. ------------------------------------------------------------------------------------
    {"name": "case 1, rigid", "run": ["run", "-q", CASE1], "after": rigid_case},
    {"name": "case 1, compliant", "run": ["run", "-q", CASE1], "after": compliant_case},
    {"name": "case 1, its fast transient", "run": ["run", "-q", CASE1], "after": transient},
    {"name": "case 2", "run": ["run", "-q", CASE2], "after": two_solutions},
    {"name": "figure 7", "run": ["run", "-q", FIGURE7], "after": smooth_law},
    {"name": "the script of the figures", "run": ["run", "-q", FIGURE7], "after": whole_script},
]
