"""Read which words of a statement name what is used no longer, and which ones what it tells to use."""

from ralph_mem.memory.facts import likeness

TYPE_CHECKING = False
if TYPE_CHECKING:
    # What is kept of a part of a statement, and what is given up.
    Parts = tuple[list[str], list[str]]

# A case that may come says nothing of how things are.
CASES = frozenset("if when whenever once until unless after before while falls wenn sobald bis".split())
FORMS = frozenset("is are was were has have been got ist sind wurde wurden now".split())
OVER = frozenset("gone dropped dead removed retired deprecated obsolete abandoned weg abgeschafft".split())
CHANGED = frozenset("switched moved migrated changed went gewechselt umgestiegen umgezogen".split())
FROM, TO, BY = ("from", "von"), ("to", "auf", "zu"), ("by", "with")
INSTEAD = (("instead", "of"), ("rather", "than"), ("in", "place", "of"), ("statt",), ("anstatt",))
NO_LONGER = (("no", "longer"), ("no", "more"), ("nicht", "mehr"))
NEVER = frozenset("never not don't dont doesn't won't aren't isn't kein keine keinen keinem keiner nicht".split())
ANY_MORE = (("any", "more"), ("anymore",), ("any", "longer"), ("mehr",))
ANEW = (("from", "now", "on"), ("ab", "sofort"), ("ab", "jetzt"))
MOST_GIVEN_UP = 6  # words: what is named by more of them is told of, and not named
# `, never just the name` says no more of the part before it, and `don't start` is of the moment.
FEWEST_FORBIDDEN, NO_VERBS = 2, frozenset("just only the a an ever der die das den".split())
ENDS = ",;:.!"


def read(statement: str) -> "Parts":
    """Return the words that a statement keeps, and those that name what it gives up, without marks; mostly none of these."""
    parts = read_parts(statement)
    return [word for kept, _ in parts for word in kept], [word for _, given_up in parts for word in given_up]


def read_parts(statement: str) -> "list[Parts]":
    """Return the same of each part of a statement that a mark ends."""
    parts = _parts(likeness.words_of(statement))
    return [(part, []) if not CASES.isdisjoint(part) else _forbidden(part, parts) or _read(part) for part in parts]


def said_anew(words: "list[str]") -> "list[str]":
    """Return what words say that holds from now on, without that; nothing where they do not say so."""
    found = _at(words, ANEW)
    return words[: found[0]] + words[found[1] :] if found else []


def _parts(words: "list[str]") -> "list[list[str]]":
    """Split words where a mark ends a part of a sentence, without their marks."""
    parts: list[list[str]] = [[]]
    for word in words:
        bare = word.strip(likeness.MARKS)
        parts[-1] += [bare] if bare else []
        if word[-1] in ENDS:
            parts.append([])
    return [part for part in parts if part]


def _read(part: "list[str]") -> "Parts":
    for reading in (_instead, _replaced, _changed, _no_longer, _any_more, _over):
        found = reading(part)
        if found and 0 < len(found[1]) <= MOST_GIVEN_UP:
            return found
    return part, []


def _forbidden(part: "list[str]", parts: "list[list[str]]") -> "Parts | None":
    """Read `never indent with tabs` where another part says what to do instead."""
    is_short = FEWEST_FORBIDDEN < len(part) <= MOST_GIVEN_UP + 1 and part[1] not in NO_VERBS
    return ([], part[1:]) if len(parts) > 1 and part[0] in NEVER and is_short and not _at(part, ANY_MORE) else None


def _at(part: "list[str]", phrases: "tuple[tuple[str, ...], ...]") -> "tuple[int, int] | None":
    """Return where the first of some phrases begins and ends in a part."""
    places = [(at, at + len(each)) for at in range(len(part)) for each in phrases if tuple(part[at : at + len(each)]) == each]
    return places[0] if places else None


def _instead(part: "list[str]") -> "Parts | None":
    """Read `use bun instead of pnpm`."""
    found = _at(part, INSTEAD)
    return (part[: found[0]], part[found[1] :]) if found else None


def _replaced(part: "list[str]") -> "Parts | None":
    """Read `npm was replaced by pnpm` and `we replaced npm with pnpm`."""
    at = part.index("replaced") if "replaced" in part else 0
    by = next((by for by in range(at + 1, len(part)) if part[by] in BY), 0) if at else 0
    if not by:
        return None
    return part[by + 1 :], part[at + 1 : by] or [word for word in part[:at] if word not in FORMS]


def _changed(part: "list[str]") -> "Parts | None":
    """Read `we switched from npm to pnpm`."""
    start = next((at + 1 for at, word in enumerate(part) if word in FROM), 0)
    end = next((at for at in range(start + 1, len(part)) if part[at] in TO), 0) if start else 0
    return (part[end + 1 :], part[start:end]) if end and not CHANGED.isdisjoint(part) else None


def _no_longer(part: "list[str]") -> "Parts | None":
    """Read `we no longer use yarn` and `no more ISO strings`."""
    found = _at(part, NO_LONGER)
    return ([], part[found[1] :]) if found else None


def _any_more(part: "list[str]") -> "Parts | None":
    """Read `never use make any more` and `wir verwenden kein pnpm mehr`."""
    end, start = _at(part, ANY_MORE), next((at + 1 for at, word in enumerate(part) if word in NEVER), 0)
    return ([], part[start : end[0]]) if end and 0 < start < end[0] else None


def _over(part: "list[str]") -> "Parts | None":
    """Read `make deploy is gone`."""
    end = len(part) - 1
    while end and part[end - 1] in FORMS:
        end -= 1
    return ([], part[:end]) if part[-1] in OVER and end < len(part) - 1 else None
