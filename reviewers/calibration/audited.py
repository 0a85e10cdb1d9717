"""Audit labels on rows that had a confidence, as they came in: what a watch over the precision of a profile is fed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from django.db.models import Q

from reviewers.calibration.gathering import submitted_labels
from reviewers.calibration.truths import LABEL_COLUMNS, Settled, decisions_among, effective_truths
from reviewers.review.models import State
from reviewers.review.plan_models import Stream
from reviewers.snapshots.choosing import Combination

_NAMES = tuple(f"snapshot__{name}" for name in Combination._fields)
_TALK = ("snapshot__item__submitted_at", "snapshot__conversation_id")


@dataclass(frozen=True, slots=True)
class Audited:
    """The labels of one conversation: each the confidence that was given, and whether the answer draws on the field."""

    combination: Combination
    profile: str
    labels: tuple[tuple[float, bool], ...]


def read_audited(organisation_id: UUID, day: date) -> list[Audited]:
    """The conversations of the audit whose answers were reviewed on a day (UTC), by model, prompt and schema.

    Those of a combination are in the order of their reviews, each once for every profile that its answers were shown under.
    """
    begin = datetime.combine(day, time(), UTC)
    audited = Q(
        snapshot__item__plan__stream=Stream.AUDIT,
        snapshot__item__state=State.SUBMITTED,
        snapshot__item__submitted_at__gte=begin,
        snapshot__item__submitted_at__lt=begin + timedelta(days=1),
    )
    labels = submitted_labels(organisation_id).filter(audited, shown__calibrated=True)
    rows = labels.values(*LABEL_COLUMNS, *_NAMES, *_TALK)
    settled = _claimed(effective_truths(sorted(rows, key=_label_place), decisions_among(organisation_id, audited)))
    found = sorted(_conversations(sorted(settled, key=_place)), key=lambda each: (each[1].combination, each[0]))
    return [each for _, each in found]


def _label_place(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return row["snapshot"], row["section"], row["path"]


def _claimed(settled: Iterable[Settled]) -> list[Settled]:
    """Those that had a confidence; where no label tells of a rule it repeats the score."""
    shown = ((each, each.labels[0]["shown"]) for each in settled)
    return [each for each, its in shown if its["track"] != "neither" and its["confidence"] != its["score"]]


def _place(each: Settled) -> tuple[Any, ...]:
    """What says whose conversation a label is of: names, profile, conversation; then which field."""
    row = each.labels[0]
    talk = row["snapshot__conversation_id"] or str(row["snapshot"])
    return (*(row[name] for name in _NAMES), row["shown"]["profile"], talk, *each.place)


def _conversations(settled: Iterable[Settled]) -> Iterator[tuple[datetime, Audited]]:
    """Each with the moment of its first review."""
    for (*names, profile, _), group in groupby(settled, key=lambda each: _place(each)[:5]):
        its = list(group)
        labels = tuple((float(each.labels[0]["shown"]["confidence"]), each.is_used) for each in its)
        yield min(each.labels[0]["snapshot__item__submitted_at"] for each in its), Audited(Combination(*names), profile, labels)
