"""One cut-off in figures: of the labels as they are, and weighted by inclusion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attribution.calibration import Forecast, Interval, Point, point_at, wilson


@dataclass(frozen=True, slots=True)
class Value:
    """A figure of the labels as they are, and the same weighted by inclusion, each with its interval."""

    plain: float | None = None
    interval: Interval | None = None
    weighted: float | None = None
    weighted_interval: Interval | None = None

    @property
    def is_weighted(self) -> bool:
        """Whether weighting changes what two decimals show."""
        return self.plain is not None and self.weighted is not None and f"{self.plain:.2f}" != f"{self.weighted:.2f}"


@dataclass(frozen=True, slots=True)
class Line:
    """One cut-off, as a number and as it is ``written``.

    ``rows`` reach it; ``shown`` is their share of all rows that were found, the work that is left to do.
    """

    cutoff: float
    written: str
    rows: int
    shown: Value
    precision: Value
    recall: Value
    f1: Value
    kappa: Value


def line_at(forecasts: Sequence[Forecast], cutoff: float, written: str) -> Line:
    """Both ways of counting at one cut-off."""
    weighted = point_at(forecasts, cutoff)
    plain = point_at([each._replace(weight=1.0) for each in forecasts], cutoff)
    return Line(
        cutoff=cutoff,
        written=written,
        rows=plain.claimed,
        shown=_shown(forecasts, cutoff),
        precision=_value(plain, weighted, "precision"),
        recall=_value(plain, weighted, "recall"),
        f1=_value(plain, weighted, "f1"),
        kappa=_value(plain, weighted, "kappa"),
    )


def _value(plain: Point, weighted: Point, name: str) -> Value:
    if getattr(plain, name) is None:
        return Value()
    intervals = [getattr(each, f"{name}_interval") for each in (plain, weighted)]
    return Value(getattr(plain, name), intervals[0], getattr(weighted, name), intervals[1])


def _shown(forecasts: Sequence[Forecast], cutoff: float) -> Value:
    found = [each for each in forecasts if each.probability >= 0]
    above = [each for each in found if each.probability >= cutoff]
    if not found:
        return Value()
    weighted = sum(each.weight for each in above) / sum(each.weight for each in found)
    return Value(len(above) / len(found), wilson(len(above), len(found)), weighted)
