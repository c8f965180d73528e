"""The verbs by which a person looks into a memory and changes it, told once for all entrances."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

REMEMBER, LOOK, CORRECT, SAFE, ADMIN = "remember", "look", "correct", "keep safe", "admin"
GROUPS = (LOOK, REMEMBER, CORRECT, SAFE, ADMIN)  # what is used most comes first
HELP = ("--help", "-h")
# What people type who know other programs, by the verb that does it here.
OTHER_NAMES = {
    "inject": ("add", "note", "remember", "save", "keep", "store"),
    "search": ("find", "recall", "query", "grep", "ask"),
    "sessions": ("list", "ls", "history", "log"),
    "forget": ("delete", "remove", "rm", "del", "clear"),
    "show": ("get", "cat", "view", "open"),
}
MEANT_BY = {name: verb for verb, names in OTHER_NAMES.items() for name in names}


class Verb:
    """A verb: its words, what it does, an example, its options with what each means.

    `changes` keeps it for a person: no model acts by it. `for_model` has the model read the answer; all others go to the
    screen alone and cost no request. `differs` says that the command of this name in a terminal is another one.
    """

    __slots__ = ("about", "changes", "differs", "example", "for_model", "group", "name", "options", "words")

    def __init__(
        self, name: str, group: str, words: str, about: str, example: str, options: "dict[str, str]",
        changes: bool = False, for_model: bool = False, differs: bool = False,
    ) -> None:  # fmt: skip
        self.name = name
        self.group = group
        self.words = words
        self.about = about
        self.example = example
        self.options = options
        self.changes = changes
        self.for_model = for_model
        self.differs = differs

    @property
    def terminal_example(self) -> str:
        """Return the example as a shell needs it."""
        first, *rest = self.example.split()
        plain = all([word.replace("-", "").replace(".", "").isalnum() for word in rest])
        if plain and not self.words.endswith(("TEXT", "[PROMPT]")):
            return self.example
        given = [rest.pop(0)] if self.words.startswith("ID") else []
        return " ".join([first, *given, f'"{" ".join(rest)}"'])

    def valued(self) -> "tuple[str, ...]":
        """Return the options that take a value."""
        return tuple([each.partition(" ")[0] for each in self.options if " " in each])

    def flags(self) -> "tuple[str, ...]":
        """Return the options that take none."""
        return tuple([each for each in self.options if " " not in each])


SINCE = {"--since WHEN": "Not before: 2026-01-31, 7d, yesterday, monday, last week, 2 days ago."}
SPAN = {**SINCE, "--until WHEN": "Before: a time as for --since."}
TYPES = {
    "--type TYPE": "Only of this type, or of several with commas: turn, note, error, success, tool_use, summary, decision,"
    " response, fact, item."
}
SESSION = {"--session ID": "Only of this session."}
ORIGIN = {"--origin WORD": "Only of this origin: outside, tool, test, agent, user."}
CONFIRM = {"--confirm DIGITS": "Do exactly what was shown under these digits."}

ALL = (
    Verb(
        "search", LOOK, "WORDS", "Find what is remembered about some words, in this project and in what is kept for all of them.",
        "search timezone login --layer 1 --since 30d",
        {"--layer N": "1 lines, 2 what happened around, 3 texts.", "--limit N": "How many at most.", **SPAN, **TYPES,
         "--from CHARACTER": "The rest of a long text, with --layer 3."}, for_model=True,
    ),
    Verb(
        "timeline", LOOK, "ID",
        "Show what happened around something, in order: the turns of its session beside it, and what was run.",
        "timeline turn-k3w9x2mfqa --before 3", {"--before N": "How many turns before it.", "--after N": "How many turns after it."},
        for_model=True,
    ),
    Verb(
        "show", LOOK, "ID", "Show the whole text of something, or what a session did, 1,000 tokens at a time.",
        "show turn-k3w9x2mfqa", {"--from CHARACTER": "Go on from this character."}, for_model=True,
    ),
    Verb(
        "sessions", LOOK, "[ID]",
        "List the sessions, the latest first: when, what was asked first, what came of it; or tell what one did.",
        "sessions --since 7d", {"--page N": "Which page of the list.", **SPAN},
    ),
    Verb(
        "relations", LOOK, "[LABEL]", "Show what belongs to what: what is believed most, or all about a file, a part, a person.",
        "relations shop/cart.py", {}, for_model=True,
    ),
    Verb("status", LOOK, "", "Say how much is remembered here, what was told of it, and whether all is well.", "status", {}),
    Verb(
        "why", LOOK, "[ID]", "Show what was told to the model, why, what it cost, and what just missed.",
        "why --last 1", {"--last N": "How many receipts.", **SESSION},
    ),
    Verb(
        "preview", LOOK, "[PROMPT]", "Show what a new session would be told now, at its start and at a prompt; nothing is written.",
        "preview the login fails again after the upgrade", {},
    ),
    Verb(
        "page", LOOK, "", "Look at the memory in a browser on this machine, and put it right; it ends after 15 minutes unused.",
        "page", {"--stop": "End the pages that are at work."}, changes=True,
    ),
    Verb(
        "inject", REMEMBER, "TEXT",
        "Keep a note in your own words; it is found at once, told at session starts, and never dropped.",
        "inject Releases go out with make ship, never by hand.", {"--global": "For all projects, not only this one."}, changes=True,
    ),
    Verb(
        "import", REMEMBER, "",
        "Remember what earlier sessions of this project did, from Claude Code's own transcripts; secrets are cut out.",
        "import --dry-run", {"--dry-run": "Only count what would come in.", **SINCE}, changes=True,
    ),
    Verb(
        "learn", REMEMBER, "[yes N ... no N ...]",
        "Show up to five sentences of your prompts that may hold for good, and take your yes or no by their numbers.",
        "learn yes 1 3 no 2", {}, changes=True, differs=True,
    ),
    Verb(
        "facts", CORRECT, "[ID | add TEXT | retire ID | undo ID]",
        "See what holds beyond single turns, with its history; keep a statement, or say that one holds no longer.",
        "facts add Deploys go to Bonn.", {}, changes=True,
    ),
    Verb(
        "edit", CORRECT, "ID TEXT", "Correct a note, or the answer of a turn: recall finds and tells the new text only.",
        "edit turn-k3w9x2mfqa The cause was the proxy.", {}, changes=True,
    ),
    Verb(
        "pin", CORRECT, "ID", "Keep a memory in view: told first and whole at every session start, preferred wherever it fits.",
        "pin obs-k3w9x2mfqa", {"--off": "Let go of it again."}, changes=True,
    ),
    Verb(
        "wrong", CORRECT, "ID", "Say that a memory misled: it is told later and less easily, with a mark, as its receipts say.",
        "wrong turn-k3w9x2mfqa", {}, changes=True,
    ),
    Verb(
        "undo", CORRECT, "", "Take back the last note, edit, pin or wrong of yours; a forget cannot be taken back.", "undo", {},
        changes=True,
    ),
    Verb(
        "review", SAFE, "", "List what is remembered by where it came from, the most doubtful first.",
        "review --origin outside --since 7d",
        {**ORIGIN, **SESSION, **SINCE, "--limit N": "How many sessions and rows are listed at most."},
    ),
    Verb(
        "forget", SAFE, "ID or WORDS",
        "Delete for good: shown first, deleted with --confirm and its digits, looked for in the raw files.",
        "forget turn-k3w9x2mfqa",
        {"--query TEXT": "Everything that holds exactly this text.", **SESSION, **TYPES, **ORIGIN, **SPAN, **CONFIRM,
         "--scope WORD": "project, global or both.",
         "--snapshots": "Delete snapshots, git copies and rooms of finished loops that hold it.",
         "--all": "All that is remembered, loops too."},
        changes=True,
    ),
    Verb(
        "pause", ADMIN, "[session]", "Stop recording and telling in this project, or this session alone, from the next event on.",
        "pause session", {}, changes=True,
    ),
    Verb(
        "resume", ADMIN, "", "Record and tell again in this project and this session, from the next event on.", "resume", {},
        changes=True,
    ),
    Verb("config", ADMIN, "[KEY [VALUE]]", "Show the settings, one of them, or change one as far as it loosens nothing.",
         "config memory.show full", {}, changes=True),
    Verb(
        "trust", ADMIN, "", "Show what came with a project that would act; it acts only once you approved it.",
        "trust", {**CONFIRM, "--memory": "Take the memory that was set aside; with --confirm and its digits."}, changes=True,
    ),
    Verb(
        "setup", ADMIN, "[status-line | shim]",
        "Show what is ready and offer the rest: a line in the status line, the command `ralph-mem`; nothing is replaced.",
        "setup", {"--wrap": "Run a status line that is there first.", "--off": "Take it away again."}, changes=True,
    ),
    Verb("doctor", ADMIN, "", "Check everything that has to be right for memory to work, and change nothing.", "doctor", {}),
    Verb("help", ADMIN, "[VERB]", "List the verbs, or explain one.", "help forget", {}),
)  # fmt: skip
OF = {verb.name: verb for verb in ALL}
# Commands of the terminal that are no verbs of `/mem`; a test compares them with those that there are.
IN_A_TERMINAL = (
    "sql", "growth", "core", "share", "team", "playbook", "ralph", "purge", "scrub", "backup", "restore", "export",
    "import-archive", "compress", "maintain", "hosts", "statusline", "projects", "embeddings", "tokens", "demo", "bench", "man",
    "uninstall",
)  # fmt: skip


def wants_help(verb: Verb, text: str) -> bool:
    """Say whether somebody asks how a verb is used; a note or a text may hold such a word behind its beginning."""
    return text.strip() in HELP or (not verb.words.endswith(("TEXT", "[PROMPT]")) and any([word in HELP for word in text.split()]))


def usage(verb: Verb, before: str) -> str:
    """Return how a verb is typed."""
    return " ".join([part for part in (before + verb.name, verb.words, *[f"[{each}]" for each in verb.options]) if part])


def explained(verb: Verb, before: str) -> "list[str]":
    """Return the help of a verb in lines."""
    lines = [usage(verb, before), verb.about, *[f"  {each}  {meaning}" for each, meaning in verb.options.items()]]
    return [*lines, f"Example: {before}{verb.example}"]


def listed(before: str) -> "Iterator[str]":
    """Return all verbs in lines, by their groups."""
    for group in GROUPS:
        yield f"{group}:"
        for verb in ALL:
            if verb.group == group:
                yield f"  {before}{verb.name} {verb.words}".rstrip().ljust(28) + "  " + verb.about


def nearest(word: str) -> str:
    """Return the verb that a word means elsewhere, or that begins like it; nothing where there is none."""
    if word.lower() in MEANT_BY:
        return MEANT_BY[word.lower()]
    return next(iter([name for name in OF if word[:3] and name[:3] == word[:3].lower()]), "")
