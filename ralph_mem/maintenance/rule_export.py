"""Bring what holds into a project's file of rules, as a diff that a person applies."""

import os
import subprocess
import time
from collections import namedtuple

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.maintenance.rule_lines import RuleFile, Statement
from ralph_mem.memory import access
from ralph_mem.memory.facts import anchors, decision, wording
from ralph_mem.memory.inject import instruction_text
from ralph_mem.memory.rows import facts
from ralph_mem.memory.rows.index_text import REDACTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.memory.recall.lookup import Reader
    from ralph_mem.memory.rows.facts import Fact

ADD, UPDATE, DELETE = "ADD", "UPDATE", "DELETE"
# What was said in so many sessions is worth a line that every session reads.
SESSIONS = 3
MARKUP = ("<!--", "-->", "```", "~~~")
GIT_SECONDS = 10
MOST_ASKED = 50  # of paths that are gone: so often git is asked whether they ever were there

# What is to be done with a file: the verb, the line from 0 or None, what stands there and what is to, the id of the fact.
Change = namedtuple("Change", "verb line old new fact")


class Export:
    """What an export would change: the file, the changes, and the lines that it would have.

    `disputed` are the ids of facts that contradict another one which holds; a person has to take one back first.
    """

    def __init__(self, file: RuleFile, changes: "list[Change]", disputed: "Sequence[str]" = ()) -> None:
        self.file, self.changes, self.disputed = file, changes, list(disputed)
        before = {statement.line: statement.before for statement in file.statements()}
        replaced = {each.line: each.new and before[each.line] + each.new for each in changes if each.verb != ADD}
        self.lines = file.changed(replaced, [each.new for each in changes if each.verb == ADD])

    def diff(self) -> str:
        """Return the changes as a unified diff that `git apply` takes, nothing where there are none."""
        return self.file.diff(self.lines)


def plan(reader: "Reader", name: str, others: "Sequence[str]" = ()) -> Export:
    """Return what an export into a file below the project would change; nothing is written.

    `others` are further files of instructions, absolute or from the project's root: what they say, or import, is not said again.
    Raises RalphMemError for a file that cannot be changed safely.
    """
    file = RuleFile(reader.project.root, name)
    places = [each if each.startswith("/") else f"{reader.project.root}/{each}" for each in (*others, file.name)]
    said = instruction_text.Said(instruction_text.gathered(places))
    lines = [wording.folded(each.text) for each in file.statements()]
    found = [
        fact for fact in _worth(reader)
        if not said.covers(fact.text) and not any([wording.folded(fact.text) in line for line in lines])
    ]  # fmt: skip
    disputed = [fact.public_id for fact in found if _is_disputed(reader, fact)]
    changes: list[Change] = []
    taken: set[int | None] = set()
    for fact in [each for each in found if each.public_id not in disputed]:
        change = _change(reader, file.statements(), fact, taken)
        taken.add(change.line)
        changes.append(change)
    changes = [each for each in changes if each.verb == UPDATE or facts.sessions(reader.stores[0], each.fact) >= SESSIONS]
    return Export(file, [*changes, *_vanished(reader, file, {each.line for each in changes})], disputed)


def _worth(reader: "Reader") -> "list[Fact]":
    """Return the facts of the project that may stand in its file, oldest first, in the words that may leave.

    A note is none of them: it is told as a note, unless the file says it.
    """
    store = reader.stores[0]
    if access.is_global(store):
        return []
    found = facts.of_status(store, facts.ACTIVE, facts.EXPORTED)[::-1]
    kept = [
        fact for fact in found if fact.kind in facts.SAID and not fact.tainted and not fact.expires_at and _may_leave(reader, fact)
    ]
    safe = privacy.leaving(privacy.protect([fact.text for fact in kept], reader.project, reader.settings)[0])
    for fact, text in zip(kept, safe):
        fact.text = " ".join(text.split())
    return [fact for fact in kept if REDACTED not in fact.text]


def _may_leave(reader: "Reader", fact: "Fact") -> bool:
    """Say whether a statement is trusted, and means nothing to who reads the file as Markdown: it imports and hides nothing."""
    is_ours = fact.type == facts.TYPE and not fact.tainted
    is_plain = is_ours and not any([sign in fact.text for sign in (*MARKUP, privacy.INJECTED)])
    imports = [word for word in fact.text.split() if word[:1] == "@"]
    return is_plain and not imports and not path_rules.names_excluded(fact.text, reader.settings)


def _change(reader: "Reader", statements: "list[Statement]", fact: "Fact", taken: "set[int | None]") -> Change:
    """Return what a fact changes: the line that it replaces, as the rules of facts have it, or one more."""
    there = [each for each in statements if each.line not in taken]
    replaced = [fact.text for fact in _replaced(reader, fact)]
    same = next((each for each in there if any([decision.is_said_by(text, each.text) for text in replaced])), None)
    decided = decision.decide(fact.text, [each.text for each in there])
    if same is None and decided.verb == decision.UPDATE and decided.score >= decision.SURE and decided.target is not None:
        same = there[decided.target]
    if same is None:
        return Change(ADD, None, "", fact.text, fact.public_id)
    return Change(UPDATE, same.line, same.text, fact.text, fact.public_id)


def _replaced(reader: "Reader", fact: "Fact") -> "list[Fact]":
    links = facts.links(reader.stores[0], fact.public_id)
    names = [other for one, other, kind, *_ in links if one == fact.public_id and kind == facts.SUPERSEDES]
    return [old for old in [facts.of_id(reader.stores[0], name) for name in names] if old is not None]


def _is_disputed(reader: "Reader", fact: "Fact") -> bool:
    """Say whether a fact contradicts another one that holds and does not stand in the file."""
    store, own = reader.stores[0], fact.public_id
    pairs = [{one, other} for one, other, kind, *_ in facts.links(store, own) if kind == facts.CONFLICTS]
    found = [facts.of_id(store, name) for pair in pairs for name in pair - {own}]
    return any([each is not None and each.status == facts.ACTIVE for each in found])


def _vanished(reader: "Reader", file: RuleFile, taken: "set[int | None]") -> "list[Change]":
    """Return the lines of which the only path is gone that was once there."""
    root, gone = reader.project.root, []
    for statement in file.statements():
        named = anchors.named(statement.text, root)
        if statement.line not in taken and len(named) == 1 and not os.path.lexists(f"{root}/{named[0]}"):
            gone.append((statement, named[0]))
    return [Change(DELETE, each.line, each.text, None, "") for each, path in gone[:MOST_ASKED] if _was_there(root, path)]


def _was_there(root: str, path: str) -> bool:
    """Say whether git knows a commit that had a path."""
    order = ["git", "-C", root, "log", "-1", "--format=%h", "--", path]
    try:
        done = subprocess.run(order, capture_output=True, timeout=GIT_SECONDS, check=False)
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0 and bool(done.stdout.strip())


def apply(reader: "Reader", export: Export) -> None:
    """Write the file, and let what it says now be told no more as long as it says it. Raises RalphMemError."""
    if not export.changes:
        raise RalphMemError("there is nothing to apply", "what holds stands there, or was said in fewer than three sessions")
    export.file.write(export.lines)
    with access.Change(reader.stores[0]) as opened:
        for each in export.changes:
            fact = facts.of_id(opened, each.fact) if each.fact else None
            if fact is not None:
                facts.change(opened, fact.number, {"status": facts.EXPORTED, "recorded_at": time.time_ns() // 1_000_000})
