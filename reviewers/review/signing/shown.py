"""The signatures of an item as its page shows them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.review.items import Item
from reviewers.review.plans.visibility import sees_labels, sees_work, viewer_of
from reviewers.review.signature_models import Meaning
from reviewers.review.signing.policies import FOR_OTHERS
from reviewers.review.signing.queries import SignatureRow, Standing, signatures_of


@dataclass(frozen=True, slots=True)
class Signatures:
    """All signatures, the oldest first; ``to_sign`` says what whoever looks can sign the review as, unless they have, as it stands.

    ``is_again`` says whether they have signed it before.
    """

    rows: Sequence[SignatureRow]
    to_sign: Sequence[Meaning]
    is_again: bool


def build_signatures(item: Item, by: Membership) -> Signatures:
    """What is signed, and what is left to."""
    all_rows = signatures_of(by.organisation_id, item.id)
    own = [row for row in all_rows if row.signer_id == by.user_id]
    rows = all_rows if sees_work(viewer_of(by), item.standing, None) else own
    is_held = any(row.standing is Standing.HOLDS for row in own)
    return Signatures(rows, () if is_held else _meanings(item, by), is_again=bool(own))


def _meanings(item: Item, by: Membership) -> Sequence[Meaning]:
    if not item.is_submitted:
        return ()
    if item.row.submitted_by_id == by.user_id or item.standing.review_of(by.user_id):
        return [Meaning.REVIEWED] if may(by, Permission.SIGN_REVIEWS) else ()
    if not any(sees_labels(viewer_of(by), item.standing, review.reviewer_id) for review in item.standing.reviews):
        return ()
    return FOR_OTHERS if may(by, Permission.APPROVE_REVIEWS) else ()
