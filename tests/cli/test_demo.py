"""`mags demo` shows what it promises."""

from tests.golden import pages
from tests.golden.written import check


def test_the_demo_shows_every_part_of_the_main_job_as_it_is_kept() -> None:
    said = pages.demo()
    for shown in (
        "x closed: Alice lives in Bergen.",
        "Oslo —",
        "Bergen —",
        "Rex —",
        "peanuts —",
        "I don't know.",
        "Slept at tick",
        "Paris —",
        "rolled back",
    ):
        assert shown in said
    assert said.rindex("Oslo —") > said.rindex("Paris —")
    check(pages.DEMO, pages.of_demo(said))
