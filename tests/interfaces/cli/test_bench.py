"""`ralph-mem bench`: figures for people and for programs, one line for what is wrong with a file, and nothing left behind."""

import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from tests import clock
from tests.bench.conftest import a_memory, a_query, a_set, notes
from tests.interfaces.cli.situations import complaint

MEASURES = {"recall@1", "recall@3", "recall@5", "recall@10", "recall@20", "mrr", "ndcg@10"}
COMMANDS = ("retrieval", "injection")


@pytest.fixture
def a_file(a_newcomer):
    """Write a set into the person's project: what was said about a lantern, one query of a category, one adversarial."""
    queries = [
        a_query("heron", "m1", category="birds"),
        a_query("lantern", "m0", "m3"),
        a_query("fox", "m2", category="adversarial"),
    ]
    return written(a_newcomer, a_set(*queries))


def written(person, value, name="set.json"):
    path = person.project / name
    path.write_bytes(value if isinstance(value, bytes) else json.dumps(value).encode())
    return str(path)


def test_retrieval_prints_every_mode_and_baseline_side_by_side(a_newcomer, a_file):
    lines = a_newcomer.reads("bench", "retrieval", a_file).splitlines()
    assert lines[0] == "a set: 2 queries, unit observation, mode lexical"
    assert set(lines[1].split()) == MEASURES
    assert [line.split()[0] for line in lines[2:5]] == ["lexical", "fts5", "newest"]
    assert lines[2].split()[1:] == ["0.750", "1.000", "1.000", "1.000", "1.000", "1.000", "1.000"]
    assert "adversarial, not counted above: 1 queries" in lines
    assert "lexical against the others, difference with its 95 % interval, 10,000 draws" in lines


def test_a_category_has_figures_of_its_own_when_asked_for(a_newcomer, a_file):
    plain, apart = [a_newcomer.reads("bench", "retrieval", a_file, *more) for more in ((), ("--per-category",))]
    assert "\nbirds: 1 queries\n" in apart and "birds" not in plain


def test_a_program_finds_the_same_figures_under_their_names(a_newcomer, a_file):
    report = a_newcomer.json("bench", "retrieval", a_file)
    assert report.keys() >= MEASURES | {"name", "unit", "queries", "modes", "baselines", "adversarial", "categories", "against"}
    assert report["modes"]["lexical"]["recall@1"] == report["recall@1"] == 0.75
    assert report["baselines"].keys() == {"fts5", "newest"}
    assert report["trace_only"] is False


@pytest.mark.check
def test_injection_prints_the_hook_beside_those_who_do_not_ask(a_newcomer, a_file):
    lines = a_newcomer.reads("bench", "injection", a_file).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["hook", "inject-all", "newest-five"]
    report = a_newcomer.json("bench", "injection", a_file)
    assert report.keys() >= {"answered", "sorts", "relevant_items", "tokens", "left_alone", "fewer_tokens", "arms"}


def test_queries_of_another_file_may_be_prompts_without_an_answer(a_newcomer, a_file):
    other = written(a_newcomer, a_set(a_query("heron", "m1")), "other.json")
    report = a_newcomer.json("bench", "injection", a_file, "--unanswerable", other)
    assert report["sorts"]["given"]["prompts"] == 2  # once at each of the two places where a query is asked


def test_hidden_texts_leave_files_and_lines(a_newcomer):
    turn = a_memory(0, "It floats.", title="mend the boat", files=["pier/lantern.py"])
    path = written(a_newcomer, a_set(a_query("floats", "m0"), a_query("lantern", "m0"), memories=[turn, *notes("x")[1:]]))
    report = a_newcomer.json("bench", "retrieval", path, "--trace-only")
    assert (report["recall@1"], report["trace_only"]) == (0.5, True)


@pytest.mark.check
@pytest.mark.parametrize("command", COMMANDS)
def test_a_note_tells_what_had_to_be_decided(a_newcomer, command):
    path = written(a_newcomer, a_set(a_query("lantern", "m0", before="m9")))
    assert a_newcomer.reads("bench", command, path).splitlines()[-1].startswith("note: set.json: projects[0].queries[0].before")
    assert len(a_newcomer.json("bench", command, path)["notes"]) == 1


BROKEN = {
    "not JSON": b"{",
    "not UTF-8": b'{"name": "\xff"}',
    "a key missing": {"name": "x", "unit": "observation"},
    "nobody to ask": a_set(),
    "a time that is none": a_set({**a_query("x", "m0"), "at": "noon"}),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("value", BROKEN.values(), ids=BROKEN)
def test_a_broken_file_is_told_in_a_line(a_newcomer, command, value):
    assert "set.json" in a_newcomer.fails("bench", command, written(a_newcomer, value))


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_that_is_not_there_is_told_in_a_line(a_newcomer, command):
    assert "No such file" in a_newcomer.fails("bench", command, "nowhere.json")
    assert "directory" in a_newcomer.fails("bench", command, ".")


def test_an_unknown_mode_is_a_wrong_call(a_newcomer, a_file):
    a_newcomer.fails("bench", "retrieval", a_file, "--mode", "psychic", code=2)


@pytest.mark.check
@pytest.mark.parametrize("command", COMMANDS)
def test_nothing_is_left_behind_and_no_memory_is_touched(a_person, command):
    before, database = sorted(a_person.home.rglob("*")), a_person.raw()
    a_person.reads("bench", command, written(a_person, a_set(a_query("lantern", "m0"))))
    assert (sorted(a_person.home.rglob("*")), a_person.raw()) == (before, database)
    assert list(a_person.scratch.iterdir()) == []


@pytest.mark.check
def test_an_interrupted_run_leaves_nothing_behind(a_newcomer):
    path = written(a_newcomer, a_set(*[a_query(f"lantern {number}", "m0") for number in range(20_000)]))
    with a_newcomer.start_cli("bench", "retrieval", path, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: list(a_newcomer.scratch.rglob("memory.db")))
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"ralph-mem: interrupted\n")
    assert list(a_newcomer.scratch.iterdir()) == []


@pytest.mark.check
def test_a_terminal_shows_how_far_it_is_and_a_pipe_does_not(a_newcomer, a_file):
    leader, follower = pty.openpty()
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "bench", "retrieval", a_file]
    run = subprocess.run(order, env=a_newcomer.terminal(TERM="xterm"), stdout=subprocess.PIPE, stderr=follower, timeout=60)
    os.close(follower)
    shown = os.read(leader, 65536)
    os.close(leader)
    assert run.returncode == 0 and b": 2 queries" in run.stdout
    assert b"Asking" in shown
    assert a_newcomer.cli("bench", "retrieval", a_file).err == ""


def wait_for(happens):
    clock.wait_for(happens, 20)


@pytest.mark.check
def test_a_mode_without_its_packages_says_what_to_install(a_newcomer, a_file, tmp_path):
    hidden = tmp_path / "hidden"  # a package of this name that cannot be imported
    hidden.mkdir()
    for name in ("numpy", "onnxruntime", "tokenizers"):
        (hidden / f"{name}.py").write_text("raise ImportError('it is not here')")
    path = f"{hidden}:{a_newcomer.terminal()['PYTHONPATH']}"
    said = a_newcomer.cli("bench", "retrieval", a_file, "--mode", "full", PYTHONPATH=path)
    assert said.code == 1 and complaint(said)
    assert " -m pip install '" in said.err and said.err.endswith("[embeddings]'\n")


def test_bench_commands_prints_shares_for_people_and_for_programs(a_newcomer, tmp_path):
    file = tmp_path / "commands.json"
    sessions = [
        {"id": f"s{day}", "at": f"2026-01-0{day}T12:00:00Z", "commands": [{"command": "make test", "exit": 0}]} for day in (1, 2)
    ]
    file.write_text(json.dumps({"name": "two days", "projects": [{"id": "shop", "sessions": sessions}]}))
    assert "1.000" in a_newcomer.reads("bench", "commands", str(file))
    assert a_newcomer.json("bench", "commands", str(file))["goals"]["test"] == {"wanted": 0.63, "reached": 1.0, "met": True}
