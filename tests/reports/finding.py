"""The list and the page as tests read them."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse

from reviewers.accounts.models import Membership
from reviewers.review.models import QueueItem
from tests.factories import make_item, sign_in
from tests.markup import Element, read_markup

PROVIDER = "Ada Quill"


def make_suggestion(organisation: Any, **changes: Any) -> QueueItem:
    """An answer that suggests somebody."""
    return make_item(organisation, **{"provider": PROVIDER} | changes)


def search(member: Membership, words: str, **days: str) -> HttpResponse:
    """The page that a search leads to."""
    return sign_in(member).post("/why/search/", {"words": words} | days, follow=True)


def found(member: Membership, words: str, **days: str) -> list[str]:
    """The providers a search finds, in their order on the page."""
    response = search(member, words, **days)
    assert response.status_code == 200
    return [row.provider for row in response.context["page"].rows]


def open_sheet(member: Membership, item: QueueItem, more: str = "") -> Element:
    """The page of a suggestion as somebody sees it."""
    response = sign_in(member).get(f"/why/{item.pk}/{more}")
    assert response.status_code == 200
    return read_markup(response)


def part(page: Element, title: str) -> Element:
    """A part of the sheet by the id of its heading."""
    return page.one("section", aria_labelledby=title)


def cautions_of(page: Element) -> list[str]:
    """The warnings, each as one line."""
    return [each.text for each in page.one("ul", class_="cautions").find("li")] if page.find("ul", class_="cautions") else []
