"""The conditions of an approval of a profile, each with the figures that it rests on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attribution.calibration.agreement import Agreement
from attribution.calibration.evaluation import FEWEST_IN_CELL, WORSE, Cell, Evaluation
from attribution.calibration.intervals import LEVEL, Interval, wilson
from attribution.calibration.normal import two_sided
from attribution.calibration.tree_beta import FEWEST_LABELS

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
