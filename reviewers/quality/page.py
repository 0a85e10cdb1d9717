"""The quality page: shares of answers and of citations with their intervals and links to the queue, ready for the template."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from django.utils.safestring import SafeString

from attribution.calibration import Interval, wilson
from reviewers.accounts.models import Membership
from reviewers.calibration.queries import CombinationStatus, calibration_by_name
from reviewers.quality import queries
from reviewers.quality.abstentions import Abstentions, read_abstentions
from reviewers.quality.charts import Dot, StackedBar, draw_columns, draw_line
from reviewers.quality.models import COLOURS, FAILURES, FIGURES
from reviewers.quality.queries import MOST_ROWS, ModelCounts, Period, Selection, days, narrowed, page_address, queue_address
from reviewers.review.masking.masks import mask_key
from reviewers.review.models import OTHER_NAMES
from reviewers.snapshots.field_labels import section_label
from reviewers.web.jinja import percent

Counts = Mapping[str, int]
"""Counts by the names of figures."""

FEW = 20
"""A share of fewer answers is drawn hollow."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A share of answers or citations, and the filters of the queue (``query``) that find the answers it counts.

    The share is of what any of ``among`` counts. ``within`` counts the answers that have these, where they are no answers themselves: an
    interval takes all citations of an answer for one. ``leads_to`` describes the answers that the queue shows, if they are not
    those counted.
    """

    key: str
    title: str
    says: str
    counts: Sequence[str]
    query: Sequence[tuple[str, str]]
    among: Sequence[str] = ("answers",)
    leads_to: str = ""
    within: str = ""

    def hits(self, counts: Counts) -> int:
        """Return the number of answers or citations that the measure counts."""
        return sum(counts.get(name, 0) for name in self.counts)

    def trials(self, counts: Counts) -> int:
        """Return the number of answers or citations that the share is of."""
        return sum(counts.get(name, 0) for name in self.among)

    def independent(self, counts: Counts) -> int:
        """Return the number of these that tell of each other only by chance: the answers that have them, at most."""
        return min(self.trials(counts), counts.get(self.within, 0)) if self.within else self.trials(counts)


def _guardrail(code: str, title: str, says: str) -> Measure:
    return Measure(code, title, says, (code,), (("guardrail", code),))


def _colour(name: str, says: str) -> Measure:
    with_others = f"all of this validity, also those that were not sent: {says}"
    return Measure(name, f"Validity {name}", says, (name,), (("validity", name),), tuple(COLOURS), with_others)


def _failure(name: str, title: str, says: str, among: str = "citations") -> Measure:
    issue = FAILURES[name].removeprefix("issue:")
    return Measure(name, title, says, (name,), (("issue", issue),), (among,), "all with this finding, also those not sent", "citing")


OF_FIELDS = (
    Measure(
        "adoption",
        "Adoption",
        "answers with a citation that resolves",
        ("by_citation", "by_mixed"),
        (("source", "citation"), ("source", "mixed")),
    ),
    _guardrail("contradicted", "Contradiction", "answers that contradict the record"),
    _guardrail("unknown", "Unknown fields", "answers that cite a field that does not exist"),
    _guardrail("over_cited", "Over-citation", "answers with too many citations for their length"),
    _guardrail("duplicate", "Duplicates", "answers that cite a field twice"),
    _guardrail("hidden", "Hidden sections", "answers that cite what was withheld from the prompt"),
    _guardrail("echoed", "Echoed markers", "answers that repeat a marker they were given"),
)

OF_DOCUMENTS = (
    Measure(
        "coverage",
        "Citation coverage",
        "answers given with documents that cite some by themselves",
        ("citing",),
        (("validity", "red"),),
        tuple(COLOURS),
        "those that cite none",
    ),
    _colour("green", "answers that cite enough, of those sent with documents"),
    _colour("yellow", "answers that cite little, or with a check that failed"),
    _colour("red", "answers that cite nothing, of those sent with documents"),
    _failure("opposed", "Opposed citations", "citations whose source seems to say the opposite"),
    _failure("unquoted", "Quotes not found", "citations with a quote that is not in their source, of those that quote", "quotes"),
    _failure("unsupported", "Unsupported figures", "citations for a figure that is not in their source"),
    Measure(
        "well_sourced",
        "Well sourced",
        "answers whose three sources on top are of tier 1 or 2, of those that cite",
        ("well_sourced",),
        (("validity", "green"), ("validity", "yellow")),
        ("citing",),
        "all that cite",
    ),
    Measure(
        "withheld", "Abstention", "answers withheld, of those with documents", ("withheld",), (("answer", "withheld"),), ("documented",)
    ),
    Measure(
        "repaired", "Repair", "answers that had documents attached afterwards", ("repaired",), (("answer", "repaired"),), ("documented",)
    ),
    Measure(
        "found_afterwards",
        "Found afterwards",
        "answers for which a search found citations, of those with documents",
        ("found_afterwards",),
        (("validity", "red"),),
        ("documented",),
        "those that cite none themselves",
    ),
)

OF_REVIEWS = (
    Measure(
        "not_in_record",
        "Not in the record",
        "reviewed answers in which a reviewer found a claim that nothing in the record supports",
        ("not_in_record",),
        (("unsupported", "on"),),
        ("submitted",),
    ),
)

MEASURES = (*OF_FIELDS, *OF_DOCUMENTS, *OF_REVIEWS)

SOURCES = (
    ("by_citation", "citation", "Citation"),
    ("by_mixed", "mixed", "Mixed"),
    ("by_heuristic", "heuristic", "Heuristic"),
    ("by_none", "none", "None"),
)
"""The parts of the source mix: figure, value of the queue's filter, title."""


@dataclass(frozen=True, slots=True)
class QualityShare:
    """A share of answers or citations with its interval and the address of the answers it counts.

    ``independent`` is the number of trials that tell of each other only by chance, if those are not all: citations of one answer do.
    """

    hits: int
    trials: int
    address: str
    independent: int | None = None

    @property
    def counting(self) -> int:
        """The number of trials that an interval rests on."""
        return self.trials if self.independent is None else self.independent

    @property
    def share(self) -> float | None:
        """The share, or None if there are no answers."""
        return self.hits / self.trials if self.trials > 0 else None

    @property
    def interval(self) -> Interval:
        """The 90% Wilson interval of the share."""
        return wilson(self.hits * self.counting / self.trials, self.counting) if self.trials > 0 else wilson(0, 0)

    @property
    def is_few(self) -> bool:
        """True if the share is of too few answers to say much."""
        return self.counting < FEW

    @property
    def percent(self) -> str:
        """The share as a percentage."""
        return percent(self.share)

    @property
    def counted(self) -> str:
        """The counts in words: ``3 of 1,204``."""
        return f"{self.hits:,} of {self.trials:,}"

    @property
    def reach(self) -> str:
        """The interval in words: ``2–11%``."""
        low, high = (percent(bound) for bound in self.interval)
        return f"{low.removesuffix('%')}–{high}"


@dataclass(frozen=True, slots=True)
class Panel:
    """A measure with its chart and its figure of the whole period."""

    measure: Measure
    whole: QualityShare
    picture: SafeString


@dataclass(frozen=True, slots=True)
class TableRow:
    """A piece of the period in the table, with a figure for each measure."""

    words: str
    address: str
    answers: int
    figures: Sequence[QualityShare]


@dataclass(frozen=True, slots=True)
class CombinationRow:
    """A model with a prompt version over the whole period. ``calibration`` is None if only earlier engines have seen it."""

    model: str
    prompt: str
    page: str
    address: str
    answers: int
    figures: Sequence[QualityShare]
    density: float | None
    submitted: int
    labels: int
    calibration: CombinationStatus | None

    @property
    def of_fields(self) -> Sequence[QualityShare]:
        """The figures of what answers say of the context."""
        return self.figures[: len(OF_FIELDS)]

    @property
    def of_documents(self) -> Sequence[QualityShare]:
        """The figures of citations of documents."""
        return self.figures[len(OF_FIELDS) : -len(OF_REVIEWS)]

    @property
    def has_documents(self) -> bool:
        """True if any answer was given with documents."""
        return any(figure.trials > 0 for figure in self.of_documents)


@dataclass(frozen=True, slots=True)
class SectionRow:
    """A section with the share of the answers given it that draw on it; empty if it is not known which answers were given it."""

    name: str
    label: str
    figure: QualityShare


@dataclass(frozen=True, slots=True)
class PeriodPiece:
    """A piece of the period at its ``place``: in words, as a query of the queue, and with its counts."""

    place: int
    words: str
    days: str
    counts: Counts


@dataclass(frozen=True, slots=True)
class QualityPage:
    """Everything on the quality page.

    ``left_out`` answers are in no figure. ``abstentions`` are None if no answer was withheld. ``has_other_names`` is true if some names of
    the period are counted together.
    """

    chosen: Selection
    counts: Counts
    address: str
    left_out: int
    panels: Sequence[Panel]
    mix: SafeString
    mix_whole: Sequence[tuple[str, str, QualityShare]]
    sections: Sequence[SectionRow]
    table: Sequence[TableRow]
    combinations: Sequence[CombinationRow]
    abstentions: Abstentions | None
    has_other_names: bool

    @property
    def density(self) -> float | None:
        """The citation density: the citations for each sentence of the answers that cite; None where none does."""
        return _density(self.counts)

    @property
    def of_fields(self) -> Sequence[Panel]:
        """The panels of what answers say of the context."""
        return self.panels[: len(OF_FIELDS)]

    @property
    def of_documents(self) -> Sequence[Panel]:
        """The panels of citations of documents."""
        return self.panels[len(OF_FIELDS) : -len(OF_REVIEWS)]

    @property
    def of_reviews(self) -> Sequence[Panel]:
        """The panels of what reviewers found."""
        return self.panels[-len(OF_REVIEWS) :]


def load_page(by: Membership, chosen: Selection) -> QualityPage:
    """Load the quality page, with three queries, and another where answers were withheld."""
    cells = queries.read_cells(by, chosen.period)
    mine = [cell for cell in cells if chosen.model in (None, cell.model) and chosen.prompt in (None, cell.prompt)]
    pieces, whole = _pieces(chosen.period, mine), _sum(mine)
    figures = {measure: _figures(measure, chosen, pieces) for measure in MEASURES}
    sections = queries.read_sections(by, chosen)
    frame = (len(chosen.period.pieces()), _ends(chosen.period))
    return QualityPage(
        chosen=chosen,
        counts=whole,
        address=queue_address(chosen),
        left_out=sum(cell.left_out for cell in mine),
        panels=[
            Panel(measure, figure_of(measure, whole, queue_address(chosen, measure.query)), draw_line(_dots(pieces, found), *frame))
            for measure, found in figures.items()
        ],
        mix=_mix(chosen, pieces, frame),
        mix_whole=[(key, title, _source_figure(whole, name, queue_address(chosen, [("source", key)]))) for name, key, title in SOURCES],
        sections=[_section(each, chosen, masks_keys=by.is_external) for each in sections],
        table=[
            TableRow(piece.words, f"{narrowed(chosen)}&{piece.days}", piece.counts["answers"], row)
            for piece, *row in zip(pieces, *figures.values(), strict=True)
        ],
        combinations=_combinations(by, cells, chosen.period),
        abstentions=read_abstentions(by, chosen) if whole.get("withheld") else None,
        has_other_names=any(OTHER_NAMES in (cell.model, cell.prompt) for cell in cells)
        or any(each.name == OTHER_NAMES for each in sections),
    )


def _pieces(period: Period, cells: Sequence[ModelCounts]) -> list[PeriodPiece]:
    """Return the pieces of the period that have answers."""
    by_day: dict[date, list[ModelCounts]] = {}
    for cell in cells:
        by_day.setdefault(cell.since, []).append(cell)
    pieces = [
        PeriodPiece(place, each.in_words(), days(each), _sum(by_day.get(each.since, ()))) for place, each in enumerate(period.pieces())
    ]
    return [piece for piece in pieces if piece.counts.get("answers")]


def _sum(cells: Collection[ModelCounts]) -> Counts:
    return dict(zip(FIGURES, map(sum, zip(*(cell.counts for cell in cells), strict=True)), strict=True)) if cells else {}


def _figures(measure: Measure, chosen: Selection, pieces: Sequence[PeriodPiece]) -> list[QualityShare]:
    base = narrowed(chosen, measure.query)
    return [figure_of(measure, piece.counts, f"{base}&{piece.days}") for piece in pieces]


class TrendLine(NamedTuple):
    """A line as a picture and in words."""

    drawn: SafeString
    words: str


def line_of(measure: Measure, chosen: Selection, cells: Sequence[ModelCounts]) -> TrendLine:
    """Return the line of a measure over a selection's period, of whose counts these are all."""
    pieces = _pieces(chosen.period, cells)
    return _line(chosen.period, _dots(pieces, _figures(measure, chosen, pieces)))


def line_through(period: Period, figures: Mapping[date, QualityShare]) -> TrendLine:
    """Return the line through figures by the first day of their piece of a period."""
    pieces = [PeriodPiece(place, each.in_words(), "", {}) for place, each in enumerate(period.pieces()) if each.since in figures]
    return _line(period, _dots(pieces, [figures[each.since] for each in period.pieces() if each.since in figures]))


def _line(period: Period, dots: Sequence[Dot]) -> TrendLine:
    return TrendLine(draw_line(dots, len(period.pieces()), _ends(period)), "; ".join(dot.title for dot in dots) or "no answers")


def _dots(pieces: Sequence[PeriodPiece], figures: Sequence[QualityShare]) -> list[Dot]:
    return [_dot(piece, figure) for piece, figure in zip(pieces, figures, strict=True) if figure.trials > 0]


def _dot(piece: PeriodPiece, figure: QualityShare) -> Dot:
    title = f"{piece.words}: {figure.percent}, {figure.hits:,} of {figure.trials:,}"
    return Dot(piece.place, figure.share or 0.0, *figure.interval, figure.is_few, figure.address, title)


def _ends(period: Period) -> tuple[str, str]:
    return Period(period.since, period.since).in_words(), Period(period.until, period.until).in_words()


def figure_of(measure: Measure, counts: Counts, address: str) -> QualityShare:
    """Return the figure of a measure, which leads to an address."""
    return QualityShare(measure.hits(counts), measure.trials(counts), address, measure.independent(counts))


def _mix(chosen: Selection, pieces: Sequence[PeriodPiece], frame: tuple[int, tuple[str, str]]) -> SafeString:
    bases = [(name, key, title.lower(), narrowed(chosen, [("source", key)])) for name, key, title in SOURCES]
    columns = []
    for piece in pieces:
        figures = [(key, title, _source_figure(piece.counts, name, f"{base}&{piece.days}")) for name, key, title, base in bases]
        parts = [(key, each.share or 0.0, each.address, f"{piece.words}, {title}: {each.percent}") for key, title, each in figures]
        columns.append(StackedBar(piece.place, parts))
    return draw_columns(columns, *frame)


def _density(counts: Counts) -> float | None:
    sentences = counts.get("sentences", 0)
    return counts.get("citations", 0) / sentences if sentences > 0 else None


def _source_figure(counts: Counts, name: str, address: str) -> QualityShare:
    return QualityShare(counts.get(name, 0), counts.get("answers", 0), address)


def _section(section: queries.SectionUse, chosen: Selection, *, masks_keys: bool) -> SectionRow:
    """Return a section. A masked one leads to all answers: no list is narrowed by its name."""
    name = mask_key(section.name) if masks_keys and section.name != OTHER_NAMES else section.name
    address = queue_address(chosen, [("section", name)] if name == section.name else ())
    return SectionRow(name, section_label(name), QualityShare(min(section.answers, section.given), section.given, address))


def _combinations(by: Membership, cells: Sequence[ModelCounts], period: Period) -> list[CombinationRow]:
    """Return the combinations of model and prompt version, those with the most answers first, as many as a table has."""
    by_name: dict[tuple[str, str], list[ModelCounts]] = {}
    for cell in cells:
        by_name.setdefault((cell.model, cell.prompt), []).append(cell)
    summed = {name: _sum(found) for name, found in by_name.items()}
    ordered = sorted(summed.items(), key=lambda each: (-each[1]["answers"], each[0]))
    shown = [(name, counts) for name, counts in ordered if counts["answers"]][:MOST_ROWS]
    calibrated = calibration_by_name(by.organisation_id, [name for name, _ in shown])
    return [_combination(*name, counts, period, calibrated.get(name)) for name, counts in shown]


def _combination(model: str, prompt: str, counts: Counts, period: Period, calibrated: CombinationStatus | None) -> CombinationRow:
    chosen = Selection(period, model, prompt)
    figures = [figure_of(measure, counts, queue_address(chosen, measure.query)) for measure in MEASURES]
    page, address = page_address(chosen), queue_address(chosen)
    return CombinationRow(
        model, prompt, page, address, counts["answers"], figures, _density(counts), counts["submitted"], counts["labels"], calibrated
    )
