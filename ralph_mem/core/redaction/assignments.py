"""Find secrets by the name before them, as in NAME=value, "name": "value" and --name value.

Strict in prose and code, greedy in environment files; of other lines only the `value:` below a name of a manifest counts.
"""

from ralph_mem.core.redaction.names import (
    BLANKS,
    CLOSERS,
    CODES,
    FAR_VALUE,
    LONGEST_NAME,
    NAME,
    QUOTES,
    is_secret,
    kind_of_label,
    kind_of_name,
    skip,
    stems_in,
    words_of,
)
from ralph_mem.core.redaction.values import DIGITS

# Between a name and its `value:` in a manifest, also in a diff, a numbered listing, or with the line end spelled out.
TO_VALUE = CLOSERS + BLANKS + DIGITS + "\n\r,+-|nr"
OPERATORS = ("%3D", "??=", "||=", ",<<", "=>", ":=", ":-", "===", "==", "!=", "=", ":", ">")
# Where an unquoted value ends; in an environment line only at a blank.
STOPS = " \t\n\"'`,;&<>()[]{}|\\"
FLAG_GOES_ON = ",;<>()[]{}|&"  # within a value behind a flag
OF_USERS = ("auth", "login", "credentials", "creds", "userpass", "userpwd")  # names of a user with a password behind a colon
OF_ACCOUNTS = ("user", "login", "account", "host", "mail", "name")  # beside a lone `phrase`
FAR_OWNER, LOCKS = 32, frozenset("wifi wlan wpa wireless vpn encryption crypt preshared psk".split())  # of a lone `key`
OF_WLAN = ("wifi", "wlan", "wpa", "wireless")
LONGEST_VALUE = 4096


def find(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the spans of assigned secrets; `folded` is the text in lower case, character by character."""
    spans = []
    for stem in stems_in(text, folded):
        at = folded.find(stem)
        while at >= 0:
            if len(stem) < 4 and stem in CODES and text[at + 3 : at + 4].islower():  # `ping`
                at = folded.find(stem, at + 1)
                continue
            name_end = skip(text, at, NAME)
            start = at - len(text[max(0, at - LONGEST_NAME) : at]) + len(text[max(0, at - LONGEST_NAME) : at].rstrip(NAME))
            spans += _assigned(text, at, name_end) or _of_fields(text, start, name_end)
            at = folded.find(stem, max(name_end, at + len(stem)))
    return spans


def _of_fields(text: str, start: int, end: int) -> "list[tuple[int, int, str]]":
    before, behind = text[max(0, start - 6) : start].rstrip(), text[end : end + 12].lstrip(CLOSERS + BLANKS)
    if before[-1:] not in ("'", '"', ":", "=", "[", ">") and behind[:1] not in (":", "=", "{"):
        return []
    from ralph_mem.core.redaction import fields  # lazy: only for a name that may stand in an object

    return fields.find(text, start, end)


def value_bounds(text: str, at: int) -> "tuple[int, int, bool]":
    """Return start and end of the value at a position and whether it is quoted; it ends with its line."""
    line_end = text.find("\n", at, at + LONGEST_VALUE)
    limit = line_end if line_end >= 0 else min(len(text), at + LONGEST_VALUE)
    start = _literal_prefix(text, at)
    slashes = skip(text, start, "\\") - start
    if text.startswith("[[", start) and text.find("]]", start, limit) > 0:  # a text of Lua
        return start + 2, text.index("]]", start), True
    quote = text[start + slashes : start + slashes + 1]
    if quote and quote in QUOTES:
        start += slashes + 1
        if text.startswith(quote * 2, start):
            start += 2
        return start, _closing(text, start, limit, quote, slashes), True
    return at, _first_of(text, STOPS, at, limit), False


def _assigned(text: str, stem: int, name_end: int) -> "list[tuple[int, int, str]]":
    before = text[max(0, stem - LONGEST_NAME) : stem]
    name_start = stem - (len(before) - len(before.rstrip(NAME)))
    name = text[name_start:name_end]
    at = -1 if name[:1] == "-" and text.startswith("  ", name_end) else _place(text, name_start, name_end)  # not in a help
    if at < 0:
        from ralph_mem.core.redaction import prose  # lazy: only for a name without a sign behind it

        at = prose.in_markup(text, name_start, name_end)
        if at < 0:
            return prose.announced(text, name, name_end) + prose.directed(text, name, name_start, name_end)
    if name.lower().rpartition(".")[2] == "key":
        owner = before[-24:].rstrip(BLANKS).rpartition(" ")[2]
        if not owner.isalpha():  # of a section, or of a longer name
            owner = next((word for word in words_of(text[max(0, stem - FAR_OWNER) : stem]) if word in LOCKS), "")
        if not owner and not before.rpartition("\n")[2].strip(" -"):  # of a section whose kind is not said
            from ralph_mem.core.redaction import endings  # lazy: only for a key alone

            start, end, _ = value_bounds(text, at)
            return [(start, end, "key")] if endings.is_lone_key(text[start:end]) else []
        name = "psk" if owner in OF_WLAN else f"{owner}_key" if owner.isalpha() else name  # "API key: ..."
    kind = kind_of_name(name) or (kind_of_label(name) if _is_label(text, name_start, name_end, at) else "")
    if text.startswith("hex:", at) and kind:  # of a registry
        return [(at + 4, _first_of(text, "\n\r", at, len(text)), kind)]
    return (
        _judged(text, name, name_start, name_end, at, kind) if kind and not _is_of_all(text, before, name_start, name_end) else []
    )


def _is_label(text: str, name_start: int, name_end: int, at: int) -> bool:
    """Say whether a word that names a secret only as a label is one: a sign and a blank follow, or a user stands beside it."""
    if text[name_start:name_end].lower() == "phrase":  # of any text, but where somebody signs in
        near = text[max(0, name_start - FAR_VALUE) : name_start].lower()
        return any([each in near for each in OF_ACCOUNTS])
    if text[at - 1] in ">=" or text[at - 2 : at] in ("= ", ": ") or text[name_end : name_end + 1] in ("'", '"', "\\"):
        return True
    return _is_beside_user(text, name_start, at)


def _is_beside_user(text: str, name_start: int, at: int) -> bool:
    """Say whether a user is named before a name or behind its value: `{User:a Pass:b}`."""
    return "ser:" in text[max(0, name_start - LONGEST_NAME) : name_start] or "ser:" in text[at : at + LONGEST_NAME]


def _place(text: str, name_start: int, name_end: int) -> int:
    """Return where the value stands that a name has by a sign, on the line below or behind a blank; -1 if it has none."""
    at = value_position(text, name_end)
    if at < 0:
        from ralph_mem.core.redaction import without_sign  # lazy: most names have one

        at = without_sign.place(text, name_start, name_end)
    if at >= 0 and (text.startswith("<", at) or text[at - 1 : at + 1] == ">\n"):
        from ralph_mem.core.redaction import prose  # lazy: only for an element

        at = max(at, prose.in_markup(text, name_start, name_end))
    return at


def _is_of_all(text: str, before: str, name_start: int, name_end: int) -> bool:
    """Say whether a name is that of a type, of a resource, of a badge, which everybody sees, or ends with the hour of a time."""
    is_type = text[name_start - 2 : name_start] == "::" and text[name_end : name_end + 1] == '"'  # "AWS::IAM::AccessKey"
    is_type = is_type or before.endswith(("checksum/", "--- "))  # of what is secret: `checksum/secret`; of a test that passed
    near = text[max(0, name_start - LONGEST_NAME) : name_end].lower()
    is_type = is_type or (near.endswith("signingkey") and "user" in near)  # of Git, which names it
    is_time = text[name_end - 1].isdigit() and text[name_end : name_end + 1] == ":" and text[name_end + 1 : name_end + 3].isdigit()
    return is_type or is_time or before.endswith(".svg?") or "arn:" in before.rpartition('"')[2].rpartition(" ")[2]


def _judged(text: str, name: str, name_start: int, name_end: int, at: int, kind: str) -> "list[tuple[int, int, str]]":
    """Return the value at a place behind a name of a kind, where it is a secret."""
    if text[at - 1] == "=" and text[at : at + 1] in ("'", '"') and text[at + 1 : at + 2] in (" ", "+", "&", ".", "|"):
        from ralph_mem.core.redaction import endings  # lazy: only for a text that ends with a sign

        at = endings.beyond_join(text, at)
    first, at = at, _beginning(text, at)
    start, end, quoted = value_bounds(text, at) if kind != "password" else _bounds_of_password(text, first, at)
    if (
        text[at - 1] == ">" and not quoted and text.find("<", at, at + FAR_VALUE) == text.find("</", at, at + FAR_VALUE) > 0
    ):  # of an element
        end, quoted = text.index("<", at), True
    greedy = text[at - 1 : at] == "=" and _is_environment_line(text, name_start, name)
    if greedy and not quoted:
        end = _first_of(text, " \t\n", start, min(len(text), start + LONGEST_VALUE))
    if not quoted and text[end : end + 1] in (FLAG_GOES_ON if name[:1] == "-" else "& ") and end < len(text):
        from ralph_mem.core.redaction import endings  # lazy: only for a value that something may follow

        end, quoted = endings.that_goes_on(text, name, name_start, at, end, kind)
    if not quoted and (
        _is_read(text, name, start, end) if greedy else text[start : start + 1] in ("#", ",") or text.startswith("var(", start)
    ):
        return []  # an argument of a call, a comment, what goes on, a variable of a style sheet
    listed = text[name_end + 1 : name_end + 2] == ","
    is_flag = text[name_end : name_end + 1] in (" ", "=") and (name[:1] == "-" or at == skip(text, name_end, BLANKS))
    if not quoted and not greedy and (name.isupper() or "machine " in text):
        from ralph_mem.core.redaction import endings  # lazy: only for a setting that no sign of code ends

        greedy = endings.is_setting(text, name, name_start, at, end)
        end = _first_of(text, " \t\n", start, min(len(text), start + LONGEST_VALUE)) if greedy else end
    of_wlan = name.lower().endswith("psk") and text[end : end + 1] in ("", "\n", "\r")  # which is no reference
    style = "greedy" if greedy else "listed" if listed else "quoted" if quoted or of_wlan else "flag" if is_flag else "bare"
    is_compared = style in ("bare", "flag") and text[name_end:at].strip() in ("==", "===", "!=")
    is_weak = name.lower() == "pass" and not quoted and (text[name_end : name_end + 1] != "=" or text[start:end].isdigit())
    is_weak = is_weak and not _stands_alone(text[start:end])
    if is_compared or (is_weak and not _is_beside_user(text, name_start, at)) or _is_code_below(text, first, at, start, end, style):
        return []
    changed = []
    if quoted and text[end + 1 : end + 6].lstrip().startswith("-> "):  # what a plan puts in its place: `"old" -> "new"`
        begin, close, is_text = value_bounds(text, text.index("-> ", end) + 3)
        changed = [(begin, close, kind)] if is_text and is_secret(text[begin:close], kind, "quoted") else []
    user, colon, password = text[start:end].partition(":")
    if colon and name.lower().endswith(OF_USERS) and user.replace("_", "a").replace("-", "a").replace(".", "a").isalnum():
        return [(end - len(password), end, "password")] if is_secret(password or "x", "password", style) else []
    if style == "bare" and kind == "password" and ("." in text[start:end] or text[start:end].isalpha()):
        from ralph_mem.core.redaction import endings  # lazy: only for a value with a dot

        style = "flag" if endings.ends_setting(text, at, end) else style
        style = "greedy" if style == "flag" and name.isupper() and text[start:end].islower() else style
    if quoted and text[start : start + 1] in (" ", ")"):  # the end of a quotation
        return changed
    return [(start, end, kind), *changed] if end > start and is_secret(text[start:end], kind, style) else changed


def _bounds_of_password(text: str, first: int, at: int) -> "tuple[int, int, bool]":
    """Return what `value_bounds` does; a block of YAML ends with its line."""
    if first != at and text[first] in "|>" and text[at : at + 1].strip(QUOTES):
        return at, _first_of(text, "\n\r", at, len(text)), True
    return value_bounds(text, at)


def _beginning(text: str, at: int) -> int:
    """Return where a value stands that a type or a mark may precede, or that begins on the next line."""
    if text[at : at + 2].lstrip(QUOTES)[:1].isalnum() and text[at] not in "0r" and " = " not in text[at : at + LONGEST_NAME]:
        return at
    from ralph_mem.core.redaction import endings  # lazy: most values stand behind their sign

    return endings.below(text, endings.after_annotation(text, at))


def _is_read(text: str, name: str, start: int, end: int) -> bool:
    if name.isupper():
        return False
    from ralph_mem.core.redaction import endings  # lazy: of an environment few names are in small letters

    return endings.is_read(text, start, end)


def _is_code_below(text: str, first: int, at: int, start: int, end: int, style: str) -> bool:
    """Say whether an unquoted value is called, looked into, or an expression on the next line."""
    if style in ("bare", "flag") and text[end : end + 1] in ("(", "["):
        return True
    is_quoted = style in ("quoted", "listed")
    is_code = any([sign in text[start:end].rstrip("=") for sign in "([=,"]) or text[end : end + 1] in ("(", "[", "=", ".")
    return "\n" in text[first:at] and not is_quoted and is_code


def value_position(text: str, name_end: int) -> int:
    """Find where the value starts after a name, past closing quotes, blanks and an operator; -1 without operator."""
    at = skip(text, name_end, CLOSERS)
    at = skip(text, at + (text[at : at + 1] == "}" and text[at - 1] in QUOTES), BLANKS)  # `$ENV{'NAME'}`
    between, value, _ = text[name_end : name_end + 48].partition("value")
    if value and between and not between.strip(TO_VALUE):
        # {"name": "X", "value": "..."}, <add key="X" value="..."/>, and on the next line in YAML
        at = skip(text, skip(text, name_end + len(between) + 5, CLOSERS), BLANKS)
    elif text.startswith(",", at) and (text[name_end : name_end + 1] in ("'", '"') or text[name_end - 1].isupper()):
        start = skip(text, at + 1, BLANKS)
        return start if text[start : start + 1] in ("'", '"') else -1
    if text[name_end : name_end + 1] == "(" and text[name_end - 1].isupper() and text.find(")", at, at + LONGEST_NAME) > 0:
        return name_end + 1  # `PASSWORD(x)`, of command languages
    for operator in (*OPERATORS, ". ") if text[name_end : name_end + 1] in ('"', "'") else OPERATORS:
        if text.startswith(operator, at):
            return -1 if text.startswith("::", at) else skip(text, at + len(operator), BLANKS)  # of a name in a scope
    return -1


def _is_environment_line(text: str, name_start: int, name: str) -> bool:
    if name.isupper() or (name[:2] == "-D" and "." in name):  # a property of Java
        return True
    line = text[max(0, name_start - 12) : name_start].rpartition("\n")
    if line[2][-1:] == "\t" and line[2][-2:-1].isalnum():  # behind the file that it is from
        return True
    return bool(line[1] or name_start == 0) and line[2].strip(" +-") in ("", "export")


def _literal_prefix(text: str, at: int) -> int:
    """Step over the letters before a quote: b"...", f'...', @"..."."""
    for width in (1, 2):
        if text[at + width : at + width + 1] in ("'", '"') and not text[at : at + width].strip("bBfFrRuU@$#NELl8~cs"):
            return at + width
    return at


def _closing(text: str, at: int, limit: int, quote: str, slashes: int) -> int:
    """Find the quote that closes one opened behind as many backslashes; deeper ones belong to the value."""
    start = at
    while True:
        found = text.find(quote, at, limit)
        if found < 0:
            return limit
        before = text[max(start, found - 16) : found]
        depth = len(before) - len(before.rstrip("\\"))
        if quote == "'" and not slashes and found > start and text.startswith("''", found) and found + 2 < limit:  # of YAML
            at = found + 2
            continue
        if depth <= slashes:
            return found - depth
        at = found + 1


def _first_of(text: str, characters: str, at: int, limit: int) -> int:
    for char in characters:
        found = text.find(char, at, limit)
        limit = found if found >= 0 else limit
    return limit


def _stands_alone(value: str) -> bool:
    from ralph_mem.core.redaction import issued  # lazy: only for what stands behind a weak name

    return issued.stands_alone(value)
