"""Labelled turns as observations: what the engine says of each field, beside the label."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from attribution.calibration import NOTHING, Observation
from benchmarks.accuracy.folder import Turn
from benchmarks.accuracy.front_door import attribute_turns
from benchmarks.accuracy.verdicts import Verdict, judge


def observations_of(turns: Sequence[Turn]) -> list[Observation]:
    """An observation for each labelled field of some turns, in the order of the labels."""
    return [observe(number, verdict) for number, verdict in enumerate(judge(turns, attribute_turns(turns)))]


def observe(number: int, verdict: Verdict) -> Observation:
    """A verdict as an observation; a field that the engine claims nothing of has no method."""
    row, turn = verdict.row, verdict.turn
    evidence = row.get("evidence", {})
    return Observation(
        id=f"{number}",
        message=str(turn["id"]),
        conversation=str(turn.get("conversation_id") or turn["id"]),
        section=verdict.section,
        path=verdict.path,
        field_type=row.get("field_type", NOTHING),
        method=row.get("method", NOTHING),
        rule=row.get("rule", NOTHING),
        score=float(row.get("score", 0)),
        uncapped_score=float(evidence.get("uncapped_score", row.get("score", 0))),
        is_cited=bool(row.get("cited")),
        is_used=verdict.is_meant,
    )


def drawn(observations: Sequence[Observation], count: int, seed: str) -> tuple[list[Observation], list[Observation]]:
    """A simple random sample of so many labels, and those of the turns that none of them is of."""
    sample = Random(seed).sample(list(observations), count)  # noqa: S311  # nothing is secret here
    return sample, others(observations, sample)


def others(observations: Iterable[Observation], sample: Iterable[Observation]) -> list[Observation]:
    """Return the observations of other turns than those of a sample."""
    seen = {each.message for each in sample}
    return [each for each in observations if each.message not in seen]
