"""The queue of requests: which of the requests that have arrived gets the next free thread.

Each is answered in its client's turn, not in the order of arrival, so that a client that sends hundreds at once waits for its own and
others do not. A client is an address with a key or session. The addresses take turns, and at each address its clients, those first that
have the fewest threads. The last free thread is kept for an address that has none.
"""

from __future__ import annotations

import re
from collections import Counter, deque
from ipaddress import IPv6Address, ip_address
from typing import Generic, NamedTuple, TypeVar

_FORWARDED = re.compile(rb"^x-forwarded-for[ \t]*:([^\r\n]*)\r$", re.IGNORECASE | re.MULTILINE)
_CREDENTIAL = re.compile(
    rb"^authorization[ \t]*:([^\r\n]*)\r$|[:; \t](?:__Host-session|sessionid)=([^;\r\n]*)", re.IGNORECASE | re.MULTILINE
)
_BITS_OF_A_NETWORK = 64
_LONGEST_ADDRESS = 64

T = TypeVar("T")


class Client(NamedTuple):
    """A client as far as its request tells: its address, and the key or session that it names, whether or not they are valid."""

    address: str
    credential: bytes = b""


def client_of(head: bytes, address: str, *, is_behind_proxy: bool) -> Client:
    """Return the client of a request with these headers; behind a proxy, the address that the proxy has added last."""
    forwarded = _FORWARDED.findall(head) if is_behind_proxy else []
    named = forwarded[-1].rpartition(b",")[2].strip().decode("latin-1") if forwarded else address
    return Client(_network_of(named[:_LONGEST_ADDRESS]), b"\n".join(each for found in _CREDENTIAL.findall(head) for each in found if each))


def _network_of(address: str) -> str:
    """Return the address; of IPv6 the network, as one client has all of its addresses."""
    try:
        read = ip_address(address)
    except ValueError:
        return address
    if isinstance(read, IPv6Address):
        return f"{int(read) >> _BITS_OF_A_NETWORK:x}"
    return address


class RequestQueue(Generic[T]):
    """The requests that wait for a thread, and the number of threads that each client has."""

    def __init__(self, threads: int) -> None:
        self._threads = threads
        self._waiting: dict[str, dict[Client, deque[T]]] = {}
        self._running: dict[T, Client] = {}
        self._addresses: Counter[str] = Counter()
        self._clients: Counter[Client] = Counter()

    def add(self, client: Client, request: T) -> None:
        """Add a request behind the others of its client."""
        self._waiting.setdefault(client.address, {}).setdefault(client, deque()).append(request)

    def take(self) -> T | None:
        """Return the request that gets a thread now, or None if none is free for those that wait."""
        free = self._threads - len(self._running)
        address = min(self._waiting, key=self._addresses.__getitem__, default=None)
        if free < 1 or address is None or (free == 1 and self._addresses[address]):
            return None
        clients = self._waiting.pop(address)
        client = min(clients, key=self._clients.__getitem__)
        requests = clients.pop(client)
        request = requests.popleft()
        if requests:
            clients[client] = requests  # behind the others
        if clients:
            self._waiting[address] = clients
        self._running[request] = client
        self._addresses[address] += 1
        self._clients[client] += 1
        return request

    def give_back(self, request: T) -> None:
        """Free the thread of a request."""
        client = self._running.pop(request, None)
        if client is not None:
            _count_down(self._addresses, client.address)
            _count_down(self._clients, client)


K = TypeVar("K")


def _count_down(counts: Counter[K], name: K) -> None:
    counts[name] -= 1
    if not counts[name]:
        del counts[name]
