"""An answer as a report reads it from the database: no model instances, for there may be a hundred thousand, and moments in writing."""

from __future__ import annotations

from uuid import UUID

from msgspec import Struct
from msgspec.json import Decoder


class Frozen(Struct, frozen=True, gc=False):
    """What was asked and answered, as it is frozen."""

    pk: UUID
    external_id: str
    conversation_id: str
    turn_index: int | None
    client_reference: str
    provider: str
    model: str
    prompt_version: str
    schema_version: str
    answered_at: str
    frozen_at: str
    digest: bytes
    hidden_sections: list[str]
    record: bytes


class Documents(Struct, frozen=True, gc=False):
    """What the engine says of its documents, as it is stored."""

    document: bytes
    digest: bytes


class Attributed(Struct, frozen=True, gc=False):
    """What the engine says of it, as it is stored."""

    profile_id: str
    engine_version: str
    document: bytes
    digest: bytes
    field_count: int
    documents: Documents | None


class Answered(Struct, frozen=True, gc=False):
    """A row of the queue with all of this."""

    snapshot_id: UUID
    state: str
    plan_id: UUID | None
    overlap: int
    is_blind: bool
    phase: str
    round: int
    attribution_id: UUID
    snapshot: Frozen
    attribution: Attributed
    reviews: str | None
    labels: str | None
    events: str | None
    has_citation_labels: bool
    has_flags: bool
    has_signatures: bool
    has_redactions: bool
    has_holds: bool


class Done(Struct, frozen=True, array_like=True, gc=False):
    """A review that was submitted in the present round."""

    id: str
    by: UUID
    name: str
    at: str
    slot: int


class Label(Struct, frozen=True, array_like=True, gc=False):
    """What somebody has said of a field."""

    by: UUID
    section: str
    path: str
    verdict: str
    id: str
    note: str
    reason: str
    at: str

    @property
    def is_verdict(self) -> bool:
        """Whether it says anything, rather than taking a label back or holding only a note."""
        return self.verdict != "none"


class Event(Struct, frozen=True, array_like=True, gc=False):
    """An event of the ledger. ``log`` and ``index`` say where it stands; neither while it waits to be sealed."""

    id: str
    action: str
    at: str
    by: str
    log: str | None
    index: int | None


read_done = Decoder(list[Done]).decode
read_labels = Decoder(list[Label]).decode
read_events = Decoder(list[Event]).decode
