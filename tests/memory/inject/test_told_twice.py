"""No two items of a block have nearly all words in common, and what one says beside another is not lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.bench import measures
from ralph_mem.core.settings import effective
from ralph_mem.memory.inject import block, briefing, prompt_items
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import row
from ralph_mem.ralph import experience
from ralph_mem.ralph import prompt as loop_prompt
from tests.ralph.made import a_run
from tests.sessions import NOON, Session

# Few words, so that most texts have most of them in common.
WORDS = st.lists(st.sampled_from("never push to main before noon Main or 8080 `make` deploy. (x)".split()), min_size=1, max_size=9)
TEXTS = st.lists(WORDS.map(" ".join), min_size=2, max_size=8)


def a_memory(number, text, kind="obs"):
    """Return a memory as it is read, a note of the person or a turn."""
    texts = [text, "" if kind == "obs" else "Done.", "", "", ""]
    kept = row.checksum(texts[0], texts[1], *texts[3:])
    return block.Memory(
        (number, f"{kind}-{number:010}", 1, number, NOON, 0, *texts, 0, 0, None, 1, kept, 0), None, effective.DEFAULTS
    )


@given(TEXTS, st.sampled_from([(briefing.SAID, "obs"), (briefing.TURNS, "turn")]))
def test_a_start_tells_nothing_twice_and_each_memory_is_in_its_receipt(texts, what):
    part, kind = what
    page, memories = briefing.Page(1500), [a_memory(number, text, kind) for number, text in enumerate(texts)]
    for memory, text in zip(memories, texts, strict=True):
        page.tell(part, memory, f"- {memory.label()} {text}", "full")
    assert measures.told_twice(page.text()) == 0
    assert {item.memory for item in page.items[part]} == {memory.public_id for memory in memories}


@given(TEXTS)
def test_a_prompt_is_told_nothing_twice(texts):
    fresh = [(search.Hit((), 0.0, 0.5, (0.0,) * 9, True), a_memory(number, text)) for number, text in enumerate(texts)]
    told, items = prompt_items._fill(fresh, {}, 600)
    assert measures.told_twice("\n".join(told)) == 0
    assert len(told) == len([item for item in items if item.tokens])


@given(TEXTS, TEXTS, st.integers(500, 1500))
def test_a_loops_prompt_tells_nothing_twice(lessons, memories, budget):
    known = [
        tuple((f"{kind}-{number}", f"- [{kind}-{number}, today] {text}\n  {text}", f"- [{kind}-{number}, today] {text}")
              for number, text in enumerate(texts))
        for kind, texts in (("obs", lessons[:3]), ("turn", memories))
    ]  # fmt: skip
    run = a_run({"test_tax": "KeyError"})
    text, kept = loop_prompt.build(run, 1, experience.Known(*known, ""), budget)
    told = text.partition(f"<ralph-mem-{loop_prompt.tag_of(run)}>")[2]
    assert measures.told_twice(told) == 0
    assert told.count("\n- [") == len(kept["told"]) > 0


PRICES = "The prices in the invoices for region {} are in cents, never in floats."


def told_after(a_session, *notes):
    """Return what the next session is told of some notes at its start, newest first."""
    for note in notes:
        a_session.notes(note)
        a_session.now += 1000
    return Session(a_session.store, a_session.project, "next", a_session.now).starts()


def test_of_two_notes_that_differ_in_a_word_the_older_is_told_by_what_differs(a_session):
    told = told_after(a_session, PRICES.format("EU"), PRICES.format("US"))
    assert told.count("prices in the invoices") == 1 and "with EU and without US" in told


def test_two_notes_of_the_same_words_in_another_order_say_so(a_session):
    told = told_after(a_session, "Use npm for tools, never use pnpm for tools", "Use pnpm for tools, never use npm for tools")
    assert "in another order" in told


def test_a_turn_that_says_what_a_note_says_takes_no_line(a_session):
    a_session.has_a_turn("Releases go out on Monday with make ship and never on a Friday.", "Ok.")
    told = told_after(a_session, "Releases go out on Monday with make ship and never on a Friday.")
    assert told.count("make ship") == 1


def test_what_is_pinned_is_told_whole_all_the_same(a_session):
    names = [a_session.notes(PRICES.format(name)) for name in ("EU", "US")]
    for name in names:
        a_session.store.execute("UPDATE observations SET pinned = 1 WHERE public_id = ?", (name,))
    a_session.store.set_property("pinned", 1)
    assert Session(a_session.store, a_session.project, "next", a_session.now).starts().count("prices in the invoices") == 2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("- [obs-a, today] one two three four five\n- [obs-b, today] one two three four six", 0),
        ("- [obs-a, today] one two three four five\n- [obs-b] five four three two one", 10),
        ("Standing:\n- one two three four five\n  six seven\n- one two three four five\n- eight", 0),
        ("", 0),
    ],
)  # fmt: skip
def test_what_is_told_twice_is_counted_by_its_words_without_labels(text, tokens):
    assert measures.told_twice(text) == tokens
