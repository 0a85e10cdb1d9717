"""Flags: puts them on places of an answer, resolves them, and returns them as pages show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404

from attribution import Span, canonical_bytes
from reviewers.accounts.models import Membership
from reviewers.accounts.policies import Invalid, Refused
from reviewers.accounts.texts import Text, masked
from reviewers.ledger.actions import record
from reviewers.ledger.commitments import Part
from reviewers.ledger.events import Action
from reviewers.review import policies
from reviewers.review.items import ReviewItem, field_key
from reviewers.review.labels.queries import ClaimKey, FieldKey
from reviewers.review.labels.writer import item_event
from reviewers.review.models import Flag, FlagKind, FlagResolution
from reviewers.review.policies import check_is_counted_alike, check_is_current
from reviewers.review.queries import load_item
from reviewers.review.visibility import may_be_told, sees_work
from reviewers.snapshots.citations import Citation, CitationKey
from reviewers.snapshots.field_labels import label_of
from reviewers.web.protected_text import MASK

_MOST_LISTED = 200
"""The most fields and the most citations that the form to flag one lists."""
_LONGEST_QUOTE = 300


@dataclass(frozen=True, slots=True)
class FlagChoice:
    """A place of an answer as a form names it: a finding, field or citation by its number in an attribution, or words of the answer.

    ``is_blind`` is true if a page of a blind review numbered a citation, None if no page did. ``request`` is the identifier that a program
    gave to its request, so that it can repeat it.
    """

    item_id: UUID
    attribution_id: UUID
    kind: FlagKind
    number: int = 0
    words: str = ""
    is_blind: bool | None = None
    request: UUID | None = None


@transaction.atomic
def put_flag(*, choice: FlagChoice, note: str, by: Membership, now: datetime) -> Flag:
    """Put a flag on a place of an answer, for a lead to see.

    Raises ``Refused`` if the place may not be flagged now, and ``Invalid`` if it does not exist or there is no note.
    """
    item = load_item(by, choice.item_id, lock=True)
    check_is_current(item, choice.attribution_id)
    if (done := _find_repeated(item, choice, note)) is not None:
        return done
    policies.check_may_flag(item, choice.kind, Flag.objects.filter(snapshot=item.id, reviewer=by.user_id).count())
    flagged, code = _flagged(item, choice)
    policies.check_flag_note(note)
    flag = Flag.objects.create(
        organisation_id=by.organisation_id,
        snapshot_id=item.id,
        reviewer_id=by.user_id,
        note=note,
        created_at=now,
        request=choice.request,
        **flagged,
    )
    is_finding = choice.kind is FlagKind.FINDING
    place: Part = ("finding", flag.finding.encode()) if is_finding else ("place", canonical_bytes(flag.place))
    told = {"code": code} if is_finding else {"kind": choice.kind.value}
    details = {"flag": str(flag.id)} | (told if may_be_told(item.review_status, by.user_id) else {})
    action = Action.FINDING_FLAGGED if is_finding else Action.PLACE_FLAGGED
    record(item_event(action, item, by, now, details, [place, ("note", note.encode())], [flag]))
    return flag


def _find_repeated(item: ReviewItem, choice: FlagChoice, note: str) -> Flag | None:
    """Return the flag that the viewer put on a locked item by this request before, or None. Raises ``Refused`` if that was another flag."""
    if choice.request is None:
        return None
    done = Flag.objects.filter(snapshot=item.id, reviewer=item.viewer.id, request=choice.request).first()
    if done is None:
        return None
    flagged, _ = _flagged(item, choice)
    if done.note != note or any(getattr(done, name) != value for name, value in flagged.items()):
        raise Refused("You have given this id to another flag. Give each flag an id of its own.")
    return done


def _flagged(item: ReviewItem, choice: FlagChoice) -> tuple[dict[str, Any], str]:
    """Return the columns that name the place, and the code of a finding."""
    if choice.kind is FlagKind.FINDING:
        code, name = _numbered(item.findings, choice.number, "There is no such finding.")
        return {"kind": choice.kind, "finding": name}, code
    return {"kind": choice.kind, "place": _place(item, choice)}, ""


def _place(item: ReviewItem, choice: FlagChoice) -> dict[str, Any]:
    if choice.kind is FlagKind.ROW:
        section, path = field_key(_numbered(item.attribution.fields, choice.number, "There is no such field."))
        return {"section": section, "path": path}
    if choice.kind is FlagKind.CITATION:
        if choice.is_blind is not None:
            check_is_counted_alike(item, is_blind=choice.is_blind)
        return dict(_numbered(item.citations, choice.number, "There is no such citation.").key._asdict())
    return words_in(item.unmarked.text, choice.words)


def _numbered(of: Sequence[Any], number: int, complaint: str) -> Any:
    if not 0 <= number < len(of):
        raise Invalid(complaint)
    return of[number]


def words_in(text: str, words: str, occurrence: int = 1) -> dict[str, int]:
    """Return the place of words, of their first occurrence or a later one. Any white space matches any other.

    A plain search takes time in proportion to the text, whatever repeats in it; a pattern of many words would take theirs times that.
    """
    kept = [place for place, sign in enumerate(text) if not (sign.isspace() and text[max(0, place - 1)].isspace() and place)]
    sought = " ".join(words.split())
    spaced = "".join(" " if text[place].isspace() else text[place] for place in kept)
    start = spaced.find(sought) if sought else -1
    for _ in range(1, occurrence):
        start = spaced.find(sought, start + 1) if start >= 0 else -1
    if start < 0:
        raise Invalid("These words do not stand in the answer like this. Copy them from it, without footnotes.")
    return {"start": kept[start], "end": kept[start + len(sought) - 1] + 1}


@transaction.atomic
def resolve_flag(*, item_id: UUID, flag_id: UUID, note: str, by: Membership, now: datetime) -> FlagResolution:
    """Resolve a flag, with a note that says what came of it. The same again changes nothing.

    Raises 404 for a flag that the member may not know of.
    """
    item = load_item(by, item_id, lock=True)
    flag = flags_on([item.id]).filter(pk=flag_id).first()
    if flag is None or not sees_work(item.viewer, item.review_status, flag.reviewer_id):
        raise Http404
    ended: FlagResolution | None = getattr(flag, "resolution", None)
    if ended is not None and (ended.resolved_by_id, ended.note) == (by.user_id, note):
        return ended
    policies.check_may_resolve(flag, note)
    own = {"organisation_id": by.organisation_id, "flag": flag, "resolved_by_id": by.user_id}
    resolution = FlagResolution.objects.create(**own, note=note, resolved_at=now)
    details = {"flag": str(flag.pk), "resolution": str(resolution.pk)}
    record(item_event(Action.FLAG_RESOLVED, item, by, now, details, [("note", note.encode())], [resolution]))
    return resolution


def flags_on(item_ids: Iterable[UUID]) -> QuerySet[Flag]:
    """Return the flags on items with their resolutions, the oldest first."""
    return Flag.objects.filter(snapshot__in=item_ids).select_related("reviewer", "resolution__resolved_by").order_by("id")


# Flags as pages show them.


@dataclass(frozen=True, slots=True)
class ShownResolution:
    """The end of a flag: by whom, when, and what came of it."""

    name: str
    at: datetime
    note: str


@dataclass(frozen=True, slots=True)
class ShownFlag:
    """A flag. ``about`` says in words what it is on, and ``target`` is the place on the page that it leads to, if there is one.

    ``span`` is the place of flagged words in the text that the page shows.
    """

    id: UUID
    kind: str
    finding: str
    about: str
    target: str
    note: str
    name: str
    at: datetime
    resolution: ShownResolution | None
    span: Span | None = None


def visible_flags(item: ReviewItem, flags: Iterable[Flag]) -> list[ShownFlag]:
    """Return those flags that the viewer of an item may see, with masked text."""
    seen = [flag for flag in flags if sees_work(item.viewer, item.review_status, flag.reviewer_id)]
    kinds = {flag.kind for flag in seen}
    rows = {field_key(row): number for number, row in enumerate(item.attribution.fields)} if FlagKind.ROW in kinds else {}
    cited = {each.key: each for each in item.citations} if FlagKind.CITATION in kinds else {}
    return [_shown(item, flag, rows, cited) for flag in seen]


def _shown(item: ReviewItem, flag: Flag, rows: Mapping[FieldKey, int], cited: Mapping[CitationKey, Citation]) -> ShownFlag:
    about, target = _about(item, flag, rows, cited)
    ended: FlagResolution | None = getattr(flag, "resolution", None)
    is_told = ended is not None and sees_work(item.viewer, item.review_status, ended.resolved_by_id)
    return ShownFlag(
        id=flag.pk,
        kind=flag.kind,
        finding=flag.finding,
        about=about,
        target=target,
        note=masked(flag.note, Text.NOTES, item.hidden),
        name=flag.reviewer.name,
        at=flag.created_at,
        resolution=_ended(ended, item) if ended is not None and is_told else None,
        span=place_in_shown(item, ClaimKey(**flag.place)) if flag.kind == FlagKind.WORDS else None,
    )


def _ended(made: FlagResolution, item: ReviewItem) -> ShownResolution:
    return ShownResolution(made.resolved_by.name, made.resolved_at, masked(made.note, Text.NOTES, item.hidden))


def _about(item: ReviewItem, flag: Flag, rows: Mapping[FieldKey, int], cited: Mapping[CitationKey, Citation]) -> tuple[str, str]:
    if flag.kind == FlagKind.ROW:
        number = rows.get((flag.place["section"], flag.place["path"]))
        return ("A field", "") if number is None else (label_of(item.attribution.fields[number].field), f"row-{number}")
    if flag.kind == FlagKind.CITATION:
        found = cited.get(CitationKey(**flag.place))
        return ("A citation", "") if found is None else (f"The citation of {found.source}", f"citation-{found.number}")
    if flag.kind == FlagKind.WORDS:
        return f"“{quoted_words(item, **flag.place)}”", "answered"
    return "A finding", ""


def quoted_words(item: ReviewItem, start: int, end: int) -> str:
    """Return words of an answer that somebody marked, or a mask where the viewer does not see the answer as it was sent."""
    if item.is_answer_masked:
        return MASK
    words = item.unmarked.text[start:end]
    return words if len(words) <= _LONGEST_QUOTE else f"{words[:_LONGEST_QUOTE]}…"


def place_in_shown(item: ReviewItem, span: ClaimKey) -> Span | None:
    """Return the place of words in the text that the item's page shows, or None if any of it is masked or redacted."""
    if item.is_answer_masked or span.end > len(item.unmarked.text):
        return None
    return (span.start, span.end) if item.is_blind else item.unmarked.whole_span(span)


def places_to_flag(item: ReviewItem) -> list[tuple[str, str]]:
    """Return the fields that the page shows as used, and the citations, each with its name in the form and in words."""
    rows = [(f"row-{number}", label_of(row.field)) for number, row in enumerate(item.attribution.fields) if item.claims(row)]
    cited = [(f"citation-{each.number}", f"Citation of {each.source}") for each in item.citations[:_MOST_LISTED]]
    return rows[:_MOST_LISTED] + cited
