"""Rows that several people have labelled, as statistics need them. Answers whose reviews are not all in are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet

from attribution import calibration
from attribution.calibration import Agreement, Coefficient, cohen_kappa
from reviewers.accounts.models import Organisation
from reviewers.review.citations import CitationKey
from reviewers.review.models import CitationLabel, Label, Phase, Plan, QueueItem, Submission

_UNJUDGED = ("none", "cannot_judge")
_SAID = ("reviewer_id", "verdict", "snapshot__conversation_id")


@dataclass(frozen=True, slots=True)
class Rating:
    """One row of one answer with the verdict of each reviewer who has judged it. A citation has neither section nor type.

    ``conversation`` names the conversation; of an answer that stands in none, the answer itself.
    """

    section: str
    field_type: str
    verdicts: Mapping[UUID, str]
    conversation: str


def reviewed_items(organisation: Organisation, plan: Plan | None, since: datetime | None) -> QuerySet[QueueItem]:
    """The answers that several were to review, and all of them have: of a plan, or of all since a moment."""
    items = QueueItem.objects.filter(organisation=organisation, overlap__gt=1).exclude(phase=Phase.INDEPENDENT)
    if plan is not None:
        items = items.filter(plan=plan)
    return items.filter(submitted_at__gte=since) if since else items


def load_field_ratings(items: QuerySet[QueueItem]) -> list[Rating]:
    """Their rows of fields."""
    key = ("snapshot_id", "section", "path")
    return [
        Rating(first["section"], first["shown__field_type"] or "", verdicts, _conversation(first))
        for first, verdicts in _grouped(_counting(Label, items, key).values(*key, *_SAID, "shown__field_type"), key)
    ]


def load_citation_ratings(items: QuerySet[QueueItem]) -> list[Rating]:
    """Their citations of documents."""
    key = ("snapshot_id", *CitationKey._fields)
    rows = _counting(CitationLabel, items, key).values(*key, *_SAID)
    return [Rating("", "", verdicts, _conversation(first)) for first, verdicts in _grouped(rows, key)]


def _conversation(row: Mapping[str, Any]) -> str:
    return row["snapshot__conversation_id"] or str(row["snapshot_id"])


def _counting(kind: type[Label | CitationLabel], items: QuerySet[QueueItem], key: tuple[str, ...]) -> QuerySet[Any]:
    """The newest label of each row by each reviewer whose review counts."""
    reviews = Submission.objects.filter(snapshot=OuterRef("snapshot"), reviewer=OuterRef("reviewer"), round=F("snapshot__item__round"))
    labels = kind.objects.filter(Exists(reviews), snapshot__item__in=items)
    return labels.order_by(*key, "reviewer_id", "-id").distinct(*key, "reviewer_id")


def _grouped(rows: Iterable[Mapping[str, Any]], key: tuple[str, ...]) -> Iterator[tuple[Mapping[str, Any], dict[UUID, str]]]:
    """Rows by what they are about, each with who said what; what nobody could judge is left out."""
    table: dict[tuple[Any, ...], tuple[Mapping[str, Any], dict[UUID, str]]] = {}
    for row in rows:
        if row["verdict"] not in _UNJUDGED:
            table.setdefault(tuple(row[name] for name in key), (row, {}))[1][row["reviewer_id"]] = row["verdict"]
    return iter(table.values())


# Ratings in, figures out: pure functions over the statistics of ``attribution.calibration``.


FEWEST = 20
"""Below so many rows judged by two nothing is told: an interval that holds nearly everything misleads more than it tells."""

FEWEST_CALLED_SO = 10
"""The same of rows that anybody has called right, or wrong, for agreement on these."""

UNKNOWN = Coefficient(None, None)


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """Agreement on some rows. ``positive`` and ``negative`` are that on what is right and what is wrong; ``cohen`` is of two people only.

    ``is_enough`` says whether there are rows enough to tell anything.
    """

    name: str
    rows: int
    percent: Coefficient
    positive: Coefficient
    negative: Coefficient
    cohen: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    ac1: Coefficient

    @property
    def is_enough(self) -> bool:
        """Whether anything can be told."""
        return self.rows >= FEWEST

    @property
    def figures(self) -> Sequence[Coefficient]:
        """In the order of the columns."""
        return self.percent, self.positive, self.negative, self.cohen, self.fleiss, self.alpha, self.ac1


@dataclass(frozen=True, slots=True)
class Poles:
    """The verdicts that say right and wrong of a kind of row."""

    right: str
    wrong: str


FIELDS, CITATIONS = Poles("correct", "wrong"), Poles("supports", "does_not_support")


def agreement_on(ratings: Sequence[Rating]) -> Agreement:
    """All of it, of rows with two verdicts or more. Intervals are over conversations: rows of one are not independent."""
    groups = [rating.conversation for rating in ratings]
    return calibration.agreement((rating.verdicts.values() for rating in ratings), groups=groups)


def line_of(name: str, ratings: Sequence[Rating], poles: Poles = FIELDS) -> AgreementLine:
    """One line of the table."""
    found = agreement_on(ratings)
    return AgreementLine(
        name=name,
        rows=found.items,
        percent=found.percent,
        positive=_on(poles.right, found, ratings),
        negative=_on(poles.wrong, found, ratings),
        cohen=_cohen(ratings),
        fleiss=found.fleiss,
        alpha=found.alpha,
        ac1=found.ac1,
    )


def lines_by(ratings: Sequence[Rating], name: Callable[[Rating], str]) -> list[AgreementLine]:
    """A line for each group, the largest first."""
    groups: dict[str, list[Rating]] = {}
    for rating in ratings:
        groups.setdefault(name(rating), []).append(rating)
    return sorted((line_of(each, rows) for each, rows in groups.items()), key=lambda line: (-line.rows, line.name))


def called(verdict: str, ratings: Sequence[Rating]) -> int:
    """How many of the rows with two verdicts anybody has called so."""
    return sum(len(rating.verdicts) > 1 and verdict in rating.verdicts.values() for rating in ratings)


def _on(verdict: str, found: Agreement, ratings: Sequence[Rating]) -> Coefficient:
    """Agreement on one verdict, unless it was hardly ever given."""
    return found.by_verdict.get(verdict, UNKNOWN) if called(verdict, ratings) >= FEWEST_CALLED_SO else UNKNOWN


def _cohen(ratings: Sequence[Rating]) -> Coefficient:
    """Kappa of two people; of more there is none."""
    rated = [rating for rating in ratings if len(rating.verdicts) > 1]
    people = sorted({person for rating in rated for person in rating.verdicts}, key=str)
    if len(people) != 2:
        return UNKNOWN
    one, other = people
    pairs = [(rating.verdicts[one], rating.verdicts[other]) for rating in rated]
    return cohen_kappa(pairs, groups=[rating.conversation for rating in rated])
