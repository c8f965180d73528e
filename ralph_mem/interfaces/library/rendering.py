"""Write memories for a model as Markdown, XML or JSON, which nothing that they say can end."""

import json
import posix

from ralph_mem.core.redaction import gate, privacy
from ralph_mem.memory.inject import block
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.interfaces.library.tasks import Found
    from ralph_mem.memory.namespaces import Place

MARKDOWN, XML, JSON = FORMATS = ("markdown", "xml", "json")
# What XML has a meaning for, the ampersand first.
ENTITIES = (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&apos;"))
# What could end a block of JSON inside of Markdown or of a fence.
ESCAPED = (("<", "\\u003c"), ("`", "\\u0060"))


def of(found: "list[Found]", form: str, with_scores: bool, place: "Place") -> str:
    """Return memories in one of the forms of `FORMATS`, redacted once more by today's rules."""
    texts = [text for each in found for text in (each.title, each.text)]
    safe = iter(privacy.leaving(privacy.protect([gate.clean(text) for text in texts], place.project, place.settings)[0]))
    told = [(each, next(safe), next(safe)) for each in found]
    return {MARKDOWN: _markdown, XML: _xml, JSON: _json}[form](told, with_scores)


def _markdown(told: "list[tuple[Found, str, str]]", with_scores: bool) -> str:
    """Return numbered headings with quotations, in a fence with a random name; nothing in a quotation is a heading or a tag."""
    lines = []
    for number, (each, title, text) in enumerate(told, 1):
        score = f", relevance {each.score:.2f}" if with_scores else ""
        lines.append(f"### {number}. {each.tier} ({each.id}{score})")
        lines += [f"> {row.escaped(line)}".rstrip() for line in [title, *text.splitlines()]]
    tag = f"ralph-mem-{posix.urandom(12).hex()}"
    return "\n".join([f"<{tag}>", block.OPENING, *lines, f"</{tag}>"])


def _xml(told: "list[tuple[Found, str, str]]", with_scores: bool) -> str:
    """Return elements whose attributes are ours, and whose text is escaped."""
    lines = ["<memories>", f"<!-- {block.OPENING} -->"]
    for each, title, text in told:
        score = f' relevance="{each.score:.2f}"' if with_scores else ""
        inside = f"<title>{_escaped(title, ENTITIES)}</title><text>{_escaped(text, ENTITIES)}</text>"
        lines.append(f'<memory id="{each.id}" tier="{each.tier}"{score}>{inside}</memory>')
    return "\n".join([*lines, "</memories>"])


def _json(told: "list[tuple[Found, str, str]]", with_scores: bool) -> str:
    """Return a list in a block of code, which holds neither a tag nor the mark that ends the block."""
    rows: list[dict[str, Any]] = [{"id": each.id, "tier": each.tier, "title": title, "text": text} for each, title, text in told]
    for entry, (each, _, _) in zip(rows if with_scores else [], told):
        entry["relevance"] = round(each.score, 2)
    return f"{block.OPENING}\n```json\n{_escaped(json.dumps(rows, indent=1), ESCAPED)}\n```"


def _escaped(text: str, marks: "tuple[tuple[str, str], ...]") -> str:
    for mark, entity in marks:
        text = text.replace(mark, entity)
    return text
