# Everything a newcomer needs: `make demo`, `make up`, `make test`. Each makes .venv by itself.
#
# PITLEDGER_HOME   where data, secrets, logs and exports lie (default: .pitledger in this folder)
# PITLEDGER_PORT   where `make up` serves (default: 8000)
# PYTHON           the Python to make .venv with (default: the first usable one on the PATH)
# DEMO=0           `make up` with an empty house: an administrator and nobody else
# ROUNDS, SEED     `make demo`: how many rounds at least, and the seed of the players' decisions
# QUICK=1          `make bench`: one short repetition of each, only to see that it runs
# SECONDS, SEED    `make fuzz`: for how long, and the seed of its operations (default: 60, a new one)

.DEFAULT_GOAL := help
.PHONY: help demo up verifier test lint fuzz bench requirements clean

PITLEDGER_HOME ?= $(CURDIR)/.pitledger
export PITLEDGER_HOME
DEMO ?= 1
ROUNDS ?= 240
SEED ?=
SECONDS ?= 60

VENV := .venv
PEERS := build/bench-venv
PY := $(VENV)/bin/python
# Bound to this very make, whose number only a shell of its own knows: the floor ends even if make is killed.
FLOOR = exec $(PY) -m config.embedded run --with-parent $(shell echo $$PPID) -- $(PY) -m config.floor
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --require-hashes

# 3.12 and 3.11 first: for them the requirements bring a Redis along. Each is tried by running it, for a
# Python on the PATH may lie where the caller cannot go, or lack what makes a virtual environment.
CANDIDATES := $(PYTHON) python3.12 python3.11 python3.13 python3
USABLE := import sys, venv, ensurepip; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))

help:
	@echo "make demo          a whole gaming day on seven tables, played, closed, reconciled and verified"
	@echo "make up            the same floor kept running, with its admin site (DEMO=0: an empty house)"
	@echo "make verifier      build/pitledger-verify.pyz, the auditor's offline verifier in one file"
	@echo "make test          the tests            make lint    what they cannot see"
	@echo "make fuzz          random operations on the journal against a plain model (SECONDS, SEED)"
	@echo "make bench         the benchmarks       make clean   remove data and .venv"
	@echo "make requirements  compile the pinned requirements again"

demo: $(VENV)/base.stamp
	@PITLEDGER_HOME="$$PITLEDGER_HOME/demo" $(PY) -m config.embedded discard
	@PITLEDGER_HOME="$$PITLEDGER_HOME/demo" $(FLOOR) demo --rounds $(ROUNDS) $(if $(SEED),--seed $(SEED))

up: $(VENV)/base.stamp
	@$(FLOOR) up $(if $(filter 0,$(DEMO)),--empty)

# Any Python from 3.11 on makes it, and the same sources make the same bytes.
verifier: | $(PY)
	@$(PY) -m audit.bundle.program build/pitledger-verify.pyz
	@echo "build/pitledger-verify.pyz"

# What is compiled is kept, whatever the caller's habit: the tests start Python many times.
test: export PYTHONDONTWRITEBYTECODE =
test: $(VENV)/dev.stamp
	$(PY) -m pytest -n 2 --dist worksteal

lint: $(VENV)/dev.stamp
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy
	$(VENV)/bin/lint-imports
	$(PY) manage.py makemigrations --check --dry-run

fuzz: $(VENV)/dev.stamp
	$(PY) -m tests.fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

bench: $(VENV)/dev.stamp $(PEERS)/bench.stamp
	$(PY) -m bench $(if $(QUICK),--quick)

requirements: $(VENV)/dev.stamp
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url -o requirements/base.txt requirements/base.in
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-annotate \
		--no-emit-index-url -c requirements/base.txt -o requirements/dev.txt requirements/dev.in
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--no-emit-index-url -c requirements/base.txt -o requirements/bench.txt requirements/bench.in

clean:
	@set --; \
	for home in "$$PITLEDGER_HOME/demo" "$$PITLEDGER_HOME"; do \
		if [ -d "$$home/run" ]; then set -- "$$@" "$$home"; fi; \
	done; \
	if [ -x $(PY) ] && [ $$# -gt 0 ]; then $(PY) -m config.embedded discard "$$@"; fi
	rm -rf $(VENV) $(PEERS) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(PY):
	@for candidate in $(CANDIDATES); do \
		if "$$candidate" -c '$(USABLE)' 2>/dev/null; then \
			echo "making $(VENV) with $$($$candidate --version)"; \
			exec "$$candidate" -m venv $(VENV); \
		fi; \
	done; \
	echo "no usable Python 3.11, 3.12 or 3.13 (with venv) on the PATH; set PYTHON" >&2; exit 1

# The stamps are younger than the requirements they were installed from.
$(VENV)/base.stamp: requirements/base.txt | $(PY)
	@echo "installing what the system needs (once)"
	@$(PIP) -r requirements/base.txt
	@touch $@

$(VENV)/dev.stamp: requirements/dev.txt | $(PY)
	@echo "installing what tests and linters need (once)"
	@$(PIP) -r requirements/dev.txt
	@touch $@ $(VENV)/base.stamp

# What is only measured against has an environment of its own.
$(PEERS)/bench.stamp: requirements/bench.txt | $(PY)
	@echo "installing what the benchmarks measure against (once)"
	@$(PY) -m venv $(PEERS)
	@$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@
