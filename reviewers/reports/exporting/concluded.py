"""What a report tells of labels taken together: decisions, agreement, calibration."""

from __future__ import annotations

from msgspec import Struct


class Decided(Struct, frozen=True):
    """What became of a row that several people have labelled.

    ``outcome`` is *decided*, *conflict* or *undecidable*; a conflict has no verdict yet. ``by`` is the lead who decided, with moment and
    reason; where the labels alone decide, by the plan's rule, there is none of the three.
    """

    id: str
    kind: str
    name: str
    outcome: str
    verdict: str
    rule: str
    by: str
    at: str
    reason: str
    round: int


class Figure(Struct, frozen=True):
    """A coefficient of agreement with its interval; nothing where it cannot be told."""

    name: str
    value: float | None
    low: float | None
    high: float | None


class Agreed(Struct, frozen=True):
    """How far reviewers agree on some rows, so many of which two or more have judged. Of too few there are no figures."""

    what: str
    rows: int
    figures: tuple[Figure, ...]


class Group(Struct, frozen=True):
    """Labels of one confidence: the share that was right, and where chance alone would put it."""

    confidence: float
    right: float
    labels: int
    low: float
    high: float
    is_inside: bool


class Calibrated(Struct, frozen=True):
    """The combination that so many answers come from, with the profile they were shown under and how that stands by now.

    ``state`` is *uncalibrated*, or *active*, *retired* and so on of the profile; ``reason`` says why it was retired. ``groups`` are what
    its confidences came to on labels it was not made from.
    """

    model: str
    prompt: str
    schema: str
    engine: str
    profile: str
    answers: int
    state: str
    labels: int = 0
    approved_by: str = ""
    approved_at: str = ""
    retired_by: str = ""
    retired_at: str = ""
    reason: str = ""
    groups: tuple[Group, ...] = ()
