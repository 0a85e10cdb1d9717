"""TreeBeta, the calibrator: labels in, a table of confidences with intervals out."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from attribution.calibration.distributions import LEVEL, beta_quantile, log_beta
from attribution.calibration.observation import Observation, judged
from attribution.confidence import Calibration, Path, read_calibration
from attribution.model import Word

# The tree of labels: rule, type of field, field; and the two passes that let each node borrow from its relatives.

_LEAST_PRIOR, _MOST_PRIOR = 0.05, 0.97
"""A rule's score is no probability: as a prior mean it is kept away from certainty."""

_LEAST_MEAN, _MOST_MEAN = 0.001, 0.999
_LEAST_COUNT = 1e-3
_LEAST_EFFECTIVE = 0.33
_MOST_SPREAD = 0.75


class Labelled(NamedTuple):
    """A label for the tree: where its row stands, the row's score, and whether the answer draws on the field."""

    path: Path
    score: float
    is_used: bool


Beta = tuple[float, float]
"""A beta distribution by its two counts of pseudo-labels, a and b: a plain tuple, for a fit makes tens of thousands."""


class Level(NamedTuple):
    """The nodes of one depth, each with the number of its parent in the level above.

    ``places`` gives the number of each path. Leaves of one parent with the same labels are one node, ``times`` as many: what holds
    for one holds for all, and there are far fewer to work out.
    """

    places: Mapping[Path, int]
    parents: tuple[int, ...]
    times: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tree:
    """Levels from the rules down to the leaves; (right, labels) of each leaf; the prior mean of each rule; the labels by path."""

    levels: tuple[Level, ...]
    leaves: tuple[tuple[float, float], ...]
    priors: tuple[float, ...]
    counts: Mapping[Path, tuple[int, int]]


class Passed(NamedTuple):
    """A tree after both passes: prior and posterior of each node by level, and the log likelihood of each leaf given the others."""

    priors: tuple[tuple[Beta, ...], ...]
    posteriors: tuple[tuple[Beta, ...], ...]
    likelihood: float


def grow(labels: Iterable[Labelled]) -> Tree:
    """The tree of some labels, which have paths of one length; at least one label."""
    counts: dict[Path, list[int]] = {}
    scores: dict[Path, list[float]] = {}
    for path, score, is_used in sorted(labels):
        count = counts.setdefault(path, [0, 0])
        count[0] += is_used
        count[1] += 1
        scores.setdefault(path[:1], []).append(score)
    priors = tuple(clip(sum(its) / len(its), _LEAST_PRIOR, _MOST_PRIOR) for its in scores.values())
    by_path = {path: (right, number) for path, (right, number) in counts.items()}
    levels: list[Level] = []
    for length in range(1, len(next(iter(counts)))):
        levels.append(_inner(tuple(dict.fromkeys(path[:length] for path in counts)), levels))
    leaves, alike = _leaves(by_path, levels)
    return Tree((*levels, leaves), alike, priors, by_path)


def _inner(paths: tuple[Path, ...], above: Sequence[Level]) -> Level:
    parents = tuple(above[-1].places[path[:-1]] for path in paths) if above else ()
    return Level({path: number for number, path in enumerate(paths)}, parents, (1,) * len(paths))


def _leaves(counts: Mapping[Path, tuple[int, int]], above: Sequence[Level]) -> tuple[Level, tuple[tuple[float, float], ...]]:
    """The leaves, those that are alike once; rules that are leaves are never alike, for each has a prior of its own."""
    kinds: dict[tuple[int, int, int], int] = {}
    places: dict[Path, int] = {}
    for path, (right, number) in counts.items():
        parent = above[-1].places[path[:-1]] if above else len(kinds)
        places[path] = kinds.setdefault((parent, right, number), len(kinds))
    times = Counter(places.values())
    level = Level(places, tuple(parent for parent, _, _ in kinds), tuple(times[place] for place in range(len(kinds))))
    return level, tuple((float(right), float(number)) for _, right, number in kinds)


def both_passes(tree: Tree, strengths: Sequence[float]) -> Passed:
    """Up with what each node tells its parent, down with what each node may expect.

    Up: a child with s of n right sends (w·s, w·n) with w = (k + 1)/(k + n), so never more than k + 1 pseudo-labels. Down: the prior of
    a child is its parent's posterior without the child's message, widened by the strength k of the level (see ``widened``).
    """
    counts, messages = _up(tree, strengths)
    priors: list[tuple[Beta, ...]] = []
    posteriors: list[tuple[Beta, ...]] = []
    for depth, level in enumerate(tree.levels):
        if depth:
            above = posteriors[-1]
            sent = zip(level.parents, messages[depth], strict=True)
            prior = [widened(_without(above[parent], message), strengths[depth]) for parent, message in sent]
        else:
            prior = [(strengths[0] * mean, strengths[0] * (1 - mean)) for mean in tree.priors]
        priors.append(tuple(prior))
        posteriors.append(tuple([(a + s, b + n - s) for (a, b), (s, n) in zip(prior, counts[depth], strict=True)]))
    gains = zip(tree.levels[-1].times, priors[-1], posteriors[-1], strict=True)
    return Passed(tuple(priors), tuple(posteriors), sum(times * (log_beta(*after) - log_beta(*before)) for times, before, after in gains))


def widened(parent: Beta, strength: float) -> Beta:
    """Return the prior of a node's child that has no labels yet.

    Its mean m is the parent's; its variance that of a child around the mean, m(1−m)/(k+1), and the parent's own together, at most
    three quarters of m(1−m). Both as the counts of one beta distribution.
    """
    a, b = parent
    mean = clip(a / (a + b), _LEAST_MEAN, _MOST_MEAN)
    share = min(1 / (strength + 1) + 1 / (a + b + 1), _MOST_SPREAD)
    effective = max(1 / share - 1, _LEAST_EFFECTIVE)
    return effective * mean, effective * (1 - mean)


def clip(value: float, least: float, most: float) -> float:
    """The value, or the bound that it is beyond."""
    return min(max(value, least), most)


Pairs = list[tuple[float, float]]


def _up(tree: Tree, strengths: Sequence[float]) -> tuple[list[Pairs], list[Pairs]]:
    """(right, labels) as each node hears of them, and what it passes on, by level."""
    depth = len(tree.levels)
    counts: list[Pairs] = [[] for _ in range(depth)]
    messages: list[Pairs] = [[] for _ in range(depth)]
    counts[-1] = list(tree.leaves)
    for below in range(depth - 1, 0, -1):
        strength = strengths[below]
        weights = [(strength + 1) / (strength + max(n, 1.0)) for _, n in counts[below]]
        messages[below] = [(s * weight, n * weight) for (s, n), weight in zip(counts[below], weights, strict=True)]
        counts[below - 1] = _summed(messages[below], tree.levels[below], len(tree.levels[below - 1].parents) or len(tree.priors))
    return counts, messages


def _summed(messages: Pairs, level: Level, number: int) -> Pairs:
    right, labels = [0.0] * number, [0.0] * number
    for parent, times, (s, n) in zip(level.parents, level.times, messages, strict=True):
        right[parent] += times * s
        labels[parent] += times * n
    return list(zip(right, labels, strict=True))


def _without(parent: Beta, message: tuple[float, float]) -> Beta:
    """The parent's posterior as it would be without one child."""
    (a, b), (s, n) = parent, message
    return max(a - s, _LEAST_COUNT), max(b - (n - s), _LEAST_COUNT)


def counts_by_node(tree: Tree) -> Mapping[Path, tuple[int, int]]:
    """Return how many labels each node has, all below it counted in full, and how many of them were right."""
    counted: dict[Path, tuple[int, int]] = {}
    for path, (right, labels) in tree.counts.items():
        for length in range(1, len(path) + 1):
            before = counted.get(path[:length], (0, 0))
            counted[path[:length]] = (before[0] + right, before[1] + labels)
    return counted


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
