"""TreeBeta, the calibrator: labels in, a table of confidences with intervals out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from attribution.calibration.distributions import LEVEL, beta_quantile
from attribution.calibration.observation import Observation, judged
from attribution.calibration.tree import Beta, Labelled, Passed, Tree, both_passes, counts_by_node, grow, widened
from attribution.confidence import Calibration, Path, read_calibration
from attribution.model import Word

DEFAULT_STRENGTHS = (8.0, 16.0, 12.0)
"""How many labels a prior counts as much as, by level: rule, type, field."""

FEWEST_LABELS = 100
FEWEST_FOR_FIELDS = 200

_GRID = (2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0)
_SWEEPS = 2
_SCALES = (0.35, 0.6, 1.0, 1.7, 2.8)
"""The strengths are not known well: fits at these multiples of them are mixed."""

_DECIMALS = 4
_LEAST_VARIANCE = 1e-7
_LEAST_STRENGTH = 0.5


class State(Word):
    """The level that the labels reach: none, rules, or fields."""

    PROVISIONAL = "provisional"
    METHOD_ONLY = "method_only"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Node:
    """A node of the table. ``right`` of ``labels`` labels; the expectation before them and how many labels it is worth.

    ``low``, ``confidence`` and ``high`` are the 90% interval and the mean for a field here that has no node of its own below.
    """

    path: Path
    right: int
    labels: int
    prior: float
    worth: float
    confidence: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class TreeBeta:
    """The table learned from ``labels`` labels: nodes in the order of their paths, none while provisional."""

    state: State
    labels: int
    strengths: tuple[float, ...]
    nodes: tuple[Node, ...]

    @property
    def table(self) -> Calibration:
        """The table as an attribution looks it up."""
        return read_calibration({"calibrator": self.document()})

    def document(self) -> dict[str, Any]:
        """As JSON values, for a profile's calibration."""
        return {
            "kind": "tree_beta",
            "state": self.state.value,
            "labels": self.labels,
            "level": LEVEL,
            "strengths": list(self.strengths),
            "nodes": [_node_document(node) for node in self.nodes],
        }


def read_tree(document: Mapping[str, Any]) -> TreeBeta:
    """A calibrator out of what ``document`` made of it."""
    nodes = tuple(Node(**{**node, "path": tuple(node["path"])}) for node in document["nodes"])
    return TreeBeta(State(document["state"]), document["labels"], tuple(document["strengths"]), nodes)


class _Fit(NamedTuple):
    """One of the fits that are mixed, and its weight among them."""

    weight: float
    strengths: tuple[float, ...]
    passed: Passed


def state_of(labels: int) -> State:
    """Under 100 labels scores stay; up to 199 rules are calibrated; from 200 types and fields as well."""
    if labels < FEWEST_LABELS:
        return State.PROVISIONAL
    return State.METHOD_ONLY if labels < FEWEST_FOR_FIELDS else State.FULL


def fit(observations: Iterable[Observation], state: State | None = None) -> TreeBeta:
    """The calibrator of some labels, on found and unfound fields both; what nobody could judge is left out.

    Another ``state`` is given where a part of the labels represents all of them, as in cross-validation.
    No labels, labels of one kind only and a single one are fitted as any others are: they are provisional, or the prior holds
    against them.
    """
    known = judged(observations)
    state = state or state_of(len(known))
    if state is State.PROVISIONAL or not known:
        return TreeBeta(state, len(known), DEFAULT_STRENGTHS, ())
    depth = 1 if state is State.METHOD_ONLY else len(DEFAULT_STRENGTHS)
    strengths, nodes = fit_labels([Labelled(each.node_path[:depth], each.score, bool(each.is_used)) for each in known])
    return TreeBeta(state, len(known), strengths, nodes)


def fit_labels(labels: Sequence[Labelled]) -> tuple[tuple[float, ...], tuple[Node, ...]]:
    """The strengths chosen and the nodes, whatever the number of labels; nothing of none.

    Where the tree has all its levels the strengths are those on a grid that make each leaf likeliest given all the others, with a
    log-normal prior around the defaults; rules alone keep the default.
    """
    if not labels:
        return DEFAULT_STRENGTHS, ()
    tree = grow(labels)
    depth = len(tree.levels)
    strengths = _chosen(tree) if depth == len(DEFAULT_STRENGTHS) else DEFAULT_STRENGTHS[:depth]
    fits = _fits(tree, strengths)
    counts = counts_by_node(tree)
    nodes = [node for level in range(depth) for node in _nodes(tree, level, fits, counts)]
    return strengths, tuple(sorted(nodes, key=lambda node: node.path))


def _chosen(tree: Tree) -> tuple[float, ...]:
    """Coordinate search: each strength in turn takes the best of the grid, twice over."""
    strengths: tuple[float, ...] = DEFAULT_STRENGTHS
    objectives: dict[tuple[float, ...], float] = {}
    for level in [*range(len(strengths))] * _SWEEPS:
        for each in [(*strengths[:level], one, *strengths[level + 1 :]) for one in _GRID]:
            if each not in objectives:
                objectives[each] = round(both_passes(tree, each).likelihood + _log_prior(each), 9)
        strengths = max(objectives, key=lambda each: objectives[each])
    return strengths


def _log_prior(strengths: Sequence[float]) -> float:
    """Strengths are log-normal around the defaults, with a standard deviation of 1."""
    return -sum(math.log(each / usual) ** 2 for each, usual in zip(strengths, DEFAULT_STRENGTHS, strict=False)) / 2


def _fits(tree: Tree, strengths: Sequence[float]) -> list[_Fit]:
    """The fits at several multiples of the strengths, each weighing as much as its objective says."""
    scaled = [tuple(scale * each for each in strengths) for scale in _SCALES]
    passed = [both_passes(tree, each) for each in scaled]
    objectives = [each.likelihood + _log_prior(its) for each, its in zip(passed, scaled, strict=True)]
    weights = [math.exp(each - max(objectives)) for each in objectives]
    return [_Fit(weight / sum(weights), its, each) for weight, its, each in zip(weights, scaled, passed, strict=True)]


def _nodes(tree: Tree, level: int, fits: Sequence[_Fit], counts: Mapping[Path, tuple[int, int]]) -> list[Node]:
    """The nodes of one level."""
    places = tree.levels[level].places
    shares = [_shares(number, level, fits) for number in range(max(places.values()) + 1)]
    return [Node(path, *counts[path], *shares[number]) for path, number in places.items()]


def _shares(number: int, level: int, fits: Sequence[_Fit]) -> tuple[float, float, float, float, float]:
    """Prior, its worth, confidence and bounds of a node."""
    prior_a, prior_b = fits[_SCALES.index(1.0)].passed.priors[level][number]
    a, b = _mixed([(each.weight, _unseen(each, level, number)) for each in fits])
    side = (1 - LEVEL) / 2
    low, mean, high = beta_quantile(side, a, b), a / (a + b), beta_quantile(1 - side, a, b)
    low, high = min(low, mean), max(mean, high)  # a beta with most of its mass at one end may have its mean beyond a quantile
    prior, worth = prior_a / (prior_a + prior_b), prior_a + prior_b
    return round(prior, _DECIMALS), round(worth, _DECIMALS), round(mean, _DECIMALS), round(low, _DECIMALS), round(high, _DECIMALS)


def _unseen(each: _Fit, level: int, number: int) -> Beta:
    """Return the posterior of an unseen leaf below a node: the node's posterior, widened for each level in between."""
    below = each.passed.posteriors[level][number]
    for strength in each.strengths[level + 1 :]:
        below = widened(below, strength)
    return below


def _mixed(weighted: Sequence[tuple[float, Beta]]) -> Beta:
    """The beta distribution with the mean and the variance of a mixture of some."""
    mean = sum(weight * a / (a + b) for weight, (a, b) in weighted)
    square = sum(weight * a * (a + 1) / ((a + b) * (a + b + 1)) for weight, (a, b) in weighted)
    strength = max(mean * (1 - mean) / max(square - mean * mean, _LEAST_VARIANCE) - 1, _LEAST_STRENGTH)
    return strength * mean, strength * (1 - mean)


def _node_document(node: Node) -> dict[str, Any]:
    counts = {"path": list(node.path), "right": node.right, "labels": node.labels}
    return counts | {"prior": node.prior, "worth": node.worth, "confidence": node.confidence, "low": node.low, "high": node.high}
