"""The quality page, ready for its template."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils.safestring import SafeString

from reviewers.accounts.models import Membership
from reviewers.calibration.standing import Calibrated, calibration_by_name
from reviewers.quality import totals
from reviewers.quality.drawing import Column, Dot, draw_columns, draw_line
from reviewers.quality.figures import FIGURES
from reviewers.quality.links import days, narrowed, page_address, queue_address
from reviewers.quality.measures import MEASURES, SOURCES, Counts, Measure
from reviewers.quality.periods import Period
from reviewers.quality.shares import Figure, row_of
from reviewers.quality.totals import Cell, Chosen


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

    @property
    def cells(self) -> SafeString:
        """Its figures, with what they count."""
        return row_of(figure.counted for figure in self.figures)


@dataclass(frozen=True, slots=True)
class Combination:
    """A model with a prompt version over the whole period. Of one that only engines of before saw nothing is said of calibration."""

    model: str
    prompt: str
    page: str
    address: str
    answers: int
    figures: Sequence[Figure]
    submitted: int
    labels: int
    calibration: Calibrated | None

    @property
    def cells(self) -> SafeString:
        """Its figures, with how far they reach."""
        return row_of(figure.reaching for figure in self.figures)


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section with the share of the answers that draw on it; where it is not known how many were given it, of none."""

    name: str
    figure: Figure


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of the period at its ``place``, in words and as the queue is asked for it, with what was counted in it."""

    place: int
    words: str
    days: str
    counts: Counts


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
    """In three statements."""
    cells = totals.read_cells(by, chosen.period)
    mine = [cell for cell in cells if chosen.model in (None, cell.model) and chosen.prompt in (None, cell.prompt)]
    pieces, whole = _pieces(chosen.period, mine), _sum(mine)
    figures = {measure: _figures(measure, chosen, pieces) for measure in MEASURES}
    frame = (len(chosen.period.pieces()), _ends(chosen.period))
    return Page(
        chosen=chosen,
        counts=whole,
        address=queue_address(chosen),
        left_out=sum(cell.left_out for cell in mine),
        panels=[
            Panel(measure, _figure(measure, whole, queue_address(chosen, measure.query)), draw_line(_dots(pieces, found), *frame))
            for measure, found in figures.items()
        ],
        mix=_mix(chosen, pieces, frame),
        mix_whole=[(key, title, _source_figure(whole, name, queue_address(chosen, [("source", key)]))) for name, key, title in SOURCES],
        sections=[_section(each, chosen) for each in totals.read_sections(by, chosen)],
        table=[
            TableRow(piece.words, f"{narrowed(chosen)}&{piece.days}", piece.counts["answers"], row)
            for piece, *row in zip(pieces, *figures.values(), strict=True)
        ],
        combinations=_combinations(cells, chosen.period, calibration_by_name(by.organisation_id)),
    )


def _pieces(period: Period, cells: Sequence[Cell]) -> list[Piece]:
    """The pieces with an answer."""
    by_day: dict[date, list[Cell]] = {}
    for cell in cells:
        by_day.setdefault(cell.since, []).append(cell)
    pieces = [Piece(place, each.in_words(), days(each), _sum(by_day.get(each.since, ()))) for place, each in enumerate(period.pieces())]
    return [piece for piece in pieces if piece.counts.get("answers")]


def _sum(cells: Collection[Cell]) -> Counts:
    return dict(zip(FIGURES, map(sum, zip(*(cell.counts for cell in cells), strict=True)), strict=True)) if cells else {}


def _figures(measure: Measure, chosen: Chosen, pieces: Sequence[Piece]) -> list[Figure]:
    base = narrowed(chosen, measure.query)
    return [_figure(measure, piece.counts, f"{base}&{piece.days}") for piece in pieces]


def _dots(pieces: Sequence[Piece], figures: Sequence[Figure]) -> list[Dot]:
    return [_dot(piece, figure) for piece, figure in zip(pieces, figures, strict=True) if figure.trials > 0]


def _dot(piece: Piece, figure: Figure) -> Dot:
    title = f"{piece.words}: {figure.percent}, {figure.hits:,} of {figure.trials:,}"
    return Dot(piece.place, figure.share or 0.0, *figure.interval, figure.is_few, figure.address, title)


def _ends(period: Period) -> tuple[str, str]:
    return Period(period.since, period.since).in_words(), Period(period.until, period.until).in_words()


def _figure(measure: Measure, counts: Counts, address: str) -> Figure:
    return Figure(measure.hits(counts), measure.trials(counts), address)


def _mix(chosen: Chosen, pieces: Sequence[Piece], frame: tuple[int, tuple[str, str]]) -> SafeString:
    bases = [(name, key, title.lower(), narrowed(chosen, [("source", key)])) for name, key, title in SOURCES]
    columns = []
    for piece in pieces:
        figures = [(key, title, _source_figure(piece.counts, name, f"{base}&{piece.days}")) for name, key, title, base in bases]
        parts = [(key, each.share or 0.0, each.address, f"{piece.words}, {title}: {each.percent}") for key, title, each in figures]
        columns.append(Column(piece.place, parts))
    return draw_columns(columns, *frame)


def _source_figure(counts: Counts, name: str, address: str) -> Figure:
    return Figure(counts.get(name, 0), counts.get("answers", 0), address)


def _section(section: totals.Section, chosen: Chosen) -> SectionRow:
    address = queue_address(chosen, [("section", section.name)])
    return SectionRow(section.name, Figure(min(section.answers, section.given), section.given, address))


def _combinations(cells: Sequence[Cell], period: Period, calibrated: Mapping[tuple[str, str], Calibrated]) -> list[Combination]:
    """Those with the most answers first."""
    by_name: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells:
        by_name.setdefault((cell.model, cell.prompt), []).append(cell)
    summed = {name: _sum(found) for name, found in by_name.items()}
    ordered = sorted(summed.items(), key=lambda each: (-each[1]["answers"], each[0]))
    return [_combination(*name, counts, period, calibrated.get(name)) for name, counts in ordered if counts["answers"]]


def _combination(model: str, prompt: str, counts: Counts, period: Period, calibrated: Calibrated | None) -> Combination:
    chosen = Chosen(period, model, prompt)
    figures = [_figure(measure, counts, queue_address(chosen, measure.query)) for measure in MEASURES]
    page, address = page_address(chosen), queue_address(chosen)
    return Combination(model, prompt, page, address, counts["answers"], figures, counts["submitted"], counts["labels"], calibrated)
