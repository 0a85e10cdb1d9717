"""The kinds of event, and the form of their bodies."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

import rfc8785

from reviewers.accounts.announcements import Actor
from reviewers.ledger.commitments import Commitment, Part
from reviewers.ledger.rows import Row

BODY_VERSION = 1
_LARGEST_SIMPLE = 2**53


class Action(StrEnum):
    """What can be done. Stored in events for good: a word here is never given another meaning."""

    SESSION_STARTED = "session.started"
    SESSION_ENDED = "session.ended"
    SESSION_REFUSED = "session.refused"
    SIGN_ON_SET = "sign_on.set"
    SIGN_ON_REMOVED = "sign_on.removed"
    SIGN_ON_TIED = "sign_on.tied"
    PROOF_GIVEN = "proof.given"
    PROOF_REFUSED = "proof.refused"
    PASSWORD_CHANGED = "password.changed"  # noqa: S105 — a word for what happened
    PASSWORD_RESET = "password.reset"  # noqa: S105 — the same
    SECOND_FACTOR_ADDED = "second_factor.added"
    SECOND_FACTOR_REMOVED = "second_factor.removed"
    RECOVERY_CODE_USED = "recovery_code.used"
    ORGANISATION_CREATED = "organisation.created"
    MEMBER_ADDED = "member.added"
    MEMBER_ROLE_CHANGED = "member.role_changed"
    MEMBER_ENDED = "member.ended"
    MEMBER_SIGNED_OUT = "member.signed_out"
    MEMBER_MARKED_EXTERNAL = "member.marked_external"
    MEMBER_SECOND_FACTOR_SHOWN = "member.second_factor_shown"
    INVITATION_MADE = "invitation.made"
    INVITATION_ENDED = "invitation.ended"
    RETENTION_CHANGED = "retention.changed"
    SWITCH_CHANGED = "switch.changed"
    SERVICE_KEY_CREATED = "service_key.created"
    SERVICE_KEY_REVOKED = "service_key.revoked"
    SNAPSHOT_FROZEN = "snapshot.frozen"
    SNAPSHOT_ATTRIBUTED = "snapshot.attributed"
    ANSWER_REPAIRED = "answer.repaired"
    CITATION_SEARCH_ASKED = "citation_search.asked"
    CITATION_SEARCH_ENDED = "citation_search.ended"
    SNAPSHOT_VIEWED = "snapshot.viewed"
    RECORD_VIEWED = "record.viewed"
    ACCESS_EXPLAINED = "access.explained"
    ACCESS_VIEWED = "access.viewed"
    QUEUE_VIEWED = "queue.viewed"
    QUEUE_SEARCHED = "queue.searched"
    LEASE_TAKEN = "lease.taken"
    LEASE_RENEWED = "lease.renewed"
    LEASE_RELEASED = "lease.released"
    LEASE_EXPIRED = "lease.expired"
    LABEL_SAVED = "label.saved"
    LABEL_UNDONE = "label.undone"
    NOTE_SAVED = "note.saved"
    CITATION_LABEL_SAVED = "citation_label.saved"
    CITATION_LABEL_UNDONE = "citation_label.undone"
    CITATION_NOTE_SAVED = "citation_note.saved"
    FINDING_FLAGGED = "finding.flagged"
    REVIEW_SUBMITTED = "review.submitted"
    REVIEW_SKIPPED = "review.skipped"
    CONFLICT_DECIDED = "conflict.decided"
    ITEM_REOPENED = "item.reopened"
    PLAN_CREATED = "plan.created"
    PLAN_CHANGED = "plan.changed"
    PLAN_STARTED = "plan.started"
    PLAN_EXTENDED = "plan.extended"
    PLAN_FINISHED = "plan.finished"
    PLAN_STOPPED = "plan.stopped"
    ALARM_RAISED = "alarm.raised"
    ALARM_ACKNOWLEDGED = "alarm.acknowledged"
    SIGNATURE_MADE = "signature.made"
    SIGNATURE_READ = "signature.read"
    PROPOSAL_ASKED = "proposal.asked"
    PROFILE_PROPOSED = "profile.proposed"
    COMPARISON_ASKED = "comparison.asked"
    PROFILE_COMPARED = "profile.compared"
    PROFILE_APPROVED = "profile.approved"
    PROFILE_REJECTED = "profile.rejected"
    PROFILE_RETIRED = "profile.retired"
    PROFILE_SUSPENDED = "profile.suspended"
    SUSPENSION_LIFTED = "suspension.lifted"
    JUDGE_ASKED = "judge.asked"
    JUDGE_STOPPED = "judge.stopped"
    JUDGE_LABELLED = "judge.labelled"
    RECOMPUTATION_ASKED = "recomputation.asked"
    LABELS_EXPORTED = "labels.exported"
    LABELS_IMPORTED = "labels.imported"
    LOG_STARTED = "log.started"
    LOG_KEY_CHANGED = "log.key_changed"
    LEDGER_SEARCHED = "ledger.searched"
    RECEIPT_TAKEN = "receipt.taken"
    VERIFICATION_ASKED = "verification.asked"
    LEDGER_VERIFIED = "ledger.verified"
    REDACTION_PROPOSED = "redaction.proposed"
    REDACTION_APPROVED = "redaction.approved"
    REDACTION_DECLINED = "redaction.declined"
    HOLD_PLACED = "hold.placed"
    HOLD_LIFT_PROPOSED = "hold.lift_proposed"
    HOLD_LIFT_DECLINED = "hold.lift_declined"
    HOLD_LIFTED = "hold.lifted"
    WHY_SEARCHED = "why.searched"
    WHY_VIEWED = "why.viewed"
    TEXT_REVEALED = "text.revealed"
    REPORT_ASKED = "report.asked"
    REPORT_MADE = "report.made"
    REPORT_FAILED = "report.failed"
    REPORT_TAKEN = "report.taken"
    EXPORTS_SEARCHED = "exports.searched"


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that was done, before it is written.

    ``details`` hold no protected text; ``parts`` are what the event commits to without telling, by name, and ``kept`` names those of
    them that no other table keeps. ``rows`` are the records written with it: it names them, and commits to all their columns.
    """

    action: Action
    organisation_id: UUID
    by: Actor
    at: datetime
    object_type: str
    object_id: UUID
    details: Mapping[str, Any] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    kept: frozenset[str] = frozenset()
    rows: Sequence[Row] = ()


def body_of(event: Event, event_id: UUID, commitment: Commitment | None = None, rows: Sequence[Mapping[str, str]] = ()) -> bytes:
    """The canonical bytes of an event."""
    body: dict[str, Any] = {
        "v": BODY_VERSION,
        "id": str(event_id),
        "organisation": str(event.organisation_id),
        "at": event.at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z"),
        "actor": {"kind": event.by.kind.value, "id": str(event.by.id) if event.by.id else None},
        "action": event.action.value,
        "object": {"type": event.object_type, "id": str(event.object_id)},
    }
    if event.details:
        body["details"] = dict(event.details)
    if commitment:
        body["parts"] = {"count": commitment.count, "sha256": commitment.digest}
    if rows:
        body["rows"] = list(rows)
    return canonical(body)


def canonical(value: Any) -> bytes:
    """RFC 8785. What is simple, as nearly every body is, has the same form out of the standard library, in a tenth of the time."""
    return _encode_simple(value).encode() if _is_simple(value) else rfc8785.dumps(value)


_encode_simple = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, check_circular=False).encode


def _is_simple(value: Any) -> bool:
    """Texts in ASCII, small whole numbers, nothing whose form or order there could be two minds about."""
    kind = type(value)
    if kind is str:
        return bool(value.isascii())
    if kind is dict:
        return all(type(name) is str and name.isascii() and _is_simple(each) for name, each in value.items())
    if kind is list:
        return all(map(_is_simple, value))
    return value is None or kind is bool or (kind is int and abs(value) < _LARGEST_SIMPLE)
