"""A memory in which each field of each view holds texts that somebody has chosen."""

import os
import shutil

from ralph_mem.core.project import Project
from ralph_mem.maintenance.recovery import backups
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import by_hand, core, taking
from ralph_mem.memory.rows import facts, relations
from ralph_mem.ralph import record, runs
from ralph_mem.ralph.stop_reasons import DEFAULT
from tests.ralph.made import a_plan, a_verdict, an_iteration
from tests.readers import note
from tests.sessions import NOON, Session

LOOP = "loop-a1b2c3d4"
OF_A_FACT = 280
COMMANDS = 20  # each text of a command is a row, an outcome and a pattern


def fill(session, texts):
    """Put texts into prompts, answers, notes, commands, files, branches, facts, keys, relations, loops, settings and projects."""
    for number, text in enumerate(texts):
        session.has_a_turn(f"zeppelin {number} {text}", f"answer {text}")
        note(session, f"note {number} zeppelin {text}"[:7_000])
        if number < COMMANDS:
            session.edits(f"src/{number}{text[:80]}.py", text[:500], text[:500] + "x")
            session.runs(f"make {text[:200]}", error=f"Exit code 2\nerror: {text[:500]}")
    _facts(session, [text for text in texts if len(text) < OF_A_FACT])
    for number, text in enumerate(texts[:6]):
        core.put(session.project, session.project, session.settings, f"key {number}", _line(text, 100))
    _relations(session, texts)
    loop(session.project, texts)
    session.store.execute("UPDATE sessions SET branch = ?", (_line(texts[0], 200),))
    session.store.execute("UPDATE turns SET branch = ?, commit_id = ?", (_line(texts[1], 200), texts[2][:40]))
    _settings(session.project, texts)
    _another_project(session.project, texts)
    session.store.checkpoint()


def _line(text, most):
    return " ".join(text.split())[:most].strip() or "x"


def _facts(session, texts):
    place, names = session.project, []
    for number, text in enumerate(texts):
        names.append(by_hand.keep(place, place, session.settings, f"{number} owned {text}").public_id)
    with access.Change(session.store) as store:
        for number, text in enumerate(texts[:30]):
            parent = f"turn-{_line(text, 20)}"
            found = taking.Statement(f"waits {number} {text}", facts.FACT, facts.PROMPT, NOON, parent, proposed_by=_line(text, 60))
            names.append(taking.take(store, found, NOON).public_id)
        for one, other in zip(names[:20:2], names[1:20:2], strict=True):
            if facts.of_id(store, one or "") and facts.of_id(store, other or ""):
                facts.link(store, one, facts.CONFLICTS, other, 0.5, NOON)
        store.execute("UPDATE facts SET kind = 'pattern' WHERE id IN (SELECT id FROM facts ORDER BY id DESC LIMIT 3)")


def _relations(session, texts):
    with access.Change(session.store) as store:
        for number, text in enumerate(texts[:60]):
            thing = (_line(f"{number} {text}", 128), relations.THING)
            relations.upsert(store, thing, relations.OWNED_BY, (_line(f"owner {text}", 128), relations.PERSON), session.now)


def loop(project, texts):
    """Record a loop of two iterations with a plan, by twenty texts."""
    plan = a_plan(*[_line(text, 300) for text in texts[:10]])
    start = {"at": NOON, "goal": texts[0], "mode": "headless", "limits": DEFAULT._asdict(), "plan": plan, "criteria": []}
    path = runs.create(project, LOOP, start)
    failing = {f"test_{text[:60]}": text[:200] for text in texts[:20]}
    record.append(path, record.baseline_entry([a_verdict(failing, texts[3][:300])], NOON, 1, "tree-0"))
    for number in (1, 2):
        changed = [[f"src/{text[:60]}", "changed", 1, 1, text[:200]] for text in texts[:8]]
        done = an_iteration(
            number, failing, changed, snapshot=number + 1, why=texts[4][:300], tampered=[texts[5][:100]], agent=texts[6][:40]
        )
        record.append(path, record.entry_of(done))


def _settings(project, texts):
    lines = [f"  - '{_line(text, 60)}'" for text in texts[:10] if "'" not in text]
    with open(f"{project.folder}/config.yaml", "w", encoding="utf-8") as file:
        file.write("privacy:\n  exclude_paths:\n" + "\n".join("  " + line for line in lines) + "\n")


def _another_project(project, texts):
    for number, text in enumerate(texts[:4]):
        name = _line(text, 60).replace("/", "_")
        folder = f"{os.path.dirname(project.root)}/{number}{name}"
        os.makedirs(folder)
        other = Project(folder)
        Session(opening.open_ready(other), other, f"other {number}").starts()
    a_project_that_is_gone(project, _line(texts[4], 60).replace("/", "_"))


def a_project_that_is_gone(beside, name):
    """Have a project of this name beside another, with a memory and a backup of it, whose folder somebody has removed."""
    place = Project(os.path.join(os.path.dirname(beside.root), f"gone {name}"))
    os.makedirs(place.root)
    opened = opening.open_ready(place)
    Session(opened, place, "gone").starts()
    backups.keep(opened, NOON)
    opened.close()
    shutil.rmtree(place.root)
