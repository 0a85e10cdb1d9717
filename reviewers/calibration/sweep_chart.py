"""Figures against cut-offs as plain numbers for a template that draws them; words say the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

from reviewers.calibration.sweep_lines import Line, Value

_LEFT, _TOP, _WIDE, _HIGH = 44.0, 12.0, 368.0, 220.0
_TICKS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
_MOST_NAMED = 8


@dataclass(frozen=True, slots=True)
class Mark:
    """A point, and what it says."""

    x: float
    y: float
    words: str


@dataclass(frozen=True, slots=True)
class Curve:
    """A line with the band of its intervals. Where weighting changes what is seen, another line shows it.

    The picture begins at 0: ``is_cut`` says that some of its figures lie below.
    """

    name: str
    is_cut: bool
    band: str
    line: str
    weighted: str
    marks: Sequence[Mark]


@dataclass(frozen=True, slots=True)
class Chart:
    """Two curves over the same cut-offs. ``chosen`` and ``looked_at`` are where upright lines stand."""

    name: str
    title: str
    description: str
    levels: Sequence[tuple[str, float]]
    places: Sequence[tuple[str, float]]
    first: Curve
    second: Curve
    chosen: float
    looked_at: float | None


def draw(lines: Sequence[Line], chosen: float, looked_at: float | None) -> list[Chart]:
    """What is right and what is found; how well both go together."""
    if len(lines) < 2:
        return []
    scale = _Scale(lines[0].cutoff, lines[-1].cutoff)
    at = looked_at if looked_at is not None and scale.low <= looked_at <= scale.high else None
    right = _Pair(("precision", lambda each: each.precision), ("recall", lambda each: each.recall))
    both = _Pair(("F1", lambda each: each.f1), ("kappa", lambda each: each.kappa))
    return [_chart(name, pair, lines, scale, chosen, at) for name, pair in (("right", right), ("both", both))]


_Read = Callable[[Line], Value]


@dataclass(frozen=True, slots=True)
class _Pair:
    first: tuple[str, _Read]
    second: tuple[str, _Read]


@dataclass(frozen=True, slots=True)
class _Scale:
    low: float
    high: float

    def x(self, cutoff: float) -> float:
        return round(_LEFT + _WIDE * (cutoff - self.low) / (self.high - self.low), 1)

    @staticmethod
    def y(share: float) -> float:
        return round(_TOP + _HIGH * (1 - min(1.0, max(0.0, share))), 1)


def _chart(name: str, pair: _Pair, lines: Sequence[Line], scale: _Scale, chosen: float, at: float | None) -> Chart:
    every = -(-len(lines) // _MOST_NAMED)
    named = [each for place, each in enumerate(lines) if not place % every]
    first, second = (_curve(*each, lines, scale) for each in (pair.first, pair.second))
    there = [line for line in lines if line.cutoff == chosen]
    return Chart(
        name=name,
        title=f"{first.name.capitalize() if first.name != 'F1' else 'F1'} and {second.name} against the cut-off",
        description=_described(pair, [*lines[:1], *there, *lines[-1:]]),
        levels=[(f"{each:g}", _Scale.y(each)) for each in _TICKS],
        places=[(each.written, scale.x(each.cutoff)) for each in named],
        first=first,
        second=second,
        chosen=scale.x(min(max(chosen, scale.low), scale.high)),
        looked_at=None if at is None else scale.x(at),
    )


def _curve(name: str, read: _Read, lines: Sequence[Line], scale: _Scale) -> Curve:
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
            Mark(x, _Scale.y(value.plain), f"{name} {value.plain:.2f} at {each.written}")
            for (x, value), each in zip(values, lines, strict=True)
            if value.plain is not None
        ],
    )


def _runs(values: Sequence[tuple[float, Value]]) -> list[list[tuple[float, float, float]]]:
    """Places with an interval that follow each other."""
    known = [(x, value.interval) for x, value in values]
    runs = [[(x, interval) for x, interval in run] for is_there, run in groupby(known, key=lambda each: each[1] is not None) if is_there]
    return [[(x, interval.low, interval.high) for x, interval in run if interval is not None] for run in runs]


def _band(run: Sequence[tuple[float, float, float]]) -> str:
    there = "L".join(f"{x} {_Scale.y(high)}" for x, _, high in run)
    back = "L".join(f"{x} {_Scale.y(low)}" for x, low, _ in reversed(run))
    return f"M{there}L{back}Z"


def _path(values: Sequence[tuple[float, float | None]]) -> str:
    parts = [list(run) for is_there, run in groupby(values, key=lambda each: each[1] is not None) if is_there]
    return "".join("M" + "L".join(f"{x} {_Scale.y(share)}" for x, share in run if share is not None) for run in parts)


def _described(pair: _Pair, lines: Sequence[Line]) -> str:
    said = {each.cutoff: _said(pair, each) for each in lines}
    return " ".join(said.values())


def _said(pair: _Pair, line: Line) -> str:
    parts = [(name, read(line).plain) for name, read in (pair.first, pair.second)]
    told = ", ".join(f"{name} {value:.2f}" if value is not None else f"{name} not known" for name, value in parts)
    return f"At {line.written}: {told}."
