"""Which command that passed is one that failed before, run again."""

from ralph_mem.core.command_lines import again, runs
from tests.folded import folded


def stands(later, failed):
    (wanted,) = [step for step in runs.steps(failed) if again.counts(step)]
    return any(again.stands_for(step, wanted) for step in runs.steps(later) if step.sure)


@folded(
    ("failed", "later"),
    [
        ("go test ./...", "go generate ./... && go test ./..."),
        ("cargo test", "cargo clean && cargo test --locked"),
        ("conda run -n churn dvc pull", "AWS_PROFILE=ro conda run -n churn dvc pull"),
        ("terraform apply tf.plan", "terraform plan -out tf.plan && terraform apply tf.plan"),
        ("docker compose up -d", "docker compose up -d --wait"),
        ("conda install -n c -y numpy", "conda install -n c -c conda-forge -y numpy"),
        ("cd web && npm test", "npm --prefix web test"),
        ("pytest -x -q | tee log", "pytest"),
        ("pytest -k total", "pytest"),
        ("mkdir -p out && make", "make"),
        ("make", "rm -rf out; make"),
        ("terraform fmt -check -recursive", "terraform fmt -recursive"),
        ("ruff format --check .", "ruff format ."),
        ("cargo fmt --check", "cargo fmt"),
        ("prettier --check .", "prettier --write ."),
        ("isort --check-only --diff src", "isort src"),
        ("black --check .", "black --check . --line-length 100"),
        ("prettier --check .", "prettier --cache --check ."),
        ("terraform fmt -check", "terraform fmt -check -recursive"),
        ("ansible-playbook -i i.ini b.yml --check", "ansible-playbook -i i.ini b.yml --check -u deploy"),
        ("ansible-playbook b.yml --check --limit a", "ansible-playbook b.yml --check --limit a --private-key ~/.ssh/ops_ed25519"),
        ("west build", "west build -p always"),
        ("idf.py build", "idf.py build -p /dev/ttyUSB0"),
        ("docker build .", "docker build -t shop ."),
        ("docker compose up", "docker compose up -w"),
        ("kubectl rollout status deploy/b --timeout=60s", "kubectl rollout status deploy/b --timeout 120s"),
        ("pytest -q", "uv run --with numpy pytest -q --maxfail=1"),
        ("pytest -q", "python -m pytest"),
        ("python train.py", "poetry run python train.py"),
        ("dvc pull", "conda run -n churn dvc pull"),
        ("rspec", "bundle exec rspec"),
        ("eslint .", "npx --yes eslint ."),
        ("cd web && eslint .", "pnpm -C web exec eslint ."),
        ("make lint", "make lint test"),
        ("./gradlew test", "./gradlew lint test --info"),
        ("mvn test", "mvn clean test package"),
        ("just lint", "just lint test"),
    ],
)
def test_the_same_command_beside_others_with_more_to_it_or_without_a_check_has_passed_again(failed, later):
    assert stands(later, failed)


@folded(
    ("failed", "later"),
    [
        ("dbt test --select orders", "dbt test"),
        ("pytest -q tests/test_0.py", "pytest -q"),
        ("pytest tests/test_a.py::test_b -x", "uv run pytest"),
        ("pytest tests", "pytest"),
        ("ruff check --fix src/a.py", "ruff check ."),
        ("eslint src/a.ts", "eslint . --fix"),
        ("mypy src/a.py", "mypy"),
        ("black --check src/a.py", "black --check ."),
        ("go test ./cart", "go test ./..."),
        ("cargo test -p core parse", "cargo test"),
        ("mvn -pl core test", "mvn test"),
        ("npm test -- cart.test.ts", "npm test"),
        ("npx playwright test e2e/pay.spec.ts", "npx playwright test"),
        ("cd web && npx vitest run cart", "cd web && npx vitest run"),
    ],
)
def test_what_failed_as_a_part_has_passed_with_all_there_is(failed, later):
    assert stands(later, failed)


@folded(
    ("failed", "later"),
    [
        ("cd web && pytest tests/test_a.py", "pytest"),
        ("pytest other/tests/test_a.py", "pytest tests"),
        ("ruff check src/a.py", "ruff format ."),
        ("ruff check --select E501 src/a.py", "ruff check ."),
        ("ruff check src/a.py", "ruff check . --exit-zero"),
        ("pytest tests/test_a.py", "pytest --co"),
        ("pytest -c other.ini tests/test_a.py", "pytest"),
        ("cargo test --features slow parse", "cargo test"),
        ("npm test -w web", "npm test"),
        ("make lint", "make"),
        ("west build -t flash", "west build"),
        ("tox -e slow", "tox"),
        ("./test.sh slow", "./test.sh"),
        ("python tests/run.py a", "python"),
        ("npm install left-pad", "npm install"),
        ("docker build web", "docker build ."),
        ("dbt test --select orders", "dbt build"),
    ],
)
def test_what_another_run_of_all_there_is_leaves_out_has_not(failed, later):
    assert not stands(later, failed)


@folded(
    ("failed", "later"),
    [
        ("pytest", "pytest -k total"),
        ("pytest -k total", "pytest -k tax"),
        ("pytest", "pytest -x tests/test_a.py"),
        ("cargo test", "cargo test -p core"),
        ("npm test", "npm test -- -t total"),
        ("make test", "make lint"),
        ("ansible-playbook site.yml", "ansible-playbook site.yml --check"),
        ("black --check .", "black --check src"),
        ("west build", "west build -t ram_report"),
        ("ninja", "ninja -t clean"),
        ("make", "make -n"),
        ("cargo build", "cargo build --target wasm32-wasip1"),
        ("npx vitest", "npx vitest -t total"),
        ("npm run build", "npm run build -w web"),
        ("docker compose up -d", "docker compose up -d db"),
        ("ssh -t one uptime", "ssh -t two uptime"),
        ("kubectl -n one apply -f a.yml", "kubectl -n two apply -f a.yml"),
        ("make", "cd ../other && make"),
        ("make -C web", "make"),
        ("kubectl rollout status deploy/a --timeout=60s", "kubectl rollout status deploy/b --timeout=60s"),
        ("dvc pull", "dvc pull | tail -3"),
        ("dvc pull", "dvc pull; echo done"),
        ("dvc pull", "dvc pull && echo done || true"),
        ("dvc pull", "ls data || (dvc pull && ls data)"),
        ("dvc pull", "(ls data; dvc pull) | tail -3"),
        ("dvc pull", "! dvc pull"),
        ("make", "make lint"),
        ("pytest", "uv run pytest -k total"),
        ("uv run pytest", "pytest"),
        ("pytest", "docker compose run web pytest"),
        ("eslint .", "npm run eslint ."),
        ("dvc pull", "sh tools/dvc.sh dvc pull"),
        ("make -C web", "make -C web lint"),
        ("make lint test", "make lint"),
        ("./gradlew lint", "./gradlew test -x lint"),
        ("just test", "just test cart"),
        ("npm run lint", "npm run lint test"),
    ],
)
def test_a_part_another_way_or_place_and_what_its_line_hides_has_not(failed, later):
    assert not stands(later, failed)


@folded(
    ("failed", "later"),
    [
        ("git rebase main", "git add a.py && GIT_EDITOR=true git rebase --continue"),
        ("git rebase main", "git rebase --abort"),
        ("git merge topic", "git add -A && git commit --no-edit"),
        ("git push", "git push --set-upstream origin topic"),
        ("git commit -m Fix", "git add -u && git commit -m 'Fix it'"),
        ("git stash pop", "git checkout --theirs a.py && git stash drop"),
        ("git checkout topic", "git stash && git switch topic"),
        ("git branch -d topic", "git branch -D topic"),
        ("git bisect run make test", "git bisect reset"),
        ("git fetch origin", "git pull"),
        ("git -C web pull", "cd web && git -c pull.rebase=true pull"),
        ("cd web && git commit -m Fix", "git commit -m Fix"),
    ],
)
def test_what_git_did_not_get_done_ends_with_what_it_did_after_that(failed, later):
    assert stands(later, failed)


@folded(
    ("failed", "later"),
    [
        ("git rebase main", "git status && git log -3"),
        ("git rebase main", "git add -A"),
        ("git stash pop", "git stash list"),
        ("git push", "git commit -m Fix"),
        ("git push", "git pull"),
        ("git fetch", "git commit -m Fix"),
        ("git fetch", "git pull --dry-run"),
        ("git push", "git push --dry-run"),
        ("git merge topic", "git -C ../other commit -m Fix"),
        ("git merge topic", "make"),
        ("make", "git commit -m Fix"),
    ],
)
def test_what_git_only_looked_at_prepared_or_did_elsewhere_ends_nothing_and_a_push_ends_with_a_push(failed, later):
    assert not stands(later, failed)
