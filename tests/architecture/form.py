"""What the tests of form look for in one syntax tree. Each finder yields (line, what it found)."""

import ast
import re
from collections.abc import Iterator, Set

Finding = tuple[int, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef

BROAD = frozenset({"Exception", "BaseException"})
KEEPERS = frozenset({"cache", "lru_cache"})
WHOLE = frozenset(f"functools.{name}" for name in KEEPERS)
EMPTY_TABLE = re.compile(
    r"\{\}|\[\]|(\w+\.)?(dict|list|set|deque|Counter|OrderedDict|Weak\w+)\(\)"
    r"|(\w+\.)?(defaultdict\(.*|deque\(maxlen.*)"
)
EMPTY_NAME = re.compile(r"(^|_)(utils?|helpers?|common|managers?|base|misc|v\d+)$")


def functions(tree: ast.AST) -> Iterator[Function]:
    """Every function and method, nested ones too."""
    for node in ast.walk(tree):
        if isinstance(node, Function):
            yield node


def hidden_imports(tree: ast.AST, package: str) -> Iterator[Finding]:
    """Imports of `package` inside a function, where no contract on imports would be read."""
    for function in functions(tree):
        for node in ast.walk(function):
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                names = [package if node.level else node.module or ""]
            else:
                continue
            for name in names:
                if name.split(".")[0] == package:
                    yield node.lineno, f"{function.name} imports {name}"


def _names(expression: ast.expr | None) -> set[str]:
    parts = expression.elts if isinstance(expression, ast.Tuple) else [expression]
    return {
        part.attr if isinstance(part, ast.Attribute) else getattr(part, "id", "")
        for part in parts
        if part is not None
    }


def own_caches(tree: ast.Module) -> Iterator[Finding]:
    """Functions with arguments whose results `functools` keeps, and other uses of its caches."""
    imported = {
        alias.asname or alias.name
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and node.module == "functools"
        for alias in node.names
        if alias.name in KEEPERS
    }
    decorating: set[int] = set()
    for function in functions(tree):
        for decorator in function.decorator_list:
            keeper = decorator.func if isinstance(decorator, ast.Call) else decorator
            decorating.add(id(keeper))
            given = function.args
            if _names(keeper) & (KEEPERS | imported) and (
                given.posonlyargs or given.args or given.vararg or given.kwonlyargs or given.kwarg
            ):
                yield function.lineno, function.name
    for node in ast.walk(tree):
        by_name = isinstance(node, ast.Name) and node.id in imported
        whole = isinstance(node, ast.Attribute) and ast.unparse(node) in WHOLE
        if (by_name or whole) and id(node) not in decorating:
            yield node.lineno, "a cache made by hand"


def growing_tables(tree: ast.Module) -> Iterator[Finding]:
    """Tables of a module that begin empty, so that they are filled while the process runs."""
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is not None and EMPTY_TABLE.fullmatch(ast.unparse(value)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield node.lineno, ast.unparse(targets[0])


def broad_excepts(tree: ast.AST) -> Iterator[Finding]:
    """Handlers and `suppress` calls that take every exception."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler):
            broad = node.type is None or bool(_names(node.type) & BROAD)
        elif isinstance(node, ast.Call) and _names(node.func) == {"suppress"}:
            broad = any(_names(argument) & BROAD for argument in node.args)
        else:
            continue
        if broad:
            yield node.lineno, "takes every exception"


def imported_packages(tree: ast.AST) -> Iterator[Finding]:
    """The top-level package of every absolute import, wherever it stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name.split(".")[0]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            yield node.lineno, node.module.split(".")[0]


def hidden_clocks_and_chance(tree: ast.AST) -> Iterator[Finding]:
    """Calls that read the clock, or a generator without a seed, through allowed packages."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            name = node.func.attr
            unseeded = name == "default_rng" and not node.args and not node.keywords
            if unseeded or name in ("now", "today", "utcnow"):
                yield node.lineno, f"calls {name}"


CLOCKS = frozenset({"time", "monotonic", "perf_counter", "process_time", "thread_time"})


def _reads_clock(node: ast.AST) -> bool:
    return any(
        isinstance(one, ast.Call)
        and bool({name.removesuffix("_ns") for name in _names(one.func)} & CLOCKS)
        for one in ast.walk(node)
    )


def _measures(node: ast.AST, measured: Set[str]) -> bool:
    """Whether a time that passed is in it: from one reading to another, or a name that holds it."""
    return any(
        (
            isinstance(one, ast.BinOp)
            and isinstance(one.op, ast.Sub)
            and not isinstance(one.right, ast.Constant)
            and _reads_clock(one)
        )
        or (isinstance(one, ast.Name) and one.id in measured)
        for one in ast.walk(node)
    )


def asserted_times(tree: ast.AST) -> Iterator[Finding]:
    """Asserts on how long something took; waiting until a clock passes a limit is none."""
    for function in functions(tree):
        measured: set[str] = set()
        for node in ast.walk(function):
            if isinstance(node, ast.Assign | ast.AugAssign) and _measures(node.value, measured):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                held = any(_measures(argument, measured) for argument in node.args)
                targets = [node.func.value] if held else []
            else:
                continue
            for target in targets:
                measured |= {one.id for one in ast.walk(target) if isinstance(one, ast.Name)}
        for node in ast.walk(function):
            if isinstance(node, ast.Assert) and _measures(node.test, measured):
                yield node.lineno, f"{function.name} asserts a time"
