"""The cases of pages for browsers (run -o run.html) and of `sprag view`; run_cli.py says what the entries mean."""
import re


def page(name, *texts):
    """The file is one HTML page without a request, and has these texts in it."""
    def look(folder):
        text = (folder / name).read_text()
        if not text.startswith("<!doctype html>") or "</html>" not in text:
            return "it is no page"
        if re.search(r'(src|href)="(https?:)?//', text):
            return "it asks for something"
        missing = [t for t in texts if t not in text]
        return f"{missing} are not in it" if missing else None
    return look


DRIVE = "sprag: 1\nproblem: scalar\na: 1\nb: 0.5\nc: 1\nd: 2\nfriction: 0.5\nvelocity: 1\ninput: 3\n"

VIEW = [
    {"name": "a page", "run": ["run", "{e}/falling-rod.yaml", "-q", "-o", "{t}/run.html"], "out": ["falling rod"],
     "after": page("run.html", 'id="sprag-head"', '"name":"falling rod"', '"type":"slip-reversal"', 'id="sprag-chunk"')},
    {"name": "a page, a table and a figure", "out": ["falling rod"],
     "run": ["run", "{e}/falling-rod.yaml", "-q", "-o", "{t}/a.html", "-o", "{t}/a.csv", "-o", "{t}/a.svg", "-o", "{t}/b.html"],
     "after": lambda f: None if sorted(p.name for p in f.iterdir()) == ["a.csv", "a.html", "a.svg", "b.html"] else "files are missing"},
    {"name": "a page of a run that ends early", "exit": 4,
     "run": ["run", "{e}/painleve-none.yaml", "--paradox", "stop", "-q", "-o", "{t}/run.html"], "err": ["no-solution"],
     "after": page("run.html", '"outcome":"no-solution"')},
    {"name": "a page of a scene with markup in its name", "files": {"m.yaml": "sprag: 1\nname: </script><b>&\nbodies: "
     "[{name: a, mass: 1, shapes: [{circle: {radius: 1}}]}]\n"}, "run": ["run", "{t}/m.yaml", "-q", "-o", "{t}/run.html"],
     "after": page("run.html", "\\u003c/script>\\u003cb>\\u0026")},
    {"name": "a drive has no page", "files": {"d.yaml": DRIVE}, "run": ["run", "{t}/d.yaml", "-o", "{t}/run.html"], "exit": 2,
     "err": ["a drive has no page"], "after": lambda f: None if not (f / "run.html").exists() else "it was written"},
    {"name": "no page beside --epsilon", "run": ["run", "{e}/falling-rod.yaml", "--epsilon", "1e-2", "-o", "{t}/run.html"], "exit": 2,
     "err": ["--epsilon has no page"]},
    {"name": "a page that cannot be written", "run": ["run", "{e}/falling-rod.yaml", "-o", "{t}/no/run.html"], "exit": 5,
     "err": ["run.html"]},
    {"name": "a page stands for its scene", "before": [["run", "{e}/falling-rod.yaml", "--set", "mu=0.3", "--until", "0.1", "-o", "{t}/a.csv",
                                                       "-o", "{t}/a.html"]],
     "run": ["run", "{t}/a.html", "-q", "-o", "{t}/b.csv", "-o", "{t}/b.html"], "out": ["falling rod"],
     "after": lambda f: None if (f / "a.csv").read_bytes() == (f / "b.csv").read_bytes() else "the run is another one"},
    {"name": "the command in a page", "run": ["run", "{e}/falling-rod.yaml", "-q", "--until", "0.05 s", "--set", "mu=0.2", "-o", "{t}/run.html"],
     "after": page("run.html", "--set mu=0.2 --until \u00270.05 s\u0027 -o") },
    {"name": "a page with other numbers", "before": [["run", "{e}/painleve-none.yaml", "--set", "mu=0.1", "-o", "{t}/a.html"]],
     "run": ["analyze", "{t}/a.html", "--set", "mu=2.2", "--json"], "json": {"verdict": "none"}},
    {"name": "a mistake in the scene of a page", "before": [["run", "{e}/falling-rod.yaml", "--until", "0.01", "-o", "{t}/a.html"]],
     "run": ["check", "{t}/a.html", "--set", "nothing=1"], "exit": 3, "err": ["nothing"]},
    {"name": "a map of a page", "before": [["run", "{e}/painleve-rod.yaml", "--until", "0.01", "-o", "{t}/a.html"]],
     "run": ["map", "{t}/a.html", "--x", "mu=0:2:3"], "out": ["3 points"]},
    {"name": "a page without a scene", "files": {"a.html": "<!doctype html><p>"}, "run": ["run", "{t}/a.html"], "exit": 3,
     "err": ["this page has no scene in it"]},
    {"name": "view of a page", "files": {"run 1.html": "<!doctype html>"}, "run": ["view", "{t}/run 1.html", "--no-open"],
     "out": ["file:///", "run%201.html"], "lines": 1},
    {"name": "view of a page that is not there", "run": ["view", "{t}/no.html"], "exit": 3, "err": ["no.html", "cannot be read"]},
    {"name": "view of a scene that is not there", "run": ["view", "{t}/no.yaml"], "exit": 3, "err": ["no.yaml"]},
    {"name": "view of a bad scene", "files": {"b.yaml": "sprag: 1\nbodies: 3\n"}, "run": ["view", "{t}/b.yaml"], "exit": 3,
     "err": ["b.yaml:2:9"]},
    {"name": "view of a drive", "files": {"d.yaml": DRIVE}, "run": ["view", "{t}/d.yaml"], "exit": 3,
     "err": ["view takes a scene with bodies"]},
    {"name": "view with a bad port", "run": ["view", "{e}/falling-rod.yaml", "--port", "99999"], "exit": 2, "err": ["--port", "99999"]},
    {"name": "view until Ctrl-C", "run": ["view", "{e}/falling-rod.yaml", "-q", "--no-open"], "interrupt": 1.5,
     "out": ["http://127.0.0.1:", "/?token="], "lines": 1},
    {"name": "a dark figure", "run": ["run", "{e}/falling-rod.yaml", "-q", "--theme", "dark", "-o", "{t}/f.svg"], "out": ["falling rod"],
     "after": lambda f: None if "#151a1e" in (f / "f.svg").read_text() and "#ffffff" not in (f / "f.svg").read_text() else "it is not dark"},
    {"name": "a theme that is none", "run": ["map", "{e}/painleve-rod.yaml", "--theme", "grey"], "exit": 2,
     "err": ["--theme takes light or dark, not 'grey'"]},
]
