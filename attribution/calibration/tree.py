"""The tree of labels: rule, type of field, field; and the two passes that let each node borrow from its relatives.

A beta-binomial model with a strength for each level (Kleinman 1973 for the weights). Every label is used once for each estimate:
on the way down a node's prior is its parent without the node's own message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution.calibration.distributions import log_beta
from attribution.confidence import Path

_LEAST_PRIOR, _MOST_PRIOR = 0.05, 0.97
"""A rule's score is no probability: as a prior mean it is kept away from certainty."""

_LEAST_MEAN, _MOST_MEAN = 0.001, 0.999
_LEAST_COUNT = 1e-3
_LEAST_STRENGTH = 0.33
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
    effective = max(1 / share - 1, _LEAST_STRENGTH)
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
