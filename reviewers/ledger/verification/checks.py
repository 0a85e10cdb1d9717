"""Shared parts of verification: the mismatch, reading rows in pages, and checks of an event's columns and secret against its body."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import permutations
from typing import Any, TypeVar

from django.db import models
from django.db.models import Model, QuerySet

from reviewers.ledger.commitments import commit
from reviewers.ledger.encoding import InvalidOpening, Openings, read_openings
from reviewers.ledger.models import AuditEvent, EventSecret


class LedgerMismatch(Exception):  # noqa: N818 — what was found, not an error of ours
    """The first row that differs: its table, its key, the column if it is known, and the difference."""

    def __init__(self, table: str | type[models.Model], key: object, how: str, column: str = "") -> None:
        self.table = table if isinstance(table, str) else table._meta.db_table
        self.key = str(key)
        self.how = how
        self.column = column
        super().__init__(str(self))

    def __str__(self) -> str:
        place = f"{self.table} {self.key}" + (f", column {self.column}" if self.column else "")
        return f"{place}: {self.how}"


PAGE = 500
M = TypeVar("M", bound=Model)


def pages(rows: QuerySet[M], by: str) -> Iterator[list[M]]:
    """Yield rows in the order of a unique column, a page at a time."""
    rows = rows.order_by(by)
    page = list(rows[:PAGE])
    while page:
        yield page
        page = list(rows.filter(**{f"{by}__gt": getattr(page[-1], by)})[:PAGE])


def each(rows: QuerySet[M], by: str) -> Iterator[M]:
    """Yield rows in the order of a unique column."""
    for page in pages(rows, by):
        yield from page


_MOST_KEPT = 5
"""The most parts that are stored in a secret. Their order is not, so all orders are tried."""


def read_body(event: AuditEvent) -> Mapping[str, Any]:
    """Return an event's body, after checking that its columns agree."""
    try:
        body: Mapping[str, Any] = json.loads(bytes(event.body))
        told, has_form = _columns_told(body), _has_form(body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise LedgerMismatch(AuditEvent, event.id, "is not the body of an event", "body") from error
    if not has_form:
        raise LedgerMismatch(AuditEvent, event.id, "is not the body of an event", "body")
    differing = [column for column, value in told.items() if _text_of(getattr(event, column)) != value]
    if len(differing) > 1:
        raise LedgerMismatch(AuditEvent, event.id, "tells of another event", "body")
    if differing:
        raise LedgerMismatch(AuditEvent, event.id, "is not what the event tells", differing[0])
    return body


def check_secret(event: AuditEvent, body: Mapping[str, Any], secret: EventSecret | None) -> Openings | None:
    """Check that an event's secret is there if it needs one, belongs to it, and opens the parts stored in it; return its openings.

    Return None for an event without commitments. A secret that a redaction has closed must not store parts.
    """
    parts, rows = body.get("parts", {"count": 0}), body.get("rows", [])
    if not parts["count"] and not rows:
        return None
    if secret is None:
        raise LedgerMismatch(EventSecret, event.id, "is gone, and with it what opens the event's commitments")
    if secret.organisation_id != event.organisation_id:
        raise LedgerMismatch(EventSecret, event.id, "is not that of the event", "organisation_id")
    try:
        openings = read_openings(body, bytes(secret.salt_seed))
    except InvalidOpening as error:
        raise LedgerMismatch(EventSecret, event.id, "opens nothing", "salt_seed") from error
    if secret.payload is not None and openings.is_closed:
        raise LedgerMismatch(EventSecret, event.id, "keeps what was redacted", "payload")
    if not openings.is_closed and (secret.payload is not None or not rows):
        _check_payload(parts, secret)
    return openings


def _check_payload(parts: Mapping[str, Any], secret: EventSecret) -> None:
    """Check the stored parts: a secret stores all parts of its event, or none."""
    try:
        kept = json.loads(bytes(secret.payload or b"{}")).items()
        contents = [(name, text.encode()) for name, text in kept]
    except (ValueError, AttributeError) as error:
        raise LedgerMismatch(EventSecret, secret.event_id, "is not what was kept", "payload") from error
    if len(contents) != parts["count"] or len(contents) > _MOST_KEPT:
        raise LedgerMismatch(EventSecret, secret.event_id, "is not what was kept", "payload")
    if not any(commit(order, bytes(secret.salt_seed)) == parts["sha256"] for order in permutations(contents)):
        raise LedgerMismatch(EventSecret, secret.event_id, "does not open the event's commitments", "salt_seed or payload")


_MOST_PARTS = 2_000_000
"""More than the largest record has fields: so many salts are computed for an event that claims to have them."""
_ROW = {"table", "id", "columns", "sha256"}
_TABLE = re.compile("[a-z_]{1,63}")


def _has_form(body: Mapping[str, Any]) -> bool:
    """Return True if what a body tells beside its columns can be compared, whatever it claims. Anything may be put among the events."""
    parts = body.get("parts", {"count": 1, "sha256": ""})
    is_counted = type(parts["count"]) is int and 0 < parts["count"] <= _MOST_PARTS and isinstance(parts["sha256"], str)
    rows = body.get("rows", [])
    return is_counted and isinstance(body.get("details", {}), dict) and isinstance(rows, list) and all(map(_is_row, rows))


def _is_row(row: Mapping[str, Any]) -> bool:
    are_texts = row.keys() == _ROW and all(isinstance(each, str) for each in row.values())
    return are_texts and _TABLE.fullmatch(row["table"]) is not None and row["id"].isprintable()


def _columns_told(body: Mapping[str, Any]) -> dict[str, str]:
    return {
        "id": body["id"],
        "organisation_id": body["organisation"],
        "action": body["action"],
        "actor_id": str(body["actor"]["id"]),
        "object_id": body["object"]["id"],
        "occurred_at": body["at"].replace("Z", "+00:00"),
    }


def _text_of(value: Any) -> str:
    return value.isoformat(timespec="microseconds") if hasattr(value, "isoformat") else str(value)
