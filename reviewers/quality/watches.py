"""Watch the figures of each model and prompt version a day at a time, and raise alarms.

Watches read the answers themselves, because the counts of answers do not tell conversations apart. A watch first learns its level: the
highest that fits its first conversations. Then it bets against that level with each conversation, and the result of its bets is evidence
that may be looked at every day (``attribution.calibration.watch``). A day is watched once; answers that arrive for it later are counted,
but not watched.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from uuid import UUID

from django.db import transaction
from django.db.models import F, Max, QuerySet
from django.db.models.functions import TruncDate

from attribution.calibration import PrecisionMonitor, RateMonitor, exact_upper, watch, watch_precision
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation
from reviewers.calibration.combinations import key_of
from reviewers.calibration.hooks import PrecisionAlarm, PrecisionStatus
from reviewers.calibration.labels.queries import Audited, read_audited
from reviewers.calibration.lifecycle.active_profiles import believed_profiles, suspend
from reviewers.calibration.models import CalibrationProfile
from reviewers.ledger.actions import record
from reviewers.ledger.encoding import rows_of
from reviewers.ledger.events import Action, Event
from reviewers.quality.alarms import names_of
from reviewers.quality.models import Alarm, Watch, Watched
from reviewers.review.models import QueueItem, Stream
from reviewers.snapshots.hooks import Combination
from reviewers.web.statements import read_rows

_OF_DAY = """
WITH answers AS (
    SELECT quality_model(item.organisation_id, item.facets, item.snapshot_id) AS model,
        quality_prompt(item.organisation_id, item.facets, item.snapshot_id) AS prompt_version,
        CASE WHEN snapshot.conversation_id = '' THEN snapshot.id::text ELSE snapshot.conversation_id END AS conversation,
        ('guardrail:unknown' = ANY(item.facets))::int AS unknown,
        ('guardrail:over_cited' = ANY(item.facets))::int AS over_cited,
        ('guardrail:contradicted' = ANY(item.facets))::int AS contradicted,
        (item.facets && ARRAY['source:citation', 'source:mixed'])::int AS adoption,
        CASE WHEN item.facets && ARRAY['validity:green', 'validity:yellow', 'validity:red']
            THEN ('answer:repaired' = ANY(item.facets))::int END AS repaired,
        CASE WHEN item.facets && ARRAY['validity:green', 'validity:yellow', 'validity:red']
            THEN ('answer:withheld' = ANY(item.facets))::int END AS withheld,
        CASE WHEN item.facets && ARRAY['validity:green', 'validity:yellow', 'validity:red'] AND NOT 'answer:withheld' = ANY(item.facets)
            THEN ('validity:red' = ANY(item.facets))::int END AS red,
        CASE WHEN quality_cites(item.facets) THEN item.citation_counts ELSE '{}' END AS counts
    FROM review_queueitem AS item JOIN snapshots_snapshot AS snapshot ON snapshot.id = item.snapshot_id
    WHERE item.organisation_id = %(organisation)s
        AND item.answered_at >= %(day)s::timestamp AT TIME ZONE 'UTC'
        AND item.answered_at < (%(day)s::date + 1)::timestamp AT TIME ZONE 'UTC'
), conversations AS (
    SELECT model, prompt_version, avg(unknown) AS unknown, avg(over_cited) AS over_cited, avg(contradicted) AS contradicted,
        avg(adoption) AS adoption, avg(repaired) AS repaired, avg(withheld) AS withheld, avg(red) AS red,
        sum(counts[3])::numeric / nullif(sum(counts[1]), 0) AS opposed, sum(counts[4])::numeric / nullif(sum(counts[2]), 0) AS unquoted,
        sum(counts[5])::numeric / nullif(sum(counts[1]), 0) AS unsupported
    FROM answers GROUP BY model, prompt_version, conversation
)
SELECT model, prompt_version, figure, share::float8, count(*) FROM conversations, LATERAL (
    VALUES ('unknown', unknown), ('over_cited', over_cited), ('contradicted', contradicted), ('adoption', adoption), ('repaired', repaired),
        ('withheld', withheld), ('red', red), ('opposed', opposed), ('unquoted', unquoted), ('unsupported', unsupported)
) AS each (figure, share)
WHERE share IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2, 3, 4
"""

_DAYS = """
SELECT day FROM (
    SELECT day, answers FROM quality_daytotal
    WHERE organisation_id = %(organisation)s AND section = '' AND day > %(after)s AND day < %(before)s
    UNION ALL
    SELECT day, answers FROM quality_delta
    WHERE organisation_id = %(organisation)s AND section = '' AND day > %(after)s AND day < %(before)s
) AS counted
GROUP BY day HAVING sum(answers) > 0 ORDER BY day
"""

ALPHA = 0.01
"""The probability that a model with a prompt version ever raises a false alarm, over all of its watches together."""

_OF_ANSWERS = frozenset(Watched) - {Watched.PRECISION}
RISK = ALPHA / len(_OF_ANSWERS) / 2
"""The risk of one watch: half for a level learned too low, half for evidence by chance."""

LEARNS_FROM = 200
"""The least number of conversations from which a level is learned."""

_AFTER_MIDNIGHT = timedelta(hours=1)
"""The delay after the end of a day before it is watched."""

MOST_DAYS = 100
"""The days that are watched at a time, so that the watches of an organisation with many do not keep others waiting."""

_AT_ONCE = 1_000
_FED = ("rate", "wealths", "trials", "hits", "since", "through", "alarm")

_LEAST, _HIGHEST = 1e-6, 0.995


@dataclass(frozen=True, slots=True)
class Conversations:
    """A number of conversations of a model and prompt version in which the same ``share`` of the answers has a figure."""

    model: str
    prompt: str
    figure: str
    share: float
    count: int


def read_day(organisation_id: UUID, day: date) -> list[Conversations]:
    """Return the conversations of a day, those with equal shares together."""
    return [Conversations(*row) for row in read_rows(_OF_DAY, {"organisation": organisation_id, "day": day})]


def days_between(organisation_id: UUID, after: date, before: date) -> list[date]:
    """Return the days with answers after one day and before another."""
    return [day for (day,) in read_rows(_DAYS, {"organisation": organisation_id, "after": after, "before": before})]


def update_watches(*, organisation_id: UUID, now: datetime) -> int:
    """Watch the days that are over and were not watched yet, the first ``MOST_DAYS`` of them; return the number of alarms raised."""
    today = (now - _AFTER_MIDNIGHT).astimezone(UTC).date()
    before = _watches(organisation_id).aggregate(Max("through"))["through__max"] or date.min
    days = days_between(organisation_id, before, today)[:MOST_DAYS]
    return sum(_look_at(organisation_id, day, now) for day in days)


@transaction.atomic
def _look_at(organisation_id: UUID, day: date, now: datetime) -> int:
    """Watch one day in one transaction; do nothing if another worker has watched it meanwhile."""
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    if _watches(organisation_id).filter(through__gte=day).exists():
        return 0
    seen = read_day(organisation_id, day)
    known = _watches_of(organisation_id, {each.model for each in seen})
    new: list[Watch] = []
    old: list[Watch] = []
    alarms: list[Alarm] = []
    for key, found in groupby(seen, key=lambda each: (each.model, each.prompt, each.figure)):
        watched = known.get(key) or Watch(organisation_id=organisation_id, model=key[0], prompt_version=key[1], figure=key[2])
        alarms += _feed(watched, list(found), day, now)
        (old if key in known else new).append(watched)
    Watch.objects.bulk_create(new, batch_size=_AT_ONCE)
    Watch.objects.bulk_update(old, _FED, batch_size=_AT_ONCE)
    return len(alarms)


def _watches_of(organisation_id: UUID, models: Collection[str]) -> dict[tuple[str, str, str], Watch]:
    """Return the watches of some models. There may be as many models as answers, so those of other days are not read."""
    found = _watches(organisation_id).filter(model__in=models)
    return {(each.model, each.prompt_version, each.figure): each for each in found}


def _watches(organisation_id: UUID) -> QuerySet[Watch]:
    """Return the watches over answers, not those over audit labels."""
    return Watch.objects.filter(organisation=organisation_id, figure__in=_OF_ANSWERS)


def _feed(watched: Watch, found: Sequence[Conversations], day: date, now: datetime) -> list[Alarm]:
    """Feed a watch with the conversations of a day; the caller saves it."""
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
    """Store an alarm with its event and pause the watch. The caller saves the watch."""
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


# Watch audit precision: is the share of fields that audit labels find right as high as the confidences say? An alarm suspends the profile.
#
# A profile belongs to a model, a prompt version and a schema, and has a watch of its own: labels of another schema neither raise its alarm
# nor hide a problem. The evidence is bets against all its confidences together, each less a tolerance (``attribution.calibration.drift``).
# The confidences were given before the labels, so nothing has to be learned first. Labels on answers that were shown under an earlier
# profile are ignored, and a new profile begins the watch anew. While no profile is trusted, the watch pauses.

PRECISION_RISK = 0.01
"""The probability that a profile whose confidences are right is ever suspended."""

_LEAST_ALLOWED = 0.001


def update_precision_watches(*, organisation_id: UUID, now: datetime) -> int:
    """Watch the audit labels of the days that are over and were not watched yet; return the number of alarms raised."""
    today = (now - _AFTER_MIDNIGHT).astimezone(UTC).date()
    return sum(_update_precision_on(organisation_id, day, now) for day in _days(organisation_id, today))


def _days(organisation_id: UUID, today: date) -> list[date]:
    """Return the days after the last watched one on which audit reviews were submitted."""
    watches = Watch.objects.filter(organisation=organisation_id, figure=Watched.PRECISION)
    before = watches.aggregate(Max("through"))["through__max"] or date.min
    audit = QueueItem.objects.filter(organisation=organisation_id, plan__stream=Stream.AUDIT, submitted_at__isnull=False)
    days = audit.annotate(day=TruncDate("submitted_at", tzinfo=UTC)).filter(day__gt=before, day__lt=today)
    return list(days.order_by("day").values_list("day", flat=True).distinct())


@transaction.atomic
def _update_precision_on(organisation_id: UUID, day: date, now: datetime) -> int:
    Organisation.objects.select_for_update(no_key=True).get(pk=organisation_id)
    watches = Watch.objects.filter(organisation=organisation_id, figure=Watched.PRECISION)
    known = {_combination_of(each): each for each in watches}
    if any(each.through >= day for each in known.values()):
        return 0
    active, alarms = believed_profiles(organisation_id), []
    for key, its in groupby(read_audited(organisation_id, day), key=lambda each: each.combination):
        watched = known.get(key) or Watch(organisation_id=organisation_id, figure=Watched.PRECISION, **key._asdict())
        alarms += _feed_precision(watched, list(its), active.get(key, ""), day, now)
    return len(alarms)


def _combination_of(watched: Watch) -> Combination:
    return Combination(watched.model, watched.prompt_version, watched.schema_version)


def _feed_precision(watched: Watch, found: Sequence[Audited], profile: str, day: date, now: datetime) -> list[Alarm]:
    """Feed a watch with the audited conversations of a day; ``profile`` is the trusted profile, or empty."""
    watched.through = day
    alarms = []
    if watched.alarm_id is None and profile:
        if watched.profiles != profile or watched.since is None:
            _begin(watched, profile, day)
        alarms = _bet_on_precision(watched, [each.labels for each in found if each.profile == profile], day, now)
    watched.save()
    return alarms


def _begin(watched: Watch, profile: str, day: date) -> None:
    watched.profiles, watched.since, watched.rate = profile, day, _LEAST_ALLOWED
    watched.wealths, watched.trials, watched.hits = list(watch_precision().wealths), 0, 0.0


def _bet_on_precision(watched: Watch, conversations: Sequence[Sequence[tuple[float, bool]]], day: date, now: datetime) -> list[Alarm]:
    begun = watch_precision()
    monitor = PrecisionMonitor(wealths=tuple(watched.wealths), tolerance=begun.tolerance)
    allowed = (watched.rate or _LEAST_ALLOWED) * watched.trials
    for labels in conversations:
        monitor = monitor.after(labels)
        allowed += math.fsum(1 - confidence + begun.tolerance for confidence, _ in labels) / len(labels)
        watched.hits += sum(not used for _, used in labels) / len(labels)
        watched.trials += 1
    watched.wealths = list(monitor.wealths)
    watched.rate = min(max(allowed / watched.trials, _LEAST_ALLOWED), _HIGHEST) if watched.trials else _LEAST_ALLOWED
    if not monitor.is_alarmed(PRECISION_RISK):
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


def precision_status_of(profile: CalibrationProfile) -> PrecisionStatus | None:
    """Return the status of the profile's watch, or None if another profile of the combination has begun the watch anew."""
    watch = Watch.objects.filter(**_of(profile), profiles=profile.name, trials__gt=0).first()
    if watch is None or watch.since is None or watch.rate is None:
        return None
    return PrecisionStatus(
        since=watch.since,
        through=watch.through,
        conversations=watch.trials,
        right=1 - watch.hits / watch.trials,
        promised=1 - watch.rate,
        evidence=PrecisionMonitor(wealths=tuple(watch.wealths), tolerance=watch_precision().tolerance).evidence,
        alarms_at=1 / PRECISION_RISK,
    )


def precision_alarms_on(profile: CalibrationProfile) -> Sequence[PrecisionAlarm]:
    """Return the alarms on the profile's combination, newest first, acknowledged or not."""
    alarms = Alarm.objects.filter(**_of(profile)).select_related("acknowledgement__person").order_by("-id")
    return [_told(alarm) for alarm in alarms]


def _of(profile: CalibrationProfile) -> dict[str, object]:
    return {"organisation": profile.organisation_id, "figure": Watched.PRECISION, **key_of(profile.combination)._asdict()}


def _told(alarm: Alarm) -> PrecisionAlarm:
    rest = getattr(alarm, "acknowledgement", None)
    return PrecisionAlarm(
        day=alarm.day,
        conversations=alarm.trials,
        right=1 - alarm.hits / alarm.trials,
        promised=1 - alarm.rate,
        reason=rest.reason if rest else "",
        who=rest.person.name if rest else "",
        at=rest.created_at if rest else None,
    )
