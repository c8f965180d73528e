"""Where a command line is at work, and how it is typed at the top of the project."""

from ralph_mem.core.command_lines import folders, runs
from tests.folded import folded


@folded(
    "line",
    [
        "cd ../shop && make test",
        "cd .. && cd shop && make test",
        "pushd ../shop && make test",
        "(cd ../shop && make test)",
        "cd ../shop; pytest -q",
        "cd /home/dev/shop && make test",
        "cd ~/shop && make test",
        "cd $SHOP && make test",
        "cd && make test",
        "cd web && cd ../../shop && make test",
        "make -C ../shop test",
        "npm --prefix=../shop test",
        "cargo test --manifest-path ../shop/Cargo.toml",
        "uv --directory ../shop run pytest",
        "for each in web api; do cd $each && make test; done",
        "ssh shop 'make test'",
    ],
)
def test_what_is_at_work_at_another_place_is_no_command_of_the_project(line):
    assert runs.of(line) == []


@folded(
    ("line", "places"),
    [
        ("cd web && npm test", ["web"]),
        ("cd ./web/ && npm test", ["web"]),
        ("(cd web && npm test) && make test", ["web", ""]),
        ("(cd ../shop && make test) && make test", [""]),
        ("cd web && npm test; cd - && make test", ["web", ""]),
        ("pushd web; npm test; popd; make test", ["web", ""]),
        ("mkdir -p build && cd build && cmake .. && make && cd .. && make test", ["build", ""]),
        ("cd web && npm test && cd ../api && npm test", ["web", "api"]),
        ('cd "$(git rev-parse --show-toplevel)" && make test', [""]),
        ("make -C web test", ["web"]),
        ("cd web && make -C ../api test", ["api"]),
        ("cargo test --manifest-path crates/buoy/Cargo.toml", ["crates/buoy"]),
        ("uv --directory web run pytest", ["web"]),
        ("uv run --directory=web pytest", ["web"]),
        ("poetry -C web run pytest", ["web"]),
        ("mvn -f web/pom.xml test", ["web"]),
        ("mvn -f pom.xml test", [""]),
        ("./gradlew -p web test", ["web"]),
    ],
)
def test_the_place_of_a_command_is_seen_from_the_top(line, places):
    assert [found.place for found in runs.of(line)] == places


@folded(
    ("line", "folder", "typed"),
    [
        ("npm test", "apps/web", "cd apps/web && npm test"),
        ("npm test", "my app", "cd 'my app' && npm test"),
        ("cd web && npm test", "web", "cd web && npm test"),
        ("cd web && npm test", "apps/web", "cd apps/web && npm test"),
        ("cd web && npm test", "apps", "cd apps/web && npm test"),  # it failed, and ended where it began
        ("cd ../api && npm test", "apps/api", "cd apps/api && npm test"),
        ("npm ci && cd web && npm test", "web", "npm ci && cd web && npm test"),
        ("(cd web && npm test)", "apps", "cd apps && (cd web && npm test)"),
        ("make", "/home/dev/shop", "cd /home/dev/shop && make"),
        ("cd ~/shop && make", "apps", "cd ~/shop && make"),
    ],
)
def test_a_line_is_typed_at_the_top_with_the_folder_in_which_it_ended(line, folder, typed):
    assert folders.typed(line, line, folder) == typed


def test_where_a_line_that_only_goes_up_ended_is_not_known():
    assert runs.of(folders.typed("cd .. && make", "cd .. && make", "apps")) == []


def test_what_a_line_goes_down_to_from_a_folder_may_be_a_path_from_the_root_of_the_disk():
    assert runs.of("cd api && ls && cd web && npm test") == []


@folded(
    ("line", "way"),
    [
        ("conda activate shop && pytest", "conda activate shop && "),
        ("cd web && . .venv/bin/activate; pytest", "cd web && . .venv/bin/activate && "),
        (". .venv/bin/activate && cd 'my web' && pytest", ". .venv/bin/activate && cd 'my web' && "),
        ("set -a && . ./.env && set +a && make test", "set -a && . ./.env && set +a && "),
        ('export PATH="$HOME/bin:$PATH" && make test', "export PATH=$HOME/bin:$PATH && "),
        ("export NAME='a b' && make test", "export 'NAME=a b' && "),
        ('eval "$(pyenv init -)" && pyenv shell 3.12 && pytest', 'eval "$(pyenv init -)" && pyenv shell 3.12 && '),
        ("(nvm use 20 && npm ci) && npm test", ""),
        ("source <(make env) && make test", ""),
        ("export KEY=[REDACTED:key] && make test", ""),
        (f"export NAME={'a' * 100} && make test", ""),
        ("cd web && . .venv/bin/activate && cd ../api && pytest", "cd api && "),
    ],
)
def test_a_command_knows_what_is_typed_before_it_so_that_it_finds_what_its_line_set_up(line, way):
    assert runs.of(line)[-1].way == way


@folded(
    ("line", "printed", "stayed"),
    [
        ("cd web && npm test", "Exit code 1\n/bin/bash: line 1: cd: web: No such file or directory", True),
        ("cd apps/web/ && npm test", "(eval):cd:1: no such file or directory: apps/web/", True),
        ("cd 'my web' && npm test", "sh: 1: cd: can't cd to my web\nShell cwd was reset to /shop", True),
        ("cd web && npm test", "npm: command not found", False),
        ("cd web && npm test", "bash: line 1: cd: web: No such file or directory\n1 failed", False),
        ("cd web && ./run.sh", "./run.sh: line 3: cd: dist: No such file or directory", False),
        ("cd web; npm test", "bash: line 1: cd: web: No such file or directory", False),
        ("npm test", "bash: line 1: cd: web: No such file or directory", False),
        ("cd", "", False),
    ],
)
def test_where_a_line_did_not_get_to_its_folder_nothing_of_it_ran(line, printed, stayed):
    assert folders.stayed(line, printed) is stayed
