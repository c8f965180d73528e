"""The rules of the house: each test walks the tree and names the offending line."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ralph_mem
from ralph_mem import answers
from tests import house

ROOT = Path(__file__).resolve().parents[1]

# Lower never imports higher. A new room gets its floor here.
FLOORS = (
    {"", "core"},
    {"process", "relatives"},
    {
        *("extras", "claude", "recall", "config", "transcripts", "access", "moments", "projects", "glance", "quota", "demo"),
        *("estimate", "reclaiming", "needles"),
    },
    {"census", "damage", "legible", "quarantine", "rescue", "unwritable", "unfinished"},
    {"backups"},
    {"restoring"},
    {"repair"},
    {"tokens", "compressor"},
    {
        *("layers", "corrections", "residue", "selection", "status", "why", "doctor", "archive", "exports", "reviewing"),
        *("replacing", "verifier", "erasure_report", "trees"),
    },
    {"scrubbing", "artefacts"},
    {"copies"},
    {"remnants"},
    {"criteria", "snapshot"},  # neither knows of the other
    {"ralph", "memory", "semantic"},
    {"frozen", "approval", "belongings"},
    {"erasure"},
    {"resumption"},
    {"maintenance", "team", "worker", "bench"},
    {"events"},
    {"intake", "rehearsal", "importing"},  # what the hooks make of an event is made of a transcript's too
    {"answers", "cli", "mcp", "web"},
    {"hooks"},
)
STANDARD_LIBRARY_ONLY = {
    *("hooks", "core", "events", "answers", "ralph", "recall", "claude", "demo", "access", "moments", "layers", "corrections"),
    *("residue", "erasure", "selection", "status", "why", "projects", "glance", "doctor", "compressor", "estimate"),
    *("process", "relatives", "criteria", "snapshot", "quota", "replacing", "scrubbing", "reviewing"),
    *("artefacts", "copies", "erasure_report", "frozen", "needles", "resumption", "trees", "unfinished", "verifier"),
    *("census", "damage", "legible", "quarantine", "rescue", "unwritable", "backups", "reclaiming", "repair", "restoring"),
}
ENTRANCES = {"events", "answers", "cli", "mcp", "web"}
STARTS_THE_OTHERS = {"ralph_mem.cli.admin"}
ONE_IMPORTER = {
    "yaml": "config",
    "tiktoken": "tokens",
    "sentence_transformers": "semantic",
    "onnxruntime": "semantic",
    "numpy": "semantic",
    "torch": "semantic",
    "tokenizers": "semantic",
    "transformers": "semantic",
    "huggingface_hub": "semantic",
    "sqlite_utils": "maintenance",
    "typer": "cli",
    "rich": "cli",
    "mcp": "mcp",
    "psycopg": "team",
    "pyrage": "exports",
}

HOT_ROOMS = {"ralph_mem.core", "ralph_mem.events", "hooks.run", "hooks.door"}
# What the skills enter runs under the same python3 as a hook, with more time.
OLD_PYTHON_ROOMS = {
    *HOT_ROOMS,
    *(f"ralph_mem.{room}" for room in "answers access compressor corrections erasure layers moments recall".split()),
    *(f"ralph_mem.{room}" for room in "quota residue selection status trees".split()),
    *(
        f"ralph_mem.{room}"
        for room in "backups census damage legible quarantine reclaiming repair rescue restoring unwritable".split()
    ),
    *(f"ralph_mem.{room}" for room in "artefacts copies erasure_report frozen needles resumption unfinished verifier".split()),
    *(f"ralph_mem.{room}" for room in "claude criteria process ralph relatives snapshot".split()),
}
TOO_DEAR = {
    *("re", "json", "dataclasses", "pathlib", "subprocess", "logging", "typing", "collections", "functools", "os", "sqlite3"),
    *("__future__", "contextlib", "enum", "inspect", "datetime", "tempfile", "shutil", "random", "hashlib", "uuid"),
}
FALLBACKS = {
    ("ralph_mem.core.quick", "json.encoder"): "an interpreter without the C accelerator",
    ("ralph_mem.core.quick", "json.decoder"): "an interpreter without the C accelerator",
    ("ralph_mem.core.fingerprint", "hashlib"): "an interpreter without the C module",
}
IN_FUNCTION_IMPORTS = {
    ("hooks.door", "ralph_mem.answers"): "found by the importer that the line above puts in place",
    ("hooks.door", "ralph_mem.events"): "found by the importer that the line above puts in place",
    ("ralph_mem.answers", house.DYNAMIC): "a command loads its own file alone",
    ("ralph_mem.answers.mem_search", "ralph_mem.core.sense"): "only where embeddings are set up",
    ("ralph_mem.bench.meaning", "ralph_mem.semantic.local"): "brings numpy, which only the embeddings extra installs",
    ("ralph_mem.bench.meaning", "ralph_mem.semantic.vectors"): "brings numpy, which only the embeddings extra installs",
    ("ralph_mem.cli.live", "rich.console"): "only at a terminal, where somebody looks on",
    ("ralph_mem.cli.live", "rich.text"): "only at a terminal, where somebody looks on",
    ("ralph_mem.cli.printing", "rich.console"): "only for a table or a progress bar: most commands print plain text",
    ("ralph_mem.cli.printing", "rich.progress"): "only for work that takes a while",
    ("ralph_mem.cli.printing", "rich.table"): "only for a table",
    ("ralph_mem.cli.embeddings", "ralph_mem.semantic.embedding"): "needs the extra",
    ("ralph_mem.cli.embeddings", "ralph_mem.semantic.preparation"): "needs the extra, and seconds to load torch",
    ("ralph_mem.cli.embeddings", "ralph_mem.semantic.vectors"): "needs the extra",
    ("ralph_mem.backups", "posixpath"): "brings `os`; only for who asks which memories a place has had",
    ("ralph_mem.core.adoption", "ralph_mem.core.blueprint"): "only where a schema has changed",
    ("ralph_mem.core.adoption", "ralph_mem.core.quiet"): "only when a database is made",
    ("ralph_mem.core.adoption", "ralph_mem.core.relocation"): "only where something waits for a new memory, or one has moved",
    ("ralph_mem.core.adoption", "posixpath"): "brings `os`; only when a database is made or has moved",
    ("ralph_mem.core.adoption", "ralph_mem.core.schema"): "only when a database is made or older than the release",
    ("ralph_mem.core.adoption", "ralph_mem.core.strangers"): "only where a database lies that nobody knows",
    ("ralph_mem.core.event", "ralph_mem.core.salvage"): "only for an event that was cut off",
    ("ralph_mem.core.known_secrets", "binascii"): "only when there is a secret to look for",
    ("ralph_mem.core.briefing", "ralph_mem.core.path_rules"): "only for a project that excludes paths",
    ("ralph_mem.core.capture", "ralph_mem.core.commands"): "only for a command",
    ("ralph_mem.core.capture", "ralph_mem.core.edits"): "only for an edit",
    ("ralph_mem.core.context", "ralph_mem.core.path_rules"): "only for a project that excludes paths",
    ("ralph_mem.core.context", "ralph_mem.core.secret_neighbours"): "only for a word that a name beside it may tell",
    ("ralph_mem.core.capture", "ralph_mem.core.shingles"): "only for what a web or MCP tool brought in",
    ("ralph_mem.core.closing", "ralph_mem.core.shingles"): "only in a session that has seen web or MCP text",
    ("ralph_mem.core.observations", "ralph_mem.core.shingles"): "only for web or MCP text, and for a subagent's report",
    ("ralph_mem.core.project", "ralph_mem.core.git_files"): "only where `.git` is a file: a worktree, a submodule",
    ("ralph_mem.core.provenance", "ralph_mem.core.homecoming"): "only where a database was set aside",
    ("ralph_mem.core.provenance", "ralph_mem.core.strangers"): "only where a database lies that nobody knows",
    ("ralph_mem.core.provenance", "ralph_mem.core.trust"): "only where the folder is a link",
    ("ralph_mem.core.quick", "_functools"): "only together with the C module that asks for it",
    ("ralph_mem.core.quick", "_sqlite3"): "needs a stand-in for functools while it loads",
    ("ralph_mem.core.quick", "sqlite3"): "an interpreter without the private module",
    ("ralph_mem.core.records", "ralph_mem.core.draining"): "only where something waits",
    ("ralph_mem.events.session_start", "ralph_mem.resumption"): "only after a forget that was killed",
    ("ralph_mem.core.records", house.DYNAMIC): "a record names its verb, only that verb's module is loaded",
    ("ralph_mem.core.redact", "ralph_mem.core.known_secrets"): "only for a project with secrets of its own",
    ("ralph_mem.core.redact", "ralph_mem.core.secret_assignments"): "only for text in which a secret may be",
    ("ralph_mem.core.redact", "ralph_mem.core.secret_blocks"): "only for text in which a key may be",
    ("ralph_mem.core.redact", "ralph_mem.core.secret_headers"): "only for text in which a secret may be",
    ("ralph_mem.core.redact", "ralph_mem.core.secret_rules"): "only for text in which a secret may be",
    ("ralph_mem.core.redact", "ralph_mem.core.secret_spans"): "only for text in which a secret may be",
    ("ralph_mem.core.redact", "ralph_mem.core.terminal"): "only for text with escape sequences",
    ("ralph_mem.core.secret_blocks", "ralph_mem.core.terminal"): "only for text with escape sequences",
    ("ralph_mem.core.secret_spans", "ralph_mem.core.terminal"): "only for text with escape sequences",
    ("ralph_mem.core.secret_spans", "re"): "only for text in which a secret may be; a quick look at the characters comes first",
    ("ralph_mem.core.sense", "_socket"): "only where a worker listens",
    ("ralph_mem.core.sense", "unicodedata"): "only for letters beyond ASCII",
    ("ralph_mem.core.sessions", "ralph_mem.core.hosts"): "only for an open session of another machine or container",
    ("ralph_mem.core.setting_rules", "re"): "only for a changed config with expressions of its own",
    ("ralph_mem.core.setting_rules", "warnings"): "only for a changed config with expressions of its own",
    ("ralph_mem.core.settings", "ralph_mem.core.approved_settings"): "only when a file of settings has changed",
    ("ralph_mem.core.settings", "ralph_mem.core.trouble"): "only when a file of settings has changed",
    ("ralph_mem.core.turns", "ralph_mem.core.finishing"): "only for a turn that ends; most prompts come after a Stop",
    ("ralph_mem.core.trust", "posixpath"): "brings `os`; only for the key of a project's approvals",
    ("ralph_mem.doctor.machine", "importlib"): "its metadata brings `email`; every other command does without",
    ("ralph_mem.exports.encryption", "pyrage"): "brought by the extra `encryption`; whoever has not got it is told how to get it",
    ("ralph_mem.tokens", "tiktoken"): "brought by the extra `tokens`; whoever has not got it is told how to get it",
    ("ralph_mem.recall", "ralph_mem.core.secret_neighbours"): "only for a word that a name beside it may tell",
    ("ralph_mem.worker", "ralph_mem.semantic.serving"): "needs the extra; of fifty that start at once, forty-nine do without",
    ("ralph_mem.events", "ralph_mem.unwritable"): "only when an event could not be stored",
    ("ralph_mem.events.session_start", "ralph_mem.repair"): "only for a memory that may be damaged or gone",
    ("ralph_mem.events.stop", "ralph_mem.backups"): "only once a day",
    ("ralph_mem.events", "ralph_mem.core.spool"): "only when an event could not be stored",
    ("ralph_mem.events", "ralph_mem.core.trouble"): "only when an event could not be stored",
    ("ralph_mem.events", "ralph_mem.events.transaction"): "an event that leaves nothing does without the database",
    ("ralph_mem.events", house.DYNAMIC): "an event loads its own file alone",
    ("ralph_mem.events.session_end", "ralph_mem.events.looping"): "only where a loop is live",
    ("ralph_mem.events.session_start", "ralph_mem.quota"): "once a day",
    ("ralph_mem.events.stop", "ralph_mem.events.looping"): "only where a loop is live",
    ("ralph_mem.events.session_start", "ralph_mem.core.wake"): "only where embeddings are set up",
    ("ralph_mem.events.stop", "ralph_mem.core.wake"): "only where embeddings are set up",
    ("ralph_mem.events.transaction", "ralph_mem.core.trouble"): "only when nothing could be recalled",
    ("ralph_mem.events.user_prompt_submit", "ralph_mem.core.trouble"): "only when the memory of all projects cannot be read",
    ("ralph_mem.events.user_prompt_submit", "ralph_mem.core.context"): "only for a prompt with words to look up",
    ("ralph_mem.events.user_prompt_submit", "ralph_mem.core.prompting"): "only for a prompt with words to look up",
    ("ralph_mem.core.meaning", "ralph_mem.core.sense"): "only where embeddings are set up",
    ("ralph_mem.core.search", "ralph_mem.core.meaning"): "only where embeddings are set up",
    ("ralph_mem.events.user_prompt_submit", "ralph_mem.core.sense"): "only where embeddings are set up",
    ("ralph_mem.layers", "ralph_mem.core.keeping"): "only for a row that has no body",
    ("ralph_mem.recall", "ralph_mem.core.meaning"): "only where embeddings are set up",
    ("ralph_mem.recall", "ralph_mem.core.path_rules"): "only for a project that excludes paths",
}

OLDEST_PYTHON = (3, 9)
LARGEST_ROOM = 400
P90_OF_FUNCTIONS = 35
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "manager", "managers", "services", "service", "common", "misc"}
AT_THE_TOP = {
    *(".ci", ".claude-plugin", ".gitignore", "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "hooks", "plugin.json"),
    *("pyproject.toml", "ralph_mem", "skills", "tests"),
}


def hot_files():
    return [path for module, path in house.modules(ROOT).items() if any(house.belongs(module, room) for room in OLD_PYTHON_ROOMS)]


# What imports what


def test_the_rooms_of_the_hot_path_import_the_standard_library_alone():
    assert not house.strangers(ROOT, STANDARD_LIBRARY_ONLY)
    assert not house.leaks(ROOT, STANDARD_LIBRARY_ONLY)


def test_core_imports_core_alone():
    assert not house.uphill(ROOT, [{"", "core"}, {house.room_of(module) for module in house.modules(ROOT)} - {"", "core"}])


def test_each_package_has_one_importer():
    assert not house.packages_out_of_place(ROOT, ONE_IMPORTER)


def test_lower_never_imports_higher():
    assert not house.uphill(ROOT, FLOORS)


def test_no_import_runs_in_a_circle():
    assert not house.circles(ROOT)


def test_entrances_do_not_import_each_other():
    assert not house.doors_between(ROOT, ENTRANCES, except_for=STARTS_THE_OTHERS)


def test_imports_stand_at_the_top_of_the_file():
    assert not house.inner_imports(ROOT, IN_FUNCTION_IMPORTS)


def test_the_hot_rooms_import_nothing_dear():
    assert not house.dear_imports(ROOT, HOT_ROOMS, TOO_DEAR, FALLBACKS)


# What an old interpreter can run


def test_the_oldest_python_can_read_the_hot_rooms():
    assert not house.unreadable(ROOT, hot_files(), OLDEST_PYTHON)


def test_the_oldest_python_has_what_the_hot_rooms_use():
    assert not house.unions(ROOT, hot_files())  # vermin takes `O_RDWR | O_CREAT` for one
    order = [sys.executable, "-c", "from vermin import main; main()", "--no-config-file", "--no-tips", "--violations", "-vvv"]
    order += ["--eval-annotations", "--no-parse-comments", f"--target={'.'.join(map(str, OLDEST_PYTHON))}-"]
    run = subprocess.run([*order, *hot_files()], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stdout + run.stderr


@pytest.mark.parametrize("name", ["run.py", "too_old.py"])
def test_any_python_can_read_as_much_as_it_takes_to_leave(name):
    assert not house.too_new_for_any_python(ROOT / "hooks" / name)
    assert not house.unreadable(ROOT, [ROOT / "hooks" / name], (3, 5))


# What an event loads

# Runs hooks/run.py as hooks/run does, and writes down which modules were loaded when it leaves.
DRIVER = """
import sys
import posix
report, run, event = sys.argv[1:]
before = set(sys.modules)
leave = posix._exit
def note_and_leave(code):
    loaded = sorted(set(sys.modules) - before)
    file = posix.open(report, posix.O_WRONLY | posix.O_CREAT | posix.O_TRUNC, 0o600)
    posix.write(file, "\\n".join(loaded).encode())
    leave(code)
posix._exit = note_and_leave
sys.argv = [run, event]
with open(run, "rb") as file:
    code = compile(file.read(), run, "exec")
exec(code, {"__name__": "__main__", "__file__": run})
note_and_leave(0)
"""

BASH = {"tool_name": "Bash", "tool_input": {"command": "make build"}, "tool_use_id": "toolu_1"}
FIELDS_OF_EVENT = {
    "session-start": {"source": "startup"},
    "user-prompt-submit": {"prompt": "Why does the price list show negative totals?"},
    "post-tool-use": {**BASH, "tool_response": {"stdout": "built 14 units", "stderr": "", "interrupted": False}},
    "post-tool-use-failure": {**BASH, "error": "Exit code 2\nmake: *** No rule to make target 'build'.", "is_interrupt": False},
    "stop": {"stop_hook_active": False, "last_assistant_message": "The totals are right now.", "background_tasks": []},
    "subagent-stop": {"agent_id": "a1", "agent_type": "Explore", "last_assistant_message": "Found it.", "stop_hook_active": False},
    "pre-compact": {"trigger": "manual", "custom_instructions": ""},
    "post-compact": {"trigger": "manual", "compact_summary": "<summary>Fixed the totals.</summary>"},
    "session-end": {"reason": "other"},
}

# Rooms of core, by their short names, beside those that every event needs; a longer list is slower for everybody.
C_MODULES = {"_functools", "_json", "_sha2", "_sha256", "_sqlite3", "fcntl", "gc", "math", "zlib"}
EVERY_EVENT = "errors event index_text observations paths project quick records row settings spool store"
ROOMS_OF_EVENT = {
    "session-start": (
        "adoption briefing context fingerprint finishing instructions memories privacy provenance receipts redact seals sessions"
        " trouble"
    ),
    "user-prompt-submit": (
        "common_words context finishing instructions memories privacy prompting ranking receipts redact search turns"
    ),
    "post-tool-use": "capture commands path_rules privacy redact",
    "post-tool-use-failure": "capture commands path_rules privacy redact",
    "stop": "closing finishing keeping memories privacy redact turns",
    "subagent-stop": "capture path_rules privacy redact",
    "pre-compact": "finishing memories",
    "post-compact": "capture memories notes path_rules privacy redact",
    "session-end": "finishing memories sessions",
}
MODULES_OF_EVENT = {
    event: {
        *C_MODULES,
        *("door", "ralph_mem", "ralph_mem.core", "ralph_mem.events", "ralph_mem.events.transaction"),
        f"ralph_mem.events.{event.replace('-', '_')}",
        *(f"ralph_mem.core.{room}" for room in (EVERY_EVENT + " " + rooms).split()),
    }
    for event, rooms in ROOMS_OF_EVENT.items()
}


def modules_loaded(event, home, project):
    """Run an event in a fresh interpreter and return the names of the modules that it loaded."""
    report = home / "loaded"
    interpreter = os.path.realpath(sys.executable)
    fields = {"session_id": "11111111-1111-4111-8111-111111111111", "cwd": str(project), "transcript_path": str(home / "t.jsonl")}
    fields |= {"hook_event_name": event.title().replace("-", ""), **FIELDS_OF_EVENT[event]}
    subprocess.run(
        [interpreter, "-I", "-S", "-c", DRIVER, report, ROOT / "hooks" / "run.py", event],
        input=json.dumps(fields).encode(),
        env={"HOME": str(home), "PATH": os.environ["PATH"], "CLAUDE_PROJECT_DIR": str(project)},
        cwd=project,
        check=True,
        capture_output=True,
        timeout=30,
    )
    return set(report.read_text().split())


@pytest.fixture
def a_session_at_work(tmp_path):
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    for event in ("session-start", "user-prompt-submit"):
        modules_loaded(event, home, project)
    assert (project / ".ralph-mem" / "memory.db").exists()
    return home, project


@pytest.mark.parametrize("event", FIELDS_OF_EVENT)
def test_an_event_loads_the_modules_of_its_list_and_no_other(event, a_session_at_work):
    loaded, allowed = modules_loaded(event, *a_session_at_work), MODULES_OF_EVENT[event]
    assert sorted(loaded - allowed) == []
    assert sorted(allowed - loaded - C_MODULES) == []  # which of them there are differs from one Python to the next


def test_the_driver_sees_what_an_event_loads(tmp_path):
    run = tmp_path / "run.py"
    run.write_text("import posix, wave\nposix._exit(0)\n")
    order = [os.path.realpath(sys.executable), "-I", "-S", "-W", "ignore", "-c", DRIVER, tmp_path / "loaded", run, "stop"]
    subprocess.run(order, check=True, timeout=30)
    assert "wave" in (tmp_path / "loaded").read_text().split()


# What the client reads


def handlers():
    described = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]
    return [(event, handler) for event, groups in described.items() for group in groups for handler in group["hooks"]]


def test_both_manifests_are_equal():
    assert (ROOT / "plugin.json").read_bytes() == (ROOT / ".claude-plugin" / "plugin.json").read_bytes()


def test_versions_agree_everywhere():
    manifest = json.loads((ROOT / "plugin.json").read_text())
    listed = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
    headings = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert {manifest["version"], *(plugin.get("version", manifest["version"]) for plugin in listed)} == {ralph_mem.__version__}
    assert headings[0] == ralph_mem.__version__


def test_the_hooks_name_the_events_that_there_are():
    tree = ast.parse((ROOT / "ralph_mem" / "events" / "__init__.py").read_text())
    names = next(ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "NAMES")
    assert sorted(handler["args"][-1] for _, handler in handlers()) == sorted([*names, answers.EVENT])
    assert sorted(names) == sorted(FIELDS_OF_EVENT)
    assert not [name for name in names if not (ROOT / "ralph_mem" / "events" / f"{name.replace('-', '_')}.py").exists()]


# A loop in a session runs its checks at a stop, and before its first iteration; every other event is over in a moment.
LONGEST_S = {"Stop": 3600, "UserPromptExpansion": 600}


@pytest.mark.parametrize(("event", "handler"), handlers())
def test_a_hook_is_called_by_its_name_with_a_short_timeout(event, handler):
    assert handler["args"][-1] == re.sub(r"(?<!^)(?=[A-Z])", "-", event).lower()
    assert 0 < handler["timeout"] <= LONGEST_S.get(event, 10)


def test_the_matcher_of_typed_commands_names_those_that_there_are():
    (group,) = json.loads((ROOT / "hooks" / "hooks.json").read_text())["hooks"]["UserPromptExpansion"]
    typed = re.compile(group["matcher"])
    assert all(typed.search(f"ralph-mem:{name}") for name in answers.NAMES)
    assert not any(
        typed.search(name) for name in ("ralph-mem:remembering", "other:mem-search", "ralph-mem:mem-searching", "ralph-mem:ralphs")
    )


@pytest.mark.parametrize("name", [*answers.NAMES, "remembering"])
def test_a_skill_has_its_name_and_says_when_to_use_it(name):
    _, front, body = (ROOT / "skills" / name / "SKILL.md").read_text().split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert fields["name"] == name
    assert 40 < len(fields["description"]) < 300
    assert 10 < len(body.splitlines()) < 60
    # no typed word may meet a shell
    assert "$ARGUMENTS" not in body and "!`" not in body and "```!" not in body


@pytest.mark.parametrize("path", sorted((ROOT / "skills").glob("*/SKILL.md")), ids=lambda path: path.parent.name)
def test_a_skill_may_run_the_one_command_that_it_shows(path):
    allowed = re.findall(r"^allowed-tools: Bash\((.*)\)$", path.read_text(), re.MULTILINE)
    shown = re.findall(r"^(\"\$\{CLAUDE_PLUGIN_ROOT\}.*) <<'RALPH_MEM_ARGUMENTS'$", path.read_text(), re.MULTILINE)
    assert allowed == shown
    assert shown or "disable-model-invocation: true" in path.read_text()


@pytest.mark.parametrize("missing", ["run", "run.py", "nothing"])
@pytest.mark.parametrize("name", ["session-start", "user-prompt-submit"])
def test_a_half_removed_plugin_is_silent(tmp_path, name, missing):
    hooks = tmp_path / "it's a plugin" / "hooks"
    hooks.mkdir(parents=True)
    for file in {"run", "run.py"} - {missing}:
        (hooks / file).write_text('echo "$0 $1"\n')
    handler = next(handler for _, handler in handlers() if handler["args"][-1] == name)
    order = [part.replace("${CLAUDE_PLUGIN_ROOT}", str(hooks.parent)) for part in (handler["command"], *handler["args"])]
    run = subprocess.run(order, capture_output=True, text=True, timeout=10)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == (f"{hooks}/run {name}\n" if missing == "nothing" else "")


# How big things are, and what they are called


def test_no_room_is_too_large():
    assert not house.large_rooms(ROOT, lines=LARGEST_ROOM)


def test_nine_functions_in_ten_are_short():
    assert not house.long_functions(ROOT, p90=P90_OF_FUNCTIONS)


def test_every_room_has_a_noun_for_a_name():
    assert not house.empty_names(ROOT, SAYS_NOTHING)


def test_the_root_folder_is_a_table_of_contents():
    assert not house.unexpected_at_the_top(ROOT, AT_THE_TOP)
