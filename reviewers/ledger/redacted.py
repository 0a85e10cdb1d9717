"""What was redacted, by whom and on which basis, as pages, programs and verifying say it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db.models import F, Func, JSONField, OuterRef, QuerySet, Subquery

from reviewers.accounts.models import User
from reviewers.ledger.redaction_models import Basis, Outcome, RedactionDecision

_COLUMNS = ("redaction_id", "object_id", "parts", "basis", "at", "proposer", "approver")


@dataclass(frozen=True, slots=True)
class Redacted:
    """Parts of the record of an object that were redacted together."""

    id: UUID
    object_id: UUID
    parts: Sequence[str]
    basis: Basis
    at: datetime
    proposer: str
    approver: str

    @property
    def who(self) -> str:
        """``Ada Abbot and Leda Lund``."""
        return f"{self.proposer} and {self.approver}"

    def __str__(self) -> str:
        count = len(self.parts)
        parts = f"{count:,} part{'' if count == 1 else 's'}"
        return f"{parts} redacted on {self.at:%Y-%m-%d} by {self.who}: {self.basis.label}."


def list_redacted(organisation_id: UUID) -> list[Redacted]:
    """The redactions of an organisation, the oldest first."""
    return [_read(row) for row in _approved().filter(organisation_id=organisation_id).values(*_COLUMNS)]


def list_redacted_of(object_ids: Iterable[UUID]) -> list[Redacted]:
    """Those of some objects."""
    return [_read(row) for row in _approved().filter(redaction__object_id__in=list(object_ids)).values(*_COLUMNS)]


class _RedactedOf(Func):
    template = f"""ARRAY(
        SELECT jsonb_build_object(
            'redaction_id', redaction.id, 'object_id', redaction.object_id, 'parts', redaction.parts, 'basis', redaction.basis,
            'at', decision.decided_at, 'proposer', proposer.name, 'approver', approver.name
        )
        FROM ledger_redaction AS redaction JOIN ledger_redactiondecision AS decision ON decision.redaction_id = redaction.id
        LEFT JOIN accounts_user AS proposer ON proposer.id = redaction.proposed_by
        LEFT JOIN accounts_user AS approver ON approver.id = decision.decided_by
        WHERE redaction.object_id = %(expressions)s AND decision.outcome = '{Outcome.APPROVED.value}'
        ORDER BY decision.decided_at, decision.id
    )"""  # noqa: S608 — nothing in it comes from outside
    output_field = ArrayField(JSONField())


def redacted_of(object_id: str) -> Func:
    """Return those of an object, as an annotation; ``object_id`` names the column of its identifier."""
    return _RedactedOf(F(object_id))


def read_redacted(annotated: Sequence[Mapping[str, Any]]) -> list[Redacted]:
    """What ``redacted_of`` gave."""
    return [
        _read({**each} | {name: UUID(each[name]) for name in ("redaction_id", "object_id")} | {"at": datetime.fromisoformat(each["at"])})
        for each in annotated
    ]


def _approved() -> QuerySet[RedactionDecision]:
    approved = RedactionDecision.objects.filter(outcome=Outcome.APPROVED).order_by("decided_at", "id")
    return approved.annotate(
        object_id=F("redaction__object_id"),
        parts=F("redaction__parts"),
        basis=F("redaction__basis"),
        at=F("decided_at"),
        proposer=name_of("proposed_by"),
        approver=name_of("decided_by"),
    )


def name_of(column: str) -> Subquery:
    """The name of the person whose identifier stands in a column, as an annotation."""
    return Subquery(User.objects.filter(pk=OuterRef(column)).values("name"))


def _read(row: Mapping[str, Any]) -> Redacted:
    return Redacted(
        row["redaction_id"],
        row["object_id"],
        tuple(row["parts"]),
        Basis(row["basis"]),
        row["at"],
        row["proposer"] or "somebody",
        row["approver"] or "somebody",
    )
