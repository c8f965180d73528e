"""Embeddings: whether the model that is set up is whole, its worker can start, and memories could be embedded.

Nothing here is a problem: without, memories are found by their words.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from ralph_mem import glance
from ralph_mem.core import paths, sense
from ralph_mem.core.project import Project
from ralph_mem.doctor.finding import Finding, ok, warning
from ralph_mem.doctor.program import printed_by

FILES = ("model.onnx", "tokenizer.json", "static.db")
# What the worker loads, in the isolated mode in which it is started.
PROBE = "import numpy, onnxruntime, tokenizers, ralph_mem.semantic.serving; print('ready')"
AGAIN = "`ralph-mem embeddings setup` prepares it again; without, memories are found by their words"
MADE = "SELECT 1 FROM sqlite_schema WHERE name = 'vectors'"
FAILED = "SELECT count(*) FROM vectors WHERE vector IS NULL"


def model(_: Project) -> Iterator[Finding]:
    """Look at the files of the model, and at the interpreter of the worker."""
    found = sense.described()
    if not found:
        file = paths.data_home() + paths.MODEL
        broken = paths.exists(file)
        yield warning("embeddings", f"{file} cannot be read", AGAIN) if broken else ok("embeddings", "not set up")
        return
    missing = [name for name in FILES if not _size(Path(found["folder"], name))]
    if missing:
        yield warning("embeddings", f"{found['model']}: {', '.join(missing)} missing in {found['folder']}", AGAIN)
    elif printed_by([str(found.get("python")), "-I", "-c", PROBE]).strip() != "ready":
        seen = f"the worker does not start under {found.get('python')}"
        yield warning("embeddings", seen, f"pip install 'ralph-mem[embeddings]' there, and {AGAIN}")
    else:
        yield ok("embeddings", f"{found['model']}, {glance.amount(sum(_size(Path(found['folder'], name)) for name in FILES))}")


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0


def memories(project: Project) -> Iterator[Finding]:
    """Look whether the worker met trouble, and for memories that could not be embedded."""
    if not sense.described():
        return
    line = paths.read(sense.home() + "/trouble", 1024)
    if line:
        yield warning("worker", line, AGAIN)
    if not glance.is_gone(project.folder + "/memory.db"):
        with contextlib.closing(glance.connect(project.folder)) as db:
            failed = db.execute(FAILED).fetchone()[0] if db.execute(MADE).fetchone() else 0
        if failed:
            yield warning(
                "vectors", f"{glance.count(failed, 'text')} could not be embedded", "nothing: it is tried again by itself"
            )
