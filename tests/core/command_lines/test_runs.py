"""Which commands of a line test, lint, build, run or format something, which are the same, and which are about a part alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from ralph_mem.core.command_lines import purposes, runs
from tests.folded import folded

PURPOSES = {
    "test": [
        "make test",
        "npm t",
        "yarn workspace web test",
        "uv run pytest tests",
        "python3 -m unittest discover -s tests",
        "cargo nextest run",
        "./gradlew :app:testDebugUnitTest",
        "docker compose exec web pytest",
        "docker compose -f test.yml run web pytest",
        "conda run -n shop pytest -q",
        "micromamba run -p ./env python -m pytest",
        "bundle exec rspec",
        "bash -c 'make test'",
        "node --test",
        "coverage run -m pytest",
        "python manage.py test",
        "./scripts/run_tests.sh",
        "make check",
        "mvn -q verify",
        "hatch run test",
        "west twister -T tests -p native_sim",
        "scripts/twister -T tests",
    ],
    "lint": [
        "golangci-lint run ./...",
        "ruff check .",
        "ruff format --check",
        "cargo clippy -- -D warnings",
        "tox -e lint",
        "prettier --check .",
        "go vet ./...",
        "pnpm lint",
        "npx turbo run lint",
        "pnpm turbo run lint",
        "terraform validate",
        "./gradlew ktlintCheck",
        "ansible-lint playbooks",
    ],
    "types": ["mypy .", "npx tsc --noEmit", "npm run type-check", "cargo check", "make typecheck"],
    "build": [
        "make",
        "go build -o shop ./cmd/shop",
        "cmake --build build",
        "npm run build",
        "npx tsc -b",
        "pio run",
        "deno task build",
        "west build -b nrf52/nrf52832 app",
        "mkdocs build --strict",
        "dbt build",
        "idf.py -p /dev/ttyUSB0 build",
        "yarn docusaurus build",
        "pnpm vite build",
    ],
    "run": [
        "npm start",
        "nohup npm run dev > log",
        "cargo run",
        "python manage.py runserver",
        "docker compose up -d",
        "node server.js",
    ],
    "image": ["docker build -t shop .", "docker buildx build --push .", "docker compose build web", "podman build ."],
    "format": ["ruff format", "cargo fmt", "gofmt -w .", "npm run format", "npx prettier --write ."],
}


@folded(("purpose", "line"), [(purpose, line) for purpose, lines in PURPOSES.items() for line in lines])
def test_a_command_has_the_purpose_that_its_words_name(purpose, line):
    assert [found.purpose for found in runs.of(line)] == [purpose]


@folded(
    "line",
    [
        "npm install jest",
        "pip install pytest",
        "conda install pytest",
        "conda run -n test python train.py",
        "git commit -m 'run make test'",
        "grep -rn 'go test' .",
        "cat Makefile",
        "python -c 'test()'",
        "pytest --version",
        "npx playwright install",
        "ls tests",
        "west flash",
        "helm template c | promtool check rules",
        "cat Dockerfile | hadolint -",
        "hadolint - < Dockerfile",
        "cat cart.js | prettier --check --stdin-filepath cart.js",
        "cd /tmp/try && make test",
        "for file in *; do pytest $file; done",
        "",
    ],
)
def test_what_only_names_a_check_has_none(line):
    assert runs.of(line) == []


@folded(
    ("line", "typed"),
    [
        ("cd web && npm run test 2>&1 | tail -20", "npm run test"),
        ("CI=1 timeout 60 make test; echo $?", "make test"),
        ("go test -v ./... > /tmp/log", "go test ./..."),
        ("cargo test -- --nocapture", "cargo test"),
        ("pytest -m 'not slow'", "pytest -m 'not slow'"),
        ("cmake --build build -j$(nproc)", "cmake --build build"),
        ("make -j `nproc` all", "make all"),
        ("ctest --parallel $(sysctl -n hw.ncpu)", "ctest"),
        ("yes | npm run build", "npm run build"),
    ],
)
def test_a_command_is_told_as_a_person_would_type_it_again(line, typed):
    assert [found.text for found in runs.of(line)] == [typed]


def test_a_command_of_several_targets_is_one_for_each_purpose():
    assert [(found.purpose, found.text) for found in runs.of("make -j8 clean test lint")] == [
        ("test", "make -j8 clean test"),
        ("lint", "make -j8 clean lint"),
    ]


def test_a_command_knows_the_folder_and_the_variables_that_its_line_gave_it():
    (found,) = runs.of("cd web && CI=1 npm test")
    assert (found.folder, found.given) == ("web", "CI=1")


@folded(
    ("one", "other"),
    [
        ("go test ./...", "go test -v -run TestTotal ./..."),
        ("go build", "go build -o /dev/null ."),
        ("pytest", ".venv/bin/pytest -x -q"),
        ("conda run -n shop pytest", "conda run -n shop --no-capture-output pytest -q"),
        ("make test", "make -j8 test"),
        ("python -m pytest", "python3 -m pytest --tb=short -n auto"),
        ("ruff check .", "ruff check --fix"),
        ("cd build && ctest", "ctest --test-dir build"),
        ("sbt compile", "sbt clean compile"),
        ("./gradlew test", "./gradlew test --rerun-tasks --continue"),
        ("npx nx run-many -t build", "npx nx run-many -t build --skip-nx-cache --parallel=3"),
        ("flutter test", "flutter test --coverage --concurrency=4"),
        ("mvn -o test", "mvn test"),
        ("bin/rubocop", "bin/rubocop -A"),
        ("meson test -C build", "meson test -C build --print-errorlogs --suite demux"),
        ("cd web && npm run build", "npm --prefix web run build"),
        ("cd build && make -j8", "make -C build"),
        ("cd web && uv run pytest", "uv --directory web run pytest"),
        ("cd web && mvn test", "mvn --file=web/pom.xml test"),
        ("mvn -q package", "./mvnw -ntp package"),
        ("dotnet build", "dotnet build Shop.sln"),
        ("cargo build", "cargo build --locked"),
        ("cargo clippy", "cargo clippy -- -D warnings"),
        ("mix compile", "mix compile --warnings-as-errors"),
        ("npx eslint src", "npx eslint src --max-warnings 0"),
        ("docker compose run --rm web pytest", "docker compose exec -T web pytest"),
        ("xcodebuild -scheme Shop", "xcodebuild -quiet -scheme Shop -destination 'name=iPhone 16'"),
        ("swiftlint", "swiftlint lint"),
        ("pnpm test", "pnpm turbo run test"),
        ("west build -b nrf52", "west build -p auto -b nrf52"),
    ],
)
def test_how_loud_quick_and_choosy_a_command_was_makes_it_no_other_one(one, other):
    assert runs.of(one)[0].same == runs.of(other)[0].same


@folded(
    ("one", "other"),
    [
        ("go test ./...", "go test ./shop"),
        ("go test ./...", "go test -race ./..."),
        ("npm test", "yarn test"),
        ("pytest", "uv run pytest"),
        ("docker compose exec web pytest", "docker compose exec api pytest"),
        ("rustc -D warnings shop.rs", "rustc -D unused shop.rs"),
        ("ctest -C Debug", "ctest -C Release"),
        ("cargo build", "cargo build --release"),
        ("eslint -a src", "eslint src"),
    ],
)
def test_another_runner_place_or_way_makes_it_another_one(one, other):
    assert runs.of(one)[0].same != runs.of(other)[0].same


@folded(
    "line",
    [
        "pytest tests/test_a.py",
        "pytest tests/test_a.py::test_b",
        "pytest -k total",
        "go test ./... -run TestTotal",
        "npx vitest run cart",
        "pnpm vitest run cart",
        "pnpm --filter web test",
        "cargo test -p core",
        "cargo test total",
        "go test ./shop/cart/...",
        "python tests/test_a.py",
        "npx eslint src/cart.ts",
        "dotnet test --filter Total",
        "./gradlew :core:assemble",
        "npx nx build web",
        "bazel build //server/...",
        "bazel test //index:posting_test",
        "cabal build lib:plc",
        "meson test -C build decoder",
        "ninja -C build src/player",
        "go build ./internal/fetch",
        "dotnet build src/Orders.Core",
        "build/tests/parser_test",
        "build/tests/solver_tests",
        "cargo test --lib",
        "west build -t ram_report",
        "pio run -t upload",
        "make -n",
        "ninja -C build -t clean",
        "docker compose exec app php artisan test --filter=CartTest",
    ],
)
def test_a_run_of_a_file_a_folder_further_down_or_of_named_tests_is_about_a_part(line):
    assert not runs.of(line)[0].is_whole


@folded(
    "line",
    [
        "pytest tests", "go test ./...", "npx eslint src", "node --test", "npx playwright test", "bazel build //...",
        "cabal test all", "ninja -C build/dev", "go build -o bin/shop ./cmd/shop", "dotnet test Shop.sln",
        "npx nx run-many -t test",
        "clang-tidy -p build/dev src/*.cpp", "./gradlew assemble", "./gradlew :app:assembleDebug",
        "scripts/run_tests.sh", "ctest --test-dir build/dev",
        "npx eslint --config configs/strict.js src",
    ],
)  # fmt: skip
def test_a_run_of_all_or_of_a_folder_at_the_top_is_about_the_whole(line):
    assert runs.of(line)[0].is_whole


def test_a_command_whose_exit_code_something_else_hides_is_not_sure():
    lines = ("make test && echo done", "make test | tail -3", "make test || true", "make test; echo done")
    assert [runs.of(line)[0].sure for line in lines] == [True, False, False, False]


@given(some.text(alphabet="makeptsgo \"'`$()|&;<>\\\n=-./cd", max_size=120))
@pytest.mark.filterwarnings("ignore")
def test_any_line_can_be_read(line):
    assert all(found.text and found.same for found in runs.of(line))


@folded(
    ("command", "purpose"),
    [
        ("forge test", "test"),
        ("mise run lint", "lint"),
        ("earthly +build", "build"),
        ("moon run :build", "build"),
        ("cargo xtask dist", "build"),
        ("bin/test", "test"),
        ("scripts/build_all", "build"),
        ("python -m build", "build"),
        ("bundle exec jekyll build", "build"),
        ("npx nx run-many -t test", "test"),
        ("ninja -C build test", "test"),
        ("ninja -C build clang-tidy", "lint"),
        ("ninja -C build parser_test", "build"),
        ("zig build test", "test"),
        ("dotnet publish -c Release", "build"),
        ("docker compose run --rm php vendor/bin/phpunit", "test"),
        ("pants fmt ::", "format"),
    ],
)
def test_the_first_word_behind_a_program_that_no_list_has_says_what_it_is_for(command, purpose):
    assert [run.purpose for run in runs.of(command)] == [purpose]


@folded(
    "command",
    [
        "rm -rf build", "ls test", "mkdir build", "git checkout test", "grep -rn test .", "vim test", "code build",
        "kubectl get test",
        "echo build", "/usr/bin/foo test", "curl test", "pip check", "foo --name test",
        "Run tests for the package", "foo bar test",
    ],
)  # fmt: skip
def test_a_name_behind_any_other_program_says_nothing(command):
    assert runs.of(command) == []


@folded("command", ["forge test", "mise run lint", "bin/build"])
def test_what_only_its_own_words_call_a_test_is_no_ground_to_trust_it(command):
    assert purposes.of(command.split()) == [] != purposes.told(command.split())
