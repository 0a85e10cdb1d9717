"""Rules on signing: what may be signed, in which meaning, by whom."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Refused
from reviewers.review.models import FOR_OTHERS, Meaning, QueueItem
from reviewers.review.queries import load_item
from reviewers.review.signing.statements import SignableReview, changes_between, digest_of, state_before, state_now
from reviewers.review.visibility import hides_engine_from, hides_turn_beside, hides_work_from, viewer_of
from reviewers.snapshots.models import Snapshot

REPEATED_STATEMENT = (
    "You review another turn blind that may be of this conversation, and this original record may repeat it. What is signed has the digest "
    "of the record: it is shown, and can be signed, once you have submitted that review."
)


def repeating_hidden(by: Membership, item_ids: Collection[UUID]) -> set[UUID]:
    """Return those of some items whose record may repeat a turn that the member reviews blind: nothing confirms a guess at its digest."""
    viewer, own = viewer_of(by), QueueItem.objects.filter(organisation=by.organisation_id)
    if not own.filter(hides_engine_from(viewer)).exists():
        return set()
    turns = Snapshot.objects.filter(pk__in=item_ids).only("organisation_id", "conversation_id", "client_reference")
    beside = [turn.pk for turn in turns if hides_turn_beside(turn, viewer)]
    return {pk for pk in beside if load_item(by, pk).repeats_hidden}  # one record in memory at a time


def check_tells_nothing_hidden(by: Membership, item_ids: Collection[UUID]) -> None:
    """Refuse to sign what has the digest of a record that may repeat a turn under blind review: a guess could be tried."""
    if repeating_hidden(by, item_ids):
        raise Refused(REPEATED_STATEMENT)


def reviews_known_to(by: Membership, reviews: Collection[SignableReview]) -> list[SignableReview]:
    """Return those of some submitted reviews that the member may know of: a refusal to sign another one would tell how it is labelled."""
    hidden = QueueItem.objects.filter(hides_work_from(viewer_of(by)), pk__in={review.item_id for review in reviews})
    of_others = set(hidden.values_list("pk", flat=True))
    return [review for review in reviews if review.reviewer_id == by.user_id or review.item_id not in of_others]


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
