"""The HTTP API of the whole site, version 1."""

from __future__ import annotations

import json

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from ninja import NinjaAPI

from reviewers.snapshots.api import router

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
