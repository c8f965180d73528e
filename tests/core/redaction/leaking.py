"""Which of the commands and outputs of a corpus leave a secret in what a hook stores of them."""

import json

from ralph_mem.core.project import Project
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings.effective import DEFAULTS
from ralph_mem.hosts.claude_code import event as host
from ralph_mem.hosts.claude_code.event import Event
from ralph_mem.memory import activities
from tests.core.redaction import secret_corpus, secret_outputs

SHOP = Project("/shop")
BY_COMMAND = "command"  # the class of which nothing but the command tells that what it printed is a secret


def stored(command, text):
    """Return all that a hook stores of a command with that output, as one text."""
    response = {"stdout": text, "stderr": "", "interrupted": False}
    event = {
        "session_id": "s",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": response,
        "tool_use_id": "t",
    }
    return json.dumps(activities.records(host.activity(Event("post-tool-use", event)), SHOP, DEFAULTS), ensure_ascii=False)


def pasted(command, text):
    """Return what is stored of the same where somebody pastes it: a command that only looks leaves no row by itself."""
    return privacy.protect([f"$ {command}\n{text}"], SHOP, DEFAULTS)[0][0]


def leaking(outputs, seed):
    """Return the outputs of which a secret is stored, as (group, command, what is stored), in the order of the corpus."""
    found = []
    for output, command, text, secrets in secret_outputs.cases(outputs, seed):
        texts = [stored(command, text)] + [pasted(command, text)] * (output.group != BY_COMMAND)
        kept = [each for each in texts if any(secret_corpus.survives(secret, each) for secret in secrets)]
        if kept:
            found.append((output.group, command, kept[0]))
    return found
