"""Rules on review items in their state, for anyone: on taking, labelling, flags, comments and adjudication.

Each is a ``check_x`` that raises with the reason.
"""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from reviewers.accounts.models import Organisation, SearchWay
from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.adjudication.decisions import ItemReviews, LabelledRow, RowKey, verdicts_on
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import AnyLabel
from reviewers.review.models import Flag, FlagKind
from reviewers.review.plans.phases import PhaseRight, Who, allows
from reviewers.review.review_status import ReviewStatus
from reviewers.review.visibility import sees_talk
from reviewers.snapshots.queries import SearchState

MOST_LABELS, MOST_LABELS_A_ROW = 1_000, 5
"""The labels of a reviewer on an answer after which nothing is undone any more: so many, and more for each field and citation."""
MOST_WRITTEN = 1_000_000
"""The characters of a reviewer's notes and reasons on an answer after which it is the same: each label keeps its note."""
MOST_CLAIMS = 50
"""The most places of an answer of which a reviewer says that they are not in the record. Its page shows them all."""
MOST_FLAGS = 50
"""Flags of a reviewer on an answer. Its page shows them all."""


def is_held_by(item: ReviewItem, reviewer_id: UUID, now: datetime) -> bool:
    """True if the reviewer holds the item now."""
    return item.review_status.hold_of(reviewer_id, now) is not None


def check_is_current(item: ReviewItem, attribution_id: UUID) -> None:
    """Refuse a page that shows an older attribution, because its fields may differ."""
    if item.row.attribution_id != attribution_id:
        raise Refused("This item has been attributed again since you opened it. Reload the page.")


def check_is_counted_alike(item: ReviewItem, *, is_blind: bool) -> None:
    """Refuse a citation by its number on a page of a blind review that is not blind any more, or the other way round."""
    if item.is_blind is not is_blind:
        raise Refused("What may be known of this item has changed since you opened it, and so has the order of citations. Reload the page.")


def check_may_take(item: ReviewItem, reviewer_id: UUID, now: datetime) -> None:
    """Refuse an item whose free slots others hold, that needs no more reviews, or that the reviewer has submitted."""
    if item.is_submitted:
        raise Refused("This review has been submitted.")
    holder = item.review_status.in_the_way(reviewer_id, now)
    if holder is not None:
        raise Refused(f"{holder.name} is reviewing this answer. You can read it meanwhile.")


def check_may_label(item: ReviewItem, reviewer_id: UUID, now: datetime, reason: str) -> None:
    """Allow the lease holder, or anyone who can take the item, to label before submission; then only its reviewer, with a reason."""
    _check_is_not_endless(item, 2)
    if not item.is_submitted:
        check_may_take(item, reviewer_id, now)
    elif item.review_status.review_of(reviewer_id) is None:
        raise Refused("Somebody else has submitted this review. Only its reviewer can change it, with a reason.")
    elif not reason:
        raise Invalid("This review is submitted: changing a label needs a reason. The old label stays on record.")


def check_may_undo(item: ReviewItem, reviewer_id: UUID, now: datetime) -> None:
    """Refuse to undo after submission, and to anyone who may not label."""
    if item.is_submitted:
        raise Refused("Submitted labels cannot be undone. Change the label instead, and give a reason.")
    _check_is_not_endless(item, 1)
    check_may_take(item, reviewer_id, now)


def _check_is_not_endless(item: ReviewItem, times: int) -> None:
    """Refuse more labels than anybody needs: none is ever deleted, and every page with the answer reads them all.

    Undoing ends first, so that a reviewer who has undone very often can still finish.
    """
    labels: list[AnyLabel] = [*item.labels, *item.citation_labels, *item.claim_labels]
    most = MOST_LABELS + MOST_LABELS_A_ROW * (len(item.attribution.fields) + len(item.citations))
    written = sum(len(label.note) + len(label.reason) for label in labels)
    if len(labels) >= times * most or written >= times * MOST_WRITTEN:
        raise Refused("You have changed the labels of this answer so often, or written so much of it, that it takes no more of this.")


def check_may_submit(item: ReviewItem, reviewer_id: UUID, now: datetime) -> None:
    """Refuse a review in which a used field or a citation that ``needs_verdict`` has no verdict. "Can't judge" is a verdict."""
    check_may_take(item, reviewer_id, now)
    rows, citations = len(item.unlabelled), len(item.unlabelled_citations)
    if rows or citations:
        left = [f"{count} {kind}{'s' * (count > 1)}" for count, kind in ((rows, "found row"), (citations, "citation")) if count]
        raise Refused(f"{' and '.join(left)} {'has' if rows + citations == 1 else 'have'} no label yet.")


def check_may_label_remaining(item: ReviewItem) -> None:
    """Refuse to label the remaining rows at once in a blind review, or if only citations with issues are left.

    These are judged one by one.
    """
    if item.is_blind:
        raise Refused("This is a blind review: every row is judged on its own.")
    left = item.unlabelled_citations
    if left and not item.unlabelled and not any(each.is_sound for each in left):
        raise Refused("What is left are citations whose checks found something, or could not be checked: judge them one by one.")


def check_may_know_search(item: ReviewItem) -> None:
    """Refuse a reviewer who may not know yet whether citations were looked for, and anybody while others review the item blind.

    Citations that come while their pages are open would be known as found afterwards.
    """
    if item.is_blind:
        raise Refused("This is a blind review: what was found afterwards is shown once you have submitted yours.")
    if item.review_status.is_hidden:
        raise Refused("Others review this answer blind. Citations can be looked for again once all reviews are in.")


def check_may_skip(item: ReviewItem, reviewer_id: UUID, now: datetime, reason: str) -> None:
    """Refuse to skip without a reason."""
    check_may_take(item, reviewer_id, now)
    if not reason:
        raise Invalid("Skipping needs a reason, so that somebody else can take it up.")


def check_can_search_again(search: SearchState | None, organisation: Organisation) -> SearchState:
    """Return the search that failed. Raises ``Refused`` if none failed or if the organisation has turned the search off."""
    if search is None or not search.has_failed:
        raise Refused("There is no search here that failed.")
    if organisation.citation_search == SearchWay.OFF:
        raise Refused("Looking for citations afterwards is turned off. It can be turned on under Settings.")
    return search


# Flags and comments.


MOST_COMMENTS = 500
"""The most comments on one item: every page with it shows them all."""


def check_may_flag(item: ReviewItem, kind: FlagKind, flags: int) -> None:
    """Refuse a flag on a finding that the reviewer may not see yet, or beside very many ``flags`` of theirs."""
    if item.is_blind and kind is FlagKind.FINDING:
        raise Refused("This is a blind review: findings are shown once you have submitted yours.")
    if flags >= MOST_FLAGS:
        raise Refused(f"You have put {MOST_FLAGS} flags on this answer. A lead will look at them.")


def check_flag_note(note: str) -> None:
    """Refuse a flag without a note."""
    if not note:
        raise Invalid("A flag needs a note: say what a lead should look at.")


def check_may_resolve(flag: Flag, note: str) -> None:
    """Refuse to resolve a flag a second time, or without a note."""
    if hasattr(flag, "resolution"):
        raise Refused("Somebody has resolved this flag already.")
    if not note:
        raise Invalid("Resolving a flag needs a note: say what came of it.")


def check_may_comment(item: ReviewItem, comments: int) -> None:
    """Refuse comments while others review the item blind, and on an item that has very many."""
    if not sees_talk(item.viewer, item.review_status):
        raise Refused("This answer is under blind review. Comments can be read and written once all reviews are in.")
    if comments >= MOST_COMMENTS:
        raise Refused(f"This answer has {MOST_COMMENTS} comments, and takes no more.")


def check_comment(text: str) -> None:
    """Refuse a comment without words."""
    if not text:
        raise Invalid("A comment needs words.")


# Adjudication.


OWN = "You reviewed this answer yourself, so another lead decides it."


def may_adjudicate(status: ReviewStatus, lead_id: UUID) -> bool:
    """True if the lead may decide conflicts of the item."""
    return allows(status.phase, _who(status, lead_id), PhaseRight.ADJUDICATE)


def check_may_adjudicate(status: ReviewStatus, lead_id: UUID) -> None:
    """Refuse a lead who has reviewed the item, and any item without conflicts."""
    if not allows(status.phase, Who.LEAD, PhaseRight.ADJUDICATE):
        raise Refused("There is nothing to decide here: not all reviews are in, or no labels conflict any more.")
    if not may_adjudicate(status, lead_id):
        raise Refused(OWN)


def check_as_seen(item_reviews: ItemReviews, labels: Collection[UUID]) -> LabelledRow:
    """Return the row that conflicts, or has a lead's decision, between exactly these labels.

    Raises ``Refused`` if one of them was changed meanwhile.
    """
    row = next((row for row in item_reviews.rows if {label.id for label in row.labels} == set(labels)), None)
    if row is None or (row.verdict and row.made is None):
        raise Refused("A label of this row was changed since you opened the page. Nothing was decided. Look at it again.")
    return row


def check_may_decide(key: RowKey, verdict: str, reason: str) -> None:
    """Refuse a decision without a reason, or with a verdict that its row cannot have."""
    if verdict not in [each.value for each in verdicts_on(key)]:
        raise Invalid("Choose what is decided.")
    if not reason:
        raise Invalid("A decision needs a reason: say what settles it.")


def may_reopen(status: ReviewStatus) -> bool:
    """True if the item may be reopened."""
    return allows(status.phase, Who.LEAD, PhaseRight.REOPEN)


def check_may_reopen(status: ReviewStatus, reason: str) -> None:
    """Refuse to reopen an item whose reviews are not all in, or without a reason."""
    if not may_reopen(status):
        raise Refused("Only an answer whose reviews are all in can be reopened.")
    if not reason:
        raise Invalid("Reopening needs a reason, for those who review it once more.")


def _who(status: ReviewStatus, lead_id: UUID) -> Who:
    return Who.LEAD if status.review_of(lead_id) is None else Who.AUTHOR
