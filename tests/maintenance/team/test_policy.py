"""An administrator's file says what may be shared from a machine: it narrows, and a slip in it lets nothing out."""

import os

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.cli import team
from ralph_mem.maintenance.team import policy
from tests.maintenance.team.servers import TEAM
from tests.maintenance.team.situations import BONN, DEPLOYS, a_fact, an_item
from tests.maintenance.team.test_exchange import own


@pytest.fixture
def the_policy(tmp_path, monkeypatch):
    """Return what writes the file of this machine's administrator."""
    file = tmp_path / "team.yaml"
    monkeypatch.setattr(policy, "PATH", str(file))
    monkeypatch.setattr(policy, "OWNER", os.geteuid())

    def write(text):
        file.write_text(text)
        file.chmod(0o644)
        return file

    return write


def why(item=None, team="repository"):
    """Say why an item may not be shared, nothing where it may."""
    try:
        policy.read().check(item or an_item(), team)
    except policy.Refused as error:
        return str(error)
    return ""


def test_without_a_file_all_is_as_it_was(the_policy):
    assert why() == "" and policy.read().told() == ""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("share: off", "nothing is shared here"),
        ("kinds: [note]", "a fact may not be shared here"),
        ("kinds: []", "a fact may not be shared here"),
        ("teams: [shop]", "nothing is shared with repository here"),
        ("max_characters: 10", "10 may be shared here"),
        ("forbid: ['B[o]nn']", "it holds what may not be shared here"),
        ("forbid: ['Ada']", "it holds what may not be shared here"),
    ],
)
def test_each_line_narrows(the_policy, text, told):
    the_policy(text)
    assert told in why()


@pytest.mark.parametrize(
    "text", ["kinds: [fact, bullet, note, prompt]", "max_characters: 99999", "share: on", "teams: [repository]", "forbid: []"]
)
def test_no_line_widens(the_policy, text):
    the_policy(text)
    assert why() == ""


@pytest.mark.parametrize("text", ["shares: off", "kinds: note", "max_characters: many", "forbid: ['(']", "kinds: [", "share: 3"])
def test_a_slip_lets_nothing_out_and_is_named(the_policy, text):
    the_policy(text)
    assert "nothing is shared" in why() and str(policy.PATH) in policy.read().told()


def test_a_file_that_others_may_write_lets_nothing_out(the_policy):
    the_policy("kinds: [fact]").chmod(0o666)
    assert "somebody else than root" in why()


def test_nothing_is_written_kept_or_sent_against_it(the_policy, a_member, a_session):
    waiting = own(a_member)
    the_policy("kinds: [note]")
    assert a_member.pushes().refused == [(waiting.id, "a fact may not be shared here")]
    with pytest.raises(RalphMemError, match="a fact may not be shared here"):
        a_member.gives(an_item(BONN, DEPLOYS))
    with pytest.raises(RalphMemError, match="a fact may not be shared here"):
        a_member.shares(a_fact(a_session, "Mondays are for releases."))
    assert not os.path.exists(f"{a_member.project.top}/.ralph-team")


@pytest.mark.parametrize("name", ["", TEAM])
def test_what_it_refuses_is_not_previewed_either(the_policy, a_member, a_session, name, capsys):
    fact = a_fact(a_session)
    team.share([fact], team=name, project=a_member.project.root, text=None)
    assert DEPLOYS in capsys.readouterr().out
    the_policy("kinds: [note]")
    with pytest.raises(RalphMemError, match=f"{fact}: a fact may not be shared here"):
        team.share([fact], team=name, project=a_member.project.root, text=None)


def test_only_the_servers_that_it_names_get_anything(the_policy, a_member):
    own(a_member)
    the_policy("hosts: [db.example.org]")
    with pytest.raises(RalphMemError, match="is no server for what is shared here"):
        a_member.pushes()
    policy.read().check_server(TEAM, "host=db.example.org dbname=x")
