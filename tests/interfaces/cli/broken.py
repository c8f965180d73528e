"""What makes a memory one that cannot be opened."""

import sqlite3


def newer(person):
    """Make it that of a newer release."""
    with sqlite3.connect(person.database) as db:
        db.execute("PRAGMA user_version = 99")


def without_tables(person):
    """Put a database of something else in its place."""
    other = person.folder / "other.db"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE something (else_)")
        db.execute("PRAGMA user_version = 2")
    for path in person.memory.glob("memory.db-*"):
        path.unlink()
    person.database.write_bytes(other.read_bytes())


def of_somebody_else(person):
    """Put a file that no session start has seen in its place."""
    without_tables(person)
    person.database.rename(person.folder / "theirs")
    person.database.write_bytes((person.folder / "theirs").read_bytes())
