"""Proposes, approves and declines redactions of items."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.http import Http404

from reviewers.accounts.models import Membership
from reviewers.ledger import redacting
from reviewers.ledger.redaction_models import Basis, Outcome, Redaction, RedactionDecision
from reviewers.ledger.verifying.difference import Differs
from reviewers.review.holds.actions import wait_for_holds
from reviewers.review.holds.policies import check_is_not_held
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.policies import Refused
from reviewers.review.redacting import policies
from reviewers.review.redacting.announcing import announce
from reviewers.review.redacting.names import SKIP
from reviewers.review.redacting.parts import all_parts_of, parts_of
from reviewers.review.redacting.queued import follow
from reviewers.review.redacting.searches import searches_named
from reviewers.review.redacting.work import work_on
from reviewers.review.redacting.written import Part

OBJECT = "snapshot"


@transaction.atomic
def propose(*, item_id: UUID, parts: Sequence[str], basis: Basis, reason: str, by: Membership, now: datetime) -> Redaction:
    """Propose to redact parts of an item. Raises ``Refused`` or ``Invalid`` where these are not there to be redacted."""
    wait_for_holds(by.organisation_id)
    item = load_item(by, item_id, lock=True)
    check_is_not_held(item.holds)
    policies.check_is_there([*parts_of(item), *searches_named(by.organisation_id, parts)], parts)
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
    """Redact what somebody else proposed. Raises ``Refused`` where it is decided, one's own, or not as it was sealed."""
    wait_for_holds(by.organisation_id)
    redaction, item = _open(redaction_id, by)
    policies.check_may_approve(redaction, by.user_id, now)
    check_is_not_held(item.holds)
    chosen = _chosen(item, redaction)
    try:
        decision = redacting.approve(redaction=redaction, work=work_on(item, chosen), by=by.user_id, at=now)
    except Differs as difference:
        raise Refused(
            f"Nothing was redacted: this is not as it was sealed, and has to be looked into first ({difference})."
        ) from difference
    follow(item.row, forgets_reason=any(part.name.startswith(f"{SKIP}.") for part in chosen))
    announce(by.organisation_id, item.id, now)
    return decision


@transaction.atomic
def decline(*, redaction_id: UUID, by: Membership, now: datetime) -> RedactionDecision:
    """Leave everything as it is: whoever proposed it withdraws, anybody else declines."""
    redaction, _ = _open(redaction_id, by)
    policies.check_is_open(redaction)
    outcome = Outcome.WITHDRAWN if redaction.proposed_by == by.user_id else Outcome.DECLINED
    return redacting.decline(redaction=redaction, outcome=outcome, by=by.user_id, at=now)


def find_redaction(redaction_id: UUID, by: Membership) -> Redaction:
    """A proposal of the member's organisation, or 404."""
    found = Redaction.objects.select_related("decision").filter(pk=redaction_id, organisation_id=by.organisation_id).first()
    if found is None:
        raise Http404
    return found


def _open(redaction_id: UUID, by: Membership) -> tuple[Redaction, Item]:
    """The proposal, and its item held until the end of the transaction: decisions and labels take turns."""
    item = load_item(by, find_redaction(redaction_id, by).object_id, lock=True)
    return find_redaction(redaction_id, by), item


def _chosen(item: Item, redaction: Redaction) -> list[Part]:
    """The parts that were proposed, whoever may see them; those that have gone since, such as a reason that was replaced, are passed over.

    What came after the proposal under the same name, such as another label with the same note, goes with it.
    """
    names = set(redaction.parts)
    there = [*all_parts_of(item), *searches_named(item.row.organisation_id, names)]
    chosen = [part for part in there if part.name in names]
    if not chosen:
        raise Refused("None of these parts is there any more.")
    return chosen
