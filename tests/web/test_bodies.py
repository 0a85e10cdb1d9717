"""Bodies are held in about as much memory as they have bytes, in whatever parts they arrive."""

from __future__ import annotations

import socket

import pytest
from gunicorn.config import Config

from reviewers.web.http.connections import PIECE, Connection, Limits, Store

HEAD = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n"


@pytest.mark.parametrize(("size", "length"), [(3_000, 1), (20_000, 2), (3 * PIECE, 50_000), (5 * PIECE, PIECE)])
def test_a_body_is_kept_in_few_pieces(size, length):
    body = bytes(number % 251 for number in range(size))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        connection = Connection(Config(), ours, ("127.0.0.1", 1), ("127.0.0.1", 2), Limits(), Store(4))
        theirs.sendall(HEAD % size)
        is_whole = connection.receive()
        for start in range(0, size, length):
            assert not is_whole
            theirs.sendall(body[start : start + length])
            is_whole = connection.receive()

        assert is_whole
        assert len(connection.pieces) <= 2 + size // PIECE
        read = iter(lambda: connection.sock.recv(8_192), b"")
        assert b"".join(read) == HEAD % size + body
