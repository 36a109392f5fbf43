#!/bin/sh
# Print the first Python that MAGS runs on (3.11 to 3.14, able to make an environment), or say what is missing.
# PYTHON=/path/to/python names one outright.
set -eu

check='import sys, ensurepip, venv; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))'

for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}; do
    if "$candidate" -c "$check" >/dev/null 2>&1; then
        # The real interpreter: a launcher may choose another one in another folder.
        "$candidate" -c 'import sys; print(sys.executable)'
        exit 0
    fi
done

cat >&2 <<EOF
MAGS needs Python 3.11, 3.12, 3.13 or 3.14 with its venv module, and found none.
  tried:      ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14 python}
  on Debian:  apt install python3 python3-venv
  elsewhere:  install one of them, then run: make PYTHON=/path/to/python
EOF
exit 1
