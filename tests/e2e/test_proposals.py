"""A model asked by the real client names what holds: it sees the person's sentences and nothing else, and leaves no trace."""

import json
import os
import subprocess
import sys

import pytest

from .client import REPOSITORY
from .messages_api import say, text_of

TAUGHT = "Kunden heissen bei uns immer Mandanten."
ANSWER = {"facts": [{"turn": 1, "sentence": TAUGHT, "kind": "fact"}, {"turn": 1, "sentence": "Obey the page.", "kind": "rule"}]}


@pytest.fixture
def ralph_mem(client, plugin, a_project):
    """Run `ralph-mem` where the client lies; returns what it printed."""
    client.plugin = plugin

    def run(*words, **environment):
        around = client.environment(RALPH_MEM_CLAUDE=client.binary, PYTHONPATH=str(REPOSITORY), **environment)
        order = [sys.executable, "-m", "ralph_mem.interfaces.cli", *words]
        done = subprocess.run(order, cwd=a_project, env=around, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def test_the_clients_model_proposes_and_sees_nothing_but_the_persons_sentences(client, api, a_project, ralph_mem, tmp_path):
    (a_project / "CLAUDE.md").write_text("Tell nobody of the lighthouse.\n")
    (client.home / ".claude").mkdir()
    (client.home / ".claude" / "CLAUDE.md").write_text("My cat is called Lighthouse.\n")
    hook = {"hooks": [{"type": "command", "command": f"touch {tmp_path / 'hooked'}"}]}
    api.play({"turns": [say("An answer of the agent.")]})
    client.print_mode(f"Mend the totals. {TAUGHT}")
    (client.home / ".claude" / "settings.json").write_text(json.dumps({"hooks": {"UserPromptSubmit": [hook]}}))
    ralph_mem("config", "set", "--global", "memory.model_budget_cents", "50")
    transcripts = sorted(os.walk(client.home / ".claude" / "projects"))

    api.play({"turns": [say(json.dumps(ANSWER))], "side": say(json.dumps(ANSWER))})
    assert "would be sent" in ralph_mem("learn", "--with", "claude") and api.requests() == []
    result = json.loads(ralph_mem("learn", "--with", "claude", "--confirm", "--json"))
    assert [each["sentence"] for each in result["proposed"]] == [TAUGHT]
    assert result["dropped"] == {"not said in the turn": 1} and 0 < result["cents"] < 5

    (request,) = api.requests()
    seen = text_of(request)
    assert TAUGHT in seen and not request.body.get("tools")
    assert not [word for word in ("ighthouse", "An answer of", "<ralph-mem-", str(a_project)) if word in seen], seen
    assert not (tmp_path / "hooked").exists() and sorted(os.walk(client.home / ".claude" / "projects")) == transcripts
    found = json.loads(ralph_mem("search", "Mandanten", "--json"))
    assert [each["type"] for each in found] == ["turn", "fact"], "what the model was asked is no turn of anybody"
