"""Which slot a possessed noun names: "my manager" is a boss, "Kate's new phone number" a number."""

from __future__ import annotations

from mags.models.policy.rules.lexicon import word_set
from mags.ports.relations import Relation, canonical

_SHADES = word_set("new current actual present latest own dear beloved beautiful lovely little")
_PERSONAL = {"manager": "boss", "coworker": "colleague"}


def slot_of(noun: str) -> Relation | None:
    """Return the relation that "Alice's <noun>" is, or None where the table knows none."""
    plain = unshaded(noun)
    if plain in _PERSONAL:
        return canonical(_PERSONAL[plain])
    if plain != noun:
        return canonical(plain) or Relation(name=plain, noun=True, known=False)
    return canonical(plain)


def unshaded(noun: str) -> str:
    """A noun without the words before it that make it no other thing: "new favourite food"."""
    words = noun.split()
    while len(words) > 1 and words[0] in _SHADES:
        words = words[1:]
    return " ".join(words)


def replaces(noun: str) -> bool:
    """Say whether "my new landlord" is one in the place of another: one has only one of them."""
    words = noun.split()
    return words[:1] == ["new"] and words[-1] in _ONE_AT_A_TIME


_ONE_AT_A_TIME = word_set(
    "landlord landlady boss manager supervisor doctor gp dentist therapist lawyer accountant coach"
    " trainer teacher tutor mentor hairdresser girlfriend boyfriend partner address email number"
    " phone job car password"
)


_BREEDS = {
    "dog": "retriever labrador poodle beagle terrier spaniel dachshund collie husky bulldog"
    " shepherd corgi chihuahua greyhound rottweiler dalmatian pug whippet setter",
    "cat": "siamese persian tabby ragdoll bengal",
    "parrot": "cockatoo budgie parakeet macaw",
}
_SPECIES = {breed: pet for pet, breeds in _BREEDS.items() for breed in breeds.split()}


def species(noun: str) -> str:
    """What pet a noun names: "dog" of "golden retriever"; the noun itself where it is none."""
    return _SPECIES.get(noun.split()[-1].lower(), noun) if noun else noun


def compound(noun: str) -> str:
    """The plain name of a thing: "kitchen budget" for "budget for the kitchen"."""
    for link in (" for the ", " of the ", " for our ", " for my ", " for "):
        head, found, rest = noun.partition(link)
        if found and rest and len(rest.split()) < 3 and not rest[0].isupper():
            return f"{rest} {head}"
    return noun


_DUE = ("deadline", "due date", "date")


def without_due(noun: str) -> str:
    """The thing of which a noun names the day: "report" of "report deadline"."""
    for word in _DUE:
        if noun.lower().endswith(f" {word}"):
            return noun[: -len(word) - 1]
    return noun
