"""The record of a search for citations after the fact: its references, checked like the model's own, and its stored form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attribution.documents.checks import Checker
from attribution.documents.codec import decode_reference, encode_reference, plain, without_empty
from attribution.documents.policy import QuotePolicy
from attribution.documents.post_hoc import FoundCitations, FoundReference, RefusalReason, RefusedCitation, SearchMethod
from attribution.documents.references import Grammar, Reference, ReferenceStatus, Target
from attribution.documents.result import DocumentAttribution
from attribution.documents.sources import CitableSource
from attribution.version import ENGINE_VERSION

SCHEMA_VERSION = 1
_SOURCE_NAMES = ("tool", "uri", "title", "domain", "snippet", "page")


@dataclass(frozen=True, slots=True)
class SearchRecord:
    """A stored search read again. ``probabilities`` are raw, by the ordinals of the references, which go on behind the model's own.

    ``reasons`` are those of what was refused, ``shortened`` says what of answer and sources was not looked at.
    """

    method: SearchMethod
    model: str
    references: tuple[Reference, ...]
    probabilities: Mapping[int, float]
    refused: int
    reasons: tuple[RefusalReason, ...] = ()
    shortened: str = ""


def to_references(found: Iterable[FoundReference], sources: Sequence[CitableSource], first: int) -> list[Reference]:
    """References to sources of the answer, with ordinals from ``first`` on, not yet checked."""
    return [
        Reference(
            ordinal=ordinal,
            grammar=Grammar.POST_HOC,
            status=ReferenceStatus.FOUND,
            text=sources[each.passage].id,
            targets=(Target(sources[each.passage].id, sources[each.passage].id),),
            position=each.span[1],
            span=each.span,
        )
        for ordinal, each in enumerate(found, start=first)
    ]


def encode_search(result: FoundCitations, documents: DocumentAttribution, question: str) -> dict[str, Any]:
    """A search as plain JSON values: what was found, checked against the sources' texts, the sources it points to, what was refused.

    Each source found for a claim is checked alone: it is said to state all of it, whatever other ones do.
    """
    references = to_references(result.found, documents.sources, len(documents.references))
    checker = Checker(documents.sources, documents.clean_text, question, QuotePolicy.OFF)
    checked = [checker.check([each])[0] for each in references]
    cited = {name for each in references for name in each.sources}
    return {
        "schema": SCHEMA_VERSION,
        "engine": ENGINE_VERSION,
        "method": result.method,
        "model": result.model,
        "sources": [_encode_source(source) for source in documents.sources if source.id in cited],
        "references": [
            encode_reference(reference) | {"probability": plain(found.probability)}
            for reference, found in zip(checked, result.found, strict=True)
        ],
        "refused": [_encode_refused(each) for each in result.refused],
    } | without_empty({"shortened": result.shortened})


def decode_search(document: Mapping[str, Any]) -> SearchRecord:
    """The search that ``encode_search`` wrote."""
    references = tuple([decode_reference(each["index"], each) for each in document["references"]])
    return SearchRecord(
        method=SearchMethod(document["method"]),
        model=document["model"],
        references=references,
        probabilities={each["index"]: float(each["probability"]) for each in document["references"]},
        refused=len(document["refused"]),
        reasons=tuple([RefusalReason(each["reason"]) for each in document["refused"]]),
        shortened=document.get("shortened", ""),
    )


def _encode_source(source: CitableSource) -> dict[str, Any]:
    told = {name: getattr(source, name) for name in _SOURCE_NAMES}
    return without_empty({"id": source.id, "type": source.kind} | told)


def _encode_refused(refused: RefusedCitation) -> dict[str, Any]:
    return without_empty({"claim": refused.claim, "source": refused.passage, "reason": refused.reason})
