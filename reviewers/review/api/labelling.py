"""Endpoints of the API by which a member labels: the acts of the review page, by the same actions, with a token of theirs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Annotated, Any, ParamSpec, cast
from uuid import UUID

from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from ninja import Query, Router, Schema
from ninja.errors import HttpError
from ninja.responses import Status

from reviewers.accounts.members.tokens import TokenRequest, TokenWithScope
from reviewers.accounts.models import Membership, TokenScope
from reviewers.accounts.permissions import Permission, may
from reviewers.accounts.policies import Invalid, Refused
from reviewers.review.api.acts import (
    Act,
    CitationLabel,
    NewComment,
    NewFlag,
    NewResolution,
    NewSkip,
    NewUndo,
    NewUnsupported,
    ReleasedItem,
    RowLabel,
    SavedLabel,
    SavedLabels,
    SubmittedItem,
    TakenBack,
    TakenItem,
    Written,
)
from reviewers.review.api.schemas import ItemFilter
from reviewers.review.api.values import own_label_values
from reviewers.review.api.views import NO_ITEM
from reviewers.review.items import ReviewItem
from reviewers.review.labels import actions
from reviewers.review.labels.claims import save_claim, take_back_claim
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationVerdict, FlagKind, Verdict
from reviewers.review.page.rows import build_row
from reviewers.review.page.source_rows import labelled_citations
from reviewers.review.queries import load_item
from reviewers.review.queue.actions import take_next
from reviewers.review.talk.comments import write_comment
from reviewers.review.talk.flags import FlagChoice, put_flag, resolve_flag
from reviewers.snapshots.api.schemas import EVERYWHERE, Problem, Refusal
from reviewers.web.http.responses import ascii_json

router = Router(tags=["labelling"])

P = ParamSpec("P")

_LABELLING = TokenWithScope(TokenScope.LABEL)
_REFUSALS = {404: Problem, 409: Problem, 422: Problem} | EVERYWHERE
_BODY_REFUSALS = {400: Refusal} | _REFUSALS


def _act(path: str, told: type[Schema], summary: str, refusals: Mapping[int, Any] = _BODY_REFUSALS) -> Callable[[Callable[P, Any]], Any]:
    """Return the decorator of an endpoint by which a member's token does something to an item.

    It responds with what the act tells, or why it was refused: 409 if the state does not allow it, 422 if something is missing.
    """

    def declare(act: Callable[P, dict[str, Any]]) -> Any:
        @wraps(act)
        def attempt(*given: P.args, **named: P.kwargs) -> HttpResponse | Status[Any]:
            try:
                return ascii_json(act(*given, **named))
            except Http404:
                return Status(404, NO_ITEM)
            except Refused as refusal:
                return Status(refusal.status, {"place": "", "reason": str(refusal)})

        responses, name = {200: told, **refusals}, f"reviewers_review_api_{act.__name__}"
        return router.post(f"/items/{path}", auth=_LABELLING, response=responses, operation_id=name, summary=summary)(attempt)

    return declare


def _member_of(request: HttpRequest) -> Membership:
    return cast("TokenRequest", request).auth.membership


@_act("next", TakenItem, "Take the next review item", {422: Problem} | EVERYWHERE)
def post_next(request: HttpRequest, asked: Annotated[ItemFilter, Query()]) -> dict[str, Any]:
    """Take the first item to do that matches the filters, or the one that you hold already, for 15 minutes. Each label makes them longer.

    Read it then: this tells only which it is. Nobody else can take it meanwhile, unless several review it.
    """
    taken = take_next(chosen=asked.chosen(), by=_member_of(request), now=timezone.now())
    return {"id": str(taken) if taken else None}


# Labels.


@_act("{item_id}/labels", SavedLabel, "Label a row")
def post_label(request: HttpRequest, item_id: UUID, given: RowLabel) -> dict[str, Any]:
    """Give a row your verdict, put a note on it, or both. An item that nobody holds is taken.

    409 says that somebody else holds the item, that it was attributed again since you read it, or that its `id` was given to another act.
    """
    choice = RowChoice(item_id, given.attribution, given.row, given.reason, action_id=given.id)
    item = _save(request, choice, given, Verdict, actions.save_label)
    return {"item": str(item.id)} | _label_of_row(item, given.row)


@_act("{item_id}/citation-labels", SavedLabel, "Label a citation")
def post_citation_label(request: HttpRequest, item_id: UUID, given: CitationLabel) -> dict[str, Any]:
    """Give a citation your verdict, put a note on it, or both, as with a row."""
    choice = RowChoice(item_id, given.attribution, given.citation, given.reason, given.is_blind, given.id)
    item = _save(request, choice, given, CitationVerdict, actions.save_citation_label)
    return {"item": str(item.id)} | _label_of_citation(item, given.citation)


def _save(
    request: HttpRequest,
    choice: RowChoice,
    given: RowLabel | CitationLabel,
    verdict: type[Verdict | CitationVerdict],
    save: Callable[..., ReviewItem],
) -> ReviewItem:
    if given.verdict is None and given.note is None:
        raise Invalid("Give a verdict, a note, or both.")
    said = verdict(given.verdict) if given.verdict else None
    return save(choice=choice, verdict=said, note=given.note, by=_member_of(request), now=timezone.now())


def _label_of_row(item: ReviewItem, number: int) -> dict[str, Any]:
    return {"number": number, "label": own_label_values(build_row(item, number).given)}


def _label_of_citation(item: ReviewItem, number: int) -> dict[str, Any]:
    (judged,) = labelled_citations(item, [item.citations[number]]).values()
    return {"number": number, "label": own_label_values(judged.given)}


@_act("{item_id}/label-remaining", SavedLabels, "Label all that remains")
def post_label_remaining(request: HttpRequest, item_id: UUID, given: Act) -> dict[str, Any]:
    """Label the rows that have no verdict yet as correct, and the citations whose checks found nothing wrong as supported.

    This is one act. In a blind review each is judged on its own (409).
    """
    sent = RowChoice(item_id, given.attribution, action_id=given.id)
    return _changed(actions.label_remaining(item_id=item_id, by=_member_of(request), now=timezone.now(), sent=sent))


@_act("{item_id}/undo", SavedLabels, "Undo the last act on labels")
def post_undo(request: HttpRequest, item_id: UUID, given: NewUndo) -> dict[str, Any]:
    """Undo your last act on labels of this item that is not undone yet, by this program or on the page, until you submit."""
    sent = RowChoice(item_id, given.attribution, is_blind=given.is_blind, action_id=given.id)
    undone = actions.undo(item_id=item_id, by=_member_of(request), now=timezone.now(), sent=sent)
    if not undone.is_anything:
        raise Refused("There is nothing to undo.")
    return _changed(undone)


def _changed(changed: actions.ChangedLabels) -> dict[str, Any]:
    item = changed.item
    return {
        "item": str(item.id),
        "rows": [_label_of_row(item, number) for number in changed.rows],
        "citations": [_label_of_citation(item, number) for number in changed.citations],
        "unsupported": changed.claims,
    }


@_act("{item_id}/unsupported", Written, "Say that words are not in the record")
def post_unsupported(request: HttpRequest, item_id: UUID, given: NewUnsupported) -> dict[str, Any]:
    """Say of words of the answer that nothing in the record supports them. The `id` in the response is that of your label on them."""
    choice = RowChoice(item_id, given.attribution, reason=given.reason, action_id=given.id)
    label = save_claim(
        choice=choice, words=given.words, occurrence=given.occurrence, note=given.note, by=_member_of(request), now=timezone.now()
    )
    return {"id": str(label.id)}


@_act("{item_id}/unsupported/take-back", Written, "Take back that words are not in the record")
def post_take_back(request: HttpRequest, item_id: UUID, given: TakenBack) -> dict[str, Any]:
    """Take back that words are not in the record. Your label on them stays on record, as it was."""
    choice = RowChoice(item_id, given.attribution, reason=given.reason, action_id=given.id)
    return {"id": str(take_back_claim(choice=choice, claim=given.unsupported, by=_member_of(request), now=timezone.now()).id)}


# Flags and comments.


@_act("{item_id}/flags", Written, "Flag something")
def post_flag(request: HttpRequest, item_id: UUID, given: NewFlag) -> dict[str, Any]:
    """Put a flag on a finding, a row, a citation or words of the answer, for a lead to see. In a blind review no finding can be flagged."""
    choice = FlagChoice(item_id, given.attribution, FlagKind(given.on), given.number, given.words, given.is_blind, given.id)
    return {"id": str(put_flag(choice=choice, note=given.note, by=_member_of(request), now=timezone.now()).pk)}


@_act("{item_id}/flags/{flag_id}/resolve", Written, "Resolve a flag")
def post_resolution(request: HttpRequest, item_id: UUID, flag_id: UUID, given: NewResolution) -> dict[str, Any]:
    """Say what came of a flag, by its `id` in the item. Leads do that (403 for others). Sent again, it changes nothing.

    409 says that somebody else has resolved it, or that you did with another note.
    """
    by = _member_of(request)
    if not may(by, Permission.APPROVE_REVIEWS):
        raise HttpError(403, "Flags are resolved by leads.")
    return {"id": str(resolve_flag(item_id=item_id, flag_id=flag_id, note=given.note, by=by, now=timezone.now()).pk)}


@_act("{item_id}/comments", Written, "Comment on an item")
def post_comment(request: HttpRequest, item_id: UUID, given: NewComment) -> dict[str, Any]:
    """Write a comment, which everybody sees who may read the item. While it is under blind review there are none (409)."""
    by, now = _member_of(request), timezone.now()
    return {"id": str(write_comment(item_id=item_id, text=given.text, by=by, now=now, request=given.id).pk)}


# Leaving an item.


@_act("{item_id}/submit", SubmittedItem, "Submit a review", _REFUSALS)
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


@_act("{item_id}/skip", ReleasedItem, "Skip a review item")
def post_skip(request: HttpRequest, item_id: UUID, given: NewSkip) -> dict[str, Any]:
    """Skip an item and let it go. Anybody can take it up again; you are not offered it again. Sent again, it changes nothing."""
    actions.skip(item_id=item_id, reason=given.reason, by=_member_of(request), now=timezone.now())
    return {"id": str(item_id)}


@_act("{item_id}/release", ReleasedItem, "Release a review item", {404: Problem, 422: Problem} | EVERYWHERE)
def post_release(request: HttpRequest, item_id: UUID) -> dict[str, Any]:
    """Let an item go that you hold, without finishing it. Your labels stay. Sent again, it changes nothing."""
    actions.let_go(item_id=item_id, by=_member_of(request), now=timezone.now())
    return {"id": str(item_id)}
