"""Tell whether a program fetches from another machine, by every place on its line, with a scheme or without."""

from ralph_mem.core.command_lines import parts
from ralph_mem.core.command_lines.commands import FETCHING, INSTALLING, LOOKING, NAMING

LOCAL = ("localhost", "127.0.0.1", "[::1]", "0.0.0.0")  # noqa: S104 - read from, not bound to
# Short options, of curl and of wget, and long ones whose next word is no place; and those that bring one in otherwise.
VALUED = {"curl": "AbcCdDeEFHmoPQrtTuUwXyYz", "wget": "OoPtTUeaQwDARl"}
VALUED_LONG = frozenset(
    "--output --header --request --data --data-raw --data-binary --data-urlencode --form --json --user --user-agent --cookie"
    " --cookie-jar --max-time --connect-timeout --retry --retry-delay --retry-max-time --write-out --referer --cacert --cert --key"
    " --upload-file --unix-socket --limit-rate --range --dump-header --interface --max-redirs --output-dir --output-document"
    " --post-data --body-data --method --password --directory-prefix --timeout --tries --wait".split()
)
ELSEWHERE = ("--resolve", "--connect-to", "--proxy", "--socks", "--config", "--input-file", "-K", "-x")
# To these the name of such a program is a word like any other.
NAMING_IT = LOOKING | NAMING | frozenset("git awk sed apt apt-get brew dnf pacman apk".split())
# What these say of what they did is a status: of the verb behind a thing such as `pr`, and of a word that stands for itself.
SERVICES = frozenset("gh glab".split())
ACTING = frozenset(
    "create merge close reopen ready edit review comment note lock unlock delete watch run rerun retry cancel trigger checks"
    " enable disable upload download set add remove sync fork clone rename archive approve rebase update update-branch".split()
)
ACCOUNT = frozenset("auth config secret variable ssh-key gpg-key browse".split())
PUT = {"curl": "oO", "wget": "O"}  # options that put what is fetched into a file, as wget does without any
# Files that nobody reads by themselves.
UNREAD = (
    *("/dev/null", ".tgz", ".gz", ".xz", ".bz2", ".zst", ".tar", ".zip", ".7z", ".whl", ".deb", ".rpm", ".jar", ".dmg", ".pkg"),
    *(".msi", ".exe", ".iso", ".bin", ".wasm", ".so", ".onnx", ".woff2"),
)
NAMED = (".com", ".org", ".net", ".edu", ".gov")  # ends of a host that is told inside of a path


def is_in(command: str) -> bool:
    """Say whether any command of a line fetches something from another machine than this one."""
    return any([name in command for name in FETCHING]) and any(
        [bool(words) and _fetches(words) for words, _ in parts.of(command.replace("\\\n", " "))]
    )


def _fetches(words: "list[str]") -> bool:
    """Say of the words of one command whether it names such a program, and any place on it is not on this machine."""
    names = [word.rpartition("/")[2] for word in words]
    if FETCHING.isdisjoint(names) or (names[0] in NAMING_IT and "-exec" not in names) or not INSTALLING.isdisjoint(names[1:2]):
        return False
    at = next(at for at, name in enumerate(names) if name in FETCHING)
    places = [place for word in words[:at] for place in _places(word, "", "")]
    before = program = names[at]
    for word in words[at + 1 :]:
        places += _places(word, before, program)
        before = word
    if places and all([_is_local(place) for place in places]):
        return False
    return not (_only_acts(words[at + 1 :]) if program in SERVICES else _is_put_away(program, words[at + 1 :], places))


def _only_acts(words: "list[str]") -> bool:
    """Say of what stands behind a program of a service whether it only does something, and shows nothing that is written there."""
    plain = [word for before, word in zip(["", *words], words) if word[:1] != "-" and before not in ("-R", "--repo")]
    return not ACCOUNT.isdisjoint(plain[:1]) or not ACTING.isdisjoint(plain[1:2])


def _is_put_away(program: str, words: "list[str]", places: "list[str]") -> bool:
    """Say whether the one thing that is fetched goes into a file that nobody reads by itself, such as an archive."""
    if len(places) != 1 or program not in PUT:
        return False
    named, letters = places[0].partition("?")[0], VALUED[program] + PUT[program]
    target = named if program == "wget" else ""
    for word, following in zip(words, [*words[1:], ""]):
        is_bundle = word[:1] == "-" and word[1:2] != "-"
        at = next((at for at, letter in enumerate(word) if at and letter in letters), 0) if is_bundle else 0
        if word in ("--output", "--output-document") or (at and word[at] == PUT[program][0]):
            target = word[at + 1 :] if is_bundle and word[at + 1 :] else following
        elif word == "--remote-name" or (at and word[at] in PUT[program]):
            target = named
    return target.endswith(UNREAD)


def _places(word: str, before: str, program: str) -> "list[str]":
    """Return every place that a word names, with a scheme or without, one inside of a path, too. `before` is the word before."""
    if word.startswith(ELSEWHERE):
        return [word]
    word = word.removeprefix("--url=")
    parts = word.split("://")
    pieces = [each for part in parts for each in part.replace("?", "/").replace("=", "/").replace("&", "/").split("/")[1:]]
    found = parts[1:] + [each for each in pieces if each.partition(":")[0].endswith(NAMED)]
    if len(parts) == 1 and (word.startswith(LOCAL) or _is_operand(word, before, program)):
        found.append(word)
    return found


def _is_operand(word: str, before: str, program: str) -> bool:
    """Say whether a word without a scheme is a place to fetch from: neither an option, nor the value of one, nor a file."""
    if not program or not word or word[0] in "-<\\" or ">" in word or before[-1:] in "<>" or before in VALUED_LONG:
        return False
    if program not in VALUED:
        return "." in word.partition("/")[0] and "=" not in word
    short = before[:1] == "-" and before[1:2] != "-" and before[1:].isalpha()
    return not (short and before[-1] in VALUED[program])


def is_local(url: str) -> bool:
    """Say whether an address with a scheme is one of this machine."""
    return _is_local(url.partition("://")[2])


def _is_local(place: str) -> bool:
    host = place.partition("/")[0].partition("?")[0].rpartition("@")[2]
    return (host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]) in LOCAL
