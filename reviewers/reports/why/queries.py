"""What reviewers said of an answer, once its review is finished: before that nobody reads it here, and a blind review stays blind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
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


@dataclass(frozen=True, slots=True)
class Said:
    """What a reviewer said of one value of the record."""

    verdict: Verdict
    note: str


@dataclass(frozen=True, slots=True)
class SaidOfSource:
    """What a reviewer said of one sentence and the document behind it."""

    verdict: CitationVerdict
    note: str


@dataclass(frozen=True, slots=True)
class Review:
    """A finished review of one person: of values of the record, and of documents."""

    reviewer: str
    submitted_at: datetime
    said: Mapping[FieldKey, Said]
    said_of_sources: Mapping[CitationKey, SaidOfSource]

    @property
    def counts(self) -> Counter[Verdict]:
        """How often each verdict was given."""
        return Counter(said.verdict for said in self.said.values())


def load_reviews(items: Iterable[ReviewItem]) -> dict[UUID, Sequence[Review]]:
    """The finished reviews of some answers, the oldest first, in three statements."""
    items = list(items)
    finished, masks = [item.id for item in items if item.is_submitted], {item.id for item in items if Text.NOTES in item.hidden}
    said, of_sources = _load_said(finished), _load_said_of_sources(finished)
    reviews: dict[UUID, list[Review]] = {}
    present = Submission.objects.filter(snapshot__in=finished, round=F("snapshot__item__round"))
    rows = present.select_related("reviewer").order_by("submitted_at", "id")
    for row in rows:
        by = (row.snapshot_id, row.reviewer_id)
        review = Review(row.reviewer.name, row.submitted_at, said.get(by, {}), of_sources.get(by, {}))
        reviews.setdefault(row.snapshot_id, []).append(_masked(review) if row.snapshot_id in masks else review)
    return dict(reviews)


def _masked(review: Review) -> Review:
    """Without what was written."""
    said = {key: replace(each, note=MASK if each.note else "") for key, each in review.said.items()}
    of_sources = {key: replace(each, note=MASK if each.note else "") for key, each in review.said_of_sources.items()}
    return replace(review, said=said, said_of_sources=of_sources)


def _load_said(finished: Sequence[UUID]) -> dict[tuple[UUID, UUID], dict[FieldKey, Said]]:
    """The newest label of each person on each value; what was taken back is not said."""
    newest = Label.objects.filter(snapshot__in=finished).order_by("snapshot_id", "reviewer_id", "section", "path", "-id")
    rows = newest.distinct("snapshot_id", "reviewer_id", "section", "path")
    table: dict[tuple[UUID, UUID], dict[FieldKey, Said]] = {}
    for snapshot_id, reviewer_id, section, path, verdict, note in rows.values_list(
        "snapshot_id", "reviewer_id", "section", "path", "verdict", "note"
    ):
        if verdict != Verdict.NONE or note:
            table.setdefault((snapshot_id, reviewer_id), {})[section, path] = Said(Verdict(verdict), note)
    return table


def _load_said_of_sources(finished: Sequence[UUID]) -> dict[tuple[UUID, UUID], dict[CitationKey, SaidOfSource]]:
    """The same of documents."""
    names = ("snapshot_id", "reviewer_id", *CitationKey._fields)
    rows = CitationLabel.objects.filter(snapshot__in=finished).order_by(*names, "-id").distinct(*names)
    table: dict[tuple[UUID, UUID], dict[CitationKey, SaidOfSource]] = {}
    for snapshot_id, reviewer_id, *key, verdict, note in rows.values_list(*names, "verdict", "note"):
        if verdict != CitationVerdict.NONE or note:
            said = SaidOfSource(CitationVerdict(verdict), note)
            table.setdefault((snapshot_id, reviewer_id), {})[CitationKey(*key)] = said
    return table


# Reads of suggestions: one answer with all that its page needs, and the answers beside it.


MOST_COMPARED = 4
_MOST_BESIDE = 50
NONE_SHOWN: Mapping[UUID, frozenset[Text]] = {}


@dataclass(frozen=True, slots=True)
class OtherSuggestion:
    """Another answer of a conversation that names a provider."""

    id: UUID
    provider: str
    answered_at: datetime


def suggestions_of(organisation_id: UUID) -> QuerySet[Snapshot]:
    """The answers whose records say that somebody was suggested (decision 28)."""
    return Snapshot.objects.filter(organisation=organisation_id).exclude(provider="")


def load_suggestion(member: Membership, snapshot_id: UUID, surface: Surface, shown: frozenset[Text] = NOTHING) -> ReviewItem:
    """An answer of the member's organisation in which somebody was suggested, or 404."""
    found = load_suggestions(member, [snapshot_id], surface, {snapshot_id: shown})
    if not found and QueueItem.objects.filter(organisation=member.organisation_id, pk=snapshot_id).exclude(snapshot__provider="").exists():
        raise PermissionDenied("This answer is under blind review: why it says what it says is shown once you have submitted yours.")
    if not found:
        raise Http404
    return found[0]


def load_suggestions(
    member: Membership, snapshot_ids: Iterable[UUID], surface: Surface, shown: Mapping[UUID, frozenset[Text]] = NONE_SHOWN
) -> list[ReviewItem]:
    """Some answers in one statement, in the order of time, without those that the member is to review blind.

    Nobody's labels are loaded: a page shows those of finished reviews alone. Text has masks as the member's role and the surface have it;
    ``shown`` are kinds that they have revealed of an answer.
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
    """The answers of the same conversation that name somebody, this one too, the oldest first."""
    if not snapshot.conversation_id:
        return [OtherSuggestion(snapshot.pk, snapshot.provider, snapshot.answered_at)]
    same = suggestions_of(snapshot.organisation_id).filter(conversation_id=snapshot.conversation_id)
    rows = same.order_by("answered_at", "id").values_list("id", "provider", "answered_at")
    return [OtherSuggestion(*row) for row in rows[:_MOST_BESIDE]]


def first_of_each(beside: Iterable[OtherSuggestion], own: str) -> list[UUID]:
    """For each provider the answer that named them first; ``own`` is among them even where there are more than can be compared."""
    first: dict[str, UUID] = {}
    for each in beside:
        first.setdefault(each.provider, each.id)
    others = [pk for provider, pk in first.items() if provider != own]
    return [first[own], *others[: MOST_COMPARED - 1]]
