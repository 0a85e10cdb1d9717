"""Rows of calibration pages: the nodes of a profile's table, figures by method and by field, and caps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attribution import DEFAULT_PROFILE
from attribution.calibration import Calibration, Interval, Observation, Share, judged, weighted_share, wilson
from reviewers.calibration import wording
from reviewers.calibration.cutoffs import is_long_text
from reviewers.review.masking.masks import mask_path
from reviewers.review.wording import Badge

FEW = 5
"""A node with fewer labels relies mostly on its relatives."""


@dataclass(frozen=True, slots=True)
class NodeRow:
    """A node of the table: its place in the tree, its counts, and its confidence with the interval."""

    number: int
    depth: int
    name: str
    right: int
    labels: int
    prior: float
    worth: float
    confidence: float
    low: float
    high: float


def nodes_of(record: Mapping[str, Any], *, masks_keys: bool = False) -> list[NodeRow]:
    """Return the nodes of a record, numbered in the order of their paths."""
    return [
        NodeRow(
            number=number,
            depth=len(node["path"]),
            name=wording.place_in_words(node["path"], masks_keys=masks_keys),
            **{name: node[name] for name in ("right", "labels", "prior", "worth", "confidence", "low", "high")},
        )
        for number, node in enumerate(record["calibrator"]["nodes"])
    ]


FEWEST = 20
"""The fewest labels of a row from which anybody can tell whether the number fits."""


@dataclass(frozen=True, slots=True)
class MethodRow:
    """A method or a field: its labels and conversations, the share used with its interval, and the mean number shown.

    The interval shown is Wilson's of the unweighted labels: over few, similar conversations the weighted one is too narrow.
    """

    key: str
    name: str
    share: Share
    shown: float
    verdict: Badge

    @property
    def is_weighted(self) -> bool:
        """True if weighting by inclusion changes the two decimals shown."""
        weighted, plain = self.share.weighted, self.share.unweighted
        return weighted is not None and plain is not None and f"{weighted:.2f}" != f"{plain:.2f}"


def by_method(observations: Iterable[Observation], table: Calibration) -> list[MethodRow]:
    """Return the methods that claim something, in the order of the review page."""
    rows = _grouped(observations, table, lambda each: each.method, lambda key: wording.METHODS.get(key, key))
    order = list(wording.METHODS)
    return sorted(rows, key=lambda row: order.index(row.key) if row.key in order else len(order))


def by_field(observations: Iterable[Observation], table: Calibration, method: str, *, masks_keys: bool = False) -> list[MethodRow]:
    """Return the fields of a method, those with the most labels first."""
    its = [each for each in observations if each.method == method]
    rows = _grouped(its, table, lambda each: each.node_path[-1], mask_path if masks_keys else str)
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


# Caps: upper limits of scores for rules that are not trusted further.


@dataclass(frozen=True, slots=True)
class Cap:
    """A cap, and the labels on rows that it limits: how many are right, with Wilson's 90% interval."""

    name: str
    present: float
    labels: int
    right: int
    interval: Interval

    @property
    def is_enough(self) -> bool:
        """True if there are enough labels to tell anything."""
        return self.labels >= FEWEST

    @property
    def share(self) -> float | None:
        """The share that is right, or None without labels."""
        return self.right / self.labels if self.labels else None


def list_caps(observations: Iterable[Observation]) -> Sequence[Cap]:
    """Return both caps of the engine."""
    thresholds, known = DEFAULT_PROFILE.thresholds, judged(observations)
    texts = [each for each in known if is_long_text(each) and not each.is_cited and each.score >= thresholds.summary_cap]
    common = [each for each in known if each.claims and each.is_ambiguous]
    return [
        _cap("Long texts of which the answer has many words", thresholds.summary_cap, texts),
        _cap("Common words, with nothing near them that tells which field is meant", thresholds.common_word_cap, common),
    ]


def _cap(name: str, present: float, its: Sequence[Observation]) -> Cap:
    right = sum(bool(each.is_used) for each in its)
    return Cap(name, present, len(its), right, wilson(right, len(its)))
