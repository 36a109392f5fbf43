"""Who takes what, where a gift has several parts and one of them decides: rules, gifts, changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mags_lab.training.reader.questions import TaleQuestion
from mags_lab.training.reader.telling import LATEST, Tale, TaleLine, fill
from mags_lab.training.reader.world import table

Parts = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Taste:
    """`h` takes gifts with `value` at `place`, unless they have `never`. `pool`: what the parts may
    be, by place; `text`: how a gift is named; `hand`: gifts to choose from, the right one first.
    """

    h: str
    place: int
    value: str
    never: str
    pool: Sequence[Sequence[str]]
    text: str
    hand: Sequence[Parts]

    def fits(self, gift: Parts) -> bool:
        """Whether the gift is taken."""
        return self.value in gift and self.never not in gift

    def named(self, gift: Parts) -> str:
        """The gift in words."""
        return self.text.format(*gift)


def tastes(tale: Tale) -> TaleQuestion:
    """Which gift somebody takes: the rule is told, told anew, or seen from gifts."""
    rng = tale.rng
    taste = _taste(tale)
    ways: Sequence[Callable[[Tale, _Taste], Sequence[Parts]]] = (_ruled, _renewed, _seen, _tried)
    right = rng.choices(ways, (0.45, 0.15, 0.25, 0.15))[0](tale, taste)
    _around(tale, taste)
    question = _put(tale, "ask", taste)
    pattern = _phrase(tale, "do")
    values = [fill(pattern, {"card": taste.named(gift)}) for gift in taste.hand]
    chosen = frozenset(fill(pattern, {"card": taste.named(gift)}) for gift in right)
    asked = question[0].upper() + question[1:]
    return TaleQuestion(question=asked, values=values, right=chosen, hops=1)


def _taste(tale: Tale) -> _Taste:
    rng = tale.rng
    kinds, text = rng.choice(table("feedback")["gifts"]["parts"]).split(": ", 1)
    pool = [[one.name for one in tale.things((kind,), 5)] for kind in kinds.split()]
    place = rng.randrange(len(pool))
    value = rng.choice(pool[place])
    away = rng.choice([p for p in range(len(pool)) if p != place])
    never = rng.choice(pool[away]) if rng.random() < 0.3 else ""
    bare = _Taste(
        h=tale.thing("person").name,
        place=place,
        value=value,
        never=never,
        pool=pool,
        text=text,
        hand=(),
    )
    right = _gift(tale, bare, fits=True)
    hand = [right]
    if never:
        trap = list(_gift(tale, bare, fits=True))
        trap[away] = never
        hand.append(tuple(trap))
    for _ in range(rng.choice((1, 2, 3, 3, 4))):
        gift = _gift(tale, bare, fits=False)
        if gift not in hand:
            hand.append(gift)
    return _Taste(h=bare.h, place=place, value=value, never=never, pool=pool, text=text, hand=hand)


def _gift(tale: Tale, taste: _Taste, *, fits: bool) -> Parts:
    """Any gift that is taken, or any without what decides."""
    rng = tale.rng
    gift = [
        rng.choice([v for v in some if v not in (taste.never, taste.value)]) for some in taste.pool
    ]
    if fits:
        gift[taste.place] = taste.value
    return tuple(gift)


def _ruled(tale: Tale, taste: _Taste) -> Sequence[Parts]:
    """The rule is told, and what goes before it."""
    tale.tell(_put(tale, "takes", taste, v=taste.value), needed=True)
    if taste.never:
        tale.tell(_put(tale, "never", taste, v=taste.never), needed=True)
    for _ in range(tale.rng.randint(0, 2)):
        _given(tale, taste, fits=tale.rng.random() < 0.5, needed=False)
    return taste.hand[:1]


def _renewed(tale: Tale, taste: _Taste) -> Sequence[Parts]:
    """Another rule was told before."""
    rng = tale.rng
    turn = 0.25 + 0.4 * rng.random()
    wrong = taste.hand[-1]
    old = _put(tale, "takes", taste, v=rng.choice(wrong))
    tale.others.append((TaleLine(text=old, when=turn * rng.random()),))
    if rng.random() < 0.6:
        changed = _put(tale, "renewed", taste)
        tale.others.append((TaleLine(text=changed, when=turn),))
    later = turn + 0.01 + (LATEST - turn - 0.01) * rng.random()
    tale.needed.append(TaleLine(text=_put(tale, "takes", taste, v=taste.value), when=later))
    if taste.never:
        tale.needed.append(TaleLine(text=_put(tale, "never", taste, v=taste.never), when=later))
    return taste.hand[:1]


def _seen(tale: Tale, taste: _Taste) -> Sequence[Parts]:
    """No rule is told, but gifts that were taken have in common what only one of the hand has."""
    rng = tale.rng
    for _ in range(rng.choice((1, 2, 2, 3))):
        gift = list(_gift(tale, taste, fits=True))
        for place in range(len(gift)):
            elsewhere = {other[place] for other in taste.hand[1:]}
            if place != taste.place and gift[place] in elsewhere:
                free = [v for v in taste.pool[place] if v not in elsewhere and v != taste.never]
                gift[place] = rng.choice(free) if free else taste.hand[0][place]
        text = _put(tale, rng.choice(("accepted", "shown")), taste, gift=tuple(gift))
        tale.tell(text, needed=True)
    if taste.never:
        tale.tell(_put(tale, "never", taste, v=taste.never), needed=True)
    if rng.random() < 0.5:
        _given(tale, taste, fits=False, needed=False)
    return taste.hand[:1]


def _tried(tale: Tale, taste: _Taste) -> Sequence[Parts]:
    """Some of these very gifts were refused, or one was taken."""
    rng = tale.rng
    if rng.random() < 0.5:
        text = _put(tale, rng.choice(("accepted", "shown")), taste, gift=taste.hand[0])
        tale.tell(text, needed=True)
        return taste.hand[:1]
    out = rng.sample(list(taste.hand[1:]), rng.randint(1, len(taste.hand) - 1))
    for gift in out:
        tale.tell(_put(tale, "refused", taste, gift=gift), needed=True)
    return [gift for gift in taste.hand if gift not in out]


def _given(tale: Tale, taste: _Taste, *, fits: bool, needed: bool) -> None:
    gift = _gift(tale, taste, fits=fits)
    which = tale.rng.choice(("accepted", "shown")) if fits else "refused"
    if gift not in taste.hand:
        tale.tell(_put(tale, which, taste, gift=gift), needed=needed)


def _around(tale: Tale, taste: _Taste) -> None:
    """What others take, of what stands in the hand."""
    rng = tale.rng
    for _ in range(rng.randint(1, 4)):
        h = tale.thing("person").name
        gift = rng.choice(list(taste.hand))
        which = rng.choice(("takes", "takes", "never", "accepted", "refused", "shown", "renewed"))
        text = _put(tale, which, taste, gift=gift, v=rng.choice(gift), h=h)
        tale.tell(text, needed=False)
    rng.shuffle(tale.others)


def _put(
    tale: Tale, which: str, taste: _Taste, *, gift: Parts = (), v: str = "", h: str = ""
) -> str:
    other = tale.thing("person").name
    card = f"the {taste.named(gift)}" if gift else ""
    values = {"h": h or taste.h, "card": card, "v": v, "other": other}
    return fill(_phrase(tale, which), values)


def _phrase(tale: Tale, which: str) -> str:
    return tale.one(table("feedback")["gifts"][which])
