# Every target sets up what it needs in .venv. `make demo` needs the run-time packages alone.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= auto
PYTEST := $(BIN)/python -m pytest
# Every Python file that git knows, also new ones that are not added yet.
SOURCES = $(shell git ls-files --cached --others --exclude-standard -- '*.py' ':!stateful_tests/bend/golden')

.PHONY: demo test laws contracts bridge breaks bench format check nightly setup hooks shell clean

.venv/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "OptChat needs Python 3.11 or later: make PYTHON=python3.12 ..." >&2; exit 1; }
	@$(PYTHON) -m venv .venv || { echo "no venv module: install your system's python3-venv package" >&2; exit 1; }
	@touch $@

.venv/run: .venv/python locks/run.txt pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r locks/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.venv/dev: .venv/run locks/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r locks/dev.txt
	@touch $@

setup: .venv/dev

demo: .venv/run
	@$(BIN)/python -m optchat.demo

test: .venv/dev
	$(PYTEST) -n $(JOBS)

laws: .venv/run
	@$(BIN)/python -m optchat_bridge.laws

contracts: .venv/dev
	@$(BIN)/python -m stateful_tests.contracts

bridge: .venv/run
	@$(BIN)/python -m optchat_bridge.differential

breaks: .venv/dev
	@$(BIN)/python -m stateful_tests.breaks
	@$(BIN)/python -m stateful_tests.breaks.mutants

bench: .venv/dev
	@$(BIN)/python -m optchat.bench
	@$(BIN)/python -m optchat_bridge.bend.perf

format: .venv/dev
	@$(BIN)/ruff check --quiet --fix-only $(SOURCES)
	@$(BIN)/ruff format --quiet $(SOURCES)
	@$(BIN)/python -m stateful_tests.house --tidy

check: .venv/dev
	@$(BIN)/ruff check $(SOURCES)
	@$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/mypy
	@$(BIN)/python -m stateful_tests.house

nightly: .venv/dev
	$(MAKE) check
	OPTCHAT_HYPOTHESIS=nightly $(PYTEST) -n $(JOBS)
	$(MAKE) laws contracts bridge breaks bench

hooks:
	@git config core.hooksPath tools/hooks && echo "git runs the hooks in tools/hooks"

# A shell whose OPTCHAT_DIR lies inside the checkout: development data stays away from your own chat.
shell: .venv/dev
	@OPTCHAT_DIR="$${OPTCHAT_DIR:-$(CURDIR)/.dev/optchat}" PATH="$(CURDIR)/$(BIN):$$PATH" $${SHELL:-sh} || true

clean:
	rm -rf .venv build .mypy_cache .ruff_cache .hypothesis
