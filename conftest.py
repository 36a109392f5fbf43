"""What holds for every test: no network, no settings of the person who runs it, fixed examples.

An audit hook refuses every connection and look-up outside this machine, whichever library asks. It
cannot see into subprocesses: a test that starts one gives it only local addresses.
"""

import atexit
import gc
import hashlib
import ipaddress
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

from tests.web.using import FLAGS

ROOT = Path(__file__).resolve().parent
LOCAL_NAMES = frozenset({"", "localhost"})
IN_MEMORY = Path("/dev/shm")
ROOM_BYTES = 4 << 30
"""Free space of that file system from which on tests write there."""

_blocked = False


class NetworkBlocked(RuntimeError):
    """A test without the `network` mark tried to leave this machine."""


def _is_local(host: object) -> bool:
    name = host.decode() if isinstance(host, bytes | bytearray) else host
    if name is None or name in LOCAL_NAMES:
        return True
    try:
        address = ipaddress.ip_address(str(name).partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def _refuse_network(event: str, args: tuple[object, ...]) -> None:
    if not _blocked:
        return
    if event in ("socket.connect", "socket.sendto"):
        address = args[1]
        host = address[0] if isinstance(address, tuple) else None  # a path: a Unix socket
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = args[0]
    else:
        return
    if not _is_local(host):
        raise NetworkBlocked(f"{event} to {host!r}: mark the test `full` and `network`")


def _kernel_digest() -> str:
    """Digest of every source with kernels, and of how they are compiled.

    Numba's cache notices a change of a kernel's own file, not of a kernel that it calls in another
    file, so each state of the kernels gets a folder of its own.
    """
    digest = hashlib.sha256(sys.version.encode())
    for path in sorted([*ROOT.glob("src/**/*.py"), *ROOT.glob("lab/src/**/*.py")]):
        source = path.read_bytes()
        if b"mags.compiling import" in source or b"from numba" in source:
            digest.update(source)
    return digest.hexdigest()[:12]


def _isolate_environment() -> None:
    for name in list(os.environ):
        ours = name.startswith(("MAGS_", "OPENAI_")) and name != "MAGS_DATA"  # sets read in place
        if ours or name.lower().endswith("_proxy"):
            del os.environ[name]
    # Memories wait for the disk at each turn, which no test can see: half the time of some tests.
    if os.access(IN_MEMORY, os.W_OK) and shutil.disk_usage(IN_MEMORY).free >= ROOM_BYTES:
        os.environ.setdefault("TMPDIR", str(IN_MEMORY))
        tempfile.tempdir = None  # pytest has asked for it already
    home = tempfile.TemporaryDirectory(prefix="mags-tests-")
    atexit.register(home.cleanup)
    os.environ["HOME"] = home.name
    for kind in ("CONFIG", "DATA", "CACHE", "STATE"):
        os.environ[f"XDG_{kind}_HOME"] = str(Path(home.name, kind.lower()))
    os.environ["MPLBACKEND"] = "Agg"
    os.environ["HF_HUB_OFFLINE"] = "1"
    # The workers share the cores already.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    # Processes that tests start need half a second less where compiled sources are kept.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / "numba" / _kernel_digest()))


# Before anything imports MAGS: numba and the libraries for arrays read these once.
_isolate_environment()
sys.addaudithook(_refuse_network)

# How many examples a law sees, unless it says so itself because one of them takes long or no time.
# `ci` is for every change, `full` for scripts/test_full.sh, `search` for who looks for a failure.
ALWAYS = {"derandomize": True, "deadline": None, "print_blob": True}
hypothesis.settings.register_profile("ci", max_examples=25, **ALWAYS)
hypothesis.settings.register_profile("full", max_examples=150, **ALWAYS)
hypothesis.settings.register_profile("search", max_examples=1000, deadline=None)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def _network(request: pytest.FixtureRequest) -> Iterator[None]:
    """Block the network, unless the test is marked `network`."""
    global _blocked
    _blocked = request.node.get_closest_marker("network") is None
    yield
    _blocked = True


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the checkout."""
    return ROOT


def pytest_sessionstart() -> None:
    """Block the network while tests are collected and session fixtures run, too."""
    global _blocked
    _blocked = True
    gc.disable()  # nothing of what is collected is garbage


def pytest_collection_finish() -> None:
    """Leave out of the search for garbage what stays until the end, which is most."""
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """A Chromium for the pages of MAGS and of the laboratory; one process starts one only."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra `browser`")
    if shutil.which("chromium") is None:
        pytest.skip("needs Debian's chromium")
    with playwright.sync_playwright() as running:
        made = running.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        yield made
        made.close()
