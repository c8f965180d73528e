"""/mem VERB: every verb in the client, for a person alone where it changes anything, at no request where no model is needed."""

import json
import re
import shutil

import pytest

from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.cli import contents
from ralph_mem.memory import extras
from tests.interfaces.cli.situations import one_line

FACT = "Deploys go through the cluster in Bonn."
NOTE = "Releases go out with make ship, never by hand."
FOR_A_MODEL = {"search", "timeline", "show", "relations"}
# Verbs with what to type behind them; TURN stands for an id.
WORDS = {
    "search": "thrown signing", "timeline": "TURN", "show": "TURN", "sessions": "", "status": "", "why": "",
    "preview": "thrown signing",
    "inject": NOTE, "import": "--dry-run", "edit": "TURN The proxy.", "pin": "TURN", "wrong": "TURN", "undo": "", "review": "",
    "learn": "", "facts": "", "relations": "", "forget": "TURN", "pause": "", "resume": "", "config": "", "trust": "", "setup": "",
    "doctor": "", "help": "", "page": "--stop",
}  # fmt: skip


def mem(person, words):
    return person.types("mem", words)


def named(text):
    return next(word.strip(".;,") for word in text.split() if word.startswith("obs-"))


def with_id(person, words):
    return words.replace("TURN", person.turn_that_says("thrown"))


# Which verbs there are


def test_every_verb_has_words_here():
    assert set(WORDS) == set(verbs.OF)


def test_every_verb_is_a_command_of_the_terminal_as_well():
    assert set(verbs.OF) - {"help"} <= set(contents.MODULE_OF)
    assert set(verbs.IN_A_TERMINAL) == set(contents.MODULE_OF) - set(verbs.OF)


def test_what_a_hint_names_in_the_client_is_a_verb_there():
    assert set(extras.BY_MEM) <= set(verbs.OF)


def test_without_a_verb_it_says_how_it_stands_and_what_there_is(a_person):
    text = mem(a_person, "")
    assert text.startswith(f"{a_person.project}: recording since ")
    assert [name for name in verbs.OF if f"  /mem {name}" not in text] == []


@pytest.mark.check
@pytest.mark.parametrize("verb", [verb for verb in verbs.OF if verb != "help"])
def test_help_says_how_a_verb_is_typed_and_gives_an_example(a_person, verb):
    asked = [mem(a_person, words) for words in (f"help {verb}", f"{verb} --help", f"{verb} -h")]
    assert len(set(asked)) == 1
    assert asked[0].startswith(f"/mem {verb}") and f"\nExample: /mem {verb}" in asked[0]


def test_a_verb_that_there_is_not_names_the_nearest_one(a_person):
    assert one_line(mem(a_person, "seek")).endswith("there is no /mem seek (/mem help lists what there is)")
    assert "did you mean /mem forget?" in one_line(mem(a_person, "forgit everything"))
    assert "did you mean /mem inject?" in one_line(mem(a_person, "remember the zeppelin"))


def test_a_command_of_the_terminal_alone_is_named_as_one(a_person):
    for name in ("export", "restore"):
        assert f"there is no /mem {name} (in a terminal: ralph-mem {name}" in one_line(mem(a_person, name))


@pytest.mark.parametrize("verb", ["status", "resume"])
def test_an_option_that_there_is_not_is_refused_where_a_verb_has_none(a_person, verb):
    mem(a_person, "pause")
    assert "there is no option --nope" in one_line(mem(a_person, f"{verb} --nope"))
    assert (a_person.memory / "off").exists()


# Who may do what, and at which price


@pytest.mark.parametrize("verb", verbs.OF)
def test_only_what_is_looked_up_for_the_model_costs_a_request(a_person, verb):
    assert a_person.is_shown_alone("mem", with_id(a_person, f"{verb} {WORDS[verb]}")) == (verb not in FOR_A_MODEL)


@pytest.mark.parametrize("verb", [verb.name for verb in verbs.ALL if verb.changes])
def test_what_changes_anything_is_not_for_a_model(a_person, verb):
    before = a_person.raw()
    said = a_person.model_runs("mem", with_id(a_person, f"{verb} {WORDS[verb]}"))
    assert f"only a person can type /mem {verb}" in one_line(said)
    assert a_person.raw() == before and not (a_person.memory / "off").exists()


@pytest.mark.parametrize("verb", [verb.name for verb in verbs.ALL if verb.changes])
def test_the_agent_of_a_loop_is_no_person(a_person, verb):
    a_person.environment["RALPH_MEM_RUN"] = "loop-12345678"
    assert f"only a person can type /mem {verb}" in one_line(mem(a_person, with_id(a_person, f"{verb} {WORDS[verb]}")))


def test_the_model_may_search_and_look(a_person):
    assert a_person.model_runs("mem", "search thrown").startswith(f"<{a_person.tag}>")
    assert a_person.model_runs("mem", with_id(a_person, "show TURN")).startswith(f"<{a_person.tag}>")
    assert a_person.model_runs("mem", "status").startswith(f"{a_person.project}: recording")


def test_what_goes_wrong_leaves_what_was_typed_on_the_screen(a_person):
    typed = [
        json.loads(a_person.at_the_door("UserPromptExpansion", a_person.event("UserPromptExpansion", **fields)))
        for fields in ({"command_name": "ralph-mem:mem", "command_args": words} for words in ("status", "edit nothing at all"))
    ]
    assert [each["hookSpecificOutput"].get("suppressOriginalPrompt", False) for each in typed] == [True, False]


# What each does


def test_a_note_is_kept_and_taken_back(a_person):
    assert mem(a_person, f"inject {NOTE}").startswith("Remembered for this project as obs-")
    assert a_person.notes() == [(NOTE, "")]
    assert mem(a_person, "undo").startswith("Taken back: the note obs-")
    assert a_person.notes() == [] and a_person.damage() == []


def test_an_edit_is_taken_back_word_for_word(a_person):
    name = a_person.turn_that_says("thrown")
    before = a_person.rows("SELECT response, edited_at, origin FROM turns WHERE public_id = ?", name)
    assert name in mem(a_person, f"edit {name} It was the proxy.\n  On two lines.")
    assert a_person.values("SELECT response FROM turns WHERE public_id = ?", name) == ["It was the proxy.\n  On two lines."]
    assert mem(a_person, "undo") == f"Taken back: edit of {name}.\n"
    assert a_person.rows("SELECT response, edited_at, origin FROM turns WHERE public_id = ?", name) == before
    assert a_person.damage() == []


def test_an_edited_note_is_taken_back_with_its_title(a_person):
    mem(a_person, f"inject {NOTE}")
    name = a_person.observation_that_says(NOTE)
    mem(a_person, f"edit {name} Another.")
    mem(a_person, "undo")
    assert a_person.notes() == [(NOTE, "")] and a_person.damage() == []


def test_a_pin_and_a_wrong_are_taken_back(a_person):
    name = a_person.turn_that_says("thrown")
    marks = "SELECT pinned, misled FROM turns WHERE public_id = ?"
    for words, now in ((f"pin {name}", (1, 0)), (f"wrong {name}", (0, 1))):
        assert name in mem(a_person, words)
        assert a_person.rows(marks, name) == [now]
        assert mem(a_person, "undo").startswith("Taken back: ")
        assert a_person.rows(marks, name) == [(0, 0)]
    assert a_person.values("SELECT count(*) FROM receipt_items WHERE misled_at") == [0]


def test_a_pin_that_changes_nothing_says_so_and_the_change_before_it_is_taken_back(a_person):
    name = a_person.turn_that_says("thrown")
    assert "/mem undo takes it back." in mem(a_person, f"pin {name}")
    repeated = mem(a_person, f"pin {name}")
    assert "Nothing was changed." in repeated and "/mem undo" not in repeated
    assert mem(a_person, "undo") == f"Taken back: pin of {name}.\n"
    assert a_person.values("SELECT pinned FROM turns WHERE public_id = ?", name) == [0]


def test_the_last_of_two_wrongs_is_taken_back_and_the_first_one_is_named(a_person):
    name = a_person.turn_that_says("thrown")
    for _ in range(2):
        mem(a_person, f"wrong {name}")
    assert mem(a_person, "undo") == f"Taken back: wrong of {name}. It was marked wrong before, and still is.\n"
    assert a_person.values("SELECT misled FROM turns WHERE public_id = ?", name) == [1]


def test_only_the_last_thing_is_taken_back_and_only_once(a_person):
    for number in range(2):
        mem(a_person, f"inject note {number}")
    mem(a_person, "undo")
    assert [title for title, _ in a_person.notes()] == ["note 0"]
    assert "there is nothing to take back here" in one_line(mem(a_person, "undo"))


@pytest.mark.parametrize("verb", ["add", "retire"])
def test_a_change_to_a_fact_is_not_taken_back_and_neither_is_what_came_before_it(a_person, verb):
    name = named(mem(a_person, f"facts add {FACT}")) if verb == "retire" else ""
    mem(a_person, f"inject {NOTE}")
    name = named(mem(a_person, f"facts {verb} {name or FACT}")) or name
    said = one_line(mem(a_person, "undo"))
    assert f"what you did last was about {name}" in said and "nothing was done" in said
    assert (NOTE, "") in a_person.notes()
    mem(a_person, f"inject {NOTE} Again.")
    assert "Taken back: the note obs-" in mem(a_person, "undo")


def test_a_forget_is_for_good_and_takes_along_what_an_undo_would_need(a_person):
    mem(a_person, "inject Project Quetzalcoatlus starts in May.")
    name = a_person.observation_that_says("Quetzalcoatlus")
    mem(a_person, f"edit {name} It starts in May.")
    text = mem(a_person, "forget Quetzalcoatlus")
    assert "nothing that is remembered fits" in one_line(text)
    assert "there is nothing to take back here" in one_line(mem(a_person, "undo"))
    assert "what is deleted cannot be brought back" in mem(a_person, f"forget {name}")


def test_a_pause_holds_until_it_is_ended(a_person):
    assert mem(a_person, "pause").startswith("Paused: ")
    assert mem(a_person, "status").startswith(f"{a_person.project}: paused: ")
    assert mem(a_person, "resume") == f"Recording in {a_person.project}.\n"


def test_a_setting_is_changed_as_far_as_it_loosens_nothing(a_person):
    assert mem(a_person, "config show full").startswith("memory.show is full in ")
    assert mem(a_person, "config memory.show") == "memory.show: full\n"
    assert "memory.show: full" in (lines := mem(a_person, "config show").splitlines()) and len(lines) > 20
    said = mem(a_person, "config ralph.allow Bash(*)")
    assert "would let more happen than now" in " ".join(said.split())


def test_the_words_of_a_note_are_switched_off_in_a_session(a_person):
    assert mem(a_person, "config memory.remember []").startswith("memory.remember is [] in ")
    assert "would let more happen than now" in " ".join(mem(a_person, "config memory.remember [please]").split())


def test_what_came_with_a_project_is_shown_and_approved_by_its_digits(a_person):
    (a_person.memory / "config.yaml").write_text("memory:\n  inject_tokens_prompt: 5000\n")
    digits = mem(a_person, "trust").split()[-1]
    assert "stands for something else" in one_line(mem(a_person, "trust --confirm 000000000000"))
    assert mem(a_person, f"trust --confirm {digits}").endswith("Approved, as long as nothing of it changes.\n")
    assert mem(a_person, "config memory.inject_tokens_prompt") == "memory.inject_tokens_prompt: 5000\n"


def test_a_memory_that_was_set_aside_is_told_of_shown_and_taken_in_the_client(a_person):
    thrown = a_person.turn_that_says("thrown")
    shutil.rmtree(a_person.data)  # another home: nothing says any more whose memory that is
    said = a_person.attended().start()["systemMessage"]
    assert "it is set aside, and a new one begun; `/mem trust` shows it" in said
    shown = mem(a_person, "trust")
    command = re.search(r"\nIf it is yours, use it with: /mem (trust --memory --confirm \d+)", shown)[1]
    assert "no memory that was set aside here has the digits 12; `/mem trust` shows them" in " ".join(
        mem(a_person, "trust --memory --confirm 12").replace(" (", "; ").split()
    )
    assert f"it is the memory of {a_person.project} now" in mem(a_person, command)
    assert thrown in mem(a_person, "search thrown")


@pytest.mark.parametrize("verb", ["resume", "trust", "import", "page", "doctor"])
def test_a_verb_without_words_says_so_and_does_nothing(a_person, verb):
    mem(a_person, "pause")
    assert f"/mem {verb} takes no words" in one_line(mem(a_person, f"{verb} tomorrow"))
    assert "paused" in mem(a_person, "status")


def test_the_doctor_says_what_it_found(a_person):
    text = mem(a_person, "doctor")
    assert "\nok       integrity" in text and text.splitlines()[-1].endswith(" ok")


def test_the_doctor_of_a_session_finds_no_fault_with_what_only_a_terminal_needs(a_person):
    text = mem(a_person, "doctor")
    assert "not installed" not in text and "\nproblem  packages" not in text and " packages " not in text


def test_an_import_says_what_would_come_in_and_what_came(a_person):
    folder = a_person.home / ".claude" / "projects" / "-project"
    folder.mkdir(parents=True)
    entry = {"type": "user", "uuid": "1", "sessionId": "22222222-2222-4222-8222-222222222222", "cwd": str(a_person.project)}
    entry |= {"timestamp": "2026-11-01T10:00:00.000Z", "message": {"role": "user", "content": "Why is zirconium grey?"}}
    (folder / "22222222-2222-4222-8222-222222222222.jsonl").write_text(json.dumps(entry) + "\n")
    assert mem(a_person, "import --dry-run").startswith("would come in: 1 session, 1 turn")
    assert mem(a_person, "import").startswith("imported: 1 session, 1 turn")
    assert "zirconium" in mem(a_person, "search zirconium")


def test_times_may_be_named_in_words(a_person):
    for words in ("yesterday", "monday", "last week", "'2 days ago'", "2 days ago"):
        assert "thrown" in mem(a_person, f"search thrown --since {words}")
    assert mem(a_person, "search thrown --until yesterday").startswith("Nothing")


def test_a_memory_that_misled_says_so_where_it_is_shown(a_person):
    name = a_person.turn_that_says("thrown")
    mem(a_person, f"wrong {name}")
    assert f"{name}  turn marked wrong  " in mem(a_person, f"show {name}")
