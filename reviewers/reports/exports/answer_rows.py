"""An answer as a report reads it from the database, in one query: its columns, and related rows as JSON.

There are no model instances, because a report may have a hundred thousand answers, and moments are texts. The database builds the JSON of
labels, reviews and events, which takes it a third of the time of sending them row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, Func, OuterRef, QuerySet, TextField
from msgspec import Struct
from msgspec.json import Decoder

from reviewers.ledger.events import Action
from reviewers.ledger.models import Redaction
from reviewers.review.legal_holds.queries import has_holds
from reviewers.review.models import CitationLabel, Flag, QueueItem, Signature

FROZEN = (Action.SNAPSHOT_FROZEN, Action.ANSWER_REPAIRED, Action.CITATION_SEARCH_ENDED, Action.REDACTION_APPROVED)
UNTELLING = (Action.SNAPSHOT_FROZEN, Action.REDACTION_APPROVED)
"""The events of `FROZEN` that disclose nothing of what was found in an answer."""

REVIEWED = (
    Action.LABEL_SAVED,
    Action.LABEL_UNDONE,
    Action.NOTE_SAVED,
    Action.CITATION_LABEL_SAVED,
    Action.CITATION_LABEL_UNDONE,
    Action.CITATION_NOTE_SAVED,
    Action.FINDING_FLAGGED,
    Action.REVIEW_SUBMITTED,
    Action.SIGNATURE_MADE,
    Action.CONFLICT_DECIDED,
    Action.ITEM_REOPENED,
)
"""The events that made an answer what the report says of it. Views of the answer are not among them."""

_MOMENT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""


class SnapshotRow(Struct, frozen=True, gc=False):
    """The columns of a snapshot."""

    pk: UUID
    external_id: str
    conversation_id: str
    turn_index: int | None
    client_reference: str
    provider: str
    model: str
    prompt_version: str
    schema_version: str
    answered_at: str
    frozen_at: str
    digest: bytes
    hidden_sections: list[str]
    record: bytes


class DocumentsRow(Struct, frozen=True, gc=False):
    """The attribution of an answer's documents, as it is stored."""

    document: bytes
    digest: bytes


class AttributionRow(Struct, frozen=True, gc=False):
    """An attribution as it is stored."""

    profile_id: str
    engine_version: str
    document: bytes
    digest: bytes
    field_count: int
    documents: DocumentsRow | None


class AnswerRow(Struct, frozen=True, gc=False):
    """A queue item with its snapshot, its attribution and related rows."""

    snapshot_id: UUID
    state: str
    plan_id: UUID | None
    overlap: int
    is_blind: bool
    phase: str
    round: int
    attribution_id: UUID
    snapshot: SnapshotRow
    attribution: AttributionRow
    reviews: str | None
    labels: str | None
    events: str | None
    has_citation_labels: bool
    has_flags: bool
    has_signatures: bool
    has_redactions: bool
    has_holds: bool


class ReviewRow(Struct, frozen=True, array_like=True, gc=False):
    """A review that was submitted in the current round."""

    id: str
    by: UUID
    name: str
    at: str
    slot: int


class LabelRow(Struct, frozen=True, array_like=True, gc=False):
    """A label of a field."""

    by: UUID
    section: str
    path: str
    verdict: str
    id: str
    note: str
    reason: str
    at: str

    @property
    def is_verdict(self) -> bool:
        """True if the label has a verdict: it is neither withdrawn nor only a note."""
        return self.verdict != "none"


class EventRow(Struct, frozen=True, array_like=True, gc=False):
    """An audit event. ``log`` and ``index`` are its place in the log, or None while it waits to be sealed.

    ``actor`` is None if it is the system.
    """

    id: str
    action: str
    at: str
    by: str
    log: str | None
    index: int | None
    actor: UUID | None


read_reviews = Decoder(list[ReviewRow]).decode
read_labels = Decoder(list[LabelRow]).decode
read_events = Decoder(list[EventRow]).decode


def read_answered(items: QuerySet[QueueItem], keys: Sequence[UUID]) -> list[AnswerRow]:
    """Return the items with these keys, in chronological order."""
    chosen = items.filter(pk__in=keys).order_by("answered_at", "pk").annotate(**_ANNOTATED)
    return [_answered(row) for row in chosen.values_list(*_OWN, *_SNAPSHOT, *_ATTRIBUTION, *_DOCUMENTS, *_BESIDE)]


def _answered(row: Sequence[Any]) -> AnswerRow:
    documents = DocumentsRow(*row[26:28]) if row[26] is not None else None
    parts = (SnapshotRow(row[0], *row[8:21]), AttributionRow(*row[21:26], documents))  # type: ignore[call-arg]  # as many as there are columns
    return AnswerRow(*row[:8], *parts, *row[28:])  # type: ignore[call-arg]  # as many as there are columns


class _Written(Func):
    """A moment in the form that reports use."""

    template = _MOMENT.format("%(expressions)s")
    output_field = TextField()


class _Reviews(Func):
    """The reviews that were submitted in the current round, in the order of their slots."""

    template = f"""(
        SELECT json_agg(json_build_array(done.id, done.reviewer_id, person.name, {_MOMENT.format("done.submitted_at")}, done.slot)
            ORDER BY done.slot)::text
        FROM review_submission AS done JOIN accounts_user AS person ON person.id = done.reviewer_id
        WHERE done.snapshot_id = %(expressions)s AND done.round = review_queueitem.round
    )"""  # noqa: S608 — nothing in it comes from outside
    output_field = TextField()


class _Labels(Func):
    """The labels of fields, in the order in which they were given."""

    template = f"""(
        SELECT json_agg(json_build_array(label.reviewer_id, label.section, label.path, label.verdict, label.id, label.note, label.reason,
            {_MOMENT.format("label.created_at")}) ORDER BY label.id)::text
        FROM review_label AS label WHERE label.snapshot_id = %(expressions)s
    )"""  # noqa: S608 — nothing in it comes from outside
    output_field = TextField()


class _Events(Func):
    """The events that made the answer what the report says of it, in the order in which they were written."""

    template = f"""(
        SELECT json_agg(json_build_array(event.id, event.action, {_MOMENT.format("event.occurred_at")},
            COALESCE(NULLIF(person.name, ''), CASE WHEN event.actor_id IS NULL THEN 'the system' ELSE 'a program' END),
            leaf.log_id, leaf.index, event.actor_id) ORDER BY event.id)::text
        FROM ledger_auditevent AS event
        LEFT JOIN accounts_user AS person ON person.id = event.actor_id LEFT JOIN ledger_leaf AS leaf ON leaf.id = event.id
        WHERE event.object_id = %(expressions)s AND event.organisation_id = review_queueitem.organisation_id
            AND event.action IN ({", ".join(f"'{each.value}'" for each in (*FROZEN, *REVIEWED))})
    )"""  # noqa: S608 — nothing in it comes from outside
    output_field = TextField()


_SAID = {"snapshot": OuterRef("pk")}
_ANNOTATED: dict[str, Any] = {
    "at": _Written(F("snapshot__answered_at")),
    "frozen": _Written(F("snapshot__frozen_at")),
    "reviews": _Reviews(F("pk")),
    "given": _Labels(F("pk")),
    "events": _Events(F("pk")),
    "has_citation_labels": Exists(CitationLabel.objects.filter(**_SAID)),
    "has_flags": Exists(Flag.objects.filter(**_SAID)),
    "has_signatures": Exists(Signature.objects.filter(review__snapshot=OuterRef("pk"))),
    "has_redactions": Exists(Redaction.objects.filter(organisation_id=OuterRef("organisation_id"), object_id=OuterRef("pk"))),
    "has_holds": has_holds(),
}
_OWN = ("pk", "state", "plan_id", "overlap", "is_blind", "phase", "round", "attribution_id")
_SNAPSHOT = (
    *(f"snapshot__{name}" for name in ("external_id", "conversation_id", "turn_index", "client_reference", "provider", "model")),
    *("snapshot__prompt_version", "snapshot__schema_version", "at", "frozen", "snapshot__digest"),
    "snapshot__hidden_sections",
    "snapshot__record",
)
_ATTRIBUTION = tuple(f"attribution__{name}" for name in ("profile_id", "engine_version", "document", "digest", "field_count"))
_DOCUMENTS = ("attribution__documents__document", "attribution__documents__digest")
_BESIDE = ("reviews", "given", "events", "has_citation_labels", "has_flags", "has_signatures", "has_redactions", "has_holds")
