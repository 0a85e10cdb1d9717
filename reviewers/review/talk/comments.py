"""Comments on an item, with mentions of members: writes them, and returns those that somebody may see."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import QuerySet

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import ROLE_PERMISSIONS, Permission
from reviewers.accounts.policies import Invalid, Refused
from reviewers.accounts.texts import Text, masked
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action
from reviewers.review import policies
from reviewers.review.items import ReviewItem
from reviewers.review.labels.writer import item_event
from reviewers.review.models import Comment, Mention
from reviewers.review.queries import load_item
from reviewers.review.visibility import sees_talk

_MOST_MENTIONS = 20
_MOST_SIGNS = 200
"""The most ``@`` that are read, since each is compared with every member's name."""


@dataclass(frozen=True, slots=True)
class ShownComment:
    """A comment as pages and reports show it."""

    id: UUID
    name: str
    at: datetime
    text: str


@transaction.atomic
def write_comment(*, item_id: UUID, text: str, by: Membership, now: datetime, request: UUID | None = None) -> Comment:
    """Write a comment, which mentions every member whose name is in it behind an ``@``.

    ``request`` is the identifier that a program gave to its request, so that it can repeat it. Raises ``Refused`` while others review the
    item blind, and ``Invalid`` for an empty text or a first name that several members have.
    """
    item = load_item(by, item_id, lock=True)
    if (done := _find_repeated(item, text, request)) is not None:
        return done
    policies.check_may_comment(item, Comment.objects.filter(snapshot=item.id).count())
    policies.check_comment(text)
    people = [person for person in named_in(text, list_readers(by)) if person != by.user_id]
    comment = Comment.objects.create(
        organisation_id=by.organisation_id, snapshot_id=item.id, author_id=by.user_id, text=text, written_at=now, request=request
    )
    own = {"organisation_id": by.organisation_id, "comment": comment}
    mentions = Mention.objects.bulk_create([Mention(person_id=person, **own) for person in people])
    details = {"comment": str(comment.pk), "mentions": len(mentions)}
    record(item_event(Action.COMMENT_WRITTEN, item, by, now, details, [("text", text.encode())], [comment, *mentions]))
    return comment


def _find_repeated(item: ReviewItem, text: str, request: UUID | None) -> Comment | None:
    """Return the comment that the viewer wrote by this request before, or None. Raises ``Refused`` if that was another comment."""
    if request is None:
        return None
    done = Comment.objects.filter(snapshot=item.id, author=item.viewer.id, request=request).first()
    if done is not None and done.text != text:
        raise Refused("You have given this id to another comment. Give each comment an id of its own.")
    return done


def list_readers(by: Membership) -> list[tuple[UUID, str]]:
    """Return the members of an organisation who may see its items, by name. Auditors from outside are not among them."""
    roles = [role for role, permissions in ROLE_PERMISSIONS.items() if Permission.READ_ITEMS in permissions]
    members = Membership.objects.filter(organisation=by.organisation_id, ended_at=None, is_external=False, role__in=roles)
    return list(members.order_by("user__name", "user_id").values_list("user_id", "user__name"))


def named_in(text: str, readers: Sequence[tuple[UUID, str]]) -> list[UUID]:
    """Return the readers whose name, or whose first name if nobody else has it, is in a text behind an ``@``."""
    whole: dict[str, list[UUID]] = defaultdict(list)
    first: dict[str, list[UUID]] = defaultdict(list)
    for person, name in readers:
        whole[name.casefold()].append(person)
        first[name.casefold().partition(" ")[0]].append(person)
    found: dict[UUID, None] = {}
    signs = list(_after_signs(text))
    for rest in signs[:_MOST_SIGNS]:
        found.update(dict.fromkeys(_meant(rest.casefold(), whole, first)))
    if len(found) > _MOST_MENTIONS or len(signs) > _MOST_SIGNS:
        raise Invalid(f"A comment can mention at most {_MOST_MENTIONS} people.")
    return list(found)


def _after_signs(text: str) -> Iterator[str]:
    """Yield what follows each ``@`` that begins a word, as far as a name can reach."""
    for place, sign in enumerate(text):
        if sign == "@" and not text[max(0, place - 1) : place].isalnum():
            yield text[place + 1 : place + 202]


def _meant(rest: str, whole: Mapping[str, Sequence[UUID]], first: Mapping[str, Sequence[UUID]]) -> Sequence[UUID]:
    """Return the people of the longest name that the text begins with."""
    for names in (whole, first):
        begun = [name for name in names if name and rest.startswith(name) and not rest[len(name) : len(name) + 1].isalnum()]
        if begun:
            name = max(begun, key=len)
            if len(names[name]) > 1:
                raise Invalid(f"Several members are called “{name.title()}”. Write the whole name, or say it another way.")
            return names[name]
    return ()


def comments_on(item_ids: Iterable[UUID]) -> QuerySet[Comment]:
    """Return the comments on items, the oldest first."""
    return Comment.objects.filter(snapshot__in=item_ids).select_related("author").order_by("id")


def visible_comments(item: ReviewItem, comments: Iterable[Comment]) -> list[ShownComment]:
    """Return the comments if the viewer of an item may see them, with masked text."""
    if not sees_talk(item.viewer, item.review_status):
        return []
    return [ShownComment(each.pk, each.author.name, each.written_at, masked(each.text, Text.NOTES, item.hidden)) for each in comments]
