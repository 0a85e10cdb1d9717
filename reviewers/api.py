"""The HTTP API of the whole site, version 1."""

from __future__ import annotations

import json

import structlog
from django.db import InterfaceError, InternalError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from ninja import NinjaAPI

from reviewers.snapshots.api import router

_log = structlog.get_logger(__name__)

api = NinjaAPI(
    title="Footnote",
    version="1",
    description="Freeze an assistant's turns with the context they were given, and read what they draw on.",
    docs_url=None,
    docs_decorator=require_GET,
    openapi_url="/openapi.json",
    urls_namespace="api",
)
api.add_router("", router)


@api.exception_handler(InterfaceError)
@api.exception_handler(InternalError)
@api.exception_handler(OperationalError)
def unavailable(request: HttpRequest, error: Exception) -> HttpResponse:
    """The database is away, full or out of order. Whatever was to be stored is not acknowledged, so the client sends it again."""
    _log.error("database_unavailable", exc_info=error)
    problem = {"place": "", "reason": "the database is not available; nothing was acknowledged, send the same again later"}
    return api.create_response(request, problem, status=503)


@require_GET
def reference(request: HttpRequest) -> HttpResponse:
    """The API's document as a page."""
    schema = api.get_openapi_schema()
    operations = [
        {"method": method.upper(), "path": path, **operation}
        for path, methods in schema["paths"].items()
        for method, operation in methods.items()
    ]
    for operation in operations:
        body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
        operation["properties"] = body.get("schema", {}).get("properties", {})
        operation["required_properties"] = body.get("schema", {}).get("required", [])
        operation["example"] = json.dumps(body["example"], indent=2, ensure_ascii=False) if "example" in body else ""
    return render(request, "snapshots/reference.html", {"schema": schema, "operations": operations})
