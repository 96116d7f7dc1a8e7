#!/usr/bin/env python3
"""Runs the cases of cli_cases.py against the tool.

usage: run_cli.py TOOL SOURCE-FOLDER GROUP [CASE]

A case is a dictionary:
  name    of the case
  run     the arguments; {s} stands for tests/cli/scenes, {e} for examples, {t} for a temporary folder
  exit    exit status (0 if absent), or several of which one will do
  files   {name: text or bytes} written to {t} before
  before  arguments of runs of the tool before this one, which must succeed
  in      folder to run it in
  to      file that standard output goes to
  out     texts that standard output must contain; out_is: all of it; begins: its beginning
  err     texts that standard error must contain
  not_out texts that standard output must not contain
  lines   number of lines of standard output
  links   {name: target}: symbolic links made in {t} before
  after   asked with the folder {t} afterwards: None, or what is wrong there
  interrupt  seconds after which the tool gets a Ctrl-C
  json    {path: value}: standard output is one JSON document with these values. A path is keys and
          indices with dots, with .length at its end the number of entries. A number matches within
          a relative 1e-9 (`close` overrides it); a callable is asked.
Whatever the case: bad input gives exactly one line on standard error and nothing on standard output;
success gives nothing on standard error.
"""
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).parent))
import cli_cases  # noqa: E402

LONGEST = 20.0  # seconds a case may take, under the sanitizers on a busy machine


def refuse_constant(text):
    raise ValueError(f"{text} is no JSON")


def look_up(document, path):
    for key in path.split("."):
        if key == "length":
            document = len(document)
        else:
            document = document[int(key)] if isinstance(document, list) else document[key]
    return document


def matches(actual, wanted, close):
    if callable(wanted):
        return bool(wanted(actual))
    if isinstance(wanted, bool) or wanted is None or isinstance(wanted, str):
        return actual is wanted or actual == wanted
    if isinstance(wanted, (int, float)):
        return isinstance(actual, (int, float)) and not isinstance(actual, bool) \
            and abs(actual - wanted) <= close * max(1.0, abs(wanted))
    if isinstance(wanted, list):
        return isinstance(actual, list) and len(actual) == len(wanted) \
            and all(matches(a, w, close) for a, w in zip(actual, wanted))
    return actual == wanted


def check_json(case, out):
    try:
        document = json.loads(out, parse_constant=refuse_constant)
    except ValueError as error:
        return [f"standard output is not one JSON document: {error}"]
    failures = []
    for path, wanted in case["json"].items():
        try:
            actual = look_up(document, path)
        except (KeyError, IndexError, TypeError):
            failures.append(f"json {path}: it is not there")
            continue
        if not matches(actual, wanted, case.get("close", 1e-9)):
            failures.append(f"json {path}: {actual!r}, wanted {wanted!r}")
    return failures


def check_streams(case, out, err):
    failures = []
    if case.get("exit", 0) == 0 and err and not case.get("err"):
        failures.append("standard error is not empty")
    if case.get("exit", 0) in (2, 3) and (out or err.count("\n") != 1):
        failures.append("a failure says one line on standard error and nothing on standard output")
    for stream, name in ((out, "out"), (err, "err")):
        for fragment in case.get(name, []):
            if fragment not in stream:
                failures.append(f"standard {'output' if name == 'out' else 'error'} lacks: {fragment}")
    for fragment in case.get("not_out", []):
        if fragment in out:
            failures.append(f"standard output has: {fragment}")
    if "out_is" in case and out != case["out_is"]:
        failures.append(f"standard output is not {case['out_is']!r}")
    if not out.startswith(case.get("begins", "")):
        failures.append(f"standard output does not begin with {case['begins']!r}")
    if "lines" in case and out.count("\n") != case["lines"]:
        failures.append(f"standard output has {out.count(chr(10))} lines, not {case['lines']}")
    return failures


def finish(process):
    """What it wrote until its end."""
    try:
        out, err = process.communicate(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise
    return (out or b"").decode(), err.decode(errors="replace")


def run_case(tool, root, case):
    with tempfile.TemporaryDirectory(prefix="sprag cli ") as folder:
        for name, content in case.get("files", {}).items():
            data = content.encode() if isinstance(content, str) else content
            (Path(folder) / name).write_bytes(data)
        places = {"{s}": str(root / "tests/cli/scenes"), "{e}": str(root / "examples"), "{t}": folder}

        def place_in(words):
            out = []
            for word in words:
                for key, place in places.items():
                    word = word.replace(key, place)
                out.append(word)
            return out
        arguments = place_in(case["run"])
        for words in case.get("before", []):
            subprocess.run([tool, *place_in(words)], check=True, timeout=120, stdout=subprocess.DEVNULL)
        for name, place in case.get("links", {}).items():
            (Path(folder) / name).symlink_to(place)
        target = open(case["to"], "wb") if "to" in case else subprocess.PIPE
        start = time.monotonic()
        done = subprocess.Popen([tool, *arguments], stdin=subprocess.DEVNULL, stdout=target,
                                stderr=subprocess.PIPE, cwd=case.get("in"))
        if "interrupt" in case:
            time.sleep(case["interrupt"])
            done.send_signal(signal.SIGINT)
        out, err = finish(done)
        seconds = time.monotonic() - start
        left = case["after"](Path(folder)) if "after" in case else None
    failures = [f"afterwards: {left}"] if left else []
    wanted = case.get("exit", 0)
    if done.returncode not in (wanted if isinstance(wanted, tuple) else (wanted,)):
        failures.append(f"exit status {done.returncode}, wanted {case.get('exit', 0)}")
    if seconds > LONGEST:
        failures.append(f"it took {seconds:.0f} s")
    failures += check_streams(case, out, err)
    if "json" in case:
        failures += check_json(case, out)
    if failures:
        print(f"FAILED {case['name']}: sprag {' '.join(arguments)}"[:600])
        for failure in failures:
            print(f"    {failure}")
        print("    stdout: " + out[:3000].replace("\n", "\n            "))
        print("    stderr: " + err[:1500].replace("\n", "\n            "))
    return not failures


def main():
    tool, root, group = Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), sys.argv[3]
    cases = [c for c in cli_cases.GROUPS[group] if len(sys.argv) < 5 or c["name"] == sys.argv[4]]
    failed = sum(not run_case(tool, root, case) for case in cases)
    print(f"{len(cases) - failed} of {len(cases)} cases of {group} passed")
    sys.exit(1 if failed or not cases else 0)


main()
