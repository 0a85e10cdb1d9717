"""Reads of an attribution what a report shows: of sixty fields an answer draws on a dozen, and only these are made anything of."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from reviewers.reports.exporting.loading import Loaded
from reviewers.reports.exporting.quickly import read_json
from reviewers.reports.exporting.stored import Document, Stored, read_stored

_READ = ("record", "_record", "attribution", "grounds", "citations", "shown")


class Trimmed(Struct, frozen=True):
    """An attribution as it is stored, and the rows of it that a report shows, in the order of the record."""

    document: Document
    rows: Sequence[Stored]


def trim(loaded: Loaded, *, all_fields: bool, whole: bool) -> Trimmed:
    """What a report shows of an answer.

    Shown are fields that the answer draws on or contradicts, that were seeded, and that somebody has labelled; others if asked for.
    The answer then has its attribution without any rows, unless it is to stay ``whole``. It has none where it has no sources either,
    for then all that is told of it stands in the document as it is stored.
    """
    item = loaded.item
    item.__dict__["record"] = item.__dict__["_record"] = read_json(loaded.row.snapshot.record)
    document = read_stored(loaded.row.attribution.document)
    if loaded.row.attribution.documents and not whole:
        item.__dict__["attribution"] = document.without_rows()
    if item.is_blind:
        return Trimmed(document, ())
    kept = {key for review in loaded.reviews for key in review.fields} | item.planted
    return Trimmed(document, document.rows(kept, all_fields=all_fields))


def forget(loaded: Loaded) -> None:
    """Let go of what was read of it."""
    read = loaded.item.__dict__
    for name in _READ:
        read.pop(name, None)
