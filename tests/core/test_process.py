"""A program runs within its limits, and nothing of it stays behind."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

from ralph_mem.core import descendants, orphans, process
from tests import clock
from tests.programs import PYTHON

# The promise: whole tree gone so long after the limit. What is measured above it is our own start of an interpreter.
GONE_S = 0.5
linux = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="this system does not show the environment of a process")

DAEMON = """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execvp(sleeper[0], sleeper)
        os._exit(0)
    os.wait()
"""
DEAF = "signal.signal(signal.SIGTERM, signal.SIG_IGN)"


# What it says


def test_code_and_both_streams_are_told(programs):
    outcome = programs.run("print('to out'); print('to err', file=sys.stderr); sys.exit(3)")
    assert (outcome.code, outcome.out, outcome.err, outcome.ended_by, outcome.cut) == (3, b"to out\n", b"to err\n", "", 0)


def test_merged_output_keeps_the_order_in_which_it_was_written(programs):
    outcome = programs.run("for i in range(3): os.write(1, b'out\\n'); os.write(2, b'err\\n')", merged=True)
    assert (outcome.out, outcome.err) == (b"out\nerr\n" * 3, b"")


def test_both_streams_are_read_however_much_is_written_to_each(programs):
    outcome = programs.run("for i in range(40): os.write(1, b'o' * 9999); os.write(2, b'e' * 9999)")
    assert (len(outcome.out), len(outcome.err)) == (40 * 9999, 40 * 9999)


@pytest.fixture
def an_open_stdin():
    """Ours is a pipe into which somebody may write some day."""
    reading, writing = os.pipe()
    kept = os.dup(0)
    os.dup2(reading, 0)
    yield
    os.dup2(kept, 0)
    for file in (reading, writing, kept):
        os.close(file)


def test_a_program_that_waits_for_input_is_told_at_once_that_there_is_none(programs, an_open_stdin):
    outcome = programs.run("print(repr(sys.stdin.read()))")
    assert outcome.out == b"''\n" and outcome.ended_by == ""


def test_there_is_no_terminal_to_ask_a_person_at(programs):
    # a session of its own has none, whatever ours has
    outcome = programs.run("print(os.getsid(0) == os.getpid())")
    assert outcome.out == b"True\n"


def test_input_is_fed_however_long_it_is(programs):
    outcome = programs.run("print(len(sys.stdin.read()))", stdin=b"x" * 1_000_000)
    assert outcome.out == b"1000000\n"


def test_a_program_that_does_not_read_its_input_is_not_waited_for(programs):
    assert programs.run("sys.exit(4)", stdin=b"x" * 1_000_000).code == 4


def test_a_program_that_prints_nothing_for_too_long_is_ended(programs):
    watch = clock.Watch()
    outcome = programs.run("print('begun', flush=True); time.sleep(30)", silence=0.5)
    assert (outcome.ended_by, outcome.out) == ("silence", b"begun\n") and outcome.seconds - watch.lost() < 5


def test_a_program_that_goes_on_printing_is_not_silent_on_either_stream(programs):
    says = "[(time.sleep(0.2), os.write(1 + i % 2, b'.')) for i in range(6)]"
    assert programs.run(says, silence=0.6).ended_by == ""


def test_each_line_is_heard_while_the_program_runs(programs):
    heard = []
    source = "os.write(1, b'one\\ntw'); time.sleep(0.3); os.write(1, b'o\\n' + b'x' * 200_000 + b'\\nlast')"
    programs.run(source, on_line=lambda line: heard.append((line[:4], len(line))))
    assert heard == [(b"one", 3), (b"two", 3), (b"xxxx", 200_000), (b"last", 4)]


def test_a_listener_that_raises_ends_the_program_and_hears_no_more(programs):
    def hear(line):
        raise KeyError(line)

    source = """
        signal.signal(signal.SIGTERM, lambda *_: (print('hear that', flush=True), sys.exit()))
        print('hear this', flush=True)
        time.sleep(60)
    """
    with pytest.raises(KeyError, match="hear this"):
        programs.run(source, on_line=hear)


# Output


def test_of_a_long_output_whole_lines_of_head_and_tail_are_kept(programs):
    outcome = programs.run("for i in range(100_000): print('line', i)", most_bytes=1000)
    lines = outcome.out.decode().splitlines()
    assert lines[0] == "line 0" and lines[-1] == "line 99999" and outcome.cut > 1_000_000
    assert [line for line in lines if not line.startswith("line ")] == [f"... {outcome.cut} bytes left out ..."]
    assert all(len(line) == len("line 99999") for line in lines[-20:])


def test_an_output_of_just_the_size_is_kept_whole(programs):
    outcome = programs.run("sys.stdout.write('0123456789' * 100)", most_bytes=1000)
    assert outcome.out == b"0123456789" * 100 and outcome.cut == 0


@pytest.mark.check
def test_a_program_that_prints_a_gigabyte_neither_blocks_nor_fills_memory(tmp_path):
    measuring = textwrap.dedent(f"""
        import os, resource
        from ralph_mem.core import process
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        printing = "import os; data = b'y' * 99 + b'\\\\n'\\nfor _ in range(1024): os.write(1, data * 10486)"
        outcome = process.run([*{PYTHON!r}, "-c", printing], "/", dict(os.environ), 30, merged=True)
        print(outcome.code, len(outcome.out) + outcome.cut, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
    """)
    told = subprocess.run([sys.executable, "-c", measuring], capture_output=True, text=True, timeout=60, check=True).stdout
    code, size, grown_kb = map(int, told.split())
    assert code == 0 and abs(size - 1024 * 1_048_600) < 1_000
    assert grown_kb < 40 * 1024


# The end


@pytest.mark.check
@pytest.mark.parametrize(
    "source",
    [
        "time.sleep(60)",
        f"{DEAF}; time.sleep(60)",
        f"{DEAF}; [subprocess.Popen(sleeper) for _ in range(3)]; time.sleep(60)",
        "subprocess.Popen(sleeper, env={'PATH': os.environ['PATH']}); time.sleep(60)",
        "os.close(1); os.close(2); time.sleep(60)",
        "while True: pass",
        "while True: os.write(1, b'y' * 65536)",
        pytest.param(DAEMON + "    time.sleep(60)", marks=linux),
        pytest.param(f"    {DEAF}{DAEMON}" + "    time.sleep(60)", marks=linux),
    ],
    ids="hangs deaf deaf-children child-without-mark no-pipes spins floods daemon deaf-daemon".split(),
)
def test_at_the_limit_the_whole_tree_goes(programs, source):
    watch = clock.Watch()
    outcome = programs.run(source, seconds=0.4)
    assert outcome.ended_by == "time" and outcome.code != 0
    assert programs.left() == []
    assert outcome.seconds >= 0.4
    assert outcome.seconds - watch.lost() <= 0.4 + GONE_S + 0.1  # the last tenth for a machine with other things to do


def test_a_program_may_clean_up_before_it_goes(programs):
    outcome = programs.run(
        """
        signal.signal(signal.SIGTERM, lambda *_: (print('cleaned up'), sys.exit(0)))
        print('ready', flush=True)
        time.sleep(60)
        """,
        seconds=0.5,
    )
    assert (outcome.out, outcome.ended_by) == (b"ready\ncleaned up\n", "time")


@pytest.mark.parametrize(
    "source",
    [
        "    subprocess.Popen(sleeper)\n",
        "    subprocess.Popen(['sh', '-c', 'trap \"\" TERM; sleep 60; : ' + token])\n",
        DAEMON,
    ],
    ids="child deaf-child daemon".split(),
)
@linux
def test_after_a_normal_exit_too_nothing_stays_behind(programs, source):
    watch = clock.Watch()
    outcome = programs.run(source + "    print('done')")
    assert (outcome.code, outcome.out, outcome.ended_by) == (0, b"done\n", "")
    assert programs.left() == []
    assert outcome.seconds - watch.lost() < 5


@linux
def test_what_a_daemon_starts_while_it_is_being_ended_goes_too(programs):
    source = """
        def again(*_):
            subprocess.Popen(sleeper, start_new_session=True)
        signal.signal(signal.SIGTERM, again)
        print('ready', flush=True)
        while True: time.sleep(1)
    """
    outcome = programs.run(source, seconds=0.5)
    assert outcome.out == b"ready\n" and outcome.code == -signal.SIGKILL
    assert programs.left() == []


@linux
def test_a_loop_within_a_loop_ends_with_the_outer_one(programs, tmp_path):
    marked = descendants.marked({descendants.MARK: "outer"}, "inner")
    outcome = process.run(["sh", "-c", f"echo ${descendants.MARK}"], str(tmp_path), {**os.environ, **marked}, 5)
    assert outcome.out.decode().startswith("outer:inner:")


def test_other_processes_are_left_alone(programs):
    with subprocess.Popen(["sleep", "60"]) as other:
        programs.run("time.sleep(60)", seconds=0.2)
        assert other.poll() is None
        other.kill()


def test_whoever_asks_may_stop_it(programs):
    watch = clock.Watch()
    outcome = programs.run("time.sleep(60)", stopped=lambda: watch.seconds() > 0.3)
    assert outcome.ended_by == "stop" and outcome.seconds >= 0.3 and outcome.seconds - watch.lost() < 2


@pytest.mark.check
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_to_us_ends_the_program_first(programs, number):
    inner = programs.command(f"{DEAF}; print('ready', flush=True); time.sleep(60)")
    outer = textwrap.dedent(f"""
        import os, signal
        from ralph_mem.core import process
        signal.signal({number}, signal.default_int_handler if {number} == signal.SIGINT else signal.SIG_DFL)  # nohup ignores it
        process.run({inner!r}, "/", dict(os.environ), 30, on_line=lambda line: print("ready", flush=True))
        print("never said")
    """)
    with subprocess.Popen([sys.executable, "-c", outer], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ours:
        assert ours.stdout.readline() == b"ready\n"
        ours.send_signal(number)
        assert ours.stdout.read() == b""
    assert ours.returncode == -number
    assert programs.left() == []


def test_handlers_of_signals_are_as_before(programs):
    before = [signal.getsignal(number) for number in process.PASSED_ON]
    programs.run("pass")
    assert [signal.getsignal(number) for number in process.PASSED_ON] == before


# What hides


# Leaves our session, group and environment, and its parents: nothing tells whose it is but who takes it in.
CLEANED = """
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve('/usr/bin/setsid', ['setsid', *sleeper], {'PATH': os.environ['PATH']})
        os._exit(0)
    os.wait()
"""


@linux
@pytest.mark.parametrize("then", ["", "    time.sleep(60)"], ids=["ends by itself", "is ended"])
def test_a_daemon_with_a_clean_environment_goes_too(programs, then):
    watch = clock.Watch()
    outcome = programs.run(CLEANED + then, seconds=1)
    assert programs.left() == [] and outcome.seconds - watch.lost() < 5


@linux
def test_what_ran_below_us_before_or_goes_its_own_way_is_left_alone(programs):
    loose = {"env": {"PATH": os.environ["PATH"]}, "start_new_session": True}
    with subprocess.Popen(["sleep", "60"], **loose) as before:
        started = []

        def starts_another(line):
            started.append(subprocess.Popen(["sleep", "60"], **loose))
            orphans.spare(started[0].pid)

        programs.run(CLEANED + "    print('ready', flush=True); time.sleep(60)", seconds=0.8, on_line=starts_another)
        assert (before.poll(), started[0].poll(), programs.left()) == (None, None, [])
        for each in (before, *started):
            each.kill()
            each.wait()


@linux
def test_orphans_leave_no_dead_and_come_to_us_no_more_afterwards(programs):
    def dead():
        return {each for each in descendants.table().values() if each.parent == os.getpid() and each.dead}

    left_by_others = dead()
    programs.run(CLEANED)
    assert dead() <= left_by_others
    out = subprocess.run(["sh", "-c", "setsid sh -c 'sleep 0.2; ps -o ppid= -p $$' & "], capture_output=True, text=True).stdout
    assert int(out) != os.getpid()


@pytest.mark.check
@linux
def test_programs_side_by_side_leave_nothing_once_the_last_has_ended(programs):
    beside = threading.Thread(target=programs.run, args=(CLEANED + "    time.sleep(60)", 2))
    beside.start()
    programs.run(CLEANED, seconds=1)
    beside.join()
    assert programs.left() == []


# What cannot be started


@pytest.mark.parametrize(
    ("argv", "why"),
    [
        (["no-such-program-here"], b"no-such-program-here is not found"),
        (["./text"], b"./text is not executable"),
        (["./headless"], b"./headless cannot be started: Exec format error"),
        (["./lost"], b"./lost is not found"),
        (["a\0b"], b"a\0b cannot be started: embedded null byte"),
        ([], b"no program is named"),
    ],
)
def test_what_cannot_be_started_is_said_and_not_raised(tmp_path, argv, why):
    (tmp_path / "text").write_text("no program")
    for name, content in {"headless": "\0\0\0", "lost": "#!/no/such/interpreter\n"}.items():
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o700)
    outcome = process.run(argv, str(tmp_path), dict(os.environ), 5)
    assert (outcome.code, outcome.ended_by, outcome.err) == (None, "start", why)


def test_a_program_on_a_disk_that_is_mounted_noexec_is_told_as_that(tmp_path):
    script = 'mount -t tmpfs -o noexec none "$0" && cp /bin/true "$0/ours" && exec "$@"'
    order = ["unshare", "--mount", "sh", "-c", script, str(tmp_path)]
    if not shutil.which("unshare") or subprocess.run([*order, "true"], capture_output=True).returncode:
        pytest.skip("namespaces are not allowed here")
    code = "import sys; from ralph_mem.core import process; print(process.run(['./ours'], sys.argv[1], {}, 5).err)"
    told = subprocess.run([*order, sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert "./ours lies on a disk that is mounted noexec" in told.stdout


def test_a_folder_that_is_gone_is_said(tmp_path):
    outcome = process.run(["true"], str(tmp_path / "gone"), dict(os.environ), 5)
    assert (outcome.ended_by, outcome.err) == ("start", f"the folder {tmp_path}/gone is not there".encode())


def test_nothing_is_left_open(programs):
    before = len(os.listdir("/dev/fd"))
    for _ in range(5):
        programs.run("pass", stdin=b"x")
        process.run(["no-such-program-here"], "/", {}, 5)
    assert len(os.listdir("/dev/fd")) == before
