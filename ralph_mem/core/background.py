"""Start a program of ours that goes on by itself when whoever started it has gone, or this one anew."""

import posix
import sys

# All that such a program gets of the environment: no secret of a session, and no variable that changes what Python does.
HANDED_ON = (b"HOME", b"XDG_DATA_HOME", b"XDG_CONFIG_HOME", b"PATH", b"LANG", b"TMPDIR")
# What a program needs besides that opens a browser for the person, and how they have set us up.
SHOWS = (
    b"DISPLAY",
    b"WAYLAND_DISPLAY",
    b"XAUTHORITY",
    b"XDG_RUNTIME_DIR",
    b"XDG_SESSION_TYPE",
    b"DBUS_SESSION_BUS_ADDRESS",
    b"BROWSER",
)
OURS = b"RALPH_MEM_"
# Whatever it may start one day: a hook below it records nothing. One thread for each run of the model.
OWN = {b"RALPH_MEM_RECORDING": b"off", b"OMP_NUM_THREADS": b"1", b"OPENBLAS_NUM_THREADS": b"1"}
MOST_FILES = 4096


def for_a_browser() -> "dict[bytes, bytes]":
    """Return the environment of a program that opens a browser and stays: no secret of a session is among it."""
    named = (*HANDED_ON, *SHOWS)
    return {name: value for name, value in posix.environ.items() if name in named or name.startswith(OURS)}


def spawn(order: "list[str]") -> int:
    """Start a program of ours that nobody waits for, in a session of its own, without a secret and without a file of ours.

    Returns its process. Raises OSError, ValueError or TypeError where it cannot be started.
    """
    environment = {name: posix.environ[name] for name in HANDED_ON if name in posix.environ}
    nowhere = [(posix.POSIX_SPAWN_OPEN, file, "/dev/null", posix.O_RDWR, 0) for file in (0, 1, 2)]
    try:
        return posix.posix_spawn(order[0], order, {**environment, **OWN}, file_actions=nowhere, setsid=True)
    except NotImplementedError:  # a C library without that flag: the program does it itself
        return posix.posix_spawn(order[0], order, {**environment, **OWN}, file_actions=nowhere)


def has_failed(process: int) -> bool:
    """Say whether a program that this process has spawned has ended, and with an error as far as can be known, which is once.

    Where children are ignored (SIGCHLD), as a program may do that searches, nobody is told how one ended.
    """
    try:
        ended, status = posix.waitpid(process, posix.WNOHANG)
    except ChildProcessError:
        return True
    return bool(ended and status)


def stand_alone(most_bytes: int, most_cpu_s: int) -> None:
    """Depend on nothing of the one who started this, and take no more than is fit for something in the background."""
    import resource  # lazy: who starts such a program needs it not

    posix.chdir("/")
    posix.umask(0o077)
    if posix.getsid(0) != posix.getpid():
        try:
            posix.setsid()
        except PermissionError:  # the leader of a group is as much on its own
            pass
    posix.closerange(3, MOST_FILES)  # what the client left open for the hook
    for limit, value in ((resource.RLIMIT_AS, most_bytes), (resource.RLIMIT_CPU, most_cpu_s), (resource.RLIMIT_CORE, 0)):
        most = resource.getrlimit(limit)[1]
        resource.setrlimit(limit, (value if most == resource.RLIM_INFINITY else min(value, most), most))


def restart_in_utf8() -> None:
    """Start this program anew where its locale knows ASCII alone: its words, and names of files, would be no text in it."""
    if sys.getfilesystemencoding() == "ascii":
        _, *words = getattr(sys, "orig_argv", ["", *sys.argv])  # Python 3.9 has no such list
        posix.execv(sys.executable, [sys.executable, "-X", "utf8", *words])
