"""Declare every file and folder of ours beside a project's own files, with what becomes of it.

What else lies in our folders is somebody else's: a forget looks into it, and an uninstall leaves it.
"""

from ralph_mem.core import paths

# Whose it is, which the first part of a name in it tells: a project's or a work tree's by `paths.key_of` its path, a memory's by
# its id; or of all of a person's projects.
PROJECT, TREE, ONE_MEMORY, ALL = "project", "tree", "memory", "all"

# What a file is to a forget: the memory itself; events that wait or were set aside; a copy of a memory; a database that came with
# the folder and was set aside; the record of a loop; what is made again when it is needed; snapshots; the person's own; another
# project's; our lists, which name no text. What holds NO_TEXT is not looked into: random numbers, models.
LIVE, WAITING, COPY, ASIDE, LOOP, CACHE, SNAPSHOT, THEIRS, ELSEWHERE, MARKS, NO_TEXT = (
    "memory", "spool", "copy", "set aside", "loop record", "cache", "snapshot", "your own file", "another project's", "marks", "",
)  # fmt: skip

# Whether an uninstall takes it, or leaves it as long as memories stay: without it these would be a stranger's to the next install,
# and what waits for them and what was forgotten would be lost.
GOES, STAYS = "goes", "stays with memories"
# What becomes of a project's part when the project has moved: it is brought along, or file by file joins what is there already;
# what is found by an id, or made again, is left.
FOLLOWS, JOINS, LEFT = "follows", "joins", "left"
# As what the quota counts it; nothing where it stays small. `paths.STATE` counts as a whole.
MEMORY, SHARED = "memory", "shared"
# Who may read it besides its owner: nobody, who shares the machine, or also who shares the repository.
PRIVATE, READABLE, TRACKED = "private", "readable", "tracked"
NO_SQLITE = "said-no-sqlite"
JOB = ".job"  # behind the key of a project, in the place of what was forgotten: a forget that is not finished, with its drafts


class Place:
    """A file, or a folder with all that is in it, by its name below the home that it lies in; `meaning` is for a person."""

    __slots__ = ("counts_as", "meaning", "name", "on_forget", "on_move", "on_uninstall", "others", "whose")

    def __init__(  # noqa: PLR0913, PLR0917 - a record
        self, name: str, whose: str, on_forget: str, on_uninstall: str, on_move: str, counts_as: str, meaning: str = "",
        others: str = PRIVATE,
    ) -> None:  # fmt: skip
        self.name, self.whose, self.on_forget, self.on_uninstall, self.on_move = name, whose, on_forget, on_uninstall, on_move
        self.counts_as, self.meaning, self.others = counts_as, meaning, others


IN_DATA_HOME = [
    Place(paths.SPOOL, PROJECT, WAITING, STAYS, JOINS, "waiting", "events that wait for a database"),
    Place(paths.SETTINGS, PROJECT, CACHE, GOES, LEFT, "waiting", "settings as they were read last"),
    Place(paths.TROUBLE, PROJECT, CACHE, GOES, FOLLOWS, "waiting", "lines that wait to be told"),
    Place(paths.NEWS, PROJECT, CACHE, GOES, FOLLOWS, "waiting", "how a loop ended, until a session has told it"),
    Place(paths.FLAKY, PROJECT, CACHE, GOES, LEFT, "", "tests that pass and fail by chance"),
    Place(paths.TRUST, PROJECT, CACHE, GOES, LEFT, "", "what you approved of projects"),
    Place(paths.TEAM, PROJECT, NO_TEXT, GOES, FOLLOWS, "", "which items of a team you approved, by hashes and ids, and its server"),
    Place(paths.TEAM_FOUND, PROJECT, CACHE, GOES, LEFT, "", "what a team's server found last"),
    Place(paths.FORGOTTEN, ALL, MARKS, STAYS, FOLLOWS, "", "marks of what was forgotten, and counts"),
    Place(paths.KNOWN, PROJECT, CACHE, GOES, LEFT, "", "which databases are known to be yours"),
    Place(paths.SNAPSHOTS, TREE, SNAPSHOT, GOES, FOLLOWS, "snapshots", "snapshots of loops"),
    Place(paths.GIT_COPIES, TREE, SNAPSHOT, GOES, FOLLOWS, "snapshots", "git as it was before loops"),
    Place(paths.SCRATCH, ALL, CACHE, GOES, LEFT, "", "copies in which a loop's checks run, gone when they are done"),
    Place(paths.LOOPS, TREE, LOOP, GOES, FOLLOWS, "loops", "records of loops, with what their agents did and said"),
    Place(paths.ROOMS, TREE, SNAPSHOT, GOES, LEFT, "snapshots", "the folders in which loops work"),
    Place(paths.BACKUPS, ONE_MEMORY, COPY, GOES, LEFT, "backups", "copies of memories"),
    Place(paths.PROJECTS, ONE_MEMORY, MARKS, STAYS, LEFT, "", "the list of your projects"),
    Place(paths.CRASH, ALL, CACHE, GOES, LEFT, "", "where the last bug was met"),
    Place(paths.EMBEDDINGS, ALL, NO_TEXT, GOES, LEFT, SHARED, "the model of embeddings"),
    Place(f"{paths.EMBEDDINGS}/{paths.TROUBLE}", ALL, CACHE, GOES, LEFT, "", "why no text could be embedded"),
    Place(paths.EXPORT_KEY, ALL, NO_TEXT, GOES, LEFT, "", "the key by which your exports are known"),
    Place(paths.EXPORTS, ALL, MARKS, GOES, LEFT, "", "the list of your exports"),
    Place(paths.KEY, ALL, NO_TEXT, STAYS, LEFT, "", "the key by which your memories are known"),
    Place(paths.PYTHON, ALL, CACHE, GOES, LEFT, "", "the Python that hooks start"),
    Place(NO_SQLITE, ALL, CACHE, GOES, LEFT, "", "that a Python without SQLite was told of"),
    Place(paths.QUOTA, ALL, CACHE, GOES, LEFT, "", "when the sizes were looked at last"),
    Place(paths.PAUSED, ALL, MARKS, GOES, LEFT, "", "which sessions were paused, by their ids"),
    Place(paths.LEARNER, ALL, NO_TEXT, GOES, LEFT, "", "by which one process at a time learns from prompts"),
    Place(paths.MODEL_COSTS, ALL, NO_TEXT, GOES, LEFT, "", "what models cost on which day"),
    Place(paths.PAGE, ALL, NO_TEXT, GOES, LEFT, "", "the log of the page, and for a minute what leads a browser there"),
    Place(paths.PLUGIN, ALL, CACHE, GOES, LEFT, "", "where the plugin lies, for a status line, the command and other clients"),
    Place(paths.WIRED, ALL, NO_TEXT, GOES, LEFT, "", "in which files of other clients our hooks are"),
]
# Outside of our folders, only at a person's word, by `maintenance/outside.py`; a name below the home, or what it is called.
COMMAND, STATUS_LINE = ".local/bin/ralph-mem", "status line"
OUTSIDE = [
    Place(STATUS_LINE, ALL, NO_TEXT, GOES, LEFT, "", "our line in the client's status line"),
    Place(COMMAND, ALL, NO_TEXT, GOES, LEFT, "", "the command that setup put on your PATH", others=READABLE),
]
# In a project's `.ralph-mem`, and in the config home, where the memory of all projects lies. It goes and moves as a whole.
IN_MEMORY = [
    *[Place(name, ALL, LIVE, STAYS, FOLLOWS, MEMORY) for name in ("memory.db", "memory.db-wal", "memory.db-shm")],
    Place("memory.db-journal", ALL, LIVE, STAYS, FOLLOWS, ""),
    Place(f"memory.db{paths.ASIDE}", ALL, ASIDE, STAYS, FOLLOWS, ""),
    Place(paths.SPOOL, ALL, WAITING, STAYS, FOLLOWS, MEMORY),
    Place(paths.HEARD, ALL, NO_TEXT, STAYS, FOLLOWS, MEMORY),
    Place(paths.DAMAGED, ALL, COPY, STAYS, FOLLOWS, ""),
    Place(paths.RESTORED, ALL, COPY, STAYS, FOLLOWS, ""),
    Place(paths.TROUBLE, ALL, CACHE, STAYS, FOLLOWS, ""),
    Place(paths.LOCK, ALL, CACHE, STAYS, FOLLOWS, ""),
    Place(paths.OFF, ALL, CACHE, STAYS, FOLLOWS, "", others=READABLE),
    Place(paths.GITIGNORE, ALL, CACHE, STAYS, FOLLOWS, "", others=TRACKED),
    Place(paths.CONFIG, ALL, THEIRS, STAYS, FOLLOWS, "", others=TRACKED),
]


def of(path: str, declared: "list[Place]") -> "Place | None":
    """Return the place that a path below its home lies in, of two the inner one; a name with `-` at its end is a beginning."""
    found = [place for place in declared if (path + "/").startswith(place.name if place.name[-1] == "-" else place.name + "/")]
    return max(found, key=lambda place: len(place.name), default=None)
