"""Pages that an external auditor reaches: masked, and with reveals."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page

from tests.browser.hostile import LONG_NAME, LONG_WORD
from tests.browser.reaching_answers import demonstrated
from tests.browser.site import OUTSIDER, Site


def revealed(open_as: Callable[..., Page], site: Site) -> str:
    """An answer of which an auditor from outside has revealed one kind of text."""
    path = demonstrated("51")(open_as, site)
    reveal(open_as(OUTSIDER, path), "the sampled answer is to be read")
    return path


def reveals(open_as: Callable[..., Page], site: Site) -> str:
    """The exports with answers about a client, of whom text was revealed from outside."""
    path = site.freeze(client_reference=LONG_NAME)
    reveal(open_as(OUTSIDER, path), f"<b>to be read</b> {LONG_WORD}")
    page = open_as("auditor", "/exports/")
    page.get_by_label("Which exports have answers about a client?").fill(LONG_NAME)
    page.keyboard.press("Enter")
    page.locator("#reveals").wait_for()
    return page.url.removeprefix(site.address)


def accessed(open_as: Callable[..., Page], site: Site) -> str:
    """Who opened what, with a name and a reason that have no place to break."""
    path = site.freeze(client_reference=LONG_NAME, conversation_id=LONG_NAME)
    reveal(open_as(OUTSIDER, path), LONG_WORD)
    return "/access/"


def reveal(page: Page, reason: str) -> None:
    """By the form on the page."""
    page.get_by_text("Reveal some of it").click()
    page.get_by_label("Why do you need it?").fill(reason)
    page.get_by_role("button", name="Reveal", exact=True).click()
    page.wait_for_load_state()
