"""How large the sources are, and how far one call goes through them, as a plain table.

python scripts/size.py

Lines are all lines of Python; rows are lines of tables and prompts (.toml, .txt, .sql, .md) with
something on them; what is built (`web/bundle`) counts for nothing. The calls are traced
one after another on a new memory in a file, with the settings that ship, after one of each kind
has been made. A change of package is a call of a function whose package is not that of the call
before.
"""

from __future__ import annotations

import ast
import io
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parent.parent
SOURCES = [folder for folder in (ROOT / "src/mags", ROOT / "lab/src/mags_lab") if folder.is_dir()]
TABLES = {".toml", ".txt", ".sql", ".md"}
SHORT = 80
LARGEST = 3


@dataclass(frozen=True)
class Source:
    """A Python file below one of `SOURCES`."""

    path: Path

    @cached_property
    def text(self) -> str:
        """Its text."""
        return self.path.read_text(encoding="utf-8")

    @cached_property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.text.splitlines())

    @cached_property
    def tree(self) -> ast.Module:
        """Its syntax tree."""
        return ast.parse(self.text)

    @cached_property
    def module(self) -> str:
        """The name under which it is imported."""
        parts = self.path.relative_to(home(self.path).parent).with_suffix("").parts
        return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def home(path: Path) -> Path:
    """The one of `SOURCES` that a path lies in."""
    return next(folder for folder in SOURCES if path.is_relative_to(folder))


def package(path: Path) -> str:
    """The package of a file, one below the top: "mags.engram"; "mags" for what lies beside them."""
    folder = home(path)
    parts = path.relative_to(folder).parts
    return f"{folder.name}.{parts[0]}" if len(parts) > 1 else folder.name


def files(suffixes: set[str]) -> list[Path]:
    """Files of the sources with one of these suffixes, but for what is built."""
    found = (path for folder in SOURCES for path in sorted(folder.rglob("*")))
    return [path for path in found if path.suffix in suffixes and "bundle" not in path.parts]


def rows(path: Path) -> int:
    """Lines of a table with something on them."""
    return sum(bool(line.strip()) for line in path.read_text(encoding="utf-8").splitlines())


# -- the sources ------------------------------------------------------------------


def packages(sources: list[Source]) -> Iterator[tuple[str, int, int, int]]:
    """Package, files, lines, rows of tables; the sum of each of `SOURCES` last."""
    count, lines, tables = Counter[str](), Counter[str](), Counter[str]()
    for source in sources:
        for name in {package(source.path), f"{home(source.path).name} in all"}:
            count[name] += 1
            lines[name] += source.lines
    for path in files(TABLES):
        for name in {package(path), f"{home(path).name} in all"}:
            tables[name] += rows(path)
    for name in sorted(lines, key=lambda name: (" in all" in name, name)):
        yield name, count[name], lines[name], tables[name]


def importers(sources: list[Source]) -> Counter[str]:
    """How many modules import each module of the sources."""
    known = {source.module for source in sources}
    found = Counter[str]()
    for source in sources:
        named: set[str] = set()
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names}
                named |= (whole & known) or {node.module}
        found.update((named & known) - {source.module})
    return found


def public_classes(sources: list[Source]) -> Counter[str]:
    """How often each public class name is defined at the top of a module."""
    return Counter(
        node.name
        for source in sources
        for node in source.tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )


def comments(source: Source) -> int:
    """Comments of a file."""
    tokens = tokenize.generate_tokens(io.StringIO(source.text).readline)
    return sum(token.type == tokenize.COMMENT for token in tokens)


# -- one call ---------------------------------------------------------------------


def traced(work: Callable[[], object]) -> list[Path]:
    """The file of every function of the sources that a call enters, in order."""
    entered: list[Path] = []
    ours = {str(path): path for path in files({".py"})}

    def look(frame: FrameType, event: str, _: object) -> None:
        path = ours.get(frame.f_code.co_filename)
        if event == "call" and path is not None:
            entered.append(path)

    sys.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
    return entered


def calls() -> tuple[dict[str, list[Path]], set[Path]]:
    """The files that each call enters, and those that are loaded to observe, ask and sleep."""
    sys.path[:0] = [str(folder.parent) for folder in SOURCES]
    import mags
    from mags.settings import Settings

    with (
        tempfile.TemporaryDirectory() as folder,
        mags.open(Path(folder, "size.mags"), settings=Settings()) as memory,
    ):
        memory.observe("I live in Bergen.")
        memory.recall("Where did I live?")
        memory.ask("Where did I live?")
        entered = {
            "observe": traced(lambda: memory.observe("I moved to Oslo in May.")),
            "recall": traced(lambda: memory.recall("Where do I live?")),
            "ask": traced(lambda: memory.ask("Where do I live?")),
        }
        memory.sleep()
        paths = (getattr(module, "__file__", None) for module in [*sys.modules.values()])
        loaded = {Path(path) for path in paths if path} & set(files({".py"}))
    return entered, loaded


def main() -> None:
    """Print the tables."""
    sources = [Source(path) for path in files({".py"})]
    lines = {source.path: source.lines for source in sources}
    print(f"{'package':<20}{'files':>8}{'lines':>8}{'rows':>8}")
    for name, count, some, tables in packages(sources):
        print(f"{name:<20}{count:>8,}{some:>8,}{tables:>8,}")

    entered, loaded = calls()
    print(f"\n{'one warm call of':<20}{'files':>8}{'lines':>8}{'changes of package':>20}")
    for name, paths in entered.items():
        ways = [package(path) for path in paths]
        changes = sum(a != b for a, b in pairwise(ways))
        held = sum(lines[path] for path in set(paths))
        print(f"{name:<20}{len(set(paths)):>8,}{held:>8,}{changes:>20,}")

    one = sum(count == 1 for count in importers(sources).values())
    twice = [name for name, count in public_classes(sources).items() if count > 1]
    short = sum(source.lines < SHORT for source in sources)
    said = sum(map(comments, sources))
    folders = Counter(source.path.parent for source in sources).most_common(LARGEST)
    where = ", ".join(f"{path.relative_to(ROOT)} {count}" for path, count in folders)
    print(
        f"\nloaded by observe, ask and sleep: {len(loaded):,} modules, "
        f"{sum(lines[path] for path in loaded):,} lines"
    )
    print(f"largest folders, in files: {where}")
    print(f"modules with one importer: {one:,}")
    print(f"public class names defined more than once: {len(twice):,}")
    print(f"files under {SHORT} lines: {100 * short / len(sources):.0f}%")
    print(f"comments for 1,000 lines: {1000 * said / sum(lines.values()):.1f}")


if __name__ == "__main__":
    main()
