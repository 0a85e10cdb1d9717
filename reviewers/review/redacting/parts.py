"""What of an item can be redacted: parts of its frozen record, and what reviewers wrote beside it. Nothing here holds what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Exists, F, OuterRef, QuerySet

from reviewers.ledger.events import Action
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.redacted import name_of
from reviewers.review.citation_models import CitationLabel
from reviewers.review.items import Item
from reviewers.review.models import Flag, Label
from reviewers.review.plans.visibility import sees_labels, sees_work
from reviewers.review.redacting.names import CITATION_NOTE, NOTE, REMARK, SKIP
from reviewers.snapshots.cutting import parts_of_record


@dataclass(frozen=True, slots=True)
class Part:
    """A part that can be chosen. ``group`` is the heading that it stands under; ``rows`` are the labels or remarks by ``author`` in it."""

    name: str
    words: str
    group: str
    author: UUID | None = None
    rows: Sequence[UUID] = ()


def all_parts_of(item: Item) -> list[Part]:
    """Everything of an item that was not redacted before, whoever may see it."""
    gone = {name for redacted in item.redacted for name in redacted.parts}
    return [part for part in (*_record(item), *_notes(item), *_remarks(item), *_skipped(item)) if part.name not in gone]


def parts_of(item: Item) -> list[Part]:
    """What of it whoever loaded it may know to be there."""
    return [part for part in all_parts_of(item) if _may_know(item, part)]


def _may_know(item: Item, part: Part) -> bool:
    """Of notes only who may see the labels beside which they stand."""
    if part.author is None:
        return True
    is_label = part.name.startswith((f"{NOTE}.", f"{CITATION_NOTE}."))
    return (sees_labels if is_label else sees_work)(item.viewer, item.standing, part.author)


def _record(item: Item) -> Iterator[Part]:
    groups = {"context": "Fields of the context", "documents": "Documents", "tool_calls": "Documents"}
    for part in parts_of_record(item.record):
        yield Part(part.name, part.words, groups.get(part.name.partition(".")[0], "The turn"))


def _notes(item: Item) -> Iterator[Part]:
    """All that one reviewer wrote beside one field or one citation: a label repeats the note of the label that it replaces."""
    yield from _of_kind(item, NOTE, Label.objects.all(), _field_in_words)
    yield from _of_kind(item, CITATION_NOTE, CitationLabel.objects.all(), _citation_in_words)


def _of_kind(item: Item, kind: str, labels: QuerySet[Label] | QuerySet[CitationLabel], about: Callable[..., str]) -> Iterator[Part]:
    written: dict[tuple[str, ...], list[Label | CitationLabel]] = {}
    for label in labels.filter(snapshot=item.id).annotate(author=F("reviewer__name")).order_by("id"):
        if label.note or label.reason:
            written.setdefault((str(label.reviewer_id), about(label)), []).append(label)
    for (_, words), rows in written.items():
        author = rows[0].author  # type: ignore[union-attr]  # annotated
        keys = [row.pk for row in rows]
        yield Part(f"{kind}.{keys[0]}", f"what {author} wrote about {words}", "Notes of reviewers", rows[0].reviewer_id, keys)


def _field_in_words(label: Label) -> str:
    return f"{label.section} · {label.path}"


def _citation_in_words(label: CitationLabel) -> str:
    place = "" if label.start is None else f", characters {label.start} to {label.end} of the answer"
    repeat = f", no. {label.repeat + 1}" if label.repeat else ""
    return f"the citation of {label.source}{place}{repeat}"


def _remarks(item: Item) -> Iterator[Part]:
    for flag in Flag.objects.filter(snapshot=item.id).annotate(author=F("reviewer__name")).order_by("id"):
        if flag.note:
            code = flag.finding.removeprefix("documents.").partition(":")[0].replace("_", " ")
            words = f"the remark of {flag.author} on “{code}”"
            yield Part(f"{REMARK}.{flag.pk}", words, "Notes of reviewers", flag.reviewer_id, [flag.pk])


def _skipped(item: Item) -> Iterator[Part]:
    """Its event keeps the reason, also once the item was taken up again."""
    kept = EventSecret.objects.filter(pk=OuterRef("pk"), payload__isnull=False)
    about = AuditEvent.objects.filter(organisation_id=item.row.organisation_id, object_id=item.id, action=Action.REVIEW_SKIPPED.value)
    for event in about.filter(Exists(kept)).annotate(author=name_of("actor_id")).order_by("pk"):
        yield Part(f"{SKIP}.{event.pk}", f"why {event.author} skipped it", "Notes of reviewers", event.actor_id, [event.pk])
