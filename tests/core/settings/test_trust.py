"""What of a project's config counts before a person has approved it, and what an approval holds for."""

import os

import pytest

from ralph_mem.core import hashing, notices, paths
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective, trust
from tests.folded import folded

WIDE = "ralph.agent: [sh, -c, 'touch canary']\nmemory.inject_tokens_prompt: 900\n"


def configured(project, text):
    os.makedirs(project.folder, exist_ok=True)
    with open(project.folder + "/config.yaml", "w") as file:
        file.write(text)
    return effective.load(project)


def approved(project, text):
    trust.approve(project, trust.CONFIG, text, ["shown"])
    return configured(project, text)


TIGHTENS = (
    "recording: off", "mcp: off", "memory.auto_inject: off", "memory.tell: quiet",
    "memory.remember: []", "memory.learn: off", "memory.relations: off", "memory.mining: off", "memory.worker: off",
    "memory.inject_tokens_prompt: 1", "memory.inject_tokens_start: 0",
    "memory.retention_days: 2", "memory.max_observations: 7", "search.max_results: 1", "search.default_layer: 1",
    "team.max_items: 1",
    "ralph.max_iterations: 1", "ralph.max_duration_ms: 1000", "ralph.max_cost_cents: 1", "ralph.cooldown_ms: 5000",
    "ralph.iteration_ms: 1000", "ralph.silence_ms: 1000",
    "ralph.no_progress_threshold: 1", "ralph.timeout_s: 1", "ralph.prompt_tokens: 500", "ralph.memory: off",
    "ralph.apply: never", "ralph.tampering: 0",
    "ralph.success_criteria: [lint_clean]", "ralph.protect: [a]", "privacy.exclude_paths: [a]",
    "privacy.redact_patterns: ['ACME-[0-9]{9}']",
)  # fmt: skip
WIDENS = (
    "memory.show: off", "memory.remember: [please]",
    "recording: on", "memory.inject_tokens_prompt: 601", "memory.inject_tokens_start: 9000", "memory.retention_days: 31",
    "memory.max_observations: 1001", "memory.auto_compress: off", "search.max_results: 11", "search.default_layer: 3",
    "team.max_items: 50001",
    "memory.model_budget_cents: 1",
    "ralph.iteration_ms: 900001", "ralph.silence_ms: 720001",
    "ralph.max_iterations: 11", "ralph.max_duration_ms: 86400000", "ralph.cooldown_ms: 0", "ralph.no_progress_threshold: 4",
    "ralph.timeout_s: 601", "ralph.prompt_tokens: 6001", "ralph.auto_rollback: on", "ralph.success_criteria: ['custom=touch x']",
    "ralph.success_criteria: ['test_pass=touch x']", "ralph.success_criteria: [marker]", "ralph.success_criteria: [custom]",
    "ralph.here: on", "ralph.room_copy_mb: 1", "ralph.agent: [sh]", "ralph.allow: ['Bash(*)']", "ralph.notify: [sh]",
    "snapshot.include_ignored: ['*']", "ralph.git_backup_mb: 0", "ralph.may_change: [tests]",
    "ralph.tampering: 3",
    "snapshot.max_file_mb: 1", "snapshot.quota_mb: 10", "memory.quota_mb: 100000", "privacy.redact_patterns: ['(a+)+$']",
)  # fmt: skip


@pytest.mark.parametrize("line", TIGHTENS)
def test_what_tightens_counts_unapproved_and_nothing_is_said(a_project, line):
    values = configured(a_project, line + "\n")
    assert {key: value for key, value in values.items() if value != effective.DEFAULTS.get(key)}
    assert notices.take(a_project.root) == ""


@pytest.mark.parametrize("line", WIDENS)
def test_what_widens_or_names_a_command_waits_and_is_told_once(a_project, line):
    for _ in range(2):
        assert configured(a_project, line + "\n") == effective.DEFAULTS
    key = line.partition(":")[0]
    assert f"{key} is not in force until you approve it: `ralph-mem trust` shows it" in notices.take(a_project.root)
    assert effective.load(a_project) == effective.DEFAULTS
    assert notices.take(a_project.root) == ""


@pytest.mark.parametrize("line", WIDENS)
def test_what_a_person_approved_counts(a_project, line):
    values = approved(a_project, line + "\n")
    assert {key: value for key, value in values.items() if value != effective.DEFAULTS.get(key)}
    assert notices.take(a_project.root) == ""


def test_every_setting_stands_in_one_of_the_tables():
    print(f"{len(TIGHTENS)} lines that tighten, {len(WIDENS)} that widen")
    named = {line.partition(":")[0] for line in (*TIGHTENS, *WIDENS)}
    assert named >= {*effective.DEFAULTS, "recording"} - {"ralph.max_cost_cents"}


@pytest.mark.parametrize(("theirs", "counts"), [(50, 50), (100, 100), (101, 100), (0, 100)])
def test_a_project_lowers_what_a_loop_may_cost_and_never_raises_it(theirs, counts):
    key = trust.COST
    assert {key: 100, **trust.tightened({key: theirs}, {key: 100})[0]}[key] == counts


def test_a_project_adds_to_the_persons_lists_and_takes_nothing_from_them(a_project, a_home):
    paths.make_folder(str(a_home / ".config" / "ralph-mem"))
    paths.write(str(a_home / ".config" / "ralph-mem" / "config.yaml"), "privacy.exclude_paths: [secret]\nrecording: off\n")
    values = configured(a_project, "privacy.exclude_paths: [more]\nrecording: on\n")
    assert (values["privacy.exclude_paths"], values["recording"]) == (["secret", "more"], False)


@pytest.mark.parametrize("change", [" ", "#\n", "ralph.notify: [sh]\n"])
def test_any_change_takes_an_approval_back(a_project, change):
    assert approved(a_project, WIDE)["ralph.agent"]
    assert configured(a_project, WIDE + change)["ralph.agent"] == []


def test_a_content_that_comes_back_is_still_approved(a_project):
    approved(a_project, WIDE)
    configured(a_project, "recording: off\n")
    assert configured(a_project, WIDE)["ralph.agent"] == ["sh", "-c", "touch canary"]


def test_an_approval_holds_for_one_place(a_project, tmp_path):
    approved(a_project, WIDE)
    (tmp_path / "clone").mkdir()
    assert configured(Project(str(tmp_path / "clone")), WIDE) == effective.DEFAULTS


def test_approvals_that_were_kept_for_another_place_hold_nothing_here(a_project, tmp_path):
    approved(a_project, WIDE)
    (tmp_path / "clone").mkdir()
    clone = Project(str(tmp_path / "clone"))
    os.rename(trust._path(a_project), trust._path(clone))  # as where two paths have the same key
    assert configured(clone, WIDE) == effective.DEFAULTS


def test_an_approval_holds_whichever_way_leads_to_the_place(a_project, tmp_path):
    (tmp_path / "way").symlink_to(a_project.root)
    way = Project(str(tmp_path / "way"))
    assert configured(way, WIDE)["ralph.agent"] == []
    trust.approve(a_project, trust.CONFIG, WIDE, [])
    assert effective.load(way)["ralph.agent"]
    trust.revoke(a_project)
    assert effective.load(way)["ralph.agent"] == []


def test_what_is_taken_back_acts_no_longer_not_even_as_the_last_good_value(a_project):
    approved(a_project, WIDE)
    assert trust.revoke(a_project) == 1
    assert configured(a_project, WIDE + "\tbroken") == effective.DEFAULTS


def test_a_config_with_a_key_that_is_wrong_brings_in_nothing_new(a_project):
    approved(a_project, WIDE)
    values = configured(a_project, WIDE + "privacy.redact_patterns: ['(a+)+$', 'ACME', '(']\nralph.notify: [sh]\n")
    assert (values["privacy.redact_patterns"], values["ralph.notify"], values["ralph.agent"][:1]) == (["ACME"], [], ["sh"])
    assert configured(a_project, "search.max_results: many\n")["ralph.agent"] == []  # the file says it no more


def test_a_criterion_that_is_a_mapping_waits_for_an_approval_where_it_names_a_command(a_project):
    ours = configured(a_project, "ralph:\n  success_criteria:\n    - type: lint_clean\n")
    assert ours["ralph.success_criteria"] == ["lint_clean"]
    for item in ("{type: custom, command: touch x}", "{type: test_pass, command: touch x}", "{type: marker}"):
        values = configured(a_project, f"ralph.success_criteria: [{item}]\n")
        assert values["ralph.success_criteria"] == effective.DEFAULTS["ralph.success_criteria"]


def others_may_write(path):
    os.chmod(path, 0o666)


def a_link(path):
    os.rename(path, path + ".there")
    os.symlink(path + ".there", path)


def no_json(path):
    paths.write(path, "{")


def no_map(path):
    paths.write(path, "[1]")


@pytest.mark.parametrize("spoil", [others_may_write, a_link, no_json, no_map, os.unlink], ids=lambda each: each.__name__)
def test_approvals_that_others_could_have_written_or_nobody_can_read_hold_nothing(a_project, spoil):
    approved(a_project, WIDE)
    spoil(trust._path(a_project))
    assert configured(a_project, WIDE + "\n")["ralph.agent"] == []
    assert not trust.is_approved(a_project, trust.CONFIG, WIDE)


def test_no_project_holds_its_own_approvals(a_project, the_environment):
    the_environment(XDG_DATA_HOME=a_project.root + "/data")
    assert not trust.approve(a_project, trust.CONFIG, WIDE, [])
    assert configured(a_project, WIDE) == effective.DEFAULTS


def test_the_home_folder_may_be_a_project_with_approvals(a_home):
    home = Project(str(a_home))
    assert approved(home, WIDE)["ralph.agent"]


def test_a_config_of_another_user_is_not_heard(a_project, monkeypatch):
    monkeypatch.setattr(trust, "_is_ours", lambda path: False)
    assert approved(a_project, WIDE) == effective.DEFAULTS


def test_a_file_whose_times_are_set_back_is_read_again(a_project):
    approved(a_project, "ralph.agent: [aa]\n")
    path = a_project.folder + "/config.yaml"
    before = os.stat(path)
    with open(path, "r+") as file:
        file.write("ralph.agent: [bb]\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert effective.load(a_project)["ralph.agent"] == []


def test_approvals_are_listed_with_what_was_shown(a_project):
    approved(a_project, WIDE)
    (found,) = trust.approvals()
    assert (found["kind"], found["path"], found["lines"]) == ("config", os.path.realpath(a_project.root), ["shown"])


QUICK = ("ACME", r"ACME-[0-9]{9}", r"\bkey\.\d{1,9}\b", "[a-z]{256}", "^x$", "[^ ]{9}")
SLOW = (
    "(a+)+$",
    "a*a*a*b",
    "a+",
    "(a|a)",
    "a?a?a",
    "x{1,}",
    "x{257}",
    "x{1,2}{1,2}",
    "x{2}y{2}",
    r"(a)\1",
    r"a\1",
    r"[\]+]",
    "a{,9}",
    "x" * 201,
)


@folded(("pattern", "quick"), [*[(each, True) for each in QUICK], *[(each, False) for each in SLOW]])
def test_an_expression_of_a_stranger_is_sure_to_end_soon(pattern, quick):
    assert trust.is_quick(pattern) is quick


@pytest.mark.parametrize("pattern", QUICK)
def test_a_quick_expression_is_quick_on_the_longest_text(a_project, pattern):
    values = {**effective.DEFAULTS, "privacy.redact_patterns": [pattern]}
    assert privacy.protect(["a" * 16_000], a_project, values)


def test_the_hash_and_the_hmac_are_those_of_the_library():
    import hashlib
    import hmac

    assert hashing.of("ab", "c") == hashlib.sha256(b"2:ab,1:c,").hexdigest() != hashing.of("a", "bc")
    for key in (b"", b"k" * 32, b"k" * 64):
        assert hashing.keyed(key, "text") == hmac.new(key, b"text", "sha256").hexdigest()
