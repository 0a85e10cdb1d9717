"""Reads of an attribution what a report shows: of sixty fields an answer draws on a dozen, and only these are made anything of."""

from __future__ import annotations

from collections.abc import Sequence

from reviewers.reports.exporting.loading import Loaded
from reviewers.reports.exporting.quickly import read_json
from reviewers.reports.exporting.stored import Stored, read_stored, storable

_READ = ("record", "attribution", "grounds", "citations", "shown")


def trim(loaded: Loaded, *, all_fields: bool, whole: bool) -> Sequence[Stored]:
    """The stored rows that a report shows, in the order of the record.

    Shown are fields that the answer draws on or contradicts, that were seeded, and that somebody has labelled; others if asked for.
    The answer then has its attribution without any rows, unless it is to stay ``whole``.
    """
    item = loaded.item
    item.__dict__["record"] = read_json(item.record_text)
    document = read_stored(loaded.row.attribution.document)
    if not whole:
        item.__dict__["attribution"] = document.without_rows()
    if item.is_blind:
        return ()
    if all_fields:
        return document.fields
    kept = {key for review in loaded.reviews for key in review.fields} | item.planted
    paths = {path for _, path in kept}
    return [
        row
        for row in document.fields
        if row.track != "neither" or row.contradiction or (kept and storable(row.path) in paths and row.key in kept)
    ]


def forget(loaded: Loaded) -> None:
    """Let go of what was read of it."""
    for name in _READ:
        loaded.item.__dict__.pop(name, None)
