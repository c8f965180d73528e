"""The commands `share` and `team`, by which people who work together remember together."""

from contextlib import closing
from typing import Annotated, Any

import typer

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, day, digits_of, not_as_shown
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective
from ralph_mem.hosts import asker
from ralph_mem.interfaces.cli import printing, team_store
from ralph_mem.interfaces.cli.printing import Confirmed, Digits, Json, Project
from ralph_mem.interfaces.cli.reading import reader_of
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.team import (
    approvals,
    exchange,
    item_files,
    local_copy,
    policy,
    promotion,
    pushing,
    shared_item,
)
from ralph_mem.maintenance.team.local_copy import Held, Taken
from ralph_mem.maintenance.team.promotion import Promoted
from ralph_mem.memory import access, opening

commands = typer.Typer()
group = typer.Typer()
group.add_typer(team_store.group)
commands.add_typer(group, name="team")

COLUMNS = ("id", "standing", "kind", "whose", "said", "text")
GIST_CHARACTERS = 60
NOTHING = "Nothing of a team is held here; `ralph-mem team pull` takes in what the repository has."
NAMELESS, FOR_A_PERSON = "an item", "a person who pulls is told which it is, and why"
NO_LONGER_THEN = ", which is told no longer then"
AGAIN_THEN = ", which is told again then where no other approved item replaces it"
EDITED_SINCE = "  edited since you approved it, and waits: the approval of the earlier text would be taken back"
COMMIT = f"Nothing is committed. Look at it, then: git add {paths.TEAM_FILES}"


@commands.command(cls=Confirmed)
def share(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Facts that hold, bullets or notes of this project.")],
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Your own words in place of one's.")] = None,
    supersedes: Annotated[list[str], typer.Option("--supersedes", metavar="ID", help="An item of the team that it replaces.")] = [],  # noqa: B006
    team: Annotated[str, typer.Option("--team", metavar="NAME", help="For the server of a team, in place of a file.")] = "",
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Show facts, bullets or notes as your team would get them, and with --confirm write each into a file of the repository.

    Only a person confirms it. They are redacted with today's rules. Nothing is committed: that, and the review, are yours.

    Example: ralph-mem share obs-k3w9x2mfqa
    """
    if text is not None and not text.strip():
        raise RalphMemError("--text is empty", "give your own words; without --text the memory's are shared")
    if text and len(ids) > 1:
        raise RalphMemError("--text stands for one item, not for several", "share them one by one")
    reader = reader_of(project)
    if team:
        exchange.address_of(reader.project, team)  # a preview for one that was never joined would lead to nothing
    found = [promotion.promote(reader, each, text or "", tuple(supersedes)) for each in dict.fromkeys(ids)]
    policy.need([each.item for each in found], team or local_copy.FILES)  # nor for what may not be shared
    digits = digits_of([team + shared_item.text_of(each.item) for each in found])
    if confirm.lower() != digits:
        _preview(found, digits, json, team)
        if confirm:
            raise not_as_shown(confirm)
        return
    team_store.need_person()
    if team:
        _keep(reader.project, team, [each.item for each in found], json)
        return
    with closing(access.to_write(reader.project)) as opened:
        files = local_copy.share(opened, reader.project, [each.item for each in found])
    printing.told("\n".join([*[f"Written: {each}" for each in files], COMMIT]), {"files": files, "confirmed": True}, json)


def _keep(place: Place, team: str, items: list[shared_item.Shared], json: bool) -> None:
    with closing(access.to_write(place)) as opened:
        pushing.keep(opened, team, items, exchange.now_ms())
    if json:
        printing.as_json({"waiting_for": team, "ids": [each.id for each in items], "confirmed": True})
    else:
        printing.text(f"{count(len(items), 'item')} for {team}. ralph-mem team push sends it.")


def _preview(found: list[Promoted], digits: str, json: bool, team: str) -> None:
    if json:
        to = [{"team": team} if team else {"file": item_files.path_of(each.item)} for each in found]
        shown = [{**where, "text": shared_item.text_of(each.item), "cut": each.cut} for where, each in zip(to, found, strict=True)]
        printing.as_json({"would_write": shown, "digest": digits, "confirmed": False})
        return
    for item, cut in found:
        printing.text(f"For {team}:" if team else f"{item_files.path_of(item)}:")
        printing.verbatim(shared_item.text_of(item))
        if cut:
            printing.text(f"Cut out: {', '.join(f'{number} {kind}' for kind, number in cut.items())}.")
    what = ("sent", "send") if team else ("written", "write")
    printing.text(f"Nothing is {what[0]} yet. To {what[1]} exactly this, add --confirm {digits}")


@group.command("list")
def list_(
    only_waiting: Annotated[bool, typer.Option("--waiting", help="Only what waits for your approval.")] = False,
    project: Project = "",
    json: Json = False,
) -> None:
    """List what others share, what waits for your approval first. A model that types it hears of that how much there is.

    Example: ralph-mem team list --waiting
    """
    place = registry.choose(project)
    held = [each for each in _held(place) if each.standing.word == approvals.WAITING or not only_waiting]
    found = [each for each in held if each.standing.word != approvals.WAITING] if not asker.is_a_person() else held
    if json:
        printing.as_json([_values(each) for each in found])
        return
    if found:
        printing.table(COLUMNS, [_cells(each) for each in found])
    elif not held:
        printing.text(NOTHING)
    if len(held) > len(found):
        printing.text(_told_waiting(len(held) - len(found)))


@group.command(cls=Confirmed)
def pull(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Only this team; `repository` is what files share.")] = "",
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Take in what others share, by files of the repository and by the servers of teams. It waits for your approval.

    Example: ralph-mem team pull
    """
    _pull(registry.choose(project), name, confirm, json)


@group.command()
def sync(name: team_store.Names = "", project: Project = "", json: Json = False) -> None:
    """Push, then pull: bring this memory and its teams up to date.

    Example: ralph-mem team sync
    """
    place = registry.choose(project)
    done = {team: team_store.pushed(place, team) for team in team_store.joined(place, name)}
    lines = [line for team, found in done.items() for line in team_store.told_pushed(team, found)]
    if not json:
        printing.text("\n".join(lines or ["Nothing to send."]))
    _pull(place, name, "", json)


@group.command()
def status(project: Project = "", json: Json = False) -> None:
    """Say how it stands with what is shared: what waits for you, what for a server, and whether that answers.

    Example: ralph-mem team status
    """
    place = registry.choose(project)
    held = _held(place)
    number = len([each for each in held if each.standing.word == approvals.WAITING])
    rules = policy.read().told()
    servers = [team_store.status_of(place, team) for team in team_store.joined(place)]
    if json:
        printing.as_json({"held": len(held), "waiting_for_you": number, "servers": servers, "policy": rules})
        return
    printing.text(f"{count(len(held), 'item')} of others held here." + (f" {_told_waiting(number)}" if number else ""))
    for each in servers:
        waits = f"{each['waiting']} to be sent, {each['conflict']} in conflict"
        printing.text(terminal.plain(f"{each['team']} at {each['address']}: {each['server']}; {waits}"))
        for line in team_store.told_behind(each["behind"]):
            printing.text(line)
    if rules:
        printing.text(terminal.plain(rules))


def _pull(place: Place, name: str, confirm: str, json: bool) -> None:
    settings = effective.load(place)
    effective.need_recording(place, settings)
    found = {}
    for team in [name] if name else [local_copy.FILES, *team_store.joined(place)]:
        now = exchange.now_ms()
        read = item_files.read(place, now) if team == local_copy.FILES else item_files.Read([], [])
        if team == local_copy.FILES and not read.items and not access.is_there(place):
            found[team] = Taken([], [], [], [], [], read.refused, 0)  # no memory is begun for nothing
            continue
        with closing(access.to_write(place)) as opened:
            opening.notice(opened, place)  # it may be the first that is remembered here
            if team == local_copy.FILES:
                taken = local_copy.take(opened, place, settings, team, read.items, confirm)
            else:
                with exchange.noted(opened, team, synced=True):
                    there = exchange.accepted(place, team, now, settings["team.max_items"])
                    read = item_files.Read(there.items, there.refused)
                    taken = local_copy.take(opened, place, settings, team, there.items, confirm, there.is_full)
                    exchange.note_pull(place, team)
        found[team] = taken._replace(refused=[*read.refused, *taken.refused])
    if not asker.is_a_person():  # what a stranger called a file, or wrote into it, is for no model
        found = {team: taken._replace(refused=[(NAMELESS, FOR_A_PERSON)] * len(taken.refused)) for team, taken in found.items()}
    if json:
        printing.as_json(
            {team: {**taken._asdict(), "refused": [list(each) for each in taken.refused]} for team, taken in found.items()}
        )
        return
    for team, taken in found.items():
        if team != local_copy.FILES or len(found) == 1 or any(taken[:-1]):  # who has a server need not have files
            printing.text(f"{team}: " + "\n".join(_told(taken)))
    number = max(taken.waiting for taken in found.values())
    if number:
        printing.text(_told_waiting(number))


def _told(taken: Taken) -> list[str]:
    """Say what a pull changed, with what was refused and why, a line each."""
    words = {"new": taken.new, "edited": taken.changed, "gone": taken.gone, "as before": taken.same, "your own": taken.own}
    said = ", ".join(f"{len(names)} {word}" for word, names in words.items() if names) or "nothing to take in"
    return [f"{said}.", *[f"Refused {terminal.plain(where)}: {why}" for where, why in taken.refused]]


def _told_waiting(number: int) -> str:
    verb = "waits" if number == 1 else "wait"
    return f"{count(number, 'item')} {verb} for your approval, told to no model before: ralph-mem team approve"


@group.command(cls=Confirmed)
def approve(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Items that wait; none means all of them.")] = [],  # noqa: B006
    take_back: Annotated[bool, typer.Option("--take-back", help="Let approved items wait again.")] = False,
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Show what others share and, with --confirm, let exactly that be told; an item that is edited waits again.

    Example: ralph-mem team approve obs-k3w9x2mfqa
    """
    team_store.need_person()
    place = registry.choose(project)
    chosen = _chosen(place, ids, take_back)
    digits = digits_of([*[shared_item.digest(each.team, each.item) for each in chosen], *["take back"] * take_back])
    if confirm and not chosen:
        raise not_as_shown(confirm)
    if not chosen or confirm.lower() != digits:
        _show(chosen, digits, json, take_back)
        if confirm:
            raise not_as_shown(confirm)
        return
    with closing(access.to_write(place)) as opened:
        number = local_copy.approve(opened, place, chosen, take_back)
    if json:
        printing.as_json({"changed": [each.item.id for each in chosen], "waiting": number, "confirmed": True})
        return
    printing.text(f"{'Taken back' if take_back else 'Approved'}: {', '.join(each.item.id for each in chosen)}.")
    if number:
        printing.text(_told_waiting(number))


def _chosen(place: Place, ids: list[str], take_back: bool) -> list[Held]:
    """Return the items that are meant. Raises RalphMemError for an id that none of them has."""
    before = approvals.items(place) if take_back else set()  # one that was edited since waits, and its earlier text is approved
    fitting = [each for each in _held(place) if (each.standing.word == approvals.WAITING) != take_back or each.item.id in before]
    if not ids and take_back:
        raise RalphMemError("which approvals are taken back?", "name the items; `ralph-mem team list` prints them")
    missing = [name for name in ids if name not in [each.item.id for each in fitting]]
    if missing:
        what = "that was approved is held" if take_back else "waits"
        raise RalphMemError(f"no item {missing[0][:40]} {what} here", "`ralph-mem team list` prints them")
    return [each for each in fitting if not ids or each.item.id in ids]


def _show(chosen: list[Held], digits: str, json: bool, take_back: bool) -> None:
    if json:
        printing.as_json({"would_change": [_values(each) for each in chosen], "digest": digits, "confirmed": False})
        return
    for item, stands, team in chosen:
        printing.text(f"{item.id}  {item.kind} of {item.author} (claimed), {day(item.at)}, team {team}:")
        printing.verbatim("\n".join("  " + line for line in item.body.splitlines()))
        for old in item.supersedes:
            printing.text(f"  replaces {old}{AGAIN_THEN if take_back else NO_LONGER_THEN}")
        if stands.others:
            printing.verbatim("  " + approvals.beside(stands.others).replace("\n", "\n  "))
        if take_back and stands.word == approvals.WAITING:
            printing.text(EDITED_SINCE)
    told = f"Nothing is changed yet. To do exactly this, add --confirm {digits}" if chosen else "Nothing waits for your approval."
    printing.text(told)


def _held(place: Place) -> list[Held]:
    if not access.is_there(place):
        return []
    with closing(access.open_one(place)) as opened:
        return local_copy.held(opened, place)


def _values(each: Held) -> dict[str, Any]:
    item = each.item
    return {
        "id": item.id, "team": each.team, "standing": each.standing.word, "kind": item.kind, "claimed_author": item.author,
        "at": item.at, "supersedes": list(item.supersedes), "anchors": list(item.anchors), "text": item.body,
        "beside": [other.id for other in each.standing.others],
    }  # fmt: skip


def _cells(each: Held) -> tuple[object, ...]:
    text = " ".join(each.item.body.split())
    gist = text if len(text) <= GIST_CHARACTERS else text[: GIST_CHARACTERS - 3] + "..."
    return (each.item.id, each.standing.word, each.item.kind, f"{each.item.author} (claimed)", day(each.item.at), gist)
