"""A short-lived process that embeds new memories, counts what they cost, and tells hooks which ones a prompt means.

`python -m ralph_mem.interfaces.worker FOLDER` begins it for a `.ralph-mem`, from `memory/recall/embeddings_client.py`. One on a
machine for each user: another one hands its folder over and leaves. It leaves by itself when nothing was to be done for a minute.
"""

import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ralph_mem.core import background, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance import count_tokens, scrub
from ralph_mem.memory.embeddings import models
from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.store.connection import Store

# How long a second one tries to hand its folder over, or to take the place of one that is just leaving.
PATIENCE_S = 10
PAUSE_S = 0.05
# The default model needs 0.3 GB, most of it address space that onnxruntime only reserves; a multilingual one 1.5 GB.
MOST_BYTES = 4 * 1024**3
MOST_CPU_S = 7200  # a memory of a page takes 0.07 seconds; what is left over is embedded by the next one
BACKLOG = 64
SCRUB_MS = 500  # a transaction is much shorter


def main(folders: Sequence[str]) -> int:
    """Serve until there is nothing to do, or hand the folders over to the worker that there is; returns the exit code."""
    background.stand_alone(MOST_BYTES, MOST_CPU_S)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    end = time.monotonic() + PATIENCE_S
    while (model := embeddings_client.described()) and time.monotonic() < end:
        place = Path(embeddings_client.home(), "worker")
        lock = _lock(place)
        if lock is not None:
            return _serve(place, model, folders)
        if all([_is_told(folder) for folder in folders]):
            return 0
        time.sleep(PAUSE_S)
    return 0


def _lock(place: Path) -> "int | None":
    """Become the one worker; returns a file that has to stay open, or None where there is one."""
    place.mkdir(mode=0o700, exist_ok=True)
    file = paths.open_lock(str(place))
    try:
        is_held = paths.lock(file)
    except OSError:  # a file system without locks: without one nobody can be told to be alone
        is_held = False
    if not is_held:
        os.close(file)
        return None
    os.ftruncate(file, 0)
    os.write(file, b"%d\n" % os.getpid())
    return file


def _is_told(folder: str) -> bool:
    try:
        return "model" in embeddings_client.ask({"folder": folder}, time.monotonic() + 1)
    except embeddings_client.DAMAGED:
        return False


def _serve(place: Path, model: dict[str, Any], folders: Sequence[str]) -> int:
    paths.remove(str(place / "socket"))  # of one that was killed
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    embeddings_client.with_address(str(place), listener.bind)
    listener.listen(BACKLOG)
    try:
        # lazy: needs the extra; of fifty that start at once, forty-nine do without
        from ralph_mem.memory.embeddings import serving

        serving.serve(listener, model, folders, tend)
    except (ImportError, RalphMemError) as error:
        note(str(error))
        return 1
    finally:
        paths.remove(str(place / "socket"))
    return 0


def tend(opened: Store) -> int:
    """Have the long list look at some rows, or count what they cost where a vocabulary is here; returns how many, 0 at the end."""
    return scrub.scrub_some(opened, scrub.protector_of(opened), SCRUB_MS) or count_tokens.count_where_possible(opened)


def note(line: str) -> None:
    """Keep a line on what went wrong, for `ralph-mem embeddings status` and the doctor."""
    try:
        paths.write(models.trouble_file(), line[:300].replace("\n", " "))
    except OSError:
        pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
