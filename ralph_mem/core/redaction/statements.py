"""Find secrets in statements of SQL and in lines of configuration."""

from ralph_mem.core.redaction.names import is_secret, kind_of_name
from ralph_mem.core.redaction.passwords import OF_FORMS, is_passphrase, is_spaced, is_strange, is_unknown
from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_called_so, is_filler, is_plain, places

# What stands before a secret in quotes, in lower case; between the two may be what `_quoted` steps over.
OF_FILE = ": rsa"  # the name of a file stands between
BEFORE_QUOTED = (
    "identified by", "identified with", "password", "password for", "convertto-securestring", "securestring", "passphrase",
    "set password", "using password", "authentication string", "psk", ": eap", ": xauth", "pragma key", "pragma rekey", OF_FILE,
)  # fmt: skip
STEPPED_OVER = " \t=:(\\"
# Between the words and the quotes: types of SQL strings, options of PowerShell, how something is encrypted.
BETWEEN = frozenset("from n u e for by as with to is values encrypted plaintext_password sha256_password mysql_native_password"
                    " password caching_sha2_password -string -asplaintext -force string".split())  # fmt: skip
# Words at the beginning of a line of configuration, or behind a word of SQL, before a secret without quotes.
DIRECTIVES = (
    "identified by ", "requirepass ", "masterauth ", "sentinel auth-pass ", "bindpw ", "rootpw ", "olcrootpw: ", "rootbinddn ",
    "ldap_default_authtok ", "community read simple ", "community write simple ",
    "snmp-server community ", "rocommunity ", "rwcommunity ", "enable secret ", "enable password ",
    "key-string ", "ascii-text ", "smtp_sasl_password ", "sasl_passwd ", "wpa-psk ", "wpa_passphrase=", "psk=", "wifi.psk=",
)  # fmt: skip
BEHIND_A_PLACE = ("sentinel auth-pass ", "sasl_passwd ")  # or a name, which comes first
CONNECTING = ("connect ", "conn ")
COOKIES = ("erlang_cookie", "erlangcookie", "erlang.cookie", "release_cookie", "-setcookie", "node_cookie", "node__cookie")
OTHER_QUOTES = (("q{", "}"), ("q(", ")"), ("q[", "]"), ("q<", ">"), ("%Q{", "}"))
WORD = LETTERS + DIGITS + "_-.$"
FEWEST = 5
MOST_ROWS = 40
LONGEST = 200


def find(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind); `folded` is the text in lower case, character by character."""
    found = _quoted(text, folded) + _directives(text, folded) + _acl(text, folded)
    return (
        found
        + _replaced(text, folded)
        + _connected(text, folded)
        + _of_cluster(text, folded)
        + _levelled(text, folded)
        + _chap(text)
        + _inserted(text, folded)
        + _spaced(text, folded)
        + _grouped(text, folded)
        + _quoted_otherwise(text)
        + _set_where(text, folded)
        + _of_module(text, folded)
    )


def _set_where(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find what a statement sets in the row of a name: `UPDATE settings SET value = 'x' WHERE name = 'smtp_password'`."""
    spans = []
    for at in places(folded, " where "):
        begin = max(0, at - LONGEST, folded.rfind(";", 0, at))
        start = folded.rfind(" set ", begin, at)
        names = text[at : at + LONGEST].partition(";")[0].split("'")[1::2]
        kind = next((kind for kind in map(kind_of_name, names) if kind), "") if start >= 0 else ""
        opening = text.find("'", start, at) if kind else -1
        close = text.find("'", opening + 1, at) if opening >= 0 else -1
        if close >= 0 and is_secret(text[opening + 1 : close] or "x", kind, "quoted"):
            spans.append((opening + 1, close, kind))
    return spans


def is_value(value: str) -> bool:
    """Say whether a word is a secret where a statement or the form of a line says that one stands there."""
    if len(value) < FEWEST or is_filler(value) or value[0] in "$<{%:@?,)`" or " " in value or "()" in value:
        return False
    is_name = "_" in value and value.replace("_", "a").isalpha() and value.islower()
    if is_strange(value) or is_unknown(value):
        return not is_called_so(value)
    if is_name or (value.isidentifier() and is_called_so(value)):
        return False
    return not is_plain(value) or is_passphrase(value) or (value.isalpha() and len(value) > 9)


def _quoted(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for sign in BEFORE_QUOTED:
        for at in places(folded, sign):
            rest = text[at + len(sign) : at + len(sign) + LONGEST].partition("\n")[0]
            if at and folded[at - 1].isalnum():
                continue
            start = rest.find('"') if sign == OF_FILE else _opening(rest)
            quote = rest[start : start + 1]
            end = rest.find(quote, start + 1) if start >= 0 and quote else -1
            value = rest[start + 1 : end].rstrip("\\") if end > 0 else ""
            if value and (is_value(value) or is_spaced(value)):
                begin = at + len(sign) + start + 1
                spans.append((begin, begin + len(value), "password"))
    return spans


def _opening(rest: str) -> int:
    """Return where the quotes open behind what may stand between, or -1: `FOR 'bob'@'%' = PASSWORD('`, ` N'`, ` -String "`."""
    at = 0
    while at < len(rest):
        if rest[at] in "'\"":
            after = rest.find(rest[at], at + 1)
            if after > 0 and rest[after + 1 : after + 2] == "@":  # a user, with a host
                host = rest[after + 2 : after + 3]
                at = rest.find(host, after + 3) + 1 if host in ("'", '"') else after + 2
                if at <= 0:
                    return -1
                continue
            return at
        if rest[at] in STEPPED_OVER:
            at += 1
            continue
        word = rest[at:]
        word = word[: len(word) - len(word.lstrip(WORD))]
        if word.lower() not in BETWEEN:
            return -1
        at += len(word)
    return -1


def _directives(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for sign in DIRECTIVES:
        for at in places(folded, sign):
            if at and (folded[at - 1].isalnum() or (folded[at - 1] in "_-" and folded[at - 2 : at] != "--")):
                continue
            start = at + len(sign)
            word = (text[start : start + LONGEST].split("\n", 1)[0].split() or [""])[-1 if sign in BEHIND_A_PLACE else 0]
            value = word.rpartition(":")[2].strip("\"'\\;,")
            is_prose = sign == DIRECTIVES[0] and folded.startswith(text[at : at + len(sign)], at) and value.strip(".'`").isalpha()
            if is_value(value) and not is_prose:
                begin = text.find(value, start)
                spans.append((begin, begin + len(value), "password"))
    return spans


def _acl(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the passwords of the access lists of Redis: `user app on >password ~*`."""
    spans = []
    for sign in (" on ", "setuser "):
        for at in places(folded, sign):
            line = text[at : at + LONGEST].partition("\n")[0]
            mark = line.find(">") if "~" in line or "+" in line or "allkeys" in line else -1
            while mark >= 0:
                value = line[mark + 1 :].split(" ", 1)[0].strip("\"'\\")
                if line[mark - 1] in " \"'\\" and len(value) >= FEWEST and not is_filler(value):
                    spans.append((at + mark + 1, at + mark + 1 + len(value), "password"))
                mark = line.find(">", mark + 1)
    return spans


def _replaced(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the password that a user of Oracle had: `IDENTIFIED BY new REPLACE old`."""
    spans = []
    for at in places(folded, " replace "):
        before = folded[max(0, at - LONGEST) : at].rpartition(";")[2]
        start = at + len(" replace ")
        value = text[start : start + LONGEST].partition("\n")[0].partition(";")[0].strip().partition(" ")[0].strip("\"'")
        if "identified by" in before and len(value) >= FEWEST and not is_filler(value):
            begin = text.index(value, start)
            spans.append((begin, begin + len(value), "password"))
    return spans


def _connected(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the password of the command that signs in to Oracle: `connect user/password@host`."""
    spans, at = [], 0
    for line, said in zip(text.split("\n"), folded.split("\n")):
        bare = said.lstrip().removeprefix("sql> ").lstrip()
        verb = next((verb for verb in CONNECTING if bare.startswith(verb)), "")
        user, slash, rest = line[len(line) - len(bare) + len(verb) :].strip().partition("/") if verb else ("", "", "")
        value = rest.rpartition("@")[0] if "@" in rest else rest.partition(" ")[0].rstrip(";")
        value = value.strip('"')
        if (
            slash
            and user.strip('"')
            and not user.strip(WORD + '"[]')
            and len(value) >= FEWEST
            and " " not in value
            and not is_filler(value)
        ):
            begin = at + line.index(value, line.index(user + "/"))
            spans.append((begin, begin + len(value), "password"))
        at += len(line) + 1
    return spans


def _of_cluster(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the word by which nodes of Erlang know each other: `-setcookie x`, `RABBITMQ_ERLANG_COOKIE: x`."""
    spans = []
    for sign in COOKIES:
        for at in places(folded, sign):
            start = at + len(sign)
            start += len(text[start : start + 8]) - len(text[start : start + 8].lstrip(" :=\"'"))
            rest = text[start : start + LONGEST]
            value = rest[: len(rest) - len(rest.lstrip(WORD + "+/="))]
            if start > at + len(sign) and len(value) > FEWEST and not is_filler(value):
                spans.append((start, start + len(value), "secret"))
    return spans


def _levelled(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find what follows the level of a secret in the configuration of a switch: `secret 0 x`, `password 7 x`."""
    spans = []
    for sign in (" secret ", " password ", " key "):
        for at in places(folded, sign):
            level, _, rest = text[at + len(sign) : at + len(sign) + LONGEST].partition("\n")[0].partition(" ")
            value = rest.partition(" ")[0]
            if level.isdigit() and len(level) == 1 and is_value(value):
                begin = at + len(sign) + len(level) + 1
                spans.append((begin, begin + len(value), "password"))
    return spans


def _chap(text: str) -> "list[tuple[int, int, str]]":
    """Find the third field of each line of a file of secrets of PPP."""
    spans, at = [], 0
    rows = 0  # that may follow the heading
    for line in text.split("\n"):
        fields = line.split()
        rows = (
            MOST_ROWS
            if line[:1] == "#" and (" chap" in line.lower() or "client" in line.lower()) and "secret" in line.lower()
            else rows
        )
        if rows and line[:1] != "#" and line.count('"') in (2, 4, 6):  # a phrase in quotes is one field
            parts = line.split('"')
            fields = [field for at_, part in enumerate(parts) for field in ([part] if at_ % 2 else part.split())]
        value = fields[2].strip('"') if rows and len(fields) in (3, 4) and line[:1] != "#" else ""
        rows = max(0, rows - 1) if value or line[:1] == "#" else 0
        if value and (is_value(value) or (" " in value and f'"{value}"' in line)):
            spans.append((at + line.index(value), at + line.index(value) + len(value), "password"))
        at += len(line) + 1
    return spans


def _inserted(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the values of columns that name a secret: `INSERT INTO users (name, password) VALUES ('bob', 'x')`."""
    spans = []
    for at in places(folded, "values"):
        if not folded[:at].rstrip().endswith(")") or text[at + 6 : at + 16].lstrip()[:1] != "(":
            continue
        names = folded[max(0, at - LONGEST) : at].rstrip().removesuffix(")").rpartition("(")[2].split(",")
        row = text[at : at + 2 * LONGEST].partition("(")[2].partition(")")[0]
        start, attribute = text.find(row, at), False
        for name, value in zip(names, row.split(",")):
            bare = value.strip().strip("'\"")
            is_named = kind_of_name(name.strip(' `"[]')) or (attribute and name.strip(' `"[]').lower() == "value")
            attribute = attribute or bare.endswith("-Password")  # of RADIUS: `'Cleartext-Password', ':=', 'x'`
            if bare and is_named and is_value(bare) and not bare.startswith(("crypt", "gen_")):
                spans.append((start + value.index(bare), start + value.index(bare) + len(bare), "password"))
            start += len(value) + 1
    return spans


def _spaced(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find several words in quotes as the password of a line that says who connects, or where: `host=db password='x y'`."""
    spans = []
    for at in places(folded, "password='"):
        start = at + len("password='")
        value = text[start : start + LONGEST].partition("\n")[0].partition("'")[0]
        line = " " + folded[max(0, at - LONGEST) : at].rpartition("\n")[2] + folded[start + len(value) : start + LONGEST]
        is_of_line = any([f" {sign}" in line.replace('"', " ") for sign in ("dbname=", "host=", "hostaddr=", "username=", "user=")])
        if is_of_line and len(value) >= FEWEST and not is_filler(value) and value[0] not in "$%{<" and '"' not in value:
            spans.append((start, start + len(value), "password"))
    return spans


def _grouped(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find a password of groups of four, as WordPress and Google make them for programs: `Password: tR8q Lm2x V0pe Yk5s`."""
    spans = []
    for at in places(folded, "password"):
        start = at + len("password")
        line = text[start : start + LONGEST].partition("\n")[0].strip(" \"'`*,;|\r")
        value = line[1:].strip(" \"'`*|") if line[:1] in (":", "=") else line
        groups = value.split(" ")
        is_told = line[:1] in (":", "=") or text[start : start + 3].strip() in ("|", "│", '" ')
        is_of_four = all([len(group) == 4 and group.isascii() and group.isalnum() for group in groups])
        is_said = value.replace(" ", "").isdigit() or not OF_FORMS.isdisjoint(value.lower().split())
        if is_told and len(groups) > 3 and is_of_four and not is_said:
            begin = text.index(value, start)
            spans.append((begin, begin + len(value), "password"))
    return spans


def _quoted_otherwise(text: str) -> "list[tuple[int, int, str]]":
    """Find the password in the quotes that Perl and Ruby have beside the usual ones: `bindpw => q{x}`, `password: %q(x)`."""
    spans = []
    for opening, close in OTHER_QUOTES:
        for at in places(text, opening):
            before = text[max(0, at - 60) : at].rpartition("\n")[2].rstrip("q%")
            bare = before.rstrip(" \t=>:,")
            name = bare[len(bare.rstrip(WORD + "'\"")) :].strip("'\"$")
            kind = "password" if name.lower() == "bindpw" else kind_of_name(name) if name and bare != before.rstrip() else ""
            end, depth = at + len(opening), 1
            while kind and end < min(len(text), at + LONGEST) and text[end] != "\n":
                depth += (text[end] == opening[-1]) - (text[end] == close)
                if not depth:
                    break
                end += 1
            value = text[at + len(opening) : end] if kind and not depth else ""
            is_odd = kind == "password" and value.lower() != value and not value.isalnum() and " " not in value
            if value and (is_secret(value, kind, "quoted") or (is_odd and len(value) > FEWEST and not is_filler(value))):
                spans.append((at + len(opening), end, kind))
    return spans


def _of_module(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find the passwords of users in the configuration of a login module of Java: `user_bob="x"`."""
    spans = []
    for at in places(folded, "user_") if "loginmodule" in folded else []:
        name, equals, rest = text[at : at + LONGEST].partition("\n")[0].partition("=")
        value = rest.strip()[1:].partition(rest.strip()[:1])[0] if equals and rest.strip()[:1] in ("'", '"') else ""
        if name.strip().replace("_", "a").replace("-", "a").isalnum() and len(value) >= FEWEST and not is_filler(value):
            begin = text.index(value, at + len(name))
            spans.append((begin, begin + len(value), "password"))
    return spans
