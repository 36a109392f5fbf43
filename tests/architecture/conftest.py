"""The project's files, read once for all tests of its form."""

import ast
from collections.abc import Mapping
from pathlib import Path

import pathspec
import pytest


def project_files(root: Path) -> list[Path]:
    """Every file that git does not ignore, found without git (it may not be installed)."""
    ignored = pathspec.GitIgnoreSpec.from_lines((root / ".gitignore").read_text().splitlines())
    found: list[Path] = []
    folders = [root]
    while folders:
        for path in sorted(folders.pop().iterdir()):
            name = path.relative_to(root).as_posix()
            if path.is_dir() and not path.is_symlink():
                if name != ".git" and not ignored.match_file(f"{name}/"):
                    folders.append(path)
            elif path.is_file() and name != ".git" and not ignored.match_file(name):
                found.append(path)
    return found


@pytest.fixture(scope="session")
def files(root: Path) -> list[Path]:
    """Every file of the project."""
    return project_files(root)


@pytest.fixture(scope="session")
def trees(root: Path, files: list[Path]) -> Mapping[str, ast.Module]:
    """The syntax tree of every Python file, by its path from the root."""
    return {
        path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in files
        if path.suffix == ".py"
    }
