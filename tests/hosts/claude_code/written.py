"""Transcripts as the client writes them: a session whose entries a test says one by one."""

import json
from datetime import datetime, timezone
from pathlib import Path

from tests.sessions import NOON

SESSION = "7e57ab1e-0000-4000-8000-000000000001"


class Written:
    """One file of the client; each verb writes the entries of what happens, a second after the one before."""

    def __init__(self, folder, project, session=SESSION, now=NOON, agent=None):
        self.folder, self.project, self.session, self.now = Path(folder), str(project), session, now
        self.agent = agent
        self.path = self.folder / (f"{session}/subagents/agent-{agent}.jsonl" if agent else f"{session}.jsonl")
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.prompts = self.calls = 0
        self.prompt = ""

    def another(self, session, now=None):
        """Return another session in the same folder, an hour later."""
        return Written(self.folder, self.project, session, now or self.now + 3_600_000)

    def subagent(self, agent, kind="Explore"):
        """Return the file of a subagent that begins now, with the one that says who it was."""
        made = Written(self.folder, self.project, self.session, self.now, agent)
        made.prompt = self.prompt
        made.path.with_suffix(".meta.json").write_text(json.dumps({"agentType": kind}))
        return made

    # What happens

    def asks(self, words, prompt="", **fields):
        self.prompts += 1
        self.prompt = prompt or f"{self.session}-{self.prompts}"
        return self.user(words, **fields)

    def says(self, words, **fields):
        return self.agent_says([{"type": "text", "text": words}], **fields)

    def uses(self, tool, response=None, error=None, call="", **given):
        """Let a tool run, or fail; returns its id."""
        call = self.begins(tool, call, **given)
        self.ends(call, response, error)
        return call

    def begins(self, tool, call="", **given):
        self.calls += 1
        call = call or f"{self.session}-call-{self.calls}" + (self.agent or "")
        self.agent_says([{"type": "tool_use", "id": call, "name": tool, "input": given}])
        return call

    def ends(self, call, response=None, error=None, **fields):
        result = {"type": "tool_result", "tool_use_id": call, "content": error or _shown(response)}
        told = {} if self.agent else {"toolUseResult": "Error: " + error if error else response}
        return self.user([{**result, "is_error": True} if error else result], **told, **fields)

    def runs(self, command, stdout="", error=None):
        return self.uses("Bash", {"stdout": stdout, "stderr": "", "interrupted": False}, error, command=command)

    def edits(self, path, old="old", new="new"):
        return self.uses("Edit", {}, file_path=f"{self.project}/{path}", old_string=old, new_string=new)

    def reads(self, path):
        return self.uses("Read", {"type": "text"}, file_path=f"{self.project}/{path}")

    def has_a_turn(self, prompt, answer):
        self.asks(prompt)
        self.says(answer)

    def stops(self):
        self.entry("system", subtype="stop_hook_summary")

    # How it is written

    def user(self, content, **fields):
        return self.entry("user", promptId=self.prompt, message={"role": "user", "content": content}, **fields)

    def agent_says(self, content, **fields):
        return self.entry("assistant", message={"role": "assistant", "model": "claude-opus-5-5", "content": content}, **fields)

    def entry(self, kind, **fields):
        self.now += 1000
        told = datetime.fromtimestamp(self.now / 1000, timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        common = {"cwd": self.project, "sessionId": self.session, "gitBranch": "HEAD", "isSidechain": bool(self.agent)}
        common |= {"agentId": self.agent} if self.agent else {}
        self.raw(
            json.dumps({**common, "type": kind, "uuid": f"u-{self.session}-{self.now}", "timestamp": told, **fields}).encode()
            + b"\n"
        )
        return self.now

    def raw(self, data):
        """Write bytes as they are."""
        with self.path.open("ab") as file:
            file.write(data)


def _shown(response):
    return response.get("stdout", "done") if isinstance(response, dict) else response or ""
