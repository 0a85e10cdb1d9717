"""Charts of calibration as plain numbers for templates: the reliability diagram, and figures against cut-offs.

The page and a report draw the same picture, and each has a sentence that says the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from attribution.calibration import Forecast, Interval, Point, point_at, wilson

_LEFT, _TOP, _SIDE = 52.0, 16.0, 360.0
_BAR = 12.0
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, slots=True)
class Tick:
    """A grid line in both directions."""

    words: str
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class CurveMark:
    """A group of labels: its point, the bar of values that chance alone explains, and its description."""

    x: float
    y: float
    bar_x: float
    bar_y: float
    bar_height: float
    is_inside: bool
    words: str


@dataclass(frozen=True, slots=True)
class Diagram:
    """The marks of a reliability diagram, with a sentence that says the same."""

    ticks: Sequence[Tick]
    marks: Sequence[CurveMark]
    title: str
    description: str


def reliability_diagram(curve: Sequence[Mapping[str, Any]]) -> Diagram | None:
    """Return the diagram of the curve in a profile's record, or None without labels."""
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


def _mark(each: Mapping[str, Any]) -> CurveMark:
    low, high = each["consistent"]
    words = f"confidence {each['forecast']:.2f}, right {each['share']:.2f}, {each['labels']} labels"
    x, top = _x(each["forecast"]), _y(high)
    return CurveMark(x, _y(each["share"]), round(x - _BAR / 2, 1), top, round(max(2.0, _y(low) - top), 1), each["inside"], words)


def _aside(each: Mapping[str, Any]) -> str:
    side = "above" if each["share"] > each["forecast"] else "below"
    return f"Where {each['forecast']:.2f} was said, {each['share']:.2f} were right: {side}."


def _x(share: float) -> float:
    return round(_LEFT + _SIDE * share, 1)


def _y(share: float) -> float:
    return round(_TOP + _SIDE * (1 - share), 1)


@dataclass(frozen=True, slots=True)
class LabelFigure:
    """A figure of the labels, unweighted and weighted by inclusion, each with its interval."""

    plain: float | None = None
    interval: Interval | None = None
    weighted: float | None = None
    weighted_interval: Interval | None = None

    @property
    def is_weighted(self) -> bool:
        """True if weighting changes the two decimals shown."""
        return self.plain is not None and self.weighted is not None and f"{self.plain:.2f}" != f"{self.weighted:.2f}"


@dataclass(frozen=True, slots=True)
class CutoffLine:
    """The figures at a cut-off, which is also ``written`` as text.

    ``rows`` reach it; ``shown`` is their share of all rows that were found, which is the work that remains.
    """

    cutoff: float
    written: str
    rows: int
    shown: LabelFigure
    precision: LabelFigure
    recall: LabelFigure
    f1: LabelFigure
    kappa: LabelFigure


def line_at(forecasts: Sequence[Forecast], cutoff: float, written: str) -> CutoffLine:
    """Return the figures at a cut-off, weighted and unweighted."""
    weighted = point_at(forecasts, cutoff)
    plain = point_at([each._replace(weight=1.0) for each in forecasts], cutoff)
    return CutoffLine(
        cutoff=cutoff,
        written=written,
        rows=plain.claimed,
        shown=_shown(forecasts, cutoff),
        precision=_value(plain, weighted, "precision"),
        recall=_value(plain, weighted, "recall"),
        f1=_value(plain, weighted, "f1"),
        kappa=_value(plain, weighted, "kappa"),
    )


def _value(plain: Point, weighted: Point, name: str) -> LabelFigure:
    if getattr(plain, name) is None:
        return LabelFigure()
    intervals = [getattr(each, f"{name}_interval") for each in (plain, weighted)]
    return LabelFigure(getattr(plain, name), intervals[0], getattr(weighted, name), intervals[1])


def _shown(forecasts: Sequence[Forecast], cutoff: float) -> LabelFigure:
    found = [each for each in forecasts if each.probability >= 0]
    above = [each for each in found if each.probability >= cutoff]
    if not found:
        return LabelFigure()
    weighted = sum(each.weight for each in above) / sum(each.weight for each in found)
    return LabelFigure(len(above) / len(found), wilson(len(above), len(found)), weighted)


_SWEEP_LEFT, _SWEEP_TOP, _WIDE, _HIGH = 44.0, 12.0, 368.0, 220.0
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class CutoffMark:
    """A point and its description."""

    x: float
    y: float
    words: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A line with the band of its intervals, and a second line if weighting makes a visible difference.

    The picture begins at 0; ``is_cut`` is True if some values are below.
    """

    name: str
    is_cut: bool
    band: str
    line: str
    weighted: str
    marks: Sequence[CutoffMark]


@dataclass(frozen=True, slots=True)
class Chart:
    """Two curves over the same cut-offs, with vertical lines at ``chosen`` and ``looked_at``."""

    name: str
    title: str
    description: str
    levels: Sequence[tuple[str, float]]
    places: Sequence[tuple[str, float]]
    first: Curve
    second: Curve
    chosen: float
    looked_at: float | None


def draw_cutoff_charts(lines: Sequence[CutoffLine], chosen: float, looked_at: float | None) -> list[Chart]:
    """Return the charts of precision with recall, and of F1 with kappa."""
    if len(lines) < 2:
        return []
    scale = _CutoffScale(lines[0].cutoff, lines[-1].cutoff)
    at = looked_at if looked_at is not None and scale.low <= looked_at <= scale.high else None
    right = _Pair(("precision", lambda each: each.precision), ("recall", lambda each: each.recall))
    both = _Pair(("F1", lambda each: each.f1), ("kappa", lambda each: each.kappa))
    return [_chart(name, pair, lines, scale, chosen, at) for name, pair in (("right", right), ("both", both))]


_Read = Callable[[CutoffLine], LabelFigure]


@dataclass(frozen=True, slots=True)
class _Pair:
    first: tuple[str, _Read]
    second: tuple[str, _Read]


@dataclass(frozen=True, slots=True)
class _CutoffScale:
    low: float
    high: float

    def x(self, cutoff: float) -> float:
        return round(_SWEEP_LEFT + _WIDE * (cutoff - self.low) / (self.high - self.low), 1)

    @staticmethod
    def y(share: float) -> float:
        return round(_SWEEP_TOP + _HIGH * (1 - min(1.0, max(0.0, share))), 1)


def _chart(name: str, pair: _Pair, lines: Sequence[CutoffLine], scale: _CutoffScale, chosen: float, at: float | None) -> Chart:
    every = -(-len(lines) // _MOST_NAMED)
    named = [each for place, each in enumerate(lines) if not place % every]
    first, second = (_curve(*each, lines, scale) for each in (pair.first, pair.second))
    there = [line for line in lines if line.cutoff == chosen]
    return Chart(
        name=name,
        title=f"{first.name.capitalize() if first.name != 'F1' else 'F1'} and {second.name} against the cut-off",
        description=_described(pair, [*lines[:1], *there, *lines[-1:]]),
        levels=[(f"{each:g}", _CutoffScale.y(each)) for each in _TICKS],
        places=[(each.written, scale.x(each.cutoff)) for each in named],
        first=first,
        second=second,
        chosen=scale.x(min(max(chosen, scale.low), scale.high)),
        looked_at=None if at is None else scale.x(at),
    )


def _curve(name: str, read: _Read, lines: Sequence[CutoffLine], scale: _CutoffScale) -> Curve:
    values = [(scale.x(each.cutoff), read(each)) for each in lines]
    plain = [(x, value.plain) for x, value in values]
    is_weighted = any(value.is_weighted for _, value in values)
    return Curve(
        name=name,
        is_cut=any(each is not None and each < 0 for _, each in plain),
        band="".join(_band(run) for run in _runs(values)),
        line=_path(plain),
        weighted=_path([(x, value.weighted) for x, value in values]) if is_weighted else "",
        marks=[
            CutoffMark(x, _CutoffScale.y(value.plain), f"{name} {value.plain:.2f} at {each.written}")
            for (x, value), each in zip(values, lines, strict=True)
            if value.plain is not None
        ],
    )


def _runs(values: Sequence[tuple[float, LabelFigure]]) -> list[list[tuple[float, float, float]]]:
    """Return the runs of consecutive points with an interval."""
    known = [(x, value.interval) for x, value in values]
    runs = [[(x, interval) for x, interval in run] for is_there, run in groupby(known, key=lambda each: each[1] is not None) if is_there]
    return [[(x, interval.low, interval.high) for x, interval in run if interval is not None] for run in runs]


def _band(run: Sequence[tuple[float, float, float]]) -> str:
    there = "L".join(f"{x} {_CutoffScale.y(high)}" for x, _, high in run)
    back = "L".join(f"{x} {_CutoffScale.y(low)}" for x, low, _ in reversed(run))
    return f"M{there}L{back}Z"


def _path(values: Sequence[tuple[float, float | None]]) -> str:
    parts = [list(run) for is_there, run in groupby(values, key=lambda each: each[1] is not None) if is_there]
    return "".join("M" + "L".join(f"{x} {_CutoffScale.y(share)}" for x, share in run if share is not None) for run in parts)


def _described(pair: _Pair, lines: Sequence[CutoffLine]) -> str:
    said = {each.cutoff: _said(pair, each) for each in lines}
    return " ".join(said.values())


def _said(pair: _Pair, line: CutoffLine) -> str:
    parts = [(name, read(line).plain) for name, read in (pair.first, pair.second)]
    told = ", ".join(f"{name} {value:.2f}" if value is not None else f"{name} not known" for name, value in parts)
    return f"At {line.written}: {told}."
