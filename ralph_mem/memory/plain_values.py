"""Give rows, pages of sessions, receipts and previews as plain values, for a program or a page to read."""

from ralph_mem.memory import reports
from ralph_mem.memory.recall import layers, lookup, reasons
from ralph_mem.memory.rows import retention

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def of_row(reader: "lookup.Reader", row: "lookup.Row", layer: int) -> "dict[str, Any]":
    """Return the facts of a row, and as much of its text as the layer has: 1 to 3. Times in ms."""
    found: dict[str, Any] = {
        "id": row.public_id, "type": row.type, "score": round(row.score, 4), "at": row.at,
        "gist": layers.gist(row, layers.LINE_TOKENS),
        "tokens": row.tokens, "namespace": "global" if lookup.is_global(row) else "project", "origin": row.origin,
        "pinned": bool(row.pinned), "wrong": row.misled, "tainted": bool(row.tainted),
    }  # fmt: skip
    if row.speaker:
        found["speaker"] = row.speaker
    if row.host:
        found["host"] = row.host
    if layers.broke_off(row):
        found["broke_off"] = True
    if row.gone:
        found["path_gone"] = True
    if layer == 2:
        found["timeline"] = [of_row(reader, entry, 1) for entry in lookup.timelines(reader, [row])[0]]
    if layer == 3:
        path, prompt = lookup.transcript(row)
        found |= {"text": layers.whole(row), "files": row.files.splitlines(), "branch": row.branch, "commit": row.commit}
        emptied = None if row.type == "turn" else retention.emptied_at(row.store, row.number)
        found |= {"transcript": path, "prompt_id": prompt, "emptied_at": emptied}
    return found


def of_session(reader: "lookup.Reader", session: reports.Session, page: int, limit: int) -> "dict[str, Any]":
    """Return a session with a page of what happened in it. Raises RalphMemError for a page that it does not have."""
    rows, pages = reports.entries(reader, session, page, limit)
    return {**reports.facts(session), "page": page, "pages": pages, "entries": [of_row(reader, row, 1) for row in rows]}


def of_receipt(receipt: reports.Receipt) -> "dict[str, Any]":
    """Return what one event told, at which price, and what just missed."""
    return {
        "session": receipt.session, "event": receipt.event, "at": receipt.at, "budget": receipt.budget, "tokens": receipt.tokens,
        "prompt": receipt.prompt, "items": [_of_line(line) for line in receipt.lines],
    }  # fmt: skip


def of_preview(each: reports.Preview) -> "dict[str, Any]":
    """Return what a hook would tell now."""
    items = [_of_line(line) for line in each.lines]
    return {"event": each.event, "budget": each.budget, "tokens": each.tokens, "text": each.text, "items": items}


def _of_line(line: reports.Line) -> "dict[str, Any]":
    return {
        "memory": line.memory, "outcome": line.outcome, "score": line.score, "why": reasons.words(line.evidence),
        "tokens": line.tokens,
        "marked_wrong_at": line.misled_at, "gist": layers.gist(line.row, reports.GIST_TOKENS) if line.row else None,
    }  # fmt: skip
