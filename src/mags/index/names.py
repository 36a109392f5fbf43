"""Names of entities: exact forms and aliases, never embeddings.

"Ana's mum" and "Ana's mother" are one person: words for relatives are folded to a plain one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from mags.index import tokens
from mags.index.tokens import words

_ARTICLES = ("the ", "a ", "an ")
LONGEST = 8
"""Words of the longest name that is looked for in a text."""
_AT_HOME = {
    "mother": "mum mom mummy mommy mam mama",
    "father": "dad daddy papa",
    "grandmother": "grandma granny gran nan nana",
    "grandfather": "grandpa granddad grandad gramps",
    "husband": "hubby",
    "sister": "sis",
    "brother": "bro",
    "aunt": "auntie",
    "wife": "missus wifey",
    "girlfriend": "gf",
    "boyfriend": "bf",
    "cousin": "cuz cuzin",
}
_PLAIN = {word: plain for plain, words in _AT_HOME.items() for word in words.split()}


def at_home() -> tuple[tuple[str, str], ...]:
    """Return every familiar word for a relative with the plain one: ("mum", "mother")."""
    return tuple(_PLAIN.items())


def called(plain: str) -> tuple[str, ...]:
    """Return a plain word for a relative, "mother", followed by its familiar ones."""
    return plain, *_AT_HOME.get(plain, "").split()


def plain_kin(noun: str) -> str:
    """Return "mother" for "mum", and any other noun unchanged. `noun`: in lower case."""
    return _PLAIN.get(noun, noun)


def whose(owner: str, noun: str) -> str:
    """Return the form under which a relative is known: "ana's mother" of Ana and "Mum"."""
    return f"{owner.lower()}'s {plain_kin(noun.lower())}"


def fold(name: str) -> str:
    """The form under which a name is known: case, accents, articles and punctuation folded.

    "Ana's mum" is known as "ana's mother".
    """
    plain = " ".join(tokens.fold(name).split()).strip(" .,;:!?\"'()[]")
    plain = plain.removesuffix("'s")
    plain = plain.partition(" ")[2] if plain.startswith(_ARTICLES) else plain
    whose, owned, whom = plain.rpartition("'s ")
    return whose + owned + plain_kin(whom) if owned else plain


def form_of(name: str) -> str:
    """What kind of name this is: "street" for "Baker street", "custom of", a name, or a thing."""
    parts = name.split()
    if " of " in name:
        return f"{parts[0].lower()} of"
    if len(parts) > 1 and parts[0][:1].isupper():
        return parts[-1].lower() if parts[-1].islower() else "name"
    return "name" if name[:1].isupper() else "thing"


def _parts(form: str) -> frozenset[str]:
    """The words of a name of several."""
    parts = form.split()
    return frozenset(parts if len(parts) > 1 else ())


def _given(name: str, form: str) -> list[str]:
    """The first name in the full name of somebody, folded; none of other names."""
    parts = name.split()
    full = 1 < len(parts) < 4 and all(part[:1].isupper() for part in parts)
    return [form.partition(" ")[0]] if full else []


class Names:
    """Folded name -> entity ids, in the order they were learned."""

    def __init__(self) -> None:
        self._ids: dict[str, list[int]] = {}
        self._words: dict[str, list[int]] = {}
        self._forms: dict[int, list[tuple[str, str]]] = {}
        self._within: Counter[str] = Counter()
        self._given: dict[str, list[int]] = {}

    def add(self, entity: int, names: Iterable[str]) -> None:
        """Learn names of an entity."""
        for name in names:
            form = fold(name)
            if not form:
                continue
            pair = (form, " ".join(words(form)))
            known = self._forms.setdefault(entity, [])
            if pair not in known:
                known.append(pair)
                self._within.update(_parts(pair[1]))
            keyed = [(self._ids, pair[0]), (self._words, pair[1])]
            keyed += [(self._given, given) for given in _given(name, pair[1])]
            for table, key in keyed:
                ids = table.setdefault(key, [])
                if entity not in ids:
                    ids.append(entity)

    def drop(self, entities: set[int]) -> None:
        """Forget every name of these entities."""
        for entity in entities:
            for pair in self._forms.pop(entity, ()):
                for part in _parts(pair[1]):
                    self._within[part] -= 1
                    if not self._within[part]:
                        del self._within[part]
                tables = (self._ids, self._words, self._given)
                keys = (*pair, pair[1].partition(" ")[0])
                for table, key in zip(tables, keys, strict=True):
                    kept = [i for i in table.get(key, ()) if i != entity]
                    if kept:
                        table[key] = kept
                    else:
                        table.pop(key, None)

    def find(self, name: str) -> list[int]:
        """Entities of exactly that name or alias."""
        return list(self._ids.get(fold(name), ()))

    def within(self, word: str) -> int:
        """How many names of several words hold a word, as "street" is in "Baker Street"."""
        return self._within[word]

    def scan(self, text: str) -> list[int]:
        """Entities named in a text, longest names first at each place, in order.

        A first name alone names who has it, where no other does and nothing else is named.
        """
        said = [t.removesuffix("'s") for t in words(text)]
        found: list[int] = []
        alone: list[int] = []
        i = 0
        while i < len(said):
            for n in range(min(LONGEST, len(said) - i), 0, -1):
                ids = self._words.get(" ".join(said[i : i + n]))
                if ids:
                    found.extend(ids)
                    i += n - 1
                    break
            else:
                whose = self._given.get(said[i], ())
                if len(whose) == 1 and said[i].capitalize() in text:
                    alone.extend(whose)
            i += 1
        return list(dict.fromkeys(found or alone))
