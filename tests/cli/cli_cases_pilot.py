"""sprag run under the pilot: paradox, branch, and the exits of saddles in analyze."""
import csv


def both(branches):
    lift, stick = branches
    return (lift["branch"] == "lift" and stick["branch"] == "stick" and lift["outcome"] == stick["outcome"] == "done"
            and abs(lift["bodies"]["wedge"]["velocity"][1] + 9.81) < 1e-6
            and abs(stick["bodies"]["wedge"]["velocity"][1]) < 1e-9)


def two_files(place):
    for name in ("out-lift.csv", "out-stick.csv"):
        with open(place / name, newline="") as file:
            if len(list(csv.reader(file))) < 100:
                return name + " is short"
    return "out.csv is there" if (place / "out.csv").exists() else None


def closes(energy):
    losses = sum(energy[key] for key in ("friction", "impact", "damping", "switch"))
    left = energy["initial"] + energy["actuation"] - energy["final"] - losses
    return abs(left - energy["drift"]) < 1e-12 and abs(energy["drift"]) < 1e-6


NONE = "{e}/painleve-none.yaml"
PILOT = [
    {"name": "an impact without collision", "run": ["run", "--json", NONE],
     "json": {"outcome": "done", "motion": "auto", "energy": closes, "verdicts.0.chosen": "compliant",
              "verdicts.0.verdict": "none", "events.0.type": "no-solution", "events.1.type": "to-compliant",
              "events.1.detail": lambda text: "A = -0.588" in text and "N/m" in text and "default" in text,
              "events": lambda events: "to-rigid" in [event["type"] for event in events]}},
    {"name": "the same by an impulse", "run": ["run", "--json", NONE, "--paradox", "impulse"],
     "json": {"outcome": "done", "events.1.type": "impact", "energy": closes, "energy.switch": 0,
              "events.1.detail": lambda text: "tangential impact, no approach" in text}},
    {"name": "the same not at all", "run": ["run", "--json", NONE, "--paradox", "stop"], "exit": 4,
     "json": {"outcome": "no-solution", "events.length": 1}, "err": ["the run ended at t = 0 s"]},
    {"name": "events may be carried on too", "run": ["run", "--json", NONE, "--motion", "events", "--paradox", "compliant"],
     "json": {"outcome": "done"}},
    {"name": "a pair that stays rigid", "run": ["run", "--json", NONE, "--set", "contacts.tip.model=rigid"], "exit": 4,
     "json": {"outcome": "no-solution"}, "err": ["no-solution"]},
    {"name": "for people", "run": ["run", NONE], "out": ["1 contact compliant for a while", "to-compliant", "to-rigid"]},
    {"name": "both branches", "run": ["run", "--json", "{e}/wedge.yaml", "--branch", "both"],
     "json": {"branches": both, "provenance.command": "run", "outputs": {}, "expect": []}},
    {"name": "both branches, their files", "run": ["run", "{e}/wedge.yaml", "--branch", "both", "-o", "{t}/out.csv"],
     "out": ["branch lift\n", "branch stick\n", "out-lift.csv", "out-stick.csv"], "after": two_files},
    {"name": "one branch", "run": ["run", "--json", "{e}/wedge.yaml", "--branch", "stick"],
     "json": {"outcome": "done", "events.length": 1, "events.0.type": "ambiguity"}},
    {"name": "an unknown branch", "run": ["run", "{e}/wedge.yaml", "--branch", "bth"], "exit": 3, "err": ["both"]},
    {"name": "exits of a saddle", "run": ["analyze", "--json", "{e}/painleve-rod.yaml"],
     "json": {"solutions.0.exits.more.event": "stick", "solutions.0.exits.less.event": "lift-off",
              "solutions.0.exits.less.contact": "tip", "solutions.0.exits.less.after": lambda t: 0 < t < 1e-3}},
    {"name": "exits for people", "run": ["analyze", "{e}/painleve-rod.yaml"],
     "out": ["1 % more force: slip stops", "1 % less force: lifts off"]},
    {"name": "a stable motion has none", "run": ["analyze", "--json", "{e}/box-at-rest.yaml"],
     "json": {"solutions.0": lambda solution: "exits" not in solution}},
]
