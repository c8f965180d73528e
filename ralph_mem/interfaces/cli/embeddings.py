"""The command group `embeddings`, which sets up and removes the model for finding by meaning."""

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import amount
from ralph_mem.interfaces.cli import printing
from ralph_mem.maintenance import registry
from ralph_mem.memory import access, embeddings
from ralph_mem.memory.embeddings import backlog, models
from ralph_mem.memory.extras import installation
from ralph_mem.memory.recall import embeddings_client
from ralph_mem.memory.store import connection
from ralph_mem.memory.store.connection import Store

commands = typer.Typer()
group = typer.Typer(help="Find memories by what they mean, with a model on this machine; nothing leaves it.", no_args_is_help=True)
commands.add_typer(group, name="embeddings")

TOLD = ("model", "dims", "static_dims", "max_tokens", "folder", "python", "idle_seconds")
NOT_SET_UP, DO_SET_UP = "no embeddings are set up", "`ralph-mem embeddings setup` prepares a model"


@group.command()
def setup(
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="NAME|PATH", help="A model of sentence-transformers, or its folder.")
    ] = models.DEFAULT,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Fetch the model where it is not on this machine.")] = False,
    idle: Annotated[
        int,
        typer.Option("--idle", metavar="SECONDS", min=1, max=86_400, help="How long the worker stays without work."),
    ] = 60,
    json: printing.Json = False,
) -> None:
    """Prepare a model once, in half a minute: export it, and distil a small table that the hooks can read.

    For other languages than English: --model paraphrase-multilingual-MiniLM-L12-v2.

    Example: ralph-mem embeddings setup
    """
    started = time.monotonic()
    with printing.steps("preparing") as tell:
        tell("loading the packages", 0, 1)
        with embeddings.needed():
            from ralph_mem.memory.embeddings import preparation  # lazy: needs the extra, and seconds to load torch
        found = _prepared(preparation, model, yes, idle, tell)
    seconds = round(time.monotonic() - started, 1)
    size = _size(Path(found["folder"]))
    if json:
        printing.as_json({**found, "bytes": size, "seconds": seconds})
        return
    told = f"{found['dims']} dimensions, {found['tokens']} tokens in its table, {amount(size)}"
    printing.text(f"{found['model']} is set up in {seconds} s: {told}\n  in {found['folder']}")
    printing.text(
        "The memories of a project are embedded when its next session starts; `ralph-mem embeddings rebuild` does it now."
    )


def _prepared(preparation: Any, model: str, yes: bool, idle: int, tell: Callable[[str, int, int], object]) -> dict[str, Any]:
    """Prepare what is on this machine; what is not is fetched only if the person says so."""
    if not yes and not preparation.is_here(model):
        what = f"the model {model} is not on this machine"
        raise RalphMemError(
            what, "with --yes it is fetched from the public model hub, 100 to 500 MB; or give a folder: --model PATH"
        )
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))  # or its draft of 90 MB would stay
    found: dict[str, Any] = preparation.prepare(model, fetch=yes, idle_s=idle, tell=tell)
    return found


@group.command()
def status(project: printing.Project = "", json: printing.Json = False) -> None:
    """Say which model is in use, how many memories of a project it has embedded, and whether the worker runs.

    Example: ralph-mem embeddings status
    """
    model = embeddings_client.described()
    found: dict[str, Any] = {"set_up": bool(model), "model": None, "worker": None, "trouble": ""}
    if model:
        found |= {name: model.get(name) for name in TOLD} | {"trouble": embeddings_client.trouble()}
        found |= {"bytes": _size(Path(model["folder"])), "worker": _worker()}
        found |= _counted(project, str(model["model"]))
    printing.as_json(found) if json else _print(found)


def _counted(project: str, model: str) -> dict[str, Any]:
    """Return how the memories of a project stand."""
    here = registry.choose(project)
    counts = backlog.count(access.to_read(here)[0], model) if connection.exists(here.folder) else backlog.Counts(0, 0, 0, 0)
    return {"project": here.root, **counts._asdict()}


def _worker() -> dict[str, Any] | None:
    """Return what the worker says of itself, nothing where none runs."""
    try:
        return {"pid": embeddings_client.ask({}, time.monotonic() + 1)["pid"]}
    except embeddings_client.DAMAGED:
        return None


def _print(found: dict[str, Any]) -> None:
    if not found["set_up"]:
        printing.text("No embeddings are set up: memories are found by their words. To find them by what they mean as well:")
        printing.text("  " + installation("embeddings") + "\n  ralph-mem embeddings setup")
        return
    printing.text(f"{found['model']}: {found['dims']} dimensions, {amount(found['bytes'])} in {found['folder']}")
    counts = f"{found['embedded']} of {found['memories']} memories embedded, {found['missing']} to do, {found['failed']} failed"
    printing.text(f"{found['project']}: {counts}")
    if found["trouble"]:
        printing.text(f"worker: none can do its work\ntrouble: {found['trouble']}")
        return
    printing.text(
        f"worker: runs, process {found['worker']['pid']}" if found["worker"] else "worker: comes when there is something to do"
    )


@group.command()
def rebuild(project: printing.Project = "", json: printing.Json = False) -> None:
    """Embed all memories of a project anew; nothing is lost when it is interrupted, the worker does the rest.

    Example: ralph-mem embeddings rebuild
    """
    model = embeddings_client.described()
    if not model:
        raise RalphMemError(NOT_SET_UP, DO_SET_UP)
    here, started = registry.choose(project), time.monotonic()
    with embeddings.needed():
        from ralph_mem.memory.embeddings import vectors  # lazy: needs the extra
    opened, embedder = access.to_change(here), vectors.Embedder(model)
    made = 0
    with _rest_to_the_worker(here.folder), printing.steps("embedding") as tell:
        for each in opened:
            backlog.drop(each)
            made += vectors.embed_missing(each, embedder, _told(tell, each))
    seconds = round(time.monotonic() - started, 1)
    failed = sum(backlog.count(each, embedder.name).failed for each in opened)
    if json:
        printing.as_json({"project": here.root, "model": embedder.name, "embedded": made, "failed": failed, "seconds": seconds})
        return
    printing.text(f"{made} {'memory' if made == 1 else 'memories'} embedded in {seconds} s, {failed} failed.")


@contextmanager
def _rest_to_the_worker(folder: str) -> Iterator[None]:
    """Have the worker embed what is left where this is broken off."""
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        yield
    except BaseException:
        embeddings_client.wake(folder)
        raise


def _told(tell: Callable[[str, int, int], object], opened: Store) -> Callable[[int, int], object]:
    what = "what is kept for all projects" if access.is_global(opened) else "this project"
    return lambda done, total: tell(what, done, total)


@group.command()
def off(confirm: printing.Confirm = False, json: printing.Json = False) -> None:
    """Go back to finding memories by their words: the model is removed, the memories stay as they are.

    Example: ralph-mem embeddings off --confirm
    """
    home = Path(embeddings_client.home())
    size = _size(home)
    if confirm:
        models.remove()
    if json:
        printing.as_json({"removed": confirm and size > 0, "folder": str(home), "bytes": size})
    elif not size:
        printing.text(f"Nothing to do: {NOT_SET_UP}.")
    elif confirm:
        printing.text(f"Removed {amount(size)}. Vectors stay in the memories, and count again with the same model.")
    else:
        printing.text(f"Would remove the model, {amount(size)} in {home}\nTo do it, add --confirm.")


def _size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
