"""Takes out of a page what a blind reviewer may not know: how the engine came to its claims, and what it found wrong.

What is left is what they are asked about: the answer as clean text, the fields it is said to draw on in the order of the record, its
citations of documents with the words they stand for, and the texts of the documents.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attribution import Attribution, DocumentAttribution, ReferenceStatus

HIDDEN: Mapping[str, Any] = {
    "rule": "",
    "track": "",
    "track_words": "",
    "confidence": 0.0,
    "footnote": None,
    "place": "answered",
    "is_ambiguous": False,
    "trace": (),
    "contradiction": "",
    "bounds": None,
    "is_below": False,
}
"""What a row of the page holds instead."""


_AS_MADE = dict.fromkeys((ReferenceStatus.FOUND, ReferenceStatus.REPAIRED, ReferenceStatus.LISTED), ReferenceStatus.RESOLVED)
"""Those in a list at the end stand for no words, like those that were attached: the latter would be known by what the former are called."""


def without_evidence(attribution: Attribution) -> Attribution:
    """The text alone: where the engine found what, and which footnotes it made of markers, would tell its method."""
    return replace(attribution, fields=(), markers=(), guardrails=())


def without_checks(documents: DocumentAttribution) -> DocumentAttribution:
    """The citations and their sources; not whether they hold, nor which of them the model made and which were added afterwards.

    The added ones stay: they are judged like the others.
    """
    references = tuple(each._replace(check=None, status=_AS_MADE.get(each.status, each.status)) for each in documents.references)
    return replace(documents, references=references, issues=())
