"""Redactions as pages show them: proposals with their outcome, and what was redacted of an item. Parts are named, never shown."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from reviewers.accounts.models import Membership
from reviewers.ledger.models import Redaction, RedactionBasis, RedactionOutcome
from reviewers.ledger.queries import Redacted, name_of
from reviewers.review.items import ReviewItem
from reviewers.review.masking.masks import mask_names
from reviewers.review.models import QueueItem
from reviewers.review.redaction.parts import CITATION_NOTE, CLAIM_NOTE, NOTE, TELLING_OF_WORK, kind_of, parts_in_words
from reviewers.review.visibility import hides_work_from, sees_work, viewer_of
from reviewers.review.wording import turn_in_words
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redactable_parts import field_name, is_of_record

MOST = 200


@dataclass(frozen=True, slots=True)
class RedactionRow:
    """A proposal. ``outcome`` is empty while nobody has decided it."""

    id: UUID
    item_id: UUID
    title: str
    turn: str
    parts: Sequence[str]
    basis: str
    basis_code: str
    reason: str
    proposed_by: UUID
    proposer: str
    proposed_at: datetime
    outcome: str
    decider: str
    decided_at: datetime | None

    @property
    def outcome_words(self) -> str:
        """Return the outcome in words."""
        return RedactionOutcome(self.outcome).label if self.outcome else "Waits"


def list_rows(by: Membership) -> list[RedactionRow]:
    """Return the newest proposals that a member may know of, undecided ones first."""
    rows = list(_rows(by.organisation_id).order_by("-id")[:MOST])
    hidden = hidden_among(rows, by)
    return sorted((_read(row) for row in rows if row.pk not in hidden), key=lambda row: bool(row.outcome))


def hidden_among(proposals: Iterable[Redaction], by: Membership) -> set[UUID]:
    """Return those proposals of others that name what a colleague wrote beside an answer whose work is hidden from the member.

    That there was a remark tells that somebody flagged a finding, and that there was a note tells that they labelled.
    """
    others = [each for each in proposals if each.proposed_by != by.user_id and any(kind_of(name) in TELLING_OF_WORK for name in each.parts)]
    if not others:
        return set()
    items = QueueItem.objects.filter(hides_work_from(viewer_of(by)), organisation=by.organisation_id)
    hidden = set(items.filter(pk__in={each.object_id for each in others}).values_list("pk", flat=True))
    return {each.pk for each in others if each.object_id in hidden}


def find_row(organisation_id: UUID, redaction_id: UUID, known: Mapping[str, str] | None = None) -> RedactionRow:
    """Return one proposal. ``known`` are words for the parts that the viewer may know more about."""
    return _read(_rows(organisation_id).get(pk=redaction_id), known)


def _rows(organisation_id: UUID) -> QuerySet[Redaction]:
    snapshots = Snapshot.objects.filter(pk=OuterRef("object_id"))
    return (
        Redaction.objects.filter(organisation_id=organisation_id)
        .select_related("decision")
        .annotate(
            proposer=name_of("proposed_by"),
            decider=name_of("decision__decided_by"),
            conversation=Subquery(snapshots.values("conversation_id")),
            external_id=Subquery(snapshots.values("external_id")),
            turn=Subquery(snapshots.values("turn_index")),
        )
    )


def _read(row: Any, known: Mapping[str, str] | None = None) -> RedactionRow:
    decision = getattr(row, "decision", None)
    return RedactionRow(
        id=row.id,
        item_id=row.object_id,
        title=row.conversation or row.external_id,
        turn=turn_in_words(row.turn),
        parts=[known[name] for name in row.parts if name in known] + parts_in_words(name for name in row.parts if name not in known)
        if known
        else parts_in_words(row.parts),
        basis=RedactionBasis(row.basis).label,
        basis_code=row.basis,
        reason=row.reason,
        proposed_by=row.proposed_by,
        proposer=row.proposer or "somebody",
        proposed_at=row.proposed_at,
        outcome=decision.outcome if decision else "",
        decider=row.decider or "",
        decided_at=decision.decided_at if decision else None,
    )


# Redactions on the page of their item.


@dataclass(frozen=True, slots=True)
class ShownRedaction:
    """A redaction on the page of its item. ``words`` name the parts that the viewer may know of."""

    words: Sequence[str]
    redacted: Redacted


def redactions_of(item: ReviewItem) -> list[ShownRedaction]:
    """Return the redactions of an item, oldest first. Notes of others are left out until the viewer may know that they existed."""
    told = ((each, [name for name in each.parts if _may_know(item, name)]) for each in item.redacted)
    return [ShownRedaction(parts_in_words(mask_names(parts, item.hidden)), each) for each, parts in told if parts]


def _may_know(item: ReviewItem, name: str) -> bool:
    if is_of_record(name) or sees_work(item.viewer, item.review_status, None):
        return True
    own = ((NOTE, item.labels), (CITATION_NOTE, item.citation_labels), (CLAIM_NOTE, item.claim_labels))
    return name in {f"{kind}.{label.id}" for kind, labels in own for label in labels}


def redaction_of(item: ReviewItem, name: str) -> Redacted | None:
    """Return the redaction of a part, or None."""
    return next((each for each in item.redacted if name in each.parts), None)


def redaction_of_field(item: ReviewItem, section: str, path: str) -> Redacted | None:
    """Return the redaction of a field's value, or None."""
    return redaction_of(item, field_name(section, path)) if item.redacted else None


def redaction_of_note(item: ReviewItem, key: tuple[str, str]) -> Redacted | None:
    """Return the redaction of the note on a field in the review whose labels are shown, or None."""
    if not item.redacted:
        return None
    found = (redaction_of(item, f"{NOTE}.{label.id}") for label in item.labels if label.key == key)
    return next((each for each in found if each), None)
