"""The shapes in which tools print something: 36 of them, for a text of one line or many."""

import json
import random

from tests.core.redaction import secret_corpus


def each_line(form):
    """Make a context of what happens to every line of a text."""
    return lambda rng, text: "\n".join(form(line, number) for number, line in enumerate(text.split("\n"), 1))


def around(before, after):
    """Make a context of what stands before and after a text."""
    return lambda rng, text: before + text + after


def numbered(form):
    return each_line(lambda line, number: form.format(number) + line)


def in_json(rng, text):
    return json.dumps({"stdout": text, "stderr": "", "interrupted": False})


def in_json_twice(rng, text):
    return json.dumps({"content": json.dumps([{"type": "text", "text": text}])})


def in_json_lines(rng, text):
    return json.dumps({"lines": text.split("\n"), "total": 7}, indent=2)


def highlighted(rng, text):
    """Colour a piece of every line, as `grep --color` does: the codes stand inside a word."""
    lines = []
    for line in text.split("\n"):
        start = rng.randrange(len(line) + 1)
        end = rng.randrange(start, len(line) + 1)
        lines.append(f"{line[:start]}\x1b[01;31m\x1b[K{line[start:end]}\x1b[m\x1b[K{line[end:]}")
    return "\n".join(lines)


def overstruck(rng, text):
    """Print every character twice in one place, as a manual prints bold."""
    return "".join(f"{char}\b{char}" if char.isprintable() and char != " " else char for char in text)


def with_invisible(rng, text):
    """Put a character of no width somewhere into every fifth place."""
    return "".join(char + ("\u200b" if at % 5 == 4 and char != "\n" else "") for at, char in enumerate(text))


def deep(rng, text):
    lines = [f"tests/test_{rng.choice('abc')}.py::test_{at} PASSED [{at % 100:3d}%]" for at in range(60)]
    return "\n".join([*lines[:30], text, *lines[30:]])


def minified(rng, text):
    code = "".join(f"function {rng.choice('abc')}{at}(e,t){{return e.map(n=>n[{at}]+t)}};" for at in range(30))
    return f"{code}\n{text}\n{code}"


def repeated(rng, text):
    return f"{text}\n{text}\n"


CONTEXTS = {
    "alone": around("", ""),
    "after a command": around("$ cat file\n", "\n$ echo done\ndone\n"),
    "indented": each_line(lambda line, number: "        " + line),
    "tabbed": each_line(lambda line, number: "\t\t" + line),
    "numbered": numbered("{:6d}\t"),
    "numbered by the client": numbered("{:6d}→"),
    "added in a diff": numbered("+"),
    "removed in a diff": numbered("-"),
    "coloured, in json": lambda rng, text: in_json(rng, highlighted(rng, text)),
    "combined diff": numbered("++"),
    "json": in_json,
    "json in json": in_json_twice,
    "lines in json": in_json_lines,
    "coloured lines": each_line(lambda line, number: f"\x1b[36m{line}\x1b[0m"),
    "a coloured piece": highlighted,
    "overstruck": overstruck,
    "invisible characters": with_invisible,
    "windows line ends": lambda rng, text: text.replace("\n", "\r\n") + "\r\n",
    "behind a progress bar": around(" 10%|#    |\r 90%|#### |\r", "\r\n"),
    "found by grep": numbered("config/app.txt:{}:"),
    "blamed": numbered("a1b2c3d4 (Bob Smith 2026-01-02 10:11:12 +0100 {:3d}) "),
    "composed": each_line(lambda line, number: "web-1  | " + line),
    "container log": each_line(lambda line, number: "2026-02-03T10:11:12.123456789Z stdout F " + line),
    "application log": each_line(lambda line, number: "[2026-02-03 10:11:12,345] INFO app.core: " + line),
    "traced by the shell": numbered("++ "),
    "failed assertion": numbered("E       "),
    "quoted mail": numbered("> "),
    "commented, hash": numbered("# "),
    "commented, slashes": numbered("// "),
    "markdown": around("Here it is:\n\n```\n", "\n```\n\nThat works.\n"),
    "table": each_line(lambda line, number: f"| {number} | {line} |"),
    "box": each_line(lambda line, number: f"│ {line} │"),
    "page": around("<html><body><pre>\n", "\n</pre></body></html>"),
    "minified": minified,
    "deep in a log": deep,
    "twice": repeated,
}  # fmt: skip


def cases(seed):
    """Yield every kind once in every context, as what a tool prints of it: an assignment, a bare token, its own grammar."""
    rng = random.Random(seed)
    for kind in [*secret_corpus.ISSUED, *secret_corpus.LABELLED, *secret_corpus.WRITTEN]:
        for name, context in CONTEXTS.items():
            group, text, secret = _statement(kind, rng)
            yield secret_corpus.Case(kind, group, name, context(rng, text), secret)


def _statement(kind, rng):
    """Return the group of a kind, a text that holds a new secret of it, and the secret."""
    if kind in secret_corpus.WRITTEN:
        group, maker = secret_corpus.WRITTEN[kind]
        return (group, *maker(rng))
    # the contexts colour by themselves
    assigned = [form for name, form in secret_corpus.ASSIGNMENTS.items() if name != "ansi"]
    if kind in secret_corpus.LABELLED:
        label, maker = secret_corpus.LABELLED[kind]
        value = maker(rng)
        return "labelled", rng.choice(assigned)(label, value), value
    label, pieces, alphabet, length = secret_corpus.ISSUED[kind]
    body = secret_corpus.some(rng, alphabet, length)
    bare = [form for name, form in secret_corpus.BARE.items() if name != "ansi"]
    chosen = rng.randrange(len(assigned) + len(bare))
    token = "".join(pieces) + body
    return "prefix", assigned[chosen](label, token) if chosen < len(assigned) else bare[chosen - len(assigned)](token), body
