"""Whether reviewers notice what is known to be wrong, and how fast they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet

from attribution.calibration import Attention, attention
from reviewers.accounts.models import Membership
from reviewers.review.models import Label, QueueItem, Submission, Truth
from reviewers.review.plan_models import GoldRow
from reviewers.review.plans.visibility import sees_attention_of_all

_BREAK = timedelta(minutes=5)
"""Whoever gives no label for so long does something else."""

Gold = tuple[bool, bool]
"""Whether a seeded row is right, and whether it was called right."""


@dataclass(frozen=True, slots=True)
class Reviewer:
    """How somebody does: reviews that count, what they said of seeded rows, the median of seconds from one label to the next."""

    name: str
    is_viewer: bool
    reviews: int
    gold: Sequence[Gold]
    seconds: float | None

    @property
    def attention(self) -> Attention:
        """Shares of the right and the wrong ones that were seen, with intervals."""
        return attention(self.gold)

    @property
    def wrong(self) -> int:
        """How many of the seeded rows are wrong."""
        return sum(not truth for truth, _ in self.gold)

    @property
    def caught(self) -> int:
        """How many of these were called wrong."""
        return sum(not truth and not said for truth, said in self.gold)


def load_reviewers(items: QuerySet[QueueItem], by: Membership) -> list[Reviewer]:
    """Everybody whose figures a member may see, by name; the own ones first. In three statements."""
    reviews = Submission.objects.filter(snapshot__item__in=items, round=F("snapshot__item__round")).select_related("reviewer")
    if not sees_attention_of_all(by):
        reviews = reviews.filter(reviewer=by.user_id)
    people: dict[UUID, list[Submission]] = {}
    for review in reviews:
        people.setdefault(review.reviewer_id, []).append(review)
    gold, seconds = _gold_of(items, list(people)), _seconds_of(items, list(people))
    rows = [Reviewer(own[0].reviewer.name, pk == by.user_id, len(own), gold.get(pk, ()), seconds.get(pk)) for pk, own in people.items()]
    return sorted(rows, key=lambda row: (not row.is_viewer, row.name))


def load_gold(items: QuerySet[QueueItem]) -> list[Gold]:
    """What everybody together said of seeded rows. In one statement."""
    return [each for its in _gold_of(items, None).values() for each in its]


def _gold_of(items: QuerySet[QueueItem], people: Sequence[UUID] | None) -> Mapping[UUID, Sequence[Gold]]:
    """What was said of seeded rows when the review was submitted: afterwards it is told which they are. So of first rounds only."""
    seeded = GoldRow.objects.filter(
        drawn__item=OuterRef("snapshot"), drawn__plan=F("drawn__item__plan"), section=OuterRef("section"), path=OuterRef("path")
    )
    names = ("reviewer_id", "snapshot_id", "section", "path")
    labels = _before_submission(items, people).filter(Exists(seeded)).order_by(*names, "-id").distinct(*names)
    right = Exists(seeded.filter(is_right=True))
    table: dict[UUID, list[Gold]] = {}
    for reviewer_id, truth, is_right in labels.annotate(is_right=right).values_list("reviewer_id", "truth", "is_right"):
        if truth in (Truth.USED, Truth.NOT_USED):
            table.setdefault(reviewer_id, []).append((is_right, truth == Truth.USED))
    return table


def _seconds_of(items: QuerySet[QueueItem], people: Sequence[UUID]) -> Mapping[UUID, float]:
    """The median of the times between labels of one review, without breaks; labels given by one action count once."""
    given = _before_submission(items, people).order_by("reviewer_id", "snapshot_id", "created_at")
    moments: dict[tuple[UUID, UUID], list[datetime]] = {}
    for reviewer_id, item_id, moment in given.values_list("reviewer_id", "snapshot_id", "created_at"):
        moments.setdefault((reviewer_id, item_id), []).append(moment)
    gaps: dict[UUID, list[float]] = {}
    for (reviewer_id, _), given_at in moments.items():
        passed = (after - before for before, after in pairwise(given_at))
        gaps.setdefault(reviewer_id, []).extend(gap.total_seconds() for gap in passed if timedelta() < gap < _BREAK)
    return {reviewer_id: median(each) for reviewer_id, each in gaps.items() if each}


def _before_submission(items: QuerySet[QueueItem], people: Sequence[UUID] | None) -> QuerySet[Label]:
    """Labels as they were given, of reviews in the first round; of some people, or of all."""
    review = Submission.objects.filter(
        Q(submitted_at__gte=OuterRef("created_at")), snapshot=OuterRef("snapshot"), reviewer=OuterRef("reviewer"), round=1
    )
    given = Label.objects.filter(Exists(review), snapshot__item__in=items.filter(round=1))
    return given if people is None else given.filter(reviewer__in=people)
