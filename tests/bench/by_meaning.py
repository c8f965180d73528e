"""`python -m tests.bench.by_meaning [ROUNDS]`: what embeddings add to a prompt with 10,000 turns, the extra being installed.

The model is the real one. The vectors of the turns are random: what reading and comparing them costs does not depend on
what they say, and to embed ten thousand texts takes minutes.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from ralph_mem.memory.store import connection, schema
from tests.bench import memory_of
from tests.bench.__main__ import _ten_words
from tests.bench.processes import ROOT, Hooks, interpreter, ratios

TURNS, ROUNDS = 10_000, 40
BELOW = ".local/share/ralph-mem/embeddings"


def main() -> None:
    """Print a prompt's cost without embeddings, with the table alone, and with a warm worker."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as name:
        folder, words = Path(name), memory_of.Words(seed=7)
        model = _prepared(folder / "table")
        with memory_of.at_home(folder / "words"):
            place = memory_of.build(folder / "project", TURNS, 1, words)
            _embed(place.folder, model)
        shutil.copytree(folder / "table" / BELOW, folder / "worker" / BELOW)
        for home in ("table", "worker"):  # the same person's, or the memory would be set aside
            shutil.copy(folder / "words" / BELOW / "../key", folder / home / BELOW / "../key")
        bare, table, warm = (Hooks(place.root, folder / home, interpreter()) for home in ("words", "table", "worker"))
        described = folder / "table" / BELOW / "model.json"
        described.write_text(json.dumps({**model, "python": "/nowhere"}))  # so that nobody starts there
        for hooks in (bare, table, warm):
            hooks.run(hooks.direct("session-start"), hooks.start())
        time.sleep(8)  # the worker loads the model
        cases = {
            "UserPromptSubmit, by words": (bare, bare.direct("user-prompt-submit"), lambda: bare.prompt(_ten_words(words))),
            "with the table": (table, table.direct("user-prompt-submit"), lambda: table.prompt(_ten_words(words))),
            "with a warm worker": (warm, warm.direct("user-prompt-submit"), lambda: warm.prompt(_ten_words(words))),
        }
        found = ratios(cases, bare, rounds, lambda: [hooks.stop() for hooks in (bare, table, warm)] and None)
        print(f"{rounds} rounds, bare {found[''][2]:.1f} ms")
        for (what, (ratio, quickest, took)), limit in zip(list(found.items())[1:], ("2.0 x", "2.6 x", "30 ms more"), strict=True):
            print(f"{what:<28} {ratio:.2f} x bare, quickest {quickest:.2f}, {took:.1f} ms (must {limit})")


def _prepared(home: Path) -> dict[str, object]:
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "embeddings", "setup", "--idle", "600"]
    subprocess.run(order, env=environment, cwd=home, check=True, capture_output=True)
    model: dict[str, object] = json.loads((home / BELOW / "model.json").read_text())
    return model


def _embed(folder: str, model: dict[str, object]) -> None:
    opened = connection.connect(folder, 1000)
    schema.make(opened, "vectors")
    drawn = np.random.default_rng(5)
    opened.begin()
    rows = opened.execute("SELECT m.id, t.checksum FROM memories AS m JOIN turns AS t ON t.id = m.turn_id").fetchall()
    for number, checksum in rows:
        whole = drawn.normal(size=int(str(model["dims"])))
        vector = (whole / np.linalg.norm(whole)).astype("<f2").tobytes()
        small = drawn.integers(-60, 60, int(str(model["static_dims"]))).astype(np.int8).tobytes()
        opened.execute("INSERT INTO vectors VALUES (?, ?, ?, ?, ?, 0, 0)", (number, model["model"], checksum, vector, small))
    opened.commit()
    opened.close()


if __name__ == "__main__":
    main()
