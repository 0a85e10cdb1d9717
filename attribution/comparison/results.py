"""The result of a verdict for a row: found, kept in part, contradicted, or only mentioned."""

from __future__ import annotations

from collections.abc import Sequence

from attribution.assertion import Assertion, AssertionKind
from attribution.comparison.turn import Turn
from attribution.mentions.phrases import describe, describe_all
from attribution.model import Contradiction, Evidence, FieldAttribution, FieldType, Mentioned, Span, Track
from attribution.schema.target import Target
from attribution.schema.truth import truth_of

_POSSIBLE_AT_MOST = 0.7
_COUNTING_LESS = frozenset({AssertionKind.POSSIBLE, AssertionKind.ASKED})
_WORDED = frozenset({"value", "list"})
_RULES = {
    FieldType.ENUM: "known_phrase",
    FieldType.NUMERIC: "whole_number",
    FieldType.MONEY: "amount",
    FieldType.DATE: "month_and_day",
    FieldType.TIME: "clock_time",
    FieldType.DURATION: "same_quantity",
    FieldType.IDENTIFIER: "same_digits",
}
_WORDS = {
    AssertionKind.NEGATED: "the answer denies it",
    AssertionKind.CORRECTED: "taken back later in the answer",
    AssertionKind.OTHER_SUBJECT: "said of others or in general",
    AssertionKind.HYPOTHETICAL: "only if something is so",
    AssertionKind.HISTORICAL: "said of the past",
    AssertionKind.ASKED: "asked, not stated",
    AssertionKind.QUOTED: "quoted, not stated",
    AssertionKind.POSSIBLE: "said to be possible",
}
"""The words beside a value that is mentioned and not asserted."""


class Results:
    """The rows of a turn while their verdicts come in."""

    def __init__(self, turn: Turn) -> None:
        self._turn = turn
        self.rows = list(turn.given)

    def found(self, target: Target, spans: Sequence[Span], rule: str = "") -> None:
        """The value is seen at these places, in words that only the lexicon or a label tells to be its."""
        row, answer = self.rows[target.row], self._turn.answer
        method, usual = _rule(target)
        rule = rule or usual
        score = self._turn.profile.score(method, rule)
        shown = tuple(dict.fromkeys(spans))
        kind = FieldType.LIST if target.kind == "list" else method
        counts = (len(target.field.value), 1) if isinstance(target.field.value, list) else (0, 0)
        self._evidence(target, row, Evidence(kind, rule, score, shown, describe_all(answer, shown), 0.0, *counts))

    def keep(self, target: Target, spans: Sequence[Span]) -> None:
        """The places of the value that are evidence; without one the row is not found."""
        row = self.rows[target.row]
        if row.evidence is None:
            return
        if not spans:
            self.rows[target.row] = without_evidence(row)
        elif list(spans) != list(row.evidence.spans):
            trace = describe_all(self._turn.answer, tuple(spans))
            self._evidence(target, row, row.evidence._replace(spans=tuple(spans), trace=trace))
        kinds = {self._turn.assertion(span).kind for span in spans}
        if len(kinds) == 1 and (kind := next(iter(kinds))) in _COUNTING_LESS and (kind is AssertionKind.POSSIBLE or target.kind in _WORDED):
            self.doubt(target, _WORDS[kind])

    def doubt(self, target: Target, because: str) -> None:
        """Count what is found for less: it is only possible, only asked, or nothing near names the field."""
        row = self.rows[target.row]
        if row.evidence is not None and row.evidence.score > _POSSIBLE_AT_MOST:
            trace = f"{row.evidence.trace}; {because}"
            self._evidence(target, row, row.evidence._replace(score=_POSSIBLE_AT_MOST, trace=trace))

    def _evidence(self, target: Target, row: FieldAttribution, evidence: Evidence) -> None:
        if row.is_cited:
            self.rows[target.row] = row._replace(track=Track.CITED_AND_FOUND, rule=Track.CITED_AND_FOUND, evidence=evidence)
        else:
            self.rows[target.row] = row._replace(
                track=Track.FOUND_ONLY,
                method=evidence.method,
                rule=evidence.rule,
                score=evidence.score,
                confidence=evidence.score,
                evidence=evidence,
            )

    def contradict(self, target: Target, span: Span, stated: str, because: str, places: Sequence[Span] = ()) -> None:
        """The answer states another value, where its language is read with grammar; ``places`` are all where it does."""
        if not self._turn.is_read:
            return
        value = target.field.value
        recorded = str(value).lower() if isinstance(value, bool) else _as_text(value)
        trace = f"{describe(self._turn.answer, span)} {because}: record {recorded}, answer {stated}"
        contradiction = Contradiction(recorded, stated, tuple(sorted({span, *places})), trace)
        self.rows[target.row] = self.rows[target.row]._replace(contradiction=contradiction)

    def deny(self, target: Target, span: Span) -> None:
        """The answer denies or takes back the record's value."""
        assertion = self._turn.assertion(span)
        self.contradict(target, span, f"not {self._turn.answer.as_written(span)}", _WORDS.get(assertion.kind, "is denied"))

    def mention(self, target: Target, spans: Sequence[Span]) -> None:
        """The value is there and is not asserted: a row that is not evidence says so."""
        assertion = self._turn.assertion(spans[0])
        if assertion.kind in _WORDS:
            self.rows[target.row] = self.rows[target.row]._replace(mentioned=self._mentioned(assertion, spans))

    def _mentioned(self, assertion: Assertion, spans: Sequence[Span]) -> Mentioned:
        by = f" (‘{assertion.trigger_text}’)" if assertion.trigger_text else ""
        trace = f"{describe_all(self._turn.answer, tuple(spans))}: {_WORDS[assertion.kind]}{by}"
        return Mentioned(str(assertion.kind), tuple(spans), assertion.trigger, trace)


def without_evidence(row: FieldAttribution) -> FieldAttribution:
    """Return the row of a field whose value is not stated: cited if it is, and not found."""
    if row.is_cited:
        return row._replace(track=Track.CITED_ONLY, rule=Track.CITED_ONLY, evidence=None)
    return FieldAttribution(row.field)


def _as_text(value: object) -> str:
    """A value as text; one that is nested too deep or too long for that is not shown."""
    try:
        return str(value)
    except (RecursionError, ValueError):
        return "…"


def _rule(target: Target) -> tuple[FieldType, str]:
    """The method and rule of what is found by the lexicon or by a label."""
    kind = target.field.type
    if kind is FieldType.BOOLEAN:
        return kind, "stated" if truth_of(target.field) else "denied"
    return (kind, _RULES[kind]) if kind in _RULES else (FieldType.FIELD_VALUE, "known_phrase")
