"""A reader and planner for adventures: given lines, a task and commands, it picks a command.

It is to the adventures what the embedded reader is to the other games: it knows how one moves,
takes, opens, unlocks, puts, cuts and cooks, and nothing of any house. All it knows of a house is
what the lines in front of it say, so that players differ by their lines alone. It does at once
what can be done here; else it walks the shortest known way to the nearest thing worth doing; else
it opens and reads what is here; else it goes where it has not been.

It reads a house by English, not by the game: a name with a capital after "the" is a room, one room
and a direction are a way out, two rooms and a direction are a way between them, a room without a
direction is where the other things of the sentence are, and a sentence without a room says what is
always so. Later sentences count more than earlier ones.
"""

from __future__ import annotations

import random
import re
from collections import deque
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import reduce
from itertools import takewhile

from mags_lab.games.adventures.telling import parsed
from mags_lab.games.adventures.worlds import OPPOSITE
from mags_lab.games.turns import Choice

ROOM = re.compile(r"\b[Tt]he ((?:[A-Z][a-z'-]+)(?: [A-Z][a-z'-]+)*)")
WAY = re.compile(r"\b(north|east|south|west)(?:ern|wards?)?\b")
SOURCE = re.compile(r"\b(?:from|of|leave|left|leaving|behind|out of) $", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.!?])\s+")
THING = re.compile(r"\b(?:the|an?|some|its?) (?=((?:[a-z0-9'-]+ ?)+))", re.IGNORECASE)
STOP = frozenset(
    re.findall(
        r"\w+",
        "a an and are at be been by for from goes had has have in into is it its on one onto or"
        " some than that the then there this to under was were what when where which who with you",
    )
)
TAKEN = re.compile(
    r"\b(?:took|taken|pick(?:ed)? up|picked|grabbed|fetched|lifted|pocketed|carried off|removed)\b"
)
"""That a thing is no longer where it was."""
STATE = re.compile(r"\b(open|opened|closed|locked|unlocked)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseSentence:
    """A sentence in small letters; `line`: the place of the line that it stands in.

    `gone`: it says that something was taken away from the room.
    """

    text: str
    line: int
    room: str = ""
    gone: bool = False


@dataclass(slots=True, kw_only=True)
class KnownHouse:
    """What one has read. `ways`: room to directions; `sides`: (room, direction) to
    the last sentence that speaks of that one way out; `links`: room to direction to (room, line);
    `sights`: sentences that say what is in a room, or was; `lore`: those without a room; oldest
    first. `moved`: from which room to which, by the last line that joins two.
    """

    ways: dict[str, set[str]] = field(default_factory=dict)
    sides: dict[tuple[str, str], str] = field(default_factory=dict)
    links: dict[str, dict[str, tuple[str, int]]] = field(default_factory=dict)
    sights: list[HouseSentence] = field(default_factory=list)
    lore: list[HouseSentence] = field(default_factory=list)
    moved: tuple[str, str] = ("", "")

    def last_seen(self, thing: str) -> HouseSentence | None:
        """The latest sentence that says in which room a thing is; None where it was taken since."""
        found = (sight for sight in reversed(self.sights) if mentions(sight.text, thing))
        sight = next(found, None)
        return None if sight is None or sight.gone else sight

    def locks(self, thing: str) -> str:
        """The last word on whether a thing is locked, closed or open; "" where there is none."""
        for sight in reversed(self.sights):
            state = STATE.search(sight.text)
            if state and mentions(sight.text, thing):
                return state[1]
        return ""


def read(lines: Sequence[str]) -> KnownHouse:
    """The picture that lines give, oldest first."""
    picture = KnownHouse()
    for place, line in enumerate(lines):
        for text in SENTENCE.split(line):
            _take_in(picture, text, place)
    return picture


def _take_in(picture: KnownHouse, text: str, line: int) -> None:
    found = list(ROOM.finditer(text))
    rooms = list(dict.fromkeys(match[1] for match in found))
    ways = list(dict.fromkeys(match[1] for match in WAY.finditer(text.lower())))
    if len(rooms) == 2 and len(ways) == 1:
        source = next((m[1] for m in found if SOURCE.search(text[: m.start()])), rooms[0])
        target = next(room for room in rooms if room != source)
        _join(picture, source, ways[0], target, line)
        picture.moved = source, target
    elif len(rooms) == 1 and ways:
        picture.ways.setdefault(rooms[0], set()).update(ways)
        if len(ways) == 1:
            picture.sides[rooms[0], ways[0]] = text.lower()
    elif len(rooms) == 1:
        # Without the room's own name: a thing may stand behind it that has no article.
        rest = ROOM.sub(",", text).lower()
        gone = TAKEN.search(rest) is not None
        picture.sights.append(HouseSentence(text=rest, line=line, room=rooms[0], gone=gone))
    elif not rooms:
        picture.lore.append(HouseSentence(text=text.lower(), line=line))


def _join(picture: KnownHouse, source: str, way: str, target: str, line: int) -> None:
    for room, direction, other in ((source, way, target), (target, OPPOSITE[way], source)):
        picture.links.setdefault(room, {})[direction] = (other, line)
        picture.ways.setdefault(room, set()).add(direction)


def mentions(text: str, thing: str) -> bool:
    """Whether a sentence has the words of a thing, in a row."""
    return bool(thing) and re.search(rf"(?<![\w-]){re.escape(thing)}(?![\w-])", text) is not None


def things(text: str) -> Iterator[str]:
    """What may be names of things: the words after an article, up to a word that ends a name.

    A verb that is not known to end it stays at the end: see `known`.
    """
    for match in THING.finditer(text):
        words = list(takewhile(lambda word: word not in STOP, match[1].split()))
        if words:
            yield " ".join(words).removesuffix(" of")


def known(name: str, names: Set[str]) -> str:
    """The longest beginning of a name that is one of the names; "" for none."""
    words = name.split()
    starts = (" ".join(words[:end]) for end in range(len(words), 0, -1))
    return next((start for start in starts if start in names), "")


RECIPE = re.compile(r"\b(recipe|cookbook|ingredients?)\b")
DONE = {
    "chopped": re.compile(r"\bchop"),
    "sliced": re.compile(r"\bslic"),
    "diced": re.compile(r"\bdic(e|ed|ing)\b"),
    "fried": re.compile(r"\bfr(y|ied|ying)\b"),
    "roasted": re.compile(r"\broast"),
    "grilled": re.compile(r"\bgrill"),
}
CUTS = {"chopped": "chop", "sliced": "slice", "diced": "dice"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal:
    """A place worth going to: the sentence that says what is there, the line that says why."""

    sight: HouseSentence
    why: tuple[int, ...] = ()

    @property
    def lines(self) -> tuple[int, ...]:
        """Everything that it rests on."""
        return *self.why, self.sight.line


@dataclass(frozen=True, slots=True, kw_only=True)
class ThingPlace:
    """A thing and where it is of use: what belongs on what, which key opens what."""

    thing: str
    place: str
    line: int


class Situation:
    """What the lines, the question and the commands say about now."""

    def __init__(self, lines: Sequence[str], question: str, actions: Sequence[str]) -> None:
        self.picture: KnownHouse = read(lines)
        self.actions = frozenset(actions)
        room = ROOM.search(question)
        self.here = room[1] if room else ""
        self.question = question.lower()
        self.task = question[: room.start()].lower() if room else self.question
        self.nouns = frozenset(word for name in things(self.task) for word in name.split()[:2])
        self.carried = frozenset(a.removeprefix("drop ") for a in actions if a.startswith("drop "))
        self.takes = {parsed(a)[1]: a for a in sorted(actions) if a.startswith("take ")}
        seen = [self.question.removeprefix(self.task), *(s.text for s in self.picture.sights)]
        self._names = frozenset(name for text in seen for name in things(text)) | frozenset(
            name.lower() for action in actions for name in parsed(action)[1:]
        )
        self.recipe, self.asked_in = self._recipe()
        self.pairs = tuple(self._pairs())

    def known(self, text: str) -> list[str]:
        """The things of a sentence that were seen, or are here, each once."""
        found = (known(name, self._names) for name in things(text))
        return list(dict.fromkeys(name for name in found if name))

    def asked_for(self, thing: str) -> str:
        """The beginning of a name that is a thing of the sort the task names; "" if it is none."""
        words = thing.split()
        for place, word in enumerate(words):
            if word in self.nouns:
                number = words[place + 1 : place + 2]
                end = place + 2 if number and number[0].isdigit() else place + 1
                return " ".join(words[:end])
        return ""

    def was_read(self, thing: str) -> bool:
        """Whether the lines say that one looked at it."""
        return any(mentions(one.text, thing) for one in self.picture.lore)

    def done(self, thing: str) -> frozenset[str]:
        """What was done to a thing that one carries: "fried", "diced"."""
        match = re.search(
            rf"\b(?:a|an|the) ((?:(?!an? |the )[a-z]+ )*){re.escape(thing)}", self.question
        )
        return frozenset(match[1].split() if match else ()) & DONE.keys()

    def left(self) -> dict[str, list[str]]:
        """By ingredient, what is left to do to it."""
        return {
            thing: [one for one in wanted if one not in self.done(thing)]
            for thing, wanted in self.recipe.items()
        }

    def tool(self, done: str) -> tuple[str, int] | None:
        """With what one fries, roasts, grills, and the line that says so."""
        for one in self.picture.lore:
            if DONE[done].search(one.text) and not RECIPE.search(one.text):
                found = self.known(one.text)
                if found:
                    return found[-1], one.line
        return None

    def _recipe(self) -> tuple[dict[str, list[str]], dict[str, tuple[int, ...]]]:
        recipe: dict[str, list[str]] = {}
        asked_in: dict[str, tuple[int, ...]] = {}
        for one in self.picture.lore:
            if not RECIPE.search(one.text):
                continue
            for name in things(one.text):
                if RECIPE.search(name):
                    continue
                thing = known(name, self._names) or name
                # Without the thing itself: a pork chop is not to be chopped.
                told = one.text.replace(thing, "")
                wanted = [done for done, form in DONE.items() if form.search(told)]
                recipe.setdefault(thing, []).extend(wanted)
                asked_in[thing] = (*asked_in.get(thing, ()), one.line)
        return recipe, asked_in

    def _pairs(self) -> Iterator[ThingPlace]:
        portable = self.carried | self.takes.keys()
        for one in self.picture.lore:
            if RECIPE.search(one.text):
                continue
            names = list(things(one.text))
            found = self.known(one.text)
            # What is cut with a knife does not belong to it; a frying pan may belong somewhere.
            told = reduce(lambda text, name: text.replace(name, ""), names, one.text)
            if any(form.search(told) for form in DONE.values()):
                continue
            if len(found) == 1 and not placed(one.text, found[0]):
                # The other may never have been seen; its name goes to the end of its words.
                found += [name for name in names if not known(name, self._names)][-1:]
            if len(found) < 2:
                continue
            thing, place = found[0], found[-1]
            if thing in self.recipe or place in self.recipe or portable >= {thing, place}:
                continue  # what became of an ingredient, or of two things at hand, is no errand
            moves = place in portable and thing not in portable
            if moves or (placed(one.text, thing) and thing not in portable):
                thing, place = place, thing
            yield ThingPlace(thing=thing, place=place, line=one.line)


def placed(text: str, thing: str) -> bool:
    """Whether a sentence puts something on or in a thing."""
    return (
        re.search(rf"\b(?:on|in|onto|into|upon|inside) (?:the|an?) {re.escape(thing)}", text)
        is not None
    )


class Planner:
    """A `Reader` of adventures."""

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        """The command to give now. Lines oldest first."""
        now = Situation(lines, question, actions)
        for action, cited in _at_once(now):
            if action in now.actions:
                return Choice(action=action, sure=1.0, cited=cited)
        rng = random.Random(f"{question} {len(lines)}")
        goals = [*_goals(now)]
        step = _opening(now, goals) or _towards(now, goals, rng)
        if step is not None:
            return step
        looking = _looking(now)
        if looking is not None:
            return Choice(action=looking, sure=0.5)
        return _exploring(now, actions, rng)


def _at_once(now: Situation) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What is right wherever it can be done, the best first."""
    for action in sorted(now.actions):
        if action.startswith(("unlock ", "eat meal")):
            yield action, ()
    for pair in now.pairs:
        if pair.thing in now.carried:
            yield f"put {pair.thing} on {pair.place}", (pair.line,)
    for thing, action in now.takes.items():
        reason = _wanted(now, thing, action)
        if reason is not None:
            yield action, reason
    yield from _kitchen_work(now)


def _wanted(now: Situation, thing: str, action: str) -> tuple[int, ...] | None:
    """The lines that say that a thing here is to be taken; None where it is not."""
    if thing in now.recipe:
        return now.asked_in[thing]
    if thing == "knife" and any(done in CUTS for left in now.left().values() for done in left):
        return ()
    for pair in now.pairs:
        if pair.thing == thing:
            return None if parsed(action)[2] == pair.place else (pair.line,)
    readable = f"examine {thing}" in now.actions
    return () if now.asked_for(thing) and not readable else None


def _kitchen_work(now: Situation) -> Iterator[tuple[str, tuple[int, ...]]]:
    left = now.left()
    for thing, wanted in left.items():
        for done in wanted:
            tool = None if done in CUTS else now.tool(done)
            if done in CUTS:
                yield f"{CUTS[done]} {thing} with knife", now.asked_in[thing]
            elif tool is not None:
                # Names of things are read in small letters, commands may have capitals.
                for action in now.actions:
                    if action.lower() == f"cook {thing} with {tool[0]}":
                        yield action, (*now.asked_in[thing], tool[1])
    if left and not any(left.values()) and left.keys() <= now.carried:
        yield "prepare meal", tuple(line for lines in now.asked_in.values() for line in lines)


def _goals(now: Situation) -> Iterator[Goal]:
    """What is worth doing elsewhere, and where it was last seen."""
    for pair in now.pairs:
        if pair.thing in now.carried:
            yield from _place(now, pair)
        elif pair.thing not in now.takes:
            seen = now.picture.last_seen(pair.thing)
            if seen is not None and not mentions(seen.text, pair.place):
                yield Goal(sight=seen, why=(pair.line,))
    for thing in _sought(now):
        seen = now.picture.last_seen(thing)
        if seen is not None and thing not in now.carried:
            yield Goal(sight=seen)


def _place(now: Situation, pair: ThingPlace) -> Iterator[Goal]:
    state = now.picture.locks(pair.place)
    seen = now.picture.last_seen(pair.place)
    if seen is not None and state in ("", "locked"):
        yield Goal(sight=seen, why=(pair.line,))


def _sought(now: Situation) -> Iterator[str]:
    """Things that one wants to get at: ingredients, tools, what the task names."""
    left = now.left()
    for thing, wanted in left.items():
        if thing not in now.carried:
            yield thing
            continue
        for done in wanted:
            tool = now.tool(done) if done not in CUTS else ("knife", 0)
            if tool is not None:
                yield tool[0]
    if left and not any(left.values()) and left.keys() <= now.carried:
        yield "meal"
    paired = {pair.thing for pair in now.pairs}
    for sight in now.picture.sights:
        for name in things(sight.text):
            thing = now.asked_for(name)
            # A meal is made, not found.
            new = thing not in {*paired, "meal"} and not now.was_read(thing)
            if thing and new and not now.picture.locks(thing):
                yield thing


def _opening(now: Situation, goals: list[Goal]) -> Choice | None:
    """Open what a goal lies in, if that is here."""
    for goal in goals:
        for action in sorted(now.actions):
            thing = action.removeprefix("open ").lower()
            if thing != action and goal.sight.room == now.here and mentions(goal.sight.text, thing):
                return Choice(action=action, sure=0.9, cited=goal.lines)
    return None


def _towards(now: Situation, goals: list[Goal], rng: random.Random) -> Choice | None:
    """A step to the nearest goal that can be reached by known ways; None where there is none."""
    by_room = {goal.sight.room: goal for goal in reversed(goals)}
    found = _route(now, frozenset(by_room) - {now.here})
    if found is None:
        return None
    room, way, lines = found
    cited = tuple(dict.fromkeys((*by_room[room].lines, *lines)))
    return _step(now, way, 0.9, cited, rng)


def _step(
    now: Situation, way: str, sure: float, cited: tuple[int, ...], rng: random.Random
) -> Choice | None:
    action = f"go {way}"
    if action not in now.actions:
        doors = sorted(a for a in now.actions if a.startswith("open "))
        if not doors:
            return None
        told = now.picture.sides.get((now.here, way), "")
        there = [a for a in doors if mentions(told, a.removeprefix("open "))]
        action = rng.choice(there or [a for a in doors if a.endswith("door")] or doors)
    return Choice(action=action, sure=sure, cited=cited)


def _route(now: Situation, goals: frozenset[str]) -> tuple[str, str, tuple[int, ...]] | None:
    """The nearest of the rooms by known ways: itself, the first direction, the lines on the way."""
    queue: deque[tuple[str, str, tuple[int, ...]]] = deque([(now.here, "", ())])
    seen = {now.here}
    while queue:
        room, first, lines = queue.popleft()
        if room in goals:
            return room, first, lines
        for way, (other, line) in sorted(now.picture.links.get(room, {}).items()):
            if other not in seen:
                seen.add(other)
                queue.append((other, first or way, (*lines, line)))
    return None


def _looking(now: Situation) -> str | None:
    """Something here to read or to open, that one has not read or opened."""
    for action in sorted(now.actions):
        if action.startswith("examine ") and not now.was_read(action.removeprefix("examine ")):
            return action
    return next((action for action in sorted(now.actions) if action.startswith("open ")), None)


def _exploring(now: Situation, actions: Sequence[str], rng: random.Random) -> Choice:
    """A step where one has not been, or towards such a place; else anywhere.

    Lines may tell of a room's ways out and not where they lead, so a room that one knows can seem
    new from the next one: one does not turn back at once where another way is open.
    """
    links = now.picture.links
    ways = sorted(a.removeprefix("go ") for a in actions if a.startswith("go "))
    back = _back(now)
    onward = [way for way in ways if way != back] or ways
    new = [way for way in ways if way not in links.get(now.here, {})]
    if new:
        return Choice(action=f"go {rng.choice(new)}", sure=0.5)
    open_ended = {
        room
        for room, known_ways in now.picture.ways.items()
        if known_ways - links.get(room, {}).keys() and room != now.here
    }
    found = _route(now, frozenset(open_ended))
    if found is not None and (found[1] != back or not set(onward) - {back}):
        step = _step(now, found[1], 0.5, found[2], rng)
        if step is not None:
            return step
    chosen = rng.choice([f"go {way}" for way in onward] or sorted(actions))
    return Choice(action=chosen, sure=0.0)


def _back(now: Situation) -> str:
    """The way by which one came; "" where the lines do not say it."""
    before, here = now.picture.moved
    if here != now.here:
        return ""
    ways = now.picture.links.get(here, {})
    return next((way for way, (room, _) in ways.items() if room == before), "")
