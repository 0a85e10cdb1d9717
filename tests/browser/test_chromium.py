"""A browser that does not answer any more holds up no other test."""

from __future__ import annotations

import os
import signal

from tests.browser.chromium import Chromium, browsers_of, close_context


def test_a_context_that_does_not_close_ends_the_browser_and_the_next_one_has_another(browser: Chromium):
    context = browser.new_context()
    context.new_page()
    (stuck,) = browsers_of(os.getpid())
    os.kill(stuck, signal.SIGSTOP)

    close_context(context, patience=2.0)

    again = browser.new_context()
    again.new_page().goto("about:blank")
    assert browsers_of(os.getpid()) != [stuck]
    close_context(again)
