"""The redactable parts of an item: parts of its frozen record, and what people wrote about it.

The name of a part says where it is, and nothing of its content.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any
from uuid import UUID

from django.db.models import BinaryField, F, OuterRef, QuerySet, Subquery

from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret, Redaction
from reviewers.ledger.queries import name_of
from reviewers.review.items import ReviewItem
from reviewers.review.models import (
    CitationLabel,
    Comment,
    DecidedKind,
    Decision,
    Flag,
    FlagKind,
    FlagResolution,
    Label,
    Reopening,
    UnsupportedClaim,
)
from reviewers.review.visibility import sees_labels, sees_work
from reviewers.snapshots.citations import CitationKey
from reviewers.snapshots.redactable_parts import REFERENCES, REST, RecordPart, parts_of_record

NOTE, CITATION_NOTE, CLAIM_NOTE, REMARK, SKIP = "note", "citation_note", "claim_note", "remark", "skip"
RESOLUTION, COMMENT = "resolution", "comment"
DECISION, REOPENING, OPENING, GROUND, SEARCH, HOLD = "decision", "reopening", "opening", "ground", "search", "hold"

OF_LABELS = frozenset({NOTE, CITATION_NOTE, CLAIM_NOTE})
"""The kinds of parts that reviewers wrote with their labels. They are as hidden as these, also while these are not submitted."""

OF_WORK = OF_LABELS | {REMARK, RESOLUTION, COMMENT, SKIP, DECISION, REOPENING}
"""The kinds of parts that reviewers and leads wrote at their work."""

TELLING_OF_WORK = OF_WORK | {GROUND}
"""Parts of work, and reasons of redactions: a member who may know of none would learn from one that somebody worked on the answer."""

_WORDS = {
    "user_text": "the user’s message",
    "response": "the answer",
    **REFERENCES,
    REST: "what else was sent with it",
    REMARK: "a remark",
    RESOLUTION: "how a flag was resolved",
    COMMENT: "a comment",
    SKIP: "why it was skipped",
    DECISION: "the reason of a decision",
    REOPENING: "why it was reopened",
    OPENING: "why it was opened",
    GROUND: "the reason of a redaction",
    SEARCH: "the words of a search",
    HOLD: "a legal hold that was lifted",
}


def kind_of(name: str) -> str:
    """Return the kind of a part from its name."""
    return name.partition(".")[0]


def parts_in_words(names: Iterable[str]) -> list[str]:
    """Return parts in words that everybody who may read the item may see. Notes are only said to be notes."""
    return list(dict.fromkeys(_in_words(name) for name in names))


def _in_words(name: str) -> str:
    kind, _, rest = name.partition(".")
    if kind in ("documents", "tool_calls"):
        return f"{'document' if kind == 'documents' else 'what a tool gave,'} {int(rest) + 1}"
    return f"the field {rest}" if kind == "context" else _WORDS.get(kind, "a note")


# Notes, flags and reasons.


_GROUP = "Notes and reasons"
_KINDS_OF_EVENTS = {
    Action.REVIEW_SKIPPED.value: (SKIP, "skipped it"),
    Action.ACCESS_EXPLAINED.value: (OPENING, "opened it"),
    Action.TEXT_REVEALED.value: (OPENING, "revealed text of it"),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part that can be redacted.

    ``group`` is its heading. ``rows`` are the labels, flags or other rows by ``author`` that it consists of.
    """

    name: str
    words: str
    group: str
    author: UUID | None = None
    rows: Sequence[UUID] = ()


@dataclass(frozen=True, slots=True)
class WrittenPart:
    """A part with its item and its texts, which are searched and never shown."""

    item_id: UUID
    part: Part
    texts: Sequence[str]


def written_beside(organisation_id: UUID, item_ids: Collection[UUID]) -> Iterator[WrittenPart]:
    """Yield what people wrote about some items, visible to the viewer or not."""
    yield from _of_labels(NOTE, Label.objects.filter(snapshot__in=item_ids), ("section", "path"), _field_in_words)
    yield from _of_labels(CITATION_NOTE, CitationLabel.objects.filter(snapshot__in=item_ids), CitationKey._fields, _source_in_words)
    yield from _of_labels(CLAIM_NOTE, UnsupportedClaim.objects.filter(snapshot__in=item_ids), ("start", "end"), _words_in_words)
    yield from _remarks(item_ids)
    yield from _talk(item_ids)
    yield from _reasons(item_ids)
    yield from _of_events(organisation_id, item_ids)
    yield from _grounds(organisation_id, item_ids)


def _of_labels(kind: str, labels: QuerySet[Any], key: Sequence[str], about: Callable[..., str]) -> Iterator[WrittenPart]:
    """Yield a part for all that one reviewer wrote on one field or citation, because a label repeats the note that it replaces.

    Citations of one source are counted as they were written about: where they are in the answer as it was sent would tell those who review
    it blind how much was taken out before them, and so which of them are the model's own.
    """
    written: dict[tuple[Any, ...], list[Any]] = {}
    for label in labels.annotate(author=F("reviewer__name")).order_by("id"):
        if label.note or label.reason:
            place = tuple(getattr(label, name) for name in key)
            written.setdefault((label.snapshot_id, label.reviewer_id, *place), []).append(label)
    met: Counter[tuple[Any, ...]] = Counter()
    for (item_id, reviewer_id, *_), rows in written.items():
        keys, texts = [row.pk for row in rows], list(chain.from_iterable((row.note, row.reason) for row in rows))
        words = about(rows[0])
        met[item_id, reviewer_id, words] += 1
        again = f", no. {number}" if (number := met[item_id, reviewer_id, words]) > 1 else ""
        part = Part(f"{kind}.{keys[0]}", f"what {rows[0].author} wrote about {words}{again}", _GROUP, reviewer_id, keys)
        yield WrittenPart(item_id, part, texts)


def _field_in_words(label: Label | Decision) -> str:
    return f"{label.section} · {label.path}"


def _source_in_words(label: CitationLabel | Decision) -> str:
    return f"the citation of {label.source}"


def _words_in_words(label: UnsupportedClaim | Decision) -> str:
    return f"words of the answer, characters {label.start} to {label.end}"


def _citation_in_words(made: Decision) -> str:
    place = "" if made.start is None else f", characters {made.start} to {made.end} of the answer"
    repeat = f", no. {made.repeat + 1}" if made.repeat else ""
    return f"{_source_in_words(made)}{place}{repeat}"


_ABOUT: Mapping[str, Callable[[Decision], str]] = {
    DecidedKind.FIELD: _field_in_words,
    DecidedKind.CITATION: _citation_in_words,
    DecidedKind.CLAIM: _words_in_words,
}


def _remarks(item_ids: Collection[UUID]) -> Iterator[WrittenPart]:
    for flag in Flag.objects.filter(snapshot__in=item_ids).annotate(author=F("reviewer__name")).order_by("id"):
        if flag.note:
            words = f"the remark of {flag.author} on {_flagged(flag)}"
            yield WrittenPart(flag.snapshot_id, Part(f"{REMARK}.{flag.pk}", words, _GROUP, flag.reviewer_id, [flag.pk]), [flag.note])


def _flagged(flag: Flag) -> str:
    if flag.kind != FlagKind.FINDING:
        return FlagKind(flag.kind).label.lower()
    code = flag.finding.removeprefix("documents.").partition(":")[0].replace("_", " ")
    return f"“{code}”"


def _talk(item_ids: Collection[UUID]) -> Iterator[WrittenPart]:
    """Yield the notes by which flags were resolved, and the comments."""
    resolved = FlagResolution.objects.filter(flag__snapshot__in=item_ids).annotate(
        author=F("resolved_by__name"), item_id=F("flag__snapshot")
    )
    for each in resolved.order_by("id"):
        part = Part(f"{RESOLUTION}.{each.pk}", f"how {each.author} resolved a flag", _GROUP, each.resolved_by_id, [each.pk])
        yield WrittenPart(each.item_id, part, [each.note])
    for comment in Comment.objects.filter(snapshot__in=item_ids).annotate(name=F("author__name")).order_by("id"):
        words = f"the comment of {comment.name}, {comment.written_at:%Y-%m-%d %H:%M}"
        part = Part(f"{COMMENT}.{comment.pk}", words, _GROUP, comment.author_id, [comment.pk])
        yield WrittenPart(comment.snapshot_id, part, [comment.text])


def _reasons(item_ids: Collection[UUID]) -> Iterator[WrittenPart]:
    for made in Decision.objects.filter(snapshot__in=item_ids).annotate(author=F("decided_by__name")).order_by("id"):
        about = _ABOUT[made.kind](made)
        part = Part(f"{DECISION}.{made.pk}", f"why {made.author} decided as they did about {about}", _GROUP, made.decided_by_id, [made.pk])
        yield WrittenPart(made.snapshot_id, part, [made.reason])
    for again in Reopening.objects.filter(snapshot__in=item_ids).annotate(author=F("reopened_by__name")).order_by("id"):
        part = Part(f"{REOPENING}.{again.pk}", f"why {again.author} reopened it", _GROUP, again.reopened_by_id, [again.pk])
        yield WrittenPart(again.snapshot_id, part, [again.reason])


def _of_events(organisation_id: UUID, item_ids: Collection[UUID]) -> Iterator[WrittenPart]:
    """Yield the reasons for skipping and opening, which only their events keep."""
    for event in with_payload(organisation_id, _KINDS_OF_EVENTS).filter(object_id__in=item_ids):
        kind, did = _KINDS_OF_EVENTS[event.action]
        part = Part(f"{kind}.{event.pk}", f"why {event.author or 'a program'} {did}", _GROUP, event.actor_id, [event.pk])
        yield WrittenPart(event.object_id, part, list(payload_of(event).values()))


def _grounds(organisation_id: UUID, item_ids: Collection[UUID]) -> Iterator[WrittenPart]:
    """Yield the reasons of earlier redactions, which may repeat what was redacted.

    Those of redactions that name what reviewers wrote have an author, because they are hidden where this is.
    """
    proposals = Redaction.objects.filter(organisation_id=organisation_id, object_id__in=item_ids)
    for proposal in proposals.annotate(author=name_of("proposed_by")).order_by("id"):
        words = f"why {proposal.author} proposed a redaction on {proposal.proposed_at:%Y-%m-%d}"
        author = proposal.proposed_by if any(kind_of(name) in OF_WORK for name in proposal.parts) else None
        yield WrittenPart(proposal.object_id, Part(f"{GROUND}.{proposal.pk}", words, _GROUP, author, [proposal.pk]), [proposal.reason])


def with_payload(organisation_id: UUID, actions: Collection[str]) -> QuerySet[Any]:
    """Return the events of these actions that keep text of their own, with this text and the name of their author."""
    payload = Subquery(EventSecret.objects.filter(pk=OuterRef("pk")).values("payload"), output_field=BinaryField())
    events = AuditEvent.objects.filter(organisation_id=organisation_id, action__in=list(actions))
    return events.annotate(payload=payload, author=name_of("actor_id")).filter(payload__isnull=False).order_by("pk")


def payload_of(event: Any) -> dict[str, str]:
    """Return the text that an event keeps, by name."""
    read: dict[str, str] = json.loads(bytes(event.payload))
    return read


# All parts of an item.


_GROUPS = {"context": "Fields of the context", "documents": "Documents", "tool_calls": "Documents"} | dict.fromkeys(
    REFERENCES, "Names and references"
)


def all_parts_of(item: ReviewItem) -> list[Part]:
    """Return everything of an item that is not redacted yet, visible to the viewer or not."""
    gone = {name for redacted in item.redacted for name in redacted.parts}
    written = (each.part for each in written_beside(item.row.organisation_id, [item.id]))
    return [part for part in (*_record(item), *written) if part.name not in gone]


def parts_of(item: ReviewItem) -> list[Part]:
    """Return the parts of an item that its viewer may know of."""
    return [part for part in all_parts_of(item) if may_know(item, part)]


def may_know(item: ReviewItem, part: Part) -> bool:
    """True if the viewer may know of the part. They may not know of notes on labels that are hidden from them."""
    if part.author is None:
        return True
    return (sees_labels if kind_of(part.name) in OF_LABELS else sees_work)(item.viewer, item.review_status, part.author)


def _record(item: ReviewItem) -> Iterator[Part]:
    return map(part_of_record, parts_of_record(item.record))


def part_of_record(part: RecordPart) -> Part:
    """Return a part of the frozen record as one that can be redacted."""
    return Part(part.name, part.words, _GROUPS.get(kind_of(part.name), "The turn"))
