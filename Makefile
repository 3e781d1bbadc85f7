# Two commands do all: `make demo` and `make test`. Both need Python 3.11 or later and make, nothing else.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
DEMO := build/demo

# The peers' own environment: what librosa needs must not change the numpy that mediacheck is measured with.
BENCH := build/venv-bench

.PHONY: help demo test lint types unit schemas bench clean
.DEFAULT_GOAL := help

help: ## Say what can be made.
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

# Stamps: a second run installs nothing unless these files changed.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "mediacheck needs Python 3.11 or later; name one: make PYTHON=python3.12 …" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.made pyproject.toml constraints.txt hatch_build.py $(wildcard mediacheck/media/kernel/*.[ch])
	$(PIP) --editable .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.installed
	$(PIP) --editable '.[test,test-models]'
	@# These two are compiled here. Without a C compiler their tests are skipped, and the rest still run.
	$(PIP) --editable '.[resemblyzer,pesq]' || echo "resemblyzer and pesq were not installed: is there a C compiler?" >&2
	$(BIN)/python -m tests.mend_torchaudio
	@touch $@

demo: $(VENV)/.installed ## Make demo files, validate them and print the reports.
	@$(BIN)/python examples/make_demo.py $(DEMO)
	@echo; echo '$$ mediacheck validate speech.wav'
	@cd $(DEMO) && ../../$(BIN)/mediacheck validate speech.wav
	@echo; echo '$$ mediacheck validate broken.wav        (exit code 1: it is broken on purpose)'
	@cd $(DEMO) && { ../../$(BIN)/mediacheck validate broken.wav; test $$? -eq 1; }
	@echo; echo '$$ mediacheck validate clip.mp4 --validator v1        (the rule that was wrong: exit code 1)'
	@cd $(DEMO) && { ../../$(BIN)/mediacheck validate clip.mp4 --validator v1; test $$? -eq 1; }
	@echo; echo '$$ mediacheck validate clip.mp4 --validator v2 --contract minimax-h3-ref2va'
	@cd $(DEMO) && ../../$(BIN)/mediacheck validate clip.mp4 --validator v2 --contract minimax-h3-ref2va

test: lint types unit ## Lint, check types and run all tests (MEDIACHECK_REQUIRE_ALL=1: none may be skipped).

lint: $(VENV)/.installed-test ## Ruff.
	$(BIN)/ruff check .

types: $(VENV)/.installed-test ## Mypy, strict on the package.
	$(BIN)/mypy

unit: $(VENV)/.installed-test ## Pytest, in parallel.
	@$(BIN)/python -m tests.needs
	$(BIN)/python -m pytest -n auto --dist loadgroup

schemas: $(VENV)/.installed ## Write docs/schemas from the types.
	$(BIN)/python -m mediacheck.schema docs/schemas

$(BENCH)/.installed: benchmarks/requirements.txt
	$(PYTHON) -m venv $(BENCH)
	$(BENCH)/bin/python -m pip install --quiet --disable-pip-version-check --requirement benchmarks/requirements.txt
	@touch $@

bench: $(VENV)/.installed $(BENCH)/.installed ## Measure speed and memory beside other tools (half an hour; needs ffmpeg).
	$(BIN)/python -m benchmarks run

clean: ## Remove all that was made.
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
