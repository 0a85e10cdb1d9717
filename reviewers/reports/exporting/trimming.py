"""Reads only those rows of an attribution that a report shows: of sixty fields an answer draws on a dozen."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection, Mapping
from typing import Any

from attribution import context_values, decode
from reviewers.reports.exporting.loading import Loaded
from reviewers.review.given_labels import FieldKey
from reviewers.snapshots.display import storable


def trim(loaded: Loaded) -> None:
    """Have the answer's attribution without the rows that would be left out anyway."""
    item = loaded.item
    kept = {key for review in loaded.reviews for key in review.fields} | item.planted
    document = json.loads(zlib.decompress(bytes(item.row.attribution.document)))
    document["fields"] = [] if item.is_blind else [row for row in document["fields"] if _is_shown(row, kept)]
    item.__dict__["attribution"] = decode(document, context_values(item.record["context"]))


def _is_shown(row: Mapping[str, Any], kept: Collection[FieldKey]) -> bool:
    if row["track"] != "neither" or "contradiction" in row:
        return True
    return bool(kept) and (storable(row["section"]), storable(row["path"])) in kept
