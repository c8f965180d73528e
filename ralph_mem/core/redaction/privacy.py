"""Make a text fit to be stored, redacted, cut to size and without what was injected."""

import posix

from ralph_mem.core import fast, paths
from ralph_mem.core.redaction import gate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Activity, Project

LONGEST_WORD = 300  # characters of an output that is looked at as one word
FILE_NAMES = (".env", ".envrc", ".npmrc", ".netrc", ".pypirc", ".pgpass")
SAMPLES = ("example", "sample", "template", "dist")
TELLING_NAMES = (b"KEY", b"TOKEN", b"SECRET", b"PASS", b"_PWD", b"CRED", b"AUTH", b"JWT", b"SAS")

INJECTED = "<ralph-mem-"
# Most of what is kept is less than a tenth of this; the rest is room for error lines.
MOST_CHARACTERS = 16_384
HEAD_CHARACTERS = 4_096
TAIL_CHARACTERS = 8_192
SEPARATOR = "\n\x1e\n"
ERROR_WORDS = (
    "error", "fail", "exception", "panic", "fatal", "undefined", "not found", "cannot", "denied", "refused",
    "expected", "assert", "warning: unre", "no such", "segmentation", "timed out",
    "overflow", "will not fit", "does not exist",
)  # fmt: skip
# Where somebody has thousands of texts protected at once, a mapping from folders to their known values, renewed as often as
# it likes; a hook reads them anew for each text.
HELD: "list[dict[tuple[str, ...], list[str]]]" = []
# Each pattern of `path_rules.SECRET_FILES` holds one of these (a test sees to that): most commands have none of them.
TELLING_FILES = (
    ".env", ".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", "id_", "netrc", ".npmrc", ".pypirc", ".pgpass", "credentials",
    "secrets.", "userlist.txt", "passwd", ".my.cnf", ".vault-token", ".kdbx", ".ssh", ".aws", ".gnupg", ".docker", ".kube",
)  # fmt: skip
# Each entry of `printing.WHOLE` and `printing.MAKING` holds one of these (a test sees to that), and so does what names a secret.
PRINTING = (
    "secret", "token", "pass", "cred", "key", "auth", "jwt", " pw", "pwd", "op ", "bw ", "raw", "decrypt", " -d", "gen",
    "vault", "rand", "chamber", "sops", "login", "urandom", "shadow", "reveal", "conn", "config get", "config:get", "export",
    "shell", "pulumi", "macaroon", "wg ", "pdbedit", "show", "htp", "apg", "diceware", "kms", "knox", "conjur", "infisical",
    "oath", "totp", "etcdctl", "wallet", "priv", "oc ", "railway", "netlify", "stripe", "az ", "masterauth", "requirepass",
    "berglas", "caddy", "consul", "random", "initial", "security", "bootstrap",
)  # fmt: skip
NAMES = ("session", "turn", "id", "agent_id", "model", "reason", "transcript", "task")  # of an activity
RULERS = ("==", "__", "--", "**", "##")  # of a test runner's report: a heading, no news


def protect(texts: "list[str]", project: "Project", settings: "dict[str, Any]", cwd: str = "") -> "tuple[list[str], str | None]":
    """Return texts as they may be stored, and as JSON how many secrets of which kind were cut out (None for none)."""
    counts: dict[str, int] = {}
    ready = [text and _prepare(text, counts) for text in texts]
    folders = list(dict.fromkeys([project.root, project.top, cwd or project.root, paths.environment("HOME") or project.root]))
    known = known_in(folders)
    patterns = settings["privacy.redact_patterns"]
    if patterns:  # which may match across any separator
        safe = [_redact(text, known, patterns, counts) for text in ready]
    else:
        safe = _redact(SEPARATOR.join(ready), known, [], counts).split(SEPARATOR)
    return safe, fast.dumps(counts) if counts else None


def rename(seen: "Activity") -> None:
    """Redact what a client calls things, where a token stands in that; what is stored by it and asked for by it stays together."""
    told = {name: value for name in NAMES for value in [getattr(seen, name)] if value}
    if gate.holds_token("\n".join(told.values())):
        seen.__dict__.update({name: gate.redact(value)[0] for name, value in told.items()})


def redacted(text: str, project: "Project", settings: "dict[str, Any]") -> "tuple[str, int]":
    """Return a text of any length as it may be stored, and how many secrets were cut out."""
    folders = dict.fromkeys([project.root, project.top, paths.environment("HOME") or project.root])
    bare, blocks = gate.drop_blocks(gate.clean(text))
    safe, others = gate.redact(bare, known_in([*folders]), settings["privacy.redact_patterns"])
    return safe, sum([*blocks.values(), *others.values()])


def leaving(texts: "Sequence[str]") -> "list[str]":
    """Return texts, redacted as a hook does it, as they may leave; only those that may hide something cost anything."""
    return [_in_context(text) if text and may_hide(text) else text for text in texts]


def _in_context(text: str) -> str:
    from ralph_mem.core.redaction import context  # lazy: only for a word that a name beside it may tell

    return context.redact_more(text)


def may_name_secrets(text: str) -> bool:
    """Say whether a path or a command may name a file that holds secrets, for `path_rules` to decide."""
    return any([sign in text for sign in TELLING_FILES])


def may_print_secrets(command: str, output: str = "") -> bool:
    """Say whether a command may print a secret and nothing else, for `printing` to decide: by its words, or by printing one."""
    folded, word = command.lower(), output.strip() if len(output) < LONGEST_WORD else ""
    return any([sign in folded for sign in PRINTING]) or (len(word) > 7 and len(word.split()) == 1 and not word.isalpha())


def known_values(environ: "dict[bytes, bytes]", folders: "list[str]") -> "list[str]":
    """Return the values to mask, longest first, read anew: of secret-named variables and of .env-like files in the folders."""
    telling = {name: value for name, value in environ.items() if _may_tell(name.upper(), value)}
    paths = [path for folder in folders for path in _secret_files(folder)]
    if not telling and not paths:
        return []
    from ralph_mem.core.redaction import known as known_secrets  # lazy: only for a project with secrets of its own

    secrets = known_secrets.of_environment(telling)
    for path in paths:
        secrets += known_secrets.of_file(path)
    return known_secrets.forms(secrets)


def may_hide(text: str) -> bool:
    """Say whether a text holds a word of the kind that only `context` can judge."""
    words = gate.words_of(text.encode("utf-8", "surrogatepass"), gate.HIDING_FLOOR)
    # a plus cuts a word in two
    return "%3" in text or "%2" in text or any([word.translate(None, b"0123456789") != word for word in words])


def _may_tell(name: bytes, value: bytes) -> bool:
    is_named = any([word in name for word in TELLING_NAMES]) and not name.endswith((b"_SOCK", b"XAUTHORITY"))
    return len(value) >= 8 and (is_named or (b"://" in value and b"@" in value))


def _secret_files(folder: str) -> "list[str]":
    try:
        names = posix.listdir(folder)
    except (OSError, ValueError):
        return []
    found = [name for name in names if name in FILE_NAMES or (name.startswith(".env.") and not name.endswith(SAMPLES))]
    return [f"{folder}/{name}" for name in found]


def known_in(folders: "list[str]") -> "list[str]":
    """Return the values of the environment and of the files of secrets in folders that no text may hold."""
    if not HELD:
        return known_values(posix.environ, folders)
    held, key = HELD[0], tuple(folders)
    if key not in held:
        held[key] = known_values(posix.environ, folders)
    return held[key]


def _redact(text: str, known: "list[str]", patterns: "list[str]", counts: "dict[str, int]") -> str:
    return _counted(*gate.redact(text, known, patterns), counts)


def _prepare(text: str, counts: "dict[str, int]") -> str:
    text = _counted(*gate.drop_blocks(without_injected(gate.clean(text))), counts)
    return select(text) if len(text) > MOST_CHARACTERS else text


def _counted(text: str, kinds: "dict[str, int]", counts: "dict[str, int]") -> str:
    for kind, number in kinds.items():
        counts[kind] = counts.get(kind, 0) + number
    return text


def without_injected(text: str) -> str:
    """Cut out what this plugin put into the context: it must not come back as something that was said."""
    while INJECTED in text:
        before, rest = text.split(INJECTED, 1)
        tag, _, inside = rest.partition(">")
        text = before + inside.partition(f"</ralph-mem-{tag}")[2].partition(">")[2]
    return text


def select(text: str) -> str:
    """Return head, error lines and tail of a long text, cut between words so that no half secret stays."""
    head = _whole_words(text[:HEAD_CHARACTERS])
    tail = _whole_words(text[: -TAIL_CHARACTERS - 1 : -1])[::-1]
    room = MOST_CHARACTERS - len(head) - len(tail) - 64
    middle = error_lines(_whole_words(text[len(head) : -len(tail) or None][: 4 * MOST_CHARACTERS]), room)
    return f"{head}\n[...]\n{middle}\n[...]\n{tail}"


def _whole_words(text: str) -> str:
    """Drop the piece of a word at the end, or all of one that has no end."""
    end = max(text.rfind("\n"), text.rfind(" "))
    return text[:end] if end >= 0 else ""


def error_lines(text: str, room: int) -> str:
    """Return the lines that speak of a failure, as many as there is room for."""
    kept = []
    for line in text.splitlines():
        low = line.lower()
        is_failed_test = " \u203a " in line and line.partition(")")[0].strip().isdigit()  # as Playwright counts and names those
        speaks = is_failed_test or (any([word in low for word in ERROR_WORDS]) and not line.startswith(RULERS))
        if speaks and len(line) < room:
            room -= len(line) + 1
            kept.append(line.rstrip())
    return "\n".join(kept)


def shorten(text: str, limit: int) -> str:
    """Return a text of at most `limit` characters: its beginning and, mostly, its end."""
    text = text.strip()
    if len(text) <= limit:
        return text
    head = limit // 3
    return text[:head].rstrip() + "\n[...]\n" + text[head + 7 - limit :].lstrip()
