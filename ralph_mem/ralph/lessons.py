"""Store what a run leaves in the memory for later ones, with what it teaches."""

import json

from ralph_mem.core.redaction import privacy
from ralph_mem.memory import opening
from ralph_mem.memory.facts import playbook
from ralph_mem.memory.rows import learnt, notes, receipts, records, sessions
from ralph_mem.ralph import attempts, changes, folded_lessons, lesson_text
from ralph_mem.ralph.criteria import PASSED, Verdict, evidence
from ralph_mem.ralph.lesson_text import TOOL
from ralph_mem.ralph.record import TAUGHT
from ralph_mem.ralph.runs import now_ms
from ralph_mem.ralph.tasks import telling

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.store.connection import Store
    from ralph_mem.ralph.record import Iteration, Run

    Settings = dict[str, Any]

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
    """Store how a run ended, and its lesson if anything was tried; a session that is only this run ends with it.

    A run that ends again has one lesson, of the whole. One that a person has corrected, pinned or called wrong stays as it is.
    """
    _write_run(opened, project, settings, run)
    if run.iterations:
        delta = _write_lesson(opened, project, settings, run)
        run.taught = {name: len(ids) for name, ids in zip(TAUGHT, delta) if ids}
        playbook.tend(opened, run.ended or now_ms())
    if not run.owner:
        records.apply(opened, records.end(run.id, run.ended or now_ms(), run.reason or "other"))


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


def _write_run(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> None:
    """Write the row of a run as it stands, and that of its session where it is not there."""
    if not opened.one("SELECT 1 FROM sessions WHERE client_session = ?", (session_of(run),)):
        started = records.session(session_of(run), project.root, run.started or now_ms(), SOURCE)
        sessions.start(opened, started)
        opening.notice(opened, project)
    (goal,), _ = privacy.protect([run.goal], project, settings)
    told = {"mode": run.mode, "limits": dict(run.limits._asdict()), "criteria": [each.get("type", "") for each in run.criteria]}
    opened.execute(RUN, (
        run.id, goal, run.status, run.reason or None, len(run.iterations), str(run.start_snapshot or "") or None,
        json.dumps(told), run.started or now_ms(), run.ended or None, session_of(run),
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
    _observe(opened, project, settings, run, {"event_id": event + ":iteration", "at": iteration.ended or now_ms(), **observed})
    for at, verdict in enumerate(iteration.verdicts):
        found = {"event_id": f"{event}:verdict:{at}", "at": iteration.ended or now_ms(), **_of_verdict(verdict)}
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
    after = evidence.after(before, iteration.verdicts) if iteration.verdicts else before
    changed = [each for each in iteration.changed if each[0] != changes.EXCLUDED]
    content = [attempts.what(iteration._replace(changed=changed)).strip(), *changes.lines_of(changed)]
    content += telling.worked_at(run, iteration.tasks) + ["noticed: " + line for line in iteration.tampered]
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


def _write_lesson(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> "folded_lessons.Delta":
    """Store what a run says of its failures, and fold it into their lessons; what a person touched stays as it is."""
    event = learnt.ACCOUNT + run.id
    earlier = notes.of_event(opened, event)
    if earlier and earlier[1]:
        return folded_lessons.Delta([], [], [])
    title, content, files = lesson_text.of(run, run.reason)
    named = [path for path in files if path != changes.EXCLUDED]
    (title, content, listed), redactions = privacy.protect([title, content, "\n".join(named)], project, settings)
    facts = {"loop": run.id, "reason": run.reason, "iterations": len(run.iterations)}
    return folded_lessons.take(opened, records.observation(
        session_of(run), run.ended or now_ms(), event, " ".join(title.split())[:TITLE_CHARACTERS], content, tool_name=TOOL,
        type="success" if run.reason == "success" else "error", origin="test", files=listed, metadata=json.dumps(facts),
        redactions=redactions,
    ))  # fmt: skip
