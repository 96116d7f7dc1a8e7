#!/usr/bin/env python3
"""Checks over the sources that no compiler makes.

usage: check_sources.py CHECK SOURCE-FOLDER BUILD-FOLDER

  includes   who includes whom: the rooms of docs/architecture.md, private headers, the tool
  headers    every public header compiles alone, as C17 and as C++
  citations  theory.md (n) and [Key, Eq. (n)] in the code point at something that exists
  comments   every public function has a comment above it
  names      file names are unique over the tree
  version    one version everywhere
  readme     the C program of README.md is the one that tests/install builds and runs
"""
import os
import re
import subprocess
import sys
from pathlib import Path

# What a room may include directly; "may use" is transitive. docs/architecture.md has the reasons,
# and is compared with this table.
ROOMS = {
    "base": [],
    "numeric": ["base"],
    "complementarity": ["base", "numeric"],
    "contact": ["complementarity"],
    "compliance": ["complementarity"],
    "model": ["base", "compliance"],
    "collide": ["model"],
    "dynamics": ["collide", "contact"],
    "analysis": ["contact", "compliance"],
    "impact": ["contact", "compliance"],
    "motion": ["dynamics", "analysis", "impact"],
    "record": ["motion"],
    "scene": ["model", "contact", "compliance", "analysis"],
    "sweep": ["analysis", "motion", "record", "scene"],
    "report": ["sweep"],
    "serve": ["report"],
}
# Public headers beside the one that has the name of its room.
MORE_HEADERS = {"vector": "base", "integrate": "numeric", "sparse": "numeric", "friction": "complementarity", "scalar": "analysis", "scalar_run": "motion", "output": "model", "bundle": "scene"}
# Libraries outside of C's own, and the rooms that may include their headers.
FOREIGN = {"yaml.h": "scene", "pthread.h": "sweep motion numeric", "cairo.h": "report", "libwebsockets.h": "serve", "lapacke.h": "numeric", "cblas.h": "numeric",
           "suitesparse/amd.h": "numeric", "hdf5.h": "scene",
           "libqhull_r/qhull_ra.h": "model",
           "sanitizer/asan_interface.h": "base"}
STANDARD = re.compile(r"(assert|ctype|errno|fenv|float|inttypes|limits|locale|math|setjmp|signal|"
                      r"stdalign|stdarg|stdatomic|stdbool|stddef|stdint|stdio|stdlib|stdnoreturn|"
                      r"string|strings|time|unistd|sys/[a-z]+|fcntl)\.h$")
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)
# A place in a source: a word for its kind with a number (12, 3.4, II.4), or an appendix.
CITED_NUMBER = re.compile(r"((Eqs?|Algs?|pp?|Th|Thm|Secs?|Ch|Fig)\.|Theorem|Lemma|Table)\s*\(?[A-Z]*[.]?\d"
                          r"|(Sec|Ch)\.\s*[IVX]+\b|Appendix", re.I)

problems = []


def problem(text):
    problems.append(text)


def sources(root, *folders, pattern="*.[ch]"):
    for folder in folders:
        yield from sorted((root / folder).rglob(pattern))


def reachable(room):
    """The rooms that `room` may include, itself included."""
    seen, stack = set(), [room]
    while stack:
        current = stack.pop()
        if current not in seen:
            seen.add(current)
            stack += ROOMS[current]
    return seen


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def check_angle(where, room, name):
    if STANDARD.match(name):
        return
    if name not in FOREIGN:
        problem(f"{where}: <{name}> is neither C's nor a library that the design names")
    elif room not in FOREIGN[name].split():
        problem(f"{where}: <{name}> belongs to the room {FOREIGN[name]}")


def check_quoted(where, path, room, name):
    if not name.startswith("sprag/"):
        if "/" in name or not (path.parent / name).is_file():
            problem(f'{where}: "{name}" is not beside this file: private headers stay in their room')
        return
    other = Path(name).stem
    if other == "version":
        allowed = room == "base"
    elif other == "sprag":
        allowed = False  # the umbrella is for users: inside, the includes show the dependencies
    else:
        allowed = MORE_HEADERS.get(other, other) in reachable(room)
    if not allowed:
        problem(f'{where}: {room} may not include "{name}"')


def check_includes(root, _build):
    for room in sorted(p.name for p in (root / "src").iterdir() if p.is_dir()):
        if room not in ROOMS:
            problem(f"src/{room}: a room that the table does not know")
    check_plan(root)
    files = [(p, p.relative_to(root / "src").parts[0]) for p in sources(root, "src")]
    files += [(p, MORE_HEADERS.get(p.stem, p.stem)) for p in sources(root, "include/sprag")
              if p.stem != "sprag"]
    for path, room in files:
        if room not in ROOMS:
            problem(f"{path.relative_to(root)}: no room is called {room}")
            continue
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            where = f"{path.relative_to(root)}:{line_of(text, match.start())}"
            if match[1] == "<":
                check_angle(where, room, match[2])
            else:
                check_quoted(where, path, room, match[2])
    check_umbrella(root)
    check_tool(root)


def check_umbrella(root):
    included = {m[2] for m in INCLUDE.finditer((root / "include/sprag/sprag.h").read_text())}
    for path in sources(root, "include/sprag"):
        if path.name not in ("sprag.h", "version.h") and f"sprag/{path.name}" not in included:
            problem(f"include/sprag/sprag.h: sprag/{path.name} is missing")


def check_tool(root):
    for path in sources(root, "tools"):
        text = path.read_text()
        for match in INCLUDE.finditer(text):
            where = f"{path.relative_to(root)}:{line_of(text, match.start())}"
            if match[1] == "<":
                check_angle(where, "tools", match[2])
            elif not match[2].startswith("sprag/") and not (path.parent / match[2]).is_file():
                problem(f'{where}: tools include nothing but include/sprag, not "{match[2]}"')


def check_plan(root):
    """The table of rooms in docs/architecture.md says the same as ROOMS."""
    plan = {}
    for line in (root / "docs/architecture.md").read_text().splitlines():
        cells = [c.strip() for c in line.strip().strip("|").split("|")]
        name = cells[0].strip("`")
        if line.startswith("| `") and len(cells) == 3 and (name in ROOMS or name.isidentifier()):
            plan[name] = [w for w in re.findall(r"[a-z]+", cells[2]) if w in ROOMS]
    for room in sorted(set(ROOMS) | set(plan)):
        if sorted(ROOMS.get(room, ["?"])) != sorted(plan.get(room, ["?"])):
            problem(f"docs/architecture.md: {room} may use {plan.get(room)}, "
                    f"this check says {ROOMS.get(room)}")


def compiles(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.returncode == 0, done.stderr


def check_headers(root, build):
    flags = ["-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
             f"-I{root / 'include'}", f"-I{build / 'include'}"]
    c = [os.environ.get("CC", "cc"), "-std=c17", *flags, "-x", "c", "-"]
    cxx = [os.environ.get("CXX", "g++"), "-std=c++17", *flags, "-x", "c++", "-"]
    for path in sources(root, "include/sprag"):
        # twice: the guard works too
        text = f'#include "sprag/{path.name}"\n#include "sprag/{path.name}"\nint main(void);\n'
        text = text.replace("int main(void);", "typedef int alone;")
        for language, command in (("C17", c), ("C++17", cxx)):
            good, errors = compiles(command, text)
            if not good:
                problem(f"include/sprag/{path.name} does not compile alone as {language}:\n{errors}")


def theory_numbers(root):
    text = (root / "docs/theory.md").read_text()
    numbers = set(re.findall(r"\((\d+\.\d+[a-z]?)\)", text))
    sections = set(re.findall(r"^#+\s+(\d+(?:\.\d+)?)\.?\s", text, re.M))
    sections |= set(re.findall(r"^\*\*(\d+\.\d+) ", text, re.M))
    return numbers, sections


def join_comments(text):
    """Comment lines joined, so that a citation may be broken over two of them."""
    return re.sub(r"[ \t]*\n[ \t]*(//+|\*|#)?[ \t]*", " ", text)


def check_citations(root, _build):
    numbers, sections = theory_numbers(root)
    keys = set(re.findall(r"^@\w+\{\s*([^,\s]+)", (root / "docs/references.bib").read_text(), re.M))
    used = set()
    for path in sources(root, "src", "include", "tools", "tests"):
        where = path.relative_to(root)
        text = join_comments(path.read_text())
        for match in re.finditer(r"theory\.md ((?:\(\d+\.\d+[a-z]?\)(?:, |–| and |, and | to )?)+)", text):
            for number in re.findall(r"\((\d+\.\d+[a-z]?)\)", match[1]):
                if number not in numbers:
                    problem(f"{where}: theory.md has no equation ({number})")
        for match in re.finditer(r"theory\.md (?:section )?(\d+(?:\.\d+)?)(?=[\s,;:).]|$)", text):
            if match[1] not in sections:
                problem(f"{where}: theory.md has no section {match[1]}")
        placed = {}  # key: some citation of it in this file names a place
        for match in re.finditer(r"\[([A-Z][A-Za-z]+\d{4}[a-z]?)(, [^\]]*)?\]", text):
            placed[match[1]] = placed.get(match[1]) or bool(CITED_NUMBER.search(match[2] or ""))
            if match[2] and not CITED_NUMBER.search(match[2]):
                problem(f"{where}: {match[0]} names no equation, algorithm or page")
        used |= set(placed)
        for key, found in placed.items():
            if key not in keys:
                problem(f"{where}: docs/references.bib has no {key}")
            if not found:
                problem(f"{where}: [{key}] names no equation, algorithm or page anywhere in this file")
    for key in sorted(keys - used):
        print(f"note: docs/references.bib: nothing in the code cites {key}")


def declarations(text):
    """(position, name) of every function declared in a header, macros and bodies left out."""
    clean = re.sub(r"//[^\n]*", lambda m: " " * len(m[0]), text)
    clean = re.sub(r"^#(?:[^\n\\]|\\\n|\\.)*", lambda m: re.sub(r"[^\n]", " ", m[0]), clean, flags=re.M)
    for match in re.finditer(r"^(?!typedef|static|extern|\s)[A-Za-z_][\w \t*\n]*?\b(sprag_\w+)\(", clean,
                             re.M):
        yield match.start(), match[1]


def comment_above(lines, index, name):
    """A group of declarations shares the comment above it; a type's comment covers its calls."""
    while index > 0 and lines[index - 1].strip() and not lines[index - 1].startswith("//"):
        index -= 1
    if index == 0 or lines[index - 1].startswith("//"):
        return index > 0
    end = re.match(r"\} Sprag(\w+);", lines[index - 2])
    if end and name.startswith("sprag_" + end[1].lower() + "_"):
        return comment_above(lines, index - 2, name)
    return lines[index - 2].startswith("// ----")  # the heading of its section


def check_comments(root, _build):
    for path in sources(root, "include/sprag"):
        text = path.read_text()
        for position, name in declarations(text):
            line = line_of(text, position)
            if not OBVIOUS.match(name) and not comment_above(text.splitlines(), line - 1, name):
                problem(f"{path.relative_to(root)}:{line}: {name} has no comment above")


# The closed vocabulary: what these do follows from the name (docs/architecture.md, "Words").
OBVIOUS = re.compile(r"sprag_\w+_(default|create|destroy|init|name|count|kind|dimension|time|context|text)$")
# Names that every folder or test may have again.
SHARED_NAMES = {"CMakeLists.txt", "README.md", ".gitignore", ".gitattributes"}


def check_names(root, _build):
    command = ["git", "-C", str(root), "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    done = subprocess.run(command, capture_output=True)
    if done.returncode:
        print("no git here: nothing to check")
        return
    seen = {}
    for name in filter(None, done.stdout.decode().split("\0")):
        path = Path(name)
        if path.name in SHARED_NAMES or path.parts[:2] in (("tests", "data"), ("tests", "fuzz")) \
                or not (root / path).exists() or path.suffix not in (".c", ".h", ".py", ".cmake"):
            continue
        if path.name in seen:
            problem(f"{name} and {seen[path.name]} have the same file name")
        # the public header of a room may share its stem with a source; two sources may not
        seen[path.name] = name


def check_version(root, build):
    version = re.search(r"project\(Sprag VERSION ([\d.]+)", (root / "CMakeLists.txt").read_text())[1]
    header = (build / "include/sprag/version.h").read_text()
    if f'#define SPRAG_VERSION "{version}"' not in header:
        problem(f"include/sprag/version.h of the build is not {version}")
    headings = re.findall(r"^## \[?(Unreleased|\d+\.\d+\.\d+)", (root / "CHANGELOG.md").read_text(), re.M)
    if version not in headings and "Unreleased" not in headings:
        problem(f"CHANGELOG.md has neither a section {version} nor Unreleased")
    tool = build / "tools/sprag/sprag"
    said = subprocess.run([tool, "--version"], capture_output=True, text=True).stdout.strip()
    if said != f"sprag {version}":
        problem(f"sprag --version says '{said}', CMakeLists.txt {version}")


def check_readme(root, _build):
    program = (root / "tests/install/foreign/foreign.c").read_text()
    program = program[program.index("#include"):]
    if f"```c\n{program}```" not in (root / "README.md").read_text():
        problem("README.md: its C program is not tests/install/foreign/foreign.c")


def main():
    if len(sys.argv) != 4 or f"check_{sys.argv[1]}" not in globals():
        sys.exit(__doc__)
    globals()[f"check_{sys.argv[1]}"](Path(sys.argv[2]), Path(sys.argv[3]))
    for text in problems:
        print(text)
    sys.exit(1 if problems else 0)


main()
