"""The quality page, ready for its template."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from django.utils.safestring import SafeString

from attribution.calibration import Interval, wilson
from reviewers.accounts.models import Membership
from reviewers.quality import totals
from reviewers.quality.drawing import Column, Dot, draw_columns, draw_line
from reviewers.quality.links import days, narrowed, page_address, queue_address
from reviewers.quality.measures import MEASURES, SOURCES, Counts, Measure
from reviewers.quality.periods import Period
from reviewers.quality.totals import Cell, Chosen
from reviewers.web.templatetags.figures import percent

FEW = 20
"""A share of fewer answers is shown hollow."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A share with its interval and where it leads; of no answers there is none."""

    hits: int
    trials: int
    address: str

    @property
    def share(self) -> float | None:
        """Of nothing there is none."""
        return self.hits / self.trials if self.trials > 0 else None

    @property
    def interval(self) -> Interval:
        """Of nine in ten: what holds as well, going by so many answers."""
        return wilson(self.hits, self.trials)

    @property
    def is_few(self) -> bool:
        """Whether it is of so few answers that it says little."""
        return self.trials < FEW

    @property
    def percent(self) -> str:
        """The share in words."""
        return percent(self.share)

    @property
    def reach(self) -> str:
        """The interval in words: ``2–11%``."""
        low, high = (percent(bound) for bound in self.interval)
        return f"{low.removesuffix('%')}–{high}"


@dataclass(frozen=True, slots=True)
class Panel:
    """One measure: its picture, and the figure of the whole period."""

    measure: Measure
    whole: Figure
    picture: SafeString


@dataclass(frozen=True, slots=True)
class TableRow:
    """A piece of the period in the table, with a figure for each measure."""

    words: str
    address: str
    answers: int
    figures: Sequence[Figure]


@dataclass(frozen=True, slots=True)
class Combination:
    """A model with a prompt version over the whole period."""

    model: str
    prompt: str
    page: str
    address: str
    answers: int
    figures: Sequence[Figure]
    submitted: int
    labels: int


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section with the share of the answers that draw on it; where it is not known how many were given it, of none."""

    name: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Page:
    """All of it. ``left_out`` answers are in no figure."""

    chosen: Chosen
    counts: Counts
    address: str
    left_out: int
    panels: Sequence[Panel]
    mix: SafeString
    mix_whole: Sequence[tuple[str, str, Figure]]
    sections: Sequence[SectionRow]
    table: Sequence[TableRow]
    combinations: Sequence[Combination]


def load_page(by: Membership, chosen: Chosen) -> Page:
    """In two statements."""
    cells = totals.read_cells(by, chosen.period)
    mine = [cell for cell in cells if chosen.model in (None, cell.model) and chosen.prompt in (None, cell.prompt)]
    pieces, whole = chosen.period.pieces(), _sum(mine)
    by_piece = {piece: _sum(cell for cell in mine if cell.since == piece.since) for piece in pieces}
    by_piece = {piece: counts for piece, counts in by_piece.items() if counts.get("answers")}
    places = {piece: place for place, piece in enumerate(pieces)}
    figures = {measure: _figures(measure, chosen, by_piece) for measure in MEASURES}
    return Page(
        chosen=chosen,
        counts=whole,
        address=queue_address(chosen),
        left_out=sum(cell.left_out for cell in mine),
        panels=[_panel(measure, chosen, whole, found, places) for measure, found in figures.items()],
        mix=_mix(chosen, by_piece, places),
        mix_whole=[(key, title, _source_figure(chosen, whole, name, key)) for name, key, title in SOURCES],
        sections=[_section(each, chosen) for each in totals.read_sections(by, chosen)],
        table=[
            TableRow(piece.in_words(), f"{narrowed(chosen)}&{days(piece)}", counts["answers"], [found[piece] for found in figures.values()])
            for piece, counts in by_piece.items()
        ],
        combinations=_combinations(cells, chosen.period),
    )


def _sum(cells: Iterable[Cell]) -> Counts:
    total: Counter[str] = Counter()
    for cell in cells:
        total.update(cell.counts)
    return total


def _figures(measure: Measure, chosen: Chosen, by_piece: Mapping[Period, Counts]) -> dict[Period, Figure]:
    base = narrowed(chosen, measure.query)
    return {piece: _figure(measure, counts, f"{base}&{days(piece)}") for piece, counts in by_piece.items()}


def _panel(measure: Measure, chosen: Chosen, whole: Counts, figures: Mapping[Period, Figure], places: Mapping[Period, int]) -> Panel:
    dots = [_dot(piece, places[piece], figure) for piece, figure in figures.items() if figure.share is not None]
    picture = draw_line(dots, len(places), _ends(list(places)))
    return Panel(measure, _figure(measure, whole, queue_address(chosen, measure.query)), picture)


def _dot(piece: Period, place: int, figure: Figure) -> Dot:
    title = f"{piece.in_words()}: {figure.percent}, {figure.hits:,} of {figure.trials:,}"
    return Dot(place, figure.share or 0.0, *figure.interval, figure.is_few, figure.address, title)


def _ends(pieces: Sequence[Period]) -> tuple[str, str]:
    return Period(pieces[0].since, pieces[0].since).in_words(), Period(pieces[-1].until, pieces[-1].until).in_words()


def _figure(measure: Measure, counts: Counts, address: str) -> Figure:
    return Figure(measure.hits(counts), measure.trials(counts), address)


def _mix(chosen: Chosen, by_piece: Mapping[Period, Counts], places: Mapping[Period, int]) -> SafeString:
    columns = []
    for piece, counts in by_piece.items():
        at = replace(chosen, period=piece)
        figures = [(key, title, _source_figure(at, counts, name, key)) for name, key, title in SOURCES]
        parts = [(key, f.share or 0.0, f.address, f"{piece.in_words()}, {title.lower()}: {f.percent}") for key, title, f in figures]
        columns.append(Column(places[piece], parts))
    return draw_columns(columns, len(places), _ends(list(places)))


def _source_figure(chosen: Chosen, counts: Counts, name: str, value: str) -> Figure:
    return Figure(counts.get(name, 0), counts.get("answers", 0), queue_address(chosen, [("source", value)]))


def _section(section: totals.Section, chosen: Chosen) -> SectionRow:
    address = queue_address(chosen, [("section", section.name)])
    return SectionRow(section.name, Figure(min(section.answers, section.given), section.given, address))


def _combinations(cells: Sequence[Cell], period: Period) -> list[Combination]:
    """Those with the most answers first."""
    summed: dict[tuple[str, str], Counter[str]] = {}
    for cell in cells:
        summed.setdefault((cell.model, cell.prompt), Counter()).update(cell.counts)
    ordered = sorted(summed.items(), key=lambda each: (-each[1]["answers"], each[0]))
    return [_combination(model, prompt, counts, period) for (model, prompt), counts in ordered]


def _combination(model: str, prompt: str, counts: Counts, period: Period) -> Combination:
    chosen = Chosen(period, model, prompt)
    figures = [_figure(measure, counts, queue_address(chosen, measure.query)) for measure in MEASURES]
    page, address = page_address(chosen), queue_address(chosen)
    return Combination(model, prompt, page, address, counts["answers"], figures, counts["submitted"], counts["labels"])
