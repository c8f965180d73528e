"""Read what pytest tells of each failing test, and leave out what says nothing or was said before."""

import re

from ralph_mem.ralph.criteria import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

LEFT_OUT = "[...]"
HEADING = re.compile(r"={3,} (.+?) ={3,}")
SECTION = re.compile(r"_{3,} (.+?) _{3,}")
TELLING = ("FAILURES", "ERRORS")
SAID = "E "  # begins a line of what a test raised
REACHED = ">"  # begins the line of code that a test came to
CAPTURED = re.compile(r"-{3,} Captured ")

# Lines that are empty, part others, point to a place in the line above, or tell an object by its address alone.
SAYS_NOTHING = re.compile(
    r"E?\s*$|(_ )+_?$|\s*[\^~]+\s*$|E\s+[\^~]+\s*$|E\s+\?[\s^+-]*$|E\s+Use -v to get more diff$"
    r"|(self|E\s+\+\s+(where|and) .*) = <[^<>]* object at 0x[0-9a-f]+>(\.\w+)?$"
)
WHERE = re.compile(r"E\s+\+\s+(where|and) ")
IN_FULL = re.compile(r"E\s+Full diff\b|E\s+Skipping \d+ identical ")
DIFFERS = re.compile(r"E\s+[-+] ?(.*)")
# Without the variable CI pytest shows eight lines of what it compares; a message of other kinds may be as long as a log.
MOST_DIFFERING, MOST_SAID, MOST_LAST = 8, 12, 3
MOST_READ = 60  # lines that a test raised, before secrets are cut out: from the first one on, so that a key has its beginning
FEWEST_ALIKE = 2  # lines of code in a row that stand for less than a mark does are shown again


def read(lines: "Sequence[str]") -> "list[str]":
    """Return what a report of pytest tells of each failing test, its name first, the most telling first.

    These are files that could not be read, then the first of each sort, all in the order of their names: tests that run side by
    side end in any order.
    """
    found: dict[str, list[str]] = {}
    inside, name = False, ""
    for line in lines:
        heading, section = HEADING.fullmatch(line), SECTION.fullmatch(line)
        if heading:
            inside, name = heading.group(1) in TELLING, ""
        elif inside and section:
            name = section.group(1)
        elif name:
            found.setdefault(name, []).append(line)
    return _of_each_sort({name: "\n".join([name, *_begun(found[name])]).rstrip("\n") for name in sorted(found)})


def _begun(lines: "list[str]") -> "list[str]":
    """Return lines without the end of what was raised, where that is very long."""
    kept, number = [], 0
    for line in lines:
        number = number + 1 if line.startswith(SAID) else 0
        kept += [line] if number <= MOST_READ else []
    return kept


def _of_each_sort(sections: "dict[str, str]") -> "list[str]":
    found = {name: (name, raised(section)) for name, section in sections.items()}
    errors = {name: said for name, said in found.items() if name.startswith("ERROR collecting ")}
    return [sections[name] for name in {**errors, **evidence.telling_first(found)}]


def raised(section: str) -> str:
    """Return what a test raised, by the mark that pytest puts before it."""
    return next((line[1:].strip() for line in section.splitlines() if line.startswith(SAID)), "")


def without_repeats(sections: "Sequence[str]") -> "list[str]":
    """Return sections without lines that say nothing, without code that one before shows, and with what differs said once.

    The name, the line that each test came to and the first line of what it raised are always there.
    """
    code: set[str] = set()
    sorts: set[str] = set()
    found = []
    for section in sections:
        name, *lines = section.splitlines()
        sort = evidence.normal(raised(section))
        told = _differing_once([line for line in lines if not SAYS_NOTHING.match(line)], sort in sorts)
        found.append("\n".join([name, *_new_code(told, code)]))
        code.update(line for line in told if _is_code(line))
        sorts.add(sort)
    return found


def _is_code(line: str) -> bool:
    return line.startswith("    ")


def _new_code(lines: "list[str]", known: "set[str]") -> "list[str]":
    """Return lines with a mark in place of code that was shown before, line for line."""
    kept: list[str] = []
    again: list[str] = []
    for line in [*lines, ""]:
        if _is_code(line) and line in known and not line.lstrip().startswith("def "):
            again.append(line)
            continue
        indent = again[0][: len(again[0]) - len(again[0].lstrip())] if again else ""
        kept += [f"{indent}..."] if len(again) >= FEWEST_ALIKE else again
        kept.append(line)
        again = []
    return kept[:-1]


def _differing_once(lines: "list[str]", is_known: bool) -> "list[str]":
    """Return lines with what a test raised cut to what it says once; `is_known` where one of this sort was told in full."""
    kept: list[str] = []
    said: list[str] = []
    for line in [*lines, ""]:
        if line.startswith(SAID):
            said.append(line)
            continue
        kept += _said_once(said, is_known) if said else []
        kept.append(line)
        said = []
    return kept[:-1]


def _said_once(said: "list[str]", is_known: bool) -> "list[str]":
    """Return what a test raised: its message, of a comparison the lines that differ, and where the values came from."""
    where = [line for line in said if WHERE.match(line)]
    rest = [line for line in said if not WHERE.match(line)]
    begins = [at for at, line in enumerate(rest) if at and (IN_FULL.match(line) or DIFFERS.match(line))]
    start = begins[0] if begins and "assert" in rest[0] else len(rest)
    message, compared = rest[:start], rest[start:]
    if len(message) > MOST_SAID:
        message = [*message[: MOST_SAID - MOST_LAST], f"E   {LEFT_OUT}", *message[-MOST_LAST:]]
    return [*message, *_differing(compared, message[0], repeated=is_known and len(message) > 1), *where]


def _differing(compared: "list[str]", headline: str, repeated: bool) -> "list[str]":
    """Return the lines of a comparison that differ, the first ones; none where the headline quotes them all, or all was said."""
    found = [line for line in compared if DIFFERS.match(line)]
    if repeated or all([str(DIFFERS.sub(r"\1", line)).strip(" ,") in headline for line in found]):
        return []
    more = [f"E   {LEFT_OUT}"] if len(found) > MOST_DIFFERING else []
    return found[:MOST_DIFFERING] + more


def shortened(section: str, most: int) -> str:
    """Return a section in at most so many characters, but always its name, where its test begins, what it came to and raised.

    Of the rest what else was raised and where goes before the code, of which the end is kept, and what was printed, of which the
    beginning is. A line is kept whole or not at all.
    """
    if len(section) <= most:
        return section
    lines = section.splitlines()
    order = _in_order(lines)
    kept = set(order[:ALWAYS])
    room = most - sum([len(lines[at]) + len(LEFT_OUT) + 2 for at in kept])
    for at in order[ALWAYS:]:
        price = len(lines[at]) + 1 + (0 if {at - 1, at + 1} & kept else len(LEFT_OUT) + 1)
        if price <= room:
            kept.add(at)
            room -= price
    return "\n".join(_with_marks(lines, kept))


ALWAYS = 4  # the name, what was raised, the line that the test came to, where the test begins


def _in_order(lines: "list[str]") -> "list[int]":
    """Return the positions of lines, the most telling first."""
    printed = next((at for at, line in enumerate(lines) if CAPTURED.match(line)), len(lines))
    said = [at for at in range(1, printed) if lines[at].startswith(SAID)][:1]
    reached = [at for at in range(1, said[0] if said else printed) if lines[at].startswith(REACHED)][-1:]
    code = [at for at in range(1, printed) if _is_code(lines[at])]
    other = [at for at in range(1, printed) if not _is_code(lines[at])]
    begins = [at for at in code if "def " in lines[at]][:1]
    return list(dict.fromkeys([0, *said, *reached, *begins, *other, *code[::-1], *range(printed, len(lines))]))


def _with_marks(lines: "list[str]", kept: "set[int]") -> "list[str]":
    """Return the lines that are kept, with a mark in the place of others."""
    found: list[str] = []
    for at, line in enumerate(lines):
        if at in kept:
            found.append(line)
        elif not found or found[-1] != LEFT_OUT:
            found.append(LEFT_OUT)
    return found
