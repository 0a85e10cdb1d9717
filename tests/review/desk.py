"""The review page as tests read it."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.test import Client

from reviewers.accounts.models import Membership
from reviewers.review.models import QueueItem
from tests.factories import sign_in
from tests.markup import Element, read_markup

FRAGMENT = {"HX-Request": "true"}

FOUR_TRACKS: dict[str, Any] = {
    "response": (
        "Your risk is elevated [[SF:risk_level]], and somebody answers at night [[SF:crisis_plan_on_file]]. Dr. Ada Quill can see you soon."
    ),
}
"""With the usual context: cited and found, cited only, found only, neither."""


def open_page(member: Membership, item: QueueItem, *, unfound: bool = False) -> Element:
    """The page of an item as somebody sees it."""
    response = sign_in(member).get(f"/items/{item.pk}/" + ("?unfound=1" if unfound else ""))
    assert response.status_code == 200
    return read_markup(response)


def act(client: Client, item: QueueItem, name: str, *, as_fragment: bool = False, **form: Any) -> HttpResponse:
    """Press a button of the page: ``act(client, item, "label-remaining")``."""
    return client.post(f"/items/{item.pk}/{name}/", form, headers=FRAGMENT if as_fragment else {})


def rows_of(page: Element) -> dict[str, Element]:
    """The rows that are drawn, by the last part of their paths."""
    return {row.one("code", class_="path").text.rpartition(" · ")[2].rpartition(".")[2]: row for row in page.find("tbody", data_row=True)}


def citations_on(page: Element) -> list[Element]:
    """The citations of documents that are drawn, in the order of the page."""
    return page.find("div", data_citation=True)


def notice_of(page: Element) -> str:
    """Why something was refused."""
    return page.one("p", id="notice").text


def progress_of(page: Element) -> str:
    return page.one("span", id="progress").text


def is_labelable(row: Element) -> bool:
    return bool(row.find("form", class_="verdict"))
