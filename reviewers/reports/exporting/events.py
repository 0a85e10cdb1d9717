"""What the ledger holds of answers, and the checkpoints over it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery

from reviewers.accounts.models import User
from reviewers.ledger.events import Action
from reviewers.ledger.merkle.checkpoint import read_checkpoint
from reviewers.ledger.merkle.receipt import write_receipt
from reviewers.ledger.merkle.strict import encode
from reviewers.ledger.merkle.tree import inclusion_proof
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Log
from reviewers.ledger.reading import Hashes
from reviewers.reports.exporting.model import Closing, Receipt, Recorded, Sealed
from reviewers.reports.exporting.moments import written

FROZEN = (Action.SNAPSHOT_FROZEN, Action.ANSWER_REPAIRED, Action.CITATION_SEARCH_ENDED, Action.REDACTION_APPROVED)
REVIEWED = (
    Action.LABEL_SAVED,
    Action.LABEL_UNDONE,
    Action.NOTE_SAVED,
    Action.CITATION_LABEL_SAVED,
    Action.CITATION_LABEL_UNDONE,
    Action.CITATION_NOTE_SAVED,
    Action.FINDING_FLAGGED,
    Action.REVIEW_SUBMITTED,
    Action.SIGNATURE_MADE,
    Action.CONFLICT_DECIDED,
    Action.ITEM_REOPENED,
)
"""What makes an answer what the report says of it. That somebody looked at it changes nothing, and stands in the record of accesses."""

MOST_RECEIPTS = 500
"""A report of more events than these leaves their receipts to its bundle."""


@dataclass
class Logs:
    """The logs of an organisation, and how far the events of a report reach in each."""

    origins: Mapping[UUID, str]
    reach: dict[UUID, int] = field(default_factory=dict)
    waiting: int = 0
    places: list[tuple[UUID, UUID, int]] = field(default_factory=list)

    def meet(self, event_id: UUID, log_id: UUID | None, index: int | None) -> str:
        """Take note of an event's place; returns the name of its log. The first few places are kept."""
        if log_id is None or index is None:
            self.waiting += 1
            return ""
        self.reach[log_id] = max(index, self.reach.get(log_id, -1))
        if len(self.places) <= MOST_RECEIPTS:
            self.places.append((event_id, log_id, index))
        return self.origins[log_id]

    def add(self, others: Logs) -> None:
        """Take note of what others have met behind these."""
        for log_id, index in others.reach.items():
            self.reach[log_id] = max(index, self.reach.get(log_id, -1))
        self.waiting += others.waiting
        self.places += others.places[: MOST_RECEIPTS + 1 - len(self.places)]

    def covering(self) -> dict[UUID, Checkpoint]:
        """Of each log the first checkpoint that covers all events of the report: the same however much is added to the log later."""
        return {
            log_id: Checkpoint.objects.filter(log=log_id, size__gt=index).earliest("size") for log_id, index in sorted(self.reach.items())
        }


def open_logs(organisation_id: UUID) -> Logs:
    """The logs of an organisation."""
    return Logs(dict(Log.objects.filter(organisation_id=organisation_id).values_list("id", "origin")))


def sealed(note: str) -> Sealed:
    """A checkpoint out of its note."""
    read = read_checkpoint(note)
    return Sealed(read.origin, read.size, encode(read.root), note)


def close(number: int, logs: Logs) -> Closing:
    """The end of a report of so many answers."""
    covering = logs.covering()
    checkpoints = tuple(sealed(each.note) for each in covering.values())
    return Closing(number, logs.waiting, checkpoints, tuple(_receipts(logs.places, covering)) if len(logs.places) <= MOST_RECEIPTS else ())


def _receipts(places: Sequence[tuple[UUID, UUID, int]], covering: Mapping[UUID, Checkpoint]) -> Iterable[Receipt]:
    bodies = dict(AuditEvent.objects.filter(pk__in=[pk for pk, _, _ in places]).values_list("pk", "body"))
    hashes = {log_id: Hashes(log_id) for log_id in covering}
    for pk, log_id, index in places:
        proof = inclusion_proof(hashes[log_id].read, index, covering[log_id].size)
        yield Receipt(str(pk), write_receipt(content=bytes(bodies[pk]), index=index, proof=proof, note=covering[log_id].note))


def events_of(organisation_id: UUID, ids: Sequence[UUID], actions: Iterable[Action] = (*FROZEN, *REVIEWED)) -> QuerySet[AuditEvent]:
    """The events of some answers in the order in which they were written."""
    chosen = AuditEvent.objects.filter(organisation_id=organisation_id, object_id__in=ids, action__in=[each.value for each in actions])
    return chosen.order_by("id")


def load_events(organisation_id: UUID, ids: Sequence[UUID], withheld: frozenset[UUID], logs: Logs) -> dict[UUID, tuple[Recorded, ...]]:
    """The events of some answers; of those that are withheld only what froze them. Two statements."""
    names = Subquery(User.objects.filter(pk=OuterRef("actor_id")).values("name"))
    rows = list(
        events_of(organisation_id, ids).annotate(name=names).values_list("id", "action", "occurred_at", "name", "object_id", "actor_id")
    )
    places = {pk: (log_id, index) for pk, log_id, index in _places([row[0] for row in rows])}
    table: dict[UUID, list[Recorded]] = {}
    early = {each.value for each in FROZEN}
    for pk, action, at, name, object_id, actor_id in rows:
        if object_id in withheld and action not in early:
            continue
        log_id, index = places.get(pk, (None, None))
        by = name or ("a program" if actor_id else "the system")
        table.setdefault(object_id, []).append(Recorded(str(pk), action, written(at), by, logs.meet(pk, log_id, index), index))
    return {object_id: tuple(events) for object_id, events in table.items()}


def _places(ids: Sequence[UUID]) -> Iterable[tuple[UUID, UUID, int]]:
    return Leaf.objects.filter(pk__in=ids).values_list("id", "log_id", "index")
