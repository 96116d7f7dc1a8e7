"""Cases of outputs, expectations and margins along a run; run_cli.py explains their form."""
import math
from pathlib import Path

from cli_cases_run import rows

ROOT = Path(__file__).resolve().parents[2]
BLOCK = "{e}/sliding-block.yaml"
ROD = "{e}/falling-rod.yaml"
TEXT = (ROOT / "examples/sliding-block.yaml").read_text()


def edited(old, new):
    """The sliding block with one text replaced: a file a.yaml."""
    assert old in TEXT
    return {"a.yaml": TEXT.replace(old, new)}


def refused(name, old, new, *words):
    return {"name": name, "run": ["run", "{t}/a.yaml"], "files": edited(old, new), "exit": 3,
            "err": ["a.yaml:", *words]}


def unmet(name, arguments, *words, **more):
    return {"name": name, "run": arguments, "exit": 1, "err": ["is not met", *words], **more}


def block_map(folder):
    table = rows(folder, "m.csv")
    if list(table[0]) != "mu v solutions stable verdict forces held modes t_stop distance".split():
        return f"columns {list(table[0])}"
    for row in table:
        stop = row["v"] / (10 * row["mu"])
        t = min(stop, 0.5)
        if abs(row["distance"] - (row["v"] * t - 5 * row["mu"] * t * t)) > 1e-8:
            return f"row {row}"
        if row["t_stop"] != "" and abs(row["t_stop"] - stop) > 1e-8 or (row["t_stop"] == "") != (stop > 0.5):
            return f"row {row}"
    return None if len(table) == 6 else f"{len(table)} rows"


def margins(folder):
    """theory.md (4.8): the margin of a rod that slides is μ_c(θ)/μ − 1, μ = 0.3."""
    table = rows(folder, "m.csv")
    if list(table[0]) != ["t", "tip.margin", "margin", "rod.angle"] or len(table) != 11:
        return f"{len(table)} rows, columns {list(table[0])}"
    for row in table:
        s, c = math.sin(row["rod.angle"]), math.cos(row["rod.angle"])
        wanted = (1 + 3 * c * c) / (3 * s * c) / 0.3 - 1
        if abs(row["tip.margin"] - wanted) > 1e-8 or row["margin"] != row["tip.margin"]:
            return f"row {row}, wanted {wanted}"
    return None


OUTPUTS = [
    # ---- outputs ----------------------------------------------------------------------------------------
    {"name": "time of an event", "run": ["run", "--json", ROD], "close": 5e-7,
     "json": {"outputs.t_rev": 0.203115, "outputs.peak": lambda peak: peak > 0.3, "expect": []}},
    {"name": "an event that never comes", "run": ["run", "--json", ROD, "--until", "0.1"],
     "json": {"outputs.t_rev": None}},
    # not of one run: the names without numbers, which nothing is judged by
    {"name": "outputs in a verdict", "run": ["analyze", "--json", BLOCK],
     "json": {"outputs.t_stop": None, "outputs.heat": None,
              "expect": lambda expect: not {e["name"] for e in expect} & {"t_stop", "distance", "mean_speed", "heat"}}},
    {"name": "outputs in a collision", "run": ["impact", "--json", "{e}/impact-bare.yaml"], "json": {"outputs": {}}},
    {"name": "outputs in a solution", "run": ["solve", "--json", "{e}/../tests/cli/scenes/two-springs.yaml"],
     "json": {"outputs": {}, "expect": []}},
    {"name": "outputs in a map", "run": ["map", "--json", ROD, "--x", "mu=0.2,0.3"], "json": {"outputs": {}, "expect": []}},
    {"name": "never, for people", "run": ["run", ROD, "--until", "0.1"], "out": ["t_rev        never"]},
    {"name": "they do not depend on the rows", "run": ["run", "--json", ROD, "--output-step", "0.1"], "close": 5e-7,
     "json": {"outputs.t_rev": 0.203115}},
    {"name": "the block in closed form", "run": ["run", "--json", BLOCK],
     "json": {"outputs.t_stop": 0.8, "outputs.distance": 0.8, "outputs.mean_speed": 1, "outputs.heat": 6,
              "verdict": "unique", "expect.length": 5, "expect.0.name": "t_stop", "expect.0.value": 0.8,
              "expect.0.wanted": 0.8, "expect.0.met": True, "expect.3.wanted": [5.996, 6.004],
              "expect.4.value": "unique"}},
    {"name": "other numbers, other wants", "run": ["run", "-q", BLOCK, "--set", "mu=0.5", "--set", "v=3"], "lines": 1},
    {"name": "expectations for people", "run": ["run", BLOCK], "out": ["outputs\n", "  t_stop      0.8\n",
                                                                      "expectations\n",
                                                                      "t_stop: wanted 0.8, got 0.8, met"]},
    {"name": "check lists them", "run": ["check", BLOCK],
     "out": ["mean_speed: mean of block.vx to 0.8 s", "heat: 5.996 … 6.004"]},
    {"name": "check lists them as JSON", "run": ["check", "--json", BLOCK],
     "json": {"outputs.t_stop": "time of rest", "expect.3.name": "heat", "expect.4.wanted": "unique"}},
    # ---- not met ----------------------------------------------------------------------------------------
    unmet("a number", ["run", "-q", BLOCK, "--set", "expect.t_stop=0.9"], "sliding-block.yaml:",
          "expect t_stop is not met: wanted 0.9, got 0.8"),
    unmet("a range", ["run", "--json", BLOCK, "--set", "expect.t_stop=[0.1, 0.2]"], "wanted 0.1 … 0.2",
          json={"expect.0.met": False, "expect.0.wanted": [0.1, 0.2], "expect.0.value": 0.8,
                "expect.1.met": True}),
    unmet("an event that never comes is not met", ["run", "-q", BLOCK, "--until", "0.5"], "t_stop", "got nothing"),
    unmet("a word of analyze", ["analyze", "-q", BLOCK, "--set", "expect.verdict=multiple"],
          "wanted multiple, got unique"),
    unmet("for people", ["analyze", BLOCK, "--set", "expect.verdict=none"], out=["NOT MET"]),
    unmet("a path that leads nowhere", ["run", "-q", "{t}/a.yaml"], "bodies.blok.angle",
          files=edited("  verdict: unique", "  bodies.blok.angle: 0")),
    unmet("and the run ended early", ["run", "-q", "{t}/a.yaml"], "wanted done, got no-solution",
          files={"a.yaml": (ROOT / "examples/painleve-none.yaml").read_text().split("outputs:")[0] + "simulate: {motion: events}\nexpect: {outcome: done}\n"}),
    {"name": "an early end that was expected is still one", "run": ["run", "-q", "{t}/a.yaml"], "exit": 4,
     "files": {"a.yaml": (ROOT / "examples/painleve-none.yaml").read_text().split("outputs:")[0] + "simulate: {motion: events}\nexpect: {outcome: no-solution}\n"},
     "err": ["the run ended"]},
    # ---- results ----------------------------------------------------------------------------------------
    {"name": "keys of analyze", "run": ["analyze", "--json", "{t}/a.yaml"],
     "files": {"a.yaml": (ROOT / "examples/box-on-incline.yaml").read_text() +
               "expect: {verdict: unique, held: true, solutions: 1, recommended: rigid, "
               "margin.friction: [0.2, 0.3], solutions.0.stable: true, energy.drift: 9, complete: true}\n"},
     "json": {"expect.length": 7, "expect.1.value": True, "expect.2.value": 1, "expect.4.met": True,
              "expect": lambda items: all(item["met"] for item in items)}},
    {"name": "keys of run", "run": ["run", "--json", "{t}/a.yaml"],
     "files": edited("  verdict: unique", "  verdict: unique\n  events: 3\n  outcome: done\n  t: 1\n"
                     "  energy.drift: [-1e-9, 1e-9]\n  bodies.block.position.0: 0.8\n  held: true\n"
                     "  events.0.type: stick"),
     "json": {"expect.length": 11, "expect": lambda items: all(item["met"] for item in items)}},
    {"name": "of a drive", "run": ["analyze", "--json", "{t}/a.yaml"],
     "files": {"a.yaml": (ROOT / "examples/scalar-jam.yaml").read_text() + "expect: {verdict: multiple, tau_cr: -1.5}\n"},
     "json": {"expect.0.wanted": "multiple", "expect.1.met": True}},
    unmet("of an LCP", ["solve", "-q", "--all", "{t}/a.yaml"], "wanted 2, got 3",
          files={"a.yaml": "sprag: 1\nproblem: lcp\nM: [[1, 2], [2, 1]]\nq: [-1, -1]\nexpect: {count: 2}\n"}),
    # ---- what is not right ------------------------------------------------------------------------------
    refused("no such signal", "last: block.x", "last: blok.x", "29:20", "blok.x", '"block.x"'),
    refused("no such event", "time: rest", "time: resting", "28:18", '"rest"'),
    refused("no such contact", "time: rest", "time: stick, of: soul", "28:29", '"sole.0"'),
    refused("the wrong way round", "to: v/(mu*10)", "from: 2, to: 1", "from must be ≤ to"),
    refused("no such number", "last: block.x", "lst: block.x", '"last"'),
    refused("no such result", "verdict: unique", "verdct: unique", "no output or result \"verdct\"", "t_stop"),
    {"name": "check finds it too", "run": ["check", "-q", "{t}/a.yaml"], "exit": 3,
     "files": edited("last: block.x", "last: blok.x"), "err": ["a.yaml:29:20"]},
    # ---- events of the scene ----------------------------------------------------------------------------
    {"name": "an event of the scene ends the run", "run": ["run", "--json", "{t}/a.yaml"],
     "files": edited("outputs:\n", "events: [{name: gate, signal: block.x, above: 0.6, stop: true}]\noutputs:\n"
                     "  t_gate: {time: gate}\n"),
     "exit": 1, "err": ["t_stop", "distance", "heat"],
     "json": {"outcome": "stopped", "t": 0.4, "events.0.type": "gate", "events.0.t": 0.4, "events.0.contact": None,
              "outputs.t_gate": 0.4, "outputs.distance": 0.6, "bodies.block.velocity.0": 1}},
    {"name": "that is no failure", "run": ["run", "-q", "{t}/a.yaml"],
     "files": {"a.yaml": (ROOT / "examples/falling-rod.yaml").read_text() +
               "events: [{name: low, signal: rod.b.y, below: 10 cm, stop: true}]\n"}, "out": ["stopped as the scene asks"]},
    {"name": "check tells of events", "run": ["check", "{t}/a.yaml"],
     "files": {"a.yaml": (ROOT / "examples/falling-rod.yaml").read_text() +
               "events: [{name: low, signal: rod.b.y, below: 10 cm, stop: true}]\n"},
     "out": ["events\n  low: rod.b.y below 0.1; ends the run\n"]},
    refused("no such signal of an event", "outputs:\n", "events: [{name: a, signal: blok.x, above: 1}]\noutputs:\n",
            "27:28", '"block.x"'),
    # ---- maps -------------------------------------------------------------------------------------------
    {"name": "a map of outputs", "run": ["map", "-q", BLOCK, "--x", "mu=0.25,0.5,1", "--y", "v=1,3", "--value",
                                         "t_stop,distance", "--until", "0.5", "-o", "{t}/m.csv"], "after": block_map},
    # layers of epsilon 1e-4 shift the reversal by about a hundredth of it, (6.2)
    {"name": "a map of outputs of compliant runs", "run": ["map", "--json", "{e}/falling-rod.yaml", "--x", "mu=0.2,0.27", "--value",
                                                          "t_rev", "--motion", "compliant"],
     "json": {"grid.values.t_rev": lambda rows: all(1e-6 < abs(soft - rigid) < 4e-3 for soft, rigid in
                                                    zip(rows[0], (0.20750693, 0.20311497)))}},
    {"name": "a map of an output that is not there", "run": ["map", BLOCK, "--x", "mu=0.25,0.5", "--value", "stop"],
     "exit": 2, "err": ["determinant", "t_stop, distance, mean_speed, heat"]},
    {"name": "a map that is interrupted", "run": ["map", "-q", BLOCK, "--x", "mu=0.1:1:3000", "--y", "v=1:4:3000",
                                                  "--value", "t_stop"], "exit": 130, "interrupt": 1.0,
     "err": ["interrupted"]},
    # ---- margins ----------------------------------------------------------------------------------------
    {"name": "margins along a run", "run": ["run", "-q", "{e}/rod-sliding-left.yaml", "--signals",
                                            "tip.margin,margin,rod.angle", "--until", "0.1", "--output-step", "0.01",
                                            "-o", "{t}/m.csv"], "after": margins},
    {"name": "a star does not mean margins", "run": ["run", "-q", BLOCK, "--signals", "*", "-o", "{t}/m.csv"],
     "after": lambda folder: "margin" if "margin" in (folder / "m.csv").read_text().split("\n")[0] else None},
]
