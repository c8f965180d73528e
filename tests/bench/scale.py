"""`python -m tests.bench.scale [ROWS ...]`: what a search costs in memories of 100,000 and 1,000,000 turns, in this process.

Processor time, since other work on the machine is no property of the search. The texts are pieces of the standard
library's sources; a million of them take two minutes to write and 800 MB.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.memory import opening
from ralph_mem.memory.recall import lookup, search
from ralph_mem.memory.rows import index_text, query_text
from ralph_mem.memory.store.connection import Store
from tests.bench.memory_of import NOW_MS, Words, at_home

SIZES = {100_000: 15, 1_000_000: 40}  # milliseconds of the slowest of a hundred
QUERIES, LENGTHS = 300, (20, 60, 60, 90, 200)
TURN = """
INSERT INTO turns (id, public_id, event_id, session_id, seq, kind, status, origin, prompt, response, context, files, files_read,
    lines, tokens, checksum, redaction_version, scan_level, index_version, created_at)
VALUES (?1, 'turn-' || ?1, ?1, 1, ?1, 'prompt', 'stopped', 'user', ?2, ?3, '', ?4, '', '', 1, 1, 1, 1, 1, ?5)"""
SESSION = """
INSERT INTO sessions (public_id, client_session, project_path, source, agent, fence, context_since, started_at)
VALUES ('sess-1', 's', '/', 'startup', 'bench', 'f', 0, 0)"""


def main() -> None:
    """Print the time of a search for each size."""
    sizes = [int(word) for word in sys.argv[1:]] or list(SIZES)
    for rows in sizes:
        with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder, at_home(Path(folder, "home")):
            place = Project(folder)
            opened = opening.open_ready(place)
            _fill(opened, rows)
            reader = lookup.Reader([opened], place, dict(effective.DEFAULTS))
            _say(rows, "recall.search", lambda query, reader=reader: lookup.search(reader, query, NOW_MS, lookup.Wanted()))
            _say(rows, "at a prompt", lambda query, opened=opened: search.hits(opened, query, NOW_MS))
            opened.close()


def _fill(opened: Store, rows: int) -> None:
    words = Words(seed=3)
    opened.execute("PRAGMA synchronous = OFF")
    opened.begin()
    opened.execute(SESSION)
    for number in range(1, rows + 1):
        at = NOW_MS - (rows - number) * 360_000
        texts = words.text(90), words.text(250), f"src/{words.random.randrange(1200)}.py\n"
        opened.execute(TURN, (number, *texts, at))
        opened.execute("INSERT INTO memories (turn_id, created_at) VALUES (?, ?)", (number, at))
        title, body, files = [index_text.of(text) for text in texts]
        opened.execute("INSERT INTO memory_fts VALUES (?, ?, '', ?, '')", (title, body, files))
        if number % 20_000 == 0:
            opened.commit()
            opened.tidy()
            opened.begin()
            print(f"\r{number:,} turns", end="", file=sys.stderr, flush=True)
    opened.commit()


def _say(rows: int, what: str, ask: Callable[[str], object]) -> None:
    words = Words(seed=99)
    queries = [words.text(words.random.choice(LENGTHS)) for _ in range(QUERIES)]
    took = []
    for query in [query for query in queries if query_text.words(query)]:
        start = time.thread_time()
        ask(query)
        took.append((time.thread_time() - start) * 1000)
    took.sort()
    p50, p95, p99 = [took[int(len(took) * share)] for share in (0.5, 0.95, 0.99)]
    print(
        f"\r{rows:>9,} turns  {what:<14} p50 {p50:.1f} ms, p95 {p95:.1f}, p99 {p99:.1f} (must {SIZES.get(rows, '-')})", flush=True
    )


if __name__ == "__main__":
    main()
