"""Alarms that may be looked at after every conversation: rarely false, whatever comes in bursts; soon after a change."""

from __future__ import annotations

import random
from collections.abc import Iterable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.calibration import RateMonitor, watch, watch_precision
from tests.attribution.calibration.labels import seeded

ALPHA = 0.05


def first_alarm(monitor: RateMonitor, values: Iterable[float], alpha: float = ALPHA) -> int | None:
    for number, value in enumerate(values, 1):
        monitor = monitor.after(value)
        if monitor.is_alarmed(alpha):
            return number
    return None


def bursts(chance: random.Random, rate: float, count: int) -> list[float]:
    """The means of conversations of ten rows: half of what goes wrong comes in conversations that go wrong altogether."""
    alone = rate / 2 / (1 - rate / 2)
    return [1.0 if chance.random() < rate / 2 else sum(chance.random() < alone for _ in range(10)) / 10 for _ in range(count)]


@given(st.floats(0.001, 0.999), st.lists(st.floats(0, 1), max_size=20))
def test_no_bet_pays_on_average_while_the_rate_holds(rate: float, before: list[float]) -> None:
    monitor = watch(rate)
    for value in before:
        monitor = monitor.after(value)
    expected = (1 - rate) * monitor.after(0.0).evidence + rate * monitor.after(1.0).evidence
    assert expected <= monitor.evidence * (1 + 1e-9)
    assert monitor.evidence >= 0


@given(st.lists(st.tuples(st.floats(0.1, 1), st.booleans()), max_size=8), st.floats(0.1, 1))
def test_no_bet_on_precision_pays_while_confidences_hold(before: list[tuple[float, bool]], confidence: float) -> None:
    monitor = watch_precision(0.03).after(before)
    truth = min(1.0, confidence - 0.03)
    expected = truth * monitor.after([(confidence, True)]).evidence + (1 - truth) * monitor.after([(confidence, False)]).evidence
    assert expected <= monitor.evidence * (1 + 1e-9)


def test_the_evidence_is_the_mean_of_bets_on_five_rates() -> None:
    values, rate = [1.0, 0.0, 0.5, 1.0], 0.1
    bets = np.minimum(np.array([1.25, 1.5, 2, 3, 5]) * rate, (1 + rate) / 2)
    expected = np.prod([1 + (bets - rate) / (rate * (1 - rate)) * (value - rate) for value in values], axis=0).mean()
    monitor = watch(rate)
    for value in values:
        monitor = monitor.after(value)
    assert monitor.evidence == pytest.approx(expected, abs=1e-9)
    assert monitor.seen == 4


def false_alarms(streams: int, length: int, *, precision: bool = False) -> int:
    """Of so many streams in which nothing is wrong, how many raise an alarm at any time."""
    alarms = 0
    for seed in range(streams):
        chance = seeded(seed)
        if precision:
            alarms += _precision_alarm(chance, length)
        else:
            alarms += first_alarm(watch(0.09), bursts(chance, 0.09, length)) is not None
    return alarms


def _precision_alarm(chance: random.Random, length: int) -> bool:
    """Confidences are too high by the tolerance, and right or wrong go together within a conversation."""
    monitor = watch_precision(0.03)
    for _ in range(length):
        confidence, drawn = 0.7 + 0.25 * chance.random(), chance.random()
        monitor = monitor.after([(confidence, drawn < confidence - 0.03)] * 5)
        if monitor.is_alarmed(ALPHA):
            return True
    return False


@pytest.mark.parametrize("precision", [False, True])
def test_false_alarms_are_rare_however_often_one_looks(precision: bool) -> None:  # noqa: FBT001  # a parameter
    assert false_alarms(120, 300, precision=precision) <= 120 * ALPHA + 3 * (120 * ALPHA * (1 - ALPHA)) ** 0.5


@pytest.mark.exhaustive
@pytest.mark.parametrize("precision", [False, True])
def test_false_alarms_are_rare_over_a_thousand_streams(precision: bool) -> None:  # noqa: FBT001  # a parameter
    assert false_alarms(1_000, 1_000, precision=precision) <= 1_000 * ALPHA


def test_a_rate_that_rises_is_noticed() -> None:
    chance = seeded(1)
    noticed = first_alarm(watch(0.02), (float(chance.random() < 0.08) for _ in range(2_000)), 0.01)
    assert noticed is not None
    assert noticed < 400


def _coins(chance: random.Random, rate: float) -> Iterable[float]:
    return (float(chance.random() < rate) for _ in range(3_000))


def test_precision_that_falls_is_noticed() -> None:
    chance, monitor = seeded(3), watch_precision()
    for _ in range(400):
        monitor = monitor.after([(0.9, chance.random() < 0.7)])
    assert monitor.is_alarmed(0.01)
    assert monitor.seen == 400


def test_without_labels_nothing_changes_and_small_confidences_claim_nothing() -> None:
    monitor = watch_precision()
    assert monitor.after([]) == monitor
    assert monitor.after([(0.04, False)] * 50).evidence == pytest.approx(1)


def test_wealth_has_an_end() -> None:
    monitor = watch(0.001)
    for _ in range(2_000):
        monitor = monitor.after(1.0)
    assert 1e299 < monitor.evidence <= 1e300
    assert monitor.after(1.0).evidence <= 1e300


@pytest.mark.parametrize("rate", [0, 1, -0.2])
def test_a_rate_to_watch_lies_inside(rate: float) -> None:
    with pytest.raises(ValueError, match="above 0 and below 1"):
        watch(rate)


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_conversation_has_a_share(value: float) -> None:
    with pytest.raises(ValueError, match="from 0 to 1"):
        watch(0.1).after(value)
