# Two commands for a new machine with Python 3.11+ and make: `make demo`, `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: demo test lint types imports unit slow mutants mutants-sample site fuzz lowest newest format clean

# The stamp is the promise that the virtual environment matches pyproject.toml.
$(VENV)/.installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[test]'
	touch $@

demo: $(VENV)/.installed
	$(BIN)/python examples/demo.py

test: lint types imports unit mutants-sample

lint: $(VENV)/.installed
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .

types: $(VENV)/.installed
	$(BIN)/mypy

imports: $(VENV)/.installed
	$(BIN)/lint-imports

# Three workers for two processors, since some tests wait for browsers and processes. Tests of one group
# share a worker: two browsers at a time would starve each other.
unit: $(VENV)/.installed
	$(BIN)/pytest -n 3 --dist loadgroup

# All tests, also those that tests/conftest.py leaves out because they take long.
slow: $(VENV)/.installed
	$(BIN)/pytest -n 3 --dist loadgroup --slow

# Small faults in the product that the tests of single rows should catch; ARGS=--help tells more.
mutants: $(VENV)/.installed
	PYTHONPATH=src:tests $(BIN)/python -m mutants $(ARGS)

# A minute of it, other rows every day; a survivor fails only if caught.toml has it.
mutants-sample: $(VENV)/.installed
	PYTHONPATH=src:tests $(BIN)/python -m mutants --sample

# The documentation, into out/site: no network, and every warning is an error.
site: $(VENV)/.installed
	$(BIN)/python -m sphinx --fail-on-warning --jobs auto --quiet -d out/site_cache docs out/site
	@echo "out/site/index.html"

# Files made wrong, for every reader; SEED=n for others.
SEED ?= 1
fuzz: $(VENV)/.installed
	PYTHONPATH=src:tests $(BIN)/python -m fuzz.fuzz --cases 13000 --seed $(SEED)

# The quickest tests with the lowest and with the newest versions that pyproject.toml allows.
lowest newest:
	$(PYTHON) tests/versions.py $@

format: $(VENV)/.installed
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf $(VENV) out .mypy_cache .ruff_cache .pytest_cache .hypothesis
