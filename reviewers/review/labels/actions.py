"""Actions on labels and reviews: label, note, undo, skip, take, let go and submit. Each is one transaction with its events."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any, TypeVar
from uuid import UUID

from django.db import transaction

from attribution import canonical_bytes
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Invalid
from reviewers.ledger.actions import record, record_all
from reviewers.ledger.events import Action, Event
from reviewers.review import leases, policies
from reviewers.review.adjudication.actions import finish_plan, step_after_last, tell_of_conflict, update_phase
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import (
    AnyLabel,
    ClaimKey,
    FieldKey,
    Key,
    Said,
    StoredCitationLabel,
    StoredClaimLabel,
    StoredFieldLabel,
    StoredLabel,
)
from reviewers.review.labels.writer import (
    NOTED,
    SAVED,
    UNDONE,
    LabelDraft,
    RowChoice,
    find_repeated,
    hold_item,
    item_event,
    write,
)
from reviewers.review.models import Aside, CitationVerdict, ClaimVerdict, Phase, State, Submission, Verdict
from reviewers.review.plans.phases import PhaseStep, phase_after
from reviewers.review.queries import load_item
from reviewers.review.review_status import SubmittedReview
from reviewers.review.visibility import may_be_told
from reviewers.snapshots.citations import CitationKey
from reviewers.web.models import uuid7

Place = TypeVar("Place")


@dataclass(frozen=True, slots=True)
class ChangedLabels:
    """The labels that an action changed: the numbers of rows, of citations that still exist, and how many labels of words."""

    item: ReviewItem
    rows: Sequence[int]
    citations: Sequence[int]
    claims: int = 0
    is_anything: bool = True


@transaction.atomic
def save_label(*, choice: RowChoice, by: Membership, now: datetime, verdict: Verdict | None = None, note: str | None = None) -> ReviewItem:
    """Give a field a verdict, put a note on it, or both, and return the item. What is None stays as it is.

    Raises ``Refused`` if somebody else holds the item or it was attributed again, and ``Invalid`` if a change after submission lacks a
    reason.
    """
    item = load_item(by, choice.item_id, lock=True)
    row = _numbered(item.attribution.fields, choice.number)
    if find_repeated(item, choice, partial(_says, field_key(row) if row else None, verdict, note)):
        return item
    hold_item(item, choice, by, now)
    if row is None:
        raise Invalid("There is no such row.")
    label, draft = item.current.get(field_key(row)), LabelDraft(item, by, now, choice.action_id or uuid7())
    said = verdict or (label.verdict if label else Verdict.NONE)
    write(draft, SAVED if verdict else NOTED, [draft.label(row, said, note, choice.reason)])
    update_phase(item, by, now)
    return item


@transaction.atomic
def save_citation_label(
    *, choice: RowChoice, by: Membership, now: datetime, verdict: CitationVerdict | None = None, note: str | None = None
) -> ReviewItem:
    """Give a citation a verdict, put a note on it, or both, and return the item. Raises the same exceptions as ``save_label``."""
    item = load_item(by, choice.item_id, lock=True)
    citation = _numbered(item.citations, choice.number)
    if find_repeated(item, choice, partial(_says, citation.key if citation else None, verdict, note)):
        return item
    hold_item(item, choice, by, now)
    if citation is None:
        raise Invalid("There is no such citation.")
    key = citation.key
    label, draft = item.current_citations.get(key), LabelDraft(item, by, now, choice.action_id or uuid7())
    said = verdict or (label.verdict if label else CitationVerdict.NONE)
    write(draft, SAVED if verdict else NOTED, citation_labels=[draft.citation_label(key, said, note, choice.reason)])
    update_phase(item, by, now)
    return item


def _numbered(places: Sequence[Place], number: int) -> Place | None:
    return places[number] if 0 <= number < len(places) else None


def _says(key: FieldKey | CitationKey | None, verdict: Verdict | CitationVerdict | None, note: str | None, label: AnyLabel) -> bool:
    """Return True if a label is on the place with this key and says this. What is None may be anything."""
    return label.key == key and verdict in (None, label.verdict) and note in (None, label.note)


@transaction.atomic
def label_remaining(*, item_id: UUID, by: Membership, now: datetime, sent: RowChoice | None = None) -> ChangedLabels:
    """Label the remaining found fields and the citations whose checks found nothing wrong as correct.

    This is one action, undone as one. The other citations need to be judged one by one; raises ``Refused`` if only these are left.
    """
    item = load_item(by, item_id, lock=True)
    if repeated := find_repeated(item, sent, lambda label: label.verdict in (Verdict.CORRECT, CitationVerdict.SUPPORTS)):
        return _changed(item, repeated)
    policies.check_may_label(item, by.user_id, now, "")
    policies.check_may_label_remaining(item)
    leases.ensure_held(item=item, by=by, now=now)
    draft = LabelDraft(item, by, now, sent.action_id if sent and sent.action_id else uuid7())
    rows = [draft.label(item.attribution.fields[number], Verdict.CORRECT) for number in item.unlabelled]
    sound = [each for each in item.unlabelled_citations if each.is_sound]
    write(draft, SAVED, rows, [draft.citation_label(each.key, CitationVerdict.SUPPORTS) for each in sound])
    return _changed_by(draft)


@transaction.atomic
def undo(*, item_id: UUID, by: Membership, now: datetime, sent: RowChoice | None = None) -> ChangedLabels:
    """Undo the last action on an item that was not undone yet."""
    item = load_item(by, item_id, lock=True)
    if repeated := find_repeated(item, sent, lambda label: label.undoes is not None):
        return _changed(item, repeated)
    policies.check_may_undo(item, by.user_id, now)
    last = last_action(item)
    if last is None:
        return ChangedLabels(item, (), (), is_anything=False)
    leases.ensure_held(item=item, by=by, now=now)
    draft = LabelDraft(item, by, now, sent.action_id if sent and sent.action_id else uuid7(), undoes=last.id)
    rows = {field_key(row): row for row in item.attribution.fields}
    write(
        draft,
        UNDONE,
        [draft.label(rows[label.key], *last.before(label, Verdict.NONE)) for label in last.labels],
        [draft.citation_label(label.key, *last.before(label, CitationVerdict.NONE)) for label in last.citation_labels],
        [draft.claim_label(label.key, *last.before(label, ClaimVerdict.NONE)) for label in last.claim_labels],
    )
    return _changed_by(draft)


def _changed_by(draft: LabelDraft) -> ChangedLabels:
    written: Iterable[AnyLabel] = chain(draft.item.labels, draft.item.citation_labels, draft.item.claim_labels)
    return _changed(draft.item, [label for label in written if label.action_id == draft.action_id])


def _changed(item: ReviewItem, labels: Iterable[AnyLabel]) -> ChangedLabels:
    keys = {label.key for label in labels}
    rows = [number for number, row in enumerate(item.attribution.fields) if field_key(row) in keys]
    citations = [each.number for each in item.citations if each.key in keys]
    return ChangedLabels(item, rows, sorted(citations), sum(isinstance(key, ClaimKey) for key in keys))


@transaction.atomic
def skip(*, item_id: UUID, reason: str, by: Membership, now: datetime) -> None:
    """Skip an item with a reason, and release its lease. Anybody can take it up again.

    An item that needs several reviews stays to do for the others, and is not offered to this reviewer again. Skipping an item again
    changes nothing, unless for another reason that the item keeps.
    """
    item = load_item(by, item_id, lock=True)
    if _is_skipped(item, by, reason):
        return
    policies.check_may_skip(item, by.user_id, now, reason)
    row = item.row
    if row.overlap > 1:
        place: dict[str, Any] = {"item": row, "reviewer_id": by.user_id, "organisation_id": by.organisation_id}
        Aside.objects.update_or_create(**place, defaults={"put_at": now})
    else:
        row.state, row.skipped_by_id, row.skip_reason = State.SKIPPED, by.user_id, reason
        row.save(update_fields=["state", "skipped_by", "skip_reason"])
    skipped = item_event(Action.REVIEW_SKIPPED, item, by, now, parts=[("reason", reason.encode())])
    record(replace(skipped, kept=frozenset({"reason"})))  # the item loses it when it is taken up again
    leases.release(item=item, by=by, now=now)


def _is_skipped(item: ReviewItem, by: Membership, reason: str) -> bool:
    row = item.row
    if row.overlap > 1:
        return Aside.objects.filter(item=row, reviewer=by.user_id).exists()
    return (row.state, row.skipped_by_id, row.skip_reason) == (State.SKIPPED, by.user_id, reason)


@transaction.atomic
def take(*, item_id: UUID, by: Membership, now: datetime) -> ReviewItem:
    """Take an item, also one that was skipped, and return it."""
    item = load_item(by, item_id, lock=True)
    leases.ensure_held(item=item, by=by, now=now)
    return item


@transaction.atomic
def let_go(*, item_id: UUID, by: Membership, now: datetime) -> None:
    """Release an item without finishing it."""
    leases.release(item=load_item(by, item_id, lock=True), by=by, now=now)


@transaction.atomic
def submit(*, item_id: UUID, by: Membership, now: datetime) -> ReviewItem:
    """Submit a review, and release its lease.

    Every found field and every citation that the model made needs a verdict. The last review that an item needs completes it, or brings its
    conflicts before a lead.
    """
    item = load_item(by, item_id, lock=True)
    policies.check_may_submit(item, by.user_id, now)
    if item.row.state == State.SKIPPED or not policies.is_held_by(item, by.user_id, now):
        leases.ensure_held(item=item, by=by, now=now)
    submitted = _write_submission(item, by, now)
    record_all([submitted, *leases.delete_lease(item=item, by=by, now=now)])
    if len(item.review_status.reviews) == item.review_status.overlap:
        _close(item, step_after_last(item), by, now)
    return item


@dataclass(frozen=True, slots=True)
class LastAction:
    """The last action that can be undone, with its labels. ``by_id`` holds all labels of the item."""

    id: UUID
    labels: Sequence[StoredFieldLabel]
    citation_labels: Sequence[StoredCitationLabel]
    claim_labels: Sequence[StoredClaimLabel]
    by_id: Mapping[UUID, StoredLabel[Any, Any]]

    def before(self, label: StoredLabel[Key, Said], none: Said) -> tuple[Said, str]:
        """Return the verdict and note that a label replaced, or ``none`` and an empty note if there was no label."""
        old = self.by_id.get(label.replaces) if label.replaces else None
        return (old.verdict, old.note) if old else (none, "")


def last_action(item: ReviewItem) -> LastAction | None:
    """Return the last action that is neither an undo nor undone, or None."""
    by_id: dict[UUID, StoredLabel[Any, Any]] = {label.id: label for label in item.labels}
    by_id |= {label.id: label for label in item.citation_labels}
    by_id |= {label.id: label for label in item.claim_labels}
    undone = {label.undoes for label in by_id.values() if label.undoes}
    candidates = [label for label in by_id.values() if label.undoes is None and label.action_id not in undone]
    if not candidates:
        return None
    last = max(candidates, key=lambda label: label.id).action_id
    return LastAction(
        last,
        [label for label in item.labels if label.action_id == last],
        [label for label in item.citation_labels if label.action_id == last],
        [label for label in item.claim_labels if label.action_id == last],
        by_id,
    )


def covered_by_submission(item: ReviewItem) -> tuple[int, bytes]:
    """Return the number of verdicts in a review and the SHA-256 over them.

    If all are on fields this is a list of them by section and path; otherwise an object with a list of each kind that there is.
    """
    fields: list[Any] = sorted([*label.key, label.verdict.value, str(label.id)] for label in item.current.values() if label.is_verdict)
    citations, claims = _listed(item.current_citations.values()), _listed(item.current_claims.values())
    others = {name: listed for name, listed in (("citations", citations), ("claims", claims)) if listed}
    covered = {"fields": fields} | others if others else fields
    return len(fields) + len(citations) + len(claims), hashlib.sha256(canonical_bytes(covered)).digest()


def _listed(labels: Iterable[StoredCitationLabel] | Iterable[StoredClaimLabel]) -> list[Any]:
    """Return the verdicts of labels under their keys, in the order of their bytes."""
    return sorted(([*label.key, label.verdict.value, str(label.id)] for label in labels if label.is_verdict), key=canonical_bytes)


def _write_submission(item: ReviewItem, by: Membership, now: datetime) -> Event:
    """Write the submission, and return its event for the caller to record.

    While others may not know the labels, the event only commits to their digest.
    """
    held = item.review_status.hold_of(by.user_id, now)
    slot = held.slot if held else 1
    count, digest = covered_by_submission(item)
    submission = Submission.objects.create(
        organisation_id=by.organisation_id,
        snapshot_id=item.id,
        reviewer_id=by.user_id,
        slot=slot,
        round=item.review_status.round,
        submitted_at=now,
        label_count=count,
        digest=digest,
    )
    sha256 = digest.hex()
    item.review_status = replace(
        item.review_status, reviews=[*item.review_status.reviews, SubmittedReview(submission.id, by.user_id, by.user.name, now, slot)]
    )
    is_told = may_be_told(item.review_status, by.user_id)
    details = {"labels": count} | ({"sha256": sha256} if is_told else {})
    parts = [] if is_told else [("sha256", canonical_bytes(sha256))]
    return item_event(Action.REVIEW_SUBMITTED, item, by, now, details, parts, [submission])


def _close(item: ReviewItem, step: PhaseStep, by: Membership, now: datetime) -> None:
    """Close the item after its last review, the one with the latest time; of two with one time the one that was written last."""
    row, last = item.row, max(reversed(item.review_status.reviews), key=lambda review: review.submitted_at)
    row.state, row.submitted_by_id, row.submitted_at = State.SUBMITTED, last.reviewer_id, last.submitted_at
    row.skipped_by_id, row.skip_reason = None, ""
    item.take_step(phase_after(Phase(row.phase), step))
    row.save(update_fields=["state", "submitted_by", "submitted_at", "skipped_by", "skip_reason", "phase"])
    tell_of_conflict(item, step, now)
    finish_plan(item, by, now)
