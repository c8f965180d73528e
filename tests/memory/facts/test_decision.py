"""What a statement means for those that are there, by their words alone."""

import pytest

from ralph_mem.memory.facts import decision

NPM = "Install packages with npm 10 in every folder."
OTHERS = ["Releases go out with make ship on Tuesdays.", "Screenshots of the lantern live in docs/images.", NPM]


def decided(statement, *there):
    """Return the verb, and the statement that it is about."""
    found = decision.decide(statement, there)
    return found.verb, None if found.target is None else there[found.target]


def test_nothing_is_like_the_first_statement():
    assert decided(NPM) == ("ADD", None)


@pytest.mark.parametrize("again", [
    NPM.upper(), "Install packages with npm 10 in every folder", "install  packages with npm 10 in folder",
])  # fmt: skip
def test_what_says_no_more_than_one_that_is_there_repeats_it(again):
    again = again.replace("in folder", "in every folder")
    assert decided(again, *OTHERS) == ("NOOP", NPM)


@pytest.mark.parametrize(("shorter", "longer"), [
    ("Run the tests before a commit.", "Please run the tests quickly before a commit."),
    ("Use the shared lantern fixture.", "Use the shared lantern fixture there."),
])  # fmt: skip
def test_words_that_change_nothing_may_be_missing(shorter, longer):
    assert decided(shorter, longer)[0] == "NOOP"


@pytest.mark.parametrize(("shorter", "longer"), [
    ("Run the tests before a commit.", "Never run the tests before a commit."),
    ("Run the tests before a commit.", "Run the 12 tests before a commit."),
    ("Run the tests before a commit.", "Run the tests before a commit on Windows."),
    ("Run the tests before a commit.", "Run the tests `slowly` before a commit."),
    ("Run the tests before a commit.", "Run the tests in tests/unit before a commit."),
    ("Run the tests before a commit.", "Run the tests --fast before a commit."),
    ("Run the tests before a commit.", "Only run the tests before a commit."),
])  # fmt: skip
def test_a_number_a_path_code_a_flag_a_negation_or_a_condition_makes_it_another_statement(shorter, longer):
    assert decided(shorter, longer)[0] != "NOOP"
    assert decided(longer, shorter)[0] != "NOOP"


@pytest.mark.parametrize(("old", "new"), [
    ("Use npm, never pnpm.", "Use pnpm, never npm."),
    ("Commit to the main branch.", "Never commit to the main branch."),
    ("Do not use mocks in tests.", "Use mocks in tests."),
    ("Run the linter before the tests.", "Run the tests before the linter."),
    ("The database is Postgres 14.", "The database is Postgres 16."),
    ("Timeouts are 30 seconds for the worker.", "Timeouts are 60 seconds for the worker."),
    ("Never deploy after 16:00.", "Never deploy after 14:00."),
    ("Use tabs for indentation.", "Use spaces for indentation."),
    ("Always deploy to staging first.", "Always deploy to preview first."),
    (NPM, "Install packages with pnpm 9 in every folder."),
])  # fmt: skip
def test_what_says_something_else_of_the_same_replaces_it(old, new):
    assert decided(new, *[each for each in OTHERS if each != old], old) == ("UPDATE", old)


@pytest.mark.parametrize(("old", "new"), [
    ("The frontend lives in apps/web.", "The backend lives in services/api."),
    ("Use two spaces for indentation in YAML.", "Use four spaces for indentation in Python."),
    ("We use tabs in Go files.", "We use spaces in Python files."),
    ("Timeouts are 30 seconds for the worker.", "Timeouts are 10 seconds for the client."),
    ("Build the docs with mkdocs build.", "Build the image with docker build."),
    ("Run the tests with pytest -q.", "Run the linter with ruff check."),
    ("Never commit to main.", "Never push to main."),
    ("The frontend lives in apps/web.", "The backend lives in apps/web."),
    ("Always test on Windows.", "Always build on Windows."),
    ("Please squash the commits.", "Please sign the commits."),
    ("Do not edit the changelog.", "Do not edit the lockfile."),
    ("Never push to main.", "Never push to develop."),
])  # fmt: skip
def test_a_short_statement_of_another_subject_with_another_value_replaces_nothing(old, new):
    assert decided(new, old)[0] in ("ADD", "CONFLICT")


def test_one_subject_and_another_value_is_a_conflict_however_little_else_is_shared():
    old = "The lantern database is a single file of SQLite."
    new = "The lantern database is Postgres, on the shared server in Bonn."
    assert decided(new, *OTHERS, old) == ("CONFLICT", old)


def test_one_more_of_many_that_look_alike_replaces_none():
    there = [f"Run `make check-{name}` for the {name} checks." for name in ("wind", "rain", "snow", "fog")]
    assert decided("Run `make check-hail` for the hail checks.", *there)[0] != "UPDATE"


def test_the_order_of_what_is_there_decides_nothing():
    new = "Install packages with pnpm 9 in every folder."
    assert decided(new, *OTHERS) == decided(new, *OTHERS[::-1])


@pytest.mark.parametrize(("old", "new"), [
    ("The payments code lives in src/pay.py.", "The tax code lives in src/tax.py."),
    ("The blue printer is in room 5.", "The green printer is in room 7."),
    ("Never commit to main.", "Never push to main."),
])  # fmt: skip
def test_what_is_about_something_else_contradicts_nothing(old, new):
    assert decided(new, old) == ("ADD", None)


def test_a_doubt_is_never_so_sure_that_a_yes_would_replace():
    old = "Use two spaces for indentation in YAML."
    found = decision.decide("Use four spaces for indentation in Python.", [old])
    assert (found.verb, found.score < decision.SURE) == ("CONFLICT", True)


@pytest.mark.parametrize(("old", "new"), [
    ("Always use pnpm, not npm.", "From now on we use npm."),
    ("Always indent with tabs, not spaces.", "From now on we indent with spaces."),
    ("We use npm.", "Always use pnpm, not npm."),
    ("Use pnpm, not npm.", "Use npm, not yarn."),
    ("Use tabs instead of spaces for indentation.", "Use spaces for indentation."),
])  # fmt: skip
def test_what_one_puts_something_in_the_place_of_and_the_other_says_cannot_both_hold(old, new):
    assert decided(new, *OTHERS, old) == ("UPDATE", old)


@pytest.mark.parametrize(("old", "new"), [
    ("Use pnpm, not npm.", "Use npm scripts in CI."),
    ("Use pnpm, not npm.", "Never use npm."),
    ("Use pnpm, not npm.", "Publish npm."),
    ("Use pnpm, not npm.", "Use pnpm and npm."),
])  # fmt: skip
def test_who_says_more_or_less_than_what_another_puts_aside_replaces_nothing(old, new):
    assert decided(new, *OTHERS, old)[0] != "UPDATE"


def test_what_stands_before_a_colon_and_states_nothing_is_not_compared():
    old = "The tax code lives in src/tax.py."
    assert decided(f"I told you: {old}", *OTHERS, old) == ("NOOP", old)
    assert decided("That's not true any more: the tax code lives in src/cart.py.", *OTHERS, old) == ("UPDATE", old)
    assert decided(f"That's not true any more: {old}", *OTHERS, old) == ("CONFLICT", old)


@pytest.mark.parametrize(("old", "new"), [
    ("We use npm.", "We switched from npm to pnpm."),
    ("We use npm.", "npm was replaced by pnpm."),
    ("We use npm.", "We replaced npm with pnpm."),
    ("Use pnpm, not npm.", "From now on we use bun instead of pnpm."),
    ("Use pnpm, not npm.", "We switched from pnpm to bun."),
    ("We deploy with make deploy.", "make deploy is gone. Deploy with ./ship.sh from now on."),
    ("Always indent with tabs.", "Never indent with tabs, use 2 spaces."),
    ("Always pull with PROFILE=ro, never as admin.", "From now on pull with PROFILE=rw, ro is gone."),
    ("Wir verwenden immer npm.", "Ab sofort verwenden wir pnpm statt npm."),
    ("Ab sofort verwenden wir pnpm statt npm.", "Wir verwenden kein pnpm mehr, sondern bun."),
])  # fmt: skip
def test_what_tells_to_use_no_more_than_what_is_given_up_is_replaced(old, new):
    assert decided(new, *OTHERS[:2], old) == ("UPDATE", old)


@pytest.mark.parametrize(("old", "new"), [
    ("We use python 3.11 in this repo.", "We are on python 3.12 now, 3.11 is dropped."),
    ("Always deploy staging with make up.", "Never use make up any more, staging is deployed by hand."),
    ("Never indent with tabs, use 2 spaces.", "We always indent with 4 spaces from now on."),
    ("Pages of the shop are ISO 8601 dates.", "Dates of the shop are numbers now, no more ISO dates."),
    ("We never change project files by hand, xcodegen makes them.", "We moved to tuist, xcodegen is gone."),
])  # fmt: skip
def test_what_tells_more_than_to_use_what_is_given_up_may_be_contradicted(old, new):
    assert decided(new, *OTHERS[:2], old) == ("CONFLICT", old)


@pytest.mark.parametrize(("old", "new"), [
    ("We use npm.", "If npm is gone, install it again."),
    ("We use npm.", "We moved the registry of the company to npm."),
    ("Never use npm.", "We switched from npm to pnpm."),
    ("Use pnpm, not npm.", "npm is gone."),
    ("We use npm.", "The cache of npm modules is gone."),
])  # fmt: skip
def test_what_is_not_given_up_or_not_told_to_be_used_is_no_conflict(old, new):
    assert decided(new, *OTHERS[:2], old) == ("ADD", None)


@pytest.mark.parametrize(("old", "new"), [
    ("We deploy with make deploy.", "Deploy with ./ship.sh from now on."),
    ("We write the docs in English.", "From now on we write the docs in German."),
])  # fmt: skip
def test_what_says_in_as_few_words_that_it_holds_from_now_on_replaces_what_was_said_before(old, new):
    assert decided(new, *OTHERS[:2], old) == ("UPDATE", old)


@pytest.mark.parametrize(("old", "new"), [
    ("We deploy with make deploy on Fridays.", "Deploy with ./ship.sh from now on."),
    ("Never deploy with make deploy.", "Deploy with ./ship.sh from now on."),
    ("We test on Windows.", "From now on we test on Linux."),
])  # fmt: skip
def test_what_holds_from_now_on_leaves_what_says_more_or_denies_or_may_hold_beside_it(old, new):
    assert decided(new, *OTHERS[:2], old)[0] != "UPDATE"


FORBIDDEN = "Never run terraform apply yourself, I do that."


@pytest.mark.parametrize(("old", "new"), [
    (FORBIDDEN, "Actually you may apply on staging from now on, only prod is mine."),
    ("Never install anything with npm.", "We can use npm again."),
])  # fmt: skip
def test_what_is_allowed_anew_may_contradict_what_forbade_it(old, new):
    assert decided(new, *OTHERS[:2], old) == ("CONFLICT", old)


@pytest.mark.parametrize("new", ["You can now run the tests in parallel.", "You may not apply on staging from now on."])
def test_what_allows_something_else_or_nothing_leaves_what_is_forbidden(new):
    assert decided(new, *OTHERS[:2], FORBIDDEN) == ("ADD", None)


def test_one_subject_in_another_order_and_another_value_is_a_conflict():
    old, new = "The gateway timeout is 30 seconds.", "The timeout of the gateway is 60 seconds since the upgrade."
    assert decided(new, *OTHERS, old) == ("CONFLICT", old)
    assert decided("The gateway is 60 meters away.", *OTHERS, old) == ("ADD", None)
