"""The one door of the hooks: `run.py EVENT`, the event on stdin, an answer or nothing on stdout, always exit 0.

Must be readable by any Python 3, since an older one has to be able to say that it is too old.
"""
import posix
import sys


def main(name):
    if sys.version_info < (3, 9):
        return too_old(name)
    sys.path.insert(0, __file__.rpartition("/")[0].rpartition("/")[0] or ".")
    from ralph_mem import events
    return events.enter(name)


def too_old(name):
    home = posix.environ.get(b"HOME", b"").decode() + "/.local/share/ralph-mem"
    if name != "session-start":
        return ""
    try:
        import os
        if not os.path.isdir(home):
            os.makedirs(home, 0o700)
        posix.close(posix.open(home + "/said-old-python-%d.%d" % sys.version_info[:2], posix.O_CREAT | posix.O_EXCL, 0o600))
    except OSError:  # said before, or no place to remember that it was said
        return ""
    return '{"systemMessage": "ralph-mem remembers nothing here: python3 is %d.%d, it needs 3.9 or newer."}' % sys.version_info[:2]


def write(text):
    data = text.encode("ascii", "replace")
    while data:
        data = data[posix.write(1, data):]


try:
    write(main(sys.argv[1] if len(sys.argv) > 1 else ""))
except BaseException:  # noqa: BLE001 - a hook never disturbs the session, whatever happened
    pass
posix._exit(0)  # without closing the database: that would cost four fsyncs
