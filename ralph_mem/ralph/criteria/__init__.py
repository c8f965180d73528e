"""The checks of success that a project has, which we run ourselves, and their verdicts."""

from collections import namedtuple

TEST_PASS, BUILD_SUCCESS, LINT_CLEAN, TYPE_CHECK, CUSTOM, MARKER = TYPES = (
    "test_pass", "build_success", "lint_clean", "type_check", "custom", "marker",
)  # fmt: skip

# Types of verdicts beside those of criteria: on a whole plan of tasks, and on one check of a task.
PLAN, TASK = "plan", "task"

# What a verdict may say. Vacuous: it exited with 0, but nothing, or less than before, was run.
PASSED, FAILED, VACUOUS, TIMED_OUT, BROKEN = "passed", "failed", "vacuous", "timed_out", "broken"

Criterion = namedtuple("Criterion", "type name argv folder seconds expected source definition")
Criterion.__doc__ = """One check.

`argv` is a tuple of texts, started without a shell in `folder` (an absolute path) and ended after `seconds`. `expected` is an
exit code (mostly 0), or a text that the output must hold. `name` tells it from others of its type, such as `pytest -q`;
`source` is the file that told of it, as seen from the project, or `--criteria` or `config`; `definition` is what that file
says, such as the script behind `npm test`: with argv it makes the hash that a person accepts. A marker has no argv.
"""

Verdict = namedtuple("Verdict", "type name status why total failing skipped diagnostics excerpt seconds flaky")
Verdict.__doc__ = """The outcome of one criterion, with its evidence; `_asdict` is plain JSON and `Verdict(**that)` reads it again.

`status` is one of those above, `why` a line for people. `total`, `failing`, `skipped` and `diagnostics` are those of `Report`
(`skipped` a list). `excerpt` is the part of the output that says what is wrong, redacted, at most 4,000 characters. `flaky`
lists the ids that failed and then passed on the same files.
"""


def passed(verdicts: "list[Verdict]") -> bool:
    """Say whether every criterion passed; nothing to pass is no success."""
    return bool(verdicts) and all([verdict.status == PASSED for verdict in verdicts])
