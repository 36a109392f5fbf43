#!/bin/sh
# Rewrite the lock files from the ranges in both pyproject.toml, for every platform and Python at once.
#   requirements.lock       what MAGS runs on and is built with
#   requirements-dev.lock   the same and what it is tested with
#   requirements-full.lock  every extra; a list of constraints, without hashes, because torch
#                           comes as another file for each kind of accelerator
# Versions already locked are kept where they still fit; `scripts/lock.sh --upgrade` takes the newest.
set -eu
tools=.cache/lock-tools
[ -x "$tools/bin/uv" ] || {
    "$(sh scripts/find_python.sh)" -m venv "$tools"
    "$tools/bin/python" -m pip --disable-pip-version-check install --quiet 'uv>=0.9'
}

lock() {
    output=$1 title=$2
    shift 2
    "$tools/bin/uv" pip compile pyproject.toml lab/pyproject.toml --no-emit-package mags --group build \
        --universal --python-version 3.11 --quiet --no-annotate --custom-compile-command "make lock" --output-file "$output" "$@"
    # uv's own two header lines give way to one that says what the file is for.
    { echo "# $title Rewritten by \`make lock\`."; sed '/^#/d' "$output"; } >"$output.new"
    mv "$output.new" "$output"
}

lock requirements.lock "Exact versions of what MAGS runs on and is built with." \
    --generate-hashes "$@"
lock requirements-dev.lock "Exact versions of what MAGS is tested with, over requirements.lock." \
    --extra dev --generate-hashes --constraint requirements.lock "$@"
lock requirements-full.lock "Exact versions for every extra, as constraints." \
    --all-extras --constraint requirements-dev.lock "$@"
