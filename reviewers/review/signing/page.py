"""Signatures on the page of an item, and the page on which somebody signs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.conf import settings

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.review.adjudication.decisions import VERDICTS
from reviewers.review.items import ReviewItem
from reviewers.review.models import CitationVerdict, Meaning, Signature, Verdict
from reviewers.review.plans.visibility import sees_labels, sees_work, viewer_of
from reviewers.review.signing.policies import FOR_OTHERS, meanings_for
from reviewers.review.signing.queries import SignatureRow, SignatureStatus, signatures_of
from reviewers.review.signing.statements import SignableReview, Statement, Written, bytes_of, digest_of, state_now
from reviewers.review.wording import turn_in_words


@dataclass(frozen=True, slots=True)
class Signatures:
    """The signatures of an item, oldest first.

    ``to_sign`` are the meanings in which the viewer can still sign the review as it is. ``is_again`` is true if they have signed it before.
    """

    rows: Sequence[SignatureRow]
    to_sign: Sequence[Meaning]
    is_again: bool


def build_signatures(item: ReviewItem, by: Membership) -> Signatures:
    """Return the signatures that the member may see, and what is left to sign."""
    all_rows = signatures_of(by.organisation_id, item.id)
    own = [row for row in all_rows if row.signer_id == by.user_id]
    rows = all_rows if sees_work(viewer_of(by), item.review_status, None) else own
    rows = [replace(row, digest="") for row in rows] if item.hidden else rows  # a short note could be guessed by it
    is_held = any(row.standing is SignatureStatus.HOLDS for row in own)
    return Signatures(rows, () if is_held else _meanings(item, by), is_again=bool(own))


def _meanings(item: ReviewItem, by: Membership) -> Sequence[Meaning]:
    if not item.is_submitted:
        return ()
    if item.row.submitted_by_id == by.user_id or item.review_status.review_of(by.user_id):
        return [Meaning.REVIEWED] if may(by, Permission.SIGN_REVIEWS) else ()
    if not any(sees_labels(viewer_of(by), item.review_status, review.reviewer_id) for review in item.review_status.reviews):
        return ()
    return FOR_OTHERS if may(by, Permission.APPROVE_REVIEWS) else ()


# The page on which somebody signs.


MEANINGS = {
    Meaning.REVIEWED: "I have reviewed this answer, and these are my labels.",
    Meaning.ADJUDICATED: "I have decided where there was doubt, and these labels stand.",
    Meaning.APPROVED: "I have looked at this review, and I approve it.",
}


@dataclass(frozen=True, slots=True)
class Signing:
    """The page. ``zone`` is that of the signer's last signature, else the site's. A script replaces it with the browser's."""

    item_id: str
    title: str
    turn: str
    review_id: str
    reviewer: str
    submitted_at: datetime
    is_own: bool
    printed_name: str
    meanings: Sequence[tuple[Meaning, str]]
    covered: Sequence[tuple[str, str]]
    snapshot_digest: str
    profile: str
    engine: str
    digest: str
    label_count: int
    statement: str
    zone: str


def build_signing(item: ReviewItem, review: SignableReview, by: Membership) -> Signing:
    """Return the page for signing a review."""
    snapshot, statement = item.row.snapshot, state_now(review)
    return Signing(
        item_id=str(item.id),
        title=snapshot.conversation_id or snapshot.client_reference or snapshot.external_id,
        turn=turn_in_words(snapshot.turn_index),
        review_id=str(review.id),
        reviewer=review.reviewer,
        submitted_at=review.submitted_at,
        is_own=review.reviewer_id == by.user_id,
        printed_name=by.user.name,
        meanings=[(meaning, MEANINGS[meaning]) for meaning in meanings_for(review, by)],
        covered=_covered(statement),
        snapshot_digest=review.snapshot_digest,
        profile=statement["attribution"]["profile"],
        engine=statement["attribution"]["engine"],
        digest=digest_of(statement),
        label_count=review.label_count,
        statement=bytes_of(statement).decode(),
        zone=_last_zone(by) or settings.TIME_ZONE,
    )


def choose_review(reviews: Sequence[SignableReview], chosen: str, by: Membership) -> SignableReview | None:
    """Return the review with this identifier, or by default one's own, else the last one submitted.

    By default only reviews of the present round count.
    """
    if chosen:
        return next((review for review in reviews if str(review.id) == chosen), None)
    present = [review for review in reviews if review.is_present]
    own = [review for review in present if review.reviewer_id == by.user_id]
    return (own or present)[-1] if present else None


def _covered(statement: Statement) -> list[tuple[str, str]]:
    """Return the number of labels by verdict, for each kind of label."""
    fields = _counted(statement["fields"], {verdict.value: verdict.label for verdict in Verdict})
    citations = _counted(statement["citations"], {verdict.value: verdict.label for verdict in CitationVerdict})
    decisions = _counted(statement.get("decisions", ()), VERDICTS)
    kinds = (("Labels of fields", fields), ("Labels of citations", citations), ("Decided by a lead", decisions))
    return [(name, words) for name, words in kinds if words] or [("Labels", "none: the answer draws on nothing that needs one")]


def _counted(labels: Sequence[Written], spoken: dict[str, str]) -> str:
    counts = Counter(label["verdict"] for label in labels)
    noted = sum(label.get("note") is not None for label in labels)
    words = [f"{counts[verdict]} {name.lower()}" for verdict, name in spoken.items() if counts[verdict]]
    return ", ".join(words) + (f"; {noted} with a note" if noted else "")


def _last_zone(by: Membership) -> str:
    last = Signature.objects.filter(organisation=by.organisation_id, signer=by.user_id).order_by("-signed_at")
    return last.values_list("zone", flat=True).first() or ""
