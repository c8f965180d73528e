"""Find secrets by the class of what they stand in, such as command lines, tables, calls, documents and encodings."""

from ralph_mem.core.redaction.names import is_jumbled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Span = tuple[int, int, str]
    Find = Callable[[str, str], list[Span]]


LONGEST_PASSWORD = 24  # of letters alone
LONGEST_LINE = 2048


def find(text: str, folded: str, names: "list[str]", holds_secret: "Callable[[str], bool]") -> "list[Span]":
    """Find the spans (start, end, kind) of the classes that are named; `holds_secret` judges what was decoded."""
    spans: list[Span] = []
    for name in names:
        spans += _encodings(text, holds_secret) if name == "encodings" else FINDING[name](text, folded)
    return [span for span in spans if span[1] > span[0]]


def _shell(text: str, _folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import shell  # lazy: only for a text with a program that takes secrets

    return shell.find(text)


def _printing(text: str, _folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import printing  # lazy: only for what was copied from a terminal

    return printing.find(text)


def _tables(text: str, _folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import tables  # lazy: only for a text with columns and a label

    return tables.find(text)


def _wrappers(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import wrappers  # lazy: only for a label before a call

    return wrappers.find(text, folded)


def _formats(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import formats  # lazy: only for a text with one of the signs

    return formats.find(text, folded)


def _documents(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import documents  # lazy: only for a text with one of the signs

    return documents.find(text, folded)


def _encodings(text: str, holds_secret: "Callable[[str], bool]") -> "list[Span]":
    from ralph_mem.core.redaction import encodings  # lazy: only for a word that reads as text when it is decoded

    return encodings.find(text, holds_secret)


def _statements(text: str, folded: str) -> "list[Span]":
    from ralph_mem.core.redaction import statements  # lazy: only for a text with one of the signs

    return statements.find(text, folded)


def _passwords(text: str, folded: str) -> "list[Span]":
    """Find what is assigned, also where letters alone are no reason for `gate` to look."""
    from ralph_mem.core.redaction import assignments  # lazy: only for a text that speaks of a password

    if max(map(len, text.split("\n"))) > LONGEST_LINE:  # where each value would reach far
        return []
    found = [span for span in assignments.find(text, folded) if span[2] == "password" and span[1] - span[0] <= LONGEST_PASSWORD]
    return [span for span in found if is_jumbled(text[span[0] : span[1]]) and "assw" not in text[span[0] : span[1]]]


FINDING: "dict[str, Find]" = {
    "shell": _shell, "printing": _printing, "tables": _tables, "wrappers": _wrappers, "formats": _formats, "documents": _documents,
    "statements": _statements, "passwords": _passwords,
}  # fmt: skip
