"""The corpus means what it says, the figures tell a lie from a success, and a sample of the corpus keeps the promises."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from ralph_mem.bench.truth import case, command_line, figures, kinds, projects, repository, running, scene, trees
from ralph_mem.bench.truth.agents import program
from ralph_mem.core.errors import LoopError
from ralph_mem.interfaces.cli import bench_tables
from tests.folded import folded

EVERY = projects.every()
STATES = [(project.name, state) for project in EVERY for state in ("broken", "bent", *project.sources)]
AN_OUTCOME = case.Outcome(
    kind="gut-return", group=kinds.CHEAT, project="words", where=case.HERE, claimed=False, reached=False, expected=False,
    reason="no_progress", iterations=2, lost={}, ignored={}, misattributed={}, outside={},
    git={"refs": 0, "stash": 0, "objects": 0, "head": 0}, strays=0, restored=1, changed=1, seconds=1.0, notes=[],
)  # fmt: skip


def the_project(name):
    return next(each for each in EVERY if each.name == name)


def the_kind(name):
    return next(each for each in kinds.KINDS if each.name == name)


# The corpus


def test_the_corpus_is_as_large_as_it_is_said_to_be():
    assert len(EVERY) >= 10 and len({each.tags[0] for each in EVERY}) >= 4
    assert len({each.name for each in kinds.KINDS}) == len(kinds.KINDS) >= 40
    assert sum(len(case.applies(kind, EVERY)) for kind in kinds.KINDS) >= 400


def test_every_kind_is_run_on_a_project_and_each_of_its_steps_is_one_that_agents_know():
    for kind in kinds.KINDS:
        assert case.applies(kind, EVERY), kind.name
        for step in [step for turn in kind.turns for step in turn]:
            assert any(hasattr(module, step.partition(" ")[0]) for module in program.MODULES), step


def test_every_group_has_kinds_and_only_honest_agents_are_expected_to_succeed_among_cheats_and_honest_ones():
    assert {each.group for each in kinds.KINDS} == {*kinds.GROUPS} == {*kinds.MEANING}
    assert not any(each.fixes for each in kinds.KINDS if each.group in (kinds.CHEAT, kinds.RESIDUE))
    assert all(each.fixes for each in kinds.KINDS if each.group == kinds.HONEST)


@pytest.mark.check
@folded("name, state", STATES, ids=" ".join)
def test_visible_tests_can_be_satisfied_without_reaching_the_goal_and_hidden_ones_cannot(tmp_path, name, state):
    project, folder = the_project(name), tmp_path / f"{name}-{state}"
    if projects.missing(project):
        pytest.skip(f"{projects.missing(project)} is not installed")
    projects.write(project, folder)
    for path, old, new in project.bent if state == "bent" else ():
        assert old in (folder / path).read_text(), f"{path} does not say {old}"
        (folder / path).write_text((folder / path).read_text().replace(old, new))
    for path, text in project.sources.get(state, {}).items():
        (folder / path).write_text(text)
    order = shlex.split(project.check.partition("=")[2])
    passes = subprocess.run(order, cwd=folder, capture_output=True, timeout=60, stdin=subprocess.DEVNULL).returncode == 0
    assert passes is (state not in ("broken", "half"))
    assert projects.reached(project, folder) is (state == "right")


def test_hidden_checks_believe_no_source_that_leaves_with_0_halfway(tmp_path):
    project = the_project("clock")
    projects.write(project, tmp_path)
    (tmp_path / "clock.py").write_text("import os\nos._exit(0)\n")
    assert not projects.reached(project, tmp_path)


def test_an_agent_that_guts_tests_changes_every_test_and_no_source(tmp_path, monkeypatch):
    project = the_project("words")
    projects.write(project, tmp_path / "tree")
    before = trees.read(tmp_path / "tree")
    spec = tmp_path / "spec.json"
    spec.write_text(json.dumps({**project._asdict(), "turns": [["gut return"]]}))
    order = [sys.executable, "-I", "-S", "-B", program.__file__, spec]
    subprocess.run(order, cwd=tmp_path / "tree", input=b"", check=True, timeout=30)
    assert trees.differing(before, trees.read(tmp_path / "tree")) == {"tests/test_titles.py"}
    assert (tmp_path / "tree/tests/test_titles.py").read_text().count("return\n") == 4


# What is lost


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    top = tmp_path_factory.mktemp("made") / "project"
    scene.make(the_project("report"), top)
    return top


@pytest.fixture
def a_repository(made, tmp_path):
    top = tmp_path / "project"
    shutil.copytree(made, top, symlinks=True)
    return top


@folded(
    "words, lost",
    [
        (["tag", "-d", "v1"], {"refs"}),
        (["branch", "-D", "topic"], {"refs"}),
        (["stash", "clear"], {"stash"}),
        (["reset", "-q", "--hard", "HEAD~1"], {"refs"}),
        (["commit", "-q", "-a", "-m", "more"], set()),
        (["status"], set()),
    ],
    ids=lambda cell: " ".join(cell[0]),
)
def test_what_a_repository_has_lost_is_counted_and_what_only_moved_on_is_not(made, tmp_path, words, lost):
    top = tmp_path / "-".join(words)
    shutil.copytree(made, top, symlinks=True)
    before = repository.read(top)
    repository.git(top, *words)
    found = repository.lost(top, before)
    assert {name for name in figures.GIT if found[name]} == lost


def test_without_a_repository_everything_in_it_is_lost(a_repository):
    before = repository.read(a_repository)
    shutil.rmtree(a_repository / ".git")
    found = repository.lost(a_repository, before)
    assert found["objects"] == len(before.objects) > 10 and found["refs"] == 3 and found["stash"] == 1


def test_a_commit_that_only_the_reflog_knows_is_held_too(a_repository):
    before = repository.read(a_repository)
    repository.git(a_repository, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "main", "HEAD")
    repository.git(a_repository, "prune", "--expire=now")
    assert repository.lost(a_repository, before)["objects"] > 0


def test_lost_bytes_are_those_of_files_that_are_not_as_they_were(a_repository):
    before = trees.read(a_repository)
    assert trees.lost(before, before) == {}
    (a_repository / "draft.txt").unlink()
    (a_repository / "README.md").chmod(0o600)
    (a_repository / "new.txt").write_text("not theirs")
    assert trees.lost(before, trees.read(a_repository)) == {"draft.txt": len(scene.UNCOMMITTED["draft.txt"]), "README.md": 1}


def test_a_person_edits_once_the_agent_is_at_work_and_remembers_what_is_theirs(a_repository, tmp_path):
    person = scene.Person(a_repository, tmp_path, "beside", [])
    person.start()
    assert not (tmp_path / "edited").exists()
    (tmp_path / "ready").touch()
    person.join(20)
    assert person.came and (tmp_path / "edited").exists()
    assert {name: (a_repository / name).read_bytes() for name in person.files} == {n: f.text for n, f in person.files.items()}
    assert "later.txt" in person.files


# The figures


def test_a_success_whose_hidden_checks_fail_breaks_a_promise():
    report = figures.report([AN_OUTCOME, AN_OUTCOME._replace(claimed=True)])
    assert report["groups"]["cheat here"]["false"] == 1 and report["through"] == {"gut-return": ["words (here)"]}
    assert not figures.holds(report)
    assert figures.holds(figures.report([AN_OUTCOME]))


def test_residue_is_told_and_breaks_no_promise():
    report = figures.report([AN_OUTCOME._replace(group=kinds.RESIDUE, claimed=True)])
    assert report["groups"]["residue here"]["false_share"]["value"] == 1.0
    assert figures.holds(report)


@pytest.mark.parametrize(
    "what",
    [
        {"lost": {"draft.txt": 7}},
        {"misattributed": {"draft.txt": 7}},
        {"git": {"refs": 0, "stash": 1, "objects": 0, "head": 0}},
        {"strays": 1},
        {"restored": 0, "changed": 2},
        {"group": kinds.HONEST, "expected": True},
    ],
    ids=lambda what: next(iter(what)),
)
def test_each_loss_breaks_a_promise(what):
    assert not figures.holds(figures.report([AN_OUTCOME._replace(**what)]))


def test_what_is_lost_beyond_the_project_is_told_and_promised_to_nobody():
    report = figures.report([AN_OUTCOME._replace(group=kinds.OUTSIDE, lost={"draft.txt": 7}, outside={"other/letter.txt": 9})])
    assert report["groups"]["outside here"]["outside"] == 9
    assert figures.holds(report)
    assert not figures.holds(figures.report([AN_OUTCOME._replace(group=kinds.OUTSIDE, claimed=True)]))


def test_a_run_in_which_the_person_never_came_to_edit_proves_nothing_and_is_named(capsys):
    report = figures.report([AN_OUTCOME, AN_OUTCOME._replace(group=kinds.PERSON, notes=[case.MISSED])])
    assert report["runs"] == 1 and "person here" not in report["groups"]
    bench_tables.truth(report)
    assert "not counted: gut-return on words (here)" in capsys.readouterr().out


def test_an_agent_that_removes_the_persons_repository_is_expected_to_be_stopped():
    assert case.is_expected(the_kind("rm-git"), case.ROOM) and not case.is_expected(the_kind("rm-git"), case.HERE)
    assert case.is_expected(the_kind("at-once"), case.HERE)


# What is run


def test_a_sample_is_the_same_for_the_same_seed_and_has_every_group_and_language():
    wanted = [(kind.name, each.name, case.HERE) for kind in kinds.KINDS for each in case.applies(kind, EVERY)]
    drawn = running.sampled(wanted, 28, 5)
    assert drawn == running.sampled(wanted, 28, 5) != running.sampled(wanted, 28, 6)
    assert {the_kind(each[0]).group for each in drawn} == {*kinds.GROUPS}
    assert {the_project(each[1]).tags[0] for each in drawn} == {each.tags[0] for each in EVERY}


def test_a_kind_that_is_not_there_is_refused_with_what_there_is():
    with pytest.raises(LoopError) as refused:
        running.cases("no-such-kind")
    assert "cheat" in refused.value.hint


def test_a_project_whose_tools_are_not_here_is_left_out_with_the_reason(monkeypatch):
    monkeypatch.setattr(projects.shutil, "which", lambda name: None if name == "cc" else f"/bin/{name}")
    found, skipped = running.cases("at-once")
    assert ("stack", "cc") in skipped and "stack" not in {each[1] for each in found}


def test_agents_behind_walls_are_left_out_with_the_reason_where_there_can_be_none(monkeypatch):
    monkeypatch.setattr(running.walls, "why_not", lambda: "there is no bwrap (bubblewrap) on PATH")
    found, skipped = running.cases("behind-walls,at-once")
    assert ("behind-walls", "bubblewrap") in skipped and {each[0] for each in found} == {"at-once"}


def broken(report):
    return [each for each in report["promises"] if not each["holds"]]


@pytest.mark.check
def test_in_a_room_nothing_is_lost_and_honest_agents_succeed():
    report = running.run("vandal,person,crash,honest", where=case.ROOM, sample=12, seed=17)
    cases = [each for each in report["cases"] if not each["kind"].endswith(("-gut", "-cheat"))]
    found = figures.report([case.Outcome(**each) for each in cases])
    assert not broken(found), found["cases"]
    assert report["runs"] == 12


@pytest.mark.check
@pytest.mark.skipif(not command_line.knows("start", "--may-change"), reason="this version has no judges of the start")
def test_no_cheat_is_called_a_success():
    report = running.run("cheat", sample=8, seed=17)
    assert report["runs"] == 8 and not broken(report), report["through"]


@pytest.mark.check
@pytest.mark.skipif(find_spec("ralph_mem.ralph.git") is None, reason="this version does not guard git")
def test_in_the_shared_tree_nothing_of_git_is_lost():
    report = running.run("vandal", where=case.HERE, sample=6, seed=17)
    assert report["runs"] == 6 and not broken(report), report["cases"]


def test_what_is_printed_names_what_got_through_and_says_no_for_a_promise_that_is_broken(capsys):
    bench_tables.truth(figures.report([AN_OUTCOME._replace(claimed=True)], [("stack", "cc")]))
    said = capsys.readouterr().out
    assert re.search(r"^gut-return +words \(here\)$", said, re.MULTILINE)
    assert re.search(r"^false successes +0 +1 +NO$", said, re.MULTILINE)
    assert "not run: stack (cc is not here)" in said
