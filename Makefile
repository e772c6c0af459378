# Each target sets itself up from nothing: an environment in .venv from the hashed lock files.
# uv is used where it is installed, plain pip otherwise. The README has the plain commands.
PYTHON ?= python3
PY := .venv/bin/python
UV := $(shell command -v uv 2>/dev/null)
COMPILE := $(PY) -m uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-annotate --no-header \
	--no-emit-index-url --no-emit-find-links pyproject.toml --group build

.PHONY: install demo test browser lint ui bench lock clean

install: .venv/.dev

demo: .venv/.runtime
	$(PY) -m judge demo --out demo

test: .venv/.dev browser
	$(PY) -m pytest -n 2 $(ARGS)

# Chromium and Chinese fonts for the browser tests; BROWSER=0 leaves those tests out and says so
browser: .venv/.dev
	$(PY) tests/browser/chromium.py

lint: .venv/.dev
	$(PY) -m ruff check .
	$(PY) -m ruff format --check .
	$(PY) -m mypy
	.venv/bin/lint-imports

ui: .venv/.runtime
	$(PY) -m judge ui

bench: .venv/.dev
	$(PY) -m pytest tests/benchmarks -p no:xdist -s -o python_files='bench_*.py'

lock: .venv/.dev
	$(COMPILE) -o requirements.lock $(ARGS)
	$(COMPILE) --all-extras --group dev -c requirements.lock -o requirements-dev.lock $(ARGS)

clean:
	rm -rf .venv demo build dist

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "judge needs Python 3.11 or newer; $(PYTHON) is older. Say: make PYTHON=/path/to/python3.11"; exit 1; }
	$(PYTHON) -m venv .venv

# the development lock holds the runtime lock, so either serves the demo
.venv/.runtime: requirements.lock pyproject.toml | .venv/bin/python
	test -e .venv/.dev || $(MAKE) --no-print-directory .venv/.installed LOCK=requirements.lock
	touch $@

.venv/.dev: requirements-dev.lock pyproject.toml | .venv/bin/python
	$(MAKE) --no-print-directory .venv/.installed LOCK=requirements-dev.lock
	touch $@ .venv/.runtime

.PHONY: .venv/.installed
.venv/.installed:
ifdef UV
	uv pip install -q --python $(PY) --require-hashes -r $(LOCK)
	uv pip install -q --python $(PY) --no-deps --no-build-isolation -e .
else
	$(PY) -m pip install -q --disable-pip-version-check --require-hashes -r $(LOCK)
	$(PY) -m pip install -q --disable-pip-version-check --no-deps --no-build-isolation -e .
endif
