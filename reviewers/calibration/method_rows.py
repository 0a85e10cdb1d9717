"""What labels say of each method and of each of its fields: how many were right, and whether the number shown fits that."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from attribution.calibration import Calibration, Observation, Share, judged, weighted_share
from reviewers.calibration import words
from reviewers.review.words import Badge

FEWEST = 20
"""Of a row of the table; with fewer nobody can tell whether the number fits."""


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method or a field: its labels and conversations, the share that is used with its interval, the mean number shown.

    The interval shown is Wilson's of the labels as they are: over few conversations that are alike the weighted one says too much.
    """

    key: str
    name: str
    share: Share
    shown: float
    verdict: Badge

    @property
    def is_weighted(self) -> bool:
        """Whether weighting by inclusion changes what two decimals show."""
        weighted, plain = self.share.weighted, self.share.unweighted
        return weighted is not None and plain is not None and f"{weighted:.2f}" != f"{plain:.2f}"


def by_method(observations: Iterable[Observation], table: Calibration) -> list[MethodRow]:
    """The methods that claim something, in the order of the review page."""
    rows = _grouped(observations, table, lambda each: each.method, lambda key: words.METHODS.get(key, key))
    order = list(words.METHODS)
    return sorted(rows, key=lambda row: order.index(row.key) if row.key in order else len(order))


def by_field(observations: Iterable[Observation], table: Calibration, method: str) -> list[MethodRow]:
    """The fields of one method, those with the most labels first."""
    its = [each for each in observations if each.method == method]
    rows = _grouped(its, table, lambda each: each.node_path[-1], str)
    return sorted(rows, key=lambda row: (-row.share.labels, row.key))


def _grouped(
    observations: Iterable[Observation], table: Calibration, key: Callable[[Observation], str], name: Callable[[str], str]
) -> list[MethodRow]:
    groups: dict[str, list[Observation]] = {}
    for each in judged(observations):
        if each.claims:
            groups.setdefault(key(each), []).append(each)
    return [_row(group, name(group), its, table) for group, its in groups.items()]


def _row(key: str, name: str, its: Sequence[Observation], table: Calibration) -> MethodRow:
    share = weighted_share([(each, bool(each.is_used)) for each in its])
    shown = sum(table.confidence(each.node_path, each.score) for each in its) / len(its)
    return MethodRow(key, name, share, shown, _verdict(share, shown))


def _verdict(share: Share, shown: float) -> Badge:
    if share.labels < FEWEST:
        return Badge("Cannot tell yet", f"Under {FEWEST} labels", "unsure", "unsure")
    if share.unweighted_interval.low <= shown <= share.unweighted_interval.high:
        return Badge("Holds", "Inside the interval of what was right", "good", "check")
    off = shown - (share.unweighted or 0)
    return Badge(f"Too {'high' if off > 0 else 'low'} by {abs(off):.2f}", "Outside the interval of what was right", "warn", "differs")
