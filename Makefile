# `make test` is for every few minutes of work, `make check` is all that a change has to pass, `make nightly` takes longer. The
# first of them builds .venv; `make demo` needs no install at all.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

# What a shell may have set for other work: a path that shadows this tree, a place for pip other than .venv, or that Python compiles
# every test anew in every run, which takes longer than to collect them.
unexport PYTHONPATH PYTHONHOME PYTHONDONTWRITEBYTECODE PIP_TARGET PIP_PREFIX
export PIP_USER := 0
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := test
.PHONY: test check lint bench docs nightly demo clean

# Two at a time; who is done first takes over half of what the other still has to do.
PYTEST := $(BIN)/python -m pytest -n 2 --dist worksteal

# All of it always runs, so that one look shows everything.
define LINT
$(BIN)/ruff check . || status=1; \
$(BIN)/ruff format --check . || status=1; \
$(BIN)/mypy || status=1
endef

test: $(INSTALLED)
	@$(PYTEST) -m 'not check and not nightly' --hypothesis-profile=quick

# What `make test` runs and the rest of what CI holds, in one run. pytest comes last: its closing line is the verdict's.
check: $(INSTALLED)
	@status=0; \
	$(LINT); \
	$(PYTEST) -m 'not nightly' || status=$$?; \
	exit $$status

lint: $(INSTALLED)
	@status=0; \
	$(LINT); \
	exit $$status

bench: $(INSTALLED)
	$(BIN)/python -m tests.bench
	$(BIN)/python -m tests.bench.snapshots 10000
	$(BIN)/python -m tests.bench.rooms 10000
	$(BIN)/python -m tests.bench.confirming 10000
	$(BIN)/ralph-mem bench loop

# What a program makes of the documentation: outputs of examples, the picture, the reference.
docs: $(INSTALLED)
	$(BIN)/python -m tests.docs

nightly: check
	$(BIN)/python -m pytest -m nightly
	$(BIN)/python -m tests.bench.scale
	$(BIN)/python -m tests.bench.pages
	$(BIN)/python -m tests.bench.snapshots 50000
	$(BIN)/python -m tests.bench.rooms 50000
	$(BIN)/ralph-mem bench truth

demo:
	@$(PYTHON) -m ralph_mem.interfaces.demo

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(INSTALLED): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@
