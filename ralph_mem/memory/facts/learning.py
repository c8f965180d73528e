"""Learn from the prompts of closed turns, each once, what may become a fact when a person says so."""

import time

from ralph_mem.core.errors import StoreError
from ralph_mem.core.redaction import likely, path_rules, privacy
from ralph_mem.memory import access, inspect, notes_by_hand
from ralph_mem.memory.facts import decision, extraction, retraction, taking
from ralph_mem.memory.rows import fact_queries, facts, prompts, sessions, shingles
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.facts.extraction import Found
    from ralph_mem.memory.rows.facts import Fact
    from ralph_mem.memory.rows.prompts import Progress, Prompt
    from ralph_mem.memory.store.connection import Store

    Tell = Callable[[str, int, int], Any]

# A transaction that has taken so long looks at no other prompt: a hook waits 150 ms for its turn, and a prompt takes some
# milliseconds, the longest forty.
HELD_S = 0.02
# So many words in a row that a tool had printed before are that tool's; a shorter sentence is, if all of it was printed.
RUN, FEWEST_WORDS = 8, 4
MOST_REHEARSED = 1_000_000  # all there are
# A prompt that says no more words than these beside what it taught was about nothing else; so many characters are told whole.
MOST_BESIDE, MOST_QUOTED = 3, 240
UNKNOWN = 0.6  # how likely it is that what holds in place of something unknown is of use: just so that it is told


class Learned:
    """A sentence of a turn, and what became of it: the verb, the id of the fact that says it, that of the fact it is about."""

    def __init__(self, prompt: "Prompt", found: "Found", taken: taking.Taken) -> None:
        self.turn, self.said_at = prompt.public_id, prompt.at
        self.sentence, self.kind, self.strength = found.text, found.kind, found.strength
        self.verb, self.fact, self.target, self.score = taken.verb, taken.public_id, taken.target, taken.score


def unheard(*_: object) -> None:
    """Tell nobody how far it is."""


def learn(
    store: "Store", project: "Project", settings: "dict[str, Any]", most_turns: int, end: float, tell: "Tell" = unheard
) -> "list[Learned]":  # fmt: skip
    """Look at the prompts that nobody has looked at yet, the oldest first; returns what was found in them.

    It leaves off after so many turns, or when `end` on the monotonic clock has passed, and goes on there another time. The
    caller holds no transaction. A turn that fails is tried once more another time, then it is passed over for good.
    """
    _take_notes(store)
    found: list[Learned] = []
    numbers = prompts.unlearned(store, most_turns)
    total = len(numbers)
    while numbers and time.monotonic() < end:
        tell("prompts", total - len(numbers), total)
        numbers, more = _some(store, project, settings, numbers)
        found += more
    return found


def rehearse(project: "Project", settings: "dict[str, Any]", tell: "Tell" = unheard) -> "list[Learned]":
    """Return what `learn` would find in all that waits, in a copy of the memory: not a byte of its file changes.

    Raises StoreError where there is no memory, or it cannot be read.
    """
    if not (connection.exists(project.folder) and connection.is_known(project.folder)):
        raise StoreError(f"nothing is remembered for {project.root} yet", "`ralph-mem status` says whether it is recorded")
    copy = connection.sqlite.connect(":memory:", isolation_level=None)
    try:
        source = inspect.connect(project.folder)
        try:
            source.backup(copy)
        finally:
            source.close()
        return learn(connection.Store(project.folder, copy, -1), project, settings, MOST_REHEARSED, float("inf"), tell)
    except connection.sqlite.Error as error:
        raise StoreError(f"cannot read {project.folder}/memory.db: {error}", "`ralph-mem doctor` says more") from error
    finally:
        copy.close()


def _take_notes(store: "Store") -> None:
    """Make facts of the person's notes first: what repeats one of them is known. Memories without notes need no table of facts."""
    if not prompts.are_notes_there(store):
        return
    with access.BackgroundChange(store):
        taking.take_notes(store, time.time_ns() // 1_000_000)


def _some(
    store: "Store", project: "Project", settings: "dict[str, Any]", numbers: "list[int]"
) -> "tuple[list[int], list[Learned]]":  # fmt: skip
    """Look at the first of some prompts in one short transaction; returns those that are left, and what was found."""
    found: list[Learned] = []
    with access.BackgroundChange(store):
        end, at = time.monotonic() + HELD_S, time.time_ns() // 1_000_000
        store.properties.clear()  # another process may have gone on meanwhile
        reached = prompts.progress(store)
        before = (reached.number, reached.at, dict(reached.waiting))
        left = iter(numbers)
        for number in left:
            prompt = prompts.of(store, reached, number)
            found += _one(store, project, settings, prompt, reached, at) if prompt else []
            if time.monotonic() > end:
                break
        if before != (reached.number, reached.at, reached.waiting):
            prompts.keep(store, reached)
    return [*left], found


def _one(
    store: "Store", project: "Project", settings: "dict[str, Any]", prompt: "Prompt", reached: "Progress", at: int
) -> "list[Learned]":  # fmt: skip
    """Learn from a prompt, and move on; what fails leaves nothing of it behind."""
    tries = prompts.passed(reached, prompt)
    if prompt.is_open:
        reached.waiting[prompt.number] = tries
        return []
    store.execute("SAVEPOINT prompt")
    try:
        found = _all_taken(store, project, settings, prompt, at)
    except Exception as error:  # noqa: BLE001 - one turn must not keep those behind it from being learned from
        store.execute("ROLLBACK TO prompt")
        found = []
        _put_off(store, prompt, reached, tries + 1, type(error).__name__, at)
    store.execute("RELEASE prompt")
    return found


def _put_off(store: "Store", prompt: "Prompt", reached: "Progress", tries: int, error: str, at: int) -> None:
    if tries < prompts.MOST_TRIES:
        reached.waiting[prompt.number] = tries
    else:
        prompts.bury(store, prompt, tries, error, at)


def worth_keeping(
    store: "Store", project: "Project", settings: "dict[str, Any]", prompt: "Prompt",
    find: "Callable[[str], list[Found]] | None" = None,
) -> "list[Found]":  # fmt: skip
    """Return the sentences of a prompt that may hold and are the user's own: none that a tool had printed, none with a secret.

    `find` says which sentences may hold in place of `extraction.find`.
    """
    dropped = retraction.of(prompt.text)
    is_noted = prompt.is_noted and not (dropped and dropped.is_order)  # who takes a note back says its words as well
    if prompt.tainted or is_noted or _is_to_be_noted(prompt.text, settings["memory.remember"]):
        return []
    found = [each for each in (find or extraction.find)(prompt.text) if is_safe(each.text, project, settings)]
    if not found:
        return []
    # a prompt that an agent wrote for another session, such as that of `claude -p`, looks as if it was typed
    is_repeated = shingles.repeats(store, prompt.client_session, "\n".join([each.text for each in found]), prompt.at)
    printed = [f" {_words(text)} " for text in prompts.overheard(store, prompt)]
    return [
        each for each in found
        if not _is_printed(each.text, printed)
        and not (is_repeated and shingles.repeats(store, prompt.client_session, each.text, prompt.at))
    ]  # fmt: skip


def _is_to_be_noted(text: str, openings: "list[str]") -> bool:
    """Say whether a prompt asks for a note: it was kept as one at once, or a person took that back."""
    return bool(notes_by_hand.behind(text.strip().lower().removeprefix("please ").lstrip(), openings))


def is_safe(text: str, project: "Project", settings: "dict[str, Any]") -> bool:
    """Say whether today's rules of privacy let a sentence pass whole, it likely holds no secret, and names no path that the person
    excludes.
    """
    (safe,), _ = privacy.protect([text], project, settings)
    return safe == text and privacy.leaving([text]) == [text] and not (likely.find(text) or path_rules.touches(text, settings))


def _words(text: str) -> str:
    return " ".join("".join([char if char.isalnum() else " " for char in text.casefold()]).split())


def _is_printed(text: str, printed: "list[str]") -> bool:
    words = _words(text).split()
    length = min(RUN, len(words))
    if length < FEWEST_WORDS:
        return False
    runs = [f" {' '.join(words[at : at + length])} " for at in range(len(words) - length + 1)]
    return any([run in text for text in printed for run in runs])


def _all_taken(store: "Store", project: "Project", settings: "dict[str, Any]", prompt: "Prompt", at: int) -> "list[Learned]":
    """Take in what a prompt says, a correction of what was said just before first, together with that."""
    found = worth_keeping(store, project, settings, prompt)
    for said in worth_keeping(store, project, settings, prompt, extraction.corrections):
        before = prompts.before(store, prompt)
        meant = _meant(store, before, said) if before else []
        if before and meant:
            rest = [each for each in found if each.start >= said.end]
            return [_corrected(store, [prompt, before], said, meant, at), *[_taken(store, prompt, each, at) for each in rest]]
    taken = [_taken(store, prompt, each, at) for each in found]
    for order, done in zip(found, taken[:]):
        if done.verb == decision.DELETE or (done.verb == decision.NOOP and not done.target):  # what it takes back may be unknown
            taken += _taken_instead(store, project, settings, prompt, (order, done.target), found, at)
    return taken


def _taken_instead(
    store: "Store", project: "Project", settings: "dict[str, Any]", prompt: "Prompt", order: "tuple[Found, str]",
    found: "list[Found]", at: int,
) -> "list[Learned]":  # fmt: skip
    """Take in an order to forget the fact of an id, or of none, with what is said behind it, unless that was found by itself."""
    fact = facts.of_id(store, order[1])
    said = worth_keeping(store, project, settings, prompt, lambda text: extraction.orders_with_more(text, order[0]))
    if not said or any([order[0].end <= each.start < said[0].end for each in found]):
        return []
    return [_put_in_place(store, prompt, said[0], said[0].text, [fact] if fact else [], at)]


def _meant(store: "Store", before: "Prompt", said: "Found") -> "list[Fact]":
    """Return of what a prompt taught that which the one behind it corrects: what that names, or all where nothing else was said."""
    taught = [
        fact for fact in reversed(fact_queries.made_from(store, before.public_id))
        if fact.kind in facts.SAID and fact.status in facts.THERE
    ]  # fmt: skip
    words = sum([len(fact.text.split()) for fact in taught])
    is_all = words >= len(before.text.split()) - MOST_BESIDE
    return [fact for fact in taught if retraction.have_in_common(fact.text, said.text)] or (taught if is_all else [])


def _corrected(store: "Store", said_in: "list[Prompt]", said: "Found", meant: "list[Fact]", at: int) -> Learned:
    """Take in a correction behind what it corrects, in the words of both; what cannot be quoted whole only takes that back."""
    prompt, text = said_in[0], "; ".join([*[fact.text.rstrip(" .!;") for fact in meant], said.text])
    is_said = said.text[retraction.what_was_meant(said.text) :].strip() != ""
    if not is_said or len(text) > MOST_QUOTED:
        for fact in meant:
            if fact.status == facts.CANDIDATE:
                taking.retire(store, fact, prompt.public_id, at)
        return Learned(prompt, said, taking.Taken(decision.DELETE, "", meant[0].public_id, 1.0))
    learned = _put_in_place(store, prompt, said, text, meant, at)
    for each in said_in[1:]:  # it goes when either of them is forgotten
        facts.sight(store, learned.fact, each.public_id)
    return learned


def _put_in_place(store: "Store", prompt: "Prompt", said: "Found", text: str, there: "list[Fact]", at: int) -> Learned:
    """Take a text in as a statement of a prompt in place of facts, as likely as these are to be of use; there may be none."""
    strength = max([float(fact.metadata.get("strength") or 1.0) for fact in there], default=UNKNOWN)
    found = extraction.Found(text, there[0].kind if there else said.kind, strength, said.start, said.end)
    return Learned(prompt, found, taking.correct(store, _statement(store, prompt, found), there, at))


def _taken(store: "Store", prompt: "Prompt", found: "Found", at: int) -> Learned:
    return Learned(prompt, found, taking.take(store, _statement(store, prompt, found), at))


def _statement(store: "Store", prompt: "Prompt", found: "Found") -> taking.Statement:
    folder = sessions.folder_of(store, prompt.client_session) if extraction.OF_FOLDER.search(found.text) else ""
    known = {"strength": found.strength, "folder": folder}
    return taking.Statement(found.text, found.kind, facts.PROMPT, prompt.at, prompt.public_id, **known)
