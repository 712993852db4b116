# Two commands do everything on a fresh machine: `make demo` and `make test`.
PYTHON ?= python3
VENV   ?= .venv
RUN    := $(VENV)/bin
READY  := $(VENV)/.ready

.PHONY: help demo test lint types setup browser docs bench-quick bench clean

help:
	@echo "make demo         install everything and refine a tigramite result"
	@echo "make test         install everything and run lint, types and all tests"
	@echo "make docs         build the documentation into site/"
	@echo "make bench-quick  every benchmark at small sizes (minutes)"
	@echo "make bench        every benchmark at full size (hours, resumable)"

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(RUN)/python -m pip install --quiet --constraint constraints.txt torch
	$(RUN)/python -m pip install --quiet --constraint constraints.txt --editable ".[all,dev,docs,cluster,bench]"
	@touch $(READY)

demo: setup
	$(RUN)/python examples/demo.py

lint: setup
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

types: setup
	$(RUN)/mypy

# The report is tested in a real browser.
browser:
	@command -v chromium >/dev/null || (apt-get update -qq && apt-get install -y -qq chromium)

test: setup lint types browser
	GRACE_REQUIRE_ALL_HOSTS=1 $(RUN)/python -m pytest --numprocesses 2 --cov --cov-report=term:skip-covered

docs: setup
	$(RUN)/mkdocs build --strict

bench-quick: setup
	$(RUN)/python -m benchmarks run all --quick --again

bench: setup
	$(RUN)/python -m benchmarks run all
	$(RUN)/python -m benchmarks report

clean:
	rm -rf $(VENV) build dist site *.egg-info
