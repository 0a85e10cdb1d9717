"""People who accept invitations, sign, redact and place holds, remember what was acknowledged, and repeat what was not."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from http import HTTPStatus
from http.client import HTTPException
from typing import Any

from benchmarks.client import Client
from tests.robustness.processes import PATIENCE, Web, manage

ACTS = ("accept", "sign", "redact", "hold")
_AT_ONCE = 2
_PAUSE = 0.02
_PASSWORD = "a long enough passphrase"

_WITHOUT_DATABASE = (HTTPStatus.INTERNAL_SERVER_ERROR, HTTPStatus.SERVICE_UNAVAILABLE)

Do = Callable[[Client, Any], int]


class People:
    """People who act on a site: two at each act at any time, each with a sign-in of their own."""

    def __init__(self, web: Web, count: int) -> None:
        prepared = manage(web.house.folder, "shell", "-v", "0", "-c", f"from tests.robustness.preparing import prepare; prepare({count})")
        assert prepared.returncode == 0, prepared.stderr
        self.prepared: dict[str, list[Any]] = json.loads(prepared.stdout)
        self.acknowledged: dict[str, list[Any]] = {act: [] for act in ACTS}
        self.counts: Counter[str] = Counter()
        self.surprises: list[object] = []
        self.web, self._lock = web, threading.Lock()
        holds = [f"kept-{number}" for number in range(count)]
        self._to_do = dict(
            zip(ACTS, map(deque, (self.prepared["invitations"], self.prepared["reviews"], self.prepared["redactions"], holds)), strict=True)
        )
        password = web.house.password
        self._do: dict[str, Do] = {
            "accept": _accept,
            "sign": lambda browser, to_do: browser.post_form(to_do["path"], to_do["form"] | {"password": password})[0],
            "redact": lambda browser, to_do: browser.post_form(to_do["path"], {"proof": "redact", "password": password})[0],
            "hold": lambda browser, name: browser.post_form("/holds/place/", _hold(name) | {"proof": "hold", "password": password})[0],
        }

    @contextmanager
    def at_work(self) -> Iterator[Callable[[int], list[Future[None]]]]:
        """Have them sign in; calling what this gives has them do so many of each act."""
        who = {"accept": "", "sign": "reviewer", "redact": "administrator", "hold": "lead"}
        browsers = {act: [self._browser(who[act]) for _ in range(_AT_ONCE)] for act in ACTS}
        with ThreadPoolExecutor(len(ACTS) * _AT_ONCE) as pool:
            yield lambda number: [pool.submit(self._act, act, browser, number // _AT_ONCE) for act in ACTS for browser in browsers[act]]
        for browser in (each for several in browsers.values() for each in several):
            browser._connection.close()

    def _browser(self, who: str) -> Client:
        browser = Client(self.web.port)
        if who:
            browser.sign_in(f"{who}@harborlights.example", self.web.house.password)
            browser.get("/holds/" if who != "reviewer" else "/queue/")
        return browser

    def _act(self, act: str, browser: Client, number: int) -> None:
        for _ in range(number):
            to_do = self._to_do[act].popleft()
            if self._until_acknowledged(act, browser, to_do):
                with self._lock:
                    self.acknowledged[act].append(to_do)

    def _until_acknowledged(self, act: str, browser: Client, to_do: Any) -> bool:
        hope, was_broken_off = time.monotonic() + 5 * PATIENCE, False
        while time.monotonic() < hope:
            try:
                status = self._do[act](browser, to_do)
            except (OSError, HTTPException) as broken:
                browser._connection.close()
                if not isinstance(broken, ConnectionRefusedError):
                    was_broken_off = True
                    self._count(f"{act} broken off")
            else:
                if status == HTTPStatus.FOUND or (status == HTTPStatus.CONFLICT and was_broken_off):
                    self._count(f"{act} done before it broke off", status == HTTPStatus.CONFLICT)
                    return True
                if status not in _WITHOUT_DATABASE:
                    self.surprises.append((act, to_do, status))
                    return False
                was_broken_off = True
                self._count("refused")
            time.sleep(_PAUSE)
        self.surprises.append((act, to_do, "not acknowledged"))
        return False

    def _count(self, what: str, number: int = 1) -> None:
        with self._lock:
            self.counts[what] += number


def _accept(browser: Client, path: str) -> int:
    """As somebody who has no account yet, with a name that no colleague has."""
    status, body = browser.request("GET", path)
    if status != HTTPStatus.OK:
        return status
    browser.read_token(body)
    return browser.post_form(path, {"name": f"Nora {path[-9:-1]}", "password1": _PASSWORD, "password2": _PASSWORD})[0]


def _hold(name: str) -> dict[str, str]:
    return {"kind": "client", "client": name, "reason": "a lawsuit"}
