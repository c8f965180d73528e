"""Make a page of values, with every text escaped and without what is invisible in it."""

import re
from collections.abc import Callable, Mapping
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ralph_mem.core import format as formats
from ralph_mem.core.redaction import terminal
from ralph_mem.interfaces.page import charts

HERE = Path(__file__).parent
TEMPLATES, STATIC = HERE / "templates", HERE / "static"

HERE_BEGINS = "<!-- content -->"  # in the frame of all views
# The id of a row or a session, as lines for a terminal have them.
ID = re.compile(r"\b(turn|obs|sess|rel)-[a-km-np-z2-9]{10}\b")
VIEW_OF = {"turn": "memory", "obs": "memory", "sess": "session", "rel": "relation"}
# Makes the address of a view: its name, an id, and fields.
Link = Callable[..., str]


def _finalized(value: Any) -> Any:
    """Return a value as it may be shown: a text without escape sequences and without marks that turn or hide what follows."""
    if value is None:
        return ""
    return terminal.plain(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _exactly(text: str) -> Markup:
    """Return a text for a field to edit, every character of it; a browser leaves out one line end at the beginning."""
    return Markup("\n") + escape(text)


def size(text: str) -> int:
    """Return how many bytes a text takes in a page."""
    return len(str(escape(text)).encode("utf-8", "replace"))


def _short(text: object, most: int) -> Markup:
    """Return a text of at most so many bytes in a page, with dots where something is missing."""
    whole = terminal.plain(str(text))
    kept = whole[:most]
    while size(kept) > most:
        kept = kept[: len(kept) * most // size(kept)]
    return escape(kept) + ("..." if len(kept) < len(whole) else "")


def _linked(text: object, link: Link) -> Markup:
    """Return a text in which each id leads to what it names."""

    def linked(found: re.Match[str]) -> str:
        at = link(VIEW_OF[found[1]], found[0])
        return f'<a href="{escape(at)}"><code>{found[0]}</code></a>' if at else found[0]

    return Markup(ID.sub(linked, str(escape(terminal.plain(str(text))))))  # noqa: S704 - escaped, but for ids of nothing else


def _when(at: int | None) -> str:
    return formats.when(at) if at else ""


def _day_of(number: int) -> str:
    """Return a day that is counted from 1970 on as 2026-01-31."""
    return (date(1970, 1, 1) + timedelta(days=number)).isoformat()


ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=_finalized, trim_blocks=True,
    lstrip_blocks=True,
)  # fmt: skip
ENVIRONMENT.filters |= {"exactly": _exactly, "when": _when, "amount": formats.amount, "duration": formats.duration}
ENVIRONMENT.filters |= {"short": _short, "linked": _linked, "day_of": _day_of}
ENVIRONMENT.globals |= {"bars": charts.bars, "graph": charts.graph, "count": formats.count}


def page(template: str, values: Mapping[str, Any]) -> str:
    """Return a page as HTML."""
    return ENVIRONMENT.get_template(template).render(values)
