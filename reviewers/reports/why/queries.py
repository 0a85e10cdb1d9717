"""Read suggestions with their finished reviews.

Labels are read only after the review is finished, so that a blind review stays blind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import F, QuerySet
from django.http import Http404

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import NOTHING, Surface, Text, hidden_from
from reviewers.ledger.queries import read_redacted, redacted_of
from reviewers.review.citations import CitationKey
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import FieldKey
from reviewers.review.models import CitationLabel, CitationVerdict, Label, QueueItem, Submission, Verdict
from reviewers.review.plans.visibility import hides_engine_from, viewer_of
from reviewers.review.review_status import ReviewStatus
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.queries import newest_search, read_search
from reviewers.web.masks import MASK

_V = TypeVar("_V", Verdict, CitationVerdict)

MOST_COMPARED = 4
_MOST_BESIDE = 50
NONE_SHOWN: Mapping[UUID, frozenset[Text]] = {}


@dataclass(frozen=True, slots=True)
class GivenLabel(Generic[_V]):
    """A reviewer's newest label of a field or of a citation."""

    verdict: _V
    note: str


@dataclass(frozen=True, slots=True)
class Review:
    """A finished review by one person: labels of fields and of citations."""

    reviewer: str
    submitted_at: datetime
    labels: Mapping[FieldKey, GivenLabel[Verdict]]
    citation_labels: Mapping[CitationKey, GivenLabel[CitationVerdict]]

    @property
    def counts(self) -> Counter[Verdict]:
        """The number of labels of each verdict."""
        return Counter(label.verdict for label in self.labels.values())


def load_reviews(items: Iterable[ReviewItem]) -> dict[UUID, Sequence[Review]]:
    """Return the finished reviews of some answers by snapshot, the oldest first, with three queries."""
    items = list(items)
    finished, masks = [item.id for item in items if item.is_submitted], {item.id for item in items if Text.NOTES in item.hidden}
    labels, citation_labels = _load_labels(finished), _load_citation_labels(finished)
    reviews: dict[UUID, list[Review]] = {}
    present = Submission.objects.filter(snapshot__in=finished, round=F("snapshot__item__round"))
    rows = present.select_related("reviewer").order_by("submitted_at", "id")
    for row in rows:
        by = (row.snapshot_id, row.reviewer_id)
        review = Review(row.reviewer.name, row.submitted_at, labels.get(by, {}), citation_labels.get(by, {}))
        reviews.setdefault(row.snapshot_id, []).append(_masked(review) if row.snapshot_id in masks else review)
    return dict(reviews)


def _masked(review: Review) -> Review:
    """Return the review with masked notes."""
    labels = {key: replace(each, note=MASK if each.note else "") for key, each in review.labels.items()}
    citation_labels = {key: replace(each, note=MASK if each.note else "") for key, each in review.citation_labels.items()}
    return replace(review, labels=labels, citation_labels=citation_labels)


def _load_labels(finished: Sequence[UUID]) -> dict[tuple[UUID, UUID], dict[FieldKey, GivenLabel[Verdict]]]:
    """Return the newest label by each person on each field, by snapshot and reviewer, without withdrawn labels."""
    newest = Label.objects.filter(snapshot__in=finished).order_by("snapshot_id", "reviewer_id", "section", "path", "-id")
    rows = newest.distinct("snapshot_id", "reviewer_id", "section", "path")
    table: dict[tuple[UUID, UUID], dict[FieldKey, GivenLabel[Verdict]]] = {}
    for snapshot_id, reviewer_id, section, path, verdict, note in rows.values_list(
        "snapshot_id", "reviewer_id", "section", "path", "verdict", "note"
    ):
        if verdict != Verdict.NONE or note:
            table.setdefault((snapshot_id, reviewer_id), {})[section, path] = GivenLabel(Verdict(verdict), note)
    return table


def _load_citation_labels(finished: Sequence[UUID]) -> dict[tuple[UUID, UUID], dict[CitationKey, GivenLabel[CitationVerdict]]]:
    """Return the newest label by each person on each citation, by snapshot and reviewer, without withdrawn labels."""
    names = ("snapshot_id", "reviewer_id", *CitationKey._fields)
    rows = CitationLabel.objects.filter(snapshot__in=finished).order_by(*names, "-id").distinct(*names)
    table: dict[tuple[UUID, UUID], dict[CitationKey, GivenLabel[CitationVerdict]]] = {}
    for snapshot_id, reviewer_id, *key, verdict, note in rows.values_list(*names, "verdict", "note"):
        if verdict != CitationVerdict.NONE or note:
            label = GivenLabel(CitationVerdict(verdict), note)
            table.setdefault((snapshot_id, reviewer_id), {})[CitationKey(*key)] = label
    return table


@dataclass(frozen=True, slots=True)
class OtherSuggestion:
    """An answer of a conversation that names a provider."""

    id: UUID
    provider: str
    answered_at: datetime


def suggestions_of(organisation_id: UUID) -> QuerySet[Snapshot]:
    """Return the snapshots that suggest a provider, according to their records (decision 28)."""
    return Snapshot.objects.filter(organisation=organisation_id).exclude(provider="")


def load_suggestion(member: Membership, snapshot_id: UUID, surface: Surface, shown: frozenset[Text] = NOTHING) -> ReviewItem:
    """Return an answer of the member's organisation that suggests a provider.

    Raise 404 if there is none, and PermissionDenied if the member is to review it blind.
    """
    found = load_suggestions(member, [snapshot_id], surface, {snapshot_id: shown})
    if not found and QueueItem.objects.filter(organisation=member.organisation_id, pk=snapshot_id).exclude(snapshot__provider="").exists():
        raise PermissionDenied("This answer is under blind review: why it says what it says is shown once you have submitted yours.")
    if not found:
        raise Http404
    return found[0]


def load_suggestions(
    member: Membership, snapshot_ids: Iterable[UUID], surface: Surface, shown: Mapping[UUID, frozenset[Text]] = NONE_SHOWN
) -> list[ReviewItem]:
    """Return suggestions in chronological order with one query, without those that the member is to review blind.

    No labels are loaded: pages show only those of finished reviews. Texts are masked by the member's role and the surface; ``shown`` are
    kinds of text that the member has revealed, by snapshot.
    """
    rows = QueueItem.objects.filter(organisation=member.organisation_id, pk__in=list(snapshot_ids)).exclude(snapshot__provider="")
    rows = rows.exclude(hides_engine_from(viewer_of(member)))
    related = rows.select_related("snapshot", "attribution__documents").annotate(
        searched=newest_search("attribution_id"), gone=redacted_of("pk"), unbelieved=F("organisation__suspended_profiles")
    )
    found = related.order_by("answered_at", "pk")
    hidden = hidden_from(member, surface)
    return [_item(row, hidden - shown.get(row.pk, NOTHING)) for row in found]


def _item(row: Any, hidden: frozenset[Text]) -> ReviewItem:
    search, suspended = read_search(row.searched), frozenset(row.unbelieved)
    return ReviewItem(row, ReviewStatus(), (), search=search, redacted=read_redacted(row.gone), suspended=suspended, hidden=hidden)


def list_beside(snapshot: Snapshot) -> list[OtherSuggestion]:
    """Return the suggestions in the same conversation, including this one, the oldest first."""
    if not snapshot.conversation_id:
        return [OtherSuggestion(snapshot.pk, snapshot.provider, snapshot.answered_at)]
    same = suggestions_of(snapshot.organisation_id).filter(conversation_id=snapshot.conversation_id)
    rows = same.order_by("answered_at", "id").values_list("id", "provider", "answered_at")
    return [OtherSuggestion(*row) for row in rows[:_MOST_BESIDE]]


def first_of_each(beside: Iterable[OtherSuggestion], own: str) -> list[UUID]:
    """Return the first suggestion of each provider, at most as many as can be compared; ``own`` is always among them."""
    first: dict[str, UUID] = {}
    for each in beside:
        first.setdefault(each.provider, each.id)
    others = [pk for provider, pk in first.items() if provider != own]
    return [first[own], *others[: MOST_COMPARED - 1]]
