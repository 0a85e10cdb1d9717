"""Proposes, approves and declines redactions of items.

An approved redaction changes the record and what was derived from it, the chosen notes and reasons, and everything that names any of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import datetime
from uuid import UUID

from django.db import models, transaction
from django.db.models import Q
from django.http import Http404
from django.shortcuts import get_object_or_404

from reviewers.accounts.approval import check_two_people
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger import redaction as redacting
from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, Redaction, RedactionBasis, RedactionDecision, RedactionOutcome
from reviewers.ledger.redaction import RedactionWork, RowChange
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.review.hooks import run_redaction_hooks
from reviewers.review.items import ReviewItem
from reviewers.review.legal_holds.actions import wait_for_holds
from reviewers.review.legal_holds.policies import check_is_not_held
from reviewers.review.models import (
    CitationLabel,
    Comment,
    Decision,
    Flag,
    FlagResolution,
    Hold,
    Label,
    LiftProposal,
    Reopening,
    Signature,
    UnsupportedClaim,
)
from reviewers.review.queries import load_item
from reviewers.review.queue.actions import update_redacted_item
from reviewers.review.redaction.parts import (
    CITATION_NOTE,
    CLAIM_NOTE,
    COMMENT,
    DECISION,
    GROUND,
    HOLD,
    NOTE,
    OF_LABELS,
    OPENING,
    REMARK,
    REOPENING,
    RESOLUTION,
    SEARCH,
    SKIP,
    Part,
    all_parts_of,
    kind_of,
    parts_of,
)
from reviewers.review.redaction.queries import hidden_among
from reviewers.review.redaction.repetitions import named_elsewhere
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redactable_parts import BARS, is_of_record
from reviewers.snapshots.redaction import forget_outline, lock_snapshot, work_on_snapshot


def check_is_there(parts: Sequence[Part], names: Collection[str]) -> None:
    """Refuse a proposal without parts, or with parts that do not exist."""
    check_is_anything(names)
    if not set(names) <= {part.name for part in parts}:
        raise Refused("Some of these parts are not there, or were redacted since you opened this page. Choose again.")


def check_is_anything(names: Collection[str]) -> None:
    """Refuse a proposal without parts."""
    if not names:
        raise Invalid("Choose at least one part.")


def check_is_open(redaction: Redaction) -> None:
    """Refuse a proposal that has been decided."""
    decision = getattr(redaction, "decision", None)
    if decision is not None:
        raise Refused(f"This proposal has been decided already: {RedactionOutcome(decision.outcome).label.lower()}.")


def check_may_approve(redaction: Redaction, user_id: UUID, now: datetime) -> None:
    """Refuse to approve a proposal unless two people do it (see ``check_two_people``)."""
    check_is_open(redaction)
    check_two_people(redaction, permission=Permission.REDACT, proposed_by=redaction.proposed_by, decided_by=user_id, now=now)


# The changes of a redaction.


_OF_DOCUMENTS = "documents."
_ROWS: dict[str, tuple[type[models.Model], dict[str, str]]] = {
    NOTE: (Label, {"note": "", "reason": ""}),
    CITATION_NOTE: (CitationLabel, {"note": "", "reason": ""}),
    CLAIM_NOTE: (UnsupportedClaim, {"note": "", "reason": ""}),
    RESOLUTION: (FlagResolution, {"note": BARS}),
    COMMENT: (Comment, {"text": BARS}),
    DECISION: (Decision, {"reason": BARS}),
    REOPENING: (Reopening, {"reason": BARS}),
    GROUND: (Redaction, {"reason": BARS}),
}
"""The model and the redacted values of each kind of part. Columns that may not be empty get bars."""
_KEPT_BY_EVENTS = (SKIP, OPENING, SEARCH)
_SAYING_OF_HOLDS = (Action.HOLD_PLACED.value, Action.HOLD_LIFT_PROPOSED.value)
"""The events that commit to the reference and the reasons of a hold."""


def redaction_changes(item: ReviewItem, parts: Sequence[Part]) -> RedactionWork:
    """Return the changes of rows that are only allowed in a redaction. Others, such as to the queue item, are not included."""
    of_record = {part.name for part in parts if is_of_record(part.name)}
    snapshot = Snapshot.objects.get(pk=item.id)
    work = work_on_snapshot(snapshot, of_record) if of_record else RedactionWork(())
    changes = [*work.changes, *_written(parts), *_remarks(item.id, _rows(parts, REMARK), loses_words=bool(of_record))]
    changes += _signatures(item, parts, is_of_record=bool(of_record))
    holds = _rows(parts, HOLD)
    changes += _holds(holds)
    told = AuditEvent.objects.filter(organisation_id=item.row.organisation_id, object_id__in=holds, action__in=_SAYING_OF_HOLDS)
    return RedactionWork(changes, _rows(parts, *_KEPT_BY_EVENTS) | set(told.values_list("pk", flat=True)), work.parts)


def _rows(parts: Sequence[Part], *kinds: str) -> set[UUID]:
    return {row for part in parts if kind_of(part.name) in kinds for row in part.rows}


def _written(parts: Sequence[Part]) -> Iterator[RowChange]:
    for part in parts:
        if found := _ROWS.get(kind_of(part.name)):
            model, values = found
            yield from (RowChange(model, key, values) for key in part.rows)


def _remarks(item_id: UUID, chosen: Collection[UUID], *, loses_words: bool) -> Iterator[RowChange]:
    """Yield the changes of flags.

    Chosen flags lose their note. If anything of the record is redacted, flags on documents lose the message of their finding, which may
    quote it.
    """
    for flag in Flag.objects.filter(snapshot=item_id):
        values = {"note": ""} if flag.pk in chosen else {}
        if loses_words and flag.finding.startswith(_OF_DOCUMENTS):
            values["finding"] = ":".join(flag.finding.split(":")[:2]) + ":"
        if values:
            yield RowChange(Flag, flag.pk, values)


def _holds(chosen: Collection[UUID]) -> Iterator[RowChange]:
    """Yield the changes of holds that are over, and of the proposals to lift them."""
    for hold in Hold.objects.filter(pk__in=chosen).prefetch_related("proposals"):
        yield RowChange(Hold, hold.pk, {"reason": BARS} | ({"reference": BARS} if hold.reference else {}))
        yield from (RowChange(LiftProposal, each.pk, {"reason": BARS}) for each in hold.proposals.all())


def _signatures(item: ReviewItem, parts: Sequence[Part], *, is_of_record: bool) -> Iterator[RowChange]:
    """Yield the changes of the signatures on whose statements something redacted stands.

    A statement contains digests of the record, of its reviewer's notes and of the reasons of decisions in its round, by which a guess could
    be confirmed, so it is emptied and its digest made random. The signatures on other reviews stay: nothing that they sign has changed.
    """
    signatures = Signature.objects.filter(review__snapshot=item.id)
    if not is_of_record:
        authors = {part.author for part in parts if kind_of(part.name) in OF_LABELS}
        rounds = Decision.objects.filter(pk__in=_rows(parts, DECISION)).values("round")
        signatures = signatures.filter(Q(review__reviewer__in=authors) | Q(review__round__in=rounds))
    for signature in signatures:
        yield RowChange(Signature, signature.pk, {"statement": b""})


OBJECT = "snapshot"


@transaction.atomic
def propose(*, item_id: UUID, parts: Sequence[str], basis: RedactionBasis, reason: str, by: Membership, now: datetime) -> Redaction:
    """Propose to redact parts of an item. Raises ``Refused`` or ``Invalid`` if they cannot be redacted."""
    wait_for_holds(by.organisation_id)
    item = load_item(by, item_id, lock=True)
    check_is_not_held(item.holds)
    check_is_there([*parts_of(item), *named_elsewhere(by.organisation_id, parts)], parts)
    redaction = Redaction(
        organisation_id=by.organisation_id,
        object_type=OBJECT,
        object_id=item.id,
        parts=list(parts),
        basis=basis,
        reason=reason,
        proposed_by=by.user_id,
        proposed_at=now,
    )
    return redacting.propose(redaction=redaction)


@transaction.atomic
def approve(*, redaction_id: UUID, by: Membership, now: datetime) -> RedactionDecision:
    """Redact what somebody else has proposed. Raises ``Refused`` if it is decided, one's own, or not as it was sealed."""
    wait_for_holds(by.organisation_id)
    lock_snapshot(find_redaction(redaction_id, by).object_id)  # before its item, as whoever attributes it again does
    redaction, item = _open(redaction_id, by)
    check_may_approve(redaction, by.user_id, now)
    check_is_not_held(item.holds)
    chosen = _chosen(item, redaction)
    try:
        decision = redacting.approve(redaction=redaction, work=redaction_changes(item, chosen), by=by.user_id, at=now)
    except LedgerMismatch as difference:
        raise Refused(
            f"Nothing was redacted: this is not as it was sealed, and has to be looked into first ({difference})."
        ) from difference
    update_redacted_item(item.row, forgets_reason=not _rows(chosen, SKIP).isdisjoint(_last_skip(item)))
    forget_outline(item.id)
    run_redaction_hooks(by.organisation_id, item.id, now)
    return decision


@transaction.atomic
def decline(*, redaction_id: UUID, by: Membership, now: datetime) -> RedactionDecision:
    """Decline a proposal, or withdraw one's own."""
    redaction, _ = _open(redaction_id, by)
    check_is_open(redaction)
    outcome = RedactionOutcome.WITHDRAWN if redaction.proposed_by == by.user_id else RedactionOutcome.DECLINED
    return redacting.decline(redaction=redaction, outcome=outcome, by=by.user_id, at=now)


def _last_skip(item: ReviewItem) -> list[UUID]:
    """Return the event of skipping the item last, whose reason the item repeats, or nothing."""
    skips = AuditEvent.objects.filter(organisation_id=item.row.organisation_id, object_id=item.id, action=Action.REVIEW_SKIPPED.value)
    return list(skips.order_by("-id").values_list("id", flat=True)[:1])


def find_redaction(redaction_id: UUID, by: Membership) -> Redaction:
    """Return a proposal of the member's organisation that they may know of, or raise 404."""
    redactions = Redaction.objects.select_related("decision")
    redaction: Redaction = get_object_or_404(redactions, pk=redaction_id, organisation_id=by.organisation_id)
    if hidden_among([redaction], by):
        raise Http404
    return redaction


def _open(redaction_id: UUID, by: Membership) -> tuple[Redaction, ReviewItem]:
    """Return the proposal and its item, which is locked until the end of the transaction so that labels wait."""
    item = load_item(by, find_redaction(redaction_id, by).object_id, lock=True)
    return find_redaction(redaction_id, by), item


def _chosen(item: ReviewItem, redaction: Redaction) -> list[Part]:
    """Return the proposed parts that still exist, visible to the member or not.

    Parts added after the proposal under the same name, such as another label with the same note, are included.
    """
    names = set(redaction.parts)
    there = [*all_parts_of(item), *named_elsewhere(item.row.organisation_id, names)]
    chosen = [part for part in there if part.name in names]
    if not chosen:
        raise Refused("None of these parts is there any more.")
    return chosen
