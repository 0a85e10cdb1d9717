"""What people wrote beside answers: notes, remarks, reasons of decisions, of reopening, of skipping, of opening, of redacting."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import BinaryField, F, OuterRef, QuerySet, Subquery

from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.redacted import name_of
from reviewers.ledger.redaction_models import Redaction
from reviewers.review.citation_models import CitationLabel
from reviewers.review.decision_models import Decision, Reopening
from reviewers.review.models import Flag, Label
from reviewers.review.redacting.names import CITATION_NOTE, DECISION, GROUND, NOTE, OPENING, REMARK, REOPENING, SKIP

_GROUP = "Notes and reasons"
_KINDS_OF_EVENTS = {Action.REVIEW_SKIPPED.value: (SKIP, "skipped it"), Action.ACCESS_EXPLAINED.value: (OPENING, "opened it")}


@dataclass(frozen=True, slots=True)
class Part:
    """A part that can be chosen. ``group`` is the heading that it stands under; ``rows`` are the labels or remarks by ``author`` in it."""

    name: str
    words: str
    group: str
    author: UUID | None = None
    rows: Sequence[UUID] = ()


@dataclass(frozen=True, slots=True)
class Written:
    """A part with the item that it was written beside, and what stands in it, which is read and never shown."""

    item_id: UUID
    part: Part
    texts: Sequence[str]


def written_beside(organisation_id: UUID, item_ids: Collection[UUID]) -> Iterator[Written]:
    """All of it, of some items, whoever may see it."""
    yield from _of_labels(NOTE, Label.objects.filter(snapshot__in=item_ids), _field_in_words)
    yield from _of_labels(CITATION_NOTE, CitationLabel.objects.filter(snapshot__in=item_ids), _citation_in_words)
    yield from _remarks(item_ids)
    yield from _reasons(item_ids)
    yield from _of_events(organisation_id, item_ids)
    yield from _grounds(organisation_id, item_ids)


def _of_labels(kind: str, labels: QuerySet[Any], about: Callable[..., str]) -> Iterator[Written]:
    """All that one reviewer wrote beside one field or one citation: a label repeats the note of the label that it replaces."""
    written: dict[tuple[Any, ...], list[Any]] = {}
    for label in labels.annotate(author=F("reviewer__name")).order_by("id"):
        if label.note or label.reason:
            written.setdefault((label.snapshot_id, label.reviewer_id, about(label)), []).append(label)
    for (item_id, reviewer_id, words), rows in written.items():
        keys, texts = [row.pk for row in rows], list(chain.from_iterable((row.note, row.reason) for row in rows))
        yield Written(item_id, Part(f"{kind}.{keys[0]}", f"what {rows[0].author} wrote about {words}", _GROUP, reviewer_id, keys), texts)


def _field_in_words(label: Label | Decision) -> str:
    return f"{label.section} · {label.path}"


def _citation_in_words(label: CitationLabel | Decision) -> str:
    place = "" if label.start is None else f", characters {label.start} to {label.end} of the answer"
    repeat = f", no. {label.repeat + 1}" if label.repeat else ""
    return f"the citation of {label.source}{place}{repeat}"


def _remarks(item_ids: Collection[UUID]) -> Iterator[Written]:
    for flag in Flag.objects.filter(snapshot__in=item_ids).annotate(author=F("reviewer__name")).order_by("id"):
        if flag.note:
            code = flag.finding.removeprefix("documents.").partition(":")[0].replace("_", " ")
            words = f"the remark of {flag.author} on “{code}”"
            yield Written(flag.snapshot_id, Part(f"{REMARK}.{flag.pk}", words, _GROUP, flag.reviewer_id, [flag.pk]), [flag.note])


def _reasons(item_ids: Collection[UUID]) -> Iterator[Written]:
    for made in Decision.objects.filter(snapshot__in=item_ids).annotate(author=F("decided_by__name")).order_by("id"):
        about = _citation_in_words(made) if made.is_citation else _field_in_words(made)
        part = Part(f"{DECISION}.{made.pk}", f"why {made.author} decided as they did about {about}", _GROUP, made.decided_by_id, [made.pk])
        yield Written(made.snapshot_id, part, [made.reason])
    for again in Reopening.objects.filter(snapshot__in=item_ids).annotate(author=F("reopened_by__name")).order_by("id"):
        part = Part(f"{REOPENING}.{again.pk}", f"why {again.author} reopened it", _GROUP, again.reopened_by_id, [again.pk])
        yield Written(again.snapshot_id, part, [again.reason])


def _of_events(organisation_id: UUID, item_ids: Collection[UUID]) -> Iterator[Written]:
    """Reasons that only their events keep: of skipping, also once the item was taken up again, and of opening."""
    for event in with_payload(organisation_id, _KINDS_OF_EVENTS).filter(object_id__in=item_ids):
        kind, did = _KINDS_OF_EVENTS[event.action]
        part = Part(f"{kind}.{event.pk}", f"why {event.author or 'a program'} {did}", _GROUP, event.actor_id, [event.pk])
        yield Written(event.object_id, part, list(payload_of(event).values()))


def _grounds(organisation_id: UUID, item_ids: Collection[UUID]) -> Iterator[Written]:
    """Of earlier redactions, too: a reason may repeat what was taken out for it."""
    proposals = Redaction.objects.filter(organisation_id=organisation_id, object_id__in=item_ids)
    for proposal in proposals.annotate(author=name_of("proposed_by")).order_by("id"):
        words = f"why {proposal.author} proposed a redaction on {proposal.proposed_at:%Y-%m-%d}"
        yield Written(proposal.object_id, Part(f"{GROUND}.{proposal.pk}", words, _GROUP, None, [proposal.pk]), [proposal.reason])


def with_payload(organisation_id: UUID, actions: Collection[str]) -> QuerySet[Any]:
    """Events that keep words of their own, with these and with the name of who acted."""
    payload = Subquery(EventSecret.objects.filter(pk=OuterRef("pk")).values("payload"), output_field=BinaryField())
    events = AuditEvent.objects.filter(organisation_id=organisation_id, action__in=list(actions))
    return events.annotate(payload=payload, author=name_of("actor_id")).filter(payload__isnull=False).order_by("pk")


def payload_of(event: Any) -> dict[str, str]:
    """What such an event keeps, by name."""
    read: dict[str, str] = json.loads(bytes(event.payload))
    return read
