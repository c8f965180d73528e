"""The commands of `team` that speak with a team's server; no other command and no hook does, but `search --team`."""

import os
from contextlib import closing
from typing import Annotated, Any

import typer

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, day, digits_of, not_as_shown
from ralph_mem.core.project import Project as Place
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective
from ralph_mem.hosts import asker
from ralph_mem.interfaces.cli import printing
from ralph_mem.interfaces.cli.printing import Confirmed, Digits, Json, Project
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.team import (
    approvals,
    exchange,
    finding,
    local_copy,
    policy,
    pushing,
    rotation,
    seal,
    server,
    setting_up,
    shared_item,
)
from ralph_mem.maintenance.team.exchange import Proposal
from ralph_mem.maintenance.team.pushing import Pushed
from ralph_mem.memory import access
from ralph_mem.memory.rows import outbox
from ralph_mem.memory.store.connection import Store

group = typer.Typer()

HELD = "The server takes nothing but what the key has locked."
NOT_HELD = "The server would take what the key has not locked too, until a reviewer types: ralph-mem team rotate {} FILE"
ONLY_A_PERSON = "only a person reads what nobody has approved, and decides about it"

Name = Annotated[str, typer.Argument(metavar="NAME", help="The team, in small letters.")]
Names = Annotated[str, typer.Argument(metavar="NAME", help="Only this team; default: all that the project has joined.")]
Address = Annotated[str, typer.Argument(metavar="ADDRESS", help="host=/run/postgresql dbname=team, or a host with TLS.")]


@group.command()
def init(
    name: Name,
    address: Address,
    members: Annotated[
        list[str], typer.Option("--member", metavar="LOGIN=ROLE", help="reader, writer or reviewer; LOGIN= takes one out.")
    ] = [],  # noqa: B006
    json: Json = False,
) -> None:
    """Make a team at a PostgreSQL server, bring its tables up to date, and say which logins are in it.

    The address is that of who runs the server, with the right to make roles. It is kept nowhere.

    Example: ralph-mem team init shop "host=/run dbname=t" --member al=writer
    """
    parts = [each.partition("=") for each in members]
    version = setting_up.make(address, setting_up.checked_name(name), {login: role for login, _, role in parts})
    if json:
        printing.as_json({"team": name, "version": version, "members": members})
    else:
        printing.text(f"{name} is at version {version}, {count(len(members), 'login')} changed.")
        printing.text(f"Each joins in a project: ralph-mem team join {name} ADDRESS")


@group.command()
def join(
    name: Name,
    address: Address,
    key: Annotated[str, typer.Option("--key", metavar="FILE", help="The team's key, by which its server cannot read.")] = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Join a team with this project: its address is kept in your data folder, never in the repository.

    Only a Unix socket, or TLS that checks the server's name. A password belongs into the file that PGPASSFILE names.

    Example: ralph-mem team join shop "host=/run/postgresql dbname=team"
    """
    place = registry.choose(project)
    policy.read().check_server(setting_up.checked_name(name), address)
    file = seal.checked(place, key) if key else ""
    role = exchange.role_of(address, setting_up.checked_name(name))
    lock = seal.Seal(seal.key_in(file)) if file else seal.of(place, name)
    is_held = rotation.joins(address, name, lock, role)
    with access.writing(place) as opened:
        approvals.join(place, name, address, file)
        outbox.server_heard(opened, name, exchange.now_ms(), answered=True)
    if json:
        printing.as_json({"team": name, "role": role, "address": server.shown(address), "key": file})
    else:
        printing.text(f"Joined {name} as {role}, at {server.shown(address)}. ralph-mem team sync brings both up to date.")
        if lock.key:
            printing.text(HELD if is_held else NOT_HELD.format(name))


@group.command("key")
def make_key(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Where to write it, outside of any repository.")], json: Json = False
) -> None:
    """Write a new key, by which a team's server keeps texts that it cannot read.

    Each member needs the same file, and joins with --key. Whoever loses it loses what is there; hand it on as you would a password.

    Example: ralph-mem team key ~/.config/shop.key
    """
    path = os.path.abspath(os.path.expanduser(file))
    seal.make(path)
    if json:
        printing.as_json({"key": terminal.plain(path)})
    else:
        printing.text(f"Written for you alone: {terminal.plain(path)}.")
        printing.text("Each member joins with it: ralph-mem team join NAME ADDRESS --key FILE")


@group.command(cls=Confirmed)
def rotate(
    name: Name,
    file: Annotated[str, typer.Argument(metavar="FILE", help="The new key, as `ralph-mem team key` writes one.")],
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Lock what a team has with another key, such as when somebody leaves; only a reviewer may.

    From then on the server takes nothing else, and who has the old key is told to get the new one. Cut short, it is finished by
    the same command. The first key of a team that has none yet is given in the same way.

    Example: ralph-mem team rotate shop ~/.config/shop-2.key
    """
    place = registry.choose(project)
    need_person()
    address, path = exchange.address_of(place, name), seal.checked(place, file)
    old, new = seal.of(place, name), seal.Seal(seal.key_in(path))
    number, digits = rotation.left(address, name, new), digits_of([name, str(new.id)])
    if confirm.lower() != digits:
        if json:
            printing.as_json({"would_lock": number, "digest": digits, "confirmed": False})
        else:
            printing.text(f"{count(number, 'item')} of {name} would be locked with the key in {terminal.plain(path)}.")
            printing.text("Every member needs that file then, and neither sends nor takes in anything without it.")
            printing.text(f"Nothing is changed yet. To do exactly this, add --confirm {digits}")
        if confirm:
            raise not_as_shown(confirm)
        return
    with printing.progress("locking") as bar:
        task = bar.add_task("", total=number)
        done = rotation.rotate(address, name, old, new, lambda at: bar.update(task, completed=at))
    with access.writing(place):
        approvals.join(place, name, address, path)
    if json:
        printing.as_json({"locked": done.locked, "rejected": done.rejected, "key": terminal.plain(path), "confirmed": True})
        return
    printing.text(f"{count(done.locked, 'item')} locked with the new key. Hand the file on; each member types:")
    printing.text(f"  ralph-mem team join {name} ADDRESS --key FILE")
    if done.rejected:
        printing.text(f"Rejected, since the old key did not open them: {', '.join(done.rejected)}.")


@group.command()
def leave(name: Name, project: Project = "", json: Json = False) -> None:
    """Leave a team: its items here, what waits for its server and its address go; what you shared stays there.

    Example: ralph-mem team leave shop
    """
    place = registry.choose(project)
    exchange.address_of(place, name)
    with closing(access.to_write(place)) as opened:
        number = local_copy.drop(opened, place, name)
        with access.Change(opened):
            stay = outbox.leave(opened, name)
            approvals.join(place, name, "")
            outbox.server_left(opened, name)
        finding.drop_answers(place)
    if json:
        printing.as_json({"team": name, "dropped": number, "stay": stay})
        return
    printing.text(f"Left {name}: {count(number, 'item')} of it dropped here.")
    if stay:
        printing.text(f"There stays what you shared, {count(stay, 'item')}: to take one away, join again, forget it, and push.")


@group.command()
def push(name: Names = "", project: Project = "", json: Json = False) -> None:
    """Send what you shared with a team's server and what you forgot of it.

    Example: ralph-mem team push
    """
    place = registry.choose(project)
    done = {team: pushed(place, team) for team in joined(place, name)}
    if json:
        printing.as_json({team: found._asdict() for team, found in done.items()})
        return
    for team, found in done.items():
        printing.text("\n".join(told_pushed(team, found)))
    if not done:
        printing.text("Nothing to send: no team is joined here. `ralph-mem team join` joins one, `ralph-mem share` writes files.")


@group.command(cls=Confirmed)
def accept(
    name: Name,
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Items; none means all that are proposed.")] = [],  # noqa: B006
    reject: Annotated[bool, typer.Option("--reject", help="Say no to them in place of yes.")] = False,
    confirm: Digits = "",
    project: Project = "",
    json: Json = False,
) -> None:
    """Show what is proposed to a team and, with --confirm, accept exactly that for all; only a reviewer may.

    Example: ralph-mem team accept shop
    """
    place = registry.choose(project)
    need_person()
    if exchange.role_of(exchange.address_of(place, name), name) != "reviewer":
        raise RalphMemError(f"only a reviewer of {name} accepts", "ralph-mem team status says what you are")
    found = [each for each in exchange.proposals(place, name, exchange.now_ms()) if not ids or each.item.id in ids]
    digits = digits_of([f"{each.rev} {shared_item.digest(name, each.item)}" for each in found])
    if not found or confirm.lower() != digits:
        _show(found, digits, json)
        if confirm:
            raise not_as_shown(confirm)
        return
    late = exchange.decide(place, name, found, "rejected" if reject else "accepted")
    done = [each.item.id for each in found if each.item.id not in late]
    if json:
        printing.as_json({"decided": done, "not_decided": late})
        return
    printing.text(f"{'Rejected' if reject else 'Accepted'}: {', '.join(done) or 'nothing'}.")
    if late:
        printing.text(f"Not decided, since somebody was faster or you are no reviewer: {', '.join(late)}.")


def _show(found: list[Proposal], digits: str, json: bool) -> None:
    if json:
        shown = [
            {
                "id": item.id, "login": login, "rev": rev, "text": item.body, "supersedes": list(item.supersedes),
                "anchors": list(item.anchors),
            }
            for item, login, rev in found
        ]  # fmt: skip
        printing.as_json({"would_decide": shown, "digest": digits, "confirmed": False})
        return
    for item, login, _ in found:
        printing.text(f"{item.id}  {item.kind} of {item.author} (claimed; login {ascii(login)[1:-1]}), {day(item.at)}:")
        printing.verbatim("\n".join("  " + line for line in item.body.splitlines()))
        for what, names in (("replaces", item.supersedes), ("is about", item.anchors)):
            if names:
                printing.text(f"  {what} {', '.join(names)}")
    printing.text(f"Nothing is changed yet. To do exactly this, add --confirm {digits}" if found else "Nothing is proposed.")


def need_person() -> None:
    """Raise RalphMemError where a model has typed a command in the shell of its session, or nobody has at a terminal."""
    if not asker.is_a_person():
        raise RalphMemError(ONLY_A_PERSON, "they type it in a terminal of their own; `ralph-mem team status` says how many wait")


def joined(place: Place, name: str = "") -> list[str]:
    """Return the teams that a project has joined, or the one of a name. Raises RalphMemError for one that it has not."""
    if name:
        exchange.address_of(place, name)
        return [name]
    return sorted(approvals.stores(place))


def pushed(place: Place, team: str) -> Pushed:
    """Send what waits for a team's server."""
    with closing(access.to_write(place)) as opened, exchange.noted(opened, team):
        return pushing.push(opened, place, effective.load(place), team)


def told_pushed(team: str, done: Pushed) -> list[str]:
    """Say what became of what waited for a server, a line each."""
    lines = [f"{team}: {len(done.sent)} sent" + (f"; a reviewer types: ralph-mem team accept {team}" if done.sent else ".")]
    lines += [f"{name}: the server has another text, and keeps it; share yours anew to propose it" for name in done.conflicts]
    lines += [f"{name}: not sent, {why}" for name, why in done.refused]
    if done.forgotten:
        lines += [f"{len(done.forgotten)} forgotten there too.", *told_behind(done.behind)]
    return lines


def status_of(place: Place, team: str) -> dict[str, Any]:
    """Return how it stands with a team's server, which need not be there: what waits here, whether it answers, who is behind."""
    address = approvals.stores(place)[team]
    with closing(access.to_write(place)) as opened:
        entries, waits = outbox.entries(opened, team), outbox.to_be_sent(opened).get(team, 0)
        answer, behind = _answer(opened, address, team)
    counts = {state: len([each for each in entries if each.state == state]) for state in outbox.STATES}
    return {"team": team, "address": server.shown(address), "server": answer, "behind": behind, **counts, outbox.WAITING: waits}


def _answer(opened: Store, address: str, team: str) -> tuple[str, list[str]]:
    try:
        with exchange.noted(opened, team):
            return f"you are a {exchange.role_of(address, team)}", exchange.who_is_behind(address, team)
    except RalphMemError as error:
        return f"not there: {error}", []


def told_behind(behind: list[str]) -> list[str]:
    """Say who has not pulled since something was forgotten, nothing where nobody is behind."""
    logins = ", ".join([ascii(login)[1:-1] for login in behind])
    return [f"Not pulled since the last forget, and may hold it: {logins}."] if behind else []
