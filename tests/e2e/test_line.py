"""What the real client shows of a memory at work, in a terminal: that it works, what was told, what it cost."""

import re

from .messages_api import say

ASKED = "Why does the halyard slip under load?"
AGAIN = "The halyard slips again under load, what was it?"


def flat(screen):
    """Return a screen without the line breaks of the client's frame."""
    return " ".join(screen.split())


def test_the_first_session_says_where_it_is_recorded_and_the_next_what_it_was_told(terminal, client, api, plugin):
    client.plugin = plugin
    api.play({"turns": [say("The cleat was mounted upside down."), say("Turn the cleat.")]})
    with terminal() as person:
        first = flat(person.wait_for("/mem pause switches that off"))
        person.say(ASKED)
        person.wait_for("The cleat was mounted upside down.")
        person.say("/clear")
        second = flat(person.wait_for("SessionStart:clear says"))
        person.leave()
    assert "SessionStart:startup says: ralph-mem: this project is recorded from now on, in" in first
    assert re.search(rf"ralph-mem: 1 memory here; told 1 \(\d+ tokens\): {re.escape(ASKED)}; /mem for more", second)
    assert "for more" not in api.heard() and "recorded from now on" not in api.heard()


def test_a_prompt_that_is_told_something_says_so(terminal, client, api, plugin):
    client.plugin = plugin
    api.play({"turns": [say("The cleat was mounted upside down."), say("Turn the cleat.")]})
    client.print_mode(ASKED)
    with terminal(RALPH_MEM_MEMORY_INJECT_TOKENS_START="0") as person:
        person.say(AGAIN)
        person.wait_for("Turn the cleat.")
        screen = flat(person.screen())
        person.leave()
    assert re.search(rf"UserPromptSubmit says: ralph-mem: told 1 \(\d+ tokens\): {re.escape(ASKED)}", screen)
    assert "UserPromptSubmit says" not in api.heard() and " tokens): " not in api.heard()


def test_nobody_in_front_of_it_is_shown_nothing(client, plugin):
    client.plugin = plugin
    assert [answer.stdout for answer in client.print_mode(ASKED).hooks("SessionStart")] == [""]


def test_a_sentence_that_is_to_be_remembered_is_kept_and_both_are_told(terminal, client, api, plugin):
    client.plugin = plugin
    api.play({"turns": [say("Noted.")]})
    with terminal() as person:
        person.say("Remember that releases go out with make ship")
        person.wait_for("Noted.")
        kept = flat(person.wait_for("/mem undo takes it back"))
        person.say("/mem undo")
        person.wait_for("Taken back: the note obs-")
        person.leave()
    assert "UserPromptSubmit says: ralph-mem: kept as obs-" in kept
    assert "ralph-mem has kept that as the note obs-" in api.heard() and len(api.requests("main")) == 1


def test_the_menu_shows_what_there_is_with_the_dispatcher_first(terminal, client, plugin):
    client.plugin = plugin
    with terminal() as person:
        person.type("/mem")
        rows = person.wait_for("mem-search").splitlines()
        person.press("Escape")
    shown = [name for row in rows for name in ("(mem)", "(mem-inject)", "(mem-search)") if name in row]
    assert shown == ["(mem)", "(mem-inject)", "(mem-search)"]
