"""What a terminal shows while a command works, and in which colours; a pipe and a program see none of it."""

import os
import pty

import pytest

from ralph_mem.interfaces.cli import printing
from tests.interfaces.cli.situations import PIPES
from tests.interfaces.cli.test_app import COLOUR, on_a_terminal

# Whatever may take more than a second, and what is shown with its bar.
LONG = {
    "backup": "Copying",
    "doctor": "Looking",
    "export --to out.jsonl": "exporting",
    "import --dry-run": "looking",
    "scrub": "looking",
    "import-archive out.jsonl": "reading",
    "learn": "learning",
    "learn --dry-run": "looking",
    "maintain --confirm": "maintaining",
}
TERMINAL = {"TERM": "xterm-256color", "COLUMNS": "80"}


def stderr_of(person, *words):
    """Run a command whose stdout is a pipe and whose stderr a terminal; returns what that is sent."""
    ours, theirs = pty.openpty()
    options = {**PIPES, "stderr": theirs, "environment": TERMINAL}
    with person.start_cli(*words, **options) as process:
        os.close(theirs)
        process.communicate(timeout=60)
    try:
        return os.read(ours, 65_536).decode(errors="replace")
    except OSError:  # nothing was sent
        return ""
    finally:
        os.close(ours)


@pytest.mark.check
@pytest.mark.parametrize("words", LONG)
def test_what_takes_long_shows_how_far_it_is_but_where_a_program_reads_the_answer(a_person, words):
    if words.startswith("import-archive"):
        a_person.reads("export", "--to", "out.jsonl")
    folder = a_person.home / ".claude" / "projects" / "-project"
    folder.mkdir(parents=True)
    (folder / "22222222-2222-4222-8222-222222222222.jsonl").write_text("{}\n")
    assert "\x1b" not in stderr_of(a_person, *words.split(), "--json")
    for file in a_person.project.glob("out.jsonl") if words.startswith("export") else ():
        file.unlink()
    assert LONG[words] in stderr_of(a_person, *words.split())


@pytest.mark.check
def test_a_forget_shows_how_far_it_is(a_person):
    words = a_person.confirming("forget", "--query", "thrown")
    assert "forgetting" in on_a_terminal(a_person, *words, **TERMINAL)


def test_a_bar_that_nobody_sees_takes_all_that_is_told_and_shows_nothing(capfd):
    with printing.steps("working") as tell, printing.progress("working") as bar:
        tell("step", 1, 2)
        bar.reset(bar.add_task("", total=None), total=5)
    assert capfd.readouterr() == ("", "")


# Colours


@pytest.mark.check
def test_what_went_wrong_is_in_colour_on_a_terminal_but_where_none_is_wanted(a_newcomer):
    for words in (["nonsense"], ["doctor"]):
        assert COLOUR.search(on_a_terminal(a_newcomer, *words, **TERMINAL))
        for none in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            assert not COLOUR.search(on_a_terminal(a_newcomer, *words, **{**TERMINAL, **none}))
