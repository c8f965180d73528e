"""A client that is a script, for the headless loop, and a session of which the hooks are real, for the loop in it."""

import json
import re
import shlex
from pathlib import Path

from ralph_mem.ralph import runs
from tests.hook import REPOSITORY, Hook, said_to_anybody
from tests.ralph.loops import GOAL, Loops

RECORDS = REPOSITORY / "tests" / "hosts" / "claude_code" / "records"
# Notes what it was told, then plays its turn; after the last that one again.
CLIENT = """\
#!/bin/sh
here={here}
number=1
while [ -e "$here/argv-$number" ]; do number=$((number + 1)); done
printf '%s\\n' "$@" >"$here/argv-$number"
cat >"$here/heard-$number"
[ -e "$here/turn-$number" ] || number={last}
. "$here/turn-$number"
"""


class Client:
    """Claude Code as far as a loop can tell: `plays` says what it does and prints in each turn."""

    def __init__(self, folder, monkeypatch):
        self.folder = Path(folder)
        self.folder.mkdir()
        self.path = self.folder / "claude"
        monkeypatch.setenv("RALPH_MEM_CLAUDE", str(self.path))

    def plays(self, *turns):
        """Let it play these turns, shell scripts of which `tells` and `ends` make the printing ones."""
        for number, turn in enumerate(turns, 1):
            (self.folder / f"turn-{number}").write_text(turn + "\n")
        self.path.write_text(CLIENT.format(here=shlex.quote(str(self.folder)), last=len(turns)))
        self.path.chmod(0o755)

    def argv(self):
        """Return the command lines it was started with, in order."""
        found = sorted(self.folder.glob("argv-*"), key=lambda path: int(path.name[5:]))
        return [path.read_text().splitlines() for path in found]

    def heard(self, number):
        return (self.folder / f"heard-{number}").read_text()

    def tells(self, record, code=0, resets=None, cost=None):
        """Return a turn that prints a record of a real client and exits; `resets` is when its limit ends, `cost` what it took."""
        text = (RECORDS / f"{record}.jsonl").read_text()
        text = re.sub(r'(?<="resetsAt": )\d+', str(resets), text) if resets else text
        text = re.sub(r'(?<="total_cost_usd": )[\d.]+', str(cost), text) if cost else text
        path = self.folder / f"record-{record}-{len([*self.folder.glob('record-*')])}"
        path.write_text(text)
        return f"cat {shlex.quote(str(path))}; exit {code}"


def ends(result="I tried.", cost=0.1, **fields):
    """Return a turn that ends with these words."""
    told = {"type": "result", "subtype": "success", "is_error": False, "result": result, "num_turns": 1, **fields}
    return f"printf '%s\\n' {shlex.quote(json.dumps({**told, 'total_cost_usd': cost, 'permission_denials': []}))}"


class Session(Hook):
    """A session of the client in the project of `loops`: what a person types reaches our real hooks, and so does each Stop."""

    def __init__(self, folder):
        super().__init__(folder)
        self.loops = Loops(folder)

    def begins(self, options="--cooldown 0", goal=GOAL, criteria=("custom=./check.sh",)):
        """Type `/ralph start` for checks that were accepted before; returns what the agent is told."""
        if [each for each in criteria if each != "marker"]:
            self.loops.accepted(self.loops.wish(agent=(), criteria=criteria))
        wanted = " ".join(f"--criteria={shlex.quote(each)}" for each in criteria)
        return said_to_anybody(self.types(f"start {options} {wanted} {goal}"))

    def types(self, words):
        """Type `/ralph` and these words; returns the answer of the hook."""
        return self.typed("ralph", words)

    def latest(self):
        """Return the last run, as its record tells of it."""
        return runs.latest(self.loops.project)
