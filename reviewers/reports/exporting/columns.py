"""What a report reads of an answer in one statement: its columns, and as JSON what stands of it in tables beside.

Labels, reviews and events come put together by the database, which takes it a third of what it takes to send them row by row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.db.models import Exists, F, Func, OuterRef, QuerySet, TextField

from reviewers.ledger.redaction_models import Redaction
from reviewers.reports.exporting.answered import Answered, Attributed, Documents, Frozen
from reviewers.reports.exporting.telling_events import FROZEN, REVIEWED
from reviewers.review.citation_models import CitationLabel
from reviewers.review.holds.held import has_holds
from reviewers.review.models import Flag, QueueItem
from reviewers.review.signature_models import Signature

_MOMENT = """to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')"""


def read_answered(items: QuerySet[QueueItem], keys: Sequence[UUID]) -> list[Answered]:
    """Return those of the items that have these keys, in the order of time, each with what stands of it in the tables beside."""
    chosen = items.filter(pk__in=keys).order_by("answered_at", "pk").annotate(**_ANNOTATED)
    return [_answered(row) for row in chosen.values_list(*_OWN, *_SNAPSHOT, *_ATTRIBUTION, *_DOCUMENTS, *_BESIDE)]


def _answered(row: Sequence[Any]) -> Answered:
    documents = Documents(*row[26:28]) if row[26] is not None else None
    parts = (Frozen(row[0], *row[8:21]), Attributed(*row[21:26], documents))  # type: ignore[call-arg]  # as many as there are columns
    return Answered(*row[:8], *parts, *row[28:])  # type: ignore[call-arg]  # the same


class _Written(Func):
    """A moment as reports write it."""

    template = _MOMENT.format("%(expressions)s")
    output_field = TextField()


class _Reviews(Func):
    """The reviews that were submitted in the present round, in the order of their slots."""

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
    """What made the answer what the report says of it, in the order in which it was written."""

    template = f"""(
        SELECT json_agg(json_build_array(event.id, event.action, {_MOMENT.format("event.occurred_at")},
            COALESCE(NULLIF(person.name, ''), CASE WHEN event.actor_id IS NULL THEN 'the system' ELSE 'a program' END),
            leaf.log_id, leaf.index) ORDER BY event.id)::text
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
