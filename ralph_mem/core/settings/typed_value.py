"""Read the value of a setting from what a person types."""

from ralph_mem.core.errors import ConfigError
from ralph_mem.core.settings import schema, yaml_subset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def parse(key: str, text: str) -> "Any":
    """Return the value that a typed text means for a key; a list is `a, b`, or as in YAML `[a, 'b, c']`. Raises ConfigError."""
    if key not in schema.RULES:
        raise schema.no_such_key(key)
    kind, text = schema.RULES[key].kind, text.strip()
    value: Any = text
    if kind in (schema.TEXTS, schema.PATTERNS):
        value = _items(text, kind == schema.PATTERNS)
    elif kind == schema.SWITCH:
        value = schema.WORDS.get(text.lower(), text)
    elif kind == schema.CHOICE:
        value = text.lower()
    elif text.removeprefix("-").isdecimal() and len(text) <= yaml_subset.LONGEST_NUMBER:
        value = int(text)
    what = schema.problem(key, value)
    if what:
        raise ConfigError(what)
    return schema.cleaned(key, value)


def _items(text: str, patterns: bool) -> "list[Any]":
    if text.startswith("[") and text.endswith("]"):
        values, _, why = yaml_subset.scan("value: " + text)
        if not why and list(values) == ["value"] and isinstance(values["value"], list):
            return values["value"]
        raise ConfigError(f"this is no list: {schema.shown(text)}", schema.LIST_HINT)
    if patterns and "," in text and any([char in text for char in "[{(\\"]):
        raise ConfigError("a comma that may part two expressions or belong to one", schema.LIST_HINT)
    items = [item.strip() for item in text.split(",") if item.strip()]
    return [item[1:-1] if item[0] == item[-1] in yaml_subset.QUOTES else item for item in items]
