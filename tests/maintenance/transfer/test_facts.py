"""Facts, their links and sightings, in an export and in the memory that takes it in."""

import time

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance.transfer import document, incoming, outgoing
from ralph_mem.memory import opening
from ralph_mem.memory.facts import accepting, by_hand, commands, core, taking
from ralph_mem.memory.facts import relations as learned
from ralph_mem.memory.rows import facts, relations
from tests.readers import reader_of
from tests.sessions import DAY, NOON, Session

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."
SHIP, KEY = "Releases go out with make ship.", b"k" * 32


def say(session, text, at=NOON, parent="", **known):
    session.store.begin()
    statement = taking.Statement(text, facts.RULE, facts.ADD, at, parent, **known)
    name = taking.take(session.store, statement, at).public_id
    session.store.commit()
    return name


def packed(session, key=KEY):
    records = outgoing.parcel(session.store, outgoing.Choice(), session.project, session.settings).records
    return document.packed("shop", NOON, records, key)


@pytest.fixture
def elsewhere(tmp_path, a_home):
    """Make the memory of the same project on another machine."""
    folder = tmp_path / "machine" / "shop"
    folder.mkdir(parents=True)
    project = Project(str(folder))
    return Session(opening.open_ready(project), project, "there")


@pytest.fixture
def take(elsewhere):
    """Take an export in there; returns what came in."""

    def taking_in(data, key=KEY):
        given = document.unpacked(data, key)
        settings = dict(effective.DEFAULTS)
        records = incoming.prepared(given, elsewhere.project, elsewhere.project, settings)
        elsewhere.store.properties.clear()
        return incoming.take(elsewhere.store, records)

    return taking_in


def stated(session):
    session.store.properties.clear()
    return sorted([(fact.text, fact.status, fact.sightings) for fact in facts.read(session.store)])


def test_facts_arrive_with_what_they_replaced_and_how_often_they_were_said(a_session, elsewhere, take):
    turn = a_session.has_a_turn("Look at the pier.", "Done.")
    say(a_session, NPM, parent=turn)
    say(a_session, PNPM, NOON + DAY)
    take(packed(a_session))
    assert stated(elsewhere) == [(NPM, "superseded", 1), (PNPM, "active", 0)] == stated(a_session)
    assert [link[:3] for link in facts.links(elsewhere.store)] == [link[:3] for link in facts.links(a_session.store)]


def test_facts_and_links_are_counted_before_they_come_in_and_when_they_do(a_session, elsewhere, take):
    for text in (NPM, PNPM, SHIP):
        say(a_session, text)
    given = document.unpacked(packed(a_session), KEY)
    records = incoming.prepared(given, elsewhere.project, elsewhere.project, dict(effective.DEFAULTS))
    before, came = incoming.counted(elsewhere.store, records), take(packed(a_session))
    assert (before["fact"], before["fact_link"]) == (came["fact"], came["fact_link"]) == (3, 1)
    again = incoming.counted(elsewhere.store, records), take(packed(a_session))
    assert [(each["fact"], each["fact_link"]) for each in again] == [(0, 0), (0, 0)]


def test_what_is_known_of_a_fact_arrives(a_session, elsewhere, take):
    say(a_session, SHIP, expires_at=NOON + 9 * DAY, anchors=[{"path": "src/ship.py"}], aliases="release")
    take(packed(a_session))
    (fact,) = facts.read(elsewhere.store)
    assert (fact.kind, fact.source, fact.said_at, fact.expires_at) == (facts.RULE, facts.ADD, NOON, NOON + 9 * DAY)
    assert (fact.anchors, fact.aliases) == ([{"path": "src/ship.py"}], "release")


def test_the_same_export_comes_in_once(a_session, elsewhere, take):
    say(a_session, NPM)
    say(a_session, PNPM, NOON + DAY)
    data = packed(a_session)
    take(data)
    before = stated(elsewhere), facts.links(elsewhere.store)
    take(data)
    assert (stated(elsewhere), facts.links(elsewhere.store)) == before


OLD_PORT, NEW_PORT = "The API listens on port 7070.", "The API listens on port 9090."


def test_a_fact_that_comes_in_may_contradict_what_holds_here_and_replaces_nothing(a_session, elsewhere, take):
    here, came = say(elsewhere, OLD_PORT), say(a_session, NEW_PORT, NOON + DAY)
    take(packed(a_session))
    assert [fact.status for fact in facts.read(elsewhere.store)] == [facts.ACTIVE, facts.ACTIVE]
    assert [link[:3] for link in facts.links(elsewhere.store)] == [(came, here, facts.CONFLICTS)]


def test_a_fact_of_somebody_else_replaces_what_it_is_an_update_of_once_it_is_accepted(a_session, elsewhere, take):
    here = say(elsewhere, OLD_PORT)
    say(a_session, NEW_PORT, NOON + DAY)
    take(packed(a_session), key=b"another" * 5)
    (waiting,) = facts.of_status(elsewhere.store, facts.CANDIDATE)
    assert by_hand.change(reader_of(elsewhere), waiting.public_id, accepting.accept) == [here]
    assert stated(elsewhere) == [(OLD_PORT, facts.SUPERSEDED, 0), (NEW_PORT, facts.ACTIVE, 0)]


def test_what_is_known_in_the_same_words_has_the_sightings_of_both(a_session, elsewhere, take):
    say(a_session, SHIP, parent=a_session.has_a_turn("Look at the pier.", "Done."))
    say(elsewhere, SHIP, parent=elsewhere.has_a_turn("Look at the mast.", "Done."))
    take(packed(a_session))
    assert stated(elsewhere) == [(SHIP, "active", 2)]


def test_a_command_that_passed_on_both_machines_is_there_once_whenever_it_passed(a_session, elsewhere, take):
    for session, day in ((a_session, 0), (elsewhere, 2)):
        session.now += day * DAY
        session.starts("resume")
        session.runs("pytest")
        session.store.begin()
        commands.learn(session.store, session.now)
        session.store.commit()
    take(packed(a_session))
    assert stated(elsewhere) == [("test: `pytest` (passed 2026-01-03)", "active", 2)]


def test_facts_of_somebody_else_are_proposals(a_session, elsewhere, take):
    say(a_session, NPM)
    say(a_session, PNPM, NOON + DAY)
    take(packed(a_session), key=b"another" * 5)
    (fact,) = facts.read(elsewhere.store)
    assert (fact.text, fact.status, fact.source, fact.tainted) == (PNPM, facts.CANDIDATE, facts.PROPOSAL, 2)
    assert elsewhere.store.one("SELECT count(*) FROM memories WHERE observation_id = ?", (fact.number,)) == (0,)
    assert facts.links(elsewhere.store) == []


def test_proposals_of_somebody_else_are_facts_once_the_file_is_ones_own(a_session, elsewhere, take):
    say(a_session, NPM)
    say(a_session, PNPM, NOON + DAY, a_session.has_a_turn("Look at the pier.", "Done."))
    say(a_session, SHIP)
    before, data = (stated(a_session), facts.links(a_session.store)), packed(a_session)
    take(data, key=b"another" * 5)
    take(data)
    assert (stated(elsewhere), facts.links(elsewhere.store)) == before


@pytest.mark.parametrize("decided", [accepting.accept, accepting.reject])
def test_what_a_person_decided_of_a_proposal_stays_so_when_the_file_is_ones_own(a_session, elsewhere, take, decided):
    say(a_session, SHIP, parent=a_session.has_a_turn("Look at the pier.", "Done."))
    data = packed(a_session)
    take(data, key=b"another" * 5)
    by_hand.change(reader_of(elsewhere), facts.read(elsewhere.store)[0].public_id, decided)
    before = stated(elsewhere)
    assert take(data)["turn"] == 1
    assert stated(elsewhere) == before


def test_somebody_else_s_sightings_do_not_count_for_a_fact_of_one_s_own(a_session, elsewhere, take):
    say(a_session, SHIP, parent=a_session.has_a_turn("Look at the pier.", "Done."))
    say(elsewhere, SHIP)
    take(packed(a_session), key=b"another" * 5)
    assert stated(elsewhere) == [(SHIP, "active", 0)]


@pytest.mark.parametrize("change", [
    {"status": "holy"}, {"kind": "law"}, {"source": "heaven"}, {"said_at": -1}, {"said_at": "now"}, {"anchors": "{}"},
    {"anchors": '[{"path": 3}]'}, {"anchors": "["}, {"observation": "no id"}, {"more": 1},
])  # fmt: skip
def test_a_row_that_no_fact_can_have_is_found(a_session, change):
    say(a_session, SHIP)
    records = outgoing.parcel(a_session.store, outgoing.Choice(), a_session.project, a_session.settings).records
    (fact,) = [record for record in records if record["row"] == "fact"]
    assert not document.wrong(fact) and document.wrong({**fact, **change})


# Facts under keys


def put(session, **values):
    for key, value in values.items():
        core.put(session.project, session.project, session.settings, key, value)


def under_keys(session):
    session.store.properties.clear()
    return {key: core.value_of(fact) for key, fact in core.all_of(session.store).items()}


@pytest.mark.parametrize("first", ["here", "there"])
def test_under_a_key_that_is_here_too_the_value_that_was_kept_last_holds(a_session, elsewhere, take, first):
    before, after = (elsewhere, a_session) if first == "here" else (a_session, elsewhere)
    put(before, port="8080")
    time.sleep(0.002)  # the times are in ms
    put(after, port="9090")
    take(packed(a_session))
    assert under_keys(elsewhere) == {"port": "9090"}
    assert stated(elsewhere) == [("port: 8080", facts.SUPERSEDED, 0), ("port: 9090", facts.ACTIVE, 0)]


def test_what_comes_in_beyond_the_keys_that_have_room_holds_without_one(a_session, elsewhere, take):
    put(elsewhere, **{f"k{number}": "v" for number in range(core.MOST_KEYS)})
    put(a_session, port="8080", k1="w")
    take(packed(a_session))
    assert under_keys(elsewhere) == {f"k{number}": "w" if number == 1 else "v" for number in range(core.MOST_KEYS)}
    (fact,) = [fact for fact in facts.of_status(elsewhere.store, facts.ACTIVE) if fact.text == "port: 8080"]
    assert (fact.pinned, fact.metadata) == (0, {})


def test_a_fact_of_somebody_else_that_is_accepted_stands_under_no_key(a_session, elsewhere, take):
    put(a_session, port="8080")
    take(packed(a_session), key=b"another" * 5)
    (waiting,) = facts.of_status(elsewhere.store, facts.CANDIDATE)
    by_hand.change(reader_of(elsewhere), waiting.public_id, accepting.accept)
    assert under_keys(elsewhere) == {} and stated(elsewhere) == [("port: 8080", facts.ACTIVE, 0)]


# Relations

TAX = "The tax code lives in `src/tax.py`."
SAID, COUNTED = ("tax code", "lives_in", "src/tax.py"), ("src/tax.py", "tested_by", "tests/test_tax.py")


@pytest.fixture
def a_related_session(a_session):
    """Have one relation that a fact says, and one that was counted."""
    say(a_session, TAX)
    a_session.store.begin()
    learned.learn(a_session.store)
    relations.upsert(a_session.store, (COUNTED[0], relations.FILE), COUNTED[1], (COUNTED[2], relations.TEST), NOON)
    a_session.store.commit()
    return a_session


def related(session):
    session.store.properties.clear()
    found = relations.query(session.store)
    return sorted([(each.subject, each.predicate, each.object, each.confidence, each.confirmed_at) for each in found])


def test_relations_arrive_as_they_were(a_related_session, elsewhere, take):
    assert take(packed(a_related_session))["relation"] == 2
    assert related(elsewhere) == related(a_related_session) and [each[:3] for each in related(elsewhere)] == [COUNTED, SAID]


def test_a_relation_that_came_in_goes_with_the_fact_that_says_it(a_related_session, elsewhere, take):
    take(packed(a_related_session))
    (fact,) = facts.read(elsewhere.store)
    facts.change(elsewhere.store, fact.number, {"status": facts.RETIRED})
    assert [each[:3] for each in related(elsewhere)] == [COUNTED]


def test_relations_are_counted_before_they_come_in_and_come_in_once(a_related_session, elsewhere, take):
    given = document.unpacked(packed(a_related_session), KEY)
    records = incoming.prepared(given, elsewhere.project, elsewhere.project, dict(effective.DEFAULTS))
    assert incoming.counted(elsewhere.store, records)["relation"] == incoming.counted(None, records)["relation"] == 2
    take(packed(a_related_session))
    before = related(elsewhere)
    assert incoming.counted(elsewhere.store, records)["relation"] == take(packed(a_related_session))["relation"] == 0
    assert related(elsewhere) == before


def test_of_a_relation_that_is_here_the_later_confirmation_counts(a_related_session, elsewhere, take):
    data = packed(a_related_session)
    for at, counts in ((NOON - DAY, NOON), (NOON + DAY, NOON + DAY)):
        elsewhere.store.begin()
        relations.upsert(elsewhere.store, (COUNTED[0], relations.FILE), COUNTED[1], (COUNTED[2], relations.TEST), at)
        elsewhere.store.commit()
        take(data)
        assert next(each for each in related(elsewhere) if each[:3] == COUNTED)[4] == counts


def test_relations_of_somebody_else_are_not_taken(a_related_session, elsewhere, take):
    take(packed(a_related_session), key=b"another" * 5)
    assert related(elsewhere) == []


def test_a_relation_leaves_with_its_fact_alone_and_not_about_a_path_that_is_excluded(a_related_session):
    def leaving(choice, **settings):
        known = {**a_related_session.settings, **settings}
        records = outgoing.parcel(a_related_session.store, choice, a_related_session.project, known).records
        return sorted([record["subject"] for record in records if record["row"] == "relation"])

    assert leaving(outgoing.Choice()) == ["src/tax.py", "tax code"]
    assert leaving(outgoing.Choice(types=["note"])) == []
    assert leaving(outgoing.Choice(types=["fact"])) == ["tax code"]
    assert leaving(outgoing.Choice(), **{"privacy.exclude_paths": ["src/tax.py"]}) == []


@pytest.mark.parametrize("change", [
    {"predicate": "likes"}, {"subject": ""}, {"subject": "x" * 129}, {"object_type": "god"}, {"confidence": 2}, {"confidence": "1"},
    {"confirmed_at": None}, {"observation": 3}, {"public_id": "x"}, {"subject": "two\nlines"},
])  # fmt: skip
def test_a_row_that_no_relation_can_have_is_found(a_related_session, change):
    records = outgoing.parcel(a_related_session.store, outgoing.Choice(), a_related_session.project, a_related_session.settings)
    found = [record for record in records.records if record["row"] == "relation"]
    assert len(found) == 2 and not [each for each in found if document.wrong(each)]
    assert all(document.wrong({**each, **change}) for each in found)
