"""The errors of the product, each with a hint for the reader."""


class RalphMemError(Exception):
    """The root of everything raised on purpose. `hint` says what the reader can do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NotAsShown(RalphMemError):
    """What somebody wants to change is no longer as it was shown to them."""


class ConfigError(RalphMemError):
    """A config file that cannot be read, or a value out of range."""


class LoopError(RalphMemError):
    """A loop that cannot be started, steered or resumed."""


class SnapshotError(RalphMemError):
    """Files that cannot be snapshotted or put back."""


class StoreError(RalphMemError):
    """The database cannot be read or written."""


class NewerStore(StoreError):
    """The database was written by a newer release."""


class BusyStore(StoreError):
    """Another process keeps the database to itself for a while."""


class UnknownSession(StoreError):
    """An event of a session whose start was never seen: the plugin was switched on in the middle of it."""
