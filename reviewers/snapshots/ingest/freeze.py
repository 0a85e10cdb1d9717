"""Freezing: run the engine on a record, and prepare the rows of its snapshot before anything is written."""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import islice
from math import isfinite
from typing import Any
from uuid import UUID

from attribution import (
    Attribution,
    CitationPolicy,
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
)
from reviewers.ledger.commitments import Part
from reviewers.ledger.encoding import LedgerRow, rows_of
from reviewers.snapshots.ingest.records import Record, RecordError, is_name
from reviewers.snapshots.models import Snapshot, SnapshotAttribution, SnapshotDocuments, visible
from reviewers.snapshots.redactable_parts import BARS, sealed_name
from reviewers.snapshots.search import search_vector
from reviewers.snapshots.unmarked import has_marker, unmark, unmark_answer
from reviewers.snapshots.versions.in_use import FreezingTerms, policy_data

_AFTERWARDS = (ReferenceStatus.FOUND, ReferenceStatus.REPAIRED)
_FAILURES = (IssueCode.OPPOSITE, IssueCode.QUOTE_NOT_FOUND, IssueCode.FIGURE_NOT_FOUND)
_EXCERPT = 160
_LONGEST_SECTION = 200
"""Characters of a section's name that lists are filtered by: an index takes no longer ones."""
MOST_SECTIONS = 100
"""Sections that an answer is listed and counted under. Where a context has more, their names are data."""
_COMPRESSION = 1


@dataclass(frozen=True, slots=True)
class Frozen:
    """A record with its attributions by the engine, and the rows that store it. It has ``documents`` if it has or cites any."""

    record: Record
    attribution: Attribution
    documents: DocumentAttribution | None
    snapshot: Snapshot
    attribution_row: SnapshotAttribution
    documents_row: SnapshotDocuments | None

    @property
    def attributions(self) -> list[SnapshotAttribution | SnapshotDocuments]:
        """The rows of its attributions."""
        return [self.attribution_row, *([self.documents_row] if self.documents_row else [])]

    @property
    def rows(self) -> list[LedgerRow]:
        """The rows that the event of freezing commits to."""
        return rows_of([self.snapshot, *self.attributions])


def freeze(record: Record, at: datetime, terms: FreezingTerms) -> Frozen:
    """Attribute a record; raise ``RecordError`` if the engine cannot read its context or its documents."""
    answered_at, threshold = record.answered_at or at, _threshold(record, terms.profile)
    hidden = _hidden_sections(record, threshold)
    documents = None  # of a record that neither has nor cites any
    if record.has_sources:
        documents = attribute_citations(record, answered_on=answered_at.date(), policy=terms.policy)
    attribution = _attribute_fields(record, documents, hidden, terms.profile)
    plain = unmark_answer(attribution, documents).text
    names = {**record.names, "provider": _provider_of(record, attribution, terms.profile)}
    snapshot = Snapshot(
        organisation_id=terms.organisation.id,
        external_id=record.external_id,
        **names,
        schema_id=terms.schema_id,
        turn_index=record.turn_index,
        answered_at=answered_at.astimezone(UTC),  # the database takes no offset of sixteen hours
        frozen_at=at,
        record=record.raw,
        digest=record.digest,
        content_digest=record.content_digest,
        excerpt=_excerpt(plain),
        search=search_vector({"id": record.external_id, **names}, unmark(record.user_text).text, plain),
        hidden_sections=sorted(map(visible, hidden)),
        given_sections=_sections(row.field for row in attribution.fields if row.field.section not in hidden),
        completeness={visible(section): share for section, share in record.completeness.items()},
        completeness_threshold=threshold,
        instruction_reported=record.instruction,
        instruction_switch=terms.organisation.asks_for_citations,
    )
    row = attribution_row(attribution, snapshot, terms.profile.cutoff)
    cited = documents_row(documents, row, terms.policy, terms.trust_table_id) if documents else None
    return Frozen(record, attribution, documents, snapshot, row, cited)


def _provider_of(record: Record, attribution: Attribution, profile: Profile) -> str:
    """Return the provider who was suggested, according to the record or else to the field of its context that names one by the registry.

    Where the field stands several times, that nearest to the section counts. Of different names, and of what the model was not shown,
    nothing is known. A text with a marker is no name, and who reviews the turn that it repeats blind may not read it.
    """
    if record.names["provider"] or record.suggests_nobody:
        return record.names["provider"]
    named: dict[int, set[str]] = {}
    for row in attribution.fields:
        field = row.field
        is_meant = profile.registry.names_provider(field.section, field.leaf) and not field.is_hidden
        if is_meant and is_name(field.value) and not has_marker(field.value):
            named.setdefault(field.path.count("."), set()).add(field.value)
    nearest = named[min(named)] if named else set[str]()
    left = nearest - {BARS} or nearest
    return left.pop() if len(left) == 1 else ""


def _attribute_fields(record: Record, documents: DocumentAttribution | None, hidden: frozenset[str], profile: Profile) -> Attribution:
    try:
        return attribute(
            response=documents.raw_text if documents else record.response,
            context=record.context,
            user_text=record.user_text,
            hidden_sections=hidden,
            documents=(*record.documents, *record.tool_calls),
            field_citations=record.field_citations,
            profile=profile,
            answered_on=record.answered_at.date() if record.answered_at else None,
        )
    except InputError as error:
        raise RecordError(error.place, error.reason) from error


def attribute_citations(record: Record, *, answered_on: date | None, policy: CitationPolicy) -> DocumentAttribution:
    """Attribute an answer to documents, of which there may be none. Raise ``RecordError`` for invalid input."""
    try:
        return attribute_documents(
            response=record.response,
            documents=record.documents,
            tool_calls=record.tool_calls,
            citations=record.citations,
            native=record.native,
            policy=policy,
            abstention_reason=record.abstention_reason,
            question=record.user_text,
            answered_on=answered_on,
        )
    except InputError as error:
        raise RecordError(error.place, error.reason) from error


def attribution_row(attribution: Attribution, snapshot: Snapshot, cutoff: float | None) -> SnapshotAttribution:
    """Return the row of an attribution to fields by a profile with this cut-off."""
    document, used = canonical_bytes(encode(attribution)), attribution.used
    return SnapshotAttribution(
        organisation_id=snapshot.organisation_id,
        snapshot=snapshot,
        profile_id=attribution.profile,
        engine_version=attribution.engine_version,
        attributed_at=snapshot.frozen_at,
        document=zlib.compress(document, _COMPRESSION),
        digest=_digest(document),
        source=attribution.source.value,
        guardrails=_count_guardrails(attribution),
        sections=_sections(row.field for row in used),
        field_count=len(attribution.fields),
        found_count=len(used),
        cited_count=sum(row.is_cited for row in used),
        below_count=sum(row.estimate is not None and row.confidence < cutoff for row in used) if cutoff is not None else 0,
    )


def documents_row(
    attribution: DocumentAttribution, of: SnapshotAttribution, policy: CitationPolicy, trust_table_id: UUID | None = None
) -> SnapshotDocuments:
    """Return the row of an attribution to documents beside that to fields."""
    document = canonical_bytes(encode_documents(attribution))
    return SnapshotDocuments(
        organisation_id=of.organisation_id,
        attribution=of,
        policy=policy_data(policy),
        trust_table_id=trust_table_id,
        document=zlib.compress(document, _COMPRESSION),
        digest=_digest(document),
        issues=dict(sorted(Counter(issue.code.value for issue in attribution.issues).items())),
        validity=attribution.validity.colour.value,
        trust=attribution.answer_trust.level.value,
        source_count=len(attribution.sources),
        cited_count=len(attribution.cited),
        repaired_count=len(attached_sources(attribution)),
        citation_counts=_citation_counts(attribution, policy),
        is_withheld=bool(attribution.abstention_reason),
    )


def _citation_counts(attribution: DocumentAttribution, policy: CitationPolicy) -> list[int]:
    """Return the ``CITATION_COUNTS``: the model's own citations of a source, of these with a quote that was checked, and so on."""
    own = {each.ordinal: each for each in attribution.references if each.sources and each.status not in _AFTERWARDS}
    quotes = sum(bool(each.quote) for each in own.values()) if policy.quotes is not QuotePolicy.OFF else 0
    failed = [{issue.reference for issue in attribution.issues if issue.code is code} & own.keys() for code in _FAILURES]
    return [len(own), quotes, *map(len, failed), int(attribution.is_well_sourced), attribution.sentence_count]


def attached_sources(attribution: DocumentAttribution) -> list[str]:
    """Return the ids of the sources that a repair attached, the best first."""
    repaired = [each for each in attribution.references if each.status is ReferenceStatus.REPAIRED]
    return [name for each in repaired for name in each.sources]


def _digest(document: bytes) -> bytes:
    return bytes.fromhex(digest(document).removeprefix("sha256:"))


def hidden_sections_of(record: Record, profile: Profile) -> frozenset[str]:
    """Return the sections that were withheld, by name or because they were not complete enough."""
    return _hidden_sections(record, _threshold(record, profile))


def _threshold(record: Record, profile: Profile) -> float | None:
    """Return the completeness below which a section was withheld: the runtime's own, else the profile's; None if nothing was measured."""
    if record.completeness_threshold is not None:
        return record.completeness_threshold
    return profile.thresholds.section_completeness if record.completeness else None


def _hidden_sections(record: Record, threshold: float | None) -> frozenset[str]:
    return record.hidden_sections | {name for name, share in record.completeness.items() if threshold is not None and share < threshold}


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


# Parts that events commit to.


def parts_of_documents(record: Record, documents_digest: bytes | None) -> Iterator[Part]:
    """Yield the parts about documents that the event of freezing commits to: those that are given, and the attribution's digest.

    What the model states beside its text is a part even if it states nothing: members who review the answer blind read the number of parts,
    and would know that citations without a mark in the text are the model's own.
    """
    yield from ((f"documents.{index}", canonical_bytes(document)) for index, document in enumerate(record.documents))
    yield from ((f"tool_calls.{index}", canonical_bytes(call)) for index, call in enumerate(record.tool_calls))
    for name in ("citations", "native", "abstention_reason"):
        value = getattr(record, name)
        if value or documents_digest:
            yield name, canonical_bytes(value or None)
    if documents_digest:
        yield "documents_attribution.sha256", documents_digest


def parts_of_repair(documents: DocumentAttribution, documents_digest: bytes) -> list[Part]:
    """Return the parts that the event of a repair commits to: the digest of the result, and each attached source's name and text."""
    contents = {source.id: source.content for source in documents.sources}
    attached = [(f"attached.{name}", _utf8(contents[name])) for name in attached_sources(documents)]
    return [("documents_attribution.sha256", documents_digest), *attached]


def parts_of(frozen: Frozen) -> list[Part]:
    """Return the parts that the event of freezing commits to: the stored digests, both texts of the turn, context fields, documents.

    Digests are parts too: in clear, without a salt, a digest would let a guess be confirmed after redaction.
    """
    documents = bytes(frozen.documents_row.digest) if frozen.documents_row else None
    return parts_of_stored(frozen.record, frozen.attribution, bytes(frozen.attribution_row.digest), documents)


def parts_of_stored(record: Record, attribution: Attribution, attribution_digest: bytes, documents_digest: bytes | None) -> list[Part]:
    """Like `parts_of`, for a stored snapshot: disclosing some of its parts takes the commitments of all."""
    parts = [("record.sha256", record.digest), ("attribution.sha256", attribution_digest)]
    parts += [("user_text", _utf8(record.user_text)), ("response", _utf8(record.response))]
    parts += [(sealed_name(row.field.section, row.field.path), _canonical(row.field.value)) for row in attribution.fields]
    return [*parts, *parts_of_documents(record, documents_digest)]


def _canonical(value: Any) -> bytes:
    """Return canonical JSON of a value; simple values are written directly, which is faster."""
    kind = type(value)
    if kind is bool:
        return b"true" if value else b"false"
    if kind is int:
        return b"%d" % value
    return repr(value).encode() if kind is float and isfinite(value) else canonical_bytes(value)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# Stored attributions to documents, as the engine reads them.


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
