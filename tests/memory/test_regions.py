"""Regions: communities with a name, in the words of now."""

from collections.abc import Callable
from pathlib import Path

import pytest

from mags import inspect
from mags.memory.memory import Memory
from mags.plasticity.cycle import SleepSettings
from mags.settings import Settings

SECRET = "Xyloquartz"
CIRCLES = (("Ana", "Oslo", "rowing", "Bob", SECRET), ("Carol", "Rome", "chess", "Dan", "opera"))


@pytest.fixture
def memory(opened: Callable[..., Memory], tmp_path: Path) -> Memory:
    """Two cliques of five named things, the first more strongly associated."""
    memory = opened(tmp_path / "m.mags")
    for number, circle in enumerate(CIRCLES):
        for other in circle[1:]:
            memory.assert_fact(circle[0], "knows", other)
        nodes = [memory.profile(name).id for name in circle]
        for a in nodes:
            for b in nodes:
                if a != b:
                    inspect.associate(memory, a, b, 0.9 - 0.2 * number)
    return memory


def members(memory: Memory) -> list[set[int]]:
    return [set(region.members) for region in inspect.regions(memory)]


def circle(memory: Memory, number: int) -> set[int]:
    return {memory.profile(name).id for name in CIRCLES[number]}


def test_a_region_has_an_id_a_name_members_and_a_size(memory: Memory) -> None:
    memory.sleep()
    regions = inspect.regions(memory)
    for number in (0, 1):
        region = next(r for r in regions if circle(memory, number) <= set(r.members))
        assert region.id == region.leaders[0]
        assert region.size == len(region.members) >= 5
        assert region.name == ", ".join(memory.get(i).text for i in region.leaders)
        assert set(region.leaders) <= set(region.members)
    assert [r.size for r in regions] == sorted((r.size for r in regions), reverse=True)


def test_the_same_memory_has_the_same_regions_when_it_is_opened_again(
    memory: Memory, opened: Callable[..., Memory], tmp_path: Path
) -> None:
    memory.sleep()
    before = inspect.regions(memory)
    memory.close()
    assert inspect.regions(opened(tmp_path / "m.mags")) == before


def test_a_memory_that_has_grown_has_new_regions_without_a_sleep(memory: Memory) -> None:
    before = members(memory)
    for name in ("Emil", "Fritz", "Gerda"):
        memory.assert_fact("Ana", "knows", name)
        inspect.associate(memory, memory.profile("Ana").id, memory.profile(name).id, 0.9)
    after = members(memory)
    emil = memory.profile("Emil").id
    assert not any(emil in region for region in before)
    assert any(emil in region for region in after)


def test_regions_write_nothing(memory: Memory) -> None:
    seq = memory.stats().seq
    assert inspect.regions(memory)
    assert memory.stats().seq == seq


def test_what_is_forgotten_is_in_no_name_and_no_region(memory: Memory) -> None:
    memory.sleep()
    secret = memory.profile(SECRET).id
    assert any(secret in region.members for region in inspect.regions(memory))
    memory.forget(SECRET)
    left = inspect.regions(memory)
    assert left
    assert not any(secret in region.members for region in left)
    assert not any(SECRET in region.name for region in left)


def test_a_name_of_an_edited_leader_is_its_new_one(memory: Memory) -> None:
    memory.sleep()
    leader = inspect.regions(memory)[0].id
    memory.edit(leader, text="Somebody else")
    assert inspect.regions(memory)[0].name.startswith("Somebody else")


def test_switched_off_there_are_none(memory: Memory, opened: Callable[..., Memory]) -> None:
    off = Settings(sleep=SleepSettings().without("regions"))
    other = opened(None, settings=off)
    other.observe("Ana lives in Oslo.")
    other.sleep()
    assert inspect.regions(other) == []
