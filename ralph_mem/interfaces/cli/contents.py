"""Which commands there are, by their groups, each with its module, its summary, and what of it only reads.

The help, the completion of names and the manual's list come from here, so that none of them loads what a command needs.
"""

from collections.abc import Sequence

from ralph_mem.interfaces import verbs

LOOP = "loop"
GROUPS = (verbs.LOOK, verbs.REMEMBER, verbs.CORRECT, LOOP, verbs.SAFE, verbs.ADMIN)  # what is used most comes first
# What fits into a line of a terminal of 80 columns behind the longest name, inside the frame of its group.
MOST_CHARACTERS = 56

# What the agent of a loop may call, since it changes no loop, no trust, no setting and no memory; all else is for a person.
READS = "*"
# With one of these any command changes something, shows a secret or what nobody has approved, or asks a server.
ACTS = frozenset(("--confirm", "--accept", "--repair", "--revoke", "--raw", "--outside", "--team"))
DRAFTS = "--from"  # of `ralph plan`, where it has another agent work; elsewhere it says from where a text is shown
# What says what is remembered, and what of it holds: it is told as the person's word. What a team shares asks who it is by itself.
DECIDE = frozenset("inject core import-archive facts relations playbook edit pin wrong undo forget purge".split())
CONFIG_WORDS = 3  # `ralph config KEY` shows; a value behind it changes

# Of each group: the name of a command, its module, its summary; READS where it only reads, or those of its commands that do.
COMMANDS = {
    verbs.LOOK: (
        ("search", "reading", "Find what is remembered about some words.", READS),
        ("timeline", "reading", "Show what happened around something, in order.", READS),
        ("show", "reading", "Show the whole text of something, or what a session did.", READS),
        ("sessions", "reading", "List the sessions, or page through one of them.", READS),
        ("relations", "relations", "See and correct what belongs to what.", "list"),
        ("status", "setup", "Say whether it records, how much, and if all is well.", READS),
        ("why", "reading", "Show what was told to the model, why, and its cost.", READS),
        ("sql", "sql", "Ask a memory in SQL, which changes nothing.", READS),
        ("preview", "reading", "Show what a new session would be told now.", READS),
        ("growth", "upkeep", "Show how a memory grows and what telling costs.", READS),
        ("page", "page", "Look at a memory in a browser, and put it right."),
    ),
    verbs.REMEMBER: (
        ("inject", "correcting", "Keep a note in your own words."),
        ("core", "core", "Keep short facts under keys, told at every start.", "list get"),
        ("learn", "learn", "Find what holds in prompts, and say which of it does."),
        ("share", "team", "Give a fact or a note to your team, by a file to commit."),
        ("team", "team", "See, approve and pull what your team shares."),
        ("import", "transfer", "Remember what earlier sessions of Claude Code did."),
    ),
    verbs.CORRECT: (
        ("facts", "facts", "See, keep and correct what holds beyond single turns.", "list show history"),
        ("playbook", "playbook", "See what rules and lessons helped and harmed.", "search export trace"),
        ("edit", "correcting", "Correct a note, or the answer of a turn."),
        ("pin", "correcting", "Keep a memory in view: told first at every start."),
        ("wrong", "correcting", "Say that a memory misled: it is told less easily."),
        ("undo", "correcting", "Take back the last note, edit, pin or wrong."),
    ),
    LOOP: (("ralph", "ralph", "Work at a goal until its checks pass: the Ralph loop.", "status bisect replay plan diff log runs"),),
    verbs.SAFE: (
        ("review", "forgetting", "List what is remembered by where it came from.", READS),
        ("forget", "forgetting", "Delete for good, after showing what would go."),
        ("purge", "forgetting", "Delete all that came from one origin or session."),
        ("scrub", "forgetting", "Redact every stored row anew, by today's rules."),
        ("backup", "recovery", "Copy a project's memory into the data folder now."),
        ("restore", "recovery", "Bring a project's memory back from a backup."),
        ("export", "transfer", "Write what is remembered of a project into one file.", READS),
        ("import-archive", "transfer", "Take in what `export` or another tool wrote."),
        ("compress", "upkeep", "Cut all old tool outputs short, and shrink the file."),
        ("maintain", "upkeep", "Check a memory's file, say what it takes, and shrink it."),
    ),
    verbs.ADMIN: (
        ("setup", "setup", "Make ready what memory needs, and say what is missing."),
        ("hosts", "hosts", "Let other clients use the same memory, and see which do."),
        ("pause", "setup", "Stop recording and telling in this project."),
        ("resume", "setup", "Record and tell again in this project."),
        ("statusline", "setup", "Print one short line for the client's status line."),
        ("config", "config", "Show, change and check the settings.", "get show check"),
        ("trust", "config", "Show and approve what came with a project.", READS),
        ("projects", "upkeep", "List the projects that have a memory here."),
        ("doctor", "recovery", "Check all that has to be right for memory to work.", READS),
        ("embeddings", "embeddings", "Find by meaning, with a model on this machine.", "status"),
        ("tokens", "upkeep", "Count exactly what every memory costs in tokens.", READS),
        ("demo", "setup", "Show it at work in a throwaway project.", READS),
        ("bench", "bench", "Measure what is recalled, on labelled histories.", READS),
        ("man", "manual", "Show all of this as a manual page.", READS),
        ("uninstall", "setup", "Remove what lies outside your projects."),
    ),
}
MODULE_OF = {name: module for rows in COMMANDS.values() for name, module, *_ in rows}
SUMMARY_OF = {name: summary for rows in COMMANDS.values() for name, _, summary, *_ in rows}
READ_BY = {name: "".join(reads).split() for rows in COMMANDS.values() for name, _, _, *reads in rows}


def only_reads(words: Sequence[str]) -> bool:
    """Say whether a command line, by its words, changes nothing and shows no secret. A command that is not known might."""
    command = [word for word in words if not word.startswith("-")]
    if {"--help", "-h"}.intersection(words) or not command:
        return True
    if command[:2] == ["ralph", "config"]:
        return len(command) <= CONFIG_WORDS
    reads = READ_BY.get(command[0], [])
    options = {word.partition("=")[0] for word in words}
    acts = options & ACTS or (command[:2] == ["ralph", "plan"] and DRAFTS in options)
    return not acts and (reads == [READS] or any(word in reads for word in command[1:2]))
