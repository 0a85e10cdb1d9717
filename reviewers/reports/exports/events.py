"""The audit events of answers, and the checkpoints that cover them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from msgspec import Struct
from msgspec.json import Decoder

from reviewers.ledger.events import Action
from reviewers.ledger.logs import StoredHashes
from reviewers.ledger.merkle.notes import encode_base64, read_checkpoint
from reviewers.ledger.merkle.receipt import write_receipt
from reviewers.ledger.merkle.tree import inclusion_proof
from reviewers.ledger.models import AuditEvent, Checkpoint, Leaf, Log
from reviewers.ledger.queries import name_of
from reviewers.reports.exports.report import Closing, Receipt, Sealed
from reviewers.reports.exports.schema import Summary
from reviewers.review.models import CitationLabel, Decision, Label

FROZEN = (
    Action.SNAPSHOT_FROZEN,
    Action.ANSWER_REPAIRED,
    Action.CITATION_SEARCH_ENDED,
    Action.SUPPORT_JUDGED,
    Action.REDACTION_APPROVED,
)
UNTELLING = (Action.SNAPSHOT_FROZEN,)
"""The events of `FROZEN` that disclose nothing of what was found in an answer, or written about it."""

REVIEWED = (
    Action.LABEL_SAVED,
    Action.LABEL_UNDONE,
    Action.NOTE_SAVED,
    Action.CITATION_LABEL_SAVED,
    Action.CITATION_LABEL_UNDONE,
    Action.CITATION_NOTE_SAVED,
    Action.CLAIM_SAVED,
    Action.CLAIM_UNDONE,
    Action.FINDING_FLAGGED,
    Action.PLACE_FLAGGED,
    Action.FLAG_RESOLVED,
    Action.COMMENT_WRITTEN,
    Action.REVIEW_SUBMITTED,
    Action.SIGNATURE_MADE,
    Action.CONFLICT_DECIDED,
    Action.ITEM_REOPENED,
)
"""The events that made an answer what the report says of it. Views of the answer are not among them."""

JUDGING = frozenset(
    {
        Action.LABEL_SAVED,
        Action.LABEL_UNDONE,
        Action.NOTE_SAVED,
        Action.CITATION_LABEL_SAVED,
        Action.CITATION_LABEL_UNDONE,
        Action.CITATION_NOTE_SAVED,
        Action.CONFLICT_DECIDED,
    }
)
"""The events that are about one field or citation."""

MOST_RECEIPTS = 500
"""The largest number of events whose receipts are in the report. A report with more leaves them to its bundle."""


@dataclass
class Logs:
    """The logs of an organisation, and how far the events of a report reach in each. The places of up to ``most`` events are kept."""

    origins: dict[str, str]
    reach: dict[str, int] = field(default_factory=dict)
    waiting: int = 0
    places: list[tuple[str, str, int]] = field(default_factory=list)
    are_many: bool = False
    most: int = MOST_RECEIPTS

    def meet(self, event: AnswerEvent) -> str:
        """Note an event's place; return the name of its log, or an empty text while it waits to be sealed."""
        if event.log_id is None or event.index is None:
            self.waiting += 1
            return ""
        log_id = str(event.log_id)
        self.reach[log_id] = max(event.index, self.reach.get(log_id, -1))
        if not self.are_many:
            self._place([(str(event.id), log_id, event.index)])
        if log_id not in self.origins:  # it was started while the report is made
            self.origins[log_id] = Log.objects.get(pk=event.log_id).origin
        return self.origins[log_id]

    def add(self, others: Logs) -> None:
        """Add the places of later events."""
        for log_id, index in others.reach.items():
            self.reach[log_id] = max(index, self.reach.get(log_id, -1))
        self.waiting += others.waiting
        self.are_many = self.are_many or others.are_many
        self._place(others.places)

    def _place(self, places: Sequence[tuple[str, str, int]]) -> None:
        self.places += places
        self.are_many = self.are_many or len(self.places) > self.most
        if self.are_many:
            self.places.clear()

    def covering(self) -> dict[str, Checkpoint]:
        """Return the first checkpoint of each log that covers all events of the report. It does not change when the log grows."""
        return {
            log_id: Checkpoint.objects.filter(log=UUID(log_id), size__gt=index).earliest("size")
            for log_id, index in sorted(self.reach.items())
        }


def open_logs(organisation_id: UUID, most: int = MOST_RECEIPTS) -> Logs:
    """Return the logs of an organisation."""
    found = Log.objects.filter(organisation_id=organisation_id).values_list("id", "origin")
    return Logs({str(pk): origin for pk, origin in found}, most=most)


def sealed(note: str) -> Sealed:
    """Return a checkpoint, read from its note."""
    read = read_checkpoint(note)
    return Sealed(read.origin, read.size, encode_base64(read.root), note)


def close(number: int, logs: Logs, summary: Summary) -> Closing:
    """Return the end of a report with so many answers and these figures."""
    covering = logs.covering()
    checkpoints = tuple(sealed(each.note) for each in covering.values())
    return Closing(number, logs.waiting, checkpoints, tuple(_receipts(logs.places, covering)), summary=summary)


def _receipts(places: Sequence[tuple[str, str, int]], covering: Mapping[str, Checkpoint]) -> Iterable[Receipt]:
    bodies = {str(pk): body for pk, body in AuditEvent.objects.filter(pk__in=[pk for pk, _, _ in places]).values_list("pk", "body")}
    hashes = {log_id: StoredHashes(UUID(log_id)) for log_id in covering}
    for pk, log_id, index in places:
        proof = inclusion_proof(hashes[log_id].read, index, covering[log_id].size)
        yield Receipt(pk, write_receipt(content=bytes(bodies[pk]), index=index, proof=proof, note=covering[log_id].note))


class JudgedSubject(NamedTuple):
    """The subject of the event of a label or of a decision: a field by section and path or a source, and the verdict."""

    section: str = ""
    path: str = ""
    source: str = ""
    verdict: str = ""


NO_JUDGEMENT = JudgedSubject()


@dataclass(frozen=True, slots=True)
class AnswerEvent:
    """An audit event of an answer. ``log_id`` and ``index`` are its place in the log, or None while it waits to be sealed."""

    id: UUID
    action: str
    at: datetime
    actor_id: UUID | None
    name: str | None
    log_id: UUID | None
    index: int | None
    judgement: JudgedSubject = NO_JUDGEMENT

    @property
    def by(self) -> str:
        """The name of the member or key that caused it."""
        return self.name or ("a program" if self.actor_id else "the system")


def events_of(organisation_id: UUID, ids: Sequence[UUID]) -> QuerySet[AuditEvent]:
    """Return the events of some answers that reports tell of, in the order in which they were written."""
    chosen = AuditEvent.objects.filter(organisation_id=organisation_id, object_id__in=ids, action__in=[*FROZEN, *REVIEWED])
    return chosen.order_by("id")


_COLUMNS = ("id", "action", "occurred_at", "actor_id", "name", "log", "index")


def load_events(organisation_id: UUID, ids: Sequence[UUID]) -> dict[UUID, list[AnswerEvent]]:
    """Return the same events with their places in the log, by answer, in one query."""
    leaf = Leaf.objects.filter(pk=OuterRef("pk"))
    placed = events_of(organisation_id, ids).annotate(
        name=name_of("actor_id"), log=Subquery(leaf.values("log_id")), index=Subquery(leaf.values("index"))
    )
    judged = _judgements(ids)
    found: dict[UUID, list[AnswerEvent]] = {}
    for pk, body, event_id, action, at, actor_id, name, log_id, index in placed.values_list("object_id", "body", *_COLUMNS):
        judgement = _judgement(bytes(body), judged) if action in JUDGING else NO_JUDGEMENT
        found.setdefault(pk, []).append(AnswerEvent(event_id, action, at, actor_id, name, log_id, index, judgement))
    return found


class _RowRef(Struct):
    id: str


class _Body(Struct):
    rows: list[_RowRef] = []


_BODIES = Decoder(_Body)


def _judgement(body: bytes, judged: Mapping[str, JudgedSubject]) -> JudgedSubject:
    rows = _BODIES.decode(body).rows
    return next((judged[row.id] for row in rows if row.id in judged), NO_JUDGEMENT)


def _judgements(ids: Sequence[UUID]) -> Mapping[str, JudgedSubject]:
    """Return what each label and each decision on some answers is about, by its key."""
    labels = Label.objects.filter(snapshot__in=ids).values_list("pk", "section", "path", "verdict")
    found = {str(pk): JudgedSubject(section, path, verdict=verdict) for pk, section, path, verdict in labels}
    cited = CitationLabel.objects.filter(snapshot__in=ids).values_list("pk", "source", "verdict")
    found |= {str(pk): JudgedSubject(source=source, verdict=verdict) for pk, source, verdict in cited}
    decided = Decision.objects.filter(snapshot__in=ids).values_list("pk", "section", "path", "source", "verdict")
    return found | {str(pk): JudgedSubject(*told) for pk, *told in decided}
