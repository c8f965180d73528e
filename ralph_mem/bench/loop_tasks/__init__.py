"""Small broken repositories in pairs, a first one and a similar one later in the same project."""

from collections import namedtuple
from collections.abc import Iterable
from pathlib import Path

from ralph_mem.bench.loop_tasks import agent

# The last one is the third that looks like a first one and is not: the memory has misled twice by then.
REPEATED, MISLEADING, MISLED_TWICE = "repeated", "misleading", "misled twice"

Fault = namedtuple("Fault", "module function parameter complaint right")
Fault.__doc__ = (
    """A function that returns the wrong thing: its file, its name, the complaint of its test, and which way is right."""
)

Pair = namedtuple("Pair", "name kind first again later")
Pair.__doc__ = """Two tasks, each a tuple of faults, and those of `later`.

What was right in the first is right again, or, where it misleads, something else is right each time.
"""

# By complaint, what the functions are given by their tests: no two ways give the same answers.
GIVEN = {
    "is rounded wrongly": (2.5, 7.26, 13.75, 18.4),
    "are in the wrong order": (["Bo", "al", "Cara", "dee"], ["pear", "Fig", "apple"]),
    "is not cleaned as agreed": ("  big Red  box ", "--low Price- ", "a  b"),
    "is read wrongly": ("12", "1,5", "1,234", "$9", "1 000", "50%"),
    "is not the one that is meant": ([5, 1, 9, 3, 2], [4, 8, 6, 7, 5]),
    "are counted wrongly": ([3, 0, 3, 5], [1, 1, 1]),
    "is split wrongly": ("a, b;c d|e-f", "x,y z; w"),
}  # fmt: skip


def _pair(name: str, complaint: str, first: str, again: str, right: int) -> Pair:
    """Return a pair of one fault each; `first` and `again` are module, function and parameter."""
    one, other = [(_fault(place, complaint, agent.WAYS[complaint][right]),) for place in (first, again)]
    return Pair(name, REPEATED, one, other, ())


def _fault(place: str, complaint: str, right: str) -> Fault:
    module, function, parameter = place.split()
    return Fault(module, function, parameter, complaint, right)


def _lookalikes(name: str, complaint: str, *places: tuple[str, int]) -> Pair:
    """Return tasks that look alike and of which each needs another way; `places` are module, function, parameter, and the way."""
    first, again, *later = [(_fault(place, complaint, agent.WAYS[complaint][way]),) for place, way in places]
    return Pair(name, MISLEADING, first, again, tuple(later))


def _both(name: str, one: Pair, other: Pair) -> Pair:
    return Pair(name, REPEATED, one.first + other.first, one.again + other.again, ())


ROUNDED, ORDERED, CLEANED, READ, MEANT, COUNTED, SPLIT = GIVEN
PAIRS = (
    _pair("rounding", ROUNDED, "shop/pricing.py total amount", "shop/fees.py fee value", 2),
    _pair("names", ORDERED, "shop/people.py names people", "shop/goods.py titles goods", 1),
    _pair("texts", CLEANED, "shop/labels.py label text", "shop/search.py query words", 3),
    _pair("numbers", READ, "shop/imports.py price field", "shop/orders.py weight column", 1),
    _pair("choices", MEANT, "shop/offers.py offer prices", "shop/routes.py route lengths", 4),
    _both(
        "two files",
        _pair("", SPLIT, "shop/tags.py tags line", "shop/paths.py steps text", 4),
        _pair("", ROUNDED, "shop/taxes.py tax amount", "shop/tolls.py toll sum_", 3),
    ),
    _lookalikes(
        "a lookalike count",
        COUNTED,
        ("shop/stock.py stock items", 1),
        ("shop/visits.py visits days", 2),
        ("shop/seats.py seats rows", 4),
        ("shop/calls.py calls hours", 5),
    ),
    _lookalikes(
        "a lookalike number",
        READ,
        ("shop/rates.py rate field", 2),
        ("shop/sizes.py size column", 5),
        ("shop/widths.py width cell", 1),
        ("shop/costs.py cost entry", 4),
    ),
)
TEST = """import unittest

from {module} import {function}


class Test(unittest.TestCase):
    longMessage = False

    def test_{function}(self):
        for given, wanted in {cases!r}:
            try:
                found = {function}(given)
            except Exception as error:
                found = error
            self.assertEqual(found, wanted, "what comes back {complaint}")
"""


def write(folder: Path, faults: Iterable[Fault], mended: bool = False) -> None:
    """Write the files of a task into a project, broken or mended, with their tests."""
    for fault in faults:
        path, tests = folder / fault.module, folder / "tests"
        for made in (path.parent, tests):
            made.mkdir(exist_ok=True)
            (made / "__init__.py").touch()
        body = fault.right.replace("{v}", fault.parameter) if mended else "None"
        path.write_text(f"def {fault.function}({fault.parameter}):\n    return {body}\n")
        named = fault.module.removesuffix(".py").replace("/", ".")
        told = TEST.format(module=named, function=fault.function, complaint=fault.complaint, cases=cases(fault))
        (tests / f"test_{fault.function}.py").write_text(told)


def cases(fault: Fault) -> list[tuple[object, object]]:
    """Return what the test of a fault gives, with what it wants."""
    answers = [(given, answer(fault.right, given)) for given in GIVEN[fault.complaint]]
    return [(given, wanted) for given, wanted in answers if wanted is not None]


def answer(way: str, given: object) -> object:
    """Return what a way makes of something, None where it cannot."""
    try:
        return eval(way.replace("{v}", "given"), {"given": given})  # noqa: S307 - our own few expressions
    except (TypeError, ValueError, AttributeError):
        return None
