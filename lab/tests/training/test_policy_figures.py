"""The benchmark of policies: what is counted, by role, and what costs are told."""

from benchmarks.policies import decided, measures, times
from mags.models.grammar import EngramBlock, read_route
from mags.models.policy.rules import RulePolicy
from mags_lab.training.chains.schema import Role, Split
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.generate.samples import of_split


def test_every_role_that_there_is_has_its_figures() -> None:
    samples = list(of_split(Split.SEEN, 12, 0, SeenTurns()))
    cases = decided(RulePolicy(), samples)
    roles = {sample.role for sample in samples}
    assert measures(cases).keys() == {
        f"{role} {name}" for role in roles for name in ("exact", "F1")
    }
    assert measures(cases)["write exact"].n == sum(one.role is Role.WRITE for one in samples)
    assert times(cases).keys() == {f"{role}_cpu_ms_p50" for role in roles}
    assert all(taken >= 0.0 for taken in times(cases).values())


def test_what_was_refused_is_wrong_and_what_is_due_is_right() -> None:
    samples = [one for one in of_split(Split.SEEN, 40, 0, SeenTurns()) if one.role is Role.ROUTER]
    right = [(one, read_route(one.target), 1.0) for one in samples]
    refused = [(one, None, 1.0) for one in samples]
    assert measures(right)["router exact"].mean == 1.0
    assert measures(refused)["router exact"].mean == 0.0
    assert measures(refused)["router F1"].mean == 0.0


def test_a_turn_with_nothing_to_store_is_exact_where_nothing_is_written() -> None:
    samples = [one for one in of_split(Split.TALK, 60, 0, SeenTurns()) if one.role is Role.WRITE]
    silent = [(one, EngramBlock(operations=()), 1.0) for one in samples]
    assert 0.1 < measures(silent)["write exact"].mean < 0.6
