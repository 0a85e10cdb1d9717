"""What the page shows of the labels of citations: the part of a citation that comes back when it is labelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter

from attribution import DocumentAttribution
from reviewers.review import words
from reviewers.review.citation_models import CitationVerdict
from reviewers.review.citations import Citation
from reviewers.review.deciding.made import Made, RowKey
from reviewers.review.deciding.showing import Decided, decided_words
from reviewers.review.given_labels import GivenCitationLabel, changes_of
from reviewers.review.items import Item
from reviewers.review.plans.labels import Reviewed

CitationChange = tuple[GivenCitationLabel, str]
"""A label that was replaced after submission, and why."""


NOTHING_DECIDED: Mapping[RowKey, Made] = {}


@dataclass(frozen=True, slots=True)
class Judged:
    """A citation as it is labelled. ``is_due`` says that a review needs a verdict on it."""

    number: int
    name: str
    is_due: bool
    verdict: str
    verdict_words: str
    tone: str
    note: str
    changes: Sequence[CitationChange]
    others: Sequence[tuple[str, str, str]] = ()
    decided: Decided | None = None


class Judging:
    """What was said of citations: the labels that count, and those that were replaced after submission."""

    def __init__(
        self,
        documents: DocumentAttribution,
        labels: Sequence[GivenCitationLabel] = (),
        submitted_at: datetime | None = None,
        others: Sequence[Reviewed] = (),
        decided: Mapping[RowKey, Made] = NOTHING_DECIDED,
        needs_verdict: Callable[[Citation], bool] = attrgetter("is_due"),
    ) -> None:
        self._needs_verdict = needs_verdict
        self._others = others
        self._decided = decided
        self._titles = {each.id: each.title or each.path or each.uri or each.source_id or each.id for each in documents.sources}
        self._current = {label.key: label for label in labels}
        self._changes = changes_of(labels, submitted_at)

    def of(self, citation: Citation) -> Judged:
        """One citation."""
        label = self._current.get(citation.key)
        verdict = label.verdict if label else CitationVerdict.NONE
        is_given = verdict is not CitationVerdict.NONE
        return Judged(
            number=citation.number,
            name=self._titles[citation.source],
            is_due=self._needs_verdict(citation),
            verdict=verdict.value if is_given else "",
            verdict_words=verdict.label if is_given else "",
            tone=words.CITATION_VERDICT_TONES.get(verdict.value, ""),
            note=label.note if label else "",
            changes=self._changes.get(citation.key, ()),
            others=[
                (each.name, each.verdict_on_citation(citation.key).label, each.citations[citation.key].note)
                for each in self._others
                if citation.key in each.citations
            ],
            decided=decided_words(self._decided.get(citation.key), CitationVerdict),
        )


def judged_by_place(citations: Iterable[Citation], judging: Judging) -> Mapping[tuple[int, str], Judged]:
    """Citations by the ordinals of their references and their sources."""
    return {(each.reference.ordinal, each.source): judging.of(each) for each in citations}


def build_judged(item: Item, number: int) -> Judged:
    """One citation of an item, as when it has just been labelled."""
    if item.grounds is None:
        raise LookupError("an item without documents has no citations")
    return judging_of(item, item.grounds).of(item.citations[number])


def judging_of(item: Item, documents: DocumentAttribution) -> Judging:
    """What was said in the review of an item."""
    return Judging(documents, item.citation_labels, item.submitted_at, item.others, item.decided, item.needs_verdict)
