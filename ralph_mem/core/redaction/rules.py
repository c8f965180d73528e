"""Ask the modules that may find a secret; each is loaded only for a text with one of its signs."""

from ralph_mem.core.redaction import assignments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int, str]

# What a text holds, in lower case, in which `tokens` and `headers` find anything; `tokens` beside that by where dots stand.
OF_TOKENS = (":aa", ".atlasv1.", ":apa91", "akia", "asia", "://")
OF_HEADERS = ("authorization", "bearer ", "cookie", "curl", "mysql", "mariadb", "sshpass", "docker login", "redis-cli")
ODD = frozenset("!*,;()<>[]{}|")  # signs that end a value in code
SHORTEST_DOTTED = 25  # characters of a token that is told by its dots


def find(text: str, folded: str, starts: "set[str]", redact: "Callable[..., tuple[str, dict[str, int]]] | None") -> "list[Span]":
    """Find the spans (start, end, kind) of secrets; `folded` is the text in lower case, character by character.

    `starts` are the first two and three characters of its words that may be tokens, and `redact` is for a text that may hold a
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
    if not redact:
        found = assignments.find(text, folded)
    else:
        from ralph_mem.core.redaction import classes  # lazy: only for a text that may hold one of a class

        found = classes.find(text, folded, redact)
    if text.count("=") > 1 or not ODD.isdisjoint(text):
        from ralph_mem.core.redaction import pairs  # lazy: only for one of its signs

        found = found + pairs.find(text, folded)
    sums = [span for span in found if span[2] == "key" and span[1] - span[0] in (40, 64)]
    if sums:  # digits of SHA-1 and SHA-256
        from ralph_mem.core.redaction import endings  # lazy: only for what is as long as a sum

        found = [span for span in found if span not in sums or not endings.is_sum(text, *span[:2])]
    return spans + found
