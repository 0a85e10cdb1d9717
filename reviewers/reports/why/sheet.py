"""The page "why this provider?" as plain values: everything its template shows, worked out before it is rendered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from uuid import UUID

from attribution import FieldAttribution, FieldType, Profile, Track
from reviewers.accounts.texts import Text, masked
from reviewers.ledger.queries import Redacted
from reviewers.reports.why.cautions import MOST_SOURCES, Caution, SourceUse, cautions_of, uses_of
from reviewers.reports.why.queries import OtherSuggestion
from reviewers.reports.why.wording import Cut, Quote, cut, quote, stated_of, value_of
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import ReviewLabels, StoredFieldLabel
from reviewers.review.masking.access import choices_for
from reviewers.review.models import Verdict
from reviewers.snapshots.field_labels import label_of, section_label
from reviewers.snapshots.queries import read_stored

_MOST_REMARKS = 200
MOST_ROWS = 200
_MOST_QUOTES = 3
_MOST_NAMED = 5
_MOST_BESIDES = 60
_LONGEST_VALUE = 120
_SHORT_VALUE = 60
_NAMED_FIRST = ("patient_context", "client_signal", "safety", "therapeutic_fit")


@dataclass(frozen=True, slots=True)
class Sureness:
    """The share of correct labels on such fields, per hundred, and the same in words.

    ``cutoff`` is the profile's cutoff, per hundred, if the share is below it.
    """

    words: str
    in_a_hundred: int
    cutoff: int | None = None


HowSure = Callable[[FieldAttribution], Sureness | None]


def how_sure(item: ReviewItem) -> HowSure:
    """Return a function that tells how sure a field is, or None where no labels support the number: it is then only a score."""
    if not item.attribution.is_calibrated:
        return lambda _row: None
    profile = read_stored(item.attribution.profile)
    return lambda row: _sureness(row, profile)


def _sureness(row: FieldAttribution, profile: Profile) -> Sureness | None:
    if row.estimate is None:
        return None
    is_below = profile.cutoff is not None and row.confidence < profile.cutoff
    cutoff = round(100 * profile.cutoff) if profile.cutoff is not None and is_below else None
    return Sureness(profile.in_words(row.confidence), min(99, max(1, round(100 * row.confidence))), cutoff)


@dataclass(frozen=True, slots=True)
class ValueRemark:
    """A reviewer's remark on one value."""

    name: str
    words: str
    note: str


@dataclass(frozen=True, slots=True)
class ReviewSummary:
    """A finished review: who, when, the number of labels of each verdict, and the remarks."""

    reviewer: str
    submitted_at: datetime
    counts: Sequence[tuple[int, str]]
    remarks: Sequence[ValueRemark]


def summarise_review(review: ReviewLabels, rows: Iterable[FieldAttribution]) -> ReviewSummary:
    """Return a review's counts, and its remarks on the fields that have a note or were found wrong."""
    counts = Counter(label.verdict for label in review.fields.values())
    words = (
        (Verdict.CORRECT, "right"),
        (Verdict.WRONG, "wrong"),
        (Verdict.MISSTATED, "with another value"),
        (Verdict.CANNOT_JUDGE, "not clear"),
    )
    remarks = [
        ValueRemark(label_of(row.field), _verdict_in_words(label, is_used=row.is_used), label.note)
        for row in rows
        if (label := review.fields.get(field_key(row))) and (label.note or label.verdict in (Verdict.WRONG, Verdict.MISSTATED))
    ]
    told = [(counts[verdict], spoken) for verdict, spoken in words if counts[verdict]]
    return ReviewSummary(review.name, review.submitted_at, told, remarks[:_MOST_REMARKS])


def checked(labels: Iterable[StoredFieldLabel]) -> list[str]:
    """Return the verdicts on a value that the sheet lists as used, each once, in words and with the number of reviewers."""
    counts = Counter(_verdict_in_words(each, is_used=True) for each in labels if each.verdict is not Verdict.NONE)
    return [f"{'A reviewer says' if count == 1 else f'{count} reviewers say'}: {words}" for words, count in counts.items()]


def _verdict_in_words(label: StoredFieldLabel, *, is_used: bool) -> str:
    """Return a verdict in words. It judges what the program says of a value: that the answer uses it, or that it does not."""
    words = {
        Verdict.CORRECT: "the answer uses it" if is_used else "the answer does not use it",
        Verdict.WRONG: "the answer does not use it" if is_used else "the answer uses it too",
        Verdict.MISSTATED: "the answer gives another value",
        Verdict.CANNOT_JUDGE: "cannot tell",
    }
    return words.get(label.verdict, "")


@dataclass(frozen=True, slots=True)
class SheetValue:
    """A value of the context: its name, its section and the value it had then."""

    name: str
    section: str
    value: Cut
    told: str = ""
    sure: Sureness | None = None


@dataclass(frozen=True, slots=True)
class CitedEntry:
    """A value that the assistant says it used, with the sentences that cite it."""

    number: int | None
    quotes: Sequence[Quote]
    more: int
    entry: SheetValue
    is_seen: bool
    stated: str
    verdicts: Sequence[str]


@dataclass(frozen=True, slots=True)
class UnmentionedSection:
    """A section of the context with its values that the answer does not mention."""

    title: str
    entries: Sequence[SheetValue]


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything that the page shows. ``more_…`` count what it has no room for."""

    id: UUID
    provider: str
    client: str
    conversation: str
    turn_index: int | None
    answered_at: datetime
    digest: str
    profile: str
    is_measured: bool
    is_suspended: bool
    cautions: Sequence[Caution]
    cited: Sequence[CitedEntry]
    more_cited: int
    matches: Sequence[SheetValue]
    more_matches: int
    is_empty: bool
    unused: Sequence[UnmentionedSection]
    unused_count: int
    more_unused: int
    among: Sequence[SheetValue]
    besides: Sequence[str]
    sources: Sequence[SourceUse]
    more_sources: int
    reviews: Sequence[ReviewSummary]
    first: OtherSuggestion | None
    others: Sequence[OtherSuggestion]
    redacted: Sequence[Redacted] = ()
    cutoff: int | None = None
    can_reveal: Sequence[tuple[str, str]] = ()


def build_sheet(item: ReviewItem, reviews: Sequence[ReviewLabels], beside: Sequence[OtherSuggestion]) -> Sheet:
    """Return the page of one answer. ``beside`` are all answers of its conversation that name a provider."""
    snapshot, rows = item.row.snapshot, item.shown.attribution.fields
    cited = sorted((row for row in rows if row.is_cited), key=lambda row: row.footnote or 0)
    matches = sorted((row for row in rows if row.track is Track.FOUND_ONLY), key=lambda row: -row.confidence)
    unused = [row for row in rows if is_unused(row)]
    named = _worth_naming(unused)
    uses = uses_of(item, reviews)
    sure, first = how_sure(item), _first(beside, item.id, snapshot.provider)
    return Sheet(
        id=item.id,
        provider=item.names.provider,
        client=item.names.client,
        conversation=item.names.conversation,
        turn_index=snapshot.turn_index,
        answered_at=snapshot.answered_at,
        digest="" if item.hidden - {Text.QUESTION} else "sha256:" + bytes(snapshot.digest).hex(),
        profile=item.attribution.profile,
        is_measured=item.attribution.is_calibrated,
        is_suspended=item.is_suspended,
        cautions=cautions_of(item, reviews, uses, has_to_name=first is None),
        cited=[_cited(row, item, reviews, sure) for row in cited[:MOST_ROWS]],
        more_cited=max(0, len(cited) - MOST_ROWS),
        matches=[entry_of(row, _told(row, reviews), sure) for row in matches[:MOST_ROWS]],
        more_matches=max(0, len(matches) - MOST_ROWS),
        is_empty=not rows,
        unused=list(_parts(unused[:MOST_ROWS])),
        unused_count=len(unused),
        more_unused=max(0, len(unused) - MOST_ROWS),
        among=[entry_of(row) for row in named],
        besides=list(dict.fromkeys(label_of(row.field) for row in unused if row not in named))[:_MOST_BESIDES],
        sources=uses[:MOST_SOURCES],
        more_sources=max(0, len(uses) - MOST_SOURCES),
        reviews=[summarise_review(review, rows) for review in reviews],
        can_reveal=choices_for(item.hidden - {Text.QUESTION}) if item.hidden - {Text.QUESTION} else (),
        first=first,
        others=[replace(each, provider=masked(each.provider, Text.PROVIDER, each.hidden)) for each in _others(beside, snapshot.provider)],
        redacted=item.redacted,
        cutoff=next((each.cutoff for row in rows if (each := sure(row)) and each.cutoff), None),
    )


def is_unused(row: FieldAttribution) -> bool:
    """Return True if the assistant was given the value and its answer does not mention it, nor contradict it."""
    is_there = not row.field.is_hidden and row.field.type is not FieldType.EMPTY and row.field.value not in (None, "", [], {})
    return is_there and not row.is_used and row.contradiction is None


def entry_of(row: FieldAttribution, told: str = "", sure: HowSure = lambda _row: None) -> SheetValue:
    """Return a field as the page shows it."""
    return SheetValue(label_of(row.field), section_label(row.field.section), cut(value_of(row.field), _LONGEST_VALUE), told, sure(row))


def quotes_of(row: FieldAttribution, item: ReviewItem) -> list[Quote]:
    """Return the sentences that cite a field."""
    return [quote(item.shown.attribution.clean_text, claim) for claim in row.claims[:_MOST_QUOTES]]


def _cited(row: FieldAttribution, item: ReviewItem, reviews: Sequence[ReviewLabels], sure: HowSure) -> CitedEntry:
    labels = [review.fields[field_key(row)] for review in reviews if field_key(row) in review.fields]
    return CitedEntry(
        number=row.footnote,
        quotes=quotes_of(row, item),
        more=max(0, len(row.claims) - _MOST_QUOTES),
        entry=entry_of(row, sure=sure),
        is_seen=row.evidence is not None,
        stated=cut(stated_of(row), _SHORT_VALUE).text,
        verdicts=checked(labels),
    )


def _told(row: FieldAttribution, reviews: Sequence[ReviewLabels]) -> str:
    """Return the note beside a match: how far it goes, and how many reviewers doubt it."""
    labels = (review.fields.get(field_key(row)) for review in reviews)
    doubts = sum(each is not None and each.verdict is Verdict.WRONG for each in labels)
    doubted = f"{'a reviewer says' if doubts == 1 else f'{doubts} reviewers say'}: not used" if doubts else ""
    return "; ".join(words for words in (_how_far(row), doubted) if words)


def _how_far(row: FieldAttribution) -> str:
    """Return how much of a value the answer has, or nothing if it has all of it."""
    evidence = row.evidence
    if evidence is None:
        return ""
    if evidence.is_ambiguous:
        return "perhaps by chance, the words are common"
    if evidence.elements > evidence.elements_found:
        return f"{evidence.elements_found} of {evidence.elements}"
    return "in other words, or in part" if row.field.type is FieldType.SUMMARY else ""


def _parts(rows: Iterable[FieldAttribution]) -> Iterator[UnmentionedSection]:
    by_section: dict[str, list[SheetValue]] = {}
    for row in rows:
        by_section.setdefault(row.field.section, []).append(entry_of(row))
    return (UnmentionedSection(section_label(section), entries) for section, entries in by_section.items())


def _worth_naming(rows: Sequence[FieldAttribution]) -> list[FieldAttribution]:
    """Return a few short values that are no identifiers, what the client needs before what the provider has."""
    short = [row for row in rows if len(value_of(row.field)) <= _SHORT_VALUE and row.field.type is not FieldType.IDENTIFIER]
    order = {section: place for place, section in enumerate(_NAMED_FIRST)}
    return sorted(short, key=lambda row: order.get(row.field.section, len(order)))[:_MOST_NAMED]


def _first(beside: Sequence[OtherSuggestion], this: UUID, provider: str) -> OtherSuggestion | None:
    """Return the answer that named the provider first, or None if it is this one."""
    first = next((each for each in beside if each.provider == provider), None)
    return first if first and first.id != this else None


def _others(beside: Sequence[OtherSuggestion], provider: str) -> list[OtherSuggestion]:
    """Return the first suggestion of each other provider of the conversation."""
    first: dict[str, OtherSuggestion] = {}
    for each in beside:
        if each.provider != provider:
            first.setdefault(each.provider, each)
    return list(first.values())
