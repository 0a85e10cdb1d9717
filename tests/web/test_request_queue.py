"""Who gets the next free thread: clients in turn, and one thread for an address that has none."""

from __future__ import annotations

import pytest

from reviewers.web.http.request_queue import Client, RequestQueue, client_of

HERE, THERE = Client("10.0.0.1", b"one"), Client("10.0.0.2", b"two")


def taken(queue: RequestQueue[str]) -> list[str]:
    found = []
    while (request := queue.take()) is not None:
        found.append(request)
    return found


def queue_with(threads: int, *waiting: tuple[Client, str]) -> RequestQueue[str]:
    queue = RequestQueue[str](threads)
    for client, request in waiting:
        queue.add(client, request)
    return queue


def test_one_address_never_has_all_threads():
    queue = queue_with(4, *[(HERE, f"here {number}") for number in range(10)])

    assert taken(queue) == ["here 0", "here 1", "here 2"]
    queue.add(THERE, "there")
    assert taken(queue) == ["there"]


def test_a_single_thread_is_for_anybody():
    queue = queue_with(1, (HERE, "first"), (HERE, "second"))

    assert taken(queue) == ["first"]
    queue.give_back("first")
    assert taken(queue) == ["second"]


def test_a_thread_that_is_free_again_goes_to_whoever_has_fewest():
    queue = queue_with(6, *[(HERE, f"here {number}") for number in range(10)])
    taken(queue)
    queue.add(THERE, "there 0")
    queue.add(THERE, "there 1")
    taken(queue)

    queue.give_back("here 0")
    queue.give_back("here 1")

    assert taken(queue) == ["there 1"]


def test_clients_of_one_address_take_turns():
    key = HERE._replace(credential=b"key")
    queue = queue_with(2, *[(key, f"key {number}") for number in range(10)], (HERE, "person"))

    assert taken(queue) == ["key 0"]
    queue.give_back("key 0")
    assert taken(queue) == ["person"]


def test_what_is_done_leaves_nothing_behind():
    queue = queue_with(4, (HERE, "here"), (THERE, "there"))
    for request in taken(queue):
        queue.give_back(request)
    queue.give_back("unknown")

    assert [queue._waiting, queue._running, queue._addresses, queue._clients] == [{}, {}, {}, {}]


@pytest.mark.parametrize(
    ("headers", "is_behind_proxy", "found"),
    [
        (b"", False, Client("192.0.2.1")),
        (b"X-Forwarded-For: 203.0.113.9\r\n", False, Client("192.0.2.1")),
        (b"X-Forwarded-For: 10.9.9.9, 203.0.113.9\r\n", True, Client("203.0.113.9")),
        (b"X-Forwarded-For: 10.9.9.9\r\nx-forwarded-for:\t203.0.113.9 \r\n", True, Client("203.0.113.9")),
        (b"X-Forwarded-For: 2001:db8:0:1::2\r\n", True, Client("20010db800000001")),
        (b"X-Forwarded-For: 2001:db8:0:1:ffff::9\r\n", True, Client("20010db800000001")),
        (b"X-Forwarded-For: \xff\r\n", True, Client("ÿ")),
        (b"Authorization: Bearer fn_a\r\n", False, Client("192.0.2.1", b" Bearer fn_a")),
        (b"Cookie: csrftoken=c; sessionid=s; known=k\r\n", False, Client("192.0.2.1", b"s")),
        (b"cookie:__Host-session=s\r\n", False, Client("192.0.2.1", b"s")),
    ],
)
def test_a_client_is_an_address_with_its_key_or_session(headers, is_behind_proxy, found):
    head = b"GET / HTTP/1.1\r\nHost: a\r\n" + headers + b"\r\n"

    assert client_of(head, "192.0.2.1", is_behind_proxy=is_behind_proxy) == found
