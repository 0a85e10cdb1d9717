"""How to come to an answer in a state: each gives a function that does what is needed and returns the path of its page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from reviewers import demonstration
from tests.browser.arranging import judging_citations
from tests.browser.desk import label_the_rest
from tests.browser.site import Site

_TURNS = Path(demonstration.__file__).parent / "turns"


def at(path: str) -> Callable[..., str]:
    return lambda _open_as, _site: path


def frozen(**changes: Any) -> Callable[..., str]:
    return lambda _open_as, site: site.freeze(**changes)


def demonstrated(number: str) -> Callable[..., str]:
    """A turn of the demonstration, once more."""
    (file,) = _TURNS.glob(f"{number}-*.json")
    turn = json.loads(file.read_text(encoding="utf-8"))["turn"]
    return lambda _open_as, site: site.freeze(**{key: value for key, value in turn.items() if key != "id"})


def worked(number: str) -> Callable[..., str]:
    """Like ``demonstrated``, after a worker has searched for citations."""
    freeze = demonstrated(number)

    def freeze_and_work(open_as: Callable[..., Page], site: Site) -> str:
        path = freeze(open_as, site)
        site.work()
        return path

    return freeze_and_work


def search_failed(open_as: Callable[..., Page], site: Site) -> str:
    path = demonstrated("59")(open_as, site)
    site.fail_search(path)
    return path


def held(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    open_as("lead", path).get_by_role("button", name="Assign it to me").click()
    return path


def submitted(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    page = open_as("reviewer", path)
    page.keyboard.type("2n")
    page.keyboard.type("the marker stands behind another sentence")
    page.keyboard.press("Enter")
    expect(page.locator(".note")).to_be_visible()
    return _finished(page, path)


def citations_submitted(open_as: Callable[..., Page], site: Site) -> str:
    path = demonstrated("51")(open_as, site)
    page = open_as("lead", path)
    judging_citations(page)
    return _finished(page, path)


def skipped(open_as: Callable[..., Page], site: Site) -> str:
    path = site.freeze()
    page = open_as("lead", path)
    page.keyboard.type("sneeds somebody who reads Haitian Creole")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: path not in url)
    return path


def to_be_signed(open_as: Callable[..., Page], site: Site) -> str:
    return f"{submitted(open_as, site)}signing/"


def several_to_be_signed(open_as: Callable[..., Page], site: Site) -> str:
    for _ in range(2):
        submitted(open_as, site)
    return "/signing/"


def signed_and_changed(open_as: Callable[..., Page], site: Site) -> str:
    """Signed by two people, and changed since by the one whose review it is."""
    path = submitted(open_as, site)
    for role in ("reviewer", "lead"):
        page = open_as(role, f"{path}signing/")
        page.get_by_role("radio").last.check()
        page.get_by_label("Password").fill(site.password)
        page.get_by_role("button", name="Sign", exact=True).click()
        page.wait_for_url("**#signatures")
    page = open_as("reviewer", path)
    row = page.locator("tbody[data-row]").first
    row.locator("[data-reason]").fill("looked again")
    row.get_by_role("button", name="Misstated").click()
    expect(page.locator("[data-standing=void]")).to_have_count(2)
    return path


def suggested(reach: Callable[..., str], more: str = "") -> Callable[..., str]:
    """The sheet of an answer that suggests a provider."""
    return lambda open_as, site: reach(open_as, site).replace("/items/", "/why/") + more


def last_of(*turns: Callable[..., str]) -> Callable[..., str]:
    """The last of some turns, frozen one after the other."""
    return lambda open_as, site: [reach(open_as, site) for reach in turns][-1]


def in_conversation(*turns: Callable[..., str]) -> Callable[..., str]:
    """The page of the conversation that the last of some turns is in."""
    return lambda open_as, site: last_of(*turns)(open_as, site) + "conversation/"


def side_by_side(open_as: Callable[..., Page], site: Site) -> str:
    demonstrated("04")(open_as, site)
    return suggested(demonstrated("05"), "compare/")(open_as, site)


def redacting(open_as: Callable[..., Page], site: Site) -> str:
    return f"{demonstrated('22')(open_as, site)}redact/"


def _finished(page: Page, path: str) -> str:
    """Everything that is left is right, and the review is submitted."""
    label_the_rest(page, "0 to go")
    page.keyboard.press("Control+Enter")
    page.wait_for_url(lambda url: path not in url)
    return path
