"""Records on their way in, as programs send them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from django.http import HttpResponse
from django.test import Client

from reviewers.accounts.models import Organisation
from tests.factories import make_key

ADDRESS = "/api/v1/snapshots"
JSON, LINES = "application/json", "application/x-ndjson"


def program_of(organisation: Organisation, *scopes: str) -> Client:
    """A program with a key of an organisation."""
    return Client(headers={"Authorization": f"Bearer {make_key(organisation, *scopes)}"})


def as_bytes(record: Mapping[str, Any] | bytes) -> bytes:
    """A record as it goes over the wire."""
    return record if isinstance(record, bytes) else json.dumps(record).encode()


def post(program: Client, record: Mapping[str, Any] | bytes, content_type: str = JSON, **headers: str) -> HttpResponse:
    """Send one record."""
    return program.post(ADDRESS, as_bytes(record), content_type=content_type, headers=headers)


def post_lines(program: Client, records: Iterable[Mapping[str, Any] | bytes]) -> list[dict[str, Any]]:
    """Send many records; their result lines."""
    response = program.post(ADDRESS, b"\n".join(map(as_bytes, records)) + b"\n", content_type=LINES)
    assert (response.status_code, response["Content-Type"]) == (200, LINES)
    return results_of(response)


def results_of(response: HttpResponse) -> list[dict[str, Any]]:
    """The result lines of an answer."""
    return [json.loads(line) for line in response.content.splitlines()]


def problem_of(response: HttpResponse) -> tuple[int, str, str]:
    """Status, place and reason of a refusal."""
    problem = response.json()
    assert problem.keys() == {"place", "reason"}
    return response.status_code, problem["place"], problem["reason"]
