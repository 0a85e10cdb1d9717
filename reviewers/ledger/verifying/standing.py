"""Whether rows that change stand as the last event that changed one says, and whether each has such an event."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from uuid import UUID

from django.db import connection
from psycopg import sql

from reviewers.ledger.standing import PASSING, SIGN_ON_PROVIDER, STANDING, model_of, tables_replaced
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.rows import UNTOLD, Claim, check_claims

_AT_ONCE = 500
_WHOSE = {
    "accounts_organisation": "id = %(organisation)s",
    "accounts_user": "id IN (SELECT user_id FROM accounts_membership WHERE organisation_id = %(organisation)s)",
}
"""Rows of an organisation where they have no column that says so."""


class Standing:
    """Follows events in the order of the log, and keeps the last claim of each row: as many as there are people, keys and plans."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], Claim] = {}

    def follow(self, action: str, claims: Sequence[Claim]) -> list[Claim]:
        """Keep those of rows that change, and forget those of rows that the event's action replaces; returns the others."""
        self._forget(action, claims)
        records = []
        for claim in claims:
            if claim.table in STANDING:
                self._last[claim.table, claim.key] = claim
            else:
                records.append(claim)
        return records

    def _forget(self, action: str, claims: Sequence[Claim]) -> None:
        before = (key for table, key in self._last if table == SIGN_ON_PROVIDER)
        now = (claim.key for claim in claims if claim.table == SIGN_ON_PROVIDER)
        if replaced := tables_replaced(action, before, now):
            self._last = {place: claim for place, claim in self._last.items() if place[0] not in replaced}

    def check_end(self, organisation_id: UUID) -> None:
        """Raise ``Differs`` where a row stands otherwise, is gone, or was never told of."""
        gone = set()
        for table in STANDING:
            there = _keys_of(table, organisation_id)
            for key in there:
                if (table, key) not in self._last:
                    raise Differs(table, key, UNTOLD)
            if table in PASSING:
                gone |= {place for place in self._last if place[0] == table} - {(table, key) for key in there}
        claims = (claim for place, claim in self._last.items() if place not in gone)
        while some := list(islice(claims, _AT_ONCE)):
            check_claims(some)


def _keys_of(table: str, organisation_id: UUID) -> list[str]:
    """Return the keys of an organisation's rows, in their order."""
    whose = sql.SQL(_WHOSE.get(table, "organisation_id = %(organisation)s"))
    names = {"table": sql.Identifier(table), "key": sql.Identifier(str(model_of(table)._meta.pk.column))}
    query = sql.SQL("SELECT {key}::text FROM {table} WHERE {whose} ORDER BY {key}").format(**names, whose=whose)
    with connection.cursor() as cursor:
        cursor.execute(query, {"organisation": organisation_id})
        return [key for (key,) in cursor.fetchall()]
