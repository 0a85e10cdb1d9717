"""The browser of the tests. It is ended and launched anew when a context does not close, which would hold up all tests behind it."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from threading import Timer
from typing import Any

import psutil
from playwright.sync_api import Browser, BrowserContext, BrowserType
from playwright.sync_api import Error as PlaywrightError

from benchmarks.screenshot import CHROMIUM_FLAGS

_PATIENCE = 60.0
"""Seconds that closing a context may take: on a loaded machine Chromium has been seen never to answer."""


class Chromium:
    """A browser that opens contexts, launched when the first is opened and whenever it was ended."""

    def __init__(self, kind: BrowserType, path: str | None) -> None:
        self._kind, self._path = kind, path
        self._browser: Browser | None = None

    def new_context(self, **options: Any) -> BrowserContext:
        if self._browser is None or not self._browser.is_connected():
            self._browser = self._kind.launch(executable_path=self._path, args=CHROMIUM_FLAGS)
        return self._browser.new_context(**options)

    def close(self) -> None:
        if self._browser is not None:
            self._browser.close()


def close_context(context: BrowserContext, patience: float = _PATIENCE) -> None:
    """Close a context; if that takes longer than ``patience``, end the browser with all that it has open."""
    has_ended: list[bool] = []

    def end() -> None:
        has_ended.append(True)
        for process in browsers_of(os.getpid()):
            os.kill(process, signal.SIGKILL)

    timer = Timer(patience, end)
    timer.daemon = True
    timer.start()
    try:
        context.close()
    except PlaywrightError:
        if not has_ended:
            raise
    finally:
        timer.cancel()


def browsers_of(process: int) -> list[int]:
    """Return the browsers among the processes that a process started, without a script around them and what they started themselves."""
    started = psutil.Process(process).children(recursive=True)
    return [each.pid for each in started if "chrom" in Path(each.exe()).name and "--type=" not in " ".join(each.cmdline())]
