"""Which items a filter takes, which namespaces a path takes, and which texts a value holds."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mags.errors import InvalidInput

ANY = "*"
Compare = Callable[[float, float], bool]
ORDERS: Mapping[str, Compare] = {
    "$gt": operator.gt,
    "$gte": operator.ge,
    "$lt": operator.lt,
    "$lte": operator.le,
}


def fits(value: object, wanted: Mapping[str, Any]) -> bool:
    """Whether a value has what a filter names: equal, in a relation ($ne, $gt ...), or nested."""
    return all(
        _fits(value.get(name) if isinstance(value, Mapping) else None, one)
        for name, one in wanted.items()
    )


def _fits(value: object, wanted: object) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_relates(value, str(name), one) for name, one in wanted.items())
        return isinstance(value, Mapping) and fits(value, wanted)
    if isinstance(wanted, list | tuple):
        return (
            isinstance(value, list | tuple)
            and len(value) == len(wanted)
            and all(_fits(one, other) for one, other in zip(value, wanted, strict=True))
        )
    return value == wanted


def _relates(value: object, relation: str, other: object) -> bool:
    if relation == "$eq":
        return value == other
    if relation == "$ne":
        return value != other
    if relation not in ORDERS:
        raise InvalidInput(f"a filter has no {relation!r}: there are $eq, $ne, {', '.join(ORDERS)}")
    left, right = _number(value), _number(other)
    return left is not None and right is not None and ORDERS[relation](left, right)


def _number(value: object) -> float | None:
    if not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None


def lies_in(
    namespace: tuple[str, ...], path: tuple[str, ...], *, suffix: bool = False, wild: bool = False
) -> bool:
    """Whether a namespace begins (or ends) with a path; `wild`: "*" stands for any label."""
    if len(path) > len(namespace):
        return False
    part = namespace[len(namespace) - len(path) :] if suffix else namespace[: len(path)]
    return all(mine == one or (wild and one == ANY) for mine, one in zip(part, path, strict=True))


def texts_of(value: Mapping[str, Any]) -> str:
    """Texts and numbers of a value: a single text as it is, several each with its name."""
    leaves = list(_leaves(value, ""))
    if len(leaves) == 1 and isinstance(leaves[0][1], str):
        return leaves[0][1]
    return "\n".join(f"{name}: {leaf}" if name else str(leaf) for name, leaf in leaves)


def _leaves(value: object, name: str) -> Iterator[tuple[str, object]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _leaves(inner, str(key))
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _leaves(inner, name)
    elif value is not None and not (isinstance(value, str) and not value.strip()):
        yield name, value
