"""What is read of the commands that the last sessions ran."""

from ralph_mem.memory.rows import records

ROWS = 20_000
FILL = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {rows})
INSERT INTO {table} ({columns}) SELECT {values} FROM numbers"""


def fill(store, table, rows, **values):
    store.execute(FILL.format(rows=rows, table=table, columns=", ".join(values), values=", ".join(values.values())))


def an_observation(session):
    texts = dict.fromkeys(("title", "content", "files", "lines"), "hex(zeroblob(100))")
    numbers = dict.fromkeys(("tokens", "checksum", "redaction_version", "scan_level", "index_version", "created_at"), "1")
    names = dict.fromkeys(("public_id", "event_id"), f"n || ' in {session}'")
    return {"session_id": session, "seq": "n", **names, **texts, **numbers, "type": "'note'", "origin": "'user'"}


def steps(store, order):
    """Return how many steps of SQLite's machine it takes to run an order, in tens."""
    taken = []
    store.db.set_progress_handler(lambda: taken.append(1), 10)
    order()
    store.db.set_progress_handler(None, 0)
    return len(taken) * 10


def test_what_ran_last_is_found_in_a_large_memory_without_a_command_at_the_price_of_a_small_one(a_session):
    names = {"public_id": "'sess-' || n", "client_session": "'s-' || n", "project_path": "''", "source": "''", "agent": "''"}
    fill(a_session.store, "sessions", ROWS, **names, fence="''", context_since="0", started_at="n")
    fill(a_session.store, "observations", ROWS, **an_observation(f"n + {a_session.number}"))
    fill(a_session.store, "observations", ROWS, **an_observation(f"{ROWS + a_session.number}"))
    assert steps(a_session.store, lambda: records.ran(a_session.store, ["feat"])) < 5_000
