"""What opens an event's commitments once some of them are closed for good.

Where nothing was redacted an event's secret has a seed that all salts come out of. Where something was, it has an entry for each part
and then for each row instead: the salt of one that can still be opened, the commitment of a part that cannot, or nothing where the
event's own body says all that is needed: its body names the commitment of each row, and the digest over those of all its parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from reviewers.ledger.commitments import SALT_LENGTH, salts

_SALT, _COMMITMENT, _NOTHING = b"s", b"c", b"-"
_ENTRY = 1 + SALT_LENGTH


@dataclass(frozen=True, slots=True)
class Openings:
    """The salts of an event's parts and rows, in their order; none for those that are closed. ``kept`` are the entries as they stand."""

    parts: Sequence[bytes | None]
    rows: Sequence[bytes | None]
    kept: Sequence[bytes] = ()

    @property
    def is_closed(self) -> bool:
        """Whether anything was redacted."""
        return None in (*self.parts, *self.rows)


class NotOpening(Exception):  # noqa: N818 — says what it is
    """These bytes open nothing of such an event."""


def read_openings(body: Mapping[str, Any], kept: bytes) -> Openings:
    """What an event's secret opens. Raises ``NotOpening``."""
    parts, rows = body.get("parts", {"count": 0})["count"], len(body.get("rows", []))
    if len(kept) == SALT_LENGTH:
        own = salts(kept, parts + rows)
        return Openings(own[:parts], own[parts:], [_SALT + salt for salt in own])
    if len(kept) != _ENTRY * (parts + rows):
        raise NotOpening
    entries = [kept[start : start + _ENTRY] for start in range(0, len(kept), _ENTRY)]
    read = [_read(entry) for entry in entries]
    return Openings(read[:parts], read[parts:], entries)


def commitment_of(entry: bytes) -> bytes | None:
    """The commitment that stands where a part was closed, if it does."""
    return entry[1:] if entry[:1] == _COMMITMENT else None


def close(openings: Openings, parts: Mapping[int, bytes | None], rows: frozenset[int]) -> bytes:
    """The same with some closed: parts, each with its commitment if it is to be known, and rows. What is closed stays as it is."""
    entries = list(openings.kept)
    for number, commitment in parts.items():
        if entries[number][:1] == _SALT:
            entries[number] = _COMMITMENT + commitment if commitment else _NOTHING + bytes(SALT_LENGTH)
    for number in rows:
        entries[len(openings.parts) + number] = _NOTHING + bytes(SALT_LENGTH)
    return b"".join(entries)


def _read(entry: bytes) -> bytes | None:
    if entry[:1] not in (_SALT, _COMMITMENT, _NOTHING):
        raise NotOpening
    return entry[1:] if entry[:1] == _SALT else None
