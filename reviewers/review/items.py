"""Review items: a snapshot in the queue with everything that its page, its writes and reports need."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from attribution import Attribution, DocumentAttribution, FieldAttribution, Finding, Issue, Marker, MarkerStatus, context_values, decode
from reviewers.accounts.texts import NOTHING, Text, masked
from reviewers.ledger.queries import Redacted
from reviewers.review.adjudication.decisions import RowKey, StoredDecision, rows_of, stored_decisions_of, stored_decisions_on
from reviewers.review.labels.queries import (
    AnyLabel,
    ClaimKey,
    FieldKey,
    ReviewLabels,
    StoredCitationLabel,
    StoredClaimLabel,
    StoredFieldLabel,
    changes_of,
    visible_review_labels,
)
from reviewers.review.legal_holds.queries import HoldInForce
from reviewers.review.masking.masks import (
    Names,
    mask_attribution,
    mask_decisions,
    mask_field_key,
    mask_field_keys,
    mask_grounds,
    mask_labels,
    mask_record,
    mask_reference,
    mask_reviews,
    mask_source,
    names_of,
)
from reviewers.review.models import Phase, QueueItem, Reopening, Rule, State
from reviewers.review.page.answer import MergedText, merge_texts
from reviewers.review.review_status import ReviewStatus, SubmittedReview
from reviewers.review.visibility import (
    Viewer,
    hides_turn_beside,
    places_of,
    sees_engine,
    sees_work,
    without_checks,
    without_marks,
)
from reviewers.snapshots.citations import Citation, CitationKey, citations_of, with_post_hoc_citations
from reviewers.snapshots.ingest.freeze import thaw_grounds, with_texts
from reviewers.snapshots.judged_support.queries import Judgement, SupportState
from reviewers.snapshots.models import storable
from reviewers.snapshots.queries import SearchState
from reviewers.snapshots.redactable_parts import BARS, field_name, marked_parts, remove_parts, rest_of, without_markers
from reviewers.snapshots.unmarked import UnmarkedText, unmark_answer
from reviewers.web.models import unpack


def field_key(row: FieldAttribution) -> FieldKey:
    """Return the key that labels of a field are stored under."""
    return storable(row.field.section), storable(row.field.path)


def finding_name(finding: Finding) -> str:
    """Return the name that flags of a finding are stored under.

    This is its code, followed by the field if the finding is about one. Dots in keys are escaped.
    """
    code = finding.code.value
    if finding.section is None or finding.path is None:
        return code
    section = finding.section.replace("\\", "\\\\").replace(".", "\\.")
    return storable(f"{code}:{section}.{finding.path}")


def finding_message(finding: Finding, markers: Iterable[Marker]) -> str:
    """Return the message of a finding, with the first markers that it is about. Entries beside the text that cannot be read are in it."""
    about = [marker for marker in markers if marker.status.value == finding.code.value]
    texts = [marker.text for marker in about if not (marker.is_beside and marker.status is MarkerStatus.MALFORMED)]
    shown = ", ".join(texts[:3]) + (f" and {len(texts) - 3} more" if len(texts) > 3 else "")
    return f"{finding.message}: {shown}" if shown else finding.message


def issue_name(issue: Issue) -> str:
    """Return the name that flags of a citation issue are stored under.

    One citation may lack several figures, so the name includes the message.
    """
    about = issue.source if issue.reference is None else str(issue.reference)
    return storable(f"documents.{issue.code.value}:{about or ''}:{issue.message}")


@dataclass(frozen=True, slots=True)
class Reopened:
    """The last time that a review item was put back into the queue."""

    name: str
    at: datetime
    reason: str


_READ_OF_RECORD = (
    "_record",
    "_given",
    "record",
    "attribution",
    "_grounds",
    "grounds",
    "documents",
    "citations",
    "places",
    "unmarked",
    "shown",
    "findings",
)
NOBODY = Viewer(None, may_label=False)


@dataclass
class ReviewItem:
    """A queue item with its snapshot, attribution, review status, labels and citation search.

    ``labels``, ``citation_labels`` and ``claim_labels`` are the viewer's own, oldest first. For a viewer without a review they are those of
    the last reviewer, once the item is submitted. ``reader`` is who reads the item, if not the viewer. ``record_text`` is the frozen record
    as text, if the snapshot's bytes were not loaded.
    ``planted`` are the control rows that its plan shows as found although they are not. ``holds`` are the legal holds on it, oldest first.
    ``flagged_places`` are the fields and citations that anybody flagged.
    Answers under one of the ``suspended`` profiles show scores. Text of the kinds in ``hidden`` is masked in every property below. With
    ``keeps`` the attribution has only those fields whose stored row it accepts, which saves reports the time and memory of the others.
    """

    row: QueueItem
    review_status: ReviewStatus
    labels: Sequence[StoredFieldLabel]
    citation_labels: Sequence[StoredCitationLabel] = ()
    claim_labels: Sequence[StoredClaimLabel] = ()
    search: SearchState | None = None
    support: SupportState | None = None
    record_text: str = ""
    viewer: Viewer = NOBODY
    reader: Viewer | None = None
    planted: frozenset[FieldKey] = frozenset()
    redacted: Sequence[Redacted] = ()
    holds: Sequence[HoldInForce] = ()
    flagged_places: Sequence[Mapping[str, Any]] = ()
    suspended: frozenset[str] = frozenset()
    hidden: frozenset[Text] = NOTHING
    has_documents: bool = True
    keeps: Callable[[Mapping[str, Any]], bool] | None = None

    def __post_init__(self) -> None:
        if self.hidden:
            labels = mask_field_keys(self.labels, self.hidden)
            self.labels, self.citation_labels = mask_labels(labels, self.hidden), mask_labels(self.citation_labels, self.hidden)
            self.claim_labels = mask_labels(self.claim_labels, self.hidden)
            self.planted = frozenset(mask_field_key(key, self.hidden) for key in self.planted)

    @property
    def id(self) -> UUID:
        """Return the snapshot's identifier, which is also the item's."""
        return self.row.snapshot_id

    @cached_property
    def names(self) -> Names:
        """Return what the item is called, masked where necessary."""
        return names_of(self.row.snapshot, self.hidden)

    @property
    def own_review(self) -> SubmittedReview | None:
        """Return the review that the viewer has submitted, or None."""
        return self.review_status.review_of(self.viewer.id)

    @property
    def is_submitted(self) -> bool:
        """True if the viewer has nothing left to label: they have submitted, or all reviews are in."""
        return self.row.state == State.SUBMITTED or self.own_review is not None

    @property
    def submitted_at(self) -> datetime | None:
        """Return the time at which the review whose labels are shown was submitted."""
        return self.own_review.submitted_at if self.own_review else self.row.submitted_at

    @property
    def is_blind(self) -> bool:
        """True if the viewer may not know yet how the engine came to its claims."""
        return not sees_engine(self.viewer, self.review_status)

    @cached_property
    def repeats_hidden(self) -> bool:
        """True if the record may repeat another turn, with markers, that its reader reviews blind.

        What is sent and not read may be earlier turns, as they are in every record that was made of a trace with messages. So may be
        what the model was given, if it has markers.
        """
        reader = self.reader or self.viewer
        return bool(reader.may_label and (rest_of(self._record) or self._marked)) and hides_turn_beside(self.row.snapshot, reader)

    @cached_property
    def _marked(self) -> frozenset[str]:
        return marked_parts(self._record)

    @property
    def barred(self) -> frozenset[str]:
        """Return the names of the parts of the record that are bars for its reader: they may repeat a blind turn with its markers."""
        return self._marked if self._marked and self.repeats_hidden else frozenset()

    @cached_property
    def _given(self) -> Mapping[str, Any]:
        return remove_parts(self._record, self.barred) if self.barred else self._record

    @cached_property
    def _record(self) -> Mapping[str, Any]:
        read: Mapping[str, Any] = json.loads(self.record_text or bytes(self.row.snapshot.record))
        return read

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """Return the frozen record, with message and answer masked where necessary."""
        return mask_record(self._given, self.hidden)

    @cached_property
    def attribution(self) -> Attribution:
        """Return the attribution that is shown, with the frozen values."""
        document = unpack(self.row.attribution.document)
        if self.keeps is not None:
            document["fields"] = list(filter(self.keeps, document["fields"]))
        decoded = decode(document, context_values(self._given["context"], only_read=True))
        if self.barred:
            decoded = replace(decoded, fields=tuple(map(self._without_traces, decoded.fields)))
        decoded = mask_attribution(decoded, self.hidden)
        return with_scores(decoded) if self.is_suspended else decoded

    def _without_traces(self, row: FieldAttribution) -> FieldAttribution:
        """Return a row without the sentences that repeat its value, if its value is barred."""
        if field_name(row.field.section, row.field.path) not in self.barred:
            return row
        return row._replace(
            evidence=row.evidence and row.evidence._replace(trace=BARS),
            contradiction=row.contradiction and replace(row.contradiction, recorded=BARS, trace=BARS),
            mentioned=row.mentioned and row.mentioned._replace(trace=BARS),
        )

    @property
    def is_suspended(self) -> bool:
        """True if the profile of the attribution is suspended."""
        return self.row.attribution.profile_id in self.suspended

    @cached_property
    def grounds(self) -> DocumentAttribution | None:
        """Return the attribution to documents with post-hoc citations but without the texts of the sources.

        This is all that labels need, and cheap to read. None if the record has no documents.
        """
        return mask_grounds(self._grounds, self.hidden) if self._grounds else None

    @cached_property
    def _grounds(self) -> DocumentAttribution | None:
        row = getattr(self.row.attribution, "documents", None) if self.has_documents else None
        if row is None:
            return None
        document = unpack(row.document)
        if self.barred:  # titles, quotes and what was checked repeat the sources
            document = without_markers(document) | {"clean_text": document["clean_text"]}
        grounds = with_post_hoc_citations(thaw_grounds(document, self._record), self.search)
        if self.barred:
            quoted = [each._replace(quote=without_markers(each.quote)) for each in grounds.references]
            grounds = replace(grounds, references=tuple(quoted))
        return grounds

    @cached_property
    def documents(self) -> DocumentAttribution | None:
        """Return the attribution to documents with the texts of the sources, or None."""
        return mask_grounds(with_texts(self._grounds, self._given), self.hidden) if self._grounds else None

    @cached_property
    def findings(self) -> Sequence[tuple[str, str]]:
        """Return the code and name of everything that can be flagged: guardrail findings, then citation issues.

        The position in this list is the number by which a form names a finding.
        """
        issues = self.grounds.issues if self.grounds else ()
        found = [(finding.code.value, finding_name(finding)) for finding in self.attribution.guardrails]
        return found + [(issue.code.value, issue_name(issue)) for issue in issues]

    @cached_property
    def citations(self) -> Sequence[Citation]:
        """Return every citation of a document in the order of the answer.

        Labels name citations by places, which masks do not have, so keys are made from the unmasked text. In a blind review the order is
        that of ``places``, because attached citations come before those found afterwards.
        """
        found = citations_of(self._grounds) if self._grounds else []
        if self.is_blind:
            ordered = sorted(found, key=lambda each: self.places[each.reference.ordinal])
            found = [replace(each, number=number) for number, each in enumerate(ordered)]
        return [self._masked(each) for each in found] if self.hidden else found

    @cached_property
    def places(self) -> Mapping[int, int]:
        """Return the places of citations as they are counted on the page of a blind review, by their ordinals."""
        return places_of(without_marks(self._grounds, self.unmarked)) if self._grounds else {}

    @cached_property
    def unmarked(self) -> UnmarkedText:
        """Return the text of the answer without citations and without the traces of markers, as a blind review shows it."""
        return unmark_answer(self.attribution, self.grounds)

    @property
    def judgements(self) -> Mapping[CitationKey, Judgement]:
        """Return a model's judgement on each citation, as far as there are any; none for a member who reviews the answer blind."""
        return self.support.judgements if self.support and not self.is_blind else {}

    def _masked(self, citation: Citation) -> Citation:
        source, reference = mask_source(citation.source, self.hidden), mask_reference(citation.reference, self.hidden)
        return replace(citation, source=source, reference=reference)

    @cached_property
    def shown(self) -> MergedText:
        """Return the attribution as the page shows it: with documents, over the text without any citations.

        In a blind review the footnotes of fields are left out, because the numbers of sources would reveal how many markers precede them.
        """
        if self.is_blind:
            return self._shown_blind()
        if self.grounds is None:
            return MergedText(self.attribution, {})
        return merge_texts(self.attribution, self.grounds)

    def _shown_blind(self) -> MergedText:
        plain = replace(self.attribution, markers=())
        if self.grounds is None:
            return MergedText(replace(plain, clean_text=self.unmarked.text), {})
        return merge_texts(plain, without_checks(without_marks(self.grounds, self.unmarked)))

    @cached_property
    def flagged(self) -> frozenset[FieldKey | CitationKey]:
        """Return the fields and citations with a flag that is open, as far as the viewer may know."""
        return frozenset(
            CitationKey(**each["place"]) if "source" in each["place"] else (each["place"]["section"], each["place"]["path"])
            for each in self.flagged_places
            if self._sees_work_of(each["reviewer_id"]) and not (each["resolved_by"] and self._sees_work_of(each["resolved_by"]))
        )

    def _sees_work_of(self, person_id: str) -> bool:
        return sees_work(self.viewer, self.review_status, UUID(person_id))

    @cached_property
    def current(self) -> Mapping[FieldKey, StoredFieldLabel]:
        """Return the label that counts for each field that ever had one."""
        return {label.key: label for label in self.labels}

    @cached_property
    def current_citations(self) -> Mapping[CitationKey, StoredCitationLabel]:
        """Return the label that counts for each citation that ever had one."""
        return {label.key: label for label in self.citation_labels}

    @cached_property
    def current_claims(self) -> Mapping[ClaimKey, StoredClaimLabel]:
        """Return the label that counts for all words that ever had one."""
        return {label.key: label for label in self.claim_labels}

    def label_on(self, key: FieldKey | CitationKey) -> AnyLabel | None:
        """Return the label of a field or a citation that counts, or None."""
        return self.current_citations.get(key) if isinstance(key, CitationKey) else self.current.get(key)

    @cached_property
    def changes(self) -> Mapping[RowKey, Sequence[tuple[AnyLabel, str]]]:
        """Return the labels that were replaced after submission, each with the reason, oldest first."""
        return changes_of([*self.labels, *self.citation_labels, *self.claim_labels], self.submitted_at)

    def is_labelled(self, row: FieldAttribution) -> bool:
        """True if the field has a verdict."""
        label = self.current.get(field_key(row))
        return label is not None and label.is_verdict

    def claims(self, row: FieldAttribution) -> bool:
        """True if the page shows the field as used.

        Where the answer was redacted nothing is found in it, nor is a value that was redacted, so in a blind review a control row would be
        known by being there alone.
        """
        if row.is_used or not self.planted:
            return row.is_used
        return field_key(row) in self.planted and not (self.is_blind and (self.is_answer_redacted or self._is_value_redacted(row)))

    def _is_value_redacted(self, row: FieldAttribution) -> bool:
        return any(field_name(row.field.section, row.field.path) in each.parts for each in self.redacted)

    @property
    def is_answer_masked(self) -> bool:
        """True if the viewer does not see the answer as it was sent: it is masked, or some of it was redacted."""
        return Text.ANSWER in self.hidden or self.is_answer_redacted

    @property
    def is_answer_redacted(self) -> bool:
        """True if any part of the answer was redacted."""
        return any("response" in each.parts for each in self.redacted)

    @cached_property
    def unlabelled(self) -> list[int]:
        """Return the numbers of the fields that are shown as used and have no verdict."""
        return [number for number, row in enumerate(self.attribution.fields) if self.claims(row) and not self.is_labelled(row)]

    @cached_property
    def others(self) -> Sequence[ReviewLabels]:
        """Return the reviews that the viewer may see, apart from the one whose labels are shown."""
        shown = self.row.submitted_by_id if self.own_review is None else self.viewer.id
        return [each for each in self.reviews if each.reviewer_id != shown]

    @cached_property
    def reviews(self) -> Sequence[ReviewLabels]:
        """Return the reviews that the viewer may see, if the item needs several."""
        return (
            mask_reviews(visible_review_labels(self.viewer, self.id, self.review_status), self.hidden)
            if self.review_status.overlap > 1
            else ()
        )

    @cached_property
    def decided(self) -> Mapping[RowKey, StoredDecision]:
        """Return the decisions of leads that still hold. Everybody may see them once all reviews are in."""
        if self.row.plan is None or self.review_status.overlap == 1 or self.review_status.phase is Phase.INDEPENDENT:
            return {}
        made = stored_decisions_of({self.id: self.review_status}).get(self.id, {})
        return mask_decisions(stored_decisions_on(rows_of(self.reviews, Rule(self.row.plan.rule), made)), self.hidden) if made else {}

    @cached_property
    def reopened(self) -> Reopened | None:
        """Return when and by whom the item was last reopened, or None in its first round.

        The reason is left out while it could influence a blind review.
        """
        if self.review_status.round == 1:
            return None
        last = Reopening.objects.select_related("reopened_by").get(snapshot=self.id, round=self.review_status.round)
        is_told = sees_work(self.viewer, self.review_status, last.reopened_by_id)
        return Reopened(last.reopened_by.name, last.reopened_at, masked(last.reason, Text.NOTES, self.hidden) if is_told else "")

    def needs_verdict(self, citation: Citation) -> bool:
        """True if the viewer's review needs a verdict on the citation.

        A blind review needs one on every citation: an optional one would be recognised as added after the answer.
        """
        return citation.is_due or self.is_blind

    @cached_property
    def unlabelled_citations(self) -> list[Citation]:
        """Return the citations that need a verdict and have none."""
        current = self.current_citations
        return [each for each in self.citations if self.needs_verdict(each) and not (each.key in current and current[each.key].is_verdict)]

    def forget(self) -> None:
        """Free everything that was read of the record and its attribution. It is read again when it is needed."""
        for name in _READ_OF_RECORD:
            self.__dict__.pop(name, None)

    def take_step(self, phase: Phase) -> None:
        """Set the phase without saving it."""
        self.row.phase = phase
        self.review_status = replace(self.review_status, phase=phase)

    def add_labels(
        self,
        labels: Sequence[StoredFieldLabel],
        citation_labels: Sequence[StoredCitationLabel],
        claim_labels: Sequence[StoredClaimLabel],
    ) -> None:
        """Add labels that were just saved."""
        self.labels = [*self.labels, *labels]
        self.citation_labels = [*self.citation_labels, *citation_labels]
        self.claim_labels = [*self.claim_labels, *claim_labels]
        for name in ("current", "unlabelled", "current_citations", "unlabelled_citations", "current_claims", "changes"):
            self.__dict__.pop(name, None)


def with_scores(attribution: Attribution) -> Attribution:
    """Return the attribution as if no profile had calibrated it."""
    rows = tuple([row._replace(confidence=row.score, estimate=None) for row in attribution.fields])
    return replace(attribution, fields=rows, is_calibrated=False)
