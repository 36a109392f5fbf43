"""What is declared, locked and shipped is what the sources need."""

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from mags import errors
from tests.architecture import form

# Distributions whose package goes by another name, for extras that may not be installed.
DISTRIBUTIONS = {
    "langgraph": "langgraph-checkpoint",
    "llama_index": "llama-index-core",
}


@pytest.fixture(scope="module")
def project(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def laboratory(root: Path) -> dict[str, Any]:
    return tomllib.loads((root / "lab/pyproject.toml").read_text())["project"]


def runtime(project: dict[str, Any]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in project["dependencies"]}


def extras(*projects: dict[str, Any]) -> set[str]:
    texts = [
        text
        for project in projects
        for name, needs in project["optional-dependencies"].items()
        for text in needs
        if name != "dev"
    ]
    return {canonicalize_name(Requirement(text).name) for text in texts}


def locked(path: Path) -> dict[str, list[Requirement]]:
    """The pins of a lock file by name; one name may have a pin for each range of Pythons."""
    pins: dict[str, list[Requirement]] = {}
    for line in path.read_text().splitlines():
        if line[:1].isalnum():
            pin = Requirement(line.removesuffix("\\").strip())
            pins.setdefault(canonicalize_name(pin.name), []).append(pin)
    return pins


def version(pin: Requirement) -> str:
    return next(iter(pin.specifier)).version


def test_every_place_that_states_the_version_states_the_same(project: dict[str, Any], root: Path):
    released, _, unfinished = project["version"].partition(".dev")
    newest = re.search(r"^## \[(.+?)\] - (\S+)$", (root / "CHANGELOG.md").read_text(), re.M)
    assert newest is not None
    assert newest[1] == released
    assert (newest[2] == "unreleased") == bool(unfinished)
    page = json.loads((root / "web/package.json").read_text())["version"]
    assert page == (f"{released}-dev.{unfinished}" if unfinished else released)
    assert f"- Version {released}" in (root / "docs/getting-started.md").read_text()


@pytest.mark.parametrize("sources", ["src/", "lab/src/"])
def test_every_imported_package_is_declared(
    project: dict[str, Any],
    laboratory: dict[str, Any],
    trees: Mapping[str, ast.Module],
    sources: str,
):
    known = importlib.metadata.packages_distributions()
    own = project if sources == "src/" else laboratory
    declared = runtime(own) | extras(project, laboratory)
    undeclared = [
        f"{path}:{line}: {package}"
        for path, tree in trees.items()
        if path.startswith(sources)
        for line, package in form.imported_packages(tree)
        if package not in sys.stdlib_module_names
        and package not in ("mags", "mags_lab")
        and not declared.intersection(
            canonicalize_name(name)
            for name in known.get(package, [DISTRIBUTIONS.get(package, package)])
        )
    ]
    assert undeclared == []


def test_the_laboratory_is_of_the_same_version_and_asks_for_nothing_else(
    project: dict[str, Any], laboratory: dict[str, Any]
):
    assert laboratory["version"] == project["version"]
    own, *others = laboratory["dependencies"]
    assert own == f"mags=={project['version']}"
    assert set(others) <= set(project["dependencies"])
    assert laboratory["optional-dependencies"].keys() == errors.LABORATORY


def test_the_package_imports_without_any_extra(
    project: dict[str, Any], laboratory: dict[str, Any], root: Path
):
    known = importlib.metadata.packages_distributions()
    hidden = extras(project, laboratory) - runtime(project)
    packages = [
        package
        for package, names in known.items()
        if hidden.intersection(canonicalize_name(name) for name in names)
    ]
    script = (
        "import importlib.util, sys\n"
        f"sys.modules.update(dict.fromkeys({packages!r}))\n"  # None there makes an import fail
        "import mags\n"
        "if importlib.util.find_spec('mags.cli'): import mags.cli\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root)
    assert done.stderr == ""
    assert done.returncode == 0


def test_importing_mags_loads_no_server_no_laboratory_and_no_client_of_a_model(root: Path):
    script = "import sys, mags\nmags.open\nprint(*sys.modules, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=root)
    loaded = done.stdout.split()
    assert "mags.memory.memory" in loaded
    assert [name for name in loaded if name.startswith(("mags.server", "mags_lab", "openai"))] == []


def test_the_default_installation_brings_no_torch(root: Path):
    heavy = {"torch", "transformers", "matplotlib", "fastapi"}
    assert heavy & locked(root / "requirements.lock").keys() == set()


@pytest.mark.parametrize(
    ("lock", "extra"), [("requirements.lock", None), ("requirements-dev.lock", "dev")]
)
def test_every_range_has_a_pin_in_it(
    project: dict[str, Any], root: Path, lock: str, extra: str | None
):
    pins = locked(root / lock)
    texts = project["dependencies"] + (project["optional-dependencies"][extra] if extra else [])
    for need in map(Requirement, texts):
        chosen = pins[canonicalize_name(need.name)]
        assert [pin for pin in chosen if not need.specifier.contains(version(pin))] == []


def test_the_tests_run_on_the_versions_that_are_shipped(root: Path):
    shipped = locked(root / "requirements.lock")
    tested = locked(root / "requirements-dev.lock")
    # What only the tests need may ask for a package on more platforms, at the same version.
    assert {name: sorted(map(version, tested[name])) for name in shipped} == {
        name: sorted(map(version, pins)) for name, pins in shipped.items()
    }


BROUGHT_ALONG = {"jericho"}
"""What TextWorld asks for (extra `textworld`); MAGS neither ships nor imports it."""
LESSER = {"psycopg", "psycopg-binary", "psycopg-pool"}
"""Under the LGPL, which lets any program import them (extra `postgres`)."""


def test_no_source_imports_what_an_extra_brings_along_under_the_gpl(root: Path):
    files = [*root.glob("src/**/*.py"), *root.glob("lab/src/**/*.py")]
    sources = [path.read_text(encoding="utf-8") for path in files]
    assert not any(f"import {name}" in text for text in sources for name in BROUGHT_ALONG)
    assert all(name in (root / "NOTICE").read_text(encoding="utf-8") for name in BROUGHT_ALONG)


def test_no_installed_library_is_under_the_gpl():
    found = {}
    for distribution in importlib.metadata.distributions():
        about = distribution.metadata
        terms = [about.get("License-Expression", ""), *about.get_all("Classifier", [])]
        if any("GPL" in term and "GCC-exception" not in term for term in terms):
            found[about["Name"]] = terms
    for name in LESSER & set(found):
        assert any("LGPL" in term or "Lesser" in term for term in found.pop(name))
    assert set(found) <= BROUGHT_ALONG, "what stands in NOTICE, and nothing else"


def built(project: Path, folder: Path) -> zipfile.ZipFile:
    (wheel,) = WheelBuilder(str(project)).build(directory=str(folder), versions=["standard"])
    return zipfile.ZipFile(wheel)


@pytest.fixture(scope="module")
def wheel(root: Path, tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    return built(root, tmp_path_factory.mktemp("wheel"))


@pytest.mark.parametrize(("place", "package"), [(".", "mags"), ("lab", "mags_lab")])
def test_a_wheel_carries_every_file_of_its_package_and_of_no_other(
    root: Path, files: list[Path], tmp_path: Path, place: str, package: str
):
    home = root / place / "src"
    sources = {path.relative_to(home).as_posix() for path in files if path.is_relative_to(home)}
    names = built(root / place, tmp_path).namelist()
    assert {name for name in names if ".dist-info/" not in name} == sources
    assert {name.partition("/")[0] for name in sources} == {package}
    assert f"{package}/py.typed" in sources


def test_the_wheel_names_the_command_and_the_licence(wheel: zipfile.ZipFile):
    (entry_points,) = (n for n in wheel.namelist() if n.endswith(".dist-info/entry_points.txt"))
    assert wheel.read(entry_points).decode() == "[console_scripts]\nmags = mags.cli:main\n"
    assert any(n.endswith(".dist-info/licenses/LICENSE") for n in wheel.namelist())
