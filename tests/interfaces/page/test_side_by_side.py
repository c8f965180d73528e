"""Two pages and a session at work in one memory at once: nothing is lost, and a conflict is shown."""

import threading
from functools import partial

from tests.interfaces.page.visitors import Person
from tests.readers import note

ROUNDS = 5


def at_once(*acts):
    """Run acts that wait for each other first; returns what each returned."""
    together, found = threading.Barrier(len(acts)), {}

    def run(number, act):
        together.wait()
        found[number] = act()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(len(acts))]


def status_of(person, verb, **fields):
    address = f"{person.keys.base}/here/do/{verb}"
    return person.browser.post(
        address, data={"form": person.keys.form, **fields}, headers={"origin": person.keys.origin}
    ).status_code


def test_of_two_edits_of_what_both_pages_show_one_is_done_and_the_other_is_told(a_person):
    other, name = Person(a_person.session).comes_in(), note(a_person.session, "Releases go out with make ship.")
    for number in range(ROUNDS):
        shown = a_person.hidden(a_person.sees("memory", name), "as_shown")
        texts = [f"{who} says {number}" for who in ("one", "other")]
        acts = [partial(status_of, who, "edit", id=name, text=text, as_shown=shown)
                for who, text in zip((a_person, other), texts, strict=True)]  # fmt: skip
        said = at_once(*acts)
        assert sorted(said) == [200, 409]
        assert a_person.session.rows("SELECT title FROM observations WHERE public_id = ?", name) == [(texts[said.index(200)],)]


def test_what_two_pages_keep_while_a_session_records_is_all_there(a_person):
    session, other = a_person.session, Person(a_person.session).comes_in()
    writers = [
        lambda who=who, word=word: [status_of(who, "note", text=f"{word} note {number}") for number in range(ROUNDS)]
        for who, word in ((a_person, "first"), (other, "second"))
    ]
    threads = [threading.Thread(target=writer) for writer in writers]
    for thread in threads:
        thread.start()
    for number in range(ROUNDS):
        session.has_a_turn(f"prompt {number}", f"answer {number}")
    for thread in threads:
        thread.join()
    notes = {title for (title,) in session.rows("SELECT title FROM observations WHERE type = 'note'")}
    assert notes == {f"{word} note {number}" for word in ("first", "second") for number in range(ROUNDS)}
    answers = {answer for (answer,) in session.rows("SELECT response FROM turns")}
    assert {f"answer {number}" for number in range(ROUNDS)} < answers
