"""What holds for an item holds whoever keeps it: a program in the local memory, or a team, from which it was pulled."""

import pytest

from ralph_mem import Memory
from ralph_mem.interfaces.mcp import answers, reading
from ralph_mem.maintenance.transfer import outgoing
from tests.maintenance.team.servers import Member
from tests.maintenance.team.situations import BONN, DEPLOYS, Team, an_item
from tests.readers import forget, in_order, reader_of, search

LOCAL, FILES, SERVER = "local", "pulled from files", "pulled from a server"


class Kept:
    """An item in a memory: its namespace and its key there."""

    def __init__(self, session, namespace, key):
        self.session, self.namespace, self.key = session, namespace, key
        self.memory = Memory(session.project.root)

    def get(self):
        return self.memory.get(self.namespace, self.key)

    def listed(self):
        return [each.key for each in self.memory.list(self.namespace)]


@pytest.fixture(params=[LOCAL, FILES, SERVER])
def kept(request, a_session):
    if request.param == LOCAL:
        made = Kept(a_session, ("deploys",), "where")
        made.memory.put(made.namespace, made.key, {"text": DEPLOYS})
        return made
    if request.param == FILES:
        team = Team(a_session)
        team.has(an_item())
    else:
        server = request.getfixturevalue("a_server")
        server.holds("walt", an_item())
        server.accepts()
        team = Member(a_session, server, "wanda")
    team.pulls()
    team.approves()
    return Kept(a_session, ("team", "shop" if request.param == SERVER else "repository"), BONN)


def test_it_is_got_listed_and_counted(kept):
    assert kept.get().value["text"] == DEPLOYS and not kept.get().outside
    assert kept.listed() == [kept.key]
    assert kept.namespace in kept.memory.list_namespaces() and kept.memory.stats()["by_namespace"][kept.namespace] == 1


def test_it_is_found_below_its_namespace_and_not_below_another(kept):
    assert [each.key for each in kept.memory.search(kept.namespace[:1], "lantern deploys")] == [kept.key]
    assert kept.memory.search(("elsewhere",), "lantern deploys") == []
    assert [row.public_id for row in search(reader_of(kept.session), "lantern deploys")] == [kept.get().id]


def test_it_is_told_at_a_prompt_and_by_the_tools(kept):
    assert DEPLOYS in kept.session.asks("Where do deploys of the lantern service go?")
    asked = reading.Asked(kept.session.project, "a client", "", 0, kept.session.now)
    assert DEPLOYS in answers.called("show", {"ids": [kept.get().id]}, asked)


def test_it_has_a_history_and_a_past(kept):
    (only,) = kept.memory.history(kept.namespace, kept.key)
    assert only.value == kept.get().value
    assert kept.memory.as_of(1.0).get(kept.namespace, kept.key) is None


def test_it_is_part_of_an_export(kept):
    records = outgoing.parcel(kept.session.store, outgoing.Choice(), kept.session.project, kept.session.settings).records
    assert kept.get().id in {each.get("public_id") for each in records}


@pytest.mark.parametrize("away", ["deleted", "cleared", "forgotten"])
def test_it_goes_whole(kept, away):
    name = kept.get().id
    if away == "deleted":
        assert kept.memory.delete(kept.namespace, kept.key)
    elif away == "cleared":
        assert kept.memory.clear_namespace(kept.namespace) == 1
    else:
        forget(reader_of(kept.session), name)
    assert (kept.get(), kept.listed()) == (None, [])
    assert kept.memory.search(kept.namespace, "lantern deploys") == []
    in_order(kept.session.store)
