# Two commands: `make study` opens the app on the starter deck, `make test` runs every check.
# Both build .venv from the hash-pinned locks first, so they work on a machine with only
# Python 3.11, pip and make.  PYTHON=python3.12 chooses another interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# A learner's shell may set this; without bytecode every start compiles Textual anew.
unexport PYTHONDONTWRITEBYTECODE
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: study test test-all explore alone bench bench-long paths docs reference man screenshots recording pythons quick lock format clean

study: $(VENV)/.study
	@test -e study/.deltadeck || $(BIN)/deltadeck init study --starter
	@$(BIN)/deltadeck ./study

test: $(VENV)/.dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy
	$(BIN)/pytest -n auto --dist worksteal

# Everything, also what takes long and rarely changes: before a release, or after a change of it.
test-all: $(VENV)/.dev
	$(MAKE) --no-print-directory test
	$(BIN)/pytest -n auto --dist worksteal -m long

# The same tests on examples that nobody has tried yet: what fails becomes an @example.
explore: $(VENV)/.dev
	$(BIN)/pytest -n auto --dist worksteal --hypothesis-profile explore

# The tests tried on cards, formulas and answers, in a clone that has none of these beside it.
alone: $(VENV)/.dev
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && \
	  python=$$PWD/$(BIN)/python && git clone -q . "$$folder/clone" && cd "$$folder/clone" && \
	  export PYTHONPATH=$$PWD && $$python -c 'import cards, os; print("in", os.getcwd()); \
	    assert os.path.samefile(os.path.dirname(cards.__file__), "cards")' && \
	  $$python -m pytest -n auto --dist worksteal -m material

bench: $(VENV)/.dev
	@$(BIN)/python -m tests.bench

# The figures that take many minutes.
bench-long: $(VENV)/.dev
	@$(BIN)/python -m tests.bench --long

# Files and lines of each room, circles of imports, and how many files the everyday paths pass.
paths: $(VENV)/.dev
	@$(BIN)/python -m tests.bench.paths

# The documentation as a site; a link that leads nowhere is an error.
docs: $(VENV)/.dev
	@$(BIN)/python -m sphinx -W --keep-going -q -n -c docs -d dist/doctrees . dist/site
	@echo "open dist/site/docs/index.html"

# The parts of the documentation that the code itself says, and the manual page:
# `man docs/deltadeck.1`.
reference man: $(VENV)/.dev
	@$(BIN)/python -m tests.docs.reference

# The pictures in README and documentation, taken from the program.
screenshots: $(VENV)/.dev
	@$(BIN)/python -m tests.screenshots

# The first minutes with the program, as `asciinema play docs/first-minutes.cast` shows them.
recording: $(VENV)/.dev
	@$(BIN)/python -m tests.recording

# The quick part of the tests on each Python from 3.11 on that is found.
pythons:
	@for version in 3.11 3.12 3.13 3.14; do \
	  python=$$(command -v python$$version) && $$python -c '' 2>/dev/null || \
	    { echo "Python $$version: not found"; continue; }; \
	  echo "Python $$version:"; \
	  $(MAKE) --no-print-directory VENV=.venv/python$$version PYTHON=$$python quick || exit 1; \
	done

quick: $(VENV)/.dev
	@$(BIN)/pytest -n auto --dist worksteal --ignore tests/engine/brute \
	  tests/cards tests/deck tests/engine tests/program tests/docs

format: $(VENV)/.dev
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# Versions and hashes, no download addresses.
lock: $(VENV)/.dev
	$(PIP) install uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header --no-annotate \
	  pyproject.toml requirements/build.in -o requirements/study.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
	  --no-emit-index-url --no-emit-find-links --no-header --no-annotate --extra dev \
	  -c requirements/study.lock pyproject.toml requirements/build.in -o requirements/dev.lock

clean:
	rm -rf $(VENV) dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "deltadeck needs Python 3.11 or newer: try make $(MAKECMDGOALS) PYTHON=python3.11" >&2; exit 2; }
	@echo "making $(VENV) ..."
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.study: $(VENV)/bin/python requirements/study.lock pyproject.toml
	@echo "installing ..."
	@$(PIP) install --require-hashes -r requirements/study.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: $(VENV)/bin/python requirements/dev.lock pyproject.toml
	@echo "installing what the checks need ..."
	@$(PIP) install --require-hashes -r requirements/dev.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.study
