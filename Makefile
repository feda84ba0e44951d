# Everything a user or a developer does here. `make` alone prints this list.
# Needs Python 3.11 or later with venv, and make; the rest is installed into .venv.

VENV   := .venv
BIN    := $(VENV)/bin
PYTHON := $(shell for p in python3.11 python3.12 python3.13 python3.14 python3 python; do \
            "$$p" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1 \
            && { echo "$$p"; break; }; done)
RELEASE := $(VENV)/release
MINUTES := 60
# without compiled modules, which the first import writes: two thirds of the time, and 90 MB less
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet install --no-compile

COVERING := $(foreach one,bodies rollup montecarlo bom mesh pose robots fix liquids tanks,$(wildcard tests/unit/test_$(one)*.py)) \
            tests/library tests/peers tests/property tests/rules tests/cli/test_fleet.py

.DEFAULT_GOAL := help
.PHONY: verify-mutants live help demo docs conda try try-check schemas routes single-file test pythons lowest lint coverage fuzz fuzz-corpus bench bench-large simulate slow mutants golden picture traps cli rules words shapes meshes samples template
.PHONY: sbom audit wheel-check clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "no Python 3.11 or later with venv was found on PATH" >&2; exit 2; }
	@echo "making $(VENV) with $$($(PYTHON) --version)"
	@$(PYTHON) -m venv $(VENV)

# The stamps are older than pyproject.toml as soon as it changes, so that what it lists is installed again.
$(VENV)/.installed: pyproject.toml | $(BIN)/python
	@echo "installing massprops"
	@$(PIP) --editable .
	@touch $@

$(VENV)/.developer: pyproject.toml | $(VENV)/.installed
	@echo "installing what tests and checks need"
	@$(PIP) --editable '.[dev]'
	@touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.installed
	@echo "installing what the site needs"
	@$(PIP) --editable '.[docs]'
	@touch $@

$(VENV)/.fuzz: pyproject.toml | $(VENV)/.developer
	@echo "installing the fuzzer"
	@$(PIP) --editable '.[fuzz]'
	@touch $@

# The tools of a release, and next to them what users install, without the tools of developers.
RELEASE_TOOLS = import tomllib; print("\n".join(tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["release"]))
$(RELEASE)/.tools: pyproject.toml | $(BIN)/python
	@$(BIN)/python -m venv $(RELEASE)/tools
	@$(BIN)/python -c '$(RELEASE_TOOLS)' > $(RELEASE)/tools.txt
	@$(RELEASE)/tools/bin/python -m pip --disable-pip-version-check --quiet install --requirement $(RELEASE)/tools.txt
	@touch $@

$(RELEASE)/.installed: pyproject.toml | $(RELEASE)/.tools
	@$(BIN)/python -m venv $(RELEASE)/environment
	@$(RELEASE)/environment/bin/python -m pip --disable-pip-version-check --quiet install .
	@touch $@

demo: $(VENV)/.installed ## install, roll up the sample workbook, show summary and tree
	@rm -rf .demo && mkdir .demo && cp sample_data/spacecraft.xlsx .demo/
	@cd .demo && ../$(BIN)/massprops rollup spacecraft.xlsx
	@cd .demo && ../$(BIN)/massprops tree spacecraft.xlsx --depth 2
	@echo
	@echo "annotated workbook: $(CURDIR)/.demo/spacecraft.rollup.xlsx"

test: $(VENV)/.developer ## install what the tests need and run them
	@$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

pythons: ## run the tests with every Python 3.11 to 3.14 on PATH or under ~/.pyenv
	@.ci/pythons $(ARGS)

lowest: ## run the tests with the lowest versions that pyproject.toml allows
	@PYTHON=$(PYTHON) .ci/lowest $(ARGS)

coverage: $(VENV)/.developer ## fail unless the tests of bodies and rollups take every branch of these two rooms
	@$(BIN)/python -m pytest -n 2 -m '' --hypothesis-profile=thorough --cov --cov-report=term massprops_cli/bodies massprops_cli/rollups $(COVERING) $(ARGS)

fuzz: $(VENV)/.fuzz ## fuzz every format and option text for MINUTES=60, all targets together
	@$(BIN)/python -m tests.fuzz.run --minutes $(MINUTES) $(ARGS)

fuzz-corpus: $(VENV)/.fuzz ## keep the smallest inputs found by make fuzz in tests/fuzz/corpus
	@$(BIN)/python -m tests.fuzz.run --keep $(ARGS)

lint: $(VENV)/.developer ## check style, format, types, the direction of imports, and that no code is dead
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports
	@$(BIN)/vulture

bench: $(VENV)/.developer ## measure what the speed goals are about and print the table
	@$(BIN)/python benchmarks/run.py $(ARGS)

bench-large: $(VENV)/.developer ## measure how time grows from one to four million rows
	@PYTHONPATH=. $(BIN)/python benchmarks/bench_pipeline.py --large $(ARGS)

LISTS ?= 10000
simulate: $(VENV)/.developer ## draw LISTS=10000 mass lists of known mass and judge how they are read
	@$(BIN)/python -m tests.simulator.run --count $(LISTS) $(ARGS)

DRAWN := $(addprefix tests/unit/test_,arrow_text_matching.py files_delimited_lines.py files_view.py report_number_text.py)
slow: $(VENV)/.developer ## run the long proofs: damaged files, kills, millions of rows, all examples of property tests
	@$(BIN)/python -m pytest -m slow $(ARGS)
	@$(BIN)/python -m pytest -n 2 --hypothesis-profile=thorough tests/property $(DRAWN)

ROOM ?= budgets
N    ?= 100
mutants: $(VENV)/.developer ## run the tests of a room on random mutants of it: ROOM=budgets N=100
	@$(BIN)/python benchmarks/mutants.py $(ROOM) $(N) $(ARGS)

verify-mutants: $(VENV)/.developer ## count the mutants of the computing rooms that verify notices: N=200
	@$(BIN)/python benchmarks/verify_mutants.py $(N) $(ARGS)

golden: $(VENV)/.developer ## write the golden files anew; review the diff
	@MASSPROPS_GOLDEN=write $(BIN)/python -m pytest -n 0 tests/golden tests/tables/test_tables.py tests/cli/test_screen.py tests/cli/test_inspect.py $(ARGS)

picture: $(VENV)/.developer ## draw docs/picture.svg, docs/pictures/first_hour.svg and docs/internals/drift.svg from real output
	@$(BIN)/python docs/make_picture.py
	@$(BIN)/python docs/make_drift.py

traps: $(VENV)/.developer ## write docs/traps.md from docs/traps/traps.toml, with pictures of the tables and real output
	@$(BIN)/python docs/make_traps.py

cli: $(VENV)/.developer ## write docs/cli.md from the options and the commands
	@$(BIN)/python docs/make_cli.py

rules: $(VENV)/.developer ## write docs/rules.md from the catalogue of rules
	@$(BIN)/python docs/make_rules.py

docs: $(VENV)/.docs ## build the site into build/site/html, which works without a server; fails on a warning
	@$(BIN)/python docs/make_site.py build/site
	@echo "build/site/html/index.html"

try: $(BIN)/python ## build build/site/html/try, the page that rolls up a table in the browser; needs npm
	@$(BIN)/python docs/make_try.py build/site/html/try

try-check: $(VENV)/.developer ## drop tables on that page in headless Chromium, and compare what returns
	@MASSPROPS_TRY=$$([ -d build/site/html/try ] && echo build/site/html/try) $(BIN)/python -m pytest -n 0 -m slow tests/packaging/test_try.py

schemas: $(VENV)/.developer ## write docs/schemas from the reports in JSON
	@$(BIN)/python docs/make_schemas.py

routes: $(BIN)/python ## time every way to install build/dist, of make wheel-check, in empty environments
	@$(BIN)/python -m venv $(VENV)/routes && $(VENV)/routes/bin/pip --quiet install uv pipx && .ci/routes $(VENV)/routes/bin $(PYTHON)

single-file: $(BIN)/python ## make build/single/massprops, one file with Python and all it needs, for this system
	@.ci/single-file $(BIN)/python

conda: $(BIN)/python ## build and test build/conda/massprops-*.conda from this Python and what pip installs
	@$(PYTHON) -m venv $(VENV)/conda
	@$(VENV)/conda/bin/python -m pip --disable-pip-version-check --quiet install --no-compile . packaging 'setuptools>=77' 'py-rattler-build>=0.73'
	@$(VENV)/conda/bin/python .ci/conda.py build/conda

words: $(VENV)/.developer ## write massprops_cli/tables/words.json from the word lists
	@$(BIN)/python docs/make_words.py

template: $(VENV)/.developer ## write the templates of massprops init
	@$(BIN)/python docs/make_template.py

shapes: $(VENV)/.developer ## write docs/shapes.md from the shapes and materials of the library, and draw each shape
	@$(BIN)/python docs/make_shapes.py
	@$(BIN)/python docs/make_shape_drawings.py

meshes: $(VENV)/.developer ## draw the gallery of docs/meshes.md from the meshes of the tests and real output
	@PYTHONPATH=. $(BIN)/python docs/make_meshes.py

LIVE := build/live
live: ## build reports/review/live/echarts.min.js anew with npm, and print its hash
	@mkdir -p $(LIVE) && cp massprops_cli/reports/review/live/entry.js $(LIVE)
	@cd $(LIVE) && npm install --no-audit --no-fund --silent echarts@6.1.0 esbuild@0.28.2 && node node_modules/esbuild/install.js
	@cd $(LIVE) && npx esbuild entry.js --bundle --minify --format=iife --target=es2020 --legal-comments=none --charset=ascii \
	    --outfile=$(CURDIR)/massprops_cli/reports/review/live/echarts.min.js
	@echo "sha256-$$(openssl dgst -sha256 -binary massprops_cli/reports/review/live/echarts.min.js | base64)"

samples: $(VENV)/.developer ## make sample_data/spacecraft.*, nested.csv and bracket.stl anew
	@$(BIN)/python sample_data/make_spacecraft.py
	@$(BIN)/python sample_data/make_nested.py
	@$(BIN)/python sample_data/make_bracket.py
	@$(BIN)/python sample_data/review/make_revisions.py

sbom: $(RELEASE)/.installed ## write build/sbom.json (CycloneDX): what an installation consists of
	@mkdir -p build
	@$(RELEASE)/tools/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --output-file build/sbom.json \
	    $(RELEASE)/environment
	@echo "build/sbom.json: $$(grep -c '"purl"' build/sbom.json) packages"

audit: $(RELEASE)/.installed ## check what is installed against published vulnerabilities; needs the network
	@$(BIN)/python .ci/audit.py $(RELEASE)

wheel-check: $(RELEASE)/.tools ## build source archive and wheel of the last commit twice, compare the bytes, check the metadata
	@.ci/wheel-check $(RELEASE)/tools/bin

clean: ## delete what these commands made
	@rm -rf $(VENV) .demo .fuzz build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info
