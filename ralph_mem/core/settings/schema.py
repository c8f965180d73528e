"""Say what each setting may hold and means, and what a wrong file leaves in force. No ordinary event loads this."""

from ralph_mem.core.errors import ConfigError
from ralph_mem.core.settings import yaml_subset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SWITCH, NUMBER, TEXTS, PATTERNS = "true or false", "a whole number", "a list of texts", "a list of regular expressions"
CHOICE = "one of some words"
LEVELS = ("off", "quiet", "normal", "eager")
APPLY = ("success", "never")
CRITERIA = ("test_pass", "build_success", "lint_clean", "type_check", "custom", "marker")
PRIVATE = ("privacy.exclude_paths", "privacy.redact_patterns")
# Words of the command line; a config file has YAML's own.
WORDS = {**dict.fromkeys(("true", "on", "yes"), True), **dict.fromkeys(("false", "off", "no"), False)}
OFF = "off"  # as a word; in a file YAML takes it for `false`
LIST_HINT = "put each item in single quotes: ['a', 'b, c']"
# Characters of a value that a message shows: it has one line, and room for the rest of it.
SHOWN = 40
# What a criterion may say where it is written as a mapping, in the config of the source design and in ours.
TYPE, COMMAND, EXPECTED = "type", "command", ("expected", "expected_exit_code", "expectedExitCode")
FIELDS = (TYPE, COMMAND, *EXPECTED)
LARGEST_EXIT_CODE = 255


class Rule:
    """What a key may hold, and a sentence on what it is for. `choices` are the only words, or items of a list, if there are any."""

    __slots__ = ("choices", "kind", "largest", "meaning", "smallest")

    def __init__(self, kind: str, meaning: str, smallest: int = 0, largest: int = 0, choices: "tuple[str, ...]" = ()) -> None:
        self.kind, self.meaning, self.smallest, self.largest, self.choices = kind, meaning, smallest, largest, choices

    def allowed(self) -> str:
        """Say in words what the key may hold."""
        if self.kind == NUMBER:
            return f"{NUMBER} from {self.smallest} to {self.largest}"
        if self.kind == CHOICE:
            return f"{', '.join(self.choices[:-1])} or {self.choices[-1]}"
        return f"a list of {', '.join(self.choices)} or TYPE=COMMAND" if self.choices else self.kind


RULES = {
    "recording": Rule(
        SWITCH, "Whether anything is recorded and injected; unset means on, but off where nobody attends a session in CI."
    ),
    "mcp": Rule(SWITCH, "Whether the MCP server offers its tools, the briefing and the prompt; off, its lists are empty."),
    "memory.auto_inject": Rule(
        SWITCH, "Whether memories are told to the model by themselves, at the start of a session and at a prompt."
    ),
    "memory.show": Rule(
        CHOICE,
        "What the person sees of it: nothing, a line when something is told, or each memory that was told.",
        choices=("off", "line", "full"),
    ),
    "memory.remember": Rule(TEXTS, "How a sentence begins that is kept as a note as soon as you type it; empty for none."),
    "memory.learn": Rule(SWITCH, "Whether sentences of your prompts that may hold beyond their session become candidates."),
    "memory.relations": Rule(SWITCH, "Whether what belongs to what is taken from facts and from tests that follow changes."),
    "memory.mining": Rule(SWITCH, "Whether what comes again and again, failures and routines, is looked for once a day."),
    "memory.worker": Rule(
        SWITCH, "Whether a short process of its own does what can wait; without it `ralph-mem learn` does, when you call it."
    ),
    # A hundred dollars a day is a typing error.
    "memory.model_budget_cents": Rule(
        NUMBER, "How many US cents a day `learn --with` may spend on a model, of all projects together; 0 for none.", 0, 10_000
    ),
    "memory.tell": Rule(
        CHOICE,
        "How likely a memory must be meant before it is told by itself; off tells nothing, at a start neither.",
        choices=LEVELS,
    ),
    # 0 is nothing at a prompt, but a briefing at the start. What is injected ends at 9,000 characters (context.py), which
    # are that many tokens at most: some 2,250 in English, one for each character in Chinese.
    "memory.inject_tokens_prompt": Rule(NUMBER, "How many tokens of memories may come with a prompt.", 0, 9_000),
    "memory.inject_tokens_start": Rule(NUMBER, "How many tokens the briefing at the start of a session may have.", 0, 9_000),
    # 0 leaves it to the days alone. A database with 60,000 tool outputs has 96 MB (docs/performance.md), one with a million 1.6 GB.
    "memory.max_observations": Rule(
        NUMBER, "How many of the newest tool outputs stay word for word, however old they are.", 0, 1_000_000
    ),
    # Never less than a day: today's work is being worked on. Ten years is longer than a project keeps its tools.
    "memory.retention_days": Rule(NUMBER, "For how many days a tool output stays word for word, however many there are.", 1, 3_650),
    "memory.auto_compress": Rule(
        SWITCH, "Whether tool outputs beyond both of these are cut to their title, files and error lines by themselves."
    ),
    # Four projects whose snapshots have filled their own quota. 0 is any number.
    "memory.quota_mb": Rule(
        NUMBER, "Above how many megabytes of all projects together a warning is given; nothing is deleted.", 0, 1_000_000
    ),
    # There are three layers.
    "search.default_layer": Rule(
        NUMBER, "What a search answers with: 1 a line for each hit, 2 what happened around it, 3 its whole text.", 1, 3
    ),
    # A hundred lines are what a person scrolls through, and some 4,000 tokens to a model.
    "search.max_results": Rule(NUMBER, "How many hits a search answers with at most.", 1, 100),
    # Twice of what is copied by itself; what is more than a person can search here is the server's.
    "team.max_items": Rule(
        NUMBER, "How many items of a team are copied here, those accepted last; `search --team` finds all.", 1, 100_000
    ),
    # A pass takes minutes and costs money: a hundred of them take a night, and a limit that was reached may be raised.
    "ralph.max_iterations": Rule(NUMBER, "After how many passes a loop gives up.", 1, 1_000),
    # Up to an hour, which is long enough for most limits on the rate of requests.
    "ralph.cooldown_ms": Rule(NUMBER, "How many milliseconds a loop waits between two passes.", 0, 3_600_000),
    "ralph.auto_rollback": Rule(SWITCH, "Whether a loop that has failed puts the files back as they were."),
    # At least one: a loop without any would never know that it is done.
    "ralph.success_criteria": Rule(TEXTS, "Which checks have to pass before a loop has succeeded.", 1, choices=CRITERIA),
    # A second is for trying it out; a month is longer than anybody's patience, and still a limit.
    "ralph.max_duration_ms": Rule(NUMBER, "After how many milliseconds a loop gives up.", 1_000, 2_592_000_000),
    # An agent needs some seconds to begin at all; a month as above.
    "ralph.iteration_ms": Rule(
        NUMBER, "After how many milliseconds the agent of one pass is ended, and what it did judged.", 1_000, 2_592_000_000
    ),
    "ralph.silence_ms": Rule(NUMBER, "After how many milliseconds an agent is ended that says nothing.", 1_000, 2_592_000_000),
    # More than a hundred thousand dollars are a typing error.
    "ralph.max_cost_cents": Rule(NUMBER, "After how many US cents of agent a loop gives up; 0 for no such limit.", 0, 10_000_000),
    "ralph.no_progress_threshold": Rule(NUMBER, "After how many passes without a new best a loop gives up.", 1, 1_000),
    # Two hours: longer than any suite that somebody runs after each change.
    "ralph.timeout_s": Rule(NUMBER, "After how many seconds a check is ended and counts as failed.", 1, 7_200),
    # 500 hold the goal and one failing test; 50,000 are a quarter of a common context window.
    "ralph.prompt_tokens": Rule(NUMBER, "How many tokens a loop's prompt may have.", 500, 50_000),
    "ralph.memory": Rule(SWITCH, "Whether a loop tells its agent what was tried before, and keeps what it learns."),
    "ralph.agent": Rule(TEXTS, "The command of another agent than claude, one word an item; {prompt} stands for the prompt."),
    "ralph.allow": Rule(TEXTS, "What a loop's claude may do without being asked, as permission rules such as Bash(make:*)."),
    "ralph.notify": Rule(TEXTS, "A command that gets a JSON on stdin when a loop ends or waits, one word an item."),
    "ralph.protect": Rule(TEXTS, "Files put back before a loop's checks are run, written as in .gitignore."),
    # A repository of this size is copied in a second; 0 is for one of which remotes have all but the last days.
    "ralph.git_backup_mb": Rule(
        NUMBER, "Up to how many megabytes of git's objects a loop copies; of more only what no remote has.", 0, 1_000_000
    ),
    "ralph.may_change": Rule(TEXTS, "Tests and other judges whose changes by a loop's agent count, written as in .gitignore."),
    # Who changes tests time and again will not stop; twenty is longer than any loop that is worth its price.
    "ralph.tampering": Rule(NUMBER, "How often a loop puts back what judges it and goes on; 0 ends it at once.", 0, 20),
    "ralph.here": Rule(SWITCH, "Whether a headless loop works in your own files, and not in a room of its own."),
    "ralph.apply": Rule(CHOICE, "When the result of a loop comes from its room into your files by itself.", choices=APPLY),
    # Half a gigabyte takes some seconds to copy; what is larger is mostly models and compilers' output.
    "ralph.room_copy_mb": Rule(NUMBER, "Up to how many megabytes an ignored path is copied into a loop's room.", 0, 100_000),
    "snapshot.include_ignored": Rule(TEXTS, "Which files that git ignores are in a snapshot all the same, by their names."),
    # Larger files are build products, archives and data.
    "snapshot.max_file_mb": Rule(
        NUMBER, "Up to how many megabytes a file is kept in a snapshot; larger ones are never touched.", 1, 1_000
    ),
    "snapshot.quota_mb": Rule(NUMBER, "How many megabytes the snapshots of a project may take.", 10, 1_000_000),
    "privacy.exclude_paths": Rule(
        TEXTS, "Paths about which the memory keeps nothing, as in .gitignore; snapshots of loops have every file."
    ),
    "privacy.redact_patterns": Rule(PATTERNS, "What these match is cut out of everything before it is stored."),
}
SECTIONS = tuple({key.partition(".")[0]: None for key in RULES if "." in key})


# What a file says


def values_of(path: str, last: "dict[str, Any]") -> "tuple[dict[str, Any], str, str]":
    """Return the values that a config file puts in force, what is wrong with it, and which keys nobody knows.

    Of a file that cannot be read the last good ones stay. A key that is wrong keeps its last good value, and all others
    count; about privacy the file then only tightens.
    """
    try:
        return values_in(yaml_subset.text_of(path), last)
    except ConfigError as error:
        return unreadable(error, last)


def unreadable(error: ConfigError, last: "dict[str, Any]") -> "tuple[dict[str, Any], str, str]":
    """Return what `values_of` does for a file that cannot be read at all."""
    return dict(last), f"{error}; the last good settings stay in force", ""


def values_in(text: str, last: "dict[str, Any]") -> "tuple[dict[str, Any], str, str]":
    """Return the same of the text of a config file."""
    try:
        values = yaml_subset.read(text)
    except ConfigError as error:
        return unreadable(error, last)
    good, wrong, unknown = sort(values)
    lines = yaml_subset.extents(text) if wrong or unknown else {}
    if wrong:
        good = {**good, **_kept(last, good, wrong)}
    more = f" (and {len(unknown) - 1} more)" if len(unknown) > 1 else ""
    told = [f"line {lines[key][0]}: {what}" for key, what in wrong.items()]
    broken = f"{'; '.join(told)}; all else in the file counts" if wrong else ""
    if not unknown:
        return good, broken, ""
    at = lines.get(unknown[0]) or lines.get(unknown[0].rpartition(".")[0])  # that of an item is the line of its list
    return good, broken, f"{f'line {at[0]}: ' if at else ''}{unknown_key(unknown[0])}{more}"


def _kept(last: "dict[str, Any]", good: "dict[str, Any]", wrong: "dict[str, str]") -> "dict[str, Any]":
    """Return what stays of the last good values beside a key that is wrong: its own, and what was said about privacy."""
    kept = {key: last[key] for key in wrong if key in last}
    for key in PRIVATE:
        if key in last:
            kept[key] = [*last[key], *[item for item in good.get(key, []) if item not in last[key]]]
    return {**kept, "recording": False} if last.get("recording") is False else kept


def sort(values: "dict[str, Any]") -> "tuple[dict[str, Any], dict[str, str], list[str]]":
    """Return the good values, what is wrong with the others by their keys, and the unknown keys.

    A list for privacy of which some items are wrong stands among both, with its good items.
    """
    good: dict[str, Any] = {}
    wrong: dict[str, str] = {}
    unknown: list[str] = []
    for key, value in values.items():
        above = next((known for known in RULES if key.startswith(known + ".")), "")
        what = problem(above, {}) if above else problem(key, value) if key in RULES else ""
        if what:
            wrong[key] = what
        elif key not in RULES and not (value is None and key in SECTIONS):
            unknown.append(key)
        if key in RULES:
            unknown += _unknown_fields(key, value)
        if key in RULES and value is not None and (not what or (key in PRIVATE and isinstance(value, list))):
            good[key] = cleaned(key, value)
    return good, wrong, unknown


def problem(key: str, value: "Any") -> str:
    """Say what is wrong with a value of a known key; nothing where it is fine, or none was given."""
    rule = RULES[key]
    if value is None:
        return ""
    if rule.kind == SWITCH:
        fine = isinstance(value, bool)
    elif rule.kind == CHOICE:
        fine = value in rule.choices or (value is False and OFF in rule.choices)
    elif rule.kind == NUMBER:
        fine = type(value) is int and rule.smallest <= value <= rule.largest
    else:
        fine = isinstance(value, list) and len(value) >= rule.smallest
        for item in value if fine else []:
            why = _wrong_item(rule, item)
            if why and isinstance(item, dict) and rule.choices:
                return f"{key}: {shown(item)} {why}"
            if why:
                return f"{key} must be {rule.allowed()}; {shown(item)} {why}"
    return "" if fine else f"{key} must be {rule.allowed()}, not {'a section' if value == {} else shown(value)}"


def _wrong_item(rule: Rule, item: "Any") -> str:
    if isinstance(item, dict) and rule.choices:
        return _wrong_mapping(rule, item)
    if not (isinstance(item, str) or type(item) is int):  # a folder may be called 2024
        return "is no text; put it in quotes"
    if rule.choices and str(item).partition("=")[0].strip() not in rule.choices:
        return "is none of these"
    return _wrong_pattern(str(item)) if rule.kind == PATTERNS else "" if str(item) else "is empty"


def _wrong_mapping(rule: Rule, item: "dict[str, Any]") -> str:
    """Say what is wrong with a criterion that is written as a mapping."""
    kind, command = item.get(TYPE), item.get(COMMAND)
    if kind not in rule.choices:
        return f"has no {TYPE}" if kind is None else f"has a {TYPE} that is none of {', '.join(rule.choices)}"
    if command is None:
        return f"needs a {COMMAND}" if kind == "custom" else _wrong_expected(item)
    if not isinstance(command, str) or not command.strip():
        return f"has a {COMMAND} that is no text; put it in quotes"
    return f"has a {COMMAND}; a marker has none" if kind == "marker" else _wrong_expected(item)


def _wrong_expected(item: "dict[str, Any]") -> str:
    """Say what is wrong with what a criterion expects: an exit code, or a text that its command prints."""
    found = [item[name] for name in EXPECTED if item.get(name) is not None]
    fine = [(type(each) is int and 0 <= each <= LARGEST_EXIT_CODE) or (isinstance(each, str) and each.strip()) for each in found]
    if not all(fine):
        return f"expects what is neither an exit code from 0 to {LARGEST_EXIT_CODE} nor a text; put a text in quotes"
    if len(found) > 1:
        return "says twice what is expected"
    return f"expects something of no {COMMAND}" if any(found) and item.get(COMMAND) is None else ""


def _unknown_fields(key: str, value: "Any") -> "list[str]":
    """Return the fields that the items of a list have and nobody knows, as names below its key, each once."""
    if not RULES[key].choices or not isinstance(value, list):
        return []
    names = [name for item in value if isinstance(item, dict) for name in item if name not in FIELDS]
    return list(dict.fromkeys([f"{key}.{name}" for name in names]))


def _as_text(item: "Any") -> str:
    """Return an item as text; a criterion that is written as a mapping as TYPE=COMMAND => EXPECTED."""
    if not isinstance(item, dict):
        return str(item)
    if item.get(COMMAND) is None:
        return str(item[TYPE])
    expected = next((item[name] for name in EXPECTED if item.get(name) is not None), 0)
    if isinstance(expected, str):  # in quotes it is no number
        plain = expected == expected.strip() and not expected.isdigit() and expected[0] not in yaml_subset.QUOTES
        expected = expected if plain else f'"{expected}"'
    command = f"{item[TYPE]}={item[COMMAND].strip()}"
    return command if expected == 0 else f"{command} => {expected}"


def _wrong_pattern(text: str) -> str:
    import re  # lazy: only for a changed config with expressions of its own
    import warnings  # lazy: only for a changed config with expressions of its own

    re.purge()  # a pattern that was compiled before warns no more
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # about a meaning that will change; the redactor would print it, where a hook is silent
        try:
            re.compile(text)
        except (re.error, OverflowError, RecursionError, Warning) as error:
            return f"is none ({error})"
    return "" if text else "is empty"


def cleaned(key: str, value: "Any") -> "Any":
    """Return a value as it is kept."""
    if RULES[key].kind == CHOICE:
        return value or OFF
    return [_as_text(item) for item in value if not _wrong_item(RULES[key], item)] if isinstance(value, list) else value


def shown(value: "Any") -> str:
    """Return a value as a message quotes it, which may be cut."""
    text = "true" if value is True else "false" if value is False else "nothing" if value is None else repr(value)
    return text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."


# Which key was meant


def no_such_key(key: str) -> ConfigError:
    """Return the error to raise for a key that nobody knows."""
    return ConfigError(f"there is no key {key[:SHOWN]}", f"the nearest is {nearest(key)}; `ralph-mem config show` lists them all")


def unknown_key(key: str) -> str:
    """Say that there is no such key, and which one comes nearest."""
    return f"there is no key {key[:SHOWN]}, the nearest is {nearest(key)}"


def nearest(key: str) -> str:
    """Return the known key that takes the fewest changes of a letter; a forgotten or wrong section counts as one."""
    leaf = key.rpartition(".")[2]
    return min(RULES, key=lambda known: min(distance(key, known), 1 + distance(leaf, known.rpartition(".")[2])))


def distance(one: str, other: str) -> int:
    """Count the letters to add, drop or replace (Levenshtein); of long texts the first hundred letters."""
    one, other = one[:100], other[:100]
    row = list(range(len(other) + 1))
    for at, char in enumerate(one, 1):
        before, row[0] = row[0], at
        for number, there in enumerate(other, 1):
            before, row[number] = row[number], min(row[number] + 1, row[number - 1] + 1, before + (char != there))
    return row[-1]
