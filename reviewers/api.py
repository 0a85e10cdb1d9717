"""The HTTP API of the whole site, version 1: the document, its page, and the responses to errors."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from functools import cache
from typing import Any, cast

import structlog
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import resolve, reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET
from ninja import NinjaAPI
from ninja.errors import Throttled, ValidationError
from ninja.parser import Parser
from ninja.responses import NinjaJSONEncoder

from attribution import read_json
from reviewers.accounts.service_keys import key_rate
from reviewers.review.api.labelling import router as labelling_router
from reviewers.review.api.views import router as item_router
from reviewers.snapshots.api.markers import router as marker_router
from reviewers.snapshots.api.views import router
from reviewers.snapshots.otlp.views import router as otlp_router
from reviewers.snapshots.versions.api import schema_router, trust_router

_log = structlog.get_logger(__name__)


class StrictParser(Parser):
    """Reads bodies that the framework reads, as records are read: a text of brackets takes thirty times its size in memory."""

    def parse_body(self, request: HttpRequest) -> Any:
        """Return the value of a body. The framework responds 400 to any exception."""
        if len(request.body) > settings.LARGEST_FORM:
            message = "the body is larger than any that labels or flags"
            raise RequestDataTooBig(message)
        return read_json(request.body)


api = NinjaAPI(
    title="Footnote",
    version="1",
    description="Freeze an assistant's turns with the context they were given, and read what they draw on.",
    docs_url=None,
    docs_decorator=require_GET,
    openapi_url=None,
    urls_namespace="api",
    throttle=[key_rate],
    parser=StrictParser(),
)
api.add_router("", router)
api.add_router("", marker_router)
api.add_router("", schema_router)
api.add_router("", trust_router)
api.add_router("/otlp", otlp_router)
api.add_router("", labelling_router)
api.add_router("", item_router)

_RETRY_AFTER = "5"
"""Seconds until a client should try again while the database is unavailable."""


@api.exception_handler(InterfaceError)
@api.exception_handler(InternalError)
@api.exception_handler(OperationalError)
def unavailable(request: HttpRequest, error: Exception) -> HttpResponse:
    """Respond 503 while the database is unavailable. Nothing was acknowledged, so the client sends it again."""
    _log.error("database_unavailable", exc_info=error)
    problem = {"place": "", "reason": "the database is not available; nothing was acknowledged, send the same again later"}
    response = api.create_response(request, problem, status=503)
    response["Retry-After"] = _RETRY_AFTER
    return response


@api.exception_handler(ValidationError)
def misshapen(request: HttpRequest, error: Exception) -> HttpResponse:
    """Respond 422 to a malformed part of the address or a header, without repeating it."""
    first = cast("ValidationError", error).errors[0]
    problem = {"place": str(first["loc"][-1]), "reason": first["msg"]}
    return api.create_response(request, problem, status=422)


@api.exception_handler(Throttled)
def too_often(request: HttpRequest, error: Exception) -> HttpResponse:
    """Respond 429 to a key that asks too often, or to an address without a working key."""
    wait = cast("Throttled", error).wait or 1
    response = api.create_response(request, {"detail": "Too many requests of this key or address; wait before the next one."}, status=429)
    response["Retry-After"] = str(math.ceil(wait))
    return response


@csrf_exempt
def traces(request: HttpRequest) -> HttpResponse:
    """Respond at the path that every OTLP exporter appends to an address, as at the API's own."""
    return cast("HttpResponse", resolve(reverse("api:post_traces")).func(request))


@require_GET
def document(request: HttpRequest) -> HttpResponse:  # noqa: ARG001 — a view
    """Respond with the API's document."""
    return HttpResponse(_written_document(), content_type="application/json")


@require_GET
def reference(request: HttpRequest) -> HttpResponse:
    """Render the API's document as a page."""
    schema, operations = _document()
    return render(request, "snapshots/reference.html", {"schema": schema, "operations": operations})


@cache
def _written_document() -> bytes:
    return json.dumps(_document()[0], cls=NinjaJSONEncoder).encode()


@cache
def _document() -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """Return the API's document and its operations, which are built once: they take a tenth of a second."""
    schema: dict[str, Any] = api.get_openapi_schema()
    operations = [
        {"method": method.upper(), "path": path, **operation}
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    for operation in operations:
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        operation["asked"] = [_parameter(each) for each in operation["parameters"] if each["in"] != "path"]
        operation["fields"] = _fields(_resolved(body.get("schema", {}), schema))
        operation["example"] = json.dumps(body["example"], indent=2, ensure_ascii=False) if "example" in body else ""
    return schema, operations


@dataclass(frozen=True, slots=True)
class DescribedValue:
    """A field of a body, or a parameter, as the page of the document shows it."""

    name: str
    type: str
    meaning: str
    is_required: bool


def _resolved(described: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a body, which may be named."""
    name = described.get("$ref", "").rpartition("/")[2]
    found: dict[str, Any] = schema["components"]["schemas"][name] if name else described
    return found


def _parameter(described: dict[str, Any]) -> DescribedValue:
    """Return a parameter of an address or a header, which can be left out. One that takes several values is given once for each."""
    schema = described["schema"]
    words = f"{_in_words(schema['items'])}, up to {schema['maxItems']} times" if "items" in schema else _in_words(schema)
    default = json.dumps(schema.get("default", "")).strip('"')
    return DescribedValue(
        described["name"],
        f"{words}; {default} if left out" if default else words,
        described.get("description", ""),
        is_required=described["required"],
    )


def _fields(described: dict[str, Any]) -> list[DescribedValue]:
    """Return the fields of a body, those first that are required."""
    required = described.get("required", ())
    fields = [
        DescribedValue(name, _in_words(each), _first(each, "description"), name in required)
        for name, each in described.get("properties", {}).items()
    ]
    return sorted(fields, key=lambda field: not field.is_required)


def _in_words(described: dict[str, Any]) -> str:
    """Return the type of a field, or the values that it can have, and its longest length. Null means that a field is left out."""
    if values := _first(described, "enum"):
        return " or ".join(values)
    types = [described["type"]] if isinstance(described.get("type"), str) else described.get("type", ())
    types = [*types, *(each["type"] for each in described.get("anyOf", ()))]
    words = _first(described, "format") or " or ".join(each for each in types if each != "null")
    longest = _first(described, "maxLength")
    return f"{words}, up to {longest:,} characters" if longest else words


def _first(described: dict[str, Any], key: str) -> Any:
    """Return what is said of a field, or of one of the kinds of values that it can have; an empty text if nothing is."""
    return next((each[key] for each in (described, *described.get("anyOf", ())) if key in each), "")
