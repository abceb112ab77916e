# The commands of the project. `make` lists them; `make test` is the one to know. Nothing here needs
# a network beyond what cargo fetches from crates.io, and pip for the Python package.

CARGO        ?= cargo
# The pinned versions of the tools that rustup does not bring.
DENY_VERSION := 0.20.2
DENY         := .tools/deny-$(DENY_VERSION)/bin/cargo-deny
FUZZ_VERSION := 0.13.2
FUZZ         := .tools/fuzz-$(FUZZ_VERSION)/bin/cargo-fuzz
FUZZ_TARGETS := $(basename $(notdir $(wildcard fuzz/fuzz_targets/*.rs)))
FUZZ_SECONDS ?= 20
FUZZ_JOBS    ?= 1
# One folder for all workspaces: many dependencies are then compiled once.
SHARED_TARGET := CARGO_TARGET_DIR="$${CARGO_TARGET_DIR:-$(abspath target)}"
# A stranger's crate: policies of its own, outside the workspace.
OWN          := examples/own-policy
# What else `forebay reproduce` is told, such as --quick or --all.
REPRODUCE    ?=

.DEFAULT_GOAL := help
.PHONY: help test toolchain format lint unit doc deny deny-if-there python-if-possible python-build python-stubs python-test own-policy-python notebooks tshark smoke browser golden golden-update bench \
        site site-browser site-tests web web-test web-if-possible schemas package wheels deb image rtl-package packaging-tests try tutorials semver instructions valgrind fuzz fuzz-check figures report picture clean-results rtl-test rtl-if-possible rtl-full rtl-capture rtl-files rtl-lint rtl-formal rtl-mutate synth synth-full

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

test: toolchain format lint unit doc deny-if-there python-if-possible web-if-possible ## Everything a change must pass: format, lints, tests, documentation
	@echo 'make test: passed'

toolchain:
	@command -v $(CARGO) >/dev/null || { \
	  echo 'make: there is no cargo; install Rust 1.95 or newer, best with rustup (https://rustup.rs)' >&2; \
	  exit 1; }
	@$(CARGO) fmt --version >/dev/null && $(CARGO) clippy --version >/dev/null || { \
	  echo 'make: rustfmt or clippy is missing; run: rustup component add rustfmt clippy' >&2; \
	  exit 1; }

format: ## Check the formatting (cargo fmt mends it)
	$(CARGO) fmt --all --check
	$(CARGO) fmt --manifest-path fuzz/Cargo.toml --check
	$(CARGO) fmt --manifest-path $(OWN)/Cargo.toml --check
	$(CARGO) fmt --manifest-path $(OWN)/python/Cargo.toml --check

lint: ## Clippy over every target, warnings are errors
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	$(CARGO) clippy -p forebay-sched --all-targets --features serde --locked -- -D warnings
	$(CARGO) clippy -p forebay-surge --locked -- -D warnings
	$(CARGO) clippy -p forebay-cache --locked -- -D warnings
	$(CARGO) clippy -p forebay --no-default-features --features pifo --locked -- -D warnings
	$(CARGO) clippy -p forebay --no-default-features --features cache --locked -- -D warnings
	$(SHARED_TARGET) $(CARGO) clippy --manifest-path $(OWN)/Cargo.toml --all-targets --locked -- -D warnings

unit: ## Unit, property, integration and documentation tests
	$(CARGO) test --workspace --locked
	$(SHARED_TARGET) $(CARGO) test --manifest-path $(OWN)/Cargo.toml --locked

doc: ## Build the documentation, warnings are errors
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --workspace --no-deps --locked

deny: $(DENY) ## Check licences, bans and sources of all dependencies (the first time builds cargo-deny)
	$(DENY) --locked check --hide-inclusion-graph licenses bans sources

# Building cargo-deny takes longer than all tests together, so `make test` uses it only where it is.
deny-if-there:
	@if [ -x $(DENY) ]; then $(MAKE) --no-print-directory deny; \
	 else echo 'licences not checked: cargo-deny is not built (make deny builds it)'; fi

$(DENY):
	$(CARGO) install --locked --root .tools/deny-$(DENY_VERSION) cargo-deny@$(DENY_VERSION)

# The Python package is a workspace of its own, tested in an environment of its own with pinned
# tools.
PYTHON      ?= python3
PYTHON_VENV := .tools/python
PYTHON_RUN  := $(PYTHON_VENV)/bin/python
# Without a package index, pip is to say so soon.
PIP_PATIENCE := --timeout 10 --retries 2 --disable-pip-version-check

python-test: python-build ## Build the Python package and run its tests (the first time installs pinned tools)
	$(CARGO) fmt --manifest-path python/Cargo.toml --check
	$(SHARED_TARGET) $(CARGO) clippy --manifest-path python/Cargo.toml --no-default-features --locked -- -D warnings
	cd python && $(SHARED_TARGET) ../$(PYTHON_RUN) stubs.py --check
	cd python && ../$(PYTHON_RUN) -m pytest

own-policy-python: python-build ## Build the Python package of a stranger's crate, examples/own-policy, and run its tests
	cd $(OWN)/python && $(SHARED_TARGET) VIRTUAL_ENV=$(abspath $(PYTHON_VENV)) $(abspath $(PYTHON_VENV))/bin/maturin develop --locked
	$(PYTHON_RUN) -m pytest -q $(OWN)/python

python-stubs: python-build ## Write the stubs of the Python package's classes from its sources
	cd python && $(SHARED_TARGET) ../$(PYTHON_RUN) stubs.py

notebooks: python-build ## Execute the notebooks in docs/notebooks and store them with outputs and charts
	$(PYTHON_RUN) python/notebooks.py

python-build: $(PYTHON_VENV)/installed
	cd python && $(SHARED_TARGET) VIRTUAL_ENV=$(abspath $(PYTHON_VENV)) $(abspath $(PYTHON_VENV))/bin/maturin develop --locked --no-default-features

# From scratch each time: half an installation, or one for other versions, is not mended but made
# anew.
$(PYTHON_VENV)/installed: python/requirements-test.txt
	@$(PYTHON) -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || { \
	  echo 'make: $(PYTHON) is no Python 3.10 or newer with venv (apt install python3-venv; PYTHON=… names another)' >&2; \
	  exit 1; }
	$(PYTHON) -m venv --clear $(PYTHON_VENV)
	$(PYTHON_VENV)/bin/pip install --quiet $(PIP_PATIENCE) --requirement python/requirements-test.txt
	@touch $@

# `make test` must pass where there is no Python or no package index, too. What the installation
# says last is why; once it is there, whatever fails fails the tests.
python-if-possible:
	@$(PYTHON_RUN) -c '' 2>/dev/null || rm -f $(PYTHON_VENV)/installed
	@[ -f $(PYTHON_VENV)/installed ] || echo 'Python package: installing its tools into $(PYTHON_VENV)'
	@if said=$$($(MAKE) --no-print-directory $(PYTHON_VENV)/installed 2>&1); then \
	   $(MAKE) --no-print-directory python-test; \
	 else \
	   why=$$(printf '%s\n' "$$said" | grep -v '[*][*][*]' | tail -n 1 | sed 's/^make[^:]*: //'); \
	   echo "Python package not checked (it needs Python 3.10 with venv, and a package index for its tools): $$why"; \
	 fi

CAPTURES ?=
tshark: ## Compare reassembled TCP streams with tshark's, byte by byte (needs tshark; CAPTURES=folder for more captures)
	@command -v tshark >/dev/null || { echo 'make: there is no tshark; install Wireshark (apt install tshark)' >&2; exit 1; }
	FOREBAY_EXTRA_CAPTURES=$(if $(CAPTURES),$(abspath $(CAPTURES))) \
	  $(CARGO) test --locked -p forebay-surge-processors --test integration reassembly -- --ignored --nocapture

smoke: ## Run shortened experiments through the command, twice, into a temporary folder
	.ci/smoke

browser: ## Open the view of a running lab, and a report, in a headless Chromium, where there is one (KEEP=folder for pictures)
	.ci/browser --forebay "$$(.ci/build)/forebay" $(if $(KEEP),--keep '$(KEEP)')
	.ci/figures-browser --forebay "$$(.ci/build)/forebay" $(if $(KEEP),--keep '$(KEEP)')

# The built command, for what only asks it; without it, it is built.
FOREBAY ?=
FOREBAY_BUILT = $(or $(FOREBAY),"$$(.ci/build)/forebay")
SITE_VENV := .tools/site
RESULTS ?=
# The laboratory in the browser, where `make web` has built it.
LAB ?= $(patsubst %/index.html,%,$(wildcard web/dist/index.html))
site: $(SITE_VENV)/installed site-tests ## Build the site into target/site, with the laboratory of `make web` where it is, and check its links (RESULTS=folder of `forebay reproduce`; FOREBAY=path)
	site/build --zensical $(SITE_VENV)/bin/zensical --forebay $(FOREBAY_BUILT) $(if $(RESULTS),--results '$(RESULTS)') $(if $(LAB),--lab '$(LAB)')

site-browser: ## Open every page of the built site in a headless Chromium, where there is one (KEEP=folder for pictures)
	.ci/site-browser $(if $(KEEP),--keep '$(KEEP)')

web: ## Build the laboratory in the browser into web/dist (needs Rust's target wasm32-unknown-unknown, Node and npm)
	web/build

web-test: ## The same, and test it: natively, in Node, in Chromium where there is one (FOREBAY=path; KEEP=folder for pictures)
	FOREBAY='$(if $(FOREBAY),$(abspath $(FOREBAY)))' KEEP='$(if $(KEEP),$(abspath $(KEEP)))' web/build --test

# As python-if-possible: where the target, Node and the packages that its lock file names are there.
web-if-possible:
	@FOREBAY='$(if $(FOREBAY),$(abspath $(FOREBAY)))' web/build --test --if-possible

schemas: ## Write the JSON Schemas in docs/schemas from the program (FOREBAY=path)
	@forebay=$(FOREBAY_BUILT); for kind in experiment lab tree proxy; do \
	  $$forebay schema $$kind > docs/schemas/$$kind.json || exit 1; done

package: packaging-tests ## Package every crate for crates.io, in order, and check sizes and metadata (VERIFY=1 builds each: minutes)
	.ci/package $(if $(VERIFY),--verify)

MUSL  ?=
SDIST ?=
wheels: ## Build the Python wheel, audit it, and try it in a new environment (MUSL=1, SDIST=1 for more)
	packaging/wheels $(if $(MUSL),--musl) $(if $(SDIST),--sdist)

STATIC ?=
deb: ## The package for Debian, in target/packages (STATIC=path of a static command, else it is built)
	@packaging/deb $(or $(STATIC),"$$(packaging/static)")

image: ## The OCI image, in target/packages (STATIC=path of a static command, else it is built)
	@packaging/image $(or $(STATIC),"$$(packaging/static)")

rtl-package: ## The hardware's release, a library for FuseSoC, in target/packages; tried out of its archive
	@packaging/rtl
	@.tools/packaging-rtl/bin/python packaging/test_packaging.py --quiet Hardware

try: ## Try the packages in new roots of Debian without Rust (needs root and debootstrap; ROOT=folder of one, KEEP=folder for pictures)
	packaging/try $(if $(ROOT),--root '$(ROOT)') $(if $(KEEP),--keep '$(KEEP)')

# With the hardware's Python where it is there: what its release is made from is in YAML.
packaging-tests:
	@$(if $(wildcard .tools/rtl/.installed),.tools/rtl/bin/python,$(PYTHON)) packaging/test_packaging.py --quiet

site-tests:
	@$(PYTHON) site/test_site.py --quiet

$(SITE_VENV)/installed: site/requirements.txt
	$(PYTHON) -m venv --clear $(SITE_VENV)
	$(SITE_VENV)/bin/pip install --quiet $(PIP_PATIENCE) --requirement site/requirements.txt
	@touch $@

SLOW ?=
tutorials: site-tests ## Run the tutorials' commands and compare what they print (SLOW=1 for all; STRICT=1 where nothing may be left out; FOREBAY=path)
	.ci/tutorials --forebay $(FOREBAY_BUILT) $(if $(SLOW),--slow) $(if $(STRICT),--strict)

ONLY ?=
golden: ## Compare all that prints numbers with golden/digests.txt (ONLY=text for some cases; KEEP=folder for the outputs)
	.ci/golden $(if $(ONLY),--only '$(ONLY)') $(if $(KEEP),--keep '$(KEEP)')

golden-update: ## Write golden/digests.txt anew, where numbers were meant to change (ONLY=text for some cases)
	.ci/golden --update $(if $(ONLY),--only '$(ONLY)') $(if $(KEEP),--keep '$(KEEP)')

bench: ## Race the parts against their peers (minutes; close everything else)
	$(CARGO) run --release --locked -p forebay-bench -- queues
	$(CARGO) run --release --locked -p forebay-bench -- hbm
	$(CARGO) run --release --locked -p forebay-bench -- engine
	$(CARGO) run --release --locked -p forebay-bench -- buffer
	$(CARGO) run --release --locked -p forebay-bench -- cache
	$(CARGO) run --release --locked -p forebay-bench -- fetch-cache
	$(CARGO) bench --locked -p forebay-workload

# What others embed: `forebay` with its default features, the caches and the schedulers of jobs. The
# laboratory and what carries real packets and requests are there for the command.
BASE ?= origin/main
SEMVER := units parameters pifo sched mem buffer switch cache fetch-cache surge
semver: ## Check that the libraries' public API since BASE breaks only with a version (needs cargo-semver-checks)
	$(CARGO) semver-checks -p forebay $(SEMVER:%=-p forebay-%) --baseline-rev $(BASE) --default-features
	$(CARGO) semver-checks -p forebay-pifo --baseline-rev $(BASE) --only-explicit-features --features serde

instructions: ## Count instructions per queue operation and compare with the golden table (needs valgrind)
	bench/instructions --check

# Valgrind does not know the system calls that rustix makes by itself, and has libc make them.
valgrind: ## Real packets and the functions for C under valgrind's memcheck (needs valgrind, and root)
	@command -v valgrind >/dev/null || { echo 'make: there is no valgrind; install it (apt install valgrind)' >&2; exit 1; }
	RUSTFLAGS=--cfg=rustix_use_libc CARGO_TARGET_DIR=target/valgrind \
	  CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER='valgrind --quiet --error-exitcode=9 --fair-sched=yes --leak-check=full --show-leak-kinds=definite --errors-for-leak-kinds=definite' \
	  $(CARGO) test --locked -p forebay-dataplane -p forebay-capi --lib -- --test-threads 1 live:: capi::

fuzz: $(FUZZ) ## Every fuzz target (FUZZ_TARGETS) for FUZZ_SECONDS (20) each, FUZZ_JOBS (1) at once; a table in fuzz/results.md (the first time builds cargo-fuzz)
	@fuzz/run $(abspath $(FUZZ)) $(FUZZ_SECONDS) $(FUZZ_JOBS) $(FUZZ_TARGETS)

fuzz-check: ## That every fuzz target compiles
	$(SHARED_TARGET) $(CARGO) check --manifest-path fuzz/Cargo.toml --locked

$(FUZZ):
	$(CARGO) install --locked --root .tools/fuzz-$(FUZZ_VERSION) cargo-fuzz@$(FUZZ_VERSION)

figures: ## Every figure and table of every paper, and pages over them in results/; resumes (REPRODUCE=--quick, --all)
	$(CARGO) run --release --locked -- reproduce $(REPRODUCE)

report: ## Rebuild every report from stored results, without running anything
	@found=$$(find results -name manifest.json 2>/dev/null | sort); \
	 [ -n "$$found" ] || { echo 'make: there are no results yet; run: make figures' >&2; exit 1; }; \
	 for file in $$found; do \
	   $(CARGO) run --quiet --release --locked -- report "$$(dirname "$$file")" || exit 1; done

FROM   ?= results/themis/fig10-single-point
FIGURE ?= fig10c
picture: ## Take a figure out of a report into docs/images: FROM=results/… FIGURE=id
	@mkdir -p docs/images
	@awk -v id='<figure id="$(FIGURE)">' ' \
	  index($$0, id) { inside = 1 } \
	  inside && /<svg/ { printing = 1; print; print "<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>"; next } \
	  printing { print } \
	  printing && /<\/svg>/ { exit }' $(FROM)/report.html > docs/images/.picture
	@test -s docs/images/.picture || { rm -f docs/images/.picture; \
	  echo 'make: $(FROM)/report.html has no figure "$(FIGURE)"' >&2; exit 1; }
	@mv docs/images/.picture docs/images/$(FIGURE).svg
	@echo docs/images/$(FIGURE).svg

CORE ?=
rtl-test: ## Lint and simulate the hardware (fetches its tools from PyPI into .tools/rtl; CORE=name for one core, SEED=n)
	@$(MAKE) --no-print-directory -C rtl test CORE=$(CORE)

rtl-full: ## The hardware's long streams: at least 10^6 operations per configuration (an hour; SEED=n, say the date)
	@$(MAKE) --no-print-directory -C rtl full CORE=$(CORE)

rtl-capture: ## A capture through rtl/tm beside the switch (CAPTURE=file, else 10^5 packets; SCHEDULER=bbq|clubheap|wsjf|gearbox|themis)
	@$(MAKE) --no-print-directory -C rtl capture CAPTURE=$(if $(CAPTURE),$(abspath $(CAPTURE)))

# As python-if-possible: hardware's short tests where their tools can be installed.
RTL_TOOLS := $(abspath .tools/rtl/.installed)
rtl-if-possible:
	@[ -f $(RTL_TOOLS) ] || echo 'Hardware: installing its tools into .tools/rtl'
	@why=; if ! $(PYTHON) -c 'import tomllib, ensurepip, venv' 2>/dev/null; then why='$(PYTHON) is no Python 3.11 with venv'; \
	 elif ! echo 'int main() {}' | c++ -std=c++20 -x c++ -fsyntax-only - 2>/dev/null; then why='there is no c++ for C++20'; \
	 elif ! said=$$(PIP_DEFAULT_TIMEOUT=10 PIP_RETRIES=2 $(MAKE) --no-print-directory -C rtl $(RTL_TOOLS) 2>&1); then \
	   why=$$(printf '%s\n' "$$said" | grep -v '[*][*][*]' | tail -n 1); \
	 fi; \
	 if [ -z "$$why" ]; then $(MAKE) --no-print-directory rtl-test; \
	 else echo "hardware not checked (it needs Python 3.11, C++20, and a package index for its tools): $$why"; fi

rtl-files: ## The sources of a core for your own tools, in the order in which they compile (CORE=name)
	@$(MAKE) --no-print-directory -C rtl files CORE=$(CORE)

rtl-lint: ## Both linters over every core and configuration
	@$(MAKE) --no-print-directory -C rtl lint CORE=$(CORE)

rtl-formal: ## The hardware's proofs
	@$(MAKE) --no-print-directory -C rtl formal CORE=$(CORE)

rtl-mutate: ## Seeded bugs in the hardware, all of which must be caught
	@$(MAKE) --no-print-directory -C rtl mutate CORE=$(CORE)

synth: ## Synthesize the hardware with open tools; tables and figures in rtl/results, resumed (LIBERTY=file for cell area)
	@$(MAKE) --no-print-directory -C rtl synth CORE=$(CORE)

synth-full: ## The same with the points that take long (hours)
	@$(MAKE) --no-print-directory -C rtl synth-full CORE=$(CORE)

clean-results: ## Delete all results
	rm -rf results
