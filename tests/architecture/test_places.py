"""No file of the project names one machine's folders or a package registry."""

import re
from pathlib import Path

import pytest

# Taken apart, so that this file does not find itself.
FOLDERS = ("root", "home", "work")
HOSTS = (
    ("pypi", "org"),
    ("pythonhosted", "org"),
    ("registry.npmjs", "org"),
    ("registry.yarnpkg", "com"),
    ("deb.debian", "org"),
    ("proxy.golang", "org"),
    ("index.crates", "io"),
)
PLACE = re.compile(
    r"(?<![\w.~$}>)-])/(?:" + "|".join(FOLDERS) + r")/"
    "|" + "|".join(rf"{re.escape(name)}\.{domain}" for name, domain in HOSTS)
)


def test_no_file_names_a_machine_or_a_registry(root: Path, files: list[Path]):
    found = []
    for path in files:
        content = path.read_bytes()
        if b"\0" in content[:8192]:
            continue
        for number, line in enumerate(content.decode("utf-8", "replace").splitlines(), 1):
            if PLACE.search(line):
                found.append(f"{path.relative_to(root)}:{number}: {line.strip()[:80]}")
    assert found == []


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_of_one_machine_is_found(folder: str):
    assert PLACE.search(f'open("/{folder}/someone/file")')
    assert PLACE.search(f"data/{folder}/file") is None


@pytest.mark.parametrize(("name", "domain"), HOSTS)
def test_a_registry_is_found(name: str, domain: str):
    assert PLACE.search(f"https://{name}.{domain}/simple")
