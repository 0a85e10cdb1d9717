"""Watches whether what audit labels find right is as much as confidences say; an alarm suspends the profile.

A profile holds for a model, a prompt and a schema, and so has a watch of its own: labels of another schema neither raise its alarm nor
hide what would. The evidence is bets against all its confidences together, each less a tolerance (``attribution.calibration.drift``).
They were given before the labels, so nothing has to be learned first. Labels on answers that a profile of before was shown under say
nothing of the one that is active now, and another profile begins the watch anew. While none is believed the watch stands still.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import TruncDate

from attribution.calibration import PrecisionMonitor, watch_precision
from reviewers.accounts.models import Organisation
from reviewers.calibration.audited import Audited, read_audited
from reviewers.calibration.suspending import believed_profiles, suspend
from reviewers.quality.models import Alarm, Watch, Watched
from reviewers.quality.watching import raise_alarm
from reviewers.review.models import QueueItem
from reviewers.review.plan_models import Stream
from reviewers.snapshots.choosing import Combination

RISK = 0.01
"""The probability that a profile whose confidences hold is ever suspended."""

_AFTER_MIDNIGHT = timedelta(hours=1)
_LEAST, _HIGHEST = 0.001, 0.995


def look_at_precision(*, organisation_id: UUID, now: datetime) -> int:
    """Look at the audit labels of the days that are over and were not looked at; returns how many alarms were raised."""
    today = (now - _AFTER_MIDNIGHT).astimezone(UTC).date()
    return sum(_look_at(organisation_id, day, now) for day in _days(organisation_id, today))


def _days(organisation_id: UUID, today: date) -> list[date]:
    """The days on which reviews of the audit were finished, behind the last one that was looked at."""
    watches = Watch.objects.filter(organisation=organisation_id, figure=Watched.PRECISION)
    before = watches.aggregate(Max("through"))["through__max"] or date.min
    audit = QueueItem.objects.filter(organisation=organisation_id, plan__stream=Stream.AUDIT, submitted_at__isnull=False)
    days = audit.annotate(day=TruncDate("submitted_at", tzinfo=UTC)).filter(day__gt=before, day__lt=today)
    return list(days.order_by("day").values_list("day", flat=True).distinct())


@transaction.atomic
def _look_at(organisation_id: UUID, day: date, now: datetime) -> int:
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    watches = Watch.objects.filter(organisation=organisation_id, figure=Watched.PRECISION)
    known = {_combination_of(each): each for each in watches}
    if any(each.through >= day for each in known.values()):
        return 0
    active, alarms = believed_profiles(organisation_id), []
    for key, its in groupby(read_audited(organisation_id, day), key=lambda each: each.combination):
        watched = known.get(key) or Watch(organisation_id=organisation_id, figure=Watched.PRECISION, **key._asdict())
        alarms += _feed(watched, list(its), active.get(key, ""), day, now)
    return len(alarms)


def _combination_of(watched: Watch) -> Combination:
    return Combination(watched.model, watched.prompt_version, watched.schema_version)


def _feed(watched: Watch, found: Sequence[Audited], profile: str, day: date, now: datetime) -> list[Alarm]:
    """``profile`` is the one that is believed, if any."""
    watched.through = day
    alarms = []
    if watched.alarm_id is None and profile:
        if watched.profiles != profile or watched.since is None:
            _begin(watched, profile, day)
        alarms = _bet(watched, [each.labels for each in found if each.profile == profile], day, now)
    watched.save()
    return alarms


def _begin(watched: Watch, profile: str, day: date) -> None:
    watched.profiles, watched.since, watched.rate = profile, day, _LEAST
    watched.wealths, watched.trials, watched.hits = list(watch_precision().wealths), 0, 0.0


def _bet(watched: Watch, conversations: Sequence[Sequence[tuple[float, bool]]], day: date, now: datetime) -> list[Alarm]:
    begun = watch_precision()
    monitor = PrecisionMonitor(wealths=tuple(watched.wealths), tolerance=begun.tolerance)
    allowed = (watched.rate or _LEAST) * watched.trials
    for labels in conversations:
        monitor = monitor.after(labels)
        allowed += math.fsum(1 - confidence + begun.tolerance for confidence, _ in labels) / len(labels)
        watched.hits += sum(not used for _, used in labels) / len(labels)
        watched.trials += 1
    watched.wealths = list(monitor.wealths)
    watched.rate = min(max(allowed / watched.trials, _LEAST), _HIGHEST) if watched.trials else _LEAST
    if not monitor.is_alarmed(RISK):
        return []
    alarm = raise_alarm(watched=watched, evidence=monitor.evidence, day=day, now=now)
    suspend(
        organisation_id=watched.organisation_id,
        combination=_combination_of(watched),
        alarm=alarm.pk,
        because=_because(alarm),
        now=now,
    )
    return [alarm]


def _because(alarm: Alarm) -> str:
    right, promised = 1 - alarm.hits / alarm.trials, 1 - alarm.rate
    return f"Audit labels of {alarm.trials} conversations found {right:.0%} right, where at least {promised:.0%} was promised."
