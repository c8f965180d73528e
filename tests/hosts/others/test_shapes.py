"""What the clients really handed over is understood: whose it is, what happened, how it ended."""

import pytest

from ralph_mem.hosts import known, others
from tests.hosts.others.clients import FAILED, PROMPT, TOOL, Shape, recorded

RUNS = ("codex", "copilot", "copilot/as-claude", "gemini", "opencode", "qwen", "qwen/0.24.4")


def seen(folder):
    found = [others.activity(name, folder.partition("/")[0], fields) for name, fields in recorded(folder)]
    return [each for each in found if each]


def of_kind(folder, kind):
    return [each for each in seen(folder) if each.kind == kind]


@pytest.mark.parametrize("folder", RUNS)
def test_a_recorded_event_is_known_by_its_shape(folder):
    assert {known.whose(fields) for _, fields in recorded(folder)} == {folder.partition("/")[0]}


@pytest.mark.parametrize("folder", RUNS)
def test_what_a_person_typed_is_all_that_counts_as_a_prompt(folder):
    assert {each.text.strip('"') for each in of_kind(folder, "prompt")} <= {"Please write hello.py", "write hello.py"}
    assert of_kind(folder, "prompt")


@pytest.mark.parametrize("folder", [each for each in RUNS if each != "codex"])
def test_a_command_that_failed_has_its_exit_code(folder):
    failed = [each for each in of_kind(folder, "command") if "SystemExit(3)" in each.command]
    assert [(each.exit, each.ended_well) for each in failed] == [(3, False)]


@pytest.mark.parametrize("folder", ["copilot", "copilot/as-claude", "gemini", "opencode", "qwen/0.24.4"])
def test_a_command_that_passed_is_known_to_have(folder):
    passed = [each for each in of_kind(folder, "command") if each.command.startswith("ls")]
    assert [(each.ended_well, each.failure) for each in passed] == [(True, "")]
    assert "a.txt" in passed[0].text and "PGID" not in passed[0].text and "shellId" not in passed[0].text


def test_of_codex_nobody_knows_yet_how_a_command_ended():
    commands = of_kind("codex", "command")
    assert [(each.exit, each.ended_well, each.failure) for each in commands] == [(None, False, "")] * 2


@pytest.mark.parametrize("folder", [each for each in RUNS if each != "codex"])
def test_a_new_file_is_known_as_one(folder):
    written = [each for each in of_kind(folder, "edit") if each.is_new]
    assert [each.path.rpartition("/")[2] for each in written] in (["hello.py"], ["hello2.py"])
    assert "print(" in written[0].text


@pytest.mark.parametrize("folder", ["copilot", "copilot/as-claude", "gemini", "qwen/0.24.4"])
def test_an_edit_has_its_changed_lines(folder):
    (edit,) = [each for each in of_kind(folder, "edit") if not each.is_new]
    assert {line[0] for line in edit.diff.splitlines() if line} == {"-", "+"} and "hello" in edit.diff


def test_what_gemini_handed_back_of_ours_is_no_prompt_raw_or_escaped():
    name, fields = next(each for each in recorded("gemini") if each[0] == PROMPT)
    assert fields["prompt"].startswith("<hook_context>")
    for text in ("<hook_context>ours</hook_context>\n\nmine", "&lt;hook_context&gt;ours&lt;/hook_context&gt; mine"):
        assert others.activity(name, "gemini", {**fields, "prompt": text}).text == "mine"


def test_the_compaction_that_gemini_tells_before_every_request_is_none():
    assert "pre-compact" in {name for name, _ in recorded("gemini")}
    assert not of_kind("gemini", "compacting")


def test_qwen_is_in_no_loop_though_it_says_so_of_its_first_stop():
    assert recorded("qwen")[-1][1]["stop_hook_active"] is True
    assert [each.again for each in of_kind("qwen", "answer")] == [False]


def test_a_prompt_of_qwen_is_another_one_in_a_session_that_goes_on():
    name, fields = next(each for each in recorded("qwen/0.24.4") if each[0] == PROMPT)
    later = {**fields, "timestamp": "2026-11-25T06:12:50.175Z"}
    assert others.activity(name, "qwen", fields).turn != others.activity(name, "qwen", later).turn


def test_a_command_whose_report_was_cut_off_is_not_said_to_have_passed():
    name, fields = Shape("gemini", "/home/ada/shop").command("make test", "ok")
    fields["tool_response"]["llmContent"] = "<untrusted_context>\nOutput: o"
    assert not others.activity(name, "gemini", fields).ended_well


@pytest.mark.parametrize("host", known.OTHERS)
def test_what_a_server_brought_in_is_from_outside(host):
    shape = Shape(host, "/home/ada/shop")
    name, fields = shape.command("x", "y")
    word = {"copilot": "toolName", "opencode": "tool"}.get(host, "tool_name")
    (fields["i"] if host == "opencode" else fields)[word] = "tracker_search"
    assert others.activity(name, host, fields).kind == "outside"


def test_a_failed_call_is_one_where_the_client_has_an_event_for_it():
    assert FAILED in {name for name, _ in recorded("qwen/0.24.4")}
    assert TOOL in {name for name, _ in recorded("qwen")}
