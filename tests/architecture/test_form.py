"""The form every file keeps: short files and functions, imports in sight, narrow excepts."""

import ast
import re
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePosixPath

import pytest

from tests.architecture import form

REGISTRY = "src/mags/caches.py"
NO_TEXTS = {
    *("graph.table_of", "ranking._as_arrays", "metrics._resampled"),  # kinds and numbers
    "policy._shipped",  # of files
    *(
        "book.relations",
        "world.table",
        "world.vocabulary",
        "phrasebook.frames",
        "phrasebook.phrasebook",
        "splits.split_material",
        "phrasebook.smalltalk",
    ),
    *("bank.bank", "bank.load", "bank.plain"),  # files that come with MAGS, by their names
    *("world.syllables", "fillers.syllables", "fillers._known"),
    *("arena.warm_up", "arena.commit"),
    "postgres.translated",  # statements, whose values come beside them
    "jobs._kept",  # where memories lie
    "router.opened",  # weights, by the file that holds them
}
"""Functions whose arguments cannot hold words of a memory: `functools` may keep what they give."""
PARALLEL = {"Connection", "Database"}
"""What either durable store has of its own, under the same name."""
CORE = tuple(
    f"src/mags/{name}/"
    for name in ("memory", "engram", "recall", "plasticity", "ports", "index", "graph")
)

Trees = Mapping[str, ast.Module]
Finder = Callable[[ast.Module], Iterator[form.Finding]]


def places(trees: Trees, find: Finder) -> list[str]:
    return [f"{name}:{line}: {what}" for name, tree in trees.items() for line, what in find(tree)]


def test_no_function_imports_the_project(trees: Trees):
    sources = {name: tree for name, tree in trees.items() if name.startswith(("src/", "lab/src/"))}
    for package in ("mags", "mags_lab"):
        assert places(sources, lambda tree, of=package: form.hidden_imports(tree, of)) == []


def test_the_product_does_not_name_the_laboratory(root: Path, files: list[Path]):
    product = [path for path in files if path.is_relative_to(root / "src") and path.suffix == ".py"]
    named = [path.name for path in product if "mags_lab" in path.read_text(encoding="utf-8")]
    assert named == []


def test_only_boundary_takes_every_exception(trees: Trees):
    rest = dict(trees)
    errors = rest.pop("src/mags/errors.py")
    boundary = next(f for f in form.functions(errors) if f.name == "boundary")
    inside = range(boundary.lineno, (boundary.end_lineno or boundary.lineno) + 1)
    outside = [line for line, _ in form.broad_excepts(errors) if line not in inside]
    assert outside == []
    assert places(rest, form.broad_excepts) == []


def test_texts_are_kept_in_caches_of_the_registry_alone(trees: Trees):
    sources = {
        n: t for n, t in trees.items() if n.startswith(("src/", "lab/src/")) and n != REGISTRY
    }
    kept = {
        f"{PurePosixPath(name).stem}.{what}"
        for name, tree in sources.items()
        for _, what in form.own_caches(tree)
    }
    assert kept == NO_TEXTS
    growing = [what.split()[1] for what in places(sources, form.growing_tables)]
    assert growing == ["_OPEN", "_LEFT_OPEN"]


def test_the_core_takes_time_and_chance_as_arguments(trees: Trees):
    core = {name: tree for name, tree in trees.items() if name.startswith(CORE)}
    assert places(core, form.hidden_clocks_and_chance) == []


def test_no_test_asserts_how_long_something_took(trees: Trees):
    tests = {
        name: tree for name, tree in trees.items() if name.startswith(("tests/", "lab/tests/"))
    }
    assert places(tests, form.asserted_times) == []


def test_every_picture_of_the_layers_is_the_contract(root: Path, files: list[Path]):
    contracts = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["importlinter"]
    layers = next(c["layers"] for c in contracts["contracts"] if c["id"] == "layers")
    chain = " > ".join(re.sub(r"[() ]", "", layer) for layer in layers)
    pictures = [
        line.strip("` ")
        for path in files
        if path.suffix == ".md"
        for line in path.read_text().splitlines()
        if "> ports >" in line
    ]
    assert [picture for picture in pictures if picture != chain] == []


def test_each_public_class_has_a_name_of_its_own(trees: Trees):
    named = Counter(
        node.name
        for name, tree in trees.items()
        if name.startswith(("src/", "lab/src/", "benchmarks/"))
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, times in named.items() if times > 1} == PARALLEL


def test_every_module_is_named_for_what_it_holds(trees: Trees):
    empty = [
        name
        for name in trees
        if any(form.EMPTY_NAME.search(part) for part in PurePosixPath(name).with_suffix("").parts)
    ]
    assert empty == []


# The finders themselves: each must see what it is there for.


@pytest.mark.parametrize(
    "line", ["import mags.graph", "from mags import graph", "from . import graph"]
)
def test_a_project_import_in_a_function_is_found(line: str):
    assert len(list(form.hidden_imports(ast.parse(f"def f():\n    {line}\n"), "mags"))) == 1
    assert list(form.hidden_imports(ast.parse(f"{line}\n"), "mags")) == []


def test_an_extra_may_be_imported_in_a_function():
    assert list(form.hidden_imports(ast.parse("def f():\n    import torch\n"), "mags")) == []


@pytest.mark.parametrize(
    "clause", ["except:", "except Exception:", "except (KeyError, builtins.BaseException) as e:"]
)
def test_a_broad_except_is_found(clause: str):
    tree = ast.parse(f"try:\n    f()\n{clause}\n    raise\n")
    assert list(form.broad_excepts(tree)) == [(3, "takes every exception")]


def test_a_broad_suppress_is_found():
    tree = ast.parse("with contextlib.suppress(Exception):\n    f()\n")
    assert list(form.broad_excepts(tree)) == [(1, "takes every exception")]


def test_a_narrow_except_is_let_be():
    tree = ast.parse("try:\n    f()\nexcept (KeyError, OSError):\n    pass\n")
    assert list(form.broad_excepts(tree)) == []


@pytest.mark.parametrize("call", ["datetime.now(UTC)", "date.today()", "np.random.default_rng()"])
def test_a_hidden_clock_or_chance_is_found(call: str):
    assert len(list(form.hidden_clocks_and_chance(ast.parse(call)))) == 1


def test_a_seeded_generator_is_let_be():
    assert list(form.hidden_clocks_and_chance(ast.parse("np.random.default_rng(seed)"))) == []


@pytest.mark.parametrize(
    "lines",
    [
        "began = time.monotonic(); work(); assert time.monotonic() - began < 5",
        "took.append(time.perf_counter() - began); assert sorted(took)[10] < 0.1",
        "slow[0] = max(slow[0], perf_counter_ns() - began); assert slow[0] < 5",
        "took = time.process_time() - began; ms = 1e3 * took; assert ms < 5",
    ],
)
def test_an_asserted_time_is_found(lines: str):
    tree = ast.parse(f"def test_it():\n    {lines}\n")
    assert list(form.asserted_times(tree)) == [(2, "test_it asserts a time")]


@pytest.mark.parametrize(
    "lines",
    [
        "ends = time.monotonic() + 30; assert time.monotonic() < ends, 'stuck'",
        "thread.join(30); assert not thread.is_alive()",
        "at = time.time() - 60; assert memory.observe(text, at=at)",
    ],
)
def test_a_limit_on_waiting_is_let_be(lines: str):
    assert list(form.asserted_times(ast.parse(f"def test_it():\n    {lines}\n"))) == []


@pytest.mark.parametrize("name", ["utils", "string_utils", "helpers", "common", "base", "api_v2"])
def test_an_empty_name_is_found(name: str):
    assert form.EMPTY_NAME.search(name)


@pytest.mark.parametrize("name", ["engram", "database", "baseline", "commonsense", "v"])
def test_a_real_name_is_let_be(name: str):
    assert form.EMPTY_NAME.search(name) is None
