"""Views of signing: the page on which somebody signs, signing, and reading what was signed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from uuid import UUID
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.core.validators import RegexValidator
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.template.defaultfilters import pluralize
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.audit import user_actor
from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Invalid, Refused
from reviewers.accounts.sign_in.proofs import has_second_factor
from reviewers.accounts.sign_in.reauthentication import Purpose, requires_proof
from reviewers.ledger.actions import record
from reviewers.ledger.events import Action, Event
from reviewers.review.forms import errors_in_words
from reviewers.review.masking.access import can_reveal, require_reason
from reviewers.review.models import FOR_OTHERS, Meaning, QueueItem, Signature, Submission
from reviewers.review.page.views import record_view
from reviewers.review.queries import load_item
from reviewers.review.review_status import review_status_of
from reviewers.review.signing import actions
from reviewers.review.signing.actions import Intent
from reviewers.review.signing.policies import REPEATED_STATEMENT
from reviewers.review.signing.queries import (
    MOST_TOGETHER,
    build_signing,
    choose_review,
    count_unsigned,
    last_zone,
    list_unsigned,
    statement_of,
)
from reviewers.review.signing.statements import load_reviews
from reviewers.review.visibility import sees_labels, sees_work, viewer_of

_DIGEST = RegexValidator(r"\Asha256:[0-9a-f]{64}\Z")


class ZoneForm(forms.Form):
    """The signer's time zone."""

    zone = forms.CharField(max_length=64)

    def clean_zone(self) -> str:
        """Return a name of the time zone database, such as Europe/Berlin."""
        zone: str = self.cleaned_data["zone"]
        if zone not in available_timezones():
            raise forms.ValidationError("There is no such time zone. One is, for example, Europe/Berlin or America/Denver.")
        return zone


class SignForm(ZoneForm):
    """A review as the signer saw it, and the signer's time zone."""

    review = forms.UUIDField()
    digest = forms.CharField(validators=[_DIGEST])
    labels = forms.IntegerField(min_value=0)

    def intent(self, item_id: UUID) -> Intent:
        """Return what is to be signed. Raises ``Invalid`` if the form is not valid."""
        if not self.is_valid():
            raise Invalid(errors_in_words(self))
        data = self.cleaned_data
        return Intent(item_id, data["review"], data["digest"], data["labels"], self.signed_as(), data["zone"])

    def signed_as(self) -> Meaning:
        """Return the meaning in which one signs one's own review."""
        return Meaning.REVIEWED


class SignAllForm(ZoneForm):
    """Reviews of one's own as the signer saw them, as ``ToSign.as_seen`` names them, and the signer's time zone."""

    _SEEN = re.compile(r"([0-9a-f-]{36}):([0-9a-f-]{36}):(sha256:[0-9a-f]{64}):(\d{1,9})", re.ASCII)

    def intents(self, chosen: Sequence[str]) -> list[Intent]:
        """Return what is to be signed. Raises ``Invalid`` if the form is not valid, or names no review, or too many."""
        seen = [self._SEEN.fullmatch(each) for each in chosen]
        if not self.is_valid():
            raise Invalid(errors_in_words(self))
        if not seen or not all(seen) or len(seen) > MOST_TOGETHER:
            raise Invalid(f"Choose from 1 to {MOST_TOGETHER} reviews to sign.")
        return [self._intent(*found.groups()) for found in seen if found]

    def _intent(self, item_id: str, review_id: str, digest: str, labels: str) -> Intent:
        return Intent(_id_of(item_id), _id_of(review_id), digest, int(labels), Meaning.REVIEWED, self.cleaned_data["zone"])


def _id_of(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404 from error


class ApproveReviewForm(SignForm):
    """A review of somebody else as the signer saw it, with the meaning of the signature."""

    meaning = forms.TypedChoiceField(choices=[(each.value, each.label) for each in FOR_OTHERS], coerce=Meaning)

    def signed_as(self) -> Meaning:
        """Return the meaning that was chosen."""
        chosen: Meaning = self.cleaned_data["meaning"]
        return chosen


def check_exists(request: MemberRequest, item_id: UUID) -> None:
    """Raise 404 if the member's organisation has no such item."""
    get_object_or_404(QueueItem.objects.only("pk"), pk=item_id, organisation=request.member.organisation_id)


@require_GET
@requires(Permission.SIGN_REVIEWS)
def signing(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Show what is to be signed, and the form. Opening it is an audit event."""
    return _render(request, item_id, request.GET.get("review", ""))


@require_POST
@requires(Permission.SIGN_REVIEWS)
@requires_proof(Purpose.SIGN, first=check_exists)
def sign(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Sign one's own review as reviewed."""
    return _sign(request, item_id, SignForm(request.POST))


@require_POST
@requires(Permission.APPROVE_REVIEWS)
@requires_proof(Purpose.SIGN, first=check_exists)
def approve(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Sign the review of somebody else as adjudicated or approved."""
    return _sign(request, item_id, ApproveReviewForm(request.POST))


@require_GET
@requires(Permission.SIGN_REVIEWS)
def signing_all(request: MemberRequest) -> HttpResponse:
    """List the member's reviews that they have not signed, and the form to sign several of them."""
    return _render_all(request)


@require_POST
@requires(Permission.SIGN_REVIEWS)
@requires_proof(Purpose.SIGN)
def sign_all(request: MemberRequest) -> HttpResponse:
    """Sign several of one's own reviews as reviewed, by one act."""
    chosen = request.POST.getlist("chosen")
    try:
        intents = SignAllForm(request.POST).intents(chosen)
        signed = actions.sign_all(intents=intents, proof=request.proof, by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render_all(request, str(refusal), chosen, refusal.status)
    count = len(set(signed))
    messages.success(request, f"You have signed {count} review{pluralize(count)}.")
    return redirect("signing_all")


def _render_all(request: MemberRequest, notice: str = "", chosen: Sequence[str] = (), status: int = 200) -> HttpResponse:
    """Show the list, with a tick at each review that nothing speaks against.

    After a refusal the reviews that were chosen stay so, and those that have changed since are marked.
    """
    rows, waiting = list_unsigned(request.member)
    wanted = {each.partition(":")[0] for each in chosen}
    context = {
        "rows": [
            (row, row.as_seen in chosen if chosen else not row.doubts, str(row.item_id) in wanted and row.as_seen not in chosen)
            for row in rows
        ],
        "more": count_unsigned(request.member) - len(rows) - waiting if len(rows) + waiting == MOST_TOGETHER else 0,
        "waiting": waiting,
        "notice": notice,
        "zone": last_zone(request.member),
        "has_factor": has_second_factor(request.member.user),
    }
    return render(request, "review/signing_all.html", context, status=status)


@require_GET
@requires(Permission.READ_ITEMS)
def statement(request: MemberRequest, signature_id: UUID) -> HttpResponse:
    """Return what was signed, byte for byte. Reading it is an audit event."""
    own = Signature.objects.filter(organisation=request.member.organisation_id).select_related("review")
    signature = get_object_or_404(own, pk=signature_id)
    if (review := signature.review) is None:
        raise Http404
    check_sees(review, request.member)
    if can_reveal(request, review.snapshot_id):
        raise PermissionDenied("What was signed has digests of what is masked. Reveal all of the answer’s text on its page first.")
    if signature.is_redacted:
        return redirect(reverse("item", args=[review.snapshot_id]) + "#signatures")
    if asked := require_reason(request, review.snapshot_id):
        return asked
    if load_item(request.member, review.snapshot_id).repeats_hidden:
        raise PermissionDenied(REPEATED_STATEMENT)
    _record_reading(request.member, signature, review.snapshot_id)
    response = HttpResponse(statement_of(signature), content_type="application/json; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="signed-{signature.id}.json"'
    return response


def check_sees(review: Submission, member: Membership) -> None:
    """Raise 404 if the member may not see the labels of the review that was signed."""
    item = QueueItem.objects.only("pk").get(pk=review.snapshot_id)
    viewer, status = viewer_of(member), review_status_of(item)
    sees = sees_labels if review.round == status.round else sees_work
    if not sees(viewer, status, review.reviewer_id):
        raise Http404


def _sign(request: MemberRequest, item_id: UUID, form: SignForm) -> HttpResponse:
    try:
        actions.sign(intent=form.intent(item_id), proof=request.proof, by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render(request, item_id, request.POST.get("review", ""), str(refusal), refusal.status)
    return redirect(reverse("item", args=[item_id]) + "#signatures")


def _render(request: MemberRequest, item_id: UUID, review_id: str, notice: str = "", status: int = 200) -> HttpResponse:
    """Show the page, or redirect to the item if there is no submitted review to sign."""
    if asked := require_reason(request, item_id):
        return asked
    with transaction.atomic():
        found = load_item(request.member, item_id)
        review = choose_review(load_reviews(request.member.organisation_id, item_id), review_id, request.member)
        if review is None or not sees_labels(viewer_of(request.member), found.review_status, review.reviewer_id):
            return redirect("item", item_id)
        if found.repeats_hidden:
            raise PermissionDenied(REPEATED_STATEMENT)
        record_view(request, Action.SNAPSHOT_VIEWED, found)
    page = build_signing(found, review, request.member)
    context = {"signing": page, "notice": notice, "has_factor": has_second_factor(request.member.user)}
    return render(request, "review/signing.html", context, status=status)


@transaction.atomic
def _record_reading(member: Membership, signature: Signature, item_id: UUID) -> None:
    details = {"signature": str(signature.id)}
    record(Event(Action.SIGNATURE_READ, member.organisation_id, user_actor(member.user_id), timezone.now(), "snapshot", item_id, details))
