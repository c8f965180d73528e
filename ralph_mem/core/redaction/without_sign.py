"""Find where a value stands that no sign divides from its name."""

from ralph_mem.core.redaction.names import BLANKS, CLOSERS, FAR_VALUE, QUOTES, skip
from ralph_mem.core.redaction.values import DIGITS

SAYING = ("to value ", "to ", "with value ", "with the value ", "set to ", "has value ", "is set to ", "changed to ")
SHORT_FLAG = 4  # characters; longer ones with one dash are words, as `-storepass`


def place(text: str, name_start: int, name_end: int) -> int:
    """Return where the value of a name begins, on the line below or behind a blank; -1 if it has none."""
    at = _on_next_line(text, name_start, name_end)
    for find in (_in_next_item, _in_literal, _replaced, _of_property):
        at = at if at >= 0 else find(text, name_start, name_end)
    return at if at >= 0 else _after_blank(text, name_start, name_end)


def _in_next_item(text: str, name_start: int, name_end: int) -> int:
    """Find the value of a name that is an odd item of a numbered list, as Redis prints pairs; -1 if it is none."""
    if text[name_start - 3 : name_start] != ') "' or text[name_start - 4] not in "13579":
        return -1
    number, sign, _ = text[name_end + 2 : name_end + 12].partition(') "')
    is_item = text[name_end : name_end + 2] == '"\n' and sign and number.strip(BLANKS).isdigit()
    return name_end + 2 + len(number) + len(") ") if is_item else -1


def _on_next_line(text: str, name_start: int, name_end: int) -> int:
    """Find the value of a manifest's `- name: X` on the line below, whatever stands before each of the lines; -1 if none."""
    if not text[max(0, name_start - 12) : name_start].rstrip(BLANKS + QUOTES + "\\").endswith("name:"):
        return -1
    between, value, _ = text[name_end : name_end + FAR_VALUE].partition("value")
    if not value or between.replace("\\n", "\n").replace('",', "\n").count("\n") - between.count('",\n') != 1:
        return -1
    at = skip(text, skip(text, name_end + len(between) + 5, CLOSERS), BLANKS)
    return skip(text, at + 1, BLANKS) if text.startswith(":", at) else -1


def _in_literal(text: str, name_start: int, name_end: int) -> int:
    """Find the text behind a name in a map of Clojure, in a list of Erlang: `:name "x"`, `{name,<<"x">>}`; -1 if there is none."""
    if text[name_start - 1 : name_start] == ":" and text[name_end : name_end + 2] == ' "':
        return name_end + 1
    at = skip(text, name_end, CLOSERS)
    is_listed = "{" in text[max(0, name_start - 2) : name_start] and text[at : at + 1] == ","
    at = skip(text, skip(text, at + 1, BLANKS), "<") if is_listed else -1
    return at if is_listed and text[at : at + 1] == '"' else -1


def _replaced(text: str, _name_start: int, name_end: int) -> int:
    """Find what a sentence says that a setting has: `'name' with value 'x'`, `'name' set to 'x'`; -1 if it says nothing."""
    line = text[name_end : name_end + FAR_VALUE].partition("\n")[0]
    said = line.lstrip(QUOTES + BLANKS)
    link = next((link for link in SAYING if said.startswith(link)), "")
    at = name_end + len(line) - len(said) + len(link)
    if link.endswith("value ") and text[at : at + 1] == "[":  # `Set variable DB_PASS to value [x]`
        return at + 1
    return at if link and text[at : at + 1] in ("'", '"', "`") else -1


def _of_property(text: str, _name_start: int, name_end: int) -> int:
    """Find what a property of C# begins with: `string Cred { get; init; } = "x"`; -1 if it is none."""
    line = text[name_end : name_end + FAR_VALUE].partition("\n")[0]
    accessors, equals, _ = line.partition("} = ")
    return name_end + len(accessors) + len(equals) if equals and accessors.startswith(" { get;") else -1


def _after_blank(text: str, name_start: int, name_end: int) -> int:
    """Find a value that only a blank divides from its name: flags, `set NAME x`, netrc, SQL, "the password is x"."""
    quote = text[name_end : name_end + 1] if text[name_end : name_end + 1] == text[name_start - 1 : name_start] else ""
    if quote and quote in QUOTES:  # `config set "NAME" 'x'`
        name_start, name_end = name_start - 1, name_end + 1
    start = skip(text, name_end, BLANKS)
    if start == name_end:
        return -1
    name = text[name_start:name_end]
    before = text[max(0, name_start - 12) : name_start].rpartition("\n")[2]
    is_flag = (
        name.startswith("--") or text[max(0, name_start - 2) : name_start] == " +" or (name[:1] == "-" and len(name) > SHORT_FLAG)
    )
    if is_flag or before.endswith(
        ("set ", "setx ", "-x ", "-gx ", "-Ux ", "ENV ", "config ", "--global ", "--local ", "--system ")
    ):
        # which FortiOS says before what it keeps in its own way, and what a sentence says
        return start + 4 * text.startswith("ENC ", start) + 3 * text.startswith("to ", start)
    if name.lower().removeprefix("n" * (text[name_start - 1 : name_start] == "\\")) in ("password", "passwd", "passphrase"):
        above = text[max(0, name_start - 400) : name_start]
        line = above.rpartition("\n")[2]
        is_netrc = "login " in line or ("login " in text and not line.strip(BLANKS + DIGITS + "+-|>"))
        is_netrc = is_netrc or ("login " in above and "machine " in above)
        return start if is_netrc or text.startswith(tuple(QUOTES), start) else -1
    return -1
