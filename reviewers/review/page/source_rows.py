"""The sources of an answer, cited or not, as rows of its page, each with its citations, their checks and labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from attribution import CitableSource, DocumentAttribution, Reference, ReferenceStatus
from reviewers.review import wording
from reviewers.review.items import ReviewItem
from reviewers.review.judged_support import ShownJudgement, shown_judgements
from reviewers.review.page.rows import ShownLabel, shown_label
from reviewers.review.page.sources import LONGEST_TEXT, Check, Segment, SourceNote, checks_of, cited_passage, first_citations
from reviewers.snapshots.citations import Citation, windows_of


@dataclass(frozen=True, slots=True)
class LabelledCitation:
    """A citation with its label, and a model's judgement if there is one. ``is_due`` is true if a review needs a verdict on it."""

    number: int
    name: str
    is_due: bool
    given: ShownLabel
    by_model: ShownJudgement | None = None


def labelled_citations(item: ReviewItem, citations: Iterable[Citation]) -> dict[tuple[int, str], LabelledCitation]:
    """Return citations of an item with their labels, by the ordinals of their references, as the page counts them, and their sources."""
    titles = {each.id: wording.source_title(each) for each in item.grounds.sources} if item.grounds else {}
    by_model = shown_judgements(item)
    return {
        (item.places[each.reference.ordinal] if item.is_blind else each.reference.ordinal, each.source): LabelledCitation(
            each.number, titles[each.source], item.needs_verdict(each), shown_label(item, each.key), by_model.get(each.key)
        )
        for each in citations
    }


# Sources and their citations.


_LONGEST = 300
_LONGEST_TITLE = 200
_MOST_PASSAGES = 50
"""The number of passages that are drawn with the page; the others are fetched on request."""
_MOST_UNCITED = 20
"""The number of uncited sources that are drawn with the page; the others are folded."""
_MOST_CITATIONS = 20
"""The number of citations that are drawn of one source."""
_MOST_DRAWN = 400
"""The number of citations that are drawn of all sources together."""
MOST_AT_ALL = 5_000
"""The number of citations that are drawn if all are requested: as many as a browser can draw."""

_AFTERWARDS = {
    ReferenceStatus.REPAIRED: "attached afterwards",
    ReferenceStatus.FOUND: "found afterwards",
    ReferenceStatus.LISTED: "in the list at the end only",
}

NO_WORDS: Mapping[int, str] = {}


class CitationFacts(NamedTuple):
    """Facts about citations from outside the attribution: the labels of each, and remarks on some by their ordinals."""

    judged: Mapping[tuple[int, str], LabelledCitation]
    told: Mapping[int, str] = NO_WORDS


class Extent(NamedTuple):
    """The extent of what is drawn: all citations, or everything, uncited sources and all passages included; and all rows of fields."""

    all_citations: bool = False
    everything: bool = False
    all_rows: bool = False


USUAL = Extent()


@dataclass(frozen=True, slots=True)
class CitationRow:
    """One citation of a source.

    ``anchor`` is its place in the answer, or empty. ``mark`` is the ordinal of the first citation for the same words, which marks them in
    the answer. ``told`` says how it differs from the model's own citations. ``passage`` is empty if it is not drawn with the page, although
    the citation may have one.
    """

    ordinal: int
    mark: int | None
    anchor: str
    judged: LabelledCitation
    claim: str
    quote: str
    confidence: str
    told: str
    checks: Sequence[Check]
    has_passage: bool
    passage: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source, cited or not.

    ``place`` counts sources from 1, ``anchor`` is its place on the page, ``number`` its footnote. ``origin`` says which table its ``tier``
    comes from. ``text`` is its whole text if everything is drawn, for viewers who may not know which passage the engine chose.
    """

    place: int
    anchor: str
    number: int | None
    title: str
    title_rest: str
    name: str
    kind: str
    host: str
    published_at: str
    tier: str
    score: float
    origin: str
    trace: str
    told: str
    citations: Sequence[CitationRow]
    more: int
    text: str = ""


def folded_sources(documents: DocumentAttribution) -> list[SourceRow]:
    """Return the uncited sources that are not drawn with the page."""
    builder = SourceRows(documents, {}, (), CitationFacts({}))
    return builder.rows(builder.divided()[1], USUAL)


class SourceRows:
    """Builds the rows of sources. ``anchors`` are the places of sources on the page, ``notes`` those of citations in the answer."""

    def __init__(
        self, documents: DocumentAttribution, numbers: Mapping[str, int], notes: Iterable[SourceNote], known: CitationFacts
    ) -> None:
        self._documents = documents
        self._known = known
        self._marks = first_citations(documents)
        self.numbers = numbers
        self.notes = {(note.ordinal, note.source): note.anchor for note in notes}
        self._places = {source.id: place for place, source in enumerate(documents.sources, start=1)}
        self.anchors = {name: f"source-{place}" for name, place in self._places.items()}
        self._by_source: dict[str, list[Reference]] = {}
        for reference in documents.references:
            for name in reference.sources:
                self._by_source.setdefault(name, []).append(reference)

    def divided(self) -> tuple[list[CitableSource], list[CitableSource]]:
        """Return the sources that are drawn with the page, and those that are folded.

        Cited ones come in the order of their footnotes, then those cited without a place in the answer, then the rest.
        """
        last = len(self._documents.sources) + len(self._documents.references)
        order = sorted(self._documents.sources, key=lambda source: (self.numbers.get(source.id, last), source.id not in self._by_source))
        spoken_of = self._by_source.keys() | {issue.source for issue in self._documents.issues}
        rest = [source for source in order if source.id not in spoken_of]
        folded = {source.id for source in rest[_MOST_UNCITED:]}
        return [source for source in order if source.id not in folded], rest[_MOST_UNCITED:]

    def rows(self, sources: Iterable[CitableSource], extent: Extent) -> list[SourceRow]:
        """Return the rows of some sources."""
        rows: list[SourceRow] = []
        drawn = 0
        for source in sources:
            most = MOST_AT_ALL - drawn if extent.everything or extent.all_citations else min(_MOST_CITATIONS, _MOST_DRAWN - drawn)
            rows.append(self._source(source, most, None if extent.everything else max(0, _MOST_PASSAGES - drawn)))
            drawn += len(rows[-1].citations)
        return rows

    def _source(self, source: CitableSource, most: int, passages: int | None) -> SourceRow:
        trust = self._documents.trust[source.id]
        references = self._by_source.get(source.id, [])
        title = wording.source_title(source)
        drawn = [each for each in references if each.status is not ReferenceStatus.REPAIRED]  # attached ones are for no words
        return SourceRow(
            place=self._places[source.id],
            anchor=self.anchors[source.id],
            number=self.numbers.get(source.id),
            title=title[:_LONGEST_TITLE],
            title_rest=title[_LONGEST_TITLE:],
            name=", ".join(dict.fromkeys(shortened(part) for part in (source.id, source.source_id, source.chunk_id) if part)),
            kind=source.tool or wording.KINDS.get(source.kind.value, source.kind.value),
            host=shortened(trust.host or source.domain),
            published_at=shortened(source.published_at),
            tier=wording.level_of_trust(trust),
            score=trust.score,
            origin=wording.origin_of_trust(trust),
            trace=trust.trace,
            told=_told(references),
            citations=[self._citation(each, source, is_drawn=passages is None or nth < passages) for nth, each in enumerate(drawn[:most])],
            more=len(drawn[most:]),
            text=source.content[:LONGEST_TEXT] if passages is None else "",
        )

    def _citation(self, reference: Reference, source: CitableSource, *, is_drawn: bool) -> CitationRow:
        claim = self._documents.clean_text[slice(*reference.span)] if reference.span else ""
        return CitationRow(
            ordinal=reference.ordinal,
            mark=self._marks.get(reference.span) if reference.span else None,
            judged=self._known.judged[reference.ordinal, source.id],
            anchor=self.notes.get((reference.ordinal, source.id), ""),
            claim=shortened(claim.strip()),
            quote=shortened(reference.quote),
            confidence=reference.confidence,
            told=self._known.told.get(reference.ordinal) or _special(reference),
            checks=checks_of(reference.check),
            has_passage=any(windows_of(reference, source.id)),
            passage=cited_passage(reference, source) if is_drawn else (),
        )


def _told(references: Sequence[Reference]) -> str:
    """Return how often a source is cited. Citations that the model did not make itself are named as such."""
    own = sum(each.status not in _AFTERWARDS for each in references)
    if own:
        return f"cited {own} times" if own > 1 else "cited once"
    return _AFTERWARDS[references[0].status] if references else "not cited"


def _special(reference: Reference) -> str:
    """Return how a citation differs from the model's own citations in the answer, or an empty string."""
    return _AFTERWARDS.get(reference.status, "" if reference.position is not None else "cited beside the text, at no place in it")


def shortened(text: str) -> str:
    """Return the beginning of a text that may be very long."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"
