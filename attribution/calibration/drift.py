"""Alarms that may be looked at after every conversation: a false one at most with probability α, ever.

An e-process bets against what is claimed; while the claim holds no betting pays, so its wealth reaches 1/α with a probability of
at most α (Ville 1939; Ramdas, Grünwald, Vovk and Shafer 2023). Each conversation is one bet, with the mean over its rows: what
comes in bursts within a conversation would else be counted several times.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
