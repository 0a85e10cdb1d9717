"""Rules on signing: what may be signed, in which meaning, by whom."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Refused
from reviewers.review.models import FOR_OTHERS, Meaning
from reviewers.review.signing.statements import SignableReview, changes_between, digest_of, state_before, state_now


def meanings_for(review: SignableReview, member: Membership) -> Sequence[Meaning]:
    """Return the meanings in which the member can sign a review.

    Their own as reviewed; those of others, with permission, as approved, and as adjudicated once no conflict is left.
    """
    if review.reviewer_id == member.user_id:
        return [Meaning.REVIEWED] if may(member, Permission.SIGN_REVIEWS) else []
    if not may(member, Permission.APPROVE_REVIEWS):
        return []
    return [meaning for meaning in FOR_OTHERS if not (review.is_in_doubt and meaning is Meaning.ADJUDICATED)]


def check_may_sign(review: SignableReview | None, meaning: Meaning, signer_id: UUID) -> SignableReview:
    """Return the review if this person may sign it in this meaning.

    Raises ``Refused`` if it is not submitted or not of the present round. Nobody signs another's review as reviewed or approves their own,
    and nothing with open conflicts is signed as adjudicated.
    """
    if review is None:
        raise Refused("This review has not been submitted. Submit it first; what is signed is what was submitted.")
    if not review.is_present:
        raise Refused("This answer was reopened since. What is signed is the review that counts now.")
    is_own = review.reviewer_id == signer_id
    if meaning is Meaning.REVIEWED and not is_own:
        raise Refused(f"This is the review of {review.reviewer}. Nobody else can sign it as reviewed.")
    if meaning in FOR_OTHERS and is_own:
        raise Refused("This is your own review. You sign it as reviewed; that it is approved is for somebody else to say.")
    if meaning is Meaning.ADJUDICATED and review.is_in_doubt:
        raise Refused("Conflicts of this answer are not decided yet. Decide them first; what is signed is what was decided.")
    return review


def check_is_as_shown(review: SignableReview, digest: str, label_count: int) -> None:
    """Refuse to sign a review that has changed since the signer saw it."""
    now = state_now(review)
    if digest_of(now) != digest:
        changes = changes_between(state_before(review, label_count), now) or ["what it is about"]
        raise Refused(f"Changed since you opened this page: {', '.join(changes)}. Nothing was signed. Look at it again, then sign.")
