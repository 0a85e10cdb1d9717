"""The last traces of an organisation as their page shows them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.snapshots.hooks import reasons_among
from reviewers.snapshots.importers.tool import import_findings
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
    """A trace: how it came, and what it became. ``findings`` are sentences; ``origins`` are pairs of a part and its attribute.

    If it ``is_withheld`` it has no names of attributes, by which one would know what the model stated beside the text.
    """

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
    is_withheld: bool = False

    @property
    def not_shown(self) -> int:
        """Return the number of spans that came in time and are not listed."""
        return self.span_count - len(self.spans) if self.spans else 0


def list_traces(by: Membership) -> list[TraceRow]:
    """Return the last traces, the newest first. What is withheld from programs is withheld here from members who may label."""
    found = list(Trace.objects.filter(organisation=by.organisation_id).defer("span_ids").order_by("-first_at", "-pk")[:MOST_SHOWN])
    made = [trace.snapshot_id for trace in found if trace.snapshot_id]
    withheld = reasons_among(made) if may(by, Permission.LABEL_ITEMS) else {}
    return [_withheld(_row(trace)) if trace.snapshot_id in withheld else _row(trace) for trace in found]


def _withheld(row: TraceRow) -> TraceRow:
    return replace(row, origins=(), unread=(), spans=(), is_withheld=True)


def late_spans(organisation_id: UUID, snapshot_id: UUID) -> int:
    """Return the number of spans that came after a snapshot was frozen of their trace."""
    counts = Trace.objects.filter(organisation=organisation_id, snapshot=snapshot_id).values_list("late_count", flat=True)
    return sum(counts)


def trace_findings(organisation_id: UUID, snapshot_id: UUID, record: Mapping[str, Any]) -> list[str]:
    """Return the findings about the trace or export that a record was made of, in words; none if it was made of neither."""
    told = record.get("trace")
    if not isinstance(told, dict):
        return []
    kept = told.get("findings")
    kept = kept if isinstance(kept, list) else []
    findings = import_findings(told["tool"], kept) if "tool" in told else findings_in_words(kept)
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
