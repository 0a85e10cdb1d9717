"""What reviewers said of an answer, once its review is finished: before that nobody reads it here, and a blind review stays blind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from django.db.models import F

from reviewers.accounts.texts import Text
from reviewers.review.citation_models import CitationLabel, CitationVerdict
from reviewers.review.citations import CitationKey
from reviewers.review.given_labels import FieldKey
from reviewers.review.items import Item
from reviewers.review.models import Label, Submission, Verdict
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


def load_reviews(items: Iterable[Item]) -> dict[UUID, Sequence[Review]]:
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
