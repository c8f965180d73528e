"""Say where a value ends that few texts hold, and whether a setting ends with it."""

from ralph_mem.core.redaction.names import BLANKS, FAR_VALUE, LONGEST_NAME, NAME, is_secret, skip
from ralph_mem.core.redaction.values import HEX, looks_random

ENDS = " \t\r\n\"'`<>;,()[]{}|\\"
JOINING = ("+", "&", ".", "||", "..", "<<")  # which languages join two texts with


def beyond_and(text: str, end: int) -> int:
    """Return where a value ends that an & stands in: in an address a name and a sign follow it, in a shell a blank."""
    window = text[end : end + LONGEST_NAME]
    rest = window[: min([at for at in map(window.find, ENDS) if at >= 0], default=len(window))]
    for piece in rest.split("&")[1:]:
        name, equals, _ = piece.partition("=")
        if not piece or (equals and name.islower()):
            break
        end += len(piece) + 1
    return end


def that_goes_on(text: str, name: str, name_start: int, at: int, end: int, kind: str) -> "tuple[int, bool]":
    """Return where a value without quotes ends behind which something follows, and whether that is sure: quotes end it in which
    all of its assignment stands, `"DB_PASSWORD=a b"`, or it is words with a number, in a column or of a Wi-Fi.
    """
    if name[:1] == "-":
        return of_word(text, at), False
    if kind == "password" and text[end] == " " and _is_setting_of_words(text, name, name_start, at):
        return at + len(text[at : at + LONGEST_NAME].partition("\n")[0].rstrip()), True
    first, end = end, beyond(text, at, end, kind)
    if end > first and " " in text[at:end] and (name.lower().endswith("psk") or text[at - 2 : at] == "  "):
        return end, True
    is_short = kind == "password" and not is_secret(text[at:end] or "x", kind, "greedy")
    if is_short and name.isupper() and name_start and text[name_start - 1] in "\"'" and text[at - 1] == "=":
        close = text.find(text[name_start - 1], at, at + LONGEST_NAME)
        if close > end and "\n" not in text[at:close] and "=" not in text[end:close]:
            return close, True
    return end, False


def _is_setting_of_words(text: str, name: str, name_start: int, at: int) -> bool:
    """Say whether a line is a name and a few words, of which most are not known here: `client_phrase=drie witte zwanen`."""
    line = text[at : at + LONGEST_NAME].partition("\n")[0].rstrip()
    before = text[max(0, name_start - LONGEST_NAME) : name_start].rpartition("\n")[2]
    if (text[at - 1] != "=" and not (name.isupper() and "_" in name)) or before.rstrip(" \t+-#")[-1:].isalpha():
        return False
    from ralph_mem.core.redaction import passwords  # lazy: only for a line of several words

    return passwords.is_unheard(line.rstrip("0123456789 "))


def beyond(text: str, at: int, end: int, kind: str) -> int:
    """Return where a value ends behind which an & or a blank stands."""
    if text[end] == "&":
        return beyond_and(text, end)
    return beyond_blanks(text, at, end) if kind == "password" and text[at - 1] in "=: " else end


def of_word(text: str, at: int) -> int:
    """Return where a value ends that goes on to a blank or a quote, without the signs that close a list or a command."""
    word = (text[at : at + LONGEST_NAME].split() or [""])[0]
    for quote in "\"'`\\":
        word = word.partition(quote)[0]
    return at + len(word.rstrip(",;)]}>|&"))


def beyond_blanks(text: str, at: int, end: int) -> int:
    """Return where a value ends that goes on to the end of its line: a few words, the last with a digit."""
    line = text[at : at + LONGEST_NAME].partition("\n")[0].rstrip("\r")
    if not line[-1:].isdigit():
        return end
    from ralph_mem.core.redaction import passwords  # lazy: only for a line that ends with a digit

    return at + len(line) if passwords.is_spaced(line) else end


def beyond_join(text: str, at: int) -> int:
    """Return where a text opens that is joined to the one that a name and a sign end: `"PWD=" & "x"`; the same place for none."""
    behind = text[at + 1 : at + 12].lstrip(" ")
    sign = next((sign for sign in JOINING if behind.startswith(sign)), "")
    value = behind[len(sign) :].lstrip(" ")
    return at + 1 + text[at + 1 : at + 12].index(value) if sign and value[:1] in ("'", '"') else at


def ends_setting(text: str, at: int, end: int) -> bool:
    """Say whether a value ends as that of a setting does, with its line or a blank: code goes on with a comma or a bracket."""
    is_over = text[end : end + 1] in ("", "\n", "\r") or text.startswith("\\n", end)  # also where that is spelled out
    return is_over or (text[at - 1] == "=" and text[end : end + 1] in (" ", "&", "'", '"'))


def is_setting(text: str, name: str, name_start: int, at: int, end: int) -> bool:
    """Say whether a name and its value are a line of an environment in YAML, or stand in a file of netrc."""
    is_line = name.isupper() and "_" in name and text[at - 2 : at] == ": " and text[end : end + 1] in ("", "\n")
    return is_line or (name.isalpha() and "machine " in text[max(0, name_start - FAR_VALUE) : name_start])


def is_read(text: str, start: int, end: int) -> bool:
    """Say whether what a setting holds is read: a call, or the first word of a text that a person reads."""
    value = text[start:end]
    return (value.partition("(")[0].isidentifier() and "(" in value) or (
        value.isalpha() and text[end : end + 1] == " " and text[end + 1 : end + 2].isalpha()
    )


def behind_mark(line: str) -> int:
    """Return how long the name of an anchor or a type of YAML is that stands before a value, with the blank behind it."""
    mark, blank, _ = line.partition(" ")
    return len(mark) + 1 if blank and mark[1:].isidentifier() else 0


def is_lone_key(value: str) -> bool:
    """Say whether the value of a name that is `key` and nothing else, at the beginning of a line, is made by chance."""
    words = value.split(":")
    is_path = len(words) > 2 and words[0].isalpha() and words[-1].isalpha()  # of what is looked up: `rates:2031Q2:base`
    return value.isascii() and looks_random(value) and bool(value.strip(HEX + "-")) and "." not in value and not is_path


def is_sum(text: str, start: int, end: int) -> bool:
    """Say whether hexadecimal digits stand behind the name of a package in a list of checksums, which a blank line ends."""
    section, name = text[:start].rpartition("\n\n")[2].rpartition("\n")[::2]
    name = name.removesuffix(": ").rpartition(" ")[2].lstrip("+-")
    return text[start - 2 : start] == ": " and name.isalnum() and not text[start:end].strip(HEX) and "checksum" in section.lower()


def below(text: str, at: int) -> int:
    """Return where a value stands that begins on the next line: of YAML behind a bar, of three quotes, of an open bracket."""
    line, _, rest = text[at : at + 2 * LONGEST_NAME].partition("\n")
    if not rest or line.strip(" \t\r\"'`|>-+\\([r#"):
        return at
    if not line.strip() and not text[at + len(line) + 1 : at + len(line) + 2].isspace():
        return at
    return at + len(line) + 1 + len(rest) - len(rest.lstrip(" \t+"))


def after_annotation(text: str, at: int) -> int:
    """Step over a type between name and value: `password: str = "x"`."""
    line = text[at : at + 60].partition("\n")[0]
    if line[:2] == "0x" and ' "' in line[:24]:  # where a debugger found it
        return at + line.index(' "') + 1
    if line[:1] in ("&", "!"):
        return at + behind_mark(line)
    annotation, equals, _ = line.partition(" = ")
    if equals and not annotation.strip(NAME + "[]|?&<>:, '") and "'" not in annotation[:1]:
        return skip(text, at + len(annotation) + len(equals), BLANKS)
    return at
