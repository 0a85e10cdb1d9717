"""Freezing: run the engine on a record, and prepare the rows of its snapshot before anything is written."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from itertools import islice
from math import isfinite
from typing import Any
from uuid import UUID

from attribution import (
    DEFAULT_PROFILE,
    Attribution,
    DocumentAttribution,
    Field,
    GuardrailCode,
    InputError,
    IssueCode,
    Profile,
    QuotePolicy,
    ReferenceStatus,
    attribute,
    attribute_documents,
    canonical_bytes,
    decode_documents,
    digest,
    encode,
    encode_documents,
    read_given,
    under_schema,
)
from reviewers.ledger.commitments import Part
from reviewers.snapshots.ingest.citation_policy import AnswerPolicy
from reviewers.snapshots.ingest.records import CitationInput, Record, RecordError
from reviewers.snapshots.models import visible
from reviewers.snapshots.redactable_parts import sealed_name
from reviewers.snapshots.search import search_vector
from reviewers.snapshots.unmarked import unmark_answer
from reviewers.snapshots.versions.in_use import SchemaInUse
from reviewers.web.models import uuid7

_DOCUMENTS_COMPRESSION = 1

_AFTERWARDS = (ReferenceStatus.FOUND, ReferenceStatus.REPAIRED)
_FAILURES = (IssueCode.OPPOSITE, IssueCode.QUOTE_NOT_FOUND, IssueCode.FIGURE_NOT_FOUND)

USUAL = AnswerPolicy()
"""Asked of citations where an organisation has set nothing."""


@dataclass(frozen=True, slots=True)
class FrozenDocuments:
    """An attribution to documents, ready to be stored, with the policy that it was made under."""

    attribution: DocumentAttribution
    document: bytes
    digest: bytes
    issues: dict[str, int]
    policy: AnswerPolicy

    @property
    def citation_counts(self) -> list[int]:
        """The ``CITATION_COUNTS``: the model's own citations of a source, of these with a quote that was checked, and so on."""
        own = {each.ordinal: each for each in self.attribution.references if each.sources and each.status not in _AFTERWARDS}
        quotes = sum(bool(each.quote) for each in own.values()) if self.policy.quotes is not QuotePolicy.OFF else 0
        failed = [{issue.reference for issue in self.attribution.issues if issue.code is code} & own.keys() for code in _FAILURES]
        return [len(own), quotes, *map(len, failed), int(self.attribution.is_well_sourced), self.attribution.sentence_count]

    @property
    def attached(self) -> list[str]:
        """The ids of the sources that a repair attached, the best first."""
        repaired = [each for each in self.attribution.references if each.status is ReferenceStatus.REPAIRED]
        return [name for each in repaired for name in each.sources]


def freeze_documents(
    citing: CitationInput, *, response: str, question: str, answered_on: date | None, policy: AnswerPolicy = USUAL
) -> FrozenDocuments:
    """Attribute an answer to documents, of which there may be none. Raise ``RecordError`` for invalid input."""
    try:
        attribution = attribute_documents(
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
    except InputError as error:
        raise RecordError(error.place, error.reason) from error
    document = canonical_bytes(encode_documents(attribution))
    return FrozenDocuments(
        attribution=attribution,
        document=zlib.compress(document, _DOCUMENTS_COMPRESSION),
        digest=bytes.fromhex(digest(document).removeprefix("sha256:")),
        issues=dict(sorted(Counter(issue.code.value for issue in attribution.issues).items())),
        policy=policy,
    )


def thaw_documents(document: Mapping[str, Any], record: Mapping[str, Any]) -> DocumentAttribution:
    """Return a stored attribution with the texts of its sources, which only the record holds. Nothing is checked again."""
    return with_texts(thaw_grounds(document, record), record)


def thaw_grounds(document: Mapping[str, Any], record: Mapping[str, Any]) -> DocumentAttribution:
    """Return a stored attribution without the texts of its sources: enough for labels, and read in a tenth of the time."""
    response = record["response"]
    given = read_given(response=response, native=None if response else record.get("native"))
    return decode_documents(document, given.raw_text if _is_read_so(document, given.raw_text) else response, {})


def _is_read_so(document: Mapping[str, Any], raw_text: str) -> bool:
    """Return False if an answer object in the response was text to the engine that wrote the attribution."""
    removed: int = sum([end - start for start, end in document["removed"]])
    return len(raw_text) - removed == len(document["clean_text"])


def with_texts(grounds: DocumentAttribution, record: Mapping[str, Any]) -> DocumentAttribution:
    """Return an attribution with the texts of its sources from the record."""
    given = read_given(
        response=record["response"],
        documents=record.get("documents") or (),
        tool_calls=record.get("tool_calls") or (),
        native=record.get("native"),
    )
    texts = {source.id: source.content for source in given.sources}
    return replace(grounds, sources=tuple([source._replace(content=texts.get(source.id, "")) for source in grounds.sources]))


def parts_of_documents(citing: CitationInput, documents_digest: bytes | None) -> Iterator[Part]:
    """Yield the parts about documents that the event of freezing commits to: those that are given, and the attribution's digest.

    What the model states beside its text is a part even if it states nothing: members who review the answer blind read the number of parts,
    and would know that citations without a mark in the text are the model's own.
    """
    yield from ((f"documents.{index}", canonical_bytes(document)) for index, document in enumerate(citing.documents))
    yield from ((f"tool_calls.{index}", canonical_bytes(call)) for index, call in enumerate(citing.tool_calls))
    for name in ("citations", "native", "abstention_reason"):
        value = getattr(citing, name)
        if value or documents_digest:
            yield name, canonical_bytes(value or None)
    if documents_digest:
        yield "documents_attribution.sha256", documents_digest


def parts_of_repair(frozen: FrozenDocuments) -> list[Part]:
    """Return the parts that the event of a repair commits to: the digest of the result, and each attached source's name and text."""
    contents = {source.id: source.content for source in frozen.attribution.sources}
    attached = [(f"attached.{name}", contents[name].encode("utf-8", "surrogatepass")) for name in frozen.attached]
    return [("documents_attribution.sha256", frozen.digest), *attached]


_EXCERPT = 160
_LONGEST_SECTION = 200
"""Characters of a section's name that lists are filtered by: an index takes no longer ones."""
MOST_SECTIONS = 100
"""Sections that an answer is listed and counted under. Where a context has more, their names are data."""
_COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class Frozen:
    """A record with its attribution, ready to be stored."""

    id: UUID
    record: Record
    answered_at: datetime
    hidden_sections: list[str]
    given_sections: list[str]
    completeness_threshold: float | None
    excerpt: str
    search: str
    schema_id: UUID | None
    attribution_id: UUID
    attribution: Attribution
    document: bytes
    document_digest: bytes
    guardrails: dict[str, int]
    sections: list[str]
    found_count: int
    cited_count: int
    documents: FrozenDocuments | None


def freeze(
    record: Record, at: datetime, profile: Profile = DEFAULT_PROFILE, *, schema: SchemaInUse | None = None, policy: AnswerPolicy = USUAL
) -> Frozen:
    """Attribute a record; raise ``RecordError`` if the engine cannot read its context.

    ``schema`` is used instead of the shipped registry of fields. ``policy`` is what the organisation asks of citations.
    """
    profile = under_schema(profile, schema.schema) if schema else profile
    threshold = _threshold(record, profile)
    hidden = record.hidden_sections | {name for name, share in record.completeness.items() if threshold is not None and share < threshold}
    answered_at = record.answered_at or at
    answered_on = answered_at.date() if record.answered_at else None
    cited = None  # of a record that neither has nor cites any documents
    if record.citing.is_given:
        asked = {"response": record.response, "question": record.user_text}
        cited = freeze_documents(record.citing, **asked, answered_on=answered_at.date(), policy=policy)
    shown = cited.attribution if cited else None
    try:
        attribution = attribute(
            response=shown.raw_text if shown else record.response,
            context=record.context,
            user_text=record.user_text,
            hidden_sections=hidden,
            documents=(*record.citing.documents, *record.citing.tool_calls),
            profile=profile,
            answered_on=answered_on,
        )
    except InputError as error:
        raise RecordError(error.place, error.reason) from error
    document = canonical_bytes(encode(attribution))
    plain = unmark_answer(attribution, shown).text
    used = attribution.used
    return Frozen(
        id=uuid7(),
        record=record,
        answered_at=answered_at.astimezone(UTC),  # the database takes no offset of sixteen hours
        hidden_sections=sorted(map(visible, hidden)),
        given_sections=_sections(row.field for row in attribution.fields if row.field.section not in hidden),
        completeness_threshold=threshold,
        excerpt=_excerpt(plain),
        search=search_vector({"id": record.external_id, **record.names}, record.user_text, plain),
        schema_id=schema.id if schema else None,
        attribution_id=uuid7(),
        attribution=attribution,
        document=zlib.compress(document, _COMPRESSION),
        document_digest=bytes.fromhex(digest(document).removeprefix("sha256:")),
        guardrails=_count_guardrails(attribution),
        sections=_sections(row.field for row in used),
        found_count=len(used),
        cited_count=sum(row.is_cited for row in used),
        documents=cited,
    )


def parts_of(frozen: Frozen) -> list[Part]:
    """Return the parts that the event of freezing commits to: the stored digests, both texts of the turn, context fields, documents.

    Digests are parts too: in clear, without a salt, a digest would let a guess be confirmed after redaction.
    """
    documents = frozen.documents.digest if frozen.documents else None
    return parts_of_stored(frozen.record, frozen.attribution, frozen.document_digest, documents)


def parts_of_stored(record: Record, attribution: Attribution, attribution_digest: bytes, documents_digest: bytes | None) -> list[Part]:
    """Like `parts_of`, for a stored snapshot: disclosing some of its parts takes the commitments of all."""
    parts = [("record.sha256", record.digest), ("attribution.sha256", attribution_digest)]
    parts += [("user_text", _utf8(record.user_text)), ("response", _utf8(record.response))]
    parts += [(sealed_name(row.field.section, row.field.path), _canonical(row.field.value)) for row in attribution.fields]
    return [*parts, *parts_of_documents(record.citing, documents_digest)]


def _canonical(value: Any) -> bytes:
    """Return canonical JSON of a value; simple values are written directly, which is faster."""
    kind = type(value)
    if kind is bool:
        return b"true" if value else b"false"
    if kind is int:
        return b"%d" % value
    return repr(value).encode() if kind is float and isfinite(value) else canonical_bytes(value)


@cache
def profile_document(profile: Profile) -> bytes:
    """Return a profile's data as canonical JSON."""
    return canonical_bytes(profile.data)


def _threshold(record: Record, profile: Profile) -> float | None:
    """Return the completeness below which a section was withheld: the runtime's own, else the profile's; None if nothing was measured."""
    if record.completeness_threshold is not None:
        return record.completeness_threshold
    return profile.thresholds.section_completeness if record.completeness else None


def _sections(fields: Iterable[Field]) -> list[str]:
    names = islice(dict.fromkeys(field.section for field in fields), MOST_SECTIONS)
    return sorted({visible(name)[:_LONGEST_SECTION] for name in names})


def _excerpt(plain: str) -> str:
    return visible(" ".join(plain[: 3 * _EXCERPT].split())[:_EXCERPT])


def _count_guardrails(attribution: Attribution) -> dict[str, int]:
    counts: dict[GuardrailCode, int] = {}
    for finding in attribution.guardrails:
        counts[finding.code] = counts.get(finding.code, 0) + finding.count
    return {code.value: count for code, count in counts.items()}


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def completeness_of(record: Record) -> Mapping[str, Any]:
    """Return the completeness of sections, with names that a database can store."""
    return {visible(section): share for section, share in record.completeness.items()}
