"""The page: what it says, and that it needs nothing else."""

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from lab.tests.evaluation.report.made import AUDIT, EXHIBIT, MOVE, SKETCH
from mags_lab.evaluation.proving.tables import Grid
from mags_lab.evaluation.report.chart import Axis, Series, line_chart
from mags_lab.evaluation.report.exhibit import SIDE, drawing, places
from mags_lab.evaluation.report.inside import audit_section, bank_told, graph_section, move_section
from mags_lab.evaluation.report.page import (
    BulletList,
    Figure,
    Page,
    Prose,
    ReportTable,
    Section,
    html,
    markdown,
)

GRID = Grid(head=("player", "score"), rows=(("a|b", "<1>"), ("c", "2")))
CHART = line_chart(
    "scores",
    Axis(title="turns", names=("before", "after"), rule=1, rule_name="change"),
    [Series(name="MAGS", points=((0, 100.0), (1, 0.0))), Series(name="other", points=((1, 0.0),))],
)
PAGE = Page(
    title="A page & more",
    head=(("command", "mags <x>"),),
    sections=(
        Section(
            id="one",
            title="One",
            blocks=(
                Prose(text="5 < 6"),
                ReportTable(caption="Scores", grid=GRID),
                ReportTable(caption="More", grid=GRID, folded=True, words=True, lead=2),
                Figure(
                    caption="Drawn", svg=CHART, told="two lines", legend=(("a<b", "var(--ink)"),)
                ),
                Figure(caption="Again", svg=CHART, told="two lines"),
                BulletList(caption="Lines", lines=("a", "b"), marks=("rule", "")),
            ),
        ),
        graph_section(EXHIBIT),
        move_section(MOVE, EXHIBIT.played),
        audit_section(AUDIT),
    ),
)
VOID = {"meta"}
CLOSED = {"line", "circle", "polyline"}


class Nested(HTMLParser):
    """Checks that what is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self.ids += [value or "" for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name in ("href", "src")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in CLOSED

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_fetches_nothing():
    page = html(PAGE)
    found = Nested()
    found.feed(page)
    assert found.open == []
    assert len(set(found.ids)) == len(found.ids)
    assert {link.removeprefix("#") for link in found.links} <= set(found.ids)
    assert "<script" not in page
    assert re.search(r"https?://|@import|url\(", page) is None


def test_words_are_escaped_and_tables_name_their_rows_and_columns():
    page = html(PAGE)
    assert "<title>A page &amp; more</title>" in page
    assert "mags &lt;x&gt;" in page
    assert '<th scope="col" class=name>player</th><th scope="col">score</th>' in page
    assert '<tr><th scope="row">a|b</th><td>&lt;1&gt;</td></tr>' in page
    assert "<caption>Scores</caption>" in page
    assert "entity: Ann &lt;&amp;&gt;" in page


def test_an_interval_stands_below_its_mean_where_cells_are_numbers():
    grid = Grid(head=("player", "score"), rows=(("a [b]", "1.0 [0.5, 1.5] (2 seeds)"),))
    section = Section(id="s", title="S", blocks=(ReportTable(caption="c", grid=grid),))
    row = html(Page(title="t", head=(), sections=(section,)))
    assert '<th scope="row">a [b]</th>' in row
    assert "<td>1.0 <small>[0.5, 1.5] (2 seeds)</small></td>" in row
    said = replace(section, blocks=(ReportTable(caption="c", grid=grid, words=True),))
    row = html(Page(title="t", head=(), sections=(said,)))
    assert "<td>1.0 [0.5, 1.5] (2 seeds)</td>" in row


def test_what_is_folded_is_a_details_and_pictures_in_a_row_stand_side_by_side():
    page = html(PAGE)
    assert page.count("<details><summary>More</summary>") == 1
    assert page.count('<div class="figures">') == 2
    assert '<li><span style="background:var(--ink)"></span>a&lt;b</li>' in page
    assert "<li><mark>rule</mark> a</li><li>b</li>" in page


def test_dark_and_light_have_the_same_colours_by_name():
    style = re.search(r"<style>(.*?)</style>", html(PAGE), re.DOTALL)
    assert style is not None
    light, dark = re.findall(r":root \{(.*?)\}", style[1], re.DOTALL)
    names = re.compile(r"--[\w-]+(?=:)")
    assert names.findall(light) == names.findall(dark)
    assert set(re.findall(r"var\((--[\w-]+)\)", html(PAGE))) <= set(names.findall(light))


def test_markdown_has_everything_but_the_pictures():
    text = markdown(PAGE)
    assert text.startswith("# A page & more\n\n- command: mags <x>\n\n## One\n\n5 < 6\n")
    assert "| player | score |\n| --- | --- |\n| a\\|b | <1> |\n| c | 2 |" in text
    assert "*Drawn* (drawn in the HTML page): two lines" in text
    assert "```text\nrule a\n     b\n```" in text
    assert "<svg" not in text
    assert "rule, cited Bob: Ann drinks tea." in text
    assert "| wrong | Ann \\| drinks \\| mud | Bob: Ann drinks mud. |" in text


def test_what_is_quoted_names_its_bank():
    text = markdown(PAGE)
    assert text.count("The sentences quoted are of the bank “tuning”; no scored one is shown.") == 3
    scored = replace(EXHIBIT.played, bank="scored")
    assert bank_told(scored).endswith("mend nothing after them.")


def test_a_chart_has_a_line_for_each_series_from_bottom_to_top():
    assert CHART.count("<polyline") == 2
    assert 'points="188.0,16.0 476.0,296.0"' not in CHART  # the axis ends before the names
    first = re.search(r'points="([\d.]+),([\d.]+) ([\d.]+),([\d.]+)"', CHART)
    assert first is not None
    assert (float(first[2]), float(first[4])) == (16.0, 296.0)
    assert "var(--p-mags)" in CHART
    assert "var(--p-other)" in CHART
    heights = [float(y) for y in re.findall(r'class="name" x="[\d.]+" y="([\d.]+)"', CHART)]
    assert abs(heights[0] - heights[1]) >= 15.0


def test_every_node_has_one_place_inside_the_picture():
    at = places([SKETCH, SKETCH])
    assert set(at) == {1, 2}
    assert all(0 <= x <= SIDE and 0 <= y <= SIDE for x, y in at.values())
    assert places([SKETCH]) == places([SKETCH])
    assert places([]) == {}


def test_a_closed_fact_is_drawn_hollow():
    drawn = drawing("a graph", SKETCH, places([SKETCH]))
    assert 'fill="var(--sheet)" stroke="var(--k-fact)"' in drawn
    assert drawn.count("<title>") == 3


@pytest.mark.parametrize("told", ["rule, cited", "The answer changed 3 turns before."])
def test_a_move_names_the_rule_and_the_line_that_was_cited(told: str):
    assert told in markdown(PAGE)
