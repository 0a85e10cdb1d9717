"""Measure how long a fit and a shadow take, and what a calibrated profile costs the engine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random
from typing import Any

from attribution import DEFAULT_PROFILE, Attribution, FieldAttribution, Profile, attribute, calibrated
from attribution.calibration import Calibration, Observation, Record, Scope, ShadowRow, compare, fit, label_set, path_of_row
from benchmarks.measuring import Row, median_of, seconds_of
from reviewers.demonstration.generator import generate

_LABELS = 2_000
_SHADOWED = 10_000
_RUNS = 5
_RIGHT = 0.9


def measure() -> Iterator[Row]:
    """Labels are made up: nine of ten rows are right."""
    labels = list(islice(_labels(), _LABELS))
    yield Row(f"fit of {_LABELS:,} labels", 1_000 * median_of(_RUNS, lambda: seconds_of(lambda: fit(labels))), "ms", "≤ 100")
    fitted = fit(labels)
    profile = calibrated(DEFAULT_PROFILE, Record(scope=Scope(), calibrator=fitted, labels=label_set(labels)).document())
    turns = list(generate(_LABELS))
    for name, each in (("engine, uncalibrated profile", DEFAULT_PROFILE), ("engine, calibrated profile", profile)):
        yield Row(name, len(turns) / min(_seconds(turns, each) for _ in range(_RUNS)), "turns/s")
    yield Row(f"shadow of {_SHADOWED:,} turns, attributed for it", seconds_of(lambda: _shadow(fitted.table)), "s", "≤ 20")


def _labels() -> Iterator[Observation]:
    chance = Random(1)  # noqa: S311  # nothing is secret here
    rows = ((turn, row) for turn in generate(_SHADOWED) for row in _attribute(turn).used)
    for number, (turn, row) in enumerate(rows):
        yield _label(number, str(turn["id"]), row, is_used=chance.random() < _RIGHT)


def _label(number: int, message: str, row: FieldAttribution, *, is_used: bool) -> Observation:
    return Observation(
        id=f"{number}",
        message=message,
        conversation=message,
        section=row.field.section,
        path=row.field.path,
        field_type=row.field.type,
        method=row.method,
        rule=row.rule,
        score=row.score,
        is_used=is_used,
    )


def _shadow(proposed: Calibration) -> None:
    rows = (ShadowRow(str(turn["id"]), path_of_row(row), row.score) for turn in generate(_SHADOWED) for row in _attribute(turn).used)
    compare(rows, DEFAULT_PROFILE.calibration, proposed)


def _seconds(turns: Sequence[dict[str, Any]], profile: Profile) -> float:
    return seconds_of(lambda: [_attribute(turn, profile) for turn in turns])


def _attribute(turn: dict[str, Any], profile: Profile = DEFAULT_PROFILE) -> Attribution:
    return attribute(response=turn["response"], context=turn["context"], user_text=turn["user_text"], profile=profile)
