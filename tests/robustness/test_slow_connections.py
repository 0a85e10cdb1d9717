"""Clients that say nothing, half a request or part of a body, or do not read their answers, hold nobody else up, and are cut off."""

from __future__ import annotations

import select
import selectors
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from http.client import HTTPConnection

import pytest
from gunicorn.config import Config

from benchmarks.site import ROOT, _free_port
from reviewers.web.http import server
from reviewers.web.http.connections import Connection, ConnectionState, Store
from reviewers.web.http.request_queue import RequestQueue
from reviewers.web.http.server import LIMITS, ServerWorker
from tests.robustness.processes import answers, environment_of, wait_until
from tests.threads import at_once

STALL_SECONDS = 4
PROMPTLY = 5
"""Seconds of a machine that does other work as well; an answer that waits for a slow client takes longer than any client may."""

HALF_A_HEADER = b"GET /health/ HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
PART_OF_A_BODY = (
    b"POST /api/v1/snapshots HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n"
    b"Authorization: Bearer fn_x\r\n\r\n{"
)
PART_OF_A_LARGE_BODY = PART_OF_A_BODY.replace(b"9000", b"60000000")


@pytest.fixture(scope="module")
def port(tmp_path_factory) -> Iterator[int]:
    """The server with its configuration, and a site that needs nothing."""
    port, folder = _free_port(), tmp_path_factory.mktemp("plain")
    command = [sys.executable, "-m", "gunicorn", "--config", "python:reviewers.web.http.server", "--bind", f"127.0.0.1:{port}"]
    more = {"FOOTNOTE_STALL_SECONDS": str(STALL_SECONDS), "FOOTNOTE_WEB_WORKERS": "1"}
    command.append("tests.robustness.plain_site")
    with subprocess.Popen(command, cwd=ROOT, env=environment_of(folder, **more)) as process:  # noqa: S603 — our own
        try:
            wait_until(lambda: answers(port))
            yield port
        finally:
            process.terminate()


@contextmanager
def clients(port: int, count: int, sends: bytes = b"") -> Iterator[list[socket.socket]]:
    """So many connections, each of which has sent so much."""
    with ExitStack() as stack:
        found = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60)) for _ in range(count)]
        for each in found:
            each.sendall(sends)
        yield found


def seconds_to_answer(port: int, path: str = "/health/", body: bytes | None = None) -> float:
    began = time.monotonic()
    with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request("POST" if body else "GET", path, body)
        response = connection.getresponse()
        assert response.status == 200
        assert not body or response.read() == str(len(body)).encode()
    return time.monotonic() - began


def are_cut(found: list[socket.socket], seconds: float) -> bool:
    """Return True if the server closes all of them within so many seconds."""
    deadline, left = time.monotonic() + seconds, set(found)
    poller = select.poll()
    by_number = {each.fileno(): each for each in found}
    for each in found:
        poller.register(each, select.POLLIN)
    while left and time.monotonic() < deadline:
        for number, _ in poller.poll(500):
            if not _reads(by_number[number]):
                poller.unregister(number)
                left.discard(by_number[number])
    return not left


def _reads(client: socket.socket) -> bytes:
    try:
        return client.recv(65_536)
    except ConnectionResetError:
        return b""


@pytest.mark.parametrize(
    ("count", "sends", "limit"),
    [
        pytest.param(200, b"", STALL_SECONDS / 2, marks=pytest.mark.exhaustive),
        (200, HALF_A_HEADER, STALL_SECONDS / 2),
        (50, PART_OF_A_BODY, STALL_SECONDS),
        pytest.param(50, PART_OF_A_LARGE_BODY, STALL_SECONDS, marks=pytest.mark.exhaustive),
    ],
    ids=["idle", "half a header", "part of a body", "part of a large body"],
)
def test_stalled_clients_hold_nobody_up_and_are_cut_off(port, count, sends, limit):
    with clients(port, count, sends) as stalled:
        assert max(seconds_to_answer(port) for _ in range(5)) < PROMPTLY
        assert are_cut(stalled, limit + PROMPTLY)


@pytest.mark.exhaustive
def test_all_kinds_of_them_together_do_not_either(port):
    kinds = ((200, b""), (200, HALF_A_HEADER), (50, PART_OF_A_BODY), (50, PART_OF_A_LARGE_BODY))
    with ExitStack() as stack:
        stalled = [each for count, sends in kinds for each in stack.enter_context(clients(port, count, sends))]
        assert max(seconds_to_answer(port) for _ in range(5)) < PROMPTLY
        assert are_cut(stalled, STALL_SECONDS + PROMPTLY)


def test_more_connections_than_the_server_keeps_make_room_for_new_ones(port):
    with clients(port, 1_500):
        assert max(seconds_to_answer(port) for _ in range(5)) < PROMPTLY


@pytest.mark.exhaustive
def test_a_byte_now_and_then_is_too_slow_as_well(port):
    """Headers have to be whole in time, and a body comes at some speed, whatever trickles in."""
    with clients(port, 1, HALF_A_HEADER) as [one], clients(port, 1, PART_OF_A_BODY) as [other]:
        _trickle([one, other], STALL_SECONDS + PROMPTLY)
        assert are_cut([one, other], PROMPTLY)


def _trickle(found: list[socket.socket], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        time.sleep(0.2)
        for each in found:
            try:
                each.send(b"x")
            except OSError:
                continue


def slow_reader(port: int, path: str, room: int = 4_096) -> socket.socket:
    """Somebody who asks and does not read, with as little room for what comes as there can be."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    client.connect(("127.0.0.1", port))
    client.sendall(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode() * 3)
    return client


@pytest.mark.parametrize(("count", "path"), [(40, "/long/100"), (8, "/long/1000")], ids=["a page", "a long file"])
def test_clients_that_do_not_read_their_answers_hold_nobody_up(port, count, path):
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(slow_reader(port, path))
        assert max(seconds_to_answer(port) for _ in range(5)) < PROMPTLY


def test_an_answer_is_whole_though_its_reader_takes_its_time(port):
    with slow_reader(port, "/long/200", room=500_000) as client:
        client.settimeout(60)
        received = 0
        while received < 3 * 200 * 65_536:
            received += len(client.recv(1_000_000))
            time.sleep(0.001)


@pytest.mark.parametrize("size", [1, 65_535, 65_536, 65_537, 1_000_000, 20_000_000])
def test_a_body_arrives_whole(port, size):
    assert seconds_to_answer(port, "/read/", b"x" * size) < 60


def test_a_body_arrives_whole_in_pieces_of_any_length(port):
    request = b"POST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789"
    for length in (1, 2, 3, 7, 51, 60):
        with clients(port, 1) as [client]:
            for start in range(0, len(request), length):
                client.sendall(request[start : start + length])
                time.sleep(0.002)
            received = b""
            while not received.endswith(b"\r\n\r\n10"):
                piece = client.recv(1_000)
                assert piece, received
                received += piece


def test_requests_sent_ahead_are_answered_one_after_the_other(port):
    both = b"POST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc" + b"GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n"
    with clients(port, 1, both * 20) as [one]:
        received = b""
        while received.count(b"HTTP/1.1 200 OK") < 40:
            piece = one.recv(65_536)
            assert piece
            received += piece


def test_a_client_that_asks_whether_to_go_on_is_told_so_once(port):
    head = b"POST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
    with clients(port, 1, head) as [one]:
        assert one.recv(1_000) == b"HTTP/1.1 100 Continue\r\n\r\n"
        one.sendall(b"abc")
        assert one.recv(1_000).startswith(b"HTTP/1.1 200 OK")


@pytest.mark.parametrize(
    "sends",
    [
        b"GET / HTTP/1.1\r\nHost: a\r\n" + b"X: " + b"y" * 70_000,
        b"POST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdefgh",
        b"POST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: -5\r\n\r\nabcdefgh",
        b"POST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
        b"POST /read/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ],
)
def test_what_is_no_request_ends_its_connection(port, sends):
    with clients(port, 1, sends) as [one]:
        assert are_cut([one], PROMPTLY)
    assert seconds_to_answer(port) < PROMPTLY


def test_a_refused_client_that_has_gone_does_not_end_the_process(port):
    """The refusal is sent to nobody. The server has one process here, and its other clients keep their connections."""
    with clients(port, 1) as [other]:
        for _ in range(20):
            with clients(port, 1) as [one]:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                one.sendall(b"GET / HTTP/1.1\r\nX: " + b"y" * 70_000)
        seconds_to_answer(port)
        other.sendall(b"GET /health/ HTTP/1.1\r\nHost: a\r\n\r\n")
        assert other.recv(1_000).startswith(b"HTTP/1.1 200 OK")


def test_bodies_that_do_not_end_leave_room_for_others(port):
    """Whoever sent all but the end of some large ones kept all others out for more than an hour. Now the oldest of them gives way."""
    large = b"POST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: 67108864\r\n\r\n"
    ahead = b"GET /health/ HTTP/1.1\r\nHost: a\r\n\r\nPOST /read/ HTTP/1.1\r\nHost: a\r\nContent-Length: 70000\r\n\r\n"
    with clients(port, 4, large) as holding:
        for each in holding:
            each.sendall(b"x" * (64 * 1024 * 1024 - 1))
        assert seconds_to_answer(port, "/read/", b"x" * 1_000_000) < PROMPTLY
        with clients(port, 1, ahead + b"y" * 70_000) as [one]:
            assert received_until(one, b"\r\n\r\n70000").count(b"HTTP/1.1 200 OK") == 2
        holding[-1].sendall(b"x")
        assert received_until(holding[-1], b"67108864").startswith(b"HTTP/1.1 200 OK")


def received_until(client: socket.socket, end: bytes) -> bytes:
    received = b""
    while not received.endswith(end):
        piece = client.recv(65_536)
        assert piece
        received += piece
    return received


def test_a_request_sent_ahead_that_is_refused_does_not_end_the_process():
    """Nor does an event of a connection that was dropped for another in the same round."""
    worker = ServerWorker.__new__(ServerWorker)
    worker.poller, worker._parked, worker.nr_conns, worker.alive = selectors.DefaultSelector(), {}, 1, True
    worker._queue = RequestQueue(4)
    store = Store(4)
    store.held = LIMITS.held
    ours, theirs = socket.socketpair()
    answered: Future[bool] = Future()
    answered.set_result(True)
    with ours, theirs, worker.poller:
        connection = Connection(Config(), ours, "", None, LIMITS, store)
        connection.answer()
        connection.ahead = b"POST / HTTP/1.1\r\nContent-Length: 70000\r\n\r\nx"
        worker.finish_request(connection, answered)
        assert theirs.recv(1_000).startswith(b"HTTP/1.1 503 ")
        connection.phase = ConnectionState.READER
        worker._drop(connection)
        worker.on_ready(connection, None)
    assert worker.nr_conns == 0


def test_many_requests_of_one_client_leave_a_thread_for_others(port):
    """Forty requests of a second each took the four threads for ten seconds, and everybody else waited behind them."""
    with clients(port, 40, b"GET /wait/1 HTTP/1.1\r\nHost: a\r\n\r\n"):
        time.sleep(0.5)
        began = time.monotonic()
        with closing(HTTPConnection("127.0.0.1", port, timeout=60, source_address=("127.0.0.2", 0))) as other:
            other.request("GET", "/health/")
            assert other.getresponse().status == 200
        assert time.monotonic() - began < PROMPTLY


def test_of_slow_readers_the_address_with_most_gives_way():
    """Two who read just fast enough made the server cut off everybody else's long answers."""
    store = Store(4)
    with ExitStack() as stack:

        def reader(address: str, moved: int) -> Connection:
            ours, theirs = (stack.enter_context(each) for each in socket.socketpair())
            made = Connection(Config(), ours, (address, 1), theirs, LIMITS, store)
            made.moved = moved
            return made

        slowest, slow = reader("127.0.0.2", 1), reader("127.0.0.2", 1_000)
        assert store.readers.enter(slow)
        assert store.readers.enter(slowest)
        other = reader("127.0.0.3", 0)
        assert store.readers.enter(other)
        assert (slowest.gives_way, slow.gives_way, other.gives_way) == (True, False, False)

        assert store.readers.enter(reader("127.0.0.2", 0))
        assert (slow.gives_way, other.gives_way) == (True, False)
        assert not store.readers.enter(reader("127.0.0.4", 0))
        store.readers.leave(other)
        assert store.readers.enter(reader("127.0.0.4", 0))


def test_responses_that_nobody_reads_are_held_up_to_a_bound(monkeypatch):
    """Eight hundred of eight megabytes, each read just fast enough, are six gigabytes. The address with most of them gives way."""
    monkeypatch.setattr(server, "LIMITS", replace(LIMITS, unsent_together=2_500_000))
    worker = ServerWorker.__new__(ServerWorker)
    worker.poller, worker._parked, worker.nr_conns, worker.alive = selectors.DefaultSelector(), {}, 4, True
    worker._queue = RequestQueue(4)
    answered: Future[bool] = Future()
    answered.set_result(True)
    store, made = Store(4), []
    with ExitStack() as stack:
        stack.enter_context(worker.poller)
        for address in ("127.0.0.2", "127.0.0.3", "127.0.0.2", "127.0.0.2"):
            ours, theirs = (stack.enter_context(each) for each in socket.socketpair())
            ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4_096)
            made.append(Connection(Config(), ours, (address, 1), theirs, LIMITS, store))
            made[-1].answer()
            made[-1].sock.sendall(b"x" * 1_000_000)
            worker.finish_request(made[-1], answered)
        assert [each in worker._parked for each in made] == [False, True, False, True]
        assert (worker.nr_conns, made[0].fileno(), made[0].unsent_bytes) == (2, -1, 0)


def test_many_at_once_get_their_own_answers(port):
    def ask(number: int) -> None:
        for each in range(5):
            seconds_to_answer(port, "/read/", b"x" * (number * 9_000 + each + 1))

    at_once([partial(ask, number) for number in range(20)])


def test_the_site_answers_while_many_connections_stall(web):
    """With its own settings; also where the key is right, for nobody is asked for one before the body is here."""
    keyed = PART_OF_A_BODY.replace(b"fn_x", web.house.key.encode())
    kinds = ((200, b""), (200, HALF_A_HEADER), (25, PART_OF_A_BODY), (25, keyed), (50, PART_OF_A_LARGE_BODY))
    with ExitStack() as stack:
        for count, sends in kinds:
            stack.enter_context(clients(web.port, count, sends))
        assert max(seconds_to_answer(web.port) for _ in range(5)) < PROMPTLY


def test_the_server_ends_no_tls(tmp_path):
    """A handshake would be waited for in a thread."""
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "--config",
        "python:reviewers.web.http.server",
        "--certfile",
        __file__,
        "--keyfile",
        __file__,
    ]
    command += ["--bind", f"127.0.0.1:{_free_port()}", "tests.robustness.plain_site"]
    ended = subprocess.run(command, cwd=ROOT, env=environment_of(tmp_path), capture_output=True, text=True, timeout=60, check=False)  # noqa: S603

    assert ended.returncode
    assert "End TLS in a reverse proxy" in ended.stderr
