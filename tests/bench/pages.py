"""`python -m tests.bench.pages [TURNS]`: what each view of the page costs in a memory of 100,000 turns, and how large it is.

Processor time of the server in this process, the second of two requests; the texts are those of `tests.bench.scale`. What starts
the page is told as a ratio to `import starlette` alone. The view `health` reads the whole file, as `doctor` does: it has no limit.
"""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

from ralph_mem.core.project import Project
from ralph_mem.interfaces.page import routes
from ralph_mem.memory import opening
from tests.bench import scale
from tests.bench.memory_of import at_home
from tests.interfaces.page.visitors import Person

TURNS = 100_000
MOST_MS, MOST_BYTES = 300, 200_000
SERVES = "from ralph_mem.interfaces.page import serving"


def main() -> None:
    """Print a line for each view; leaves with 1 where one is too slow or too large."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder, at_home(Path(folder, "home")):
        place = Project(folder)
        opened = opening.open_ready(place)
        scale._fill(opened, turns)
        opened.close()
        person = Person(SimpleNamespace(project=place))
        missed = [name for name, rest in views() if not is_within(person, name, rest)]
    print(f"import of the server: {imported(SERVES) / imported('import starlette.applications'):.1f} times that of starlette")
    sys.exit(bool(missed))


def views():
    """Yield the views with what they are asked for."""
    yield from ((name, "") for name, view in routes.VIEWS.items() if view.listed)
    yield from (
        ("search", "q=def+return+self&layer=1"),
        ("search", "q=def+return+self&layer=3"),
        ("today", "prompt=why+does+it+fail"),
    )
    yield from (("session/sess-1", ""), ("session/sess-1", "page=1000"), ("memory/turn-50000", ""))


def is_within(person, view, query):
    """Print what a view costs; says whether that is within the limits. What looks at the whole machine has no limit of time."""
    for _ in range(2):
        began = time.process_time()
        answer = person.receives(path=f"{person.keys.base}/here/{view}", query=query.encode())
        took = 1000 * (time.process_time() - began)
    assert answer.status == 200, (view, answer.body[-500:], person.log)
    size = len(answer.body.encode())
    fits = (took <= MOST_MS or view == "health") and size <= MOST_BYTES
    print(f"{view + '?' * bool(query) + query:45} {took:8.0f} ms {size:10,} bytes" + ("" if fits else "  too much"))
    return fits


def imported(statement):
    """Return the processor time of an interpreter that runs a statement, the least of five, in seconds."""
    return min(_once(statement) for _ in range(5))


def _once(statement):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
