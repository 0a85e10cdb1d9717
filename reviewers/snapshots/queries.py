"""Reads of snapshots: their newest attributions, the newest search for citations, and the profiles of attributions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from typing import Any
from uuid import UUID

from django.db.models import Func

from attribution import Profile, SearchRecord, decode_search, read_profile
from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import Profile as StoredProfile
from reviewers.snapshots.models import SearchOutcome, SnapshotAttribution
from reviewers.web.models import unpack
from reviewers.web.statements import json_rows

PENDING = "pending"


@dataclass(frozen=True)
class SearchState:
    """A search and its result. ``state`` is one of the outcomes, or pending."""

    number: int
    method: str
    state: str
    asked_at: datetime
    ended_at: datetime | None
    reason: str
    model: str
    attempts: int
    document: bytes
    digest: str

    @property
    def is_pending(self) -> bool:
        """True if it has no result yet."""
        return self.state == PENDING

    @property
    def has_failed(self) -> bool:
        """True if it failed."""
        return self.state == SearchOutcome.FAILED

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """The stored document; empty unless the search completed."""
        read: Mapping[str, Any] = unpack(self.document) if self.document else {}
        return read

    @cached_property
    def record(self) -> SearchRecord | None:
        """The citations it found, decoded; None unless the search completed."""
        return decode_search(self.values) if self.values else None


_NEWEST_SEARCH = """ARRAY(
    SELECT jsonb_build_object(
        'number', search.number, 'method', search.method, 'asked_at', search.asked_at, 'outcome', result.outcome,
        'reason', result.reason, 'model', result.model, 'attempts', result.attempts, 'ended_at', result.ended_at,
        'document', result.document, 'digest', result.digest
    )
    FROM snapshots_citationsearch AS search LEFT JOIN snapshots_citationsearchresult AS result ON result.search_id = search.id
    WHERE search.attribution_id = %(expressions)s ORDER BY search.number DESC LIMIT 1
)"""


def newest_search(attribution: str) -> Func:
    """Return an annotation with the newest search of an attribution; ``attribution`` names the column of its identifier."""
    return json_rows(_NEWEST_SEARCH, attribution)


def read_search(annotated: Sequence[Mapping[str, Any]]) -> SearchState | None:
    """Return the search in an annotation by ``newest_search``, or None if there was none."""
    if not annotated:
        return None
    (read,) = annotated
    return _read(read)


def _read(read: Mapping[str, Any]) -> SearchState:
    return SearchState(
        number=read["number"],
        method=read["method"],
        state=read["outcome"] or PENDING,
        asked_at=datetime.fromisoformat(read["asked_at"]),
        ended_at=datetime.fromisoformat(read["ended_at"]) if read["ended_at"] else None,
        reason=read["reason"] or "",
        model=read["model"] or "",
        attempts=read["attempts"] or 0,
        document=_bytes(read["document"]),
        digest=named(_bytes(read["digest"])) if read["digest"] else "",
    )


def _bytes(written: str | None) -> bytes:
    """Decode a binary column in JSON: hexadecimal digits after a backslash and an x."""
    return bytes.fromhex(written.removeprefix("\\x")) if written else b""


@dataclass(frozen=True, slots=True)
class TransferredCounts:
    """The origin of a calibration that was transferred from ``profile``, of another combination.

    It was shifted to fit ``labels`` labels, in log odds: all rules by ``of_all``, and each rule by its own amount in addition.
    """

    profile: str
    labels: int
    of_all: float
    by_rule: Mapping[str, float]

    def shift_of(self, rule: str) -> float:
        """Return the shift of a rule's confidences, in log odds."""
        return self.of_all + self.by_rule.get(rule, 0.0)


@lru_cache(maxsize=16)
def read_stored(name: str) -> Profile:
    """Return a stored profile. It is cached: a profile never changes under its name."""
    document = StoredProfile.objects.values_list("document", flat=True).get(pk=name)
    return read_profile(json.loads(bytes(document)))


@lru_cache(maxsize=1024)
def read_cutoff(name: str) -> float | None:
    """Return a profile's cut-off, cached for more profiles than `read_stored`."""
    return read_stored(name).cutoff


@lru_cache(maxsize=1024)
def read_transferred_counts(name: str) -> TransferredCounts | None:
    """Return the origin of a profile's counts, or None if they are its own."""
    return carried_by(read_stored(name).data["calibration"])


def carried_by(calibration: Mapping[str, Any]) -> TransferredCounts | None:
    """Return the origin in the record of a calibration, or None. Older records do not state their shift, so theirs is None."""
    shift = calibration.get("shift")
    return TransferredCounts(calibration["parent"], shift["labels"], shift["of_all"], shift["by_rule"]) if shift else None


_CONTENTS = ("document", "documents__document", "snapshot__record", "snapshot__search")


def find_attributions(organisation: Organisation, snapshot_ids: Iterable[UUID]) -> dict[UUID, SnapshotAttribution]:
    """Return the newest attributions of an organisation's snapshots with their snapshots and documents, but without their contents."""
    rows = SnapshotAttribution.objects.filter(snapshot__in=list(snapshot_ids), organisation=organisation).order_by("attributed_at")
    return {row.snapshot_id: row for row in rows.select_related("snapshot", "documents").defer(*_CONTENTS)}


def find_attribution(organisation: Organisation, snapshot_id: UUID, **annotations: Func) -> Any:
    """Return the newest attribution of a snapshot with both, or None if the snapshot is not this organisation's.

    It is annotated with its newest search, as ``searched``, and with ``annotations``.
    """
    rows = SnapshotAttribution.objects.filter(organisation=organisation, snapshot=snapshot_id).order_by("-attributed_at")
    return rows.select_related("snapshot", "documents").annotate(searched=newest_search("pk"), **annotations).first()


def named(digest: bytes | memoryview) -> str:
    """Return a digest in its written form."""
    return "sha256:" + bytes(digest).hex()
