"""The rules of the house: each test walks the tree and names the offending line."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import tomllib

import ralph_mem
from ralph_mem.hosts import known
from ralph_mem.hosts.claude_code import event as host
from ralph_mem.hosts.claude_code import session
from ralph_mem.interfaces import skills
from ralph_mem.interfaces.mcp import server
from tests import house
from tests.folded import folded

ROOT = Path(__file__).resolve().parents[1]

# Lower never imports higher.
LAYERS = ({"", "core"}, {"memory"}, {"hosts"}, {"ralph"}, {"maintenance"}, {"bench", "interfaces"}, {"hooks"})
OLD, NEW = "py39", "py310"
NOTHING = ()
EMBEDDINGS = tuple("huggingface_hub numpy onnxruntime sentence_transformers tokenizers torch transformers".split())
# What holds in a folder, and in those below it that have no line of their own: the oldest Python that runs it (that of a hook is
# whatever the person has) and the packages beside the standard library that it may import.
FOLDERS = {
    "ralph_mem": (OLD, NOTHING),
    "hooks": (OLD, NOTHING),
    "ralph_mem/core": (OLD, NOTHING),
    "ralph_mem/memory": (OLD, NOTHING),
    "ralph_mem/memory/embeddings": (NEW, EMBEDDINGS),
    "ralph_mem/hosts": (OLD, NOTHING),
    "ralph_mem/ralph": (OLD, NOTHING),
    "ralph_mem/maintenance": (OLD, ("tiktoken", "yaml")),
    "ralph_mem/maintenance/doctor": (NEW, ("tiktoken",)),
    "ralph_mem/maintenance/forget": (OLD, NOTHING),
    "ralph_mem/maintenance/proposals": (NEW, ("litellm",)),
    "ralph_mem/maintenance/recovery": (OLD, NOTHING),
    "ralph_mem/maintenance/team": (NEW, ("psycopg",)),
    "ralph_mem/maintenance/transfer": (NEW, ("pyrage", "sqlite_utils")),
    "ralph_mem/interfaces": (OLD, NOTHING),
    "ralph_mem/interfaces/worker.py": (NEW, (*EMBEDDINGS, "tiktoken")),
    "ralph_mem/interfaces/errand.py": (NEW, ("tiktoken",)),
    "ralph_mem/interfaces/cli": (NEW, ("rich", "typer")),
    "ralph_mem/interfaces/page": (NEW, ("jinja2", "markupsafe", "starlette", "uvicorn")),
    "ralph_mem/bench": (NEW, EMBEDDINGS),
}
# Each is wrapped by one module, but for those of the embeddings and of the command line.
ONE_IMPORTER = {"yaml": "config_file", "tiktoken": "count_tokens", "pyrage": "home", "sqlite_utils": "tables", "litellm": "models"}
ONE_IMPORTER |= {"psycopg": "server"}
ONE_IMPORTER |= {"jinja2": "rendering", "uvicorn": "serving"}
ENTRANCES = {"interfaces.hooks", "interfaces.skills", "interfaces.cli", "interfaces.library", "interfaces.mcp", "interfaces.page"}
# What an event may load; what is beside these folders has more time.
HOT = (
    "ralph_mem.core",
    "ralph_mem.memory.capture",
    "ralph_mem.interfaces.hooks",
    "ralph_mem.interfaces.statusline",
    "hooks.run",
    "hooks.door",
)
HOT += tuple(f"ralph_mem.memory.{name}" for name in ("store", "rows", "recall", "inject", "ownership"))
HOT += tuple(f"ralph_mem.hosts.claude_code.{name}" for name in ("event", "cut_event", "session", "earlier"))
HOT += ("ralph_mem.hosts.others", "ralph_mem.hosts.known", "ralph_mem.hosts.ended", "ralph_mem.hosts.tails")
HOT += tuple(f"ralph_mem.hosts.{host}.{name}" for host in known.OTHERS for name in ("shape", "record"))
# Below all that starts programs; and the readers of test output, which work with expressions, where a hook has the marks.
NOT_HOT = {f"ralph_mem.core.{name}" for name in ("finding", "process", "descendants", "orphans")}
NOT_HOT |= {f"ralph_mem.core.outputs.{name}" for name in "compiled javascript parsing python report ruby_and_php".split()}
NOT_HOT |= {f"ralph_mem.core.redaction.{name}" for name in ("likely", "whole", "word_signs")}  # for what nobody waits for
TOO_DEAR = {
    *("re", "json", "dataclasses", "pathlib", "subprocess", "logging", "typing", "collections", "functools", "os", "sqlite3"),
    *("__future__", "contextlib", "enum", "inspect", "datetime", "tempfile", "shutil", "random", "hashlib", "uuid"),
}
FALLBACKS = {
    ("ralph_mem.core.fast", "json.encoder"): "an interpreter without the C accelerator",
    ("ralph_mem.core.fast", "json.decoder"): "an interpreter without the C accelerator",
    ("ralph_mem.core.hashing", "hashlib"): "an interpreter without the C module",
}

OLDEST_PYTHON = (3, 9)
LARGEST_ROOM = 400
P90_OF_FUNCTIONS = 35
TOLD_PLAINLY = {"ralph_mem"}
SAYS_NOTHING = {"utils", "util", "helpers", "helper", "manager", "managers", "services", "service", "common", "misc"}
HOOKS_FILES = sorted((ROOT / "hooks").glob("*.json"))
AT_THE_TOP = {
    *(".ci", ".claude-plugin", ".codex-plugin", ".gitignore", "CHANGELOG.md", "LICENSE", "Makefile", "README.md", "hooks"),
    *("plugin.json", "pyproject.toml", "ralph_mem", "skills", "tests", "CONTRIBUTING.md", "docs", "integrations", ".mcp.json"),
}


def hot_files():
    return [path for path in house.modules(ROOT).values() if house.rule_of(FOLDERS, path.relative_to(ROOT))[0] == OLD]


# What imports what


@pytest.mark.check
def test_a_folder_imports_the_packages_of_its_line_and_no_other():
    assert not house.strangers(ROOT, FOLDERS)


def test_what_runs_without_packages_reaches_none():
    assert not house.leaks(ROOT, FOLDERS)


def test_each_package_has_one_importer():
    assert not house.packages_out_of_place(ROOT, ONE_IMPORTER)


def test_lower_never_imports_higher():
    assert not house.uphill(ROOT, LAYERS)


def test_no_import_runs_in_a_circle():
    assert not house.circles(ROOT)


def test_entrances_do_not_import_each_other():
    assert not house.doors_between(ROOT, ENTRANCES)


def test_imports_stand_at_the_top_of_the_file():
    assert not house.inner_imports(ROOT)


def test_the_hot_rooms_import_nothing_dear():
    assert not house.dear_imports(ROOT, HOT, TOO_DEAR, FALLBACKS, NOT_HOT)


MOST_WITH_SQL_ON_ROWS = 15
ON_ROWS = re.compile(r"\b(FROM|INTO|UPDATE|JOIN)\s+(turns|observations)\b")


@pytest.mark.check
def test_few_modules_ask_for_turns_and_observations_and_all_lie_with_rows_and_recall():
    texts = {
        module: [each.value for each in ast.walk(ast.parse(path.read_text())) if isinstance(each, ast.Constant)]
        for module, path in house.modules(ROOT).items()
    }
    asking = [module for module, found in texts.items() if any(isinstance(text, str) and ON_ROWS.search(text) for text in found)]
    assert 0 < len(asking) <= MOST_WITH_SQL_ON_ROWS
    assert not [name for name in asking if not name.startswith(("ralph_mem.memory.rows.", "ralph_mem.memory.recall."))]


# What an old interpreter can run


def test_the_linter_takes_a_folder_for_what_the_table_says():
    targets = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["ruff"]
    of_file = targets["per-file-target-version"]
    assert targets["target-version"] == OLD
    for path in house.modules(ROOT).values():
        name = str(path.relative_to(ROOT))
        (linted,) = {version for glob, version in of_file.items() if house.matches(name, glob)} or {OLD}
        assert linted == house.rule_of(FOLDERS, name)[0] or linted == "py37", name


@pytest.mark.check
def test_the_oldest_python_can_read_the_hot_rooms():
    assert not house.unreadable(ROOT, hot_files(), OLDEST_PYTHON)


@pytest.mark.check
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

# How many modules of ours an event loads: each costs every user some 0.1 ms each time. What issue or feature needs one more says so
# by raising its number; the instruction budgets (tests/bench) say what it costs.
MODULES_OF_EVENT = {
    "session-start": 27,  # the line that a person sees, and which release this is
    "user-prompt-submit": 26,
    "post-tool-use": 15,
    "post-tool-use-failure": 15,
    "stop": 20,  # two of them once in five minutes, to start what learns
    "subagent-stop": 15,
    "pre-compact": 16,
    "post-compact": 17,
    "session-end": 19,  # it starts what learns from the last prompts
}
# The face of the hooks is the one that is read: it chooses the event.
READ_FACES = {"ralph_mem.interfaces.hooks"}
# Of the standard library only what is written in C, and not all of it in each Python.
C_MODULES = {"_functools", "_json", "_operator", "_sha2", "_sha256", "_sqlite3", "binascii", "fcntl", "gc", "math", "zlib"}


def modules_loaded(event, home, project, **more):
    """Run an event in a fresh interpreter and return the names of the modules that it loaded."""
    report = home / "loaded"
    interpreter = os.path.realpath(sys.executable)
    fields = {"session_id": "11111111-1111-4111-8111-111111111111", "cwd": str(project), "transcript_path": str(home / "t.jsonl")}
    fields |= {"hook_event_name": event.title().replace("-", ""), **FIELDS_OF_EVENT[event], **more}
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


def ours(loaded):
    """Return what was read of ours: the door makes the packages without reading their faces."""
    packages = {module for module, path in house.modules(ROOT).items() if path.name == "__init__.py"}
    return {name for name in loaded if name == "door" or house.is_ours(name)} - packages | (loaded & READ_FACES)


@pytest.mark.check
@pytest.mark.parametrize("event", FIELDS_OF_EVENT)
def test_an_event_loads_so_many_modules_of_ours_and_only_c_beside_them(event, a_session_at_work):
    loaded = modules_loaded(event, *a_session_at_work)
    assert len(ours(loaded)) == MODULES_OF_EVENT[event], sorted(ours(loaded))
    assert not [name for name in loaded - C_MODULES if name != "door" and not house.is_ours(name)]


def test_a_check_in_a_pipe_loads_the_marks_and_no_expressions(a_session_at_work):
    shown = {"tool_input": {"command": "make test | tail -3"}, "tool_response": {"stdout": "2 passed in 0.10s", "stderr": ""}}
    more = {
        f"ralph_mem.core.{room}"
        for room in "command_lines.exit_codes command_lines.outcomes outputs.marks redaction.labels redaction.terminal".split()
    }
    loaded = modules_loaded("post-tool-use", *a_session_at_work, **shown)
    assert ours(loaded) - ours(modules_loaded("post-tool-use", *a_session_at_work)) == more


def test_the_door_knows_the_packages_of_the_hot_rooms():
    door = (ROOT / "hooks" / "door.py").read_text()
    packages = [module for module, path in house.modules(ROOT).items() if path.name == "__init__.py"]
    assert not [each for each in packages if any(house.belongs(each, room) for room in HOT) and f'"{each}"' not in door]


def test_the_driver_sees_what_an_event_loads(tmp_path):
    run = tmp_path / "run.py"
    run.write_text("import posix, wave\nposix._exit(0)\n")
    order = [os.path.realpath(sys.executable), "-I", "-S", "-W", "ignore", "-c", DRIVER, tmp_path / "loaded", run, "stop"]
    subprocess.run(order, check=True, timeout=30)
    assert "wave" in (tmp_path / "loaded").read_text().split()


# What the client reads


def handlers():
    described = [json.loads(file.read_text())["hooks"].items() for file in HOOKS_FILES]
    return [(event, handler) for events in described for event, groups in events for group in groups for handler in group["hooks"]]


COMMAND = re.compile(r'set -- "\$\{CLAUDE_PLUGIN_ROOT-\}/hooks/run" ([a-z-]+);\[ ! -r "\$1" \]\|\|\. "\$1"')


def named_by(handler):
    """Return the event that a hook's command names."""
    return COMMAND.fullmatch(handler["command"])[1]


def test_both_manifests_are_equal():
    assert (ROOT / "plugin.json").read_bytes() == (ROOT / ".claude-plugin" / "plugin.json").read_bytes()


def test_what_an_older_client_knows_stands_in_the_file_that_it_reads():
    beside = [file for file in HOOKS_FILES if file.name != "hooks.json"]
    assert json.loads((ROOT / "plugin.json").read_text())["hooks"] == [f"./hooks/{file.name}" for file in beside]
    assert [list(json.loads(file.read_text())["hooks"]) for file in beside] == [["PostCompact"], ["UserPromptExpansion"]]


def test_versions_agree_everywhere():
    manifest = json.loads((ROOT / "plugin.json").read_text())
    listed = json.loads((ROOT / ".claude-plugin" / "marketplace.json").read_text())["plugins"]
    headings = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert {manifest["version"], *(plugin.get("version", manifest["version"]) for plugin in listed)} == {ralph_mem.__version__}
    assert headings[0] == ralph_mem.__version__


def test_the_hooks_name_the_events_that_there_are():
    assert sorted(named_by(handler) for _, handler in handlers()) == sorted([*host.OF_EVENT, session.EXPANSION])
    assert sorted(host.OF_EVENT) == sorted(FIELDS_OF_EVENT)


# A loop in a session runs its checks at a stop, and before its first iteration; every other event is over in a moment.
LONGEST_S = {"Stop": 3600, "UserPromptExpansion": 600}


@folded(("event", "handler"), handlers())
def test_a_hook_is_called_by_its_name_with_a_short_timeout(event, handler):
    assert handler.keys() == {"type", "command", "timeout"}
    assert named_by(handler) == re.sub(r"(?<!^)(?=[A-Z])", "-", event).lower()
    assert 0 < handler["timeout"] <= LONGEST_S.get(event, 10)


def test_the_server_is_started_by_the_command_of_a_hook_in_a_shell():
    (declared,) = json.loads((ROOT / ".mcp.json").read_text())["mcpServers"].values()
    word, line = declared["args"]
    assert (declared["command"], word, COMMAND.fullmatch(line)[1]) == ("sh", "-c", server.NAME)


def test_the_matcher_of_typed_commands_names_those_that_there_are():
    (group,) = json.loads((ROOT / "hooks" / "user-prompt-expansion.json").read_text())["hooks"]["UserPromptExpansion"]
    typed = re.compile(group["matcher"])
    assert all(typed.search(f"ralph-mem:{name}") for name in (*skills.NAMES, *session.FOLDERS))
    assert not any(
        typed.search(name)
        for name in ("ralph-mem:remembering", "other:mem-search", "ralph-mem:mem-searching", "ralph-mem:memory", "ralph-mem:ralphs")
    )


@pytest.mark.parametrize("name", [*skills.NAMES, "remembering"])
def test_a_skill_has_its_name_and_says_when_to_use_it(name):
    folder = {told: folder for folder, told in session.FOLDERS.items()}.get(name, name)
    _, front, body = (ROOT / "skills" / folder / "SKILL.md").read_text().split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    assert fields["name"] == name
    assert 40 < len(fields["description"]) < 300
    assert 7 < len(body.splitlines()) < 60
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
    shutil.copy(ROOT / "hooks" / "run", hooks)
    (hooks / "run.py").write_text("import sys\nprint(sys.argv)\n")
    (hooks / missing).unlink(missing_ok=True)
    handler = next(handler for _, handler in handlers() if named_by(handler) == name)
    environment = {"PATH": os.environ["PATH"], "CLAUDE_PLUGIN_ROOT": str(hooks.parent)}
    run = subprocess.run(["/bin/sh", "-c", handler["command"]], capture_output=True, text=True, timeout=10, env=environment)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout == (f"{[f'{hooks}/run.py', name]}\n" if missing == "nothing" else "")


# How big things are, and what they are called


def test_no_room_is_too_large():
    assert not house.large_rooms(ROOT, lines=LARGEST_ROOM)


@pytest.mark.check
def test_nine_functions_in_ten_are_short():
    assert not house.long_functions(ROOT, p90=P90_OF_FUNCTIONS)


def test_every_room_has_a_noun_for_a_name():
    assert not house.empty_names(ROOT, SAYS_NOTHING)


def test_a_module_begins_with_one_plain_sentence():
    assert not house.unclear_docstrings(ROOT, TOLD_PLAINLY)


def test_the_root_folder_is_a_table_of_contents():
    assert not house.unexpected_at_the_top(ROOT, AT_THE_TOP)
