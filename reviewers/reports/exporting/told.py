"""What a report tells of one answer: rows, sources, findings. Offsets are code points of the answer's clean text."""

from __future__ import annotations

from typing import Any

from msgspec import Struct


class Excerpt(Struct, frozen=True, gc=False):
    """A part of the clean text: from where to where, and the words."""

    start: int
    end: int
    text: str


class Said(Struct, frozen=True, gc=False):
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


class Row(Struct, frozen=True, gc=False):
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
    said: tuple[Said, ...]


class Cited(Struct, frozen=True, gc=False):
    """One citation of a source: the words it stands for, how it was made, and what was checked of it."""

    status: str
    written: str
    claim: Excerpt | None
    quote: str
    failures: tuple[str, ...]
    checks: tuple[str, ...]
    said: tuple[Said, ...]


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
    citations: tuple[Cited, ...]


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
