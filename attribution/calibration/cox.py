"""Is it calibrated? Cox's test decides: whether the log odds, shifted and stretched, would fit the labels better."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attribution.calibration.distributions import chi_square_tail
from attribution.calibration.forecast import LEAST, Forecast
from attribution.calibration.logistic import Case, fit_logistic, log_likelihood, logit
from attribution.calibration.tree_beta import FEWEST_LABELS
from attribution.model import Word

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
