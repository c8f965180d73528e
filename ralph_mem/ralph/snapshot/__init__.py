"""Files of a project as they were, kept outside of it and put back without losing a byte."""

import os
from collections import namedtuple

# How a file of a tree is opened and made. O_NONBLOCK: a FIFO that took the place of a file must not hold us up.
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC

# What a path can be. Other: a FIFO, socket or device, which is seen and never touched.
FILE, LINK, FOLDER, OTHER = "file", "link", "folder", "other"

# Why a rollback leaves a path alone that somebody else changed while the loop was at work, or before it went on.
MEANWHILE = "changed before the run was over, not by its programs: yours"

# Why a rollback does not bring a path back, and what is said as soon as an iteration has taken it away.
LOST = "is gone, and was not stored"
NO_WAY_BACK = "no rollback brings back what was not stored"

Entry = namedtuple("Entry", "kind mode size digest stored twins", defaults=(b"",))
Entry.__doc__ = """A path in a snapshot.

`mode` has the permission bits alone (as `stat.S_IMODE`); `digest` tells the bytes of a file, or the target of a link, from any
others and is empty for the rest; `stored` says whether the store holds them: a file above the cap, or one that could not be
read, is seen only. `twins` is empty for a file of one name in the tree; hard links to one file have the same, which tells the
set of their names from any other.
"""


def same(one: "Entry | None", other: "Entry | None") -> bool:
    """Say whether two entries are the same but for other names of the file."""
    if one is None or other is None:
        return one is other
    return bool(one._replace(twins=b"") == other._replace(twins=b""))


Taken = namedtuple("Taken", "id label tree files bytes seconds unstored")
Taken.__doc__ = """A snapshot that was taken: its number in the store, its label, the hash of all that it saw, how many paths and
bytes those are, the seconds it took, and as `(path, why)` what was seen without being stored. Paths are bytes, as seen from
the top.
"""

Change = namedtuple("Change", "path what before after")
Change.__doc__ = """A path that differs in two snapshots: its bytes, `added`, `changed` or `deleted`, its two entries or None."""
