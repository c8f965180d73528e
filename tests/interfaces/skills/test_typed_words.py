"""Words arrive as they were typed: no shell, no JSON and no fence does anything to them, and none of them makes a file."""

import time

import pytest

from ralph_mem.interfaces.skills.typed_words import Order, Typed
from tests.interfaces.cli.situations import Person, inside, one_line

TYPED = {
    "double quotes": 'say "hello" to "them"',
    "one double quote": 'six feet 2"',
    "an apostrophe": "what's new",
    "a variable": "$HOME ${PATH} $ARGUMENTS $1 ${CLAUDE_PROJECT_DIR}",
    "a command": "$(touch made) `touch made` !`touch made`",
    "several commands": "; touch made | touch made && touch made > made &",
    "backslashes": "\\n \\ \\\\ C:\\temp \\",
    "the end of a here-document": "one\nEOF\nRALPH_MEM_ARGUMENTS\ntouch made",
    "lines": "one\n\n  two\n\tthree",
    "a code fence": "```sh\ntouch made\n```",
    "JSON": '{"a": ["b", null], "c": "\\u0041"}',
    "places to fill in": "{0} {} %s %(x)s",
    "tags": "<b>bold</b> &lt; </system> <!-- -->",
    "dashes": "rare -- --limit 5 -rf --confirm",
    "globs": "* ? [a-z] ~ #! :",
    "CJK": "\u6642\u9593\u5e2f\u306e\u30d0\u30b0 \ud55c\uad6d\uc5b4",
    "a wide space": "wide\u3000space",
    "an emoji": "\U0001f680 off it goes",
    "accents in two pieces": "cafe\u0301",
    "from right to left": "\u05e9\u05dc\u05d5\u05dd \u05e2\u05d5\u05dc\u05dd",
    "SQL": "'); DROP TABLE turns; -- %_",
    "FTS5": 'NEAR("a" "b") AND col : x* ^y NOT (z',
}
# What JSON can carry and text cannot, or what nobody sees.
CHANGED = {
    "a NUL": ("a\0b", "ab"),
    "a lone surrogate": ("a\ud800b", "a\ufffdb"),
    "colours": ("\x1b[31mred\x1b[0m", "red"),
    "line ends of Windows": ("one\r\ntwo", "one\ntwo"),
    "a private passage": ("keep <private>not this</private> this", "keep [private] this"),
    "space around it": (" \n note \t\n", "note"),
}


def kept(person):
    """Return the one note that there is, as it was typed."""
    ((title, content),) = person.notes()
    return f"{title}\n{content}" if content else title


def nothing_was_made(person):
    return list(person.project.iterdir()) == [person.memory] and not list(person.folder.rglob("made"))


@pytest.mark.check
@pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
def test_a_note_is_kept_as_it_was_typed(a_person, text):
    assert a_person.types("mem-inject", text).startswith("Remembered for this project as obs-")
    assert kept(a_person) == text
    assert nothing_was_made(a_person)


@pytest.mark.check
@pytest.mark.parametrize(("text", "wanted"), CHANGED.values(), ids=CHANGED)
def test_what_no_text_should_hold_is_taken_out(a_person, text, wanted):
    a_person.types("mem-inject", text)
    assert kept(a_person) == wanted


def test_a_note_that_would_be_cut_short_is_refused(a_person):
    one_line(a_person.types("mem-inject", "Each block `<ralph-mem-TAG>` has a random tag, so that no text can close it."))
    assert a_person.notes() == []


def test_bytes_that_are_no_text_are_replaced(a_person):
    a_person.types("mem-inject", "caf\ufffd")
    assert "caf\ufffd" in a_person.at_the_door("mem-search", b"%b\ncaf\xe9\0 --layer 1" % bytes(a_person.project))


def test_a_note_of_8_000_characters_is_read_back_whole(a_person):
    text = "".join(f"{number:04} \u6642<&\n" for number in range(1000))[:8000].strip()
    a_person.types("mem-inject", text)
    assert kept(a_person) == text


@pytest.mark.check
@pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
def test_a_search_for_anything_is_answered(a_person, text):
    a_person.types("mem-inject", text)
    answer = a_person.types("mem-search", f"--limit 1 --type note -- {text}")
    if answer.startswith("<"):
        assert text.split()[0].replace("<", "&lt;") in inside(answer, a_person.tag)
    else:  # no word in it
        assert answer.startswith(("Nothing that is remembered", "ralph-mem: there is no word to search for"))
    assert nothing_was_made(a_person)


@pytest.mark.check
@pytest.mark.parametrize("text", TYPED.values(), ids=TYPED)
def test_what_is_to_be_forgotten_is_found_as_it_was_typed(a_person, text):
    line = "x" + " ".join(text.split())
    a_person.types("mem-inject", line)
    assert a_person.observation_that_says(line) in a_person.types("mem-forget", f"--type note --query= -- {line}")
    assert a_person.types_confirmed(f"--type note --query= -- {line}").startswith("1 row deleted")
    assert a_person.notes() == [] and nothing_was_made(a_person)


PLACES = {
    "spaces": "my  project ",
    "quotes": 'it\'s "quoted" `here` $(touch made)',
    "a new line": "two\nlines",
    "no ASCII": "caf\u00e9 \u6642\u9593 \U0001f680",
    "no UTF-8": b"caf\xe9 \xff",
    "signs of an address": "100%20%zz?mode=memory&x=#1",
    "a leading dash": "-rf",
}


@pytest.mark.check
@pytest.mark.parametrize("place", PLACES.values(), ids=PLACES)
def test_a_project_may_lie_anywhere(lived_in, tmp_path, place):
    person = Person(tmp_path / "person", lived_in.plugin, place)
    person.start()
    assert person.types("mem-inject", "Zebras are striped.").startswith("Remembered for this project")
    assert "Zebras are striped." in person.types("mem-search", "zebras")
    assert "Zebras are striped." in person.model_runs("mem-search", "zebras")
    assert "1 note," in person.types("mem-status").replace("notes", "note")
    assert person.types_confirmed("--query zebras").startswith("1 row deleted")
    assert nothing_was_made(person)


@pytest.mark.parametrize("words", ["word ", "--since x ", '--since "x ', "-- "])
def test_a_pasted_file_of_words_is_told_apart_at_once(words):
    began = time.process_time()
    Typed(words * 60_000, ("--since",))
    assert time.process_time() - began < 5  # a minute where each word moves all that are behind it


@pytest.mark.parametrize("words", ["word ", "'x ", "a='x ", "--to 2 "])
def test_a_pasted_file_is_a_goal_at_once(words):
    began = time.process_time()
    Order(words * 60_000, ("--to",))
    assert time.process_time() - began < 5  # minutes where each quote that is never closed looks to the end
