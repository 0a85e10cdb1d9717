"""``GET /metrics``: figures of the running site for Prometheus, behind a token. Nothing in them tells of a client or an organisation."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate
from uuid import UUID

from django.conf import settings
from django.db import Error
from django.db.models import Count, Min, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.http import require_GET

from reviewers.accounts.models import Organisation
from reviewers.ledger.models import Pending
from reviewers.review.models import QueueItem
from reviewers.review.models.queue import State
from reviewers.snapshots.models import Snapshot, Trace, TraceState
from reviewers.web.http.request_counts import BUCKETS, request_counts
from reviewers.web.jobs import LONG, MODEL, SHORT, TRACES, WEBHOOKS
from reviewers.web.statements import read_rows
from reviewers.web.tenancy import tenant

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
RECENTLY = timedelta(minutes=5)

_JOBS = """
SELECT queue_name, status::text, count(*), extract(epoch FROM now() - min(coalesce(scheduled_at, now()))) FROM procrastinate_jobs
WHERE status IN ('todo', 'doing', 'failed') GROUP BY 1, 2
"""
_CONNECTIONS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"

Sample = tuple[str, dict[str, str], float]
"""The suffix of the metric's name, such as ``_sum``, its labels, and the value."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric with its samples."""

    name: str
    kind: str
    help: str
    samples: list[Sample]


@require_GET
def metrics(request: HttpRequest) -> HttpResponse:
    """Return the metrics to who has the token. Without a token in the settings there is no such page."""
    if not settings.METRICS_TOKEN:
        raise Http404
    if not constant_time_compare(request.headers.get("Authorization", ""), f"Bearer {settings.METRICS_TOKEN}"):
        return HttpResponse("Send the token of the settings as bearer.\n", "text/plain", 401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(as_text([*of_requests(), *of_database(timezone.now())]), CONTENT_TYPE)


def as_text(found: Iterable[Metric]) -> str:
    """Return metrics in Prometheus' text format. All labels are words of ours, without a character to escape."""
    return "".join(f"# HELP {each.name} {each.help}\n# TYPE {each.name} {each.kind}\n{''.join(_lines(each))}" for each in found)


def _lines(metric: Metric) -> Iterator[str]:
    for suffix, labels, value in metric.samples:
        listed = ",".join(f'{name}="{text}"' for name, text in labels.items())
        yield f"{metric.name}{suffix}{f'{{{listed}}}' if listed else ''} {value:.15g}\n"


def of_requests() -> Iterator[Metric]:
    """Yield the counts of this server's requests and their times."""
    counted = list(request_counts.read())
    totals: list[Sample] = [("", {"kind": each.kind, "status": name}, count) for each in counted for name, count in each.by_status.items()]
    yield Metric("footnote_requests_total", "counter", "Requests answered by this server.", totals)
    times: list[Sample] = []
    for each in counted:
        sums = list(accumulate(each.by_bucket))
        bounds = [*(f"{bound:g}" for bound in BUCKETS), "+Inf"]
        times += [("_bucket", {"kind": each.kind, "le": bound}, count) for bound, count in zip(bounds, sums, strict=True)]
        times += [("_sum", {"kind": each.kind}, each.seconds), ("_count", {"kind": each.kind}, sums[-1])]
    yield Metric("footnote_request_seconds", "histogram", "Seconds until a response begins.", times)


def of_database(now: datetime) -> Iterator[Metric]:
    """Yield the figures that are in the database. If it does not answer, only that."""
    began = time.perf_counter()
    try:
        ((count,),) = read_rows(_CONNECTIONS)
        answered = time.perf_counter() - began
        found = [
            *_of_queue(now),
            *_of_jobs(),
            *_of_ledger(now),
            _gauge("footnote_alarms_open", "Alarms that nobody acknowledged.", _count_alarms()),
        ]
    except Error:
        yield _gauge("footnote_database_up", "1 if the database answers.", 0)
        return
    yield _gauge("footnote_database_up", "1 if the database answers.", 1)
    yield _gauge("footnote_database_seconds", "Seconds that the database took to answer.", answered)
    yield _gauge("footnote_database_connections", "Connections to the database.", count)
    yield from found


def _gauge(name: str, text: str, value: float) -> Metric:
    return Metric(name, "gauge", text, [("", {}, value)])


def _count_alarms() -> int:
    return Organisation.objects.aggregate(open=Sum("open_alarms"))["open"] or 0


def _of_queue(now: datetime) -> Iterator[Metric]:
    """Yield sums over all organisations: each reads its own rows only."""
    depth = traces = 0
    oldest = now
    for organisation_id in Organisation.objects.values_list("pk", flat=True):
        with tenant.within(organisation_id):
            to_do = QueueItem.objects.filter(organisation=organisation_id, state=State.TO_DO)
            waiting = to_do.aggregate(n=Count("pk"), at=Min("answered_at"))
            traces += Trace.objects.filter(organisation=organisation_id, state=TraceState.WAITING).count()
        depth, oldest = depth + waiting["n"], min(oldest, waiting["at"] or now)
    with tenant.across_all():
        recent = Snapshot.objects.filter(pk__gte=_first_id(now - RECENTLY)).count()
    yield _gauge("footnote_queue_depth", "Answers that wait for review.", depth)
    yield _gauge("footnote_queue_age_seconds", "Age of the oldest answer that waits for review.", (now - oldest).total_seconds())
    yield _gauge("footnote_snapshots_recent", "Turns frozen in the last five minutes, however they came.", recent)
    yield _gauge("footnote_traces_waiting", "Traces that wait for their spans.", traces)


def _of_jobs() -> Iterator[Metric]:
    queues = (SHORT, LONG, MODEL, TRACES, WEBHOOKS)
    found = {(queue, status): (count, age) for queue, status, count, age in read_rows(_JOBS)}
    kinds = [(queue, state) for queue in queues for state in ("todo", "doing", "failed")]
    counts: list[Sample] = [("", {"queue": queue, "state": state}, found.get((queue, state), (0, 0))[0]) for queue, state in kinds]
    yield Metric("footnote_jobs", "gauge", "Background jobs: to do, running, or failed for good.", counts)
    ages: list[Sample] = [("", {"queue": queue}, max(float(found.get((queue, "todo"), (0, 0))[1] or 0), 0)) for queue in queues]
    yield Metric("footnote_jobs_overdue_seconds", "gauge", "Seconds since the oldest waiting job with a time was due.", ages)


def _of_ledger(now: datetime) -> Iterator[Metric]:
    with tenant.outside():
        count, first = Pending.objects.count(), Pending.objects.order_by("pk").first()
    lag = (now - _time_of(first.event_id)).total_seconds() if first else 0
    yield _gauge("footnote_events_unsealed", "Audit events that wait to be sealed.", count)
    yield _gauge("footnote_sealing_lag_seconds", "Age of the oldest audit event that is not sealed.", max(lag, 0))


def _first_id(moment: datetime) -> UUID:
    """Return the least identifier that is made at a moment or later: the time comes first in it."""
    return UUID(int=int(moment.timestamp() * 1000) << 80)


def _time_of(identifier: UUID) -> datetime:
    return datetime.fromtimestamp((identifier.int >> 80) / 1000, tz=timezone.get_default_timezone())
