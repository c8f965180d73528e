"""The real Claude Code client in a throwaway home: found or installed, run in print mode or in a terminal."""

import fcntl
import functools
import itertools
import json
import os
import platform
import shlex
import shutil
import signal
import subprocess
import time
import uuid
from collections import namedtuple
from pathlib import Path

from tests import clock

PINNED_VERSION = "2.1.329"
NAMED_BY = "RALPH_MEM_TEST_CLIENT"
REPOSITORY = Path(__file__).resolve().parents[2]
CACHE = REPOSITORY / ".venv" / "claude-client"

INSTALL_TIMEOUT_S = 300
# How long a process may take to notice that its client has gone, before it counts as left behind.
GRACE_S = 3

ALLOWED_TOOLS = "Bash Edit Read Write Agent"
API_KEY = "dummy"
MARK = "RALPH_MEM_TEST_MARK"
PLATFORMS = {
    ("Linux", "x86_64"): "linux-x64",
    ("Linux", "aarch64"): "linux-arm64",
    ("Darwin", "x86_64"): "darwin-x64",
    ("Darwin", "arm64"): "darwin-arm64",
}

HookResponse = namedtuple("HookResponse", "event name exit_code stdout stderr outcome")


class NoClient(Exception):
    """The client cannot be had; the message says why."""


def copy_of(repository, target):
    """Copy what the repository would publish: files that git tracks, and new ones that it does not ignore."""
    order = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(order, cwd=repository, check=True, capture_output=True, text=True).stdout
    for name in filter(None, listed.split("\0")):
        if (repository / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(repository / name, target / name)
    return target


def eventually(condition, timeout=120, otherwise="it never happened"):
    """Return the first true answer of `condition`, asked again and again; fail with `otherwise` at the timeout."""
    return clock.wait_for(condition, timeout, otherwise)


def find_client(version=PINNED_VERSION):
    """Return the path of the client's binary: the one the environment names, or the pinned one, installed once.

    Another version than the pinned one is the one that is asked for.
    """
    if (named := os.environ.get(NAMED_BY)) and version == PINNED_VERSION:
        if os.access(named, os.X_OK):
            return named
        raise NoClient(f"{NAMED_BY} names {named}, which cannot be run")
    reason = _installed(version)
    if reason:
        raise NoClient(reason)
    return str(_cached_binary(version))


@functools.cache
def _installed(version):
    """Install a client into its cache unless it is there; return why that was not possible, or ""."""
    if (platform.system(), platform.machine()) not in PLATFORMS:
        return f"no client is published for {platform.system()} on {platform.machine()}"
    if _version_of(_cached_binary(version)) == version:
        return ""
    if not shutil.which("npm"):
        return f"npm is not installed, and {NAMED_BY} names no client"
    return _install(version)


def _cache(version):
    return CACHE if version == PINNED_VERSION else CACHE.with_name(f"{CACHE.name}-{version}")


def _install(version):
    cache = _cache(version)
    cache.mkdir(parents=True, exist_ok=True)
    (cache / ".gitignore").write_text("*\n")
    with (cache / "lock").open("w") as lock:  # tests run side by side, and one installs for all
        fcntl.flock(lock, fcntl.LOCK_EX)
        return "" if _version_of(_cached_binary(version)) == version else _fetch(version)


def _fetch(version):
    order = ["npm", "install", "--no-audit", "--no-fund", "--prefix", _cache(version), f"@anthropic-ai/claude-code@{version}"]
    try:
        done = subprocess.run(order, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return f"npm install of the client took longer than {INSTALL_TIMEOUT_S} s"
    if _version_of(_cached_binary(version)) == version:
        return ""
    return f"npm install of the client {version} failed: {done.stderr.strip()[-300:] or 'no binary'}"


def _cached_binary(version):
    """Name the platform package's own binary: `.bin/claude` stays a placeholder where install scripts are off."""
    system = PLATFORMS[platform.system(), platform.machine()]
    return _cache(version) / "node_modules" / "@anthropic-ai" / f"claude-code-{system}" / "claude"


def _version_of(binary):
    if not os.access(binary, os.X_OK):
        return None
    done = subprocess.run([binary, "--version"], capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return done.stdout.split(" ")[0].strip()


class Run(namedtuple("Run", "returncode records stderr stdout")):
    """What one process of the client left: exit code, stream-json records, and both streams as text."""

    @property
    def session_id(self):
        return next(record["session_id"] for record in self.records if record.get("session_id"))

    @property
    def result(self):
        return next(record.get("result", "") for record in reversed(self.records) if record["type"] == "result")

    def hooks(self, event=None):
        """Return what the hooks of an event answered, in order."""
        return [answer for answer in map(_hook_response, self.records) if answer and event in (None, answer.event)]


def _hook_response(record):
    if record.get("subtype") != "hook_response":
        return None
    told = [record.get(key) for key in ("hook_event", "hook_name", "exit_code", "stdout", "stderr", "outcome")]
    return HookResponse(*told)


class Client:
    """One person's client: a home, a project it is started in, the API it talks to, perhaps a plugin folder.

    `left_behind` lists what outlived a run of the client by more than the grace.
    """

    def __init__(self, binary, *, home, project, api, plugin=None):
        self.binary, self.home, self.project, self.api, self.plugin = binary, home, project, api, plugin
        self.mark = uuid.uuid4().hex
        self.left_behind = []
        home.mkdir(parents=True, exist_ok=True)

    def environment(self, **extra):
        """Return the whole environment of the client: nothing of ours gets in."""
        return {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "SHELL": "/bin/bash",
            "ANTHROPIC_BASE_URL": self.api.url,
            "ANTHROPIC_API_KEY": API_KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
            MARK: self.mark,
            "PYTEST_DEBUG_TEMPROOT": os.environ.get("PYTEST_DEBUG_TEMPROOT", "/tmp"),
            "RALPH_MEM_MEMORY_WORKER": "false",  # or what a test sees would hang on when it ran
            **extra,
        }

    def print_mode(
        self, prompt, *, session_id=None, resume=None, extra_args=(), allowed_tools=ALLOWED_TOOLS, timeout=120, **extra_env
    ):
        """Run one prompt to its end, in a new session or a resumed one."""
        order = ["-p", prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events"]
        order += ["--allowedTools", allowed_tools] if allowed_tools else []
        order += ["--session-id", session_id] if session_id else []
        order += ["--resume", resume] if resume else []
        return self.command(*order, *self._with_plugin(), *extra_args, timeout=timeout, **extra_env)

    def validate(self, plugin, *options):
        """Run the client's own check of a plugin folder."""
        return self.command("plugin", "validate", *options, str(plugin))

    def command(self, *order, timeout=120, **extra_env):
        """Run the client with any arguments; nothing it started survives this call."""
        # Files, not pipes: a process left behind would hold a pipe open, and hide what we look for.
        out, err = self.home / f".{self.mark}.out", self.home / f".{self.mark}.err"
        with out.open("wb") as stdout, err.open("wb") as stderr:
            process = subprocess.Popen(
                [self.binary, *order],
                cwd=self.project,
                env=self.environment(**extra_env),
                stdin=subprocess.DEVNULL,
                stdout=stdout,
                stderr=stderr,
                start_new_session=True,
            )
            in_time = self._wait(process, timeout)
        told, complained = _taken(out), _taken(err)
        assert in_time, f"the client was still at it after {timeout} s\n{complained}\n{told[-2000:]}"
        return Run(process.returncode, _json_lines(told), complained, told)

    def _wait(self, process, timeout):
        """Wait for a process, end its group and all that carries our mark; return whether it left by itself."""
        try:
            process.wait(timeout)
            return True
        except subprocess.TimeoutExpired:
            process.kill()
            return False
        finally:
            process.wait()
            self._clear_away()
            _end(os.killpg, process.pid)

    def terminal(self, *, permission_mode="manual", allowed_tools=ALLOWED_TOOLS, extra_args=(), **extra_env):
        """Open an interactive session; use it as a context manager."""
        order = [self.binary, "--permission-mode", permission_mode, *self._with_plugin()]
        order += ["--allowedTools", allowed_tools] if allowed_tools else []
        self._settle_in()
        return Terminal([*order, *extra_args], self.project, self.environment(**extra_env), self._clear_away)

    def survivors(self):
        """Return pid and command line of every process that carries this client's mark."""
        return [(pid, _command_line(pid)) for pid in _pids_with(f"{MARK}={self.mark}")]

    def _with_plugin(self):
        return ["--plugin-dir", str(self.plugin)] if self.plugin else []

    def _settle_in(self):
        """Answer in the home what a first interactive start would ask: theme, key, trust in the folder."""
        settings = self.home / ".claude.json"
        known = json.loads(settings.read_text()) if settings.exists() else {}
        known |= {"hasCompletedOnboarding": True, "theme": "dark"}
        known["customApiKeyResponses"] = {"approved": [API_KEY], "rejected": []}
        trusted = {"hasTrustDialogAccepted": True, "hasCompletedProjectOnboarding": True}
        folder = known.setdefault("projects", {}).setdefault(str(self.project), {})
        folder.update(trusted)
        settings.write_text(json.dumps(known))

    def _clear_away(self):
        """Note what is still there after the grace, and end it: by its mark, so ours alone."""
        deadline = time.monotonic() + GRACE_S
        while (alive := self.survivors()) and time.monotonic() < deadline:
            time.sleep(0.04)
        self.left_behind += alive
        for pid, _ in alive:
            _end(os.kill, pid)
        eventually(lambda: not self.survivors(), otherwise=lambda: f"cannot be ended: {self.survivors()}")


# The client puts a blocked prompt back into the input line for a moment after it showed the answer.
QUIET_S = 0.4


class Terminal:
    """An interactive session under a tmux server of its own."""

    _numbers = itertools.count(1)

    def __init__(self, order, folder, environment, clear_away):
        self._socket = f"ralph-mem-e2e-{os.getpid()}-{next(self._numbers)}"
        self._clear_away = clear_away
        self._said = "\0"  # nothing yet
        variables = [f"{name}={value}" for name, value in environment.items()]
        command = shlex.join(["env", "-i", *variables, *order])
        # Narrow enough that the client opens no panel beside the conversation, which would cut lines in two.
        self._tmux("new-session", "-d", "-s", "t", "-x", "100", "-y", "60", "-c", str(folder), command)

    def __enter__(self):
        try:
            self.wait_for("❯", timeout=30)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_):
        self.close()

    def screen(self):
        """Return what the person sees; "" once the client has left."""
        return self._tmux("capture-pane", "-p", "-t", "t", check=False).stdout

    def type(self, text):
        """Type words into the input line, and return once they stand there."""
        self._tmux("send-keys", "-t", "t", "-l", text)
        self.wait_for(text[-40:])

    def press(self, *keys):
        """Press named keys: Enter, Escape, C-c."""
        self._tmux("send-keys", "-t", "t", *keys)

    def say(self, text):
        """Type a prompt and send it, once the client has taken in the one before: it would be joined to that one."""
        eventually(self._has_taken_all_in, 20, otherwise=self.screen)
        self.type(text)
        self.press("Enter")
        self._said = text

    def _has_taken_all_in(self):
        before = self._input()
        time.sleep(QUIET_S)
        return self._said not in before and before == self._input()

    def _input(self):
        """Return what stands in the input line, with its mark."""
        return next((line for line in reversed(self.screen().splitlines()) if line.startswith("❯")), "❯")

    def wait_for(self, what, timeout=20):
        """Return the first screen that shows a text, however it is wrapped, or that a predicate agrees with."""
        agrees = what if callable(what) else lambda screen: "".join(what.split()) in "".join(screen.split())
        return eventually(
            lambda: agrees(screen := self.screen()) and screen,
            timeout,
            otherwise=lambda: f"not seen within {timeout} s: {what!r}\n{self.screen()}",
        )

    def leave(self):
        """Leave as a person does, and wait until the client has gone."""
        self.say("/exit")
        eventually(lambda: self._tmux("has-session", "-t", "t", check=False).returncode, 15, otherwise=self.screen)

    def close(self):
        """End this tmux server and whatever the session left; no other server is touched."""
        self._tmux("kill-server", check=False)
        self._clear_away()
        Path(os.environ.get("TMUX_TMPDIR", "/tmp"), f"tmux-{os.getuid()}", self._socket).unlink(missing_ok=True)

    def _tmux(self, *order, check=True):
        whole = ["tmux", "-L", self._socket, "-f", "/dev/null", *order]
        return subprocess.run(whole, check=check, capture_output=True, text=True, timeout=20, stdin=subprocess.DEVNULL)


def _taken(path):
    """Read a stream's file and remove it: the home stays the client's."""
    text = path.read_text(errors="replace")
    path.unlink()
    return text


def _json_lines(text):
    return [json.loads(line) for line in text.splitlines() if line.startswith('{"')]


def _pids_with(variable):
    """Return the processes that have a variable in their environment; none where there is no /proc."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/environ"):
        try:
            if variable.encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            continue
    return found


def _command_line(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""


def _end(kill, number):
    try:
        kill(number, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
