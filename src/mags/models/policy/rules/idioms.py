"""Idioms of work, love, family, health and homes, each with the plain words for it.

A pattern stands for what a dictionary lists: "tie the knot" is to marry, "made redundant" laid off.
What stands around it in the sentence is kept.
"""

from __future__ import annotations

import re

from mags.models.policy.rules.lexicon import KIN, PETS

NAME = r"[A-Z][\w'-]*(?: [A-Z][\w'-]*)*"
"""A name of one word or more, as a pattern."""
_SOMEBODY = r"(?:an?|this|some) (?:[a-z]+ )?(?:guy|man|girl|woman|lad|bloke|person|someone)"
_PET = "|".join(sorted(PETS, key=len, reverse=True))
KINS = "|".join(sorted((re.escape(word) for word in KIN), key=len, reverse=True))
"""Words for relatives, as the alternatives of a pattern."""
_POST = r"(?:an? |the )?(?:new )?(?:job|post|role|position)"

_TAUGHT = r"[^.,;!?]*\b(?:School|University|College|Academy|Uni|Institute|Conservatory|Nursery)\b"
"""A place where whoever starts may be there to learn."""

Idiom = tuple[re.Pattern[str], str]


def _idioms(*pairs: tuple[str, str]) -> tuple[Idiom, ...]:
    return tuple((re.compile(pattern), plain) for pattern, plain in pairs)


_WORK = _idioms(
    (rf"\b(?:taken|took|accepted|landed|got) {_POST} (?:with|at) ", "got a job at "),
    (
        r"\b(start(?:ed|s)?)(?P<work> work(?:ing)?)? (?:at|with) (?=[A-Z])"
        rf"(?(work)|(?!{_TAUGHT}))",
        r"\1 a job at ",
    ),
    (
        r"\b(work(?:s|ed|ing)?) as (an? [a-z][a-z -]*?) (?:at|for|with) "
        rf"((?:the |an? )?{NAME}|(?:the|an?) [a-z-]+(?: [a-z-]+)?)(?=$|[.,!;]| and | since )",
        r"\1 at \3 as \2",
    ),
    (
        r"\b(was|were|been|got|is|are|am|'m) (?:made redundant|let go|given the sack)\b",
        r"\1 laid off",
    ),
    (r"\b([Ii]|[Ww]e)(?:'ve| have)?(?: just| finally)? retired(?! to| from)\b", r"\1 am retired"),
    (
        r"(\b[Mm]y [a-z-]+(?: [A-Z]\w+)?|\b[Hh]e|\b[Ss]he|\b[A-Z]\w+)(?:'s| has)?"
        r"(?: just| finally)? retired(?=$|[.,!;]| last| this| in | at \d)",
        r"\1 is retired",
    ),
    (
        r"\b(am|'m|is|'s|are|'re)(?: currently)? "
        r"(?:between jobs|out of work|out of a job|jobless)\b",
        r"\1 unemployed",
    ),
    (
        r"(?:'m|\bam|\bwas) doing (?:a|my|an) (?:PhD|doctorate|master'?s?|degree|MBA|BA|BSc|MSc)"
        r"(?: degree)? in ",
        " study ",
    ),
    (
        r"\b[Ii] (?:get|earn|make|take home|bring home) (?:about |around |roughly |only )?"
        r"((?:[$\u20ac\u00a3]\d[\d.,]*k?|\d[\d.,]*k?(?= (?:euros?|dollars?|pounds?|quid|francs)\b)"
        r"|\d+k|\d[\d.,]*\d\d)(?: (?:euros?|dollars?|pounds?|quid|francs))? (?:a|per) "
        r"(?:month|year|week|hour))"
        r"(?: (?:after|before) tax(?:es)?| net| gross| now)*(?=[.!]*$)",
        r"my salary is \1",
    ),
    (r"\b[Ii] do ([a-z][a-z ]*?) for a living", r"my job is \1"),
)
_TAKING_OVER = _idioms(
    (
        rf"\b({NAME}) (?:takes|took|is taking|has taken) over as (?:(?:my|our|the) )?(?:new )?"
        rf"({KINS}|[a-z]+ lead)\b",
        r"my new \2 is \1",
    ),
    (
        r"\b((?:so|and|but),? )I (?:guess|think|suppose) (?=I'm |I am |we're |we are )",
        r"\1",
    ),
)
_LOVE = _idioms(
    (rf"\b(?:seeing|dating) {_SOMEBODY} (?:called|named) (?=[A-Z])", "dating "),
    (rf"\b({NAME}) and I (?:are|got|are getting|have got) back together", r"I am dating \1"),
    (r"\b(?:am|'m|got|are|'re) back together with (?=[A-Z])", " am dating "),
    (r"\b(?:tied the knot|got hitched)\b", "got married"),
    (r"\b(?:popped the question to|proposed to) (?=[A-Z])", "got engaged to "),
)
_FAMILY = _idioms(
    (
        r"\bhad an? (?:baby |little )?boy,? (?:and )?(?:they |we |she |he )?(?:'ve |have )?"
        rf"(?:named|called)(?: him| it)? ({NAME})",
        r"had a son named \1",
    ),
    (
        r"\bhad an? (?:baby |little )?girl,? (?:and )?(?:they |we |she |he )?(?:'ve |have )?"
        rf"(?:named|called)(?: her| it)? ({NAME})",
        r"had a daughter named \1",
    ),
    (
        rf"\b([Mm]y|[Oo]ur) (?:youngest|oldest|eldest|middle one|firstborn),? ({NAME}),?(?= )",
        r"\1 child \2",
    ),
    (rf"\b(called|named) ({NAME}),? who(?='s|\s)", r"\1 \2; \2"),
    (
        rf"(?:\b(?:[Ww]e|I)(?:'ve| have)? )?(?:\bhad to )?\b(?:put|putting) "
        rf"([Mm]y|[Oo]ur|the) ({_PET})((?: [A-Z]\w+)?) (?:down|to sleep)",
        r"my \2\3 died",
    ),
    (
        rf"\b(?:[Ww]e|I)(?:'ve| have)? lost (my|our) ({_PET})((?: [A-Z]\w+)?)"
        r"(?= (?:last|to|yesterday|in|this)\b|[.!]*$)",
        r"my \2\3 died",
    ),
    (rf"\b(?:gave|given) (my|our) ({_PET})((?: [A-Z]\w+)?) away\b", r"no longer have \1 \2\3"),
)
_KNOWN = _idioms(
    (r"\b(has|have|had|got) (twin|two|three|four) girls(?=,|:| called| named)", r"\1 \2 daughters"),
    (r"\b(has|have|had|got) (twin|two|three|four) boys(?=,|:| called| named)", r"\1 \2 sons"),
    (r"\b([Mm]y|[Oo]ur) ([a-z]+s)['\u2019] names are ", r"\1 \2 are "),
    (
        rf"^(?:[Tt]hat's|[Tt]his is|[Hh]ere's|[Mm]eet) (my|our) ({KINS}|{_PET}),? ([A-Z]\w+)\b",
        r"\3 is \1 \2",
    ),
    (rf"\b[Tt]he ({_PET})(?='s name is| is called)", r"our \1"),
    (
        rf"^[Ii]t's (my|our) ({KINS})'s birthday (?=on |today|tomorrow)",
        r"my \2's birthday is ",
    ),
    (
        r"\blive with (two|three|four|my|our) (flatmates|roommates|housemates|cats|dogs)[,:]? ",
        r"have \1 \2, ",
    ),
)
_OVER = _idioms(
    (
        rf"\b({NAME}|[Hh]e|[Ss]he|[Mm]y (?:{KINS}))(?:'s| has)?(?: just)? (?:gave|given|handed|put)"
        r"(?: in)? (?:his |her |their )?(?:notice|resignation)"
        r"(?=[.,;!]|$| (?:at|on|last|today|yesterday|this|and|in)\b)",
        r"\1 resigned",
    ),
    (
        rf"(?:\b(?:[Ww]e|I)(?:'ve| have)? )?(?:\bhad to )?\bput ({NAME}) (?:down|to sleep)",
        r"\1 died",
    ),
    (r"(?:'ve|\bhave|'s|\bhas) gone off (?=[a-z])", " no longer like "),
    (r"\b(gave|given|give|giving) up on ", r"\1 up "),
    (
        rf"\b(?:switched|changed) ({KINS})s?,? (?:and )?(?:I'm|I am)(?: now)? with "
        rf"((?:Dr\.? |Mrs?\.? |Ms\.? )?{NAME})(?: now)?",
        r"moved on; my new \1 is \2",
    ),
    (rf"\b(?P<who>{NAME}) moved out(?=$|[.,!;]| and)", r"\1 is no longer my flatmate"),
)
_HEALTH = _idioms(
    (r"\b(lactose|gluten|dairy|histamine) (intolerant|free)\b", r"\1-\2"),
    (
        r"\b(am|'m|is|'s|are) on (?=(?:antibiotics|painkillers|insulin|statins|antidepressants"
        r"|steroids|blood thinners|medication|\d+ ?mg)\b)",
        r"\1 taking ",
    ),
)
_HOMES = _idioms(
    (
        rf"^((?:[Ww]e|I)(?:'re|'m| are| am)) (?:now )?in ({NAME}), an? (?:[a-z]+ ){{0,2}}"
        r"(?=(?:flat|house|apartment|studio|cottage|bungalow)\b)",
        r"I live in \2; it's a ",
    ),
    (
        r"\bmoved(?: house| home| again| out)?,? (?:and |so )?(?:now )?(?:we're|I'm|we are|I am)"
        r"(?: now)?(?: living| based)? in (?=[A-Z])",
        "moved to ",
    ),
    (r"\b(liv(?:e|es|ed|ing)) in an? (?:[\w-]+ ){1,3}in (?=[A-Z])", r"\1 in "),
    (r"\b([Mm]oved|[Rr]elocated)(?: here| over| out| across)? from (?=[A-Z])", "moved from "),
    (r"\b([Rr]elocat(?:ed|ing|e)) to (?=[A-Z])", "moved to "),
)
_DAYS = _idioms(
    (
        r"(?:\b[Ss]ee|(?:\bam|'m) seeing) (?:the|my|a) (dentist|doctor|GP|vet|optician|therapist"
        r"|physio|midwife|specialist|surgeon|gynaecologist|dermatologist|psychologist)"
        r"(?= (?:on|next|tomorrow|this|at)\b)",
        r" have an appointment with the \1",
    ),
    (
        r"(\bam|'m|\bare|'re) planning (?:an?|our|my|the) (?:\w+ )?(?:trip|holiday|visit) to ",
        r"\1 going to travel to ",
    ),
    (r"(?<=\w),? from (?:now|here|today) on(?=[.!]*$)", " now"),
    (r"\b(is|are|'s|was)(?: now)? (?:scheduled|booked|planned|set|fixed) (?:for|on) ", r"\1 on "),
)
IDIOMS: tuple[Idiom, ...] = (
    *(*_WORK, *_TAKING_OVER, *_LOVE, *_FAMILY, *_KNOWN),
    *(*_OVER, *_HEALTH, *_HOMES, *_DAYS),
)
"""Every idiom, in the order they are put plainly."""
