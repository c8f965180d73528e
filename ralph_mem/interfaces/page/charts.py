"""Draw small charts as SVG, without a script and without a style in line."""

from collections.abc import Sequence

from markupsafe import Markup

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
