#!/bin/sh
# Everything `make test` runs, and the tests marked `full`, with every extra installed.
# Needs what pip does not bring: a C compiler and make (TextWorld's jericho is built), some 8 GB of
# disk and a network. On Debian: apt install build-essential chromium.
# Without chromium the page's tests are left out.
# Works in an environment of its own, .cache/full, so that .venv stays light.
set -eu
python=.cache/full/bin/python

for tool in cc make; do
    command -v "$tool" >/dev/null || {
        echo "make test-full needs $tool. On Debian: apt install build-essential" >&2
        exit 1
    }
done

[ -x "$python" ] || "$(sh scripts/find_python.sh)" -m venv .cache/full
pip() { "$python" -m pip --disable-pip-version-check install --quiet "$@"; }
pip --requirement requirements-dev.lock
pip --no-build-isolation --constraint requirements-full.lock \
    --editable ".[plot,server,langgraph,llamaindex,terminal,browser,fuzz,cluster]" \
    --editable "./lab[train,pyg,games,textworld,gguf]"

export HYPOTHESIS_PROFILE="${HYPOTHESIS_PROFILE:-full}"
exec "$python" -m pytest -m "full or not full" "$@"
