"""Keep which tests of a project were flaky."""

import json
import time

from ralph_mem.core import paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.core.project import Project

MOST_KEPT = 500
# A test that was repaired is trusted again some day; one that still fails now and then shows it before that.
KEPT_S = 30 * 86_400
MOST_BYTES = 1_048_576


def known(project: "Project", before: float = float("inf")) -> "set[tuple[str, str]]":
    """Return the pairs of criterion and test id that were flaky in this project in the last 30 days.

    `before` leaves out those first seen then or later, in seconds since the epoch: a loop excuses none that it brought in itself.
    """
    return {pair for pair, (first, _) in _read(project).items() if first < before}


def remember(project: "Project", ids: "Iterable[tuple[str, str]]") -> None:
    """Add such pairs to what is known. Where they cannot be kept they will show themselves again."""
    path, now = _path(project), time.time()
    seen = _read(project)
    new = {pair: (seen.get(pair, (now, now))[0], now) for pair in ids}
    if not path or not new:
        return
    latest = sorted({**seen, **new}.items(), key=lambda item: item[1][1])[-MOST_KEPT:]
    try:
        paths.make_folder(path.rpartition("/")[0])
        paths.write(path, json.dumps([[*pair, *times] for pair, times in latest]))
    except OSError:
        pass


def _path(project: "Project") -> str:
    home = paths.data_home()
    return f"{home}/{paths.FLAKY}/{paths.key_of(project.root)}.json" if home else ""


def _read(project: "Project") -> "dict[tuple[str, str], tuple[float, float]]":
    """Return when each was seen first and last."""
    path = _path(project)
    try:
        rows = json.loads(paths.read(path, MOST_BYTES)) if path else []
        oldest = time.time() - KEPT_S
        return {(str(name), str(test)): (float(first), float(last)) for name, test, first, last in rows if last > oldest}
    except (ValueError, TypeError, RecursionError):  # damaged: what is flaky shows itself again
        return {}
