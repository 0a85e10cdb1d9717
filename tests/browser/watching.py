"""Collect a browser's complaints while a test uses it."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, Response, WebError

from tests.browser.chromium import close_context

_REPEATED = "Failed to load resource"
"""How the console repeats what the response says already."""

_LEFT = "net::ERR_ABORTED"
"""The error of a request that was pending when the page was left: harmless unless it would have changed something without a response."""

_KEPT_ALIVE = "/drafts/keep/"
"""Sent so that it arrives though the page is left meanwhile; of what becomes of it then the browser tells no more."""

_GLANCE = 20
"""Milliseconds between two looks at what is on its way."""

_PATIENCE = 100
"""Looks until what is on its way counts as held back by the test."""


class Complaints:
    """Errors and warnings of the console, refused content, uncaught errors and failed requests of a browser context.

    A test names those that it brings about; each of them has to occur, and no other may.
    """

    def __init__(self, context: BrowserContext) -> None:
        self.heard: list[str] = []
        self._answered: set[Request] = set()
        self._on_their_way: set[Request] = set()
        self._context = context
        self._expected: list[str] = []
        context.on("console", self._hear_console)
        context.on("request", self._hear_request)
        context.on("requestfinished", self._hear_end)
        context.on("weberror", self._hear_error)
        context.on("requestfailed", self._hear_failure)
        context.on("response", self._hear_response)

    def expect(self, *patterns: str) -> None:
        """Complaints that the test is about."""
        self._expected += patterns

    def close(self) -> None:
        """Close the browser context once it has sent what changes something, as a browser does that nobody forces to stop."""
        for _ in range(_PATIENCE):
            if not self._on_their_way or not self._context.pages:
                break
            self._context.pages[0].wait_for_timeout(_GLANCE)
        close_context(self._context)

    def check(self) -> None:
        """Fail on a complaint that was not expected, and on one that was and did not come."""
        unexpected = [heard for heard in self.heard if not any(re.search(pattern, heard) for pattern in self._expected)]
        missing = [pattern for pattern in self._expected if not any(re.search(pattern, heard) for heard in self.heard)]
        assert not unexpected, f"the browser complained: {unexpected}"
        assert not missing, f"the browser should have complained: {missing}"

    def _hear_error(self, error: WebError) -> None:
        self.heard.append(f"uncaught: {error.error}")

    def _hear_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert") and not message.text.startswith(_REPEATED):
            self.heard.append(f"{message.type}: {message.text}")

    def _hear_request(self, request: Request) -> None:
        if request.method != "GET":
            self._on_their_way.add(request)

    def _hear_end(self, request: Request) -> None:
        self._on_their_way.discard(request)

    def _hear_failure(self, request: Request) -> None:
        self._on_their_way.discard(request)
        is_told = request.method == "GET" or request in self._answered or request.url.endswith(_KEPT_ALIVE)
        if request.failure != _LEFT or not is_told:
            self.heard.append(f"failed: {request.method} {request.url} {request.failure}")

    def _hear_response(self, response: Response) -> None:
        self._answered.add(response.request)
        if response.status >= 400:
            self.heard.append(f"{response.status}: {response.request.method} {response.url}")
