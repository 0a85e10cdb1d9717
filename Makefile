# Two commands matter: `make demo` and `make test`. Both need Python 3.11 or newer and nothing else.

# The first of these that is new enough and can make environments; another one with PYTHON=…
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin

define MAKE_ENVIRONMENT
@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, with its module venv (on Debian: apt install python3-venv)." >&2; exit 1; }
$(PYTHON) -m venv .venv
endef

# Images often forbid to keep what is compiled; then each of our many processes compiles everything anew, for longer than it works.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test test-all compiled soak fuzz audit lint format bench accuracy accuracy-keep altered altered-keep calibration calibration-site rules rules-check screenshot wheel lock clean

demo: .venv/runtime.stamp
	$(BIN)/python manage.py demo

# The linters run beside the tests. `make test` tries a sample of the cases that are generated, another one with each commit;
# `make test-all` tries everything there is, on the compiled engine too where there is a C compiler.
PYTEST := $(BIN)/python -m pytest -n logical --maxprocesses 8

test: .venv/dev.stamp
	$(PYTEST) -p tests.linting

test-all: .venv/dev.stamp
	$(PYTEST) -p tests.linting -m ""
	@if $(BIN)/python -c "import sys, compiled; sys.exit(not compiled.can_build())"; then $(BIN)/python -m compiled -m pytest -m "" tests/attribution; \
	else echo "There is no C compiler here: the compiled engine is not tested."; fi

compiled: .venv/dev.stamp
	$(BIN)/python -m compiled

# What only `make test-all` tries, on the engine as written.
soak: .venv/dev.stamp
	$(PYTEST) -m exhaustive

# A piece of five million fuzzed requests and records: FUZZ_PIECE=3/500 is the third of 500, FUZZ_COUNT how many there are in all.
fuzz: .venv/dev.stamp
	$(BIN)/python -m pytest -m exhaustive -s tests/web/test_fuzz.py

# Known weaknesses of what is locked. It needs an index that has advisories; without one it says so and fails.
audit: .venv/dev.stamp
	@{ $(PYTHON) -m venv var/audit && var/audit/bin/pip install --quiet --disable-pip-version-check pip-audit \
	&& var/audit/bin/pip-audit --require-hashes --disable-pip -r requirements.txt; } || \
	{ echo "pip-audit found something, could not be installed or reached no advisories: which, stands above." >&2; exit 1; }

lint: .venv/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/python manage.py makemigrations --check --dry-run

format: .venv/dev.stamp
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: .venv/dev.stamp
	$(BIN)/python -m benchmarks

# A folder of labelled turns: the one beside the checkout, another one with DATA=…; HELD_OUT=1 shows texts of the held-out half too.
MEASURE := $(if $(DATA),--data "$(DATA)")

accuracy: .venv/dev.stamp
	$(BIN)/python -m benchmarks.accuracy $(MEASURE) $(if $(HELD_OUT),--held-out)

# The same, and writes the figures that later runs are compared with.
accuracy-keep: .venv/dev.stamp
	$(BIN)/python -m benchmarks.accuracy $(MEASURE) --keep

# How many values altered in the answers are flagged as contradicted, and how often an unaltered answer is.
altered: .venv/dev.stamp
	$(BIN)/python -m benchmarks.altered $(MEASURE) $(if $(HELD_OUT),--held-out)

# The same, and writes the figures that later runs are compared with.
altered-keep: .venv/dev.stamp
	$(BIN)/python -m benchmarks.altered $(MEASURE) --worst 0 --keep

# What confidences from 50 to 2,000 of the labels are worth on the turns that have none of them.
calibration: .venv/dev.stamp
	$(BIN)/python -m benchmarks.calibration $(MEASURE)

# The same through a site of its own, whose plans draw the labels and whose leads propose the profiles.
calibration-site: .venv/dev.stamp
	$(BIN)/python -m benchmarks.calibration.site $(MEASURE)

# What each rule's default score rests on: the table beside the profile.
rules: .venv/dev.stamp
	$(BIN)/python -m benchmarks.accuracy.rules $(MEASURE)

rules-check: .venv/dev.stamp
	$(BIN)/python -m benchmarks.accuracy.rules $(MEASURE) --check

screenshot: .venv/dev.stamp
	$(BIN)/python -m benchmarks.screenshot

# The engine as a distribution of its own, in var/.
wheel: .venv/dev.stamp
	rm -rf var/wheel && mkdir -p var/wheel && cp -R attribution pyproject.toml README.md LICENSE var/wheel
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir var var/wheel
	@ls var/footnote-*.whl

lock:
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --extra site pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --group dev --extra site -c requirements.txt pyproject.toml -o requirements-dev.txt

clean:
	rm -rf .venv var build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/runtime.stamp: requirements.txt
	$(MAKE_ENVIRONMENT)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements.txt
	touch $@

.venv/dev.stamp: requirements-dev.txt
	$(MAKE_ENVIRONMENT)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements-dev.txt
	touch $@ .venv/runtime.stamp
