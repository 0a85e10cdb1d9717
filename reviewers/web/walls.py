"""Whose rows may be seen and written at this moment: those of one organisation, or nobody's.

The database holds the wall (see ``wall_building``); this says which side of it one stands on. It is forgotten with the request, the job
or the command that said it, and what the database was told ends with its transaction: nothing is left on a connection for the next one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from uuid import UUID

SETTING = "footnote.organisation"
"""What the database's policies compare rows with."""

EVERYWHERE = UUID(int=(1 << 128) - 1)
"""No organisation has this identifier: it stands for all of them."""

_current: ContextVar[UUID | None] = ContextVar("organisation", default=None)


def current() -> UUID | None:
    """The organisation whose rows are seen; none of them are outside of all."""
    return _current.get()


def enter(organisation_id: UUID | None) -> None:
    """Stand within an organisation from now on, as a request does once it is known whose it is; ``outside`` around it ends that."""
    _current.set(organisation_id)


@contextmanager
def within(organisation_id: UUID) -> Iterator[None]:
    """See and write the rows of one organisation, and of no other."""
    with _standing(organisation_id):
        yield


@contextmanager
def outside() -> Iterator[None]:
    """See and write the rows of no organisation, but for what is read to find out which one is asked for."""
    with _standing(None):
        yield


@contextmanager
def above() -> Iterator[None]:
    """See the records of all organisations, as verifying does, which has to find what stands in the wrong one; write nothing."""
    with _standing(EVERYWHERE):
        yield


@contextmanager
def _standing(organisation_id: UUID | None) -> Iterator[None]:
    token = _current.set(organisation_id)
    try:
        yield
    finally:
        _current.reset(token)
