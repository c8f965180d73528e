"""Runs, iterations and verdicts, made for tests as a record tells of them."""

from ralph_mem.ralph.criteria import FAILED, PASSED, Criterion, Verdict
from ralph_mem.ralph.record import NO_ITERATION, Run
from ralph_mem.ralph.tasks import Check, Task, to_json
from tests.sessions import NOON

PYTEST = "pytest -q"
A_CRITERION = Criterion("test_pass", PYTEST, ("pytest", "-q"), "/shop", 60, 0, "pyproject.toml", "")


def a_verdict(failing=None, excerpt="", total=40, name=PYTEST, why=""):
    """Return what a criterion said; `failing` maps tests to their messages."""
    failing = failing or {}
    why = why or (f"{len(failing)} of {total} tests fail" if failing else f"{total} tests pass")
    return Verdict("test_pass", name, FAILED if failing else PASSED, why, total, failing, [], None, excerpt, 1.0, [])


def an_iteration(number, failing=None, changed=(), **fields):
    """Return an iteration after which these tests failed."""
    at = NOON + number * 60_000
    given = {"verdicts": [a_verdict(failing)], "changed": [list(each) for each in changed], "tree": f"tree-{number}"}
    given = {"number": number, "started": at, "ended": at + 30_000, **given, **fields}
    return NO_ITERATION._replace(**given)


def a_run(failing=None, iterations=(), goal="Make the tests of the cart pass", **fields):
    """Return a run of which the first verdicts were these."""
    run = Run()
    run.id, run.goal, run.nonce, run.promise = "loop-abcdefghij", goal, "n0nce", "DONE"
    run.start_tree, run.started, run.folder = "tree-0", NOON, "/shop"
    run.criteria = [dict(A_CRITERION._asdict())]
    run.baseline = [a_verdict(failing)]
    run.iterations = list(iterations)
    for name, value in fields.items():
        setattr(run, name, value)
    return run


def a_plan(*titles):
    """Return tasks as a record holds them, each with one check."""
    check = Check(A_CRITERION._replace(name="task 1: make it", argv=("make", "it"), type="custom"), "")
    return [to_json(Task(at, f"key-{at}", title, (check,), (), (), False)) for at, title in enumerate(titles, 1)]


def a_change(path="shop/cart.py", old="    return a", new="    return b"):
    """Return a change of one line, as `changes.described` tells it."""
    return [path, "changed", 1, 1, f"-{old}\n+{new}"]
