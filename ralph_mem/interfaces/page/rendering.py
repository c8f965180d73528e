"""Make a page of values, with every text escaped and without what is invisible in it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ralph_mem.core import format as formats
from ralph_mem.core.redaction import terminal
from ralph_mem.interfaces.page import charts

HERE = Path(__file__).parent
TEMPLATES, STATIC = HERE / "templates", HERE / "static"

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


def _when(at: int | None) -> str:
    return formats.when(at) if at else ""


ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=_finalized, trim_blocks=True,
    lstrip_blocks=True,
)  # fmt: skip
ENVIRONMENT.filters |= {"exactly": _exactly, "when": _when, "amount": formats.amount, "duration": formats.duration}
ENVIRONMENT.globals |= {"bars": charts.bars, "graph": charts.graph, "count": formats.count}


def page(template: str, values: Mapping[str, Any]) -> str:
    """Return a page as HTML."""
    return ENVIRONMENT.get_template(template).render(values)
