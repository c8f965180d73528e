"""The command group `playbook`, for rules, preferences, corrections and lessons with what came of them."""

import time
from json import dumps, loads
from pathlib import Path
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, not_as_shown
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.forgetting import show_choice
from ralph_mem.interfaces.cli.printing import Confirmed, Digits, Json, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.forget import erase, select
from ralph_mem.memory import access
from ralph_mem.memory.facts import by_hand, decision, outcomes, playbook
from ralph_mem.memory.facts.taking import Statement
from ralph_mem.memory.recall.lookup import Reader
from ralph_mem.memory.rows import facts, learnt
from ralph_mem.memory.store.connection import Store

commands = typer.Typer()
group = typer.Typer()
commands.add_typer(group, name="playbook")

Recount = Annotated[bool, typer.Option("--recount", help="Count anew from the receipts what helped and harmed.")]
HOW_TO_EXPORT = "`ralph-mem playbook export --json > FILE` writes one"
NOTHING = 'The playbook is empty: `ralph-mem facts add "Always ..."` begins it, and loops add lessons.'


@group.callback(invoke_without_command=True)
def show(context: typer.Context, recount: Recount = False, project: Project = "", json: Json = False) -> None:
    """See the rules, preferences, corrections and lessons of a project, the most useful first.

    Example: ralph-mem playbook
    """
    if context.invoked_subcommand is not None:
        return
    store = _own(project)
    changed = _recounted(store) if recount else []
    found = playbook.overview(playbook.bullets(store, _now()))
    if json:
        printing.as_json({**found, **({"recounted": changed} if recount else {})})
        return
    if recount:
        printing.text(f"Counted anew: {count(len(changed), 'fact')} changed.")
    _print(playbook.bullets(store, _now()), found)


def _print(found: list[playbook.Bullet], sums: dict[str, object]) -> None:
    if not found:
        return printing.text(NOTHING)
    kinds = ", ".join(f"{kind} {sum(each.fact.kind == kind for each in found)}" for kind in playbook.KINDS)
    printing.text(f"{count(len(found), 'bullet')}: {kinds}; helped {sums['helpful']}, harmed {sums['harmful']}\n")
    printing.table(playbook.COLUMNS, [each.cells() for each in found[: playbook.TOP]])
    return None


@group.command()
def search(
    words: Annotated[list[str], typer.Argument(metavar="WORDS", help="All of them have to occur.")],
    project: Project = "",
    json: Json = False,
) -> None:
    """Find the bullets that hold some words.

    Example: ralph-mem playbook search rounding
    """
    found = playbook.having(playbook.bullets(_own(project), _now()), " ".join(words))
    if json:
        printing.as_json([each.values() for each in found])
    elif found:
        printing.table(playbook.COLUMNS, [each.cells() for each in found])
    else:
        printing.text("No bullet holds these words.")


@group.command()
def export(
    file: Annotated[str, typer.Argument(metavar="[FILE]", help="Where to write it; without, it is printed.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Write the playbook as Markdown, or with --json for a program; an existing file is not touched.

    Example: ralph-mem playbook export playbook.md
    """
    found = playbook.bullets(_own(project), _now())
    if json:
        printing.as_json([each.values() for each in found])
    elif not file:
        printing.verbatim(playbook.as_markdown(found).rstrip("\n"))
    else:
        try:
            with Path(file).open("x", encoding="utf-8") as opened:
                opened.write(playbook.as_markdown(found))
        except OSError as error:
            raise RalphMemError(f"cannot write {file}: {error.strerror}", "name a new file in a folder of yours") from error
        printing.text(f"Wrote {count(len(found), 'bullet')} to {' '.join(terminal.plain(str(file)).split())}.")


@group.command("import")
def import_(
    file: Annotated[str, typer.Argument(metavar="FILE", help="What `playbook export --json` printed.")],
    project: Project = "",
    json: Json = False,
) -> None:
    """Take in the bullets of an export as your own; lessons stay behind, as they belong to the runs that taught them.

    Example: ralph-mem playbook import playbook.json
    """
    place = registry.choose(project)
    settings = effective.load(place)
    effective.need_recording(place, settings)
    known = [(number, each) for number, each in enumerate(_read(file), 1) if each.get("kind") != facts.LESSON]
    taken = by_hand.take_all(place, [_statement(number, each, place, settings) for number, each in known])
    if json:
        printing.as_json([{"verb": each.verb, "id": each.public_id, "about": each.target} for each in taken])
        return
    changed = [each for each in taken if each.verb != decision.NOOP or each.is_extended]
    for each in changed:
        if each.verb != decision.ADD:
            printing.text(by_hand.told(each))
    rest = "" if len(changed) == len(taken) else f"; of {len(taken) - len(changed)} nothing is new"
    printing.text(f"Taken in: {len(changed)} of {count(len(known), 'bullet')}{rest}.")


def _statement(number: int, bullet: dict[str, Any], place: Place, settings: dict[str, Any]) -> Statement:
    """Return a bullet of a file as a statement. Raises RalphMemError, with its number in the file, for what cannot be one."""
    text, kind, also = bullet.get("text"), bullet.get("kind"), bullet.get("also") or []
    if not isinstance(text, str) or kind not in facts.SAID or not isinstance(also, list):
        what = "has no text" if not isinstance(text, str) else f"is no {', '.join(facts.SAID)} or {facts.LESSON}"
        raise RalphMemError(f"bullet {number} {what}: nothing is taken in", HOW_TO_EXPORT)
    try:
        return by_hand.statement(text, place, settings, kind=kind, aliases=",".join(map(str, also)))
    except RalphMemError as error:
        raise RalphMemError(f"bullet {number}: {error}: nothing is taken in", error.hint) from error


def _read(file: str) -> list[dict[str, Any]]:
    try:
        found = loads(Path(file).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise RalphMemError(f"cannot read {file}: {error}", HOW_TO_EXPORT) from error
    if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
        raise RalphMemError(f"{file} holds no bullets", HOW_TO_EXPORT)
    return found


@group.command("trace")
def trace_(
    limit: Annotated[int | None, typer.Option("--limit", "-n", min=1, help="Only the last so many events.")] = None,
    project: Project = "",
    json: Json = False,
) -> None:
    """Print what happened to facts, an event a line in JSON: loaded, injected, added, reinforced, merged, retired.

    With --json all of it is one value. Receipts have the numbers that `ralph-mem why` prints.

    Example: ralph-mem playbook trace
    """
    found = playbook.events(_own(project))[-(limit or 0) :]
    if json:
        printing.as_json(found)
        return
    for event in found:
        printing.verbatim(dumps(event))


@group.command()
def prune(project: Project = "", json: Json = False) -> None:
    """Archive what is past its day, and the least useful beyond 400 bullets; what is pinned or was said often stays.

    Example: ralph-mem playbook prune
    """
    store = _own(project)
    with access.Change(store):
        gone = playbook.prune(store, _now())
    if json:
        printing.as_json([each.values() for each in gone])
    else:
        printing.text("\n".join(playbook.log(gone)) or "Nothing is archived: all that there is has room.")


@group.command(cls=Confirmed)
def reset(
    expired: Annotated[bool, typer.Option("--expired", help="Only what is past its day.")] = False,
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Delete the whole playbook for good, after showing it; facts of other kinds stay.

    Example: ralph-mem playbook reset
    """
    place = registry.choose(project)
    reader = Reader(access.to_change(place), place, effective.load(place))
    names = _all_of(reader.stores[0], expired)
    if not names:
        printing.as_json({"would_delete": [], "confirmed": False}) if json else printing.text("There is nothing to delete.")
        return
    choice = select.choose(reader, select.Selection(names), select.PROJECT)
    if confirm.lower() != choice.digits:
        _preview(reader, choice, json)
        if confirm:
            raise not_as_shown(confirm)
        return
    report = erase.forget(reader, choice.plans, lambda _what: None, choice.runs())
    printing.told(f"Deleted {count(len(names), 'row')} of the playbook.", {"deleted": names, "clean": report.is_clean()}, json)


def _preview(reader: Reader, choice: select.Choice, json: bool) -> None:
    if json:
        rows = [row.public_id for row in choice.rows()]
        printing.as_json({"would_delete": rows, "digest": choice.digits, "confirmed": False})
        return
    show_choice(reader, choice)


def _all_of(store: Store, expired: bool) -> list[str]:
    """Return the ids of the bullets of any status, with what the runs said of which lessons are made."""
    found = playbook.bullets(store, _now(), *facts.STATUSES)
    names = [
        each.fact.public_id for each in found if not expired or (each.fact.expires_at and each.fact.expires_at <= _now())
    ]  # fmt: skip
    return list(dict.fromkeys([*names, *[account for name in names for account, *_ in learnt.accounts(store, name)]]))


def _recounted(store: Store) -> list[str]:
    with access.Change(store):
        return outcomes.update(store, _now())


def _own(project: str) -> Store:
    return reader_of(project).stores[0]


def _now() -> int:
    return time.time_ns() // 1_000_000
