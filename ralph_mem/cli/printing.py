"""Printing: text for people, JSON for programs, colour only on a terminal."""

import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TextIO

    from rich.progress import Progress


def text(lines: str = "") -> None:
    """Print lines for people: on a terminal none is cut within a word, and what is left of one is indented."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    verbatim("\n".join(_wrapped(line, width) if width and len(line) > width else line for line in lines.split("\n")))


def _wrapped(line: str, width: int) -> str:
    return textwrap.fill(
        line,
        width,
        subsequent_indent="    ",
        expand_tabs=False,
        replace_whitespace=False,
        break_long_words=False,
        break_on_hyphens=False,
    )


def verbatim(line: str) -> None:
    """Print a text as it stands; what a terminal cannot show is replaced."""
    sys.stdout.write(_fit(line, sys.stdout) + "\n")


def line_on(stream: "TextIO", line: str) -> None:
    """Print a line on one of the two streams, so that whoever reads it has it at once."""
    stream.write(_fit(line, stream) + "\n")
    stream.flush()


def _fit(line: str, stream: "TextIO") -> str:
    return line.encode(stream.encoding or "utf-8", "replace").decode(stream.encoding or "utf-8")


def as_json(value: object) -> None:
    """Print one JSON value, for a program to read."""
    plain = (sys.stdout.encoding or "utf-8").lower().replace("-", "") != "utf8"  # then JSON's own escapes lose nothing
    verbatim(json.dumps(value, indent=2, ensure_ascii=plain, default=str))


def complain(what: str, hint: str = "") -> None:
    """Print what went wrong in one line, and in a second one what to do, on stderr."""
    line = " ".join(what.split())
    sys.stderr.write(f"ralph-mem: {line}\n" + (f"  hint: {hint}\n" if hint else ""))


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headings, each as wide as its contents; numbers stand to the right."""
    from rich.console import Console
    from rich.table import Table

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    kept = list(rows)
    for number, name in enumerate(columns):
        right = bool(kept) and all(isinstance(row[number], (int, float)) for row in kept)
        drawn.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=not sys.stdout.isatty())
    for row in kept:
        drawn.add_row(*[str(cell).replace("[", "\\[") for cell in row])
    # a pipe has no width: nothing is cut off for a program or a file
    console = Console(width=None if sys.stdout.isatty() else 10_000, highlight=False)
    with console.capture() as printed:
        console.print(drawn)
    for line in printed.get().splitlines():
        verbatim(line.rstrip())


def progress(what: str) -> "Progress":
    """Return a progress bar for work that takes a while, to be used as a context manager; it stands on stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn(what), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())
