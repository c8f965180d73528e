"""Tell what a session did, what it was told from memory and why, and what it would be told now."""

from collections import namedtuple

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count, day, duration, when
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.memory import access, conversation
from ralph_mem.memory.inject import block, briefing, prompting
from ralph_mem.memory.recall import layers, lookup, meaning, reasons
from ralph_mem.memory.rows import kinds, query_text, sessions
from ralph_mem.memory.rows import receipts as receipts_of
from ralph_mem.memory.rows.row import COMMAND, end_before

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# One session: its id, when it began and when its last event was, its branch, how many prompts a person typed, how many slash
# commands, how many turns were a loop's, how many commands failed, whether it is open, ended or broke off, and what it was
# first asked, redacted as it may leave, and what came of it in a few words. `number` and `store` lead to its rows, `agent` is the
# client.
Session = namedtuple("Session", "id at last branch prompts commands loop failed state request outcome number store agent")

PREFIX = "sess-"
SESSION = "SELECT id, public_id, started_at, ended_at, end_reason, branch, agent FROM sessions"
# A session of our own holds what was noted from a terminal.
LISTED = f"{SESSION} WHERE agent <> 'ralph-mem' AND coalesce(ended_at, ?1) >= ?2 AND started_at < ?3"
LATEST = " ORDER BY started_at DESC, id DESC LIMIT ?4 OFFSET ?5"
REQUESTS = " WHERE t.session_id = ? AND t.kind = 'prompt' AND t.prompt <> '' ORDER BY t.seq"
ALL_TURNS = " WHERE t.session_id = ? ORDER BY t.seq"
LAST_CHECK = (
    " WHERE t.session_id = ? AND t.origin = 'test' AND t.type IN ('error', 'success') ORDER BY t.seq DESC, t.id DESC LIMIT 1"
)
# What is no check has passed where it ended, was not interrupted and does not run on.
OVER = f"""t.type = 'tool_use' AND t.origin = 'tool' AND t.tool_name = '{COMMAND}'
    AND coalesce(t.metadata, '') NOT LIKE '%"interrupted"%' AND coalesce(t.metadata, '') NOT LIKE '%"runs_on"%'"""
OUTCOMES = f" WHERE t.session_id = ? AND (t.type IN ('error', 'success') OR {OVER}) ORDER BY t.seq, t.id"
# Characters. A line of a list, and a request among others: who wants all of it opens the turn.
SHORT, LONG, VERDICT = 100, 300, 60
MOST_FILES, MOST_COMMANDS = 30, 20
OPEN, ENDED, BROKE_OFF = "open", "ended", "broke off"
COLUMNS = ("session", "when", "for", "prompts", "failed", "state", "asked first", "what came of it")


def listed(
    reader: "lookup.Reader", now: int, limit: int, since: int = 0, until: int = lookup.FOREVER, page: int = 1,
    are_own: bool = False,
) -> "list[Session]":  # fmt: skip
    """Return a page of the sessions of the project, the latest first; times in milliseconds.

    With `are_own` those alone that have a turn which is not of somebody else's file.
    """
    store = reader.stores[0]
    sql = LISTED + (sessions.IS_OWN if are_own else "") + LATEST
    rows = store.execute(sql, (now, since, until, limit, (page - 1) * limit)).fetchall()
    return [_session(reader, store, row) for row in rows]


def entries(reader: "lookup.Reader", session: Session, page: int, limit: int) -> "tuple[list[lookup.Row], int]":
    """Return a page of what happened in a session, in its order, and how many pages there are.

    Raises RalphMemError for a page that it does not have.
    """
    (number,) = session.store.one(kinds.ENTRIES.format(what="count(*)"), (session.number,))
    pages = max(1, -(-number // limit))
    if page > pages:
        raise RalphMemError(f"{session.id} has {count(pages, 'page')}", f"`ralph-mem sessions {session.id} --page {pages}`")
    sql = kinds.ENTRIES.format(what="seq, is_detail, id") + " ORDER BY 1, 2, 3 LIMIT ?2 OFFSET ?3"
    places = session.store.execute(sql, (session.number, limit, (page - 1) * limit)).fetchall()
    readings = (lookup.TURN, lookup.OBSERVATION)
    rows = [row for _, kind, at in places for row in reader.rows(session.store, readings[kind] + " WHERE t.id = ?", (at,))]
    return reader.protected(rows), pages


def find(reader: "lookup.Reader", public_id: str) -> Session:
    """Return one session by its id. Raises RalphMemError where no memory has it."""
    for store in reader.stores if public_id.isascii() else ():
        for row in store.execute(SESSION + " WHERE public_id = ?", (public_id,)).fetchall():
            return _session(reader, store, row)
    raise RalphMemError(f"no memory has the id {ascii(public_id[:40])[1:-1]}", "`ralph-mem sessions` lists those that are there")


def _session(reader: "lookup.Reader", store: "Store", row: "tuple[Any, ...]") -> Session:
    number, public_id, at, ended, reason, branch, agent = row
    prompts, commands, loop, failed = map(int, store.one(sessions.PROMPTS, (number,)))
    last = ended or int(store.one(sessions.LAST_EVENT, (number,))[0])
    first = reader.protected(reader.rows(store, lookup.TURN + REQUESTS + " LIMIT 1", (number,)))
    state = BROKE_OFF if reason == "crash" else ENDED if ended else OPEN
    request = _line(first[0].asked, SHORT) if first else ""
    outcome = _came_of(reader, store, number)
    return Session(public_id, at, last, branch, prompts, commands, loop, failed, state, request, outcome, number, store, agent)


def _came_of(reader: "lookup.Reader", store: "Store", number: int) -> str:
    """Return how many files a session changed, how its loop ended, and how the check ended that it ran last."""
    files = sessions.changed(store, number)
    loop = store.one(sessions.LAST_LOOP, (number,))
    checks = reader.protected(reader.rows(store, lookup.OBSERVATION + LAST_CHECK, (number,)))
    said = [f"{count(files, 'file')} changed"] if files else []
    said += [f"loop {loop[0]}"] if loop else []
    said += [f"{'failed' if each.type == 'error' else 'passed'}: {_line(each.asked, VERDICT)}" for each in checks]
    return ", ".join(said)


def cells(session: Session) -> "tuple[object, ...]":
    """Return what stands in the columns of a list."""
    asked = session.request or ("(a loop)" if session.loop else "")
    length = duration(session.last - session.at)
    state = session.state if session.agent == sessions.AGENT else f"{session.state}, {session.agent}"
    return session.id, when(session.at), length, session.prompts, session.failed, state, asked, session.outcome


def line(session: Session) -> str:
    """Return a session in one line."""
    name, at, length, _, failed, state, asked, outcome = cells(session)
    return (
        f"{name}  {at}  {length}, {count(session.prompts, 'prompt')}, {failed} failed, {state}: {asked or 'nothing was asked'}"
        + (f" -> {outcome}" if outcome else "")
    )


def text(reader: "lookup.Reader", session: Session) -> str:
    """Return what a session did, in lines for people."""
    turns = reader.protected(reader.rows(session.store, lookup.TURN + ALL_TURNS, (session.number,)))
    asked = reader.protected(reader.rows(session.store, lookup.TURN + REQUESTS, (session.number,)))
    top = reader.project.root.rstrip("/") + "/"
    files = list(dict.fromkeys([path.removeprefix(top) for each in turns for path in each.files.splitlines()]))
    outcomes = reader.protected(reader.rows(session.store, lookup.OBSERVATION + OUTCOMES, (session.number,)))
    answered = [each.said for each in turns if each.said]
    return "\n".join([
        _counts(session),
        *_section("asked", [f"{_then(session, each.at)}  {_line(each.asked, LONG)}  ({each.public_id})" for each in asked]),
        *_section("changed", _some(files, MOST_FILES)), *_section("outcomes", _some(_outcomes(outcomes), MOST_COMMANDS)),
        *_section("last answer", answered[-1].splitlines() if answered else []),
    ])  # fmt: skip


def full(reader: "lookup.Reader", session: Session, start: int = 0) -> str:
    """Return the same from a character on, of at most 1,000 tokens, with how much is left."""
    return layers.piece(head(session), text(reader, session), start)[0]


def head(session: Session) -> str:
    """Return the first line about a session: its id, when it was, and on which branch."""
    branch = f"  {session.branch}" if session.branch else ""
    return f"{session.id}  session  {when(session.at)} to {_then(session, session.last)}{branch}"


def _then(session: Session, at: int) -> str:
    """Return a time of a session, with its day where the session has more than one."""
    return when(at)[0 if day(session.at) != day(session.last) else 11 :]


def facts(session: Session) -> "dict[str, Any]":
    """Return a session as plain values, for a program to read."""
    names = ("id", "agent", "at", "last", "branch", "prompts", "commands", "loop", "failed", "state", "request", "outcome")
    return {name: getattr(session, name) for name in names}


def _counts(session: Session) -> str:
    said = [count(session.prompts, "prompt")]
    said += [count(session.commands, "slash command")] if session.commands else []
    said += [count(session.loop, "turn") + " of a loop"] if session.loop else []
    return ", ".join([*said, count(session.failed, "failed command"), duration(session.last - session.at), session.state])


def _section(title: str, lines: "list[str]") -> "list[str]":
    return [f"{title}:", *[f"  {line}" for line in lines]] if lines else []


def _some(lines: "list[str]", most: int) -> "list[str]":
    return [*lines[:most], f"and {len(lines) - most} more"] if len(lines) > most else lines


def _outcomes(rows: "list[lookup.Row]") -> "list[str]":
    """Return a line for each command with how it ended, and how it did before that; what fails at the end comes first.

    What is no check has a line only where it failed once.
    """
    ends: dict[str, list[lookup.Row]] = {}
    for each in rows:
        title = _line(each.asked, SHORT)
        if title in ends or each.type != "tool_use":
            ends.setdefault(title, []).append(each)
    lines = []
    for title, runs in ends.items():
        failures, last = sum([each.type == "error" for each in runs]), runs[-1]
        if last.type == "error":
            why = _line(next(iter([line for line in last.lines.splitlines() if line.strip()]), ""), SHORT)
            lines.append((0, f"failed: {title}" + (f"  ({why})" if why else "")))
        else:
            before = f"failed {'once' if failures == 1 else f'{failures} times'}, then " if failures else ""
            lines.append((1, f"{before}passed: {title}"))
    return [line for _, line in sorted(lines, key=lambda each: each[0])]


def _line(words: str, most: int) -> str:
    plain = " ".join(words.split())
    return plain if len(plain) <= most else plain[: end_before(plain, most - 3)].rstrip() + "..."


NEW_SESSION = 0
ITEMS = """
SELECT memory, outcome, score, evidence, tokens, misled_at FROM receipt_items WHERE receipt_id = ? ORDER BY position"""


class Line:
    """One line of a receipt: a memory, its outcome (full, line, folded, missed), what spoke for it, what it cost."""

    __slots__ = ("evidence", "memory", "misled_at", "outcome", "row", "score", "tokens")

    def __init__(self, row: "lookup.Row | None", values: "tuple[str, str, float, int, int, int | None]") -> None:
        self.row = row  # nothing, where it is forgotten
        self.memory, self.outcome, self.score, self.evidence, self.tokens, self.misled_at = values


class Receipt:
    """What one event told its session; `prompt` is nothing for a briefing. Times in milliseconds."""

    __slots__ = ("at", "budget", "event", "lines", "prompt", "session", "tokens")

    def __init__(self, values: "tuple[str, str, int, int, int, str]", lines: "list[Line]") -> None:
        self.session, self.event, self.at, self.budget, self.tokens, self.prompt = values
        self.lines = lines


def receipts(reader: "lookup.Reader", limit: int, session: str = "", memory: str = "", skip: int = 0) -> "list[Receipt]":
    """Return the last receipts but so many, newest first: of all sessions or of one, or those that name a memory.

    Raises RalphMemError for a session or a memory that there is not; one that is forgotten stands in its receipts still.
    """
    found = _receipts(reader, limit, session, memory, skip) if (session + memory).isascii() else []
    if session and not found:
        find(reader, session)
    if memory and not found:
        lookup.find(reader, memory)
    return found


def _receipts(reader: "lookup.Reader", limit: int, session: str, memory: str, skip: int) -> "list[Receipt]":
    own = [store for store in reader.stores if not access.is_global(store)]
    if not own:
        return []
    where, values = "1", []
    if session:
        where, values = "s.public_id = ?", [session]
    if memory:
        where += " AND r.id IN (SELECT receipt_id FROM receipt_items WHERE memory = ?)"
        values.append(memory)
    found = own[0].execute(receipts_of.SHOWN.format(where=where), (*values, limit, skip)).fetchall()
    if not found:
        return []
    prompts = privacy.leaving(privacy.protect([values[-1] for values in found], reader.project, reader.settings)[0])
    return [Receipt((*values, prompt), _lines(reader, own[0], number)) for (number, *values, _), prompt in zip(found, prompts)]


def _lines(reader: "lookup.Reader", store: "Store", receipt: int) -> "list[Line]":
    return [Line(_row(reader, values[0]), values) for values in store.execute(ITEMS, (receipt,))]


def _row(reader: "lookup.Reader", name: str) -> "lookup.Row | None":
    try:
        return lookup.find(reader, name)
    except RalphMemError:
        return None


GIST_TOKENS = 24
WORDS = {"missed": "missed", "folded": "said by the one above"}  # of what cost nothing
NOTHING_TOLD = "Nothing was told yet."


def lines_of_receipt(receipt: Receipt) -> "list[str]":
    """Return a receipt in lines: what it was for, what it cost, and each memory in it."""
    prompt = f' for "{layers.cut(" ".join(receipt.prompt.split()), GIST_TOKENS)}"' if receipt.prompt else ""
    head = f"{when(receipt.at)}  {receipt.event}{prompt}: {receipt.tokens} of {receipt.budget} tokens"
    return [head, *[_of_memory(line) for line in receipt.lines]]


def lines_of_preview(each: "Preview") -> "list[str]":
    """Return a preview in lines: what it costs, its text, and each memory in it."""
    head = f"{each.event}: {each.tokens} of {each.budget} tokens" if each.text else f"{each.event}: nothing"
    return [head, *each.text.splitlines(), *[_of_memory(line) for line in each.lines]]


def _of_memory(line: Line) -> str:
    gist = layers.gist(line.row, GIST_TOKENS) if line.row else "(forgotten)"
    cost = WORDS.get(line.outcome) or f"{line.outcome}, {line.tokens} tokens"
    why = reasons.words(line.evidence)
    if why:
        cost += f", likely {line.score:.2f}: {why}"
    elif line.evidence or line.score:  # of a release before the table of weights
        cost += f", evidence {line.evidence}, score {line.score:.2f}"
    marked = f", marked wrong {when(line.misled_at)}" if line.misled_at else ""
    return f"  {line.memory}  {cost}{marked}: {gist}"


class Preview:
    """What a hook would tell now: its text, fenced as the model would see it, and the lines of its receipt."""

    __slots__ = ("budget", "event", "lines", "text")

    def __init__(self, event: str, budget: int, text: str, lines: "list[Line]") -> None:
        self.event = event
        self.budget = budget
        self.text = text
        self.lines = lines

    @property
    def tokens(self) -> int:
        """Return what the memories in it cost."""
        return sum([line.tokens for line in self.lines if line.outcome != "missed"])


def preview(
    reader: "lookup.Reader", prompt: str, now: int, names: "tuple[str, ...]", folder: str = ""
) -> "list[Preview]":  # fmt: skip
    """Return what a new session in a folder would be told at its start, and then at a prompt; nothing is written.

    `names` are the files with instructions that the client would give the model. The text is empty where the hook would stay
    silent.
    """
    values = reader.settings
    stores = [store for store in reader.stores if not access.is_global(store)]
    if not stores:
        raise RalphMemError(
            f"nothing is remembered for {reader.project.root} yet", "hooks tell nothing in a project without a memory"
        )
    stores += [store for store in reader.stores if access.is_global(store)]
    start, said = values["memory.inject_tokens_start"], values["memory.inject_tokens_prompt"]
    where = briefing.folder_at_work(reader.project, folder), projects.elsewhere(reader.project)
    briefed = briefing.build(stores, values, NEW_SESSION, block.read_instructions(reader.project, names), now, *where)
    answers = [(receipts_of.AT_START, start, briefed)]
    if prompt:
        words = privacy.without_injected(prompt.replace("\0", ""))  # as the event loses it
        told = receipts_of.held([(item.memory, item.outcome) for item in briefed[1]]) if effective.tells(values) else {}
        meant = conversation.kind_of(words) == "prompt" and query_text.terms(words)
        window = prompting.Window(NEW_SESSION, 0, told, names)
        found = prompting.build(stores, reader.project, values, words, window, now, meaning.sense()) if meant else ("", [])
        answers.append((receipts_of.AT_PROMPT, said, found))
    return [_previewed(reader, *answer) for answer in answers]


def _previewed(reader: "lookup.Reader", event: str, budget: int, found: "tuple[str, list[receipts_of.Item]]") -> Preview:
    on = effective.tells(reader.settings) and effective.recording(reader.project, reader.settings)
    text, items = found if on else ("", [])
    lines = [
        Line(_row(reader, item.memory), (item.memory, item.outcome, item.score, item.evidence, item.tokens, None)) for item in items
    ]
    return Preview(event, budget, block.fence(text, "TAG", reader.project, reader.settings) if text else "", lines)
