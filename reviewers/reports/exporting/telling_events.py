"""Which events of the ledger a report tells of."""

from __future__ import annotations

from reviewers.ledger.events import Action

FROZEN = (Action.SNAPSHOT_FROZEN, Action.ANSWER_REPAIRED, Action.CITATION_SEARCH_ENDED, Action.REDACTION_APPROVED)
UNTELLING = (Action.SNAPSHOT_FROZEN, Action.REDACTION_APPROVED)
"""Those of the above that say nothing of what was found of an answer, or found wrong with it."""
REVIEWED = (
    Action.LABEL_SAVED,
    Action.LABEL_UNDONE,
    Action.NOTE_SAVED,
    Action.CITATION_LABEL_SAVED,
    Action.CITATION_LABEL_UNDONE,
    Action.CITATION_NOTE_SAVED,
    Action.FINDING_FLAGGED,
    Action.REVIEW_SUBMITTED,
    Action.SIGNATURE_MADE,
    Action.CONFLICT_DECIDED,
    Action.ITEM_REOPENED,
)
"""What makes an answer what the report says of it. That somebody looked at it changes nothing, and stands in the record of accesses."""
