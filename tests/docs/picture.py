"""The picture of README: what `make demo` prints, drawn as a terminal; written again by `python -m tests.docs`."""

import html
import io
import re

from rich.console import Console
from rich.text import Text

from tests.docs import ROOT

FILE = ROOT / "docs" / "demo.svg"
# A terminal that does not wrap: longer lines end at its edge.
COLUMNS = 112
# A picture in a repository fetches no font from elsewhere.
FONT = re.compile(r"\s*@font-face \{.*?\}", re.DOTALL)
TEXT = re.compile(r'<text class="[\w-]+-r\d+" x="([\d.]+)" y="([\d.]+)"[^>]*>(.*?)</text>', re.DOTALL)


def drawn(printed):
    """Return the picture of a terminal in which this was printed."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    told = False
    for line in printed.splitlines():
        told = told or line.startswith("  <ralph-mem-")
        console.print(Text(cut(line), style=_style(line, told), end=""), no_wrap=True, crop=True)
        told = told and not line.startswith("  </ralph-mem-")
    return FONT.sub("", console.export_svg(title="ralph-mem", unique_id="demo"))


def _style(line, told):
    if told:
        return "cyan"
    return "" if line.startswith("  ") else "bold"


def cut(line):
    """Return what a terminal of this width shows of a line."""
    return (line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…").rstrip()


def shown(printed):
    """Return the lines that a picture of this shows, but for empty ones."""
    return "\n".join(cut(line) for line in printed.splitlines() if line.strip())


def text_of(picture):
    """Return the lines that a picture shows, but for empty ones."""
    lines = {}
    for x, y, text in TEXT.findall(picture):
        lines.setdefault(float(y), []).append((float(x), html.unescape(text).replace("\xa0", " ")))
    rows = ["".join(text for _, text in sorted(parts)).rstrip() for _, parts in sorted(lines.items())]
    return "\n".join(filter(None, rows))
