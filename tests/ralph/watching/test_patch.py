"""A patch of what a run did leads with `git apply` from one state of the files to the other, and shows nothing that is private."""

import os
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.ralph.snapshot import FILE, LINK, Entry, store, taking
from ralph_mem.ralph.watching import file_patch, patch
from tests.ralph.loops import STEPS

SECRET = "API_TOKEN = 'ghp_" + "a1B2c3D4e5F6" * 3 + "'\n"
NAMES = ["a", "b c", "caf\u00e9.txt", 'quo"te', "tab\there", "back\\slash", "d/e", "d/f g/h", " lead", "trail ", "#note"]
LINES = st.lists(st.sampled_from([b"one", b"two", b"", b"\xff\xfe", b"+x", b"-- y", b"\r", b"@@ -1 +1 @@"]), max_size=12)
TEXTS = st.builds(lambda lines, end: b"\n".join(lines) + end, LINES, st.sampled_from([b"", b"\n"]))
CONTENTS = st.one_of(TEXTS, st.binary(max_size=200))
PLACES = st.tuples(st.sampled_from(["file", "program", "link"]), CONTENTS)
TREES = st.dictionaries(st.sampled_from(NAMES), PLACES, max_size=6)


def entry_of(kind, content):
    """Return an entry and its content as a store has them, without what no link can lead to."""
    if kind == "link":
        return Entry(LINK, 0o777, 0, b"", True), b"to/" + content.replace(b"\0", b"").replace(b"\n", b"")[:50] + b"x"
    return Entry(FILE, 0o755 if kind == "program" else 0o644, len(content), b"", True), content


def build(folder, tree):
    """Write a tree, and return it as entries; links lead nowhere."""
    entries = {os.fsencode(name): entry_of(*given) for name, given in tree.items()}
    for path, (entry, content) in entries.items():
        place = os.path.join(os.fsencode(folder), path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        if entry.kind == LINK:
            os.symlink(content, place)
        else:
            with open(place, "wb") as file:
                file.write(content)
            os.chmod(place, entry.mode)
    return entries


def seen(folder):
    """Return every path of a folder with what it is to git."""
    found = {}
    for above, folders, names in os.walk(os.fsencode(folder)):
        for path in [os.path.join(above, name) for name in [*names, *folders] if name != b".git"]:
            if os.path.islink(path):
                found[path] = os.readlink(path)
            elif os.path.isfile(path):
                with open(path, "rb") as file:
                    found[path] = (bool(os.stat(path).st_mode & 0o100), file.read())
    return {os.path.relpath(path, os.fsencode(folder)): what for path, what in found.items()}


def apply(folder, text):
    """Have git apply a patch in a folder that is no repository."""
    where = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}
    ran = subprocess.run(["git", "apply", "-"], cwd=folder, input=text, capture_output=True, timeout=30, env=where)
    assert ran.returncode == 0, ran.stderr.decode(errors="replace") + text.decode(errors="replace")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(TREES, TREES)
def test_a_patch_leads_from_one_tree_to_the_other(tmp_path_factory, before, after):
    here, there = (tmp_path_factory.mktemp(name) for name in ("before", "after"))
    old, new = build(here, before), build(there, after)
    text = b"".join([file_patch.write(path, old.get(path), new.get(path)) for path in sorted({*old, *new})])
    if text:
        apply(here, text)
    assert seen(here) == seen(there)


def test_a_text_too_long_to_be_compared_is_one_change(tmp_path):
    old, new = [b"".join([b"%d %d\n" % (at * factor, at) for at in range(9_000)]) for factor in (1, 3)]
    (tmp_path / "long").write_bytes(old)
    entry = entry_of("file", b"")[0]
    apply(tmp_path, file_patch.write(b"long", (entry, old), (entry, new)))
    assert (tmp_path / "long").read_bytes() == new


def told(loops, span="", **wanted):
    """Return what is told of the last run, as one patch."""
    run = loops.latest()
    with patch.opened(loops.project, run) as snapshots:
        chosen = patch.span_of(run, span, snapshots)
        found = patch.parts(loops.project, loops.values(), snapshots, run, chosen, patch.Wanted(**wanted))
        return b"".join(patch.written(found)).decode()


@pytest.mark.check
def test_all_that_a_run_did_is_told_unless_an_iteration_is_named(loops):
    loops.start(*STEPS)
    whole, second, two = told(loops), told(loops, "2"), told(loops, "1..3")
    assert [name for name in ("one", "two", "three") if f"b/{name}.txt" in whole] == ["one", "two", "three"]
    assert "two.txt" in second and "one.txt" not in second and "three.txt" not in second
    assert "one.txt" not in two and "-wrong\n+right\n" in two


@pytest.mark.check
@pytest.mark.parametrize(
    ("span", "why"),
    [
        ("9", "no iteration 9 to compare: it has 1 to 3"),
        ("3..1", "goes backwards"),
        ("1..x", "no iteration x"),
        ("1...2", "no iteration"),
    ],
)
def test_iterations_that_are_not_there_are_refused(loops, span, why):
    loops.start(*STEPS)
    with pytest.raises(LoopError, match=why):
        told(loops, span)


@pytest.mark.check
def test_what_the_checks_left_is_no_iterations_work(loops):
    loops.write("check.sh", loops.text("check.sh").replace("echo 1..3", "echo 1..3; echo x >>left"))
    loops.start(*STEPS)
    assert "left" not in told(loops, "2")


@pytest.mark.check
def test_a_file_of_secrets_is_named_and_not_shown(loops):
    loops.start(f"echo KEY=x >.env; printf %s {SECRET!r} >settings.py; echo right >one.txt", *STEPS[1:])
    shown = told(loops)
    assert "# .env: added; holds secrets by its name" in shown and "# settings.py: added; holds what looks like" in shown
    assert "KEY=x" not in shown and "ghp_" not in shown and "b/one.txt" in shown
    assert "KEY=x" in told(loops, raw=True) and "ghp_" in told(loops, raw=True)


@pytest.mark.check
def test_an_excluded_path_has_no_name(loops):
    loops.start("echo quiet >private.txt; echo right >one.txt", *STEPS[1:])
    run = loops.latest()
    with patch.opened(loops.project, run) as snapshots:
        span = patch.span_of(run, "", snapshots)
        values = loops.values(privacy_exclude_paths=["private.txt"])
        shown = b"".join(patch.written(patch.parts(loops.project, values, snapshots, run, span)))
    assert b"quiet" not in shown and b"private" not in shown and b"# (excluded): added\n" in shown


@pytest.mark.check
def test_a_binary_file_is_named_and_told_where_it_is_wanted(loops):
    loops.start("printf 'a\\0b' >logo.png; echo right >one.txt", *STEPS[1:])
    assert "# logo.png: added; binary, 0 bytes before, 3 bytes now" in told(loops)
    assert "GIT binary patch\nliteral 3\n" in told(loops, binary=True)


def test_a_patch_that_grows_too_large_names_the_rest(loops, monkeypatch):
    monkeypatch.setattr(patch, "MOST_BYTES", 150)
    loops.start(*STEPS)
    shown = told(loops)
    assert shown.count("diff --git") == 1 and shown.count("left out, since the patch is too large") == 2


def test_a_run_without_snapshots_has_nothing_to_compare(loops):
    loops.start(*STEPS, snapshot=False)
    with pytest.raises(LoopError, match="has no snapshots to compare") as error:
        told(loops)
    assert error.value.hint == "`ralph-mem ralph log` tells what the agent did"


def test_snapshots_that_made_room_for_others_are_said_to_be_gone(loops):
    run = loops.start(*STEPS)
    with store.open_store(loops.project) as snapshots:
        taking.delete_run(snapshots, run.id)
    with pytest.raises(SnapshotError, match=r"are gone: .* to keep within the quota"):
        told(loops)
