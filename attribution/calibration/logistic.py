"""Logistic regression, and Cox's test of calibration by it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.calibration.distributions import chi_square_tail
from attribution.calibration.observation import LEAST, Forecast
from attribution.calibration.tree_beta import FEWEST_LABELS
from attribution.model import Word

# Logistic regression by Newton's method, for a handful of coefficients: tests of calibration and transfers rest on it.

Vector = list[float]
Matrix = list[Vector]

_MOST_STEPS = 100
_CONVERGED = 1e-12
_NEAR = 1e-4
_FARTHEST = 30.0
"""A coefficient beyond this is on its way to infinity: the two kinds are told apart without error."""


class Case(NamedTuple):
    """One row for a fit: its predictors, an offset on the scale of log odds, and the outcome."""

    known: tuple[float, ...]
    offset: float
    is_true: bool


class Fitted(NamedTuple):
    """Coefficients in log odds, their covariance, and the log likelihood without the prior."""

    coefficients: Vector
    covariance: Matrix
    likelihood: float


def logit(probability: float) -> float:
    """The log odds log(p/(1 − p)), for p above 0 and below 1."""
    return math.log(probability) - math.log1p(-probability)


def logistic(log_odds: float) -> float:
    """The probability of some log odds: 1/(1 + e^−x), without overflow."""
    if log_odds >= 0:
        return 1 / (1 + math.exp(-log_odds))
    return math.exp(log_odds) / (1 + math.exp(log_odds))


def fit_logistic(cases: Sequence[Case], precisions: Sequence[float]) -> Fitted | None:
    """The coefficients that make the cases likeliest, each with a normal prior around 0 of the precision given (0 for none).

    Nothing where they cannot be told: the cases are separated, or one thing known is a multiple of another.
    """
    coefficients = [0.0] * len(precisions)
    for _ in range(_MOST_STEPS):
        gradient, curvature = _slopes(cases, coefficients, precisions)
        inverse = inverted(curvature)
        if inverse is None:
            return None
        steps = [sum(one * slope for one, slope in zip(line, gradient, strict=True)) for line in inverse]
        if max(map(abs, steps)) < _CONVERGED:
            return Fitted(coefficients, inverse, log_likelihood(cases, coefficients))
        coefficients = _stepped(cases, coefficients, steps, precisions)
        if max(map(abs, coefficients)) > _FARTHEST:
            return None
    return None


def _stepped(cases: Sequence[Case], before: Vector, steps: Vector, precisions: Sequence[float]) -> Vector:
    """Newton's step, halved until it does not lead away from what is likeliest; near the end it is taken whole."""
    least, part = _posterior(cases, before, precisions) if max(map(abs, steps)) > _NEAR else -math.inf, 1.0
    after = [each + step for each, step in zip(before, steps, strict=True)]
    while _posterior(cases, after, precisions) < least and part > _CONVERGED:
        part /= 2
        after = [each + part * step for each, step in zip(before, steps, strict=True)]
    return after


def _posterior(cases: Sequence[Case], coefficients: Vector, precisions: Sequence[float]) -> float:
    """The log posterior, but for a constant."""
    held = sum(precision * each * each for precision, each in zip(precisions, coefficients, strict=True)) / 2
    return log_likelihood(cases, coefficients) - held


def log_likelihood(cases: Sequence[Case], coefficients: Sequence[float]) -> float:
    """The logarithm of the probability of what came true."""
    signed = [_log_odds(case, coefficients) * (1 if case.is_true else -1) for case in cases]
    return -math.fsum(math.log1p(math.exp(-each)) if each > -_FARTHEST else -each for each in signed)


def _log_odds(case: Case, coefficients: Sequence[float]) -> float:
    return case.offset + sum(one * each for one, each in zip(case.known, coefficients, strict=True))


def _slopes(cases: Sequence[Case], coefficients: Vector, precisions: Sequence[float]) -> tuple[Vector, Matrix]:
    """The gradient of the log posterior, and its curvature with the sign turned."""
    size = range(len(coefficients))
    gradient = [-precision * each for precision, each in zip(precisions, coefficients, strict=True)]
    curvature = [[precisions[row] if row == column else 0.0 for column in size] for row in size]
    for case in cases:
        probability = logistic(_log_odds(case, coefficients))
        missed, spread = case.is_true - probability, probability * (1 - probability)
        present = [each for each in size if case.known[each]]
        for row in present:
            gradient[row] += missed * case.known[row]
            for column in present:
                curvature[row][column] += spread * case.known[row] * case.known[column]
    return gradient, curvature


def inverted(matrix: Matrix) -> Matrix | None:
    """The inverse of a small matrix by Gauss and Jordan's elimination with pivots; nothing where there is none."""
    size = len(matrix)
    rows = [[*line, *[float(column == number) for column in range(size)]] for number, line in enumerate(matrix)]
    scale = max(abs(each) for line in matrix for each in line)
    for place in range(size):
        pivot = max(range(place, size), key=lambda each: abs(rows[each][place]))
        if abs(rows[pivot][place]) <= _CONVERGED * scale:
            return None
        rows[place], rows[pivot] = rows[pivot], rows[place]
        rows[place] = [each / rows[place][place] for each in rows[place]]
        for other in range(size):
            if other != place:
                factor = rows[other][place]
                rows[other] = [each - factor * above for each, above in zip(rows[other], rows[place], strict=True)]
    return [line[size:] for line in rows]


# Is it calibrated? Cox's test decides: whether the log odds, shifted and stretched, would fit the labels better.

SIGNIFICANT = 0.05


class Verdict(Word):
    """The outcome of a test of calibration."""

    CANNOT_TELL = "cannot_tell"
    NOT_REJECTED = "not_rejected"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True)
class CoxTest:
    """Intercept in log odds, where 0 is neither too high nor too low; slope, where below 1 is too sure and above 1 not sure enough.

    ``statistic`` is twice the gain in log likelihood, chi-square with two degrees of freedom where the forecasts are calibrated,
    and ``p_value`` its tail. Without figures ``reason`` says why there are none. ``labels`` counts the forecasts.
    """

    labels: int
    intercept: float | None = None
    slope: float | None = None
    statistic: float | None = None
    p_value: float | None = None
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """The decision at 5%; under 100 labels nobody can tell."""
        if self.p_value is None or self.labels < FEWEST_LABELS:
            return Verdict.CANNOT_TELL
        return Verdict.REJECTED if self.p_value < SIGNIFICANT else Verdict.NOT_REJECTED


def cox_test(forecasts: Sequence[Forecast]) -> CoxTest:
    """Fit logit P(true) = a + b·logit p and test a = 0 and b = 1 together by the likelihood ratio. Cox 1958.

    Weights are not used: the test is of the labels that there are. No figures where all labels are of one kind, where all
    probabilities are the same, or where the two kinds are told apart without error: no slope is the likeliest then.
    """
    labels = len(forecasts)
    if len({each.is_true for each in forecasts}) < 2:
        return CoxTest(labels, reason="all labels are of one kind" if labels else "there are no labels")
    log_odds = [logit(min(max(each.probability, LEAST), 1 - LEAST)) for each in forecasts]
    if len(set(log_odds)) == 1:
        return CoxTest(labels, reason="all probabilities are the same")
    cases = [Case((1.0, each), 0.0, forecast.is_true) for each, forecast in zip(log_odds, forecasts, strict=True)]
    fitted = fit_logistic(cases, (0.0, 0.0))
    if fitted is None:
        return CoxTest(labels, reason="the probabilities tell the two kinds apart without error")
    statistic = max(0.0, 2 * (fitted.likelihood - log_likelihood(cases, (0.0, 1.0))))
    intercept, slope = fitted.coefficients
    return CoxTest(labels, intercept, slope, statistic, chi_square_tail(statistic, 2))
