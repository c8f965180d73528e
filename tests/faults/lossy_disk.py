"""A disk that loses power: notes every write and every sync of a database, and makes images of what may have been left.

An image keeps what was synced, and of the rest three writes in five, some of them torn at a sector. What was made or deleted
stays so: lost directory entries are not modelled.
"""

import apsw

SECTOR = 512
KEPT, TORN = 0.6, 0.2
WRITE, TRUNCATE, SYNC, DELETE = "write", "truncate", "sync", "delete"


class LossyDisk(apsw.VFS):
    """Notes in `log` what is done to each file, as (path, what, place, data)."""

    def __init__(self, name):
        self.log = []
        super().__init__(name, base="")
        self.name = name

    def xOpen(self, name, flags):
        return NotedFile(self.log, name, flags)

    def xDelete(self, path, sync):
        super().xDelete(path, sync)
        self.log.append((path, DELETE, 0, b""))

    def image(self, end, dice):
        """Return {path: bytes} of what a power cut after the first `end` entries may have left."""
        synced = {path: at for at, (path, what, _, _) in enumerate(self.log[:end]) if what == SYNC}
        found = {}
        for at, (path, what, place, data) in enumerate(self.log[:end]):
            file = found.setdefault(path, bytearray())
            if at > synced.get(path, -1) and what != DELETE:
                if dice.random() > KEPT:
                    continue
                if dice.random() < TORN:
                    _apply(file, what, place, data[: SECTOR * dice.randrange(1 + len(data) // SECTOR)])
                    continue
            _apply(file, what, place, data)
        return {path: bytes(file) for path, file in found.items()}


def _apply(file, what, place, data):
    if what in {TRUNCATE, DELETE}:
        del file[place:]
    elif what == WRITE:
        file.extend(bytes(max(0, place - len(file))))
        file[place : place + len(data)] = data


class NotedFile(apsw.VFSFile):
    """A file of the disk."""

    def __init__(self, log, name, flags):
        self.log, self.path = log, name.filename() if isinstance(name, apsw.URIFilename) else name
        super().__init__("", name, flags)

    def xWrite(self, data, offset):
        super().xWrite(data, offset)
        self.log.append((self.path, WRITE, offset, bytes(data)))

    def xTruncate(self, size):
        super().xTruncate(size)
        self.log.append((self.path, TRUNCATE, size, b""))

    def xSync(self, flags):
        super().xSync(flags)
        self.log.append((self.path, SYNC, 0, b""))


class Answers:
    """Rows as the standard library's cursor hands them out."""

    def __init__(self, connection, rows):
        self.lastrowid, self.rowcount = connection.last_insert_rowid(), connection.changes()
        self.rows = iter(rows)

    def fetchone(self):
        return next(self.rows, None)

    def fetchall(self):
        return list(self.rows)

    def __iter__(self):
        return self.rows


class Connection:
    """A connection to a database on a lossy disk, for code that was written for the standard library's.

    `syncing` takes the place of what that code says about syncing.
    """

    def __init__(self, path, disk, syncing=""):
        self.db = apsw.Connection(path, vfs=disk, flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE)
        self.syncing = syncing

    def execute(self, sql, values=()):
        if self.syncing and sql.startswith("PRAGMA synchronous"):
            sql = f"PRAGMA synchronous = {self.syncing}"
        return Answers(self.db, list(self.db.execute(sql, values)))

    def set_progress_handler(self, handler, steps):
        self.db.set_progress_handler(handler, steps)

    @property
    def in_transaction(self):
        return self.db.in_transaction

    def close(self):
        self.db.close()
