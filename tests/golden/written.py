"""Golden texts: blocks of lines, compared with a tolerance for numbers, and how they are kept.

A block is a line that begins at the margin, and the indented lines beneath it. Everything is
compared exactly but decimals of three places, which may differ by `NOISE` (those of two, where they
are a support or a share, by their last digit), and the order of lines that begin with a score (see
`ranked`).

Kinds of processors round apart: one level of 127 that an encoder rounds up on one and down on
another moves a probability by .01, a score of 14 by .2, and the order of anchors. So the kind that
the files were written on stands beside them; on another kind numbers have `ROOM`, and rankings
are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import unified_diff
from itertools import combinations
from pathlib import Path

from numpy._core._multiarray_umath import __cpu_features__ as FEATURES

HERE = Path(__file__).parent
COMMAND = "python -m tests.golden"
NOISE = 0.002 + 1e-9
"""What processors may differ by in a number that a model made."""
COARSE = 0.01 + 1e-9
"""The same for what is printed with two decimals."""
TIE = 0.001 + 1e-9
"""Scores nearer than this to one another may stand in any order."""
KIND = HERE / "processor.txt"
ROOM = 0.04
"""The same between kinds of processors."""
SHOWN = 60
"""Lines of differences that a failure prints."""

DECIMAL = re.compile(
    r"(?<![\w.])-?\d*\.\d{3}(?![\w.])|(?:(?<=support )|(?<= [+-]))\d+\.\d\d(?![\w.])"
)
SCORED = re.compile(r"^ +(-?\d*\.\d{3}) (\S+)")

Lines = tuple[str, ...]


def processor() -> str:
    """The kind of this machine's processor, by how it multiplies integers and sums floats."""
    return next((name for name in ("AVX512_VNNI", "AVX512F", "AVX2") if FEATURES.get(name)), "none")


def written_here() -> bool:
    """Whether the files were written on a processor of this kind."""
    return KIND.read_text(encoding="utf-8").strip() == processor()


def number(value: float) -> str:
    """Three decimals, without a leading nought and without -0."""
    text = f"{value + 0.0:.3f}"
    return re.sub(r"^(-?)0\.", r"\1.", ".000" if text == "-0.000" else text)


def blocks(text: str) -> dict[tuple[str, str], Lines]:
    """Every block by the section (`# name`) it stands in and its first line.

    Raises ValueError where one stands twice.
    """
    found: dict[tuple[str, str], list[str]] = {}
    section, lines = "", []
    for line in filter(None, text.splitlines()):
        if line.startswith(" "):
            lines.append(line)
            continue
        section = line if line.startswith("# ") else section
        if (section, line) in found:
            raise ValueError(f"stands twice: {section}: {line}")
        found[section, line] = lines = []
    return {head: tuple(under) for head, under in found.items()}


def alike(old: str, new: str) -> bool:
    """Whether two lines are the same but for the noise of their decimals."""
    if old == new:
        return True
    if DECIMAL.sub("#", old) != DECIMAL.sub("#", new):
        return False
    pairs = zip(DECIMAL.findall(old), DECIMAL.findall(new), strict=True)
    room = 0.0 if written_here() else ROOM
    return all(
        abs(float(a) - float(b)) <= room + (NOISE if a[-4] == "." else COARSE) for a, b in pairs
    )


def same(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether the lines of two blocks are the same: those that are no ranking in their order."""
    plain = [[line for line in lines if not SCORED.match(line)] for lines in (old, new)]
    if len(plain[0]) != len(plain[1]) or not all(map(alike, *plain)):
        return False
    return ranked(old, new)


def ranked(old: Sequence[str], new: Sequence[str]) -> bool:
    """Whether two rankings are the same, ties in any order.

    At their end one tie may stand in place of another one.
    """
    one, other = ({m[2]: (float(m[1]), line) for line, m in _scored(part)} for part in (old, new))
    if len(one) != len(other):
        return False
    for here, there in ((one, other), (other, one)):
        end = min((score for score, _ in here.values()), default=0.0)
        if any(here[name][0] - end > TIE for name in here.keys() - there.keys()):
            return False
    kept = [name for name in one if name in other]
    place = {name: i for i, name in enumerate(other)}
    return all(alike(one[name][1], other[name][1]) for name in kept) and all(
        place[a] < place[b] or abs(one[a][0] - one[b][0]) <= TIE for a, b in combinations(kept, 2)
    )


def _scored(lines: Sequence[str]) -> Iterator[tuple[str, re.Match[str]]]:
    return ((line, m) for line in lines if (m := SCORED.match(line)))


def settled(old: str, new: str) -> str:
    """The new text, with the old blocks where they are the same but for noise and ties."""
    before = blocks(old)
    out = []
    for head, lines in blocks(new).items():
        was = before.get(head)
        out += [head[1], *(lines if was is None or not same(was, lines) else was)]
    return "".join(f"{line}\n" for line in out)


def differences(old: str, new: str, name: str) -> list[str]:
    """A unified diff of what is not the same; empty where all is."""
    new = settled(old, new)
    if old == new:
        return []
    kept, made = f"{name}, as kept", f"{name}, as it is now"
    return list(unified_diff(old.splitlines(), new.splitlines(), kept, made, n=2, lineterm=""))


def kept(name: str) -> str:
    """The text of a golden file; empty where there is none yet."""
    path = HERE / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def check(name: str, now: str) -> None:
    """Fail with the differences where a text is not as its golden file."""
    found = differences(kept(name), now, name)
    if found:
        more = [f"... and {len(found) - SHOWN} lines more"] if len(found) > SHOWN else []
        told = "\n".join([*found[:SHOWN], *more])
        raise AssertionError(
            f"{told}\n\nIf this is meant, run `{COMMAND}`, read the difference, and say why in "
            "the commit."
        )


def keep(name: str, now: str) -> str:
    """Rewrite a golden file where it differs; return one line that says how much."""
    old = kept(name)
    found = differences(old, now, name)
    if found:
        (HERE / name).write_text(settled(old, now), encoding="utf-8")
    plus = sum(line.startswith("+") for line in found[2:])
    minus = sum(line.startswith("-") for line in found[2:])
    return f"{name}: {len(blocks(now))} blocks, " + (
        f"+{plus} -{minus} lines" if found else "the same"
    )
