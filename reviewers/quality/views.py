"""Views of the quality page and of the page for leads."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from uuid import UUID

from django import forms
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.accounts.policies import Refused
from reviewers.ledger.events import Action
from reviewers.quality import alarms
from reviewers.quality.alarms import load_alarms
from reviewers.quality.lead import FEWEST_REVIEWS, FEWEST_TIMED, PACE_DAYS, WEEKS_OF_LINES, load_lead_page
from reviewers.quality.page import FEW, QualityPage, load_page
from reviewers.quality.queries import MOST_ROWS, Period, Selection, page_address, period_of, read_ends
from reviewers.review.models import OTHER_NAMES
from reviewers.snapshots.lists import record_list
from reviewers.snapshots.models import storable
from reviewers.web.dates import DayField, within_bounds

_SPANS = ((30, "30 days"), (91, "13 weeks"), (365, "a year"))
"""Offered periods in days, up to the newest answer."""


_FIRST_WEEK = date(1971, 1, 1)


class ChoiceForm(forms.Form):
    """The period of a page. The model and the prompt version are read without the form, because an empty name means answers without one."""

    since = DayField(required=False)
    until = DayField(required=False)


def read_choice(data: QueryDict, ends: Period) -> Selection:
    """Return the selection in an address. Invalid dates are ignored; an empty name selects answers without one."""
    form = ChoiceForm(data)
    form.is_valid()
    period = period_of(form.cleaned_data.get("since"), form.cleaned_data.get("until"), ends)
    return Selection(period, _name(data.get("model")), _name(data.get("prompt")))


def _name(given: str | None) -> str | None:
    return None if given is None else storable(given)


class AcknowledgeForm(forms.Form):
    """The reason to acknowledge an alarm."""

    reason = forms.CharField(max_length=2_000)


@require_GET
@requires(Permission.READ_QUALITY)
def show(request: MemberRequest) -> HttpResponse:
    """Show the quality page. It shows only counts, and of answers that were withheld the reasons, which is an event."""
    return _render(request)


class WeekForm(forms.Form):
    """The last day of the week that a lead asks for."""

    until = DayField(required=False)


@require_GET
@requires(Permission.APPROVE_REVIEWS)
def show_lead(request: MemberRequest) -> HttpResponse:
    """Show the page for leads, for the week that ends with the newest answer or with another day. It shows no word of an answer."""
    now = timezone.now()
    form, ends = WeekForm(request.GET), read_ends(request.member)
    today = timezone.localdate(now)
    newest = ends.until if ends else today
    asked = form.cleaned_data["until"] if form.is_valid() else None
    until = min(max(within_bounds(asked), _FIRST_WEEK), newest) if asked else newest
    context = {
        "page": load_lead_page(request.member, until, now),
        "newest": newest,
        "today": today,
        "later": min(until + timedelta(days=7), newest) if until < newest else None,
        "pace_days": PACE_DAYS,
        "fewest_reviews": FEWEST_REVIEWS,
        "fewest_timed": FEWEST_TIMED,
        "weeks_of_lines": WEEKS_OF_LINES,
        "few": FEW,
    }
    return render(request, "quality/lead.html", context)


@require_POST
@requires(Permission.ACKNOWLEDGE_ALARMS)
def acknowledge(request: MemberRequest, alarm_id: UUID) -> HttpResponse:
    """Acknowledge an alarm; show the page with the reason (422 or 409) if that is refused."""
    form = AcknowledgeForm(request.POST)
    if not form.is_valid():
        return _render(request, notice="Say in a few words why the alarm may rest.", status=422)
    try:
        alarms.acknowledge(alarm_id=alarm_id, reason=form.cleaned_data["reason"], by=request.member, now=timezone.now())
    except Refused as refusal:
        return _render(request, notice=str(refusal), status=409)
    return redirect("quality")


def _render(request: MemberRequest, *, notice: str = "", status: int = 200) -> HttpResponse:
    today = timezone.localdate()
    ends = read_ends(request.member)
    chosen = read_choice(request.GET, ends or Period(today, today))
    page = load_page(request.member, chosen)
    if page.abstentions and page.abstentions.shown:
        record_list(request, Action.QUALITY_VIEWED, {"filters": ["answer"], "shown": list(map(str, page.abstentions.shown))})
    context = {
        "page": page,
        "has_any": ends is not None,
        "spans": [_span(chosen, ends.until if ends else today, length, title) for length, title in _SPANS],
        "models": _choices(page, "model"),
        "prompts": _choices(page, "prompt"),
        "alarms": load_alarms(request.member),
        "notice": notice,
        "few": FEW,
        "most": MOST_ROWS,
        "other_names": OTHER_NAMES,
    }
    return render(request, "quality/quality.html", context, status=status)


def _span(chosen: Selection, newest: date, length: int, title: str) -> tuple[str, str, bool]:
    period = Period(newest - timedelta(days=length - 1), newest)
    return title, page_address(chosen, period), period == chosen.period


def _choices(page: QualityPage, kind: str) -> list[tuple[str, str, bool]]:
    """Return the choices of a filter, "all" first: words, address, and True if chosen."""
    chosen = page.chosen
    current = chosen.model if kind == "model" else chosen.prompt
    there = [each.model if kind == "model" else each.prompt for each in page.combinations]
    names = dict.fromkeys([None, *there, current])
    return [
        ("all" if name is None else name or "not given", page_address(_narrowed(chosen, kind, name)), name == current) for name in names
    ]


def _narrowed(chosen: Selection, kind: str, name: str | None) -> Selection:
    return replace(chosen, model=name) if kind == "model" else replace(chosen, prompt=name)
