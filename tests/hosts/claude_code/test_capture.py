"""What is worth keeping of a tool call: what changes or runs something, distilled; of the rest a path at most."""

import json

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings.effective import DEFAULTS
from ralph_mem.hosts.claude_code import event as host
from ralph_mem.hosts.claude_code.event import Event
from ralph_mem.memory import activities
from ralph_mem.memory.rows import shingles
from tests.folded import folded

SHOP = Project("/shop")
SETTINGS = {**DEFAULTS, "privacy.exclude_paths": ["secret/", "*.private"]}


def observed(tool="Bash", response=None, **fields):
    """Return the record of a tool call; fields that are no part of an event are its input."""
    known = {"error", "is_interrupt", "duration_ms", "prompt_id", "agent_id", "agent_type", "tool_use_id"} & fields.keys()
    given = {key: value for key, value in fields.items() if key not in known}
    event = {"session_id": "s", "tool_name": tool, "tool_input": given, "tool_response": response, "tool_use_id": "t"}
    return captured("post-tool-use", {**event, **{key: fields[key] for key in known}})


def captured(name, fields):
    """Return the first record that an event leaves, None for one that leaves nothing."""
    return next(iter(all_captured(name, fields)), None)


def all_captured(name, fields):
    seen = host.activity(Event(name, {"session_id": "s", **fields}))
    return activities.records(seen, SHOP, SETTINGS) if seen else []


def ran(command, stdout="", **fields):
    return observed(command=command, response={"stdout": stdout, "stderr": ""}, **fields)


def picked(record, *names):
    return tuple(record[name] for name in names) if record else None


# Commands

LOOKING = """
ls
ls -la src
cat a.py
cd src && ls
head -20 a.py | tail -5
grep -rn lamp . | head
pwd; ls
/bin/ls
git status
git log --oneline | head
git diff HEAD~1
find . -name '*.py' | wc -l
cat a & cat b
grep -i lamp a.py
cat my-index.txt
ls -il
ls src 2>/dev/null
cat a 2>&1 | head
git -C src log
git --no-pager diff
sed -n '1,80p' a.py
""".strip().splitlines()
DOING = """
cat a | python -
ls && rm a
cat a > b
cat $(rm a)
find . -delete
find . -exec rm {} +
echo `rm a`
mv a b
sed -i s/a/b/ a.py
git commit -m lamp
git
cat <(rm a)
cat a || rm b
cat a; rm b
tee b
rm b & ls
git branch -D side
git remote add fork url
git checkout side
ls | xargs rm
""".strip().splitlines()


@folded("command", [*LOOKING, "rg lamp\nfd fuse"])
def test_a_command_that_only_looks_leaves_nothing(command):
    assert ran(command, "what it printed") is None


@folded("command", [*DOING, "ls\nrm b"])
def test_a_command_that_does_something_is_kept(command):
    assert picked(ran(command, "done"), "title", "content", "tool_name") == (" ".join(command.split()), "done", "Bash")


def test_a_command_that_looks_and_fails_is_kept():
    record = ran("cat gone.py", error="Exit code 1\ncat: gone.py: No such file or directory")
    assert picked(record, "type", "title") == ("error", "cat gone.py")


CHECKS = """
make test
pytest -q
python -m pytest tests
npm test
npm run lint
cargo test
cargo build
ruff check .
mypy
go test ./...
make
cd src && pytest
CI=1 npm test
./gradlew check
tox -e py311
npx jest
tsc --noEmit
timeout 60 pytest -q
poetry run python -m pytest
node --test
cargo fmt --check
docker compose exec web pytest -q
conda run -n shop pytest -q
micromamba run --prefix env/test python -m pytest
gcc -c lamp.c
""".strip().splitlines()
NO_CHECKS = """
mv a b
git commit -m 'Add a test'
git add tests/test_lamp.py
rm -rf build
pip install pytest
docker pull lamp:latest
mkdir tests
cp build/lamp .
echo 'make lamps' > b
git push origin lint-fixes
touch checklist.md
git checkout -b build
npm install -D jest
conda activate latest
conda install pytest
conda run -n test python train.py
python make_lamps.py > test.txt
""".strip().splitlines()


@folded("command", CHECKS)
def test_a_check_that_passes_is_a_success(command):
    assert picked(ran(command, "3 passed"), "type", "origin", "content") == ("success", "test", "3 passed")


@folded("command", NO_CHECKS)
def test_a_command_that_checks_nothing_is_no_success(command):
    assert picked(ran(command, "ok"), "type", "origin") == ("tool_use", "tool")


FOREIGN = {
    "a text": "3 failed",
    "nothing": None,
    "an empty mapping": {},
    "a list": [{"type": "text", "text": "1 failed"}],
    "text for the model": {"llmContent": "Exit Code: 3", "returnDisplay": "3 failed"},
    "another client's result": {"result_type": "success", "text_result_for_llm": "exit code 3"},
    "one stream alone": {"stdout": "3 failed"},
    "streams that are no text": {"stdout": ["3 failed"], "stderr": None},
    "an exit code": {"stdout": "3 failed", "stderr": "", "exit_code": 3},
    "an interruption": {"stdout": "", "stderr": "", "interrupted": True},
}


@pytest.mark.parametrize("response", FOREIGN.values(), ids=FOREIGN)
def test_a_response_of_another_shape_than_claude_codes_claims_no_outcome(response):
    assert observed(command="pytest -q", response=response)["type"] == "tool_use"


@pytest.mark.parametrize("error", [None, {"message": "Exit code 1"}, ["Exit code 1"], 1])
def test_a_failure_that_does_not_say_its_error_is_no_success(error):
    response = {"stdout": "3 failed", "stderr": ""}
    fields = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": response, "error": error}
    assert captured("post-tool-use-failure", fields)["type"] == "tool_use"


def test_a_check_in_the_background_is_no_success():
    record = observed(command="make test", response={"stdout": "", "backgroundTaskId": "b1"})
    assert picked(record, "type", "origin") == ("tool_use", "test")


def test_a_failure_has_its_exit_code_and_its_error_lines():
    record = ran("make test", error="Exit code 2\ncollecting\nE   assert 1 == 2\n\nFAILED test_lamp.py\n1 failed")
    assert picked(record, "type", "origin") == ("error", "test")
    assert json.loads(record["metadata"]) == {"exit": 2}
    assert record["lines"].splitlines() == ["E   assert 1 == 2", "FAILED test_lamp.py", "1 failed"]


@pytest.mark.parametrize(
    ("error", "metadata", "lines"),
    [
        ("Exit code 1", {"exit": 1}, "Exit code 1"),
        ("Exit code 137\nKilled", {"exit": 137}, "Killed"),
        ("Exit code one\nhm", None, "hm"),
        ("Command timed out after 2m", None, "Command timed out after 2m"),
    ],
)
def test_a_failure_without_error_lines_says_its_last_one(error, metadata, lines):
    record = ran("./lamps", error=error)
    assert (json.loads(record["metadata"] or "null"), record["lines"]) == (metadata, lines)


def test_an_error_line_of_any_length_is_said():
    record = ran("make test", error="Exit code 1\nerror: " + "x" * 5000 + "\nerror: no fuse\nbye")
    assert record["lines"].splitlines()[-1] == "error: no fuse"


def test_an_interrupted_command_is_no_error():
    record = ran("make test", error="Interrupted by the user", is_interrupt=True)
    assert picked(record, "type", "lines") == ("tool_use", "")
    assert json.loads(record["metadata"]) == {"interrupted": True}


@pytest.mark.parametrize(
    ("took", "kept"), [(1200, 1200), (1000.5, 1000.5), (999, None), (True, None), ("1200", None), (None, None)]
)
def test_the_time_a_command_took_is_kept_from_a_second_on(took, kept):
    assert json.loads(ran("mv a b", duration_ms=took)["metadata"] or "{}").get("ms") == kept


FETCHING = """
curl https://lamps.example
cd /tmp && wget -q x
(gh pr view 7)
cat u | xargs curl
/usr/bin/curl x
PRICE=$(curl x) && echo $PRICE
bash -c 'curl -s https://lamps.example'
env A=1 B=2 C=3 curl x
timeout -k 5 10 curl x
""".strip().splitlines()


@folded("command", FETCHING)
def test_what_strangers_wrote_is_tainted(command):
    assert picked(ran(command, "buy lamps"), "tainted", "origin", "type") == (1, "outside", "tool_use")


@pytest.mark.parametrize(
    "command",
    [
        *("curl -s http://localhost:3000/health", "curl 127.0.0.1:8080", "wget http://[::1]:80/x", "curl http://me:pw@localhost/x"),
        *(
            'curl -H "Host: lamps.example" localhost:3000',
            "curl -s localhost:3000/static/app.js -o out.json",
            "curl localhost > a.json",
        ),
        *("curl -w '%{http_code}' -o /dev/null -s localhost:3000", "curl -d '{\"a\": 1}' localhost:3000/api 2>/dev/null"),
    ],
)
def test_a_server_of_ones_own_is_not_outside(command):
    assert picked(ran(command, "ok"), "tainted", "origin") == (0, "tool")


@pytest.mark.parametrize(
    "command",
    [
        *("curl http://localhost.lamps.example/", "curl http://localhost@lamps.example/", "curl localhost http://lamps.example"),
        *("curl http://lamps.example/127.0.0.1", "curl http://127.0.0.1.lamps.example:80/", "curl localhost:80 lamps.example/x"),
        *("curl http://localhost:8888/https://evil/x", "curl localhost:80 evil/x", "wget -qO- localhost:80 lamps.example"),
        *(
            "curl localhost:80 $URL",
            "curl -sO lamps.example/x localhost:80",
            "curl localhost/?u=lamps.com/x",
            "curl -x evil:80 localhost",
        ),
        *("curl --url=lamps.example localhost", "curl --resolve localhost:80:1.2.3.4 http://localhost/"),
    ],
)
def test_a_stranger_who_looks_like_this_machine_is_outside(command):
    assert picked(ran(command, "ok"), "tainted", "origin") == (1, "outside")


@folded(
    "command",
    """
gh pr create --fill --body 'see https://lamps.example/7'
gh -R ada/shop pr merge 13 --squash
gh run watch --exit-status
gh auth status
gh workflow run ci.yml
gh release create v1 dist/lamps.whl
glab mr create --fill
wget -q https://lamps.example/lamps.tgz
curl -fsS -o /dev/null -w '%{http_code}' https://staging.lamps.example/
curl -sSLO https://lamps.example/lamps.zip
""".strip().splitlines(),
)
def test_what_only_acts_on_another_machine_is_no_page(command):
    assert picked(ran(command, "done"), "tainted", "origin") == (0, "tool")


@folded(
    "command",
    """
gh run view 3 --log
gh pr diff 7
gh pr checkout 7
gh pr create --body "$(gh issue view 7)"
curl -s https://lamps.example/lamps.tgz | tar xzO
curl -o /dev/null https://lamps.example https://evil.example
wget -qO- https://lamps.example/lamps.tgz
curl -so README.md https://lamps.example/
""".strip().splitlines(),
)
def test_what_shows_something_of_another_machine_is_a_page(command):
    assert picked(ran(command, "buy lamps"), "tainted", "origin") == (1, "outside")


def test_a_command_of_our_own_is_not_tainted():
    assert picked(ran("python curls.py", "ok"), "tainted", "origin") == (0, "tool")


def test_output_is_kept_within_limits_with_its_beginning_and_end():
    record = ran("./lamps", "first\n" + "line\n" * 5000 + "last")
    assert len(record["content"]) <= 1200
    assert record["content"].startswith("first\n") and record["content"].endswith("\nlast") and "[...]" in record["content"]


def test_a_title_is_one_line_of_limited_length():
    title = ran("mv a \\\n   b " + "x" * 999)["title"]
    assert title.startswith("mv a \\ b xxx") and len(title) == 300


def test_paths_inside_the_project_are_told_from_its_root():
    assert picked(ran("rm /shop/src/a.py", "removed /shop/src/a.py"), "title", "content") == ("rm src/a.py", "removed src/a.py")


@pytest.mark.parametrize(
    ("response", "content"),
    [
        ("text", "text"),
        ({"stdout": "out", "stderr": "err"}, "out\nerr"),
        ({"stdout": "", "stderr": "err"}, "err"),
        ({"stdout": 7}, ""),
        (None, ""),
        ([1], ""),
    ],
)
def test_output_comes_in_several_shapes(response, content):
    assert observed(command="mv a b", response=response)["content"] == content


@pytest.mark.parametrize("command", ["", None, 7, ["ls"]])
def test_a_call_without_a_command_leaves_nothing(command):
    assert observed(command=command) is None


# Edits

HUNK = {"oldStart": 1, "lines": [" same", "-old = 1", "+new = 2", "+more", " same"]}
OUTLINED = '"""Lamps."""\nimport os\n\nclass Lamp:\n    def light(self):\n        return "secret sauce"\n\ndef off():\n    pass\n'


@pytest.mark.parametrize("tool", ["Edit", "Write", "MultiEdit"])
def test_an_edit_is_its_changed_lines(tool):
    record = observed(
        tool, {"structuredPatch": [HUNK, HUNK]}, file_path="/shop/src/a.py", old_string="x", new_string="y", content="z"
    )
    assert picked(record, "title", "files", "type") == ("src/a.py", "src/a.py", "tool_use")
    assert record["content"] == "-old = 1\n+new = 2\n+more\n-old = 1\n+new = 2\n+more"


def test_an_edit_without_a_patch_is_what_was_asked_for():
    record = observed("Edit", {}, file_path="/shop/a.py", old_string="old\nlines", new_string="new")
    assert record["content"] == "-old\n-lines\n+new"


def test_a_new_file_is_its_outline_and_never_its_whole():
    record = observed("Write", {"type": "create", "structuredPatch": []}, file_path="/shop/lamp.py", content=OUTLINED)
    assert record["content"] == "new file, 9 lines\nclass Lamp:\ndef light(self):\ndef off():"


def test_not_even_a_file_of_headings_is_kept_whole():
    content = "".join(f"const LAMP_{number} = {number}\n" for number in range(200))
    kept = observed("Write", {"structuredPatch": []}, file_path="/shop/lamp.js", content=content)["content"].splitlines()
    assert (kept[0], kept[-1], len(kept)) == ("new file, 200 lines", "const LAMP_29 = 29", 31)


def test_a_cell_of_a_notebook_is_an_edit():
    record = observed("NotebookEdit", {}, notebook_path="/shop/a.ipynb", new_source="def lamp():\n    pass\nsecret = 1")
    assert picked(record, "title", "files") == ("a.ipynb", "a.ipynb")
    assert "secret" not in record["content"]


@pytest.mark.parametrize(
    ("tool", "response", "given"),
    [
        ("NotebookEdit", {}, {"notebook_path": "/shop/a.ipynb", "new_source": "x = 2"}),
        ("NotebookEdit", {}, {"notebook_path": "/shop/a.ipynb", "new_source": "", "edit_mode": "delete"}),
        ("Write", {"type": "update", "structuredPatch": []}, {"file_path": "/shop/a.py", "content": "x = 2"}),
    ],
)
def test_a_file_that_was_there_is_no_new_one(tool, response, given):
    assert "new file" not in observed(tool, response, **given)["content"]


def test_a_long_edit_is_shortened():
    patch = [{"lines": [f"+line {number}" for number in range(999)]}]
    content = observed("Edit", {"structuredPatch": patch}, file_path="/shop/a.py")["content"]
    assert len(content) <= 1500 and content.startswith("+line 0\n") and content.endswith("+line 998")


@pytest.mark.parametrize("patch", [7, "text", [7, None], [{"lines": 7}], [{"lines": [7, None]}], [{}], {}])
def test_a_patch_of_an_unknown_shape_is_survived(patch):
    assert observed("Edit", {"structuredPatch": patch}, file_path="/shop/a.py", new_string="new")["content"] == "+new"


def test_an_edit_that_failed_is_an_error_and_changed_no_file():
    record = observed("Edit", file_path="/shop/a.py", error="String to replace not found")
    assert picked(record, "type", "title", "content", "files") == ("error", "a.py", "String to replace not found", "")


@pytest.mark.parametrize("name", ["two words.py", "new\nline.py", "tab\there.py", "ünï.py", "a'b\".py"])
def test_a_file_of_any_name_is_one_line(name):
    record = observed("Edit", {}, file_path=f"/shop/{name}", new_string="new")
    assert len(record["files"].splitlines()) == len(record["title"].splitlines()) == 1


# Secret and excluded files


@pytest.mark.parametrize("name", [".env", "config/.env.local", "server.pem", ".ssh/id_ed25519", "home/.aws/credentials", ".npmrc"])
def test_of_a_secret_file_only_its_name_is_kept(name):
    for fields in ({"old_string": "a", "new_string": "hunter2"}, {"content": "# hunter2"}, {"error": "not found: hunter2"}):
        record = observed("Edit", {"structuredPatch": [{"lines": ["+hunter2"]}]}, file_path=f"/shop/{name}", **fields)
        assert record["title"] == name
        assert "hunter2" not in json.dumps(record), fields


@pytest.mark.parametrize(
    "command", ["source .env && deploy", "deploy --key=server.pem", "python x.py <secret/a.txt", "deploy ./secret/a"]
)
def test_what_a_command_prints_about_a_secret_file_is_not_kept(command):
    assert "hunter2" not in json.dumps([ran(command, "hunter2"), ran(command, error="Exit code 1\nerror: hunter2")])


@pytest.mark.parametrize("path", ["/shop/secret/a.py", "/shop/src/secret/deep/a.py", "/shop/notes.private"])
@pytest.mark.parametrize("tool", ["Edit", "Write", "Read", "Grep"])
def test_an_excluded_path_leaves_nothing(tool, path):
    assert captured("post-tool-use", {"tool_name": tool, "tool_input": {"file_path": path, "content": "x"}}) is None


@pytest.mark.parametrize("path", ["/shop/secret/a.py", "/shop/.env"])
def test_a_tool_of_another_server_keeps_no_text_of_a_secret_file(path):
    record = observed("mcp__files__read", {"content": [{"type": "text", "text": "hunter2"}]}, path=path)
    assert "hunter2" not in json.dumps(record)


# Reading


@pytest.mark.parametrize(
    ("given", "files"),
    [
        ({"file_path": "/shop/src/a.py"}, "src/a.py"),
        ({"path": "/shop/src", "pattern": "*.py"}, "src"),
        ({"file_path": "/etc/hosts"}, "/etc/hosts"),
        ({"file_path": "/shop/.env"}, ".env"),
        ({"path": "/shop"}, None),
        ({"pattern": "lamp"}, None),
        ({"file_path": 7}, None),
    ],
)
def test_what_was_looked_at_is_a_path(given, files):
    record = captured("post-tool-use", {"tool_name": "Read", "prompt_id": "p", "tool_input": given})
    assert picked(record, "verb", "turn", "files") == (("files", "prompt:p", files) if files else None)


@pytest.mark.parametrize("tool", ["TodoWrite", ""])
def test_other_tools_are_not_captured(tool):
    assert observed(tool, "a memory", file_path="/shop/a.py", query="lamp") is None


@pytest.mark.parametrize("tool", ["Read", "Glob", "Grep", "LS"])
def test_a_file_that_could_not_be_read_is_no_news(tool):
    assert (
        captured("post-tool-use-failure", {"tool_name": tool, "tool_input": {"file_path": "/shop/a.py"}, "error": "gone"}) is None
    )


# The web, other servers, subagents


@pytest.mark.parametrize(
    ("tool", "given", "response", "title", "content"),
    [
        (
            "WebFetch",
            {"url": "https://lamps.example", "prompt": "prices?"},
            "cheap",
            "WebFetch: https://lamps.example prices?",
            "cheap",
        ),
        ("WebSearch", {"query": "lamps", "max": 3}, {"results": [{"title": "a"}, "b"]}, "WebSearch: lamps", "a\nb"),
        ("mcp__shop__list", {}, [{"type": "text", "text": "lamps"}], "mcp__shop__list:", "text\nlamps"),
        ("mcp__shop__list", {}, None, "mcp__shop__list:", ""),
    ],
)
def test_what_the_web_and_other_servers_say_is_tainted(tool, given, response, title, content):
    record = observed(tool, response, **given)
    assert picked(record, "title", "content", "origin", "tainted") == (title, content, "outside", 1)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        *(("mcp__linear__update_issue", {"id": "SHOP-7"}), ("mcp__atlassian__addCommentToJiraIssue", {"id": "SHOP-7"})),
        *(("mcp__notion__notion-create-page", {"title": "lamps"}), ("mcp__serena__rename_symbol", {"name": "lamps"})),
        ("mcp__playwright__browser_navigate", {"url": "http://localhost:3000"}),
    ],
)
def test_of_a_tool_of_another_server_that_acts_or_asks_this_machine_only_the_call_is_kept(tool, given):
    record = observed(tool, [{"type": "text", "text": "buy lamps"}], **given)
    assert picked(record, "title", "content", "origin", "tainted") == (f"{tool}: {' '.join(given.values())}", "", "tool", 0)


@pytest.mark.parametrize(
    ("tool", "given"),
    [
        *(("mcp__linear__get_updates", {}), ("mcp__shop__get_post", {}), ("mcp__x", {}), ("mcp__shop__", {})),
        ("mcp__playwright__browser_navigate", {"url": "http://localhost@lamps.example"}),
        ("mcp__playwright__browser_open", {"url": "http://localhost", "next": "https://lamps.example"}),
        ("WebFetch", {"url": "http://localhost:3000"}),
    ],
)
def test_what_a_tool_of_another_server_shows_is_tainted(tool, given):
    assert picked(observed(tool, "buy lamps", **given), "origin", "tainted") == ("outside", 1)


OURS = [("plugin:ralph-mem:mem", "plugin"), ("ralph-mem", "user"), ("ralph-mem", "local")]
NOT_OURS = [
    *(("ralph-mem", "project"), ("ralph-mem", "plugin"), ("plugin:ralph-mem:mem", "project"), ("plugin:other:mem", "plugin")),
    *(("ralph-mem-notes", "user"), ("plugin:ralph-memory:mem", "plugin"), ("ralph-mem", None), (None, "plugin"), (7, "user")),
]
FOUND = "turn-aaaaaaaaaa  turn  2026-01-01 12:00  Where is the lamp? -> In the hangar.  [9 tokens]"
FETCHED = "obs-aaaaaaaaaa  tool_use  2026-01-01 12:00  WebFetch: https://lamps.example buy seven of these lamps  [from outside]"


def recalled(server, *lines, tool="mcp__plugin_ralph-mem_mem__search", taken_by=captured):
    """Return the record of an answer of the server that a client calls so."""
    text = "\n".join(["<ralph-mem-aa>", *lines, "</ralph-mem-aa>"])
    name, source = server
    return taken_by(
        "post-tool-use",
        {
            "tool_name": tool, "tool_input": {"query": "lamp"}, "tool_response": [{"type": "text", "text": text}],
            "mcp_server": {"name": name, "source": source},
        },
    )  # fmt: skip


@pytest.mark.parametrize("server", OURS)
@pytest.mark.parametrize("tool", ["mcp__plugin_ralph-mem_mem__search", "mcp__lamps__list", "mcp__x"])
def test_what_our_own_server_found_is_not_captured_whatever_its_tool_is_called(server, tool):
    assert recalled(server, FOUND, tool=tool) is None


@pytest.mark.parametrize("server", NOT_OURS)
def test_what_another_server_says_under_the_name_of_our_tool_is_from_outside(server):
    assert picked(recalled(server, FOUND), "origin", "tainted", "content") == ("outside", 1, "text")


def test_without_the_name_of_a_server_a_tool_is_somebody_elses():
    assert picked(observed("mcp__plugin_ralph-mem_mem__search", "lamps", query="lamp"), "origin", "tainted") == ("outside", 1)


@pytest.mark.parametrize("server", OURS)
def test_where_our_own_server_named_what_came_from_outside_only_that_is_noted(server):
    record, heard = recalled(server, FOUND, FETCHED, taken_by=all_captured)
    assert picked(record, "origin", "tainted", "title", "content") == ("outside", 1, "mcp__plugin_ralph-mem_mem__search", "")
    assert heard["hashes"] == shingles.of(FETCHED)[0] != "" and "lamps.example" not in json.dumps([record, heard])


def test_what_our_own_server_refused_is_not_captured():
    failed = {"tool_name": "mcp__x", "tool_input": {}, "error": "no", "mcp_server": {"name": OURS[0][0], "source": "plugin"}}
    assert captured("post-tool-use-failure", failed) is None


def test_what_a_server_says_when_it_fails_is_tainted_too():
    assert picked(observed("mcp__shop__list", error="no lamps"), "content", "tainted") == ("no lamps", 1)


@pytest.mark.parametrize("tool", ["Agent", "Task"])
def test_an_errand_is_kept_with_what_was_asked(tool):
    record = observed(tool, "report", description="count lamps", prompt="Count the lamps " + "x" * 5000)
    assert record["title"] == "subagent: count lamps"
    assert record["content"].startswith("Count the lamps") and len(record["content"]) <= 1200


# The record


def test_a_record_names_its_event_its_turn_and_its_agent():
    record = ran("mv a b", prompt_id="p", agent_id="a1", agent_type="Explore")
    assert picked(record, "verb", "event_id", "turn", "session", "agent_id", "agent_type") == (
        "observation", "t", "prompt:p", "s", "a1", "Explore",
    )  # fmt: skip


def test_a_secret_is_cut_out_and_counted():
    secret = "ghp_" + "a1B2" * 9
    record = ran(f"deploy {secret}", f"with {secret}")
    assert secret not in json.dumps(record)
    assert json.loads(record["redactions"]) == {"github-token": 2}
