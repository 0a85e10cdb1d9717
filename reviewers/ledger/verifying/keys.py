"""Which keys a log signed with, as its own events tell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from reviewers.ledger.events import Action
from reviewers.ledger.merkle.note import Verifier, read_verifier
from reviewers.ledger.merkle.strict import FormError, decode
from reviewers.ledger.models import AuditEvent, Leaf, Log, LogKey
from reviewers.ledger.rotation import statement_of
from reviewers.ledger.verifying.difference import Differs


class Keys:
    """The keys told so far, the newest last."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._told: list[Verifier] = []
        self._events: list[UUID] = []

    @property
    def current(self) -> list[Verifier]:
        """The one that has to have signed what is sealed now."""
        return self._told[-1:]

    def follow(self, event_id: UUID, body: Mapping[str, Any]) -> None:
        """The first event of a log tells its key, later ones another that the one before has signed."""
        if not self._told:
            self._begin(event_id, body)
        elif body["action"] == Action.LOG_KEY_CHANGED.value:
            self._change(event_id, body)

    def check_no_others(self) -> None:
        """Every key in the table was told."""
        other = LogKey.objects.filter(log=self._log).exclude(pk__in=self._events).first()
        if other:
            is_elsewhere = Leaf.objects.filter(pk=other.id).exclude(log=self._log).exists()
            raise Differs(LogKey, other.id, "no event of this log tells of this key", "log_id" if is_elsewhere else "")

    def _begin(self, event_id: UUID, body: Mapping[str, Any]) -> None:
        details, log = body.get("details", {}), self._log
        if body["action"] != Action.LOG_STARTED.value or body["object"]["id"] != str(log.id):
            raise Differs(Log, log.id, "its first event does not begin it")
        for column in ("epoch", "origin"):
            if details[column] != getattr(log, column):
                raise Differs(Log, log.id, "is not what its first event tells", column)
        self._take(event_id, details["key"])

    def _change(self, event_id: UUID, body: Mapping[str, Any]) -> None:
        details = body["details"]
        if not self._told[-1].is_signed(statement_of(read_verifier(details["key"])), decode(details["signature"])):
            raise Differs(AuditEvent, event_id, "the key before has not signed this one", "body")
        self._take(event_id, details["key"])

    def _take(self, event_id: UUID, text: str) -> None:
        try:
            verifier = read_verifier(text)
        except FormError as error:
            raise Differs(AuditEvent, event_id, "tells no key", "body") from error
        key = LogKey.objects.filter(pk=event_id).first()
        if key is None:
            other = LogKey.objects.filter(log=self._log).exclude(pk__in=self._events).first()
            raise Differs(LogKey, other.id if other else event_id, "is not the key's event", "id" if other else "")
        if key.log_id != self._log.id:
            raise Differs(LogKey, event_id, "is a key of another log", "log_id")
        if verifier != Verifier(self._log.origin, bytes(key.public)):
            raise Differs(LogKey, event_id, "is not the key that the event tells", "public")
        self._told.append(verifier)
        self._events.append(event_id)
