"""What a reviewer does on an item's page.

Each write answers an htmx request with the fragment that changed, and a plain form with a redirect.
"""

from __future__ import annotations

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.views.decorators.http import require_POST

from reviewers.accounts.models import Membership
from reviewers.accounts.permissions import MemberRequest, Permission, may, requires
from reviewers.review import actions
from reviewers.review.attempting import attempt, choice_of
from reviewers.review.authoring import RowChoice
from reviewers.review.forms import FlagForm, LabelForm, NoteForm, SkipForm
from reviewers.review.fragments import render_row, render_undone
from reviewers.review.page_state import build_state
from reviewers.review.policies import Invalid, Refused
from reviewers.review.queue_views import lead_to_next, list_address
from reviewers.review.searching_again import search_again


@require_POST
@requires(Permission.SEARCH_AGAIN)
def look_again(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Look for citations once more."""
    return attempt(request, item_id, lambda: search_again(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def take(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Take this item."""
    return attempt(request, item_id, lambda: actions.take(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def let_go(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Let this item go."""
    actions.let_go(item_id=item_id, by=request.member, now=timezone.now())
    return redirect(list_address(request))


@require_POST
@requires(Permission.LABEL_ITEMS)
def renew(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Keep hold of an item whose page is open; says how it stands."""

    def renewed() -> HttpResponse:
        now = timezone.now()
        found = actions.take(item_id=item_id, by=request.member, now=now)
        return render(request, "review/item.html#lease", {"page": build_state(found, by=request.member, now=now)})

    return attempt(request, item_id, renewed)


@require_POST
@requires(Permission.LABEL_ITEMS)
def label(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Give a row a verdict."""
    form = LabelForm(request.POST)

    def save() -> HttpResponse:
        choice = choice_of(item_id, form, "row")
        saved = actions.save_label(choice=choice, verdict=form.cleaned_data["verdict"], by=request.member, now=timezone.now())
        return render_row(request, saved, choice.number)

    return attempt(request, item_id, save)


@require_POST
@requires(Permission.LABEL_ITEMS)
def note(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put a note to a row."""
    form = NoteForm(request.POST)

    def save() -> HttpResponse:
        choice = choice_of(item_id, form, "row")
        saved = actions.save_note(choice=choice, note=form.cleaned_data["note"], by=request.member, now=timezone.now())
        return render_row(request, saved, choice.number)

    return attempt(request, item_id, save)


@require_POST
@requires(Permission.LABEL_ITEMS)
def label_remaining(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Call all found rows without a verdict correct."""
    return attempt(request, item_id, lambda: actions.label_remaining(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def undo(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Take the last action back."""

    def take_back() -> HttpResponse | None:
        undone = actions.undo(item_id=item_id, by=request.member, now=timezone.now())
        if not undone.is_anything:
            raise Refused("There is nothing to undo.")
        return render_undone(request, undone)

    return attempt(request, item_id, take_back)


@require_POST
@requires(Permission.LABEL_ITEMS)
def submit(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Finish this review and take the next item."""

    def finish() -> HttpResponse:
        actions.submit(item_id=item_id, by=request.member, now=timezone.now())
        messages.success(request, _what_can_follow(item_id, request.member))
        return lead_to_next(request)

    return attempt(request, item_id, finish)


@require_POST
@requires(Permission.LABEL_ITEMS)
def skip(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put this item aside and take the next one."""
    form = SkipForm(request.POST)

    def put_aside() -> HttpResponse:
        if not form.is_valid():
            raise Invalid("A reason has at most 500 characters.")
        actions.skip(item_id=item_id, reason=form.cleaned_data["reason"], by=request.member, now=timezone.now())
        return lead_to_next(request)

    return attempt(request, item_id, put_aside)


@require_POST
@requires(Permission.LABEL_ITEMS)
def flag(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put a remark to a finding."""
    form = FlagForm(request.POST)

    def put() -> None:
        if not form.is_valid():
            raise Invalid("A flag needs a finding and a note of at most 2,000 characters.")
        data = form.cleaned_data
        choice = RowChoice(item_id, data["attribution"], data["finding"])
        actions.flag_finding(choice=choice, note=data["note"], by=request.member, now=timezone.now())

    return attempt(request, item_id, put)


def _what_can_follow(item_id: UUID, by: Membership) -> SafeString:
    """That a review is submitted, with the way back to it: what comes next on the screen is another item. No word of the item is in it."""
    sign = format_html(' or <a href="{}">sign it</a>', reverse("signing", args=[item_id])) if may(by, Permission.SIGN_REVIEWS) else ""
    return format_html('Your last review is submitted. <a href="{}">Look at it again</a>{}', reverse("item", args=[item_id]), sign)
