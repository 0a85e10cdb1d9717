"""A program with a key, and a person with a browser."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from typing import Any, NamedTuple

from benchmarks.client import Client
from tests.factories import make_record
from tests.robustness.processes import PATIENCE, Web

_ITEM = re.compile(r"/items/[0-9a-f-]{36}/")
_ROW = re.compile(r'name="row" value="(?P<row>\d+)"><input type="hidden" name="attribution" value="(?P<attribution>[^"]+)"')
_PRESSED_WRONG = 'name="verdict" value="wrong" aria-pressed="true"'


class Answer(NamedTuple):
    """A response of the site."""

    status: int
    kind: str
    body: Any


def post_record(web: Web, name: str, **changes: Any) -> Answer:
    """Send one record as an agent runtime does."""
    return post(web, json.dumps(make_record(id=name, **changes)).encode())


def post(web: Web, body: bytes, kind: str = "application/json") -> Answer:
    """Send a body and read a JSON answer."""
    with closing(HTTPConnection("127.0.0.1", web.port, timeout=PATIENCE)) as connection:
        headers = {"Authorization": f"Bearer {web.house.key}", "Content-Type": kind}
        connection.request("POST", "/api/v1/snapshots", body=body, headers=headers)
        response = connection.getresponse()
        return Answer(response.status, response.headers.get_content_type(), json.loads(response.read()))


@contextmanager
def signed_in(port: int, email: str, password: str) -> Iterator[Client]:
    """A browser of somebody who gave that password."""
    browser = Client(port)
    with closing(browser._connection):
        browser.sign_in(email, password)
        yield browser


def label_as_wrong(port: int, email: str, password: str) -> str:
    """Label the first row that was found in an item to do; returns the address of its page."""
    with signed_in(port, email, password) as browser:
        pages = dict.fromkeys(_ITEM.findall(browser.get("/queue/?state=to_do").decode()))
        page, row = next((page, row) for page in pages if (row := _ROW.search(browser.get(page).decode())))
        status, _ = browser.post_form(f"{page}label/", row.groupdict() | {"verdict": "wrong"})
        assert status == 302
        assert count_wrong(browser, page) == 1
    return page


def count_wrong(browser: Client, page: str) -> int:
    """How many rows of a page are labelled as wrong."""
    return browser.get(page).decode().count(_PRESSED_WRONG)
