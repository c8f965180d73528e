# `make test` is all that a change has to pass. It builds .venv the first time; `make demo` needs no install at all.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# What a shell may have set for other work: a path that shadows this tree, or a place for pip other than .venv.
unexport PYTHONPATH PYTHONHOME PIP_TARGET PIP_PREFIX
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := test
.PHONY: test lint bench nightly demo clean

# All three always run, so that one look shows everything; pytest comes last, its closing line is the verdict's. Two at a time:
# the suite takes six minutes on two cores, and eleven one by one.
test: $(INSTALLED)
	@status=0; \
	$(MAKE) --no-print-directory lint || status=1; \
	$(BIN)/python -m pytest -n 2 --dist loadfile || status=$$?; \
	exit $$status

lint: $(INSTALLED)
	@status=0; \
	$(BIN)/ruff check . || status=1; \
	$(BIN)/ruff format --check . || status=1; \
	$(BIN)/mypy || status=1; \
	exit $$status

bench: $(INSTALLED)
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench.snapshots 10000
	$(BIN)/ralph-mem bench loop

nightly: test
	$(BIN)/python -m pytest -m nightly
	$(BIN)/python -m tests.bench.scale
	$(BIN)/python -m tests.bench.snapshots 50000

demo:
	@$(PYTHON) -m ralph_mem.demo

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@
