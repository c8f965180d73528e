"""Print what a team's server finds, for a person to read."""

from ralph_mem.core.format import day
from ralph_mem.core.settings import effective
from ralph_mem.interfaces.cli import printing, team_store
from ralph_mem.maintenance import registry
from ralph_mem.maintenance.team import exchange

NOTHING = "Nothing that the team has accepted holds these words."


def search(project: str, team: str, query: str, limit: int | None, json: bool) -> None:
    """Ask the server of a team and print the items, the best first. Nothing of it is kept here."""
    team_store.need_person()
    place = registry.choose(project)
    settings = effective.load(place)
    most = limit or settings["search.max_results"]
    found = exchange.search(place, settings, team, query, most, exchange.now_ms())
    if json:
        printing.as_json(
            [{"id": each.id, "kind": each.kind, "claimed_author": each.author, "at": each.at, "text": each.body} for each in found]
        )
        return
    for each in found:
        printing.text(f"{each.id}  {each.kind} of {each.author} (claimed), {day(each.at)}  {' '.join(each.body.split())}")
    if not found:
        printing.text(NOTHING)
