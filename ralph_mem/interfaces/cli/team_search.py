"""Print what a team's server finds, for a person to read."""

from contextlib import closing
from typing import Any

from ralph_mem.core.format import day, when
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import terminal
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing, team_store
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.team import exchange, finding, local_copy, server
from ralph_mem.maintenance.team.shared_item import Shared
from ralph_mem.memory import access

SERVER, EARLIER, COPY = "server", "earlier answer", "copy"
NOTHING, NOTHING_PULLED = "Nothing that the team has accepted holds these words.", "Nothing that was pulled holds these words."
FINDS_OWN = "Your own is not among it: `ralph-mem search` finds that."


def search(project: str, team: str, query: str, limit: int | None, json: bool) -> None:
    """Ask the server of a team and print the items, the best first; where it is gone, what was found before or is held here."""
    team_store.need_person()
    place = registry.choose(project)
    settings = effective.load(place)
    items, source, why = _found(place, settings, team, query, limit or settings["search.max_results"])
    if json:
        printing.as_json([{**_values(each), "from": source} for each in items])
        return
    for each in items:
        printing.text(f"{each.id}  {each.kind} of {each.author} (claimed), {day(each.at)}  {' '.join(each.body.split())}")
    if not items:
        printing.text(NOTHING_PULLED if source == COPY else NOTHING)
    if why:
        printing.text(terminal.plain(why))


def _found(place: Project, settings: dict[str, Any], team: str, query: str, most: int) -> tuple[list[Shared], str, str]:
    """Return the items, where they come from, and what a person has to know about that."""
    now = exchange.now_ms()
    try:
        answer = finding.search(place, settings, team, query, most, now)
    except server.ServerError as error:
        if not access.is_there(place):
            raise
        with closing(access.open_one(place)) as opened:
            held = local_copy.search(opened, place, settings, team, query, most)
        return held, COPY, f"This is of what was pulled, since {error}. {FINDS_OWN}"
    if answer.at == now:
        return answer.items, SERVER, ""
    since = f", since {answer.gone}" if answer.gone else ""
    return answer.items, EARLIER, f"This is what the server said at {when(answer.at)}{since}."


def _values(item: Shared) -> dict[str, Any]:
    return {"id": item.id, "kind": item.kind, "claimed_author": item.author, "at": item.at, "text": item.body}
