"""Every kind of secret is recorded by real hooks, and is nowhere then: not in what is told, printed or exported, not in a file."""

import itertools
import json
import shutil
from argparse import Namespace

import pytest

from ralph_mem.core.project import Project
from ralph_mem.memory import access
from ralph_mem.memory.rows import rewrite, row
from tests.core.redaction import secret_contexts, secret_corpus
from tests.faults.quick import QuickHook
from tests.hostile.terminal import in_the_home_of, said

SEED = 20_261_122
LEAST_KINDS = 60
PIECE = 12  # characters of a secret of which none may be left together; all of a shorter one
QUERIES = ("token", "password key", "secret", "config")
# Each records a text; the first three every kind goes through, the others take turns.
WAYS = (
    lambda hook, text: hook.bash("make it", text),
    lambda hook, text: hook.prompt(text),
    lambda hook, text: hook.edit("config.py", "x = 1", text),
)
MORE_WAYS = (
    lambda hook, text: hook.bash_failed("make it", "Exit code 1\n" + text),
    lambda hook, text: hook.bash(text, "done"),
    lambda hook, text: hook.stop(text),
    lambda hook, text: hook.subagent_stop(text),
    lambda hook, text: hook.read("notes.txt", text),
    lambda hook, text: hook.edit("config.py", text, "x = 1"),
    lambda hook, text: hook.tool("mcp__wiki__page", {"name": text}, [{"type": "text", "text": text}]),
    lambda hook, text: hook.tool("WebFetch", {"url": "https://a.example/", "prompt": text}, {"result": text}),
    lambda hook, text: hook.post_compact(f"<summary>{text}</summary>"),
)


def of_every_kind():
    """Return for each kind a case for each of its ways, every one with a secret and in a context of its own."""
    kinds = {}
    for case in secret_contexts.cases(SEED):
        kinds.setdefault(case.kind, []).append(case)
    count = len(WAYS) + 1
    return {
        kind: [cases[(7 * at + 11 * way) % len(cases)] for way in range(count)] for at, (kind, cases) in enumerate(kinds.items())
    }


KINDS = of_every_kind()
CASES = [case for cases in KINDS.values() for case in cases]


# What only the words beside it tell: a hook has no time to look for it, but whatever leaves is searched for it.
HEX = secret_corpus.some(secret_corpus.random.Random(SEED), secret_corpus.HEX, 32)
PROSE = secret_corpus.Case("prose", "prose", "prose", f"the Datadog API key {HEX}", HEX)


def leaks(texts):
    """Return which secrets have a piece left in which of some texts, by their names."""
    pieces = {}
    for case in [*CASES, PROSE]:
        secret = case.secret.lower()
        for at in range(max(1, len(secret) - PIECE + 1)):
            pieces[secret[at : at + PIECE]] = case
    short = {piece for piece in pieces if len(piece) < PIECE}
    found = set()
    for name, text in texts.items():
        low = text.lower()
        hits = {low[at : at + PIECE] for at in range(len(low)) if low[at : at + PIECE] in pieces} | {
            each for each in short if each in low
        }
        found |= {(name, pieces[hit].kind, pieces[hit].context, hit) for hit in hits}
    return sorted(found)


def files_of(*folders):
    """Return what stands in all files, by their names; a snapshot holds a person's files as they are."""
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file() and "snapshots" not in path.parts]
    return {str(path): path.read_bytes().decode("latin-1") for path in paths}


@pytest.fixture(scope="module")
def a_past(tmp_path_factory, plugin, a_launcher):
    """Record every kind in one session, and what another one was told after it."""
    hook = QuickHook(tmp_path_factory.mktemp("egress") / "person", plugin, a_launcher)
    told = [hook.start()]
    for cases, more in zip(KINDS.values(), itertools.cycle(MORE_WAYS)):
        told += [way(hook, case.text) for way, case in zip((*WAYS, more), cases, strict=True)]
    told.append(hook.stop("Done."))
    return Namespace(hook=hook, told=[*told, *tells(hook)])


def tells(hook):
    """Return what the next session of somebody is told at its start, to its prompts, and for a typed command."""
    later = hook.another()
    told = [later.start(), *[later.prompt(f"Where did we leave the {words}?") for words in QUERIES]]
    return [*told, later.typed("mem-search", "token"), later.typed("mem-status"), later.stop("Nowhere.")]


def in_a_copy(hook, folder):
    """Return the same person with the same memory in another place, for a test to change."""
    shutil.copytree(hook.folder, folder)
    shutil.rmtree(folder / "home" / ".local" / "share" / "ralph-mem" / "projects")  # or it would be known as a copy
    other = QuickHook(folder, hook.plugin, hook.launcher)
    other.start()
    return other


def rows_of(hook, most):
    """Return the ids of so many turns and of a few rows behind them, which are shown by the same way."""
    return [*hook.values("SELECT public_id FROM turns LIMIT ?", most), *hook.values("SELECT public_id FROM observations LIMIT 9")]


def printed(capfd, hook, rows):
    """Return what every command prints that shows something of a memory, by its words."""
    commands = [
        *[("search", query, "-n", "100", "--outside", *more) for query in QUERIES for more in ((), ("-l", "3"), ("--json",))],
        *[("show", row, "--all", "--outside") for row in rows],
        *[("timeline", row, "--budget", "900", "--outside") for row in rows[:9]],
        *[("why", "-n", "1000"), ("why", "--json"), ("preview",), ("preview", "Where is the token?"), ("projects", "--json")],
        *[("status",), ("status", "--json"), ("doctor", "--json"), ("trust", "--json"), ("config", "check")],
        *[("review", "-n", "1000", "--outside"), ("review", "-n", "1000", "--json", "--outside")],
        *[("export",), ("export", "--format", "markdown", "--outside")],
    ]
    with in_the_home_of(hook):
        return {" ".join(words): said(capfd, *words)[1] for words in commands}


def test_every_kind_is_there_with_a_secret_for_each_way():
    print(f"{len(KINDS)} kinds of secrets in {len(CASES)} texts, {len(WAYS) + len(MORE_WAYS)} ways to record them")
    assert len(KINDS) >= LEAST_KINDS
    assert len({case.secret for case in CASES}) == len(CASES)


def test_a_piece_that_is_left_would_be_seen():
    case = max(CASES, key=lambda case: len(case.secret))
    assert leaks({"a": f"x{case.secret[3:15].upper()}x"})
    assert not leaks({"a": f"x{case.secret[3:14]}x"})


@pytest.mark.check
def test_all_of_it_was_recorded(a_past):
    assert a_past.hook.values("SELECT count(*) FROM observations")[0] > 2 * len(KINDS)
    assert a_past.hook.values("SELECT count(*) FROM turns WHERE prompt LIKE '%[REDACTED:%'")[0] > len(KINDS) / 2


@pytest.mark.check
def test_nothing_of_it_is_told_to_a_session(a_past):
    text = json.dumps(a_past.told, ensure_ascii=False)
    assert "[REDACTED:" in text and leaks({"told": text}) == []


@pytest.mark.check
def test_nothing_of_it_is_printed_by_any_command(a_past, capfd):
    texts = printed(capfd, a_past.hook, rows_of(a_past.hook, 9))
    assert "[REDACTED:" in texts["export"] and [words for words, text in texts.items() if not text] == []
    assert leaks(texts) == []


def test_nothing_of_it_stands_in_any_file_nor_in_a_backup(a_past, capfd):
    with in_the_home_of(a_past.hook):
        assert said(capfd, "backup")[0] == 0
    texts = files_of(a_past.hook.home, a_past.hook.memory)
    assert any("backups" in name for name in texts) and any(name.endswith("memory.db") for name in texts)
    assert leaks(texts) == []


@pytest.mark.check
def test_nothing_of_it_comes_into_another_home_with_an_archive(a_past, a_quick_session, capfd):
    archive = a_quick_session.folder / "archive.jsonl"
    with in_the_home_of(a_past.hook):
        assert said(capfd, "export", "--to", str(archive))[0] == 0
    with in_the_home_of(a_quick_session):
        assert said(capfd, "import-archive", str(archive), "--mine", "--confirm")[0] == 0
    assert a_quick_session.values("SELECT count(*) FROM observations") == a_past.hook.values("SELECT count(*) FROM observations")
    assert leaks(files_of(a_quick_session.folder)) == []


@pytest.mark.check
def test_nothing_of_it_waits_in_the_spool_of_a_locked_memory(a_quick_session):
    with a_quick_session.connect() as db:
        db.execute("BEGIN IMMEDIATE")
        for way, case in zip(WAYS, CASES[:: len(CASES) // len(WAYS)], strict=False):
            way(a_quick_session, case.text)
        assert len(a_quick_session.spooled()) == len(WAYS)
        assert leaks(files_of(a_quick_session.home, a_quick_session.memory)) == []
    a_quick_session.stop("Done.")
    assert a_quick_session.spooled() == [] and leaks(files_of(a_quick_session.home, a_quick_session.memory)) == []


@pytest.mark.check
@pytest.mark.parametrize(
    "line", ["{}\n", "ralph:\n  {}\n", "token: {}\n", "a: [{}\n", "recording: {}\n", "privacy.redact_patterns: ['({}']\n"]
)
def test_nothing_of_a_config_that_is_wrong_is_told_or_kept(a_quick_session, capfd, line):
    secrets = [case for case in CASES if "\n" not in case.secret and case.group == "prefix"]
    (a_quick_session.memory / "config.yaml").write_text("".join(line.format(case.secret) for case in secrets[:9]))
    told = json.dumps([a_quick_session.bash("make it", "done"), *tells(a_quick_session)])
    assert leaks({"told": told, **files_of(a_quick_session.home)}) == []


def test_nothing_of_what_a_loop_sees_stands_in_its_record(a_quick_session, capfd):
    (a_quick_session.project / "out.txt").write_text("\n".join(case.text for case in CASES))
    words = ("mend it", "--criteria", "custom=cat out.txt nowhere", "--agent", "cat out.txt")
    with in_the_home_of(a_quick_session):
        digits = json.loads(said(capfd, "ralph", "plan", *words, "--json")[1])["accept"]
        _, text = said(capfd, "ralph", "start", *words, "--max-iterations", "1", "--no-snapshot", "--accept", digits)
        history = said(capfd, "ralph", "status", "--history")[1]
    assert "failed" in text and any("loops" in name for name in files_of(a_quick_session.home))
    assert leaks({"start": text, "history": history, **files_of(a_quick_session.home, a_quick_session.memory)}) == []


# Rows that older rules let through


@pytest.fixture
def an_old_past(a_past, tmp_path):
    """Have a turn of every kind, and a command in it, that say the secret, as where no rule knew of it then."""
    hook = in_a_copy(a_past.hook, tmp_path / "old")
    with in_the_home_of(hook):
        opened = access.to_write(Project(str(hook.project)))
        opened.begin()
        turns = opened.execute(
            "SELECT t.id, max(o.id) FROM turns AS t JOIN observations AS o ON o.turn_id = t.id GROUP BY t.id"
        ).fetchall()
        for (turn, observation), (prompt, response, title, content) in zip(turns, KINDS.values(), strict=False):
            opened.execute("UPDATE turns SET prompt = ? WHERE id = ?", (prompt.text, turn))
            rewrite.say(opened, turn, response.text)
            rewrite.texts_of(
                opened,
                row.OBSERVATION,
                observation,
                {"title": f"make it # {PROSE.text}", "content": f"{title.text}\n{content.text}", "lines": ""},
            )
        opened.execute("UPDATE turns SET redaction_version = 0")
        opened.execute("UPDATE observations SET redaction_version = 0")
        opened.commit()
        opened.close()
    return hook


@pytest.mark.check
def test_the_situation_is_one(an_old_past):
    assert len({kind for _, kind, _, _ in leaks(files_of(an_old_past.memory))}) == len(KINDS) + 1


def test_nothing_of_an_old_row_is_told_to_a_session(an_old_past):
    text = json.dumps(tells(an_old_past), ensure_ascii=False)
    assert "[REDACTED:" in text and leaks({"told": text}) == []


@pytest.mark.check
def test_nothing_of_an_old_row_is_printed_by_any_command(an_old_past, capfd):
    texts = printed(capfd, an_old_past, rows_of(an_old_past, len(KINDS)))
    assert "[REDACTED:" in texts["export"] and leaks(texts) == []
