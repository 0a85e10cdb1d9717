"""Requests and records made by chance from a number: the same number makes the same one again, in the same commit.

``FUZZ_COUNT`` inputs in all are divided into pieces, of which ``FUZZ_PIECE=k/N`` runs the k-th. Each may take two seconds of processor
time.
"""

from __future__ import annotations

import io
import json
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any
from urllib.parse import quote_from_bytes, urlencode

from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import got_request_exception, request_finished, request_started
from django.db import close_old_connections, transaction

from attribution import CitationPolicy
from reviewers.snapshots.ingest.freeze import freeze
from reviewers.snapshots.ingest.records import RecordError, read_record
from reviewers.web.http.middleware import refuse_unreadable_bodies
from tests.attribution.test_fuzz import mutate_text, mutate_value
from tests.factories import NOW, USUAL_TERMS, make_record
from tests.ledger.deeds import RECORD, Deed
from tests.web.endpoints import find_address
from tests.web.hostile import BODIES, HEADERS, ODD_IDS, TEXTS
from tests.web.parameters import names_of, names_of_all

LONGEST = 2.0
"""Seconds of processor time."""
_METHODS = ("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "PROPFIND", "get", "")
_HEADERS = ("HX_REQUEST", "HX_TARGET", "HX_CURRENT_URL", "HX_TRIGGER", "ACCEPT", "REFERER", "ORIGIN", "X_FORWARDED_FOR", "ACCESS_REASON")
_HEADERS += ("X_FORWARDED_PROTO", "X_FORWARDED_HOST", "UNATTENDED", "IF_NONE_MATCH", "RANGE", "CONTENT_ENCODING", "AUTHORIZATION", "COOKIE")
_TYPES = ("application/json", "application/x-ndjson", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "")
_TOKEN = "a" * 32
_HOLES = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}'


class TooLongError(Exception):
    """It took more than its time of the processor."""


@dataclass
class Report:
    """The result of a run: how many of each, and the failures by number."""

    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    slowest: float = 0
    began: float = field(default_factory=time.process_time)

    def in_words(self) -> str:
        """A line."""
        passed = time.process_time() - self.began
        total = sum(self.counts.values())
        return (
            f"{total:,} inputs, {total / max(passed, 0.001):,.0f} a second of processor time, the slowest {self.slowest:.2f} s; "
            f"{dict(self.counts.most_common())}; {len(self.failures)} failures"
        )


def numbers(count: int, piece: str) -> range:
    """The inputs of a piece: ``3/100`` is the third of a hundred."""
    index, pieces = map(int, piece.split("/"))
    each = -(-count // pieces)
    return range((index - 1) * each, min(index * each, count))


def asked_for(count: int, piece: str) -> range:
    """Return the numbers that the environment asks for, otherwise the given ones."""
    return numbers(int(os.environ.get("FUZZ_COUNT", count)), os.environ.get("FUZZ_PIECE", piece))


@contextmanager
def bounded() -> Iterator[None]:
    """End what takes far too long, so that the rest is tried too."""

    def stop(_: int, __: object) -> None:
        raise TooLongError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, 2 * LONGEST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run(inputs: range, kind: str, each: Callable[[Random], str]) -> Report:
    """Make and try them; ``each`` returns what came of one."""
    report = Report()
    for number in inputs:
        began = time.thread_time()
        try:
            with bounded():
                report.counts[each(Random(f"{kind} {number}"))] += 1  # noqa: S311 — the same again for the same number
        except Exception as error:  # noqa: BLE001 — whatever it is, its number is told
            report.failures.append(f"{kind} {number}: {type(error).__name__}: {str(error)[:1500]}")
        passed = time.thread_time() - began
        report.slowest = max(report.slowest, passed)
        if passed > LONGEST:
            report.failures.append(f"{kind} {number}: took {passed:.1f} s")
    return report


# Records


def try_record(chance: Random) -> str:
    """Read one as the API does, and freeze what can be read."""
    try:
        record = read_record(make_line(chance))
    except RecordError as error:
        return f"refused {error.status}"
    freeze(record, NOW, replace(USUAL_TERMS, policy=CitationPolicy(repairs=chance.random() < 0.5)))
    return "frozen"


def make_line(chance: Random) -> bytes:
    """A record with some fields mutated, or bytes of it."""
    record = make_record(**(RECORD if chance.random() < 0.3 else {}))
    for name in chance.sample(sorted(record), chance.randrange(4)):
        record[name] = mutate_value(record[name], chance)
    if chance.random() < 0.3:
        record["response"] = mutate_text(
            " ".join([str(record["response"]) if isinstance(record.get("response"), str) else "", chance.choice(TEXTS)[:2_000]]), chance
        )
    line = _as_json(record)
    return _mutate_bytes(line, chance) if chance.random() < 0.3 else line


def _as_json(value: Any) -> bytes:
    try:
        return json.dumps(value).encode()
    except (RecursionError, ValueError):
        return b"[" * 5_000


def _mutate_bytes(content: bytes, chance: Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randrange(1, 4)):
        place = chance.randrange(len(changed) + 1)
        put = chance.choice((bytes([chance.randrange(256)]), b"[" * 70, b'"', b"\\", b"\\ud800", b"1e999", b"\xed\xa0\x80", b"\x00", b""))
        changed[place : place + chance.randrange(4)] = put
    return bytes(changed)


# Requests


@dataclass(frozen=True)
class World:
    """The parts of requests: prepared ones, and the cookies and keys of everybody in them."""

    deeds: Sequence[Deed]

    @property
    def viewers(self) -> list[dict[str, str]]:
        """Everybody's headers, and nobody's."""
        return [{}, *(_headers_of(deed) for deed in self.deeds)]


def _headers_of(deed: Deed) -> dict[str, str]:
    cookies = {name: morsel.value for name, morsel in deed.client.cookies.items()} | {"csrftoken": _TOKEN}
    key = deed.client.defaults.get("HTTP_AUTHORIZATION")
    return {"HTTP_COOKIE": "; ".join(f"{name}={value}" for name, value in cookies.items())} | ({"HTTP_AUTHORIZATION": key} if key else {})


class Site:
    """The site, asked without a network or a client; whatever a request does is undone."""

    def __init__(self, world: World) -> None:
        self._world, self._viewers, self._handler = world, world.viewers, refuse_unreadable_bodies(WSGIHandler())
        self._errors: list[str] = []
        got_request_exception.connect(self._keep)
        for each in (request_started, request_finished):
            each.disconnect(close_old_connections)

    def close(self) -> None:
        """Listen no longer."""
        got_request_exception.disconnect(self._keep)
        for each in (request_started, request_finished):
            each.connect(close_old_connections)

    def _keep(self, **_: Any) -> None:
        import traceback  # noqa: PLC0415 — only then

        self._errors.append(traceback.format_exc()[-900:])

    def try_request(self, chance: Random) -> str:
        """Send one and undo it; returns its status."""
        self._errors.clear()
        environ = self.make(chance)
        told: list[str] = []
        with transaction.atomic():
            response = self._handler(environ, lambda status, _: told.append(status))
            for _ in response:
                pass
            if hasattr(response, "close"):
                response.close()
            transaction.set_rollback(True)
        status = int(told[0][:3])
        if status >= 500:
            asked = f"{environ['REQUEST_METHOD']} {environ['PATH_INFO'][:100]}?{environ['QUERY_STRING'][:100]}"
            raise AssertionError(f"{status} {asked} {self._errors}")
        return str(status)

    def make(self, chance: Random) -> dict[str, Any]:
        """Mutate one of the prepared requests."""
        deed = chance.choice(self._world.deeds)
        viewer = _headers_of(deed) if chance.random() < 0.7 else chance.choice(self._viewers)
        method = deed.method if chance.random() < 0.85 else chance.choice(_METHODS)
        body, content_type = _make_body(deed, chance)
        environ = {
            "REQUEST_METHOD": method,
            "PATH_INFO": _make_path(deed, chance),
            "QUERY_STRING": _make_query(deed, chance),
            "SERVER_NAME": "testserver",
            "SERVER_PORT": "80",
            "SERVER_PROTOCOL": "HTTP/1.1",
            "REMOTE_ADDR": "127.0.0.1",
            "SCRIPT_NAME": "",
            "CONTENT_TYPE": content_type,
            "CONTENT_LENGTH": str(len(body)) if chance.random() < 0.97 else chance.choice(["", "9" * 30, "0"]),
            "HTTP_X_CSRFTOKEN": _TOKEN,
            "wsgi.input": io.BytesIO(body),
            "wsgi.errors": io.StringIO(),
            "wsgi.url_scheme": "http",
            "wsgi.version": (1, 0),
            "wsgi.multithread": True,
            "wsgi.multiprocess": True,
            "wsgi.run_once": False,
        }
        return environ | viewer | _make_headers(chance)


def _make_value(chance: Random, near: str = "") -> str:
    kind = chance.random()
    if kind < 0.5:
        return chance.choice(TEXTS)
    return mutate_text(near or chance.choice(TEXTS)[:300], chance)


def _quoted(value: str) -> str:
    return quote_from_bytes(value.encode("utf-8", "surrogatepass"))


def _make_path(deed: Deed, chance: Random) -> str:
    if chance.random() < 0.85:
        return deed.path
    address = find_address(deed.name)
    odd = {name: chance.choice([*ODD_IDS, _make_value(chance)]) for name in address.takes}
    path = address.path(**odd) if address.takes and chance.random() < 0.5 else mutate_text(deed.path, chance)
    return f"/{path.lstrip('/')}".encode("utf-8", "surrogatepass").decode("latin-1")[:2_000]


def _make_query(deed: Deed, chance: Random) -> str:
    names = names_of(deed.name) if chance.random() < 0.7 else names_of_all()
    chosen = [chance.choice(names or ("page",)) for _ in range(chance.randrange(4))]
    query = "&".join(f"{_quoted(name)}={_quoted(_make_value(chance))}" for name in chosen)
    return (mutate_text(query, chance).encode("utf-8", "surrogatepass").decode("latin-1") if chance.random() < 0.1 else query)[:8_000]


def _make_body(deed: Deed, chance: Random) -> tuple[bytes, str]:
    kind = chance.random()
    if deed.json and kind < 0.8:
        lines = [make_line(chance) for _ in range(1 if kind < 0.6 else chance.randrange(4))]
        return b"\n".join(lines), _TYPES[0] if kind < 0.6 else _TYPES[1]
    if kind < 0.8:
        return _make_form(deed, chance)
    if kind < 0.9:
        body, content_type = chance.choice(list(BODIES.values()))
        return body if isinstance(body, bytes) else body.encode("utf-8", "surrogatepass"), content_type
    return _mutate_bytes(make_line(chance), chance), chance.choice(_TYPES)


def _make_form(deed: Deed, chance: Random) -> tuple[bytes, str]:
    given: Mapping[str, Any] = {name: value for name, value in deed.form.items() if isinstance(value, str)}
    fields = dict(given)
    for name in chance.choices([*given, *names_of(deed.name), "next"], k=chance.randrange(3)):
        fields[name] = _make_value(chance, given.get(name, ""))
    if chance.random() < 0.1:
        parts = [_HOLES.format(name, value) for name, value in fields.items()]
        text = "".join(f"--x\r\n{part}\r\n" for part in parts) + "--x--\r\n"
        return _mutate_bytes(text.encode("utf-8", "surrogatepass"), chance), _TYPES[3]
    return urlencode({name: value.encode("utf-8", "surrogatepass") for name, value in fields.items()}).encode(), _TYPES[2]


def _make_headers(chance: Random) -> dict[str, str]:
    if chance.random() < 0.6:
        return {"HTTP_HX_REQUEST": "true"} if chance.random() < 0.3 else {}
    if chance.random() < 0.3:
        return {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in chance.choice(list(HEADERS.values())).items()}
    name = chance.choice(_HEADERS)
    return {f"HTTP_{name}": _make_value(chance).encode("utf-8", "surrogatepass").decode("latin-1").replace("\n", "").replace("\r", "")}
