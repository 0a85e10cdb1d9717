"""Ratings of items by several people, and the agreement statistics over them. Items whose reviews are not all in are left out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, F, OuterRef, QuerySet

from attribution import calibration
from attribution.calibration import Agreement, Coefficient, cohen_kappa
from reviewers.accounts.models import Organisation
from reviewers.review.labels.queries import ClaimKey, together
from reviewers.review.models import CitationLabel, ClaimVerdict, Label, Phase, Plan, QueueItem, Submission, UnsupportedClaim
from reviewers.snapshots.citations import CitationKey

_UNJUDGED = ("none", "cannot_judge")
_SAID = ("reviewer_id", "verdict", "snapshot__conversation_id")


@dataclass(frozen=True, slots=True)
class Rating:
    """One field or citation of one answer, with the verdict of each reviewer who has judged it.

    A citation has neither section nor type. ``conversation`` names the conversation, or the answer itself if it is not part of one.
    """

    section: str
    field_type: str
    verdicts: Mapping[UUID, str]
    conversation: str


def reviewed_items(organisation: Organisation, plan: Plan | None, since: datetime | None) -> QuerySet[QueueItem]:
    """Return the items that need several reviews and have all of them: of a plan, or since a moment."""
    items = QueueItem.objects.filter(organisation=organisation, overlap__gt=1).exclude(phase=Phase.INDEPENDENT)
    if plan is not None:
        items = items.filter(plan=plan)
    return items.filter(submitted_at__gte=since) if since else items


def load_field_ratings(items: QuerySet[QueueItem]) -> list[Rating]:
    """Return the ratings of fields. Those of control rows are left out: their truth is known, and agreeing on them is easy."""
    key = ("snapshot_id", "section", "path")
    labels = counting_labels(Label, items, key).exclude(shown__has_key="planted")
    return [
        Rating(first["section"], first["shown__field_type"] or "", verdicts, _conversation(first))
        for first, verdicts in _grouped(labels.values(*key, *_SAID, "shown__field_type"), key)
    ]


def load_citation_ratings(items: QuerySet[QueueItem]) -> list[Rating]:
    """Return the ratings of citations."""
    key = ("snapshot_id", *CitationKey._fields)
    rows = counting_labels(CitationLabel, items, key).values(*key, *_SAID)
    return [Rating("", "", verdicts, _conversation(first)) for first, verdicts in _grouped(rows, key)]


def load_claim_ratings(items: QuerySet[QueueItem]) -> list[Rating]:
    """Return the ratings of unsupported claims. Reviewers who marked no such words have rated the claim as supported."""
    key = ("snapshot_id", *ClaimKey._fields)
    reviews = Submission.objects.filter(snapshot=OuterRef("snapshot"), round=F("snapshot__item__round")).values("reviewer_id")
    labels = counting_labels(UnsupportedClaim, items, key).annotate(reviewers=ArraySubquery(reviews))
    by_item: dict[UUID, list[Mapping[str, Any]]] = {}
    for row in labels.values(*key, *_SAID, "reviewers"):
        if row["verdict"] == ClaimVerdict.UNSUPPORTED:
            by_item.setdefault(row["snapshot_id"], []).append(row)
    return [
        Rating("", "", dict.fromkeys(found[0]["reviewers"], SUPPORTED) | dict.fromkeys(people, UNSUPPORTED), _conversation(found[0]))
        for found in by_item.values()
        for _, people in together((ClaimKey(row["start"], row["end"]), row["reviewer_id"]) for row in found)
    ]


def _conversation(row: Mapping[str, Any]) -> str:
    return row["snapshot__conversation_id"] or str(row["snapshot_id"])


def counting_labels(
    kind: type[Label | CitationLabel | UnsupportedClaim], items: QuerySet[QueueItem], key: tuple[str, ...]
) -> QuerySet[Any]:
    """Return the newest label of each row by each reviewer whose review counts."""
    reviews = Submission.objects.filter(snapshot=OuterRef("snapshot"), reviewer=OuterRef("reviewer"), round=F("snapshot__item__round"))
    labels = kind.objects.filter(Exists(reviews), snapshot__item__in=items)
    return labels.order_by(*key, "reviewer_id", "-id").distinct(*key, "reviewer_id")


def _grouped(rows: Iterable[Mapping[str, Any]], key: tuple[str, ...]) -> Iterator[tuple[Mapping[str, Any], dict[UUID, str]]]:
    """Group labels by row, with the verdict of each reviewer. "Can't judge" is left out."""
    table: dict[tuple[Any, ...], tuple[Mapping[str, Any], dict[UUID, str]]] = {}
    for row in rows:
        if row["verdict"] not in _UNJUDGED:
            table.setdefault(tuple(row[name] for name in key), (row, {}))[1][row["reviewer_id"]] = row["verdict"]
    return iter(table.values())


# Ratings in, figures out: pure functions over the statistics of ``attribution.calibration``.


FEWEST = 20
"""Fewest rows with two verdicts for which figures are shown. With fewer, intervals are so wide that they mislead."""

FEWEST_CALLED_SO = 10
"""Fewest rows to which somebody has given a verdict, for which agreement on that verdict is shown."""

UNKNOWN = Coefficient(None, None)


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """Agreement on some rows.

    ``by_verdict`` is the agreement on each verdict that the kind of row has figures for, under the name of the figure. ``cohen`` exists for
    two reviewers only.
    """

    name: str
    rows: int
    percent: Coefficient
    by_verdict: Mapping[str, Coefficient]
    cohen: Coefficient
    fleiss: Coefficient
    alpha: Coefficient
    ac1: Coefficient

    @property
    def is_enough(self) -> bool:
        """True if there are enough rows to show figures."""
        return self.rows >= FEWEST

    @property
    def figures(self) -> Mapping[str, Coefficient]:
        """Return the figures by name, in the order of the columns."""
        overall = {"cohen": self.cohen, "fleiss": self.fleiss, "alpha": self.alpha, "ac1": self.ac1}
        return {"percent": self.percent, **self.by_verdict, **overall}


WRONG = "wrong"
FIELDS: Mapping[str, str] = {"positive": "correct", "negative": WRONG}
CITATIONS: Mapping[str, str] = {"supports": "supports", "does_not_say": "does_not_say", "contradicts": "contradicts"}
SUPPORTED, UNSUPPORTED = "supported", ClaimVerdict.UNSUPPORTED.value
"""The verdicts on a kind of row that agreement is told of one by one, by the name of the figure."""


def agreement_on(ratings: Sequence[Rating]) -> Agreement:
    """Return the agreement over rows with two verdicts or more.

    Intervals are over conversations, because rows of one conversation are not independent.
    """
    groups = [rating.conversation for rating in ratings]
    return calibration.agreement((rating.verdicts.values() for rating in ratings), groups=groups)


def line_of(name: str, ratings: Sequence[Rating], verdicts: Mapping[str, str] = FIELDS) -> AgreementLine:
    """Return one line of the table."""
    found = agreement_on(ratings)
    return AgreementLine(
        name=name,
        rows=found.items,
        percent=found.percent,
        by_verdict={name: _on(verdict, found, ratings) for name, verdict in verdicts.items()},
        cohen=_cohen(ratings),
        fleiss=found.fleiss,
        alpha=found.alpha,
        ac1=found.ac1,
    )


def line_of_claims(ratings: Sequence[Rating]) -> AgreementLine:
    """Return the line of unsupported claims, with the agreement on them alone.

    Words that nobody marked are no rows, so figures that are about what is supported as well would mislead.
    """
    line = line_of("words not in the record", ratings, {UNSUPPORTED: UNSUPPORTED})
    return replace(line, percent=UNKNOWN, cohen=UNKNOWN, fleiss=UNKNOWN, alpha=UNKNOWN, ac1=UNKNOWN)


def lines_by(ratings: Sequence[Rating], name: Callable[[Rating], str]) -> list[AgreementLine]:
    """Return a line for each group, the largest first."""
    groups: dict[str, list[Rating]] = {}
    for rating in ratings:
        groups.setdefault(name(rating), []).append(rating)
    return sorted((line_of(each, rows) for each, rows in groups.items()), key=lambda line: (-line.rows, line.name))


def called(verdict: str, ratings: Sequence[Rating]) -> int:
    """Return the number of rows with two verdicts or more in which somebody gave this verdict."""
    return sum(len(rating.verdicts) > 1 and verdict in rating.verdicts.values() for rating in ratings)


def _on(verdict: str, found: Agreement, ratings: Sequence[Rating]) -> Coefficient:
    """Return the agreement on one verdict, unless it was given too rarely."""
    return found.by_verdict.get(verdict, UNKNOWN) if called(verdict, ratings) >= FEWEST_CALLED_SO else UNKNOWN


def _cohen(ratings: Sequence[Rating]) -> Coefficient:
    """Return Cohen's kappa if there are exactly two reviewers."""
    rated = [rating for rating in ratings if len(rating.verdicts) > 1]
    people = sorted({person for rating in rated for person in rating.verdicts}, key=str)
    if len(people) != 2:
        return UNKNOWN
    one, other = people
    pairs = [(rating.verdicts[one], rating.verdicts[other]) for rating in rated]
    return cohen_kappa(pairs, groups=[rating.conversation for rating in rated])
