"""The tally of a tree: its hash, how many paths it has and how many bytes are stored of them, kept up path by path."""

from hashlib import blake2b

from ralph_mem.snapshot import FILE, Entry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.snapshot.store import Snapshots

MODULUS = 1 << 128
PROPERTY = "tally"


class Tally:
    """The hash is a sum over the entries, so that their order means nothing and a path can be taken out again."""

    __slots__ = ("bytes", "files", "hash")

    def __init__(self, told: str = "") -> None:
        self.hash, self.files, self.bytes = [int(word, 16) for word in told.split()] if told else (0, 0, 0)

    def add(self, path: bytes, entry: Entry, times: int = 1) -> None:
        """Count a path in, or out again with -1."""
        facts = b"%s\0%s %o %d %s" % (path, entry.kind.encode(), entry.mode, entry.stored, entry.digest)
        number = int.from_bytes(blake2b(facts, digest_size=16).digest(), "big")
        self.hash = (self.hash + times * number) % MODULUS
        self.files += times
        self.bytes += times * (entry.size if entry.kind == FILE and entry.stored else 0)

    def tree(self) -> str:
        """Return the hash of the tree: equal for two trees when all paths, modes and bytes are."""
        return f"{self.hash:032x}"

    def keep(self, snapshots: "Snapshots") -> None:
        """Keep it as that of the rows that are present, as part of the transaction that runs."""
        snapshots.set_property(PROPERTY, f"{self.hash:x} {self.files:x} {self.bytes:x}")


def of_present(snapshots: "Snapshots") -> Tally:
    """Return the tally of the rows that are present."""
    return Tally(snapshots.property(PROPERTY) or "")


def recount(snapshots: "Snapshots") -> None:
    """Count the rows that are present anew, as after some were taken out. They are part of the transaction that runs."""
    tally = Tally()
    for path, *facts in snapshots.query("SELECT path, kind, mode, size, digest, why = '' FROM present"):
        tally.add(path, Entry._make(facts))
    tally.keep(snapshots)
