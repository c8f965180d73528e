"""Ask a model which sentences may hold, and put what it names among the candidates, never among the facts."""

import contextlib
import os
import time
from collections import Counter

from ralph_mem.core import fast, paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings.trust import BUDGET
from ralph_mem.maintenance.proposals import asking, models
from ralph_mem.memory import access
from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts, prompts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.maintenance.proposals.asking import Proposal, Request
    from ralph_mem.memory.rows.prompts import Progress
    from ralph_mem.memory.store.connection import Store

HOW = f"`ralph-mem config set --global {BUDGET} 20` lets it spend 20 cents a day"
NAME = "spent.json"  # what models have cost the person on each day
# Days that are kept, so that a clock that was set back finds what was spent on its day.
MOST_DAYS = 31
SPENDING_HINT = f"{BUDGET} of your config says how much a day it may be"
MOST_TRIES = 2  # an answer that is no JSON is asked for once more


class Round:
    """What a call came to: `taken` with what became of each proposal, items `dropped` by reason, and `cents` as spent.

    `why` says what kept it from asking about all, nothing where it did.
    """

    def __init__(self) -> None:
        self.taken: list[tuple[Proposal, taking.Taken]] = []
        self.dropped: Counter[str] = Counter()
        self.requests, self.cents, self.left, self.why = 0, 0.0, 0.0, ""


@contextlib.contextmanager
def purse(budget: int) -> "Iterator[Purse]":
    """Let this process alone spend what is left of a day's budget in cents. Raises RalphMemError where another one does."""
    if not paths.data_home():
        raise RalphMemError("there is no home folder to keep what a model costs", "set HOME")
    folder = f"{paths.data_home()}/{paths.MODEL_COSTS}"
    paths.make_folder(folder)
    file = paths.open_lock(folder)
    try:
        if not paths.lock(file):
            raise RalphMemError("another `ralph-mem learn --with` asks a model now", "try again once it has ended")
        yield Purse(budget, folder)
    finally:
        os.close(file)


class Purse:
    """What may be spent today, in cents."""

    def __init__(self, budget: int, folder: str) -> None:
        self.budget, self.folder = budget, folder

    def left(self) -> float:
        """Return what is left of today's budget, in cents."""
        return left(self.budget)

    def spend(self, cents: float) -> None:
        """Note what was spent, or with a negative amount that it was less than noted. Raises OSError."""
        days = _days()
        days[_today()] = max(0.0, round(days.get(_today(), 0.0) + cents, 4))
        paths.write(f"{self.folder}/{NAME}", fast.dumps(dict(sorted(days.items())[-MOST_DAYS:])))


def left(budget: int) -> float:
    """Return what is left today of a budget in cents."""
    return max(0.0, budget - _days().get(_today(), 0.0))


def _today() -> str:
    return time.strftime("%Y-%m-%d")


def _days() -> "dict[str, float]":
    """Return what was spent on which day; what cannot be read counts as nothing left for today."""
    path = f"{paths.data_home()}/{paths.MODEL_COSTS}/{NAME}"
    if not paths.exists(path):
        return {}
    try:
        found: Any = fast.loads(paths.read(path))
        return {str(day): float(cents) for day, cents in found.items()}
    except (ValueError, TypeError, AttributeError):
        return {_today(): float("inf")}


def check_budget(budget: int, cents: float) -> None:
    """Raise RalphMemError where a day's budget has no room for so many cents any more, or there is none."""
    if not budget:
        raise RalphMemError(f"a model may spend nothing here: {BUDGET} is 0", HOW)
    room = left(budget)
    if room < cents:
        hint = f"{SPENDING_HINT}; it is {budget} cents, and what is left comes back tomorrow"
        raise RalphMemError(f"the budget of today has {room:.2f} cents left, and the next request may cost {cents:.2f}", hint)


def propose(store: "Store", project: "Project", settings: "dict[str, Any]", model: str) -> Round:
    """Ask a model about the prompts that none was asked about, as far as today's budget goes. The caller holds no transaction.

    Raises RalphMemError where nothing can be asked.
    """
    result = Round()
    found, reached = asking.requests(store, project, settings)
    with purse(settings[BUDGET]) as todays:
        if any([request.turns for request in found]):
            models.check(model)
            check_budget(todays.budget, _cents(model, next(request for request in found if request.turns)))
        for request in found:
            if not _about(store, project, settings, model, request, reached, todays, result):
                break
        result.left = todays.left()
    return result


def _about(  # noqa: PLR0913, PLR0917 - a step of `propose`
    store: "Store", project: "Project", settings: "dict[str, Any]", model: str, request: "Request", reached: "Progress",
    purse: "Purse", result: Round,
) -> bool:  # fmt: skip
    """Ask about some turns and keep what came of it; says whether to go on."""
    proposals: list[Proposal] = []
    for _ in range(MOST_TRIES if request.turns else 0):
        said = _asked(model, request, purse, result)
        if result.why:
            result.why = asking.redacted(result.why, project, settings)
            return False
        try:
            proposals, dropped = asking.proposals_in(asking.redacted(said.text, project, settings), request)
        except asking.Broken:
            result.dropped[asking.BROKEN] += 1
            continue
        result.dropped += dropped
        break
    _keep(store, model, proposals, request, reached, result)
    return True


def _asked(model: str, request: "Request", purse: "Purse", result: Round) -> models.Said:
    """Ask a model within the budget; the estimate is set aside before, so that a process that is killed has spent it."""
    cents = _cents(model, request)
    if purse.left() < cents:
        result.why = f"the budget of today has {purse.left():.2f} cents left, and the next request may cost {cents:.2f}"
        return models.Said("", None, "")
    purse.spend(cents)
    said = models.ask(model, asking.TASK, request.text, request.tokens[1], purse.left() + cents)
    spent = cents if said.cents is None else said.cents
    purse.spend(spent - cents)
    result.requests, result.cents, result.why = result.requests + 1, result.cents + spent, said.why
    return said


def _cents(model: str, request: "Request") -> float:
    return models.estimate(model, *request.tokens)


def _keep(store: "Store", model: str, proposals: "list[Proposal]", request: "Request", reached: "Progress", result: Round) -> None:
    """Take proposals in as candidates, and move on behind the prompts of a request, in one transaction.

    What a person forgot or changed while the model was at it is not taken in.
    """
    with access.Change(store) as opened:
        at = time.time_ns() // 1_000_000
        there = prompts.texts(opened, [each.prompt.public_id for each in proposals])
        for each in proposals:
            if each.sentence not in there.get(each.prompt.public_id, ""):
                result.dropped[asking.NOT_SAID] += 1
                continue
            statement = taking.Statement(
                each.sentence, each.kind, facts.PROPOSAL, each.prompt.at, each.prompt.public_id,
                strength=each.confidence, proposed_by=model,
            )  # fmt: skip
            result.taken.append((each, taking.take(opened, statement, at)))
        for prompt in request.passed:
            tries = prompts.passed(reached, prompt)
            if prompt.is_open:
                reached.waiting[prompt.number] = tries
        prompts.keep(opened, reached, prompts.PROPOSED)
