"""Spans of the site itself, over OTLP, where a deployment names an endpoint. Without one nothing is imported and nothing measured.

A span has the name of a route or a job, a status, its times and, for an error, the type: no path, query, header, body or message, any of
which may hold protected text. The packages are no requirement of the site: a deployment that wants spans installs them
(``docs/watching.md``).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.http import HttpRequest, HttpResponse

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, SpanKind
    from procrastinate import JobContext

Respond = Callable[[HttpRequest], HttpResponse]
OTHER = "other"
"""The route of a request that none matches."""


@cache
def provider() -> TracerProvider:
    """Return what makes spans and sends them in the background; raise ``ImproperlyConfigured`` without the packages."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 — only where it is wanted
        from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 — as above
        from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 — as above
        from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 — as above
    except ImportError as error:
        raise ImproperlyConfigured(
            "FOOTNOTE_TRACES_URL is set, and the packages that send spans are not installed: "
            "pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http."
        ) from error
    made = TracerProvider(resource=Resource.create({"service.name": "footnote"}))
    made.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.TRACES_URL)))
    return made


@contextmanager
def _span(name: str, kind: SpanKind) -> Iterator[Span]:
    """Make a span around the block. Of an exception it tells the type alone: the message may quote anything."""
    from opentelemetry.trace import StatusCode  # noqa: PLC0415 — only where it is wanted

    tracer = provider().get_tracer("footnote")
    with tracer.start_as_current_span(name, kind=kind, record_exception=False, set_status_on_exception=False) as span:
        try:
            yield span
        except BaseException as error:
            span.set_attribute("error.type", type(error).__qualname__)
            span.set_status(StatusCode.ERROR)
            raise


def trace_requests(respond: Respond) -> Respond:
    """Middleware: a span for each request, named after its route."""
    provider()

    def middleware(request: HttpRequest) -> HttpResponse:
        from opentelemetry.trace import SpanKind, StatusCode  # noqa: PLC0415 — only where it is wanted

        method = request.method if request.method in _METHODS else OTHER
        with _span(str(method), SpanKind.SERVER) as span:
            response = respond(request)
            route = request.resolver_match.route if request.resolver_match else OTHER
            span.update_name(f"{method} {route}")
            span.set_attributes(
                {"http.request.method": str(method), "http.route": route, "http.response.status_code": response.status_code}
            )
            if response.status_code >= HTTPStatus.INTERNAL_SERVER_ERROR:
                span.set_status(StatusCode.ERROR)
            return response

    return middleware


_METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


async def trace_job(run: Callable[[], Awaitable[Any]], context: JobContext, worker: object) -> Any:
    """Middleware of the worker: a span for each job, named after its task. Its arguments are not told."""
    from opentelemetry.trace import SpanKind  # noqa: PLC0415 — only where it is wanted

    del worker
    with _span(context.job.task_name, SpanKind.CONSUMER) as span:
        span.set_attributes({"messaging.destination.name": context.job.queue, "footnote.attempt": context.job.attempts})
        return await run()
