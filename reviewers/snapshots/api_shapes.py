"""What the API answers with, as its own document describes it."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from ninja import Field, Schema


class AttributionSummary(Schema):
    """What the engine found, in short."""

    profile: str
    engine: str
    source: str
    fields: int
    found: int
    cited: int
    guardrails: dict[str, int]
    digest: str


class WithheldAttribution(Schema):
    """An attribution that is kept back for now, and why, as while a blind review runs."""

    profile: str
    engine: str
    withheld: str


class DocumentsSummary(Schema):
    """What the engine found of citations of documents, in short: how many sources there are and how many are cited, issues by code."""

    sources: int
    cited: int
    issues: dict[str, int]
    validity: str
    trust: str
    digest: str


class SnapshotSummary(Schema):
    """A frozen record. ``documents`` is nothing where the record has none, nor anything that cites any, and where it is withheld."""

    id: UUID
    external_id: str
    url: str
    frozen_at: Annotated[str, Field(json_schema_extra={"format": "date-time"})]
    digest: str
    attribution: AttributionSummary | WithheldAttribution
    documents: DocumentsSummary | None


class Problem(Schema):
    """Why a record was not taken: the place in it, as a path, and the reason."""

    place: str
    reason: str


class Instruction(Schema):
    """Whether the organisation asks for citations, and the paragraph for the system prompt if it does."""

    on: bool
    text: str | None
    digest: str | None
    profile: str


class Refusal(Schema):
    """Why a key opens nothing here."""

    detail: str


EVERYWHERE = {401: Refusal, 403: Refusal, 429: Refusal, 503: Problem}
"""What any address of it may answer. With 429, ``Retry-After`` says how many seconds to wait."""
