"""The commands of `ralph` by which a person watches a loop at work and says something to it.

`watch` is a live view with keys to steer; where nobody sits at a terminal it prints lines, or JSON.
"""

import codecs
import json as plain_json
import os
import select
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.live import Live as Screen
from rich.table import Table
from rich.text import Text

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project as Place
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.maintenance import registry as known
from ralph_mem.ralph import runs, stopping
from ralph_mem.ralph.record import HEADLESS, Run
from ralph_mem.ralph.watching import steering, view

commands = typer.Typer()

Name = Annotated[str, typer.Argument(metavar="RUN", help="A run by its id; without, the one at work, else the last one.")]
EVERY_S = 0.5  # a look costs some milliseconds; an iteration takes minutes
STYLES = {"goal": "", "checks": "bold", "now": "cyan", "": "dim cyan", "done": "dim", "spent": "dim", "left": ""}
ENTER, ESCAPE, BACK = ("\r", "\n"), "\x1b", ("\x7f", "\b")


@commands.command()
def hint(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="What its agent is told, as your own words.")],
    project: Project = "",
    json: Json = False,
) -> None:
    """Tell the loop that works here something with its next prompt, once; its history shows it as yours.

    Example: ralph-mem ralph hint "look at cart.py"
    """
    place = known.choose(project)
    run = steering.give_hint(place, effective.load(place), " ".join(text))
    _tell(run, steering.hint_kept(run), json)


@commands.command()
def pause(project: Project = "", json: Json = False) -> None:
    """Have the loop that works here pause once its iteration is done; it does not end, and the time does not count.

    Example: ralph-mem ralph pause
    """
    run = steering.pause(known.choose(project))
    _tell(run, steering.asked_to_pause(run), json)


@commands.command("continue")
def go_on(project: Project = "", json: Json = False) -> None:
    """Let the loop go on that pauses here; one that has ended goes on with `ralph-mem ralph resume`.

    Example: ralph-mem ralph continue
    """
    run = steering.go_on(known.choose(project))
    _tell(run, f"{run.id} goes on.", json)


def _tell(run: Run, line: str, json: bool) -> None:
    printing.as_json({"id": run.id, "told": line}) if json else printing.text(line)


@commands.command()
def watch(run: Name = "", project: Project = "", json: Json = False) -> None:
    """Watch the loop that works here until it ends: iteration, checks, what the agent does, cost, time left; leaves with its code.

    Keys: p pauses after the iteration and goes on again, s twice stops the loop, h tells its agent something, q leaves it alone.

    Example: ralph-mem ralph watch
    """
    place = known.choose(project)
    values = effective.load(place)
    watcher = view.Watcher(place, values, run)
    if json or not (sys.stdout.isatty() and sys.stdin.isatty()):
        seen = _print_events(watcher, json)
    else:
        seen = _Desk(place, values, watcher).show()
    if view.is_over(seen):
        raise typer.Exit(view.exit_code(seen))


def _print_events(watcher: view.Watcher, json: bool) -> view.Seen:
    before = None
    while True:
        seen = watcher.look()
        for event in view.news(before, seen):
            line = plain_json.dumps(event.facts, default=str) if json else event.text
            printing.line_on(sys.stdout, line)
        if view.is_over(seen):
            return seen
        before = seen
        time.sleep(EVERY_S)


class _Desk:
    """What stands on the screen, and what its keys do."""

    def __init__(self, place: Place, values: dict[str, Any], watcher: view.Watcher) -> None:
        self.place, self.values, self.watcher = place, values, watcher
        self.console = Console(highlight=False)
        self.said = ""  # the answer to the last key
        self.typing: str | None = None  # a hint that is being typed
        self.is_sure = False  # s was pressed once

    def show(self) -> view.Seen:
        """Show the run until it ends or the person leaves; returns how it stood then."""
        seen = self.watcher.look()
        with _each_key() as keys, Screen(console=self.console, auto_refresh=False, transient=True) as screen:
            while not view.is_over(seen):
                screen.update(self._drawn(seen), refresh=True)
                if any([self._pressed(key, seen) for key in keys(EVERY_S)]):
                    break
                seen = self.watcher.look()
        goes_on = f"{seen.run.id} goes on; `ralph-mem ralph watch` shows it again"
        for line in runs.with_id(self.place, seen.run, view.ended(seen)) if view.is_over(seen) else [goes_on]:
            printing.text(line)
        return seen

    def _drawn(self, seen: view.Seen) -> Table:
        """Return the frame as it fits on the screen: no line is longer than that, none of it is lost but at the end of lines."""
        grid = Table.grid(expand=True)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        narrow = self.console.width < 40
        for what, says in view.frame(seen, max(2, self.console.height - 3)):
            head = "" if narrow else f"{what} " if what == seen.run.id else f"{what:<{view.NAMES}} "
            grid.add_row(Text(head + says, style=STYLES.get(what, "bold")))
        if self.typing is not None:
            grid.add_row(Text(f"hint: {self.typing[-max(4, self.console.width - 8) :]}_", style="bold"))
        grid.add_row(Text(self.said or view.KEYS, style="yellow" if self.said else "dim"))
        return grid

    def _pressed(self, key: str, seen: view.Seen) -> bool:
        """Do what a key is for; says whether the person leaves."""
        if self.typing is not None:
            self._type(key)
            return False
        was_sure, self.is_sure, self.said = self.is_sure, False, ""
        try:
            if key == "p":
                self.said = self._pause(seen)
            elif key == "h":
                self.typing = ""
            elif key == "s":
                self.said = self._stop(seen) if was_sure else "s again stops the loop, any other key does not"
                self.is_sure = not was_sure
        except (RalphMemError, OSError) as error:
            self.said = str(error)
        return key == "q"

    def _pause(self, seen: view.Seen) -> str:
        if seen.pauses or seen.run.is_paused():
            return f"{steering.go_on(self.place).id} goes on"
        return steering.asked_to_pause(steering.pause(self.place))

    def _stop(self, seen: view.Seen) -> str:
        live = runs.live(self.place)
        if live and live.mode == HEADLESS:
            runs.ask(self.place, seen.run.id, runs.STOP)
        else:
            stopping.stop(self.place, self.values, "stopped by a key of ralph watch")
        return "stopping it ..."

    def _type(self, key: str) -> None:
        """Take in a key of a hint: Enter gives it, Escape drops it."""
        if key in ENTER and self.typing:
            try:
                self.said = steering.hint_kept(steering.give_hint(self.place, self.values, self.typing))
            except RalphMemError as error:
                self.said = str(error)
        if key in ENTER or key == ESCAPE:
            self.typing = None
        elif key in BACK:
            self.typing = (self.typing or "")[:-1]
        elif key.isprintable():
            self.typing = (self.typing or "") + key


@contextmanager
def _each_key() -> Iterator[Any]:
    """Have the terminal hand over each key at once, unseen, until this ends. Yields what returns the keys of so many seconds."""
    import termios  # lazy: not on every system, and only at a terminal
    import tty  # lazy: likewise

    file = sys.stdin.fileno()
    before = termios.tcgetattr(file)
    text = codecs.getincrementaldecoder("utf-8")("ignore")

    def keys(seconds: float) -> str:
        """Wait for keys; returns them, an escape sequence of a key without a letter as nothing."""
        if not select.select([file], [], [], seconds)[0]:
            return ""
        typed = text.decode(os.read(file, 1024))
        return "" if typed.startswith(ESCAPE) and len(typed) > 1 else typed

    tty.setcbreak(file)
    try:
        yield keys
    finally:
        termios.tcsetattr(file, termios.TCSADRAIN, before)
