"""All that is changed where parts of an item are redacted: the record and what was derived from it, notes, and what names any of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from uuid import UUID

from django.db import models

from reviewers.ledger.redacting import Change, Work
from reviewers.ledger.redaction_models import Redaction
from reviewers.review.citation_models import CitationLabel
from reviewers.review.decision_models import Decision, Reopening
from reviewers.review.items import Item
from reviewers.review.models import Flag, Label
from reviewers.review.redacting.names import (
    CITATION_NOTE,
    DECISION,
    GROUND,
    NOTE,
    OPENING,
    REMARK,
    REOPENING,
    SEARCH,
    SKIP,
    kind_of,
)
from reviewers.review.redacting.written import Part
from reviewers.review.signature_models import Signature
from reviewers.snapshots.cutting import BARS, is_of_record
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redacting import work_on_snapshot

_OF_DOCUMENTS = "documents."
_ROWS: dict[str, tuple[type[models.Model], dict[str, str]]] = {
    NOTE: (Label, {"note": "", "reason": ""}),
    CITATION_NOTE: (CitationLabel, {"note": "", "reason": ""}),
    DECISION: (Decision, {"reason": BARS}),
    REOPENING: (Reopening, {"reason": BARS}),
    GROUND: (Redaction, {"reason": BARS}),
}
"""The rows of each kind of part, and what stands in them afterwards: bars where something has to."""
_KEPT_BY_EVENTS = (SKIP, OPENING, SEARCH)
_SIGNED = (NOTE, CITATION_NOTE, DECISION)


def work_on(item: Item, parts: Sequence[Part]) -> Work:
    """The changes of rows. What may be changed without a redaction, such as the place in the queue, is not among them."""
    of_record = {part.name for part in parts if is_of_record(part.name)}
    snapshot = Snapshot.objects.get(pk=item.id)
    work = work_on_snapshot(snapshot, of_record) if of_record else Work(())
    changes = [*work.changes, *_written(parts), *_remarks(item.id, _rows(parts, REMARK), loses_words=bool(of_record))]
    if any(kind_of(part.name) in _SIGNED for part in parts) or of_record:
        changes += _signatures(item.id)
    return Work(changes, _rows(parts, *_KEPT_BY_EVENTS), work.parts)


def _rows(parts: Sequence[Part], *kinds: str) -> set[UUID]:
    return {row for part in parts if kind_of(part.name) in kinds for row in part.rows}


def _written(parts: Sequence[Part]) -> Iterator[Change]:
    for part in parts:
        if found := _ROWS.get(kind_of(part.name)):
            model, values = found
            yield from (Change(model, key, values) for key in part.rows)


def _remarks(item_id: UUID, chosen: Collection[UUID], *, loses_words: bool) -> Iterator[Change]:
    """Chosen ones lose their note. Whatever is redacted of the record, what a remark is about may have quoted it, and loses its words."""
    for flag in Flag.objects.filter(snapshot=item_id):
        values = {"note": ""} if flag.pk in chosen else {}
        if loses_words and flag.finding.startswith(_OF_DOCUMENTS):
            values["finding"] = ":".join(flag.finding.split(":")[:2]) + ":"
        if values:
            yield Change(Flag, flag.pk, values)


def _signatures(item_id: UUID) -> Iterator[Change]:
    """What was signed names digests of the record and of notes, by which a guess could be confirmed; its own digest is made chance."""
    for signature in Signature.objects.filter(review__snapshot=item_id):
        yield Change(Signature, signature.pk, {"statement": b""})
