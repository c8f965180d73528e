"""Merge two changes of one text line by line, as far as they are in different places."""

from difflib import SequenceMatcher

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    Lines = list[bytes]

# difflib takes a tenth of a second for texts of this size; a larger one is rarely written by hand.
MOST_BYTES = 1_000_000
MOST_LINES = 20_000


def merge(base: bytes, ours: bytes, theirs: bytes) -> "bytes | None":
    """Return a text with both changes of `base`; None where they touch the same lines or lines side by side, or are no text."""
    if any([b"\0" in text or len(text) > MOST_BYTES for text in (base, ours, theirs)]):
        return None
    split = [text.splitlines(keepends=True) for text in (base, ours, theirs)]
    if max([len(lines) for lines in split]) > MOST_LINES:
        return None
    merged: Lines = []
    for part in _parts(*split):
        chosen = _chosen(*part)
        if chosen is None:
            return None
        merged += chosen
    return b"".join(merged)


def _chosen(base: "Lines", ours: "Lines", theirs: "Lines") -> "Lines | None":
    if ours in (base, theirs):
        return theirs
    return ours if theirs == base else None


def _parts(base: "Lines", ours: "Lines", theirs: "Lines") -> "Iterator[tuple[Lines, Lines, Lines]]":
    """Yield the three texts in parts that belong together: what all have, and what lies between."""
    at = (0, 0, 0)
    for start, mine, other, length in [*_common(base, ours, theirs), (len(base), len(ours), len(theirs), 0)]:
        yield base[at[0] : start], ours[at[1] : mine], theirs[at[2] : other]
        yield base[start : start + length], ours[mine : mine + length], theirs[other : other + length]
        at = start + length, mine + length, other + length


def _common(base: "Lines", ours: "Lines", theirs: "Lines") -> "list[tuple[int, int, int, int]]":
    """Return the stretches that all three have, as where each begins and how long it is."""
    one, two = _matches(base, ours), _matches(base, theirs)
    found, i, j = [], 0, 0
    while i < len(one) and j < len(two):
        (a, mine, long), (b, other, wide) = one[i], two[j]
        start, end = max(a, b), min(a + long, b + wide)
        if start < end:
            found.append((start, mine + start - a, other + start - b, end - start))
        i, j = (i + 1, j) if a + long < b + wide else (i, j + 1)
    return found


def _matches(base: "Lines", other: "Lines") -> "list[tuple[int, int, int]]":
    """Return the stretches that two texts share; what they begin and end with alike is not compared, which is most of it."""
    least = min(len(base), len(other))
    head = next((at for at in range(least) if base[at] != other[at]), least)
    tail = next((at for at in range(least - head) if base[-1 - at] != other[-1 - at]), least - head)
    inner = SequenceMatcher(None, base[head : len(base) - tail], other[head : len(other) - tail], autojunk=False)
    found = [(head + each.a, head + each.b, each.size) for each in inner.get_matching_blocks()]
    return [each for each in [(0, 0, head), *found, (len(base) - tail, len(other) - tail, tail)] if each[2]]
