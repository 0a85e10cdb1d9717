"""The conversation of an answer: the turns before it on its page, and all of its turns, page by page.

Each turn is read as its own page reads it: masked, with bars where it was redacted, and as a blind review shows it. Beside an answer that
its reader reviews blind, no turn shows what was found or labelled in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db.models import Case, Exists, OuterRef, Q, QuerySet, When
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce, Length

from reviewers.accounts.models import Membership
from reviewers.accounts.texts import Surface, Text, hidden_from
from reviewers.ledger.queries import Redacted
from reviewers.review import wording
from reviewers.review.items import ReviewItem
from reviewers.review.models import QueueItem
from reviewers.review.page.answer import Paragraph, lay_out
from reviewers.review.page.sources import source_notes
from reviewers.review.queries import load_items
from reviewers.review.redaction.queries import redaction_of
from reviewers.review.visibility import hides_engine_from, viewer_of, without_evidence
from reviewers.snapshots.field_labels import label_of
from reviewers.snapshots.lists import rows_beyond, write_key
from reviewers.snapshots.models import Snapshot
from reviewers.web.dates import PageKey, read_page_key

MOST_BEFORE = 2
"""The number of earlier turns on the page of an answer."""

PAGE_SIZE = 10
_MOST_BYTES = 1024 * 1024
"""The most bytes of records on either side of a page: of very long turns it has fewer."""
_BYTES_OF_CITATIONS = 8
"""The bytes of a record that take as long as a stored byte of citations: a page has some four thousand of these on either side."""
_SHORT = 600
"""The longest answer of an earlier turn that is shown open."""

_LONGEST = 8_000
_LENGTH_OF_PART = 5
"""The code points that each part of a paragraph counts beside its text: a footnote has none, and takes room."""
_LONGEST_PREVIEW = 120
_MOST_FOOTNOTES = 40

Opened = Callable[[UUID], frozenset[Text] | None]
"""Returns the kinds of text that the reader has revealed of an answer, or None if they must say first why they open it."""


@dataclass(frozen=True, slots=True)
class Footnote:
    """A footnote of a turn: the name of its field or the title of its source, and its place on the page of the turn."""

    number: int
    name: str
    place: str


@dataclass(frozen=True, slots=True)
class ConversationTurn:
    """A turn of a conversation. ``is_closed`` is true if its texts are shown only for a reason that nobody has given yet.

    ``status`` and ``footnotes`` are empty in a blind review.
    """

    id: UUID
    attribution_id: UUID
    name: str
    answered_at: datetime
    is_this: bool
    is_closed: bool = False
    question: str = ""
    paragraphs: Sequence[Paragraph] = ()
    is_cut: bool = False
    is_short: bool = False
    footnotes: Sequence[Footnote] = ()
    status: str = ""
    question_redacted: Redacted | None = None
    answer_redacted: Redacted | None = None
    is_held: bool = False

    @property
    def preview(self) -> str:
        """Return the first words of the question, for a turn that is folded."""
        words = "" if self.question_redacted else " ".join(self.question.split())
        return words if len(words) <= _LONGEST_PREVIEW else words[:_LONGEST_PREVIEW] + "…"


@dataclass(frozen=True, slots=True)
class TurnsBefore:
    """The last turns before an answer, the oldest first. ``has_more`` is true if there are others before them."""

    turns: Sequence[ConversationTurn] = ()
    has_more: bool = False


@dataclass(frozen=True, slots=True)
class ConversationPage:
    """Some turns of a conversation, the oldest first, and the keys of the pages beside them, empty at either end."""

    turns: Sequence[ConversationTurn]
    before: str = ""
    after: str = ""


def load_turns_before(item: ReviewItem, *, by: Membership, opened: Opened) -> TurnsBefore:
    """Return the last turns before an item, in one query."""
    if not item.row.snapshot.conversation_id:
        return TurnsBefore()
    same = _turns_of(item)
    last = rows_beyond(same, _key_of(item.row.snapshot), forwards=False)[:MOST_BEFORE]
    is_before = Q(answered_at__lt=OuterRef("answered_at")) | Q(answered_at=OuterRef("answered_at"), pk__lt=OuterRef("pk"))
    earlier = Exists(same.filter(is_before, answered_at__lte=OuterRef("answered_at")))
    found = _load(QueueItem.objects.filter(pk__in=last.values("pk")).annotate(has_earlier=earlier), by, opened)
    turns = [_turn(each, item, opened) for each in found]
    return TurnsBefore(turns, bool(found) and bool(getattr(found[0].row, "has_earlier", False)))


def load_conversation(item: ReviewItem, *, by: Membership, opened: Opened, before: str = "", after: str = "") -> ConversationPage:
    """Return the turns before or after a page's key; without one those around the item."""
    key = read_page_key(before or after)
    if not item.row.snapshot.conversation_id:
        keys, has_before, has_after = [_key_of(item.row.snapshot)], False, False
    elif key is None:
        keys, has_before, has_after = _keys_around(item)
    elif before:
        keys, has_before = _keys_beyond(item, key, PAGE_SIZE, forwards=False)
        has_after = True
    else:
        keys, has_after = _keys_beyond(item, key, PAGE_SIZE, forwards=True)
        has_before = True
    found = _load(QueueItem.objects.filter(pk__in=[pk for _, pk in keys]), by, opened)
    return ConversationPage(
        turns=[_turn(each, item, opened) for each in found],
        before=write_key(keys[0]) if keys and has_before else "",
        after=write_key(keys[-1]) if keys and has_after else "",
    )


def _turns_of(item: ReviewItem) -> QuerySet[Snapshot]:
    """Return the turns of the item's conversation. The condition against an empty reference is that of their index."""
    snapshot = item.row.snapshot
    same = Snapshot.objects.filter(organisation=snapshot.organisation_id, conversation_id=snapshot.conversation_id)
    return same.exclude(conversation_id="")


def _key_of(snapshot: Snapshot) -> PageKey:
    return snapshot.answered_at, snapshot.pk


def _keys_around(item: ReviewItem) -> tuple[list[PageKey], bool, bool]:
    """Return the keys of a page with the item on it, and whether there are turns before and after the page."""
    own = _key_of(item.row.snapshot)
    earlier, has_before = _keys_beyond(item, own, PAGE_SIZE // 2, forwards=False)
    later, has_after = _keys_beyond(item, own, PAGE_SIZE - len(earlier) - 1, forwards=True)
    return [*earlier, own, *later], has_before, has_after


def _keys_beyond(item: ReviewItem, key: PageKey, most: int, *, forwards: bool) -> tuple[list[PageKey], bool]:
    """Return the keys of the next turns on one side of a key in chronological order, and whether there are more."""
    turns = rows_beyond(_turns_of(item), key, forwards=forwards).annotate(size=_weight(item))
    found = list(turns.values_list("answered_at", "pk", "size")[: most + 1])
    shown: list[PageKey] = []
    room = _MOST_BYTES
    for at, pk, size in found[:most]:
        if shown and size > room:
            break
        shown.append((at, pk))
        room -= size
    return (shown if forwards else shown[::-1]), len(found) > len(shown)


def _weight(item: ReviewItem) -> Combinable:
    """Return what a turn counts on a page: the bytes of its record, and of its citations by the time that they take.

    Where these may not be told, all of the record counts as if it were citations: otherwise the turns of a page would tell how many.
    """
    record = Length("record")
    cited = Coalesce(Length("item__attribution__documents__document"), 0)
    hidden = QueueItem.objects.filter(hides_engine_from(item.viewer), pk=OuterRef("pk"))
    untold = Q(pk__isnull=False) if item.is_blind else Exists(hidden)
    return Case(When(untold, then=record), default=cited) * _BYTES_OF_CITATIONS + record


def _load(rows: QuerySet[QueueItem], by: Membership, opened: Opened) -> list[ReviewItem]:
    """Return items in chronological order as the member sees them, with the fields of footnotes only."""
    ordered = rows.filter(organisation=by.organisation_id).select_related("submitted_by").order_by("answered_at", "pk")
    hidden = hidden_from(by, Surface.ITEM)
    return [
        replace(each, hidden=hidden - (opened(each.id) or frozenset()), keeps=_has_footnote) for each in load_items(ordered, viewer_of(by))
    ]


def _has_footnote(row: Mapping[str, Any]) -> bool:
    return row.get("footnote") is not None


def _turn(item: ReviewItem, beside: ReviewItem, opened: Opened) -> ConversationTurn:
    """Return a turn as it is shown beside an item."""
    snapshot = item.row.snapshot
    name = wording.turn_in_words(snapshot.turn_index)
    turn = ConversationTurn(item.id, item.row.attribution_id, name, snapshot.answered_at, is_this=item.id == beside.id)
    if opened(item.id) is None:
        return replace(turn, is_closed=True)
    is_plain = item.is_blind or beside.is_blind
    answer_redacted = redaction_of(item, "response")
    paragraphs, is_cut = _cut(() if answer_redacted else _plain(item) if is_plain else _with_notes(item))
    question = str(item.record.get("user_text") or "")
    return replace(
        turn,
        question=question[:_LONGEST] + "…" if len(question) > _LONGEST else question,
        paragraphs=paragraphs,
        is_cut=is_cut,
        is_short=not is_cut and sum(map(_length, paragraphs)) <= _SHORT,
        footnotes=() if is_plain or answer_redacted else _footnotes(item),
        status="" if is_plain else _status(item),
        question_redacted=redaction_of(item, "user_text"),
        answer_redacted=answer_redacted,
        is_held=bool(item.holds),
    )


def _plain(item: ReviewItem) -> list[Paragraph]:
    """Return the answer as if it never had markers."""
    return lay_out(replace(without_evidence(item.attribution), clean_text=item.unmarked.text))


def _with_notes(item: ReviewItem) -> list[Paragraph]:
    return lay_out(item.shown.attribution, notes=source_notes(item.grounds, item.shown.numbers, None) if item.grounds else ())


def _footnotes(item: ReviewItem) -> list[Footnote]:
    fields = [(row.footnote, label_of(row.field)) for row in item.shown.attribution.fields if row.footnote is not None]
    titles = {each.id: wording.source_title(each) for each in item.grounds.sources} if item.grounds else {}
    sources = [(number, titles[name]) for name, number in item.shown.numbers.items()]
    return [Footnote(number, name, f"fn-{number}") for number, name in sorted([*fields, *sources])[:_MOST_FOOTNOTES]]


def _status(item: ReviewItem) -> str:
    if not item.is_submitted:
        return "not reviewed yet"
    name = item.own_review.name if item.own_review else item.row.submitted_by.name if item.row.submitted_by else ""
    return f"reviewed by {name}" if name else "reviewed"


def _cut(paragraphs: Iterable[Paragraph]) -> tuple[list[Paragraph], bool]:
    """Return the first paragraphs of an answer, as many as a page of several answers has room for, and whether some are left out."""
    given = list(paragraphs)
    kept = list(_first(given))
    return kept, len(kept) < len(given) or any(_length(each) > _LONGEST for each in given)


def _first(paragraphs: Sequence[Paragraph]) -> Iterator[Paragraph]:
    room = _LONGEST
    for paragraph in paragraphs:
        if room <= 0:
            return
        yield _shortened(paragraph, room)
        room -= _length(paragraph)


def _shortened(paragraph: Paragraph, room: int) -> Paragraph:
    """Return the beginning of a paragraph."""
    if _length(paragraph) <= room:
        return paragraph
    parts = []
    for part in paragraph.parts:
        text = getattr(part, "text", "")
        parts.append(replace(part, text=text[:room] + "…") if len(text) > room else part)
        room -= len(text) + _LENGTH_OF_PART
        if room <= 0:
            break
    return replace(paragraph, parts=parts)


def _length(paragraph: Paragraph) -> int:
    return sum(len(getattr(part, "text", "")) + _LENGTH_OF_PART for part in paragraph.parts)
