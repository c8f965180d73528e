"""Cut the telling part out of a check's output."""

import json

from ralph_mem.core.redaction import privacy
from ralph_mem.ralph.criteria import sections
from ralph_mem.ralph.criteria.sections import LEFT_OUT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_CHARACTERS = 4_000
# What is looked at before secrets are cut out and the rest is cut to size.
MOST_SECTIONS = 20
MOST_SECTION = 6_000
MOST_TAIL = 3_000
MOST_TELLING = 6_000
LONGEST_LINE = 500  # a longer one is of a bundle, or a value that a test compared
MOST_WHOLE = 5  # sections that share the room evenly: a prompt shows as many
LEAST_USEFUL = 200  # characters: what is cut to fewer says little


def of(output: str, folder: str, protect: "Callable[[list[str]], list[str]] | None" = None) -> str:
    """Return what an output says about a failure in at most 4,000 characters.

    Of pytest these are the sections of the failing tests, the most telling first, each thing said once; of others the lines that
    speak of a failure and the end. `protect` cuts secrets out of whole lines, before anything is cut that could leave half of one.
    Nothing else is replaced: a time or a port may be what is wrong.
    """
    lines = [_of_length(line.rstrip()) for line in _readable(output).splitlines()]
    found = sections.read(lines)
    parts = [sections.shortened(each, MOST_SECTION) for each in found[:MOST_SECTIONS]] or _telling_and_tail(lines)
    parts = [part.replace(folder.rstrip("/") + "/", "") for part in parts]
    parts = protect(parts) if protect else parts
    return _of_sections(parts, len(found) - len(parts)) if found else _of_lines(parts)


def _readable(output: str) -> str:
    """Return what tests printed, where a tool wrapped each line of it into JSON, as `go test -json` does."""
    if not output.lstrip().startswith('{"'):
        return output
    return "".join([_unwrapped(line) for line in output.splitlines()])


def _unwrapped(line: str) -> str:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        return line + "\n"
    said = told.get("Output", "") if isinstance(told, dict) else line + "\n"
    return said if isinstance(said, str) else ""


def _of_length(line: str) -> str:
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[:LONGEST_LINE].rpartition(' ')[0]} {LEFT_OUT}"  # between words: half a secret is not recognised


def _telling_and_tail(lines: "list[str]") -> "list[str]":
    text = "\n".join(lines).strip()
    if len(text) <= MOST_CHARACTERS:
        return [text]
    tail = text if len(text) <= MOST_TAIL else text[text.find("\n", len(text) - MOST_TAIL) + 1 :]
    telling = privacy.error_lines(text[: len(text) - len(tail)], MOST_TELLING)
    return [telling, tail] if telling else [tail]


def _of_sections(parts: "Sequence[str]", more: int) -> str:
    """Return the first sections; each of five gets a fifth at least, and what one leaves the next ones may use."""
    kept: list[str] = []
    room = MOST_CHARACTERS - 20  # for the last line
    for position, part in enumerate(sections.without_repeats(parts)):
        if room < LEAST_USEFUL:
            more += len(parts) - position
            break
        sharing = max(1, min(MOST_WHOLE, len(parts)) - position)
        kept.append(sections.shortened(part, room // sharing - 2))
        room -= len(kept[-1]) + 2
    return "\n\n".join(kept + ([f"and {more} more"] if more else []))


def _of_lines(parts: "Sequence[str]") -> str:
    """Return the lines that speak of a failure, in half of the room at most, and the end."""
    *telling, tail = parts
    kept = [privacy.shorten(part, MOST_CHARACTERS // 2) for part in telling]
    return "\n\n".join([*kept, privacy.shorten(tail, MOST_CHARACTERS - sum([len(part) + 60 for part in kept]) - 60)])
