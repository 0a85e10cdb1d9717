"""Unsupported claims of an item, those of several reviewers together where they are about the same words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar
from uuid import UUID

from attribution import Span
from reviewers.review.items import ReviewItem
from reviewers.review.labels.queries import ClaimKey, StoredClaimLabel
from reviewers.review.talk.flags import quoted_words

Given = TypeVar("Given")

_MOST_TOGETHER = 200
"""The most places of one answer that are compared with each other."""


def are_same(one: Span, other: Span) -> bool:
    """True if two spans are of the same claim: what they share is at least half of each."""
    shared = min(one[1], other[1]) - max(one[0], other[0])
    return 2 * shared >= max(one[1] - one[0], other[1] - other[0])


def together(labels: Iterable[tuple[ClaimKey, Given]]) -> list[tuple[ClaimKey, list[Given]]]:
    """Return what was given to spans by claim, in the order of the answer. The span of a claim is that of all labels on it."""
    by_span: dict[ClaimKey, list[Given]] = {}
    for key, given in labels:
        by_span.setdefault(key, []).append(given)
    claims = []
    for spans in group(by_span):
        whole = ClaimKey(min(span.start for span in spans), max(span.end for span in spans))
        claims.append((whole, [given for span in spans for given in by_span[span]]))
    return claims


def group(spans: Iterable[ClaimKey]) -> list[list[ClaimKey]]:
    """Return spans in groups of the same claim, in the order of the answer. A span belongs to the first group whose first span is alike."""
    groups: list[list[ClaimKey]] = []
    for span in sorted(set(spans)):
        found = next((each for each in groups[-_MOST_TOGETHER:] if are_same(each[0], span)), None)
        if found is None:
            groups.append([span])
        else:
            found.append(span)
    return groups


@dataclass(frozen=True, slots=True)
class ClaimBy:
    """A reviewer's label on words. ``reason`` says why it was changed after submission. The viewer's own has no ``name``."""

    id: UUID
    key: ClaimKey
    name: str
    note: str
    reason: str
    at: datetime
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class ShownClaim:
    """An unsupported claim with the labels on it. ``span`` is its place in the text that the page shows.

    If the answer is masked or redacted, ``words`` are a mask and there is no span. ``reviews`` is the number of reviews that the
    viewer may see, and so of those that could have found it.
    """

    number: int
    span: Span | None
    words: str
    labels: Sequence[ClaimBy]
    reviews: int

    @property
    def own(self) -> ClaimBy | None:
        """Return the viewer's own label, or None."""
        return next((label for label in self.labels if label.is_own), None)


def shown_claims(item: ReviewItem) -> list[ShownClaim]:
    """Return the unsupported claims that the viewer may see, in the order of the answer."""
    reviews = len(item.others) + 1
    return [
        ShownClaim(number, place_in_shown(item, span), quoted_words(item, *span), labels, reviews)
        for number, (span, labels) in enumerate(together(_labels_of(item)))
    ]


def _labels_of(item: ReviewItem) -> Iterator[tuple[ClaimKey, ClaimBy]]:
    """Yield the labels whose review is shown, which are the viewer's own where they have any, then those of others."""
    is_own = item.own_review is not None or item.row.submitted_by_id is None
    name = "" if is_own or item.row.submitted_by is None else item.row.submitted_by.name
    yield from _of(item.current_claims, name, is_own=is_own)
    for review in item.others:
        yield from _of(review.claims, review.name, is_own=False)


def _of(labels: Mapping[ClaimKey, StoredClaimLabel], name: str, *, is_own: bool) -> Iterator[tuple[ClaimKey, ClaimBy]]:
    for key, label in labels.items():
        if label.is_verdict:
            yield key, ClaimBy(label.id, key, name, label.note, label.reason, label.created_at, is_own)


def place_in_shown(item: ReviewItem, span: ClaimKey) -> Span | None:
    """Return the place of words in the text that the item's page shows, or None if any of it is masked or redacted."""
    if item.is_answer_masked or span.end > len(item.unmarked.text):
        return None
    return (span.start, span.end) if item.is_blind else item.unmarked.whole_span(span)
