"""What relatives are called at home: "Ana's mum" and "Ana's mother" are one person."""

from __future__ import annotations

_AT_HOME = {
    "mother": "mum mom mummy mommy mam mama",
    "father": "dad daddy papa",
    "grandmother": "grandma granny gran nan nana",
    "grandfather": "grandpa granddad grandad gramps",
    "husband": "hubby",
    "sister": "sis",
    "brother": "bro",
    "aunt": "auntie",
}
_PLAIN = {word: plain for plain, words in _AT_HOME.items() for word in words.split()}


def at_home() -> tuple[tuple[str, str], ...]:
    """Return every word used at home with the plain one it stands for: ("mum", "mother")."""
    return tuple(_PLAIN.items())


def called(plain: str) -> tuple[str, ...]:
    """Return "mother" and all that she is called at home."""
    return plain, *_AT_HOME.get(plain, "").split()


def plain_kin(noun: str) -> str:
    """Return "mother" for "mum"; any other noun as it is. `noun`: in lower case."""
    return _PLAIN.get(noun, noun)


def whose(owner: str, noun: str) -> str:
    """Return the form under which a relative is known: "ana's mother" of Ana and "Mum"."""
    return f"{owner.lower()}'s {plain_kin(noun.lower())}"
