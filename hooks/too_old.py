"""The door under a Python before 3.9: says once, at a session start, what is missing. Readable by any Python 3."""

import os
import sys


def enter(here, arguments):
    need = "python3 is %d.%d, it needs 3.9 or newer" % sys.version_info[:2]
    name = (arguments + [""])[0]
    if name == "session-start" and not said_before():
        print('{"systemMessage": "ralph-mem remembers nothing here: %s."}' % need)
    elif name == "user-prompt-expansion":
        print('{"hookSpecificOutput": {"hookEventName": "UserPromptExpansion", "additionalContext": "ralph-mem: %s."}}' % need)
    elif name[:4] in ("mem", "mem-") or name == "ralph":
        print("ralph-mem: %s." % need)
    elif name == "mcp":
        sys.stderr.write("ralph-mem: %s.\n" % need)
        sys.stderr.flush()
    sys.stdout.flush()


def said_before():
    data, home = os.environ.get("XDG_DATA_HOME") or "", os.environ.get("HOME") or ""
    if not (data.startswith("/") and data.strip("/")):
        data = home + "/.local/share"
        if not (home.startswith("/") and home.strip("/")):
            return True
    folder = data + "/ralph-mem"
    os.umask(0o077)
    note = "%s/said-python-%d.%d" % (folder, sys.version_info[0], sys.version_info[1])
    if os.path.exists(note):
        return True
    try:
        if not os.path.isdir(folder):
            os.makedirs(folder, 0o700)
        open(note, "w").close()
    except OSError:  # no place to remember that it was said
        return True
    return False
