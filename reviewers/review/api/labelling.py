"""Endpoints of the API by which a member labels: the acts of the review page, by the same actions, with a token of theirs."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Literal, ParamSpec, cast
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Field, Query, Router, Schema
from ninja.responses import Status
from pydantic import StrictBool, StrictInt, StringConstraints, WithJsonSchema

from reviewers.accounts.members.tokens import TokenRequest, TokenWithScope
from reviewers.accounts.models import Membership, TokenScope
from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.api.schemas import ItemFilter, Moment, OwnLabel
from reviewers.review.api.values import own_label_values
from reviewers.review.api.views import NO_ITEM, as_json
from reviewers.review.items import ReviewItem
from reviewers.review.labels import actions
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationVerdict, FlagKind, Verdict
from reviewers.review.page.rows import build_row
from reviewers.review.page.source_rows import labelled_citations
from reviewers.review.queries import load_item
from reviewers.review.queue.actions import take_next
from reviewers.review.talk.flags import FlagChoice, put_flag
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem, Refusal

Text = Annotated[str, StringConstraints(strip_whitespace=True, max_length=2_000, pattern=r"^[^\x00]*$")]
LongText = Annotated[str, StringConstraints(strip_whitespace=True, max_length=5_000, pattern=r"^[^\x00]*$")]
"""Texts without the one sign that a database cannot store."""
_MOST = 1_000_000
Number = Annotated[StrictInt, Field(ge=0, le=_MOST)]
Identifier = Annotated[UUID, WithJsonSchema({"type": "string", "format": "uuid"})]
IsBlind = Annotated[
    StrictBool, Field(description="The item's `is_blind` as you read it: a blind review counts citations in its own order.")
]
Id = Annotated[
    Identifier, Field(description="An identifier that you make for this act. The same act sent again under it writes nothing more.")
]
Attribution = Annotated[Identifier, Field(description="The item's `attribution` as you read it. Numbers count within it.")]
Note = Annotated[LongText, Field(description="A note; an empty one deletes it. Left out, the note stays as it is.")]
Reason = Annotated[Text, Field(description="Needed to change a label after your review is submitted.")]


class RowLabel(Schema):
    """A verdict on a row, a note on it, or both."""

    id: Id
    attribution: Attribution
    row: Number
    verdict: Literal["correct", "wrong", "misstated", "cannot_judge"] | None = None
    note: Note | None = None
    reason: Reason = ""


class CitationLabel(Schema):
    """A verdict on a citation, a note on it, or both."""

    id: Id
    attribution: Attribution
    citation: Number
    is_blind: IsBlind
    verdict: Literal["supports", "does_not_say", "contradicts", "cannot_judge"] | None = None
    note: Note | None = None
    reason: Reason = ""


class NewFlag(Schema):
    """A flag on a finding, a row or a citation by its `number`, or on `words` copied from the answer."""

    id: Id
    attribution: Attribution
    on: Literal["finding", "row", "citation", "words"]
    number: Number = 0
    words: Annotated[Text, Field(description="Words of the answer as it is read, where `on` is `words`.")] = ""
    is_blind: IsBlind
    note: Annotated[Text, Field(min_length=1, description="What a lead should look at.")]


class TakenItem(Schema):
    """The item that you hold now, or null if nothing is left to do."""

    id: UUID | None


class SavedLabel(Schema):
    """Your label of a row or a citation as it is now. Those of others are told where the item is read, which is an audit event."""

    item: UUID
    number: int
    label: OwnLabel


class PutFlag(Schema):
    """A flag that is put."""

    id: UUID


class SubmittedItem(Schema):
    """An item whose review you have submitted."""

    id: UUID
    submitted_at: Moment


class ReleasedItem(Schema):
    """An item that you do not hold any more."""

    id: UUID


# Endpoints.


router = Router(tags=["labelling"])

P = ParamSpec("P")

_LABELLING = TokenWithScope(TokenScope.LABEL)
_REFUSALS = {404: Problem, 409: Problem, 422: Problem} | EVERYWHERE
_BODY_REFUSALS = {400: Refusal} | _REFUSALS


def _attempted(act: Callable[P, dict[str, Any]]) -> Callable[P, HttpResponse | Status[Any]]:
    """Answer with what an act tells, or why it was refused: 409 if the state does not allow it, 422 if something is missing."""

    @wraps(act)
    def attempt(*given: P.args, **named: P.kwargs) -> HttpResponse | Status[Any]:
        try:
            return as_json(act(*given, **named))
        except Http404:
            return Status(404, NO_ITEM)
        except Refused as refusal:
            return Status(refusal.status, {"place": "", "reason": str(refusal)})

    return attempt


def _member_of(request: HttpRequest) -> Membership:
    return cast("TokenRequest", request).auth.membership


@router.post(
    "/items/next",
    auth=_LABELLING,
    response={200: TakenItem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_review_api_post_next",
    summary="Take the next review item",
)
def post_next(request: HttpRequest, asked: Annotated[ItemFilter, Query()]) -> HttpResponse:
    """Take the first item to do that matches the filters, or the one that you hold already, for 15 minutes. Each label makes them longer.

    Read it then: this tells only which it is. Nobody else can take it meanwhile, unless several review it.
    """
    taken = take_next(chosen=asked.chosen(), by=_member_of(request), now=timezone.now())
    return as_json({"id": str(taken) if taken else None})


@router.post(
    "/items/{item_id}/labels",
    auth=_LABELLING,
    response={200: SavedLabel} | _BODY_REFUSALS,
    operation_id="reviewers_review_api_post_label",
    summary="Label a row",
)
@_attempted
def post_label(request: HttpRequest, item_id: UUID, given: RowLabel) -> dict[str, Any]:
    """Give a row your verdict, put a note on it, or both. An item that nobody holds is taken.

    409 says that somebody else holds the item, that it was attributed again since you read it, or that its `id` was given to another act.
    """
    choice = RowChoice(item_id, given.attribution, given.row, given.reason, action_id=given.id)
    item = _save(request, choice, Verdict(given.verdict) if given.verdict else None, given.note, actions.save_label)
    return _saved(item, given.row, own_label_values(build_row(item, given.row).given))


@router.post(
    "/items/{item_id}/citation-labels",
    auth=_LABELLING,
    response={200: SavedLabel} | _BODY_REFUSALS,
    operation_id="reviewers_review_api_post_citation_label",
    summary="Label a citation",
)
@_attempted
def post_citation_label(request: HttpRequest, item_id: UUID, given: CitationLabel) -> dict[str, Any]:
    """Give a citation your verdict, put a note on it, or both, as with a row."""
    choice = RowChoice(item_id, given.attribution, given.citation, given.reason, given.is_blind, given.id)
    item = _save(request, choice, CitationVerdict(given.verdict) if given.verdict else None, given.note, actions.save_citation_label)
    (judged,) = labelled_citations(item, [item.citations[given.citation]]).values()
    return _saved(item, given.citation, own_label_values(judged.given))


def _save(
    request: HttpRequest, choice: RowChoice, verdict: Verdict | CitationVerdict | None, note: str | None, save: Callable[..., ReviewItem]
) -> ReviewItem:
    if verdict is None and note is None:
        raise Invalid("Give a verdict, a note, or both.")
    return save(choice=choice, verdict=verdict, note=note, by=_member_of(request), now=timezone.now())


def _saved(item: ReviewItem, number: int, label: dict[str, Any]) -> dict[str, Any]:
    return {"item": str(item.id), "number": number, "label": label}


@router.post(
    "/items/{item_id}/flags",
    auth=_LABELLING,
    response={200: PutFlag} | _BODY_REFUSALS,
    operation_id="reviewers_review_api_post_flag",
    summary="Flag something",
)
@_attempted
def post_flag(request: HttpRequest, item_id: UUID, given: NewFlag) -> dict[str, Any]:
    """Put a flag on a finding, a row, a citation or words of the answer, for a lead to see. In a blind review no finding can be flagged."""
    choice = FlagChoice(item_id, given.attribution, FlagKind(given.on), given.number, given.words, given.is_blind, given.id)
    return {"id": str(put_flag(choice=choice, note=given.note, by=_member_of(request), now=timezone.now()).pk)}


@router.post(
    "/items/{item_id}/submit",
    auth=_LABELLING,
    response={200: SubmittedItem} | _REFUSALS,
    operation_id="reviewers_review_api_post_submission",
    summary="Submit a review",
)
@_attempted
@transaction.atomic
def post_submission(request: HttpRequest, item_id: UUID) -> dict[str, Any]:
    """Submit your review. Every found row and every citation that is `required` needs a verdict. Sent again, it changes nothing."""
    by = _member_of(request)
    item = load_item(by, item_id, lock=True)
    if item.own_review is None:
        item = actions.submit(item_id=item_id, by=by, now=timezone.now())
    own = item.review_status.review_of(by.user_id)
    assert own is not None  # noqa: S101 — it was found or written above
    return {"id": str(item_id), "submitted_at": own.submitted_at.isoformat()}


@router.post(
    "/items/{item_id}/release",
    auth=_LABELLING,
    response={200: ReleasedItem, 404: Problem, 422: Problem} | EVERYWHERE,
    operation_id="reviewers_review_api_post_release",
    summary="Release a review item",
)
@_attempted
def post_release(request: HttpRequest, item_id: UUID) -> dict[str, Any]:
    """Let an item go that you hold, without finishing it. Your labels stay. Sent again, it changes nothing."""
    actions.let_go(item_id=item_id, by=_member_of(request), now=timezone.now())
    return {"id": str(item_id)}
