"""A real browser and a real site for the tests of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect, sync_playwright

from benchmarks.screenshot import CHROMIUM
from tests.browser.chromium import Chromium, close_context
from tests.browser.desk import sign_in
from tests.browser.site import Demonstration, Site, loaded_demonstration, running_site
from tests.browser.watching import Complaints

PATIENCE = 15_000
NO_BROWSER = f"No Chromium is installed ({', '.join(CHROMIUM)}), so nothing was tried in a browser."
_BROWSER = next((found for name in CHROMIUM if (found := shutil.which(name))), None)

Open = Callable[..., Page]
"""Opens a path as somebody of a role, in a browser of their own: ``open_as("reviewer", "/queue/", color_scheme="dark")``."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if _BROWSER is None:
                item.add_marker(pytest.mark.skip(reason=NO_BROWSER))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _BROWSER is None:
        terminalreporter.write_line(NO_BROWSER, yellow=True)


@pytest.fixture(scope="package")
def demonstration(tmp_path_factory: pytest.TempPathFactory, worker_id: str, testrun_uid: str) -> Iterator[Demonstration]:
    """Loaded once for all processes of a run."""
    own = tmp_path_factory.getbasetemp()
    with loaded_demonstration((own if worker_id == "master" else own.parent) / "demonstration", testrun_uid) as demonstration:
        yield demonstration


@pytest.fixture(scope="package")
def site(demonstration: Demonstration, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with running_site(demonstration, tmp_path_factory.mktemp("site")) as site:
        yield site


@pytest.fixture(scope="package")
def browser() -> Iterator[Chromium]:
    """Ends with this folder: as long as Playwright's loop runs, Django takes every test for asynchronous and refuses its queries."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = Chromium(playwright.chromium, _BROWSER)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def session_of(browser: Chromium, site: Site) -> Callable[[str], Any]:
    """The cookies of a role; each signs in once."""
    kept: dict[str, Any] = {}

    def find(role: str) -> Any:
        if role not in kept:
            context = browser.new_context(base_url=site.address)
            sign_in(context.new_page(), site, role)
            kept[role] = context.storage_state()
            close_context(context)
        return kept[role]

    return find


@pytest.fixture
def complaints() -> dict[BrowserContext, Complaints]:
    return {}


@pytest.fixture
def open_as(
    browser: Chromium, site: Site, session_of: Callable[[str], Any], complaints: dict[BrowserContext, Complaints]
) -> Iterator[Open]:
    """Whatever a browser complains of, unless the test expects it, fails the test.

    A filter of the list is kept in the session, which tests share: whoever has filtered it leaves it whole.
    """
    filtering: set[BrowserContext] = set()

    def open_page(role: str | None, path: str, **options: Any) -> Page:
        options = {"base_url": site.address, "reduced_motion": "reduce", "viewport": {"width": 1280, "height": 800}} | options
        context = browser.new_context(storage_state=session_of(role) if role else None, **options)
        context.set_default_timeout(PATIENCE)
        complaints[context] = Complaints(context)
        context.on("request", lambda request: filtering.add(context) if "/queue/?" in request.url else None)
        page = context.new_page()
        page.goto(path)
        return page

    yield open_page
    for context in filtering:
        context.request.get("/queue/")
    for heard in complaints.values():
        heard.close()
    site.end_leases()
    for heard in complaints.values():
        heard.check()


@pytest.fixture
def expect_complaints(complaints: dict[BrowserContext, Complaints]) -> Callable[..., None]:
    """Names complaints that a test brings about on purpose: ``expect_complaints(page, "409: POST")``."""

    def name(page: Page, *patterns: str) -> None:
        complaints[page.context].expect(*patterns)

    return name
