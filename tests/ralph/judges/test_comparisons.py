"""What a check compares with, and what it goes through, decides as the check itself does."""

from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.judges import comparisons, named
from tests.folded import folded

THERE = {"cases/a.out": "A\n", "ref.txt": "A\n", "report.txt": "B\n", "suite.txt": "a\n", "sub/ref.txt": "A\n", "VERSION": "1\n"}
COMPARED = (
    ("./prog <cases/a.in | diff -u - ref.txt", "ref.txt"),
    ("./prog >got.txt; cmp got.txt ref.txt", "ref.txt"),
    ("diff <(./prog) ref.txt || exit 1", "ref.txt"),
    ("for f in cases/*.in; do ./prog <$f | cmp - ${f%.in}.out; done", "cases/a.out"),
    ("./prog | comm -3 ref.txt -", "ref.txt"),
    ('test "$(./prog)" = "$(cat ref.txt)"', "ref.txt"),
    ("for name in $(cat suite.txt); do ./prog $name; done", "suite.txt"),
    ("while read name; do ./prog $name; done <suite.txt", "suite.txt"),
    ("xargs -n1 ./prog <suite.txt", "suite.txt"),
    ('got=$(./prog)\nwant=$(cat ref.txt)\n[ "$got" = "$want" ]', "ref.txt"),
    ('want="$(<ref.txt)"; [[ $(./prog) == "${want}" ]] || exit 1', "ref.txt"),
    ("diff <(./prog | sort) <(sort ref.txt)", "ref.txt"),
    ("diff <(sort -u <ref.txt | head -3) <(./prog)", "ref.txt"),
    ("md5sum -c --quiet ref.txt", "ref.txt"),
    ("sha256sum --check ref.txt", "ref.txt"),
    ("shasum -a 256 -c <ref.txt", "ref.txt"),
    ('tail -n +2 suite.txt | while IFS=, read a b; do [ "$(./prog $a)" = "$b" ] || exit 1; done', "suite.txt"),
    ("grep -v '^#' suite.txt | sort | while read -r name; do ./prog $name; done", "suite.txt"),
    ("while read name; do ./prog $name; done < <(tail -n +2 suite.txt)", "suite.txt"),
)
RUN = (
    ("for f in qa/*.sh; do sh $f || exit 1; done", "qa/one.sh"),
    ('for f in "$(dirname "$0")"/qa/*.sh\ndo\n  if ! sh "$f"; then exit 1; fi\ndone', "qa/one.sh"),
    ("for f in $(git ls-files 'qa/*.sh'); do bash $f || bad=1; done\nexit $bad", "qa/one.sh"),
    ('for f in $(find qa -type f); do "./$f" || exit 1; done', "qa/one.sh"),
    ("find qa -name '*.sh' | while read f; do sh \"$f\" || exit 1; done", "qa/one.sh"),
    ("find qa -type f -exec sh -c 'sh \"$$0\" || kill $$PPID' {} ';'", "qa/one"),
    ("find qa -name '*.sh' -print0 | xargs -0 -n1 sh", "qa/one.sh"),
)
NOT_RUN = (
    ("for f in qa/*.sh; do sh $f | cmp - ${f%.sh}.out || exit 1; done", "qa/one.sh"),
    ("for f in qa/*.c; do cc -c $f || exit 1; done", "qa/one.c"),
    ("for f in src/*.sh; do sh $f || exit 1; done", "src/one.sh"),
    ('for f in qa/*.sh; do [ "$(sh $f)" = fine ] || exit 1; done', "qa/one.sh"),
    ("find qa -name '*.c' -exec cc -c {} ';'", "qa/one.c"),
)
NOT_COMPARED = (
    ("cmp report.txt ref.txt", "report.txt"),  # nobody knows which of them is to be mended
    ("./prog >report.txt; cmp report.txt ref.txt", "report.txt"),
    ("grep -q B report.txt", "report.txt"),
    ("jq . <report.txt", "report.txt"),
    ('test "$(cat VERSION)" = 2', "VERSION"),
    ("./prog | diff - sub/ref.txt", "ref.txt"),
    ("diff <(sort report.txt) <(sort ref.txt)", "report.txt"),
    ("./prog >report.txt; diff <(sort report.txt) <(sort ref.txt)", "report.txt"),
    ("grep TODO report.txt | while read line; do exit 1; done", "report.txt"),
    ('got=$(cat report.txt); [ "$got" = fine ]', "report.txt"),
    ("md5sum report.txt", "report.txt"),
)


def found(said):
    return comparisons.references([(".", said)], THERE.get)


@folded(("said", "path"), COMPARED)
def test_a_file_with_which_a_check_compares_what_it_got_decides(said, path):
    assert comparisons.is_reference(found(said), path)


@folded(("said", "path"), NOT_COMPARED)
def test_any_other_file_that_a_check_reads_may_be_what_is_to_be_mended(said, path):
    assert not comparisons.is_reference(found(said), path)


@folded(("said", "path"), RUN)
def test_the_scripts_decide_that_a_check_goes_through_and_runs(said, path):
    assert comparisons.is_reference(found(said), path)


@folded(("said", "path"), NOT_RUN)
def test_what_a_check_goes_through_otherwise_may_be_what_is_to_be_mended(said, path):
    assert not comparisons.is_reference(found(said), path)


def scripts(*argv, files):
    """Return the scripts that a command line names."""
    return named.of([Criterion("custom", "check", argv, "/shop", 60, 0, "--criteria", "")], "/shop", files.get).scripts


IMPORTS = {
    "tools/verify.py": "import sys\nfrom rules import same\nfrom lib import (equal)\nfrom shop import total\n",
    "tools/rules.py": "", "tools/lib/equal.py": "", "shop.py": "", "rules.py": "",
    "verify.py": "from shop import total\n",
    "src/check.py": "from shop import total\n", "src/shop.py": "",
    "scripts/verify.mjs": "import { same } from './same.mjs'\nimport { total } from '../shop.mjs'\n",
    "scripts/same.mjs": "", "shop.mjs": "",
}  # fmt: skip
IMPORTING = (
    (("python", "tools/verify.py"), {"tools/verify.py", "tools/rules.py", "tools/lib/equal.py"}),
    (("node", "scripts/verify.mjs"), {"scripts/verify.mjs", "scripts/same.mjs"}),
    (("python", "verify.py"), {"verify.py"}),
    (("python", "src/check.py"), {"src/check.py"}),
)


@folded(("argv", "expected"), IMPORTING)
def test_what_a_script_imports_from_its_own_folder_judges_with_it_and_the_product_does_not(argv, expected):
    assert scripts(*argv, files=IMPORTS) == expected


GIVEN = (
    (("python", "-m", "unittest", "checks"), {"checks.py"}),
    (("python", "-m", "unittest", "checks.Shop.test_total"), {"checks.py"}),
    (("pytest", "-q", "checks.py::test_total"), {"checks.py"}),
    (("python", "-m", "doctest", "shop.py", "README.md"), {"README.md"}),
    (("sh", "-c", "awk -f judge.awk shop.txt"), {"judge.awk"}),
)


@folded(("argv", "expected"), GIVEN)
def test_what_a_command_line_gives_to_a_runner_judges_whatever_it_is_called(argv, expected):
    assert scripts(*argv, files=dict.fromkeys(("checks.py", "shop.py", "README.md", "judge.awk"), "")) == expected
