"""Make a page of values and small charts, with every text escaped and without what is invisible in it.

Our own words are said in the language of the browser; what is remembered stays as it is.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from ralph_mem.core import format as formats
from ralph_mem.core.redaction import terminal

HERE = Path(__file__).parent
TEMPLATES, STATIC, LOCALES = HERE / "templates", HERE / "static", HERE / "locales"
ENGLISH, LANGUAGES = "en", ("en", "de", "es", "fr", "it")

HERE_BEGINS = "<!-- content -->"  # in the frame of all views
# The id of a row or a session, as lines for a terminal have them.
ID = re.compile(r"\b(turn|obs|sess|rel)-[a-km-np-z2-9]{10}\b")
VIEW_OF = {"turn": "memory", "obs": "memory", "sess": "session", "rel": "relation"}
# Makes the address of a view: its name, an id, and fields.
Link = Callable[..., str]
WIDTH, HEIGHT, GAP = 600, 96, 2
MOST_NODES = 24  # of a graph that can still be read
# The graph has a column for each step away from where nothing leads to; a label beside each node has room.
COLUMN, ROW, MARGIN, MOST_LABEL, MOST_COLUMNS, LETTER = 320, 44, 30, 22, 3, 7
TITLE = Markup("<title>{}</title>")
BAR = Markup('<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">{}</rect>')
SVG = Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}" preserveAspectRatio="none">{}</svg>')
GRAPH = Markup('<svg class="graph" viewBox="0 0 {0} {1}" width="{0}" height="{1}" role="img" aria-label="{2}">{3}</svg>')
EDGE = Markup('<g class="edge"><path d="M{} {}C{} {} {} {} {} {}"/><text x="{}" y="{}" text-anchor="middle">{}</text>{}</g>')
NODE = Markup('<g class="node"><circle cx="{}" cy="{}" r="5"/><text x="{}" y="{}">{}</text>{}</g>')

Edge = tuple[str, str, str]
Translate = Callable[[str], str]


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


def bars(points: Sequence[tuple[str, float]], what: str) -> Markup:
    """Return bars, one for each point with its name; the table beside a chart has the numbers."""
    most = max([value for _, value in points], default=0) or 1
    step = WIDTH / max(1, len(points))
    drawn = Markup().join(
        BAR.format(at * step, HEIGHT - HEIGHT * value / most, max(1.0, step - GAP), HEIGHT * value / most,
                   TITLE.format(f"{name}: {value:,.6g}"))
        for at, (name, value) in enumerate(points)
    )  # fmt: skip
    return SVG.format(WIDTH, HEIGHT, f"{what}, {len(points)} values, at most {most:,.6g}", drawn)


def graph(edges: Sequence[Edge]) -> Markup:
    """Return relations as a graph from left to right: those that come first, as far as it can be read."""
    shown, names = _fitting(edges)
    places = _places(names, shown)
    high = 2 * MARGIN + ROW * max([row for _, row in places.values()], default=0)
    at = {name: (MARGIN + COLUMN * column, MARGIN + ROW * row) for name, (column, row) in places.items()}
    drawn = [_edge(at[one], at[other], (one, said, other)) for one, said, other in shown] + [
        _node(name, *at[name]) for name in names
    ]
    told = f"{len(shown)} of {len(edges)} relations between {len(names)} things; the list has them all"
    wide = 2 * MARGIN + COLUMN * (1 + max([column for column, _ in places.values()], default=0))
    return GRAPH.format(wide, high, told, Markup().join(drawn))


def _fitting(edges: Sequence[Edge]) -> tuple[list[Edge], list[str]]:
    """Return the first edges that have room, and the names at their ends in the order in which they come."""
    names: list[str] = []
    shown = []
    for edge in edges:
        more = [name for name in dict.fromkeys((edge[0], edge[2])) if name not in names]
        if len(names) + len(more) <= MOST_NODES:
            names += more
            shown.append(edge)
    return shown, names


def _places(names: Sequence[str], edges: Sequence[Edge]) -> dict[str, tuple[int, int]]:
    """Return the column and the row of each node: behind what leads to it, and beside it where that is free."""
    after = {name: [other for one, _, other in edges if one == name and other != name] for name in names}
    led_to = {other for others in after.values() for other in others}
    places: dict[str, tuple[int, int]] = {}
    taken: set[tuple[int, int]] = set()
    for start in sorted(names, key=lambda name: name in led_to):  # what nothing leads to comes first; of a circle, anything
        waiting = [(start, 0, max([row for _, row in taken], default=-1) + 1)] if start not in places else []
        while waiting:
            name, column, row = waiting.pop(0)
            if name in places:
                continue
            while (column, row) in taken:
                row += 1
            places[name] = (column, row)
            taken.add((column, row))
            waiting += [(other, min(column + 1, MOST_COLUMNS - 1), row) for other in after[name]]
    return places


def _edge(one: tuple[int, int], other: tuple[int, int], said: Edge) -> Markup:
    (x, y), (to_x, to_y) = one, other
    begin, end = x + 15 + LETTER * len(_cut(said[0])), to_x - 8  # behind its label, and before the dot
    middle = (begin + end) // 2
    path = (begin, y, middle, y, middle, to_y, end, to_y)
    return EDGE.format(*path, middle, (y + to_y) // 2 - 5, said[1], TITLE.format(_cut(" ".join(said), 3)))


def _node(name: str, x: int, y: int) -> Markup:
    return NODE.format(x, y, x + 9, y + 4, _cut(name), TITLE.format(_cut(name, 3)))


def _cut(name: str, times: int = 1) -> str:
    most = MOST_LABEL * times
    return name if len(name) <= most else name[: most - 3] + "..."


ENVIRONMENT = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, finalize=_finalized, trim_blocks=True,
    lstrip_blocks=True,
)  # fmt: skip
ENVIRONMENT.filters |= {"exactly": _exactly, "when": _when, "amount": formats.amount, "duration": formats.duration}
ENVIRONMENT.filters |= {"short": _short, "linked": _linked, "day_of": _day_of}
ENVIRONMENT.globals |= {"bars": bars, "graph": graph, "count": formats.count}


def language_of(accepted: str) -> str:
    """Return the language that a browser's `Accept-Language` wants most of those that there are; English for none."""
    wanted = []
    for at, part in enumerate(accepted[:400].split(",")):
        name, _, quality = part.strip().lower().partition(";q=")
        wanted.append((-_number(quality), at, name.partition("-")[0]))
    return next((name for _, _, name in sorted(wanted) if name in LANGUAGES), ENGLISH)


def _number(quality: str) -> float:
    try:
        return float(quality or 1)
    except ValueError:
        return 0.0


def words(language: str) -> Translate:
    """Return what says an English text in a language; a text that it does not know stays English."""
    known = texts(language)
    return lambda text: known.get(text, text)


@cache
def texts(language: str) -> dict[str, str]:
    """Return the texts of a language by the English ones."""
    found: dict[str, str] = json.loads((LOCALES / f"{language}.json").read_text(encoding="utf-8"))
    return found


def page(template: str, values: Mapping[str, Any]) -> str:
    """Return a page as HTML."""
    return ENVIRONMENT.get_template(template).render(values)
