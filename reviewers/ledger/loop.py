"""Seals events as they come in, in the worker.

It asks a few times a second whether anything waits: that costs one look at a table that is mostly empty. To be told by NOTIFY would let
transactions that write events queue for each other as they commit.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import structlog
from django.db import close_old_connections, connection
from django.utils import timezone

from reviewers.ledger import sealing

PAUSE = 0.25
"""Seconds between two looks."""

_AFTER_TROUBLE = 2
_log = structlog.get_logger()
T = TypeVar("T")


def seal_continually(stop: threading.Event) -> None:
    """Until told to stop. Trouble with the database, or with one organisation's log, is written down, and tried again."""
    while not stop.wait(PAUSE):
        if not _seal_round():
            stop.wait(_AFTER_TROUBLE)
    connection.close()


def _seal_round() -> bool:
    """Seal what waits; whether all went well. What stops one organisation's log does not stop the others."""
    close_old_connections()
    organisations = _tried(sealing.waiting)
    if organisations is None:
        return False
    now = timezone.now()
    sealed = [_tried(partial(sealing.seal, organisation_id=organisation_id, now=now)) for organisation_id in organisations]
    return None not in sealed


def _tried(call: Callable[[], T]) -> T | None:
    try:
        return call()
    except Exception:  # noqa: BLE001 — whatever it is, the loop goes on
        _log.exception("sealing_failed")
        connection.close()
        return None
