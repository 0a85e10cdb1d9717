"""Runs the engine on what a record says about citations of documents, and makes a row of the result."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from attribution import DocumentAttribution, InputError, attribute_documents, canonical_bytes, decode_documents, digest, encode_documents
from reviewers.ledger.commitments import Part
from reviewers.snapshots.citing import Citing
from reviewers.snapshots.refusal import RecordError

_COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class FrozenDocuments:
    """The attribution of an answer to documents, ready to be written."""

    attribution: DocumentAttribution
    document: bytes
    digest: bytes
    issues: dict[str, int]


def freeze_documents(citing: Citing, *, response: str, question: str, answered_on: date | None) -> FrozenDocuments | None:
    """Attribute an answer to documents; nothing where the record has nothing to do with any. Raises ``RecordError``."""
    if not citing.is_given:
        return None
    try:
        attribution = _attribute(citing, response, question, answered_on)
    except InputError as error:
        raise RecordError(error.place, error.reason) from error
    document = canonical_bytes(encode_documents(attribution))
    return FrozenDocuments(
        attribution=attribution,
        document=zlib.compress(document, _COMPRESSION),
        digest=bytes.fromhex(digest(document).removeprefix("sha256:")),
        issues=dict(sorted(Counter(issue.code.value for issue in attribution.issues).items())),
    )


def thaw_documents(document: Mapping[str, Any], record: Mapping[str, Any]) -> DocumentAttribution:
    """A stored attribution with the texts that its record holds.

    They are stored once, in the record, so they are read out of it again; what was found of them is what was stored.
    """
    citing = Citing(
        tuple(record.get("documents") or ()), tuple(record.get("tool_calls") or ()), record.get("citations"), record.get("native")
    )
    read = _attribute(citing, record["response"], "", None)
    return decode_documents(document, read.raw_text, {source.id: source.content for source in read.sources})


def parts_of_documents(citing: Citing, frozen: FrozenDocuments | None) -> Iterator[Part]:
    """What the event of freezing commits to besides: each of those parts that is there, and the digest of what the engine says."""
    yield from ((f"documents.{index}", canonical_bytes(document)) for index, document in enumerate(citing.documents))
    yield from ((f"tool_calls.{index}", canonical_bytes(call)) for index, call in enumerate(citing.tool_calls))
    for name in ("citations", "native", "abstention_reason"):
        value = getattr(citing, name)
        if value:
            yield name, canonical_bytes(value)
    if frozen:
        yield "documents_attribution.sha256", frozen.digest


def _attribute(citing: Citing, response: str, question: str, answered_on: date | None) -> DocumentAttribution:
    return attribute_documents(
        response=response,
        documents=citing.documents,
        tool_calls=citing.tool_calls,
        citations=citing.citations,
        native=citing.native,
        abstention_reason=citing.abstention_reason,
        question=question,
        answered_on=answered_on,
    )
