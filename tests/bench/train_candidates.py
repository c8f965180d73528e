"""`python -m tests.bench.train_candidates [FILE ...]`: fit the weights by which a sentence that may hold is told, or not.

Prints for each set what is told by weights that were fitted on the others, then the weights of the signs, for
`ralph_mem/memory/facts/extraction_likelihood.py`, and writes those of the words to `likely_words.txt` beside it. Sets are those
beside this file, the voices of the tests, and files: {sentences: [{text, durable, project}]}, [{persona, prompt, durable: [text]}],
or users as `bench taught` reads them.
"""

import hashlib
import json
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ralph_mem.bench import taught
from ralph_mem.memory.facts import extraction, extraction_likelihood, extraction_patterns, extraction_statements
from ralph_mem.memory.rows import fact_queries
from tests.memory.facts import voices

DEVELOPMENT = [Path(__file__).with_name(name) for name in ("taught_dev.json", "taught_trades.json")]
# A word counts that so many sentences have. The penalties were chosen by the sets that are left out, as was LEAST_TOLD.
FEWEST, PENALTY, PENALTY_OF_WORDS, STEPS = 4, 2.0, 10.0, 12
# Sentences of real projects count so often: there one of seven holds, of the invented users' one of three.
OFTEN = 3
HEAD = """# How much likelier a word makes it that a sentence is worth telling; ^ is the first, <code> a name or path, 0 a number.
# Made by `python -m tests.bench.train_candidates`, a logistic regression, from the voices of the tests and these sets:
"""


def main() -> None:
    """Fit with each set left out, and with none."""
    paths = [str(taught.OWN), *map(str, DEVELOPMENT), *sys.argv[1:]]
    given = [(Path(path).name, *each) for path in paths for each in list(read(path)) * (OFTEN if _is_real(path) else 1)]
    given += [("voices", text, True) for text in voices.HOLDS] + [("voices", text, False) for text in voices.PASSES]
    found = [each for each in given if extraction.may_hold(each[1])]
    sources, right = np.array([source for source, *_ in found]), np.array([float(holds) for *_, holds in found])
    for source in dict.fromkeys(sources):
        out = sources == source
        names, likely = _fitted([text for (_, text, _), is_out in zip(found, out, strict=True) if not is_out], right[~out])
        chances = chance(likely, _values([text for _, text, _ in found], names)[out])
        print(f"{source:<22} of {int(right[out].sum())} that hold and {int((1 - right[out]).sum())} that do not are told", *[
            f"{int((chances[right[out] == 1] >= least).sum())} and {int((chances[right[out] == 0] >= least).sum())} from {least}"
            for least in (0.4, 0.5, fact_queries.LEAST_TOLD)
        ], sep=", ")  # fmt: skip
    names, weights = _fitted([text for _, text, _ in found], right)
    signs = len(weights) - len(names)
    bias, *of_signs = [round(float(each), 2) for each in weights[:signs]]
    print(f"BIAS = {bias}\nWEIGHTS = {tuple(of_signs)}")
    sets = [f"#   {hashlib.sha256(Path(path).read_bytes()).hexdigest()} {Path(path).name}\n" for path in paths]
    lines = [f"{name} {weight:.2f}\n" for name, weight in zip(names, weights[signs:], strict=True) if abs(weight) >= 0.05]
    Path(extraction_likelihood.TABLE).write_text(HEAD + "".join(sets) + "".join(lines))


def _is_real(path: str) -> bool:
    return "sentences" in json.loads(Path(path).read_text())


def read(path: str) -> Iterator[tuple[str, bool]]:
    """Yield each sentence of a file, and whether it is worth telling later."""
    given = json.loads(Path(path).read_text())
    if isinstance(given, list):
        said = [(prompt["prompt"], prompt["durable"]) for prompt in given]
    elif "sentences" in given:
        yield from [(each["text"], each["durable"]) for each in given["sentences"]]
        return
    else:
        users = taught.read(path).users
        said = [(prompt, user.useful) for user in users for session in user.sessions for prompt in session.prompts]
    for prompt, useful in said:
        for found in extraction.sentences(prompt):
            yield found.text, any(taught.is_same(found.text, each) for each in useful)


def _fitted(texts: "list[str]", right: "np.ndarray") -> "tuple[list[str], np.ndarray]":
    """Return the words that count, and the bias and the weights of the signs and these words."""
    often = Counter(word for text in texts for word in extraction_likelihood.words(text))
    names = sorted(word for word, times in often.items() if times >= FEWEST)
    return names, fitted(_values(texts, names), right, len(names))


def _values(texts: "list[str]", names: "list[str]") -> "np.ndarray":
    has = [[float(name in words) for name in names] for words in map(extraction_likelihood.words, texts)]
    return np.array([(1.0, *_signs(text), *words) for text, words in zip(texts, has, strict=True)])


def _signs(text: str) -> tuple[float, ...]:
    forms = [(strength, kind) for kind, strength, form in extraction_patterns.FORMS if form.search(text)]
    stated = extraction_statements.kind_of(text)
    return extraction_likelihood.values(text, forms, stated and (stated[0], stated[1]))


def fitted(values: "np.ndarray", right: "np.ndarray", words: int = 0) -> "np.ndarray":
    """Return the bias and the weights of a penalized logistic regression, by Newton's method; the last ones are of `words`."""
    found = np.zeros(values.shape[1])
    penalty = np.full(values.shape[1], PENALTY)
    penalty[len(penalty) - words :] = PENALTY_OF_WORDS
    penalty[0] = 0
    for _ in range(STEPS):
        likely = chance(found, values)
        bend = (values * (likely * (1 - likely))[:, None]).T @ values + np.diag(penalty)
        found = found - np.linalg.solve(bend, values.T @ (likely - right) + penalty * found)
    return found


def chance(weights: "np.ndarray", values: "np.ndarray") -> "np.ndarray":
    """Return how likely each row holds."""
    return 1 / (1 + np.exp(-values @ weights))


if __name__ == "__main__":
    main()
