"""Whether what was recited is what a question means, so that recall need not check it.

Two readings that know nothing of each other have to agree: the path that a model recites, and the
hops that the policy reads in the question. And no word of the question may be left over: each is a
name of the one whom the path begins with, a word of its relations, or says nothing of its own. So
"in summer", "besides Bob", "will" or "not" are left to recall.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from mags.index.state import State, names_of
from mags.index.tokens import stem, words
from mags.memory.reading import same_relation
from mags.ports.english import FIRST_PERSON, lemma, plain_kin, word_set
from mags.ports.policy import Hop, Plan, Turn
from mags.ports.relations import kind_of, normalise, vocabulary
from mags.ports.weights import TaughtFact

PLAIN = word_set(
    "a an the is am are be do does has have got can could who whom what which where when how that "
    "this it of in at to for with from on by as and you your we us any there so now currently his "
    "current again these days please tell know remember remind say need name named call called hi "
    "her its hello hey ok"
)
"""What asks and joins, and narrows nothing."""
PAST = word_set("was were did had")
"""What asks of the past, of all that can be over."""


def is_meant(state: State, path: Sequence[TaughtFact], question: Turn, plan: Plan) -> bool:
    """Whether a question that was read by itself asks for just the slots of a path, and for now."""
    hops = plan.hops
    if plan.past or plan.since is not None or plan.until is not None or len(hops) != len(path):
        return False
    begin = int(state.graph.view(path[0].ids[0])[0]["subject"])
    if state.names.find(hops[0].subject) != [begin] or any(hop.subject for hop in hops[1:]):
        return False
    relations = [one.relation for one in path]
    same = all(map(_same, hops, relations))
    return same and not left_over(question.text, names_of(state.content(begin)), relations)


def is_said(question: str, path: Sequence[TaughtFact]) -> bool:
    """Whether a question says each relation of a path by a word of the relation's own."""
    said = {form for word in words(question) for form in (stem(word), stem(lemma(word)))}
    said -= {stem(word) for word in PLAIN}
    return all(not said.isdisjoint(map(stem, vocabulary(one.relation))) for one in path)


def _same(hop: Hop, relation: str) -> bool:
    same = same_relation(hop.relation, relation) and kind_of(hop.relation) == kind_of(relation)
    return same and not hop.inverse


def left_over(question: str, names: Iterable[str], relations: Sequence[str]) -> set[str]:
    """The words of a question that neither names nor relations account for, folded.

    A relation accounts for a word once: "the mother of Ana's mother" is two of them.
    """
    plain = PLAIN | FIRST_PERSON | {word for name in names for word in words(name)}
    if not any(normalise(one).past for one in relations):
        plain |= PAST
    said = (word.removesuffix("'s") for word in words(question.replace("favorite", "favourite")))
    told = Counter(plain_kin(one) for one in said if one not in plain)
    known = [{stem(word) for word in vocabulary(one)} for one in relations]
    return {
        one
        for one, times in told.items()
        if times > sum(not has.isdisjoint((stem(one), stem(lemma(one)))) for has in known)
    }
