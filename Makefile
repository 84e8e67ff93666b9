# The chores of this repository; `make help` lists them.

# The profile that cargo builds with: dev or release.
PROFILE ?= dev
# For cargo commands that resolve dependencies; continuous integration says --locked.
CARGO_FLAGS ?=
# The profile of .config/nextest.toml.
NEXTEST_PROFILE ?= default

DEMO := fixtures/demo
PI := fixtures/pi
# Every fixture with packages from npm, but for one that is large and has a target of its own.
NPM_PROJECTS := $(filter-out $(PI),$(patsubst %/package-lock.json,%,$(wildcard fixtures/*/package-lock.json)))

.DEFAULT_GOAL := help
.PHONY: help run test asan pi chaos bench fmt deny v8 npm tools test-tools

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-7s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: NPM_PROJECTS := $(DEMO)
run: tools v8 npm ## Build and run the demonstration
	cargo build $(CARGO_FLAGS) --profile $(PROFILE) -p sidecar -p sidecar-bench
	cargo run $(CARGO_FLAGS) --quiet --profile $(PROFILE) -p sidecar-bench --bin demo -- --project $(DEMO)

# The quick checks first, the long ones last.
test: tools test-tools v8 npm ## Check format, rules and lints, then run all tests
	cargo fmt --all --check
	cargo run $(CARGO_FLAGS) --quiet -p xtask -- tidy
	cargo clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings
	cargo test $(CARGO_FLAGS) --doc --workspace
	cargo nextest run $(CARGO_FLAGS) --workspace --profile $(NEXTEST_PROFILE)

# The sanitizers of rustc belong to its nightly, so this tells a stable one to be that. The
# router is tried with the fake engine: V8's own library is not instrumented.
asan: ## Test all but V8 with AddressSanitizer
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test $(CARGO_FLAGS) --target x86_64-unknown-linux-gnu --target-dir target/asan -p protocol -p host-bridge
	RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address cargo test $(CARGO_FLAGS) --target x86_64-unknown-linux-gnu --target-dir target/asan -p sidecar --no-default-features --lib --test router

pi: NPM_PROJECTS := $(PI)
pi: tools test-tools v8 npm ## Install the agent SDK Pi (200 MB) and test with it
	cargo nextest run $(CARGO_FLAGS) -p e2e-tests --features pi --test pi --profile $(NEXTEST_PROFILE)

chaos: tools test-tools v8 ## Try hostile guests at random for ten minutes
	ISOLATE_SIDECAR_CHAOS_SECONDS=600 cargo nextest run $(CARGO_FLAGS) -p e2e-tests --test chaos --profile nightly --no-capture

bench: NPM_PROJECTS := $(DEMO)
bench: tools v8 npm ## Run the benchmarks
	bench/run

fmt: ## Format all Rust
	cargo fmt --all

deny: ## Check licences and sources of dependencies
	@cargo deny --version >/dev/null 2>&1 || { echo "cargo-deny is missing; install it with: cargo install cargo-deny --locked" >&2; exit 1; }
	cargo deny check

v8: ## Put V8's static library under vendor/
	@scripts/provide-v8

# npm is called only where the lock file differs from the one that was installed last.
npm: ## Install the npm packages of the fixtures
	@for project in $(NPM_PROJECTS); do \
		cmp -s $$project/package-lock.json $$project/node_modules/.installed-lock.json && continue; \
		echo "npm ci in $$project"; \
		(cd $$project && npm ci --ignore-scripts --no-audit --no-fund && cp package-lock.json node_modules/.installed-lock.json) || exit 1; \
	done

tools:
	@missing=0; \
	need() { command -v $$1 >/dev/null 2>&1 || { echo "$$1 is missing; $$2" >&2; missing=1; }; }; \
	need cargo "install it with the installer of rustup.rs"; \
	need cc "install it with: apt-get install build-essential"; \
	need node "install it with: apt-get install nodejs"; \
	need npm "install it with: apt-get install npm"; \
	exit $$missing

test-tools:
	@missing=0; \
	need() { cargo $$1 --version >/dev/null 2>&1 || { echo "cargo $$1 is missing; install it with: $$2" >&2; missing=1; }; }; \
	need fmt "rustup component add rustfmt"; \
	need clippy "rustup component add clippy"; \
	need nextest "cargo install cargo-nextest --locked"; \
	exit $$missing
