"""Rewrite the answers of a report: every place that holds a text is named here, once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Protocol

from msgspec.structs import replace

from reviewers.reports.exports.report import Answer, Closing, Note, OnHold, ReportedEvent, ReportedRedaction, Reviewed, Sampled, Signed
from reviewers.reports.exports.schema import (
    Calibrated,
    Contradicted,
    Document,
    Excerpt,
    FieldRow,
    Grounds,
    Remark,
    ReportedCitation,
    ReportedClaim,
    ReportedDecision,
    ReportedFinding,
    ReportedJudgement,
    ReportedLabel,
)
from reviewers.review.plans.queries import called_for
from reviewers.review.wording import value_in_words

Span = tuple[int, int]
_FIELD = "the field "
"""The prefix of a redacted field in words."""
_MISSING = " not found"
"""The end of the trigger that names an expected field."""


class Moved(Protocol):
    """A changed text that can translate places in the former text."""

    @property
    def text(self) -> str:
        """The text after the change."""

    def span(self, start: int, end: int) -> Span:
        """Return the new span of a part of the former text."""

    def place(self, position: int) -> int:
        """Return the new position of a former one."""


class Change(ABC):
    """A change to each kind of text in a report. Kinds that it does not name stay as they are."""

    @abstractmethod
    def clean(self, text: str) -> Moved:
        """Change the answer's clean text, which spans refer to."""

    @abstractmethod
    def text(self, text: str) -> str:
        """Change any other text about the client."""

    @abstractmethod
    def value(self, section: str, path: str, value: Any) -> Any:
        """Change a value of the context."""

    @abstractmethod
    def path(self, path: str) -> str:
        """Change the path of a field, in which keys of maps may be data."""

    @abstractmethod
    def note(self, text: str) -> str:
        """Change a reviewer's note."""

    @abstractmethod
    def reference(self, kind: str, name: str) -> str:
        """Change the reference of a client, conversation, provider or answer."""

    def key(self, name: str) -> str:
        """Change the name of a section or field."""
        return name

    def person(self, name: str) -> str:
        """Change the name of somebody who reviewed, signed or decided."""
        return name

    def identity(self, name: str) -> str:
        """Change an identifier of the site's own."""
        return name

    def digest(self, name: str) -> str:
        """Change a digest of something that the report may not disclose."""
        return name

    def statement(self, digest: str) -> str:
        """Change the digest of what was signed, which covers notes: a short one could be guessed by it."""
        return self.digest(digest)

    def moment(self, moment: str) -> str:
        """Change a moment, written as in reports."""
        return moment

    def events(self, events: tuple[ReportedEvent, ...]) -> tuple[ReportedEvent, ...]:
        """Change the audit events."""
        return events


def rewrite(answer: Answer, change: Change) -> Answer:
    """Return the answer after a change."""
    return _Rewriter(answer, change).rewritten()


def rewrite_end(closing: Closing, change: Change) -> Closing:
    """Return the end of a report after a change."""
    return replace(closing, calibration=tuple([_calibrated(each, change) for each in closing.calibration]))


def _calibrated(shown: Calibrated, change: Change) -> Calibrated:
    return replace(
        shown,
        approved_by=change.person(shown.approved_by),
        approved_at=change.moment(shown.approved_at),
        retired_by=change.person(shown.retired_by),
        retired_at=change.moment(shown.retired_at),
        reason=change.note(shown.reason),
    )


class _Rewriter:
    def __init__(self, answer: Answer, change: Change) -> None:
        self._answer, self._change, self._moved = answer, change, change.clean(answer.text)

    def rewritten(self) -> Answer:
        answer, change = self._answer, self._change
        return replace(
            answer,
            id=change.identity(answer.id),
            external_id=change.reference("answer", answer.external_id),
            conversation=change.reference("conversation", answer.conversation),
            client=change.reference("client", answer.client),
            provider=change.reference("provider", answer.provider),
            answered_at=change.moment(answer.answered_at),
            frozen_at=change.moment(answer.frozen_at),
            digest=change.digest(answer.digest),
            attribution=change.digest(answer.attribution),
            question=change.text(answer.question),
            response=change.text(answer.response),
            text=self._moved.text,
            notes=tuple([Note(self._moved.place(each.position), each.footnote, each.is_found_afterwards) for each in answer.notes]),
            hidden_sections=tuple(map(change.path, answer.hidden_sections)),
            rows=self._each(self._row, answer.rows),
            documents=self._each(self._document, answer.documents),
            grounds=self._grounds(answer.grounds) if answer.grounds else None,
            findings=self._each(self._found, answer.findings),
            unsupported=self._each(self._claim, answer.unsupported),
            flags=self._each(self._remark, answer.flags),
            comments=self._each(self._remark, answer.comments),
            reviews=self._each(self._reviewed, answer.reviews),
            signatures=self._each(self._signed, answer.signatures),
            sampled=self._sampled(answer.sampled) if answer.sampled else None,
            redactions=self._each(self._taken, answer.redactions),
            holds=self._each(self._held, answer.holds),
            decisions=self._each(self._decided, answer.decisions),
            events=self._each(self._event, change.events(answer.events)),
        )

    @staticmethod
    def _each(make: Callable[[Any], Any], several: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple([make(each) for each in several])

    def _excerpts(self, excerpts: tuple[Excerpt, ...]) -> tuple[Excerpt, ...]:
        return tuple(dict.fromkeys(map(self._excerpt, excerpts)))

    def _excerpt(self, excerpt: Excerpt) -> Excerpt:
        start, end = self._moved.span(excerpt.start, excerpt.end)
        return Excerpt(start, end, self._moved.text[start:end])

    def _row(self, row: FieldRow) -> FieldRow:
        change, value = self._change, self._change.value(row.section, row.path, row.value)
        return replace(
            row,
            section=change.path(row.section),
            path=change.path(row.path),
            value=value,
            value_text=value_in_words(value),
            trace=change.text(row.trace),
            spans=self._excerpts(row.spans),
            claims=self._excerpts(row.claims),
            contradiction=self._contradicted(row, value) if row.contradiction else None,
            said=self._each(self._said, row.said),
        )

    def _contradicted(self, row: FieldRow, value: Any) -> Contradicted | None:
        found = row.contradiction
        if found is None:
            return None
        is_same = value == row.value
        recorded = self._change.text(found.recorded) if is_same else value_in_words(value)
        return Contradicted(recorded, self._change.text(found.stated), self._change.text(found.trace), self._excerpts(found.spans))

    def _said(self, said: ReportedLabel) -> ReportedLabel:
        change = self._change
        return ReportedLabel(
            change.identity(said.label),
            change.person(said.reviewer),
            said.verdict,
            change.note(said.note),
            change.moment(said.said_at),
            change.note(said.reason),
        )

    def _document(self, document: Document) -> Document:
        change = self._change
        return replace(
            document,
            id=change.path(document.id),
            title=change.text(document.title),
            address=change.text(document.address),
            published_at=change.text(document.published_at),
            citations=self._each(self._cited, document.citations),
        )

    def _cited(self, cited: ReportedCitation) -> ReportedCitation:
        change = self._change
        return ReportedCitation(
            cited.status,
            change.text(cited.written),
            self._excerpt(cited.claim) if cited.claim else None,
            change.text(cited.quote),
            cited.failures,
            tuple(map(change.text, cited.checks)),
            self._judged(cited.judged) if cited.judged else None,
            self._each(self._said, cited.said),
        )

    def _claim(self, claim: ReportedClaim) -> ReportedClaim:
        return ReportedClaim(self._excerpt(claim.place) if claim.place else None, self._each(self._said, claim.said))

    def _judged(self, judged: ReportedJudgement) -> ReportedJudgement:
        change = self._change
        return replace(judged, sentence=change.text(judged.sentence), at=change.moment(judged.at), words=change.text(judged.words))

    def _grounds(self, grounds: Grounds) -> Grounds:
        text = self._change.text
        return replace(
            grounds,
            validity_reason=text(grounds.validity_reason),
            trust_reason=text(grounds.trust_reason),
            abstention_reason=text(grounds.abstention_reason),
        )

    def _found(self, found: ReportedFinding) -> ReportedFinding:
        change = self._change
        remarks = self._each(self._remark, found.remarks)
        place = (change.path(found.section), change.path(found.path))
        return ReportedFinding(found.code, change.text(found.message), change.path(found.about), remarks, *place)

    def _remark(self, remark: Remark) -> Remark:
        change = self._change
        return Remark(
            change.person(remark.reviewer),
            change.note(remark.note),
            change.moment(remark.at),
            change.text(remark.about),
            change.person(remark.ended_by) if remark.ended_by else "",
            change.moment(remark.ended_at) if remark.ended_at else "",
            change.note(remark.ending),
        )

    def _reviewed(self, review: Reviewed) -> Reviewed:
        change = self._change
        return Reviewed(change.identity(review.id), change.person(review.reviewer), change.moment(review.submitted_at), review.labels)

    def _signed(self, signed: Signed) -> Signed:
        change = self._change
        same = change.moment(signed.signed_at) == signed.signed_at
        return replace(
            signed,
            id=change.identity(signed.id),
            review=change.identity(signed.review),
            printed_name=change.person(signed.printed_name),
            signed_at=change.moment(signed.signed_at),
            moment=signed.moment if same else change.moment(signed.signed_at)[:4],
            digest=change.statement(signed.digest),
        )

    def _sampled(self, sampled: Sampled) -> Sampled:
        """Change the sampling. What called an answer may name a field, and a plan's stratum repeats it."""
        change = self._change
        trigger = self._called(sampled.trigger)
        return replace(
            sampled,
            plan=change.identity(sampled.plan),
            plan_name=change.key(sampled.plan_name),
            method=change.key(sampled.method),
            stratum=called_for(trigger) if sampled.trigger else change.key(sampled.stratum),
            trigger=trigger,
        )

    def _called(self, trigger: str) -> str:
        field, missing, _ = trigger.rpartition(_MISSING)
        return f"{self._change.path(field)}{missing}" if missing else trigger

    def _decided(self, decided: ReportedDecision) -> ReportedDecision:
        change = self._change
        return replace(
            decided,
            id=change.identity(decided.id),
            name=change.path(decided.name),
            by=change.person(decided.by),
            at=change.moment(decided.at),
            reason=change.note(decided.reason),
        )

    def _event(self, event: ReportedEvent) -> ReportedEvent:
        path = self._change.path
        return replace(event, section=path(event.section), path=path(event.path), source=path(event.source))

    def _held(self, held: OnHold) -> OnHold:
        return OnHold(held.words, self._change.moment(held.at), self._change.person(held.by))

    def _taken(self, taken: ReportedRedaction) -> ReportedRedaction:
        change = self._change
        parts = [
            f"{_FIELD}{change.path(each.removeprefix(_FIELD))}" if each.startswith(_FIELD) else change.key(each) for each in taken.parts
        ]
        return ReportedRedaction(tuple(parts), taken.basis, change.moment(taken.at), change.person(taken.by))
