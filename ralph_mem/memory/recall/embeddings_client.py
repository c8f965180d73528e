"""Ask the worker and the token table which memories mean what a query means.

No model runs here.

The worker, if it answers in time, knows the nearest memories of all. A small table of tokens, distilled from the same
model, says of some memories how alike they are. Whatever is missing, damaged or late brings nothing, and raises nothing.
"""

import posix
import time
from _operator import mul

from ralph_mem.core import fast, paths
from ralph_mem.memory.rows import index_text
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ralph_mem.memory.store.connection import Store

sqlite = connection.sqlite

# A prompt waits this long for the worker, which needs about ten for a short text on an idle machine.
FILES = ("model.onnx", "tokenizer.json", "static.db")  # what setup makes, in the folder of the model
DEADLINE_S = 0.025
# A search that somebody typed has the worker started, and waits until it has loaded the model: 2 to 4 seconds on an idle machine.
# Then it embeds what is new, some hundred memories in two seconds.
SEARCH_S, EMBEDDING_S, PAUSE_S = 8.0, 2.0, 0.05
# A query beyond this is a pasted file: what is asked stands at its beginning or its end.
QUERY_CHARACTERS = 2000
MOST_WORDS = 64
# What no word of a language reaches; a hash or a line of base64 says nothing and costs a look-up for each of its letters.
LONGEST_WORD = 40
LONGEST_ANSWER = 65_536
# A component of a vector of length one is kept as a signed byte of this many parts, cut off at a half: with 128 dimensions
# it is 0.09 on average, and 0.4 at most in 2,760 chat turns.
PARTS = 254
INNER = "##"  # begins a token that stands inside a word
# A path of a socket has 104 bytes on the system that allows the fewest.
LONGEST_ADDRESS = 100
CLOSED = "it cannot write in"  # before the folder or file that keeps a worker from its work
DAMAGED = (sqlite.Error, OSError, ValueError, TypeError, LookupError, AttributeError, OverflowError)


def open_sense(patience: float = DEADLINE_S) -> "Sense | None":
    """Return what tells meaning, or None where no embeddings are set up: one look at a file that is not there.

    It waits so many seconds for the worker, and where that is long enough it has one started.
    """
    model = described()
    return Sense(model, patience) if model else None


def home() -> str:
    """Return the folder of the models, there or not. Without a home it is one that nobody has."""
    return paths.data_home() + paths.MODEL.rpartition("/")[0]


def described() -> "dict[str, Any]":
    """Return what setup wrote down of the model in use, or nothing where none is set up."""
    text = paths.read(paths.data_home() + paths.MODEL)
    if not text:
        return {}
    try:
        found = fast.loads(text)
        whole = found["dims"] > 0 and found["static_dims"] > 0 and "/" not in found["folder"] + found["model"]
    except DAMAGED:
        return {}
    return {**found, "folder": home() + "/" + found["folder"]} if whole else {}


class Sense:
    """What is set up for embeddings; `model` is as `described` returns it."""

    __slots__ = ("model", "patience", "silent", "table")

    def __init__(self, model: "dict[str, Any]", patience: float = DEADLINE_S) -> None:
        self.model = model
        self.patience = patience
        self.table: Table | None = None
        self.silent = False  # the worker has not answered: a second memory does not wait for it again

    def near(self, store: "Store", query: str) -> "dict[int, float]":
        """Return the nearest memories by their numbers with their cosines; nothing unless the worker answers in time."""
        end = time.monotonic() + self.patience
        if self.silent:
            return {}
        try:
            answer = self._answer({"folder": store.folder, "query": shortened(query)}, end)
            if answer["model"] != self.model["model"]:
                return {}
            return {int(number): float(cosine) for number, cosine in answer["near"].items() if -1.01 <= cosine <= 1.01}
        except DAMAGED:
            self.silent = True
            return {}

    def wake(self, folder: str) -> None:
        """Have a worker started for the memory in a `.ralph-mem`, if none is there."""
        wake(folder)

    def _answer(self, question: "dict[str, str]", end: float) -> "dict[str, Any]":
        """Ask the worker, and if there is time have one started and ask until it knows something. May raise any of `DAMAGED`."""
        try:
            return ask(question, end)
        except DAMAGED:
            worker = _start(self.model, question["folder"]) if self.patience > DEADLINE_S else 0
            if not worker:
                raise
        from ralph_mem.core import background  # lazy: only where a worker is missing

        embedded = end
        while True:
            time.sleep(PAUSE_S)
            try:
                answer = ask(question, end)
                if answer["near"] or time.monotonic() > embedded:
                    return answer
                embedded = min(embedded, time.monotonic() + EMBEDDING_S)
            except DAMAGED:
                if time.monotonic() + PAUSE_S > end or background.has_failed(worker):
                    raise

    def alike(self, store: "Store", query: str, numbers: "list[int]") -> "dict[int, float]":
        """Return the cosines of those memories among `numbers` that this model's table has seen; nothing for an empty query."""
        try:
            self.table = self.table or Table(self.model)
            wanted = self.table.sum_of(query_words(query))
            length = sum(map(mul, wanted, wanted)) ** 0.5 * PARTS
            rows = _static_vectors(store, self.model["model"], numbers) if length else []
            size = len(wanted)
            return {number: sum(map(mul, wanted, _signed(blob))) / length for number, blob in rows if len(blob) == size}
        except DAMAGED:
            return {}


def _static_vectors(store: "Store", model: str, numbers: "list[int]") -> "list[tuple[int, bytes]]":
    listed = ",".join([str(int(number)) for number in numbers])
    sql = f"SELECT memory_id, static FROM vectors WHERE memory_id IN ({listed}) AND model = ? AND static IS NOT NULL"
    rows: list[tuple[int, bytes]] = store.execute(sql, (model,)).fetchall()
    return rows


def _signed(blob: bytes) -> "memoryview":
    return memoryview(blob).cast("b")


def shortened(query: str) -> str:
    """Return a query without what was redacted in it, of a long one the beginning and the end."""
    query = index_text.without_marks(query) if index_text.REDACTED in query else query
    return query if len(query) <= QUERY_CHARACTERS else f"{query[: QUERY_CHARACTERS // 2]} {query[-QUERY_CHARACTERS // 2 :]}"


def words_of(text: str) -> "list[str]":
    """Return the words of a text in order, each as often as it stands there, and camelCase names as the words they consist of."""
    words = "".join([char if char.isalnum() else " " for char in text]).split()
    if all([word.islower() or word[1:].islower() or word.isupper() for word in words]):
        return words
    return " ".join([word if len(word) > LONGEST_WORD else _apart(word) for word in words]).split()


def _apart(name: str) -> str:
    return "".join([f" {char}" if char.isupper() and before.islower() else char for before, char in zip(" " + name, name)])


def query_words(query: str) -> "list[str]":
    """Return the words of a query that are looked up in the table, of a long one the first and the last."""
    words = words_of(shortened(query))
    return words if len(words) <= MOST_WORDS else words[: MOST_WORDS // 2] + words[-MOST_WORDS // 2 :]


# The table of tokens


class Table:
    """The tokens of a model with what each means alone, weighted by how rare it is: a file that setup wrote.

    Whatever it does may raise any of `DAMAGED`.
    """

    __slots__ = ("db", "dims", "known", "model")

    def __init__(self, model: "dict[str, Any]") -> None:
        address = connection.address_of(model["folder"] + "/static.db", "mode=ro&immutable=1")
        self.db = sqlite.connect(address, uri=True, check_same_thread=False)
        self.dims = model["static_dims"]
        self.model = model
        self.known: dict[str, list[bytes]] = {}

    def sum_of(self, words: "list[str]") -> "list[int]":
        """Return the sum of what words mean, in no particular unit; zeros where the table knows none of them."""
        words = self._as_in_the_vocabulary(words)
        self._look_up([word for word in dict.fromkeys(words) if word not in self.known])
        views = [_signed(blob) for word in words for blob in self.known[word]]
        return [sum(column) for column in zip(*views)] if views else [0] * self.dims

    def _as_in_the_vocabulary(self, words: "list[str]") -> "list[str]":
        if self.model.get("lower"):
            words = [word.lower() for word in words]
        if self.model.get("strip") and not "".join(words).isascii():
            words = [_without_accents(word) for word in words]
        return words

    def _look_up(self, words: "list[str]") -> None:
        found: dict[str, bytes] = dict(self._vectors(words))
        for word in words:
            self.known[word] = [found[word]] if word in found else list(self._parts(word))

    def _vectors(self, tokens: "list[str]") -> "list[tuple[str, bytes]]":
        sql = f"SELECT token, vector FROM tokens WHERE token IN ({','.join('?' * len(tokens))})"
        return [row for row in self.db.execute(sql, tokens) if len(row[1]) == self.dims]

    def _parts(self, word: str) -> "Iterable[bytes]":
        """Return the longest token at the beginning of a word, the longest of what is left, and so on."""
        at, size = 0, len(word) if len(word) <= LONGEST_WORD else 0
        while at < size:
            tokens = [INNER + word[at:end] for end in range(at + 1, size + 1)] + [
                word[:end] for end in range(1, size + 1) if not at
            ]
            # where a word begins, a token for beginnings comes before an equally long one for the inside
            best = max(self._vectors(tokens), key=lambda row: (_letters(row[0]), row[0][:2] != INNER), default=None)
            if best:
                yield best[1]
            at += _letters(best[0]) if best else 1


def _letters(token: str) -> int:
    return len(token) - (2 if token[:2] == INNER else 0)


def _without_accents(word: str) -> str:
    from unicodedata import category, normalize  # lazy: only for letters beyond ASCII

    return "".join([char for char in normalize("NFD", word) if category(char) != "Mn"])


# The line to the worker


def ask(question: "dict[str, str]", end: float) -> "dict[str, Any]":
    """Send the worker one question and return its answer; `end` is on the monotonic clock. May raise any of `DAMAGED`."""
    place = home() + "/worker"
    posix.stat(place + "/socket")  # mostly nobody listens, and that is known before the module is loaded
    from _socket import AF_UNIX, SOCK_STREAM, socket  # lazy: only where a worker listens

    line = socket(AF_UNIX, SOCK_STREAM)
    try:
        line.settimeout(_left(end))
        with_address(place, line.connect)
        line.sendall(fast.dumps(question).encode() + b"\n")
        answer = fast.loads(_received(line, end).decode())
    finally:
        line.close()
    if not isinstance(answer, dict):
        raise ValueError("not an answer")  # noqa: TRY004 - one of many shapes that rubbish has
    return answer


def _received(line: "Any", end: float) -> bytes:
    data = b""
    while not data.endswith(b"\n"):
        line.settimeout(_left(end))
        more = line.recv(LONGEST_ANSWER)
        data += more
        if not more or len(data) > LONGEST_ANSWER:
            raise ValueError("half an answer, or one without an end")
    return data


def _left(end: float) -> float:
    left = end - time.monotonic()
    if left <= 0:
        raise OSError("too late")
    return left


def with_address(place: str, act: "Any") -> None:
    """Call `act`, which connects or binds, with the address of the socket in a folder, however long its path is."""
    path = place + "/socket"
    if len(path.encode("utf-8", "surrogateescape")) <= LONGEST_ADDRESS:
        act(path)
        return
    folder = posix.open(place, posix.O_RDONLY | posix.O_DIRECTORY | posix.O_CLOEXEC)
    try:
        act(f"/proc/self/fd/{folder}/socket")
    finally:
        posix.close(folder)


def trouble() -> str:
    """Say why no worker can do its work: what the last one met, or what is closed to it; nothing while one runs, or may come."""
    found = paths.read(f"{home()}/{paths.TROUBLE}", 1024) or _closed()
    if found:
        try:
            ask({}, time.monotonic() + DEADLINE_S)
        except DAMAGED:
            return found
    return ""


def _closed() -> str:
    python, place = str(described().get("python")), home() + "/worker"
    if "\0" in python or not posix.access(python, posix.X_OK):
        return f"its Python is gone: {python!a}"
    needed = [place if paths.exists(place) else home(), f"{place}/{paths.LOCK}"]
    return next((f"{CLOSED} {each}" for each in needed if paths.exists(each) and not posix.access(each, posix.W_OK)), "")


def wake(folder: str) -> None:
    """Have the memory in a `.ralph-mem` embedded soon. Returns at once, and raises nothing."""
    model = described()
    if not model:
        return
    try:
        ask({"folder": folder}, time.monotonic() + DEADLINE_S)
    except DAMAGED:  # nobody is there, or busy beginning: a second one would notice that and leave
        _start(model, folder)


def _start(model: "dict[str, Any]", folder: str) -> int:
    """Start a worker; returns its process, 0 where that could not be done."""
    from ralph_mem.core import background  # lazy: only where a worker is missing

    try:
        return background.spawn([model.get("python") or "", "-I", "-m", "ralph_mem.interfaces.worker", folder])
    except (OSError, ValueError, TypeError):  # the interpreter is gone: the doctor tells
        return 0
