"""Finds what undoing takes back: one stack of actions, whichever kind of label they gave."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction

from attribution import FieldAttribution, canonical_bytes
from reviewers.accounts.models import Membership
from reviewers.ledger.actions import record, record_all
from reviewers.ledger.events import Action, Event
from reviewers.review import leases, policies
from reviewers.review.adjudication.actions import finish_plan, step_after_last, update_phase
from reviewers.review.citations import Citation
from reviewers.review.items import ReviewItem, field_key, load_item
from reviewers.review.labels.queries import Key, Said, StoredCitationLabel, StoredFieldLabel, StoredLabel
from reviewers.review.labels.writer import NOTED, SAVED, UNDONE, LabelDraft, RowChoice, item_event, open_item, write
from reviewers.review.models import Aside, CitationVerdict, Flag, Phase, State, Submission, Verdict
from reviewers.review.plans.phases import Step, phase_after
from reviewers.review.plans.visibility import may_be_told
from reviewers.review.review_status import SubmittedReview


@dataclass(frozen=True, slots=True)
class LastAction:
    """An action with the labels that it gave, and the labels of the item by their ids."""

    id: UUID
    labels: Sequence[StoredFieldLabel]
    citation_labels: Sequence[StoredCitationLabel]
    by_id: Mapping[UUID, StoredLabel[Any, Any]]

    def before(self, label: StoredLabel[Key, Said], none: Said) -> tuple[Said, str]:
        """Verdict and note that a label took the place of; ``none`` is the verdict where there was no label."""
        old = self.by_id.get(label.replaces) if label.replaces else None
        return (old.verdict, old.note) if old else (none, "")


def last_action(item: ReviewItem) -> LastAction | None:
    """The last action that neither takes another back nor was taken back; nothing where there is none."""
    by_id: dict[UUID, StoredLabel[Any, Any]] = {label.id: label for label in item.labels}
    by_id |= {label.id: label for label in item.citation_labels}
    undone = {label.undoes for label in by_id.values() if label.undoes}
    candidates = [label for label in by_id.values() if label.undoes is None and label.action_id not in undone]
    if not candidates:
        return None
    last = max(candidates, key=lambda label: label.id).action_id
    return LastAction(
        last,
        [label for label in item.labels if label.action_id == last],
        [label for label in item.citation_labels if label.action_id == last],
        by_id,
    )


# What a submission covers: every verdict of a review, in an order of its own, under one digest.


def covered_by_submission(item: ReviewItem) -> tuple[int, bytes]:
    """How many verdicts there are, and their SHA-256.

    A review without any of citations is a list of the verdicts on fields, by section and path; with some, both lists stand by name.
    """
    fields: list[Any] = sorted([*label.key, label.verdict.value, str(label.id)] for label in item.current.values() if label.is_verdict)
    given = [label for label in item.current_citations.values() if label.is_verdict]
    citations: list[Any] = sorted(([*label.key, label.verdict.value, str(label.id)] for label in given), key=canonical_bytes)
    covered = {"fields": fields, "citations": citations} if citations else fields
    return len(fields) + len(citations), hashlib.sha256(canonical_bytes(covered)).digest()


# Submits a review. The last one that an item needs closes it, or brings its conflicts before a lead.


@transaction.atomic
def submit(*, item_id: UUID, by: Membership, now: datetime) -> ReviewItem:
    """Finish a review: every found row, and every citation that the model made itself, has a verdict. The item is let go."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_submit(item, by.user_id, now)
    if item.row.state == State.SKIPPED or not policies.is_held_by(item, by.user_id, now):
        leases.ensure_held(item=item, by=by, now=now)
    submitted = _write(item, by, now)
    record_all([submitted, *leases.let_go(item=item, by=by, now=now)])
    if len(item.standing.reviews) == item.standing.overlap:
        _close(item, step_after_last(item), by, now)
    return item


def _write(item: ReviewItem, by: Membership, now: datetime) -> Event:
    """The submission; returns its event, which is still to be written.

    While others may not know the labels, the event only commits to their digest.
    """
    held = item.standing.hold_of(by.user_id, now)
    slot = held.slot if held else 1
    count, digest = covered_by_submission(item)
    submission = Submission.objects.create(
        organisation_id=by.organisation_id,
        snapshot_id=item.id,
        reviewer_id=by.user_id,
        slot=slot,
        round=item.standing.round,
        submitted_at=now,
        label_count=count,
        digest=digest,
    )
    is_told, sha256 = may_be_told(item.standing), digest.hex()
    details = {"labels": count} | ({"sha256": sha256} if is_told else {})
    parts = [] if is_told else [("sha256", canonical_bytes(sha256))]
    item.standing = replace(item.standing, reviews=[*item.standing.reviews, SubmittedReview(by.user_id, by.user.name, now, slot)])
    return item_event(Action.REVIEW_SUBMITTED, item, by, now, details, parts, [submission])


def _close(item: ReviewItem, step: Step, by: Membership, now: datetime) -> None:
    """All reviews are in."""
    row = item.row
    row.state, row.submitted_by_id, row.submitted_at = State.SUBMITTED, by.user_id, now
    row.skipped_by_id, row.skip_reason = None, ""
    item.take_step(phase_after(Phase(row.phase), step))
    row.save(update_fields=["state", "submitted_by", "submitted_at", "skipped_by", "skip_reason", "phase"])
    finish_plan(item, by, now)


# What reviewers do: label, note, undo, skip, flag; submitting is beside it. Each call one transaction with its events.


__all__ = ["flag_finding", "label_remaining", "let_go", "save_label", "save_note", "skip", "submit", "take", "undo"]


@dataclass(frozen=True, slots=True)
class UndoResult:
    """What an undoing changed: the numbers of rows, and of citations that are still there."""

    item: ReviewItem
    rows: Sequence[int]
    citations: Sequence[int]
    is_anything: bool = True


@transaction.atomic
def save_label(*, choice: RowChoice, verdict: Verdict, by: Membership, now: datetime, note: str | None = None) -> ReviewItem:
    """Give a row a verdict; without ``note`` the note it had stays. Returns the item as it is then.

    Raises ``Refused`` where somebody else holds the item or it was attributed again, ``Invalid`` where a change after submission
    lacks a reason.
    """
    item, row = _open_for_label(choice, by, now)
    author = LabelDraft(item, by, now)
    write(author, SAVED, [author.label(row, verdict, note, choice.reason)])
    update_phase(item, by, now)
    return item


@transaction.atomic
def save_note(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> ReviewItem:
    """Put a note to a row; its verdict stays, or stays open."""
    item, row = _open_for_label(choice, by, now)
    label = item.current.get(field_key(row))
    verdict = label.verdict if label else Verdict.NONE
    author = LabelDraft(item, by, now)
    write(author, NOTED, [author.label(row, verdict, note, choice.reason)])
    update_phase(item, by, now)
    return item


@transaction.atomic
def label_remaining(*, item_id: UUID, by: Membership, now: datetime) -> ReviewItem:
    """Call what is left correct, as one action that can be undone as one: found rows, and citations whose checks found nothing wrong.

    The other citations are left: they are looked at one by one. Where nothing but those is left ``Refused`` says so.
    """
    item = load_item(by, item_id, lock=True)
    policies.check_may_label(item, by.user_id, now, "")
    policies.check_may_label_remaining(item)
    leases.ensure_held(item=item, by=by, now=now)
    author = LabelDraft(item, by, now)
    rows = [author.label(item.attribution.fields[number], Verdict.CORRECT) for number in item.unlabelled]
    sound = [each for each in item.unlabelled_citations if each.is_sound]
    write(author, SAVED, rows, [author.citation_label(each.key, CitationVerdict.SUPPORTS) for each in sound])
    return item


@transaction.atomic
def undo(*, item_id: UUID, by: Membership, now: datetime) -> UndoResult:
    """Take back the last action on an item that was not taken back yet, whatever it labelled."""
    item = load_item(by, item_id, lock=True)
    policies.check_may_undo(item, by.user_id, now)
    last = last_action(item)
    if last is None:
        return UndoResult(item, (), (), is_anything=False)
    leases.ensure_held(item=item, by=by, now=now)
    author = LabelDraft(item, by, now, undoes=last.id)
    rows = {field_key(row): number for number, row in enumerate(item.attribution.fields)}
    citations = {each.key: each.number for each in item.citations}
    write(
        author,
        UNDONE,
        [author.label(item.attribution.fields[rows[label.key]], *last.before(label, Verdict.NONE)) for label in last.labels],
        [author.citation_label(label.key, *last.before(label, CitationVerdict.NONE)) for label in last.citation_labels],
    )
    changed = [citations[label.key] for label in last.citation_labels if label.key in citations]
    return UndoResult(item, sorted(rows[label.key] for label in last.labels), sorted(changed))


@transaction.atomic
def skip(*, item_id: UUID, reason: str, by: Membership, now: datetime) -> None:
    """Put an item aside and say why. The item is let go; anybody can take it up again.

    One that several review stays to do for the others: only whoever skipped it is not offered it any more.
    """
    item = load_item(by, item_id, lock=True)
    policies.check_may_skip(item, by.user_id, now, reason)
    row = item.row
    if row.overlap > 1:
        place: dict[str, Any] = {"item": row, "reviewer_id": by.user_id, "organisation_id": by.organisation_id}
        Aside.objects.update_or_create(**place, defaults={"put_at": now})
    else:
        row.state, row.skipped_by_id, row.skip_reason = State.SKIPPED, by.user_id, reason
        row.save(update_fields=["state", "skipped_by", "skip_reason"])
    skipped = item_event(Action.REVIEW_SKIPPED, item, by, now, parts=[("reason", reason.encode())])
    record(replace(skipped, kept=frozenset({"reason"})))  # the item forgets it when it is taken up again
    leases.release(item=item, by=by, now=now)


@transaction.atomic
def take(*, item_id: UUID, by: Membership, now: datetime) -> ReviewItem:
    """Take one item, also one that was skipped."""
    item = load_item(by, item_id, lock=True)
    leases.ensure_held(item=item, by=by, now=now)
    return item


@transaction.atomic
def let_go(*, item_id: UUID, by: Membership, now: datetime) -> None:
    """Let an item go without finishing it."""
    leases.release(item=load_item(by, item_id, lock=True), by=by, now=now)


@transaction.atomic
def flag_finding(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> None:
    """Put a remark to a finding, for a lead to see. The choice's number is that of the finding."""
    item = load_item(by, choice.item_id, lock=True)
    policies.check_is_current(item, choice.attribution_id)
    policies.check_may_flag(item)
    if not 0 <= choice.number < len(item.findings):
        raise policies.Invalid("There is no such finding.")
    if not note:
        raise policies.Invalid("A flag needs a note: say what a lead should look at.")
    code, name = item.findings[choice.number]
    flag = Flag.objects.create(
        organisation_id=by.organisation_id, snapshot_id=item.id, reviewer_id=by.user_id, finding=name, note=note, created_at=now
    )
    details = {"flag": str(flag.id)} | ({"code": code} if may_be_told(item.standing) else {})
    record(item_event(Action.FINDING_FLAGGED, item, by, now, details, [("finding", name.encode()), ("note", note.encode())], [flag]))


def _open_for_label(choice: RowChoice, by: Membership, now: datetime) -> tuple[ReviewItem, FieldAttribution]:
    """The item, held by this reviewer, and the row that is meant."""
    item = open_item(choice, by, now)
    if not 0 <= choice.number < len(item.attribution.fields):
        raise policies.Invalid("There is no such row.")
    return item, item.attribution.fields[choice.number]


# What reviewers do with a citation: label it, put a note to it. Each call one transaction with its event.


@transaction.atomic
def save_citation_label(
    *, choice: RowChoice, verdict: CitationVerdict, by: Membership, now: datetime, note: str | None = None
) -> ReviewItem:
    """Give a citation a verdict; without ``note`` the note it had stays. Raises what ``save_label`` does."""
    item, citation = _open_citation(choice, by, now)
    author = LabelDraft(item, by, now)
    write(author, SAVED, citation_labels=[author.citation_label(citation.key, verdict, note, choice.reason)])
    update_phase(item, by, now)
    return item


@transaction.atomic
def save_citation_note(*, choice: RowChoice, note: str, by: Membership, now: datetime) -> ReviewItem:
    """Put a note to a citation; its verdict stays, or stays open."""
    item, citation = _open_citation(choice, by, now)
    label = item.current_citations.get(citation.key)
    verdict = label.verdict if label else CitationVerdict.NONE
    author = LabelDraft(item, by, now)
    write(author, NOTED, citation_labels=[author.citation_label(citation.key, verdict, note, choice.reason)])
    update_phase(item, by, now)
    return item


def _open_citation(choice: RowChoice, by: Membership, now: datetime) -> tuple[ReviewItem, Citation]:
    """The item, held by this reviewer, and the citation that is meant."""
    item = open_item(choice, by, now)
    if not 0 <= choice.number < len(item.citations):
        raise policies.Invalid("There is no such citation.")
    return item, item.citations[choice.number]
