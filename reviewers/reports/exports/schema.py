"""What a report tells of one answer: rows, sources, findings. Offsets are code points of the answer's clean text."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Excerpt(Struct, frozen=True, gc=False):
    """A part of the clean text: from where to where, and the words."""

    start: int
    end: int
    text: str


class ReportedLabel(Struct, frozen=True, gc=False):
    """What a reviewer said of a row or a citation.

    ``label`` names the record of it; ``reason`` says why it was changed after submission.
    """

    label: str
    reviewer: str
    verdict: str
    note: str
    said_at: str
    reason: str


class Contradicted(Struct, frozen=True, gc=False):
    """The answer gives another value than the record."""

    recorded: str
    stated: str
    trace: str
    spans: tuple[Excerpt, ...]


class FieldRow(Struct, frozen=True, gc=False):
    """A field of the record with what was found of it. ``footnote`` is its number in the answer, if the answer cites it.

    ``confidence`` stands between ``low`` and ``high`` where labels stand behind it; else it repeats ``score``. ``is_seeded`` says that
    its plan showed it as found though it is not.
    """

    footnote: int | None
    section: str
    path: str
    value: Any
    value_text: str
    type: str
    track: str
    method: str
    rule: str
    score: float
    confidence: float
    low: float | None
    high: float | None
    trace: str
    spans: tuple[Excerpt, ...]
    claims: tuple[Excerpt, ...]
    contradiction: Contradicted | None
    is_hidden: bool
    is_seeded: bool
    said: tuple[ReportedLabel, ...]


class ReportedCitation(Struct, frozen=True, gc=False):
    """One citation of a source: the words it stands for, how it was made, and what was checked of it."""

    status: str
    written: str
    claim: Excerpt | None
    quote: str
    failures: tuple[str, ...]
    checks: tuple[str, ...]
    said: tuple[ReportedLabel, ...]


class Document(Struct, frozen=True, gc=False):
    """A source that the answer cites or that was attached to it. ``footnote`` is its number, where it has a place in the answer."""

    footnote: int | None
    id: str
    title: str
    address: str
    kind: str
    published_at: str
    tier: str
    trust: float
    citations: tuple[ReportedCitation, ...]


class Grounds(Struct, frozen=True, gc=False):
    """How well the answer is covered by citations, and how far its sources are to be trusted."""

    validity: str
    validity_reason: str
    trust: str
    trust_reason: str
    abstention_reason: str
    source_count: int


class Remark(Struct, frozen=True, gc=False):
    """What a reviewer wrote to a finding."""

    reviewer: str
    note: str
    at: str


class Found(Struct, frozen=True, gc=False):
    """What a guardrail found, or what is wrong with a citation. ``about`` names the field or the source."""

    code: str
    message: str
    about: str
    remarks: tuple[Remark, ...]


# What a report tells of labels taken together: decisions, agreement, calibration.


class ReportedDecision(Struct, frozen=True):
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
