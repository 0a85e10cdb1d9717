"""What an organisation asks of citations."""

from __future__ import annotations

from dataclasses import dataclass

from attribution.model import Word


class QuotePolicy(Word):
    """Whether citations that can carry a quote have to."""

    OFF = "off"
    OPTIONAL = "optional"
    REQUIRED = "required"


@dataclass(frozen=True, slots=True)
class CitationPolicy:
    """``is_required``: an answer without a citation is an issue. ``repairs``: the best evidence is attached to it afterwards."""

    is_required: bool = False
    quotes: QuotePolicy = QuotePolicy.OPTIONAL
    repairs: bool = False


DEFAULT_POLICY = CitationPolicy()
