"""What reviewers do: label, note, undo, submit, skip, flag. Each call one transaction with its events."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from attribution import FieldAttribution, canonical_bytes
from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record, record_all
from reviewers.ledger.commitments import Part
from reviewers.ledger.events import Action, Event
from reviewers.review import leasing, policies
from reviewers.review.items import GivenLabel, Item, field_key, finding_name, load_item
from reviewers.review.models import Flag, Label, State, Submission, Verdict
from reviewers.review.verdicts import truth_of
from reviewers.web.ids import uuid7


@dataclass(frozen=True, slots=True)
class RowChoice:
    """A row, or a finding, of an item as somebody saw it: of which attribution, and its number in it.

    ``reason`` is for changes after submission.
    """

    item_id: UUID
    attribution_id: UUID
    number: int
    reason: str = ""


@transaction.atomic
def save_label(*, choice: RowChoice, verdict: Verdict, by: Membership, now: datetime, note: str | None = None) -> Item:
    """Give a row a verdict; without ``note`` the note it had stays. Returns the item as it is then.

    Raises ``Refused`` where somebody else holds the item or it was attributed again, ``Invalid`` where a change after submission
    lacks a reason.
    """
    item, row = _open_for_label(choice, by, now)
    label = _Author(item, by, now).label(row, verdict, _note(item, row) if note is None else note, choice.reason)
    _write(item, [label], Action.LABEL_SAVED, by, now)
    return item


@transaction.atomic
def save_note(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> Item:
    """Put a note to a row; its verdict stays, or stays open."""
    item, row = _open_for_label(choice, by, now)
    label = item.current.get(field_key(row))
    verdict = label.verdict if label else Verdict.NONE
    _write(item, [_Author(item, by, now).label(row, verdict, note, choice.reason)], Action.NOTE_SAVED, by, now)
    return item


@transaction.atomic
def label_remaining(*, item_id: UUID, by: Membership, now: datetime) -> Item:
    """Call every found row without a verdict correct, as one action that can be undone as one."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_label(item, by.user_id, now, "")
    leasing.ensure_held(item=item, by=by, now=now)
    author = _Author(item, by, now)
    rows = [item.attribution.fields[number] for number in item.unlabelled]
    _write(item, [author.label(row, Verdict.CORRECT, _note(item, row)) for row in rows], Action.LABEL_SAVED, by, now)
    return item


@transaction.atomic
def undo(*, item_id: UUID, by: Membership, now: datetime) -> tuple[Item, list[int]]:
    """Take back the last action on an item that was not taken back yet; returns the rows that changed, none if there was nothing."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_undo(item, by.user_id, now)
    last = _last_action(item.labels)
    if not last:
        return item, []
    leasing.ensure_held(item=item, by=by, now=now)
    numbers = {field_key(row): number for number, row in enumerate(item.attribution.fields)}
    before = {label.id: label for label in item.labels}
    author = _Author(item, by, now, undoes=last[0].action_id)
    labels = []
    for label in last:
        old = before.get(label.replaces) if label.replaces else None
        row = item.attribution.fields[numbers[label.key]]
        labels.append(author.label(row, old.verdict if old else Verdict.NONE, old.note if old else ""))
    _write(item, labels, Action.LABEL_UNDONE, by, now)
    return item, sorted(numbers[label.key] for label in last)


@transaction.atomic
def submit(*, item_id: UUID, by: Membership, now: datetime) -> Item:
    """Finish a review: every found row has a verdict. The item is let go."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_submit(item, by.user_id, now)
    verdicts = sorted([*label.key, label.verdict.value, str(label.id)] for label in item.current.values() if label.is_verdict)
    digest = hashlib.sha256(canonical_bytes(verdicts)).digest()
    Submission.objects.create(
        organisation_id=by.organisation_id,
        snapshot_id=item.id,
        reviewer_id=by.user_id,
        submitted_at=now,
        label_count=len(verdicts),
        digest=digest,
    )
    row = item.row
    row.state, row.submitted_by_id, row.submitted_at = State.SUBMITTED, by.user_id, now
    row.skipped_by_id, row.skip_reason = None, ""
    row.save(update_fields=["state", "submitted_by", "submitted_at", "skipped_by", "skip_reason"])
    record(_event(Action.REVIEW_SUBMITTED, item, by, now, {"labels": len(verdicts), "sha256": digest.hex()}))
    leasing.release(item=item, by=by, now=now)
    return item


@transaction.atomic
def skip(*, item_id: UUID, reason: str, by: Membership, now: datetime) -> None:
    """Put an item aside and say why. The item is let go; anybody can take it up again."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_skip(item, by.user_id, now, reason)
    row = item.row
    row.state, row.skipped_by_id, row.skip_reason = State.SKIPPED, by.user_id, reason
    row.save(update_fields=["state", "skipped_by", "skip_reason"])
    skipped = _event(Action.REVIEW_SKIPPED, item, by, now, parts=[("reason", reason.encode())])
    record(replace(skipped, kept=frozenset({"reason"})))  # the item forgets it when it is taken up again
    leasing.release(item=item, by=by, now=now)


@transaction.atomic
def take(*, item_id: UUID, by: Membership, now: datetime) -> Item:
    """Take one item, also one that was skipped."""
    item = load_item(by, item_id, lock=True)
    leasing.ensure_held(item=item, by=by, now=now)
    return item


@transaction.atomic
def let_go(*, item_id: UUID, by: Membership, now: datetime) -> None:
    """Let an item go without finishing it."""
    leasing.release(item=load_item(by, item_id, lock=True), by=by, now=now)


@transaction.atomic
def flag_finding(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> None:
    """Put a remark to a guardrail finding, for a lead to see. The choice's number is that of the finding."""
    item = load_item(by, choice.item_id)
    policies.check_is_current(item, choice.attribution_id)
    if not 0 <= choice.number < len(item.attribution.guardrails):
        raise policies.Invalid("There is no such finding.")
    if not note:
        raise policies.Invalid("A flag needs a note: say what a lead should look at.")
    finding = item.attribution.guardrails[choice.number]
    name = finding_name(finding)
    flag = Flag.objects.create(
        organisation_id=by.organisation_id, snapshot_id=item.id, reviewer_id=by.user_id, finding=name, note=note, created_at=now
    )
    details = {"flag": str(flag.id), "code": finding.code.value}
    record(_event(Action.FINDING_FLAGGED, item, by, now, details, [("finding", name.encode()), ("note", note.encode())]))


def _open_for_label(choice: RowChoice, by: Membership, now: datetime) -> tuple[Item, FieldAttribution]:
    """The item, held by this reviewer, and the row that is meant."""
    item = load_item(by, choice.item_id, lock=True)
    policies.check_is_current(item, choice.attribution_id)
    policies.check_may_label(item, by.user_id, now, choice.reason)
    if not item.is_submitted:
        leasing.ensure_held(item=item, by=by, now=now)
    if not 0 <= choice.number < len(item.attribution.fields):
        raise policies.Invalid("There is no such row.")
    return item, item.attribution.fields[choice.number]


def _note(item: Item, row: FieldAttribution) -> str:
    label = item.current.get(field_key(row))
    return label.note if label else ""


@dataclass(frozen=True, slots=True)
class _Author:
    """Who labels what, when, by which action."""

    item: Item
    by: Membership
    now: datetime
    action_id: UUID = field(default_factory=uuid7)
    undoes: UUID | None = None

    def label(self, row: FieldAttribution, verdict: Verdict, note: str, reason: str = "") -> Label:
        """A label, not yet written."""
        section, path = field_key(row)
        replaced = self.item.current.get((section, path))
        return Label(
            organisation_id=self.by.organisation_id,
            snapshot_id=self.item.id,
            reviewer_id=self.by.user_id,
            section=section,
            path=path,
            verdict=verdict,
            truth=truth_of(verdict, claims_used=row.is_used),
            is_misstated=verdict is Verdict.MISSTATED,
            note=note,
            reason=reason,
            shown=_shown(self.item, row),
            replaces_id=replaced.id if replaced else None,
            action_id=self.action_id,
            undoes=self.undoes,
            created_at=self.now,
        )


def _shown(item: Item, row: FieldAttribution) -> dict[str, Any]:
    """What the reviewer saw of the row at this moment, so that the label stays valid when the engine changes."""
    attribution = item.attribution
    return {
        "attribution": str(item.row.attribution_id),
        "profile": attribution.profile,
        "engine": attribution.engine_version,
        "calibrated": attribution.is_calibrated,
        "field_type": row.field.type.value,
        "track": row.track.value,
        "method": row.method,
        "rule": row.rule,
        "score": row.score,
        "uncapped_score": row.evidence.uncapped_score if row.evidence and row.evidence.is_ambiguous else row.score,
        "evidence": f"{row.evidence.method}.{row.evidence.rule}" if row.evidence else None,
        "confidence": row.confidence,
        "contradicted": row.contradiction is not None,
        "blind": False,
    }


def _write(item: Item, labels: Sequence[Label], action: Action, by: Membership, now: datetime) -> None:
    if len(labels) == 1:
        labels[0].save(force_insert=True)
        record(_label_event(item, labels[0], action, by, now))
    else:
        Label.objects.bulk_create(labels)
        record_all([_label_event(item, label, action, by, now) for label in labels])
    item.labels = [*item.labels, *(_given(label) for label in labels)]
    for name in ("current", "unlabelled"):
        item.__dict__.pop(name, None)


def _label_event(item: Item, label: Label, action: Action, by: Membership, now: datetime) -> Event:
    details = {
        "label": str(label.id),
        "verdict": label.verdict,
        "truth": label.truth,
        "misstated": label.is_misstated,
        "replaces": str(label.replaces_id) if label.replaces_id else None,
        "after_submission": item.is_submitted,
    }
    parts: list[Part] = [("field", canonical_bytes([label.section, label.path])), ("shown", canonical_bytes(label.shown))]
    parts += [(name, text.encode()) for name, text in (("note", label.note), ("reason", label.reason)) if text]
    return _event(action, item, by, now, details, parts)


def _event(
    action: Action, item: Item, by: Membership, now: datetime, details: dict[str, Any] | None = None, parts: Sequence[Part] = ()
) -> Event:
    return Event(action, by.organisation_id, user_actor(by.user_id), now, "snapshot", item.id, details or {}, parts)


def _given(label: Label) -> GivenLabel:
    return GivenLabel(
        id=label.id,
        key=(label.section, label.path),
        verdict=Verdict(label.verdict),
        note=label.note,
        reason=label.reason,
        created_at=label.created_at,
        action_id=label.action_id,
        undoes=label.undoes,
        replaces=label.replaces_id,
    )


def _last_action(labels: Sequence[GivenLabel]) -> list[GivenLabel]:
    """The labels of the last action that neither takes another back nor was taken back."""
    undone = {label.undoes for label in labels if label.undoes}
    candidates = [label for label in labels if label.undoes is None and label.action_id not in undone]
    return [label for label in candidates if label.action_id == candidates[-1].action_id] if candidates else []
