# Two commands matter: `make demo` and `make test`. Both need Python 3.11 or newer and nothing else.

# The first of these that is new enough and can make environments; another one with PYTHON=…
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin

define MAKE_ENVIRONMENT
@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed, with its module venv (on Debian: apt install python3-venv)." >&2; exit 1; }
$(PYTHON) -m venv .venv
endef

.PHONY: demo test test-all test-site test-lint test-lint-alone test-addresses test-addresses-alone test-deployed test-deployed-alone test-records test-records-alone test-engine test-engine-alone test-compiled test-compiled-alone compiled soak fuzz audit lint format bench accuracy accuracy-keep altered altered-keep calibration calibration-site rules rules-check screenshot lock clean

demo: .venv/runtime.stamp
	$(BIN)/python manage.py demo

# Six lanes, three of them side by side at any time, for one that talks to a browser or a database waits for them: the site; the site as
# deployed, with a browser and with processes that are killed; what is found without running anything; what holds for every address; what
# holds for every record and report; the engine as written. The longest begin first, so that no processor is left without work at the end.
# The first tells as it goes, the others at their end. `make test-all` runs the compiled engine and the long forms marked soak as well.
ADDRESSES := tests/web
DEPLOYED := tests/browser tests/robustness
RECORDS := tests/ledger tests/reports tests/least
ENGINE := tests/attribution tests/benchmarks
TOLD_AT_THEIR_END := test-deployed test-lint test-addresses test-records test-engine

test: .venv/dev.stamp
	@$(MAKE) --no-print-directory -j3 test-site $(TOLD_AT_THEIR_END)

test-all: test
	@$(MAKE) --no-print-directory test-compiled soak

test-compiled $(TOLD_AT_THEIR_END): .venv/dev.stamp
	@mkdir -p var
	@$(MAKE) --no-print-directory $@-alone > var/$@.log 2>&1; status=$$?; cat var/$@.log; exit $$status

test-site: .venv/dev.stamp
	$(BIN)/python -m pytest $(foreach folder,$(ADDRESSES) $(DEPLOYED) $(RECORDS) $(ENGINE),--ignore=$(folder))

test-lint-alone: lint

test-addresses-alone: .venv/dev.stamp
	$(BIN)/python -m pytest $(ADDRESSES)

test-records-alone: .venv/dev.stamp
	$(BIN)/python -m pytest $(RECORDS)

test-deployed-alone: .venv/dev.stamp
	$(BIN)/python -m pytest $(DEPLOYED)

test-engine-alone: .venv/dev.stamp
	$(BIN)/python -m pytest $(ENGINE)

test-compiled-alone: .venv/dev.stamp
	@if $(BIN)/python -c "import sys, compiled; sys.exit(not compiled.can_build())"; then $(BIN)/python -m compiled -m pytest tests/attribution; \
	else echo "There is no C compiler here: the compiled engine is not tested."; fi

compiled: .venv/dev.stamp
	$(BIN)/python -m compiled

soak: .venv/dev.stamp
	$(BIN)/python -m pytest -m soak

# A piece of five million fuzzed requests and records: FUZZ_PIECE=3/500 is the third of 500, FUZZ_COUNT how many there are in all.
fuzz: .venv/dev.stamp
	$(BIN)/python -m pytest -m soak -s tests/web/test_fuzz.py

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

lock:
	$(BIN)/pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --no-emit-index-url --group dev -c requirements.txt pyproject.toml -o requirements-dev.txt

clean:
	rm -rf .venv var .mypy_cache .ruff_cache .pytest_cache .hypothesis

.venv/runtime.stamp: requirements.txt
	$(MAKE_ENVIRONMENT)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	touch $@

.venv/dev.stamp: requirements-dev.txt
	$(MAKE_ENVIRONMENT)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.txt
	touch $@ .venv/runtime.stamp
