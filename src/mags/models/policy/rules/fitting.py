"""Whether what was read can be what it says: a place is no weekday, an age no weight."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from mags.models.policy.rules.lexicon import EVALUATIVE, FEELINGS, FIRST, KIN, PETS
from mags.models.policy.rules.when import CALENDAR, COUNTED, is_when
from mags.ports.english import BASE, PARTICIPLE, PAST, THIRD_PERSON, called, forms, word_set
from mags.ports.policy import ASSISTANTS, Operation, Turn
from mags.ports.relations import canonical

OLDEST = 120
"""Years that a person can have."""
_MOST_FILLING = 10
"""Words of what fills a slot, at most."""
_NEAR = 2
"""Turns back to where somebody was named."""
_PERSON = re.compile(
    r"(?:is (?:married|engaged) to|is dating|is marrying|is friends with"
    r"|is (?:parent|child|sibling) of)$"
)
_HOME = re.compile(r"(?:live[sd] in|was born in|is from|died in|is a citizen of)$")
_HOMES = word_set(
    """house flat apartment cottage village town city farm boat caravan countryside suburbs street
    dorm basement bungalow studio country mountains island coast outskirts neighbourhood
    neighborhood suburb district valley home centre center mansion cabin van tower castle
    north south east west"""
)
_JUDGED = EVALUATIVE | FEELINGS
_NEVER = dict.fromkeys(
    ("works at", "worked at", "works for"),
    _JUDGED | word_set("job work company office place industry field business moment lot time"),
) | dict.fromkeys(("works as", "worked as", "suffers from", "has", "is allergic to"), _JUDGED)
_NEVER |= dict.fromkeys(
    ("lives in", "lived in"), word_set("hotel hostel motel inn airbnb resort airport hospital ward")
)
"""Words that what fills a slot never ends in."""
_UNNAMED = frozenset({"is", "has", "likes", "plans"})
"""Relations that tell nothing by themselves: a number or a day alone is none of theirs."""
_YEARS = rf"(?:\d{{1,3}}|{'|'.join(COUNTED)})"
_WHOSE = rf"(?:[Ii]|he|she|who|[A-Z]\w+|{'|'.join(KIN | PETS)})"
_AGE = re.compile(
    r"\b(?:old|aged?|years?|yrs?|birthday|bday|turn(?:s|ed|ing)?|toddler|teen\w*)\b"
    rf"|\b{_WHOSE}(?:'s|'m| is| am| was)(?: (?:only|just|now|already|nearly|almost))? {_YEARS}"
    r"(?![:%\w]|\.\d| ?(?:kilos?|kg|pounds|lbs|cm|am|pm|minutes|hours|days|weeks))"
    rf"|, {_YEARS}(?=[,.]|$)|\({_YEARS}\)",
)
_DEAD = re.compile(r"(?:is |was |has )?(?:so |half )?(?:dead|died|dies|dying)\b", re.IGNORECASE)
_BORN = re.compile(r"\b(?:birthday|bday|b-day|born|birth|into (?:the|this) world)\b", re.IGNORECASE)
_FAMILY = word_set(
    "sister brother mother father aunt uncle cousin niece nephew grandmother grandfather"
)
_CHILD = word_set("child children kid kids baby boy girl toddler twins son daughter sons daughters")
_SAID: Mapping[str, frozenset[str]] = {
    role: frozenset(word + end for word in called(role) for end in ("", "s")) for role in _FAMILY
} | dict.fromkeys(("child", "son", "daughter"), _CHILD)
"""Of relatives the words by one of which they are told: who is 34 is nobody's child by that."""
_PET = re.compile(
    rf"\b(?:(?:{'|'.join(sorted(PETS))}|animal|pup|kitty|hound|spaniel|terrier|labrador|retriever"
    r"|poodle|shepherd|collie|corgi|husky|beagle|dachshund|bulldog|pug|whippet|greyhound|siamese"
    r"|tabby|budgie|canary|canaries|finch|parakeet|cockatoo|gecko|dragon|axolotl|gerbil|rat"
    r"|chick(?:en)?|hen|goat|sheep|donkey|llama|alpaca|lizard|frog|litter"
    r"|breed\w*|rescue\w*|adopt\w*|shelter|vet|paw|bark\w*|leash|walkies|mice|mouse|ponies"
    r"|puppies|bunnies)(?:s|es)?|meow\w*|purr\w*)\b",
    re.IGNORECASE,
)
_COUPLE = re.compile(
    r"\b(?:dat(?:e|es|ed|ing)|(?:g|b|girl|boy) ?friends?|[gb]f|partner|couple"
    r"|relationship|crush|kiss\w*"
    r"|lovers?|together|break|broke|split|engaged|marr(?:y|ied|iage)|wedding|anniversary|fianc\w+"
    r"|husband|wife|ex|girl|guy|official|moved? in|love|flirt\w*|romantic\w*|(?:been|started|start"
    r"|begun) seeing|(?:seeing|met) some(?:one|body)|seeing each other"
    r"|(?:i am|i'm|im) with|(?:months?|years?|weeks?) with)\b",
    re.IGNORECASE,
)
_ALLERGY = re.compile(
    r"\b(?:allerg\w*|intoleran\w*|hives|rash\w*|epi-?pen|swell\w*|swollen|anaphyla\w*|sneez\w*"
    r"|hay ?fever|react\w*|c(?:o)?eliac|itch\w*|sick|makes? me|can(?:no|'?)t (?:eat|have|touch))\b",
    re.IGNORECASE,
)
ALLERGIC = re.compile(r"\b(?:allergic|intolerant|c(?:o)?eliac)\b", re.IGNORECASE)
"""What somebody is, and not what they are allergic to."""
_FEAR = re.compile(
    r"\b(?:afraid|scared?|scary|fright\w*|terrif\w*|fear\w*|\w*phobi\w*|panic\w*|dread\w*|petrif\w*"
    r"|anxious|nervous|creep\w*)\b",
    re.IGNORECASE,
)
_SALE = re.compile(r"\b(?:sold|sell\w*|sale|auction\w*|flogged|buyers?|got rid)\b", re.IGNORECASE)
_TOLD_BY: Mapping[str, re.Pattern[str]] = (
    dict.fromkeys(("has as pet", "has as pets", "has as animals"), _PET)
    | dict.fromkeys(
        ("is dating", "has as girlfriend", "has as boyfriend", "has as partner"), _COUPLE
    )
    | {
        "is allergic to": _ALLERGY,
        "is afraid of": _FEAR,
        "sold": _SALE,
        "sold for": _SALE,
        "was sold for": _SALE,
    }
)
"""Of relations that say much the words by one of which they are told, in the turn or just before
it: who went climbing with Ana is not dating her."""
_NAMES = frozenset({"is called", "is named", "wants to be called"})
_NAMED = re.compile(
    r"\b(?:call(?:s|ed|ing)?|names?|named|nick\w*|known as|i'?m|i am|this is|it'?s)\b",
    re.IGNORECASE,
)
_TOLD_IN_TURN: Mapping[str, re.Pattern[str]] = {
    "age": _AGE,
    "birthday": _BORN,
    "was born on": _BORN,
    "starts at": re.compile(r"\b(?:start|beg[aiu]n|kick|open|from)", re.IGNORECASE),
    **dict.fromkeys(_NAMES, _NAMED),
}
"""Of relations the words by one of which they are told, in the turn itself."""
_ELSEWHERE = re.compile(
    r"\bmy (?:\w+ )?(?!flat|house|home|place|apartment|room|studio|bed|life)\w+ in |\bback from "
    r"|\b(?:while|when(?:ever)?|if|once|until) (?:i|we)(?:['\u2019](?:m|re)| am| are)"
    r" (?:\w+ )?(?:in|at) ",
    re.IGNORECASE,
)
"""What tells where somebody or something of the speaker's is, their home apart, or where they were
and are no more."""
_OTHERS_NAME = re.compile(
    r"\b(?:his|her|its|their)(?: \w+)? name"
    r"|\b(?:he|she|it|they)(?:'s|'re| is| are) (?:call|nam)ed\b",
    re.IGNORECASE,
)
_OWN_NAME = re.compile(r"\b(?:my|our)(?: \w+)? name|\bcall me\b|\bi'?m\b|\bi (?:am|go)\b", re.I)
_UNREAL = re.compile(
    r"(?:(?:\bnot|n't) (?:(?:so|too|really|quite|that|very|all) )*(?:sure|certain|convinced)"
    r"|\b(?:was|were) (?:going|about|supposed|meant|planning|hoping) to"
    r"|\b(?:[cw]ould|should|might|must)(?:n't)? (?:not )?(?:have|'ve)"
    r"|\b(?:let'?s say|suppos(?:e|ing)|imagin(?:e|ing)|pretend(?:ed|ing)?)"
    r"|\b(?:hardly|barely|scarcely|rarely|seldom)|\b(?:almost|nearly) (?P<done>\w+))\b[^.!?;,]*$"
    r"|\b(?:except(?: for)?|(?:any|every)thing but|instead of|rather than|other than|apart from"
    r"|far from|last (?:day|shift) (?:at|in|with)) (?:an? |the |my |in |at )?$",
    re.IGNORECASE,
)
"""What makes what follows in its clause, or right behind it, nothing that is so: what was nearly
done was not."""
_HAS_OR_GETS = re.compile(
    r"(?:(?P<has>\bha(?:s|ve|d)|['\u2019](?:ve|s|d))(?: (?:just|now|already|also|since))?"
    r"|\b(?:get|gets|getting)(?: (?:so|very|really|too|a bit))?) $",
    re.IGNORECASE,
)
_POINTS = re.compile(rf"\b(?:{'|'.join(FIRST | THIRD_PERSON)})\b", re.IGNORECASE)


def fits(relation: str, object: str, *, small: bool = False) -> bool:
    """Say whether an object can fill a slot: a person has 0 to 120 years, a home is a place.

    One rule a type of slot; a relation of no such type takes anything that is short. `small`: it
    was said all in small letters, in which names are written so, too.
    """
    words = object.replace("-", " ").split()
    last, named = (words[-1].lower() if words else ""), small or object[:1].isupper()
    noun = relation.removeprefix("has as ")
    if relation == "age":
        return object.lower() in COUNTED or (object.isdigit() and int(object) <= OLDEST)
    if (noun.split()[-1:] and noun.split()[-1] in KIN | PETS) or _PERSON.search(relation):
        other = noun != relation and last in KIN and last != noun  # a sister is no cousin
        return not other and (named or any(word.lower() in KIN for word in words))
    if relation in _NAMES and any(c.isdigit() for c in object):
        return False
    if _HOME.search(relation):
        homes = relation != "was born in" and not _HOMES.isdisjoint(words)
        stays = last in _NEVER.get(relation, ())
        return (named or homes) and not stays and not CALENDAR.search(object)
    counts = object.lower() in COUNTED
    telling = relation not in _UNNAMED or (
        not counts and re.search(r"[^\W\d_]", CALENDAR.sub("", object))
    )
    trade = relation in {"works as", "worked as"} and any(c.isdigit() for c in object)
    does = any(form == BASE for word in words[:1] for _, form in forms(word.lower()))
    idle = relation in {"plans to", "wants to", "needs to"} and not does  # a time, a place
    dated = is_when(object) and (CALENDAR.search(object) or relation == "visited")
    idle = idle or bool(dated and relation.endswith((" to", "visited")))
    empty = trade or idle or not telling or last in {"nothing", *_NEVER.get(relation, ())}
    return not empty and len(words) <= _MOST_FILLING


def is_supported(told: Operation, turn: Turn, recent: Sequence[Turn] = ()) -> bool:
    """Say whether an operation fits its slot by what is said around it, and of somebody named.

    `recent`: the turns before, the newest last; "89." may answer what was asked of somebody there.
    """
    named = told.object.strip(" .!")
    talk = " ".join((turn.text, *(earlier.text for earlier in recent[-_NEAR:])))
    text = talk if turn.text.strip(" .!") == named else turn.text
    priced = (told.relation, told.subject) == ("costs", turn.speaker)  # nobody has a price
    if priced or is_figure(told, turn.speaker) or _is_unreal(named, turn.text):
        return False
    if _is_state(told.relation, named, turn.text) or not fits(
        told.relation, named, small=turn.text == turn.text.lower()
    ):
        return False
    known = canonical(told.relation)
    if known is not None and known.answers == "place" and CALENDAR.search(named):
        return False
    if known is not None and known.past and _is_over(told.relation, known.past, named, turn.text):
        return False
    if not _is_worded(told.relation, text, talk):
        return False
    own = told.relation in _NAMES and told.subject == turn.speaker
    if own and _OTHERS_NAME.search(turn.text) and not _OWN_NAME.search(turn.text):
        return False  # "His name is Bruno." is nobody's own
    if told.relation == "lives in" and told.subject == turn.speaker:
        where = _ELSEWHERE.search(turn.text)
        if where and turn.text[where.end() :].casefold().startswith(named.casefold()):
            return False  # "My dentist in Hull" is where the dentist is
    role = told.relation.removeprefix("has as ")
    if role in _SAID and not _is_relative(role, named, turn.text, talk):
        return False
    return told.subject == turn.speaker or _is_spoken_of(told, talk)


def is_figure(told: Operation, speaker: str) -> bool:
    """Say whether somebody tells of their own death, or is "dead tired": no such thing is so."""
    return told.subject == speaker and bool(_DEAD.match(f"{told.relation} {told.object}"))


def _is_unreal(named: str, text: str) -> bool:
    """Say whether what is named is told as what is not sure, was nearly so, or is made up."""
    text = text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    before = text[: max(0, text.casefold().find(named.casefold()))]
    found = _UNREAL.search(before)
    done = (found["done"] or "") if found is not None else ""
    return found is not None and (not done or PAST in {form for _, form in forms(done)})


def _is_state(relation: str, named: str, text: str) -> bool:
    """Say whether a word behind "has" or "gets" is no thing: "has retired", "get dizzy"."""
    known = canonical(relation)
    if known is None or known.name != "has" or " " in named:
        return False
    said = _HAS_OR_GETS.search(text[: max(0, text.casefold().find(named.casefold()))])
    if said is None:
        return False
    done = PARTICIPLE in {form for _, form in forms(named.lower())}
    return done if said["has"] else named.islower() and not named.endswith("s")


def _is_over(relation: str, past: str, named: str, text: str) -> bool:
    """Say whether what holds by its relation is told as what did: "Before Oslo I lived in ..."."""
    verb = past.partition(" ")[0]
    said = re.search(
        rf"(?P<has>(?:\bha(?:ve|s|d)|['\N{{RIGHT SINGLE QUOTATION MARK}}](?:ve|s|d))\s+(?:\w+ )?)?"
        rf"\b{re.escape(verb)}\b(?: \w+)? ?(?:an? |the |my )?{re.escape(named)}",
        text,
        re.IGNORECASE,
    )
    return relation != past and said is not None and said["has"] is None


def _is_worded(relation: str, text: str, talk: str) -> bool:
    """Say whether a word says what a relation does, of an age or a name in the turn itself."""
    own = _TOLD_IN_TURN.get("birthday" if "birthday" in relation else relation)
    near = _TOLD_BY.get(relation)
    return (own is None or bool(own.search(text))) and (near is None or bool(near.search(talk)))


def is_feedback(told: Operation, recent: Sequence[Turn]) -> bool:
    """Say whether liking something is an answer to what an assistant proposed, and no taste.

    So is what is liked as something known: "I like the idea", said after its turn.
    """
    judged = f" {told.relation} the " in told.text and told.relation in {"likes", "dislikes"}
    return judged and bool(recent) and recent[-1].speaker.casefold() in ASSISTANTS


def _is_relative(role: str, name: str, text: str, talk: str) -> bool:
    """Say whether talk tells of a relative, and does not only call somebody so.

    "Brother Feng, ..." is spoken to, and may be anybody's.
    """
    calls = (
        rf"(?:^|[.!?:\n]\s*|\b(?:hey|hi|dear|hello|thanks)\s+){role}\s+{re.escape(name)}\s*[,!:]"
    )
    told = not _SAID[role].isdisjoint(re.findall(r"[^\W\d_]+", talk.lower()))
    return told and re.search(calls, text, re.IGNORECASE) is None


def _is_spoken_of(told: Operation, text: str) -> bool:
    """Say whether talk names who is told of, or points at anybody at all; a note is of nobody."""
    named = any(word in text.lower() for word in told.subject.lower().split() or [""])
    return not told.subject_is_name or named or bool(_POINTS.search(text))
