"""Receipts: what was injected, why and at what cost; ids, scores and costs, never text."""

from ralph_mem.memory.rows import receipts
from tests.sessions import NOON, receipts_of


def written(session, *items, event="UserPromptSubmit"):
    """Write a receipt of items such as ("obs-1", "line")."""
    session.now += 1000
    made = [receipts.Item(memory, outcome, 0.123456, 2, 7) for memory, outcome in items]
    receipts.add(session.store, session.number, None, event, session.now, 600, made)


def test_a_receipt_comes_back_as_it_was_written(a_session):
    written(a_session, ("turn-a", "full"), ("turn-b", "missed"))
    assert receipts_of(a_session.store, a_session.number) == [
        ("UserPromptSubmit", NOON + 2000, 600, 7, "turn-a", "full", 0.1235, 2, 7),
        ("UserPromptSubmit", NOON + 2000, 600, 7, "turn-b", "missed", 0.1235, 2, 7),
    ]


def test_a_receipt_without_items_is_kept(a_session):
    written(a_session, event="SessionStart")
    assert receipts_of(a_session.store, a_session.number) == [("SessionStart", NOON + 2000, 600, 0, *[None] * 5)]


def test_what_was_told_is_the_most_that_was_ever_told(a_session, another_session):
    written(a_session, ("turn-a", "line"), ("turn-b", "full"), ("turn-c", "missed"))
    written(a_session, ("turn-a", "full"), ("turn-b", "line"))
    written(another_session, ("turn-d", "full"))
    assert receipts.told(a_session.store, a_session.number) == {"turn-a": "full", "turn-b": "full"}


def test_after_a_compaction_nothing_was_told(a_session):
    written(a_session, ("turn-a", "full"))
    a_session.starts("compact")
    assert receipts.told(a_session.store, a_session.number) == {}
    written(a_session, ("turn-b", "line"))
    assert receipts.told(a_session.store, a_session.number) == {"turn-b": "line"}


def test_after_a_compaction_the_clock_may_go_back(a_session):
    written(a_session, ("turn-a", "full"))
    a_session.starts("compact")
    a_session.now -= 3_600_000
    written(a_session, ("turn-b", "line"))
    assert receipts.told(a_session.store, a_session.number) == {"turn-b": "line"}


def test_what_a_resumed_session_was_told_it_still_knows(a_session):
    written(a_session, ("turn-a", "full"))
    a_session.starts("resume")
    assert receipts.told(a_session.store, a_session.number) == {"turn-a": "full"}


def test_no_text_of_a_memory_is_in_any_receipt(a_session, another_session):
    a_session.has_a_turn("Where is the zirconium?", "The zirconium is on the shelf.")
    a_session.has_a_turn("Where is the basalt?", "In the cellar.")
    a_session.notes("The zirconium is dear")
    another_session.starts("clear")
    assert "zirconium" in another_session.asks("Is the zirconium still there?")
    rows = [row for table in ("receipts", "receipt_items") for row in a_session.rows(f"SELECT * FROM {table}")]
    assert len(rows) >= 4
    assert "zirconium" not in repr(rows).lower() and "shelf" not in repr(rows)
