"""Runs the engine on what a record says about citations of documents, and makes a row of the result."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from attribution import (
    CitationPolicy,
    DocumentAttribution,
    InputError,
    ReferenceStatus,
    attribute_documents,
    canonical_bytes,
    decode_documents,
    digest,
    encode_documents,
    read_given,
)
from reviewers.ledger.commitments import Part
from reviewers.snapshots.citing import Citing
from reviewers.snapshots.refusal import RecordError

_COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class FrozenDocuments:
    """The attribution of an answer to documents, ready to be written, and whether evidence was to be attached if it cites nothing."""

    attribution: DocumentAttribution
    document: bytes
    digest: bytes
    issues: dict[str, int]
    repairs: bool

    @property
    def attached(self) -> list[str]:
        """The ids of the sources that were attached afterwards, the best first."""
        repaired = [each for each in self.attribution.references if each.status is ReferenceStatus.REPAIRED]
        return [name for each in repaired for name in each.sources]


def freeze_documents(
    citing: Citing, *, response: str, question: str, answered_on: date | None, repairs: bool = False
) -> FrozenDocuments | None:
    """Attribute an answer to documents; nothing where the record has nothing to do with any. Raises ``RecordError``.

    ``repairs`` attaches the best of the sources to an answer that cites none.
    """
    if not citing.is_given:
        return None
    return attribute_citing(citing, response=response, question=question, answered_on=answered_on, repairs=repairs)


def attribute_citing(citing: Citing, *, response: str, question: str, answered_on: date | None, repairs: bool = False) -> FrozenDocuments:
    """The same where there may be nothing left that cites. Raises ``RecordError``."""
    try:
        attribution = _attribute(citing, response, question, answered_on, CitationPolicy(repairs=repairs))
    except InputError as error:
        raise RecordError(error.place, error.reason) from error
    document = canonical_bytes(encode_documents(attribution))
    return FrozenDocuments(
        attribution=attribution,
        document=zlib.compress(document, _COMPRESSION),
        digest=bytes.fromhex(digest(document).removeprefix("sha256:")),
        issues=dict(sorted(Counter(issue.code.value for issue in attribution.issues).items())),
        repairs=repairs,
    )


def thaw_documents(document: Mapping[str, Any], record: Mapping[str, Any]) -> DocumentAttribution:
    """A stored attribution with the texts that its record holds: they are stored once, and nothing is checked again."""
    return with_texts(thaw_grounds(document, record), record)


def thaw_grounds(document: Mapping[str, Any], record: Mapping[str, Any]) -> DocumentAttribution:
    """A stored attribution without the texts of its sources: what labels need of it, and read in a tenth of the time."""
    response = record["response"]
    given = read_given(response=response, native=None if response else record.get("native"))
    return decode_documents(document, given.raw_text, {})


def with_texts(grounds: DocumentAttribution, record: Mapping[str, Any]) -> DocumentAttribution:
    """The same with the texts of its sources, read out of the record."""
    given = read_given(
        response=record["response"],
        documents=record.get("documents") or (),
        tool_calls=record.get("tool_calls") or (),
        native=record.get("native"),
    )
    texts = {source.id: source.content for source in given.sources}
    return replace(grounds, sources=tuple([source._replace(content=texts.get(source.id, "")) for source in grounds.sources]))


def parts_of_documents(citing: Citing, documents_digest: bytes | None) -> Iterator[Part]:
    """What the event of freezing commits to besides: each of those parts that is there, and the digest of what the engine says."""
    yield from ((f"documents.{index}", canonical_bytes(document)) for index, document in enumerate(citing.documents))
    yield from ((f"tool_calls.{index}", canonical_bytes(call)) for index, call in enumerate(citing.tool_calls))
    for name in ("citations", "native", "abstention_reason"):
        value = getattr(citing, name)
        if value:
            yield name, canonical_bytes(value)
    if documents_digest:
        yield "documents_attribution.sha256", documents_digest


def parts_of_repair(frozen: FrozenDocuments) -> list[Part]:
    """What the event of a repair commits to: the digest of the result that has the attached sources, and of each its name and text."""
    contents = {source.id: source.content for source in frozen.attribution.sources}
    attached = [(f"attached.{name}", contents[name].encode("utf-8", "surrogatepass")) for name in frozen.attached]
    return [("documents_attribution.sha256", frozen.digest), *attached]


def _attribute(citing: Citing, response: str, question: str, answered_on: date | None, policy: CitationPolicy) -> DocumentAttribution:
    return attribute_documents(
        response=response,
        documents=citing.documents,
        tool_calls=citing.tool_calls,
        citations=citing.citations,
        native=citing.native,
        policy=policy,
        abstention_reason=citing.abstention_reason,
        question=question,
        answered_on=answered_on,
    )
