"""Audit labels on rows that had a confidence, as they came in: what a watch over the precision of a profile is fed with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from reviewers.calibration.gathering import submitted_labels
from reviewers.calibration.truths import Undecided, truth_of
from reviewers.review.models import State
from reviewers.review.plan_models import Rule, Stream
from reviewers.snapshots.choosing import Combination

_NAMES = tuple(f"snapshot__{name}" for name in Combination._fields)
_TALK = ("snapshot__item__submitted_at", "snapshot__conversation_id", "snapshot")


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
    labels = submitted_labels(organisation_id).filter(
        snapshot__item__plan__stream=Stream.AUDIT,
        snapshot__item__state=State.SUBMITTED,
        snapshot__item__submitted_at__gte=begin,
        snapshot__item__submitted_at__lt=begin + timedelta(days=1),
        shown__calibrated=True,
    )
    rows = labels.exclude(shown__has_key="planted").values(
        *_NAMES, *_TALK, "section", "path", "truth", "shown", "snapshot__item__plan__rule"
    )
    found = sorted(_conversations(sorted(rows, key=_place)), key=lambda each: (each[1].combination, each[0]))
    return [each for _, each in found]


def _place(row: dict[str, Any]) -> tuple[Any, ...]:
    return (*(row[name] for name in _NAMES), row["shown"]["profile"], _talk_of(row), row["snapshot"], row["section"], row["path"])


def _talk_of(row: dict[str, Any]) -> str:
    return row["snapshot__conversation_id"] or str(row["snapshot"])


def _conversations(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[datetime, Audited]]:
    """Each with the moment of its first review."""
    for (*names, profile, _), group in groupby(rows, key=lambda row: _place(row)[:5]):
        its = list(group)
        labels = tuple(_labels(its))
        if labels:
            yield min(row["snapshot__item__submitted_at"] for row in its), Audited(Combination(*names), profile, labels)


def _labels(rows: Iterable[dict[str, Any]]) -> Iterator[tuple[float, bool]]:
    """One for each field that had a confidence and on which reviewers agree enough; where no label tells of a rule it repeats the score."""
    for _, group in groupby(rows, key=lambda row: (row["snapshot"], row["section"], row["path"])):
        said = list(group)
        shown = said[0]["shown"]
        if shown["track"] == "neither" or shown["confidence"] == shown["score"]:
            continue
        try:
            truth = truth_of([row["truth"] for row in said], said[0]["snapshot__item__plan__rule"] or Rule.MAJORITY)
        except Undecided:
            continue
        if truth is not None:
            yield float(shown["confidence"]), truth
