"""What an answer shows is never captured again: not from a prompt, a tool, a web page, an answer or a compaction."""

import pytest

TOLD = "Both sides now use datetime.now(timezone.utc)"
WAYS = {
    "in a prompt": lambda person, text: person.prompt(f"Look at this:\n{text}\nWhat does it mean?"),
    "in the output of a command": lambda person, text: person.bash("make something", f"before\n{text}\nafter"),
    "in a failure": lambda person, text: person.bash_failed("make something", f"Exit code 1\n{text}\nError: gone"),
    "in a file": lambda person, text: person.edit("notes.md", "old", text),
    "from the web": lambda person, text: person.tool("WebFetch", {"url": "https://x.example"}, {"result": text}),
    "in the report of a subagent": lambda person, text: person.subagent_stop(f"I looked.\n{text}"),
    "in the last message": lambda person, text: person.stop(f"I found:\n{text}"),
    "in a compaction": lambda person, text: person.post_compact(f"<summary>{text}</summary>"),
}


def saying(person, words):
    """Count the rows in which a text stands."""
    (turns,) = person.values("SELECT count(*) FROM turns WHERE instr(prompt || response || lines, ?)", words)
    (others,) = person.values("SELECT count(*) FROM observations WHERE instr(title || content || lines, ?)", words)
    return turns + others


@pytest.mark.check
@pytest.mark.parametrize("way", WAYS)
def test_what_a_search_shows_is_not_captured(a_person, way):
    text = a_person.model_runs("mem-search", "thrown signing --layer 3")
    before = saying(a_person, TOLD)
    assert TOLD in text and before > 0
    WAYS[way](a_person, text)
    assert saying(a_person, TOLD) == before


def test_what_would_be_forgotten_reaches_no_model_that_could_repeat_it(a_person):
    assert a_person.is_shown_alone("mem-forget", "--query thrown")


@pytest.mark.parametrize("name", ["mem-search", "mem-status"])
def test_a_command_of_ours_that_the_model_runs_is_no_observation(a_person, name):
    a_person.prompt("What did we do about the login?")
    before = a_person.values("SELECT count(*) FROM observations")
    command = f"\"{a_person.plugin}/hooks/run\" {name} <<'RALPH_MEM_ARGUMENTS'\n{a_person.project}\nthrown\nRALPH_MEM_ARGUMENTS"
    a_person.bash(command, a_person.model_runs(name, "thrown"))
    assert a_person.values("SELECT count(*) FROM observations") == before


def test_a_typed_command_leaves_neither_its_words_nor_its_answer(a_person):
    a_person.prompt("/ralph-mem:mem-search quetzalcoatlus")
    a_person.types("mem-search", "quetzalcoatlus")
    a_person.stop("Nothing is known about a quetzalcoatlus.")
    assert saying(a_person, "quetzalcoatlus") == 0
    assert a_person.files_that_hold("quetzalcoatlus") == []


def test_text_around_an_answer_is_kept(a_person):
    a_person.bash("make something", f"before\n{a_person.model_runs('mem-search', 'thrown')}\nafter")
    ((content,),) = a_person.rows("SELECT content FROM observations WHERE title = 'make something'")
    assert content.startswith("before\n") and content.endswith("\nafter")
