"""The front door for answers that cite documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from attribution.documents.listing import compare_list
from attribution.documents.marked_text import read_marked_text
from attribution.documents.reading import read_documents
from attribution.documents.referencing import Ledger
from attribution.documents.resolution import SourceIndex
from attribution.documents.result import DocumentAttribution
from attribution.errors import InputError
from attribution.version import ENGINE_VERSION


def attribute_documents(*, response: str, documents: Sequence[Any] = ()) -> DocumentAttribution:
    """Say for every citation of ``response`` which source it means, what it stands for, and what is wrong with it."""
    if not isinstance(response, str):
        raise InputError("response", "must be text")
    given = read_documents(documents)
    index = SourceIndex(given)
    citations, listed, clean = read_marked_text(response, len(index.places))
    ledger = Ledger(index)
    ledger.add_all(citations, clean)
    if listed is not None:
        compare_list(listed, ledger)
    return DocumentAttribution(
        raw_text=response,
        clean_text=clean.text,
        removed=clean.removed,
        sources=tuple(index.all),
        references=tuple(ledger.references),
        issues=tuple(ledger.issues),
        engine_version=ENGINE_VERSION,
    )
