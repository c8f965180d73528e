"""The command line as a test types it: a fork of an interpreter that has it loaded, or an interpreter of its own.

A new interpreter takes a tenth of a second to load what a command needs, a fork a tenth of that, and it is a process all the
same, with its own streams, environment, folder and end. What only an interpreter's start decides gets an interpreter:
another Python or encoding, and what stands between us and it (`wrap`).
"""

import atexit
import functools
import os
import subprocess
import sys

from tests.hook import HANGS_S, REPOSITORY
from tests.launcher import Launcher

WORDS = ("-m", "ralph_mem.interfaces.cli")
ORDER = (sys.executable, *WORDS)
# What the interpreter of the forks was started with, of all that an interpreter looks at when it starts.
ITS_OWN = {"LANG": "C.UTF-8", "PYTHONPATH": str(REPOSITORY)}


@functools.cache
def launcher():
    """Return what has the command line loaded, one for each process of the tests."""
    found = Launcher(sys.executable, cli=REPOSITORY, environment={**ITS_OWN, "PATH": os.environ["PATH"]})
    atexit.register(found.close)
    return found


def may_be_a_fork(environment):
    """Say whether an interpreter that starts in this environment is like the one of the forks."""
    seen = {name: value for name, value in environment.items() if name.startswith(("PYTHON", "LC_")) or name == "LANG"}
    return {**ITS_OWN, **seen} == ITS_OWN and "LANG" in seen


def run(*words, env, cwd, stdin=b"", deadline=HANGS_S, wrap=(), python=sys.executable, terminal=False):
    """Run `ralph-mem WORDS`; returns a `CompletedProcess` with bytes. At a `terminal` it is a fork, which reads nothing."""
    order = [*wrap, python, *WORDS, *words]
    if wrap or python != sys.executable or not may_be_a_fork(env):
        return subprocess.run(order, input=stdin, env=env, cwd=cwd, capture_output=True, timeout=deadline)
    ran = launcher().run(stdin, deadline, words=list(map(os.fsdecode, words)), env=env, cwd=os.fsdecode(cwd), terminal=terminal)
    return subprocess.CompletedProcess(order, ran.code, ran.out, ran.err)


def says(*words, **options):
    """Run `ralph-mem WORDS`; returns a `CompletedProcess` with text."""
    ran = run(*words, **options)
    ran.stdout, ran.stderr = (each.decode().replace("\r\n", "\n") for each in (ran.stdout, ran.stderr))
    return ran
