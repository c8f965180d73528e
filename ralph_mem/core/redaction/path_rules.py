"""Decide which files nothing is kept about, and which are named but not quoted."""

from ralph_mem.core.redaction import privacy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Names of files that hold secrets by trade: their name may be kept, never what is in them.
SECRET_FILES = (
    ".env", ".env.*", ".envrc", "*.pem", "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "id_rsa*", "id_dsa*", "id_ecdsa*",
    "id_ed25519*", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", "userlist.txt",
    "passwd.client", ".vault-token", ".git-credentials", "credentials", "credentials.json",
    "secrets.*", "*.kdbx", ".ssh/**", ".aws/**", ".gnupg/**", ".docker/config.json", ".kube/config",
)  # fmt: skip


def is_secret(path: str) -> bool:
    """Say whether a file holds secrets by its name."""
    return privacy.may_name_secrets(path) and _matches_any(path, SECRET_FILES)


def is_excluded(path: str, settings: "dict[str, Any]") -> bool:
    """Say whether the user wants nothing at all kept about a path, given as seen from the project's root."""
    return _matches_any(path, settings["privacy.exclude_paths"])


def touches(command: str, settings: "dict[str, Any]") -> bool:
    """Say whether a command names a file whose content must not be kept."""
    secret = privacy.may_name_secrets(command) and any([is_secret(word) for word in _names(command)])
    return secret or names_excluded(command, settings)


def names_excluded(command: str, settings: "dict[str, Any]") -> bool:
    """Say whether a command names a path that the user excludes."""
    return bool(settings["privacy.exclude_paths"]) and any(
        [is_excluded(word.removeprefix("./"), settings) for word in _names(command)]
    )


def _names(command: str) -> "list[str]":
    return "".join([" " if char in "\"'<>|;&=()`:" else char for char in command]).split()


def _matches_any(path: str, patterns: "tuple[str, ...] | list[str]") -> bool:
    return any([matches(path, str(pattern)) for pattern in patterns])


def matches(path: str, pattern: str) -> bool:
    """Match a path against a pattern as in .gitignore: `*` within a name, `**` across folders, a name anywhere."""
    parts = [part for part in path.split("/") if part]
    wanted = [part for part in pattern.split("/") if part]
    if pattern.endswith("/"):
        wanted.append("**")
    if pattern.startswith("/"):
        return _parts_match(parts, wanted)
    return any([_parts_match(parts[start:], wanted) for start in range(len(parts))])


def _parts_match(parts: "list[str]", wanted: "list[str]") -> bool:
    if not wanted:
        # a folder's pattern covers what lies below it
        return True
    if wanted[0] == "**":
        return any([_parts_match(parts[start:], wanted[1:]) for start in range(len(parts) + 1)])
    return bool(parts) and _name_matches(parts[0], wanted[0]) and _parts_match(parts[1:], wanted[1:])


def _name_matches(name: str, pattern: str) -> bool:
    """Match one name, each piece between stars at its first place: no pattern takes longer than the name is long."""
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    if not name.startswith(first):
        return False
    at = len(first)
    for piece in rest[:-1]:
        at = name.find(piece, at) + len(piece)
        if at < len(piece):
            return False
    return name.endswith(rest[-1]) and len(name) - len(rest[-1]) >= at
