"""The pages as tests use them."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Locator, Page, Route, expect

from tests.browser.site import Site

_PATIENCE = 2_000


def sign_in(page: Page, site: Site, role: str) -> None:
    """By the form."""
    page.goto("/accounts/login/")
    page.fill("#id_login", f"{role}@harborlights.example")
    page.fill("#id_password", site.password_of(role))
    page.click("main button")
    page.wait_for_url(lambda url: "/accounts/login/" not in url)


def sign_in_as(page: Page, email: str, password: str) -> None:
    """Somebody by their address."""
    page.goto("/accounts/login/")
    page.fill("#id_login", email)
    page.fill("#id_password", password)
    page.click("main button")
    page.wait_for_url(lambda url: "/accounts/login/" not in url)


def label_the_rest(page: Page, to_go: str) -> None:
    """Call the rest correct by keyboard. The page is loaded anew, and its keys come with its script."""
    page.keyboard.press("a")
    page.keyboard.press("Enter")
    expect(page.locator("#to-go")).to_have_text(to_go)
    page.wait_for_load_state()


def confirm_if_asked(page: Page, site: Site) -> None:
    """Prove who one is, unless that was done in the last minutes."""
    page.wait_for_load_state()
    if page.get_by_role("heading", name="Confirm that it is you").is_visible():
        page.get_by_label("Password").fill(site.password)
        page.get_by_role("button", name="Confirm").click()


def intercept(page: Page, address: str, answer: Callable[[Route], None]) -> None:
    """Answer what a page sends to an address.

    A page that is open goes on sending past the interception until it has heard of it, which takes a moment on a busy machine: so
    something that does no harm is sent until it is caught.
    """
    caught: list[Route] = []

    def catch(route: Route) -> None:
        caught.append(route)
        route.fulfill(status=200)

    page.route(address, answer)
    page.route("**/health/", catch)
    for _ in range(_PATIENCE):
        if not caught:
            page.evaluate("fetch('/health/').then(() => null)")
    assert caught, "requests are not intercepted"
    page.unroute("**/health/")


def hold(page: Page, address: str) -> Callable[..., None]:
    """Hold what is sent to an address until the function returned is called, which ends it as it is told: ``release("abort")``."""
    held: list[Route] = []
    intercept(page, address, lambda route: held.append(route))  # noqa: PLW0108 - a bound method of a list tells no signature

    def release(way: str = "continue_") -> None:
        for _ in range(_PATIENCE):
            if not held:
                page.wait_for_timeout(1)
        assert held, f"nothing was sent to {address}: {page.locator('#status').text_content()}"
        for route in held:
            getattr(route, way)()
        page.unroute(address)

    return release


def current_row(page: Page) -> Locator:
    """The row in focus."""
    return page.locator("tbody[data-current]")


def row_of(page: Page, leaf: str) -> Locator:
    """The row of a field, by the last part of its path."""
    return page.locator("tbody[data-row]").filter(has=page.locator(".path", has_text=re.compile(rf"[ .]{re.escape(leaf)}$")))


def focused(page: Page) -> str:
    """The tag of what has the focus, with its id, or that of its row, if it has one."""
    return page.evaluate(
        """() => {
            const element = document.activeElement;
            const id = element.id || (element.closest('tbody[id]')?.id ?? '');
            return element.localName + (id ? '#' + id : '');
        }"""
    )
