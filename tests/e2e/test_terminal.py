"""The command line as a person types it: bash in a real terminal, the quoting that hands learn, and a memory made by hooks."""

import contextlib
import json
import re
import shutil
import sqlite3
import subprocess
import sys
from collections import namedtuple
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.interfaces.demo import HERE, NEXT_SESSION, Throwaway

from .client import Terminal, eventually

# Behind a command that prints no last line of its own stands what the terminal echoes.
PROMPT = re.compile(r"^(?:\^C)?\[(\d+)\] ❯", re.MULTILINE)
WIDTH = 100
CAUSE = "Logins failed because auth/tokens.py stored expiry times without a timezone"
QUESTION = "the timezone bug with the login expiry seems to be back, what did we do about it?"
ID = r"(turn|obs)-\w{10}"

FIX_OF = "SELECT public_id FROM turns WHERE prompt LIKE 'People are thrown out%'"
ANSWER_OF = "SELECT response FROM turns WHERE public_id = '{}'"
NOTES = "SELECT trim(title || char(10) || content, char(10)) FROM observations WHERE type = 'note' ORDER BY id"

# Lines as they were printed, and as the terminal wrapped them.
Shown = namedtuple("Shown", "code text wrapped")


class Shell:
    """A bash that a person types into; the prompt tells how the last command ended."""

    def __init__(self, person):
        self._person = person
        eventually(lambda: self._prompts() == 1, otherwise=self._whole)

    def type(self, *lines):
        """Type lines, Enter after each, and return what then came."""
        before = self._prompts()
        self.begin(*lines)
        return self._shown(before, len(lines))

    def begin(self, *lines):
        """Type lines, Enter after each, and wait for nothing."""
        for line in lines:
            self._person._tmux("send-keys", "-t", "t", "-l", line)
            self._person.press("Enter")

    def break_off(self):
        """Press Ctrl-C, and return what the command had shown."""
        before = self._prompts()
        self._person.press("C-c")
        return self._shown(before, 1)

    def wait_for(self, words):
        """Wait until words stand on the screen."""
        self._person.wait_for(words)

    def _shown(self, before, typed):
        eventually(lambda: self._prompts() > before, otherwise=self._whole)
        parts = [PROMPT.split(whole) for whole in (self._whole(), self._whole(wrapped=True))]
        text, wrapped = [part[-3].split("\n", typed)[-1].strip("\n") for part in parts]
        return Shown(int(parts[0][-2]), text, wrapped)

    def _whole(self, wrapped=False):
        """Return everything since the terminal was opened."""
        order = ["capture-pane", "-p", "-S", "-", "-t", "t", *([] if wrapped else ["-J"])]
        return "\n".join(line.rstrip() for line in self._person._tmux(*order, check=False).stdout.split("\n"))

    def _prompts(self):
        return len(PROMPT.findall(self._whole()))


def remembered(folder):
    """Let the hooks remember the recorded session, and tell the next one of it; `fix` names the turn that repaired the login."""
    place = Throwaway(str(folder))
    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    for line in (HERE / "demo_session.jsonl").read_text().splitlines():
        fields = json.loads(line)
        place.hook(fields.pop("event"), fields)
    say(place, "SessionStart", source="startup")
    say(place, "UserPromptSubmit", prompt_id="q", prompt=QUESTION)
    place.fix = place.rows(FIX_OF)[0][0]
    return place


def say(place, event, session=NEXT_SESSION, **fields):
    """Fire one event of the next session, or of another one; returns what the model is told."""
    name = {"SessionStart": "session-start", "UserPromptSubmit": "user-prompt-submit"}[event]
    return place.hook(name, {"session_id": session, "hook_event_name": event, **fields})


def shell_in(place, folder=None):
    """Open a terminal of the person, in the project unless another folder is named."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin",
        "HOME": str(place.home),
        "LANG": "C.UTF-8",
        "TERM": "xterm-256color",
        "PS1": "[$?] ❯ ",
        "HISTFILE": "",  # bash writes it as the terminal goes, while the next test already makes its home anew
    }
    return Terminal(["bash", "--noprofile", "--norc", "-i"], folder or place.project, environment, lambda: None)


def said_by(place, sql, *names):
    """Return the first column of a query over the memory."""
    return [row[0] for row in place.rows(sql.format(*names))]


def files_with(words, place):
    """Return the files of the person and of the project whose raw bytes hold a text."""
    found = []
    for path in [path for folder in (place.project, place.home) for path in folder.rglob("*") if path.is_file()]:
        with contextlib.suppress(FileNotFoundError):  # a log goes with the last one who reads the database
            found += [path] if words.encode() in path.read_bytes() else []
    return found


@pytest.fixture(scope="module", autouse=True)
def tmux():
    """Ask for tmux."""
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed")


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Make a memory that no test changes."""
    return remembered(tmp_path_factory.mktemp("library"))


@pytest.fixture(scope="module")
def reader(library):
    """Open one terminal for all who only read in the library."""
    with shell_in(library) as person:
        yield Shell(person)


@pytest.fixture(scope="module")
def a_copy(tmp_path_factory):
    """Make a memory, and a copy of it that stays as it is."""
    folder = tmp_path_factory.mktemp("changed")
    (folder / "now").mkdir()
    place = remembered(folder / "now")
    shutil.copytree(folder / "now", folder / "copy")
    return place, folder


@pytest.fixture
def place(a_copy):
    """Have a memory to be changed: whatever was done to it before is undone."""
    place, folder = a_copy
    shutil.rmtree(folder / "now")
    shutil.copytree(folder / "copy", folder / "now")
    return place


@pytest.fixture
def shell(place):
    """Open a terminal in the project whose memory is to be changed."""
    with shell_in(place) as person:
        yield Shell(person)


# Reading


@pytest.mark.parametrize("words", ["timezone expiry", '"timezone expiry"', "'timezone; $HOME `touch made`'", r"timezone\ login"])
def test_a_search_finds_words_however_they_are_quoted(reader, library, words):
    shown = reader.type(f"ralph-mem search {words} --layer 1")
    assert shown.code == 0 and shown.text.startswith(library.fix) and CAUSE[:40] in shown.text
    assert not (library.project / "made").exists()


def test_each_layer_says_more(reader, library):
    lines, around, texts = [reader.type(f"ralph-mem search timezone -l {layer} | cat").text for layer in (1, 2, 3)]
    lines, open_turn = lines.rsplit("\n", 1)  # the library's last turn has not ended
    assert re.fullmatch(rf"({ID}  score \d\.\d\d  .*\[\d+ tokens\]\n?)+", lines)
    assert re.fullmatch(rf"Not searched before the turn ends, though it holds one of these words: {ID}", open_turn)
    assert f"> {library.fix}" in around and "error: python -m pytest -q tests/test_session.py" in around
    assert CAUSE in texts and "changed: auth/session.py, auth/tokens.py" in texts


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("ralph-mem search 'zirconium'", 0, "Nothing that is remembered holds any of these words."),
        ("ralph-mem search '登录'", 0, "Nothing that is remembered holds any of these words."),
        ("ralph-mem search ''", 1, "ralph-mem: there is no word to search for\n  hint: "),
        ("ralph-mem search timezone --since someday", 1, "ralph-mem: someday is no time\n  hint: "),
        ("ralph-mem show turn-aaaaaaaaaa", 1, "ralph-mem: no memory has the id"),
        ("ralph-mem show", 2, "ralph-mem: Missing argument 'ID'\n  hint: see `ralph-mem show --help`"),
        ("ralph-mem search x --lyer 2", 2, "ralph-mem: No such option: --lyer"),
        ("ralph-mem forget", 1, "ralph-mem: what should be forgotten?\n  hint: "),
        ("ralph-mem config get memory.nothing", 1, "ralph-mem: "),
        ("ralph-mem status -p no-such-project", 1, "ralph-mem: no project is called no-such-project\n  hint: "),
    ],
)
def test_what_is_not_there_or_not_understood_is_said_in_a_line_and_a_hint(reader, line, code, words):
    shown = reader.type(line)
    assert (shown.code, shown.text[: len(words)]) == (code, words)
    assert len(shown.text.splitlines()) <= 2 and "Traceback" not in shown.text


def test_a_timeline_tells_what_happened_around_a_turn(reader, library):
    shown = reader.type(f"ralph-mem timeline {library.fix} --after 1 | cat")
    assert shown.text.startswith(f"> {library.fix}")
    assert [line[2:6] for line in shown.text.splitlines()] == ["turn", *["obs-"] * 5, "turn"]


def test_a_memory_is_shown_whole_and_from_a_character_on(reader, library):
    shown = reader.type(f"ralph-mem show {library.fix}")
    assert CAUSE in shown.text and "passed: make deploy-staging" in shown.text
    rest = reader.type(f"ralph-mem show {library.fix} --from 40")
    assert len(rest.text) == len(shown.text) - 40 and shown.text.endswith(rest.text.split("\n", 1)[1])


def test_the_status_says_how_much_there_is(reader, library):
    shown = reader.type("ralph-mem status")
    assert shown.code == 0 and shown.text.startswith(f"{library.project}: recording since 20")
    assert re.search(r"^2 sessions, 3 prompts, 7 observations, ", shown.text, re.MULTILINE)


def test_why_names_what_was_told_and_what_it_cost(reader, library):
    shown = reader.type("ralph-mem why --last 1")
    assert shown.code == 0 and 'UserPromptSubmit for "the timezone bug with the login expiry' in shown.text
    assert re.search(rf"^  {library.fix}  full, \d+ tokens, likely 0\.\d", shown.text, re.MULTILINE)


def test_a_preview_shows_what_a_prompt_would_be_told(reader, library):
    shown = reader.type(f'ralph-mem preview "{QUESTION}"')
    start, _, prompt = shown.text.partition("UserPromptSubmit: ")
    assert start.startswith("SessionStart: ") and CAUSE in prompt
    assert "UserPromptSubmit: nothing" in reader.type("ralph-mem preview 'please write a haiku about autumn'").text


def test_the_config_is_read_key_by_key_and_as_a_table(reader):
    assert reader.type("ralph-mem config get memory.inject_tokens_prompt").text == "600"
    shown = reader.type("ralph-mem config show")
    assert shown.code == 0 and re.search(r"^memory\.auto_inject +true +default ", shown.text, re.MULTILINE)
    assert reader.type("ralph-mem config check").code == 0


def test_the_doctor_names_each_check_and_ends_with_a_count(reader):
    shown = reader.type("ralph-mem doctor")
    assert re.search(r"\n\n1 problem, \d warnings?, \d+ ok$", shown.text) and shown.code == 1
    assert re.findall(r"^problem +(\w+) +not installed", shown.text, re.MULTILINE) == ["plugin"]
    assert re.search(r"^ok +integrity", shown.text, re.MULTILINE)


def test_the_projects_of_the_person_are_listed(reader, library):
    shown = reader.type("ralph-mem projects")
    head, *rows = shown.text.splitlines()
    start, end = head.index("path"), head.index("id")
    assert "".join(row[start:end].strip() for row in rows) == str(library.project)
    assert shown.code == 0 and rows[0].split()[0] == "project" and rows[0].endswith("  ok")


def test_help_is_there_for_each_word(reader):
    shown = reader.type("ralph-mem --help")
    words = "search timeline show inject edit pin wrong forget why preview status pause resume projects config doctor setup demo"
    assert shown.code == 0 and [word for word in words.split() if f"\n\u2502 {word} " not in shown.text] == []
    assert "Example: ralph-mem why --last 1" in reader.type("ralph-mem why --help").text


@pytest.mark.parametrize("words", ["search timezone", "search timezone -l 1", "why", "doctor", "config show"])
def test_no_word_is_cut_in_two_at_the_edge_of_a_terminal(reader, words):
    shown = reader.type(f"ralph-mem {words}")
    assert shown.wrapped.split() == shown.text.split()


def test_a_table_has_all_its_rows_and_nothing_is_left_out_of_them(reader):
    shown = reader.type("ralph-mem config show")
    assert max(len(line) for line in shown.text.splitlines()) <= WIDTH and "…" not in shown.text
    keys = [line.split()[0] for line in shown.text.splitlines()[1:] if re.match(r"[a-z]", line)]
    assert len(keys) == len(set(keys)) >= 15 and {"memory.inject_tokens_prompt", "privacy.redact_patterns"} <= set(keys)


def test_a_pipe_that_closes_early_ends_in_silence(reader, library):
    shown = reader.type('ralph-mem search timezone | head -1; echo "${PIPESTATUS[*]}"')
    first, codes = shown.text.splitlines()
    assert first.startswith(f"> {library.fix}") and codes == "0 0"
    assert reader.type(f"ralph-mem show {library.fix} | true").text == ""


@pytest.mark.parametrize("line", ["search timezone", "config show", "doctor", "--help", "show nothing"])
def test_a_pipe_gets_no_escape_codes(reader, line):
    text = reader.type(f"ralph-mem {line} 2>&1 | cat -v").text
    assert text and "^" not in text.replace("^C", "")


def test_a_pipe_gets_whole_lines_and_json_is_json(reader, library):
    assert int(reader.type("ralph-mem config show | wc -L").text) > WIDTH
    shown = reader.type(
        "ralph-mem search 'timezone' --json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0][\"id\"])'"
    )
    assert shown.text == library.fix


def test_a_subfolder_belongs_to_the_project_and_another_folder_is_named(library, tmp_path):
    with shell_in(library, tmp_path) as person:
        shell = Shell(person)
        assert shell.type("ralph-mem search timezone").code == 1
        assert library.fix in shell.type(f"ralph-mem search timezone -l 1 -p {library.project.name}").text
        assert shell.type("cd -- ~/../project; mkdir -p 'a sub'; cd 'a sub'; ralph-mem status").text.startswith(
            f"{library.project}:"
        )


# Changing


@pytest.mark.parametrize(
    ("lines", "note"),
    [
        (["""Releases go out with make ship."""], "Releases go out with make ship."),
        (["""'$HOME and `touch made` and $(touch made)'"""], "$HOME and `touch made` and $(touch made)"),
        ([r'''"it's \"quoted\"; touch made"'''], 'it\'s "quoted"; touch made'),
        ([r"""'it'\''s a | pipe && > made \ !x'"""], "it's a | pipe && > made \\ !x"),
        (["'first line", "  second; touch made", "third'"], "first line\n  second; touch made\nthird"),
        (["登录失败：令牌过期了　💡"], "登录失败：令牌过期了　💡"),
        ([r"""'{"a": 1} C:\new ```x``` $1 %s'"""], '{"a": 1} C:\\new ```x``` $1 %s'),
        (["-- --global is an option"], "--global is an option"),
    ],
)
def test_a_note_is_kept_as_the_shell_hands_it_over(shell, place, lines, note):
    shown = shell.type("ralph-mem inject " + lines[0], *lines[1:])
    assert shown.code == 0 and re.fullmatch(r"Remembered as obs-\w{10}\.", shown.text.splitlines()[-1])
    assert said_by(place, NOTES) == [note] and not (place.project / "made").exists()


def test_a_note_comes_from_a_pipe_or_a_here_document_as_well(shell, place):
    shell.type("printf 'piped \\n  $HOME\\n' | ralph-mem inject -")
    shell.type("ralph-mem inject - <<'END'", "it's `here`", "END")
    assert said_by(place, NOTES) == ["piped \n  $HOME", "it's `here`"]


def test_a_note_for_all_projects_is_found_from_here(shell, place):
    assert shell.type("ralph-mem inject -g 'All repositories use zirconium'").code == 0
    assert said_by(place, NOTES) == [] and " global " in shell.type("ralph-mem search zirconium -l 1").text


def test_a_note_may_begin_the_memory_of_a_project_which_is_listed_then(shell, place):
    shown = shell.type("mkdir ~/fresh; cd ~/fresh; ralph-mem inject 'the first of all'")
    assert shown.code == 0 and "the first of all" in shell.type("ralph-mem search first").text
    listed = json.loads(shell.type("ralph-mem projects --json").text)
    assert [Path(each["path"]).name for each in listed].count("fresh") == 1


def test_an_editor_corrects_a_memory(shell, place):
    editor = place.home / "my editor"
    editor.write_text('#!/bin/sh\nsed -i \'s/^Logins failed.*/It was the proxy, "$USER" said./\' "$1"\n')
    editor.chmod(0o755)
    shown = shell.type(f"EDITOR='\"{editor}\"' ralph-mem edit {place.fix}")
    assert shown.code == 0 and shown.text.startswith(place.fix)
    assert said_by(place, ANSWER_OF, place.fix) == ['It was the proxy, "$USER" said.']
    assert "Nothing" in shell.type("ralph-mem search utcnow --type turn").text


def test_words_correct_a_memory_and_an_editor_that_fails_does_not(shell, place):
    assert shell.type(f"""ralph-mem edit {place.fix} 'It'"'"'s the proxy;' '`really`'""").code == 0
    assert said_by(place, ANSWER_OF, place.fix) == ["It's the proxy; `really`"]
    assert shell.type(f"EDITOR=true ralph-mem edit {place.fix}").text == "Nothing was changed."
    shown = shell.type(f"EDITOR=false ralph-mem edit {place.fix}")
    assert shown.code == 1 and shown.text.startswith("ralph-mem: the editor false failed")
    assert shell.type(f"EDITOR='no-such-editor -w' ralph-mem edit {place.fix}").code == 1
    assert said_by(place, ANSWER_OF, place.fix) == ["It's the proxy; `really`"]


def test_a_pinned_memory_is_told_first_until_it_is_let_go(shell, place):
    limits = said_by(place, "SELECT public_id FROM turns WHERE prompt LIKE 'Raise the rate%'")[0]
    assert " pinned " in shell.type(f"ralph-mem pin {place.fix}").text
    told = say(place, "SessionStart", session="another", source="startup")
    assert 0 < told.find(place.fix) < told.find(limits)
    assert " pinned " not in shell.type(f"ralph-mem pin {place.fix} --off").text


def test_a_memory_that_misled_is_marked_here_and_in_its_receipts(shell, place):
    shown = shell.type(f"ralph-mem wrong {place.fix}")
    assert shown.code == 0 and " marked wrong " in shown.text and "Noted in 2 receipts." in shown.text
    assert "marked wrong" in shell.type(f"ralph-mem why {place.fix} -n 1").text


def test_forgetting_is_shown_first_and_then_leaves_nothing(shell, place):
    shown = shell.type(f"ralph-mem forget {place.fix}")
    assert shown.code == 0 and shown.text.count("\nobs-") == 5 and "To delete exactly this, add --confirm " in shown.text
    assert files_with(CAUSE, place)
    shown = shell.type(f"ralph-mem forget {place.fix} --confirm {shown.text.split()[-1]}")
    assert shown.code == 0 and shown.text.startswith("6 rows deleted")
    assert "no file kept for this project or for all projects holds the text any more" in " ".join(shown.text.split())
    assert files_with(CAUSE, place) == [] and shell.type(f"ralph-mem show {place.fix}").code == 1


def test_forgetting_takes_a_text_as_it_is_quoted(shell, place):
    shell.type("ralph-mem inject 'the `vault` opens with $5 & a \"key\"'")
    shown = shell.type("ralph-mem forget --query '`vault` opens with $5 & a \"key\"'").text
    done = shell.type(f"ralph-mem forget -q '`vault` opens with $5 & a \"key\"' --confirm {shown.split()[-1]}").text
    assert "obs-" in shown and done.startswith("1 row deleted")
    assert said_by(place, NOTES) == [] and files_with("`vault`", place) == []


def test_a_pause_holds_until_the_person_resumes(shell, place):
    assert shell.type("ralph-mem pause").code == 0
    assert say(place, "UserPromptSubmit", prompt_id="q2", prompt=QUESTION + " zirconium") == ""
    assert ": paused: " in " ".join(shell.type("ralph-mem status").text.split())
    assert shell.type("ralph-mem resume").text == f"Recording in {place.project}."
    say(place, "UserPromptSubmit", prompt_id="q3", prompt="And the halyard?")
    assert said_by(place, "SELECT prompt FROM turns ORDER BY id DESC LIMIT 1") == ["And the halyard?"]
    assert files_with("zirconium", place) == []


def test_a_setting_is_changed_and_counts_from_the_next_event_on(shell, place):
    assert place.fix in say(place, "SessionStart", session="one", source="startup")
    assert shell.type("ralph-mem config set memory.auto_inject false").code == 0
    assert shell.type("ralph-mem config get memory.auto_inject").text == "false"
    assert say(place, "SessionStart", session="another", source="startup") == ""
    shell.type('ralph-mem config set privacy.exclude_paths "a b/**, it\'s/*"')
    assert re.search(r"privacy\.exclude_paths +.*a b/\*\*.*project", shell.type("ralph-mem config show").text)
    assert shell.type("ralph-mem config check").code == 0


def test_a_broken_config_is_named_by_line_and_column(shell, place):
    shell.type("printf 'memory:\\n  auto_inject: maybe\\n\\tx: 1\\n' > .ralph-mem/config.yaml")
    shown = shell.type("ralph-mem config check")
    assert shown.code == 1 and re.search(rf"{place.project}/\.ralph-mem/config\.yaml:\d+:\d+: error: ", shown.text)
    assert "Traceback" not in shell.type("ralph-mem config show; ralph-mem status").text


def test_a_command_that_waits_is_broken_off_and_changes_nothing(shell, place):
    editor = place.home / "editor"
    editor.write_text('#!/bin/sh\necho "now open"\necho "half a sentence" >"$1"\nsleep 60\n')
    editor.chmod(0o755)
    shell.begin(f"EDITOR={editor} ralph-mem edit {place.fix}")
    shell.wait_for("now open")
    shown = shell.break_off()
    assert shown.code == 130 and shown.text.endswith("ralph-mem: interrupted")
    assert said_by(place, ANSWER_OF, place.fix)[0].startswith(CAUSE) and shell.type("ralph-mem status").code == 0


def test_a_command_broken_off_while_it_starts_says_nothing_of_python(shell, place):
    (place.home / "typer.py").write_text("import time\nprint('now starting', flush=True)\ntime.sleep(60)\n")
    shell.begin("PYTHONPATH=$HOME ralph-mem search timezone")
    shell.wait_for("now starting")
    shown = shell.break_off()
    assert shown.code == 130 and "Traceback" not in shown.text


def test_a_memory_of_which_nothing_is_left_is_no_crash(shell, place):
    with closing(sqlite3.connect(place.project / ".ralph-mem" / "memory.db")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    shell.type("printf 'no database' > .ralph-mem/memory.db; rm -f .ralph-mem/memory.db-*")
    for word in ("search timezone", "status", "inject x", "forget -q x --confirm", "doctor", "projects"):
        shown = shell.type(f"ralph-mem {word}")
        assert shown.code == (0 if word == "projects" else 1) and "Traceback" not in shown.text and "a bug" not in shown.text, word
