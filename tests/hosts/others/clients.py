"""What the other clients hand to hooks: their recorded events, and the same shapes with other words in them."""

import json
import uuid
from pathlib import Path

from tests.hook import HANGS_S, Hook

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
AT = "2026-11-22T10:23:53.564Z"
PROMPT, TOOL, FAILED = "user-prompt-submit", "post-tool-use", "post-tool-use-failure"
# Event of ours by the names of all of them.
OURS = {
    "SessionStart": "session-start", "UserPromptSubmit": PROMPT, "BeforeAgent": PROMPT, "PostToolUse": TOOL, "AfterTool": TOOL,
    "PostToolUseFailure": FAILED, "Stop": "stop", "AfterAgent": "stop", "SessionEnd": "session-end", "PreCompress": "pre-compact",
    "sessionStart": "session-start", "userPromptSubmitted": PROMPT, "postToolUse": TOOL, "agentStop": "stop",
    "sessionEnd": "session-end", "chat.message": PROMPT, "tool.execute.after": TOOL,
}  # fmt: skip


def recorded(folder):
    """Return the events of a recorded run in their order, as (name of ours, fields); `folder` is that of a host, or below it."""
    found = []
    for path in sorted((FIXTURES / folder).glob("*.json")):
        name = path.stem.partition("-")[2]
        fields = json.loads(path.read_text())
        if folder == "opencode":
            fields = {"opencode": name, "directory": "/home/ada/shop", **fields}
        if name in OURS:
            found.append((OURS[name], fields))
    return found


class Shape:
    """One session of a client in a folder: each function returns the event of ours, and the fields as that client writes them."""

    def __init__(self, host, folder, home="/home/ada"):
        self.host, self.folder, self.home, self.number = host, str(folder), str(home), 0
        self.session = f"ses_{uuid.uuid4().hex[:24]}" if host == "opencode" else str(uuid.uuid4())
        self.turn = ""

    def start(self):
        fields = {"codex": {"source": "startup", "model": "m", "permission_mode": "default"}, "copilot": {"source": "new"}}
        return "session-start", self._as("SessionStart", "session.created", fields.get(self.host, {"source": "startup"}))

    def prompt(self, words):
        self.turn = str(uuid.uuid4())
        if self.host == "opencode":
            part = {"type": "text", "text": words, "id": "prt_1", "messageID": self.turn, "sessionID": self.session}
            return PROMPT, self._as("", "chat.message", {}, {"message": {"id": self.turn, "role": "user"}, "parts": [part]})
        return PROMPT, self._as("BeforeAgent" if self.host == "gemini" else "UserPromptSubmit", "", {"prompt": words})

    def command(self, line, output="", code=0):
        """Run a command that ended with a code; Codex does not tell it."""
        shown, last = output or "(empty)", f"{output}\n<shellId: 0 completed with exit code {code}>"
        of_gemini = f"<untrusted_context>\nOutput: {shown}{self._code(code)}\nProcess Group PGID: 7\n</untrusted_context>"
        behind = f"\nError: (none)\nExit Code: {code}\nSignal: 0\nProcess Group PGID: 7"
        of_qwen = f"Command: {line}\nDirectory: (root)\nOutput: {shown}{behind}"
        given = {"command": line}
        return self._tool({
            "codex": {"tool_name": "Bash", "tool_input": given, "tool_response": output},
            "copilot": {"toolName": "bash", "toolArgs": given, "toolResult": {"textResultForLlm": last}},
            "gemini": {"tool_name": "run_shell_command", "tool_input": given, "tool_response": {"llmContent": of_gemini}},
            "qwen": {"tool_name": "run_shell_command", "tool_input": given, "tool_response": {"llmContent": of_qwen}},
            "opencode": {"tool": "bash", "args": given},
        }, {"output": output, "metadata": {"output": output, "exit": code}})  # fmt: skip

    def write(self, path, content):
        """Write a new file; Codex says that in its record alone."""
        given, response = {"file_path": path, "content": content}, {"returnDisplay": {"originalContent": ""}}
        written = {"tool_name": "write_file", "tool_input": given, "tool_response": response}
        return self._tool({
            "codex": {"tool_name": "apply_patch", "tool_input": {}}, "gemini": written, "qwen": written,
            "copilot": {"toolName": "create", "toolArgs": {"path": path, "file_text": content}, "toolResult": {}},
            "opencode": {"tool": "write", "args": {"filePath": path, "content": content}},
        }, {"output": "Wrote file.", "metadata": {"exists": False}})  # fmt: skip

    def _tool(self, fields, out):
        word = {"opencode": "callID", "codex": "tool_use_id", "qwen": "tool_use_id"}.get(self.host)
        whole = {**fields[self.host], **({word: self._call()} if word else {})}
        return TOOL, self._as("AfterTool" if self.host == "gemini" else "PostToolUse", "tool.execute.after", whole, out)

    def stop(self, said):
        """Answer; Copilot says what in its record alone."""
        word = "prompt_response" if self.host == "gemini" else "last_assistant_message"
        fields = {"stopReason": "end_turn"} if self.host == "copilot" else {} if self.host == "opencode" else {word: said}
        return "stop", self._as("AfterAgent" if self.host == "gemini" else "Stop", "session.idle", fields, {"said": said})

    def end(self):
        return "session-end", self._as("SessionEnd", "session.deleted", {} if self.host == "opencode" else {"reason": "other"})

    def _as(self, name, hook, fields, out=None):
        """Return fields in the envelope of the client."""
        self.number += 1
        if self.host == "opencode":
            source = {"source": "startup"} if hook == "session.created" else {}
            return {
                "opencode": hook,
                "directory": self.folder,
                "i": {"sessionID": self.session, **fields},
                "o": {**source, **(out or {})},
            }
        if self.host == "copilot":
            return {"sessionId": self.session, "timestamp": 1795343058013 + self.number, "cwd": self.folder, **fields}
        common = {"session_id": self.session, "transcript_path": self.record(), "cwd": self.folder, "hook_event_name": name}
        if self.host == "codex":
            turn = {} if name in ("SessionStart", "SessionEnd") else {"turn_id": self.turn}
            return {**common, **turn, **fields}
        return {**common, "timestamp": f"2026-11-22T10:23:{self.number:02d}.564Z", **fields}

    def record(self):
        """Return the path of the record that the client keeps of the session."""
        return {
            "codex": f"{self.home}/.codex/sessions/2026/11/22/rollout-2026-11-22T10-23-32-{self.session}.jsonl",
            "gemini": f"{self.home}/.gemini/tmp/shop/chats/session-2026-11-22T10-23-{self.session[:8]}.jsonl",
            "qwen": f"{self.home}/.qwen/projects/-home-ada-shop/chats/{self.session}.jsonl",
        }[self.host]

    def _call(self):
        return "call_" + uuid.uuid4().hex[:20]

    @staticmethod
    def _code(code):
        return f"\nExit Code: {code}" if code else ""


class Guest(Hook):
    """A person who has our hooks in other clients. `guest.sends("gemini", *shape.prompt("..."))` fires one of its events."""

    launcher = None

    def shape(self, host):
        """Return a new session of a client in the project."""
        return Shape(host, self.project, self.home)

    def sends(self, host, name, fields):
        """Fire an event, and return what was answered, {} for nothing; it exits with 0 and is silent on stderr."""
        return self.sends_bytes(host, name, json.dumps(fields).encode())

    def sends_bytes(self, host, name, data):
        inherited = {"CLAUDE_PROJECT_DIR": "/nowhere", "CLAUDE_PID": "1"}  # as in a client that another one started
        where = {"env": {**self.environment, **inherited}, "cwd": str(self.project)}
        ran = self.launcher.run(data, HANGS_S, door=f"{name} {host}", **where)
        assert (ran.code, ran.err) == (0, b""), ran
        return json.loads(ran.out) if ran.out else {}


def told(answer):
    """Return what the model is told by an answer in the form of any client."""
    return answer.get("additionalContext", "") or answer.get("hookSpecificOutput", {}).get("additionalContext", "")
