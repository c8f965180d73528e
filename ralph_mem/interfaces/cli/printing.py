"""Print text for people, JSON for programs, and colour only on a terminal."""

import json
import os
import shutil
import sys
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Annotated, Any, cast

import typer
from typer.core import TyperCommand

from ralph_mem.core.format import are_digits
from ralph_mem.interfaces import verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import TextIO

    from rich.progress import Progress
    from rich.status import Status

Project = Annotated[
    str, typer.Option("--project", "-p", metavar="PROJECT", help="Another project: its folder, name or id. Default: where you are.")
]


def _for_a_program(wanted: bool) -> bool:
    """Note whether a program reads the answer, which wants no bar beside it."""
    for_a_program[:] = [True] * wanted
    return wanted


for_a_program: list[bool] = []  # not empty where the command that is run was given --json
Json = Annotated[bool, typer.Option("--json", callback=_for_a_program, help="Print JSON, for a program to read.")]
SINCE, UNTIL = verbs.SPAN.values()


def _each(types: list[str]) -> list[str]:
    """Return the types that were given, a name each, where one value may be several with commas."""
    return [name.strip() for given in types for name in given.split(",")]


Type = Annotated[list[str], typer.Option("--type", "-t", callback=_each, help=verbs.TYPES["--type TYPE"])]
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


RED, GREEN, YELLOW = "31", "32", "33"


def text(lines: str = "", colours: Mapping[str, str] = MappingProxyType({})) -> None:
    """Print lines for people: on a terminal none is cut within a word, and what is left of one is indented.

    `colours` says which words have which colour there, where a line begins with them.
    """
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    shown = [_wrapped(line, width) if width and len(line) > width else line for line in lines.split("\n")]
    verbatim("\n".join([_begun_in_colour(line, colours) for line in shown]))


def _begun_in_colour(line: str, colours: Mapping[str, str]) -> str:
    word = next((each for each in colours if line.startswith(each)), "")
    return coloured(word, colours[word], sys.stdout) + line[len(word) :] if word else line


def coloured(words: str, colour: str, stream: "TextIO") -> str:
    """Return words in a colour where the stream is a terminal that has some, and the person has not switched them off."""
    is_wanted = stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM", "dumb") != "dumb"
    return f"\x1b[{colour}m{words}\x1b[0m" if is_wanted else words


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


def told(words: str, value: object, json: bool) -> None:
    """Print words for a person, or a value where they want it for a program."""
    if json:
        as_json(value)
    else:
        text(words)


def complain(what: str, hint: str = "") -> None:
    """Print what went wrong in one line, and in a second one what to do, on stderr."""
    sys.stderr.write(f"{coloured('ralph-mem:', RED, sys.stderr)} {_in_a_line(what)}\n")
    if hint:
        sys.stderr.write(f"  {coloured('hint:', YELLOW, sys.stderr)} {_in_a_line(hint)}\n")


MOST_OF_A_LINE = 500  # characters: what somebody typed may be a pasted file


def _in_a_line(words: str) -> str:
    """Return words that may quote what somebody typed in one line, which nothing in it moves or hides."""
    line = " ".join(words.split())
    if not (line.isascii() and line.isprintable()):
        from ralph_mem.core.redaction import terminal  # lazy: only for characters that may not be printable

        line = terminal.plain(line)
    return line if len(line) <= MOST_OF_A_LINE else line[: MOST_OF_A_LINE - 3] + "..."


# Columns of what is copied into the next command, which stays in one line; what is longer is something else of that name.
IDS, LONGEST_ID = ("id", "session", "run"), 20


FEWEST_COLUMNS_EACH = 9  # of a terminal, for each of a table: where there are fewer, a row stands as lines below each other


def table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print rows under their headings, each as wide as its contents, numbers to the right; on a narrow terminal in lines."""
    from rich.console import Console  # lazy: only for a table or a progress bar: most commands print plain text
    from rich.table import Table  # lazy: only for a table

    drawn = Table(box=None, pad_edge=False, header_style="bold")
    kept = list(rows)
    if sys.stdout.isatty() and shutil.get_terminal_size().columns < FEWEST_COLUMNS_EACH * len(columns):
        text("\n\n".join(["\n".join([f"{name}: {cell}" for name, cell in zip(columns, row, strict=True)]) for row in kept]))
        return
    for number, name in enumerate(columns):
        right = bool(kept) and all(isinstance(row[number], (int, float)) for row in kept)
        is_id = name in IDS and all(len(str(row[number])) <= LONGEST_ID for row in kept)
        no_wrap = is_id or not sys.stdout.isatty()
        drawn.add_column(name, justify="right" if right else "left", overflow="fold", no_wrap=no_wrap)
    for row in kept:
        drawn.add_row(*[str(cell).replace("[", "\\[") for cell in row])
    # a pipe has no width: nothing is cut off for a program or a file
    console = Console(width=None if sys.stdout.isatty() else 10_000, highlight=False)
    with console.capture() as printed:
        console.print(drawn)
    for line in printed.get().splitlines():
        verbatim(line.rstrip())


def is_watched() -> bool:
    """Say whether somebody sees what is shown while a command works: at a terminal, where no program reads the answer."""
    return sys.stderr.isatty() and not for_a_program


def progress(what: str) -> "Progress":
    """Return a progress bar for work that takes a while, to be used as a context manager; it stands on stderr.

    Where nobody watches it is one that shows nothing, and costs nothing.
    """
    if not is_watched():
        return cast("Progress", Unwatched())
    from rich.console import Console  # lazy: only for a table or a progress bar: most commands print plain text
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # lazy: only for work that takes a while

    columns = (TextColumn(what), BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    return Progress(*columns, console=Console(stderr=True), transient=True)


class Unwatched:
    """A progress bar that nobody sees."""

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        """Leave nothing behind."""

    def add_task(self, *_: object, **__: object) -> int:
        """Take on some work."""
        return 0

    def update(self, *_: object, **__: object) -> None:
        """Hear how far it is."""

    reset = update


@contextmanager
def steps(what: str) -> "Iterator[Callable[[str, int, int], object]]":
    """Show a progress bar for named steps; yields what hears of each its name, how many are done, and of how many."""
    with progress(what) as bar:
        task = bar.add_task("")
        yield lambda step, done, total: bar.update(task, description=step, completed=done, total=total)


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
        from ralph_mem.ralph.loop import MEANWHILE  # lazy: loaded already by the loop that tells; all else does without

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
