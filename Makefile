# `make report` and `make test` each do all the set-up they need, on a machine that has Python 3.11 to 3.13.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

SHOOTOUT ?= cases/shootouts/offline.yaml
REPORTS ?= reports
MONTH ?=
REPEATS ?= 3
# What is gated against: an archive's folder or a run. TARGET is the shootout as the branch has it that is merged into.
BASELINE ?=
TARGET ?=
# Processes that share the tests, and what else pytest is told.
JOBS ?= auto
PYTEST ?=
BIN := .venv/bin
READY := .venv/.ready

# The first Python on this machine that runs and is of a version that the lock covers; PYTHON=… names another.
FIND_PYTHON := for python in $${PYTHON:-python3.13 python3.12 python3.11 python3}; do \
  if "$$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' >/dev/null 2>&1; \
  then "$$python" -c 'import sys; print(sys.executable)'; break; fi; done
PIP = PIP_DISABLE_PIP_VERSION_CHECK=1 $(BIN)/python -m pip install --quiet

# First of all, what an older decision left goes; then the candidate that the shootout names as its baseline.
BEGIN_GATE = rm -f "$(REPORTS)"/gate/{decision.json,junit.xml,summary.md}; \
  agent="$$($(BIN)/evalkit baseline "$(SHOOTOUT)")" || code=$$?
DECISION = --record "$(REPORTS)/gate/decision.json" --junit "$(REPORTS)/gate/junit.xml" \
  --markdown "$(REPORTS)/gate/summary.md"

.PHONY: help setup report gate gate-fast nightly calibration test check lab bench clean

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

# The baseline's candidate as this tree has it, on the sample `pr`. What was left out for a budget or an error blocks.
gate: $(READY) ## gate this tree's agent on the sample pr, BASELINE=archive or run; without it the newest nightly's
	@code=0; $(BEGIN_GATE); \
	baseline="$(BASELINE)"; [ -n "$$baseline" ] || baseline="$$($(BIN)/evalkit archives --nightly "$(SHOOTOUT)" \
	  --out "$(REPORTS)")" || code=$$?; \
	[ $$code -ne 0 ] || $(BIN)/evalkit run "$(SHOOTOUT)" --candidate "$$agent" --repeats 1 --sample pr \
	  $${baseline:+--against "$$baseline"} || code=$$?; \
	case $$code in 0|3|4) gated=0; $(BIN)/evalkit gate "$${baseline:-nightly}" "latest:$$agent" --rerun \
	    --out "$(REPORTS)" $(if $(TARGET),--baseline-of "$(TARGET)") $(DECISION) || gated=$$?; \
	  [ $$gated -eq 0 ] || code=$$gated;; esac; \
	$(BIN)/python -m evalkit.exits $$code; exit $$code

gate-fast: $(READY) ## gate this tree's agent on the must-pass cases of the sample fast alone, without a baseline
	@code=0; $(BEGIN_GATE); \
	[ $$code -ne 0 ] || $(BIN)/evalkit run "$(SHOOTOUT)" --candidate "$$agent" --repeats 1 --sample fast || code=$$?; \
	case $$code in 0|3|4) gated=0; $(BIN)/evalkit gate --must-pass-only "latest:$$agent" $(DECISION) || gated=$$?; \
	  [ $$gated -eq 0 ] || code=$$gated;; esac; \
	$(BIN)/python -m evalkit.exits $$code; exit $$code

# Afresh: the nightly of an agent that did not change must not read last night's trials.
nightly: $(READY) ## play all afresh, the baseline REPEATS times, and archive it; BASELINE=archive gates a release
	@code=0; $(BEGIN_GATE); \
	[ $$code -ne 0 ] || $(BIN)/evalkit run "$(SHOOTOUT)" --repeats "$(REPEATS)" --fresh || code=$$?; \
	case $$code in 0|3|4) graded=0; $(BIN)/evalkit grade latest || graded=$$?; \
	  [ $$graded -eq 0 ] || code=$$graded; rendered=0; $(BIN)/evalkit report latest --out "$(REPORTS)" || rendered=$$?; \
	  [ $$rendered -eq 0 ] || code=$$rendered; \
	  if [ -z "$(BASELINE)" ]; then echo "no BASELINE is given: nothing is gated"; else \
	    gated=0; $(BIN)/evalkit gate "$(BASELINE)" "latest:$$agent" --release --rerun $(DECISION) || gated=$$?; \
	    [ $$gated -eq 0 ] || code=$$gated; fi;; esac; \
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
	@$(BIN)/python -m pytest --numprocesses "$(JOBS)" --maxprocesses 4 --dist loadfile $(PYTEST)

check: $(READY) ## validate the suite under cases/
	@code=0; $(BIN)/evalkit check cases || code=$$?; $(BIN)/python -m evalkit.exits $$code; exit $$code

lab: $(READY) ## open the notebooks in JupyterLab
	@$(BIN)/jupyter lab $$([ "$$(id -u)" != 0 ] || echo --allow-root) notebooks

bench: $(READY) ## measure start-up, judging and playing; see benchmarks/
	@$(BIN)/python benchmarks/measure.py
	@$(BIN)/python benchmarks/patterns.py

clean: ## remove .venv and caches; the store and reports stay
	@rm -rf .venv .pytest_cache .ruff_cache .hypothesis
