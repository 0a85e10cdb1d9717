"""Citations of documents on the page: the cited passage of a source, the checks, and the footnotes and marks in the answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from attribution import CitableSource, DocumentAttribution, Reference, ReferenceCheck, ReferenceStatus, Span
from reviewers.review.page.answer import BESIDE, NO_ROW, Layer, MarkerNote, Placed
from reviewers.review.wording import Badge, quote_badge
from reviewers.snapshots.citations import windows_of

_AROUND = 120
_LONGEST = 900

Segment = tuple[str, str]
"""Text, and what it is: ``quote``, ``support`` or nothing."""


def passage_of(content: str, support: Span | None, quote: Span | None) -> Sequence[Segment]:
    """Return the words around the support and the quote, each run with its kind, or nothing if neither was found."""
    marked = [span for span in (support, quote) if span and span[0] < span[1] <= len(content)]
    if not marked:
        return ()
    start = max(0, min(span[0] for span in marked) - _AROUND)
    end = min(len(content), max(span[1] for span in marked) + _AROUND, start + _LONGEST)
    start, end = _at_words(content, start, end, min(span[0] for span in marked), max(span[1] for span in marked))
    edges = sorted({start, end, *(min(max(edge, start), end) for span in marked for edge in span)})
    segments = [(content[begin:stop], _kind(begin, support, quote)) for begin, stop in pairwise(edges)]
    return [("…", "")] * (start > 0) + segments + [("…", "")] * (end < len(content))


def _at_words(content: str, start: int, end: int, first: int, last: int) -> Span:
    """Move the edges of a passage to spaces, so that no word is cut in two."""
    before, behind = content.find(" ", start, first), content.rfind(" ", last, end)
    return (before + 1 if start and before >= 0 else start), (behind if end < len(content) and behind >= 0 else end)


def _kind(place: int, support: Span | None, quote: Span | None) -> str:
    if quote and quote[0] <= place < quote[1]:
        return "quote"
    return "support" if support and support[0] <= place < support[1] else ""


LONGEST_TEXT = 20_000


def passage_at(documents: DocumentAttribution, ordinal: int, place: int) -> Sequence[Segment]:
    """Return the passage of the source at ``place`` for a citation, or nothing if there is no such citation."""
    if not (ordinal < len(documents.references) and 1 <= place <= len(documents.sources)):
        return ()
    return cited_passage(documents.references[ordinal], documents.sources[place - 1])


def text_at(documents: DocumentAttribution, place: int) -> str:
    """Return the text of the source at ``place``, without the engine's choice of a passage."""
    return documents.sources[place - 1].content[:LONGEST_TEXT] if 1 <= place <= len(documents.sources) else ""


def cited_passage(reference: Reference, source: CitableSource) -> Sequence[Segment]:
    """Return the passage of a source for a reference, or nothing if nothing was found in it."""
    return passage_of(source.content, *windows_of(reference, source.id))


# The checks of a citation.


Check = tuple[Badge, str]
"""A badge, and the engine's sentence."""


_WORST_FIRST = ("bad", "warn", "unsure", "quiet", "good")


def checks_of(check: ReferenceCheck | None) -> list[Check]:
    """Return the checks of a citation: quote, its place, figures and names, support. If nothing could be checked, one says so."""
    if check is None:
        return [(Badge("Not checked", "quiet", "none"), "there is no text to check it by, or it stands for no words of the answer")]
    return [*_quote(check), *_missing(check), *_support(check)]


def summary_of(checks: Iterable[Check]) -> Badge | None:
    """Return the worst of some checks with the number of other failures, or None without checks."""
    badges = sorted([badge for badge, _ in checks], key=lambda badge: _WORST_FIRST.index(badge.tone))
    if not badges:
        return None
    failed = sum(badge.tone in ("bad", "warn") for badge in badges)
    if badges[0].tone == "good":
        return Badge("No check failed", "good", "check")
    return replace(badges[0], text=f"{badges[0].text}, and {failed - 1} more") if failed > 1 else badges[0]


def _quote(check: ReferenceCheck) -> Iterator[Check]:
    if check.quote is not None:
        yield quote_badge(check.quote.rule.value, is_verified=check.quote.is_verified), check.quote.trace
    if check.quote_span is not None:
        is_right = check.quote_span.is_verified
        words = "Stands at its place" if is_right else "Does not stand at its place"
        yield Badge(words, "good" if is_right else "bad", "check" if is_right else "clash"), check.quote_span.trace


def _missing(check: ReferenceCheck) -> Iterator[Check]:
    for each in check.missing:
        is_figure = each.kind.value == "figure"
        badge = Badge("Figure not in the source", "bad", "clash") if is_figure else Badge("Name not in the source", "warn", "dropped")
        yield badge, each.trace


def _support(check: ReferenceCheck) -> Iterator[Check]:
    support = check.support
    if support is None:
        return
    if support.opposite:
        badge = Badge("The source seems to say the opposite", "bad", "clash")
    elif support.is_supported:
        badge = Badge("Most of its words stand in the source", "quiet", "many")
    elif support.doubt:
        badge = Badge("Its words stand in the source, but something differs", "warn", "unsure")
    else:
        badge = Badge("Few of its words stand in the source", "warn", "unsure")
    together = f"; {len(check.passages)} sources read together" if len(check.passages) > 1 else ""
    yield badge, f"{support.trace}{together}; score {support.probability:.2f}"


# Footnotes and marks in the answer.


MOST_NOTES = 2_000


@dataclass(frozen=True, slots=True)
class Peek:
    """The preview of a source at its footnote. ``place`` is that of the source. A passage that is not drawn is fetched on request."""

    title: str
    told: str
    place: int
    has_passage: bool
    passage: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class SourceNote:
    """A footnote that leads to a source. ``anchor`` is its own place on the page, ``target`` that of the source."""

    number: int
    anchor: str
    source: str
    ordinal: int
    is_found_afterwards: bool
    target: str = ""
    peek: Peek | None = None


def source_notes(documents: DocumentAttribution, numbers: Mapping[str, int], first_order: int | None) -> list[Placed]:
    """Return the footnotes of sources, and a note for each citation that was dropped because it names no source.

    ``first_order`` comes after all markers. Without it there are no notes of dropped citations, which are findings of the engine.
    """
    placed: list[Placed] = []
    seen: set[str] = set()
    for reference in documents.references:
        if reference.position is not None and len(placed) < MOST_NOTES:
            order = reference.raw[0] if reference.raw else BESIDE + reference.ordinal
            placed += [(reference.position, order, note) for note in _notes(reference, numbers, seen, first_order)]
    return placed


def _notes(reference: Reference, numbers: Mapping[str, int], seen: set[str], first_order: int | None) -> Iterator[SourceNote | MarkerNote]:
    for place, name in enumerate(reference.sources):
        anchor = f"cite-{reference.ordinal}-{place}" if name in seen else f"fn-{numbers[name]}"
        seen.add(name)
        is_found = reference.status is ReferenceStatus.FOUND
        yield SourceNote(numbers[name], anchor, name, reference.ordinal, is_found)
    lost = [target.written for target in reference.targets if target.source is None]
    if lost and first_order is not None:
        detail = f"{reference.text} means no source that the model was given"
        yield MarkerNote(None, "unresolved", None, detail, is_first=False, order=first_order + reference.ordinal)


def source_layers(documents: DocumentAttribution) -> Iterator[Layer]:
    """Yield the words that citations are for, and the figures and names in them that their sources do not contain."""
    yield from ((*span, "sourced", ordinal) for span, ordinal in first_citations(documents).items() if span[0] < span[1])
    seen: set[Layer] = set()
    for reference in documents.references:
        if reference.span is None or reference.check is None or not reference.sources:
            continue
        start = reference.span[0]
        layers = [(start + each.span[0], start + each.span[1], "unfounded", NO_ROW) for each in reference.check.missing]
        yield from (layer for layer in layers if layer not in seen and layer[0] < layer[1])
        seen.update(layers)


def first_citations(documents: DocumentAttribution) -> dict[Span, int]:
    """Return the ordinal of the first citation for each cited span."""
    firsts: dict[Span, int] = {}
    for reference in documents.references:
        if reference.span is not None and reference.sources:
            firsts.setdefault(reference.span, reference.ordinal)
    return firsts
