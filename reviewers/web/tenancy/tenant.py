"""The current tenant. Row-level security limits every query to it.

The database compares rows with a setting that ends with the transaction, so nothing is left on a connection for the next request.
``tell_database`` sets it at the start of a transaction, and again if the tenant changes during it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

from django.db import ProgrammingError, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from psycopg import Connection
from psycopg.pq import TransactionStatus

from reviewers.web.config import DEFAULT

SETTING = "footnote.organisation"
"""The setting that the database's policies compare rows with."""

ALL_ORGANISATIONS = UUID(int=(1 << 128) - 1)
"""An identifier of no organisation, which means all of them."""

_TELL = f"SET LOCAL {SETTING} = %s"
"""Not a query, so that a statement that must precede any query, as for the isolation level, may follow."""

_UNKNOWN = UUID(int=0)
"""The tenant after a rollback to a savepoint, which may have undone the setting."""

_current: ContextVar[UUID | None] = ContextVar("organisation", default=None)
_told: WeakKeyDictionary[Connection[Any], UUID | None] = WeakKeyDictionary()


def current() -> UUID | None:
    """Return the current organisation, or None outside all tenants."""
    return _current.get()


def enter(organisation_id: UUID | None) -> None:
    """Make an organisation the current one until the enclosing ``within`` or ``outside`` ends, as a request does once it knows its own."""
    _current.set(organisation_id)


@contextmanager
def within(organisation_id: UUID) -> Iterator[None]:
    """Read and write the rows of one organisation only, during the block."""
    with _as_tenant(organisation_id):
        yield


@contextmanager
def outside() -> Iterator[None]:
    """Read lookup tables only, and the rows of no organisation, during the block."""
    with _as_tenant(None):
        yield


@contextmanager
def across_all() -> Iterator[None]:
    """Read the records of all organisations, during the block, as verification does to find misplaced rows; write nothing."""
    with _as_tenant(ALL_ORGANISATIONS):
        yield


@contextmanager
def _as_tenant(organisation_id: UUID | None) -> Iterator[None]:
    token = _current.set(organisation_id)
    try:
        yield
    finally:
        _current.reset(token)


def install(*, connection: BaseDatabaseWrapper, **_: object) -> None:
    """Tell a new connection of the web's role about the tenant. A receiver of ``connection_created``."""
    if connection.alias == DEFAULT and tell_database not in connection.execute_wrappers:
        connection.execute_wrappers.append(tell_database)


def tell_database(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Mapping[str, Any]) -> Any:  # noqa: FBT001 — Django's signature
    """Set the tenant before a statement if its transaction has another or none. An ``execute_wrapper``.

    A statement outside a transaction gets one of its own, because the setting would not outlive its own statement there.
    """
    connection = context["connection"]
    if isinstance(sql, str) and sql.startswith("ROLLBACK TO"):  # it would undo a setting that was made just before it, too
        _told[connection.connection] = _UNKNOWN
        return execute(sql, params, many, context)
    if sql is _TELL or not _is_due(connection):
        return execute(sql, params, many, context)
    if connection.in_atomic_block:
        _tell(connection)
        return execute(sql, params, many, context)
    if getattr(context["cursor"], "name", None):
        raise ProgrammingError("This statement needs a transaction around it: its rows are read after it has ended.")
    with transaction.atomic(using=connection.alias):
        _tell(connection)
        return execute(sql, params, many, context)


def _is_due(connection: BaseDatabaseWrapper) -> bool:
    """Return True if the transaction has another tenant than the current one. A failed transaction shows nothing and cannot be told."""
    database: Connection[Any] = connection.connection
    status = database.info.transaction_status
    if status == TransactionStatus.IDLE:
        _told[database] = None
    elif status != TransactionStatus.INTRANS:
        return False
    return _told.get(database) != current()


def _tell(connection: BaseDatabaseWrapper) -> None:
    organisation_id = current()
    with connection.cursor() as cursor:
        cursor.execute(_TELL, [str(organisation_id or "")])
    _told[connection.connection] = organisation_id
