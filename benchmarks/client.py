"""A plain HTTP client that keeps its connection and its cookies."""

from __future__ import annotations

import http.client
import re
from collections.abc import Mapping
from http.cookies import SimpleCookie
from urllib.parse import urlencode

_TOKEN = re.compile(rb'name="csrfmiddlewaretoken" value="([^"]+)"')


class Client:
    """One client of the site under measurement."""

    def __init__(self, port: int) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        self._cookies: dict[str, str] = {}
        self._token = ""

    def again(self) -> Client:
        """A client with the same session on a connection of its own."""
        other = Client(self._connection.port)
        other._cookies, other._token = dict(self._cookies), self._token
        return other

    def get(self, path: str, **headers: str) -> bytes:
        """Fetch a page; anything but 200 is an error."""
        status, body = self.request("GET", path, headers=headers)
        if status != http.client.OK:
            raise RuntimeError(f"GET {path}: {status}")
        self.read_token(body)
        return body

    def read_token(self, body: bytes) -> None:
        """Keep the token of a page for the next form."""
        found = _TOKEN.search(body)
        if found:
            self._token = found[1].decode()

    def post_form(self, path: str, fields: Mapping[str, str], **headers: str) -> tuple[int, bytes]:
        """Send a form with the token of the last page."""
        body = urlencode({"csrfmiddlewaretoken": self._token, **fields}).encode()
        origin = {"Content-Type": "application/x-www-form-urlencoded", "Referer": f"http://127.0.0.1:{self._connection.port}/"}
        return self.request("POST", path, body=body, headers=origin | headers)

    def sign_in(self, email: str, password: str) -> None:
        """Sign in by the form."""
        self.get("/accounts/login/")
        status, _ = self.post_form("/accounts/login/", {"login": email, "password": password})
        if status != http.client.FOUND:
            raise RuntimeError(f"signing in: {status}")

    def request(self, method: str, path: str, *, body: bytes | None = None, headers: Mapping[str, str] = {}) -> tuple[int, bytes]:
        """Send a request and read the whole answer."""
        cookies = {"Cookie": "; ".join(f"{name}={value}" for name, value in self._cookies.items())} if self._cookies else {}
        self._connection.request(method, path, body=body, headers={**cookies, **headers})
        response = self._connection.getresponse()
        content = response.read()
        for cookie in response.headers.get_all("Set-Cookie") or ():
            self._cookies |= {name: morsel.value for name, morsel in SimpleCookie(cookie).items()}
        return response.status, content
