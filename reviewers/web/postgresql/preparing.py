"""Statements that the database has read and planned already, for each connection.

What is sent again and again is sent as a name and values: reading, checking and planning a statement of the list or of a
page take the database longer than running it. A value keeps the type that it has when it is written into the statement, so nothing is
read differently; a statement that the database cannot prepare is sent as it was.

A plan is made for values at first and for any values later, and for tables as large as they were. So all of them are let go of
after a minute: a table that was empty when a plan was made has grown since.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from psycopg.adapt import Transformer
from psycopg.pq import ExecStatus, TransactionStatus

if TYPE_CHECKING:
    from psycopg import Connection

_USES = 3
"""So often a statement is sent as it is before it is worth preparing."""

_LIFETIME = 60.0
_MOST = 300
_MOST_COUNTED = 3_000
_LONGEST = 100_000
_KINDS = re.compile(r"\s*\(*(SELECT|WITH|INSERT|UPDATE|DELETE)\b")
_WHOLE = re.compile(rb" ?-?\d+")
_NAMED = re.compile(r"%\((\w+)\)s")
_FRACTION = re.compile(rb" ?-?\d*\.?\d+([eE][-+]?\d+)?")
_LARGEST_INTEGER = 2**31 - 1
_LARGEST_BIGINT = 2**63 - 1

Types = tuple[bytes, ...]


class Prepared:
    """What one connection has prepared, at most so many and for so many seconds, and how often it was sent what it has not."""

    def __init__(self, most: int = _MOST, lifetime: float = _LIFETIME) -> None:
        self._most, self._lifetime = most, lifetime
        self._names: dict[tuple[str, Types], bytes | None] = {}
        self._uses: dict[str, int] = {}
        self._made = 0
        self._since = time.monotonic()

    def call(self, connection: Connection[Any], query: str, params: Sequence[Any] | Mapping[str, Any]) -> bytes | None:
        """The statement with these values, by its name; nothing where it has to be sent as it is."""
        if isinstance(params, Mapping):
            query, params = _by_place(query, params)
        uses = self._uses.get(query, 0)
        if uses < _USES:
            self._count(query, uses)
            return None
        literals = _literals(connection, params)
        types = tuple(map(type_of, literals))
        name = self._name(connection, query, types)
        return b"EXECUTE " + name + _in_brackets(literals) if name else None

    def forget(self) -> None:
        """The connection has none of them any more."""
        self._names.clear()
        self._since = time.monotonic()

    def _count(self, query: str, uses: int) -> None:
        if len(self._uses) >= _MOST_COUNTED:
            self._uses.clear()
        self._uses[query] = uses + 1

    def _name(self, connection: Connection[Any], query: str, types: Types) -> bytes | None:
        self._let_go(connection)
        key = query, types
        if key not in self._names:
            self._names[key] = self._prepare(connection, query, types)
        return self._names[key]

    def _let_go(self, connection: Connection[Any]) -> None:
        if len(self._names) < self._most and time.monotonic() - self._since < self._lifetime:
            return
        connection.pgconn.exec_(b"DEALLOCATE ALL")
        self.forget()

    def _prepare(self, connection: Connection[Any], query: str, types: Types) -> bytes | None:
        statement = _numbered(query, len(types)) if b"" not in types else None
        if statement is None:
            return None
        self._made += 1
        name = b"footnote_%d" % self._made
        return name if _run(connection, b"PREPARE %s%s AS %s" % (name, _in_brackets(types), statement.encode())) else None


def is_worth_it(query: object, params: object) -> bool:
    """Whether a statement is one that can be prepared at all: a single one with values."""
    return isinstance(query, str) and isinstance(params, (list, tuple, dict)) and len(query) < _LONGEST and _KINDS.match(query) is not None


def type_of(literal: bytes) -> bytes:
    """The type that the database gives a value where it stands in a statement; empty where that cannot be said."""
    if literal.endswith(b"'") or literal == b"NULL":
        return b"unknown"
    _, quoted, cast = literal.rpartition(b"'::")
    if quoted:
        return cast
    if literal in {b"true", b"false"}:
        return b"boolean"
    if _WHOLE.fullmatch(literal):
        size = abs(int(literal))
        return b"integer" if size <= _LARGEST_INTEGER else b"bigint" if size <= _LARGEST_BIGINT else b"numeric"
    return b"numeric" if _FRACTION.fullmatch(literal) else b""


def _literals(connection: Connection[Any], params: Sequence[Any]) -> list[bytes]:
    transformer = Transformer(connection)
    return [b"NULL" if each is None else transformer.as_literal(each) for each in params]


def _in_brackets(each: Sequence[bytes]) -> bytes:
    return b" (%s)" % b", ".join(each) if each else b""


def _by_place(query: str, params: Mapping[str, Any]) -> tuple[str, Sequence[Any]]:
    """A statement whose values have names, with values by their places."""
    return _NAMED.sub("%s", query), [params[name] for name in _NAMED.findall(query)]


def _numbered(query: str, count: int) -> str | None:
    """The statement with numbers where its values stand; nothing if it has other marks as well."""
    parts = query.split("%s")
    if len(parts) != count + 1:
        return None
    told = [part.replace("%%", "\0") for part in parts]
    if any("%" in part for part in told):
        return None
    return "".join(f"{part}${number}" for number, part in enumerate(told[:-1], start=1)).replace("\0", "%") + told[-1].replace("\0", "%")


def _run(connection: Connection[Any], command: bytes) -> bool:
    """Whether it succeeds; where it does not, a transaction that is under way goes on as if nothing had been."""
    pgconn = connection.pgconn
    if pgconn.transaction_status == TransactionStatus.IDLE:
        return pgconn.exec_(command).status == ExecStatus.COMMAND_OK
    if pgconn.exec_(b"SAVEPOINT preparing; %s; RELEASE SAVEPOINT preparing" % command).status == ExecStatus.COMMAND_OK:
        return True
    pgconn.exec_(b"ROLLBACK TO SAVEPOINT preparing; RELEASE SAVEPOINT preparing")
    return False
