"""The documents that an answer cites, each sentence with whether its source bears it out, in plain words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from attribution import CitableSource, ReferenceCheck
from reviewers.reports.quoting import Quote, quote
from reviewers.reports.reviews import Review, SaidOfSource
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.citations import Citation
from reviewers.review.items import Item

MOST_SOURCES = 60
_LONGEST_TITLE = 160
_SAID = {
    CitationVerdict.SUPPORTS: "the document says this",
    CitationVerdict.DOES_NOT_SUPPORT: "the document does not say this",
    CitationVerdict.CANNOT_JUDGE: "cannot tell",
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What checking one sentence against its source came to."""

    words: str
    tone: str
    icon: str


@dataclass(frozen=True, slots=True)
class SourceUse:
    """A sentence and the document that stands behind it. ``number`` is that of its footnote."""

    number: int | None
    title: str
    host: str
    sentence: Quote | None
    verdict: Verdict
    is_afterwards: bool
    said: Sequence[SaidOfSource]

    @property
    def is_doubted(self) -> bool:
        """Whether a reviewer says that the document does not say this."""
        return any(each.verdict is CitationVerdict.DOES_NOT_SUPPORT for each in self.said)

    @property
    def checked(self) -> Sequence[tuple[str, str]]:
        """What reviewers say of it, with what they wrote."""
        return [(_SAID.get(each.verdict, "with a note"), each.note) for each in self.said]


def uses_of(item: Item, reviews: Sequence[Review]) -> list[SourceUse]:
    """Each cited sentence, in the order of the footnotes."""
    if item.documents is None:
        return []
    sources, trust = {source.id: source for source in item.documents.sources}, item.documents.trust
    hosts = {name: trust[name].host or source.domain for name, source in sources.items()}
    uses = [_use(citation, sources[citation.source], hosts[citation.source], item, reviews) for citation in item.citations]
    return sorted(uses, key=lambda use: use.number or len(uses) + len(item.shown.numbers))


def _use(citation: Citation, source: CitableSource, host: str, item: Item, reviews: Sequence[Review]) -> SourceUse:
    reference, text = citation.reference, item.shown.attribution.clean_text
    title = source.title or source.path or source.uri or source.source_id or source.id
    return SourceUse(
        number=item.shown.numbers.get(source.id),
        title=title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE] + "…",
        host=host,
        sentence=quote(text, reference.span) if reference.span else None,
        verdict=verdict_of(reference.check),
        is_afterwards=not citation.key.is_own,
        said=[review.said_of_sources[citation.key] for review in reviews if citation.key in review.said_of_sources],
    )


def verdict_of(check: ReferenceCheck | None) -> Verdict:
    """The gravest thing that was found, and no more than was found: that words agree is not that a document says it."""
    faults = _faults(check) if check else []
    if faults:
        return Verdict(" ".join(faults), "bad", "clash")
    if check is None or not (check.quote or check.quote_span or check.support):
        return Verdict("Could not be checked.", "quiet", "none")
    if check.support is not None and not check.support.is_supported:
        return Verdict("The document does not clearly say this.", "warn", "unsure")
    if check.quote is not None or check.quote_span is not None:
        return Verdict("The quoted words are in the document.", "good", "check")
    return Verdict("The document seems to say this.", "good", "check")


def _faults(check: ReferenceCheck) -> Sequence[str]:
    faults = []
    if check.quote is not None and not check.quote.is_verified:
        faults.append("The quoted words are not in the document.")
    if check.quote_span is not None and not check.quote_span.is_verified:
        faults.append("The quoted words stand elsewhere in it.")
    faults += [f"“{each.text[:80]}” is not in the document." for each in check.missing[:3]]
    return faults
