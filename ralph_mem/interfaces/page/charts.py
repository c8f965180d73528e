"""Draw small charts as SVG, without a script and without a style in line."""

import math
from collections.abc import Sequence

from markupsafe import Markup

WIDTH, HEIGHT, GAP = 600, 96, 2
MOST_NODES = 24  # of a graph that can still be read
WIDE, HIGH, RADIUS, MOST_LABEL = 960, 560, 220, 22  # a label beside each end of the circle has room
TITLE = Markup("<title>{}</title>")
BAR = Markup('<rect class="bar" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">{}</rect>')
SVG = Markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}" preserveAspectRatio="none">{}</svg>')
GRAPH = Markup('<svg class="graph" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>')
EDGE = Markup('<line class="edge" x1="{:.0f}" y1="{:.0f}" x2="{:.0f}" y2="{:.0f}">{}</line>')
NODE = Markup('<g class="node"><circle cx="{:.0f}" cy="{:.0f}" r="5">{}</circle><text x="{:.0f}" y="{:.0f}" {}>{}</text></g>')


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


def graph(edges: Sequence[tuple[str, str, str]]) -> Markup:
    """Return relations as a graph on a circle: those that come first, as far as it can be read."""
    names: list[str] = []
    shown = []
    for edge in edges:
        more = [name for name in dict.fromkeys((edge[0], edge[2])) if name not in names]
        if len(names) + len(more) <= MOST_NODES:
            names += more
            shown.append(edge)
    at = {name: _place(number, len(names)) for number, name in enumerate(names)}
    lines = [EDGE.format(*at[one], *at[other], TITLE.format(f"{one} {said} {other}")) for one, said, other in shown]
    dots = [_node(name, *at[name]) for name in names]
    told = f"{len(shown)} of {len(edges)} relations between {len(names)} things; the list has them all"
    return GRAPH.format(WIDE, HIGH, told, Markup().join([*lines, *dots]))


def _place(number: int, of: int) -> tuple[float, float]:
    angle = 2 * math.pi * number / max(1, of)
    return WIDE / 2 + RADIUS * math.cos(angle), HIGH / 2 + RADIUS * math.sin(angle)


def _node(name: str, x: float, y: float) -> Markup:
    label = name if len(name) <= MOST_LABEL else name[: MOST_LABEL - 3] + "..."
    side = Markup('text-anchor="end"') if x < WIDE / 2 else Markup('text-anchor="start"')
    return NODE.format(x, y, TITLE.format(name), x + (8 if x >= WIDE / 2 else -8), y + 4, side, label)
