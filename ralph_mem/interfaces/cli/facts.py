"""The command group `facts`, for what holds beyond single turns."""

import time
from pathlib import Path
from typing import Annotated

import typer

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import day, moment_of
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Json, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import registry, rule_export
from ralph_mem.memory.facts import accepting, by_hand, proposed
from ralph_mem.memory.rows import facts as rows

commands = typer.Typer()
group = typer.Typer()
commands.add_typer(group, name="facts")

Id = Annotated[str, typer.Argument(metavar="ID", help="A fact, as `facts list` prints it.")]
LINK = ("a", "b", "kind", "likeness", "decided_by", "at")
NOTHING = "There is nothing to bring into the file: what holds stands there, or was said in fewer than three sessions."
MOST_LISTED = 50  # more than a screen has, and as many as most projects ever keep


@group.callback(invoke_without_command=True)
def list_all(context: typer.Context, project: Project = "", json: Json = False) -> None:
    """See, keep and correct what holds beyond single turns: facts, and candidates that nobody has decided about.

    Example: ralph-mem facts
    """
    if context.invoked_subcommand is None:
        list_([], "", "", "", None, project, json)


@group.command("list")
def list_(
    status: Annotated[list[str], typer.Option("--status", metavar="STATUS", help=f"Only: {', '.join(rows.STATUSES)}.")] = [],  # noqa: B006
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help=f"Only: {', '.join(rows.KINDS)}.")] = "",
    as_of: Annotated[str, typer.Option("--as-of", metavar="WHEN", help="What was known at that time.")] = "",
    valid_at: Annotated[
        str, typer.Option("--valid-at", metavar="WHEN", help="What was true at that time, as is known today.")
    ] = "",
    limit: Annotated[
        int | None, typer.Option("--limit", "-n", min=1, help=f"How many at most. Default: {MOST_LISTED}, and for a program all.")
    ] = None,
    project: Project = "",
    json: Json = False,
) -> None:
    """List facts and candidates, or those of other statuses, the newest first; or the facts of another time.

    Example: ralph-mem facts list --kind rule
    """
    _check(status, rows.STATUSES, "status")
    _check([kind] * bool(kind), rows.KINDS, "kind")
    now = time.time_ns() // 1_000_000
    if as_of or valid_at:
        known = _moment(as_of, now), _moment(valid_at, now)
        found = by_hand.at_another_time(reader_of(project), *known, tuple(status), kind)
    else:
        found = by_hand.listed(reader_of(project), tuple(status) or rows.THERE, kind, now)
    most = limit or MOST_LISTED
    if json:
        printing.as_json([by_hand.as_values(fact) for fact in found[:limit]])
    elif found:
        printing.table(by_hand.COLUMNS, [by_hand.cells(fact) for fact in found[:most]])
        if len(found) > most:
            printing.text(f"and {len(found) - most} more: --limit N lists them")
    elif as_of or valid_at:
        printing.text("Nothing of the kind was known then." if as_of else "Nothing of the kind held then.")
    else:
        printing.text("There is no such fact here; `ralph-mem facts add TEXT` keeps one.")


def _moment(text: str, now: int) -> int | None:
    return moment_of(text, now) if text else None


def _check(words: list[str], known: tuple[str, ...], what: str) -> None:
    for word in words:
        if word not in known:
            raise RalphMemError(f"there is no {what} {word[:40]}", "one of " + ", ".join(known))


@group.command()
def add(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="One statement in your own words.")],
    also: Annotated[str, typer.Option("--also", metavar="WORDS", help="Other words for it, by commas: k8s, kube.")] = "",
    kind: Annotated[str, typer.Option("--kind", metavar="KIND", help=f"One of {', '.join(rows.SAID)}.")] = "",
    days: Annotated[int, typer.Option("--days", metavar="N", min=0, max=36_500, help="Holds for so many days; 0 is for good.")] = 0,
    everywhere: Annotated[bool, typer.Option("--global", "-g", help="For all projects, not only this one.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Keep a statement; one that says something else about the same replaces the older one, which stays in its history.

    Example: ralph-mem facts add "Deploys go to Bonn." --also deployment
    """
    _check([kind] * bool(kind), rows.SAID, "kind")
    place = registry.choose(project)
    target = projects.everywhere() if everywhere else place
    if target is None:
        raise RalphMemError("there is no home folder for facts about all projects", "leave out --global")
    taken = by_hand.keep(target, place, effective.load(place), " ".join(text), kind=kind, aliases=also, days=days)
    if json:
        printing.as_json({"verb": taken.verb, "id": taken.public_id, "about": taken.target, "likeness": round(taken.score, 4)})
    else:
        printing.text(by_hand.told(taken))


@group.command()
def show(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Show all that is known of a fact: whence, since when, what it replaced, what came of it.

    Example: ralph-mem facts show obs-k3w9x2mfqa
    """
    store, fact = by_hand.look(reader_of(project), public_id)
    if json:
        links = [dict(zip(LINK, link, strict=True)) for link in rows.links(store, public_id)]
        printing.as_json({**by_hand.as_values(fact), "sources": rows.sources(store, public_id), "links": links})
    else:
        printing.text("\n".join(by_hand.explained(store, fact)))


@group.command()
def history(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Show what a fact replaced, and what that replaced in its turn, the newest first.

    Example: ralph-mem facts history obs-k3w9x2mfqa
    """
    reader = reader_of(project)
    found = by_hand.history(reader, *by_hand.find(reader, public_id))
    if json:
        printing.as_json([{**by_hand.as_values(fact), "after": did} for fact, did in found])
        return
    for fact, _ in found:
        printing.text(f"{day(fact.said_at)}  {fact.status.ljust(10)}  {fact.public_id}  {fact.text}")


@group.command()
def edit(
    public_id: Id,
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="The statement as it should be.")],
    project: Project = "",
    json: Json = False,
) -> None:
    """Correct what a fact says; it is your own word from then on.

    Example: ralph-mem facts edit obs-k3w9x2mfqa Releases go out with make ship.
    """
    reader = reader_of(project)
    by_hand.edit(reader, public_id, " ".join(text))
    _tell(reader_of(project), public_id, json)


@group.command()
def accept(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Make a candidate a fact; what it is an update of is replaced.

    Example: ralph-mem facts accept obs-k3w9x2mfqa
    """
    by_hand.change(reader_of(project), public_id, accepting.accept)
    _tell(reader_of(project), public_id, json)


@group.command()
def reject(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Say no to a candidate; the same words are never proposed again.

    Example: ralph-mem facts reject obs-k3w9x2mfqa
    """
    by_hand.change(reader_of(project), public_id, accepting.reject)
    _tell(reader_of(project), public_id, json)


@group.command()
def retire(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Let a fact hold no longer; it stays in its history. `ralph-mem forget ID` deletes it for good.

    Example: ralph-mem facts retire obs-k3w9x2mfqa
    """
    by_hand.change(reader_of(project), public_id, by_hand.retire)
    _tell(reader_of(project), public_id, json)


@group.command("export")
def export_(
    file: Annotated[str, typer.Argument(metavar="[CLAUDE.md|AGENTS.md]", help="Default: the one that is there.")] = "",
    apply: Annotated[bool, typer.Option("--apply", help="Write the file; without it, nothing is changed.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """Print what holds as a diff of the project's file of rules, for `git apply`; or write it with --apply.

    Added is what was said in three sessions; replaced, what a fact says otherwise; left out, a line whose only path is gone.

    Example: ralph-mem facts export CLAUDE.md
    """
    reader = reader_of(project)
    name = file or next((each for each in event.RULE_FILES if Path(reader.project.root, each).exists()), event.RULE_FILES[0])
    if Path(name).name not in event.RULE_FILES:
        raise RalphMemError(f"{name[:40]} is no file of rules", "one of " + ", ".join(event.RULE_FILES))
    found = rule_export.plan(reader, name, event.instructions())
    diff = found.diff()
    if apply:
        rule_export.apply(reader, found)
    if json:
        changes = [each._asdict() for each in found.changes]
        told = {"file": found.file.name, "changes": changes, "disputed": found.disputed, "diff": diff, "applied": apply}
        printing.as_json(told)
    elif apply:
        printing.text(f"{found.file.name} is written; what it says now is told no more. `git diff` shows it.")
    else:
        printing.verbatim(diff.removesuffix("\n") or NOTHING)
    if found.disputed and not json:
        what = f"left out, as it contradicts another that holds: {', '.join(found.disputed)}"
        printing.complain(what, "`ralph-mem facts retire ID` takes one back, `ralph-mem facts show ID` names the other")


@group.command("starter")
def starter(
    name: Annotated[str, typer.Argument(metavar="SET", help=f"One of {', '.join(proposed.SETS)}.")],
    project: Project = "",
    json: Json = False,
) -> None:
    """Propose a small set of rules that many projects have; nothing of it is told before you have accepted it.

    Example: ralph-mem facts starter tests
    """
    place = registry.choose(project)
    names = proposed.new_ids(proposed.propose_set(place, effective.load(place), name))
    if json:
        printing.as_json({"set": name, "proposed": names})
        return
    for each in names:
        _tell(reader_of(project), each, json)
    printing.text("`ralph-mem facts accept ID` keeps one." if names else "All of it is here already, or was refused.")


@group.command()
def promote(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Copy a fact or a note of this project to all projects; the original stays, and is named as the source of the copy.

    Example: ralph-mem facts promote obs-k3w9x2mfqa
    """
    taken = by_hand.promote(reader_of(project), public_id)
    printing.told(by_hand.told(taken), {"verb": taken.verb, "id": taken.public_id, "about": taken.target, "from": public_id}, json)


@group.command()
def fold(
    public_id: Id,
    into: Annotated[str, typer.Argument(metavar="INTO", help="The fact that is to be told instead.")],
    project: Project = "",
    json: Json = False,
) -> None:
    """Let a fact be told as another one that says the same; it stays in the history, and `facts undo` takes it out again.

    Example: ralph-mem facts fold obs-k3w9x2mfqa obs-m4x2k9wfqb
    """
    by_hand.change(reader_of(project), public_id, lambda store, fact, at: accepting.fold(store, fact, into, at))
    _tell(reader_of(project), into, json)


@group.command()
def undo(public_id: Id, project: Project = "", json: Json = False) -> None:
    """Take back what a fact did: what it replaced or took back holds again, and it does not.

    Example: ralph-mem facts undo obs-k3w9x2mfqa
    """
    back = by_hand.change(reader_of(project), public_id, accepting.undo)
    printing.told(f"Taken back: {', '.join(back)} holds again.", {"id": public_id, "holds_again": back}, json)


def _tell(reader: object, public_id: str, json: bool) -> None:
    _, fact = by_hand.look(reader, public_id)  # type: ignore[arg-type]
    printing.told(f"{fact.public_id} ({fact.kind}, {fact.status}): {fact.text}", by_hand.as_values(fact), json)
