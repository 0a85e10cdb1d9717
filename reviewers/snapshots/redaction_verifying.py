"""Redacted snapshots when the ledger is verified: what stands there as derived again is derived once more, and compared.

The database checks only the form of what a redaction puts in the place of attribution and documents, for it has no engine. Attributions of
another version of the engine than the one that is installed cannot be compared: their records and seals are.
"""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.db import models

from attribution import ENGINE_VERSION
from reviewers.ledger.redaction_models import Outcome, RedactionDecision
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.further import checks
from reviewers.ledger.verifying.paging import pages
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redacting import derived_changes


def check_derived(organisation_id: UUID) -> None:
    """Raise ``Differs`` at the first row that the engine does not derive from what a redaction left of its record."""
    approved = RedactionDecision.objects.filter(organisation_id=organisation_id, outcome=Outcome.APPROVED)
    for decisions in pages(approved, "id"):
        touched = {tuple(place.split(" ")) for decision in decisions for place in decision.touched}
        keys = [key for table, key in touched if table == Snapshot._meta.db_table]
        for snapshot in Snapshot.objects.filter(organisation_id=organisation_id, pk__in=keys).order_by("pk"):
            _check(snapshot, touched)


def _check(snapshot: Snapshot, touched: set[tuple[Any, ...]]) -> None:
    for change in derived_changes(snapshot, bytes(snapshot.record), engine_version=ENGINE_VERSION):
        if change.place not in touched:  # attributed after the redaction, out of the same record
            continue
        row = change.model._base_manager.get(pk=change.key)  # noqa: SLF001 — Django's documented name for it
        differing = [name for name, value in change.values.items() if not _is_same(row, name, value)]
        if differing:
            raise Differs(change.model, change.key, "is not what the engine derives from the redacted record", ", ".join(differing))


def _is_same(row: models.Model, name: str, value: Any) -> bool:
    found = getattr(row, name)
    return bytes(found) == bytes(value) if isinstance(found, bytes | memoryview) else bool(found == value)


checks.append(check_derived)
