"""A table of quick cells as one test: thousands of tests of a millisecond cost more to collect and to report than to run."""

import functools
import inspect

import pytest


def folded(names, values, ids=None):
    """Run a test for each cell of a table, as `parametrize` does, in one test that names every cell that failed, and why.

    The cells share the fixtures of the test: it is for what leaves nothing behind.
    """
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    values = list(values)
    cells = [(value,) for value in values] if len(names) == 1 else [tuple(value) for value in values]
    labels = [ids(value) for value in values] if callable(ids) else list(ids if ids is not None else map(_label, cells))
    assert cells and len(labels) == len(cells), "a table without cells proves nothing"

    def fold(test):
        @functools.wraps(test)
        def every_cell(**fixtures):
            failed = []
            for label, cell in zip(labels, cells, strict=True):
                try:
                    test(**fixtures, **dict(zip(names, cell, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - the other cells have their say
                    failed.append(f"[{label}] {type(error).__name__}: {error}")
            if failed:
                pytest.fail(f"{len(failed)} of {len(cells)} cells:\n" + "\n".join(failed), pytrace=False)

        signature = inspect.signature(test)
        rest = [each for name, each in signature.parameters.items() if name not in names]
        every_cell.__signature__ = signature.replace(parameters=rest)
        return every_cell

    return fold


def _label(cell):
    return "-".join(repr(part)[:60] for part in cell)
