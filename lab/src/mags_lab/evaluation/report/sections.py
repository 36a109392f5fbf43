"""The sections of the report that are made from matches alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from mags_lab.evaluation.metrics import Interval
from mags_lab.evaluation.proving.figures import Figures, over_seeds
from mags_lab.evaluation.proving.records import MatchIdentity
from mags_lab.evaluation.proving.tables import (
    COLUMNS,
    NONE,
    Grid,
    ablated,
    ages,
    facts,
    kinds,
    left_open,
    percent,
    seeds,
    shown,
    sorts,
)
from mags_lab.evaluation.report.chart import Axis, Series, colour, line_chart
from mags_lab.evaluation.report.digest import Curve, Digest, TurnSpan, curve
from mags_lab.evaluation.report.goals import (
    DIARY,
    LEARN,
    OURS,
    UNTOLD,
    gained,
    goals,
    grouped,
    rank,
)
from mags_lab.evaluation.report.page import Block, Figure, Prose, ReportTable, Section
from mags_lab.games.adventures.catalogue import POINTS

ABLATED = (
    "One part taken out at a time, against the whole memory on the same seeds: mean difference "
    "and its 95% interval, where there are two seeds and more. Before its first match a process "
    "plays turns that it throws away, and nothing that was read is kept from match to match: times "
    "can be held against each other. A part that earns its place has a score below 0. Ended facts "
    "left open are counted over all seeds. What each part buys where it was meant to work, and so "
    "whether it is on, is told in docs/ablations.md."
)
NOT_PLAYED = (
    "None was played for this page. What each part buys is told in docs/ablations.md; “mags eval "
    "ablate nonsense/easy --bank scored --seeds 3 --out FOLDER/ablations” plays them, and “mags "
    "eval report --from FOLDER” then shows them here."
)


def whole(played: MatchIdentity) -> MatchIdentity:
    """The identity that an ablation and the matches to compare it with share, for all seeds."""
    return replace(played, switch="", seed=0)


def ablations_section(found: Sequence[Digest]) -> Section:
    """A table for each game, bank, length and player; if there is none, a line that says so."""
    groups: dict[MatchIdentity, list[Figures]] = {}
    for one in found:
        groups.setdefault(whole(one.figures.played), []).append(one.figures)
    tables = [table for one, group in groups.items() if (table := _ablated(one, group)) is not None]
    text = ABLATED if tables else NOT_PLAYED
    return Section(id="ablations", title="Ablations", blocks=(Prose(text=text), *tables))


def _ablated(of: MatchIdentity, found: Sequence[Figures]) -> ReportTable | None:
    """The table of one game; None if the whole memory or all ablations are missing."""
    names = dict.fromkeys(one.played.switch for one in found)
    groups = {name: [one for one in found if one.played.switch == name] for name in names}
    against = groups.pop("", [])
    if not against or not groups:
        return None
    count = len({one.played.seed for one in against})
    told = [of.game, f"bank {of.bank}", of.player, seeds(count)]
    commits = ", ".join(dict.fromkeys(one.commit for one in found if one.commit))
    if commits:
        told.append(f"played by {commits}")
    return ReportTable(
        caption=f"{', '.join(told)}: what each part is worth", grid=ablated(against, groups)
    )


RETAINED = (
    "Score of the questions whose facts had been told, by how many turns ago the one told "
    "longest ago was last told; in brackets how many questions there were. A question that more "
    "facts decide is older by this measure and harder, so both are told apart below."
)


def retention_section(found: Sequence[Figures]) -> Section:
    """All questions by age; then also by the number of facts, if a game has several."""
    games = {
        game: players
        for game, players in grouped(found).items()
        if game.partition("/")[0] not in POINTS
    }
    every = [
        ((game,), ages(one for group in players.values() for one in group))
        for game, players in games.items()
    ]
    apart = [
        ((game, player), facts(group))
        for game, players in games.items()
        for player, group in players.items()
    ]
    ours = [((game,), grid) for (game, player), grid in apart if player == OURS]
    others = [(names, grid) for names, grid in apart if names[1] != OURS]
    blocks: list[Block] = [
        Prose(text=RETAINED),
        ReportTable(
            caption="Score by age of what is needed", grid=_below(("game",), every), lead=2
        ),
    ]
    if any(grid.rows for _, grid in apart):
        caption = "Score by age and by how many facts decide"
        blocks += [
            ReportTable(caption=f"{caption}, {OURS}", grid=_below(("game",), ours), lead=2),
            ReportTable(
                caption=f"{caption}, others",
                grid=_below(("game", "player"), others),
                lead=3,
                folded=True,
            ),
        ]
    return Section(id="retention", title="Retention", blocks=tuple(blocks))


def _below(names: tuple[str, ...], parts: Iterable[tuple[tuple[str, ...], Grid]]) -> Grid:
    """Grids one below the other, each row with the names of its grid.

    All grids begin with the same spans, so shorter rows are filled up at the end.
    """
    kept = [(given, grid) for given, grid in parts if grid.rows and len(grid.head) > 1]
    head = max(((*names, *grid.head) for _, grid in kept), key=len, default=names)
    rows = ((*given, *row) for given, grid in kept for row in grid.rows)
    return Grid(head=head, rows=tuple((*r, *((NONE,) * (len(head) - len(r)))) for r in rows))


REWARDED_PLAYERS = ("growing", DIARY, UNTOLD, OURS)
PAIRS = (("growing", UNTOLD), (DIARY, OURS), ("growing", DIARY), (UNTOLD, OURS))
"""Who is compared with whom: the memory without and with rewards, then the rewards alone."""
REWARDED = (
    f"{OURS} and “{DIARY}” learn from the reward of each act, nobody else does. “{DIARY}”: growing "
    "retrieval whose player is told what the player of MAGS is told of its acts, and keeps it in "
    "the same diary, with what that teaches of the words of actions and of what is said of each; "
    "what MAGS's player learns of chains has nothing to learn from there. "
    f"“{UNTOLD}”: the memory, whose player is told of no act what it brought, but by the lines "
    "that all players read. Of the gains the first two are what the memory adds, where nobody "
    "learns from rewards and where both do; the last two are what the rewards add."
)


def rewarded_section(found: Sequence[Figures]) -> Section | None:
    """Scores with and without rewards in each game; None if neither player was played."""
    scores, gains = [], []
    for game, players in grouped(found).items():
        if DIARY not in players and UNTOLD not in players:
            continue
        for what in ("score", "after changes"):
            measure = COLUMNS[what]
            every = (over_seeds(players.get(name, ()), measure) for name in REWARDED_PLAYERS)
            scores.append((game, what, *(NONE if one is None else shown(one) for one in every)))
            pairs = (gained(players, a, measure, ours=b) for a, b in PAIRS)
            gains.append((game, what, *(NONE if p is None else shown(p, "+.0f") for p in pairs)))
    if not scores:
        return None
    heads = [f"{b} over {a}" for a, b in PAIRS]
    return Section(
        id="rewarded",
        title="With and without rewards",
        blocks=(
            Prose(text=REWARDED),
            _rewarded("Score, in percent", REWARDED_PLAYERS, scores),
            _rewarded("Gains, in percent", heads, gains),
        ),
    )


def _rewarded(caption: str, heads: Sequence[str], rows: Sequence[tuple[str, ...]]) -> ReportTable:
    grid = Grid(head=("game", "of", *heads), rows=tuple(rows))
    return ReportTable(caption=caption, grid=grid, lead=2)


OTHERS = (
    ("(a)", "nothing"), ("(b)", "window"), ("(c)", "static"), ("(d)", "growing"), ("(e)", DIARY),
)  # fmt: skip
Measure = Callable[[Figures], float | None]
Cell = Callable[[Sequence[Figures]], str]
UNPLAYED = "not played"
TELLING = ("nonsense", "companion")
"""Games whose questions depend on what somebody says, not on what is found out by trying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportMatches:
    """Matches of the report, and those of ablations, with the whole memory among them."""

    matches: tuple[Digest, ...]
    ablations: tuple[Digest, ...] = ()

    @property
    def figures(self) -> list[Figures]:
        """The figures of the matches."""
        return [one.figures for one in self.matches]


def measured(material: ReportMatches) -> Iterator[Section]:
    """Every section that is made from matches, in order."""
    found = material.figures
    yield Section(
        id="aims",
        title="What was to be reached",
        blocks=(
            Prose(text=LEARN),
            ReportTable(caption="Aims and what was measured", grid=goals(found), words=True),
        ),
    )
    yield _scores(found)
    yield _improvements(found)
    apart = rewarded_section(found)
    if apart is not None:
        yield apart
    yield _changes(material)
    yield _fidelity(found)
    yield retention_section(found)
    yield _recalled(found)
    yield _cost(found)
    yield ablations_section(material.ablations)


def _scores(found: Sequence[Figures]) -> Section:
    names = sorted({one.played.player for one in found}, key=lambda name: (rank(name), name))
    rows = []
    for game, players in grouped(found).items():
        first = next(iter(players.values()))
        most = max(len(group) for group in players.values())
        chance = f"{100 * sum(one.chance for one in first) / len(first):.0f}"
        # The points of an adventure are no choice among actions, so there is no such chance.
        if game.partition("/")[0] in POINTS:
            chance = NONE
        turns = f"{max(one.turns for group in players.values() for one in group):,}"
        cells = (_score(players.get(name, ()), most) for name in names)
        rows.append((game, str(most), turns, chance, *cells, _told(game, players)))
    head = ("game", "seeds", "turns", "chance", *names, "told")
    text = (
        "Every player has the same frozen reader, and sees only the lines that its memory shows "
        "it. nothing: the turn alone (a); window: the last lines (b); static: retrieval over the "
        "rulebook told at the start (c); growing: hybrid retrieval over everything said (d); "
        f"{DIARY}: the same with the diary of rewards of MAGS's player (e); “{UNTOLD}”: the "
        "memory, whose player learns from no reward; MAGS: the memory; oracle: the least lines "
        "that decide, from the game itself, told or not. "
        "told: nobody's score, but that of one who forgets nothing, reads rightly and chooses "
        "blindly where what MAGS had been told decides nothing; in games that tell their rules. "
        "Scores are in percent, of adventures the share of all points; in brackets 95% intervals "
        "over seeds. Who played fewer seeds than the row says has their number beside the score. "
        f"{LEARN}"
    )
    return Section(
        id="scores",
        title="Games and players",
        blocks=(
            Prose(text=text),
            ReportTable(caption="Score", grid=Grid(head=head, rows=tuple(rows))),
            *_apart(found),
        ),
    )


def _told(game: str, players: Mapping[str, Sequence[Figures]]) -> str:
    """The score of everything MAGS was told; "-" in games whose rules are found out by trying."""
    if game.partition("/")[0] not in TELLING:
        return NONE
    return _cell(players.get(OURS, ()), lambda one: 100 * one.told)


def _score(group: Sequence[Figures], most: int) -> str:
    """A score, with the number of seeds if it is below `most`; or that nobody played."""
    if not group:
        return UNPLAYED
    told = _cell(group, COLUMNS["score"])
    return told if len(group) == most else f"{told} ({seeds(len(group))})"


def _apart(found: Sequence[Figures]) -> Iterator[Block]:
    for game, players in grouped(found).items():
        every = [one for group in players.values() for one in group]
        grid = kinds(every)
        if len(grid.head) > 2:
            # The longer side goes down the page, which has more room in that direction.
            if len(grid.head) > len(grid.rows) + 1:
                grid = grid.turned()
            yield ReportTable(caption=f"{game}: score by kind of question", grid=grid, folded=True)


def _improvements(found: Sequence[Figures]) -> Section:
    tables = [
        ReportTable(caption=f"{OURS} over others, {what}, in percent", grid=_gains(found, measure))
        for what, measure in (
            ("all turns", lambda one: one.score),
            ("questions that a change has touched", lambda one: one.after),
        )
    ]
    return Section(id="improvement", title="Improvement", blocks=(Prose(text=LEARN), *tables))


def _gains(found: Sequence[Figures], measure: Measure) -> Grid:
    rows = []
    for game, players in grouped(found).items():
        gains = [gained(players, name, measure) for _, name in OTHERS]
        if any(one is not None for one in gains):
            oracle = gained(players, "oracle", measure)
            share = NONE if oracle is None else f"{100 + oracle.mean:.0f}"
            rows.append((game, *map(_percent, gains), share))
    head = ("game", *(f"over {name} {letter}" for letter, name in OTHERS), "% of the oracle")
    return Grid(head=head, rows=tuple(rows))


def _changes(material: ReportMatches) -> Section:
    blocks: list[Block] = [
        Prose(
            text="Left of the dashed line: the mean reward of all questions in the turns before "
            "a change; right of it: that of the questions which the change touched, by turns "
            "since. Who remembers what was, and does not let go of it, falls and stays there."
        )
    ]
    for game, players in grouped(material.figures).items():
        curves = [
            curve(name, [o for o in material.matches if _of(o.figures, game, name)])
            for name in players
        ]
        curves = [one for one in curves if one.points]
        if curves:
            blocks += [_curve_figure(game, curves), _curve_table(game, curves)]
            every = [one for group in players.values() for one in group]
            blocks.append(
                ReportTable(
                    caption=f"{game}: what changes cost", grid=_adapting(players), folded=False
                )
            )
            blocks.append(
                ReportTable(caption=f"{game}: score by the sort of the change", grid=sorts(every),
                      folded=True)
            )  # fmt: skip
    return Section(id="changes", title="Around each change of the rules", blocks=tuple(blocks))


def _of(one: Figures, game: str, player: str) -> bool:
    return (one.played.game, one.played.player) == (game, player)


def _curve_figure(game: str, curves: Sequence[Curve]) -> Figure:
    spans = _spans(curves)
    place = {(span.first, span.last): at for at, span in enumerate(spans)}
    axis = Axis(
        title="turns since the change",
        names=tuple(_span(span) for span in spans),
        rule=next((at for at, span in enumerate(spans) if span.first >= 0), None),
        rule_name="the rule changes",
    )
    lines = [
        Series(
            name=one.name,
            points=tuple(
                (place[span.first, span.last], 100 * mean.mean) for span, mean in one.points
            ),
        )
        for one in curves
    ]
    title = f"{game}: score around a change"
    return Figure(
        caption=f"{title}, in percent, mean over seeds.",
        svg=line_chart(title, axis, lines),
        told="the numbers stand in the table below.",
        legend=tuple((one.name, colour(one.name)) for one in curves),
    )


def _curve_table(game: str, curves: Sequence[Curve]) -> ReportTable:
    spans = _spans(curves)
    rows = []
    for one in curves:
        known = {(span.first, span.last): mean for span, mean in one.points}
        cells = (known.get((span.first, span.last)) for span in spans)
        rows.append((one.name, *(NONE if c is None else shown(percent(c)) for c in cells)))
    grid = Grid(head=("player", *map(_span, spans)), rows=tuple(rows))
    return ReportTable(caption=f"{game}: score by turns since a change", grid=grid, folded=True)


def _spans(curves: Sequence[Curve]) -> list[TurnSpan]:
    found = {(span.first, span.last): span for one in curves for span, _ in one.points}
    return [found[key] for key in sorted(found)]


def _span(span: TurnSpan) -> str:
    return f"{span.first}…{span.last}".replace("-", "\N{MINUS SIGN}")


def _adapting(players: Mapping[str, Sequence[Figures]]) -> Grid:
    columns: dict[str, Callable[[Figures], float | None]] = {
        "changes": lambda o: None if o.adapting is None else o.adapting.changes,
        "before": lambda o: None if o.adapting is None else 100 * o.adapting.before,
        "after": lambda o: None if o.adapting is None else 100 * o.adapting.after,
        "turns to recover": COLUMNS["turns to recover"],
        "wrong asks": lambda o: None if o.adapting is None else o.adapting.asks,
        "recovered %": lambda o: None if o.adapting is None else 100 * o.adapting.recovered,
        "lost area": COLUMNS["lost"],
    }
    return _grid(players, _means(columns))


def _fidelity(found: Sequence[Figures]) -> Section:
    measures: dict[str, Measure] = {
        "precision": lambda o: None if o.fidelity is None else 100 * o.fidelity.precision,
        "recall": lambda o: None if o.fidelity is None else 100 * o.fidelity.recall,
        "F1": COLUMNS["F1"],
    }
    shares: dict[str, Measure] = {
        "left open": COLUMNS["left open"],
        "wrongly closed": COLUMNS["wrongly closed"],
    }
    cells = {**_means(measures), "ended left open": left_open, **_means(shares)}
    text = (
        "The facts of the memory when a game ends, held against the game's own. ended left open: "
        "of the facts that were told and hold no longer, how many the memory still holds open, all "
        "seeds together; left open: their share; wrongly closed: share of what was written and "
        "holds that is closed. In percent. F1 says little of ended facts, which are few: it is of "
        "the facts that hold, and of all that are open."
    )
    return Section(
        id="fidelity",
        title="Update fidelity",
        blocks=(
            Prose(text=text),
            ReportTable(caption="Fidelity", grid=_by_game(found, cells), lead=2),
        ),
    )


def _recalled(found: Sequence[Figures]) -> Section:
    columns = {name: COLUMNS[name] for name in ("recall", "whole", "explained")}
    text = (
        "recall: share of the facts that decide which the shown lines teach; whole: share of "
        "questions for which all of them do; explained: share of right moves that cite a line "
        "which decided. In percent, of questions whose facts had been told."
    )
    return Section(
        id="recalled",
        title="What the reader was shown, and what it named",
        blocks=(
            Prose(text=text),
            ReportTable(caption="Recall", grid=_by_game(found, _means(columns)), lead=2),
        ),
    )


def _cost(found: Sequence[Figures]) -> Section:
    columns: dict[str, Callable[[Figures], float | None]] = {
        **{name: COLUMNS[name] for name in ("lines", "tokens", "recall ms", "engram ms")},
        "turn ms": lambda one: one.turn_ms,
        "nodes/rule": lambda one: one.nodes,
        "arcs/rule": lambda one: one.arcs,
        "objective": lambda one: one.objective,
    }
    text = (
        "Lines and tokens that the reader is shown a turn; milliseconds of processor time a turn "
        "for searching and for writing (mean), and for the whole turn with the reader (median); "
        "nodes and arcs of the graph for each rule that holds; the objective (less is better)."
    )
    return Section(
        id="cost",
        title="Efficiency and cost",
        blocks=(
            Prose(text=text),
            ReportTable(caption="Cost of a turn", grid=_by_game(found, _means(columns)), lead=2),
        ),
    )


def _means(columns: Mapping[str, Measure]) -> dict[str, Cell]:
    """For each column a function that makes a cell with the mean and its interval."""
    return {name: partial(_cell, measure=measure) for name, measure in columns.items()}


def _by_game(found: Sequence[Figures], columns: Mapping[str, Cell]) -> Grid:
    rows = []
    for game, players in grouped(found).items():
        grid = _grid(players, columns)
        rows += [(game, *row) for row in grid.rows if set(row[1:]) != {NONE}]
    return Grid(head=("game", "player", *columns), rows=tuple(rows))


def _grid(players: Mapping[str, Sequence[Figures]], columns: Mapping[str, Cell]) -> Grid:
    rows = tuple(
        (name, *(cell(group) for cell in columns.values())) for name, group in players.items()
    )
    return Grid(head=("player", *columns), rows=rows)


def _cell(group: Sequence[Figures], measure: Measure) -> str:
    found = over_seeds(group, measure)
    if found is None:
        return NONE
    return shown(found) if found.high > found.low else f"{found.mean:.1f}"


def _percent(interval: Interval | None) -> str:
    return NONE if interval is None else shown(interval, "+.0f")
