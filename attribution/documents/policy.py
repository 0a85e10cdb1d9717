"""The policy that an organisation has for citations."""

from __future__ import annotations

from dataclasses import dataclass

from attribution.documents.tools import DEFAULT_EXTRACTORS, Extractors
from attribution.documents.trust import TrustRegistry
from attribution.model import Word


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
