"""The last traces of an organisation as their page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import Trace, TraceState
from reviewers.snapshots.otlp.wording import findings_in_words, late_in_words

MOST_SHOWN = 50

_TONES: Mapping[str, str] = {
    TraceState.WAITING: "quiet",
    TraceState.FROZEN: "good",
    TraceState.NO_TURN: "quiet",
    TraceState.REFUSED: "bad",
}


@dataclass(frozen=True, slots=True)
class TraceRow:
    """A trace: how it came, and what it became. ``findings`` are sentences; ``origins`` are pairs of a part and its attribute."""

    trace_id: str
    service: str
    came_at: datetime
    span_count: int
    state: str
    tone: str
    snapshot_id: UUID | None
    findings: Sequence[str]
    origins: Sequence[tuple[str, str]]
    unread: Sequence[str]
    spans: Sequence[Mapping[str, Any]]

    @property
    def not_shown(self) -> int:
        """Return the number of spans that came in time and are not listed."""
        return self.span_count - len(self.spans) if self.spans else 0


def list_traces(organisation: Organisation) -> list[TraceRow]:
    """Return the last traces, the newest first."""
    found = Trace.objects.filter(organisation=organisation).defer("span_ids").order_by("-first_at", "-pk")
    return [_row(trace) for trace in found[:MOST_SHOWN]]


def late_spans(organisation_id: UUID, snapshot_id: UUID) -> int:
    """Return the number of spans that came after a snapshot was frozen of their trace."""
    counts = Trace.objects.filter(organisation=organisation_id, snapshot=snapshot_id).values_list("late_count", flat=True)
    return sum(counts)


def trace_findings(organisation_id: UUID, snapshot_id: UUID, record: Mapping[str, Any]) -> list[str]:
    """Return the findings about the trace that a record was made of, in words; none if it was made of no trace."""
    told = record.get("trace")
    if not isinstance(told, dict):
        return []
    kept = told.get("findings")
    findings = findings_in_words(kept if isinstance(kept, list) else [])
    late = late_in_words(late_spans(organisation_id, snapshot_id))
    return [*findings, *([late] if late else [])]


def _row(trace: Trace) -> TraceRow:
    late = late_in_words(trace.late_count) if trace.snapshot_id else ""
    return TraceRow(
        trace_id=trace.trace_id,
        service=trace.service,
        came_at=trace.first_at,
        span_count=trace.span_count,
        state=TraceState(trace.state).label,
        tone=_TONES[trace.state],
        snapshot_id=trace.snapshot_id,
        findings=[each for each in (trace.reason, *findings_in_words(trace.findings), late) if each],
        origins=sorted(trace.origins.items()),
        unread=trace.unread,
        spans=trace.outline,
    )
