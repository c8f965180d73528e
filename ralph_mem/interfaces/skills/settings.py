"""Settings as a session shows them, and as a person changes them where that loosens nothing."""

import shlex

from ralph_mem.core import paths
from ralph_mem.core.errors import ConfigError
from ralph_mem.core.settings import effective, schema, trust, typed_value
from ralph_mem.hosts import asker
from ralph_mem.maintenance import config_change
from ralph_mem.ralph import leftovers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked

MOST_VALUE = 200  # characters of a value that a hint repeats
# Which keys an entrance shows unasked; a short name means the key of the first of these sections.
SHOWN = {"memory": ("recording", "memory.", "search.", "privacy."), "ralph": ("ralph.", "snapshot.")}


def answer(asked: "Asked", words: str, section: str, before: str) -> "list[str]":
    """Return settings in lines, all for `show`, or change one: `KEY`, `KEY VALUE`, and with `get` and `set` in front of them."""
    verb, _, more = words.strip().partition(" ")
    if words.strip() == "show":
        return _lines(asked, list(schema.RULES))
    key, _, value = (more.strip() if verb in ("get", "set") else words.strip()).partition(" ")
    name = key_named(key, section) if key else ""
    if value.strip():
        return _set(asked, name, value.strip())
    if verb == "set":
        raise ConfigError("a key and a value are needed", f"{before} set {name or 'memory.show'} VALUE")
    shown = [name] if name else [each for each in schema.RULES if each.startswith(SHOWN[section])]
    return _lines(asked, shown)


def _lines(asked: "Asked", names: "list[str]") -> "list[str]":
    return [f"{each}: {config_change.written(asked.settings.get(each))}" for each in names]


def key_named(key: str, section: str) -> str:
    """Return the whole name of a key, of which the section may be left out where one of ours ends so, or only one does."""
    ends = [name for name in schema.RULES if name.partition(".")[2] == key]
    named = [name for name in ends if name.startswith(section + ".")] or ends
    if key in schema.RULES or len(named) == 1:
        return key if key in schema.RULES else named[0]
    raise schema.no_such_key(key if "." in key else f"{section}.{key}")


def _set(asked: "Asked", name: str, text: str) -> "list[str]":
    """Change a setting in the project's config: in a session, where a model may have asked for it, only if it loosens nothing."""
    in_terminal = f"in a terminal: ralph-mem config set {name} {shlex.quote(text[:MOST_VALUE])}"
    if not asked.typed or paths.environment(leftovers.MARK):
        raise ConfigError("only a person can change a setting", in_terminal)
    value = typed_value.parse(name, text)
    if trust.loosens(name, value, asked.settings.get(name)) and not (asked.no_model and asker.is_a_person()):
        raise ConfigError(f"{name} would let more happen than now, which a session cannot decide", in_terminal)
    changed = config_change.change(asked.project, name, text)
    waiting = ["not all of this file is in force: /mem trust shows the rest"] if changed.waiting else []
    told = f"{name} is {config_change.written(changed.value)} in {changed.path}"
    return [told, *_overruled(name), *waiting, *config_change.wrong(asked.project)]


def _overruled(name: str) -> "list[str]":
    return [f"but here {effective.variable(name)} says otherwise, and counts"] if name in effective.variables() else []
