"""What becomes of citations. Offsets are code points of the clean text unless a name says otherwise."""

from __future__ import annotations

from typing import NamedTuple

from attribution.documents.citation import Grammar
from attribution.documents.figures_and_names import Missing
from attribution.documents.quote_check import QuoteCheck
from attribution.documents.quotes import SpanCheck
from attribution.documents.support import Support
from attribution.model import Span, Word


class ReferenceStatus(Word):
    """What became of a citation.

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
"""What the model did not cite itself."""


class IssueCode(Word):
    """What can be wrong with citations."""

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
    """What was found in the cited texts: nothing of what there was nothing to check for.

    ``passages`` are the ids of the sources that were read, all that are cited for the claim; ``support`` counts them in this order.
    ``missing`` are figures and names of the claim that stand in none of them, with their spans in the claim.
    """

    passages: tuple[str, ...]
    support: Support | None
    missing: tuple[Missing, ...]
    quote: QuoteCheck | None
    quote_span: SpanCheck | None


class Reference(NamedTuple):
    """A citation looked up: the span of the clean text it stands for, where its footnote goes, and what it points to.

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
