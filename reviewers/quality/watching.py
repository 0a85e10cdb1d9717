"""Watches each model with each prompt version, a day at a time and in order, and raises alarms.

A watch first learns its level: the highest that fits its first conversations. Then it bets against that level with each conversation,
and what the bets come to is evidence that may be looked at every day (``attribution.calibration.watch``). A day that was looked at is
not looked at again; what comes in for it later is counted, but not watched.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max, QuerySet

from attribution.calibration import RateMonitor, exact_upper, watch
from reviewers.accounts.announcements import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.ledger.rows import rows_of
from reviewers.quality.conversations import Conversations, days_between, read_day
from reviewers.quality.models import Alarm, Watch, Watched
from reviewers.quality.naming import names_of

ALPHA = 0.01
"""The probability that a model with a prompt version ever raises a false alarm, of all that is watched of it together."""

_OF_ANSWERS = frozenset(Watched) - {Watched.PRECISION}

RISK = ALPHA / len(_OF_ANSWERS) / 2
"""Of one watch: half for a level that was learned too low, half for evidence by chance."""

LEARNS_FROM = 200
"""How many conversations a level is learned from, at least."""

_AFTER_MIDNIGHT = timedelta(hours=1)
"""How long after its end a day is waited for."""

_LEAST, _HIGHEST = 1e-6, 0.995


def look(*, organisation_id: UUID, now: datetime) -> int:
    """Look at the days that are over and were not looked at; returns how many alarms were raised."""
    today = (now - _AFTER_MIDNIGHT).astimezone(UTC).date()
    before = _watches(organisation_id).aggregate(Max("through"))["through__max"] or date.min
    return sum(_look_at(organisation_id, day, now) for day in days_between(organisation_id, before, today))


@transaction.atomic
def _look_at(organisation_id: UUID, day: date, now: datetime) -> int:
    """One day, in one transaction; nothing where another worker has looked at it meanwhile."""
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    watches = {(each.model, each.prompt_version, each.figure): each for each in _watches(organisation_id)}
    if any(each.through >= day for each in watches.values()):
        return 0
    alarms = []
    for key, found in groupby(read_day(organisation_id, day), key=lambda each: (each.model, each.prompt, each.figure)):
        watched = watches.get(key) or Watch(organisation_id=organisation_id, model=key[0], prompt_version=key[1], figure=key[2])
        alarms += _feed(watched, list(found), day, now)
    return len(alarms)


def _watches(organisation_id: UUID) -> QuerySet[Watch]:
    """Those that look at answers, day by day."""
    return Watch.objects.filter(organisation=organisation_id, figure__in=_OF_ANSWERS)


def _feed(watched: Watch, found: Sequence[Conversations], day: date, now: datetime) -> list[Alarm]:
    watched.through = day
    alarms = []
    if watched.alarm_id is None:
        shares = [(each.share if watched.figure != Watched.ADOPTION else 1 - each.share, each.count) for each in found]
        watched.trials += sum(count for _, count in shares)
        watched.hits += math.fsum(share * count for share, count in shares)
        if watched.rate is None:
            _learn(watched, day)
        else:
            alarms = _bet(watched, shares, day, now)
    watched.save()
    return alarms


def _learn(watched: Watch, day: date) -> None:
    if watched.trials >= LEARNS_FROM:
        highest = exact_upper(math.ceil(watched.hits), watched.trials, RISK)
        watched.rate = min(max(highest, _LEAST), _HIGHEST)
        watched.wealths, watched.trials, watched.hits = list(watch(watched.rate).wealths), 0, 0.0
        watched.since = day + timedelta(days=1)


def _bet(watched: Watch, shares: Sequence[tuple[float, int]], day: date, now: datetime) -> list[Alarm]:
    monitor = RateMonitor(rate=watched.rate or _HIGHEST, wealths=tuple(watched.wealths))
    for share, count in shares:
        for _ in range(count):
            monitor = monitor.after(share)
    watched.wealths = list(monitor.wealths)
    return [raise_alarm(watched=watched, evidence=monitor.evidence, day=day, now=now)] if monitor.is_alarmed(RISK) else []


@transaction.atomic
def raise_alarm(*, watched: Watch, evidence: float, day: date, now: datetime) -> Alarm:
    """Write down that a figure has left its level, and have the watch stand still; whoever calls saves it."""
    alarm: Alarm = Alarm.objects.create(
        organisation_id=watched.organisation_id,
        model=watched.model,
        prompt_version=watched.prompt_version,
        schema_version=watched.schema_version,
        figure=watched.figure,
        rate=watched.rate or _HIGHEST,
        trials=watched.trials,
        hits=watched.hits,
        evidence=evidence,
        since=watched.since or day,
        day=day,
        raised_at=now,
    )
    watched.alarm = alarm
    Organisation.objects.filter(pk=alarm.organisation_id).update(open_alarms=F("open_alarms") + 1)
    details = {"figure": alarm.figure, "day": day.isoformat()}
    rows = rows_of([alarm])
    record(Event(Action.ALARM_RAISED, alarm.organisation_id, SYSTEM, now, "alarm", alarm.id, details, names_of(alarm), rows=rows))
    return alarm
