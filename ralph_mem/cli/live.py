"""What is seen of a loop while it works: a line for each iteration, and on a terminal what it is doing just now."""

import sys

import typer

from ralph_mem.cli import printing
from ralph_mem.ralph.loop import MEANWHILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

    from rich.status import Status


class Live:
    """Hears what a loop tells. Lines that stay go to stdout, or to stderr where stdout is for a program."""

    def __init__(self, for_program: bool = False) -> None:
        self.out = sys.stderr if for_program else sys.stdout
        self.status: Status | None = None

    def __enter__(self) -> None:
        """Begin to show what is going on, where somebody can see it."""
        if self.out.isatty():
            from rich.console import Console

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
            from rich.text import Text

            width = max(20, self.status.console.width - 4)
            self.status.update(Text(line.strip()[:width], no_wrap=True))

    def stays(self, line: str) -> None:
        """Print a line, at once: whoever reads a pipe wants to see it before the loop ends."""
        if self.status:
            from rich.text import Text

            self.status.console.print(Text(line))
        else:
            printing.line_on(self.out, line)

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
