"""A team with a server, as its people type it."""

import re

import pytest

from ralph_mem.core import paths
from tests.interfaces.cli.test_team import digits
from tests.maintenance.team import postgres
from tests.maintenance.team.servers import a_postgres, a_server
from tests.maintenance.team.situations import BONN, CELLE, an_item

__all__ = ["a_postgres", "a_server"]


@pytest.fixture(autouse=True)
def at_a_terminal(a_person):
    a_person.has_terminal = True


RULE = "Releases of the lantern go out with make ship."


@pytest.mark.check
def test_a_team_is_made_joined_and_kept_up_to_date_at_a_terminal(a_person, a_server):
    made = a_person.reads("team", "init", "shop", a_server.address(postgres.ADMIN), "--member", "walt=reviewer")
    assert "version 5" in made
    assert "Joined shop as reviewer" in a_person.reads("team", "join", "shop", a_server.address("walt"))
    a_person.reads("facts", "add", RULE, "--kind", "rule")
    (fact,) = a_person.json("facts", "list", "--kind", "rule")
    shown = a_person.reads("share", fact["id"], "--team", "shop")
    assert "For shop:" in shown and ".ralph-team" not in shown
    a_person.reads("share", fact["id"], "--team", "shop", "--confirm", digits(shown))
    assert "1 to be sent" in a_person.reads("team", "status")
    a_server.holds("wanda", an_item(CELLE, "The cellar of the lantern is dry."))
    synced = a_person.reads("team", "sync")
    assert "shop: 1 sent; a reviewer types: ralph-mem team accept shop" in synced and "repository" not in synced
    proposed = a_person.reads("team", "accept", "shop")
    assert RULE in proposed and "login wanda" in proposed
    a_person.reads("team", "accept", "shop", "--confirm", digits(proposed))
    assert "1 new, 1 your own" in a_person.reads("team", "pull", "shop")
    assert "The cellar of the lantern is dry." in a_person.reads("search", "--team", "shop", "cellar")
    assert [each["standing"] for each in a_person.json("team", "list")] == ["waiting"]
    (answers,) = (a_person.data / paths.TEAM_FOUND).iterdir()
    left = a_person.reads("team", "leave", "shop")
    assert not answers.exists()
    assert "1 item of it dropped" in left and "There stays what you shared, 1 item" in left


def test_a_reviewer_is_shown_what_an_item_replaces_and_what_it_is_about(a_person, a_server):
    a_person.reads("team", "join", "shop", a_server.address("vera"))
    a_server.holds("wanda", an_item(CELLE, "The cellar of the lantern is dry.", supersedes=(BONN,), anchors=("shop/cellar.py",)))
    text = a_person.reads("team", "accept", "shop")
    assert f"  replaces {BONN}\n  is about shop/cellar.py\n" in text
    (shown,) = a_person.json("team", "accept", "shop")["would_decide"]
    assert (shown["supersedes"], shown["anchors"]) == ([BONN], ["shop/cellar.py"])


def test_where_the_server_is_gone_status_says_so_in_one_line_and_ends_well(a_person, a_server):
    a_person.reads("team", "join", "shop", a_server.address("walt"))
    (file,) = (a_person.data / "team").iterdir()
    file.write_text(re.sub(r"host=\S+", "host=/nowhere", file.read_text()))
    said = a_person.reads("team", "status")
    assert len([line for line in said.splitlines() if "not there" in line]) == 1
    assert a_person.cli("team", "pull", "shop").code == 1
    (line,) = [line for line in a_person.reads("status").splitlines() if line.startswith("team: ")]
    assert re.fullmatch(r"team: shop: its server is gone since [\d: -]+, no sync yet", line)
    assert a_person.cli("search", "timezone").code == 0
    a_person.reads("facts", "add", RULE, "--kind", "rule")
    said = a_person.reads("search", "--team", "shop", "lantern")
    assert "This is of what was pulled, since the team's server: " in said
    assert "Nothing that was pulled holds these words." in said
    assert "Your own is not among it: `ralph-mem search` finds that." in said


def test_the_status_says_how_it_stands_with_a_team_in_one_line_and_asks_nobody(a_person, a_server):
    assert a_person.json("status")["team"] == {"not_approved": 0, "servers": []}
    a_person.reads("team", "join", "shop", a_server.address("walt"))
    a_person.reads("facts", "add", RULE, "--kind", "rule")
    (fact,) = a_person.json("facts", "list", "--kind", "rule")
    shown = a_person.reads("share", fact["id"], "--team", "shop")
    assert "For shop:" in shown and ".ralph-team" not in shown
    a_person.reads("share", fact["id"], "--team", "shop", "--confirm", digits(shown))
    assert "team: shop: no sync yet, 1 to be sent\n" in a_person.reads("status")
    a_server.holds("wanda", an_item(CELLE, "The cellar of the lantern is dry."))
    a_server.accepts()
    a_person.reads("team", "sync")
    assert re.search(r"\nteam: 1 item not approved; shop: last sync [\d: -]+\n", a_person.reads("status"))
    (server,) = a_person.json("status")["team"]["servers"]
    assert (server["team"], server["gone_since"], server["to_send"]) == ("shop", 0, 0) and server["last_sync"] > 0
    a_person.reads("forget", fact["id"], "--confirm", digits(a_person.reads("forget", fact["id"])))
    assert a_person.json("status")["team"]["servers"][0]["to_send"] == 1
    assert ": you are a writer; 1 to be sent, 0 in conflict\n" in a_person.reads("team", "status")
    assert "Not pulled since the last forget, and may hold it: rita, vera, wanda" in a_person.reads("team", "sync")
    a_person.reads("team", "sync")
    assert "may hold it: rita, vera, wanda." in a_person.reads("team", "status")


@pytest.mark.check
def test_a_team_gets_a_key_and_another_one_at_a_terminal(a_person, a_server):
    first, second = (str(a_person.home / name) for name in ("shop.key", "shop-2.key"))
    for file in (first, second):
        a_person.reads("team", "key", file)
    joined = a_person.reads("team", "join", "shop", a_server.address("vera"), "--key", first)
    assert "takes nothing but what the key has locked" in joined
    shown = a_person.reads("team", "rotate", "shop", second)
    assert "0 items of shop would be locked" in shown and "Every member needs that file" in shown
    assert "each member types" in a_person.reads("team", "rotate", "shop", second, "--confirm", digits(shown))
    assert "not the key of shop" in a_person.fails("team", "join", "shop", a_server.address("walt"), "--key", first)
    assert "only a person" in a_person.copied_to(a_person.folder.parent / "script").fails("team", "rotate", "shop", first)


def test_who_is_no_reviewer_is_told_so_and_who_is_no_member_too(a_person, a_server):
    a_person.reads("team", "join", "shop", a_server.address("walt"))
    assert "only a reviewer of shop accepts" in a_person.fails("team", "accept", "shop")
    said = a_person.cli("team", "join", "shop", a_server.address("sven"))
    assert said.code == 1 and "who runs the server adds members" in said.err
