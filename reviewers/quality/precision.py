"""Watches whether what audit labels find right is as much as confidences say; an alarm suspends the profile.

The evidence is bets against all confidences of the active profile together, each less a tolerance (``attribution.calibration.drift``).
They were given before the labels, so nothing has to be learned first. Labels on answers that a profile of before was shown under say
nothing of the one that is active now, and another profile begins the watch anew.
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
    known = {
        (each.model, each.prompt_version): each for each in Watch.objects.filter(organisation=organisation_id, figure=Watched.PRECISION)
    }
    if any(each.through >= day for each in known.values()):
        return 0
    alarms = []
    for key, its in groupby(read_audited(organisation_id, day), key=lambda each: (each.model, each.prompt)):
        named = {"model": key[0], "prompt_version": key[1]}
        watched = known.get(key) or Watch(organisation_id=organisation_id, figure=Watched.PRECISION, **named)
        alarms += _feed(watched, list(its), day, now)
    return len(alarms)


def _feed(watched: Watch, found: Sequence[Audited], day: date, now: datetime) -> list[Alarm]:
    watched.through = day
    alarms = []
    if watched.alarm_id is None:
        active = believed_profiles(organisation_id=watched.organisation_id, model=watched.model, prompt_version=watched.prompt_version)
        if watched.profiles != (names := " ".join(sorted(active))) or watched.since is None:
            _begin(watched, names, day)
        alarms = _bet(watched, [each.labels for each in found if each.profile in active], day, now)
    watched.save()
    return alarms


def _begin(watched: Watch, profiles: str, day: date) -> None:
    watched.profiles, watched.since, watched.rate = profiles, day, _LEAST
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
        model=watched.model,
        prompt_version=watched.prompt_version,
        alarm=alarm.pk,
        because=_because(alarm),
        now=now,
    )
    return [alarm]


def _because(alarm: Alarm) -> str:
    right, promised = 1 - alarm.hits / alarm.trials, 1 - alarm.rate
    return f"Audit labels of {alarm.trials} conversations found {right:.0%} right, where at least {promised:.0%} was promised."
