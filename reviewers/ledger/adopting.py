"""Records of before the log: an event commits to them as they are found, so that from then on a change of them is found as well.

What was changed before cannot be told. That they were adopted, and when, stands in the log for everybody to see.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction

from reviewers.accounts.announcements import Actor
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.ledger.standing import STANDING, model_of, standing_row
from reviewers.ledger.verifying.rows import list_untold, read, records, tables_within
from reviewers.ledger.verifying.standing import keys_untold
from reviewers.web import walls

BATCH = 500
"""How many rows one event tells of."""


def adopt(*, organisation_id: UUID, by: Actor, at: datetime) -> int:
    """Adopt what no event tells of; returns how many rows. Those that belong to no organisation as well, by whoever comes first."""
    with walls.within(organisation_id):
        own = sum(_adopt(table, organisation_id, organisation_id, by, at) for table in tables_within(organisation_id))
        own += sum(_adopt_standing(table, organisation_id, by, at) for table in STANDING)
        return own + sum(_adopt(table, None, organisation_id, by, at) for table in tables_within(None))


def _adopt(table: str, whose: UUID | None, organisation_id: UUID, by: Actor, at: datetime) -> int:
    count = 0
    while keys := _untold(table, whose):
        with transaction.atomic():
            rows = rows_of(read(records()[table], keys).order_by("pk"))
            details = {"table": table, "rows": len(rows)}
            record(Event(Action.RECORDS_ADOPTED, organisation_id, by, at, "organisation", organisation_id, details, rows=rows))
        count += len(keys)
    return count


def _adopt_standing(table: str, organisation_id: UUID, by: Actor, at: datetime) -> int:
    """Adopt rows that may change as they stand now."""
    keys = keys_untold(table, organisation_id)
    for start in range(0, len(keys), BATCH):
        rows = [standing_row(row) for row in read(model_of(table), keys[start : start + BATCH]).order_by("pk")]
        details = {"table": table, "rows": len(rows)}
        record(Event(Action.RECORDS_ADOPTED, organisation_id, by, at, "organisation", organisation_id, details, rows=rows))
    return len(keys)


def _untold(table: str, whose: UUID | None) -> list[str]:
    """Of rows that belong to nobody the events of any organisation may tell, which are seen from above only."""
    if whose:
        return list_untold(table, whose, BATCH)
    with walls.above():
        return list_untold(table, None, BATCH)
