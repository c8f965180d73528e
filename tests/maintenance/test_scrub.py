"""Scrubbing: what was stored before a rule, a pattern or a password was known is gone from rows, index and raw file."""

import itertools
import random

import pytest

from ralph_mem.core import fast
from ralph_mem.core.redaction import gate, stored
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.memory import access
from ralph_mem.memory.rows import rewrite, row, turns
from tests.core.redaction import secret_corpus
from tests.readers import below_rules, dump, files_of, holding, in_order, note
from tests.sessions import found

RNG = random.Random(20_261_107)
TICKET = r"\bZX-\d{4}\b"
# Sessions know nothing of these three: a pattern that comes later, a key of no shape, a password that gets known.
PATTERN, KEY, PASSWORD = "ZX-7731", secret_corpus.some(RNG, secret_corpus.HEX, 32), "wolfram-lantern-9"
SECRETS = {"pattern": PATTERN, "issued-key": KEY, "known-value": PASSWORD}


@pytest.fixture
def a_past(a_session, a_project):
    """Have secrets everywhere that no rule of the time knew, and rules that know them now."""
    a_session.asks(f"Call {PATTERN}, Datadog gave us {KEY} as an API key")
    a_session.runs(f"make lamp # {PATTERN}", error=f"Exit code 2\nerror: Datadog refused {KEY} as API key")
    a_session.edits("lamp.py", "dark", f"word = f({PASSWORD})")
    a_session.is_answered(f"It says {PASSWORD} and {PATTERN}.")
    a_session.has_a_turn("And the fuse?", "The fuse is mended.")
    a_session.has_a_turn(f"Close {PATTERN}", "It is closed.")
    note(a_session, f"Remember {PATTERN}\nand {PASSWORD}")
    a_session.sends("session-end", reason="other")
    a_session.store.execute(
        "INSERT INTO loop_runs (id, public_id, goal, status, settings, started_at) VALUES (1, 'loop-a', ?, 'success', ?, 0)",
        (f"Close {PATTERN}", fast.dumps({"goal": [PASSWORD]})),
    )
    a_session.store.execute(
        "INSERT INTO iterations (loop_run_id, number, verdicts, summary, started_at) VALUES (1, 1, ?, ?, 0)",
        (fast.dumps([PATTERN]), f"tried {PASSWORD}"),
    )
    a_session.store.execute("UPDATE observations SET metadata = ? WHERE id = 1", (fast.dumps({"why": f'"{PATTERN}"'}),))
    with open(a_project.root + "/.env", "w") as file:
        file.write(f"LAMP_PASSWORD={PASSWORD}\n")
    a_session.settings["privacy.redact_patterns"] = [TICKET]
    return a_session


def protect_of(session):
    return scrubbing.protector(session.project, session.settings)


def scrub(session):
    return scrubbing.scrub(session.store, protect_of(session))


def test_the_situation_holds_all_three_in_rows_index_and_file(a_past):
    assert {needle for _, needle in holding(files_of(a_past.project), *SECRETS.values())} == set(SECRETS.values())
    assert found(a_past.store, "memory_fts", KEY) and found(a_past.store, "memory_fts", "wolfram")


def test_after_a_scrub_the_raw_files_hold_nothing_of_it(a_past):
    _, is_empty = scrub(a_past)
    assert is_empty
    files = {path: data for path, data in files_of(a_past.project).items() if "/.ralph-mem/" in path}
    assert len(files) >= 1 and holding(files, *SECRETS.values()) == []


def test_names_of_branches_tools_and_agents_are_texts_as_well(a_past):
    name = f"fix/{PATTERN}"
    a_past.store.execute("UPDATE sessions SET branch = ?", (name,))
    a_past.store.execute("UPDATE turns SET branch = ?", (name,))
    a_past.store.execute("UPDATE observations SET tool_name = ?1, agent_type = ?1, speaker = ?1 WHERE id = 1", (name,))
    scrub(a_past)
    for column, table in (
        ("branch", "sessions"),
        ("branch", "turns"),
        ("tool_name", "observations"),
        ("agent_type", "observations"),
    ):
        assert PATTERN not in str(a_past.rows(f"SELECT {column} FROM {table}"))
    assert holding(files_of(a_past.project), PATTERN) == []


@pytest.mark.parametrize("table", ["sessions", "turns", "observations", "loop_runs", "iterations"])
def test_no_column_of_a_table_says_it_any_more(a_past, table):
    before = str(a_past.rows(f"SELECT * FROM {table}"))
    scrub(a_past)
    after = str(a_past.rows(f"SELECT * FROM {table}"))
    assert any(secret in before for secret in SECRETS.values())
    assert not any(secret in after for secret in SECRETS.values())


def test_the_indexes_belong_to_the_new_texts(a_past):
    scrub(a_past)
    in_order(a_past.store)
    for word, index in itertools.product((KEY, "wolfram", "7731"), ("memory_fts", "observations_fts")):
        assert found(a_past.store, index, word) == []
    assert found(a_past.store, "memory_fts", "fuse")


def test_what_quotes_a_row_quotes_it_anew(a_past):
    (before,) = a_past.rows("SELECT context FROM turns WHERE prompt = 'And the fuse?'")[0]
    scrub(a_past)
    (after,) = a_past.rows("SELECT context FROM turns WHERE prompt = 'And the fuse?'")[0]
    assert PATTERN in before
    assert "Call [REDACTED:pattern]" in after


def test_what_is_json_stays_json(a_past):
    scrub(a_past)
    (metadata,) = a_past.rows("SELECT metadata FROM observations WHERE id = 1")[0]
    assert fast.loads(metadata) == {"why": '"[REDACTED:pattern]"'}
    assert fast.loads(a_past.rows("SELECT settings FROM loop_runs")[0][0]) == {"goal": ["[REDACTED:known-value]"]}


def test_it_is_counted_by_kind_and_the_row_says_so(a_past):
    report, _ = scrub(a_past)
    assert set(report.counts) == set(SECRETS)
    assert report.changed == {"observations": 3, "turns": 2, "loop_runs": 1, "iterations": 1}
    (redactions,) = a_past.rows("SELECT redactions FROM turns ORDER BY id LIMIT 1")[0]
    assert fast.loads(redactions).keys() >= {"pattern", "issued-key"}


def test_a_preview_counts_the_same_and_changes_nothing(a_past):
    before = dump(a_past.store)
    shown = scrubbing.preview(a_past.store, protect_of(a_past))
    assert dump(a_past.store) == before
    done, _ = scrub(a_past)
    assert (shown.rows, shown.changed, shown.counts) == (done.rows, done.changed, done.counts)


def test_a_second_scrub_finds_nothing(a_past):
    scrub(a_past)
    before = dump(a_past.store)
    report, _ = scrub(a_past)
    assert report.counts == {} and dump(a_past.store) == before


def test_an_excerpt_that_looks_like_a_secret_only_where_it_is_cut_stays(a_session):
    a_session.settings["privacy.redact_patterns"] = [r"\bZX-\d{4}$"]
    a_session.has_a_turn(
        "Which ticket?", "It is in the list of them".ljust(turns.CONTEXT_CHARACTERS - 7) + f"{PATTERN} is its name."
    )
    a_session.has_a_turn("And the fuse?", "The fuse is mended.")
    before = dump(a_session.store)
    assert a_session.turns("context")[1][0].endswith(PATTERN)
    report, _ = scrub(a_session)
    assert report.counts == {} and not report.touched
    assert [row for row in dump(a_session.store) if PATTERN in str(row)] == [row for row in before if PATTERN in str(row)]


def test_an_excerpt_of_what_is_gone_is_made_anew_and_counted(a_session):
    a_session.has_a_turn("Close the lamp", "It is closed.")
    a_session.has_a_turn("And the fuse?", "The fuse is mended.")
    a_session.settings["privacy.redact_patterns"] = [TICKET]
    a_session.store.execute("UPDATE turns SET context = ? WHERE id = 2", (f"Close {PATTERN}",))
    shown = scrubbing.preview(a_session.store, protect_of(a_session))
    report, _ = scrub(a_session)
    assert (shown.changed, shown.counts) == (report.changed, report.counts) == ({"turns": 1}, {"pattern": 1})
    assert a_session.turns("context")[1] == ("Close the lamp It is closed.",)


def test_rows_without_a_secret_keep_their_texts(a_past):
    ask = "SELECT prompt, response FROM turns WHERE prompt = 'And the fuse?'"
    before = a_past.rows(ask)
    scrub(a_past)
    assert a_past.rows(ask) == before


@pytest.mark.parametrize(
    ("version", "said", "secret", "kind"),
    [
        (2, "Das Kennwort lautet {}.", "Winter!2031x", "password"),
        (4, "It ends with\n# the lamp secret {}", "7c11c05dff7b9c8f9a4cbd787f6c813e", "secret"),
        (4, "비밀번호: {}", "Lamp!2031x", "password"),
        (5, "<settings><password>{}</password></settings>", "L4mp.Sh4de.On", "password"),
        (6, "host=lamps user=app password={} dbname=lamps", "Copper.Kite", "password"),
    ],
)
def test_rows_of_older_rules_lose_what_a_later_rule_knows_and_it_says_how_many(a_session, monkeypatch, version, said, secret, kind):
    with monkeypatch.context() as earlier:
        earlier.setattr(gate, "RULES_VERSION", version)
        earlier.setattr(gate, "redact", lambda text, *_: (text, {}))
        a_session.has_a_turn("And the lamp?", said.format(secret))
    assert a_session.rows("SELECT redaction_version FROM turns") == [(version,)]
    report, _ = scrub(a_session)
    assert (report.changed, report.counts) == ({"turns": 1}, {kind: 1})
    assert secret not in str(a_session.turns("response"))


def test_every_row_says_by_which_rules_it_was_looked_at(a_past):
    assert below_rules(a_past.store) > 0
    scrub(a_past)
    assert below_rules(a_past.store) == 0
    rules = (gate.RULES_VERSION, stored.LONG_LIST)
    assert set(a_past.rows("SELECT redaction_version, scan_level FROM turns")) == {rules}


def test_a_row_that_gets_another_text_is_looked_at_again(a_past):
    scrub(a_past)
    (number,) = a_past.rows("SELECT id FROM observations WHERE type = 'note'")[0]
    rewrite.texts_of(a_past.store, row.OBSERVATION, number, {"content": "The lamp is green now."})
    assert a_past.rows("SELECT id FROM observations WHERE scan_level = 1") == [(number,)]


def test_a_turn_that_is_still_open_is_scrubbed_and_looked_at_again(a_session):
    a_session.asks(f"The Datadog API key is {KEY}")
    scrub(a_session)
    assert KEY not in a_session.turns("prompt")[0][0]
    assert a_session.turns("scan_level, status") == [(1, "open")]


def killed_after(monkeypatch, times):
    """Have the writing of rows end in a kill, after it was done some times."""
    calls, write = itertools.count(), scrubbing.rewrite.texts_of

    def texts_of(*given):
        if next(calls) == times:
            raise KeyboardInterrupt
        write(*given)

    monkeypatch.setattr(scrubbing.rewrite, "texts_of", texts_of)


@pytest.mark.parametrize("times", range(6))
def test_killed_at_any_row_it_ends_with_a_whole_memory_and_the_next_one_finishes(a_past, monkeypatch, times):
    with monkeypatch.context() as patch:
        killed_after(patch, times)
        with pytest.raises(KeyboardInterrupt):
            scrub(a_past)
    in_order(a_past.store)
    scrub(a_past)
    in_order(a_past.store)
    assert not any(secret in str(dump(a_past.store)) for secret in SECRETS.values())


# When nobody waits


def to_its_end(session, budget_ms=1000):
    """Let the worker's pass run until it finds nothing to do; returns how many rows each piece looked at."""
    protect = protect_of(session)
    return list(iter(lambda: scrubbing.scrub_some(session.store, protect, budget_ms), 0))


def test_the_worker_s_pass_takes_it_from_turns_and_observations(a_past):
    assert sum(to_its_end(a_past)) == len(a_past.rows("SELECT id FROM turns UNION ALL SELECT id FROM observations"))
    rows = str(a_past.rows("SELECT * FROM turns")) + str(a_past.rows("SELECT * FROM observations"))
    assert not any(secret in rows for secret in SECRETS.values())
    in_order(a_past.store)


@pytest.fixture
def a_long_past(a_session):
    """Have sixty turns behind it."""
    for number in range(60):
        a_session.has_a_turn(f"Light lamp {number}", "It is lit.")
    return a_session


def test_without_time_it_looks_at_a_handful(a_long_past):
    assert scrubbing.scrub_some(a_long_past.store, protect_of(a_long_past), 0) == scrubbing.TOGETHER


def test_between_its_rows_it_leaves_the_memory_to_others_for_as_long_as_it_held_it(a_long_past, monkeypatch):
    pauses = []
    monkeypatch.setattr("time.sleep", lambda seconds: pauses.append((seconds > 0, a_long_past.store.db.in_transaction)))
    to_its_end(a_long_past, 0)
    assert pauses == [(True, False)] * (60 // scrubbing.TOGETHER)


def test_it_goes_on_where_it_was(a_long_past):
    assert to_its_end(a_long_past, 0) == [scrubbing.TOGETHER] * (60 // scrubbing.TOGETHER)
    assert below_rules(a_long_past.store) == 0
    assert to_its_end(a_long_past) == []


def test_rows_that_come_in_later_are_looked_at_alone(a_past):
    to_its_end(a_past)
    a_past.starts("resume")
    a_past.has_a_turn("Is it lit?", f"The Datadog API key is {KEY}.")
    assert to_its_end(a_past) == [1]
    assert KEY not in str(a_past.turns("response"))


def test_new_rules_begin_anew(a_past, monkeypatch):
    first = sum(to_its_end(a_past))
    monkeypatch.setattr(gate, "RULES_VERSION", gate.RULES_VERSION + 1)
    assert sum(to_its_end(a_past)) == first


def test_a_turn_that_is_open_waits(a_session):
    a_session.asks("Light the lamp")
    assert to_its_end(a_session) == []
    a_session.is_answered("It is lit.")
    assert to_its_end(a_session) == [1]


def test_at_its_end_the_file_is_written_anew(a_past):
    to_its_end(a_past)
    files = {path: data for path, data in files_of(a_past.project).items() if path.endswith("memory.db")}
    assert len(files) == 1 and holding(files, KEY) == []
    assert a_past.store.property(access.connection.FORGETTING) is None


def test_a_file_that_is_too_large_for_that_waits_and_says_so(a_past):
    protect = protect_of(a_past)
    while scrubbing.scrub_some(a_past.store, protect, 1000, most_bytes=0):
        pass
    assert a_past.store.property(access.connection.FORGETTING) == 1


def test_a_memory_s_own_settings_are_found_from_its_folder(a_past):
    with open(a_past.store.folder + "/config.yaml", "w") as file:
        file.write(f"privacy:\n  redact_patterns: ['{TICKET}']\n")
    protect = scrubbing.protector_of(a_past.store)
    assert protect(f"{PATTERN} {PASSWORD}") == ("[REDACTED:pattern] [REDACTED:known-value]", {"pattern": 1, "known-value": 1})
