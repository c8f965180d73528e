"""Write what a run leaves for later ones about failures, what fixed them, and what did not help."""

import json
import time

from ralph_mem.core.format import count
from ralph_mem.core.redaction import privacy
from ralph_mem.memory import opening
from ralph_mem.memory.rows import notes, receipts, records, rewrite, sessions
from ralph_mem.ralph import attempts, changes
from ralph_mem.ralph.criteria import PASSED, evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.store.connection import Store
    from ralph_mem.ralph.criteria import Verdict
    from ralph_mem.ralph.record import Iteration, Run

    Settings = dict[str, Any]

TOOL = "ralph"  # by which the observations of a run are known
SOURCE = "loop"  # where a session comes from that is a run of ours
TITLE_CHARACTERS, CONTENT_CHARACTERS, LINES_CHARACTERS = 300, 4_000, 800
RUN = """
INSERT INTO loop_runs (public_id, session_id, goal, status, stop_reason, iterations, snapshot_id, settings, started_at, ended_at)
SELECT ?, s.id, ?, ?, ?, ?, ?, ?, ?, ? FROM sessions AS s WHERE s.client_session = ?
ON CONFLICT (public_id) DO UPDATE SET status = excluded.status, stop_reason = excluded.stop_reason,
    iterations = excluded.iterations, settings = excluded.settings, ended_at = excluded.ended_at"""
ITERATION = """
INSERT INTO iterations (loop_run_id, number, snapshot_id, verdicts, summary, tree, tokens, cost, started_at, ended_at)
SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM loop_runs WHERE public_id = ?
ON CONFLICT (loop_run_id, number) DO NOTHING"""


def of_end(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> None:
    """Store how a run ended, and its lesson if anything was tried; a session that is only this run ends with it."""
    _write_run(opened, project, settings, run)
    if run.iterations:
        _write_lesson(opened, project, settings, run)
    if not run.owner:
        records.apply(opened, records.end(run.id, run.ended or _now(), run.reason or "other"))


def of_rollback(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> None:
    """Store the lesson of a run again, where it has one, as the files have it after a rollback or its undoing."""
    if notes.of_event(opened, f"lesson:{run.id}"):
        _write_lesson(opened, project, settings, run)


def of_prompt(opened: "Store", project: "Project", settings: "Settings", run: "Run", facts: "dict[str, Any]", at: int) -> None:
    """Store that an iteration begins: the row of its run, and the receipt of what its prompt tells from the memory."""
    _write_run(opened, project, settings, run)
    items = [receipts.Item(name, outcome, 0.0, 0, tokens) for name, outcome, tokens in facts.get("told") or []]
    if items:
        (session,) = opened.one("SELECT id FROM sessions WHERE client_session = ?", (session_of(run),))
        receipts.add(opened, session, None, f"ralph loop, iteration {run.next_number()}", at, facts["budget"], items)


def session_of(run: "Run") -> str:
    """Return the client's id of the session that a run belongs to: its owner's, or one of its own."""
    return run.owner or run.id


def _now() -> int:
    return time.time_ns() // 1_000_000


def _write_run(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> None:
    """Write the row of a run as it stands, and that of its session where it is not there."""
    if not opened.one("SELECT 1 FROM sessions WHERE client_session = ?", (session_of(run),)):
        started = records.session(session_of(run), project.root, run.started or _now(), SOURCE)
        sessions.start(opened, started)
        opening.notice(opened, project)
    (goal,), _ = privacy.protect([run.goal], project, settings)
    told = {"mode": run.mode, "limits": dict(run.limits._asdict()), "criteria": [each.get("type", "") for each in run.criteria]}
    opened.execute(RUN, (
        run.id, goal, run.status, run.reason or None, len(run.iterations), str(run.start_snapshot or "") or None,
        json.dumps(told), run.started or _now(), run.ended or None, session_of(run),
    ))  # fmt: skip


def of_iteration(opened: "Store", project: "Project", settings: "Settings", run: "Run", iteration: "Iteration") -> None:
    """Store an iteration with its verdicts, once however often it is called.

    Its row holds numbers alone: what was said of it is in observations, which a person can forget.
    """
    _write_run(opened, project, settings, run)
    observed = _of_iteration(run, iteration)
    told = json.dumps([_counted(each) for each in iteration.verdicts])
    opened.execute(ITERATION, (
        iteration.number, str(iteration.snapshot or "") or None, told, observed["title"], iteration.tree or None,
        iteration.tokens, iteration.cost, iteration.started, iteration.ended or None, run.id,
    ))  # fmt: skip
    event = f"loop:{run.id}:{iteration.number}"
    _observe(opened, project, settings, run, {"event_id": event + ":iteration", "at": iteration.ended or _now(), **observed})
    for at, verdict in enumerate(iteration.verdicts):
        found = {"event_id": f"{event}:verdict:{at}", "at": iteration.ended or _now(), **_of_verdict(verdict)}
        _observe(opened, project, settings, run, found)


def _counted(verdict: "Verdict") -> "dict[str, Any]":
    return {
        "type": verdict.type, "status": verdict.status, "total": verdict.total, "failing": len(verdict.failing),
        "skipped": len(verdict.skipped), "diagnostics": verdict.diagnostics, "flaky": len(verdict.flaky),
        "seconds": verdict.seconds,
    }  # fmt: skip


def _of_iteration(run: "Run", iteration: "Iteration") -> "dict[str, Any]":
    """Return what is observed of an iteration: how many fail, what it changed, and what it left failing."""
    earlier = [each for each in run.iterations if each.number < iteration.number and each.verdicts]
    before = evidence.failures(earlier[-1].verdicts if earlier else run.baseline)
    after = evidence.failures(iteration.verdicts) if iteration.verdicts else before
    changed = [each for each in iteration.changed if each[0] != changes.EXCLUDED]
    content = [attempts.what(iteration._replace(changed=changed)).strip(), *changes.lines_of(changed)]
    content += ["noticed: " + line for line in iteration.tampered]
    content += [f"ended: {iteration.why or iteration.kind}"] if iteration.kind != "done" else []
    content += ["still failing: " + label for label in after]
    return {
        "type": "tool_use", "origin": "agent", "content": "\n".join(content).strip(),
        "files": "\n".join([each[0] for each in changed]),
        "title": f"ralph loop {iteration.number}/{run.limits.iterations}: {len(after)} failing, was {len(before)}",
    }  # fmt: skip


def _of_verdict(verdict: "Verdict") -> "dict[str, Any]":
    failed = verdict.status != PASSED
    lines = [f"{test}: {evidence.headline(message)}" for test, message in verdict.failing.items()]
    content = f"{verdict.why}\n{verdict.excerpt if failed else ''}".strip()
    return {
        "type": "error" if failed else "success", "origin": "test", "title": verdict.name, "content": content,
        "lines": "\n".join(lines if failed else []),
    }  # fmt: skip


def _observe(opened: "Store", project: "Project", settings: "Settings", run: "Run", found: "dict[str, Any]") -> None:
    """Store one observation, redacted and cut."""
    texts = [found["title"], found["content"], found.get("files", ""), found.get("lines", "")]
    (title, content, files, lines), redactions = privacy.protect(texts, project, settings)
    given = {
        **found, "title": " ".join(title.split())[:TITLE_CHARACTERS], "content": privacy.shorten(content, CONTENT_CHARACTERS),
        "files": files, "lines": privacy.shorten(lines, LINES_CHARACTERS), "redactions": redactions,
    }  # fmt: skip
    records.apply(opened, records.observation(session_of(run), tool_name=TOOL, **given))


def _write_lesson(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> None:
    event = f"lesson:{run.id}"
    earlier = notes.of_event(opened, event)
    if earlier and earlier[1]:
        return
    if earlier:
        rewrite.delete(opened, earlier[0])
    title, content, files = of(run, run.reason)
    named = [path for path in files if path != changes.EXCLUDED]
    (title, content, listed), redactions = privacy.protect([title, content, "\n".join(named)], project, settings)
    facts = {
        "loop": run.id,
        "reason": run.reason,
        "iterations": len(run.iterations),
        "signatures": sorted(keys_of(content)),
    }
    records.apply(opened, records.memory(
        session_of(run), run.ended or _now(), event, " ".join(title.split())[:TITLE_CHARACTERS], content, tool_name=TOOL,
        type="note", origin="test", files=listed, metadata=json.dumps(facts), redactions=redactions,
    ))  # fmt: skip


# A lesson is read whole, so it has to stay as short as a note that a person would write.
MOST_FAILURES, MOST_IN_VAIN, MOST_OPEN = 8, 4, 8
MOST_TITLE, MOST_TEXT = 160, 6_000
FAILED, FIXED, IN_VAIN, OPEN, TEST = "failed: ", "fixed by: ", "did not help: ", "still failing: ", "  in: "
UNDONE = "passed with this, which was rolled back: "


def of(run: "Run", reason: str) -> "tuple[str, str, list[str]]":
    """Return of a run that has ended the title of its lesson, its text, and the files that it is about, not yet redacted.

    The text has a paragraph for each change that made failures go away: these, the change, and those before it that had
    not helped; then what still fails, and what was tried for that in vain.
    """
    fixes, still = _fixes(run), evidence.failures(run.verdicts())
    told: set[int] = set()
    paragraphs, files = [], []
    for number, failures in list(_together(fixes).items())[:MOST_FAILURES]:
        iteration = _iteration(run, number)
        files += [each[0] for each in iteration.changed]
        paragraphs.append(_fixed(run, iteration, failures, told))
    if still:
        paragraphs.append(_open(run, still, told))
        files += [each[0] for iteration in run.iterations for each in iteration.changed]
    return _title(run, reason), _joined(paragraphs), list(dict.fromkeys(files))


def _joined(paragraphs: "list[str]") -> str:
    """Return as many paragraphs as a lesson may have."""
    text = ""
    for paragraph in paragraphs:
        if len(text) + len(paragraph) <= MOST_TEXT:
            text += ("\n\n" if text else "") + paragraph
    return text or paragraphs[0][:MOST_TEXT] if paragraphs else ""


def _title(run: "Run", reason: str) -> str:
    goal = " ".join(run.goal.split())
    goal = goal if len(goal) <= MOST_TITLE else goal[:MOST_TITLE] + "..."
    passes = count(len(run.iterations), "iteration")
    last, standing = run.next_number() - 1, run.standing()
    if standing < last and any([run.is_taken_back(each) for each in run.iterations]):
        return f"{goal} (ralph loop: rolled back to {f'iteration {standing}' if standing else 'the start'} after {passes})"
    return f"{goal} (ralph loop: {'reached' if reason == 'success' else 'not reached, ' + reason} after {passes})"


def _fixes(run: "Run") -> "dict[str, tuple[tuple[str, str], int]]":
    """Return each failure that is gone at the end, with the iteration it went away in."""
    before, found = evidence.failures(run.baseline), {}
    for iteration in run.iterations:
        if not iteration.verdicts:
            continue
        after = evidence.failures(iteration.verdicts)
        found.update({label: (before[label], iteration.number) for label in before if label not in after})
        before = after
    return {label: fix for label, fix in found.items() if label not in before}


def _together(fixes: "dict[str, tuple[tuple[str, str], int]]") -> "dict[int, list[tuple[str, str]]]":
    """Return the failures by the iteration that ended them, the first one of each signature."""
    found: dict[int, dict[str, tuple[str, str]]] = {}
    for failure, number in fixes.values():
        found.setdefault(number, {}).setdefault(evidence.signature_of(*failure), failure)
    return {number: list(of_one.values()) for number, of_one in sorted(found.items())}


def _iteration(run: "Run", number: int) -> "Iteration":
    return next(each for each in run.iterations if each.number == number)


def _fixed(run: "Run", iteration: "Iteration", failures: "list[tuple[str, str]]", told: "set[int]") -> str:
    lines = [FAILED + _failure(*failure) for failure in failures[:MOST_FAILURES]]
    if iteration.changed:
        lines += [(UNDONE if run.is_taken_back(iteration) else FIXED) + changes.told(iteration.changed), *_quoted(iteration)]
    else:
        lines.append(f"gone after iteration {iteration.number}{', which was rolled back' * run.is_taken_back(iteration)}")
    return "\n".join(lines + _in_vain(run, iteration.number, failures, told))


def _in_vain(run: "Run", until: int, failures: "list[tuple[str, str]]", told: "set[int]") -> "list[str]":
    """Return what was changed before an iteration while one of these tests failed on, each change in one paragraph only."""
    tests, before, tried = {test for test, _ in failures}, _tests(run.baseline), []
    for each in run.iterations:
        after = _tests(each.verdicts) if each.verdicts else before
        if each.number < until and each.number not in told and each.changed and tests & before & after:
            tried.append(each)
        before = after
    lines = []
    for each in tried[-MOST_IN_VAIN:]:
        told.add(each.number)
        lines += [IN_VAIN + changes.told(each.changed), *_quoted(each)]
    return lines


def _tests(verdicts: "list[Verdict]") -> "set[str]":
    return {test for test, _ in evidence.failures(verdicts).values()}


def _open(run: "Run", still: "dict[str, tuple[str, str]]", told: "set[int]") -> str:
    failures = list({evidence.signature_of(*failure): failure for failure in still.values()}.values())
    lines = [OPEN + _failure(*failure) for failure in failures[:MOST_OPEN]]
    lines += [f"and {len(failures) - MOST_OPEN} more"] if len(failures) > MOST_OPEN else []
    return "\n".join(lines + _in_vain(run, run.next_number(), list(still.values()), told))


def _failure(test: str, message: str) -> str:
    said = evidence.headline(message)
    return f"{said}\n{TEST}{test}" if said and said != test else test


def _quoted(iteration: "Iteration") -> "list[str]":
    return ["  " + line for line in changes.lines_of(iteration.changed)]


def met_again(text: str, wanted: "set[str]") -> str:
    """Return the text of a lesson, its paragraphs that tell of one of these signatures first. They are given by their keys."""
    return "\n\n".join(sorted(text.split("\n\n"), key=lambda paragraph: not (keys_of(paragraph) & wanted)))


def keys_of(text: str) -> "set[str]":
    """Return the keys of the signatures that a lesson tells of: read from the text, since a person may have corrected it."""
    found, lines = set(), [*text.splitlines(), ""]
    for at, line in enumerate(lines):
        for word in (FAILED, OPEN):
            if line.startswith(word):
                said, below = line[len(word) :], lines[at + 1]
                test = below[len(TEST) :] if below.startswith(TEST) else said
                found.add(evidence.key_of(evidence.signature_of(test, said)))
    return found
