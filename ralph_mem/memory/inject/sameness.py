"""Tell whether two texts say the same words, numbers, paths, flags and negations in the same order.

Wrapping, bullets and, of words typed in plain, capitals and marks at their ends make no difference.
"""

from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Words = list[str]
    Wording = Callable[[Words], str]

BULLETS = ("-", "*", "+", ">", "\u2022", "#", "##", "###", "####", "#####", "######", "[", "]", "[x]", "[X]")
HEADINGS, FENCES = BULLETS[5:11], ("```", "~~~")
TYPED = {0x2018: "'", 0x2019: "'", 0x201C: '"', 0x201D: '"', 0x2013: "-", 0x2014: "-", 0x2192: "->", 0x2026: "..."}
SENTENCE_ENDS, QUIET_ENDS, QUOTES = ".!?", ".,;:!", "\"'"
ABBREVIATIONS = frozenset(("e.g.", "i.e.", "vs.", "etc.", "cf.", "approx.", "incl."))
NEGATIONS = frozenset(
    "no not never don't dont doesn't cannot can't mustn't shouldn't won't isn't aren't without avoid instead rather except unless"
    " neither nor forbidden deprecated wrong bad anti-patterns donts don'ts nicht nie kein keine niemals pas jamais nunca".split()
)
# With these a line goes on that somebody broke in the middle of a sentence.
GOES_ON = frozenset(
    "and or but if unless except only when while where because than that which with without to of in for as".split()
)
NO_MARKS = {ord(sign): " " for sign in '*`_.,:;!?()"'}
# What differs when the same happens again: its day, how long it took, the ids in it. A day that is set and a time that is
# allowed are no such: "until 2026-12-01", "time out after 30 s".
MONTHS = frozenset("jan feb mar apr may jun jul aug sep sept oct nov dec".split())
SET = frozenset("until till by before after from since due to is for expires between through deadline starting at every".split())
NAMED = frozenset("commit sha revision rev tag to hash pin version is".split())
TOOK, WITHIN, DONE = (
    frozenset(("took", "takes", "lasted", "elapsed")),
    ("in", "after", "for"),
    ("done", "ran", "run", "built", "ok", "green"),
)
ROUNDS = frozenset("iteration iterations attempt attempts round rounds".split())
UNITS = ROUNDS | frozenset("ms s sec secs second seconds m min mins minute minutes h hr hrs hour hours day days".split())
DIGITS, HEXADECIMAL = "0123456789", frozenset("0123456789abcdef")
MOST_PIECES = 20
MOST_DIFFERENT = 8  # words that are told of a memory beside another one: more of them tell nothing without the rest
NOTHING = "\0"  # in the place of a statement that is not to be compared


def says(whole: str, text: str) -> bool:
    """Say whether each statement of a text stands in another one.

    Words that carry the markup of a line were copied from it, so whatever else differs was changed on purpose; plain words
    were typed, and their capitals and marks are no news.
    """
    found, text = list(_lines(whole)), text.strip()
    if text[:2] == text[-2:] == "**" and text.count("**") == 2 and _say(found, text[2:-2]):
        return True  # the whole of it stands out: nothing in it does
    return _say(found, text)


def _say(found: "list[tuple[bool, Words]]", text: str) -> bool:
    said = [words for _, line in _lines(text) for words in _sentences(line)]
    plain = [_plain(words) for words in said]
    if not _is_marked(text):
        return _Run(found, _plain).holds(plain)
    return _Run(found, _exact).holds([_exact(words) for words in said]) or _Run(found, _unmarked).holds(plain)


def is_repeated(one: str, other: str) -> bool:
    """Say whether two texts tell of the same once more: they say the same but for days, ids, and how long it took."""
    return _once(one) == _once(other)


def differing(label: str, text: str, name: str, first: str) -> str:
    """Return what is told of a memory of which the item of another one, by its name, has nearly all words; nothing if it has all.

    `text` and `first` are the items, with their labels or without.
    """
    one, other = [(each.partition("] ")[2] if each[:3] == "- [" else each[2:]).split() for each in (text, first)]
    words, others = [[word.lower() for word in each] for each in (one, other)]
    if words == others:
        return ""
    more = list(dict.fromkeys([word for word in one if word.lower() not in others]))
    less = list(dict.fromkeys([word for word in other if word.lower() not in words]))
    if len(more) + len(less) > MOST_DIFFERENT:
        return f"- {label} nearly as [{name}], {len(more) + len(less)} words differ"
    parts = [f"with {' '.join(more)}"] * bool(more) + [f"without {' '.join(less)}"] * bool(less)
    return f"- {label} as [{name}], " + (" and ".join(parts) or "in another order")


def _once(text: str) -> "Words":
    """Return the words of a text, and in the place of what differs each time that it happens a word for it."""
    raw = text.split()
    words = [_bare(word).strip("[]") for word in raw]
    found: Words = []
    for at, word in enumerate(words):
        before, last = (words[at - 2] if at > 1 else ""), (words[at - 1] if at else "")
        following = words[at + 1] if at + 1 < len(words) else ""
        # one iteration, two iterations
        counts = word in UNITS and found[-1:] == [NOTHING] and last[-1:] in DIGITS
        differs = counts or _is_day(word, last, following, found) or _is_id(word, last)
        aside = raw[at].startswith("(") and "." in word
        found.append(NOTHING if differs or _is_measured(word, before, "took" if aside else last, following) else word)
    return found


def _is_day(word: str, last: str, following: str, found: "Words") -> bool:
    shape = "".join(["0" if char in DIGITS else char for char in word])
    if shape[:10] == "0000-00-00" and not shape[10:].strip("0t:.z+-"):
        return last not in SET
    if shape in ("00:00", "00:00:00"):
        return found[-1:] == [NOTHING]
    month = MONTHS.intersection((word[:3], last[:3], following[:3]))
    return bool(month) and shape.strip("0") == "" and 0 < len(shape) <= 4 and last not in SET


def _is_id(word: str, last: str) -> bool:
    if row.is_public_id(word) or word[:2] == "0x":
        return True
    plain = word.replace("-", "")
    mixed = HEXADECIMAL.issuperset(plain) and not plain.isalpha() and not plain.isdigit()
    return mixed and len(plain) >= 7 and last not in NAMED


def _is_measured(word: str, before: str, last: str, following: str) -> bool:
    number = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = word[len(number) :] or following
    if unit not in UNITS or not number or number.strip(DIGITS + "."):
        return False
    ended = before[-2:] == "ed" or before in DONE or unit in ROUNDS or "." in number
    return last in TOOK or (last in WITHIN and ended)


class _Run:
    """Statements in a row, and the same text with a line break wherever one may begin or end."""

    def __init__(self, found: "list[tuple[bool, Words]]", wording: "Wording") -> None:
        self.ends = "".join([("\n" if begins else " ") + wording(words) for begins, words in found]) + "\n"
        self.flat = self.ends.replace("\n", " ")

    def holds(self, pieces: "list[str]") -> bool:
        """Say whether a text stands here as a whole, or in pieces that each do."""
        pieces = [piece for piece in pieces if piece]
        if not pieces or self._has(" ".join(pieces)):
            return bool(pieces)
        at = 0
        while at < len(pieces) <= MOST_PIECES:
            sizes = range(len(pieces) - at, 0, -1)
            size = next((size for size in sizes if self._has(" ".join(pieces[at : at + size]).rstrip(QUIET_ENDS))), 0)
            if not size or size == len(pieces):
                return False
            at += size
        return at == len(pieces)

    def _has(self, said: str) -> bool:
        at = self.flat.find(" " + said)
        while at >= 0:
            end = at + 1 + len(said)
            rest = self.ends[end : end + 4].lstrip(QUIET_ENDS)
            if self.ends[at] == rest[:1] == "\n":
                return True
            at = self.flat.find(" " + said, at + 1)
        return False


def _is_marked(text: str) -> bool:
    """Say whether a text has markup of its own."""
    return "`" in text or "**" in text


def _exact(words: "Words") -> str:
    return " ".join([_folded(word) for word in words if word not in BULLETS])


def _plain(words: "Words") -> str:
    return " ".join([bare for bare in [_bare(word) for word in words] if bare])


def _unmarked(words: "Words") -> str:
    return NOTHING if _is_marked(" ".join(words)) else _plain(words)


def _folded(word: str) -> str:
    """Return a word in small letters, but for a flag, whose capital means something else."""
    return word if word.startswith("-") else word.casefold()


def _bare(word: str) -> str:
    """Return a word as somebody would type it: without markup, quotes and what ends a sentence."""
    if word.isalnum():
        return word.casefold()
    word = word.replace("`", "").replace("**", "")
    word = word if word.isascii() else word.translate(TYPED)
    if word in BULLETS:
        return ""
    if word[:1] == "*" and word[1:2].isalnum():
        word = word[1:]
    bare = word.rstrip(QUIET_ENDS + QUOTES).lstrip(QUOTES)
    if bare[:1] == "(" and ")" not in bare:
        bare = bare[1:]
    if bare[-1:] == ")" and "(" not in bare:
        bare = bare[:-1].rstrip(QUIET_ENDS + QUOTES)
    if len(bare) > 2 and bare[0] == bare[-1] == "_" and "_" not in bare[1:-1]:
        bare = bare[1:-1]
    if bare[-1:] == "*" and bare[-2:-1].isalnum():
        bare = bare[:-1]
    return _folded(bare or word.strip(QUOTES))


def _lines(text: str) -> "Iterator[tuple[bool, Words]]":
    """Yield the words of each line, and whether a statement may begin there: not below a heading that forbids."""
    before, forbidden, in_fence, is_new = "", "", False, True
    item, depth = 0, 0  # how deep a line must stand to belong to the last bullet, and to a lead-in that forbids
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith(FENCES):
            in_fence ^= bool(words)
            is_new, forbidden = True, "" if forbidden == "lead" and not words else forbidden
            continue
        indent, bullet = len(line) - len(line.lstrip()), _is_bullet(words[0])
        if words[0] in HEADINGS or (forbidden == "lead" and not (bullet and indent >= depth)):
            forbidden = ""
        held = _without_bullets(words) if bullet else words
        item = indent + 1 if bullet else item * (not is_new or indent > 0)
        begins = is_new or in_fence or bullet or _may_begin(before, held)
        yield begins or bool(forbidden), [NOTHING] if forbidden else held
        negates = _negates(line)
        if negates and words[0] in HEADINGS:
            forbidden = "heading"
        elif negates and line.rstrip(" *").endswith(":") and not forbidden:
            forbidden, depth = "lead", item
        before, is_new = line, False


def _negates(line: str) -> bool:
    return not NEGATIONS.isdisjoint(line.lower().translate(NO_MARKS).split())


def _is_bullet(word: str) -> bool:
    return word in BULLETS or (word[-1] in ".)" and word[:-1].isdigit())


def _without_bullets(words: "Words") -> "Words":
    at = 0
    while at < len(words) - 1 and (words[at] in BULLETS or (at < 2 and _is_bullet(words[at]))):
        at += 1
    return words[at:]


def _may_begin(before: str, words: "Words") -> bool:
    """Say whether a line begins a statement, or goes on with one that was wrapped."""
    last = before.rsplit(None, 1)[-1]
    if last[-1] in SENTENCE_ENDS + ":;":
        return last[-1] != ":" or not _negates(before)
    if _bare(last) in NEGATIONS or _bare(last) in GOES_ON:
        return False
    return not words[0][0].islower() or not (_bare(words[0]) in GOES_ON or _negates(before))


def _sentences(words: "Words") -> "Iterator[Words]":
    start = 0
    for at, word in enumerate(words[:-1], 1):
        if _ends(word, words[at]):
            yield words[start:at]
            start = at
    yield words[start:]


def _ends(word: str, following: str) -> bool:
    """Say whether a sentence ends with a word."""
    closed = word.rstrip("*`_\"')\u201d")
    return closed[-1:] in SENTENCE_ENDS and bool(closed) and word.lower() not in ABBREVIATIONS and not following[0].islower()
