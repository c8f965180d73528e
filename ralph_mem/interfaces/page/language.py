"""Say the page's own words in the language of the browser; what is remembered stays as it is."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent / "locales"
ENGLISH, LANGUAGES = "en", ("en", "de", "es", "fr", "it")

Translate = Callable[[str], str]


def of(accepted: str) -> str:
    """Return the language that a browser's `Accept-Language` wants most of those that there are; English for none."""
    wanted = []
    for at, part in enumerate(accepted[:400].split(",")):
        name, _, quality = part.strip().lower().partition(";q=")
        wanted.append((-_number(quality), at, name.partition("-")[0]))
    return next((name for _, _, name in sorted(wanted) if name in LANGUAGES), ENGLISH)


def _number(quality: str) -> float:
    try:
        return float(quality or 1)
    except ValueError:
        return 0.0


def words(language: str) -> Translate:
    """Return what says an English text in a language; a text that it does not know stays English."""
    known = texts(language)
    return lambda text: known.get(text, text)


@cache
def texts(language: str) -> dict[str, str]:
    """Return the texts of a language by the English ones."""
    found: dict[str, str] = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    return found
