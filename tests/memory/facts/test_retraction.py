"""Which statements take another one back."""

import pytest

from ralph_mem.memory.facts import retraction
from tests.folded import folded

KNOWN = (
    "Install packages with npm in every folder.",
    "Deploy on Fridays at noon.",
    "The worker retries failed jobs three times.",
    "Tests run against Python 3.8 as well.",
    "Never push to the release branch.",
    "Commit messages begin with a ticket number.",
    "The staging server is lamp.example.com.",
    "Use tabs in Makefiles and Go files.",
    "I prefer long explanations.",
    "Screenshots live in `docs/images`.",
)
NPM, FRIDAYS, RETRIES, OLD_PYTHON, NO_PUSH, TICKETS, STAGING, TABS, LONG, IMAGES = KNOWN
TAKING_BACK = [
    ("Forget that we install packages with npm.", NPM),
    ("forget that packages are installed with npm in every folder", NPM),
    ("Please forget about installing packages with npm.", NPM),
    ("Forget what I said about npm packages.", NPM),
    ("We no longer install packages with npm.", NPM),
    ("We stopped installing packages with npm", NPM),
    ("we've stopped installing npm packages", NPM),
    ("We got rid of npm packages.", NPM),
    ("We don't install packages with npm any more.", NPM),
    ("We do not install packages with npm anymore!", NPM),
    ("No longer install packages with npm.", NPM),
    ("Drop the rule that packages are installed with npm.", NPM),
    ("Forget the npm rule.", NPM),
    ("hm, forget that npm thing", NPM),
    ("Forget about the npm stuff.", NPM),
    ("The rule about npm no longer applies.", NPM),
    ("We moved away from npm packages.", NPM),
    ("From now on we no longer deploy on Fridays.", FRIDAYS),
    ("We no longer deploy on Fridays.", FRIDAYS),
    ("Forget about deploying on Fridays at noon.", FRIDAYS),
    ("Remove the rule about Fridays.", FRIDAYS),
    ("it's no longer true that we deploy on Fridays", FRIDAYS),
    ("I no longer deploy on Fridays.", FRIDAYS),
    ("The worker no longer retries failed jobs.", RETRIES),
    ("The worker doesn't retry failed jobs any more.", RETRIES),
    ("Forget that the worker retries failed jobs.", RETRIES),
    ("Failed jobs are no longer retried three times.", RETRIES),
    ("We dropped Python 3.8 tests.", OLD_PYTHON),
    ("We no longer run the tests against Python 3.8.", OLD_PYTHON),
    ("Forget everything about Python 3.8.", OLD_PYTHON),
    ("Ok, forget that we never push to the release branch.", NO_PUSH),
    ("Scrap the rule about the release branch.", NO_PUSH),
    ("Disregard the rule that commit messages begin with a ticket number.", TICKETS),
    ("Commit messages no longer begin with a ticket number.", TICKETS),
    ("Drop the ticket number convention.", TICKETS),
    ("Our rule that commit messages begin with a ticket number no longer holds.", TICKETS),
    ("The staging server is no longer lamp.example.com.", STAGING),
    ("Forget about the staging server.", STAGING),
    ("We gave up tabs in Makefiles.", TABS),
    ("Actually, forget that I prefer long explanations.", LONG),
    ("I no longer prefer long explanations.", LONG),
    ("Screenshots no longer live in docs/images.", IMAGES),
    ("We no longer install packages with npm, we use bun now.", NPM),
    ("we no longer deploy on Fridays, that was stopped by the board on Monday evening.", FRIDAYS),
    ("We don't install packages with npm any more, we use bun now.", NPM),
    ("We moved to bun for all of it, we don't install packages with npm any more.", NPM),
    ("We no longer install packages with npm because it was slow.", NPM),
    ("The staging server is no longer lamp.example.com, but otter.example.com.", STAGING),
    ("No, we no longer deploy on Fridays.", FRIDAYS),
]
TAKING_NOTHING_BACK = (
    "No longer needed imports are removed by ruff.",
    "No longer used packages are listed by npm prune in every folder.",
    "When a folder no longer installs packages with npm, ask me.",
    "If the worker no longer retries failed jobs, restart it.",
    "Delete branches that are no longer needed.",
    "Don't forget that we install packages with npm.",
    "Never forget to install packages with npm.",
    "Forget to deploy on Fridays and you are out.",
    "Why do we no longer deploy on Fridays?",
    "Do we still deploy on Fridays, or have we stopped?",
    "We no longer deploy on Mondays.",
    "We no longer push to the release branch.",
    "We dropped the ball on the release.",
    "Drop the tables before each run of the tests.",
    "Drop packages that npm does not know.",
    "Drop me a line when the staging server is up.",
    "We stopped the staging server.",
    "We stopped for lunch.",
    "The worker stopped.",
    "Maybe we no longer deploy on Fridays.",
    "If the board says so, we no longer deploy on Fridays.",
    "Delete the jobs, we no longer deploy on Mondays.",
    "I think we no longer deploy on Fridays.",
    "The rule about Fridays is important.",
    "The build takes no longer than three minutes.",
    "Answers no longer than three lines, please.",
    "Install packages with npm any more than once and it hangs.",
    "Forget it.",
    "Forget that.",
    "Forget the thing.",
    "Ignore the npm thing.",
    "We no longer",
    "no longer",
    "",
)


def taken_back(statement):
    """Return the statement that is taken back, None where none is."""
    found = retraction.of(statement)
    which = retraction.meant(found, KNOWN) if found else None
    return which and KNOWN[which[0]]


@pytest.mark.parametrize(("statement", "which"), TAKING_BACK)
def test_what_takes_a_statement_back_names_it(statement, which):
    assert taken_back(statement) == which


@pytest.mark.parametrize("statement", TAKING_NOTHING_BACK)
def test_what_only_sounds_like_it_takes_nothing_back(statement):
    assert taken_back(statement) is None


def test_where_two_statements_may_be_meant_neither_is_taken_back():
    there = ["Install packages with npm in web.", "Install packages with npm in server."]
    assert retraction.meant(retraction.of("We no longer install packages with npm."), there) is None


@pytest.mark.parametrize("there", ["Always use pnpm, never npm.", "Use pnpm not npm.", "use pnpm and never npm"])
def test_what_puts_something_aside_is_taken_back_by_what_it_says_to_do(there):
    assert retraction.meant(retraction.of("We no longer use pnpm."), [there])
    assert retraction.meant(retraction.of("We no longer use npm."), [there]) is None


@pytest.mark.parametrize("there", ["Pushing to main is not allowed.", "We don't use pnpm any more, we push to main."])
def test_what_denies_is_taken_back_by_nothing_that_says_what_is_over(there):
    assert retraction.meant(retraction.of("We no longer push to main."), [there]) is None


def test_a_correction_that_begins_with_no_wait_denies_nothing():
    assert retraction.meant(retraction.of("We no longer use yarn, we use bun now."), ["no wait, use yarn."])


def test_what_denies_the_same_leaves_no_doubt_which_statement_is_taken_back():
    there = ["We stopped deploying on Fridays, noon was too late.", "Deploy on Fridays at noon."]
    assert retraction.meant(retraction.of("We no longer deploy on Fridays, we do on Mondays."), there) == (1, 1.0)


@pytest.mark.parametrize(("statement", "goes_on"), [
    ("We no longer use npm.", False), ("Actually, we no longer use npm, ok.", False), ("We no longer use npm, we use bun.", True),
])  # fmt: skip
def test_what_takes_back_may_say_more(statement, goes_on):
    assert retraction.of(statement).goes_on == goes_on


IN_OTHER_LANGUAGES = (
    "Wir nutzen immer npm", "Commits immer auf Deutsch schreiben", "Niemals direkt auf main pushen", "Deploys nie freitags machen",
    "désormais utilise toujours webpack", "ne pousse jamais sur develop", "usamos siempre jest", "nunca subas secretos a git",
    "a gente sempre usa gulp", "nunca faça merge sem review", "d'ora in poi usa sempre maven", "non si deploya mai di lunedì",
)  # fmt: skip
N, COMMITS, MAIN, FREITAGS, WEBPACK, DEVELOP, JEST, SECRETOS, GULP, MERGE, MAVEN, _ = IN_OTHER_LANGUAGES


@folded(
    ("statement", "which"),
    [
        ("vergiss, dass wir npm nutzen", N), ("Vergiss das mit npm, wir nutzen jetzt pnpm", N), ("wir nutzen npm nicht mehr", N),
        ("Wir nutzen kein npm mehr, wir nutzen pnpm", N), ("Vergiss, was ich über npm gesagt habe", N),
        ("die Regel mit den deutschen Commits gilt nicht mehr", COMMITS), ("Ab jetzt darfst du direkt auf main pushen", MAIN),
        ("Deploys sind freitags ab sofort wieder erlaubt", FREITAGS),
        ("oublie ce que j'ai dit sur webpack", WEBPACK), ("on n'utilise plus webpack, on utilise vite", WEBPACK),
        ("la règle sur webpack ne s'applique plus", WEBPACK), ("désormais tu peux pousser sur develop", DEVELOP),
        ("olvida lo de jest", JEST), ("ya no usamos jest, usamos vitest", JEST), ("no usamos más jest", JEST),
        ("a partir de ahora puedes subir secretos a git", SECRETOS),
        ("a gente não usa mais gulp, a gente usa vite", GULP), ("esquece o que eu disse sobre gulp", GULP),
        ("esquece isso, pode fazer merge sem review", MERGE),
        ("non usiamo più maven", MAVEN), ("dimentica quello che ho detto su maven", MAVEN),
    ],
)  # fmt: skip
def test_what_takes_a_statement_back_in_the_language_in_which_it_was_learned_names_it(statement, which):
    assert IN_OTHER_LANGUAGES[retraction.meant(retraction.of(statement), IN_OTHER_LANGUAGES)[0]] == which


@folded(
    "statement",
    [
        "vergiss nicht, dass wir npm nutzen", "wenn wir npm nicht mehr nutzen, sag Bescheid",
        "Vielleicht, wir nutzen npm nicht mehr",
        "Nutzen wir npm nicht mehr?", "Vergiss das.", "wir nutzen yarn nicht mehr", "Ab jetzt darfst du direkt auf develop pushen",
        "n'oublie pas qu'on utilise webpack", "je crois, on n'utilise plus webpack", "no olvides lo de jest",
        "creo que ya no usamos jest",
        "não esquece o gulp", "desde ahora puedes usar jest", "si ya no usamos jest, dime", "Commits sind wieder erlaubt",
    ],
)  # fmt: skip
def test_what_only_sounds_like_it_in_these_languages_takes_nothing_back(statement):
    found = retraction.of(statement)
    assert found is None or retraction.meant(found, IN_OTHER_LANGUAGES) is None
