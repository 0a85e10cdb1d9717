"""The page on which somebody signs, signing, and what was signed."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.announcements import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.proofs import has_second_factor
from reviewers.accounts.stepping_up import Purpose, requires_proof
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.item_loading import load_item
from reviewers.review.masking.reveals import can_reveal
from reviewers.review.models import QueueItem, Submission
from reviewers.review.plans.visibility import sees_earlier, sees_labels, viewer_of
from reviewers.review.policies import Invalid, Refused
from reviewers.review.reasons import ask_first
from reviewers.review.showing import record_view
from reviewers.review.signature_models import Signature
from reviewers.review.signing.actions import sign as sign_review
from reviewers.review.signing.forms import ApproveForm, SignForm
from reviewers.review.signing.loading import load_reviews
from reviewers.review.signing.page import build_signing, choose_review
from reviewers.review.signing.queries import statement_of
from reviewers.review.standing import standing_of


def found_first(view: Callable[[MemberRequest, UUID], HttpResponse]) -> Callable[[MemberRequest, UUID], HttpResponse]:
    """Nobody is asked who they are for an item that is not there, or not theirs to know of."""

    @wraps(view)
    def found(request: MemberRequest, item_id: UUID) -> HttpResponse:
        get_object_or_404(QueueItem.objects.only("pk"), pk=item_id, organisation=request.member.organisation_id)
        return view(request, item_id)

    return found


@require_GET
@requires(Permission.SIGN_REVIEWS)
def signing(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """What is signed, in words, and the form. Opening it is an audit event."""
    return _render(request, item_id, request.GET.get("review", ""))


@require_POST
@requires(Permission.SIGN_REVIEWS)
@found_first
@requires_proof(Purpose.SIGN)
def sign(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Sign one's own review as reviewed."""
    return _sign(request, item_id, SignForm(request.POST))


@require_POST
@requires(Permission.APPROVE_REVIEWS)
@found_first
@requires_proof(Purpose.SIGN)
def approve(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Sign the review of somebody else, as adjudicated or approved."""
    return _sign(request, item_id, ApproveForm(request.POST))


@require_GET
@requires(Permission.READ_ITEMS)
def statement(request: MemberRequest, signature_id: UUID) -> HttpResponse:
    """What exactly was signed, byte for byte. Reading it is an audit event."""
    own = Signature.objects.filter(organisation=request.member.organisation_id).select_related("review")
    signature = get_object_or_404(own, pk=signature_id, review__isnull=False)
    check_sees(signature.review, request.member)
    if can_reveal(request, signature.review.snapshot_id if signature.review else signature.object_id):
        raise PermissionDenied("What was signed has digests of what is masked. Reveal all of the answer’s text on its page first.")
    if signature.is_redacted:
        return redirect(reverse("item", args=[signature.review.snapshot_id if signature.review else signature.object_id]) + "#signatures")
    if asked := ask_first(request, signature.review.snapshot_id if signature.review else signature.object_id):
        return asked
    _record_reading(request.member, signature)
    response = HttpResponse(statement_of(signature), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="signed-{signature.id}.json"'
    return response


def check_sees(review: Submission | None, member: Membership) -> None:
    """What was signed tells the labels of a review: who may not see these yet does not find it."""
    if review is not None:
        item = QueueItem.objects.only("pk").get(pk=review.snapshot_id)
        viewer, standing = viewer_of(member), standing_of(item)
        sees = sees_labels if review.round == standing.round else sees_earlier
        if not sees(viewer, standing, review.reviewer_id):
            raise Http404


def _sign(request: MemberRequest, item_id: UUID, form: SignForm) -> HttpResponse:
    try:
        sign_review(intent=form.intent(item_id), proof=request.proof, by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render(request, item_id, request.POST.get("review", ""), str(refusal), 422 if isinstance(refusal, Invalid) else 409)
    return redirect(reverse("item", args=[item_id]) + "#signatures")


def _render(request: MemberRequest, item_id: UUID, review_id: str, notice: str = "", status: int = 200) -> HttpResponse:
    """The page; where nothing was submitted there is nothing to sign, and the item's own page says how it stands."""
    if asked := ask_first(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id)
        review = choose_review(load_reviews(request.member.organisation_id, item_id), review_id, request.member)
        if review is None or not sees_labels(viewer_of(request.member), found.standing, review.reviewer_id):
            return redirect("item", item_id)
        record_view(request, Action.SNAPSHOT_VIEWED, found)
    page = build_signing(found, review, request.member)
    context = {"signing": page, "notice": notice, "has_factor": has_second_factor(request.member.user)}
    return render(request, "review/signing.html", context, status=status)


@transaction.atomic
def _record_reading(member: Membership, signature: Signature) -> None:
    details = {"signature": str(signature.id)}
    item_id = signature.review.snapshot_id if signature.review else signature.object_id
    record(Event(Action.SIGNATURE_READ, member.organisation_id, user_actor(member.user_id), timezone.now(), "snapshot", item_id, details))
