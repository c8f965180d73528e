"""Wake: has the worker look at a memory, where embeddings are set up. It is told where it runs, started where it does not.

Started under the interpreter that setup recorded: it has the packages, the one of the hooks has none.
"""

import posix
import time

from ralph_mem.core import sense

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# All that the worker gets of the environment: no secret of a session, and no variable that changes what Python does.
HANDED_ON = (b"HOME", b"XDG_DATA_HOME", b"XDG_CONFIG_HOME", b"PATH", b"LANG", b"TMPDIR")
# Whatever it may start one day: a hook below it records nothing. One thread for each run of the model.
OWN = {b"RALPH_MEM_RECORDING": b"off", b"OMP_NUM_THREADS": b"1", b"OPENBLAS_NUM_THREADS": b"1"}


def wake(folder: str) -> None:
    """Have the memory in a `.ralph-mem` embedded soon. Returns at once, and raises nothing."""
    model = sense.described()
    if not model:
        return
    try:
        sense.ask({"folder": folder}, time.monotonic() + sense.DEADLINE_S)
    except sense.DAMAGED:  # nobody is there, or busy beginning: a second one would notice that and leave
        _start(model, folder)


def _start(model: "dict[str, Any]", folder: str) -> None:
    try:
        spawn([model.get("python") or "", "-I", "-m", "ralph_mem.worker", folder])
    except (OSError, ValueError, TypeError):  # the interpreter is gone: the doctor tells
        pass


def spawn(order: "list[str]") -> None:
    """Start a program of ours that nobody waits for, in a session of its own, without a secret and without a file of ours.

    Raises OSError, ValueError or TypeError where it cannot be started.
    """
    environment = {name: posix.environ[name] for name in HANDED_ON if name in posix.environ}
    nowhere = [(posix.POSIX_SPAWN_OPEN, file, "/dev/null", posix.O_RDWR, 0) for file in (0, 1, 2)]
    try:
        posix.posix_spawn(order[0], order, {**environment, **OWN}, file_actions=nowhere, setsid=True)
    except NotImplementedError:  # a C library without that flag: the program does it itself
        posix.posix_spawn(order[0], order, {**environment, **OWN}, file_actions=nowhere)
