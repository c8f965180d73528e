"""Find secrets of several words behind a name that says so, such as `secretPhrase` or `recovery phrase`."""

from ralph_mem.core.redaction.passwords import OF_FORMS
from ralph_mem.core.redaction.values import DIGITS, is_called_so, places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

STEMS = ("phrase", "frase", "mnemonic", "kennsatz", "merksatz")
# One of these stands in the name as well, if it is none by itself.
OWNERS = (
    "pass", "secret", "recovery", "seed", "backup", "wallet", "recuper", "semilla", "segret", "segred", "clave", "geheim",
    "wiederherstell", "récup", "sécr", "unlock", "restore",
)  # fmt: skip
ALONE = ("mnemonic", "kennsatz", "merksatz")
BETWEEN = " \t\"'`\\:=>"
QUOTES = "\"'`"
BLOCKS = ("|", "|-", ">", ">-")  # of YAML: the value stands below
FEWEST, MOST, LONGEST_WORD, FAR = 3, 25, 16, 400
# What forms say of such a phrase in other languages.
SPOKEN = ("frase", "satz", "contra", "clave", "senha", "mot ", "passwort", "kennwort", "phrase")


def find(text: str, folded: str) -> "list[Span]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    spans = []
    for stem in STEMS:
        for at in places(folded, stem):
            begin = max(0, at - 16)
            name = folded[begin:at].rpartition("\n")[2]
            end = _end_of_name(text, at + len(stem))
            if stem not in ALONE and not any([owner in name or owner in folded[at:end] for owner in OWNERS]):
                continue
            start = end + len(text[end : end + 24]) - len(text[end : end + 24].lstrip(BETWEEN))
            between = text[end:start]
            value = _value(text, start, between)
            if value in BLOCKS:
                below = text[start : start + FAR].partition("\n")[2].partition("\n")[0].strip()
                spans += [(text.index(below, start), text.index(below, start) + len(below), "password")] * _is_below(below)
                continue
            is_told = ":" in between or "=" in between or _is_of_row(text, begin, name, between, value)
            if is_told and _is_phrase(value):
                spans.append((start, start + len(value), "password"))
    return spans


def _is_of_row(text: str, begin: int, name: str, between: str, value: str) -> bool:
    """Say whether a name begins its line and blanks part it from words that end with a digit, as in a table: no help does."""
    is_first = not name.strip(" \tabcdefghijklmnopqrstuvwxyz_") and ("\n" in text[begin : begin + 16] or not begin)
    return is_first and (between[:2] == "  " or between[:1] == "\t") and value[-1:] in DIGITS


def _end_of_name(text: str, at: int) -> int:
    """Return where a name ends that may go on with a word or two: `frase_de_recuperacion`, `phrase secrète`."""
    rest = text[at : at + 32]
    ends = [place for place in map(rest.find, ":=\"'\n\\") if place >= 0]
    end = min(ends, default=0)
    return at + end if all([part.isalpha() for part in rest[:end].replace("_", " ").replace("-", " ").split()]) else at


def _value(text: str, start: int, between: str) -> str:
    """Return what stands behind a name: up to the quote that closes it, spelled out or not, or up to the end of the line."""
    line = text[start : start + FAR].partition("\n")[0]
    quote = between.rstrip("\\")[-1:]
    if quote in QUOTES and quote:
        value, close, _ = line.partition(quote)
        return value.rstrip("\\") if close else ""
    return line.strip()


def _is_below(value: str) -> bool:
    """Say whether the line below a name is some words and nothing else."""
    words = value.split(" ")
    return FEWEST <= len(words) <= MOST and all([word.isalpha() for word in words])


def _is_phrase(value: str) -> bool:
    """Say whether words are a phrase that somebody made up: no sentence, which begins with a capital, and no text of a form."""
    words = value.split(" ")
    return (
        FEWEST <= len(words) <= MOST
        and (value[0].islower() or value[-1] in DIGITS)
        and all([word.strip("!?,").replace("-", "a").replace("'", "a").isalnum() and len(word) <= LONGEST_WORD for word in words])
        and OF_FORMS.isdisjoint(value.lower().split())
        and not is_called_so(value)
        and not any([word in value.lower() for word in SPOKEN])
    )
