"""Situations of people who share: a person with a project, and items that others have put into its repository."""

import time
from pathlib import Path

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.mcp import answers
from ralph_mem.maintenance.team import item_files, local_copy, promotion, shared_item
from ralph_mem.maintenance.team.shared_item import Shared
from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts
from tests.readers import reader_of
from tests.sessions import NOON

BONN, CELLE, DIRK = ("obs-bbbbbbbbbb", "obs-cccccccccc", "obs-dddddddddd")
DEPLOYS = "Deploys of the lantern service go to Bonn."


def an_item(name=BONN, body=DEPLOYS, **changes):
    """Return an item as Ada has shared it."""
    known = {"kind": "fact", "author": "Ada", "at": NOON, "session": "", "supersedes": (), "anchors": ()}
    return Shared(name, body=body, **{**known, **changes})


class Team:
    """What a person does with what others share, over the functions behind the commands."""

    def __init__(self, session):
        self.session, self.project, self.opened = session, session.project, session.store

    def has(self, *items):
        """Let items lie in the repository, as a colleague's commit brings them."""
        for item in items:
            item_files.write(self.project, item)

    def file(self, item):
        return Path(self.project.top, item_files.path_of(item))

    def pulls(self):
        read = item_files.read(self.project, time.time_ns() // 1_000_000)
        taken = local_copy.take(self.opened, self.project, self.session.settings, local_copy.FILES, read.items)
        return taken._replace(refused=[*read.refused, *taken.refused])

    def approves(self, *names, take_back=False):
        held = [each for each in local_copy.held(self.opened, self.project) if not names or each.item.id in names]
        return local_copy.approve(self.opened, self.project, held, take_back)

    def shares(self, name, text="", supersedes=()):
        """Share a row for good; returns the item."""
        item = promotion.promote(reader_of(self.session), name, text, supersedes).item
        local_copy.share(self.opened, self.project, [item])
        return item

    def standing(self):
        return {each.item.id: each.standing.word for each in local_copy.held(self.opened, self.project)}

    def is_told(self, prompt="Where do deploys of the lantern service go?"):
        """Return what a model is told at a prompt of a session of its own."""
        return self.session.asks(prompt)


@pytest.fixture
def a_team(a_session):
    return Team(a_session)


def a_fact(session, text=DEPLOYS, kind=facts.FACT, source=facts.ADD, **known):
    """Keep a fact as a person does; returns its id."""
    session.store.begin()
    taken = taking.take(session.store, taking.Statement(text, kind, source, NOON, **known), NOON)
    session.store.commit()
    return taken.public_id


__all__ = ["RalphMemError", "answers", "shared_item"]
