"""Measure confidences fitted to a few labels on the turns that were not drawn, and count the profiles that reach what is to be reached."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.calibration import (
    Calibration,
    Forecast,
    Observation,
    Verdict,
    brier,
    cox_test,
    discrimination,
    fit,
    forecasts_of,
    log_loss,
    squared_error_debiased,
)
from benchmarks.calibration.labelled import drawn
from benchmarks.measuring import seconds_of

UNCALIBRATED = Calibration({})


@dataclass(frozen=True, slots=True)
class Drawn:
    """One draw of labels: losses of scores and confidences on the other turns, and how calibrated the confidences are.

    ``error`` is the debiased squared error; ``slope`` and ``p_value`` are Cox's on all other turns, where thousands of labels see any
    difference, ``is_rejected`` Cox's on as many other labels as were drawn; ``milliseconds`` is how long the fit took.
    """

    rows: int
    brier: tuple[float, float]
    log_loss: tuple[float, float]
    error: tuple[float, float]
    slope: float | None
    p_value: float | None
    is_rejected: bool
    milliseconds: float

    @property
    def size(self) -> float:
        """The debiased error of the confidences, in the units of a probability; 0 where its square is below 0."""
        return _root([self.error[1]])


def draw(observations: Sequence[Observation], count: int, seed: str) -> Drawn:
    """Draw labels, fit, and test on the turns that are left."""
    sample, rest = drawn(observations, count, seed)
    milliseconds = 1_000 * seconds_of(lambda: fit(sample))
    return worth(fit(sample).table, rest, count, f"test {seed}", milliseconds)


def worth(table: Calibration, rest: Sequence[Observation], count: int, seed: str, milliseconds: float = 0) -> Drawn:
    """Test a table that ``count`` labels made on the rows of other turns."""
    before, after = forecasts_of(rest, UNCALIBRATED), forecasts_of(rest, table)
    cox = cox_test(after)
    as_many = drawn(rest, min(count, len(rest)), seed)[0]
    return Drawn(
        rows=len(rest),
        brier=_both(brier(before), brier(after)),
        log_loss=_both(log_loss(before), log_loss(after)),
        error=(squared_error_debiased(before), squared_error_debiased(after)),
        slope=cox.slope,
        p_value=cox.p_value,
        is_rejected=cox_test(forecasts_of(as_many, table)).verdict is Verdict.REJECTED,
        milliseconds=milliseconds,
    )


def figures(draws: Sequence[Drawn]) -> dict[str, float]:
    """One line of the table: means over the draws, and the worst of them."""
    mean = statistics.fmean
    return {
        "rows": draws[0].rows,
        "Brier": mean(each.brier[1] for each in draws),
        "of scores": mean(each.brier[0] for each in draws),
        "worst": max(each.brier[1] - each.brier[0] for each in draws),
        "log loss": mean(each.log_loss[1] for each in draws),
        "of scores ": mean(each.log_loss[0] for each in draws),
        "error": _root(each.error[1] for each in draws),
        "of scores  ": _root(each.error[0] for each in draws),
        "Cox slope": statistics.median(_known(each.slope for each in draws)),
        "p, all": statistics.median(_known(each.p_value for each in draws)),
        "rejected": sum(each.is_rejected for each in draws),
        "fit ms": statistics.median(each.milliseconds for each in draws),
    }


def ranking(forecasts: Sequence[Forecast]) -> str:
    """Say in words how well scores rank."""
    found = discrimination(forecasts)
    if found.auroc is None:
        return "labels of one kind: nothing to rank"
    return f"AUROC {found.auroc:.3f} ({found.interval.low:.3f}–{found.interval.high:.3f}), {found.values} different values"


def _both(before: float | None, after: float | None) -> tuple[float, float]:
    return before or 0.0, after or 0.0


def _root(squares: Iterable[float]) -> float:
    """The root of a mean of squares that may be below 0."""
    return math.sqrt(max(0.0, statistics.fmean(squares)))


def _known(values: Iterable[float | None]) -> list[float]:
    """Return the values that are defined; where none is, a value that passes."""
    return [each for each in values if each is not None] or [1.0]


HARM = 0.002
"""By so much a Brier score may be worse than that of the scores, and no more."""

MOST_ERROR = 0.02
SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Examined:
    """The values shown of the other turns: a profile's confidences, or scores where none could be proposed yet.

    ``is_own_rejected`` is what Cox's test in the profile's record says, by cross-validation of its own labels.
    """

    labels: int
    drawn: Drawn
    is_proposed: bool
    is_own_rejected: bool


def examined(labels: int, table: Calibration, evaluation: Mapping[str, Any], others: Sequence[Observation], draw: int) -> Examined:
    """Test a table on the rows of other turns."""
    is_own_rejected = evaluation.get("cox", {}).get("verdict") == Verdict.REJECTED.value
    return Examined(labels, worth(table, others, labels, f"test {labels} {draw}"), bool(evaluation), is_own_rejected)


def figures_of(its: Sequence[Examined]) -> dict[str, float]:
    """One line of the table."""
    line = figures([each.drawn for each in its])
    line["worst error"] = max(each.drawn.size for each in its)
    del line["fit ms"]
    return {"labels": statistics.fmean(each.labels for each in its)} | line


def bars(size: int, its: Sequence[Examined]) -> Iterator[str]:
    """Say in words how many of the draws reach each bar."""
    said: Mapping[str, Callable[[Examined], bool]] = {
        "a profile is proposed, elsewhere scores stay": lambda each: each.is_proposed,
        f"no worse than the scores by more than {HARM} Brier": lambda each: each.drawn.brier[1] - each.drawn.brier[0] <= HARM,
        "better than the scores by Brier and log loss": lambda each: (
            each.drawn.brier[1] < each.drawn.brier[0] and each.drawn.log_loss[1] < each.drawn.log_loss[0]
        ),
        f"debiased calibration error at most {MOST_ERROR}": lambda each: each.drawn.size <= MOST_ERROR,
        "not rejected by Cox on as many other labels": lambda each: not each.drawn.is_rejected,
        "not rejected by Cox in its own record": lambda each: not each.is_own_rejected,
        "not rejected by Cox on all other labels": lambda each: each.drawn.p_value is None or each.drawn.p_value >= SIGNIFICANT,
    }
    for words, holds in said.items() if its else ():
        yield f"  {size:>5} labels: {words}: {sum(map(holds, its))} of {len(its)}"
