"""Tell a run as a table with a row for each iteration."""

from ralph_mem.core.format import duration
from ralph_mem.ralph import progress
from ralph_mem.ralph.display import MOST_FILES, files_of, in_words, money, rendered

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.record import Iteration, Run

COLUMNS = ("#", "agent", "left", "criteria", "files", "cost", "tokens", "time", "snapshot", "notes")


def rows(run: "Run") -> "list[tuple[object, ...]]":
    """Return a row of COLUMNS for the start and for each iteration, what is best marked with a star."""
    found, top = progress.numbers(run), progress.best(run)
    rows: list[tuple[object, ...]] = [("start", "", found[0], in_words(run.baseline), "", "", "", "", run.start_snapshot or "", "")]
    numbers = iter(found[1:])
    for each in run.iterations:
        notes = [*each.tampered, *([each.why] if each.why and each.kind != "done" else []), *_besides(run, each.number)]
        left = next(numbers) if each in run.tried() else ""
        rows.append((
            each.number, _who(run, each), f"{left}{' *' if each is top else ''}", in_words(each.verdicts),
            _files(each), money(each.cost) if each.cost is not None else "", each.tokens or "",
            duration(max(0, each.ended - each.started)), each.snapshot or "", "; ".join([rendered(text) for text in notes]),
        ))  # fmt: skip
    return rows


def _files(iteration: "Iteration") -> str:
    return files_of(iteration.changed, MOST_FILES, iteration.unnamed) if iteration.snapshot else "not known"


def _who(run: "Run", iteration: "Iteration") -> str:
    """Return how an agent ended, after its name where several were at work."""
    return f"{rendered(iteration.agent)}: {iteration.kind}" if run.options.get("others") else str(iteration.kind)


def _besides(run: "Run", number: int) -> "list[str]":
    """Return what the person said before an iteration, and the commit of it."""
    said = [f"you: {text}" for _, text, told in run.hints if told == number]
    return [*said, *[f"commit {name[:10]}" for of, name in run.commits if of == number]]
