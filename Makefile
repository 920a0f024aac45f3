# The first target that needs an environment makes it, from a pinned and hashed lock; later runs need no network.
# `make demo` installs what hushcount itself needs, and whatever checks adds the rest to the same environment.
# Another interpreter: make PYTHON=python3.13 demo

PYTHON ?= python3
UV ?= uv
# Twice quiet: errors only. Python compiles a module when it is first imported.
PIP_INSTALL = -m pip install --quiet --quiet --no-compile --disable-pip-version-check --no-input
# And keeps it, also where an image says not to: else each process compiles all it imports, and starts half as fast.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test quick lint types tests quick-tests coverage format fuzz bench docs lock clean

help:
	@echo 'make demo      release a private count from the example data, and explain its figures'
	@echo 'make test      style, types and all tests'
	@echo 'make quick     style, types and the tests that are quick, in about a minute'
	@echo 'make lint      style only'
	@echo 'make types     types only'
	@echo 'make coverage  all tests, and which lines and branches of the code they run'
	@echo 'make format    format the code, and mend what can be mended without thought'
	@echo 'make fuzz      try 100,000 inputs, most of them bad (make fuzz FUZZ="--inputs 1000" for fewer)'
	@echo 'make bench     measure speed and error against other packages (own environment)'
	@echo 'make docs      write the generated pages of docs/ anew from the code'
	@echo 'make lock      resolve the dependencies anew (needs uv; make lock UPGRADE=--upgrade for the newest)'
	@echo 'make clean     remove the environments, builds and caches'

# --- use ---------------------------------------------------------------------------------------------------------

RELEASE = hushcount release examples/hiv_results.csv --where "got = 1" --epsilon 0.5
# The same parameters without the data: the file has 4,820 rows.
EXPLAIN = hushcount explain --n 4820 --epsilon 0.5

demo: .venv/core
	@echo '$$ $(RELEASE)'
	@.venv/bin/$(RELEASE)
	@echo
	@echo '$$ $(EXPLAIN)'
	@.venv/bin/$(EXPLAIN)

# --- check -------------------------------------------------------------------------------------------------------

# Tests wait for processes and databases, so half as many workers again as cores; with one thread each, since more would
# only wait for one another.
WORKERS := $(shell $(PYTHON) -c 'import os; print(min(8, (os.cpu_count() or 1) * 3 // 2))')
PYTEST = OPENBLAS_NUM_THREADS=1 .venv/bin/python -m pytest -q -n $(WORKERS)

test: lint types tests

quick: lint types quick-tests

lint: .venv/installed
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .

types: .venv/installed
	.venv/bin/mypy

tests: .venv/installed
	$(PYTEST)

quick-tests: .venv/installed
	$(PYTEST) -m 'not (grid or slow or spark or postgresql or browser)'

coverage: .venv/installed
	$(PYTEST) --cov --cov-report=term:skip-covered --cov-report=html

format: .venv/installed
	.venv/bin/ruff check --fix-only .
	.venv/bin/ruff format .

fuzz: .venv/installed
	.venv/bin/python fuzz/run.py $(FUZZ)

bench: .venv-bench/installed
	.venv-bench/bin/python bench/run.py

# --- make --------------------------------------------------------------------------------------------------------

docs: .venv/installed
	.venv/bin/python -m hushcount.cli.reference

COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest --generate-hashes \
	--no-header --no-annotate --custom-compile-command 'make lock' $(UPGRADE) pyproject.toml

# The core has the versions that the tests run with.
lock:
	$(COMPILE) --extra dev --output-file requirements.lock
	$(COMPILE) --extra build --constraint requirements.lock --output-file requirements-core.lock
	$(COMPILE) --extra bench --extra build --output-file bench/requirements.lock

clean:
	rm -rf .venv .venv-bench dist .benchmarks .coverage .hypothesis .mypy_cache .pytest_cache .ruff_cache htmlcov
	find src tests bench fuzz -name __pycache__ -type d -prune -exec rm -rf {} +

# --- environments ------------------------------------------------------------------------------------------------

.venv/core: requirements-core.lock pyproject.toml
.venv/installed: requirements.lock pyproject.toml
.venv-bench/installed: bench/requirements.lock pyproject.toml

.venv/core .venv/installed .venv-bench/installed:
	@$(PYTHON) -c 'import sys; sys.exit("hushcount needs Python 3.11 or newer: make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	@echo 'setting up $(@D) from $<'
	@$(PYTHON) -m venv $(@D)
	@$(@D)/bin/python $(PIP_INSTALL) --require-hashes -r $<
	@$(@D)/bin/python $(PIP_INSTALL) --no-deps --no-build-isolation -e .
	@touch $(@D)/core $@ # every lock holds the core
