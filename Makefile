# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
CONSTRAINTS ?= constraints.txt  # the versions that Python 3.11 is tested with; none: CONSTRAINTS=
PINNED := $(if $(strip $(CONSTRAINTS)),--constraint $(strip $(CONSTRAINTS)))
READY  := $(VENV)/.ready

.PHONY: help demo test test-oldest test-newest lint types setup programs docs notebooks bench-quick bench clean

help:
	@echo "make demo         install everything and refine a tigramite result"
	@echo "make test         install everything and run lint, types and all tests"
	@echo "make test-oldest  the core tests with the lowest versions that pyproject.toml allows (test-newest: the highest)"
	@echo "make docs         build the documentation into site/"
	@echo "make notebooks    run the notebooks of the documentation and keep what they show"
	@echo "make bench-quick  every benchmark at small sizes (minutes)"
	@echo "make bench        every benchmark at full size (hours, resumable)"

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet $(PINNED) torch
	$(RUN)/python -m pip install --quiet $(PINNED) --editable ".[all,dev,docs,cluster,bench]"
	@touch $(READY)

demo: setup
	$(RUN)/python examples/demo.py

lint: setup
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

types: setup
	$(RUN)/mypy

# The report is tested in a real browser, and a layout by Graphviz.
programs:
	@command -v chromium >/dev/null || command -v google-chrome >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium)
	@command -v dot >/dev/null || (apt-get update -qq && apt-get install -y -qq graphviz)

test: setup lint types programs
	GRACE_REQUIRE_ALL_HOSTS=1 $(RUN)/python -m pytest --numprocesses 2 --dist loadgroup \
		--cov --cov-report=term:skip-covered

# The two ends of what pyproject.toml allows, each in an environment of its own, without torch and without hosts:
# the rooms of the library, not its surroundings.
CORE_ROOMS := graph series hosts prepare moments regression skeletons engines lag0 decide results show pipeline \
	stability datasets properties
CORE_TOOLS := pytest pytest-xdist hypothesis jsonschema polars tornado xarray
CORE_RUN := -m "not host and not neural and not cluster" $(CORE_ROOMS:%=tests/%)

test-oldest: programs
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet --constraint constraints-oldest.txt $(CORE_TOOLS) "pyarrow<19" ".[plot,yaml]"
	.venv-oldest/bin/python -m pytest -n 2 -o filterwarnings=default $(CORE_RUN)  # old packages warn of newer ones

test-newest: programs
	$(PYTHON) -m venv .venv-newest
	.venv-newest/bin/python -m pip install --quiet --upgrade --upgrade-strategy eager $(CORE_TOOLS) pyarrow ".[plot,yaml]"
	.venv-newest/bin/python -m pytest -n 2 -o filterwarnings=default $(CORE_RUN)

docs: setup
	$(RUN)/sphinx-build --fail-on-warning --keep-going -q docs site

# Run every notebook and keep what it shows; `make test` runs them too, and keeps nothing.
notebooks: setup
	$(RUN)/python docs/run_notebooks.py

bench-quick: setup
	$(RUN)/python -m benchmarks run all --quick --again

bench: setup
	$(RUN)/python -m benchmarks run all
	$(RUN)/python -m benchmarks report

clean:
	rm -rf $(VENV) .venv-oldest .venv-newest build dist site *.egg-info
