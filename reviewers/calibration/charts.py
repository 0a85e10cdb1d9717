"""The reliability diagram as plain figures for a template that draws it: the page and a report show the same picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_LEFT, _TOP, _SIDE = 52.0, 16.0, 360.0
_BAR = 12.0
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the grid, both ways."""

    words: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Mark:
    """A group of labels: its point, the bar where chance alone would put it, and what it says."""

    x: float
    y: float
    bar_x: float
    bar_y: float
    bar_height: float
    is_inside: bool
    words: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """Marks with a sentence that says the same as the picture."""

    ticks: Sequence[Tick]
    marks: Sequence[Mark]
    title: str
    description: str


def reliability_diagram(curve: Sequence[Mapping[str, Any]]) -> Diagram | None:
    """The diagram of a curve as a profile's record holds it; nothing of no labels."""
    if not curve:
        return None
    labels = sum(each["labels"] for each in curve)
    outside = [each for each in curve if not each["inside"]]
    groups = f"{len(curve)} group{'s' if len(curve) > 1 else ''}"
    return Diagram(
        ticks=[Tick(f"{each:g}", _x(each), _y(each)) for each in _TICKS],
        marks=[_mark(each) for each in curve],
        title=f"Confidence against what was found to be right: {labels} labels in {groups}",
        description=" ".join([f"{len(curve) - len(outside)} of {groups} lie where chance alone would put them.", *map(_aside, outside)]),
    )


def _mark(each: Mapping[str, Any]) -> Mark:
    low, high = each["consistent"]
    words = f"confidence {each['forecast']:.2f}, right {each['share']:.2f}, {each['labels']} labels"
    x, top = _x(each["forecast"]), _y(high)
    return Mark(x, _y(each["share"]), round(x - _BAR / 2, 1), top, round(max(2.0, _y(low) - top), 1), each["inside"], words)


def _aside(each: Mapping[str, Any]) -> str:
    side = "above" if each["share"] > each["forecast"] else "below"
    return f"Where {each['forecast']:.2f} was said, {each['share']:.2f} were right: {side}."


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 1)
