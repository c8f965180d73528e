"""A small project, agents that are scripts, and loops that are started on both as a command would."""

import contextlib
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.memory import relocate
from ralph_mem.ralph import headless, options, prospects, rolling_back, runs, starting
from ralph_mem.ralph.stop_reasons import DEFAULT

# Three things that have to be right, told as TAP: a check that takes a hundredth of a second.
CHECK = """\
#!/bin/sh
number=0 wrong=0
echo 1..3
for each in one two three; do
  number=$((number + 1))
  if grep -q right "$each.txt"; then echo "ok $number - $each"; else echo "not ok $number - $each"; wrong=1; fi
done
exit $wrong
"""
# What an agent does in each iteration until all is right.
STEPS = ("echo right >one.txt", "echo right >two.txt", "echo right >three.txt")
GOAL = "make all three right"
# Reads its prompt, keeps it, and runs the script of its turn; after the last that one again.
AGENT = """\
here={here}
number=1
while [ -e "$here/prompt-$number" ]; do number=$((number + 1)); done
cat >"$here/prompt-$number"
[ -e "$here/step-$number" ] || number={last}
. "$here/step-$number"
"""


class Killed(BaseException):
    """Stands for a kill -9 at this point: nothing of ours catches it, and what it leaves is not tidied up."""

    @classmethod
    def here(cls, *_):
        raise cls

    @classmethod
    def at(cls, step, seen=None):
        """Return what hears of steps and raises at one of this name."""

        def on_step(name):
            if seen is not None:
                seen.append(name)
            if name == step:
                raise cls

        return on_step


class Loops:
    """A project of three files that are wrong, in which loops are started."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.top = self.folder / "project"
        self.bench = self.folder / "bench"
        for path in (self.top, self.bench):
            path.mkdir(exist_ok=True)
        self.project = Project(str(self.top))
        self.told = []
        self.write("check.sh", CHECK).chmod(0o755)
        for name in ("one", "two", "three"):
            self.write(f"{name}.txt", "wrong\n")

    def write(self, name, text):
        """Write a file of the project; returns its path."""
        path = self.top / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def text(self, name):
        return (self.top / name).read_text()

    def agent(self, *steps):
        """Return the command line of an agent that runs a shell script in each iteration."""
        for number, step in enumerate(steps, 1):
            (self.bench / f"step-{number}").write_text(step + "\n")
        script = self.bench / "agent.sh"
        script.write_text(AGENT.format(here=shlex.quote(str(self.bench)), last=len(steps)))
        return "/bin/sh", str(script)

    def prompts(self):
        """Return what the agents were told, in order."""
        number, found = 1, []
        while (path := self.bench / f"prompt-{number}").exists():
            found.append(path.read_text())
            number += 1
        return found

    def values(self, **changed):
        """Return the settings, with some of them changed: `ralph_memory=False`."""
        return {**effective.load(self.project), **{name.replace("_", ".", 1): value for name, value in changed.items()}}

    def wish(self, *steps, goal=GOAL, criteria=("custom=./check.sh",), limits=None, **wished):
        """Return what is wished for, of an agent that runs these steps; `limits` are fields of Limits."""
        bounds = DEFAULT._replace(**{"cooldown_ms": 0, **(limits or {})})
        # most tests are about files in the tree; what is about rooms says `here=False`
        wished = {"agent": self.agent(*steps), "memory": False, "here": True, **wished}
        return options.Wish(goal=goal, criteria=criteria, limits=bounds, **wished)

    def start(self, *steps, values=None, is_wanted=lambda _loop: True, **wished):
        """Start a headless loop whose checks a person has accepted, and return its run once it is over."""
        wish = self.wish(*steps, **wished)
        prospect = self.accepted(wish)
        return headless.start(self.project, values or self.values(), wish, prospect, is_wanted, told=self.told.append)

    def accepted(self, wish):
        """Return what would be run, accepted by a person."""
        prospect = prospects.look(self.project, wish)
        starting.check(self.project, wish, prospect)
        prospects.accept(self.project, prospect, prospects.short(prospect))
        return prospects.look(self.project, wish)

    def back(self, to=rolling_back.START, force=False, git=False, everything=False):
        """Roll the last run back; returns the report."""
        return rolling_back.roll_back(self.project, self.values(), self.latest(), to, force=force, git=git, everything=everything)[
            1
        ]

    def meanwhile(self, act, number=1):
        """Do something as the person once the agent of an iteration is at work, and return the thread that does it."""

        def wait():
            until = time.monotonic() + 20
            while not (self.bench / f"prompt-{number}").exists() and time.monotonic() < until:
                time.sleep(0.01)
            act()

        thread = threading.Thread(target=wait)
        thread.start()
        return thread

    def move(self, name):
        """Move the project beside itself, and have what lies outside of it follow, as a session that begins there does."""
        there = self.top
        self.top = there.rename(self.folder / name)
        self.project = Project(str(self.top))
        relocate.follow(self.project, "1", {"path": str(there)})

    def latest(self):
        return runs.latest(self.project)

    def in_background(self, *steps, **wished):
        """Start a headless loop in a process of its own; the caller ends it."""
        wish = self.wish(*steps, **wished)
        self.accepted(wish)
        given = {**wish._asdict(), "limits": wish.limits._asdict()}
        order = [sys.executable, "-c", SUPERVISOR, str(self.top), repr(given)]
        return subprocess.Popen(order, cwd=Path(__file__).parents[2], stdin=subprocess.DEVNULL)


SUPERVISOR = """\
import ast, sys
from ralph_mem.core import project
from ralph_mem.core.settings import effective
from ralph_mem.ralph import headless, options, prospects, stop_reasons
place = project.Project(sys.argv[1])
given = ast.literal_eval(sys.argv[2])
wish = options.Wish(**{**given, "limits": stop_reasons.Limits(**given["limits"])})
headless.start(place, effective.load(place), wish, prospects.look(place, wish), lambda loop: True)
"""


def cut_off(loops, step, **options):
    """Roll the last run back and be killed at a step, if there is one of that name; returns the steps until then."""
    seen = []
    with contextlib.suppress(Killed):
        rolling_back.roll_back(
            loops.project, loops.values(), loops.latest(), rolling_back.START, on_step=Killed.at(step, seen), **options
        )
    return seen


def names(paths):
    """Return paths of a report as text."""
    return sorted(path.decode() for path in paths)


def kept(report):
    """Return what a rollback left alone, with the reason."""
    return {path.decode(): why for path, why in report.kept}


def git(folder, *words):
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, timeout=30).stdout
