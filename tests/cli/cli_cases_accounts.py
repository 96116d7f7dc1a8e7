"""Energy accounts of the gallery in the motions that its own runs do not use; run_cli.py explains the form.

Every scene of the gallery goes for a while with compliant contacts and by time stepping: what was there and what drives
and loads brought is there or was lost, and nothing is lost twice. (By events, as its head says, it runs in
cli_cases_gallery.py, to its end.)"""
from cli_cases_gallery import SCENES, account

# Seconds of motion; where less is given steps or events are many.
LENGTH = 0.02
SHORT = {"compass-biped": 0.01, "simplest-walker": 0.01, "tippe-top": 0.01, "eulers-disk": 0.01, "rover": 0.02,
         "box-stack": 0.01, "dominoes": 0.02, "six-legged-stance": 0.01}

STEP = {"chalk": "1e-4"}  # on a stiff spring


def first_order(energy):
    """The same for steps of fixed size: springs and turning joints are first order in the step."""
    losses = energy["friction"] + energy["impact"] + energy["damping"] + energy["switch"]
    left = energy["initial"] + energy["actuation"] - energy["final"] - losses
    largest = max(abs(energy[key]) for key in ("initial", "final", "actuation", "friction", "impact"))
    return abs(left - energy["drift"]) <= 1e-12 + 1e-9 * largest and abs(energy["drift"]) <= 1e-9 + 5e-3 * largest


def rubs(path):
    """Joints of the scene rub."""
    text = path.read_text()
    joints = text[text.index("joints:"):] if "joints:" in text else ""
    return "friction:" in joints.split("\ncontacts:")[0].split("\nloads:")[0]


ACCOUNTS = []
for _path in SCENES:
    _until = str(SHORT.get(_path.stem, LENGTH))
    for _motion, _check, _more in (("compliant", account, []), ("stepping", first_order, ["--step", STEP.get(_path.stem, "2e-4")])):
        if _motion == "stepping" and rubs(_path):
            continue
        ACCOUNTS.append({
            "name": f"{_path.stem}: account by {_motion}", "exit": (0, 1),
            "run": ["run", "--json", str(_path), "--motion", _motion, "--until", _until, *_more], "json": {"energy": _check}})

# A run that a step's event ends has the whole of that step: its last impact is booked and its velocities are those after it.
ACCOUNTS.append({
    "name": "rimless wheel: stops at its third step, by time stepping", "exit": 1,
    "run": ["run", "--json", "{e}/rimless-wheel.yaml", "--motion", "stepping", "--step", "1e-3", "--set", "events.0.count=3"],
    "json": {"energy": account, "outputs.after": lambda spin: abs(spin + 1.21) < 0.01}})
