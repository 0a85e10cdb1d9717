"""The parts of a reported answer: fields, sources and findings, and statistics over labels.

Offsets are code points of the answer's clean text.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Excerpt(Struct, frozen=True, gc=False):
    """A part of the clean text: its span and its words."""

    start: int
    end: int
    text: str


class ReportedLabel(Struct, frozen=True, gc=False):
    """A reviewer's label of a field or a citation. ``label`` is its identifier. ``reason`` says why it was changed after submission."""

    label: str
    reviewer: str
    verdict: str
    note: str
    said_at: str
    reason: str


class Contradicted(Struct, frozen=True, gc=False):
    """A contradiction: the answer states another value than the context."""

    recorded: str
    stated: str
    trace: str
    spans: tuple[Excerpt, ...]


class FieldRow(Struct, frozen=True, gc=False):
    """A field of the context with what was found of it. ``footnote`` is its number, if the answer cites it.

    ``confidence`` lies between ``low`` and ``high`` if labels support it; otherwise it repeats ``score``. ``is_seeded`` is true for a
    control row: the plan showed the field as found although it is not.
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


class ReportedJudgement(Struct, frozen=True, gc=False):
    """A model's judgement on a citation, with the sentence of the source that it rests on. ``words`` is all of it in a line."""

    verdict: str
    sentence: str
    refusal: str
    model: str
    at: str
    words: str


class ReportedCitation(Struct, frozen=True, gc=False):
    """A citation of a source: the words it supports, how it was written, the results of its checks, and a model's judgement, if any."""

    status: str
    written: str
    claim: Excerpt | None
    quote: str
    failures: tuple[str, ...]
    checks: tuple[str, ...]
    judged: ReportedJudgement | None
    said: tuple[ReportedLabel, ...]


class Document(Struct, frozen=True, gc=False):
    """A source that the answer cites, or that was attached to it. ``footnote`` is its number, if it has a place in the answer."""

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
    """The statements about all sources together: how well citations cover the answer, and how far the sources can be trusted."""

    validity: str
    validity_reason: str
    trust: str
    trust_reason: str
    abstention_reason: str
    source_count: int


class Remark(Struct, frozen=True, gc=False):
    """A flag with its note, or a comment. ``about`` says what else than a finding was flagged, and ``ending`` what came of a flag."""

    reviewer: str
    note: str
    at: str
    about: str = ""
    ended_by: str = ""
    ended_at: str = ""
    ending: str = ""


class ReportedClaim(Struct, frozen=True, gc=False):
    """Words of the answer that are not in the record, as reviewers say. They have no place if any of the answer was redacted."""

    place: Excerpt | None
    said: tuple[ReportedLabel, ...]


class ReportedFinding(Struct, frozen=True, gc=False):
    """A finding of a guardrail, or a problem of a citation. ``about`` names the field or the source.

    ``section`` and ``path`` are those of the field, if it is about one that can be named.
    """

    code: str
    message: str
    about: str
    remarks: tuple[Remark, ...]
    section: str = ""
    path: str = ""


class ReportedDecision(Struct, frozen=True):
    """The decision on a field, a citation or a claim that several people have reviewed.

    ``kind`` is *field*, *citation* or *claim*. A claim is named by its place among those of the answer, as in ``claim 1``. ``outcome`` is
    *decided*, *conflict* or *undecidable*; a conflict has no verdict yet. ``by``, ``at`` and ``reason`` are those of the lead who decided;
    they are empty if the plan's rule decides from the labels alone.
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
    """A coefficient of agreement with its interval, or None where it cannot be computed."""

    name: str
    value: float | None
    low: float | None
    high: float | None


class Agreed(Struct, frozen=True):
    """The agreement between reviewers on ``rows`` that two or more have judged. There are no figures if these are too few."""

    what: str
    rows: int
    figures: tuple[Figure, ...]


class Group(Struct, frozen=True):
    """The labels of one confidence: the share that was right, and the interval in which chance alone would put it."""

    confidence: float
    right: float
    labels: int
    low: float
    high: float
    is_inside: bool


class Calibrated(Struct, frozen=True):
    """A combination with its number of answers, the profile they were shown under, and the state of the profile now.

    ``state`` is *uncalibrated*, or *active*, *retired* and so on. ``reason`` says why the profile was retired. ``groups`` compare its
    confidences with labels that it was not made from.
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


class Counted(Struct, frozen=True):
    """A number of something, of how many answers, and the numbers that the first of these have in the report."""

    name: str
    count: int
    answers: int
    numbers: tuple[int, ...]


class Summary(Struct, frozen=True):
    """The figures of a report: its answers by what became of them, and its rows, labels, decisions and findings by kind.

    ``since`` and ``until`` are the moments of the first and the last answer. Control rows are not counted among the rows.
    """

    since: str = ""
    until: str = ""
    answers: tuple[Counted, ...] = ()
    fields: tuple[Counted, ...] = ()
    citations: tuple[Counted, ...] = ()
    decisions: tuple[Counted, ...] = ()
    findings: tuple[Counted, ...] = ()
    claims: tuple[Counted, ...] = ()
