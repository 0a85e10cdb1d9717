"""Views that write labels and leases on the review page.

Each answers an htmx request with the fragment that changed, and a plain form with a redirect.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
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
from reviewers.accounts.policies import Refused
from reviewers.review.citation_search import repeat_citation_search
from reviewers.review.forms import (
    CitationForm,
    CitationLabelForm,
    CitationNoteForm,
    ClaimForm,
    LabelForm,
    NoteForm,
    RowForm,
    SkipForm,
    TakeBackForm,
    complete,
)
from reviewers.review.items import ReviewItem
from reviewers.review.judged_support import ask_for_support
from reviewers.review.labels import actions
from reviewers.review.labels.claims import save_claim, take_back_claim
from reviewers.review.labels.queries import ClaimKey
from reviewers.review.labels.writer import RowChoice
from reviewers.review.page.loader import build_state
from reviewers.review.page.rows import build_row
from reviewers.review.page.source_rows import labelled_citations
from reviewers.review.page.views import attempt
from reviewers.review.queue.views import lead_to_next, list_address
from reviewers.review.signing.queries import build_signatures
from reviewers.web.http.responses import is_fragment, retargeted


@require_POST
@requires(Permission.SEARCH_AGAIN)
def look_again(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Repeat the search for citations."""
    return attempt(request, item_id, lambda: repeat_citation_search(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.SEARCH_AGAIN)
def have_judged(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Have a model judge the citations of an item."""
    return attempt(request, item_id, lambda: ask_for_support(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def take(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Take the item."""
    return attempt(request, item_id, lambda: actions.take(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def let_go(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Release the item."""
    actions.let_go(item_id=item_id, by=request.member, now=timezone.now())
    return redirect(list_address(request))


@require_POST
@requires(Permission.LABEL_ITEMS)
def renew(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Renew the lease of an item whose page is open, and show it."""

    def renewed() -> HttpResponse:
        now = timezone.now()
        found = actions.take(item_id=item_id, by=request.member, now=now)
        return render(request, "review/fragments/lease.html", {"page": build_state(found, by=request.member, now=now)})

    return attempt(request, item_id, renewed)


@require_POST
@requires(Permission.LABEL_ITEMS)
def label(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Give a field a verdict."""
    return _save(request, item_id, LabelForm(request.POST), "verdict", actions.save_label)


@require_POST
@requires(Permission.LABEL_ITEMS)
def note(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put a note on a field."""
    return _save(request, item_id, NoteForm(request.POST), "note", actions.save_label)


@require_POST
@requires(Permission.LABEL_ITEMS)
def label_citation(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Give a citation a verdict."""
    return _save(request, item_id, CitationLabelForm(request.POST), "verdict", actions.save_citation_label)


@require_POST
@requires(Permission.LABEL_ITEMS)
def note_citation(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Put a note on a citation."""
    return _save(request, item_id, CitationNoteForm(request.POST), "note", actions.save_citation_label)


def _save(request: MemberRequest, item_id: UUID, form: RowForm | CitationForm, name: str, save: Callable[..., ReviewItem]) -> HttpResponse:
    """Save the form's field ``name``, and return the row or citation that it labels."""
    kind, render_saved = ("row", render_row) if isinstance(form, RowForm) else ("citation", render_citation)

    def saved() -> HttpResponse:
        data = complete(form)
        choice = RowChoice(item_id, data["attribution"], data[kind], data["reason"], data.get("blind"))
        item = save(choice=choice, by=request.member, now=timezone.now(), **{name: data[name]})
        return render_saved(request, item, choice.number)

    return attempt(request, item_id, saved)


@require_POST
@requires(Permission.LABEL_ITEMS)
def label_remaining(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Label the remaining found fields as correct."""
    return attempt(request, item_id, lambda: actions.label_remaining(item_id=item_id, by=request.member, now=timezone.now()))


@require_POST
@requires(Permission.LABEL_ITEMS)
def undo(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Undo the last action."""

    def take_back() -> HttpResponse | None:
        undone = actions.undo(item_id=item_id, by=request.member, now=timezone.now())
        if not undone.is_anything:
            raise Refused("There is nothing to undo.")
        return render_undone(request, undone)

    return attempt(request, item_id, take_back)


@require_POST
@requires(Permission.LABEL_ITEMS)
def submit(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Submit the review and take the next item."""

    def finish() -> HttpResponse:
        actions.submit(item_id=item_id, by=request.member, now=timezone.now())
        messages.success(request, _what_can_follow(item_id, request.member))
        return lead_to_next(request)

    return attempt(request, item_id, finish)


@require_POST
@requires(Permission.LABEL_ITEMS)
def skip(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Skip the item and take the next one."""

    def put_aside() -> HttpResponse:
        actions.skip(item_id=item_id, reason=SkipForm(request.POST).answer(), by=request.member, now=timezone.now())
        return lead_to_next(request)

    return attempt(request, item_id, put_aside)


def _what_can_follow(item_id: UUID, by: Membership) -> SafeString:
    """Return the message that a review was submitted, with links back to it. It contains no word of the item."""
    sign = format_html(' or <a href="{}">sign it</a>', reverse("signing", args=[item_id])) if may(by, Permission.SIGN_REVIEWS) else ""
    return format_html('Your last review is submitted. <a href="{}">Look at it again</a>{}', reverse("item", args=[item_id]), sign)


def render_row(request: MemberRequest, saved: ReviewItem, number: int) -> HttpResponse:
    """Return the row of a field that was labelled."""
    if not is_fragment(request):
        return _back(request, saved, f"#row-{number}")
    return _render(request, saved, "row", {"row": build_row(saved, number)})


def render_citation(request: MemberRequest, saved: ReviewItem, number: int) -> HttpResponse:
    """Return the labels of a citation. Its checks and its passage stay as they are on the page."""
    if not is_fragment(request):
        return _back(request, saved, f"#citation-{number}")
    (judged,) = labelled_citations(saved, [saved.citations[number]]).values()
    return _render(request, saved, "citation", {"judged": judged})


def render_undone(request: MemberRequest, undone: actions.ChangedLabels) -> HttpResponse | None:
    """Return the row or citation whose label was undone, or None if it was not exactly one."""
    if undone.claims or len(undone.rows) + len(undone.citations) != 1:
        return None
    if undone.rows:
        return retargeted(render_row(request, undone.item, undone.rows[0]), f"#row-{undone.rows[0]}")
    return retargeted(render_citation(request, undone.item, undone.citations[0]), f"#judged-{undone.citations[0]}")


def _back(request: MemberRequest, saved: ReviewItem, place: str) -> HttpResponse:
    """Redirect to the page, with the same sections open."""
    opened = [f"{name}={value}" for name, value in (("unfound", "1"), ("citations", "all")) if request.POST.get(name)]
    return redirect(reverse("item", args=[saved.id]) + ("?" + "&".join(opened) if opened else "") + place)


def _render(request: MemberRequest, saved: ReviewItem, fragment: str, values: dict[str, Any]) -> HttpResponse:
    """Render a fragment, together with the signatures of a submitted review, which a new label makes void."""
    state = build_state(saved, by=request.member, now=timezone.now())
    signatures = build_signatures(saved, request.member) if saved.is_submitted else None
    return render(request, f"review/fragments/{fragment}.html", {"page": state, "signatures": signatures} | values)


@require_POST
@requires(Permission.LABEL_ITEMS)
def claim(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Say that words of the answer are not in the record."""

    def save() -> HttpResponse:
        data = complete(ClaimForm(request.POST))
        choice, occurrence = RowChoice(item_id, data["attribution"], reason=data["reason"]), data["occurrence"] or 1
        made = save_claim(
            choice=choice, words=data["words"], occurrence=occurrence, note=data["note"], by=request.member, now=timezone.now()
        )
        return redirect(reverse("item", args=[item_id]) + f"#claim-{made.id}")

    return attempt(request, item_id, save)


@require_POST
@requires(Permission.LABEL_ITEMS)
def take_back(request: MemberRequest, item_id: UUID) -> HttpResponse:
    """Take back that words are not in the record."""

    def save() -> HttpResponse:
        data = complete(TakeBackForm(request.POST))
        choice = RowChoice(item_id, data["attribution"], reason=data["reason"])
        take_back_claim(choice=choice, claim=ClaimKey(data["start"], data["end"]), by=request.member, now=timezone.now())
        return redirect(reverse("item", args=[item_id]) + "#claims")

    return attempt(request, item_id, save)
