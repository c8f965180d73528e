"""The file that OpenCode loads tells our hooks what a person asked and was answered, and no summary of its own."""

import json
import os
import shutil
import subprocess

import pytest

from tests.hook import REPOSITORY

DOOR = 'printf \'%s \' "$1" >> "{log}"; cat >> "{log}"; echo >> "{log}"\n'
# Plays what OpenCode does: each line is one call of a hook of the plugin, or an event.
PLAYER = """
import {{ RalphMem }} from "{plugin}"
const hooks = await RalphMem({{ directory: "{folder}" }})
const part = (id, messageID, text) => hooks.event({{ event: {{ type: "message.part.updated",
  properties: {{ part: {{ type: "text", id, messageID, sessionID: "s", text }} }} }} }})
const message = (info) => hooks.event({{ event: {{ type: "message.updated", properties: {{ info }} }} }})
const idle = () => hooks.event({{ event: {{ type: "session.idle", properties: {{ sessionID: "s" }} }} }})
const asked = {{ message: {{ id: "m" }}, parts: [{{ type: "text", id: "p", text: "Why?" }}] }}
const asks = () => hooks["chat.message"]({{ sessionID: "s" }}, asked)
{script}
"""
ANSWER = 'await message({ id: "a", role: "assistant" }); await part("1", "a", "Because.");'
COMPACTION = """await hooks["experimental.session.compacting"]({ sessionID: "s" })
await message({ id: "c", role: "assistant", summary: true, mode: "compaction" })
await part("2", "c", "A summary."); await idle();"""


@pytest.fixture
def told(tmp_path):
    """Return what plays a script, and then what our hooks were told, as (event, input)."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    log, plugin = tmp_path / "log", tmp_path / "plugin" / "hooks"
    plugin.mkdir(parents=True)
    (plugin / "run").write_text(DOOR.format(log=log))
    (tmp_path / "ralph-mem").mkdir()
    (tmp_path / "ralph-mem" / "plugin-folder").write_text(f"{plugin.parent}\n")
    ours = shutil.copy(REPOSITORY / "integrations" / "opencode" / "ralph-mem.js", tmp_path / "ralph-mem.mjs")

    def played(script):
        (tmp_path / "player.mjs").write_text(PLAYER.format(plugin=ours, folder=tmp_path, script=script))
        there = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path), "PATH": os.environ["PATH"]}
        subprocess.run(["node", tmp_path / "player.mjs"], env=there, check=True, timeout=60)
        return [(line.partition(" ")[0], json.loads(line.partition(" ")[2])) for line in log.read_text().splitlines()]

    return played


def answers(events):
    return [fields["o"]["said"] for name, fields in events if name == "stop"]


def test_an_answer_is_told_at_the_end_of_its_turn(told):
    events = told(f"await asks(); {ANSWER} await idle()")
    assert [name for name, _ in events] == ["session-start", "user-prompt-submit", "stop"] and answers(events) == ["Because."]


def test_a_compaction_behind_an_answer_leaves_that_as_it_is(told):
    assert answers(told(f"await asks(); {ANSWER} await idle(); {COMPACTION}")) == ["Because."]


def test_a_compaction_before_the_end_of_a_turn_is_not_its_answer(told):
    assert answers(told(f"await asks(); {ANSWER} {COMPACTION}")) == ["Because."]


def test_after_a_compaction_a_session_begins_anew(told):
    events = told(f"await asks(); {ANSWER} await idle(); {COMPACTION} await asks()")
    assert [fields["o"]["source"] for name, fields in events if name == "session-start"] == ["resume", "compact"]
