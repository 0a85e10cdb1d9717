"""Unsupported claims: words of an answer of which a reviewer says that nothing in the record supports them.

Those of several reviewers are shown together where they are about the same words. Each action is one transaction with its event.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import cast
from uuid import UUID

from django.db import transaction

from attribution import Span
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Invalid, Refused
from reviewers.ledger.events import Action
from reviewers.review.adjudication.actions import update_phase
from reviewers.review.adjudication.decisions import ShownDecision, decision_in_words
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import OF_CLAIMS, AnyLabel, ClaimKey, StoredClaimLabel, together
from reviewers.review.labels.writer import SAVED, UNDONE, LabelDraft, LabelRow, RowChoice, find_repeated, hold_item, write
from reviewers.review.models import ClaimVerdict, UnsupportedClaim
from reviewers.review.policies import MOST_CLAIMS
from reviewers.review.queries import load_item
from reviewers.review.talk.flags import place_in_shown, quoted_words, words_in
from reviewers.web.models import uuid7


@dataclass(frozen=True, slots=True)
class ClaimBy:
    """A reviewer's label on words. ``reason`` says why it was changed after submission. The viewer's own has no ``name``."""

    id: UUID
    key: ClaimKey
    name: str
    note: str
    reason: str
    at: datetime
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """An unsupported claim with the labels on it. ``span`` is its place in the text that the page shows.

    If the answer is masked or redacted, ``words`` are a mask and there is no span. ``reviews`` is the number of reviews that the
    viewer may see, and so of those that could have found it. ``decided`` is what a lead decided where reviewers differed.
    """

    number: int
    span: Span | None
    words: str
    labels: Sequence[ClaimBy]
    reviews: int
    decided: ShownDecision | None = None

    @property
    def own(self) -> ClaimBy | None:
        """Return the viewer's own label, or None."""
        return next((label for label in self.labels if label.is_own), None)


def shown_claims(item: ReviewItem) -> list[ShownClaim]:
    """Return the unsupported claims that the viewer may see, in the order of the answer."""
    reviews = len(item.others) + 1
    return [
        ShownClaim(
            number, place_in_shown(item, span), quoted_words(item, *span), labels, reviews, decision_in_words(item.decided.get(span))
        )
        for number, (span, labels) in enumerate(together(_labels_of(item)))
    ]


def _labels_of(item: ReviewItem) -> Iterator[tuple[ClaimKey, ClaimBy]]:
    """Yield the labels whose review is shown, which are the viewer's own where they have any, then those of others."""
    is_own = item.own_review is not None or item.row.submitted_by_id is None
    name = "" if is_own or item.row.submitted_by is None else item.row.submitted_by.name
    yield from _of(item.current_claims, name, is_own=is_own)
    for review in item.others:
        yield from _of(review.claims, review.name, is_own=False)


def _of(labels: Mapping[ClaimKey, StoredClaimLabel], name: str, *, is_own: bool) -> Iterator[tuple[ClaimKey, ClaimBy]]:
    for key, label in labels.items():
        if label.is_verdict:
            yield key, ClaimBy(label.id, key, name, label.note, label.reason, label.created_at, is_own)


# Actions.


@transaction.atomic
def save_claim(*, choice: RowChoice, words: str, note: str, by: Membership, now: datetime, occurrence: int = 1) -> StoredClaimLabel:
    """Say that words of an answer are not in the record. ``occurrence`` counts from 1 where the answer has the words more than once.

    Raises ``Refused`` if the item cannot be labelled now, and ``Invalid`` if the answer does not have these words, or a change after
    submission lacks a reason.
    """
    item = load_item(by, choice.item_id, lock=True)

    def key_of_words() -> ClaimKey:
        return ClaimKey(**words_in(item.unmarked.text, words, occurrence))

    def is_alike(label: AnyLabel) -> bool:
        return label.key == key_of_words() and label.is_verdict and label.note == note

    if repeated := find_repeated(item, choice, is_alike):
        return cast("StoredClaimLabel", repeated[0])
    hold_item(item, choice, by, now)
    key = key_of_words()
    said = {key for key, label in item.current_claims.items() if label.is_verdict}
    if key not in said and len(said) >= MOST_CLAIMS:
        raise Refused(f"You have said of {MOST_CLAIMS} places in this answer that they are not in the record, and it takes no more.")
    draft = LabelDraft(item, by, now, choice.action_id or uuid7())
    return _write(draft, SAVED, draft.claim_label(key, ClaimVerdict.UNSUPPORTED, note, choice.reason))


@transaction.atomic
def take_back_claim(*, choice: RowChoice, claim: ClaimKey | UUID, by: Membership, now: datetime) -> StoredClaimLabel:
    """Take back that words are not in the record. The words are named by their place, or by the identifier of a label of the member's.

    Raises the same exceptions as ``save_claim``.
    """
    item = load_item(by, choice.item_id, lock=True)
    key = claim if isinstance(claim, ClaimKey) else _labelled_words(item, claim)
    if repeated := find_repeated(item, choice, lambda label: label.key == key and not label.is_verdict):
        return cast("StoredClaimLabel", repeated[0])
    hold_item(item, choice, by, now)
    label = item.current_claims.get(key) if key else None
    if key is None or label is None or not label.is_verdict:
        raise Invalid("You do not say of these words that they are not in the record.")
    draft = LabelDraft(item, by, now, choice.action_id or uuid7())
    return _write(draft, UNDONE, draft.claim_label(key, ClaimVerdict.NONE, "", choice.reason))


def _labelled_words(item: ReviewItem, label_id: UUID) -> ClaimKey | None:
    found = UnsupportedClaim.objects.filter(pk=label_id, snapshot=item.id, reviewer=item.viewer.id).first()
    return ClaimKey(found.start, found.end) if found else None


def _write(draft: LabelDraft, actions: Mapping[type[LabelRow], Action], label: UnsupportedClaim) -> StoredClaimLabel:
    write(draft, actions, claims=[label])
    update_phase(draft.item, draft.by, draft.now)
    return OF_CLAIMS.read(vars(label))
