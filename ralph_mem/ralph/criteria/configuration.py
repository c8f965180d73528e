"""Configuration of a project's tools, read as plain text: enough to say what is there, and what defines a criterion."""

import json
import re

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Bytes. Files of settings have some thousands; a package.json that a program wrote may have more.
LARGEST = 1_000_000
HEADING = re.compile(r"\s*\[{1,2}([^\[\]]{1,200})\]{1,2}\s*(?:[#;].*)?$")


def text(path: str) -> str:
    """Return a file's text, nothing where it cannot be read."""
    return paths.read(path, LARGEST)


def sections(path: str) -> "dict[str, str]":
    """Return the sections of an INI or TOML file as they are written, by their names; the headings are left out.

    Python reads TOML by itself only since 3.11, and whether a section is there needs no more than this.
    """
    found: dict[str, list[str]] = {}
    name = ""
    for line in text(path).splitlines():
        heading = HEADING.match(line)
        if heading and not line.startswith((" ", "\t")):
            name = heading[1].strip().replace('"', "")
            found.setdefault(name, [])
        elif name:
            found[name].append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def of_json(path: str) -> "dict[str, Any]":
    """Return a JSON object from a file, empty where there is none."""
    try:
        value = json.loads(text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def below(values: "dict[str, Any]", key: str) -> "dict[str, str]":
    """Return an object of texts in an object, without what is no text."""
    found = values.get(key)
    return {name: value for name, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}
