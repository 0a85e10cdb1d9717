"""Alarms as tests need them: of a watch that has learned its level, raised as the worker would."""

from __future__ import annotations

from datetime import date, timedelta

from reviewers.accounts.models import Organisation
from reviewers.quality.models import Alarm, Watch, Watched
from reviewers.quality.watches import raise_alarm
from tests.factories import NOW


def make_alarm(organisation: Organisation, figure: str = Watched.UNKNOWN, *, day: date = date(2026, 2, 9), **names: str) -> Alarm:
    """Twelve of forty conversations of the week before ``day``, where at most one in twenty was right."""
    watch = Watch(
        **{"model": "model-a", "prompt_version": "prompt 1"} | names,
        organisation=organisation,
        figure=figure,
        rate=0.05,
        wealths=[1.0] * 5,
        trials=40,
        hits=12,
        since=day - timedelta(days=7),
        through=day,
    )
    alarm = raise_alarm(watched=watch, evidence=2_000, day=day, now=NOW)
    watch.save()
    return alarm
