"""Reads of an attribution what a report shows: of sixty fields an answer draws on a dozen, and only these are made anything of."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import Any

from attribution import decode
from reviewers.reports.exporting.loading import Loaded
from reviewers.reports.exporting.quickly import read_json
from reviewers.review.given_labels import FieldKey
from reviewers.snapshots.display import storable

Stored = Mapping[str, Any]
"""A row of an attribution as it is stored: what the codec writes for a field."""

_READ = ("record", "attribution", "grounds", "citations", "shown")


def trim(loaded: Loaded, *, all_fields: bool, whole: bool) -> Sequence[Stored]:
    """The stored rows that a report shows, in the order of the record.

    Shown are fields that the answer draws on or contradicts, that were seeded, and that somebody has labelled; others if asked for.
    The answer then has its attribution without any rows, unless it is to stay ``whole``.
    """
    item = loaded.item
    item.__dict__["record"] = read_json(item.record_text)
    document = read_json(zlib.decompress(item.row.attribution.document))
    if not whole:
        item.__dict__["attribution"] = decode({**document, "fields": ()}, {})
    if item.is_blind:
        return ()
    if all_fields:
        rows: Sequence[Stored] = document["fields"]
        return rows
    kept = {key for review in loaded.reviews for key in review.fields} | item.planted
    return [row for row in document["fields"] if row["track"] != "neither" or "contradiction" in row or (kept and key_of(row) in kept)]


def forget(loaded: Loaded) -> None:
    """Let go of what was read of it."""
    for name in _READ:
        loaded.item.__dict__.pop(name, None)


def key_of(row: Stored) -> FieldKey:
    """What labels of a stored row are kept under."""
    return storable(row["section"]), storable(row["path"])


def is_used(row: Stored) -> bool:
    """Whether it claims that the answer draws on its field."""
    return bool(row["track"] != "neither")
