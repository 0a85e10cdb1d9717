"""Drift: alarms that may be looked at after every conversation, a false one at most with probability α, ever; and a table shifted after it.

An e-process bets against what is claimed; while the claim holds no betting pays, so its wealth reaches 1/α with a probability of
at most α (Ville 1939; Ramdas, Grünwald, Vovk and Shafer 2023). Each conversation is one bet, with the mean over its rows: what
comes in bursts within a conversation would else be counted several times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from attribution.calibration.distributions import LEVEL, two_sided
from attribution.calibration.evaluation import cross_validated
from attribution.calibration.logistic import Case, fit_logistic, logistic, logit
from attribution.calibration.observation import LEAST, Observation, gain, judged, surprise
from attribution.calibration.tree_beta import Node, State, TreeBeta, state_of
from attribution.confidence import Path

_MULTIPLES = (1.25, 1.5, 2.0, 3.0, 5.0)
"""The rates that are bet on, as multiples of the one claimed."""

_ODDS = (1.5, 2.0, 3.0, 5.0)
"""The odds of an error that are bet on, as multiples of those claimed."""

TOLERANCE = 0.03
"""How far below its confidence a precision may be before that is drift: a probability."""

_RICHEST = 1e300
_LEAST_CLAIM = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class _Bets:
    """Several bets against what is claimed, whose mean wealth is the evidence. ``seen`` counts conversations.

    Immutable, and all of it is JSON, so that it can be kept between two conversations.
    """

    wealths: tuple[float, ...]
    seen: int = 0

    @property
    def evidence(self) -> float:
        """The mean wealth, which no unit has: 1 says nothing, 100 is an alarm at α = 0.01."""
        return min(_RICHEST, math.fsum(self.wealths) / len(self.wealths))

    def is_alarmed(self, alpha: float) -> bool:
        """Return True if the evidence has reached 1/α."""
        return self.evidence >= 1 / alpha

    def _times(self, factors: Iterable[float]) -> tuple[float, ...]:
        """The wealths after one more round."""
        return tuple(min(_RICHEST, wealth * factor) for wealth, factor in zip(self.wealths, factors, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class RateMonitor(_Bets):
    """Bets that a rate is above ``rate``, the highest that is still right."""

    rate: float

    def after(self, value: float) -> RateMonitor:
        """After one more conversation, of which ``value`` from 0 to 1 is the mean over its rows.

        The factor of the bet on q is 1 + (q − r)/(r(1 − r))·(value − r), whose mean is at most 1 while the rate is at most r.
        """
        if not 0 <= value <= 1:
            raise ValueError(f"the mean of a conversation is from 0 to 1, and {value} is not")
        rate = self.rate
        factors = [1 + (bet - rate) / (rate * (1 - rate)) * (value - rate) for bet in _rates_above(rate)]
        return replace(self, wealths=self._times(factors), seen=self.seen + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class PrecisionMonitor(_Bets):
    """Bets that fields are drawn on less often than their confidences say, less a tolerance."""

    tolerance: float

    def after(self, labels: Sequence[tuple[float, bool]]) -> PrecisionMonitor:
        """After the audit labels of one more conversation: the confidence given beforehand, and whether the field is drawn on.

        The factor is q/p where it is and (1 − q)/(1 − p) where not, with p the confidence less the tolerance and q that with odds of
        an error some times as high; the mean of it over the labels of the conversation. Without labels nothing changes.
        """
        if not labels:
            return self
        factors = [
            math.fsum(_factor(confidence - self.tolerance, odds, used) for confidence, used in labels) / len(labels) for odds in _ODDS
        ]
        return replace(self, wealths=self._times(factors), seen=self.seen + 1)


def watch(rate: float) -> RateMonitor:
    """A monitor of a rate that should not rise above ``rate``, above 0 and below 1. For one that should not fall feed 1 − value."""
    if not 0 < rate < 1:
        raise ValueError(f"a rate to watch is above 0 and below 1, and {rate} is not")
    return RateMonitor(rate=rate, wealths=(1.0,) * len(_MULTIPLES))


def watch_precision(tolerance: float = TOLERANCE) -> PrecisionMonitor:
    """A monitor of all confidences of a profile together, which may be too high by ``tolerance`` and no more."""
    return PrecisionMonitor(tolerance=tolerance, wealths=(1.0,) * len(_ODDS))


def _rates_above(rate: float) -> list[float]:
    """The rates bet on, none beyond the middle between the one claimed and 1."""
    return [min(times * rate, (1 + rate) / 2) for times in _MULTIPLES]


def _factor(claimed: float, odds: float, used: bool) -> float:  # noqa: FBT001  # one of a pair that comes as it is
    """The likelihood of a label under a bet over that under the claim; 1 where hardly anything is claimed."""
    if claimed <= _LEAST_CLAIM:
        return 1.0
    claimed = min(claimed, 1 - _LEAST_CLAIM)
    bet = 1 / (1 + odds * (1 - claimed) / claimed)
    return bet / claimed if used else (1 - bet) / (1 - claimed)


# After a change of model, prompt or schema: the old table, shifted by what few new labels say.

FEWEST_LABELS = 50
"""From so many labels of the new combination on a table may be transferred."""

_PRECISION = 4.0
"""Shifts are normal around 0 with a standard deviation of 0.5 in log odds."""

_DECIMALS = 4


@dataclass(frozen=True, slots=True)
class Shift:
    """By how much confidences move, in log odds: for all rules, and for each rule besides.

    ``errors`` are the standard errors of both together by rule, ``error`` is that of the shift of all. ``labels`` is how many ask for it.
    """

    of_all: float
    by_rule: Mapping[str, float]
    error: float
    errors: Mapping[str, float]
    labels: int = 0

    def of(self, rule: str) -> tuple[float, float]:
        """The shift of a rule, and its standard error."""
        return self.of_all + self.by_rule.get(rule, 0.0), self.errors.get(rule, math.hypot(self.error, 1 / math.sqrt(_PRECISION)))

    def document(self) -> dict[str, Any]:
        """As JSON values, for the record of a table that was shifted."""
        return {"labels": self.labels, "of_all": self.of_all, "by_rule": dict(self.by_rule)}


def estimate_shift(forecasts: Iterable[tuple[float, str, bool]]) -> Shift:
    """The shift that new labels (old confidence, rule, drawn on) ask for: logit p' = logit p + d + d_rule, both shrunk towards 0.

    The mode of the posterior by Newton's method; of no labels no shift.
    """
    known = list(forecasts)
    rules = sorted({rule for _, rule, _ in known})
    places = {rule: number for number, rule in enumerate(rules, 1)}
    cases = [Case(_known_of(places[rule], len(rules) + 1), logit(_inside(old)), is_used) for old, rule, is_used in known]
    fitted = fit_logistic(cases, [_PRECISION] * (len(rules) + 1))
    if fitted is None:
        raise ArithmeticError("a shift that is held by its prior has a likeliest value")
    covariance = fitted.covariance
    errors = {rule: math.sqrt(covariance[0][0] + covariance[at][at] + 2 * covariance[0][at]) for rule, at in places.items()}
    shifts = {rule: fitted.coefficients[at] for rule, at in places.items()}
    return Shift(fitted.coefficients[0], shifts, math.sqrt(covariance[0][0]), errors, len(known))


def transfer(old: TreeBeta, observations: Iterable[Observation]) -> TreeBeta:
    """The old table with all its nodes shifted, and intervals widened by what is not known of the shift.

    Raises ``ValueError`` for a table without nodes and for fewer than 50 labels on rows that the table has an estimate for.
    """
    shift = shift_between(old, observations)
    if old.state is State.PROVISIONAL or shift.labels < FEWEST_LABELS:
        raise ValueError(f"a transfer needs a table and {FEWEST_LABELS} labels on what it knows, and there are {shift.labels}")
    return _moved(old, shift)


def shift_between(old: TreeBeta, observations: Iterable[Observation]) -> Shift:
    """The shift from an old table to what labels on rows that it has an estimate for say."""
    nodes = {node.path: node for node in old.nodes}
    known = [(node, each) for each in judged(observations) if (node := _node_of(each, nodes))]
    return estimate_shift((node.confidence, node.path[0], bool(each.is_used)) for node, each in known)


def shifted_table(old: TreeBeta, observations: Iterable[Observation]) -> TreeBeta:
    """Return a shifted table however few the labels are: for cross-validation, where a part of the labels represents all of them."""
    return _moved(old, shift_between(old, observations))


def is_refit_better(old: TreeBeta, observations: Iterable[Observation]) -> bool:
    """Return True if the new labels alone make a better table than the old one shifted by them, by more than one standard error.

    Log loss by cross-validation over conversations. Never with fewer labels than a table of its own needs.
    """
    known = judged(observations)
    if state_of(len(known)) is State.PROVISIONAL:
        return False
    gained = gain(cross_validated(known, make=lambda labels: shifted_table(old, labels))[1], cross_validated(known)[1], surprise)
    return gained is not None and gained.error is not None and gained.value > gained.error


def _moved(old: TreeBeta, shift: Shift) -> TreeBeta:
    return replace(old, nodes=tuple(_shifted(node, *shift.of(node.path[0])) for node in old.nodes))


def _node_of(observation: Observation, nodes: Mapping[Path, Node]) -> Node | None:
    path = observation.node_path
    return next((nodes[path[:length]] for length in range(len(path), 0, -1) if path[:length] in nodes), None)


def _known_of(place: int, size: int) -> tuple[float, ...]:
    return tuple(float(each in {0, place}) for each in range(size))


def _inside(probability: float) -> float:
    return min(max(probability, LEAST), 1 - LEAST)


def _shifted(node: Node, shift: float, error: float) -> Node:
    """Bounds move with the mean; their distances from it and the reach of the shift's own error add up as squares do."""
    middle, reach = logit(_inside(node.confidence)), two_sided(LEVEL) * error
    below, above = middle - logit(_inside(node.low)), logit(_inside(node.high)) - middle
    moved = middle + shift
    bounds = (moved - math.hypot(below, reach), moved, moved + math.hypot(above, reach))
    low, confidence, high = (round(logistic(each), _DECIMALS) for each in bounds)
    return replace(node, low=low, confidence=confidence, high=high)
