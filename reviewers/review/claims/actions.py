"""Actions on unsupported claims: say that words are not in the record, and take it back. Each is one transaction with its event."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.adjudication.actions import update_phase
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import ClaimKey
from reviewers.review.labels.writer import SAVED, UNDONE, LabelActions, LabelDraft, RowChoice, open_item, write
from reviewers.review.models import ClaimVerdict, UnsupportedClaim
from reviewers.review.policies import MOST_CLAIMS
from reviewers.review.talk.flags import words_in


@dataclass(frozen=True, slots=True)
class ClaimChoice:
    """Words of an answer as a form names them: by an attribution, the words, and which of their occurrences is meant.

    ``reason`` is for changes after submission.
    """

    item_id: UUID
    attribution_id: UUID
    words: str
    occurrence: int = 1
    reason: str = ""


@transaction.atomic
def save_claim(*, choice: ClaimChoice, note: str, by: Membership, now: datetime) -> UnsupportedClaim:
    """Say that words of an answer are not in the record.

    Raises ``Refused`` if the item cannot be labelled now, and ``Invalid`` if the answer does not have these words, or a change after
    submission lacks a reason.
    """
    item = open_item(RowChoice(choice.item_id, choice.attribution_id, 0, choice.reason), by, now)
    key = ClaimKey(**words_in(item.unmarked.text, choice.words, choice.occurrence))
    said = {key for key, label in item.current_claims.items() if label.is_verdict}
    if key not in said and len(said) >= MOST_CLAIMS:
        raise Refused(f"You have said of {MOST_CLAIMS} places in this answer that they are not in the record, and it takes no more.")
    return _write(item, SAVED, LabelDraft(item, by, now).claim_label(key, ClaimVerdict.UNSUPPORTED, note, choice.reason), by, now)


@transaction.atomic
def take_back_claim(*, choice: RowChoice, key: ClaimKey, by: Membership, now: datetime) -> UnsupportedClaim:
    """Take back that words are not in the record. Raises the same exceptions as ``save_claim``."""
    item = open_item(choice, by, now)
    label = item.current_claims.get(key)
    if label is None or not label.is_verdict:
        raise Invalid("You do not say of these words that they are not in the record.")
    return _write(item, UNDONE, LabelDraft(item, by, now).claim_label(key, ClaimVerdict.NONE, "", choice.reason), by, now)


def _write(item: ReviewItem, actions: LabelActions, label: UnsupportedClaim, by: Membership, now: datetime) -> UnsupportedClaim:
    write(LabelDraft(item, by, now), actions, claims=[label])
    update_phase(item, by, now)
    return label
