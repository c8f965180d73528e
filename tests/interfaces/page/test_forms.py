"""What a person puts right in the page: each verb does what the same verb of a terminal does."""

import html
import re
import shlex

import pytest

from ralph_mem.core.settings import schema, typed_value
from ralph_mem.memory import access
from ralph_mem.memory.facts import by_hand
from ralph_mem.memory.facts import relations as known_relations
from tests.readers import note, person_of


@pytest.fixture
def a_note(a_person):
    """Have a note of the person's."""
    return note(a_person.session, "Releases go out with make ship.")


def of_memory(person, name):
    """Return what a form of a memory brings along."""
    return {"id": name, "as_shown": person.hidden(person.sees("memory", name), "as_shown")}


def test_a_note_is_kept(a_person):
    page = a_person.sends("note", text="Deploys go to Bonn.\r\nOn Mondays.")
    (name,) = re.findall(r"obs-[a-z2-9]{10}", page)[:1]
    assert a_person.session.rows("SELECT title, content FROM observations WHERE public_id = ?", name) == [
        ("Deploys go to Bonn.", "On Mondays.")
    ]


def test_a_note_is_corrected_and_pinned_and_marked_wrong(a_person, a_note):
    a_person.sends("edit", text="Releases go out with make release.", **of_memory(a_person, a_note))
    a_person.sends("pin", **of_memory(a_person, a_note))
    assert a_person.session.rows("SELECT title, pinned FROM observations WHERE public_id = ?", a_note) == [
        ("Releases go out with make release.", 1)
    ]
    a_person.sends("wrong", **of_memory(a_person, a_note))
    assert a_person.session.rows("SELECT misled, pinned FROM observations WHERE public_id = ?", a_note) == [(1, 0)]
    a_person.sends("undo")
    assert a_person.session.rows("SELECT misled, pinned FROM observations WHERE public_id = ?", a_note) == [(0, 1)]


def test_what_is_in_the_field_to_edit_is_the_text_to_the_last_character(a_person):
    text = "\n\n<b>&amp; abc\n\tcost: 5 < 6\n"
    name = note(a_person.session, "title" + text + "end")
    field = re.search(r'<textarea name="text" rows="6" required>\n(.*?)</textarea>', a_person.sees("memory", name), re.DOTALL)
    assert html.unescape(field[1]) == "title" + text + "end"


def given_back(page):
    """Return what a page gives back of what was typed."""
    return re.search(r'aria-label="What you typed">(.*?)</pre>', page, re.DOTALL)[1]


def test_a_row_that_changed_since_it_was_shown_stays_and_the_typed_text_is_given_back(a_person, a_note):
    shown = of_memory(a_person, a_note)
    a_person.sends("edit", text="From the other window.", **shown)
    page = a_person.sends("edit", status=409, text="From the first window.", **shown)
    assert "has changed since it was shown" in page
    assert "From the first window." in page
    for verb in ("pin", "wrong"):
        a_person.sends(verb, status=409, **shown)
    assert a_person.session.rows("SELECT title, pinned, misled FROM observations WHERE public_id = ?", a_note) == [
        ("From the other window.", 0, 0)
    ]


@pytest.mark.check
def test_a_forget_shows_what_goes_and_deletes_only_that(a_person, a_note):
    other = note(a_person.session, "Releases are named after birds.")
    page = a_person.sends("forget", id=a_note)
    assert "make ship" in page
    assert a_person.session.rows("SELECT count(*) FROM observations WHERE public_id = ?", a_note) == [(1,)]
    a_person.sends("forget", status=400, id=a_note, digits="000000")
    a_person.sends("forget", id=a_note, digits=a_person.hidden(page, "digits"))
    names = [name for (name,) in a_person.session.rows("SELECT public_id FROM observations WHERE type = 'note'")]
    assert names == [other]


def test_a_forget_of_what_grew_meanwhile_deletes_nothing(a_person, a_note):
    page = a_person.sends("forget", query="Releases")
    note(a_person.session, "Releases are named after birds.")
    a_person.sends("forget", status=400, query="Releases", scope="both", digits=a_person.hidden(page, "digits"))
    assert a_person.session.rows("SELECT count(*) FROM observations WHERE type = 'note'") == [(2,)]


@pytest.mark.check
def test_everything_goes_only_when_the_word_is_typed(a_person, a_note):
    page = a_person.sends("forget", all="yes", scope="project")
    digits = a_person.hidden(page, "digits")
    a_person.sends("forget", status=400, all="yes", scope="project", digits=digits, typed="yes")
    assert a_person.session.rows("SELECT count(*) > 0 FROM observations") == [(1,)]
    a_person.sends("forget", all="yes", scope="project", digits=digits, typed="forget")
    assert a_person.session.rows("SELECT count(*) FROM observations") == [(0,)]


def test_a_fact_is_added_corrected_and_retired(a_person):
    a_person.sends("fact-add", text="Deploys go to Bonn.", kind="fact")
    (fact,) = by_hand.listed(person_of(a_person.session), ("active",))
    shown = a_person.hidden(a_person.sees("fact", fact.public_id), "as_shown")
    a_person.sends("fact-edit", id=fact.public_id, text="Deploys go to Cologne.", as_shown=shown)
    a_person.sends("fact-retire", status=409, id=fact.public_id, as_shown=shown)
    shown = a_person.hidden(a_person.sees("fact", fact.public_id), "as_shown")
    a_person.sends("fact-retire", id=fact.public_id, as_shown=shown)
    (fact,) = by_hand.listed(person_of(a_person.session), ("retired",))
    assert fact.text == "Deploys go to Cologne."


@pytest.mark.parametrize(("verb", "status"), [("fact-accept", "active"), ("fact-reject", "rejected")])
def test_a_candidate_is_decided_in_the_review_and_no_second_time(verb, status, a_person):
    a_person.sends("fact-add", text="Deploys go to Bonn.", kind="fact")
    a_person.session.store.execute("UPDATE facts SET status = 'candidate'")
    page = a_person.sees("review")
    assert "Deploys go to Bonn." in page
    (fact,) = by_hand.listed(person_of(a_person.session), ("candidate",))
    fields = {"id": fact.public_id, "as_shown": a_person.hidden(page, "as_shown"), "from": "review", "status": "candidate"}

    def post():  # `status` is a field here, and a word of `sends`
        address = f"{a_person.keys.base}/here/do/{verb}"
        return a_person.browser.post(address, data={"form": a_person.keys.form, **fields}, headers={"origin": a_person.keys.origin})

    assert post().status_code == 200
    assert [each.public_id for each in by_hand.listed(person_of(a_person.session), (status,))] == [fact.public_id]
    assert post().status_code == 409


@pytest.mark.check
def test_a_relation_is_corrected_with_a_known_predicate_alone_and_removed(a_person):
    a_person.sends("fact-add", text="Ada owns the cart service.", kind="fact")
    with access.Change(a_person.session.store) as store:
        known_relations.learn(store)
    (name,) = re.findall(r"rel-[a-z2-9]{10}", a_person.sees("relations"))[:1]
    a_person.sends("relation-edit", status=400, id=name, predicate="eats")
    a_person.sends("relation-edit", id=name, object="Team Till", confidence="0.5")
    assert a_person.session.rows("SELECT object, confidence FROM relations") == [("Team Till", 0.5)]
    a_person.sends("relation-remove", id=name)
    assert a_person.session.rows("SELECT count(*) FROM relations") == [(0,)]


def test_a_relation_that_changed_since_it_was_shown_stays(a_person):
    a_person.sends("fact-add", text="Ada owns the cart service.", kind="fact")
    with access.Change(a_person.session.store) as store:
        known_relations.learn(store)
    (name,) = re.findall(r"rel-[a-z2-9]{10}", a_person.sees("relations"))[:1]
    shown = {"id": name, "as_shown": a_person.hidden(a_person.sees("relation", name), "as_shown")}
    a_person.sends("relation-edit", object="Team Till", **shown)
    page = a_person.sends("relation-edit", status=409, object="Team Cart", confidence="0.25", **shown)
    assert given_back(page) == "Team Cart\n0.25"
    a_person.sends("relation-remove", status=409, **shown)
    assert a_person.session.rows("SELECT object FROM relations") == [("Team Till",)]


def test_of_two_facts_that_say_the_same_one_is_folded_into_the_other_and_taken_out_again(a_person):
    for text in ("Releases ship from Bonn by make ship.", "We ship our releases from Bonn, always with make ship."):
        a_person.sends("fact-add", text=text, kind="fact")
    one, other = [each.public_id for each in by_hand.listed(person_of(a_person.session), ("active",))]
    page = a_person.sees("fact", one)
    assert f'name="into" value="{other}"' in page
    a_person.sends("fact-fold", id=one, into=other, as_shown=a_person.hidden(page, "as_shown"))
    assert a_person.session.rows("SELECT a, b, kind FROM fact_links") == [(other, one, "same")]
    assert one not in [each.public_id for each in by_hand.listed(person_of(a_person.session), ("active",))]
    a_person.sends("fact-undo", id=one)
    assert len(by_hand.listed(person_of(a_person.session), ("active",))) == 2


def test_what_stands_under_a_key_by_now_is_not_replaced_unseen(a_person):
    a_person.sends("key-set", key="port", value="8080", as_shown="")
    assert given_back(a_person.sends("key-set", status=409, key="port", value="9090", as_shown="")) == "9090"
    shown = a_person.session.rows("SELECT public_id FROM observations WHERE title = 'port: 8080'")[0][0]
    assert shown in a_person.sees("facts")
    a_person.sends("key-set", key="port", value="7070", as_shown=shown)
    a_person.sends("key-delete", status=409, key="port", as_shown=shown)
    assert "7070" in a_person.sees("facts")


def test_only_what_was_shown_to_be_the_last_thing_done_is_taken_back(a_person, a_note):
    shown = a_person.hidden(a_person.sees("today"), "done_at")
    a_person.sends("pin", **of_memory(a_person, a_note))
    a_person.sends("undo", status=409, done_at=shown)
    assert a_person.session.rows("SELECT pinned FROM observations WHERE public_id = ?", a_note) == [(1,)]
    a_person.sends("undo", done_at=a_person.hidden(a_person.sees("today"), "done_at"))
    assert a_person.session.rows("SELECT pinned FROM observations WHERE public_id = ?", a_note) == [(0,)]


def test_a_setting_that_was_changed_meanwhile_stays(a_person):
    a_person.sends("set", key="memory.inject_tokens_prompt", value="100", as_shown="600")
    assert given_back(a_person.sends("set", status=409, key="memory.inject_tokens_prompt", value="50", as_shown="600")) == "50"
    assert '<code class="value">100</code>' in a_person.sees("settings")


def test_short_facts_under_keys_are_added_corrected_and_deleted(a_person):
    a_person.sends("key-set", key="printer", value="on floor two")
    a_person.sends("key-set", key="printer", value="on floor nine")
    assert "floor nine" in a_person.sees("facts")
    a_person.sends("key-delete", key="printer")
    assert "floor nine" not in re.sub(r"<select.*?</select>", "", a_person.sees("facts"))


def test_each_setting_takes_what_stands_in_its_field_and_in_its_command(a_person):
    page = html.unescape(a_person.sees("settings"))
    commands = [shlex.split(each)[3:] for each in re.findall(r'<code class="copy">(ralph-mem config set [^<]+)</code>', page)]
    assert {key for key, _ in commands} == set(schema.RULES)
    assert [typed_value.parse(key, text) for key, text in commands]
    assert re.findall(r'<input name="value" value="(.*?)" aria', page) == [text for _, text in commands]


def test_a_setting_is_tightened_and_what_loosens_is_a_command_to_copy(a_person):
    a_person.sends("set", key="memory.inject_tokens_prompt", value="100")
    assert '<code class="value">100</code>' in a_person.sees("settings")
    page = a_person.sends("set", status=400, key="memory.inject_tokens_prompt", value="4000")
    assert "ralph-mem config set memory.inject_tokens_prompt 4000" in page


def test_an_error_says_what_to_do_and_gives_back_what_was_typed(a_person):
    page = a_person.sends("fact-add", status=400, text="x" * 500)
    assert "at most 320" in page
    assert "x" * 500 in page
