"""`python -m tests.bench.team_scale [ITEMS [VECTORS]]`: what a search costs at a team's server.

By itself with 1,000,000 items and 100,000 vectors. Of each statement the wall time, by the login of a member under row-level
security, after as many to warm up, and how long the server's process was at work, which no load on the machine changes. A tenth
of the items is another team's. Words come as often as they do in a language, three quarters of the queries have two of them.
Vectors lie around 2,000 centres, as texts do around topics. Recall is against the exact answer of the same member.
"""

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from tempfile import mkdtemp

import numpy as np
import psycopg

from ralph_mem.maintenance.team import finding, meaning, setting_up
from tests.maintenance.team import postgres
from tests.maintenance.team.servers import TEAM, Server

ITEMS, VECTORS, DIMS, CENTRES, QUERIES, LIMIT = 1_000_000, 100_000, 384, 2_000, 200, 10
MODEL, WORDS = "bench@1", 20_000
ALONE = "-c max_parallel_workers_per_gather=0"  # so that one process does all the work
LOGIN, OTHER = "walt", "other"
FILL = """
INSERT INTO ralph_mem.item (team, id, body, state, author, edited_by)
SELECT CASE WHEN n % 10 = 0 THEN 'other' ELSE 'shop' END, 'obs-' || translate(lpad(n::text, 10, '0'), '01', 'ab'),
    E'---\nid: x\nkind: fact\nauthor: Ada\ndate: 2026-01-01T12:00:00Z\n---\n'
    || (SELECT string_agg('w' || floor({words} * power(random(), 3))::int, ' ') FROM generate_series(1, 12 + n % 2)),
    'accepted', 'walt', 'walt'
FROM generate_series(1, %s) AS n"""


def main() -> None:
    """Print the times and the recall."""
    given = [int(word) for word in sys.argv[1:]]
    items, vectors = [*given, *(ITEMS, VECTORS)[len(given) :]]
    print(f"load {os.getloadavg()[0]:.1f} of {os.cpu_count()} cores", flush=True)
    with postgres.running(Path(mkdtemp(prefix="ralph-pg-")), "512MB") as socket:
        server = Server(socket, "postgres")
        admin = server.address(postgres.ADMIN)
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {LOGIN} LOGIN")
        setting_up.make(admin, TEAM, {LOGIN: "writer"})
        setting_up.make(admin, OTHER, {})
        began = time.monotonic()
        _fill(admin, items)
        print(f"{items:,} items written in {time.monotonic() - began:.0f} s", flush=True)
        _say_words(server.address(LOGIN))
        began, asked = time.monotonic(), _fill_vectors(admin, vectors)
        setting_up.make(admin, TEAM, {})
        print(f"{vectors:,} vectors written and indexed in {time.monotonic() - began:.0f} s", flush=True)
        _say_meaning(server.address(LOGIN), asked)
        print(f"load {os.getloadavg()[0]:.1f}")


def _fill(admin: str, items: int) -> None:
    with psycopg.connect(admin) as connection:
        connection.execute("DROP INDEX ralph_mem.item_words")
        connection.execute(FILL.replace("{words}", str(WORDS)).replace("n % ", "n %% "), (items,))
        connection.execute("SET maintenance_work_mem = '512MB'")
        connection.execute("CREATE INDEX item_words ON ralph_mem.item USING gin (words)")
        connection.commit()
        connection.autocommit = True
        connection.execute("VACUUM ANALYZE ralph_mem.item")


def _say_words(address: str) -> None:
    random = Random(5)
    word = lambda: f"w{int(WORDS * random.random() ** 3)}"  # noqa: E731
    queries = [" ".join([word() for _ in range(2 if number % 4 else 1)]) for number in range(QUERIES)]
    with psycopg.connect(address, options=ALONE) as connection:
        ask = lambda query: connection.execute(finding.FOUND, (TEAM, query, LIMIT, TEAM)).fetchall()  # noqa: E731
        found = [len(ask(query)) for query in queries]
        _say("full text", [_timed(connection, ask, query) for query in queries])
        print(f"full text: {sum(map(bool, found))} of {QUERIES} queries found something", flush=True)


def _vectors(number: int) -> Iterator[tuple[str, np.ndarray]]:
    """Yield ids of every other row with their vectors, of length one."""
    random = np.random.default_rng(7)
    centres = random.normal(size=(CENTRES, DIMS)).astype(np.float32)
    for at in range(1, number + 1):
        vector = centres[random.integers(CENTRES)] + 0.7 * random.normal(size=DIMS).astype(np.float32)
        yield "obs-" + f"{at:010}".translate(str.maketrans("01", "ab")), vector / np.linalg.norm(vector)


def _fill_vectors(admin: str, number: int) -> list[str]:
    """Write the vectors; returns those of the queries, each near to some item's."""
    random, asked = np.random.default_rng(9), []
    written = lambda vector: "[" + ",".join([f"{value:.4f}" for value in vector]) + "]"  # noqa: E731
    with psycopg.connect(admin) as connection, connection.cursor() as cursor:
        sql = "COPY ralph_mem.item_vector (team, id, model, rev, embedding) FROM STDIN"
        with cursor.copy(sql) as copy:
            for at, (name, vector) in enumerate(_vectors(number), 1):
                copy.write_row((OTHER if at % 10 == 0 else TEAM, name, MODEL, 1, written(vector)))
                if at % (number // QUERIES) == 0:
                    asked.append(written(vector + 0.03 * random.normal(size=DIMS)))
    return asked


def _say_meaning(address: str, queries: list[str]) -> None:
    sql = meaning.NEAREST.format(place="ralph_mem", dims=DIMS)
    with psycopg.connect(address, options=ALONE) as connection:
        connection.execute(meaning.LOOKS_AT)
        ask = lambda query: [  # noqa: E731
            name for name, _ in connection.execute(sql, (query, MODEL, TEAM, meaning.MORE * LIMIT, TEAM, LIMIT)).fetchall()
        ]
        found = [ask(query) for query in queries]
        _say("meaning", [_timed(connection, ask, query) for query in queries])
        connection.execute("SET LOCAL enable_indexscan = off; SET LOCAL enable_sort = on")  # each row is looked at
        exact = [ask(query) for query in queries[:50]]
        shares = [len(set(one) & set(other)) / len(other) for one, other in zip(found[: len(exact)], exact, strict=True)]
        print(
            f"meaning: recall@{LIMIT} {statistics.mean(shares):.3f} over {len(shares)} queries, least {min(shares):.1f}", flush=True
        )


def _timed(connection: psycopg.Connection, ask: Callable[[str], object], query: str) -> tuple[float, float]:
    """Return how long an answer took, and how long the server's process was at work on it, in ms."""
    before, began = _at_work(connection), time.perf_counter()
    ask(query)
    return (time.perf_counter() - began) * 1000, _at_work(connection) - before


def _at_work(connection: psycopg.Connection) -> float:
    return int(Path(f"/proc/{connection.info.backend_pid}/schedstat").read_text().split()[0]) / 1e6


def _say(what: str, times: list[tuple[float, float]]) -> None:
    for how, values in zip(("wall", "at work"), zip(*times, strict=True), strict=True):
        ordered = sorted(values)
        high = ordered[int(0.95 * len(ordered))]
        print(f"{what}, {how}: p50 {statistics.median(ordered):.1f} ms, p95 {high:.1f} ms, most {ordered[-1]:.1f} ms", flush=True)


if __name__ == "__main__":
    main()
