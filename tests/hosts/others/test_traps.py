"""What the other clients do that a memory could stumble over, as far as no test of their shapes or records shows it."""

import json
import subprocess

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.hosts import known
from tests.hook import HOOKS_FILES
from tests.hosts.others.test_one_memory import ASKED

CODEX_SPILLS_TOKENS = 2500  # of a longer text it keeps the beginning, and writes the rest into a file
BEFORE_A_TOOL = ("pretooluse", "beforetool", "tool.execute.before", "permissionrequest", "beforeshellexecution", "beforereadfile")


def test_codex_cuts_nothing_of_what_a_prompt_is_told():
    told = [effective.DEFAULTS[f"memory.inject_tokens_{point}"] for point in ("start", "prompt")]
    assert sum(told) <= CODEX_SPILLS_TOKENS


@pytest.mark.parametrize("first", ["session-start", "user-prompt-submit"])
def test_copilot_a_start_and_a_prompt_at_the_same_time_lose_neither_in_a_new_project(guest, first):
    shape = guest.shape("copilot")
    events = dict([shape.start(), shape.prompt(ASKED)])
    order = sorted(events, key=lambda name: name != first)
    at_work = []
    for name in order:
        command = ["sh", guest.plugin / "hooks" / "run", name, "copilot"]
        where = {"cwd": guest.project, "env": guest.environment, "stdin": subprocess.PIPE, "stdout": subprocess.DEVNULL}
        at_work.append(subprocess.Popen(command, **where))
    for process, name in zip(at_work, order, strict=True):
        process.stdin.write(json.dumps(events[name]).encode())
        process.stdin.close()
    assert [process.wait(60) for process in at_work] == [0, 0]
    guest.sends("copilot", *shape.stop(""))
    assert guest.rows("SELECT agent FROM sessions") == [("copilot",)] and guest.values("SELECT prompt FROM turns") == [ASKED]


@pytest.mark.parametrize("host", [*known.OTHERS, *known.BY_DOCUMENTS, ""])
def test_no_hook_runs_before_a_tool_where_its_failure_could_deny_the_call(host):
    root = HOOKS_FILES[0].parents[1]
    setup = known.setup_of(host) if host in known.OTHERS else None
    files = HOOKS_FILES if not host else list((root / "integrations" / host).rglob("*.js*")) if host != "codex" else []
    words = [event for event, *_ in getattr(setup, "EVENTS", ())]
    text = " ".join([*words, *[file.read_text() for file in files]]).lower()
    assert text and not [word for word in BEFORE_A_TOOL if word in text]
