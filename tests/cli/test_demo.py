"""`mags demo` shows what it promises."""

from typer.testing import CliRunner

from mags.cli.app import app


def test_the_demo_shows_every_part_of_the_main_job() -> None:
    result = CliRunner().invoke(app, ["demo"], env={"COLUMNS": "160"})
    assert result.exit_code == 0
    said = result.output
    for shown in (
        "x closed: Alice lives in Bergen.",
        "Oslo —",
        "Bergen —",
        "Rex —",
        "peanuts —",
        "I don't know",
        "Slept at tick",
        "Paris —",
        "rolled back",
    ):
        assert shown in said
    assert said.rindex("Oslo —") > said.rindex("Paris —")
