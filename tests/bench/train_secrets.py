"""`python -m tests.bench.train_secrets [--leave-out] FOLDER ...`: fit the weights by which a word is likely a secret.

Writes `ralph_mem/core/redaction/likely.txt`. It is fitted on `secrets.json` beside this file, the outputs of the redactor's tests
and ordinary texts, of which none is a secret: those files of the folders whose names sort first by their hash. With `--leave-out`
prints for each set of `secrets.json` what is left and lost by weights that were fitted on the others, and writes nothing.
"""

import hashlib
import json
import random
import sys
from collections import Counter, namedtuple
from collections.abc import Iterator
from pathlib import Path

from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LogisticRegression

from ralph_mem.core.redaction import context, likely, privacy, word_signs
from tests.core.redaction import leaking, made_up_outputs, ordinary_outputs, secret_corpus, secret_outputs, unseen_outputs

SETS = Path(__file__).with_name("secrets.json")
# A sign counts that so many texts have; the penalty was chosen by the sets that are left out, the floor so that the table is small.
FEWEST, PENALTY, SMALLEST = 3, 2.0, 0.1
MOST_FILES, MOST_CHARACTERS, DRAWN = 750, 25_000, 60  # of ordinary texts, and words of each
ENDINGS = (".py", ".js", ".md", ".rst", ".h", ".json", ".conf", ".sh", ".txt")
LEASTS = (2.0, 2.5, 3.0)
HEAD = """# How much likelier a sign of `word_signs` makes it that a word is a secret, as the logarithm of the odds.
# Made by `python -m tests.bench.train_secrets` from the outputs of the tests, {files} ordinary files and
#   {hash} {name}
"""

Text = namedtuple("Text", "text secrets needed")
Word = namedtuple("Word", "signs is_secret")


def main() -> None:
    """Fit with all sets and write the table, or with each left out and print what that gives."""
    sets = dict(read(SETS))
    listed = list(_of_tests())
    files = sorted(_files(sys.argv[1:]))[:MOST_FILES]
    ordinary = [_drawn(path) for _, path in files]
    words = {name: [_words(text) for text in texts] for name, texts in [*sets.items(), ("", listed)]}
    if "--leave-out" in sys.argv:
        for name, texts in sets.items():
            weights = _fitted([text for other in words if other != name for text in words[other]] + ordinary)
            print(name, *[_said(texts, weights, least) for least in LEASTS], sep="; ", flush=True)
        return
    weights = _fitted([text for each in words.values() for text in each] + ordinary)
    digest = hashlib.sha256(SETS.read_bytes()).hexdigest()
    lines = [f"{sign} {weight:.2f}\n" for sign, weight in sorted(weights.items()) if abs(weight) >= SMALLEST]
    Path(likely.TABLE).write_text(HEAD.format(files=len(files), hash=digest, name=SETS.name) + "".join(lines), encoding="utf-8")


def read(path: Path) -> Iterator[tuple[str, list[Text]]]:
    """Yield the name of each set of a file and its texts; secrets are written backwards in it, so that no scanner reports them."""
    for name, texts in json.loads(path.read_text(encoding="utf-8")).items():
        yield name, [_filled(each) for each in texts]


def _filled(given: dict) -> Text:
    secrets = [each[::-1] for each in given["secrets"]]
    text = given["text"]
    for number, secret in enumerate(secrets):
        text = text.replace(f"\u27e8{number}\u27e9", secret)
    return Text(text, secrets, given["needed"])


def _of_tests() -> Iterator[Text]:
    listed = (
        secret_outputs.LISTED,
        secret_outputs.HELD_BACK,
        *[getattr(unseen_outputs, name) for name in ("FIRST", "SECOND", "THIRD", "FOURTH")],
    )
    for seed, outputs in enumerate(listed, 1):
        yield from [Text(f"$ {command}\n{text}", secrets, []) for _, command, text, secrets in secret_outputs.cases(outputs, seed)]
    for outputs in (made_up_outputs.FIRST, made_up_outputs.SECOND):
        yield from [Text(f"$ {command}\n{text}", list(secrets), []) for _, command, text, secrets in outputs]
    for command, text in (*made_up_outputs.ORDINARY, *ordinary_outputs.ORDINARY):
        yield Text(f"$ {command}\n{text}", [], [])


def _files(folders: list[str]) -> Iterator[tuple[str, Path]]:
    for folder in folders:
        for path in Path(folder).rglob("*"):
            if path.suffix in ENDINGS and path.is_file():
                yield hashlib.sha256(path.name.encode()).hexdigest(), path


def _drawn(path: Path) -> list[Word]:
    try:
        text = path.read_text(encoding="utf-8")[:MOST_CHARACTERS]
    except ValueError:
        return []
    places = list(word_signs.candidates(text))
    random.Random(path.name).shuffle(places)
    return [Word(word_signs.of(text, start, end), False) for start, end in places[:DRAWN]]


def _words(given: Text) -> list[Word]:
    places = word_signs.candidates(given.text)
    return [Word(word_signs.of(given.text, start, end), _is_of(given.text[start:end], given.secrets)) for start, end in places]


def _is_of(word: str, secrets: list[str]) -> bool:
    return any((word in each and 2 * len(word) >= len(each)) or (each in word and len(each) >= 0.7 * len(word)) for each in secrets)


def _fitted(texts: list[list[Word]]) -> dict[str, float]:
    """Return the weight of each sign, by a logistic regression over the words of texts."""
    often = Counter(sign for text in texts for sign in {sign for word in text for sign in word.signs})
    counted = CountVectorizer(
        analyzer=list, vocabulary=sorted(sign for sign, number in often.items() if number >= FEWEST), binary=True
    )
    words = [word for text in texts for word in text]
    values = counted.transform([word.signs for word in words])
    model = LogisticRegression(C=PENALTY, max_iter=300, solver="liblinear", random_state=1).fit(
        values, [word.is_secret for word in words]
    )
    return {likely.BIAS: float(model.intercept_[0])} | dict(
        zip(counted.get_feature_names_out(), map(float, model.coef_[0]), strict=True)
    )


def _said(texts: list[Text], weights: dict[str, float], least: float) -> str:
    """Say of how many texts a secret is left, by the rules alone and with these weights, and how many lose what is needed."""
    likely.table, likely.LEAST = lambda: weights, least  # type: ignore[assignment]
    likely._of_word.cache_clear()
    ruled = [(each, context.redact_whole(privacy.protect([each.text], leaking.SHOP, leaking.DEFAULTS)[0][0])[0]) for each in texts]
    safe = [(each, before, likely.redact(before)[0]) for each, before in ruled]
    count = sum(bool(each.secrets) for each in texts)
    left = [sum(any(secret_corpus.survives(one, pair[which]) for one in pair[0].secrets) for pair in safe) for which in (1, 2)]
    lost = sum(any(one in before and one not in after for one in each.needed) for each, before, after in safe)
    return f"from {least}: of {count} left {left[0]} and {left[1]}, {lost} of {len(texts)} lose"


if __name__ == "__main__":
    main()
