"""Embeddings by a model on this machine, an optional part; open its rooms inside `needed`."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from ralph_mem.memory import extras

EXTRA = "embeddings"
# Nothing leaves this machine: onnxruntime 1.31 writes a device id into the home as soon as it is imported, and would upload
# what it runs; the hub's package counts downloads.
os.environ |= {"ORT_DISABLE_TELEMETRY": "1", "HF_HUB_DISABLE_TELEMETRY": "1", "DO_NOT_TRACK": "1"}


@contextmanager
def needed() -> Iterator[None]:
    """Turn a package that is missing into MissingExtra, with what to install."""
    try:
        yield
    except ImportError as error:
        what = f"embeddings need the package {error.name or 'that is missing'}: {error}"[:200]
        raise extras.MissingExtra(what, extras.installation(EXTRA)) from error
