"""Endings told without naming what is over: "I quit", "we called it off", "it got stolen"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mags.models.policy.rules.earlier import (
    Fits,
    denied,
    goes_by,
    is_done,
    is_home,
    is_owned,
    is_partner,
    is_pet,
    is_planned,
    is_shared,
    is_spouse,
    is_state,
    is_taken,
    is_work,
    meant,
    over,
    told,
)
from mags.models.policy.rules.scene import Scene
from mags.ports.policy import Operation, Recalled

_THING = r"(?P<ref>it|that|(?:the|my|our|that) [a-z][\w' -]*?|[A-Z][\w-]+)"
_WHO = r"(?P<who>i|we|he|she|they|my [a-z]+|[A-Z]\w+(?: and (?:I|[A-Z]\w+))?)"
_HAS = r"(?:'ve|'s| have| has|'d| had)?(?: just| finally| now| already| both)*"
_SEEMS = r"(?:'s| is| was| has been| got| has|'s been|'s got| got it)(?: just| finally| all| now)*"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How something ends: `how` it is told, what it ends (`fits`), all such or the newest.

    `tells`: the clause tells more than the end, and is read on.
    """

    pattern: re.Pattern[str]
    how: str
    fits: Fits
    all: bool = False
    tells: bool = False


def _ending(
    pattern: str, how: str, fits: Fits, *, every: bool = False, tells: bool = False
) -> Ending:
    compiled = re.compile(rf"^{pattern}(?P<rest>[ ,.!:;(].*)?$", re.IGNORECASE)
    return Ending(pattern=compiled, how=how, fits=fits, all=every, tells=tells)


_ENDINGS = (
    _ending(rf"(?:we|they|i|he|she){_HAS} call(?:ed)? {_THING} off", "called off", is_planned),
    _ending(rf"(?:we|they|i|he|she){_HAS} (?:called off|cancel+ed|scrapped) {_THING}",
            "called off", is_planned),
    _ending(rf"{_THING}{_SEEMS} (?:called off|cancel+ed|off(?! to| the| for))", "called off",
            is_planned),
    _ending(rf"{_THING}{_HAS} (?:fell|fallen) through", "fell through", is_planned),
    _ending(rf"{_THING}(?:'s| is) not (?:happening|going ahead)(?: any ?more| after all)?",
            "called off", is_planned),
    _ending(r"(?:i|we)(?:'m|'re| am| are) not going(?: any ?more| after all)", "not going",
            is_planned),
    _ending(rf"{_WHO}{_HAS} (?:broke up|broken up|split up|split|separated)(?: with (?:him|her"
            rf"|them|[A-Z]\w+))?", "broke up", is_partner, every=True),
    _ending(r"it(?:'s| is) over (?:between us|with (?:him|her|them|[A-Z]\w+))", "broke up",
            is_partner, every=True),
    _ending(rf"{_WHO}(?:'re| are|'m| am|'s| is) no longer together", "broke up", is_spouse,
            every=True),
    _ending(r"(?:he|she|[A-Z]\w+) (?:dumped|left|broke up with) me", "broke up", is_spouse,
            every=True),
    _ending(rf"{_WHO}{_HAS} (?:got |been |are |gotten )*divorced", "divorced", is_spouse,
            every=True),
    _ending(rf"{_WHO}{_HAS} (?:quit|resigned|(?:handed|gave|given|put)(?: in)?"
            r"(?: (?:my|his|her|their))? notice)"
            rf"(?: (?:my|the|that|his|her) job)?(?! \w+ing\b| the| my| his| her)", "quit",
            is_work, every=True),
    _ending(rf"{_WHO}{_HAS} (?:was |were |got |been |gotten )+(?:fired|sacked|laid off|let go"
            rf"|made redundant)", "lost the job", is_work, every=True),
    _ending(r"they(?:'ve| have)?(?: just)? (?:let (?P<who>me|us|him|her) go|(?:fired|sacked)"
            r" (?P<whom>me|us|him|her)|laid (?P<whose>me|us|him|her) off"
            r"|made (?P<one>me|us|him|her) redundant)", "lost the job", is_work, every=True),
    _ending(r"(?P<who>he|she|[A-Z]\w+)(?:'s| has)?(?: just)? moved out", "moved out", is_shared),
    _ending(rf"{_WHO}{_HAS} (?:lost|left) (?:my|the|that|his|her) job", "lost the job", is_work,
            every=True),
    _ending(rf"{_WHO} (?:don't|doesn't|do not|does not|no longer) works? there(?: any ?more)?",
            "left", is_work, every=True),
    _ending(rf"{_WHO} (?:don't|doesn't|do not|does not|no longer) lives? there(?: any ?more)?",
            "left", is_home, every=True),
    _ending(rf"(?P<who>i|we|he|she){_HAS} (?:sold|gave away|given away|got rid of|scrapped"
            rf"|crashed|totalled|wrote off|traded in) {_THING}", "sold or gone", is_owned),
    _ending(rf"{_THING}{_SEEMS} (?P<how>stolen|nicked|sold|scrapped|a write-?off"
            rf"|totalled)", "gone",
            is_owned),
    _ending(rf"(?:someone|somebody|they|thieves){_HAS} (?:stole|nicked|took) {_THING}", "stolen",
            is_owned),
    _ending(rf"(?P<who>i|we|he|she){_HAS} (?:gave up(?: on)?|given up(?: on)?|gave|quit|dropped"
            rf"|stopped) (?P<ref>it|that|the [\w ]+?|my [\w ]+?)(?: up)?", "gave it up", is_done),
    _ending(rf"(?P<who>i|we|he|she){_HAS} (?:stopped|given up|quit) (?:doing (?:it|that)|going"
            rf"(?: there)?)", "stopped", is_done),
    _ending(r"(?P<who>i|we|he|she) (?:don't|doesn't|do not|does not|no longer) (?:do(?:es)?|go"
            r"(?:es)?|play|use)s? (?:it|that|there)(?: any ?more)?", "stopped", is_done),
    _ending(rf"(?P<who>i|we|he|she){_HAS} (?:handed in|submitted|handed) (?P<ref>it|that|the"
            rf" [\w ]+?|my [\w ]+?)(?: in)?", "handed in", is_done),
    _ending(rf"(?P<who>i|we|he|she){_HAS} finished (?P<ref>it|that|the [\w ]+?|my [\w ]+?)",
            "finished", is_done),
    _ending(r"(?:they|(?:the|my) (?:doctor|gp|vet|consultant|nurse)|dr\.? \w+)"
            r"(?:'ve|'s| have| has)?(?: just| now)? (?:taken|took) me off"
            r" (?P<ref>(?:the |my )?[a-z][\w' -]*?)",
            "taken off it", is_taken),
    _ending(rf"{_THING}{_SEEMS} (?:fixed|repaired|mended|working(?: again)?|back(?: on| up)?)",
            "fixed", is_state),
    _ending(rf"(?P<who>he|she|[A-Z]\w+){_HAS} (?:found|got|landed) (?:a )?(?:new )?(?:job"
            r"|work)",
            "found a job", is_state, every=True, tells=True),
    _ending(rf"they{_HAS} (?:got back|are back|'re back) together", "back together", is_state),
    _ending(rf"(?P<who>i|we|he|she){_HAS} found {_THING}(?= |$|[.!])", "", is_state),
    _ending(r"(?P<ref>he|she|it|[A-Z]\w+|(?:my|our|the) [a-z]+)(?:'s| has| was| had to be|'s been"
            r"| has been| is)*(?: just| sadly)* (?:died|passed away|dead|put down|put to sleep)",
            "died", is_pet, tells=True),
    _ending(r"(?:i|we)(?:'ve|'d| have| had)?(?: to)? (?:have )?put (?P<ref>him|her|it"
            r"|[A-Z]\w+|(?:my|our|the) [a-z]+) (?:down|to sleep)", "died", is_pet),
    _ending(rf"{_WHO}(?:'s| is|'m| am|'re| are|'s feeling|'m feeling|{_HAS})(?: all| been| much"
            rf"| completely| fully)* (?:home(?: again)?|out of (?:the )?hospital|better"
            rf"|fine(?: again| now)|well again|recovered|healthy|back on \w+ feet"
            rf"|back(?: at work| home| at school| in the office)?|back together)",
            "well again", is_state, every=True),
    _ending(rf"{_WHO}{_HAS} (?:had|gave birth to) (?:a|the|her|their) (?:baby|boy|girl|son"
            rf"|daughter|little \w+)", "had the baby", is_state),
)  # fmt: skip
"""Ways to tell of an end, each with what it can end."""


def ended(said: str, scene: Scene, facts: Sequence[Recalled]) -> tuple[tuple[Operation, ...], bool]:
    """Return the operations that end what a clause says is over, and whether it tells more.

    () where nothing held fits.
    """
    for ending in _ENDINGS:
        match = ending.pattern.match(said)
        if match is None:
            continue
        groups = match.groupdict()
        who = next((groups[g] for g in ("who", "whom", "whose", "one") if groups.get(g)), "")
        whose = _whose(who, scene)
        ref = groups.get("ref") or ""
        own = [f for f in facts if not whose or {f.subject, f.object} & whose]
        found = _ended(ending, own, ref)
        if not found and who.lower() == "we" and ending.fits is is_owned:
            found = _shared(facts, ref)
        if found:
            how = groups.get("how") or ending.how
            ends = tuple(op for fact in found for op in (over(fact), denied(fact, how)))
            return ends, ending.tells
    return (), False


_GOES = re.compile(
    rf"^{_THING}(?:'s| is| has|'s gone| has gone)?(?: just| completely| finally)* "
    r"(?:broke(?: down)?|broken(?: down)?|died|dead|packed up|packed in|gave up|stopped working"
    r"|conked out|kaput|crashed)$",
    re.IGNORECASE,
)
_GOT_INSTEAD = re.compile(
    r"^(?:i|we)(?:'ve| have|'m| am)?(?: just| now)* (?:got|bought|ordered|use|drive|have|using"
    r"|driving)(?: myself)? (?P<new>(?:an? |the )?[\w' -]+?)(?P<instead> instead| now)?$",
    re.IGNORECASE,
)


_TRADED = re.compile(
    rf"^(?:i|we)(?:'ve| have)?(?: just| finally)* (?:traded|swapped|exchanged|replaced|switched)"
    rf" {_THING}(?: in)? (?:for|with) (?P<new>(?:an? )?[\w' -]+)$",
    re.IGNORECASE,
)


def traded(said: str, facts: Sequence[Recalled]) -> tuple[Operation, ...]:
    """Return the operations of "I traded it in for a Kia": another thing in the old one's place."""
    match = _TRADED.match(said.strip(" .!"))
    gone = meant(facts, match["ref"], is_owned) if match else None
    return _instead(gone, match["new"]) if match and gone else ()


def broken(said: str, facts: Sequence[Recalled]) -> Recalled | None:
    """Return the fact of the thing that a clause says broke ("it broke"), or None."""
    match = _GOES.match(said.strip(" .!"))
    return meant(facts, match["ref"], is_owned) if match else None


def replaced(said: str, gone: Recalled) -> tuple[Operation, ...]:
    """Return the operations that put "a Pixel" of "I got a Pixel" in the place of what broke."""
    match = _GOT_INSTEAD.match(said.strip(" .!"))
    if match is None:
        return ()
    return _instead(gone, match["new"])


def _instead(gone: Recalled, new: str) -> tuple[Operation, ...]:
    bare = re.sub(r"^(?:an?|the) ", "", new)
    kept = gone.text.count(gone.object) == 1 and gone.relation != "has"
    old = re.compile(rf"\b(?:an? |the )?{re.escape(gone.object)}")
    text = old.sub(new, gone.text) if kept else f"{gone.subject} has {new}."
    return (over(gone), replace(told(gone), object=bare, text=text, change=True, qualifiers={}))


def _ended(ending: Ending, facts: Sequence[Recalled], ref: str) -> list[Recalled]:
    if not ending.all:
        one = meant(facts, ref, ending.fits)
        return [one] if one else []
    return [fact for fact in facts if ending.fits(fact) and goes_by(fact, ref)]


def _shared(facts: Sequence[Recalled], ref: str) -> list[Recalled]:
    """The one thing called so that anybody has: "we sold the Skoda", which Joost drives."""
    lead, _, thing = ref.lower().partition(" ")
    if lead not in {"the", "our"} or not thing:
        return []
    called = [f for f in facts if is_owned(f) and f" {f.object.lower()}".endswith(f" {thing}")]
    return called if len({(f.subject, f.object) for f in called}) == 1 else []


def _whose(who: str, scene: Scene) -> frozenset[str]:
    """The names of whom a clause is about; nobody where it does not say."""
    low = who.lower()
    if not who:
        return frozenset()
    if low in {"i", "we", "me", "us"} or low.endswith(" and i"):
        return frozenset({scene.speaker})
    if low in {"he", "she", "him", "her"}:
        return frozenset({scene.person(low) or "?"})
    if low.startswith("my "):
        return frozenset({scene.of(scene.speaker, low.removeprefix("my "))})
    return frozenset(who.split(" and ")) if low != "they" else frozenset()
