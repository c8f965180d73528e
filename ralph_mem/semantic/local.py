"""The sense without a worker: the model in this process, for the command line and the benchmark."""

from typing import Any

import numpy as np

from ralph_mem.core import sense
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.store import Store
from ralph_mem.semantic.embedding import Embedder
from ralph_mem.semantic.matrix import FOREVER, NEAREST, Matrix, stamp

MOST_QUERIES = 4096  # a benchmark asks the same in several modes


class LocalSense(sense.Sense):
    """As `sense.Sense`, with exact answers at any time.

    Raises RalphMemError where no model is set up, or a file of it is damaged.
    """

    __slots__ = ("asked", "embedder", "matrices")

    def __init__(self, model: dict[str, Any] | None = None) -> None:
        model = model or sense.described()
        if not model:
            raise RalphMemError("no embeddings are set up", "`ralph-mem embeddings setup` prepares a model")
        super().__init__(model)
        self.embedder = Embedder(model)
        self.matrices: dict[str, Matrix] = {}
        self.asked: dict[str, np.ndarray | None] = {}

    def near(self, store: Store, query: str, most: int = NEAREST, until: int = FOREVER) -> dict[int, float]:
        """Return the nearest memories by number with their cosines, nearest first.

        Only those count that were made before `until`, in milliseconds.
        """
        vector = self._vector(sense.shortened(query))
        matrix = self.matrices.get(store.folder)
        if matrix is None or matrix.stamp != stamp(store):
            matrix = self.matrices[store.folder] = Matrix(store, self.model)
        return {} if vector is None else matrix.near(vector, most, until)

    def _vector(self, query: str) -> np.ndarray | None:
        if query not in self.asked:
            if len(self.asked) >= MOST_QUERIES:
                self.asked.clear()
            self.asked[query] = self.embedder.of_query(query) if query.strip() else None
        return self.asked[query]
