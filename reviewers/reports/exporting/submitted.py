"""The reviews of an answer with their labels, as a report tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from reviewers.reports.exporting.answered import Answered, read_done, read_labels
from reviewers.reports.exporting.moments import written
from reviewers.reports.exporting.told import Said
from reviewers.review.citation_models import CitationLabel
from reviewers.review.citations import CitationKey
from reviewers.review.given_labels import FieldKey
from reviewers.review.standing import Review

NO_VERDICT = "none"


class Submitted(Struct, frozen=True):
    """One submitted review: what counts in it of fields and citations, by what it is about; also what takes a verdict back."""

    id: str
    reviewer_id: UUID
    name: str
    at: str
    slot: int
    fields: dict[FieldKey, Said]
    citations: dict[CitationKey, Said]

    @property
    def finished(self) -> Review:
        """That somebody has finished it."""
        return Review(self.reviewer_id, self.name, datetime.fromisoformat(self.at), self.slot)

    @property
    def label_count(self) -> int:
        """How many verdicts it has."""
        return sum([each.verdict != NO_VERDICT for said in (self.fields, self.citations) for each in said.values()])


def reviews_of(row: Answered, cited: Iterable[CitationLabel]) -> list[Submitted]:
    """All of an answer, whoever may see them, in the order of their slots."""
    if row.reviews is None:
        return []
    done = {each.by: Submitted(each.id, each.by, each.name, each.at, each.slot, {}, {}) for each in read_done(row.reviews)}
    for label in read_labels(row.labels) if row.labels else ():
        if review := done.get(label.by):
            said = Said(label.id, review.name, label.verdict, label.note, label.at, label.reason)
            review.fields[label.section, label.path] = said
    for each in cited:
        if review := done.get(each.reviewer_id):
            key = CitationKey(each.source, each.is_own, each.start, each.end, each.repeat)
            said = Said(str(each.pk), review.name, each.verdict, each.note, written(each.created_at), each.reason)
            review.citations[key] = said
    return list(done.values())


def said_of_fields(reviews: Iterable[Submitted]) -> Mapping[FieldKey, tuple[Said, ...]]:
    """What reviewers said of each field that any of them said something of."""
    told: dict[FieldKey, tuple[Said, ...]] = {}
    for review in reviews:
        for key, said in review.fields.items():
            if _counts(said):
                told[key] = (*told.get(key, ()), said)
    return told


def said_of_citation(reviews: Iterable[Submitted], key: CitationKey) -> tuple[Said, ...]:
    """What they said of a citation."""
    return tuple([said for review in reviews if (said := review.citations.get(key)) and _counts(said)])


def _counts(said: Said) -> bool:
    """Whether anything was said: a label may have been taken back."""
    return bool(said.verdict != NO_VERDICT or said.note)
