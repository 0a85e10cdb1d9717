"""Citations as they were made, and references: what becomes of them once they are looked up.

Offsets are code points of the clean text unless a name says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from attribution.documents.differences import QuoteCheck
from attribution.documents.figures_and_names import Missing
from attribution.documents.quotes import SpanCheck
from attribution.documents.support import Support
from attribution.documents.tools import DEFAULT_EXTRACTORS, Extractors
from attribution.documents.trust import TrustRegistry
from attribution.model import Span, Word


class Grammar(Word):
    """How a citation is written."""

    NUMBERED = "numbered"
    KEYED = "keyed"
    STRUCTURED = "structured"
    CLAIMS = "claims"
    NATIVE = "native"
    LISTED = "listed"
    POST_HOC = "post_hoc"
    REPAIR = "repair"


class Pointer(NamedTuple):
    """One thing that a citation says it cites; the parts that it does not name are empty.

    ``place`` counts documents from 1. It is a number that the model read, which documents may carry themselves, unless it
    ``is_position``: then a provider counted.
    """

    written: str
    place: int | None = None
    source: str = ""
    chunk: str = ""
    namespace: str = ""
    uri: str = ""
    title: str = ""
    is_position: bool = False


class WrittenCitation(NamedTuple):
    """A citation as it was made, before anything is looked up. Offsets are those of the raw text.

    ``raw`` is the mark in the text, which is taken out of it. ``claim`` is what the citation supports, where it says so itself.
    ``quote`` and ``quote_span`` are what it says of the cited passage; ``confidence`` is the model's own word. ``fault`` says what is wrong
    with a place in the source or the answer that cannot be one.
    """

    grammar: Grammar
    text: str
    pointers: tuple[Pointer, ...]
    raw: Span | None = None
    claim: Span | None = None
    quote: str = ""
    quote_span: Span | None = None
    confidence: str = ""
    fault: str = ""


class ReferenceStatus(Word):
    """The state of a citation after it was looked up.

    ``partial`` ones resolve for some of what they point to. ``listed`` ones stand only in the list at the end of the answer, and
    ``repaired`` ones were attached afterwards: neither has a position. ``found`` ones were matched after the fact.
    """

    RESOLVED = "resolved"
    PARTIAL = "partial"
    UNRESOLVED = "unresolved"
    LISTED = "listed"
    FOUND = "found"
    REPAIRED = "repaired"


AFTERWARDS = (ReferenceStatus.FOUND, ReferenceStatus.REPAIRED)
"""States of references that the model did not make itself."""


class IssueCode(Word):
    """The faults that citations can have."""

    UNKNOWN_SOURCE = "unknown_source"
    UNKNOWN_CHUNK = "unknown_chunk"
    AMBIGUOUS = "ambiguous"
    OUT_OF_RANGE = "out_of_range"
    DUPLICATE = "duplicate"
    MISSING = "missing"
    MALFORMED = "malformed"
    ECHOED = "echoed"
    MISPLACED = "misplaced"
    MISLABELLED = "mislabelled"
    LISTED_NOT_CITED = "listed_not_cited"
    CITED_NOT_LISTED = "cited_not_listed"
    CLAIM_NOT_FOUND = "claim_not_found"
    QUOTE_MISSING = "quote_missing"
    QUOTE_NOT_FOUND = "quote_not_found"
    SPAN_OUTSIDE = "span_outside"
    SPAN_DIFFERS = "span_differs"
    FIGURE_NOT_FOUND = "figure_not_found"
    NAME_NOT_FOUND = "name_not_found"
    OPPOSITE = "opposite"
    READ_IN_PART = "read_in_part"


class Target(NamedTuple):
    """One thing a citation points to: as written, and the id of the source it is, if there is one such source."""

    written: str
    source: str | None


class ReferenceCheck(NamedTuple):
    """The checks of a reference against the cited texts; a check that had nothing to look for is empty.

    ``passages`` are the ids of the sources that were read, all that are cited for the claim; ``support`` counts them in this order.
    ``missing`` are figures and names of the claim that are in none of them, with their spans in the claim.
    """

    passages: tuple[str, ...]
    support: Support | None
    missing: tuple[Missing, ...]
    quote: QuoteCheck | None
    quote_span: SpanCheck | None


class Reference(NamedTuple):
    """A citation looked up: the span of the clean text it supports, where its footnote goes, and what it points to.

    ``ordinal`` counts citations from 0. ``position`` is nothing for what stands only in a list or beside the text, or was
    attached afterwards.
    """

    ordinal: int
    grammar: Grammar
    status: ReferenceStatus
    text: str
    targets: tuple[Target, ...]
    position: int | None = None
    span: Span | None = None
    raw: Span | None = None
    quote: str = ""
    quote_span: Span | None = None
    confidence: str = ""
    check: ReferenceCheck | None = None

    @property
    def sources(self) -> tuple[str, ...]:
        """The ids of the sources it resolves to, each once."""
        return tuple(dict.fromkeys([target.source for target in self.targets if target.source is not None]))


class Issue(NamedTuple):
    """Something wrong, in words a reviewer reads; ``reference`` is the ordinal of the citation it is about."""

    code: IssueCode
    message: str
    reference: int | None = None
    source: str | None = None


# The policy that an organisation has for citations.


class QuotePolicy(Word):
    """The rule for quotes in citations that can carry one."""

    OFF = "off"
    OPTIONAL = "optional"
    REQUIRED = "required"


class SearchUnit(Word):
    """The part of an answer that citations found afterwards are for. Stored: a word here is never given another meaning."""

    SENTENCE = "sentence"
    CLAUSE = "clause"


@dataclass(frozen=True, slots=True)
class CitationPolicy:
    """The demands that an organisation makes of citations.

    ``is_required``: an answer without a citation is an issue. ``repairs``: the best evidence is attached to it afterwards.
    ``searches_afterwards``: an answer that cites nothing is searched for what is in its sources, by ``search_unit``.
    ``numbers_are_places``: numbers count documents even where these carry other numbers as their ids.
    ``extractors`` make sources of what tools returned. ``trust`` is the organisation's own table of tiers; none means the shipped one.
    """

    is_required: bool = False
    quotes: QuotePolicy = QuotePolicy.OPTIONAL
    repairs: bool = False
    searches_afterwards: bool = False
    search_unit: SearchUnit = SearchUnit.SENTENCE
    numbers_are_places: bool = False
    extractors: Extractors = DEFAULT_EXTRACTORS
    trust: TrustRegistry | None = None


DEFAULT_POLICY = CitationPolicy()
