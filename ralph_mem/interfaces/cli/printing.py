"""Print text for people, JSON for programs, and colour only on a terminal."""

import json
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ralph_mem.core.format import are_digits
from ralph_mem.ralph.runs import MEANWHILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO

    from rich.progress import Progress
    from rich.status import Status

Project = Annotated[
    str, typer.Option("--project", "-p", metavar="PROJECT", help="Another project: its folder, name or id. Default: where you are.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a program to read.")]
Type = Annotated[
    list[str],
    typer.Option("--type", "-t", help="Only of this type, several by repeating it: turn, note, error, success, tool_use, summary."),
]
Outside = Annotated[bool, typer.Option("--outside", help="Show text that web and MCP tools brought in; it is withheld otherwise.")]
Confirm = Annotated[bool, typer.Option("--confirm", help="Do it; without, only show what would be done.")]
Digits = Annotated[
    str,
    typer.Option(
        "--confirm", metavar="DIGITS", help="Do what was shown under these digits; without, only show what would be done."
    ),
]


class Confirmed(TyperCommand):
    """A command whose `--confirm` takes the digits of what was shown; alone it is the wish to see it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Read the words, a `--confirm` without digits left out: what stands behind it is its own."""
        end = args.index("--") if "--" in args else len(args)
        digits = [are_digits(word) for word in [*args[1:], ""]]
        bare = [at for at in range(end) if args[at] == "--confirm" and not digits[at]]
        return super().parse_args(ctx, [word for at, word in enumerate(args) if at not in bare])


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
    from rich.console import Console  # lazy: only for a table or a progress bar: most commands print plain text
    from rich.table import Table  # lazy: only for a table

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
    from rich.console import Console  # lazy: only for a table or a progress bar: most commands print plain text
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # lazy: only for work that takes a while

    columns = (TextColumn(what), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())


class Live:
    """Hears what a loop tells. Lines that stay go to stdout, or to stderr where stdout is for a program."""

    def __init__(self, for_program: bool = False) -> None:
        self.out = sys.stderr if for_program else sys.stdout
        self.status: Status | None = None

    def __enter__(self) -> None:
        """Begin to show what is going on, where somebody can see it."""
        if self.out.isatty():
            from rich.console import Console  # lazy: only at a terminal, where somebody looks on

            self.status = Console(file=self.out, highlight=False).status("", spinner="dots")
            self.status.start()

    def __exit__(self, kind: "type[BaseException] | None", error: "BaseException | None", where: "TracebackType | None") -> None:
        """Take away what is no longer going on."""
        if self.status:
            self.status.stop()

    def __call__(self, line: str) -> None:
        """Show a line: one that is over with the next only on a terminal."""
        if not line.startswith(MEANWHILE):
            self.stays(line)
        elif self.status:
            from rich.text import Text  # lazy: only at a terminal, where somebody looks on

            width = max(20, self.status.console.width - 4)
            self.status.update(Text(line.strip()[:width], no_wrap=True))

    def stays(self, line: str) -> None:
        """Print a line, at once: whoever reads a pipe wants to see it before the loop ends."""
        if self.status:
            from rich.text import Text  # lazy: only at a terminal, where somebody looks on

            self.status.console.print(Text(line))
        else:
            line_on(self.out, line)

    def ask(self, question: str) -> bool:
        """Ask somebody at a terminal; where nobody sits the answer is no."""
        if not (sys.stdin.isatty() and self.out.isatty()):
            return False
        if self.status:
            self.status.stop()
        try:
            return typer.confirm(question, err=self.out is sys.stderr)
        finally:
            if self.status:
                self.status.start()
