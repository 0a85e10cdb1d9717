"""Rewrite the answers of a report: every place that holds a text is named here, once."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

from msgspec import Struct
from msgspec.structs import replace

from reviewers.reports.exports.report import Answer, Closing, Note, OnHold, ReportedEvent, ReportedRedaction, Reviewed, Sampled, Signed
from reviewers.reports.exports.schema import (
    Calibrated,
    Contradicted,
    Document,
    Excerpt,
    FieldRow,
    Grounds,
    Group,
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


class TextChange(ABC):
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


Kind = Literal["text", "note", "path", "key", "person", "identity", "digest", "statement", "moment"]
"""The kinds of texts, which are methods of a `Change`."""

KINDS: Mapping[type[Struct], Mapping[str, Kind]] = {
    Answer: {
        "id": "identity",
        "answered_at": "moment",
        "frozen_at": "moment",
        "digest": "digest",
        "attribution": "digest",
        "question": "text",
        "response": "text",
        "hidden_sections": "path",
    },
    FieldRow: {"section": "path", "path": "path", "trace": "text"},
    Contradicted: {"recorded": "text", "stated": "text", "trace": "text"},
    ReportedLabel: {"label": "identity", "reviewer": "person", "note": "note", "said_at": "moment", "reason": "note"},
    Document: {"id": "path", "title": "text", "address": "text", "published_at": "text"},
    ReportedCitation: {"written": "text", "quote": "text", "checks": "text"},
    ReportedJudgement: {"sentence": "text", "at": "moment", "words": "text"},
    ReportedClaim: {},
    Grounds: {"validity_reason": "text", "trust_reason": "text", "abstention_reason": "text"},
    ReportedFinding: {"message": "text", "about": "path", "section": "path", "path": "path"},
    Remark: {
        "reviewer": "person",
        "note": "note",
        "at": "moment",
        "about": "text",
        "ended_by": "person",
        "ended_at": "moment",
        "ending": "note",
    },
    Reviewed: {"id": "identity", "reviewer": "person", "submitted_at": "moment"},
    Signed: {"id": "identity", "review": "identity", "printed_name": "person", "signed_at": "moment", "digest": "statement"},
    Sampled: {"plan": "identity", "plan_name": "key", "method": "key"},
    ReportedDecision: {"id": "identity", "name": "path", "by": "person", "at": "moment", "reason": "note"},
    ReportedEvent: {"section": "path", "path": "path", "source": "path"},
    OnHold: {"at": "moment", "by": "person"},
    ReportedRedaction: {"at": "moment", "by": "person"},
    Calibrated: {"approved_by": "person", "approved_at": "moment", "retired_by": "person", "retired_at": "moment", "reason": "note"},
    Group: {},
}
"""The kind of each text of each part of a report. Others stay as they are, but for those that depend on one another: see `_Rewriter`."""


def rewrite(answer: Answer, change: TextChange) -> Answer:
    """Return the answer after a change."""
    return _Rewriter(change, answer.text).answer(answer)


def rewrite_end(closing: Closing, change: TextChange) -> Closing:
    """Return the end of a report after a change."""
    return replace(closing, calibration=_Rewriter(change).changed(closing.calibration))


class _Rewriter:
    """Changes the texts of an answer, of whose clean text the places are moved with it."""

    def __init__(self, change: TextChange, text: str = "") -> None:
        self._change, self._moved = change, change.clean(text)
        self._own: Mapping[type[Struct], Callable[[Any], Any]] = {
            Excerpt: self._excerpt,
            Note: self._note,
            FieldRow: self._row,
            Signed: self._signed,
            Sampled: self._sampled,
            ReportedRedaction: self._redaction,
        }

    def answer(self, answer: Answer) -> Answer:
        reference = self._change.reference
        told: Answer = self._named(replace(answer, events=self._change.events(answer.events)))
        return replace(
            told,
            external_id=reference("answer", answer.external_id),
            conversation=reference("conversation", answer.conversation),
            client=reference("client", answer.client),
            provider=reference("provider", answer.provider),
            text=self._moved.text,
        )

    def changed(self, value: Any, kind: Kind | None = None) -> Any:
        """Return a part of a report, a text of a kind, or several of them after the change."""
        if isinstance(value, tuple):
            several = [self.changed(each, kind) for each in value]
            return tuple(dict.fromkeys(several)) if value and isinstance(value[0], Excerpt) else tuple(several)
        if isinstance(value, Struct):
            own = self._own.get(type(value))
            return own(value) if own else self._named(value)
        if kind is None:
            return value
        change: Callable[[str], str] = getattr(self._change, kind)
        return change(value)

    def _named(self, part: Struct) -> Any:
        """Return a part with its texts changed as `KINDS` says, and with all parts within it."""
        kinds = KINDS[type(part)]
        values = ((name, getattr(part, name)) for name in part.__struct_fields__)
        return replace(part, **{name: self.changed(each, kinds.get(name)) for name, each in values if name in kinds or _is_part(each)})

    def _excerpt(self, excerpt: Excerpt) -> Excerpt:
        start, end = self._moved.span(excerpt.start, excerpt.end)
        return Excerpt(start, end, self._moved.text[start:end])

    def _note(self, note: Note) -> Note:
        return replace(note, position=self._moved.place(note.position))

    def _row(self, row: FieldRow) -> FieldRow:
        value = self._change.value(row.section, row.path, row.value)
        told: FieldRow = replace(self._named(row), value=value, value_text=value_in_words(value))
        if told.contradiction is None or value == row.value:
            return told
        return replace(told, contradiction=replace(told.contradiction, recorded=told.value_text))

    def _signed(self, signed: Signed) -> Signed:
        told: Signed = self._named(signed)
        return told if told.signed_at == signed.signed_at else replace(told, moment=told.signed_at[:4])

    def _sampled(self, sampled: Sampled) -> Sampled:
        """Change the sampling. What called an answer may name a field, and a plan's stratum repeats it."""
        field, missing, _ = sampled.trigger.rpartition(_MISSING)
        trigger = f"{self._change.path(field)}{missing}" if missing else sampled.trigger
        stratum = called_for(trigger) if sampled.trigger else self._change.key(sampled.stratum)
        told: Sampled = self._named(sampled)
        return replace(told, stratum=stratum, trigger=trigger)

    def _redaction(self, gone: ReportedRedaction) -> ReportedRedaction:
        told: ReportedRedaction = self._named(gone)
        return replace(told, parts=tuple(map(self._redacted, gone.parts)))

    def _redacted(self, part: str) -> str:
        """Change a redacted part in words."""
        if part.startswith(_FIELD):
            return f"{_FIELD}{self._change.path(part.removeprefix(_FIELD))}"
        return self._change.key(part)


def _is_part(value: Any) -> bool:
    """Return True for a part of a report, and for several."""
    return isinstance(value, Struct) or (isinstance(value, tuple) and bool(value) and isinstance(value[0], Struct))
