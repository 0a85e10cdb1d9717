from __future__ import annotations

import base64
import os
import resource
from contextlib import contextmanager
from random import Random

import pytest

from tests.robustness.clients import post, post_record
from tests.robustness.processes import answers, family_of, postmaster_of

LARGEST_FILE = 16 * 1024 * 1024
"""That of a segment of the write-ahead log, which every commit needs; a table cannot grow beyond it."""

LARGE = 4 * 1024 * 1024


def check_says_so(answer):
    assert (answer.status, answer.kind, answer.body.keys()) == (503, "application/json", {"place", "reason"})
    assert "nothing was acknowledged" in answer.body["reason"]


@contextmanager
def acting_as(owner):
    """To set limits of somebody's processes even root may have to be that person."""
    if os.geteuid() != 0:
        yield
        return
    os.setresgid(owner.st_gid, 0, 0)
    os.setresuid(owner.st_uid, 0, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)
        os.setresgid(0, 0, 0)


@contextmanager
def full_disk(house):
    """No file of the server's may grow beyond a size: for its processes, and for those that they start."""
    owner = (house.folder / "postgresql").stat()
    processes = family_of(postmaster_of(house.folder).pid)
    with acting_as(owner):
        before = {each.pid: resource.prlimit(each.pid, resource.RLIMIT_FSIZE) for each in processes}
        for pid, (_, most) in before.items():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (LARGEST_FILE, most))
    try:
        yield
    finally:
        with acting_as(owner):
            for each in family_of(postmaster_of(house.folder).pid):
                resource.prlimit(each.pid, resource.RLIMIT_FSIZE, before[processes[0].pid])


def is_kept(connection, name):
    return connection.execute("SELECT count(*) FROM snapshots_snapshot WHERE external_id = %s", [name]).fetchone() == (1,)


def test_without_its_database_the_site_acknowledges_nothing_and_needs_no_restart_when_it_is_back(house, web):
    assert post_record(web, "before").status == 201
    house.stop_database()
    try:
        check_says_so(post_record(web, "meanwhile"))
        check_says_so(post(web, b'{"id": "meanwhile"}\n', "application/x-ndjson"))
        assert not answers(web.port)
    finally:
        house.start_database()

    assert answers(web.port)
    assert post_record(web, "before").status == 200
    assert post_record(web, "meanwhile").status == 201


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(resource, "prlimit"), reason="only Linux limits a running process")
def test_where_the_disk_is_full_nothing_is_acknowledged_until_there_is_room(house, web, connection):
    padding = base64.b85encode(Random(7).randbytes(LARGE * 4 // 5)).decode()  # noqa: S311 — what no compression makes smaller
    names = [f"large-{number}" for number in range(LARGEST_FILE // LARGE + 1)]
    with full_disk(house):
        sent = {name: post_record(web, name, padding=padding) for name in names}

    full = [name for name, answer in sent.items() if answer.status != 201]
    assert full
    for name in full:
        check_says_so(sent[name])
        assert not is_kept(connection, name)
        assert post_record(web, name, padding=padding).status == 201
    assert all(is_kept(connection, name) for name in names)
