"""Evaluate a calibrator on labels that it has not seen, and say which conditions it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.calibration.agreement import Agreement
from attribution.calibration.distributions import LEVEL, Interval, two_sided, wilson
from attribution.calibration.logistic import CoxTest, cox_test
from attribution.calibration.observation import (
    Chance,
    Forecast,
    Mean,
    Observation,
    brier,
    folds,
    gain,
    judged,
    log_loss,
    squared_error,
    surprise,
)
from attribution.calibration.reliability import CalibrationError, Discrimination, calibration_error, discrimination
from attribution.calibration.tree_beta import FEWEST_LABELS, TreeBeta, fit, state_of
from attribution.confidence import Calibration, Path

# Evaluate a calibrator: its confidences beside the scores, on labels that it was not fitted to.

_FOLDS = 5
_DECIMALS = 6
FEWEST_IN_CELL = 20
WORSE = 0.10
"""By so much a confidence may be farther from the labels of a cell than before, and no more."""


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Two sets of confidences of the same labelled rows: as they are ``before``, and ``after``. Losses as in ``forecast``.

    ``brier_gain`` and ``log_loss_gain`` are what the second loses less, above 0 where it is better; nothing of no labels.
    """

    labels: int
    conversations: int
    brier: tuple[float | None, float | None]
    log_loss: tuple[float | None, float | None]
    brier_gain: Mean | None
    log_loss_gain: Mean | None
    cox: CoxTest
    error: CalibrationError
    discrimination: Discrimination

    def document(self) -> dict[str, Any]:
        """As JSON values, rounded so that every machine writes the same."""
        cox = {"intercept": self.cox.intercept, "slope": self.cox.slope, "p_value": self.cox.p_value, "verdict": self.cox.verdict.value}
        error = {"squared": self.error.squared, "interval": list(self.error.interval)}
        ranking = {"auroc": self.discrimination.auroc, "interval": list(self.discrimination.interval)}
        document = {
            "labels": self.labels,
            "conversations": self.conversations,
            "brier": list(self.brier),
            "log_loss": list(self.log_loss),
            "brier_gain": list(self.brier_gain) if self.brier_gain else None,
            "log_loss_gain": list(self.log_loss_gain) if self.log_loss_gain else None,
            "cox": cox,
            "error": error,
            "discrimination": ranking,
        }
        return {key: rounded(value) for key, value in document.items()}


@dataclass(frozen=True, slots=True)
class Cell:
    """A node with labels: the share that is drawn on, and the mean confidence before and after."""

    path: Path
    labels: int
    share: float
    before: float
    after: float

    @property
    def is_worse(self) -> bool:
        """True if there are 20 labels or more and the confidence is farther from them than before, by more than 0.10."""
        return self.labels >= FEWEST_IN_CELL and abs(self.after - self.share) - abs(self.before - self.share) > WORSE


def rounded(value: Any) -> Any:
    """Return a JSON value with all its numbers rounded to six decimals, whole ones written as such: 1, not 1.0."""
    if isinstance(value, float):
        number = round(value, _DECIMALS)
        return int(number) if number.is_integer() else number
    if isinstance(value, dict):
        return {key: rounded(each) for key, each in value.items()}
    return [rounded(each) for each in value] if isinstance(value, list | tuple) else value


def forecasts_of(observations: Iterable[Observation], table: Calibration) -> list[Forecast]:
    """Return a table's confidences of labelled rows, beside the labels. An empty table gives the scores.

    Rows that nobody could judge are left out.
    """
    return [
        Forecast(table.confidence(each.node_path, each.score), bool(each.is_used), each.weight, each.conversation)
        for each in judged(observations)
    ]


def cross_validated(
    observations: Iterable[Observation], make: Callable[[list[Observation]], TreeBeta] | None = None
) -> tuple[list[Observation], list[Forecast]]:
    """Each label, and what a calibrator fitted to the other four fifths of the labels says of its row.

    Conversations are divided, not labels. The calibrators are as deep as that of all the labels, which is the one to be used;
    ``make`` makes others.
    """
    known = judged(observations)
    state = state_of(len(known))
    parts = folds(known, lambda each: each.conversation, _FOLDS)
    tested: list[Observation] = []
    forecasts: list[Forecast] = []
    for number, part in enumerate(parts):
        others = [each for other, its in enumerate(parts) if other != number for each in its]
        tested += part
        forecasts += forecasts_of(part, (make(others) if make else fit(others, state)).table)
    return tested, forecasts


def evaluate(before: Sequence[Forecast], after: Sequence[Forecast], chance: Chance) -> Evaluation:
    """Compare two sets of forecasts of the same rows, and test the second."""
    error = calibration_error(after, chance)
    return Evaluation(
        labels=len(after),
        conversations=error.conversations,
        brier=(brier(before), brier(after)),
        log_loss=(log_loss(before), log_loss(after)),
        brier_gain=gain(before, after, squared_error),
        log_loss_gain=gain(before, after, surprise),
        cox=cox_test(after),
        error=error,
        discrimination=discrimination(after),
    )


def cells(observations: Iterable[Observation], before: Calibration, after: Calibration) -> tuple[Cell, ...]:
    """The cells of the labelled rows, down to fields, in the order of their paths."""
    by_path: dict[Path, list[Observation]] = {}
    for each in judged(observations):
        for depth in range(1, len(each.node_path) + 1):
            by_path.setdefault(each.node_path[:depth], []).append(each)
    return tuple(_cell(path, its, before, after) for path, its in sorted(by_path.items()))


def _cell(path: Path, its: Sequence[Observation], before: Calibration, after: Calibration) -> Cell:
    count = len(its)
    means = [sum(table.confidence(each.node_path, each.score) for each in its) / count for table in (before, after)]
    return Cell(path, count, sum(bool(each.is_used) for each in its) / count, *means)


# The conditions of an approval of a profile, each with the figures that it rests on.

LEAST_NEGATIVE_AGREEMENT = 0.6
LEAST_SPECIFICITY = 0.9
_MOST_LOST = 0.005
"""By so much the log loss may be higher, at the bad end of its interval."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition by name, whether it holds, and the sentence that says why."""

    name: str
    is_passed: bool
    because: str


@dataclass(frozen=True, slots=True)
class Attention:
    """A reviewer's results on rows whose truth is known: the share of the right ones called right, of the wrong ones called wrong.

    90% intervals by Wilson; nothing where no such row was seen.
    """

    sensitivity: float | None
    sensitivity_interval: Interval
    specificity: float | None
    specificity_interval: Interval


def attention(results: Sequence[tuple[bool, bool]]) -> Attention:
    """The attention that (truth, verdict) pairs show."""
    right = [verdict for truth, verdict in results if truth]
    wrong = [not verdict for truth, verdict in results if not truth]
    shares = [(sum(its) / len(its) if its else None, wilson(sum(its), len(its))) for its in (right, wrong)]
    return Attention(*shares[0], *shares[1])


def fit_gates(evaluation: Evaluation, cells: Sequence[Cell], fewest: int = FEWEST_LABELS) -> tuple[Gate, ...]:
    """There are labels enough, ``fewest``; the log loss is not worse; no cell is much worse."""
    enough = Gate("labels", evaluation.labels >= fewest, f"{evaluation.labels} labels; {fewest} are the fewest")
    worse = [each for each in cells if each.is_worse]
    named = ", ".join(f"{each.path[-1]} ({each.labels} labels, {each.before:.2f} → {each.after:.2f})" for each in worse)
    every = f"no cell with {FEWEST_IN_CELL} labels or more is worse by more than {WORSE:.2f}"
    return enough, _loss_gate(evaluation), Gate("cells", not worse, f"worse: {named}" if worse else every)


def reviewer_gates(wrong: str, agreement: Agreement, known_rows: Attention) -> tuple[Gate, ...]:
    """Reviewers agree on what is ``wrong``, the verdict of that name; and they see what is known to be wrong."""
    on_wrong = agreement.by_verdict.get(wrong)
    value = on_wrong.value if on_wrong else None
    return (
        _least("negative agreement", value, LEAST_NEGATIVE_AGREEMENT),
        _least("specificity on known rows", known_rows.specificity, LEAST_SPECIFICITY),
    )


def _loss_gate(evaluation: Evaluation) -> Gate:
    """The upper 90% bound of what the log loss rises by."""
    gained = evaluation.log_loss_gain
    if gained is None or gained.error is None:
        return Gate("log loss", is_passed=False, because="too few conversations to compare the log loss")
    worst = -gained.value + two_sided(LEVEL) * gained.error
    return Gate("log loss", worst < _MOST_LOST, f"changes by {-gained.value:+.4f}, at worst by {worst:+.4f}; {_MOST_LOST:+.3f} is the most")


def _least(name: str, value: float | None, least: float) -> Gate:
    if value is None:
        return Gate(name, is_passed=False, because="nothing to tell it by")
    return Gate(name, value >= least, f"{value:.2f}; {least:.2f} is the least")
