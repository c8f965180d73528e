"""Which sentences of a prompt may hold beyond it, and whose words they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.memory.facts import extraction
from ralph_mem.memory.rows import facts
from tests import processor
from tests.folded import folded
from tests.memory.facts import voices
from tests.odd_words import ODD

RULE = "Always run `make check` before you push."


def texts(prompt):
    return [found.text for found in extraction.find(prompt)]


def test_of_what_holds_nearly_all_is_found_and_of_what_passes_nearly_nothing():
    held = [said for said in voices.HOLDS if texts(said)]
    mistaken = [said for said in voices.PASSES if texts(said)]
    assert (len(held), len(voices.HOLDS)) == (64, 64), set(voices.HOLDS) - set(held)
    assert (len(mistaken), len(voices.PASSES)) == (3, 67), mistaken


def test_a_sentence_is_found_in_its_own_words_where_it_stands():
    prompt = f"The login is broken, please look.\n  {RULE} Then mend the header."
    (found,) = extraction.find(prompt)
    assert prompt[found.start : found.end] == found.text == RULE


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (RULE, facts.RULE),
        ("I prefer tabs over spaces in Makefiles.", facts.PREFER),
        ("Our package manager is uv.", facts.FACT),
        ("We decided to stay with REST.", facts.DECISION),
        ("Why are you editing the files in `dist/` again?", facts.CORRECTION),
    ],
)
def test_a_sentence_has_a_kind(said, kind):
    assert [found.kind for found in extraction.find(said)] == [kind]


@pytest.mark.parametrize(
    "asked",
    [
        "Why did we add the retry in the first place?", "why do we import lodash in core?", "why do we commit the lockfile?",
        "Why did we move to Vite?", "why did you remove the cache?", "why are you using a map here?", "why do you make it async?",
        "Why do we push to two remotes?", "Why do we use tabs in this repo?", "why do we mock the clock?",
        "why are we using two ORMs",
        "Why do we always call the API rather than the cache?", "why did you remove the cache, please explain",
    ],
)  # fmt: skip
def test_a_question_for_a_reason_is_no_reproach(asked):
    assert texts(asked) == []


@pytest.mark.parametrize(
    "reproach",
    [
        "why do you keep adding semicolons?", "why are you using npm again?", "why do you still use npm?",
        "why are you editing files in `main/`, not in the worktree?", "Why did you commit without running the tests?",
        "why did you push when I said I push myself?", "why are we using npm, we agreed on pnpm",
        "why do you use npm instead of pnpm",
        "why did you start the migration before asking me?", "why did you build a map, arrays are what we keep here",
    ],
)  # fmt: skip
def test_what_is_asked_of_what_happens_again_or_against_something_is_a_reproach(reproach):
    assert [found.kind for found in extraction.find(reproach)] == [facts.CORRECTION]


def test_always_and_never_count_as_an_instruction_alone():
    assert texts("Never use `eval`.") and texts("You must always use `uv run`.")
    assert not texts("The flag is never read.") and not texts("It always returns null, and the cache is never empty.")


@folded(
    ("what", "around"),
    [
        ("a fence", "look:\n```\n{}\n```"),
        ("a fence without an end", "see\n~~~\n{}"),
        ("a quotation", "> {}"),
        ("words between quotation marks", 'the page says "{}"'),
        ("a pasted issue", "Please fix this issue:\n\n{}"),
        ("an issue on the same line", "can you handle this ticket: {}"),
        ("an issue below a line about it", "fix #12\n\nInstall fails\n\n{}\n\nOS: any"),
        ("a page", "The README of that repository says: {}"),
        ("somebody's review", "address the review comment: {}"),
        ("a document", "do that\n\n## Conventions\n\n{}"),
        ("an issue with its fields", "see below\nTitle: crash\nDescription: {}"),
        ("a line of a log", "I get\n2026-01-02 10:11:12 {}"),
        ("a line of a log of a machine", "I get\n2026-01-02T10:11:12Z WARN eve: {}\nfix that"),
        ("an output", "ERROR: {}"),
        ("a line of npm", "npm notice {}\nok?"),
        ("a line of a compiler", "note: {}\nwhat does it mean?"),
        ("a list of commits", "0123456 {}\n1234567 Lamps"),
        ("a terminal", "root@host:~# eve\n{}\nroot@host:~#\nwhy?"),
        ("a shell with its output", "$ eve\n{}\n\nis that ok?"),
        ("a bot", "renovate-bot: {}\nshould we?"),
        ("a program that speaks", "sonarqube says: {} ok?"),
        ("a chat", "Eve: you should know this. {}\nMe: ok"),
        ("somebody's guide", "CONTRIBUTING of eve:\n\n- Fork it.\n- {}\n\nLet us"),
        ("somebody's rules", "Rules from CONTRIBUTING.md:\n- {}"),
        ("a French file", "Le fichier de eve dit : {}"),
        ("what one asks about", "{} Is that needed?"),
        ("a shell", "$ echo {}"),
        ("a diff", "+ {}"),
        ("a comment of a query", "SELECT 1;\n-- {}"),
        ("a tag of a client", "<system-reminder>\n{}\n</system-reminder>"),
        ("a tag of a client that was cut", "<system-reminder>\n{}"),
        ("our own fence", "<ralph-mem-0a1b>\n{}\n</ralph-mem-0a1b>"),
        ("our own fence without an end", "<ralph-mem-0a1b>\n{}"),
        ("a long list", "do these\n" + "- look at the page\n" * 6 + "- {}"),
        ("a plan", "Implement the following plan:\n{}"),
    ],
)  # fmt: skip
def test_what_somebody_else_said_is_passed_over(what, around):
    assert texts(around.format(RULE)) == [], what


@folded(
    "said",
    [
        "The vendor docs want us to always run eve-cli before each release.",
        "According to the eve wiki we should always use eve-cli for releases.",
        "Eve thinks we should always use eve-cli for releases.",
    ],
)
def test_what_somebody_else_wants_is_passed_over(said):
    assert texts(said) == []


@folded(
    "headline",
    [
        "In this repo:", "One rule for this project:", "Style guide:", "About commit messages:", "Important for the docs:",
        "As for error handling:", "Rules of this project:\n1.", "For this repo:\n-", "Please follow this here:\n-",
        "Also, for our code:",
    ],
)  # fmt: skip
def test_what_stands_below_the_persons_own_headline_is_theirs(headline):
    (found,) = texts(f"{headline} {RULE}")
    assert found.endswith(RULE)


@folded(
    "headline",
    [
        "In this issue:", "In our chat Eve wrote:", "About eve's comment:", "Style guide from eve:\n-",
        "The rules in the README:\n-", "Rules of eve:\n-", "Their conventions:\n-", "Feedback:",
    ],
)  # fmt: skip
def test_a_headline_over_what_somebody_wrote_is_not_the_persons(headline):
    assert texts(f"{headline} {RULE}") == []


@folded(
    "said",
    [
        "secrets come from vault, path is <env>/<svc>/<name>", "our branches are named feat/<ticket>-slug",
        "images are tagged <svc>:<git sha>, never latest", "use <button>, not <div>",
    ],
)  # fmt: skip
def test_a_placeholder_is_part_of_its_sentence_and_hides_nothing_behind_it(said):
    assert texts(f"{said}. {RULE}") == [f"{said}.", RULE]


TRACE = "> Task :app:merge FAILED\njava.lang.OutOfMemoryError: Java heap space\n"


def test_a_line_directly_behind_those_that_a_program_printed_is_the_programs_unless_it_speaks_to_us():
    assert texts(f"gradle dies\n{TRACE}The `daemon` has no heap of its own") == []
    assert texts(f"gradle dies\n{TRACE}The `daemon` has no heap of its own\n{RULE}") == [RULE]
    assert texts(f"gradle dies\n{TRACE}\nThe `daemon` has no heap of its own") != []


@folded(
    "said",
    [
        "sry didnt mean to shout", "no lets not.", "make it a script", "make it blue", "terraform plan wants to destroy the db?!!",
    ],
)  # fmt: skip
def test_an_apology_a_refusal_a_piece_of_work_and_a_cry_of_alarm_hold_nothing(said):
    assert texts(said) == []


def test_an_order_to_forget_something_ends_where_something_else_is_said():
    assert texts("actually, forget that npm thing, we use pnpm now") == ["actually, forget that npm thing", "we use pnpm now"]
    assert texts("Forget about conda: IT rolled it back. Always use `uv`.") == ["Forget about conda", "Always use `uv`."]


@folded("said", ["docker: always use `buildx`", "postgres on prod: never drop a table", "specials: always use `Money`"])
def test_a_word_that_begins_like_one_of_a_document_introduces_none(said):
    assert texts(said) == [said]


@folded("said", ["My boss said: {}", "As I said: {}", "fix it\nnote: never touch the lock.\n{}", "{} Is it installed?"])
def test_what_the_person_passes_on_as_their_own_is_found(said):
    assert RULE in texts(said.format(RULE))[-1]


def test_a_headline_alone_says_nothing():
    assert texts(f"In this project:\n```\n{RULE}\n```") == []


def test_what_stands_before_a_paste_is_the_users_own():
    assert texts(f"{RULE} Now mend this issue:\n\nNever trust `pip`. Always use `curl`.") == [RULE]


@folded(
    "said",
    [
        "For now always use `npm`.",
        "Don't push to main yet.",
        "Never use `npm` in this PR.",
        "Use tabs instead of spaces in parser.go:88.",
        "Should we always use `npm`?",
        "do we always need the lock on `store.db`?",
        "or does `store.db` always need the lock",
        "For 3, never use `npm` here.",
        "as for #12 always use `pnpm` here",
        "Only ever run `make check` before a merge 2.",
        "Always use the token [REDACTED:github-token] for `gh`.",
    ],
)
def test_a_question_what_is_bound_to_now_and_what_was_redacted_is_none(said):
    assert texts(said) == []


@folded("said", ["For 3 days never delete a file in `backups/`.", "On 2 of our hosts always use `podman`."])
def test_a_number_that_counts_something_is_no_point_of_a_list(said):
    assert texts(said) == [said]


@folded(
    ("said", "found"),
    [
        ("I think we use `postgres` but I'm not sure", False),
        ("Our CI runs on `node` 20, if I remember right.", False),
        ("We use `redis` for the queue, I don't know which version", True),
        ("Our users don't know the id of their tenant, so always show its name in `admin.py`.", True),
    ],
)
def test_who_is_not_sure_states_nothing(said, found):
    assert bool(texts(said)) is found


def test_a_prompt_gives_five_at_most_the_strongest_in_their_order():
    rules = ["Always use `uv`.", "Never use `pip`.", "From now on sign every commit.", "Never push to main.", "Always run `make`."]
    prompt = " ".join(["Our CI is slow.", *rules, "Prices are cents."])
    assert texts(prompt) == rules


def test_a_long_prompt_and_a_long_sentence_give_nothing():
    assert texts(RULE + "\n" + "line of a file\n" * 200) == []
    assert texts("Always use `uv` " + "and so on " * 40) == []


@folded(
    "said",
    [
        "spaces in yaml not tabs",
        "no lodash, native methods",
        "feather icons only",
        "Do not restart the queue during working hours.",
        "never deploy without my ok",
    ],
)
def test_a_few_words_without_a_verb_may_say_how_it_is_done_here(said):
    assert texts(said) == [said]


@folded(
    "said",
    [
        "no luck, same error",
        "no errors, looks good",
        "not working, same error",
        "can you do the header only",
        "don't run it before the build finishes",
    ],
)
def test_a_few_words_about_what_is_going_on_are_passed_over(said):
    assert texts(said) == []


@folded(
    "said",
    [
        "Wir nutzen immer pnpm und nie npm.",
        "Bitte committe nie ohne `make lint`.",
        "Keine Kundendaten loggen, niemals.",
        "Du hast die Datei schon wieder von Hand geändert.",
        "Utilise toujours pnpm, jamais npm, dans le projet.",
        "Il ne faut jamais déployer sans mon accord.",
        "Tous les textes passent par i18n ici.",
        "Usa siempre pnpm, nunca npm, por favor.",
        "A partir de ahora las fechas se guardan en UTC.",
        "Aquí usamos tabs, no espacios.",
        "Kein moment.js hier, lieber date-fns.",
        "Beträge zeigen wir mit zwei Nachkommastellen.",
        "Englische Namen für Variablen, bitte!",
        "Schon wieder ein Datum ohne Zone, nimm UTC.",
        "Les durées sont stockées en secondes.",
        "Pas de var, utilise const.",
        "N'oublie pas que le serveur est en UTC.",
        "Nada de jQuery, todo con el framework.",
        "Has borrado los comentarios, no se hace así.",
        "merk dir: SAP_LEGACY immer rausfiltern",
        "ab jetzt in billing nie wieder LocalDate.now() ohne Clock",
        "deploy nie freitags",
        "commits immer signieren",
        "Migrationen nie von Hand ändern",
        "in payments immer BigDecimal statt double",
        "secrets niemals ins repo",
        "merk dir, TESTKUNDE_01 nicht anfassen",
        "recuerda: nunca tocar dist/",
    ],
)
def test_german_french_and_spanish_orders_and_customs_are_found(said):
    assert texts(said) == [said]


@folded(
    "said",
    [
        "Die Tabelle soll immer nach Namen sortiert sein.",
        "Der Test ist seit gestern immer rot.",
        "Die API liefert nie mehr als 50 Einträge.",
        "Wollen wir immer pnpm nehmen oder nie?",
        "C'est toujours la même erreur, le token est vide.",
        "Le bouton doit toujours rester en bas de l'écran.",
        "Pour l'instant on utilise npm dans le projet.",
        "El test siempre falla en CI pero no en local.",
        "La cola nunca se vacía.",
        "La tabla debe mostrar siempre los últimos diez.",
        "Bau bitte die Suche ein.",
        "Die Suche findet nur auf Deutsch.",
        "merk dir den Stand, ich bin gleich zurück",
        "jetzt in billing die Clock einbauen",
        "ab heute ist Anna im Team",
        "Tests immer noch rot",
        "Mails nie angekommen",
        "Bilder, die immer verschwinden",
        "und dann deployen wir auf Staging",
        "Ajoute le filtre par ville.",
        "Le build échoue avec yarn.",
        "Cambia el color con el tema.",
        "La lista no carga con muchos datos.",
    ],
)
def test_german_french_and_spanish_reports_wishes_and_questions_are_passed_over(said):
    assert texts(said) == []


@folded(
    "said",
    [
        "mach das nur für diese Datei", "Lösch bitte nur die alten Logs.", "Sollen wir immer pnpm nehmen",
        "Nimm nur die ersten drei Einträge und zeig sie mir.", "Mach mal eben schnell nur den Header kleiner",
        "Die Funktion muss immer eine Zahl zurückgeben, bau das ein.", "bitte fix den test und push nur den branch",
        "Ändere nichts an der Datei, zeig mir nur den Diff", "Mach den Text fett, nicht kursiv",
        "no cambies el archivo, solo muéstramelo", "pon el botón a la izquierda, no a la derecha", "hacemos una prueba y vemos",
        "ejecuta los tests en cada carpeta", "usa el segundo enfoque, no el primero",
        "Ne modifie pas le fichier, montre-moi juste le diff", "Lance les tests dans chaque dossier",
        "mets le bouton à gauche, pas à droite", "on fait un essai avec Redis", "doit-on toujours lancer les tests",
        "não pode ser isso, olha de novo", "esse endpoint nunca responde", "o worker nunca termina", "não se vê o botão",
        "il test non passa mai", "non si vede il bottone", "la pagina non si carica mai", "facciamo una prova con Redis",
    ],
)  # fmt: skip
def test_a_wish_for_this_one_thing_a_fault_and_the_layout_of_a_page_are_no_rules_in_five_languages(said):
    assert texts(said) == []


@folded(
    "said",
    [
        "Push nur den Branch, nie auf main", "Lösch Daten nie ohne Rückfrage", "Nutze nur das ORM, kein rohes SQL",
        "Mach Deployments nur über Jenkins", "Jede Funktion muss einen Docstring haben",
        "no uses npm, usa pnpm", "pon los tests en tests/, no en src/", "corre los tests antes de cada commit",
        "ne modifie jamais le schéma", "lance les tests avant chaque commit", "on déploie le mardi",
        "a partir de agora use sempre pnpm", "não pode commitar sem rodar o lint", "o deploy sempre passa pelo staging",
        "la main non si tocca mai", "non si fanno push diretti su main", "usiamo vitest, non jest",
    ],
)  # fmt: skip
def test_what_only_begins_like_these_in_five_languages_is_found(said):
    assert texts(said) == [said]


@folded(
    "said",
    [
        "Always On Display ist auf dem Telefon nicht immer an.",
        "必ず pnpm を使ってください。npm は never です。",
        "Всегда используй pnpm, a не npm.",
        "استخدم always pnpm دائما",
        "Gebruik altijd pnpm, nooit npm, in de repo.",
        "nie używaj npm w repo",
    ],
)
def test_other_languages_are_left_alone(said):
    assert texts(said) == []


@folded(
    "said",
    [
        "bring the stack up locally and run all tests", "and commit it, conventional commits pls", "make the tests run",
        "upgrade all deps and run everything", "spin up the db locally and run all migrations", "run all tests locally",
        "tear the stack down and run the e2e suite", "roll back if you must, decide.", "upgrade node to 22 everywhere",
        "upgrade grafana to 11 in mon, values are in charts/grafana", "fire up docker and run all integration tests",
        "kubernetes node pool runs out of IPs", "api runs into a timeout on prod", "gateway times out on all requests",
        "boot the emulators and run every smoke test",
    ],
)  # fmt: skip
def test_a_piece_of_work_and_a_trouble_that_somebody_will_mend_are_passed_over(said):
    assert texts(said) == []


@folded(
    ("what", "said"),
    [
        ("somebody else's word", "He said we must never use Redux."),
        ("somebody else's word", "A guy on youtube says you should never use classes"),
        ("somebody else's word", "According to the Vue docs you should always use the composition API"),
        ("somebody else's word", "Er sagt, wir dürfen nie Redux verwenden."),
        ("somebody else's word", "mi colega dice que nunca hay que usar Redux"),
        ("a short quotation", '"Never use Redux", says the blog.'),
        ("a short quotation", "'Don't use classes' is what the tutorial says."),
        ("a short quotation", "„Benutzt niemals Redux“, sagt der Blog."),
        ("a thought", "imagine we never had to write tests"),
        ("a thought", "Suppose you must always answer in French."),
        ("a thought", "Maybe we should never use Redux."),
        ("mockery", "lol sure, never test anything, what could go wrong"),
        ("mockery", "always delete prod first, great plan"),
        ("a feeling", "always nice to see green tests"),
        ("blame", "you never listen"),
        ("blame", "you never run the tests"),
        ("a weakness", "I always forget how to rebase"),
    ],
)
def test_what_the_user_does_not_say_for_themselves_or_does_not_mean_is_passed_over(what, said):
    assert texts(said) == [], what


@folded(
    "said",
    [
        "Security says we must never log emails.", "Sure, always use pnpm.", "lol no, never use moment here, use date-fns",
        "I always forget the changelog, so always remind me of it.", "You never ask, so always ask me before you push.",
        "you never push to main", "I never push to main, you neither.", "Never imagine requirements, ask me.",
        'Never print "do not use" in the log, always say "deprecated".', "Docs must never mention internal hosts.",
        "Always use 'single quotes' in JS.",
    ],
)  # fmt: skip
def test_what_only_begins_like_these_is_found(said):
    assert texts(said) == [said]


@folded(
    "said",
    [
        "run make check before every push", "Run all tests with `uv run pytest`.", "all e2e tests run in docker here",
        "bring up services with docker compose, not podman", "upgrade all deps through renovate, never by hand",
        "squash all commits before merging", "Let CI run the e2e suite, we never run it locally",
        "make the tests run in UTC, always", "Our tests need a running redis and run in docker.",
        "commit it, conventional commits please, scope is the package name", "prod runs on kubernetes 1.29",
        "Never restart a worker that runs out of memory by hand.",
    ],
)  # fmt: skip
def test_how_a_piece_of_work_is_always_done_is_found(said):
    assert texts(said) == [said]


def test_odd_texts_hold_nothing():
    assert {name: texts(text) for name, text in ODD.items() if texts(text)} == {}


HOSTILE = [
    "(" * 2500,
    '" a' * 800,
    "`" * 2500,
    "<a " * 800,
    "we never " * 270,
    "\n> " * 800,
    "every " * 50 + "\n",
    ("a, " * 100 + "\n") * 8,
    "[" * 1_000_000,
]


@pytest.mark.parametrize("text", HOSTILE, ids=[text[:9].strip() for text in HOSTILE])
def test_no_text_takes_long(text):
    assert processor.timed(lambda: extraction.find(text))[1] < 0.5  # five thousandths mostly; minutes where it backtracks


@given(
    st.text(max_size=400) | st.lists(st.sampled_from([*voices.HOLDS, "\n", "```", "> ", '"', "<a>", "[", "never "])).map(" ".join)
)
def test_whatever_is_found_is_a_piece_of_the_prompt(prompt):
    found = extraction.find(prompt)
    assert len(found) <= 5
    for each in found:
        assert each.text == prompt[each.start : each.end]
        assert 12 <= len(each.text) <= 320 and 0 < each.strength < 1
