"""The documents of an answer as its page shows them: validity and trust, sources, citations with their checks, claims and issues."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from attribution import Claim, DocumentAttribution, Issue, IssueCode
from reviewers.review.items import issue_name
from reviewers.review.page.answer import Placed
from reviewers.review.page.source_rows import USUAL, CitationFacts, CitationRow, Extent, SourceRow, SourceRows, shortened
from reviewers.review.page.sources import Peek, SourceNote, checks_of, summary_of
from reviewers.review.talk.flags import ShownFlag
from reviewers.review.wording import Badge, issue_badge, quote_badge, trust_badge, validity_badge

_LONGEST_CLAIM = 300
_MOST_CLAIMS = 500
_MOST_ISSUES = 40
_MOST_PEEKS = 200
"""The number of footnotes whose source can be read without leaving the text."""


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A statement that the model made outside the text, with the footnotes of its citations and a summary of their checks."""

    text: str
    confidence: str
    is_in_answer: bool
    sources: Sequence[tuple[str, str]]
    summary: Badge | None


@dataclass(frozen=True, slots=True)
class IssueRow:
    """A citation issue.

    ``number`` is its place among all findings of the item. ``target`` is its place in the answer, or the source it is about.
    """

    number: int
    badge: Badge
    message: str
    target: str
    flags: Sequence[ShownFlag]


@dataclass(frozen=True, slots=True)
class ShownDocuments:
    """Everything that a page shows of an answer's documents.

    ``density`` counts the model's citations for each sentence. ``sources`` are those drawn with the page, ``folded`` is the number of the
    others.
    """

    cited: int
    count: int
    validity: Badge
    validity_reason: str
    density: float
    trust: Badge
    trust_reason: str
    abstention_reason: str
    is_repaired: bool
    sources: Sequence[SourceRow]
    folded: int
    claims: Sequence[ClaimRow]
    more_claims: int
    unanswered: Sequence[str]
    issues: Sequence[IssueRow]
    more_issues: int


def build_grounding(
    documents: DocumentAttribution,
    numbers: Mapping[str, int],
    placed: Sequence[Placed],
    known: CitationFacts,
    extent: Extent = USUAL,
) -> tuple[ShownDocuments, Sequence[Placed]]:
    """Return the documents of an answer as its page shows them, and its notes completed with what they show.

    ``numbers`` are the footnotes of sources, ``placed`` the notes in the answer.
    """
    notes = [note for _, _, note in placed if isinstance(note, SourceNote)]
    builder = SourceRows(documents, numbers, notes, known)
    drawn, folded = builder.divided()
    rows = builder.rows([*drawn, *folded] if extent.everything else drawn, extent)
    referring = _Referring(documents, builder, rows)
    grounding = ShownDocuments(
        cited=len(documents.cited),
        count=len(documents.sources),
        validity=validity_badge(documents.validity.colour.value),
        validity_reason=documents.validity.reason,
        density=documents.validity.per_sentence,
        trust=trust_badge(documents.answer_trust.level.value, documents.answer_trust.score),
        trust_reason=documents.answer_trust.trace,
        abstention_reason=documents.abstention_reason,
        is_repaired=documents.is_repaired,
        sources=rows,
        folded=0 if extent.everything else len(folded),
        claims=[referring.claim(each) for each in documents.claims[:_MOST_CLAIMS]],
        more_claims=max(0, len(documents.claims) - _MOST_CLAIMS),
        unanswered=documents.unanswered_aspects,
        issues=[referring.issue(each, number) for number, each in enumerate(documents.issues[:_MOST_ISSUES])],
        more_issues=max(0, len(documents.issues) - _MOST_ISSUES),
    )
    return grounding, _with_peeks(placed, rows, builder.anchors)


def with_flags(grounding: ShownDocuments, issues: Iterable[Issue], first: int, flags: Sequence[ShownFlag]) -> ShownDocuments:
    """Return the grounding with flags, and with its issues numbered from ``first``, after the findings of guardrails."""
    named = zip(grounding.issues, map(issue_name, issues), strict=False)
    rows = [replace(row, number=first + row.number, flags=[flag for flag in flags if flag.finding == name]) for row, name in named]
    return replace(grounding, issues=rows)


class _Referring:
    """Builds the rows that refer to sources and citations: claims and issues."""

    def __init__(self, documents: DocumentAttribution, sources: SourceRows, rows: Iterable[SourceRow]) -> None:
        self._documents = documents
        self._sources = sources
        self._judged = {(each.ordinal, row.anchor): f"citation-{each.judged.number}" for row in rows for each in row.citations}

    def claim(self, claim: Claim) -> ClaimRow:
        references = [self._documents.references[ordinal] for ordinal in claim.references]
        names = {name: each.ordinal for each in reversed(references) for name in reversed(each.sources)}
        return ClaimRow(
            text=claim.text[:_LONGEST_CLAIM],
            confidence=claim.confidence,
            is_in_answer=claim.span is not None,
            sources=[
                (self._judged_at(ordinal, name), str(self._sources.numbers.get(name) or name)) for name, ordinal in reversed(names.items())
            ],
            summary=summary_of(dict.fromkeys(check for each in references for check in checks_of(each.check))),
        )

    def _judged_at(self, ordinal: int, name: str) -> str:
        """Return the anchor of a citation, or of its source if the citation is not drawn."""
        anchor = self._sources.anchors[name]
        return self._judged.get((ordinal, anchor), anchor)

    def issue(self, issue: Issue, number: int) -> IssueRow:
        return IssueRow(number, self._badge(issue), self._message(issue), self._target(issue), ())

    def _badge(self, issue: Issue) -> Badge:
        """Return the badge of an issue. For a quote that is almost found it says how the quote differs."""
        check = self._documents.references[issue.reference].check if issue.reference is not None else None
        if issue.code is IssueCode.QUOTE_NOT_FOUND and check is not None and check.quote is not None:
            return quote_badge(check.quote.rule.value, is_verified=False)
        return issue_badge(issue.code.value)

    def _message(self, issue: Issue) -> str:
        """Return the message of an issue, preceded by the citation as written if the message does not contain it."""
        reference = self._documents.references[issue.reference] if issue.reference is not None else None
        is_told = reference is None or reference.raw is None or reference.text in issue.message
        return issue.message if is_told or reference is None else f"{shortened(reference.text)}: {issue.message}"

    def _target(self, issue: Issue) -> str:
        if issue.reference is not None:
            places = [anchor for (ordinal, _), anchor in self._sources.notes.items() if ordinal == issue.reference]
            sources = self._documents.references[issue.reference].sources
            return next(iter(places), "") or next((self._sources.anchors[name] for name in sources), "")
        return self._sources.anchors.get(issue.source or "", "")


def _with_peeks(placed: Sequence[Placed], rows: Iterable[SourceRow], anchors: Mapping[str, str]) -> list[Placed]:
    """Return the notes with their targets; the first of them also get the passage of their source."""
    peeks = {(each.ordinal, row.anchor): _peek(row, each) for row in rows for each in row.citations}
    shown: list[Placed] = []
    for place, (position, order, note) in enumerate(placed):
        if isinstance(note, SourceNote):
            target = anchors[note.source]
            note = replace(note, target=target, peek=peeks.get((note.ordinal, target)) if place < _MOST_PEEKS else None)  # noqa: PLW2901
        shown.append((position, order, note))
    return shown


def _peek(row: SourceRow, citation: CitationRow) -> Peek:
    title = row.title + "…" * bool(row.title_rest)
    return Peek(title, ", ".join(_facts(row)), row.place, citation.has_passage, citation.passage)


def _facts(row: SourceRow) -> list[str]:
    return [part for part in (row.host, row.tier, row.published_at) if part]
