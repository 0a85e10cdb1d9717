"""Turn a score into a confidence by labels: a confidence with its interval, and the counts that explain it."""

from __future__ import annotations

from typing import NamedTuple


class Counted(NamedTuple):
    """The labels of a node of the calibration, and how many of them say that the answer draws on the field."""

    node: str
    right: int
    labels: int


class Estimate(NamedTuple):
    """A confidence and the bounds of its 90% interval, all probabilities; what it was learned from.

    ``counted`` goes from the rule by the type of field to the field itself, as far down as there are labels. ``prior`` is what
    the rows like this one led to expect before the labels of the last node counted were seen, and ``worth`` how many labels that
    expectation counts as much as.
    """

    confidence: float
    low: float
    high: float
    counted: tuple[Counted, ...]
    prior: float
    worth: float
