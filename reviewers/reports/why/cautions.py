"""Warnings about an answer, and its cited documents, in plain words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from attribution import CitableSource, FieldAttribution, GuardrailCode, MarkerStatus, ReferenceCheck, fold_words
from reviewers.accounts.texts import Text
from reviewers.reports.why.wording import Quote, cut, quote, stated_of, value_of
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import ReviewLabels, StoredCitationLabel, together
from reviewers.review.masking.masks import mask_section
from reviewers.review.models import CitationVerdict, ClaimOutcome, Verdict
from reviewers.review.talk.flags import quoted_words
from reviewers.review.wording import source_title
from reviewers.snapshots.citations import Citation
from reviewers.snapshots.field_labels import label_of, section_label
from reviewers.snapshots.redactable_parts import BARS

MOST_SOURCES = 60
_LONGEST_TITLE = 160
_SAID = {
    CitationVerdict.SUPPORTS: "the document says this",
    CitationVerdict.DOES_NOT_SAY: "the document does not say this",
    CitationVerdict.CONTRADICTS: "the document says otherwise",
    CitationVerdict.CANNOT_JUDGE: "cannot tell",
}

_MOST_OF_A_KIND = 12
_LONGEST_VALUE = 160
_SHORTEST_NAME_PART = 3
_NOWHERE = (MarkerStatus.UNKNOWN, MarkerStatus.ABSENT, MarkerStatus.AMBIGUOUS)
_COPIED = (MarkerStatus.ECHOED, MarkerStatus.QUOTED)


@dataclass(frozen=True, slots=True)
class SourceVerdict:
    """The result of checking a sentence against its source."""

    words: str
    tone: str
    icon: str


@dataclass(frozen=True, slots=True)
class SourceUse:
    """A sentence and the document that it cites. ``number`` is the number of its footnote."""

    number: int | None
    title: str
    host: str
    sentence: Quote | None
    verdict: SourceVerdict
    is_afterwards: bool
    labels: Sequence[StoredCitationLabel]

    @property
    def is_unsaid(self) -> bool:
        """True if a reviewer says that the document does not say this."""
        return any(each.verdict is CitationVerdict.DOES_NOT_SAY for each in self.labels)

    @property
    def is_contradicted(self) -> bool:
        """True if a reviewer says that the document says otherwise."""
        return any(each.verdict is CitationVerdict.CONTRADICTS for each in self.labels)

    @property
    def checked(self) -> Sequence[tuple[str, str]]:
        """The reviewers' labels in words, with their notes."""
        return [(_SAID.get(each.verdict, "with a note"), each.note) for each in self.labels]


def uses_of(item: ReviewItem, reviews: Sequence[ReviewLabels]) -> list[SourceUse]:
    """Return the uses of sources, one for each cited sentence, in the order of the footnotes."""
    if item.documents is None:
        return []
    sources, trust = {source.id: source for source in item.documents.sources}, item.documents.trust
    hosts = {name: trust[name].host or source.domain for name, source in sources.items()}
    uses = [_use(citation, sources[citation.source], hosts[citation.source], item, reviews) for citation in item.citations]
    return sorted(uses, key=lambda use: use.number or len(uses) + len(item.shown.numbers))


def _use(citation: Citation, source: CitableSource, host: str, item: ReviewItem, reviews: Sequence[ReviewLabels]) -> SourceUse:
    reference, text = citation.reference, item.shown.attribution.clean_text
    title = source_title(source)
    return SourceUse(
        number=item.shown.numbers.get(source.id),
        title=title if len(title) <= _LONGEST_TITLE else title[:_LONGEST_TITLE] + "…",
        host=host,
        sentence=quote(text, reference.span) if reference.span else None,
        verdict=verdict_of(reference.check),
        is_afterwards=not citation.key.is_own,
        labels=[label for review in reviews if (label := review.citations.get(citation.key)) and label.says_anything],
    )


def verdict_of(check: ReferenceCheck | None) -> SourceVerdict:
    """Return the gravest result of a check, and claim no more: agreeing words do not prove that a document says it."""
    faults = _faults(check) if check else []
    if faults:
        return SourceVerdict(" ".join(faults), "bad", "clash")
    if check is None or not (check.quote or check.quote_span or check.support):
        return SourceVerdict("Could not be checked.", "quiet", "none")
    if check.support is not None and check.support.doubt:
        return SourceVerdict("Most of these words are in the document, but something differs.", "warn", "unsure")
    if check.support is not None and not check.support.is_supported:
        return SourceVerdict("Few of these words are in the document.", "warn", "unsure")
    if check.quote is not None or check.quote_span is not None:
        return SourceVerdict("The quoted words are in the document.", "good", "check")
    return SourceVerdict("Most of these words are in the document. Whether it says this, only reading it tells.", "quiet", "none")


def _faults(check: ReferenceCheck) -> Sequence[str]:
    faults = []
    if check.quote is not None and not check.quote.is_verified:
        faults.append("The quoted words are not in the document.")
    if check.quote_span is not None and not check.quote_span.is_verified:
        faults.append("The quoted words stand elsewhere in it.")
    faults += [f"“{each.text[:80]}” is not in the document." for each in check.missing[:3]]
    if check.support is not None and check.support.opposite:
        faults.append("The document seems to say the opposite.")
    return faults


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning: its title, and what to do or think about it. ``note`` is quoted from what somebody wrote."""

    tone: str
    icon: str
    title: str
    text: str
    note: str = ""


def cautions_of(item: ReviewItem, reviews: Sequence[ReviewLabels], uses: Sequence[SourceUse], *, has_to_name: bool = True) -> list[Caution]:
    """Return all cautions, the gravest first. A later answer about a provider need not name them again."""
    return [
        *_contradicted(item),
        *_judged(item, reviews),
        *_unsupported(item, reviews),
        *_references(item),
        *_sources(uses),
        *_held_back(item),
        *_withheld(item),
        *(_unnamed(item) if has_to_name else ()),
        *_unread(reviews),
    ]


def _contradicted(item: ReviewItem) -> Iterator[Caution]:
    rows = [row for row in item.attribution.fields if row.contradiction]
    for row in rows[:_MOST_OF_A_KIND]:
        stated, recorded = cut(stated_of(row), _LONGEST_VALUE).text, cut(value_of(row.field), _LONGEST_VALUE).text
        text = f"{label_of(row.field)}: the answer says “{stated}”. The record said “{recorded}”. Go by the record."
        yield Caution("bad", "clash", "The answer does not match the record.", text)
    if len(rows) > _MOST_OF_A_KIND:
        yield Caution("bad", "clash", "There is more that does not match.", f"{len(rows) - _MOST_OF_A_KIND} further values differ.")


def _judged(item: ReviewItem, reviews: Sequence[ReviewLabels]) -> Iterator[Caution]:
    """Yield the reviewers' corrections: a wrong value, or an answer that uses more or less than is listed."""
    said = [(row, each.verdict) for review in reviews for row in item.attribution.fields if (each := review.fields.get(field_key(row)))]
    misstated = [row for row, verdict in said if verdict is Verdict.MISSTATED]
    mistaken = [row for row, verdict in said if verdict is Verdict.WRONG and row.is_used]
    missed = [row for row, verdict in said if verdict is Verdict.WRONG and not row.is_used]
    if misstated:
        yield Caution("warn", "differs", "A reviewer found a value that is not the record’s.", _listed(misstated))
    if mistaken:
        who = _who(mistaken, reviews)
        yield Caution("unsure", "flag", f"{who} that the answer does not use all that is listed here.", f"Not used: {_listed(mistaken)}")
    if missed:
        who = _who(missed, reviews)
        yield Caution("unsure", "flag", f"{who} that the answer uses more than is listed here.", f"Used too: {_listed(missed)}")


def _unsupported(item: ReviewItem, reviews: Sequence[ReviewLabels]) -> Iterator[Caution]:
    """Yield a caution for each claim of the answer that a reviewer did not find in the record, unless a lead decided that it is there."""
    given = [(key, review.name) for review in reviews for key, label in review.claims.items() if label.is_verdict]
    decided = {key: made.verdict for key, made in item.decided.items()} if given else {}
    claims = [(span, names) for span, names in together(given) if decided.get(span) != ClaimOutcome.SUPPORTED]
    for span, names in claims[:_MOST_OF_A_KIND]:
        count = len(set(names))
        who = "A reviewer says" if len(reviews) == 1 else f"{count} of {len(reviews)} reviewers {'says' if count == 1 else 'say'}"
        who = "A lead has decided" if span in decided else who
        words = cut(quoted_words(item, *span), _LONGEST_VALUE).text
        yield Caution("warn", "outside", f"{who} that this is not in the record.", "The answer states it all the same:", words)
    if len(claims) > _MOST_OF_A_KIND:
        yield Caution("warn", "outside", "There is more that is not in the record.", f"{len(claims) - _MOST_OF_A_KIND} further claims.")


def _who(rows: Sequence[FieldAttribution], reviews: Sequence[ReviewLabels]) -> str:
    """Say how many of the reviewers called one of the fields wrong."""
    keys = {field_key(row) for row in rows}
    count = sum(any(key in keys and label.verdict is Verdict.WRONG for key, label in review.fields.items()) for review in reviews)
    if len(reviews) == 1:
        return "A reviewer says"
    return f"{count} of {len(reviews)} reviewers {'says' if count == 1 else 'say'}"


def _listed(rows: Sequence[FieldAttribution]) -> str:
    names = list(dict.fromkeys(label_of(row.field) for row in rows))
    more = f" and {len(names) - _MOST_OF_A_KIND} more" if len(names) > _MOST_OF_A_KIND else ""
    return ", ".join(names[:_MOST_OF_A_KIND]) + more + "."


def _references(item: ReviewItem) -> Iterator[Caution]:
    """Yield cautions for markers that point to something they should not, counted."""
    counts = dict.fromkeys(MarkerStatus, 0)
    for marker in item.attribution.markers:
        counts[marker.status] += 1
    if hidden := counts[MarkerStatus.HIDDEN]:
        text = "It was not shown that part, so it cannot have read it."
        yield Caution("warn", "dropped", f"The assistant points {_times(hidden)} to a part of the record that was kept from it.", text)
    if lost := sum(counts[status] for status in _NOWHERE):
        text = "What the assistant points to is not in the record. It was left out here."
        yield Caution("warn", "dropped", f"{_count(lost, 'reference')} could not be found.", text)
    if unread := counts[MarkerStatus.MALFORMED]:
        yield Caution("unsure", "dropped", f"{_count(unread, 'reference')} could not be read.", "The way it is written makes no sense.")
    if copied := sum(counts[status] for status in _COPIED):
        text = "It stands in a text that the assistant repeats, so it counts for nothing here."
        yield Caution("unsure", "dropped", f"{_count(copied, 'reference')} only copied.", text)
    if any(finding.code is GuardrailCode.OVER_CITED for finding in item.attribution.guardrails):
        text = "So many references in so short an answer say less about each of them."
        yield Caution("unsure", "many", "The assistant points to the record very often.", text)


def _sources(uses: Sequence[SourceUse]) -> Iterator[Caution]:
    bad = sum(use.verdict.tone == "bad" for use in uses)
    if bad:
        text = "See below which sentence it is, and go by the document."
        yield Caution(
            "bad", "clash", f"{_count(bad, 'sentence')} {'is' if bad == 1 else 'are'} not borne out by the document behind it.", text
        )
    if contradicting := _titles(use for use in uses if use.is_contradicted):
        yield Caution("bad", "clash", "A reviewer says that a document contradicts what it is cited for.", contradicting)
    if silent := _titles(use for use in uses if use.is_unsaid):
        yield Caution("warn", "differs", "A reviewer says that a document does not say what it is cited for.", silent)


def _titles(uses: Iterable[SourceUse]) -> str:
    """Name the documents of some uses, each once; an empty text if there are none."""
    titles = list(dict.fromkeys(use.title for use in uses))
    return f"The document: {', '.join(titles[:_MOST_OF_A_KIND])}." if titles else ""


def _held_back(item: ReviewItem) -> Iterator[Caution]:
    if item.documents and item.documents.abstention_reason:
        reason = cut(item.documents.abstention_reason, 2 * _LONGEST_VALUE).text
        yield Caution("warn", "pause", "The assistant held back an answer.", "It gave this reason:", reason)


def _withheld(item: ReviewItem) -> Iterator[Caution]:
    sections = [section_label(mask_section(section, item.hidden)) for section in item.row.snapshot.hidden_sections]
    if sections:
        more = f" and {len(sections) - _MOST_OF_A_KIND} more" if len(sections) > _MOST_OF_A_KIND else ""
        text = f"It did not see: {', '.join(sections[:_MOST_OF_A_KIND])}{more}."
        yield Caution("warn", "pause", "Part of the record was kept from the assistant.", text)


def _unnamed(item: ReviewItem) -> Iterator[Caution]:
    provider = item.row.snapshot.provider
    if provider != BARS and Text.ANSWER not in item.hidden and not is_named(provider, item.shown.attribution.clean_text):
        text = f"The record says that {item.names.provider} was suggested, but this answer does not name them."
        yield Caution("unsure", "unsure", "The name is not in the answer.", text)


def is_named(provider: str, answer: str) -> bool:
    """True if an answer contains a part of a name. A first name is enough; a single letter is not."""
    parts = fold_words(provider)
    long_parts = [part for part in parts if len(part) >= _SHORTEST_NAME_PART or not part.isascii()] or parts
    text = " ".join(fold_words(answer))
    return any(part in text for part in long_parts)


def _unread(reviews: Sequence[ReviewLabels]) -> Iterator[Caution]:
    if not reviews:
        yield Caution("unsure", "unsure", "No reviewer has finished checking this answer.", "What follows was worked out by a program.")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
