"""`python -m tests.bench.train_candidates [FILE ...]`: fit the weights by which a sentence that may hold is told, or not.

Prints for each source what is told by weights that were fitted on the others, then the weights of all, for
`ralph_mem/memory/facts/extraction_likelihood.py`. Sources are the users of the sets beside this file, the voices of the tests, and
those of files: {sentences: [{text, durable, project}]}, or users as `bench taught` reads them.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ralph_mem.bench import taught
from ralph_mem.memory.facts import extraction, extraction_likelihood, extraction_patterns, extraction_statements
from ralph_mem.memory.rows import fact_queries
from tests.memory.facts import voices

DEVELOPMENT = [Path(__file__).with_name(name) for name in ("taught_dev.json", "taught_trades.json")]
PENALTY, STEPS = 2.0, 30


def main() -> None:
    """Fit with each source left out, and with none."""
    given = [each for path in (str(taught.OWN), *map(str, DEVELOPMENT), *sys.argv[1:]) for each in read(path)]
    given += [("voices", text, True) for text in voices.HOLDS] + [("voices", text, False) for text in voices.PASSES]
    found = [each for each in given if extraction.find(each[1]) and not extraction.languages.language_of(each[1])]
    sources = np.array([source for source, *_ in found])
    values = np.array([(1.0, *_values(text)) for _, text, _ in found])
    right = np.array([float(holds) for *_, holds in found])
    for source in dict.fromkeys(sources):
        out = sources == source
        told = chance(fitted(values[~out], right[~out]), values[out]) >= fact_queries.LEAST_TOLD
        print(f"{source:<12} of {int(right[out].sum())} that hold and {int((1 - right[out]).sum())} that do not"
              f" {int((told * right[out]).sum())} and {int((told * (1 - right[out])).sum())} are told")  # fmt: skip
    bias, *weights = [round(float(each), 2) for each in fitted(values, right)]
    print(f"BIAS = {bias}\nWEIGHTS = {tuple(weights)}")


def read(path: str) -> Iterator[tuple[str, str, bool]]:
    """Yield the source of each sentence of a file, the sentence, and whether it is worth telling later."""
    if "sentences" in json.loads(Path(path).read_text()):
        for each in json.loads(Path(path).read_text())["sentences"]:
            yield each["project"], each["text"], each["durable"]
        return
    for user in taught.read(path).users:
        for prompt in [prompt for session in user.sessions for prompt in session.prompts]:
            for found in extraction.sentences(prompt):
                yield user.id, found.text, any(taught.is_same(found.text, each) for each in user.useful)


def _values(text: str) -> tuple[float, ...]:
    forms = [(strength, kind) for kind, strength, form in extraction_patterns.FORMS if form.search(text)]
    stated = extraction_statements.kind_of(text)
    return extraction_likelihood.values(text, forms, stated and (stated[0], stated[1]))


def fitted(values: "np.ndarray", right: "np.ndarray") -> "np.ndarray":
    """Return the bias and the weights of a penalized logistic regression, by Newton's method."""
    found = np.zeros(values.shape[1])
    penalty = np.eye(values.shape[1]) * PENALTY
    penalty[0, 0] = 0
    for _ in range(STEPS):
        likely = chance(found, values)
        bend = (values * (likely * (1 - likely))[:, None]).T @ values + penalty
        found = found - np.linalg.solve(bend, values.T @ (likely - right) + penalty @ found)
    return found


def chance(weights: "np.ndarray", values: "np.ndarray") -> "np.ndarray":
    """Return how likely each row holds."""
    return 1 / (1 + np.exp(-values @ weights))


if __name__ == "__main__":
    main()
