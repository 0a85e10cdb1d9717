"""A confidence beside the truth: what all measures of calibration are measures of."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from attribution.calibration.chance import by_group

LEAST = 1e-4
"""A probability nearer than this to 0 or 1 is taken for this in logarithms: one surprise is to be dear, not infinitely so."""


class Forecast(NamedTuple):
    """A probability, whether it came true, how many rows it stands for, and the conversation it is of."""

    probability: float
    is_true: bool
    weight: float = 1.0
    conversation: str = ""


class Mean(NamedTuple):
    """A mean, in the units of what is averaged, and its standard error; of less than two conversations the error is not known."""

    value: float
    error: float | None


def brier(forecasts: Sequence[Forecast]) -> float | None:
    """The mean squared error, Σw(p − y)²/Σw: 0 is perfect, 0.25 is always saying a half. Brier 1950. Nothing of no forecasts."""
    return _weighted(forecasts, squared_error)


def log_loss(forecasts: Sequence[Forecast]) -> float | None:
    """The mean surprise, −Σw log(p of what came true)/Σw, in natural units; Good 1952. Nothing of no forecasts."""
    return _weighted(forecasts, surprise)


def squared_error(forecast: Forecast) -> float:
    """(p − y)²."""
    return (forecast.probability - forecast.is_true) ** 2


def surprise(forecast: Forecast) -> float:
    """−log of the probability given to what came true, which is kept away from 0 and 1."""
    probability = min(max(forecast.probability, LEAST), 1 - LEAST)
    return -math.log(probability if forecast.is_true else 1 - probability)


def gain(before: Sequence[Forecast], after: Sequence[Forecast], loss: Callable[[Forecast], float]) -> Mean | None:
    """By how much one set of forecasts of the same rows loses less than another: above 0 the second is better. Nothing of none.

    The mean of the paired differences weighted, and its standard error with conversations as clusters (Liang and Zeger 1986).
    """
    if not before:
        return None
    pairs = [(one.weight, loss(one) - loss(other), one.conversation) for one, other in zip(before, after, strict=True)]
    return clustered_mean(pairs)


def clustered_mean(weighted: Iterable[tuple[float, float, str]]) -> Mean:
    """The weighted mean of (weight, value, cluster), and its standard error by the clusters' sums of residuals."""
    known = list(weighted)
    total = math.fsum(weight for weight, _, _ in known)
    mean = math.fsum(weight * value for weight, value, _ in known) / total
    clusters = by_group(known, lambda each: each[2])
    count = len(clusters)
    if count == 1:
        return Mean(mean, None)
    squares = math.fsum(math.fsum(weight * (value - mean) for weight, value, _ in its) ** 2 for its in clusters)
    return Mean(mean, math.sqrt(squares * count / (count - 1)) / total)


def _weighted(forecasts: Sequence[Forecast], loss: Callable[[Forecast], float]) -> float | None:
    total = math.fsum(each.weight for each in forecasts)
    return math.fsum(each.weight * loss(each) for each in forecasts) / total if forecasts else None
