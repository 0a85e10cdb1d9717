"""Where else the words stand that somebody proposes to redact: in the same turn, in others of its conversation, in searches."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from reviewers.accounts.models import Membership
from reviewers.ledger.redaction_models import Redaction
from reviewers.review.item_loading import load_item
from reviewers.review.items import Item
from reviewers.review.redacting.parts import may_know, part_of_record
from reviewers.review.redacting.repeats import Sought
from reviewers.review.redacting.searches import searches_for
from reviewers.review.redacting.written import Part, Written, written_beside
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.part_texts import texts_of_record

MOST_TURNS = 50
"""So many other turns of a conversation are looked through, the newest."""


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Parts of one turn that repeat what is to be redacted. ``is_same`` says that it is the turn of the proposal itself."""

    item_id: UUID
    turn: int | None
    title: str
    is_same: bool
    parts: list[Part]

    @property
    def words(self) -> str:
        """Which turn it is."""
        return "This turn, and searches" if self.is_same else f"Turn {self.turn}" if self.turn is not None else self.title


def elsewhere_of(item: Item, names: Collection[str], by: Membership) -> list[Elsewhere]:
    """All of it that somebody may know to be there, and that is not proposed yet; the turn itself first."""
    turns = {turn.id: turn for turn in (item.row.snapshot, *_other_turns(item))}
    written = [*_in_records(turns), *written_beside(by.organisation_id, list(turns))]
    sought = Sought(text for each in written if each.item_id == item.id and each.part.name in names for text in each.texts)
    proposed = _proposed(turns)
    found: dict[UUID, list[Part]] = {}
    for each in written:
        if each.part.name not in proposed.get(each.item_id, ()) and sought.stands_in(each.texts):
            found.setdefault(each.item_id, []).append(each.part)
    searches = [part for part in searches_for(by.organisation_id, sought) if part.name not in proposed.get(item.id, ())]
    if searches:
        found.setdefault(item.id, []).extend(searches)
    return list(_told(item, turns, found, by))


def _other_turns(item: Item) -> QuerySet[Snapshot]:
    own = item.row.snapshot
    turns = Snapshot.objects.filter(organisation_id=item.row.organisation_id, conversation_id=own.conversation_id).exclude(pk=item.id)
    return (turns if own.conversation_id else turns.none()).only("id", "record", "turn_index", "external_id").order_by("-id")[:MOST_TURNS]


def _in_records(turns: Mapping[UUID, Snapshot]) -> Iterator[Written]:
    for turn in turns.values():
        for part, texts in texts_of_record(json.loads(bytes(turn.record))):
            yield Written(turn.id, part_of_record(part), texts)


def _proposed(turns: Collection[UUID]) -> dict[UUID, set[str]]:
    """What is proposed already and waits."""
    waiting: dict[UUID, set[str]] = {}
    for object_id, parts in Redaction.objects.filter(object_id__in=turns, decision=None).values_list("object_id", "parts"):
        waiting.setdefault(object_id, set()).update(parts)
    return waiting


def _told(item: Item, turns: Mapping[UUID, Snapshot], found: Mapping[UUID, list[Part]], by: Membership) -> Iterator[Elsewhere]:
    for turn_id, turn in turns.items():
        parts = found.get(turn_id, [])
        if any(part.author for part in parts):
            seen = item if turn_id == item.id else load_item(by, turn_id)
            parts = [part for part in parts if may_know(seen, part)]
        if parts:
            yield Elsewhere(turn_id, turn.turn_index, turn.external_id, turn_id == item.id, parts)
