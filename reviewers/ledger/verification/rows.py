"""Verification of rows: the tables hold the rows that events commit to, as they were written, and no others."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import islice
from typing import Any
from uuid import UUID

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from psycopg import sql

from reviewers.ledger.commitments import commit_row
from reviewers.ledger.encoding import CHECK_LENGTH, LedgerRow, Openings, row_of, shape_of
from reviewers.ledger.events import Action
from reviewers.ledger.hooks import rows_without_event
from reviewers.ledger.models import AuditEvent, Checkpoint, EventSecret, Leaf, LogKey, Node, RedactionDecision, RedactionOutcome
from reviewers.ledger.mutable_rows import (
    MADE_BY,
    MUTABLE_COLUMNS,
    PASSING,
    SIGN_ON_PROVIDER,
    RowEvent,
    model_of,
    tables_replaced,
    values_before,
)
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.web.models import InsertOnly
from reviewers.web.statements import read_rows

OWN = (AuditEvent, LogKey, Leaf, Node, Checkpoint)
"""Records that no event commits to: they are the log, and are computed again."""

UNTOLD = "no event tells of this row"


@dataclass(frozen=True, slots=True)
class RowCommitment:
    """An event's commitment to a row, and a few bytes of a checksum for each column.

    Without a salt the row was redacted since, and a later event commits to its present state.
    """

    event_id: UUID
    table: str
    key: str
    shape: str
    digest: str
    salt: bytes | None
    checks: bytes


def record_models() -> dict[str, type[models.Model]]:
    """Return the tables whose rows events have to account for."""
    return {model._meta.db_table: model for model in apps.get_models() if issubclass(model, InsertOnly) and model not in OWN}


def claimable(table: str) -> type[models.Model] | None:
    """Return the model of a table whose rows events may commit to: records, mutable rows, and secrets that a redaction changed."""
    if table in MUTABLE_COLUMNS:
        return model_of(table)
    return EventSecret if table == EventSecret._meta.db_table else record_models().get(table)


def claims_of(event_id: UUID, body: Mapping[str, Any], openings: Openings, column_checks: bytes) -> list[RowCommitment]:
    """Return the commitments of an event to rows. Redacted rows have no column checks."""
    told: Sequence[Mapping[str, str]] = body.get("rows", [])
    claims, checks = [], column_checks
    for row, salt in zip(told, openings.rows, strict=True):
        _check_decides(event_id, row, is_open=salt is not None)
        width = CHECK_LENGTH * len(columns_of(row["table"], row["columns"])) if salt else 0
        claims.append(RowCommitment(event_id, row["table"], row["id"], row["columns"], row["sha256"], salt, checks[:width]))
        checks = checks[width:]
    if checks:
        raise LedgerMismatch(EventSecret, event_id, "has checks of other columns than the event", "column_checks")
    return claims


def _check_decides(event_id: UUID, row: Mapping[str, str], *, is_open: bool) -> None:
    """Check that an event commits to a mutable row by all columns that decide, and can be opened: no redaction closes one.

    Otherwise it would hide what was changed before it, or what the row was.
    """
    columns, named = MUTABLE_COLUMNS.get(row["table"]), f"{row['table']} {row['id']}"
    if columns and row["columns"] != shape_of(columns):
        raise LedgerMismatch(AuditEvent, event_id, f"commits to other columns of {named} than those that decide", "body")
    if columns and not is_open:
        raise LedgerMismatch(EventSecret, event_id, f"no longer opens what its event commits to of {named}", "salt_seed")


def check_claims(claims: Iterable[RowCommitment]) -> int:
    """Check every commitment that is still open; return their number. One query a table."""
    by_table: dict[str, list[RowCommitment]] = {}
    for claim in (each for each in claims if each.salt is not None):
        by_table.setdefault(claim.table, []).append(claim)
    for table, of_table in by_table.items():
        model = claimable(table)
        if model is None:
            raise LedgerMismatch(table, of_table[0].key, "there is no such table any more")
        for claim in of_table:
            _check_key(claim, model)
        found = {str(record.pk): record for record in load_records(model, [claim.key for claim in of_table])}
        for claim in of_table:
            _check_claim(claim, found.get(claim.key))
    return sum(map(len, by_table.values()))


def _check_key(claim: RowCommitment, model: type[models.Model]) -> None:
    """Check that a commitment names its row by a key such as the table has: the database would refuse to look for another."""
    try:
        is_key = str(model._meta.pk.to_python(claim.key)) == claim.key
    except ValidationError:
        is_key = False
    if not is_key:
        raise LedgerMismatch(AuditEvent, claim.event_id, f"names a row of {claim.table} by what is no key", "body")


def load_records(model: type[models.Model], keys: Sequence[str]) -> models.QuerySet[models.Model]:
    """Return the records with these keys."""
    return model._base_manager.filter(pk__in=keys)  # noqa: SLF001 — Django's documented name for it


def _check_claim(claim: RowCommitment, record: models.Model | None) -> None:
    if record is None:
        raise LedgerMismatch(claim.table, claim.key, "is gone")
    row = row_of(record)
    row = LedgerRow(row.table, row.id, {name: row.values[name] for name in columns_of(claim.table, claim.shape)})
    content, checks = row.encode()
    if commit_row(claim.salt or b"", claim.table, content) == claim.digest:
        if checks != claim.checks:
            raise LedgerMismatch(EventSecret, claim.event_id, "is not what was written", "column_checks")
        return
    if differing := _differing(row, checks, claim.checks):
        raise LedgerMismatch(claim.table, claim.key, "is not what was written", differing)
    raise LedgerMismatch(EventSecret, claim.event_id, f"does not open what is committed of {claim.table} {claim.key}", "salt_seed")


def _differing(row: LedgerRow, found: bytes, kept: bytes) -> str:
    """Return the names of the columns of a row whose checksums differ from those kept."""
    return ", ".join(name for index, name in enumerate(sorted(row.values)) if not _is_checked(index, found, kept))


def _is_checked(index: int, found: bytes, kept: bytes) -> bool:
    start = index * CHECK_LENGTH
    return found[start : start + CHECK_LENGTH] == kept[start : start + CHECK_LENGTH]


_COLUMNS = "SELECT attname FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"


@cache
def columns_of(table: str, shape: str) -> frozenset[str]:
    """Return the columns that a table had when a row was committed to: columns added later come after them."""
    names = [name for (name,) in read_rows(_COLUMNS, [table])]
    if table in MUTABLE_COLUMNS and shape_of(MUTABLE_COLUMNS[table]) == shape:
        return MUTABLE_COLUMNS[table]
    for count in range(len(names), 0, -1):
        if shape_of(frozenset(names[:count])) == shape:
            return frozenset(names[:count])
    raise LedgerMismatch(table, "", "has other columns than its rows were written with")


def check_no_others(organisation_id: UUID | None) -> None:
    """Check that an event names every row of the records of an organisation, or of those that belong to none."""
    for table in tables_within(organisation_id):
        for key in _list_untold(table, organisation_id):
            if organisation_id and _is_told(table, key):
                raise LedgerMismatch(table, key, "an event of another organisation tells of this row", "organisation_id")
            raise LedgerMismatch(table, key, UNTOLD)


def tables_within(organisation_id: UUID | None) -> list[str]:
    """Return the tables of records whose rows belong to an organisation, or to none."""
    return [table for table, model in record_models().items() if _has_organisation(model) == (organisation_id is not None)]


def _has_organisation(model: type[models.Model]) -> bool:
    return any(field.column == "organisation_id" for field in model._meta.concrete_fields)


_TOLD = """
SELECT id::text FROM {table} WHERE {whose} AND NOT ({early}) EXCEPT
SELECT told->>'id' FROM ledger_auditevent, jsonb_array_elements(convert_from(body, 'UTF8')::jsonb->'rows') AS told
WHERE told->>'table' = %(table)s AND {whose} ORDER BY 1 LIMIT 1
"""


def _list_untold(table: str, organisation_id: UUID | None) -> list[str]:
    """Return the key of the first row that no event names and that should have one, if there is one."""
    early = sql.SQL(rows_without_event.get(table, "false"))
    whose = sql.SQL("organisation_id = %(organisation)s" if organisation_id else "true")
    statement = sql.SQL(_TOLD).format(table=sql.Identifier(table), whose=whose, early=early)
    return [key for (key,) in read_rows(statement, {"table": table, "organisation": organisation_id})]


def _is_told(table: str, key: str) -> bool:
    """Return True if any event at all names a row."""
    named = "SELECT EXISTS (SELECT FROM ledger_auditevent WHERE convert_from(body, 'UTF8')::jsonb->'rows' @> %s::jsonb)"
    ((is_told,),) = read_rows(named, [json.dumps([{"table": table, "id": key}])])
    return bool(is_told)


_OF_LABELS = {
    "review_label": (Action.LABEL_SAVED, Action.LABEL_UNDONE, Action.NOTE_SAVED),
    "review_citationlabel": (Action.CITATION_LABEL_SAVED, Action.CITATION_LABEL_UNDONE, Action.CITATION_NOTE_SAVED),
    "review_unsupportedclaim": (Action.CLAIM_SAVED, Action.CLAIM_UNDONE),
    "review_submission": (Action.REVIEW_SUBMITTED,),
    "review_flag": (Action.FINDING_FLAGGED, Action.PLACE_FLAGGED),
}
_OF_PROPOSALS = {
    "review_liftproposal": (Action.HOLD_LIFT_PROPOSED,),
    "snapshots_schemaproposal": (Action.SCHEMA_PROPOSED,),
    "snapshots_trustproposal": (Action.TRUST_TABLE_PROPOSED,),
    "calibration_calibrationprofile": (Action.PROFILE_PROPOSED,),
}
_OF_DECISIONS = {
    "review_decision": (Action.CONFLICT_DECIDED,),
    "review_liftdecision": (Action.HOLD_LIFTED, Action.HOLD_LIFT_DECLINED),
    "snapshots_schemadecision": (Action.SCHEMA_APPROVED, Action.SCHEMA_DECLINED),
    "snapshots_trustdecision": (Action.TRUST_TABLE_APPROVED, Action.TRUST_TABLE_DECLINED),
    "calibration_profiledecision": (Action.PROFILE_APPROVED, Action.PROFILE_REJECTED),
}
_OF_NOBODY = {
    "snapshots_snapshot": (Action.SNAPSHOT_FROZEN,),
    "snapshots_snapshotattribution": (Action.SNAPSHOT_FROZEN, Action.SNAPSHOT_ATTRIBUTED),
    "snapshots_snapshotdocuments": (Action.SNAPSHOT_FROZEN, Action.SNAPSHOT_ATTRIBUTED),
    "snapshots_citationsearchresult": (Action.CITATION_SEARCH_ASKED, Action.CITATION_SEARCH_ENDED),
    "snapshots_supportjudgement": (Action.SUPPORT_JUDGED,),
}
AUTHORS: Mapping[str, tuple[str, Sequence[Action]]] = {
    **{table: ("", actions) for table, actions in _OF_NOBODY.items()},
    **{table: ("reviewer_id", actions) for table, actions in _OF_LABELS.items()},
    **{table: ("proposed_by_id", actions) for table, actions in _OF_PROPOSALS.items()},
    **{table: ("decided_by_id", actions) for table, actions in _OF_DECISIONS.items()},
    "review_signature": ("signer_id", (Action.SIGNATURE_MADE,)),
    "review_flagresolution": ("resolved_by_id", (Action.FLAG_RESOLVED,)),
    "review_comment": ("author_id", (Action.COMMENT_WRITTEN,)),
    "review_reopening": ("reopened_by_id", (Action.ITEM_REOPENED,)),
    "review_hold": ("placed_by_id", (Action.HOLD_PLACED,)),
    "calibration_lifting": ("lifted_by_id", (Action.SUSPENSION_LIFTED,)),
    "calibration_retirement": ("retired_by_id", (Action.PROFILE_RETIRED, Action.PROFILE_APPROVED)),
    "quality_acknowledgement": ("person_id", (Action.ALARM_ACKNOWLEDGED,)),
    "reports_export": ("asked_by_id", (Action.REPORT_ASKED,)),
    "ledger_redaction": ("proposed_by", (Action.REDACTION_PROPOSED,)),
    "ledger_redactiondecision": ("decided_by", (Action.REDACTION_APPROVED, Action.REDACTION_DECLINED)),
}
"""The records of what a person said, or of what was found: the column that names the person, if any, and the actions that tell of them."""

_UNSAID = """
SELECT id::text FROM {table} WHERE organisation_id = %(organisation)s EXCEPT
SELECT own.id::text FROM ledger_auditevent AS event
CROSS JOIN LATERAL jsonb_array_elements(convert_from(event.body, 'UTF8')::jsonb->'rows') AS told
JOIN {table} AS own ON own.id::text = told->>'id' AND {whose}
WHERE event.organisation_id = %(organisation)s AND event.action = ANY(%(actions)s) AND told->>'table' = %(table)s
ORDER BY 1 LIMIT 1
"""


def check_authors(organisation_id: UUID) -> None:
    """Check that an event of its kind tells of each record, and of its author: one about something else vouches for none."""
    for table, (author, actions) in AUTHORS.items():
        whose = sql.SQL("own.{} = event.actor_id").format(sql.Identifier(author)) if author else sql.SQL("true")
        statement = sql.SQL(_UNSAID).format(table=sql.Identifier(table), whose=whose)
        named = {"organisation": organisation_id, "actions": [action.value for action in actions], "table": table}
        for (key,) in read_rows(statement, named):
            raise LedgerMismatch(table, key, "no event tells that its author wrote it" if author else "no event tells how it came", author)


_AT_ONCE = 500
_WHOSE = {
    "accounts_organisation": "id = %(organisation)s",
    "accounts_user": "id IN (SELECT user_id FROM accounts_membership WHERE organisation_id = %(organisation)s)",
}
"""Conditions for the rows of an organisation in tables without a column for it."""


class MutableRows:
    """Follow events in the order of the log, and keep the commitments to each mutable row with what their events tell.

    The last one is to the row as it is. From there each event tells how the row was before it, which the commitment before has to open:
    otherwise an event about something else would hide a change that none tells of.
    """

    def __init__(self) -> None:
        self._told: dict[tuple[str, str], list[tuple[RowCommitment, RowEvent]]] = {}

    def follow(self, body: Mapping[str, Any], claims: Sequence[RowCommitment]) -> list[RowCommitment]:
        """Keep the commitments to mutable rows, forget those to rows that the event replaces, and return the others."""
        self._forget(body["action"], claims)
        records = []
        for claim in claims:
            if claim.table in MUTABLE_COLUMNS:
                self._check_made(claim, body["action"])
                change = RowEvent(claim.event_id, body["action"], datetime.fromisoformat(body["at"]), body.get("details", {}))
                self._told.setdefault((claim.table, claim.key), []).append((claim, change))
            else:
                records.append(claim)
        return records

    def _check_made(self, claim: RowCommitment, action: str) -> None:
        """Check that the first event about a row is that of its making: another one would vouch for it and tell nobody that it came."""
        if (claim.table, claim.key) not in self._told and action != MADE_BY[claim.table]:
            raise LedgerMismatch(claim.table, claim.key, f"is first named by {action} {claim.event_id}, by which none is made")

    def _forget(self, action: str, claims: Sequence[RowCommitment]) -> None:
        before = (key for table, key in self._told if table == SIGN_ON_PROVIDER)
        now = (claim.key for claim in claims if claim.table == SIGN_ON_PROVIDER)
        if replaced := tables_replaced(action, before, now):
            self._told = {place: told for place, told in self._told.items() if place[0] not in replaced}

    def check_end(self, organisation_id: UUID) -> None:
        """Raise ``LedgerMismatch`` for a row that differs from a commitment to it, is gone, or was never committed to."""
        gone = set()
        for table in MUTABLE_COLUMNS:
            there = _keys_of(table, organisation_id)
            for key in there:
                if (table, key) not in self._told:
                    raise LedgerMismatch(table, key, UNTOLD)
            if table in PASSING:
                gone |= {place for place in self._told if place[0] == table} - {(table, key) for key in there}
        claims = (told[-1][0] for place, told in self._told.items() if place not in gone)
        while some := list(islice(claims, _AT_ONCE)):
            check_claims(some)
        for table in MUTABLE_COLUMNS:
            self._check_histories(table)

    def _check_histories(self, table: str) -> None:
        several = {key: told for (name, key), told in self._told.items() if name == table and len(told) > 1}
        keys = iter(several)
        while some := list(islice(keys, _AT_ONCE)):
            for record in load_records(model_of(table), some):
                _check_history(row_of(record), several[str(record.pk)])


def _check_history(row: LedgerRow, told: Sequence[tuple[RowCommitment, RowEvent]]) -> None:
    """Check that between two commitments to a row nothing changed but what the later one's event tells."""
    last_of_action: dict[str, RowEvent] = {}
    last: list[RowEvent | None] = []
    for _, change in told:
        last.append(last_of_action.get(change.action))
        last_of_action[change.action] = change
    values = row.values
    for number in range(len(told) - 1, 0, -1):
        (_, change), (claim, _) = told[number], told[number - 1]
        try:
            told_before = values_before(values, row.table, change, last[number])
            if told_before is None:
                return
            values = told_before
            before = LedgerRow(row.table, row.id, {name: values[name] for name in columns_of(claim.table, claim.shape)})
            content, checks = before.encode()
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise LedgerMismatch(AuditEvent, change.event_id, "does not tell what it changed", "body") from error
        if claim.salt is not None and commit_row(claim.salt, claim.table, content) != claim.digest:
            how = f"was changed before {change.action} {change.event_id}, and no event tells so"
            raise LedgerMismatch(claim.table, claim.key, how, _differing(before, checks, claim.checks))


def _keys_of(table: str, organisation_id: UUID) -> list[str]:
    """Return the keys of an organisation's rows, in order."""
    whose = sql.SQL(_WHOSE.get(table, "organisation_id = %(organisation)s"))
    names = {"table": sql.Identifier(table), "key": sql.Identifier(str(model_of(table)._meta.pk.column))}
    query = sql.SQL("SELECT {key}::text FROM {table} WHERE {whose} ORDER BY {key}").format(**names, whose=whose)
    return [key for (key,) in read_rows(query, {"organisation": organisation_id})]


class Closings:
    """Follow events in the order of the log. A later redaction has to commit to the present state of everything that was closed.

    Its decision names everything that it changed: without one nobody would be told that two people have redacted anything.
    """

    def __init__(self) -> None:
        self.mutable_rows = MutableRows()
        self._unsaid: dict[tuple[str, str], UUID] = {}
        self._decided: dict[str, set[str]] = {}

    def follow(self, event_id: UUID, action: str, openings: Openings, claims: Sequence[RowCommitment]) -> None:
        """Note what this event's secret no longer opens, and, for a redaction, what it accounts for."""
        if openings.is_closed:
            self._unsaid[EventSecret._meta.db_table, str(event_id)] = event_id
        decision = next((claim.key for claim in claims if claim.table == RedactionDecision._meta.db_table), "")
        for claim in claims:
            if claim.salt is None:
                self._unsaid[claim.table, claim.key] = event_id
            elif decision and action == Action.REDACTION_APPROVED.value and (claim.table, claim.key) in self._unsaid:
                del self._unsaid[claim.table, claim.key]
                self._decided.setdefault(decision, set()).add(f"{claim.table} {claim.key}")

    def check_end(self) -> None:
        """Raise ``LedgerMismatch`` for anything closed that no redaction accounts for, and for one that was not decided so."""
        for (table, key), event_id in self._unsaid.items():
            how = "no longer opens what its event commits to, and no redaction says why"
            raise LedgerMismatch(
                EventSecret, event_id, how if table == EventSecret._meta.db_table else f"{how}: {table} {key}", "salt_seed"
            )
        decisions = {str(row.pk): row for row in load_records(RedactionDecision, list(self._decided))}
        for key, places in self._decided.items():
            row: Any = decisions.get(key)
            if row is None or row.outcome != RedactionOutcome.APPROVED or not places <= set(row.touched):
                raise LedgerMismatch(RedactionDecision, key, "does not name what was redacted by it", "touched")
