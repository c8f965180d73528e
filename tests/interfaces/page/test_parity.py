"""A verb done in the page and in a terminal leaves the same rows, index entries, receipts and audit, but for ids and times."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.core import project as projects
from ralph_mem.core.project import Project
from ralph_mem.interfaces.page import routes
from ralph_mem.maintenance.forget import pending
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import by_hand, core, relations
from ralph_mem.memory.ownership import seals
from ralph_mem.memory.store import connection
from tests.command_line import says
from tests.interfaces.page.visitors import Person
from tests.readers import note
from tests.sessions import Session

# A verb's words in a terminal, and its form with the fields in the page.
VERBS = [
    ("inject 'Deploys go to Bonn.'", "note", {"text": "Deploys go to Bonn."}),
    ("inject --global 'Ada likes tea.'", "note", {"text": "Ada likes tea.", "global": "yes"}),
    ("edit NOTE 'Releases go out with make release.'", "edit", {"id": "NOTE", "text": "Releases go out with make release."}),
    ("edit TURN 'It was in the cellar.'", "edit", {"id": "TURN", "text": "It was in the cellar."}),
    ("pin TURN", "pin", {"id": "TURN"}),
    ("pin TURN --off", "pin", {"id": "TURN", "off": "yes"}),
    ("wrong TURN", "wrong", {"id": "TURN"}),
    ("undo", "undo", {}),
    ("facts add 'Test it.' --kind rule --also specs", "fact-add", {"text": "Test it.", "kind": "rule", "also": "specs"}),
    ("facts edit FACT 'Ada owns the till.'", "fact-edit", {"id": "FACT", "text": "Ada owns the till."}),
    ("facts retire FACT", "fact-retire", {"id": "FACT"}),
    ("facts accept CANDIDATE", "fact-accept", {"id": "CANDIDATE"}),
    ("facts reject CANDIDATE", "fact-reject", {"id": "CANDIDATE"}),
    ("facts promote FACT", "fact-promote", {"id": "FACT"}),
    ("facts fold CANDIDATE FACT", "fact-fold", {"id": "CANDIDATE", "into": "FACT"}),
    ("facts undo KEY", "fact-undo", {"id": "KEY"}),
    ("core set port 8080", "key-set", {"key": "port", "value": "8080"}),
    ("core set tracker c.example", "key-set", {"key": "tracker", "value": "c.example"}),
    ("core delete tracker", "key-delete", {"key": "tracker"}),
    ("config set memory.inject_tokens_prompt 100", "set", {"key": "memory.inject_tokens_prompt", "value": "100"}),
    ("relations edit RELATION --object 'Team Till' --confidence 0.5", "relation-edit",
     {"id": "RELATION", "object": "Team Till", "confidence": "0.5"}),
    ("relations remove RELATION", "relation-remove", {"id": "RELATION"}),
    ("forget NOTE", "forget", {"id": "NOTE"}),
    ("forget --query zeppelin", "forget", {"query": "zeppelin"}),
    ("forget --all --scope project", "forget", {"all": "yes", "scope": "project", "typed": "forget"}),
]  # fmt: skip
TABLES = "turns observations memories receipts receipt_items derived_from facts fact_links relations tombstones".split()
OF_INDEX = ("memory_fts", "observations_fts")


@pytest.fixture
def a_pair(a_session, tmp_path):
    """Have the same memory in two projects: one for the page, one for the terminal; with the ids of what is in it."""
    session = a_session
    session.has_a_turn("Where is the zeppelin lamp?", "In the hangar, behind the zinc gate.")
    session.asks("Where is the zeppelin lamp now?")
    session.is_answered("Still there.")
    found = {"NOTE": note(session, "Releases go out with make ship.")}
    for name, text in (("FACT", "Ada owns the cart."), ("CANDIDATE", "Lint runs before a commit.")):
        found[name] = by_hand.keep(session.project, session.project, session.settings, text).public_id
    with access.Change(session.store) as store:
        store.execute("UPDATE facts SET status = 'candidate' WHERE id = (SELECT max(id) FROM facts)")
    for value in ("a.example", "b.example"):
        found["KEY"] = core.put(session.project, session.project, session.settings, "tracker", value).public_id
    with access.Change(session.store) as store:
        relations.learn(store)
    found["RELATION"] = session.rows("SELECT public_id FROM relations")[0][0]
    found["TURN"] = session.rows("SELECT public_id FROM turns ORDER BY id LIMIT 1")[0][0]
    note(session, "The workshop is closed on Mondays.")  # the last thing, for `undo`
    session.store.checkpoint()
    other = Project(str(tmp_path / "workshop"))
    Path(other.root).mkdir()
    opening.prepare(other)
    shutil.copy(session.project.folder + "/memory.db", other.folder)
    seals.note(other.folder)
    opened = connection.connect(other.folder, connection.TOOL_WAIT_MS)
    return session, Session(opened, other, session.name, session.now), found


def left_by(session):
    """Return what is left of a verb: rows here and of all projects, what the indexes hold, the audit; without ids and times."""
    opened = [session.store, *[access.open_one(place) for place in [projects.everywhere()] if access.is_there(place)]]
    rows = [
        {name: store.execute(f"SELECT * FROM {name}").fetchall() for name in (*TABLES, *OF_INDEX) if name in tables_of(store)}
        for store in opened
    ]
    for store in opened[1:]:
        store.close()
    audit = [json.loads(line) for line in paths.read(paths.data_home() + pending.AUDIT).splitlines()[-1:]]
    for line in audit:
        line.pop("files_read")  # one more the second time: the audit itself
    return without_ids({"rows": rows, "audit": audit, "config": paths.read(f"{session.project.folder}/{paths.CONFIG}")})


def tables_of(store):
    return {name for (name,) in store.execute("SELECT name FROM sqlite_master").fetchall()}


def without_ids(value):
    if isinstance(value, dict):
        return {name: without_ids(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_ids(each) for each in value]
    if isinstance(value, int) and value > 1_000_000_000:  # a time, a checksum of an id
        return "T"
    if isinstance(value, float):
        return round(value, 2)
    if isinstance(value, str):
        named = re.sub(r"\b(turn|obs|sess|rel|fact|project)-[a-z2-9]{10}\b", r"\1-", value)
        return re.sub(r"\b\d{10,}\b|[0-9a-f]{12,}", "T", named)
    return value


def test_every_form_of_the_page_is_among_the_verbs():
    assert {form for _, form, _ in VERBS} == set(routes.FORMS)


@pytest.mark.check
@pytest.mark.parametrize(("words", "form", "fields"), VERBS, ids=[words for words, *_ in VERBS])
def test_a_verb_leaves_the_same_in_the_page_and_in_a_terminal(words, form, fields, a_pair, a_home):
    of_page, of_terminal, names = a_pair
    person, environment = Person(of_page).comes_in(), {"HOME": str(a_home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    before = left_by(of_page)
    assert before == left_by(of_terminal)

    given = {name: names.get(value, value) for name, value in fields.items()}
    page = person.sends(form, **given)
    if form == "forget":
        person.sends(form, **given, digits=person.hidden(page, "digits"))
    after = left_by(of_page)
    assert after != before or words == "pin TURN --off"

    shutil.rmtree(paths.config_home(), ignore_errors=True)  # where a verb put something for all projects
    typed = [names.get(word, word) for word in shlex.split(words)]
    said = says(*typed, *["--json"] * (form != "set"), env=environment, cwd=of_terminal.project.root)
    if form == "forget":
        digits = json.loads(said.stdout)["digest"]
        said = says(*typed, "--confirm", digits, env=environment, cwd=of_terminal.project.root)
    assert said.returncode == 0 or form == "forget", said
    assert left_by(of_terminal) == after
