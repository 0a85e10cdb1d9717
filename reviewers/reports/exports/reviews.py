"""The submitted reviews of an answer with their labels, as reports tell them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from uuid import UUID

from msgspec import Struct

from reviewers.reports.exports.answer_rows import AnswerRow, read_labels, read_reviews
from reviewers.reports.exports.schema import ReportedLabel
from reviewers.review.citations import CitationKey
from reviewers.review.labels.queries import FieldKey
from reviewers.review.models import CitationLabel
from reviewers.review.review_status import SubmittedReview

NO_VERDICT = "none"


def written(moment: datetime) -> str:
    """Return a moment in the form that reports use: ``2026-03-04T01:42:08.000000Z``."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


class ReportedReview(Struct, frozen=True):
    """A submitted review with its labels of fields and citations, those without a verdict included."""

    id: str
    reviewer_id: UUID
    name: str
    at: str
    slot: int
    fields: dict[FieldKey, ReportedLabel]
    citations: dict[CitationKey, ReportedLabel]

    @property
    def finished(self) -> SubmittedReview:
        """The review as the status of the item knows it."""
        return SubmittedReview(self.reviewer_id, self.name, datetime.fromisoformat(self.at), self.slot)

    @property
    def label_count(self) -> int:
        """The number of labels with a verdict."""
        return sum([each.verdict != NO_VERDICT for said in (self.fields, self.citations) for each in said.values()])


def reviews_of(row: AnswerRow, cited: Iterable[CitationLabel]) -> list[ReportedReview]:
    """Return all reviews of an answer in the order of their slots, whether the reader may see them or not."""
    if row.reviews is None:
        return []
    done = {each.by: ReportedReview(each.id, each.by, each.name, each.at, each.slot, {}, {}) for each in read_reviews(row.reviews)}
    for label in read_labels(row.labels) if row.labels else ():
        if review := done.get(label.by):
            said = ReportedLabel(label.id, review.name, label.verdict, label.note, label.at, label.reason)
            review.fields[label.section, label.path] = said
    for each in cited:
        if review := done.get(each.reviewer_id):
            key = CitationKey(each.source, each.is_own, each.start, each.end, each.repeat)
            said = ReportedLabel(str(each.pk), review.name, each.verdict, each.note, written(each.created_at), each.reason)
            review.citations[key] = said
    return list(done.values())


def said_of_fields(reviews: Iterable[ReportedReview]) -> Mapping[FieldKey, tuple[ReportedLabel, ...]]:
    """Return the labels of each field that any reviewer has labelled."""
    told: dict[FieldKey, tuple[ReportedLabel, ...]] = {}
    for review in reviews:
        for key, said in review.fields.items():
            if _counts(said):
                told[key] = (*told.get(key, ()), said)
    return told


def said_of_citation(reviews: Iterable[ReportedReview], key: CitationKey) -> tuple[ReportedLabel, ...]:
    """Return the labels of a citation."""
    return tuple([said for review in reviews if (said := review.citations.get(key)) and _counts(said)])


def _counts(said: ReportedLabel) -> bool:
    """Return True if the label has a verdict or a note: it may have been withdrawn."""
    return bool(said.verdict != NO_VERDICT or said.note)
