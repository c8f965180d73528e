"""ralph-mem in the real client: what it remembers, what it tells again, and what it leaves alone."""

import contextlib
import hashlib
import json
import sqlite3
import subprocess

import pytest

from ralph_mem.hosts.claude_code.client import OLDEST

from .client import NoClient, copy_of, eventually, find_client
from .messages_api import call, say

CHECK = ("Bash", {"command": "python3 check_prices.py"})
FIX_PROMPT = "The ledger check is red, please find out why and repair it"
CAUSE = "every lamp was truncated to whole cents before the basket was added up"
FIX = "total() sums first and rounds half up once, as its last step"
GREEN = f"Found it: {CAUSE}. Now {FIX}. The check is green."
# Two uncommon words in common with what the first session said, and no more.
QUESTION = "A customer got an odd invoice, as if somebody had truncated figures in his basket. Has this come up?"
QUESTION_AGAIN = "And the truncated figures of that basket, whose idea was it?"
UNRELATED = "Which mountain is the highest in Bolivia?"
SUMMARY = "<analysis>short</analysis>\n<summary>Medlar: the lamps are sold out.</summary>"
NEARLY_FULL = {"input_tokens": 985_000}
REPORT = "Errand done: the ledger wants two cents more than the basket gives."


class Memory:
    """The database of a project, read beside the client."""

    def __init__(self, project):
        self.folder = project / ".ralph-mem"

    def rows(self, query, *values):
        with contextlib.closing(sqlite3.connect(f"file:{self.folder / 'memory.db'}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(query, values)]

    def sessions(self):
        return self.rows("SELECT * FROM sessions ORDER BY id")

    def turns(self):
        return self.rows("SELECT * FROM turns ORDER BY id")

    def observations(self, kind="%"):
        return self.rows("SELECT * FROM observations WHERE type LIKE ? ORDER BY id", kind)


@pytest.fixture
def memory(client, plugin, a_project):
    """Load the plugin into the client; the memory is the project's."""
    client.plugin = plugin
    return Memory(a_project)


@pytest.fixture
def a_remembered_fix(client, api, memory, a_project):
    """Let one session find a bug and repair it."""
    api.play(a_fix(a_project))
    assert client.print_mode(FIX_PROMPT).result == GREEN
    api.play({})
    return memory


@pytest.fixture
def an_untold_session(client, api, memory, a_project):
    """Let one session find a bug and repair it while an older one waits, which was told nothing of it."""
    older = client.print_mode("Good morning").session_id
    api.play(a_fix(a_project))
    client.print_mode(FIX_PROMPT)
    api.play({})
    return older


def a_fix(project):
    """Script: see the check fail, read and edit both files, see it pass, and say what it was."""
    discount, basket = str(project / "pricing" / "discount.py"), str(project / "pricing" / "basket.py")
    per_item, summed = "sum(reduced(cents, percent) for cents in prices)", "sum(reduced(c, percent) for c in prices)"
    edits = [
        ("Edit", {"file_path": discount, "old_string": "percent) // 100", "new_string": "percent)"}),
        ("Edit", {"file_path": basket, "old_string": per_item, "new_string": f"({summed} + 50) // 100"}),
    ]
    reads = [("Read", {"file_path": path}) for path in (discount, basket)]
    return {"turns": [call(CHECK), call(*reads), call(*edits), call(CHECK), say(GREEN)]}


def an_errand():
    """Script: send a subagent, which runs the check and reports."""
    given = {"description": "check", "prompt": "ERRAND: run the check", "subagent_type": "general-purpose"}
    return {
        "rules": [{"first_user": "ERRAND", "turns": [call(CHECK), say(REPORT)]}],
        "turns": [call(("Agent", {**given, "run_in_background": False})), say("The errand came back.")],
    }


def a_full_window():
    """Script: the first step fills the window, so that the client compacts by itself."""
    return {"turns": [call(CHECK, usage=NEARLY_FULL), say("Going on.")], "compact": say(SUMMARY)}


def silent_at_the_prompt(run):
    """Whether our hook was there at the prompt, and said nothing."""
    return [(answer.exit_code, answer.stdout) for answer in run.hooks("UserPromptSubmit")] == [(0, "")]


def files_of(folder, *ours):
    """Every file below a folder, those in the named folders of its first level left out."""
    paths = (path.relative_to(folder) for path in folder.rglob("*") if not path.is_dir())
    return {str(path) for path in paths if path.parts[0] not in ours}


def test_a_later_session_hears_the_cause_and_the_fix(client, api, a_remembered_fix):
    client.print_mode(QUESTION)
    assert CAUSE in api.heard() and FIX in api.heard()
    failed, passed = [row for row in a_remembered_fix.observations() if row["tool_name"] == "Bash"]
    assert failed["type"] == "error" and "LedgerMismatch" in failed["content"] + failed["lines"]
    assert passed["type"] == "success"
    assert len([row for row in a_remembered_fix.observations() if row["tool_name"] == "Edit"]) == 2


def test_an_older_session_hears_at_its_prompt_what_another_found_out(client, api, an_untold_session):
    run = client.print_mode(QUESTION, resume=an_untold_session)
    assert "truncated to whole cents" in run.hooks("UserPromptSubmit")[0].stdout
    assert CAUSE in api.heard() and FIX in api.heard()


@pytest.mark.parametrize("prompt", [UNRELATED, "continue", "yes", "hi"])
def test_a_prompt_that_asks_for_nothing_known_brings_nothing(client, api, an_untold_session, prompt):
    assert silent_at_the_prompt(client.print_mode(prompt, resume=an_untold_session))
    assert prompt in api.heard() and "UserPromptSubmit hook" not in api.heard()
    assert CAUSE not in api.heard()


def test_an_unrelated_prompt_in_a_new_session_is_left_alone(client, api, a_remembered_fix):
    assert silent_at_the_prompt(client.print_mode(UNRELATED))
    assert UNRELATED in api.heard() and "UserPromptSubmit hook" not in api.heard()


def test_a_compaction_by_hand_is_remembered_and_the_session_goes_on(client, api, memory):
    session = client.print_mode("How many lamps are there?").session_id
    api.play({"compact": say(SUMMARY)})
    client.print_mode("/compact", resume=session)
    client.print_mode("Then order some more", resume=session)
    assert [row["client_session"] for row in memory.sessions()] == [session]
    assert ["Medlar" in row["content"] for row in memory.observations("summary")] == [True]
    assert [row for row in memory.observations() if row["agent_id"]] == []
    assert [turn["prompt"] for turn in memory.turns()] == ["How many lamps are there?", "Then order some more"]


def test_a_compaction_in_the_middle_of_a_turn_leaves_one_turn(client, api, memory):
    api.play(a_full_window())
    client.print_mode("Count the lamps")
    assert len(memory.sessions()) == 1
    assert ["Medlar" in row["content"] for row in memory.observations("summary")] == [True]
    assert [row for row in memory.observations() if row["agent_id"]] == []
    assert [(turn["prompt"], turn["response"], turn["status"]) for turn in memory.turns()] == [
        ("Count the lamps", "Going on.", "stopped")
    ]


def test_after_clear_a_new_session_knows_the_work_of_the_old_one(terminal, api, memory, a_project):
    api.play(a_fix(a_project))
    with terminal() as person:
        person.say(FIX_PROMPT)
        person.wait_for("The check is green.")
        person.say("/clear")
        eventually(lambda: memory.sessions()[0]["ended_at"], otherwise=person.screen)
        api.play({"turns": [say("Welcome back.")]})
        person.say("What next?")
        person.wait_for("Welcome back.")
        person.leave()
    assert CAUSE in api.heard()
    assert [row["end_reason"] for row in memory.sessions()] == ["clear", "prompt_input_exit"]


def test_a_resumed_session_is_not_told_twice(client, api, a_remembered_fix):
    session = client.print_mode(QUESTION).session_id
    told = api.heard().count(FIX)
    api.play({})
    run = client.print_mode(QUESTION_AGAIN, resume=session)
    assert told > 0 and api.heard().count(FIX) == told
    assert silent_at_the_prompt(run)
    assert [row["client_session"] for row in a_remembered_fix.sessions()].count(session) == 1
    assert len(a_remembered_fix.sessions()) == 2


def test_a_fork_is_a_session_of_its_own_and_is_told_nothing_at_its_start(client, api, a_remembered_fix):
    session = client.print_mode("Good morning").session_id
    run = client.print_mode("And now something else", resume=session, extra_args=["--fork-session"])
    assert run.session_id != session and [hook.stdout for hook in run.hooks("SessionStart")] == [""]
    assert [(row["client_session"], row["source"]) for row in a_remembered_fix.sessions()][-1] == (run.session_id, "fork")


def test_what_was_told_at_one_prompt_is_not_told_at_the_next(client, api, an_untold_session):
    client.print_mode(QUESTION, resume=an_untold_session)
    told = api.heard().count(FIX)
    api.play({})
    assert silent_at_the_prompt(client.print_mode(QUESTION_AGAIN, resume=an_untold_session))
    assert told > 0 and api.heard().count(FIX) == told


def test_a_subagent_is_remembered_under_its_parent(client, api, memory):
    api.play(an_errand())
    session = client.print_mode("Send someone to check").session_id
    assert [row["client_session"] for row in memory.sessions()] == [session]
    by_agent = [row for row in memory.observations() if row["agent_id"]]
    assert len({row["agent_id"] for row in by_agent}) == 1
    assert any(row["tool_name"] == "Bash" and "check_prices" in row["title"] for row in by_agent)
    assert any(row["type"] == "response" and REPORT in row["content"] for row in by_agent)


def test_a_turn_broken_off_by_escape_is_closed_by_the_next_prompt(terminal, api, memory):
    api.play({"turns": [call(CHECK), say("Too late.", delay_s=30), say("Here again.")]})
    with terminal() as person:
        person.say("Check the lamps at length")
        eventually(lambda: len(api.requests("main")) == 2, otherwise=person.screen)
        person.press("Escape")
        person.wait_for("Interrupted")
        person.press("C-u")
        person.say("Something else then")
        person.wait_for("Here again.")
        person.leave()
    told = [(turn["prompt"], turn["status"], turn["response"]) for turn in memory.turns()]
    assert told[0][:2] == ("Check the lamps at length", "interrupted")
    assert told[1] == ("Something else then", "stopped", "Here again.")
    assert [row["title"] for row in memory.observations("error")] == [CHECK[1]["command"]]


@pytest.mark.parametrize("typed", ["/mem-search truncated basket", "/ralph status"])
def test_a_typed_command_is_no_prompt(client, api, memory, an_untold_session, typed):
    run = client.print_mode(typed, resume=an_untold_session)
    assert run.returncode == 0 and silent_at_the_prompt(run)
    assert (CAUSE in api.heard()) == typed.startswith("/mem-search")  # which answers, and nothing else does
    assert [turn for turn in memory.turns() if typed in turn["prompt"]] == []


def test_a_secret_that_a_command_prints_is_nowhere_on_the_disk(client, api, memory, a_project):
    made = "'ghp_' + hashlib.sha256(b'lamp').hexdigest()[:36]"
    secret = "ghp_" + hashlib.sha256(b"lamp").hexdigest()[:36]
    (a_project / "show_token.py").write_text(f"import hashlib\nprint('GITHUB_TOKEN=' + {made})\n")
    shown = [("Bash", {"command": f"python3 show_token.py {end}"}) for end in ("; true", "; false")]
    api.play({"turns": [call(shown[0]), call(shown[1]), say("It is set.")]})
    client.print_mode("Is the token set?")
    assert secret in api.text_of(api.requests("main")[-1])
    folders = [memory.folder, client.home / ".config", client.home / ".local"]
    written = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    # The index splits words and folds what they begin with: the end of the secret would stand there.
    assert written and [path for path in written if secret[-24:].encode() in path.read_bytes()] == []
    assert len([row for row in memory.observations() if "show_token.py" in row["title"]]) == 2


def test_the_client_finds_nothing_to_complain_of(client, plugin):
    run = client.validate(plugin, "--strict")
    assert run.returncode == 0, run.stdout + run.stderr


def test_the_plugin_works_installed_from_its_own_marketplace(client, plugin, a_project, tmp_path):
    copy = copy_of(plugin, tmp_path / "published")
    market = json.loads((copy / ".claude-plugin" / "marketplace.json").read_text())["name"]
    for order in (["marketplace", "add", str(copy)], ["install", f"ralph-mem@{market}"]):
        run = client.command("plugin", *order)
        assert run.returncode == 0, run.stdout + run.stderr
    client.print_mode("Good morning, lamps")
    assert [turn["prompt"] for turn in Memory(a_project).turns()] == ["Good morning, lamps"]


def test_the_session_in_which_the_plugin_is_installed_is_remembered(client, terminal, api, plugin, a_project, tmp_path):
    copy = copy_of(plugin, tmp_path / "published")
    memory = Memory(a_project)
    api.play({"turns": [say("Good morning.")]})
    with terminal() as person:
        person.say("Good morning")
        person.wait_for("● Good morning.")
        for order in (["marketplace", "add", str(copy)], ["install", "ralph-mem@ralph-mem"]):
            assert installing(client, *order) == 0
        person.say("/reload-plugins")
        person.wait_for("hooks")
        api.play(a_fix(a_project))
        person.say(FIX_PROMPT)
        person.wait_for("The check is green.")
        person.say("/clear")
        eventually(lambda: memory.sessions()[0]["ended_at"], otherwise=person.screen)
        api.play({"turns": [say("Welcome back.")]})
        person.say(QUESTION)
        person.wait_for("Welcome back.")
        assert CAUSE in api.heard() and FIX in api.heard()
        person.leave()
    assert [row["source"] for row in memory.sessions()] == ["unknown", "clear"]
    assert [turn["prompt"] for turn in memory.turns()] == [FIX_PROMPT, QUESTION]


NOTE = "/ralph-mem:mem-inject Lamps are sold by the pair"
# The last before the oldest that is supported does not know one of our events: what it knows works all the same.
OLDER = {OLDEST: ["Lamps are sold by the pair"], "2.1.114": []}


@pytest.mark.nightly
@pytest.mark.parametrize("version", OLDER)
def test_an_older_client_records_and_tells_and_the_oldest_supported_one_answers_typed_commands(
    client, api, plugin, a_project, tmp_path, version
):
    try:
        client.binary = find_client(version)
    except NoClient as missing:
        pytest.skip(str(missing))
    copy = copy_of(plugin, tmp_path / "published")
    for order in (["marketplace", "add", str(copy)], ["install", "ralph-mem@ralph-mem"]):
        assert client.command("plugin", *order).returncode == 0
    api.play(a_fix(a_project))
    session = client.print_mode(FIX_PROMPT).session_id
    api.play({"compact": say(SUMMARY)})
    client.print_mode("/compact", resume=session)
    client.print_mode(NOTE, resume=session)
    api.play({})
    client.print_mode(QUESTION)
    memory = Memory(a_project)
    assert CAUSE in api.heard() and [turn["prompt"] for turn in memory.turns() if turn["prompt"]] == [FIX_PROMPT, QUESTION]
    assert [row["type"] for row in memory.observations() if row["tool_name"] == "Bash"] == ["error", "success"]
    assert ["Medlar" in row["content"] for row in memory.observations("summary")] == [True]
    assert [row["title"] for row in memory.observations("note")] == OLDER[version]


def installing(client, *order):
    """Run the client in a shell beside a session of it; returns the exit code. `client.command` would end that session."""
    whole = [client.binary, "plugin", *order]
    return subprocess.run(whole, cwd=client.project, env=client.environment(), stdin=subprocess.DEVNULL, timeout=60).returncode


def test_a_session_leaves_no_process_and_no_file_of_its_own(client, api, memory, a_project):
    before = files_of(a_project, ".git")
    api.play(a_fix(a_project))
    client.print_mode(FIX_PROMPT)
    assert client.survivors() == client.left_behind == []
    assert files_of(a_project, ".git", ".ralph-mem") == before
    seen_by_git = subprocess.run(["git", "status", "--porcelain"], cwd=a_project, capture_output=True, text=True).stdout
    assert seen_by_git.split() == ["M", "pricing/basket.py", "M", "pricing/discount.py"]


def test_what_a_session_said_itself_takes_no_place_of_what_another_found(client, api, memory, a_project):
    older = client.print_mode("Good morning").session_id
    for customer in ("Anna", "Liam", "Petra", "Joao", "Mei"):
        client.print_mode(f"{customer} has truncated figures in the basket, note the customer", resume=older)
    api.play(a_fix(a_project))
    client.print_mode(FIX_PROMPT)
    api.play({})
    run = client.print_mode(QUESTION, resume=older)
    assert "truncated to whole cents" in run.hooks("UserPromptSubmit")[0].stdout
