# Everything that is done with this repository; `make help` lists it. Needs Python 3.11 and make.
#
#   PYTHON=python3.13   which Python to make .venv with
#   INSTALLER=pip       install without uv (slower), where only pip is set up for the index
#   TESTS="-k gantt"    what to pass to pytest
#   BENCHMARK="--only 6.2b"  what to pass to the benchmark
#   LOCK="--upgrade"    what to pass to uv when locking

PYTHON ?= python3
INSTALLER ?= uv
TESTS ?=
BENCHMARK ?=
LOCK ?=

VENV := .venv/bin
TORCH := 2.13.0
STAMP := .venv/installed

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help install solve test test-runtime lint benchmark lock schemas pictures clean

help: ## List these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' Makefile

install: $(STAMP) ## Make .venv with the locked dependencies and nobubble itself
	@echo "nobubble is installed in .venv ($$($(VENV)/python --version)): .venv/bin/nobubble --help"

solve: $(STAMP) ## Solve a measured profile of 8 ranks; schedule and picture go to build/
	@mkdir -p build
	$(VENV)/nobubble solve profiles/measured-p8.json --memory-limit 9920 \
	    -o build/measured-p8.schedule.json
	$(VENV)/nobubble render build/measured-p8.schedule.json -o build/measured-p8.svg
	@echo "Schedule: build/measured-p8.schedule.json"
	@echo "Picture:  build/measured-p8.svg"

test: $(STAMP) ## Run the tests
	$(VENV)/python -m pytest --numprocesses auto --maxprocesses 4 --ignore tests/runtime $(TESTS)

# Torch is not in the lock: it has its own builds for every kind of machine. Tests fork after they
# have imported it, so one process runs them all.
test-runtime: $(STAMP) .venv/torch ## Run the tests of runtime/, with PyTorch in processes of its own
	$(VENV)/python -m pytest tests/runtime $(TESTS)

.venv/torch: $(STAMP)
	@echo "Installing torch $(TORCH) into .venv ..."
	@$(PIP) torch==$(TORCH)
	@touch $@

lint: $(STAMP) ## Check style, formatting and types
	$(VENV)/python -m ruff check
	$(VENV)/python -m ruff format --check
	$(VENV)/python -m mypy

benchmark: $(STAMP) ## Solve all ready profiles and search cases: some minutes; fail if any got worse
	$(VENV)/python -m benchmarks.best_known $(BENCHMARK)

lock: $(VENV)/python ## Lock the dependencies of pyproject.toml, hashes included
	@$(get_uv)
	$(lock) --group dev $(LOCK) pyproject.toml --output-file requirements.lock
	$(lock) --constraint requirements.lock pyproject.toml --output-file requirements-service.lock

# The same versions in both files: the second is what the container image installs.
lock = $(VENV)/uv pip compile --quiet --universal --python-version 3.11 --fork-strategy fewest \
    --all-extras --generate-hashes --no-annotate --custom-compile-command "make lock"

schemas: $(STAMP) ## Write the JSON Schemas of profile and schedule, and the OpenAPI document
	$(VENV)/python -m nobubble.schemas docs/schemas
	$(VENV)/python -m nobubble_api.openapi_file docs/openapi.json

pictures: $(STAMP) ## Draw the pictures of the documentation
	$(VENV)/python docs/pictures/draw.py

clean: ## Remove all that these commands made, .venv included
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# Python writes no bytecode where PYTHONDONTWRITEBYTECODE is set, and every command would compile
# numba and pydantic anew, for six seconds: so the install compiles them.
$(STAMP): requirements.lock pyproject.toml optimizer/nobubble/_version.py | $(VENV)/python
	@echo "Installing the locked dependencies into .venv: up to a minute the first time ..."
	@$(install_$(INSTALLER))
	@$(PIP) --no-deps --no-build-isolation --editable .
	@$(VENV)/python -m compileall -q optimizer api cli runtime
	@touch $(STAMP)

$(VENV)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	    echo "nobubble needs Python 3.11 or later, but $(PYTHON) is: $$($(PYTHON) --version 2>&1)."; \
	    echo "Name another one: make install PYTHON=python3.12"; exit 1; } >&2
	@$(PYTHON) -m venv .venv

PIP := $(VENV)/python -m pip -qq install

install_pip = $(PIP) --require-hashes --requirement requirements.lock

# uv is three times as fast as pip. It comes by pip, and its version and hashes from the same lock.
install_uv = $(get_uv) && $(VENV)/uv pip sync --quiet --require-hashes --compile-bytecode \
    --python $(VENV)/python requirements.lock

get_uv = awk '/^[^ \#]/ { wanted = /^uv==/ } wanted' requirements.lock > .venv/uv.lock && \
    $(PIP) --require-hashes --requirement .venv/uv.lock
