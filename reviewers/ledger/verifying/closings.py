"""Whether all that cannot be opened any more was closed by a redaction, which then says what stands there now."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from reviewers.ledger.events import Action
from reviewers.ledger.models import EventSecret
from reviewers.ledger.openings import Openings
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.rows import Claim
from reviewers.ledger.verifying.standing import Standing


class Closings:
    """Follows events in the order of the log. What one of them no longer opens, a later redaction has to commit to as it is now."""

    def __init__(self) -> None:
        self.standing = Standing()
        self._unsaid: dict[tuple[str, str], UUID] = {}

    def follow(self, event_id: UUID, action: str, openings: Openings, claims: Sequence[Claim]) -> None:
        """What this event has closed waits; what it tells of, where it is a redaction, does not wait any more."""
        if openings.is_closed:
            self._unsaid[EventSecret._meta.db_table, str(event_id)] = event_id
        for claim in claims:
            if claim.salt is None:
                self._unsaid[claim.table, claim.key] = event_id
            elif action == Action.REDACTION_APPROVED.value:
                self._unsaid.pop((claim.table, claim.key), None)

    def check_end(self) -> None:
        """Raises ``Differs`` where something was closed that no redaction tells of."""
        for (table, key), event_id in self._unsaid.items():
            how = "no longer opens what its event commits to, and no redaction says why"
            raise Differs(EventSecret, event_id, how if table == EventSecret._meta.db_table else f"{how}: {table} {key}", "salt_seed")
