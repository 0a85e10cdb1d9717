"""Whether the rows that events commit to are in their tables as they were written, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any
from uuid import UUID

from django.apps import apps
from django.db import connection, models
from psycopg import sql

from reviewers.ledger.commitments import commit_row
from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, LogKey, Node
from reviewers.ledger.openings import Openings
from reviewers.ledger.rows import CHECK_LENGTH, Row, row_of, shape_of
from reviewers.ledger.standing import STANDING, model_of
from reviewers.ledger.verifying.difference import Differs
from reviewers.web.models import InsertOnly

OWN = (AuditEvent, LogKey, Leaf, Node, Checkpoint)
"""Records that no event commits to: they are the log, and are computed again."""

UNTOLD = "no event tells of this row"


@dataclass(frozen=True, slots=True)
class Claim:
    """What an event says of a row: how its bytes are committed to, and a few bytes of a checksum for each column.

    Without a salt the row was redacted since, and what it holds now is for a later event to say.
    """

    event_id: UUID
    table: str
    key: str
    shape: str
    digest: str
    salt: bytes | None
    checks: bytes


def records() -> dict[str, type[models.Model]]:
    """The tables whose rows events have to account for."""
    return {model._meta.db_table: model for model in apps.get_models() if issubclass(model, InsertOnly) and model not in OWN}


def claimable(table: str) -> type[models.Model] | None:
    """The model of a table whose rows events may commit to: records, and what a redaction made of an event's secret."""
    if table in STANDING:
        return model_of(table)
    return EventSecret if table == EventSecret._meta.db_table else records().get(table)


def claims_of(event_id: UUID, body: Mapping[str, Any], openings: Openings, column_checks: bytes) -> list[Claim]:
    """What an event says of rows; there are no checks of columns of those that were redacted since."""
    told: Sequence[Mapping[str, str]] = body.get("rows", [])
    claims, checks = [], column_checks
    for row, salt in zip(told, openings.rows, strict=True):
        width = CHECK_LENGTH * len(columns_of(row["table"], row["columns"])) if salt else 0
        claims.append(Claim(event_id, row["table"], row["id"], row["columns"], row["sha256"], salt, checks[:width]))
        checks = checks[width:]
    if checks:
        raise Differs(EventSecret, event_id, "has checks of other columns than the event", "column_checks")
    return claims


def check_claims(claims: Iterable[Claim]) -> int:
    """Every claim that is still open holds; returns how many. One question for each table."""
    by_table: dict[str, list[Claim]] = {}
    for claim in (each for each in claims if each.salt is not None):
        by_table.setdefault(claim.table, []).append(claim)
    for table, of_table in by_table.items():
        model = claimable(table)
        if model is None:
            raise Differs(table, of_table[0].key, "there is no such table any more")
        found = {str(record.pk): record for record in read(model, [claim.key for claim in of_table])}
        for claim in of_table:
            _check_claim(claim, found.get(claim.key))
    return sum(map(len, by_table.values()))


def read(model: type[models.Model], keys: Sequence[str]) -> models.QuerySet[models.Model]:
    """The records with these keys."""
    return model._base_manager.filter(pk__in=keys)  # noqa: SLF001 — Django's documented name for it


def _check_claim(claim: Claim, record: models.Model | None) -> None:
    if record is None:
        raise Differs(claim.table, claim.key, "is gone")
    row = row_of(record)
    row = Row(row.table, row.id, {name: row.values[name] for name in columns_of(claim.table, claim.shape)})
    encoded = row.encode()
    if commit_row(claim.salt or b"", claim.table, encoded.content) == claim.digest:
        if encoded.checks != claim.checks:
            raise Differs(EventSecret, claim.event_id, "is not what was written", "column_checks")
        return
    differing = [name for index, name in enumerate(sorted(row.values)) if not _is_checked(index, encoded.checks, claim.checks)]
    if differing:
        raise Differs(claim.table, claim.key, "is not what was written", ", ".join(differing))
    raise Differs(EventSecret, claim.event_id, f"does not open what is committed of {claim.table} {claim.key}", "salt_seed")


def _is_checked(index: int, found: bytes, kept: bytes) -> bool:
    start = index * CHECK_LENGTH
    return found[start : start + CHECK_LENGTH] == kept[start : start + CHECK_LENGTH]


@cache
def columns_of(table: str, shape: str) -> frozenset[str]:
    """The columns that a table had when a row was committed to: columns that came later stand behind them."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum", [table]
        )
        names = [name for (name,) in cursor.fetchall()]
    if table in STANDING and shape_of(STANDING[table]) == shape:
        return STANDING[table]
    for count in range(len(names), 0, -1):
        if shape_of(frozenset(names[:count])) == shape:
            return frozenset(names[:count])
    raise Differs(table, "", "has other columns than its rows were written with")


def check_no_others(organisation_id: UUID | None) -> None:
    """Every row of a record is told by an event: of an organisation, or those that belong to none."""
    for table in tables_within(organisation_id):
        for key in _list_untold(table, organisation_id):
            if organisation_id and _is_told(table, key):
                raise Differs(table, key, "an event of another organisation tells of this row", "organisation_id")
            raise Differs(table, key, UNTOLD)


def tables_within(organisation_id: UUID | None) -> list[str]:
    """The tables of records whose rows belong to an organisation, or to none."""
    return [table for table, model in records().items() if _has_organisation(model) == (organisation_id is not None)]


def _has_organisation(model: type[models.Model]) -> bool:
    return any(field.column == "organisation_id" for field in model._meta.concrete_fields)


_TOLD = """
SELECT id::text FROM {table} WHERE {whose} EXCEPT
SELECT told->>'id' FROM ledger_auditevent, jsonb_array_elements(convert_from(body, 'UTF8')::jsonb->'rows') AS told
WHERE told->>'table' = %(table)s AND {whose} ORDER BY 1 LIMIT 1
"""


def _list_untold(table: str, organisation_id: UUID | None) -> list[str]:
    """The key of the first row that no event tells of, if there is one."""
    whose = sql.SQL("organisation_id = %(organisation)s" if organisation_id else "true")
    with connection.cursor() as cursor:
        given = {"table": table, "organisation": organisation_id}
        cursor.execute(sql.SQL(_TOLD).format(table=sql.Identifier(table), whose=whose), given)
        return [key for (key,) in cursor.fetchall()]


def _is_told(table: str, key: str) -> bool:
    """Whether any event at all tells of a row."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT EXISTS (SELECT FROM ledger_auditevent WHERE convert_from(body, 'UTF8')::jsonb->'rows' @> %s::jsonb)",
            [json.dumps([{"table": table, "id": key}])],
        )
        return bool(cursor.fetchone()[0])
