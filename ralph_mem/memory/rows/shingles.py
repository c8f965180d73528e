"""Hash short runs of what came in from outside a session, to know an answer that repeats it.

Any later turn may quote a page, of which a row keeps only the ends. The hashes lie in a file for each session beside the database:
every event would pay for one more table, and most of what only looks leaves nothing else.
"""

import posix
import zlib

from ralph_mem.core import pastes, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from ralph_mem.memory.store.connection import Store

# In bytes of text without its punctuation, so that Chinese is treated as English is. Two windows that follow each other are a
# repetition: a run of WINDOW + 2 * STEP - 1 bytes, some six words, holds two wherever it begins, and three words, which are often
# the same by chance, never do. One hash of 32 bits would be met by chance in every tenth long session; two in a row are not.
WINDOW, STEP = 24, 8
FEWEST_BYTES = WINDOW + STEP
# Of a text of less than this the sentences are kept as well, each whole: those of a page from so many bytes and words on, of a
# program from so many more, since they all say "Already up to date."
SHORT_BYTES = 200
LEAST_OF_PAGE, LEAST_OF_PROGRAM = (12, 3), (24, 4)
MOST_BYTES = 8_388_608  # of a session's file, some 8 MB of text; beyond it every answer of the session counts as a repetition
LAST_LINE = 4096  # bytes of the line that says so, which need not come again and again
RECENT_S = 7 * 86_400  # what came into another session so long ago may be known by its words alone
KEPT_S = 30 * 86_400  # a session that goes on after that has compacted its window often
KEPT_FILES = 40  # whatever the clock says
ALL = "*"
BLANKS = {ord(sign): " " for sign in "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u3001\u3002"}
# What cannot be seen, and parts words: soft hyphens, joiners, marks of direction.
HIDDEN = dict.fromkeys([0xAD, 0x34F, 0x61C, 0x180E, *range(0x200B, 0x2010), *range(0x202A, 0x202F), *range(0x2060, 0x2070), 0xFEFF])
WRITTEN = {"&nbsp;": " ", "&#39;": "'", "&quot;": '"', "&lt;": "<", "&gt;": ">", "&amp;": "&", "\\n": " ", "\\t": " "}
IN_A_LINE = "\u3002\uff01\uff1f"  # ends of a sentence without a blank behind them
LONGEST_TAG = 300
# What the programs of packages print of any; it is in no sense anybody's words.
STOCK = (
    "successfully installed ", "successfully built ", "requirement already satisfied", "installing collected packages",
    "up to date, audited ", "added ", "removed ", "changed ", "found 0 vulnerabilities", "already up to date", "fast-forward",
    "your branch is ", "switched to ", "head is now at ", "everything up-to-date",
)  # fmt: skip
LONGEST_STOCK = 100

# Of a session by the client's id: how it began and when; what was said in its memory before a time, by no stranger.
BEGAN = "SELECT source, started_at FROM sessions WHERE client_session = ?"
ANEW = ("startup", "clear")  # every other one may have the window of one before
SAID_BEFORE = """
SELECT prompt, CASE WHEN tainted THEN '' ELSE response END FROM turns WHERE created_at < ? ORDER BY id DESC LIMIT 300"""
COMMITTED_BEFORE = """
SELECT title, '' FROM observations WHERE created_at < ? AND NOT tainted AND title LIKE '%git commit%' ORDER BY id DESC LIMIT 100"""
CHANGED = "SELECT files FROM turns WHERE files <> '' ORDER BY id DESC LIMIT 2000"
MADE = """
SELECT o.title, coalesce(o.metadata, '') FROM observations AS o JOIN sessions AS s ON s.id = o.session_id
WHERE s.client_session = ? AND NOT o.tainted AND (o.title LIKE '%>%' OR o.title LIKE '% -o%' OR o.metadata LIKE '%"task"%')"""


def of(text: str, is_page: bool = True) -> "tuple[str, str]":
    """Return the hashes of a text that came from outside, and those of its sentences where it is short, in hexadecimal."""
    text = _untagged(text)
    data = _plain(text)
    starts = range(0, len(data) - WINDOW + 1, STEP) if len(data) >= FEWEST_BYTES else ()
    runs = b"".join([zlib.crc32(data[at : at + WINDOW]).to_bytes(4, "little") for at in starts])
    return runs.hex(), _sentences(text, LEAST_OF_PAGE if is_page else LEAST_OF_PROGRAM) if len(data) < SHORT_BYTES else ""


def _sentences(text: str, least: "tuple[int, int]") -> str:
    """Return the length and the hash of each sentence that is long enough, where two runs would be longer than it."""
    for sign in IN_A_LINE:
        text = text.replace(sign, sign + "\n")
    for sign in ".!?:;":
        text = text.replace(sign + " ", "\n")
    found = []
    for line in text.splitlines():
        data = _plain(line)
        words = len(data.split()) if data.isascii() else least[1]  # those of Chinese are not parted
        if least[0] <= len(data) < WINDOW + 2 * STEP and words >= least[1]:
            found.append(f"{len(data):02x}{zlib.crc32(data):08x}")
    return "".join(found)


def parts(text: str, most: int) -> "list[str]":
    """Cut a long text into parts of at most so many characters, between words where it has any."""
    found, at = [], 0
    while at < len(text):
        end = text.rfind(" ", at + most // 2, at + most) if len(text) > at + most else len(text)
        end = end if end > at else at + most
        found.append(text[at:end])
        at = end
    return found


def without_stock(text: str) -> str:
    """Return what a program printed without what it prints of any package."""
    lines = [line for line in text.splitlines() if not (len(line) < LONGEST_STOCK and line.strip().lower().startswith(STOCK))]
    return "\n".join(lines)


def mark(name: str) -> str:
    """Return what stands for a name, such as that of an event or a path, of which no word is to be kept."""
    return f"{zlib.crc32(name.encode('utf-8', 'replace')):08x}"


def keep(store: "Store", record: "dict[str, Any]") -> None:
    """Keep the hashes of an event in the file of its session; what cannot be written is no reason to lose an event."""
    folder = f"{store.folder}/{paths.HEARD}"
    try:
        if not paths.is_folder(folder):  # a clone may bring a link along
            paths.remove(folder)
            paths.make_folder(folder)
        if not _append(folder, record):
            _let_go(folder, record["at"] // 1000)
    except OSError:
        pass


def _append(folder: str, record: "dict[str, Any]") -> int:
    """Write a line behind those of a session; returns how many bytes these have."""
    flags = posix.O_WRONLY | posix.O_CREAT | posix.O_APPEND | posix.O_NOFOLLOW | posix.O_CLOEXEC
    file = posix.open(f"{folder}/{paths.key_of(record['session'])}", flags, 0o600)
    try:
        size = posix.fstat(file).st_size
        told = [record["hashes"] or "-", record["short"] or "-"] if size < MOST_BYTES else [ALL, "-"]
        if size < MOST_BYTES + LAST_LINE:
            posix.write(file, " ".join([str(record["at"]), record["event"], record["place"] or "-", *told, "\n"]).encode())
    finally:
        posix.close(file)
    return size


def _let_go(folder: str, now: int) -> None:
    """Remove the files of sessions to which nothing came for long; the newest stay."""
    aged = sorted([(posix.stat(f"{folder}/{name}").st_mtime, name) for name in paths.names(folder)])
    for at, name in aged[:-KEPT_FILES]:
        if at < now - KEPT_S:
            paths.remove(f"{folder}/{name}")


def forget(store: "Store", session: str, events: "list[tuple[str, int, int]]") -> None:
    """Drop the hashes of events of a session, each with the time in ms since which and until which all go; without any all go."""
    path = f"{store.folder}/{paths.HEARD}/{paths.key_of(session)}"
    lines = paths.read(path, 2 * MOST_BYTES).splitlines(keepends=True)
    names = {mark(name) for name, _, _ in events}
    spans = [(since, until) for _, since, until in events if since]
    kept = [line for line in lines if events and not _goes(line, names, spans)]
    if kept and kept != lines:
        paths.write(path, "".join(kept))
    elif not kept:
        paths.remove(path)


def _goes(line: str, names: "set[str]", spans: "list[tuple[int, int]]") -> bool:
    at, _, rest = line.partition(" ")
    is_within = at.isdigit() and any([since <= int(at) <= until for since, until in spans])
    return is_within or rest.partition(" ")[0] in names


def repeats(store: "Store", session: str, text: str, before: int = 0) -> bool:
    """Say whether a text repeats what came from outside in a session, or before it where it may have another one's window.

    With a time in ms all sessions count in which something came in the week before it: nobody may have typed the text. What was
    said here before that came in, and files that the session made, are not from outside.
    """
    entries = list(_entries(store, session, before))
    if not entries or not text:
        return False
    answer = _Answer(text)
    found = [entry for entry in entries if answer.has(entry)]
    if not found:
        return False
    own = _made(store, session)
    return any([entry.place not in own and not answer.was_said(store, entry) for entry in found])


def came_in(store: "Store", session: str, since: int, until: int, own: str = "") -> bool:
    """Say whether anything came in from outside in a session between two times in ms, besides with the event of a name."""
    file = f"{store.folder}/{paths.HEARD}/{paths.key_of(session)}"
    return any([since <= entry.at <= until and entry.event != mark(own) for entry in _of_file(file)])


def is_part(store: "Store", text: str) -> bool:
    """Say whether a short text such as a command stands in what came in from outside in any session; one window is enough.

    Of a text of less than WINDOW + STEP bytes not every place is known.
    """
    folder, part = f"{store.folder}/{paths.HEARD}", _Answer(text)
    names = paths.names(folder) if part.runs else []
    return any([not part.runs.isdisjoint(entry.runs) for name in names for entry in _of_file(f"{folder}/{name}")])


class _Entry:
    """What came in with an event: when, where it stood, and its hashes."""

    __slots__ = ("at", "event", "is_all", "place", "runs", "short")

    def __init__(self, line: str) -> None:
        at, self.event, self.place, runs, short, *_ = line.split(" ")
        self.at, self.is_all = int(at), runs == ALL
        self.runs = memoryview(bytes.fromhex(runs.strip(ALL + "-"))).cast("I")
        self.short = [(int(short[at : at + 2], 16), int(short[at + 2 : at + 10], 16)) for at in range(0, len(short) - 9, 10)]


class _Answer:
    """A text that may repeat something, with the hash of every run in it."""

    __slots__ = ("data", "runs")

    def __init__(self, text: str) -> None:
        self.data = _plain(text)
        self.runs = {zlib.crc32(self.data[at : at + WINDOW]) for at in range(len(self.data) - WINDOW + 1)}

    def has(self, entry: _Entry) -> bool:
        """Say whether it repeats something of what came in."""
        if entry.is_all:
            return True
        held = [number in self.runs for number in entry.runs]
        return any([one and next_one for one, next_one in zip(held, held[1:])]) or bool(self._short(entry))

    def _short(self, entry: _Entry) -> "list[bytes]":
        starts = [0, *[at + 1 for at, sign in enumerate(self.data) if sign == 32 or sign > 127]] if entry.short else []
        pieces = [(self.data[at : at + length], number) for length, number in entry.short for at in starts]
        return [piece for piece, number in pieces if zlib.crc32(piece) == number]

    def was_said(self, store: "Store", entry: _Entry) -> bool:
        """Say whether all that it repeats of an entry had been said here before, so that it is no stranger's."""
        if entry.is_all:
            return False
        rows = [*store.execute(SAID_BEFORE, (entry.at,)), *store.execute(COMMITTED_BEFORE, (entry.at,))]
        said = b"\n".join([_plain(pastes.typed(prompt) + "\n" + response) for prompt, response in rows])
        return all([_is_covered(run, said) for run in [*self._repeated(set(entry.runs)), *self._short(entry)]])

    def _repeated(self, numbers: "set[int]") -> "list[bytes]":
        """Return the runs of which every window is among some hashes."""
        spans: list[list[int]] = []
        for at in range(len(self.data) - WINDOW + 1):
            if zlib.crc32(self.data[at : at + WINDOW]) in numbers:
                if spans and at <= spans[-1][1]:
                    spans[-1][1] = at + WINDOW
                else:
                    spans.append([at, at + WINDOW])
        return [self.data[start:end] for start, end in spans if end - start >= FEWEST_BYTES]


def _is_covered(run: bytes, said: bytes) -> bool:
    """Say whether every byte of a run, but a few, lies in a piece of it that was said, and that is long enough to tell."""
    size, reached, missing = min(len(run), WINDOW), 0, 0
    for at in range(len(run) - size + 1):
        if run[at : at + size] in said:
            missing += max(0, at - reached)
            reached = at + size
    return missing + len(run) - reached < STEP


def _entries(store: "Store", session: str, before: int) -> "Iterator[_Entry]":
    """Yield what came in from outside that a session's window may hold, or that came into any lately."""
    folder = f"{store.folder}/{paths.HEARD}"
    own = paths.key_of(session)
    files, until = [own] if paths.exists(f"{folder}/{own}") else [], 0
    if paths.exists(folder):
        source, started = store.one(BEGAN, (session,)) or ("unknown", 0)
        if source not in ANEW:
            files, until = paths.names(folder), started
        if before:
            files, until = _recent(folder, before // 1000 - RECENT_S), before
    for name in files:
        for entry in _of_file(f"{folder}/{name}"):
            if name == own or entry.at <= until:
                yield entry


def _recent(folder: str, since: int) -> "list[str]":
    found = []
    for name in paths.names(folder):
        try:
            found += [name] if posix.stat(f"{folder}/{name}").st_mtime >= since else []
        except OSError:  # let go meanwhile
            continue
    return found


def _of_file(path: str) -> "Iterator[_Entry]":
    for line in paths.read(path, 2 * MOST_BYTES).splitlines():
        try:
            yield _Entry(line)
        except ValueError:  # torn by a kill
            continue


def _made(store: "Store", session: str) -> "set[str]":
    """Return the marks of the files that this memory's agents have written, and that commands of a session have."""
    names = [name for (files,) in store.execute(CHANGED) for name in files.splitlines()]
    for title, facts in store.execute(MADE, (session,)):
        if '"by"' in facts:  # a program that is not known to be the project's own
            continue
        words = title.replace(">", " > ").split()
        names += [word.strip("\"'") for before, word in zip(words, words[1:]) if before in (">", "-o", "--output")]
        names += ["task:" + facts.partition('"task": "')[2].partition('"')[0]] if '"task"' in facts else []
    return {mark(name) for name in names}


def _plain(text: str) -> bytes:
    """Return a text in small letters, its words with one blank between them, without names, places and paths."""
    if not text.isascii():
        from unicodedata import normalize  # lazy: only for a text with letters that can be written in two ways

        text = normalize("NFKC", text.translate(HIDDEN))
    words = [word for word in text.casefold().split() if not (word.isascii() and _is_name(word))]
    return " ".join(" ".join(words).translate(BLANKS).split()).encode("utf-8", "replace")


def _is_name(word: str) -> bool:
    """Say whether a word is a path, a place in the net, a version or a name in code: these are the same by no chance."""
    inner = word.strip(".,:;!?\"'()[]{}<>*`")
    return "/" in inner or "_" in inner or "." in inner or "\\" in inner or "::" in inner


def _untagged(text: str) -> str:
    """Return a text without the marks of HTML and of JSON."""
    if "&" in text or "\\" in text:
        for written, sign in WRITTEN.items():
            text = text.replace(written, sign)
    if "<" not in text:
        return text
    first, *rest = text.split("<")
    kept = [first]
    for piece in rest:
        tag, end, after = piece.partition(">")
        is_tag = end and len(tag) < LONGEST_TAG and (tag[:1].isalpha() or tag[:1] in "/!")
        kept.append(" " + after if is_tag else "<" + piece)
    return "".join(kept)
