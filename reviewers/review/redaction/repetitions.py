"""Finds repetitions of text that is to be redacted: in the same turn, others of its conversation, searches and past legal holds."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import Permission, may
from reviewers.ledger.events import Action
from reviewers.ledger.models import Redaction
from reviewers.review.items import ReviewItem
from reviewers.review.models import Hold, LiftDecision, LiftOutcome, QueueItem
from reviewers.review.queries import load_item
from reviewers.review.redaction.parts import (
    GROUND,
    HOLD,
    OPENING,
    SEARCH,
    Part,
    WrittenPart,
    kind_of,
    may_know,
    part_of_record,
    payload_of,
    with_payload,
    written_beside,
)
from reviewers.review.visibility import hides_engine_from, hides_turn_beside, viewer_of
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redactable_parts import BARS, REST, marked_parts, texts_of_record
from reviewers.web.models import read_uuid

RUN = 4
"""The number of words in a row that count as a repetition."""

_FEWEST_LETTERS = 4
_WORD = re.compile(r"\w+")

Words = tuple[str, ...]


class SoughtTexts:
    """Texts to find in many others. A text repeats one of them if they share ``RUN`` words in a row, or all words of the shorter one."""

    def __init__(self, texts: Iterable[str]) -> None:
        read = [_words(text) for text in texts]
        self._runs = {length: {run for words in read for run in _runs(words, length)} for length in range(1, RUN + 1)}
        short = {words for words in read if len(words) < RUN and _tells(words)}
        self._short = {length: {words for words in short if len(words) == length} for length in {*map(len, short)}}

    def stands_in(self, texts: Iterable[str]) -> bool:
        """True if one of the texts repeats some of it."""
        return any(self._stands_in(_words(text)) for text in texts)

    def _stands_in(self, words: Words) -> bool:
        length = min(RUN, len(words))
        if _tells(words) and any(run in self._runs[length] for run in _runs(words, length)):
            return True
        return any(not short.isdisjoint(_runs(words, length)) for length, short in self._short.items())


def _tells(words: Words) -> bool:
    """True if it is more than a figure or a particle."""
    return sum(map(len, words)) >= _FEWEST_LETTERS


def _words(text: str) -> Words:
    return tuple(_WORD.findall(text.casefold()))


def _runs(words: Words, length: int) -> Iterator[Words]:
    return (words[start : start + length] for start in range(len(words) - length + 1))


# Searches. Their events keep the words, and belong to no answer.


_SEARCHES = {action.value for action in (Action.QUEUE_SEARCHED, Action.WHY_SEARCHED, Action.EXPORTS_SEARCHED, Action.ACCESS_VIEWED)}
_OPENINGS = {Action.ACCESS_EXPLAINED.value, Action.TEXT_REVEALED.value}
_MOST = 2_000
"""The number of newest searches that are read."""


def searches_for(by: Membership, sought: SoughtTexts) -> list[Part]:
    """Return the newest searches for such words, without a member's own if they may try no words (see `_tried_by`)."""
    found = with_payload(by.organisation_id, _SEARCHES)
    newest = (found if may(by, Permission.READ_ITEMS) else found.exclude(actor_id=by.user_id)).order_by("-pk")[:_MOST]
    said = [(_part(each), list(_words_searched_for(each))) for each in reversed(newest)]
    return _without_held(by.organisation_id, [(part, texts) for part, texts in said if sought.stands_in(texts)])


def _without_held(organisation_id: UUID, said: Sequence[tuple[Part, Sequence[str]]]) -> list[Part]:
    """Return parts, given with their texts, without those that say the reference of a hold in force.

    It keeps them with everything of its client.
    """
    held = SoughtTexts(_references_in_force(organisation_id) if said else ())
    return [part for part, texts in said if not held.stands_in(texts)]


def named_elsewhere(organisation_id: UUID, names: Collection[str]) -> list[Part]:
    """Return the searches with these names that still keep their words, and the holds that do."""
    searches, holds = _ids_in(names, SEARCH), _ids_in(names, HOLD)
    found = with_payload(organisation_id, _SEARCHES).filter(pk__in=searches) if searches else ()
    past = _past_holds(organisation_id).filter(pk__in=holds) if holds else ()
    said = [(_part(each), list(_words_searched_for(each))) for each in found]
    return _without_held(organisation_id, said + [(_part_of_hold(each), _said_of(each)) for each in past])


def _ids_in(names: Collection[str], kind: str) -> list[UUID]:
    """Return the identifiers in the names of parts of a kind. A form may hold other names, which have none."""
    return list(filter(None, (read_uuid(name.partition(".")[2]) for name in names if kind_of(name) == kind)))


def _part(event: Any) -> Part:
    words = f"what {event.author or 'somebody'} searched for on {event.occurred_at:%Y-%m-%d at %H:%M}"
    return Part(f"{SEARCH}.{event.pk}", words, "Searches", None, [event.pk])


def _words_searched_for(event: Any) -> Iterator[str]:
    for name, kept in payload_of(event).items():
        if name == "filter":
            yield from (value for value in json.loads(kept).values() if isinstance(value, str))
        else:
            yield kept


# Legal holds that are over. They name clients and conversations, and belong to no answer either.


_IS_LIFTED = Q(Exists(LiftDecision.objects.filter(hold=OuterRef("pk"), outcome=LiftOutcome.LIFTED)))


def holds_for(by: Membership, sought: SoughtTexts) -> list[Part]:
    """Return the newest holds that are over and say such words."""
    said = [(_part_of_hold(each), _said_of(each)) for each in reversed(_past_holds(by.organisation_id).order_by("-pk")[:_MOST])]
    return _without_held(by.organisation_id, [(part, texts) for part, texts in said if sought.stands_in(texts)])


def _past_holds(organisation_id: UUID) -> QuerySet[Hold]:
    """Return the holds that were lifted and still say why, while no hold in force has their reference."""
    own = Hold.objects.filter(organisation=organisation_id)
    in_force = own.filter(~_IS_LIFTED, reference=OuterRef("reference")).exclude(reference="")
    past = own.filter(_IS_LIFTED, ~Exists(in_force)).exclude(reason=BARS)
    return past.select_related("placed_by").prefetch_related("proposals")


def _references_in_force(organisation_id: UUID) -> list[str]:
    own = Hold.objects.filter(~_IS_LIFTED, organisation=organisation_id).exclude(reference="")
    return list(own.values_list("reference", flat=True))


def _part_of_hold(hold: Hold) -> Part:
    words = f"the lifted hold that {hold.placed_by.name} placed on {hold.placed_at:%Y-%m-%d at %H:%M}, with all reasons"
    return Part(f"{HOLD}.{hold.pk}", words, "Legal holds", None, [hold.pk])


def _said_of(hold: Hold) -> list[str]:
    return [hold.reference, hold.reason, *(each.reason for each in hold.proposals.all())]


# Turns of a conversation.


MOST_TURNS = 50
"""The number of newest other turns that are read."""


@dataclass(frozen=True, slots=True)
class Repetition:
    """The parts of one turn that repeat what is to be redacted. ``is_same`` is true for the turn of the proposal itself."""

    item_id: UUID
    turn: int | None
    title: str
    is_same: bool
    parts: list[Part]

    @property
    def words(self) -> str:
        """Return the name of the turn."""
        return "This turn, searches and past holds" if self.is_same else f"Turn {self.turn}" if self.turn is not None else self.title


def repetitions_of(item: ReviewItem, names: Collection[str], by: Membership) -> list[Repetition]:
    """Return the repetitions that the member may know of and that are not proposed yet, those in the same turn first."""
    turns = {turn.id: turn for turn in (item.row.snapshot, *_other_turns(item))}
    tried, kept_back = _tried_by(by, list(turns)), _kept_back(turns, by, item)
    sought_in = set(names) - tried
    beside = list(written_beside(by.organisation_id, list(turns)))
    own = [
        *_in_record(item.id, json.loads(bytes(item.row.snapshot.record)), kept_back, by),
        *(each for each in beside if each.item_id == item.id),
    ]
    sought = SoughtTexts(text for each in own if each.part.name in sought_in for text in each.texts)
    proposed = _proposed(turns)
    found: dict[UUID, list[Part]] = {}
    for each in chain(_in_records(list(turns), kept_back, by), beside):
        is_new = each.part.name not in tried and each.part.name not in proposed.get(each.item_id, ())
        if is_new and sought.stands_in(each.texts):
            found.setdefault(each.item_id, []).append(each.part)
    elsewhere = [*searches_for(by, sought), *holds_for(by, sought)]
    if there := [part for part in elsewhere if part.name not in proposed.get(item.id, ())]:
        found.setdefault(item.id, []).extend(there)
    return list(_told(item, turns, found, by))


def _tried_by(by: Membership, turns: Collection[UUID]) -> set[str]:
    """Return the names of the parts by which a member who may not read items could find out if they hold some words: their own reasons.

    Others are shown these as they are shown what anybody wrote.
    """
    if may(by, Permission.READ_ITEMS):
        return set()
    openings = with_payload(by.organisation_id, _OPENINGS).filter(object_id__in=turns, actor_id=by.user_id)
    proposals = Redaction.objects.filter(organisation_id=by.organisation_id, object_id__in=turns, proposed_by=by.user_id)
    return {f"{kind}.{row.pk}" for kind, rows in ((OPENING, openings), (GROUND, proposals)) for row in rows.only("pk")}


def _other_turns(item: ReviewItem) -> QuerySet[Snapshot]:
    own = item.row.snapshot
    turns = Snapshot.objects.filter(organisation_id=item.row.organisation_id, conversation_id=own.conversation_id).exclude(pk=item.id)
    return (turns if own.conversation_id else turns.none()).only("id", "turn_index", "external_id").order_by("-id")[:MOST_TURNS]


@dataclass(frozen=True, slots=True)
class _KeptBack:
    """The turns of which only what their pages show is read, and whether the rest of the others is left out, which may repeat it."""

    blind: frozenset[UUID]
    is_rest_hidden: bool


def _kept_back(turns: Collection[UUID], by: Membership, item: ReviewItem) -> _KeptBack:
    """Return what is not read of turns of a conversation.

    Of a turn that the member reviews blind the texts are read that its page shows: a reviewer who notes a marker could otherwise
    have it looked for in the answer, or the name of what the model stated beside it in the rest of the record. The rest of no turn is read
    then, nor what has markers of what the model was given, because both may repeat such a turn.
    """
    viewer = viewer_of(by)
    blind = QueueItem.objects.filter(hides_engine_from(viewer), pk__in=list(turns)).values_list("pk", flat=True)
    return _KeptBack(frozenset(blind), bool(blind) or hides_turn_beside(item.row.snapshot, viewer))


def _in_records(turns: Sequence[UUID], kept_back: _KeptBack, by: Membership) -> Iterator[WrittenPart]:
    """Yield the parts of the records of turns, of one after the other because each may have five megabytes."""
    stored = Snapshot.objects.filter(pk__in=turns, organisation=by.organisation_id).values_list("pk", "record")
    for turn_id, record in stored.iterator(chunk_size=1):
        yield from _in_record(turn_id, json.loads(bytes(record)), kept_back, by)


def _in_record(turn_id: UUID, record: Mapping[str, Any], kept_back: _KeptBack, by: Membership) -> Iterator[WrittenPart]:
    """Yield the parts of the record of a turn that are read."""
    left_out = {REST, *marked_parts(record)} if kept_back.is_rest_hidden else set[str]()
    for part, texts in texts_of_record(record):
        if part.name in left_out:
            continue
        if turn_id not in kept_back.blind:
            yield WrittenPart(turn_id, part_of_record(part), texts)
        else:
            shown = [load_item(by, turn_id).unmarked.text] if part.name == "response" else texts
            yield WrittenPart(turn_id, part_of_record(part), shown)


def _proposed(turns: Collection[UUID]) -> dict[UUID, set[str]]:
    """Return the parts in undecided proposals, by turn."""
    waiting: dict[UUID, set[str]] = {}
    for object_id, parts in Redaction.objects.filter(object_id__in=turns, decision=None).values_list("object_id", "parts"):
        waiting.setdefault(object_id, set()).update(parts)
    return waiting


def _told(item: ReviewItem, turns: Mapping[UUID, Snapshot], found: Mapping[UUID, list[Part]], by: Membership) -> Iterator[Repetition]:
    for turn_id, turn in turns.items():
        parts = found.get(turn_id, [])
        if any(part.author for part in parts):
            seen = item if turn_id == item.id else load_item(by, turn_id)
            parts = [part for part in parts if may_know(seen, part)]
        if parts:
            yield Repetition(turn_id, turn.turn_index, turn.external_id, turn_id == item.id, parts)
