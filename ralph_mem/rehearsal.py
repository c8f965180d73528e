"""Rehearsal: what an import would bring in, without a memory being made or changed."""

from typing import Any

from ralph_mem.core import privacy, store
from ralph_mem.core.store import Store
from ralph_mem.intake import WAIT_MS, Memory, Session


class Rehearsal(Memory):
    """The same without a memory being made or changed: what would come in is counted."""

    def leave(self) -> None:
        """Let go of the memory, if there is one."""
        privacy.HELD.clear()
        if self.opened:
            self.opened.close()

    def _open(self) -> Store:
        if not self.opened:
            self.opened = store.connect(self.place.folder, WAIT_MS)
        return self.opened

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        try:
            return super()._rows(sql, *values)
        except store.sqlite.OperationalError:  # a memory of an older release, into which nothing was ever imported
            return []

    def _write(self, session: Session, batch: list[dict[str, Any]], _positions: dict[str, int]) -> None:
        turns = {record["turn"] for record in batch if record["verb"] in ("turn", "close")}
        ids = {record["event_id"] for record in batch if record["verb"] in ("observation", "memory")}
        self.turns += len(turns - self._counted(session, "turns", turns))
        self.observations += len(ids - self._counted(session, "observations", ids))

    def _counted(self, session: Session, table: str, ids: set[str]) -> set[str]:
        """Return which events were counted before, or are stored."""
        stored = {name for name in ids if self._rows(f"SELECT 1 FROM {table} WHERE event_id = ?", name)}
        again = {name for name in ids if session.strange.setdefault("counted " + name, False)}
        session.strange.update({"counted " + name: True for name in ids})
        return stored | again

    def _finish(self, session: Session, _model: str, _positions: dict[str, int]) -> None:
        pass
