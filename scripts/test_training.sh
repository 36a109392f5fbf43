#!/bin/sh
# The tests of training: torch and what goes with it, in an environment of their own over .venv
# (.cache/train), so that .venv stays light. Left out, with a line that says so, where pip would
# bring torch's build for CUDA (some 3 GB): MAGS_TRAIN=yes takes it, MAGS_TRAIN=no leaves all out.
#   scripts/test_training.sh [arguments of pytest]
set -eu
home=.cache/train
python=$home/bin/python
wanted=${MAGS_TRAIN:-auto}
torch=$(sed -n 's/^\(torch==[0-9.]*\).*/\1/p' requirements-full.lock)

pip() { "$python" -m pip --disable-pip-version-check "$@"; }

light() {
    # Only the description of the wheel is fetched; the build for CUDA names NVIDIA's libraries.
    pip install --quiet --dry-run --ignore-installed --no-deps --report "$home/torch.json" \
        "$torch" 2>"$home/torch.log" && ! grep -q '"nvidia-\|"cuda-' "$home/torch.json"
}

[ "$wanted" != no ] || { echo "The tests of training are left out (MAGS_TRAIN=no)."; exit 0; }
if [ ! -x "$python" ]; then
    .venv/bin/python -m venv "$home"
    site=$("$python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
    .venv/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))' >"$site/mags-venv.pth"
    .venv/bin/python -c 'import pathlib; print(pathlib.Path("src").resolve())' >>"$site/mags-venv.pth"
    .venv/bin/python -c 'import pathlib; print(pathlib.Path("lab/src").resolve())' >>"$site/mags-venv.pth"
fi
if [ ! -e "$home/.installed" ] || [ requirements-full.lock -nt "$home/.installed" ] ||
    [ lab/pyproject.toml -nt "$home/.installed" ]; then
    if [ "$wanted" = auto ] && ! light; then
        echo "The tests of training are left out: $torch comes with CUDA here, some 3 GB."
        echo "MAGS_TRAIN=yes runs them all the same; with PyTorch's CPU index in pip.conf they run by themselves."
        exit 0
    fi
    echo "Installing the extra train"
    .venv/bin/python scripts/requirements_of.py train >"$home/train.txt"
    pip install --quiet "$torch"
    pip install --quiet --constraint requirements-full.lock --requirement "$home/train.txt"
    touch "$home/.installed"
fi
exec "$python" -m pytest "$@"
