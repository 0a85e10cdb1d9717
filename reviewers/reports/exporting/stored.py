"""An attribution as it is stored: of its rows, what a report reads. The rest is passed over while it is read, which is most of it."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from msgspec import DecodeError, Raw, Struct, ValidationError, convert
from msgspec.json import Decoder
from msgspec.structs import asdict

from attribution import Attribution, Span, decode
from reviewers.reports.exporting.quickly import unpack
from reviewers.review.given_labels import FieldKey
from reviewers.snapshots import display

_NOTHING = Raw()
storable = lru_cache(4_096)(display.storable)
"""A key as the database holds it: names of fields are the same in answer after answer."""


class Against(Struct, frozen=True):
    """What a row contradicts."""

    recorded: str
    stated: str
    trace: str
    spans: tuple[Span, ...]


class Interval(Struct, frozen=True):
    """Between what its confidence lies."""

    interval: tuple[float, float]


class Stored(Struct, frozen=True):
    """A row of it: what the codec writes for a field, with what it leaves out."""

    section: str
    path: str
    field_type: str
    track: str
    hidden: bool = False
    contradiction: Against | None = None
    method: str = "none"
    rule: str = "none"
    score: float = 0.0
    confidence: float = 0.0
    spans: tuple[Span, ...] = ()
    trace: str = ""
    estimate: Interval | None = None
    footnote: int | None = None
    claims: tuple[Span, ...] = ()
    evidence: Raw = _NOTHING

    @property
    def is_used(self) -> bool:
        """Whether it claims that the answer draws on its field."""
        return self.track != "neither"

    @property
    def is_found(self) -> bool:
        """Whether anything of its field was found in the answer."""
        return self.evidence is not _NOTHING

    @property
    def key(self) -> FieldKey:
        """What labels of it are kept under."""
        return storable(self.section), storable(self.path)


class Document(Struct, frozen=True):
    """All of it."""

    clean_text: str
    source: str
    fields: tuple[Stored, ...]
    markers: list[Any]
    guardrails: list[Any]
    hidden_sections: list[str]
    profile: str
    calibrated: bool
    engine: str

    def without_rows(self) -> Attribution:
        """The engine's own object, as if it had no rows."""
        return decode({**asdict(self), "fields": ()}, {})


def read_stored(packed: bytes) -> Document:
    """An attribution, out of its compressed document."""
    written = unpack(packed)
    try:
        return _DECODER.decode(written)
    except (DecodeError, UnicodeDecodeError) as error:
        if isinstance(error, ValidationError):
            raise
        return convert(json.loads(written), Document)  # half of a surrogate pair


_DECODER = Decoder(Document)
