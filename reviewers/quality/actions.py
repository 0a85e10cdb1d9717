"""What leads do with alarms."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import F
from django.shortcuts import get_object_or_404

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership, Organisation
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.quality.models import Acknowledgement, Alarm, Watch
from reviewers.quality.naming import names_of
from reviewers.quality.policies import check_may_acknowledge


@transaction.atomic
def acknowledge(*, alarm_id: UUID, reason: str, by: Membership, now: datetime) -> Acknowledgement:
    """Lay an alarm to rest with a reason; its watch learns its level anew from the days that follow. 404 for another's alarm.

    The organisation's row is held, as it is while a day is looked at: of two who acknowledge at once the second is refused.
    """
    Organisation.objects.select_for_update(no_key=True).get(pk=by.organisation_id)
    alarm = get_object_or_404(Alarm, pk=alarm_id, organisation=by.organisation_id)
    check_may_acknowledge(alarm)
    kept: Acknowledgement = Acknowledgement.objects.create(
        organisation_id=by.organisation_id, alarm=alarm, person_id=by.user_id, reason=reason, created_at=now
    )
    Watch.objects.filter(alarm=alarm).update(alarm=None, rate=None, since=None, wealths=[], trials=0, hits=0)
    Organisation.objects.filter(pk=by.organisation_id).update(open_alarms=F("open_alarms") - 1)
    parts = [*names_of(alarm), ("reason", reason.encode())]
    details = {"figure": alarm.figure}
    actor, rows = user_actor(by.user_id), rows_of([kept])
    record(Event(Action.ALARM_ACKNOWLEDGED, by.organisation_id, actor, now, "alarm", alarm.pk, details, parts, rows=rows))
    return kept
