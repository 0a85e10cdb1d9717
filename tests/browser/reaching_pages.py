"""How to come to a page that is about more than one answer: what is done for it, and its path."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Page

from tests.browser.hostile import HOSTILE, LONG_NAME, LONG_WORD
from tests.browser.site import Site
from tests.factories import CITED


def proved(path: str, purpose: str = "manage") -> Callable[..., str]:
    """A page of an administrator who has just proved who they are."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        page = open_as("administrator", f"/accounts/reauthenticate/?for={purpose}&next=/settings/")
        page.get_by_label("Password").fill(site.password)
        page.get_by_role("button", name="Confirm").click()
        page.wait_for_url("**/settings/")
        return path

    return reach


def deliveries(open_as: Callable[..., Page], site: Site) -> str:
    """The deliveries to an endpoint whose name nobody knows, of which one was tried; returns the path of its page."""
    page = open_as("administrator", proved("/settings/webhooks/", "webhook")(open_as, site))
    page.get_by_label("Address").fill(f"https://nowhere.invalid/{LONG_WORD[:300]}")
    for kind in page.get_by_role("checkbox").all():
        kind.check()
    page.get_by_role("button", name="Add the endpoint").click()
    path = str(page.locator("tbody th a").first.get_attribute("href"))
    exported()(open_as, site)
    site.work()
    return path


def schema(fields: Mapping[str, Any], version: str = LONG_NAME) -> Callable[..., str]:
    """A version of the schema that a lead has uploaded; returns the path of its page."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        page = open_as("lead", "/settings/schemas/")
        page.get_by_text("Paste it instead").click()
        section = {"name": version, "prefix": "S" * 16, "title": LONG_NAME[:100], "fields": fields}
        page.get_by_label("Schema", exact=True).fill(json.dumps({"schema_version": version, "sections": [section]}))
        with page.expect_navigation():
            page.get_by_role("button", name="Upload").click()
        return page.url.removeprefix(site.address)

    return reach


def trust_table(text: str) -> Callable[..., str]:
    """A version of the table of trust that a lead has written; returns the path of its page."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        page = open_as("lead", "/settings/trust/")
        page.get_by_label("Rules, one a line").fill(text)
        with page.expect_navigation():
            page.get_by_role("button", name="Save as a version").click()
        return page.url.removeprefix(site.address)

    return reach


def hostile_queue(open_as: Callable[..., Page], site: Site) -> str:
    site.freeze_two(**HOSTILE)
    return "/queue/"


def viewing(open_as: Callable[..., Page], site: Site) -> str:
    """A view of the queue with a long name, which a lead has shared: saved once, and found by the tests that come later."""
    query = "state=all&source=mixed"
    page = open_as("lead", f"/queue/?{query}")
    if page.get_by_label("Save this view").count():
        page.get_by_label("Save this view").click()
        page.get_by_role("textbox", name="Name").fill(LONG_WORD[:60])
        page.get_by_label("Share it").check()
        page.get_by_role("button", name="Save it").click()
        page.get_by_text("The view is saved.").wait_for()
    return f"/queue/?{query}"


def combination(name: str, more: str = "") -> Callable[..., str]:
    """The calibration of a combination, by a part of its name; or a page of it."""

    def find(open_as: Callable[..., Page], site: Site) -> str:
        if name in LONG_NAME:
            site.freeze(**HOSTILE)
        row = open_as("lead", "/calibration/").get_by_role("row").filter(has_text=name).first
        path = row.get_by_role("link").first.get_attribute("href")
        assert path
        return path + more

    return find


def profile(more: str = "") -> Callable[..., str]:
    """A profile of the demonstration's labels, proposed and compared."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        page = open_as("lead", combination("caremate-4 · match v18")(open_as, site))
        propose = page.get_by_role("button", name="Propose a profile")
        is_new = bool(propose.count())
        (propose if is_new else page.get_by_role("link", name="Look at")).click()
        if is_new:
            page.get_by_label("Password").fill(site.password)
            page.get_by_role("button", name="Confirm").click()
        page.wait_for_url("**/profiles/**")
        if is_new:
            site.work()
        return urlsplit(page.url).path + more

    return reach


def hostile_suggestions(open_as: Callable[..., Page], site: Site) -> str:
    site.freeze(**HOSTILE, provider=LONG_NAME)
    site.freeze(**HOSTILE, provider=LONG_WORD[:200])
    return "/why/"


def proposed(open_as: Callable[..., Page], site: Site) -> str:
    """A redaction that waits, of words that another turn repeats; returns the path of its page."""
    site.freeze(**CITED, turn_index=4)
    page = open_as("lead", f"{site.freeze(**CITED, client_reference=LONG_NAME)}redact/")
    for words in ("the answer", "safety · risk_level", "document 1"):
        page.get_by_label(words, exact=True).check()
    page.get_by_label("Why").fill("She asked for it on the telephone, and in writing the day after.")
    with page.expect_navigation():
        page.get_by_role("button", name="Propose").click()
    _confirm(page, site)
    page.get_by_role("button", name="Withdraw it").wait_for()
    return page.url.removeprefix(site.address)


def approved(open_as: Callable[..., Page], site: Site) -> str:
    """One that was carried out; returns the path of its page."""
    path = proposed(open_as, site)
    page = open_as("administrator", path)
    with page.expect_navigation():
        page.get_by_role("button", name="Approve, and redact").click()
    _confirm(page, site)
    page.get_by_role("heading", name="Redacted").wait_for()
    return path


def _confirm(page: Page, site: Site) -> None:
    """Give the password where the page asks for it."""
    if page.get_by_label("Password").count():
        page.get_by_label("Password").fill(site.password)
        page.keyboard.press("Enter")


def redacted_item(open_as: Callable[..., Page], site: Site) -> str:
    page = open_as("lead", approved(open_as, site))
    return page.locator("dd a").first.get_attribute("href") or ""


def redactions(open_as: Callable[..., Page], site: Site) -> str:
    proposed(open_as, site)
    return "/redactions/"


def alarmed(_open_as: Callable[..., Page], site: Site) -> str:
    site.raise_alarm()
    return "/quality/"


def hostile_quality(_open_as: Callable[..., Page], site: Site) -> str:
    site.freeze(**HOSTILE, answered_at="2019-01-01T00:00:00Z")
    return "/quality/?since=2018-12-31&until=2019-01-02"


def first_event(open_as: Callable[..., Page], _site: Site) -> str:
    path = open_as("auditor", "/ledger/").locator("tbody a").first.get_attribute("href")
    assert path
    return path


def exported(form: str = "Bundle", leads_to: str = "") -> Callable[..., str]:
    """The page of an export of an answer; ``leads_to`` another one afterwards."""

    def reach(open_as: Callable[..., Page], site: Site) -> str:
        item = site.freeze(**HOSTILE).strip("/").split("/")[-1]
        page = open_as("auditor", f"/exports/new/?item={item}")
        page.get_by_label(form, exact=True).check()
        page.get_by_label("Reason").fill(f"<b>for the audit</b> {LONG_WORD}")
        page.get_by_role("button", name="Export").click()
        page.wait_for_url(lambda url: "/exports/new/" not in url)
        if page.url.endswith("/create/"):  # not proved before in this session
            page.get_by_label("Password").fill(site.password)
            page.get_by_role("button", name="Confirm").click()
        page.wait_for_url(re.compile("/exports/[0-9a-f-]{36}/"))
        return leads_to or page.url.removeprefix(site.address)

    return reach


def first_conflict(open_as: Callable[..., Page], _site: Site) -> str:
    path = open_as("lead", "/conflicts/").get_by_role("link", name="Decide the conflicts").first.get_attribute("href")
    assert path
    return path


def plan(more: str = "") -> Callable[..., str]:
    """The plan of the demonstration, or a page of it."""
    return lambda open_as, _site: _plan_path(open_as) + more


def drafted(open_as: Callable[..., Page], _site: Site) -> str:
    """A draft whose name and guide are hostile."""
    page = open_as("lead", "/plans/new/")
    page.get_by_label("Name").fill(LONG_NAME[:100])
    page.get_by_label("Guide").fill(f"{LONG_NAME}\n\n{LONG_WORD}")
    page.get_by_label("Draw").select_option(label="All of them")
    page.get_by_role("button", name="Save as a draft").click()
    page.wait_for_url(re.compile("/plans/[0-9a-f-]{36}/"))
    return urlsplit(page.url).path


def judged(open_as: Callable[..., Page], site: Site) -> str:
    """A run of a judge over the plan of the demonstration, which agrees with people on some rows."""
    plan_id = _plan_path(open_as).strip("/").rpartition("/")[2]
    return f"/calibration/judge/{site.judge(plan_id)}/"


def _plan_path(open_as: Callable[..., Page]) -> str:
    path = open_as("lead", "/plans/").get_by_role("link", name="Second look, blind").first.get_attribute("href")
    assert path
    return path
