"""Find where in a text the secrets are, by all rules together, and mark them; loaded only when `gate` trips."""

from ralph_mem.core.redaction.names import REPEATED_FLOOR
from ralph_mem.core.redaction.values import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Span = tuple[int, int, str]
    Find = Callable[[str], list[Span]]

MARK = "[REDACTED:"
PARTING = "\x1e"  # within `privacy.SEPARATOR`
FEWEST_SPELLED = 4  # letters, one after the other
MOST_REPEATED = 32  # values that are looked for again, each in the whole text
ENCODING = ("base64", "b64", "hex", "xxd", "ncode", "ecode", "quote", "%")  # what speaks of other spellings of a value
NEAR = 1024  # characters beside a mark that are looked at again
SPELLED = (
    ("&quot;", '"'), ("&#34;", '"'), ("&#39;", "'"), ("&apos;", "'"), ("\\u0022", '"'), ("\\u0027", "'"), ("\\u003d", "="),
    ("\\u003D", "="), ("&#61;", "="), ("&#x3D;", "="), ("=3D", "="),
)  # fmt: skip
UPON_LETTERS = "\u0300\u0301\u0302\u0303\u0308\u030a\u030b\u030c\u0327\u0328"  # marks, each a character by itself

# What a text holds, in lower case, in which `tokens` and `headers` find anything; `tokens` beside that by where dots stand.
OF_TOKENS = (":aa", ".atlasv1.", ":apa91", "akia", "asia", "://")
OF_HEADERS = ("authorization", "bearer ", "cookie", "curl", "mysql", "mariadb", "sshpass", "docker login", "redis-cli")
ODD = frozenset("!*,;()<>[]{}|")  # signs that end a value in code
SHORTEST_DOTTED = 25  # characters of a token that is told by its dots


def redact(text: str, known: "Sequence[str]", patterns: "Sequence[str]", find: "Find") -> "tuple[str, dict[str, int]]":
    """Do what `redact.redact` tells of; `find` finds the spans that rules tell."""
    counts: dict[str, int] = {}
    bare = _spelled(_without_colours(text))
    if bare != text:  # where no secret comes together, they are what somebody wrote, and stay
        safe, counts = redact(bare, known, patterns, find)
        if counts:
            return safe, counts
    values: list[str] = []
    text, found = _round(text, known, patterns, find, counts, len(text), values)
    while found:  # a mark changes nothing for what stands far from it
        text, found = _round(text, known, patterns, find, counts, NEAR, values)
    values = [value for value in dict.fromkeys(values) if len(value) >= REPEATED_FLOOR][:MOST_REPEATED]
    if values and any([sign in text for sign in (*values, *ENCODING)]):
        from ralph_mem.core.redaction import repeats  # lazy: only where something may stand twice

        text, _ = _round(text, [], [], repeats.finder(values, text), counts, len(text), [])
    return text, counts


def by_rules(
    text: str, folded: str, starts: "set[str]", redact_part: "Callable[..., tuple[str, dict[str, int]]] | None"
) -> "list[Span]":
    """Find the spans (start, end, kind) of secrets; `folded` is the text in lower case, character by character.

    `starts` are the first two and three characters of its words that may be tokens, and `redact_part` is for a text that may hold a
    secret of a class, which is redacted in parts.
    """
    spans: list[Span] = []
    is_dotted = any([len(word) > SHORTEST_DOTTED and "." in word for word in text.split()])
    if starts or is_dotted or any([sign in folded for sign in OF_TOKENS]):
        from ralph_mem.core.redaction import tokens  # lazy: only for one of its signs

        spans += tokens.find(text, folded, starts, is_dotted)
    if any([sign in folded for sign in OF_HEADERS]):
        from ralph_mem.core.redaction import headers  # lazy: only for one of its signs

        spans += headers.find(text, folded)
    if not redact_part:
        from ralph_mem.core.redaction import assignments  # lazy: `classes` asks it among others

        found = assignments.find(text, folded)
    else:
        from ralph_mem.core.redaction import classes  # lazy: only for a text that may hold one of a class

        found = classes.find(text, folded, redact_part)
    if text.count("=") > 1 or not ODD.isdisjoint(text):
        from ralph_mem.core.redaction import pairs  # lazy: only for one of its signs

        found = found + pairs.find(text, folded)
    sums = [span for span in found if span[2] == "key" and span[1] - span[0] in (40, 64)]
    if sums:  # digits of SHA-1 and SHA-256
        from ralph_mem.core.redaction import endings  # lazy: only for what is as long as a sum

        found = [span for span in found if span not in sums or not endings.is_sum(text, *span[:2])]
    return spans + found


def _without_colours(text: str) -> str:
    """Take away the colours that JSON and shells spell out; they split words."""
    if "1b[" not in text and "33[" not in text:
        return text
    from ralph_mem.core.redaction import terminal  # lazy: only for text with escape sequences

    return terminal.without_spelled_escapes(text)


def _spelled(text: str) -> str:
    """Return a text with the quotes and signs that HTML, JSON and addresses spell out as such."""
    for sign, meant in SPELLED:
        text = text.replace(sign, meant) if sign in text else text
    if not text.isascii() and any([mark in text for mark in UPON_LETTERS]):
        from ralph_mem.core.redaction import spelling  # lazy: only for letters in two parts

        text = spelling.composed(text)
    if ("quoted-printable" in text and "=" in text) or any([text.count(sign) >= FEWEST_SPELLED for sign in ("\\u00", "&#", "%")]):
        from ralph_mem.core.redaction import spelling  # lazy: only for a mail, and for what is spelled out

        return spelling.read(text)
    return text


def _round(
    text: str,
    known: "Sequence[str]",
    patterns: "Sequence[str]",
    find: "Find",
    counts: "dict[str, int]",
    reach: int,
    values: "list[str]",
) -> "tuple[str, bool]":
    pieces = between_marks(text)
    found = False
    if patterns:
        from ralph_mem.core.redaction import repeats  # lazy: only for a person's own patterns
    for index in range(0, len(pieces), 2):
        before, piece, after = _beside_marks(pieces[index], index > 0, index < len(pieces) - 1, reach)
        spans = [(at, at + len(value), "known-value") for value in known for at in places(piece, value)]
        spans += (repeats.matches(piece, patterns) if patterns else []) + (find(piece) if piece.strip() else [])
        found = found or bool(spans)
        spans = [_within(piece, *span) for span in spans] if PARTING in piece else spans
        values += [piece[start:stop] for start, stop, _ in spans]
        pieces[index] = before + _marked(piece, spans, counts) + after
    return "".join(pieces), found


def _within(piece: str, start: int, end: int, kind: str) -> "Span":
    """Return a span without what lies behind the sign that parts texts which are redacted together."""
    cut = piece.find(PARTING, start, end)
    return (start, end if cut < 0 else max(start, cut - 1), kind)


def _beside_marks(piece: str, is_behind: bool, is_before: bool, reach: int) -> "tuple[str, str, str]":
    """Return what of a piece stands far from the marks beside it, what stands near, and what far again: all lines are whole."""
    if len(piece) <= 2 * reach or is_behind == is_before:
        return "", piece, ""
    if is_behind:
        cut = piece.find("\n", reach)
        return ("", piece, "") if cut < 0 else ("", piece[:cut], piece[cut:])
    cut = piece.rfind("\n", 0, len(piece) - reach)
    return piece[: cut + 1], piece[cut + 1 :], ""


def between_marks(text: str) -> "list[str]":
    """Cut a text at its marks; these are the second, the fourth and so on of the pieces."""
    first, *rest = text.split(MARK)
    pieces = [first]
    for part in rest:
        kind, bracket, after = part.partition("]")
        if bracket and kind.replace("-", "").isalpha() and kind.islower() and len(kind) < 24:
            pieces += [f"{MARK}{kind}]", after]
        else:
            pieces[-1] += MARK + part
    return pieces


def _marked(text: str, spans: "list[Span]", counts: "dict[str, int]") -> str:
    kept = []
    end = 0
    for start, stop, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if start >= end:
            kept += [text[end:start], MARK, kind, "]"]
            counts[kind] = counts.get(kind, 0) + 1
        end = max(end, stop)
    return "".join(kept) + text[end:]
