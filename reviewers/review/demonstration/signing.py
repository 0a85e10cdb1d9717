"""Signatures of the demonstration: one that holds, one that is approved as well, and one that a later label has made void."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from reviewers.accounts.given_proofs import give_proof
from reviewers.accounts.models import Membership
from reviewers.review.actions import save_label
from reviewers.review.authoring import RowChoice
from reviewers.review.item_loading import load_item
from reviewers.review.models import Submission, Verdict
from reviewers.review.signature_models import Meaning
from reviewers.review.signing.actions import Intent, sign
from reviewers.review.signing.loading import load_reviews
from reviewers.review.signing.statement import digest_of, state_now

_ZONE = "America/Chicago"
_SIGNED = 3


def sign_some(*, reviewer: Membership, lead: Membership, now: datetime) -> None:
    """Sign the reviewer's first reviews."""
    rows = Submission.objects.filter(organisation=reviewer.organisation_id, reviewer=reviewer.user_id).order_by("submitted_at", "id")
    item_ids = list(rows.values_list("snapshot_id", flat=True)[:_SIGNED])
    for item_id in item_ids:
        _sign(item_id, reviewer, Meaning.REVIEWED, now)
    for item_id in item_ids[1:]:
        _sign(item_id, lead, Meaning.APPROVED, now)
    _change(item_ids[2:], reviewer, now)


def _sign(item_id: UUID, by: Membership, meaning: Meaning, now: datetime) -> None:
    review = load_reviews(by.organisation_id, item_id)[-1]
    intent = Intent(item_id, review.id, digest_of(state_now(review)), review.label_count, meaning, _ZONE)
    whose = {"organisation_id": by.organisation_id, "user_id": by.user_id}
    proof = give_proof(**whose, session_key="", purpose="sign", second_factor=False, now=now)
    sign(intent=intent, proof=proof, by=by, now=now)


def _change(item_ids: Sequence[UUID], by: Membership, now: datetime) -> None:
    """Take the first verdict back to what nobody can judge."""
    for item_id in item_ids:
        item = load_item(by, item_id)
        number = next(number for number, row in enumerate(item.attribution.fields) if row.is_used)
        choice = RowChoice(item_id, item.row.attribution_id, number, "On a second reading this could be chance.")
        save_label(choice=choice, verdict=Verdict.CANNOT_JUDGE, by=by, now=now)
