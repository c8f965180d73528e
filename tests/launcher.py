"""The launcher: a small process that starts hooks for the tests, kills them when asked, and says what each one took.

Started from here a hook shows its own peak of memory; started by pytest itself it would show pytest's, which it inherits. A
launcher that has a plugin's modules loaded can also answer an event in a fork of itself, through the same door, without a new
interpreter: that is ten times quicker, so that thousands of events can be sent in one test. One that has the command line
loaded can be that in the same way.

Run as a script it is the launcher, imported it is what talks to one.
"""

import contextlib
import json
import os
import posix
import resource
import selectors
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections import namedtuple

# `seconds` are those of `clock`, which no load moves.
Ran = namedtuple("Ran", "code out err seconds cpu peak_mb")
STREAMS = 4  # stdin, stdout, stderr, and where the launcher reports
CHUNK = 65_536
# Where the modules lie that a hook may load.
ROOMS_OF_HOOKS = ("core", "core/command_lines", "core/outputs", "core/settings", "core/redaction")
ROOMS_OF_HOOKS += ("memory/store", "memory/rows", "memory/ownership", "memory/recall", "memory/inject", "memory")
ROOMS_OF_HOOKS += ("hosts", "hosts/claude_code", "hosts/codex", "hosts/copilot", "hosts/gemini", "hosts/opencode", "hosts/qwen")
ROOMS_OF_HOOKS += ("interfaces/hooks", "interfaces/skills")


class Launcher:
    """A launcher at work. `plugin` is whose modules it has loaded, `cli` whose command line; without them it starts programs only.

    The options and the environment of the interpreter are those of a hook, or what `environment` says.
    """

    def __init__(self, interpreter, plugin=None, cli=None, environment=None):
        ours, theirs = socket.socketpair()
        options = [] if cli else ["-I", "-S", "-X", "utf8"]
        given = [str(theirs.fileno()), str(plugin or ""), str(cli or "")]
        command = [str(interpreter), *options, os.path.abspath(__file__), *given]
        self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()], env=environment or {})
        theirs.close()
        self.socket = ours
        self.turn = threading.Lock()

    def close(self):
        """Let the launcher go; it ends by itself where the tests are killed."""
        self.socket.close()
        self.process.wait()

    def run(self, data=b"", deadline=20, **wish):
        """Start a process, hand it these bytes, and wait until it is over; after the deadline it is killed, and that raises.

        Of `wish` either `argv` (a program), `door` (an event for the plugin), `words` (for the command line) or `code` (Python)
        says what is started; `env` and `cwd` where; `terminal` whether stdin is one; `limits` maps resources to soft limits;
        `kill_after` is when it gets SIGKILL, in seconds.
        """
        from tests import clock

        watch, pipes = clock.Watch(), [os.pipe() for _ in range(STREAMS)]
        # the first is written here and read there, the others the other way round
        there, here = [pipes[0][0]], [pipes[0][1]]
        for read, write in pipes[1:]:
            here.append(read)
            there.append(write)
        wish = json.dumps(wish).encode()
        with self.turn:
            socket.send_fds(self.socket, [struct.pack("<I", len(wish))], there)
            self.socket.sendall(wish)
        for file in there:
            os.close(file)
        out, err, report = _communicate(here, data, time.monotonic() + deadline)
        _, status, cpu, peak_kb, seconds = json.loads(b"[" + report.replace(b"\n", b",").rstrip(b",") + b"]")
        return Ran(os.waitstatus_to_exitcode(status), out, err, seconds - watch.lost(), cpu, peak_kb / 1024)


def _communicate(files, data, end):
    """Write to the first of these files while reading from the others; returns what they had to say."""
    found, left = dict.fromkeys(files[1:], b""), memoryview(data)
    with selectors.DefaultSelector() as waiting:
        for file in files:
            os.set_blocking(file, False)
            waiting.register(file, selectors.EVENT_READ if file in found else selectors.EVENT_WRITE)
        while waiting.get_map():
            ready = waiting.select(end - time.monotonic())
            if not ready and time.monotonic() > end:
                os.kill(json.loads(found[files[-1]].split(b"\n")[0]), signal.SIGKILL)
                raise subprocess.TimeoutExpired("a hook", 0)
            for key, _ in ready:
                left, over = _write(key.fd, left) if key.fd not in found else (left, _read(key.fd, found))
                if over:
                    waiting.unregister(key.fd)
                    os.close(key.fd)
    return tuple(found.values())


def _write(file, left):
    try:
        left = left[os.write(file, left[:CHUNK]) :] if left else left
    except BrokenPipeError:
        left = left[:0]
    return left, not left


def _read(file, found):
    piece = os.read(file, CHUNK)
    found[file] += piece
    return not piece


# The launcher itself


def serve(number, plugin, cli):
    """Start what is asked for until nobody asks any more; returns, in the fork that is to be the command line, its words."""
    asked = socket.socket(fileno=number)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if plugin:
        load(plugin)
    if cli:
        load_cli(cli)
    while True:
        size, files, _, _ = socket.recv_fds(asked, 4, STREAMS)
        if len(size) < 4:
            return None
        wish = _exactly(asked, struct.unpack("<I", size)[0])
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # nobody waits for those who wait
        if not os.fork():
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            asked.close()
            return mind(json.loads(wish), files)
        for file in files:
            os.close(file)


def _exactly(asked, size):
    found = b""
    while len(found) < size:
        found += asked.recv(size - len(found))
    return found


def mind(wish, files):
    """Start one process, and report its end; returns as `become` does."""
    started = time.monotonic()
    child = os.fork()
    if not child:
        return become(wish, files)
    *streams, report = files
    for file in streams:
        os.close(file)
    os.write(report, b"%d\n" % child)
    if wish.get("kill_after") is not None:
        time.sleep(wish["kill_after"])
        os.kill(child, signal.SIGKILL)  # nobody has waited for it yet: the number is still its own
    _, status, usage = os.wait4(child, 0)
    seconds = time.monotonic() - started
    os.write(report, b"%d\n%f\n%d\n%f\n" % (status, usage.ru_utime + usage.ru_stime, usage.ru_maxrss, seconds))
    os._exit(0)


def become(wish, files):
    """Be the process that was asked for; returns only the words of a command line, which ends as an interpreter does."""
    try:
        for at, file in enumerate(files[:3]):
            os.dup2(file, at)
        for file in files:
            os.close(file)
        if wish.get("terminal"):  # what is typed at one: its other end stays open as long as this process runs
            os.dup2(os.openpty()[1], 0)
        os.chdir(wish["cwd"])
        for name, soft in wish.get("limits", {}).items():
            which = getattr(resource, name)
            resource.setrlimit(which, (soft, resource.getrlimit(which)[1]))
        if "argv" in wish:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(ignored, signal.SIG_DFL)
            os.execvpe(wish["argv"][0], wish["argv"], wish["env"])
        if "words" in wish:
            return _begin_as_an_interpreter(wish)
        _enter(wish)
        os._exit(0)
    except BaseException:  # noqa: BLE001 - whatever it is: it could not be started, or the code raised
        sys.excepthook(*sys.exc_info())
        os._exit(127)


def _enter(wish):
    _live_in(wish["env"])
    if "code" in wish:
        exec(wish["code"], {"__name__": "__main__", "given": wish.get("given")})
        return
    import door

    with contextlib.suppress(BaseException):  # as in run.py
        door.enter(os.path.dirname(door.__file__), wish["door"].split())


def _live_in(environment):
    posix.environ.clear()
    posix.environ.update({os.fsencode(name): os.fsencode(value) for name, value in environment.items()})


def _begin_as_an_interpreter(wish):
    """Make of this fork what `python -m` has before it runs a line; returns its words."""
    os.environ.clear()
    os.environ.update(wish["env"])
    _live_in(wish["env"])
    time.tzset()
    sys.path[0] = os.getcwd()
    for at, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        former = getattr(sys, name)
        how = {"encoding": former.encoding, "errors": former.errors, "newline": "\n"}
        # a terminal, and stderr always, are written to line by line
        stream = open(at, mode, 1 if name == "stderr" or os.isatty(at) else -1, closefd=False, **how)  # noqa: SIM115 - to the end
        setattr(sys, name, stream)
        setattr(sys, f"__{name}__", stream)
    return wish["words"]


def load(plugin):
    """Import every room that a hook may enter, so that a fork has it at once; none of them opens anything when it is imported."""
    import gc

    sys.path[:] = [plugin + "/hooks", *sys.path, plugin]
    import door

    assert door
    for folder in ROOMS_OF_HOOKS:
        for name in sorted(os.listdir(f"{plugin}/ralph_mem/{folder}")):
            if name.endswith(".py") and name != "__init__.py":
                __import__(f"ralph_mem.{folder.replace('/', '.')}.{name[:-3]}")
    gc.freeze()


def load_cli(tree):
    """Import the command line with all of its commands, and what of other packages a command loads when it prints."""
    import gc
    import importlib

    from ralph_mem.interfaces.cli import app, contents

    assert app.__file__.startswith(tree)
    for name in {*contents.MODULE_OF.values()}:
        importlib.import_module(f"ralph_mem.interfaces.cli.{name}")
    for name in ("runpy", "rich.console", "rich.progress", "rich.table", "encodings.ascii", "encodings.idna"):
        importlib.import_module(name)
    gc.collect()
    gc.freeze()


def be_the_cli(words):
    """Run the command line and leave as an interpreter does, but that it does not take every module apart, which takes longest."""
    import atexit
    import gc
    import runpy
    import threading

    sys.argv[1:] = words
    code = 0
    try:
        runpy.run_module("ralph_mem.interfaces.cli", run_name="__main__", alter_sys=True)
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else bool(leaving.code)
    threading._shutdown()
    atexit._run_exitfuncs()
    gc.collect()  # what was left open is closed: only what was made since the fork is looked at
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        code = code or 120  # as an interpreter leaves that cannot print what it still has
    os._exit(code)


if __name__ == "__main__":
    asked_for = serve(int(sys.argv[1]), *sys.argv[2:])
    if asked_for is not None:
        be_the_cli(asked_for)
