# Needs Python >= 3.11 and a shell. `make demo` shows MAGS at work, `make test` checks all of it.
# PYTHON=/path/to/python chooses the interpreter, WORKERS=n the number of test processes.
.POSIX:
.PHONY: help demo test lint types contracts pytest training test-full bench peers lock clean

BIN = .venv/bin
# Remade when what is installed, or how, changes; a second call finds it in place.
RUNTIME = .venv/.installed-runtime
DEV = .venv/.installed-dev
WORKERS = 2

help:
	@echo "make demo       install MAGS and its laboratory, and show it at work"
	@echo "make test       lint, types, import contracts and tests, those of training in .cache/train"
	@echo "make test-full  the same with every extra and the long tests (see scripts/test_full.sh)"
	@echo "make bench      run the benchmarks and rewrite docs/benchmarks.md"
	@echo "make peers      run other memories on the same data, in an environment of their own"
	@echo "make lock       choose the exact versions anew (ARGS=--upgrade for the newest)"
	@echo "make clean      remove everything that was built, .venv included"

demo: $(RUNTIME)
	$(BIN)/mags demo

test: lint types contracts pytest training

lint: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV)
	$(BIN)/mypy

contracts: $(DEV)
	$(BIN)/lint-imports --cache-dir .cache/import-linter

pytest: $(DEV)
	$(BIN)/pytest --numprocesses $(WORKERS) --dist worksteal

# In an environment of its own over .venv; MAGS_TRAIN=no leaves it out (see the script). Only the
# files that are skipped, in whole or in part, without it: `pytest` ran the others. Each by one
# process, since what their tests share takes half a minute; in this order the longest come first.
training: $(DEV)
	sh scripts/test_training.sh --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder \
		$$(grep -l importorskip lab/tests/training/test_*.py lab/tests/training/*/test_*.py | sort -r)

test-full: test
	sh scripts/test_full.sh

bench: $(DEV)
	$(BIN)/python -m benchmarks

peers: $(RUNTIME)
	$(BIN)/python -m benchmarks.peers

lock:
	sh scripts/lock.sh $(ARGS)

clean:
	rm -rf .venv .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis build dist
	find src lab tests benchmarks scripts -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(RUNTIME): requirements.lock pyproject.toml lab/pyproject.toml scripts/make_env.sh
	@sh scripts/make_env.sh requirements.lock
	@touch $@

$(DEV): requirements-dev.lock $(RUNTIME)
	@sh scripts/make_env.sh requirements-dev.lock
	@touch $@
