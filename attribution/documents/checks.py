"""Checks each citation against the text of what it cites: support, figures and names, quote and span."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from attribution.budget import MOST_CHECKED, MOST_TOLD, Budget, cost_of_figures
from attribution.documents.differences import QuoteCheck
from attribution.documents.figures_and_names import Known, Missing, MissingKind, find_missing, know, know_together, names_or_counts
from attribution.documents.quotes import SpanCheck, check_quote_in, check_span
from attribution.documents.references import Issue, IssueCode, QuotePolicy, Reference, ReferenceCheck
from attribution.documents.sources import CitableSource
from attribution.documents.support import Support, judge_support_in
from attribution.documents.transcript import Transcript
from attribution.documents.wording import Wording

_SYMBOLS = re.compile(r"\A[^\w\"'“‘(\[$€£¥+−-]+")
"""Signs that a sentence may begin with and that are no word, such as an emoji; spaces in its place keep the spans."""
_PER_CLAIM, _PER_QUOTE = 60, 60
_PER_WORD, _PER_MISSING = 3, 60
"""Steps that the shortest one takes."""
_CODES = {MissingKind.FIGURE: IssueCode.FIGURE_NOT_FOUND, MissingKind.NAME: IssueCode.NAME_NOT_FOUND}


class Checker:
    """Checks the references of one answer. A source is read once for all that cite it, and only if one does.

    ``budget`` is what may be read and compared. A citation for which too little of it is left is not checked, and it is said so.
    """

    def __init__(
        self, sources: Iterable[CitableSource], clean: str, question: str, quotes: QuotePolicy, budget: Budget | None = None
    ) -> None:
        self.budget = budget or Budget(MOST_CHECKED)
        self._sources = {source.id: source for source in sources}
        self._told = Budget(MOST_TOLD)
        self._clean = clean
        self._question = Wording(question)
        self._quotes = quotes
        self._wordings: dict[str, Wording] = {}
        self._known: dict[tuple[str, ...], Known] = {}
        self._transcripts: dict[str, Transcript] = {}
        self._unchecked: set[int] = set()
        self._costs: dict[str, int] = {}
        self.issues: list[Issue] = []

    def check(self, references: Sequence[Reference]) -> list[Reference]:
        """The references with what was found. Those at one place support one claim together, so their sources are read together."""
        together: dict[tuple[object, ...], list[str]] = {}
        for each in references:
            together.setdefault(_place_of(each), []).extend(each.sources)
        readable = {place: self._readable(names) for place, names in together.items()}
        checks: dict[tuple[object, ...], tuple[Support, tuple[Missing, ...]] | None] = {}
        lengths: dict[tuple[object, ...], int] = {}
        checked: list[Reference] = []
        for each in references:
            place = _place_of(each)
            cited = readable[place]
            if place not in checks:
                found = self._claim(each, cited) if cited and self._affords_claim(each, cited) else None
                lengths[place] = _length_of(cited, found)
                checks[place] = found if self._tells(each, lengths[place]) else None
                self.issues += self._failed(each, checks[place])
            check = self._check(each, cited, checks[place])
            checked.append(each._replace(check=check if check and self._tells(each, lengths[place]) else None))
        return checked

    def unchecked(self) -> list[Issue]:
        """Return what is said of citations that were not checked."""
        if not self._unchecked:
            return []
        message = f"{len(self._unchecked):,} citations were not checked: there is more to compare in this turn than is examined"
        return [Issue(IssueCode.READ_IN_PART, message)]

    def _affords_claim(self, reference: Reference, cited: tuple[str, ...]) -> bool:
        """Return True if there are steps left for a claim: its sources if they are not read yet, and its words in each of them."""
        if reference.span is None:
            return True
        start, end = reference.span
        new = [self._sources[name].content for name in cited if name not in self._wordings]
        cost = sum([len(text) // 2 for text in new]) + _PER_CLAIM + (end - start) * (2 + len(cited) // 4)
        alone = [name for name in cited if (name,) not in self._known]
        cost += (
            cost_of_figures(self._clean[start:end])
            + sum(map(self._figures_of, alone))
            + (0 if cited in self._known else sum([len(self._sources[name].content) // 8 for name in cited]))
        )
        return self._affords(reference, cost if end <= len(self._clean) else MOST_CHECKED + 1)

    def _affords_quote(self, reference: Reference, cited: tuple[str, ...]) -> bool:
        texts = [self._sources[name].content for name in cited]
        cost = sum([len(text) for name, text in zip(cited, texts, strict=True) if name not in self._transcripts])
        cost += len(cited) * (_PER_QUOTE + 8 * len(reference.quote)) + sum(map(len, texts)) // 64
        return self._affords(reference, cost)

    def _figures_of(self, name: str) -> int:
        if name not in self._costs:
            self._costs[name] = cost_of_figures(self._sources[name].content)
        return self._costs[name]

    def _affords(self, reference: Reference, cost: int) -> bool:
        if self.budget.take(cost):
            return True
        self._unchecked.add(reference.ordinal)
        return False

    def _tells(self, reference: Reference, length: int) -> bool:
        """Return True if there is room for what was found: it is kept with each of the references at one place."""
        if self._told.take(length):
            return True
        self._unchecked.add(reference.ordinal)
        return False

    def _readable(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple([name for name in dict.fromkeys(names) if self._sources[name].content.strip()])

    def _claim(self, reference: Reference, cited: tuple[str, ...]) -> tuple[Support, tuple[Missing, ...]] | None:
        if reference.span is None:
            return None
        claim = _SYMBOLS.sub(lambda signs: " " * len(signs[0]), self._clean[slice(*reference.span)], count=1)
        support = judge_support_in(Wording(claim), [self._wording(name) for name in cited], self._question)
        return support, find_missing(claim, self._know(cited)) if names_or_counts(claim) else ()

    def _failed(self, reference: Reference, found: tuple[Support, tuple[Missing, ...]] | None) -> list[Issue]:
        if found is None:
            return []
        support, missing = found
        issues = [Issue(_CODES[each.kind], each.trace, reference.ordinal) for each in missing]
        if support.opposite:
            issues.append(Issue(IssueCode.OPPOSITE, f"the source seems to say the opposite: {support.opposite}", reference.ordinal))
        return issues

    def _check(
        self, reference: Reference, cited: tuple[str, ...], found: tuple[Support, tuple[Missing, ...]] | None
    ) -> ReferenceCheck | None:
        quote, span = self._quote(reference) if self._quotes is not QuotePolicy.OFF else (None, None)
        if found is None and quote is None and span is None:
            return None
        support, missing = found or (None, ())
        return ReferenceCheck(cited, support, missing, quote, span)

    def _quote(self, reference: Reference) -> tuple[QuoteCheck | None, SpanCheck | None]:
        """In the cited source; of several, in the one that has it."""
        cited = self._readable(reference.sources)
        if not cited or not (reference.quote or reference.quote_span) or not self._affords_quote(reference, cited):
            return None, None
        quotes = [check_quote_in(reference.quote, self._transcript(name)) for name in cited] if reference.quote else []
        quote = max(quotes, key=lambda each: (each.is_verified, each.similarity)) if quotes else None
        if quote is not None and not quote.is_verified:
            self.issues.append(Issue(IssueCode.QUOTE_NOT_FOUND, quote.trace, reference.ordinal))
        if reference.quote_span is None:
            return quote, None
        passage = self._sources[cited[quotes.index(quote) if quote is not None else 0]].content
        span = check_span(reference.quote_span, passage, reference.quote or None)
        if not span.is_verified:
            outside = reference.quote_span[1] > len(passage)
            self.issues.append(Issue(IssueCode.SPAN_OUTSIDE if outside else IssueCode.SPAN_DIFFERS, span.trace, reference.ordinal))
        return quote, span

    def _wording(self, name: str) -> Wording:
        if name not in self._wordings:
            self._wordings[name] = Wording(self._sources[name].content)
        return self._wordings[name]

    def _know(self, names: tuple[str, ...]) -> Known:
        if names not in self._known:
            self._known[names] = know_together([self._known_alone(name) for name in names])
        return self._known[names]

    def _known_alone(self, name: str) -> Known:
        if (name,) not in self._known:
            source = self._sources[name]
            self._known[name,] = know(f"{source.title}\n{source.content}")
        return self._known[name,]

    def _transcript(self, name: str) -> Transcript:
        if name not in self._transcripts:
            self._transcripts[name] = Transcript(self._sources[name].content)
        return self._transcripts[name]


def _length_of(cited: Sequence[str], found: tuple[Support, tuple[Missing, ...]] | None) -> int:
    """Return how many characters are kept of what was found for a claim."""
    length = sum([_PER_WORD + len(name) for name in cited])
    if found:
        support, missing = found
        length += len(support.trace) + sum([_PER_WORD + len(word) for word in support.missing])
        length += sum([_PER_MISSING + len(each.text) + len(each.trace) for each in missing])
    return length


def _place_of(reference: Reference) -> tuple[object, ...]:
    """Return what tells claims apart; a citation without a place in the text stands alone."""
    return (reference.span, reference.position) if reference.span is not None else (reference.ordinal,)
