"""Judge profiles on the turns that nobody reviewed, and count those that reach what is to be reached."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.calibration import Calibration, Observation, Verdict
from benchmarks.calibration.measuring import Drawn, figures, worth

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
