"""Tells the page of a profile how the watch over its precision goes, and which alarms there were."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.calibration import PrecisionMonitor, watch_precision
from reviewers.calibration.combinations import key_of
from reviewers.calibration.models import CalibrationProfile
from reviewers.calibration.watched import AlarmTold, Held, watch_with
from reviewers.quality.models import Alarm, Watch, Watched
from reviewers.quality.precision import RISK


class Precision:
    """The watches over audit precision."""

    def watch_over(self, profile: CalibrationProfile) -> Held | None:
        """Of this profile: another one of the combination has begun the watch anew."""
        watch = Watch.objects.filter(**_of(profile), profiles=profile.name, trials__gt=0).first()
        if watch is None or watch.since is None or watch.rate is None:
            return None
        return Held(
            since=watch.since,
            through=watch.through,
            conversations=watch.trials,
            right=1 - watch.hits / watch.trials,
            promised=1 - watch.rate,
            evidence=PrecisionMonitor(wealths=tuple(watch.wealths), tolerance=watch_precision().tolerance).evidence,
            alarms_at=1 / RISK,
        )

    def alarms_on(self, profile: CalibrationProfile) -> Sequence[AlarmTold]:
        """Those on its combination, rested or not."""
        alarms = Alarm.objects.filter(**_of(profile)).select_related("acknowledgement__person").order_by("-id")
        return [_told(alarm) for alarm in alarms]


def _of(profile: CalibrationProfile) -> dict[str, object]:
    return {"organisation": profile.organisation_id, "figure": Watched.PRECISION, **key_of(profile.combination)._asdict()}


def _told(alarm: Alarm) -> AlarmTold:
    rest = getattr(alarm, "acknowledgement", None)
    return AlarmTold(
        day=alarm.day,
        conversations=alarm.trials,
        right=1 - alarm.hits / alarm.trials,
        promised=1 - alarm.rate,
        reason=rest.reason if rest else "",
        who=rest.person.name if rest else "",
        at=rest.created_at if rest else None,
    )


watch_with(Precision())
