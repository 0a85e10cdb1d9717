"""Loads an item with all that its page and its writes need, in one query."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import OuterRef, Value
from django.db.models.functions import Coalesce, JSONObject
from django.shortcuts import get_object_or_404

from attribution import Attribution, DocumentAttribution, FieldAttribution, Finding, context_values, decode
from reviewers.accounts.models import Membership
from reviewers.review.models import Label, Lease, QueueItem, State, Verdict
from reviewers.review.one_text import OneText, in_one_text
from reviewers.snapshots.display import storable
from reviewers.snapshots.freezing_documents import thaw_documents

FieldKey = tuple[str, str]
"""Section and path, as the database holds them."""


def field_key(row: FieldAttribution) -> FieldKey:
    """What labels of a row are stored under."""
    return storable(row.field.section), storable(row.field.path)


def finding_name(finding: Finding) -> str:
    """What flags of a finding are stored under: its code, and the field where it is about one. Dots in keys are escaped."""
    code = finding.code.value
    if finding.section is None or finding.path is None:
        return code
    section = finding.section.replace("\\", "\\\\").replace(".", "\\.")
    return storable(f"{code}:{section}.{finding.path}")


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds an item, and until when."""

    id: UUID
    name: str
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class GivenLabel:
    """A label as it was given; the last one of a field counts."""

    id: UUID
    key: FieldKey
    verdict: Verdict
    note: str
    reason: str
    created_at: datetime
    action_id: UUID
    undoes: UUID | None
    replaces: UUID | None

    @property
    def is_verdict(self) -> bool:
        """Whether it says anything, rather than taking a label back or holding only a note."""
        return self.verdict is not Verdict.NONE


@dataclass
class Item:
    """A queue item with its snapshot, attribution, holder and the labels of its review, oldest first.

    Once submitted the labels are its reviewer's, before that those of whoever asked.
    """

    row: QueueItem
    holder: Holder | None
    labels: Sequence[GivenLabel]

    @property
    def id(self) -> UUID:
        """The snapshot's identifier, which is the item's."""
        return self.row.snapshot_id

    @property
    def is_submitted(self) -> bool:
        """Whether its review is finished."""
        return self.row.state == State.SUBMITTED

    @cached_property
    def record(self) -> Mapping[str, Any]:
        """The frozen record, read."""
        read: Mapping[str, Any] = json.loads(bytes(self.row.snapshot.record))
        return read

    @cached_property
    def attribution(self) -> Attribution:
        """The attribution that is shown, with the frozen values."""
        document = json.loads(zlib.decompress(bytes(self.row.attribution.document)))
        return decode(document, context_values(self.record["context"]))

    @cached_property
    def documents(self) -> DocumentAttribution | None:
        """What is said of the answer's documents, with their texts; nothing where the record has none."""
        row = getattr(self.row.attribution, "documents", None)
        return thaw_documents(json.loads(zlib.decompress(bytes(row.document))), self.record) if row else None

    @cached_property
    def shown(self) -> OneText:
        """The attribution as the page shows it: over the text without any citations, where there are documents."""
        return in_one_text(self.attribution, self.documents) if self.documents else OneText(self.attribution, {})

    @cached_property
    def current(self) -> Mapping[FieldKey, GivenLabel]:
        """The label that counts for each field that ever had one."""
        return {label.key: label for label in self.labels}

    def is_labelled(self, row: FieldAttribution) -> bool:
        """Whether a row has a verdict."""
        label = self.current.get(field_key(row))
        return label is not None and label.is_verdict

    @cached_property
    def unlabelled(self) -> list[int]:
        """The numbers of the rows that claim a field is used and have no verdict."""
        return [number for number, row in enumerate(self.attribution.fields) if row.is_used and not self.is_labelled(row)]


def load_item(member: Membership, snapshot_id: UUID, *, lock: bool = False) -> Item:
    """An item of the member's organisation, or 404. ``lock`` holds its row until the transaction ends, so that writes take turns.

    The row is held by a statement of its own: what a statement reads is as old as its beginning, however long it waited for the row.
    """
    own = QueueItem.objects.filter(organisation=member.organisation_id)
    if lock:
        get_object_or_404(own.select_for_update().only("pk"), pk=snapshot_id)
    rows = own.select_related("snapshot", "attribution__documents", "submitted_by", "skipped_by")
    row = get_object_or_404(rows.annotate(given=_labels(member.user_id), held=_holders()), pk=snapshot_id)
    given, held = (getattr(row, name) for name in ("given", "held"))  # annotations, which types do not know
    return Item(row, _holder(held), [_label(label) for label in given])


def _labels(reviewer_id: UUID) -> ArraySubquery:
    given = Label.objects.filter(snapshot=OuterRef("pk"), reviewer=Coalesce(OuterRef("submitted_by"), Value(reviewer_id))).order_by("id")
    columns = ("id", "section", "path", "verdict", "note", "reason", "created_at", "action_id", "undoes", "replaces")
    return ArraySubquery(given.values(json=JSONObject(**{column: column for column in columns})))


def _holders() -> ArraySubquery:
    leases = Lease.objects.filter(item=OuterRef("pk"))
    return ArraySubquery(leases.values(json=JSONObject(id="holder_id", name="holder__name", expires_at="expires_at")))


def _holder(held: Sequence[Mapping[str, Any]]) -> Holder | None:
    return Holder(UUID(held[0]["id"]), held[0]["name"], datetime.fromisoformat(held[0]["expires_at"])) if held else None


def _label(data: Mapping[str, Any]) -> GivenLabel:
    return GivenLabel(
        id=UUID(data["id"]),
        key=(data["section"], data["path"]),
        verdict=Verdict(data["verdict"]),
        note=data["note"],
        reason=data["reason"],
        created_at=datetime.fromisoformat(data["created_at"]),
        action_id=UUID(data["action_id"]),
        undoes=UUID(data["undoes"]) if data["undoes"] else None,
        replaces=UUID(data["replaces"]) if data["replaces"] else None,
    )
