# The two commands the README promises are `make run` and `make test`. Each sets up what it needs.

CARGO ?= cargo
LUCENA = target/release/lucena
TABLES = target/tables

.PHONY: help setup web build wheel run test test-full bench lint fuzz clean

help:
	@echo "make run        build and show: KRK solved, its longest mate, a trained player and its proof, then the page"
	@echo "make test       all tests (minutes)"
	@echo "make wheel      the Python package, as dist/lucena-….whl"
	@echo "make test-full  everything compared exhaustively, and fuzzing (an hour or more)"
	@echo "make bench      speed, as ratios measured in one run"
	@echo "make lint       formatting and clippy"

# Programs and Python packages that the tests use besides Rust.
setup:
	@scripts/setup

# The page, which the binary embeds.
web:
	@scripts/web

build: web
	$(CARGO) build --release --locked

# The Python package for users, optimised as the program is: some minutes.
wheel: setup
	@scripts/wheel

run: build
	$(LUCENA) solve KRK --force --tables $(TABLES)
	@echo
	@echo "The longest mate, move by move:"
	$(LUCENA) line --boards --tables $(TABLES) \
		"$$($(LUCENA) positions KRK --mate-in 16 --count 1 --seed 1 --fen --tables $(TABLES))"
	@echo "A player that learns rook against king by self-play, and the proof of what it has learned:"
	rm -rf runs/demo-krk
	$(LUCENA) train two-bounds --endgame KRK --episodes 100000 --out runs/demo-krk --tables $(TABLES)
	$(LUCENA) certify run:runs/demo-krk KRK --tables $(TABLES)
	@echo
# Until Ctrl-C at a terminal; elsewhere it would never end, so the page is only seen to answer.
	@scripts/show-page $(LUCENA) --tables $(TABLES)

test: setup web
	@scripts/comparisons forget
	$(CARGO) test --workspace --locked
	.venv/bin/python python/checks/check_uci.py target/debug/lucena
	.venv/bin/python python/checks/check_ratings.py target/debug/lucena
	.venv/bin/python python/checks/check_docs.py target/debug/lucena
	scripts/web-test
	scripts/python-test
	@scripts/comparisons

test-full: setup
	@scripts/comparisons forget
	LUCENA_EXHAUSTIVE=1 $(CARGO) test --workspace --locked
	.venv/bin/python python/checks/check_small_boards.py
	.venv/bin/python -m pip install -q --disable-pip-version-check -r python/requirements-learning.txt
	LUCENA_EXHAUSTIVE=1 scripts/python-test
	fuzz/run 60
	@scripts/comparisons

bench: setup
	scripts/bench

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

clean:
	$(CARGO) clean
	rm -rf .venv dist web/dist web/node_modules
