"""What every real set is read into: words, the facts that they state, and their half.

A sentence says more than any set marks in it. So a passage also names the relations that its
annotators looked for (`asked`), and facts that may be told of it though nobody has to tell them
(`wanted` False): a policy's operations beyond them are neither right nor wrong.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mags.errors import NotFound
from mags.models.grammar import LIMITS
from mags.ports.policy import Act, Recalled, Turn
from mags.ports.relations import canonical
from mags_lab.training.chains.schema import OperationLine, Role, Sample, Split, check_target, engram

# Where two names of the table say the same of a document's fact, the one that people say.
SAID = {"was educated at": "studied at", "child": "is parent of"}
# A property that the table files with another one, and reads better under a name of its own.
OWN_NAMES = {"P106": "works as"}
_PRONOUNS = """
i me my he she it they his her him hers its their theirs them who whom whose that which
we us our you your this these those himself herself itself themselves
"""
PRONOUNS = frozenset(_PRONOUNS.split())
_GAPS = re.compile(r"[^\w]+|_", re.UNICODE)
_ARTICLES = frozenset({"the", "a", "an"})


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageFact:
    """A fact as the words have it. `subject`, `object`: every name there, the best one first.

    `relation` is canonical where the table knows it. `wanted` False: true of the passage, but
    nobody is charged for leaving it out.
    """

    subject: tuple[str, ...]
    relation: str
    object: tuple[str, ...]
    act: Act = Act.ADD
    wanted: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """Words of one source with their facts, in the order in which they are said.

    `id` is unique among all sets. `held`: it is never trained on. `asked`: canonical names of the
    relations that were looked for, None where everything was. `left`: facts of the set that
    could not be written as the words have them.
    """

    id: str
    source: str
    text: str
    held: bool
    facts: tuple[PassageFact, ...] = ()
    speaker: str = "document"
    recent: tuple[Turn, ...] = ()
    recalled: tuple[Recalled, ...] = ()
    asked: frozenset[str] | None = None
    left: int = 0

    @property
    def turn(self) -> Turn:
        """The passage as a turn; nobody knows when it was said."""
        return Turn(text=self.text, speaker=self.speaker)

    @property
    def wanted(self) -> tuple[PassageFact, ...]:
        """The facts that ought to be told."""
        return tuple(fact for fact in self.facts if fact.wanted)


def odd(words: str) -> bool:
    """Whether the SHA-256's first byte is odd: the `test` half of `evaluation.protocol.split`."""
    return bool(hashlib.sha256(words.encode()).digest()[0] % 2)


def sample(passage: Passage) -> Sample:
    """A passage as a sample: `real` where it is held out, else `train`.

    Raises InvalidInput where the grammar refuses its facts (see `writable`).
    """
    lines = [
        OperationLine(act=f.act, subject=f.subject[0], relation=f.relation, object=f.object[0])
        for f in passage.wanted
    ]
    made = Sample(
        id=passage.id,
        role=Role.WRITE,
        split=Split.REAL if passage.held else Split.TRAIN,
        turn=passage.turn,
        recent=passage.recent,
        recalled=passage.recalled,
        target=engram(lines),
        tags=("real", *sorted({f.act.value.lower() for f in passage.wanted})),
        source=passage.source,
    )
    check_target(made)
    return made


def relation_name(code: str, label: str) -> str:
    """The table's name of a Wikidata property, else the property's own words.

    A label alone is not looked up where there is a code: "separated from" of two areas is no
    divorce, and "follows" is not "followed by". Without a code the label is all there is.
    """
    if code in OWN_NAMES:
        return OWN_NAMES[code]
    found = canonical(code or label)
    name = found.name if found else label.replace("_", " ").strip()
    return SAID.get(name, name)


def writable(*names: str) -> bool:
    """Whether names fit a field of the grammar: short, visible, no pronoun, no markup."""
    return all(
        0 < len(name) <= LIMITS.field
        and folded(name) not in PRONOUNS
        and folded(name) != ""
        and not re.search(r"[<>|]", name)
        and not any(unicodedata.category(c) in ("Cc", "Cf", "Co", "Cs") for c in name)
        for name in names
    )


def folded(words: str) -> str:
    """Words without case, accents, punctuation, articles and a closing "'s"."""
    plain = unicodedata.normalize("NFKD", re.sub("['\N{RIGHT SINGLE QUOTATION MARK}]s$", "", words))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).casefold()
    return " ".join(w for w in _GAPS.sub(" ", plain).split() if w not in _ARTICLES)


def find(name: str, text: str) -> str:
    """A name as a text writes it (its own capitals), whole words only; "" where it has it not."""
    match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE)
    return match[0] if match else ""


def in_order(facts: Iterable[PassageFact], text: str) -> tuple[PassageFact, ...]:
    """Facts without repetitions, in the order in which the text has said both their ends."""

    def place(fact: PassageFact) -> tuple[int, int]:
        ends = (text.find(fact.subject[0]), text.find(fact.object[0]))
        return max(ends), min(ends)

    return tuple(sorted(dict.fromkeys(facts), key=place))


def merged(facts: Sequence[tuple[tuple[str, str, str], PassageFact]]) -> list[PassageFact]:
    """Facts of one identity as one, under all their names; pronouns are names of last resort.

    The identity is (who, relation, what) however they are named. A fact that is only told with
    pronouns may be told, but nobody is asked to.
    """
    names: dict[tuple[str, str, str], tuple[list[str], list[str]]] = {}
    for identity, fact in facts:
        subjects, objects = names.setdefault(identity, ([], []))
        subjects.extend(fact.subject)
        objects.extend(fact.object)
    found = []
    for (_, relation, _), (subjects, objects) in names.items():
        ends = [tuple(sorted(dict.fromkeys(e), key=_last_resort)) for e in (subjects, objects)]
        plain = writable(ends[0][0], ends[1][0])
        found.append(PassageFact(subject=ends[0], relation=relation, object=ends[1], wanted=plain))
    return found


def _last_resort(name: str) -> bool:
    return not writable(name)


VARIABLE = "MAGS_DATA"
DEFAULT = Path("../shared/data")


def data_folder(environment: Mapping[str, str]) -> Path:
    """The folder of the sets: `MAGS_DATA`, else `../shared/data`. `environment`: `os.environ`."""
    return Path(environment.get(VARIABLE) or DEFAULT)


def read_bytes(path: Path) -> bytes:
    """What a file holds, unpacked where it is gzipped; raises NotFound that says what to set."""
    if not path.is_file():
        raise NotFound(
            f"There is no {path}: set {VARIABLE} to the folder that holds the sets "
            "(docs/benchmarks.md names them and where they come from).",
            path=path,
        )
    raw = path.read_bytes()
    return gzip.decompress(raw) if path.suffix == ".gz" else raw


def read_text(path: Path) -> str:
    """The text of a file; bytes that are no UTF-8 are marked as such."""
    return read_bytes(path).decode("utf-8", "replace")


def read_json(path: Path) -> Any:  # noqa: ANN401 - the shape is the set's; its loader checks it
    """The JSON value of a file."""
    return json.loads(read_text(path))


def read_lines(path: Path) -> Iterator[Any]:
    """The JSON values of a file, one a line."""
    for line in read_text(path).splitlines():
        if line.strip():
            yield json.loads(line)


def only(folder: Path, pattern: str) -> list[Path]:
    """The files of a pattern, sorted; raises NotFound where there is none."""
    found = sorted(folder.glob(pattern))
    if not found:
        read_bytes(folder / pattern)
    return found
