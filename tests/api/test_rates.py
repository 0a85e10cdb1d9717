"""How often a key may ask, and an address without one that works: counted after the key is known, each for itself, in every thread."""

from __future__ import annotations

import json
from functools import partial

import pytest
from django.core.cache import caches
from django.test import Client

from reviewers.accounts import service_keys
from reviewers.accounts.models import Scope, ServiceKey
from reviewers.snapshots.models import Snapshot
from reviewers.web.config import read_rate
from tests.api.sending import ADDRESS, LINES, post, program_of
from tests.factories import make_organisation, make_record
from tests.threads import at_once
from tests.web.endpoints import ENDPOINTS, find_address

INSTRUCTION = "/api/v1/instruction"


@pytest.fixture(autouse=True)
def rates(settings):
    settings.KEY_RATE, settings.KEY_FAILURE_RATE = "5/h", "3/h"
    caches["rates"].clear()
    yield
    caches["rates"].clear()


def statuses(client: Client, count: int, path: str = INSTRUCTION) -> list[int]:
    return [client.get(path).status_code for _ in range(count)]


def test_a_key_that_asks_too_often_is_told_when_to_come_back(program):
    assert statuses(program, 5) == [200] * 5

    refused = program.get(INSTRUCTION)

    assert refused.status_code == 429
    assert refused.json().keys() == {"detail"}
    assert 0 < int(refused["Retry-After"]) <= 3_600


def test_a_large_body_counts_as_several(program):
    """Sixty-four kilobytes take the engine as long as a request takes, however they are made."""
    assert post(program, make_record(user_text="x" * 70_000)).status_code == 201
    assert statuses(program, 4) == [200, 200, 200, 429]


def test_one_that_is_larger_than_the_rate_is_taken_all_the_same(program):
    assert post(program, make_record(user_text="x" * 1_000_000)).status_code == 201

    refused = program.get(INSTRUCTION)
    assert refused.status_code == 429
    assert 0 < int(refused["Retry-After"]) <= 3_600


def test_all_addresses_of_a_client_with_ipv6_count_together():
    """It has as many as it likes, and with a new one for each request would push the counts of all keys out of their store."""
    unknown = {"Authorization": "Bearer fn_unknown"}
    answers = [Client(headers=unknown, REMOTE_ADDR=f"2001:db8::{number}").get(INSTRUCTION).status_code for number in range(1, 5)]

    assert answers == [401, 401, 401, 429]
    assert Client(headers=unknown, REMOTE_ADDR="2001:db8:0:1::1").get(INSTRUCTION).status_code == 401


def test_a_record_that_comes_too_often_is_not_stored(program):
    statuses(program, 5)

    assert post(program, make_record()).status_code == 429
    assert not Snapshot.objects.exists()


def test_all_addresses_for_programs_count_together(organisation):
    program = program_of(organisation, Scope.INGEST, Scope.READ)
    paths = {name: find_address(name) for name, (access, _) in ENDPOINTS.items() if isinstance(access, Scope)}
    assert len(paths) >= 4
    statuses(program, 5)

    for name, address in paths.items():
        path = address.path(**dict.fromkeys(address.takes, "0" * 8 + "-0000-4000-8000-" + "0" * 12))
        assert program.generic(*ENDPOINTS[name][1], path).status_code == 429


def test_each_key_is_counted_for_itself(program, organisation):
    statuses(program, 6)

    assert statuses(program_of(organisation), 1) == [200]
    assert statuses(program_of(make_organisation("Elsewhere")), 1) == [200]


def test_time_passes(program, settings, monkeypatch):
    statuses(program, 6)
    monkeypatch.setattr(service_keys.KeyRate, "timer", staticmethod(lambda: 9e12))

    assert statuses(program, 1) == [200]


def test_keys_that_do_not_work_are_counted_by_address_and_keep_no_other_key_out(program):
    stranger = Client(headers={"Authorization": "Bearer fn_wrong"})

    assert statuses(stranger, 5) == [401, 401, 401, 429, 429]
    assert statuses(Client(headers={"Authorization": "Bearer fn_wrong"}, REMOTE_ADDR="192.0.2.7"), 1) == [401]
    assert statuses(program, 1) == [200]
    assert "Retry-After" in stranger.get(INSTRUCTION).headers


def test_a_key_without_the_scope_is_counted_nowhere(organisation):
    assert statuses(program_of(organisation, Scope.READ), 9) == [403] * 9


def test_threads_that_ask_at_once_are_counted_each(committed, settings):
    settings.KEY_RATE = "10/h"
    headers = [program_of(make_organisation(f"House {number}")).defaults for number in range(2)]

    def ask(number: int) -> list[int]:
        client = Client()
        client.defaults = headers[number % 2]
        return statuses(client, 4)

    answered = [status for each in at_once([partial(ask, number) for number in range(8)]) for status in each]

    assert (answered.count(200), answered.count(429)) == (20, 12)


def test_of_large_bodies_an_organisation_has_few_stored_at_once(program, settings):
    """Whichever keys they come with: it can make as many as it likes."""
    settings.KEY_RATE = ""
    body = b"\n".join(json.dumps(make_record(user_text="x" * 100_000)).encode() for _ in range(4))
    organisation = ServiceKey.objects.get().organisation
    whose, other = organisation.pk, program_of(organisation)

    with service_keys.limit_large_bodies(whose, len(body)), service_keys.limit_large_bodies(whose, len(body)):
        assert program.post(ADDRESS, body, content_type=LINES).status_code == 429
        assert other.post(ADDRESS, body, content_type=LINES).status_code == 429
        assert post(program, make_record()).status_code == 201
    assert program.post(ADDRESS, body, content_type=LINES).status_code == 200


@pytest.mark.parametrize("wrong", ["5", "x/m", "0/m", "5/y", "-1/s"])
def test_a_rate_that_is_none_is_said_so(monkeypatch, wrong):
    monkeypatch.setenv("FOOTNOTE_KEY_RATE", wrong)
    with pytest.raises(Exception, match="such as 600/m"):
        read_rate("FOOTNOTE_KEY_RATE", "")


def test_a_rate_may_be_none(program, settings):
    settings.KEY_RATE = ""

    assert statuses(program, 20) == [200] * 20
