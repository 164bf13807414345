# `make report` and `make test` each do all the set-up they need, on a machine that has Python 3.11 to 3.13.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

SHOOTOUT ?= cases/shootouts/offline.yaml
REPORTS ?= reports
MONTH ?=
PYTEST ?=
BIN := .venv/bin
READY := .venv/.ready

# The first Python on this machine that runs and is of a version that the lock covers; PYTHON=… names another.
FIND_PYTHON := for python in $${PYTHON:-python3.13 python3.12 python3.11 python3}; do \
  if "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; \
  then "$$python" -c 'import sys; print(sys.executable)'; break; fi; done
PIP = PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet

.PHONY: help setup report calibration test check lab bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(READY) ## make .venv from the lock: by uv where it is installed, else by pip

# Kept by the time stamp of one file, so that a second call does nothing and a changed lock sets up again.
$(READY): uv.lock requirements.txt pyproject.toml
	@python="$$($(FIND_PYTHON))"; \
	if command -v uv >/dev/null 2>&1; then \
	  echo "Setting up .venv with uv"; \
	  UV_PYTHON_DOWNLOADS=never UV_COMPILE_BYTECODE=1 uv sync --quiet --frozen $${python:+--python "$$python"}; \
	elif [ -n "$$python" ]; then \
	  echo "Setting up .venv with pip and $$python; this takes some minutes"; \
	  "$$python" -m venv --clear .venv; \
	  $(PIP) --require-hashes -r requirements.txt; \
	  $(PIP) --no-deps --no-build-isolation --no-index --editable .; \
	else \
	  echo "Python 3.11, 3.12 or 3.13 is needed; name one with PYTHON=/path/to/python" >&2; exit 1; \
	fi; \
	$(BIN)/python -m compileall -q evalkit; \
	touch $@

# A run that reached its budget or is incomplete is rendered all the same, under its watermark; then make fails.
report: $(READY) ## play the default shootout and archive its report; SHOOTOUT=file for another
	@code=0; $(BIN)/evalkit run "$(SHOOTOUT)" || code=$$?; \
	case $$code in 0|3|4) graded=0; $(BIN)/evalkit grade latest || graded=$$?; \
	  [ $$graded -eq 0 ] || code=$$graded; rendered=0; $(BIN)/evalkit report latest --out "$(REPORTS)" || rendered=$$?; \
	  [ $$rendered -eq 0 ] || code=$$rendered;; esac; \
	$(BIN)/python -m evalkit.exits $$code; exit $$code

# Like `report`: what was graded before a budget or an error is rendered all the same; then make fails.
calibration: $(READY) ## grade the labelled transcripts anew for MONTH=2026-10 and archive the page on drift
	@if [ -z "$(MONTH)" ]; then code=2; echo "name the month: make calibration MONTH=2026-10" >&2; else \
	  code=0; $(BIN)/evalkit grade "$(SHOOTOUT)" --month "$(MONTH)" || code=$$?; \
	  case $$code in 0|3|4) rendered=0; \
	    $(BIN)/evalkit report latest --notebook 50_calibration -p "month=$(MONTH)" --out "$(REPORTS)" || rendered=$$?; \
	    [ $$rendered -eq 0 ] || code=$$rendered;; esac; fi; \
	$(BIN)/python -m evalkit.exits $$code; exit $$code

test: $(READY) ## run all tests, with ruff, the lock and the layout among them
	@$(BIN)/python -m pytest $(PYTEST)

check: $(READY) ## validate the suite under cases/
	@code=0; $(BIN)/evalkit check cases || code=$$?; $(BIN)/python -m evalkit.exits $$code; exit $$code

lab: $(READY) ## open the notebooks in JupyterLab
	@$(BIN)/jupyter lab $$([ "$$(id -u)" != 0 ] || echo --allow-root) notebooks

bench: $(READY) ## measure start-up, judging and playing; see benchmarks/
	@$(BIN)/python benchmarks/measure.py

clean: ## remove .venv and caches; the store and reports stay
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis
