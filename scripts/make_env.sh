#!/bin/sh
# Make .venv if it is not there, and install MAGS and its laboratory in it with the exact versions of one lock file.
#   scripts/make_env.sh requirements.lock
set -eu
lock=$1
python=.venv/bin/python

if [ -e .venv ] && ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
    echo "The Python behind .venv is gone or older than 3.11: making .venv anew." >&2
    rm -rf .venv
fi
if [ ! -e .venv ]; then
    found=$(sh scripts/find_python.sh)
    echo "Making .venv with $found"
    "$found" -m venv .venv
fi

pip() {
    if ! "$python" -m pip --disable-pip-version-check "$@"; then
        echo "Installing $lock failed: pip says why above. The first installation needs the package index." >&2
        exit 1
    fi
}
echo "Installing $lock"
pip install --quiet --requirement "$lock"
# The lock names the build tools too, so that building fetches nothing more.
pip install --quiet --no-deps --no-build-isolation --editable . --editable ./lab
