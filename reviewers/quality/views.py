"""The quality page."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

from django.http import HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from reviewers.accounts.permissions import MemberRequest, Permission, requires
from reviewers.quality.forms import read_choice
from reviewers.quality.links import page_address
from reviewers.quality.page import FEW, Page, load_page
from reviewers.quality.periods import Period
from reviewers.quality.totals import FEWEST, Chosen, newest_day

_SPANS = ((30, "30 days"), (91, "13 weeks"), (365, "a year"))
"""Periods one step away, up to the newest answer."""


@require_GET
@requires(Permission.READ_QUALITY)
def show(request: MemberRequest) -> HttpResponse:
    """The page. It shows counts alone, no word of an answer."""
    newest = newest_day(request.member)
    chosen = read_choice(request.GET, newest or timezone.localdate())
    page = load_page(request.member, chosen)
    context = {
        "page": page,
        "has_any": newest is not None,
        "spans": [_span(chosen, newest or chosen.period.until, length, title) for length, title in _SPANS],
        "models": _choices(page, "model"),
        "prompts": _choices(page, "prompt"),
        "few": FEW,
        "fewest": FEWEST,
    }
    return render(request, "quality/quality.html", context)


def _span(chosen: Chosen, newest: date, length: int, title: str) -> tuple[str, str, bool]:
    period = Period(newest - timedelta(days=length - 1), newest)
    return title, page_address(chosen, period), period == chosen.period


def _choices(page: Page, name: str) -> list[tuple[str, str, bool]]:
    """All, and each name that has answers in the period: words, address, whether it is chosen."""
    current = getattr(page.chosen, name)
    names = dict.fromkeys([*(getattr(each, name) for each in page.combinations), *([] if current is None else [current])])
    return [(each or "not given" if each is not None else "all", page_address(replace(page.chosen, **{name: each})), each == current) for each in (None, *names)]
