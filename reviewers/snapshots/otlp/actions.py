"""Traces: take spans in, and make snapshots of the traces that are complete.

Spans are acknowledged when they are stored. A trace ends in the transaction that freezes it and deletes what waited, so that a kill at any
moment leaves it waiting or frozen.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from django.conf import settings
from django.db import IntegrityError, InterfaceError, OperationalError, connection, transaction
from django.db.models import Count, F, Q, Sum, Window
from django.db.models.functions import RowNumber
from psycopg.errors import LockNotAvailable

from attribution import canonical_bytes
from reviewers.accounts.audit import Actor, ActorKind
from reviewers.accounts.models import Organisation, ServiceKey
from reviewers.ledger.actions import record_all
from reviewers.ledger.events import Action, Event
from reviewers.snapshots.ingest.actions import IngestOutcome, ingest
from reviewers.snapshots.ingest.records import Record, RecordError, read_record
from reviewers.snapshots.models import Trace, TraceState, WaitingSpans, visible
from reviewers.snapshots.otlp import jobs
from reviewers.snapshots.otlp.encoding import ReceivedSpan, RefusedSpans, UnreadableBody, count_spans, pack, unpack
from reviewers.snapshots.otlp.mapping import Mapped, map_trace
from reviewers.snapshots.otlp.spans import TraceSpans, outline, shown_name, trace_of
from reviewers.snapshots.otlp.wording import NO_TURN_WORDS
from reviewers.web.statements import insert

_log = structlog.get_logger(__name__)

MOST_SPANS_A_TRACE = 10_000
LARGEST_TRACE = 16 * 1024 * 1024
"""Bytes of a trace's spans. A record made of it has to be far smaller."""
MOST_SPANS_GONE_ON_WITH = 1_000_000
"""Spans that the traces of a request have already, together: what they are known by is read, and written again with each that is added."""
MOST_TRACES_WAITING = 20_000
MOST_BYTES_WAITING = 256 * 1024 * 1024
"""Traces and bytes of one key that may wait at once."""

_MOST_ATTEMPTS = 5
_SPAN_ID = 8
_WITHOUT_SNAPSHOT = (TraceState.NO_TURN, TraceState.REFUSED)
_KEPT_FOR = timedelta(days=7)
"""The time for which a trace that is no snapshot is kept, to be looked at."""

_TOO_LARGE = f"a trace has more than {MOST_SPANS_A_TRACE:,} spans or {LARGEST_TRACE // (1024 * 1024)} MB; the rest of it was refused"
_UNREADABLE = "the site failed to read this trace; its log says why"
_FAILED = f"Refused: {_UNREADABLE}."


class TooManyWaiting(Exception):  # noqa: N818 — says what it is
    """Too many traces of the key wait, so nothing was taken. Some of them will end soon."""


def take(*, spans: Sequence[ReceivedSpan], key: ServiceKey, at: datetime, refused: RefusedSpans) -> None:
    """Store spans until their traces are complete. Those that a trace has no room for are counted in ``refused``.

    Raise ``TooManyWaiting`` if the key has too much waiting, or one of the traces is being frozen, and ``UnreadableBody`` if the traces are
    too long together; nothing is stored then. Concurrent requests may send the same new trace: the loser tries again.
    """
    for number in range(_MOST_ATTEMPTS):
        attempt = RefusedSpans()
        try:
            with transaction.atomic():
                _take(spans, key, at, attempt)
        except IntegrityError:
            if number == _MOST_ATTEMPTS - 1:
                raise
        except OperationalError as error:
            if isinstance(error.__cause__, LockNotAvailable):
                raise TooManyWaiting from error
            raise
        else:
            break
    if attempt.count:
        refused.add(attempt.reason, attempt.count)


def _take(spans: Sequence[ReceivedSpan], key: ServiceKey, at: datetime, refused: RefusedSpans) -> None:
    _check_room(key, sum(span.size for span in spans))
    by_trace: dict[str, list[ReceivedSpan]] = {}
    for span in spans:
        by_trace.setdefault(span.trace_id, []).append(span)
    _check_length(key.organisation_id, by_trace)
    known = _lock(key.organisation_id, by_trace)
    new: list[Trace] = []
    waiting: list[WaitingSpans] = []
    changed: list[Trace] = []
    late: list[Event] = []
    for trace_id in sorted(by_trace):
        trace = known.get(trace_id)
        if trace is None:
            trace = Trace(organisation_id=key.organisation_id, key_id=key.pk, trace_id=trace_id, first_at=at, last_at=at)
            new.append(trace)
        fresh = _fresh(trace, by_trace[trace_id], key, refused)
        if not fresh:
            continue
        trace.span_ids = bytes(trace.span_ids) + b"".join(fresh)
        spans_of_it = list(fresh.values())
        if trace_id in known:
            changed.append(trace)
        if trace.state in _WITHOUT_SNAPSHOT and any(span.is_answering for span in spans_of_it):
            _begin_again(trace, at)
        if trace.state != TraceState.WAITING:
            late += _note_late(trace, spans_of_it, key, at)
            continue
        _add(trace, spans_of_it, at)
        waiting.append(WaitingSpans(organisation_id=key.organisation_id, key_id=key.pk, trace_id=trace.pk, content=pack(spans_of_it)))
    insert([*(trace for trace in new if trace.span_count), *waiting])
    _update(changed)
    if late:
        record_all(late)
    if waiting:
        jobs.defer_freezing(key.organisation_id)


def _check_room(key: ServiceKey, size: int) -> None:
    waiting = Trace.objects.filter(organisation_id=key.organisation_id, key_id=key.pk, state=TraceState.WAITING)
    found = waiting.aggregate(count=Count("pk"), size=Sum("size", default=0))
    if found["count"] >= MOST_TRACES_WAITING or found["size"] + size > MOST_BYTES_WAITING:
        raise TooManyWaiting


def _check_length(organisation_id: UUID, trace_ids: Iterable[str]) -> None:
    """Raise ``UnreadableBody`` if a request goes on with traces that are too long together: thousands of long ones are a gigabyte."""
    known = Trace.objects.filter(organisation_id=organisation_id, trace_id__in=list(trace_ids))
    if known.aggregate(spans=Sum(F("span_count") + F("late_count"), default=0))["spans"] > MOST_SPANS_GONE_ON_WITH:
        reason = f"goes on with traces that have more than {MOST_SPANS_GONE_ON_WITH:,} spans together; send fewer traces at once"
        raise UnreadableBody(reason, 413)


_LONGEST_WAIT = 1_000
"""Milliseconds that a request waits for traces that another transaction has locked: freezing may have them for longer."""
_COLUMNS = {
    "id": "uuid",
    "state": "varchar",
    "first_at": "timestamptz",
    "last_at": "timestamptz",
    "ended_at": "timestamptz",
    "has_root": "boolean",
    "span_ids": "bytea",
    "span_count": "integer",
    "size": "integer",
    "late_count": "integer",
    "reason": "varchar",
}
_UPDATE = f"""
UPDATE snapshots_trace AS trace SET {", ".join(f"{name} = new.{name}" for name in _COLUMNS if name != "id")}
FROM unnest({", ".join(f"%s::{kind}[]" for kind in _COLUMNS.values())}) AS new ({", ".join(_COLUMNS)})
WHERE trace.id = new.id
"""  # noqa: S608 — names of our own
"""In one statement: a request may go on with thousands of traces."""


def _update(changed: Sequence[Trace]) -> None:
    if changed:
        with connection.cursor() as cursor:
            cursor.execute(_UPDATE, [[getattr(trace, name) for trace in changed] for name in _COLUMNS])


def _lock(organisation_id: UUID, trace_ids: Iterable[str]) -> dict[str, Trace]:
    """Return those of the traces that have rows, locked in one order so that concurrent requests cannot deadlock."""
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL lock_timeout = {_LONGEST_WAIT}")
    found = Trace.objects.select_for_update().filter(organisation_id=organisation_id, trace_id__in=list(trace_ids))
    return {trace.trace_id: trace for trace in found.order_by("trace_id").only("organisation", "trace_id", "snapshot", *_COLUMNS)}


def _fresh(trace: Trace, spans: Iterable[ReceivedSpan], key: ServiceKey, refused: RefusedSpans) -> dict[bytes, ReceivedSpan]:
    """Return the spans that this key did not send before and that have room, by what they are known by again.

    Every service of a trace knows the identifiers of its spans: another key that sends one first must not make this one's disappear.
    """
    ids = bytes(trace.span_ids)
    known = {ids[start : start + _SPAN_ID] for start in range(0, len(ids), _SPAN_ID)}
    fresh: dict[bytes, ReceivedSpan] = {}
    size = trace.size
    for span in spans:
        known_by = hashlib.blake2b(span.span_id, key=key.pk.bytes, digest_size=_SPAN_ID).digest()
        if known_by in known:
            continue
        if len(known) >= MOST_SPANS_A_TRACE or size + span.size > LARGEST_TRACE:
            refused.add(_TOO_LARGE)
            continue
        known.add(known_by)
        size += span.size
        fresh[known_by] = span
    return fresh


def _begin_again(trace: Trace, at: datetime) -> None:
    """Let a trace wait again that became no snapshot: this span may have its answer. What came of it before is gone."""
    trace.state, trace.first_at, trace.ended_at, trace.reason = TraceState.WAITING, at, None, ""
    trace.span_count, trace.late_count = trace.span_count + trace.late_count, 0


def _add(trace: Trace, spans: Sequence[ReceivedSpan], at: datetime) -> None:
    trace.last_at = max(trace.last_at, at)
    trace.has_root = trace.has_root or any(span.is_answering for span in spans)
    trace.span_count += len(spans)
    trace.size += sum(span.size for span in spans)


def _note_late(trace: Trace, spans: Sequence[ReceivedSpan], key: ServiceKey, at: datetime) -> list[Event]:
    """Count spans that came after the end; return the event of the snapshot if they are the first."""
    told_of = None if trace.late_count else trace.snapshot_id
    trace.late_count += len(spans)
    if told_of is None:
        return []
    by, details = Actor(ActorKind.SERVICE_KEY, key.pk), {"trace": trace.trace_id, "spans": len(spans)}
    return [Event(Action.SPANS_LATE, trace.organisation_id, by, at, "snapshot", told_of, details)]


# Complete traces.

_LARGEST_BATCH = 2 * 1024 * 1024
_BATCH = 100
_FORGOTTEN_AT_ONCE = 500
"""The most rows read at once to be deleted: together they may be larger than memory."""


@dataclass(frozen=True, slots=True)
class _Ending:
    """A trace that ends, with its spans and what they map to: a record, or the reason why there is none."""

    row: Trace
    spans: TraceSpans
    mapped: Mapped
    record: Record | None = None
    state: TraceState = TraceState.REFUSED
    reason: str = ""


def due(organisation_id: UUID, now: datetime) -> Q:
    """Return the condition for traces that are complete, or have waited for too long."""
    is_quiet = Q(has_root=True, last_at__lte=now - settings.TRACE_QUIET)
    return Q(organisation_id=organisation_id, state=TraceState.WAITING) & (is_quiet | Q(first_at__lte=now - settings.TRACE_LONGEST))


def freeze_batch(*, organisation_id: UUID, now: datetime) -> int:
    """End some of the traces that are due, the oldest first; return their number."""
    with transaction.atomic():
        rows = _next_due(organisation_id, now)
        if not rows:
            return 0
        organisation = Organisation.objects.get(pk=organisation_id)
        sent: dict[UUID, list[_Sent]] = {row.pk: [] for row in rows}
        found = WaitingSpans.objects.filter(organisation_id=organisation_id, trace__in=sent)
        for trace_id, key_id, content in found.order_by("pk").values_list("trace_id", "key_id", "content"):
            sent[trace_id].append((key_id, bytes(content)))
        endings = [_read(row, sent[row.pk]) for row in rows]
        _freeze(endings, organisation, now)
        found.delete()
    return len(rows)


def _next_due(organisation_id: UUID, now: datetime) -> list[Trace]:
    """Return traces that are due and locked, as many as fit into memory together: in turn of each key, its oldest first.

    A small trace can take the engine a second, and thousands of them fit into a request: those of other keys do not wait for all of them.
    """
    place = Window(RowNumber(), partition_by="key", order_by=["first_at", "pk"])
    next_ones = Trace.objects.filter(due(organisation_id, now)).annotate(place=place).order_by("place", "first_at", "pk")
    ids = list(next_ones.values_list("pk", flat=True)[:_BATCH])
    found = Trace.objects.select_for_update(skip_locked=True, of=("self",)).filter(due(organisation_id, now), pk__in=ids)
    rows: list[Trace] = []
    size = 0
    for row in sorted(found, key=lambda each: ids.index(each.pk)):
        size += row.size
        if rows and size > _LARGEST_BATCH:
            break
        rows.append(row)
    return rows


_Sent = tuple[UUID, bytes]
"""Spans that came in one request: the key that sent them, and themselves."""


def _read(row: Trace, sent: Sequence[_Sent]) -> _Ending:
    spans, mapped = TraceSpans(row.trace_id, ()), Mapped()
    try:
        keys = sorted({str(key_id) for key_id, _ in sent})
        came = sum(count_spans(content) for _, content in sent)
        received = (pair for _, content in sent for pair in unpack(content))
        spans = trace_of(row.trace_id, received, keys, is_rest=came < row.span_count)
        mapped = map_trace(spans)
        if mapped.no_turn:
            return _Ending(row, spans, mapped, state=TraceState.NO_TURN, reason=NO_TURN_WORDS[mapped.no_turn])
        return _Ending(row, spans, mapped, read_record(canonical_bytes(mapped.record)))
    except RecordError as error:
        return _Ending(row, spans, mapped, reason=_refusal(error))
    except Exception:  # noqa: BLE001 — one trace must not keep the others waiting
        _log.exception("trace_unreadable", trace=row.trace_id)
        return _Ending(row, spans, mapped, reason=_FAILED)


def _freeze(endings: Sequence[_Ending], organisation: Organisation, now: datetime) -> None:
    """End traces: those that are turns are ingested like records that a program sends, as acts of the key that sent them."""
    turns: dict[UUID, list[_Ending]] = {}
    for each in endings:
        if each.record:
            turns.setdefault(each.row.key_id, []).append(each)
        else:
            _end(each, each.state, now, each.reason)
    for key_id, of_key in turns.items():
        records = [each.record for each in of_key if each.record]
        outcomes = _ingest(records, organisation, Actor(ActorKind.SERVICE_KEY, key_id), now)
        for each, outcome in zip(of_key, outcomes, strict=True):
            each.row.snapshot_id = outcome.snapshot_id
            _end(each, TraceState.FROZEN if outcome.snapshot_id else TraceState.REFUSED, now, _refusal(outcome.error))


def _ingest(records: Sequence[Record], organisation: Organisation, by: Actor, now: datetime) -> list[IngestOutcome]:
    """Ingest records together, or one by one if one of them makes the site fail."""
    try:
        with transaction.atomic():
            return ingest(records=records, organisation=organisation, by=by, at=now)
    except (OperationalError, InterfaceError):  # the database is not there, or was busy: all of them wait
        raise
    except Exception:  # noqa: BLE001 — one trace must not keep the others waiting
        _log.exception("traces_not_frozen", count=len(records))
    if len(records) == 1:
        return [IngestOutcome(records[0].external_id, error=RecordError("", _UNREADABLE))]
    return [outcome for each in records for outcome in _ingest([each], organisation, by, now)]


def _refusal(error: RecordError | None) -> str:
    """Return the reason for refusing a record in a sentence. A key that could be protected text is left out of its place."""
    if error is None:
        return ""
    place = shown_name(error.place) or error.place.partition(".")[0]
    return f"Refused: {place}: {error.reason}." if place else f"Refused: {error.reason}."


def _end(ending: _Ending, state: TraceState, now: datetime, reason: str = "") -> None:
    row, mapped = ending.row, ending.mapped
    row.state, row.ended_at, row.size = state, now, 0
    row.service, row.outline = ending.spans.service, outline(ending.spans)
    row.origins, row.findings, row.unread = mapped.origins, mapped.findings, mapped.unread
    row.reason = visible(reason)[:500]
    row.save()


def forget_old(now: datetime) -> None:
    """Delete the rows of old traces that became no snapshot, and what others showed of theirs. Call this within an organisation."""
    old = Trace.objects.filter(ended_at__lt=now - _KEPT_FOR)
    while ids := list(old.filter(snapshot=None).values_list("pk", flat=True)[:_FORGOTTEN_AT_ONCE]):
        Trace.objects.filter(pk__in=ids).delete()
    old.exclude(outline=[]).update(outline=[])
