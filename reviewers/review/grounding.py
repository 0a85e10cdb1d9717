"""The documents of an answer as plain values for its page: validity and trust, every source, every citation with its checks, claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from attribution import CitableSource, Claim, DocumentAttribution, Issue, IssueCode, Reference, ReferenceStatus, SourceTrust, Span
from reviewers.review.answer_text import Placed
from reviewers.review.passage import Segment, passage_of
from reviewers.review.source_checks import Check, checks_of
from reviewers.review.source_notes import Peek, SourceNote
from reviewers.review.source_words import KINDS, issue_badge, quote_badge, trust_badge, validity_badge
from reviewers.review.words import Badge

_LONGEST_CLAIM = 300
_MOST_ISSUES = 40
_MOST_PEEKS = 200
"""Of how many footnotes the source can be looked at without leaving the text."""
_MOST_CITATIONS = 20
"""Of one source."""
_MOST_DRAWN = 400
"""Of all sources together: an answer that cites a thousand documents a hundred times stays a page."""

_AFTERWARDS = {
    ReferenceStatus.REPAIRED: "attached afterwards",
    ReferenceStatus.FOUND: "found afterwards",
    ReferenceStatus.LISTED: "in the list at the end only",
}


@dataclass(frozen=True, slots=True)
class CitationRow:
    """One citation of a source. ``anchor`` is its place in the answer, empty where it has none; ``told`` says what is special of it."""

    ordinal: int
    anchor: str
    claim: str
    quote: str
    confidence: str
    told: str
    checks: Sequence[Check]
    passage: Sequence[Segment]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A source, cited or not. ``anchor`` is its place on the page, ``number`` its footnote."""

    anchor: str
    number: int | None
    title: str
    name: str
    kind: str
    host: str
    published_at: str
    tier: str
    score: float
    trace: str
    told: str
    citations: Sequence[CitationRow]
    more: int


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A statement that the model made apart from the text, with the footnotes and checks of its citations."""

    text: str
    confidence: str
    is_in_answer: bool
    sources: Sequence[tuple[str, str]]
    checks: Sequence[Check]


@dataclass(frozen=True, slots=True)
class IssueRow:
    """Something wrong with a citation; ``target`` is its place in the answer or the source it is about."""

    badge: Badge
    message: str
    target: str


@dataclass(frozen=True, slots=True)
class Grounding:
    """Everything that a page shows of an answer's documents."""

    cited: int
    validity: Badge
    validity_reason: str
    trust: Badge
    trust_reason: str
    abstention_reason: str
    is_repaired: bool
    sources: Sequence[SourceRow]
    claims: Sequence[ClaimRow]
    unanswered: Sequence[str]
    issues: Sequence[IssueRow]
    more_issues: int


def build_grounding(
    documents: DocumentAttribution, numbers: Mapping[str, int], placed: Sequence[Placed]
) -> tuple[Grounding, Sequence[Placed]]:
    """The values, given the footnotes of sources and the notes that stand in the answer; and these notes with what they show."""
    notes = [note for _, _, note in placed if isinstance(note, SourceNote)]
    builder = _Builder(documents, numbers, notes)
    rows = builder.sources()
    grounding = Grounding(
        cited=len(documents.cited),
        validity=validity_badge(documents.validity.colour.value),
        validity_reason=documents.validity.reason,
        trust=trust_badge(documents.answer_trust.level.value, documents.answer_trust.score),
        trust_reason=documents.answer_trust.trace,
        abstention_reason=documents.abstention_reason,
        is_repaired=documents.is_repaired,
        sources=rows,
        claims=[builder.claim(each) for each in documents.claims],
        unanswered=documents.unanswered_aspects,
        issues=[builder.issue(each) for each in documents.issues[:_MOST_ISSUES]],
        more_issues=max(0, len(documents.issues) - _MOST_ISSUES),
    )
    return grounding, _with_peeks(placed, rows, builder.anchors)


class _Builder:
    """Builds what refers to each other: sources, citations, claims."""

    def __init__(self, documents: DocumentAttribution, numbers: Mapping[str, int], notes: Iterable[SourceNote]) -> None:
        self._documents = documents
        self._numbers = numbers
        self._notes = {(note.ordinal, note.source): note.anchor for note in notes}
        self._contents = {source.id: source.content for source in documents.sources}
        self.anchors = {source.id: f"source-{place}" for place, source in enumerate(documents.sources, start=1)}
        self._by_source: dict[str, list[Reference]] = {}
        for reference in documents.references:
            for name in reference.sources:
                self._by_source.setdefault(name, []).append(reference)

    def sources(self) -> list[SourceRow]:
        """Cited ones in the order of their footnotes, then those that are cited without a place in the answer, then the rest."""
        last = len(self._documents.sources) + len(self._documents.references)
        order = sorted(self._documents.sources, key=lambda source: (self._numbers.get(source.id, last), source.id not in self._by_source))
        rows: list[SourceRow] = []
        drawn = 0
        for source in order:
            rows.append(self._source(source, min(_MOST_CITATIONS, _MOST_DRAWN - drawn)))
            drawn += len(rows[-1].citations)
        return rows

    def claim(self, claim: Claim) -> ClaimRow:
        references = [self._documents.references[ordinal] for ordinal in claim.references]
        names = dict.fromkeys(name for each in references for name in each.sources)
        return ClaimRow(
            text=claim.text[:_LONGEST_CLAIM],
            confidence=claim.confidence,
            is_in_answer=claim.span is not None,
            sources=[(self.anchors[name], str(self._numbers.get(name) or name)) for name in names],
            checks=list(dict.fromkeys(check for each in references for check in checks_of(each.check))),
        )

    def issue(self, issue: Issue) -> IssueRow:
        return IssueRow(self._badge(issue), self._message(issue), self._target(issue))

    def _badge(self, issue: Issue) -> Badge:
        """What kind of thing is wrong; of a quote that is nearly there, in what it differs."""
        check = self._documents.references[issue.reference].check if issue.reference is not None else None
        if issue.code is IssueCode.QUOTE_NOT_FOUND and check is not None and check.quote is not None:
            return quote_badge(check.quote.rule.value, is_verified=False)
        return issue_badge(issue.code.value)

    def _message(self, issue: Issue) -> str:
        """What is wrong, behind the citation as it is written, where that stands in the answer and is not told already."""
        reference = self._documents.references[issue.reference] if issue.reference is not None else None
        is_told = reference is None or reference.raw is None or reference.text in issue.message
        return issue.message if is_told or reference is None else f"{_shortened(reference.text)}: {issue.message}"

    def _target(self, issue: Issue) -> str:
        if issue.reference is not None:
            places = [anchor for (ordinal, _), anchor in self._notes.items() if ordinal == issue.reference]
            sources = self._documents.references[issue.reference].sources
            return next(iter(places), "") or next((self.anchors[name] for name in sources), "")
        return self.anchors.get(issue.source or "", "")

    def _source(self, source: CitableSource, most: int) -> SourceRow:
        trust = self._documents.trust[source.id]
        references = self._by_source.get(source.id, [])
        return SourceRow(
            anchor=self.anchors[source.id],
            number=self._numbers.get(source.id),
            title=source.title or source.path or source.uri or source.source_id or source.id,
            name=", ".join(dict.fromkeys(part for part in (source.id, source.source_id, source.chunk_id) if part)),
            kind=source.tool or KINDS.get(source.kind.value, source.kind.value),
            host=trust.host or source.domain,
            published_at=source.published_at,
            tier=_tier(trust),
            score=trust.score,
            trace=trust.trace,
            told=_told(references),
            citations=[self._citation(each, source) for each in references[:most]],
            more=max(0, len(references) - most),
        )

    def _citation(self, reference: Reference, source: CitableSource) -> CitationRow:
        claim = self._documents.clean_text[slice(*reference.span)] if reference.span else ""
        return CitationRow(
            ordinal=reference.ordinal,
            anchor=self._notes.get((reference.ordinal, source.id), ""),
            claim=_shortened(claim.strip()),
            quote=_shortened(reference.quote),
            confidence=reference.confidence,
            told=_AFTERWARDS.get(reference.status, "" if reference.position is not None else "cited beside the text, at no place in it"),
            checks=checks_of(reference.check),
            passage=passage_of(source.content, *_windows(reference, source.id)),
        )


def _windows(reference: Reference, name: str) -> tuple[Span | None, Span | None]:
    """Where a source has what it is cited for, and the quote; a quote from one of several sources is of none in particular."""
    check = reference.check
    if check is None:
        return None, None
    support = check.support
    is_this = support is not None and check.passages[support.passage : support.passage + 1] == (name,)
    quote = check.quote.window if check.quote and len(reference.sources) == 1 else None
    return (support.window if support and is_this else None), quote


def _tier(trust: SourceTrust) -> str:
    return f"tier {trust.tier}, {trust.name}" if trust.tier else "tier unknown"


def _told(references: Sequence[Reference]) -> str:
    """How often a source is cited; what was not the model's doing is told apart."""
    own = sum(each.status not in _AFTERWARDS for each in references)
    if own:
        return f"cited {own} times" if own > 1 else "cited once"
    return _AFTERWARDS[references[0].status] if references else "not cited"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_CLAIM else text[:_LONGEST_CLAIM] + "…"


def _with_peeks(placed: Sequence[Placed], rows: Iterable[SourceRow], anchors: Mapping[str, str]) -> list[Placed]:
    """The notes with where they lead, the first of them with what their source says there."""
    peeks = {(each.ordinal, row.anchor): Peek(row.title, ", ".join(_facts(row)), each.passage) for row in rows for each in row.citations}
    shown: list[Placed] = []
    for place, (position, order, note) in enumerate(placed):
        if isinstance(note, SourceNote):
            target = anchors[note.source]
            note = replace(note, target=target, peek=peeks.get((note.ordinal, target)) if place < _MOST_PEEKS else None)  # noqa: PLW2901
        shown.append((position, order, note))
    return shown


def _facts(row: SourceRow) -> list[str]:
    return [part for part in (row.host, row.tier, row.published_at) if part]
