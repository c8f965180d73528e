"""Run one iteration of a scripted agent, started as `python3 -I -S program.py SPEC`.

SPEC is a JSON file with the project as its author knows it, and a list of steps for each iteration: lines such as `gut return`, the
name of a function in one of the modules beside this one and what it is given. The last list counts for all later iterations.
"""

import sys
from pathlib import Path

if __name__ == "__main__":  # the folder that holds `ralph_mem`
    sys.path.append(str(Path(__file__).resolve().parents[4]))

from ralph_mem.bench.truth.agents import breaking, cheating, crashing, hijacking, task, working

MODULES = (working, cheating, hijacking, breaking, crashing)


def work(given: "task.Task") -> None:
    """Do the steps of this turn, in order."""
    turns = given.told["turns"]
    for line in turns[min(given.turn, len(turns)) - 1]:
        name, _, word = line.partition(" ")
        function = next(getattr(module, name) for module in MODULES if hasattr(module, name))
        function(given, word)


if __name__ == "__main__":
    mine = task.read(sys.argv[1])
    mine.told["prompt"] = sys.stdin.read()
    work(mine)
