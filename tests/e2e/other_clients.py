"""The other clients, unmodified and offline: installed once at pinned versions, run in a throwaway home on a scripted model."""

import fcntl
import functools
import json
import os
import shutil
import signal
import subprocess
from collections import namedtuple
from pathlib import Path

CACHE = Path(__file__).resolve().parents[2] / ".test-client-others"
NAMED_BY = "RALPH_MEM_TEST_CLIENTS"  # a folder with their node_modules
INSTALL_TIMEOUT_S = 900
NODE = "node@24.21.0"  # Copilot and Qwen need a newer one than a machine may have

# `tools` are the client's names for: run a command, write a file; with the parameters that these take.
Known = namedtuple("Known", "package program node settings command resumed environment tools")
Run = namedtuple("Run", "returncode out err")


class NoClient(Exception):
    """A client cannot be had; the message says why."""


def _codex(home, port):
    text = f"""model = "stub-model"
model_provider = "stub"
approval_policy = "never"
sandbox_mode = "danger-full-access"
[model_providers.stub]
name = "stub"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
"""
    _keep(home / ".codex/config.toml", text)


def _gemini(home, _port):
    auth = {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": False}}
    general = {"disableAutoUpdate": True, "disableUpdateNag": True}
    _merge(home / ".gemini/settings.json", {"security": auth, "telemetry": {"enabled": False}, "general": general})


def _opencode(home, port):
    options = {"baseURL": f"http://127.0.0.1:{port}/v1", "apiKey": "dummy"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"stub-model": {"name": "stub"}}}
    allowed = {"bash": "allow", "edit": "allow"}
    wanted = {"provider": {"stub": provider}, "model": "stub/stub-model", "permission": allowed, "autoupdate": False}
    _merge(home / ".config/opencode/opencode.json", wanted)


def _qwen(home, _port):
    _merge(home / ".qwen/settings.json", {"security": {"auth": {"selectedType": "openai"}}})


def _nothing(_home, _port):
    pass


OPENAI = {"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "http://127.0.0.1:{port}/v1", "OPENAI_MODEL": "stub-model"}
KNOWN = {
    "codex": Known(
        "@openai/codex@0.169.0", "codex", False, _codex,
        ("exec", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "{prompt}"),
        ("exec", "resume", "--last", "--dangerously-bypass-hook-trust", "--skip-git-repo-check", "{prompt}"), {"STUB_KEY": "dummy"},
        {"run": ("exec_command", "cmd"), "write": None},
    ),
    "copilot": Known(
        "@github/copilot@1.0.102", "copilot", True, _nothing, ("--allow-all-tools", "--no-auto-update", "-p", "{prompt}"),
        ("--continue", "--allow-all-tools", "--no-auto-update", "-p", "{prompt}"),
        {"COPILOT_PROVIDER_BASE_URL": "http://127.0.0.1:{port}/v1", "COPILOT_PROVIDER_API_KEY": "dummy",
         "COPILOT_MODEL": "stub-model", "COPILOT_OFFLINE": "true"},
        {"run": ("bash", "command"), "write": ("create", "path", "file_text")},
    ),
    "gemini": Known(
        "@google/gemini-cli@0.61.0", "gemini", True, _gemini, ("--yolo", "-m", "gemini-2.5-pro", "-p", "{prompt}"),
        ("--yolo", "-m", "gemini-2.5-pro", "--resume", "latest", "-p", "{prompt}"),
        {"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": "http://127.0.0.1:{port}"},
        {"run": ("run_shell_command", "command"), "write": ("write_file", "file_path", "content")},
    ),
    "opencode": Known(
        "opencode-ai@1.18.33", "opencode", False, _opencode, ("run", "{prompt}"), ("run", "--continue", "{prompt}"),
        {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"},
        {"run": ("bash", "command"), "write": ("write", "filePath", "content")},
    ),
    "qwen": Known(
        "@qwen-code/qwen-code@0.24.4", "qwen", True, _qwen, ("--yolo", "-p", "{prompt}"),
        ("--yolo", "--continue", "-p", "{prompt}"), OPENAI,
        {"run": ("run_shell_command", "command"), "write": ("write_file", "file_path", "content")},
    ),
}  # fmt: skip


def folder():
    """Return where the clients are installed, once for all tests. Raises NoClient."""
    named = os.environ.get(NAMED_BY)
    if named:
        return Path(named)
    reason = _installed()
    if reason:
        raise NoClient(reason)
    return CACHE


@functools.cache
def _installed():
    if not shutil.which("npm"):
        return f"npm is not installed, and {NAMED_BY} names no folder with the clients"
    CACHE.mkdir(parents=True, exist_ok=True)
    (CACHE / ".gitignore").write_text("*\n")
    with (CACHE / "lock").open("w") as lock:  # tests run side by side, and one installs for all
        fcntl.flock(lock, fcntl.LOCK_EX)
        wanted = [NODE, *[known.package for known in KNOWN.values()]]
        done = CACHE / "installed"
        if done.is_file() and done.read_text() == " ".join(wanted):
            return ""
        order = ["npm", "install", "--no-audit", "--no-fund", "--prefix", CACHE, *wanted]
        try:
            result = subprocess.run(order, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, stdin=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            return f"npm install of the other clients took longer than {INSTALL_TIMEOUT_S} s"
        if result.returncode:
            return f"npm install of the other clients failed: {result.stderr.strip()[-300:]}"
        done.write_text(" ".join(wanted))
    return ""


class Person:
    """Somebody with a home, a project and one of the clients; `port` is that of the scripted model."""

    def __init__(self, host, *, home, project, port):
        self.known, self.home, self.project, self.port = KNOWN[host], Path(home), Path(project), port
        self.home.mkdir(parents=True, exist_ok=True)
        self.known.settings(self.home, port)

    def environment(self):
        """Return the whole environment of the client: nothing of ours gets in."""
        modules = folder() / "node_modules"
        own = {name: value.format(port=self.port) for name, value in self.known.environment.items()}
        node = [str(modules / "node" / "bin")] if self.known.node else []
        path = ":".join([*node, "/usr/local/bin", "/usr/bin", "/bin"])
        return {
            "PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "xterm-256color", "SHELL": "/bin/bash",
            "RALPH_MEM_MEMORY_WORKER": "false", "NO_PROXY": "127.0.0.1,localhost", **own,
        }  # fmt: skip

    def ask(self, prompt, timeout=180):
        """Run one prompt to its end."""
        return self.command(*[word.format(prompt=prompt) for word in self.known.command], timeout=timeout)

    def goes_on(self, prompt):
        """Run one more prompt in the last session."""
        return self.command(*[word.format(prompt=prompt) for word in self.known.resumed])

    def command(self, *words, timeout=180):
        """Run the client with any arguments; nothing of its group survives this call."""
        program = program_of(self.known.program)
        out, err = self.home / ".out", self.home / ".err"
        with out.open("wb") as stdout, err.open("wb") as stderr:  # files, not pipes: who is left behind would hold a pipe open
            process = subprocess.Popen(
                [program, *words], cwd=self.project, env=self.environment(), stdin=subprocess.DEVNULL, stdout=stdout,
                stderr=stderr, start_new_session=True,
            )  # fmt: skip
            try:
                process.wait(timeout)
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()
        return Run(process.returncode, out.read_text(errors="replace"), err.read_text(errors="replace"))


def program_of(name):
    """Return the program of a client; the one that npm links may be a placeholder where install scripts are off."""
    modules = folder() / "node_modules"
    for native in (f"opencode-linux-x64/bin/{name}", f"opencode-linux-x64-baseline/bin/{name}"):
        if name == "opencode" and (modules / native).is_file():
            return str(modules / native)
    return str(modules / ".bin" / name)


def _keep(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _merge(path, values):
    there = json.loads(path.read_text()) if path.exists() else {}
    _keep(path, json.dumps({**there, **values}, indent=2))
