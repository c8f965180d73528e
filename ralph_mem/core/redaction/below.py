"""Find secrets that stand alone on the line below the name of a call, a flag or a field."""

from ralph_mem.core.redaction import taking, wrappers
from ralph_mem.core.redaction.by_hand import is_made_by_hand
from ralph_mem.core.redaction.issued import stands_alone
from ralph_mem.core.redaction.names import is_secret, kind_of_label, kind_of_name, words_of
from ralph_mem.core.redaction.passwords import is_generated
from ralph_mem.core.redaction.values import DIGITS, LETTERS, is_filler, looks_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

NAME = LETTERS + DIGITS + "_-."
WRAPPING = " \t\"'`,;\\"  # what stands around an item of a list
LOGGING_IN = ("masterauth", "auth-pass", "access-key")  # flags whose name says no kind by itself
# How fields are called that hold the name of a setting, and its value: the last word of what stands before the sign.
NAMED = frozenset(
    "name variable_name variable key setting parameter param property option config_key config_name item field entry"
    " parametro parámetro nombre variable clave propiedad opcion opción ajuste"
    " schluessel schlüssel einstellung bezeichnung eigenschaft"
    " nom cle clé parametre paramètre propriete propriété reglage réglage nome chave chiave parâmetro propriedade".split()
)
VALUED = frozenset(
    "value val config_value setting_value setting data content text valor contenido wert inhalt valeur contenu valore"
    " conteudo conteúdo contenuto waarde värde wartość".split()
)
DEFAULTS = frozenset("default fallback defaultvalue default_value".split())
OPEN_ENDS = frozenset("encryption hashing plugin method history lifetime interval".split())  # of names of settings about passwords
SIGNS = ":=|"  # between a field and what it holds, as of MySQL, ini files and psql
NEXT_LINES = 2  # below a name, of which a blank one or a comment may be the first
LONGEST_LINE = 400
RAW = frozenset("raw rawvalue _value value storage _storage inner wrapped".split())  # fields of what wraps a secret
RAW_LINES, LONGEST_DUMP = 3, 300  # above such a field, in which its owner is named


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of what stands alone on a line, below what names it."""
    spans: list[Span] = []
    at, above, field = 0, "", ("", 0)
    for line in text.split("\n"):
        if len(line) > LONGEST_LINE:
            at, above, field = at + len(line) + 1, "", ("", 0)
            continue
        found = _of_call(above, line) or _of_flag(above, line) or _of_field(field[0], line) or _of_dump(above, line)
        found = found or _of_default(above, line) or _of_setting(line) or _raw(text[max(0, at - LONGEST_DUMP) : at], line)
        spans += [(at + line.rindex(value), at + line.rindex(value) + len(value), kind) for value, kind in found]
        named = _named_field(line)
        field = (named, NEXT_LINES) if named else (field[0] if field[1] > 1 else "", field[1] - 1)
        above = line if line.strip() else above
        at += len(line) + 1
    return spans


def _of_call(above: str, line: str) -> "list[tuple[str, str]]":
    """Return the one quoted text that a call holds which is still open: `secret: Some(` and below it `"x",`."""
    head, bare = above.rstrip(), line.strip().rstrip(",;).").strip()
    quote = bare[-1:]
    if head[-1:] != "(" or quote not in ("'", '"', "`") or bare.count(quote) != 2 or len(bare) < 3:
        return []
    prefix, _, value = bare[:-1].partition(quote)
    if len(prefix) > 2 or prefix.strip("bruBRU@$#"):
        return []
    before, call = _parted(head[:-1])
    kind = _named_before(before) or (kind_of_name(call.rpartition(".")[2]) if call[:1].isupper() and not before else "")
    return [(value, kind)] if kind and wrappers.takes(call or "new") and wrappers.is_value(value, kind, "quoted") else []


def _parted(head: str) -> "tuple[str, str]":
    """Cut what stands before an open bracket into what names a value and the call that holds it."""
    call = head[len(head.rstrip(NAME + ":!<>*&@")) :] if not head.endswith(" ") else ""
    before = head[: len(head) - len(call)].rstrip()
    return before.removesuffix(" new").removesuffix(" await").rstrip(), call


def _named_before(before: str) -> str:
    """Return the kind of what a name and a sign before a call name, with or without a type: `val pin: Secret =`."""
    if before[-1:] not in ("=", ":", ">", ","):
        return ""
    words = before.rstrip("=:>, ").replace(":", " : ").split(" : ")
    names = [word.split()[-1].strip("\"'`()[]{}?") for word in words if word.split()]
    return next((kind for kind in map(kind_of_label, names) if kind), "")


def _of_flag(above: str, line: str) -> "list[tuple[str, str]]":
    """Return the item of a list of arguments that follows a flag which takes a secret."""
    flag, value = _item(above), _item(line)
    if flag[:1] != "-" or not value or value[0] == "-" or len(flag) < 4 or " " in flag + value or flag.strip("-") == value:
        return []
    name = flag.lstrip("-")
    kind = "password" if name.lower().endswith(LOGGING_IN) else kind_of_name(name)
    if not kind or flag.strip(NAME) or _depth(above) != _depth(line) or not taking.tells(value):
        return []
    return [(value, kind)] if is_secret(value, kind, "flag") or is_made_by_hand(value) else []


def _of_dump(above: str, line: str) -> "list[tuple[str, str]]":
    """Return what PHP shows below the name of a property: `["password":"Mailer":private]=>` and `string(9) "x"`."""
    name, bare = above.strip().removesuffix("=>"), line.strip()
    if above.rstrip()[-2:] != "=>" or name[:1] != "[" or not bare.startswith("string(") or bare[-1:] != '"':
        return []
    kind, value = kind_of_label(name.strip("[]").partition(":")[0].strip("\"'")), bare.partition('"')[2][:-1]
    return [(value, kind)] if kind and len(value) >= taking.FEWEST and is_secret(value, kind, "quoted") else []


def _of_default(above: str, line: str) -> "list[tuple[str, str]]":
    """Return what a call takes for want of the secret that it is to look up: `"SECRET_KEY",` and below it `default="x"`."""
    name, (label, value) = above.strip().rstrip(","), _field(line)
    is_name = (
        above.rstrip()[-1:] == ","
        and name[:1] in ("'", '"')
        and name[-1:] == name[:1]
        and name[1:-1].replace(".", "_").isidentifier()
    )
    kind = kind_of_name(name[1:-1]) if is_name and label in DEFAULTS else ""
    return [(value, kind)] if kind and len(value) > taking.FEWEST and is_secret(value, kind, "quoted") else []


def _raw(above: str, line: str) -> "list[tuple[str, str]]":
    """Return the raw value in quotes that a dump shows a few lines below its owner: `bearer: Token` and `- raw: "x"`."""
    at = max(line.find(": "), line.find("="))
    label = line[:at].strip(" \t-@▿*\"'").lower() if at > 0 else ""
    value = line[at + 1 :].strip(" \t,;>)}")
    if label not in RAW or value[:1] not in ("'", '"') or value[-1:] != value[:1] or len(value) < 10:
        return []
    owners = [said for said in above.split("\n")[-1 - RAW_LINES : -1] if _depth(said) < _depth(line)]
    names = [name for said in owners for name in words_in(said)]
    value = value[1:-1]
    tells = looks_random(value) or is_generated(value) or (is_made_by_hand(value) and stands_alone(value))
    kind = next((kind for kind in map(kind_of_name, names) if kind), "")
    return [(value, kind)] if kind and tells and not is_filler(value) else []


def _of_setting(line: str) -> "list[tuple[str, str]]":
    """Return the raw value of a setting whose owner is a secret, or signs in: `smtp.auth.raw = "x"`."""
    name, equals, value = line.partition("=")
    owner, _, label = name.strip().rpartition(".")
    bare = value.strip().rstrip(",;")
    if not equals or label.lower() not in RAW or " " in owner or bare[:1] not in ("'", '"') or bare[-1:] != bare[:1]:
        return []
    last = owner.rpartition(".")[2].lower()
    kind = "password" if last in ("auth", "login") else kind_of_label(last)
    return [(bare[1:-1], kind)] if len(bare) > taking.FEWEST + 2 and kind and is_secret(bare[1:-1], kind, "quoted") else []


def words_in(line: str) -> "list[str]":
    """Return the names in a line of a dump."""
    return "".join([char if char in NAME else " " for char in line]).replace(".", " ").split()


def _item(line: str) -> str:
    return line.strip(WRAPPING).removeprefix("- ").strip(WRAPPING)


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _named_field(line: str) -> str:
    """Return the kind of secret whose name a field holds: `parameter: db.password`."""
    label, value = _field(line)
    is_name = label in NAMED and value and " " not in value and OPEN_ENDS.isdisjoint(words_of(value)[-1:])
    return kind_of_name(value) if is_name else ""


def _of_field(kind: str, line: str) -> "list[tuple[str, str]]":
    """Return what a field holds that comes below the one with its name, where that says of which kind it is."""
    label, value = _field(line) if kind else ("", "")
    if label not in VALUED or len(value) < taking.FEWEST or is_filler(value):
        return []
    return [(value, kind)] if is_secret(value, kind, "quoted") else []


def _field(line: str) -> "tuple[str, str]":
    """Return the last word of a field's name, in lower case, and what it holds; nothing for a line of another kind."""
    at = min([place for place in map(line.find, SIGNS) if place > 0], default=-1)
    words = line[:at].strip(" \t\"'`*-{").lower().split() if at > 0 else []
    return (words[-1], line[at + 1 :].strip(" \t\"'`,;")) if words and len(words) < 3 else ("", "")
