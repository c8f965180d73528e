"""Traces: what a run leaves in the memory: its row, its iterations, what was observed of them, and the lesson at its end.

All of it is redacted here. The caller holds the transaction.
"""

import json
import time

from ralph_mem.core import adoption, privacy, records, redact, rewriting, sessions
from ralph_mem.criteria import PASSED
from ralph_mem.ralph import attempts, changes, lessons, signatures

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.core.store import Store
    from ralph_mem.criteria import Verdict
    from ralph_mem.ralph.run import Iteration, Run

    Settings = dict[str, Any]

SOURCE = "loop"  # where a session comes from that is a run of ours
TITLE_CHARACTERS, CONTENT_CHARACTERS, LINES_CHARACTERS = 300, 4_000, 800
RECORDED = {
    "turn": "", "tool_name": "ralph", "metadata": None, "agent_id": None, "agent_type": None, "tainted": 0, "files": "",
    "lines": "", "redaction_version": redact.RULES_VERSION,
}  # fmt: skip
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
        ended = {"verb": "end", "session": run.id, "at": run.ended or _now(), "reason": run.reason or "other"}
        records.apply(opened, ended)


def session_of(run: "Run") -> str:
    """Return the client's id of the session that a run belongs to: its owner's, or one of its own."""
    return run.owner or run.id


def _now() -> int:
    return time.time_ns() // 1_000_000


def _write_run(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> None:
    """Write the row of a run as it stands, and that of its session where it is not there."""
    if not opened.one("SELECT 1 FROM sessions WHERE client_session = ?", (session_of(run),)):
        started = {"session": session_of(run), "project": project.root, "source": SOURCE, "at": run.started or _now()}
        sessions.start(opened, started)
        adoption.notice(opened, project)
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
    before = signatures.failures(earlier[-1].verdicts if earlier else run.baseline)
    after = signatures.failures(iteration.verdicts) if iteration.verdicts else before
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
    lines = [f"{test}: {signatures.headline(message)}" for test, message in verdict.failing.items()]
    content = f"{verdict.why}\n{verdict.excerpt if failed else ''}".strip()
    return {
        "type": "error" if failed else "success", "origin": "test", "title": verdict.name, "content": content,
        "lines": "\n".join(lines if failed else []),
    }  # fmt: skip


def _observe(opened: "Store", project: "Project", settings: "Settings", run: "Run", found: "dict[str, Any]") -> None:
    """Store one observation, redacted and cut."""
    texts = [found["title"], found["content"], found.get("files", ""), found.get("lines", "")]
    (title, content, files, lines), redactions = privacy.protect(texts, project, settings)
    records.apply(opened, {
        "verb": "observation", "session": session_of(run), **RECORDED, **found, "title": " ".join(title.split())[:TITLE_CHARACTERS],
        "content": privacy.shorten(content, CONTENT_CHARACTERS), "files": files, "lines": privacy.shorten(lines, LINES_CHARACTERS),
        "redactions": redactions,
    })  # fmt: skip


def _write_lesson(opened: "Store", project: "Project", settings: "Settings", run: "Run") -> None:
    event = f"lesson:{run.id}"
    earlier = opened.one("SELECT public_id, edited_at OR pinned OR misled FROM observations WHERE event_id = ?", (event,))
    if earlier and earlier[1]:
        return
    if earlier:
        rewriting.delete(opened, earlier[0])
    title, content, files = lessons.of(run, run.reason)
    named = [path for path in files if path != changes.EXCLUDED]
    (title, content, listed), redactions = privacy.protect([title, content, "\n".join(named)], project, settings)
    facts = {
        "loop": run.id,
        "reason": run.reason,
        "iterations": len(run.iterations),
        "signatures": sorted(lessons.keys_of(content)),
    }
    records.apply(opened, {
        "verb": "memory", "session": session_of(run), **RECORDED, "at": run.ended or _now(), "event_id": event, "type": "note",
        "origin": "test", "title": " ".join(title.split())[:TITLE_CHARACTERS], "content": content, "files": listed,
        "metadata": json.dumps(facts), "redactions": redactions,
    })  # fmt: skip
