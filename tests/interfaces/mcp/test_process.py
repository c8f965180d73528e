"""The server as a process: it ends with its client, leaves nothing behind, and one call that fails takes no other with it."""

import fcntl
import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests import clock
from tests.hook import HANGS_S, REPOSITORY
from tests.interfaces.mcp.clients import AGREED, Outside, introduction, text_of
from tests.launcher import Launcher

PROMISED_S = 1.0
ROUNDS = 50


@pytest.fixture
def a_server(a_hook):
    with Outside(a_hook) as client:
        client.begins()
        yield client


def call(number=1, query="lamp"):
    params = {"name": "search", "arguments": {"query": query}}
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}).encode()


@contextmanager
def held(folder):
    """Hold the lock of a memory alone, as somebody does who puts another file in its place."""
    with open(f"{folder}/lock", "r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def child_of(client):
    """Return the process of the call that is under way."""
    path = Path(f"/proc/{client.process.pid}/task/{client.process.pid}/children")
    return int(clock.wait_for(lambda: path.read_text().split(), HANGS_S, "no call is under way")[0])


def is_there(process):
    return Path(f"/proc/{process}").exists() and "\nState:\tZ" not in Path(f"/proc/{process}/status").read_text()


def seconds_until_it_has_ended(client):
    watch = clock.Watch()
    client.process.wait(HANGS_S)
    return watch.free()


def test_the_end_of_the_input_ends_it_within_a_second(a_server):
    a_server.uses("search", query="lamp")
    a_server.process.stdin.close()
    assert seconds_until_it_has_ended(a_server) < PROMISED_S and a_server.process.returncode == 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_it_within_a_second(a_server, number):
    a_server.process.send_signal(number)
    assert seconds_until_it_has_ended(a_server) < PROMISED_S and a_server.hook.left_behind() == []


def test_an_interrupt_ends_it_where_a_shell_has_them_ignored(a_hook):
    order = [
        "/bin/sh",
        "-c",
        f"trap '' INT; exec {sys.executable} -c 'import os, sys; os.execv(sys.argv[1], sys.argv[1:])' \"$@\"",
        "sh",
    ]
    process = subprocess.Popen(
        [*order, str(a_hook.plugin / "hooks" / "run"), "mcp"], cwd=a_hook.project, env=a_hook.surroundings(),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip
    with process:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 1
        process.send_signal(signal.SIGINT)
        assert process.wait(HANGS_S) == -signal.SIGINT


def test_it_ends_when_nobody_reads_its_answers_any_more(a_server):
    a_server.process.stdout.close()
    assert seconds_until_it_has_ended(a_server) < PROMISED_S and a_server.process.returncode == 0


def test_what_was_sent_before_the_input_ended_is_answered(a_hook):
    with Outside(a_hook) as client:
        first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": introduction(able={"roots": {}})}
        lines = [json.dumps(first).encode(), b'{"jsonrpc": "2.0", "method": "notifications/initialized"}', *map(call, range(1, 6))]
        client.process.stdin.write(b"\n".join(lines))  # without an end of the last line
        code, out, complaints = client.ends()
    said = [json.loads(line) for line in out.splitlines()]
    assert (code, complaints) == (0, b"") and [each["id"] for each in said if "result" in each] == [0, 1, 2, 3, 4, 5]
    assert [each["method"] for each in said if "method" in each] == ["roots/list"]


def test_between_two_calls_it_has_no_file_of_a_memory_open(a_server):
    before = a_server.files()
    for _ in range(3):
        a_server.uses("search", query="lamp")
        a_server.uses("remember", text="Deploys go through the zinc gate.")
    a_server.is_idle()
    assert sorted(a_server.files()) == sorted(before) and not [name for name in before if ".ralph-mem" in name]


def test_what_was_read_is_not_in_the_memory_of_the_process(a_hook, a_server):
    said = "zirconium basalt obsidian " + os.urandom(8).hex()
    beside = a_hook.another()
    beside.start()
    beside.prompt(f"Where is the {said}?")
    beside.stop("Here.")
    assert said in a_server.uses("search", query="zirconium")
    a_server.is_idle()
    held_there = memory_of(a_server.process.pid)
    assert b"lamp-editor" in held_there and said.encode() not in held_there


def memory_of(process):
    """Return what a process has in its writable memory."""
    found = b""
    with open(f"/proc/{process}/maps") as maps, open(f"/proc/{process}/mem", "rb", 0) as memory:
        for line in maps:
            span, rights = line.split()[:2]
            start, end = (int(each, 16) for each in span.split("-"))
            if rights.startswith("rw") and "[v" not in line:
                memory.seek(start)
                found += memory.read(end - start)
    return found


def test_a_call_that_is_killed_is_answered_and_the_next_one_too(a_server):
    with held(a_server.hook.memory):
        a_server.send(call(8))
        os.kill(child_of(a_server), signal.SIGKILL)
        assert a_server.line()["error"]["code"] == -32603
    assert "lamp" in a_server.uses("search", query="lamp")


def test_a_memory_that_somebody_moves_about_is_waited_for_and_then_refused_in_a_line(a_server):
    with held(a_server.hook.memory):
        watch = clock.Watch()
        said = a_server.is_refused("search", query="lamp")
        assert "another session is" in said and watch.free() < PROMISED_S
    assert "lamp" in a_server.uses("search", query="lamp")


def test_a_client_that_leaves_during_a_call_takes_both_processes_with_it(a_server):
    with held(a_server.hook.memory):
        a_server.send(call())
        child = child_of(a_server)
        a_server.process.stdout.close()
        assert seconds_until_it_has_ended(a_server) < PROMISED_S
        assert not is_there(child)


def test_a_call_waits_for_the_roots_that_the_client_was_asked_for(a_hook, tmp_path):
    with Outside(a_hook, cwd=tmp_path) as client:
        client.asks("initialize", **introduction(able={"roots": {}}))
        client.tells("notifications/initialized")
        request = client.line()
        client.send(call(9))
        client.send(json.dumps({"jsonrpc": "2.0", "id": 10, "method": "ping"}).encode())
        assert client.line()["id"] == 10
        client.send(
            json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": {"roots": [{"uri": a_hook.project.as_uri()}]}}).encode()
        )
        answer = client.line()
    assert answer["id"] == 9 and "In the hangar" in text_of(answer["result"])


def test_a_client_that_never_tells_its_roots_is_answered_from_the_working_directory(a_hook):
    with Outside(a_hook) as client:
        client.asks("initialize", **introduction(able={"roots": {}}))
        client.tells("notifications/initialized")
        assert client.line()["method"] == "roots/list"
        assert "In the hangar" in client.uses("search", query="lamp")


def test_lines_that_come_in_pieces_are_lines(a_server):
    line = call(5) + b"\n"
    for at in range(0, len(line), 7):
        a_server.process.stdin.write(line[at : at + 7])
        a_server.process.stdin.flush()
    assert a_server.line()["id"] == 5


@pytest.mark.parametrize("size", [1_048_577, 3_000_000])
def test_a_message_above_a_mebibyte_is_refused_once_and_the_next_one_is_heard(a_server, size):
    a_server.send(b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "' + b"x" * size + b'"}}')
    a_server.send(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}')
    first, second = a_server.line(), a_server.line()
    assert (first["error"]["code"], first["id"]) == (-32600, None) and "1,048,576 bytes" in first["error"]["message"]
    assert second["id"] == 2


def test_a_message_of_a_mebibyte_is_heard(a_server):
    start, end = b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": {"a": "', b'"}}'
    a_server.send(start + b"x" * (1_048_576 - len(start) - len(end)) + end)
    assert a_server.line() == {"jsonrpc": "2.0", "id": 3, "result": {}}


def test_it_takes_little_memory_whatever_it_is_sent(a_hook):
    launcher = Launcher(Path(sys.base_prefix, "bin", "python3"))
    try:
        lines = [call(1), b"x" * 40_000_000, b"[" * 1_000_000, *[call(2)] * 20]
        given = {"env": a_hook.surroundings(), "cwd": str(a_hook.project), "argv": [str(a_hook.plugin / "hooks" / "run"), "mcp"]}
        ran = launcher.run(b"\n".join(lines) + b"\n", HANGS_S, **given)
    finally:
        launcher.close()
    assert (ran.code, ran.err, len(ran.out.splitlines())) == (0, b"", 23) and ran.peak_mb < 64


@pytest.mark.check
def test_of_fifty_that_were_ended_killed_or_left_each_none_is_left(a_hook):
    for number in range(ROUNDS):
        for way in (closed, killed, left):
            with Outside(a_hook, AGREED[number % len(AGREED)]) as client:
                client.begins()
                client.send(call(number))
                way(client)
    clock.wait_for(lambda: a_hook.left_behind() == [], HANGS_S, lambda: f"left behind: {a_hook.left_behind()}")
    assert a_hook.damage() == []


def closed(client):
    client.process.stdin.close()
    client.process.wait(HANGS_S)


def killed(client):
    client.process.kill()
    client.process.wait(HANGS_S)


def left(client):
    client.process.stdout.close()
    client.process.stdin.close()
    client.process.wait(HANGS_S)


def test_without_the_plugin_there_is_no_server_and_no_word(tmp_path):
    order = json.loads((REPOSITORY / ".mcp.json").read_text())["mcpServers"]["mem"]
    for environment in ({}, {"CLAUDE_PLUGIN_ROOT": str(tmp_path / "gone")}):
        given = {"PATH": os.environ["PATH"], **environment}
        ran = subprocess.run(
            [order["command"], *order["args"]], env=given, cwd=tmp_path, capture_output=True, input=call(), timeout=30
        )
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def test_without_a_python_it_says_so_on_stderr_alone(tmp_path):
    ran = subprocess.run(
        ["/bin/sh", str(REPOSITORY / "hooks" / "run"), "mcp"], env={"PATH": "/nowhere", "HOME": str(tmp_path)},
        cwd=tmp_path, capture_output=True, input=call(), timeout=30,
    )  # fmt: skip
    assert (ran.returncode, ran.stdout) == (0, b"") and b"python3, version 3.9 or newer" in ran.stderr
