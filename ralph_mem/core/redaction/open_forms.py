"""Recognise values that say themselves what they are, and are no secret."""

from ralph_mem.core.redaction.values import SYMBOLS, looks_random


def is_time_or_type(value: str) -> bool:
    """Say whether a value says when something was done, or is a type in a module: `20261103T081530Z`, `x509.SigningRequest`."""
    last = value.rpartition(".")[2]
    if "." in value and last.replace("_", "a").isalpha() and last[0].isupper() and value.replace(".", "a").isidentifier():
        return not looks_random(last)
    date, _, time = value.partition("T")
    return date[:2] == "20" and len(time) > 5 and (date.replace("-", "") + time[:2]).isdigit()


def is_dated(name: str) -> bool:
    """Say whether a name of several words ends with a month or a day, as an index of a log does: `token-audit-2026.11`."""
    words, _, date = name.rpartition("-")
    return "-" in words and "." in date and date.replace(".", "").isdigit() and len(date.partition(".")[0]) == len("2026")


def is_list(value: str) -> bool:
    """Say whether commas part a value into a few words, as labels in a column: `ldap,v1.4.2,eu-west`."""
    return value.count(",") > 1 and not any([sign in value for sign in SYMBOLS]) and "" not in value.split(",")
