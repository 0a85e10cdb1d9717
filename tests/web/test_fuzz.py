"""Requests and records by chance: none makes an error of ours, none takes two seconds.

Few of them here; ``make fuzz`` runs a piece of five million, ``make test-all`` the first.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from random import Random

import pytest
from django.db import connection, transaction

from reviewers.web.tenancy import tenant
from tests.ledger.deeds import prepare
from tests.web.endpoints import ENDPOINTS
from tests.web.fuzzing import Site, World, asked_for, numbers, run, try_record

ALL = 5_000_000
RECORDS_A_REQUEST = 49
"""Most of them are records, which are quicker to try: a request takes about ten milliseconds."""


@pytest.fixture(scope="module")
def make_site(django_db_setup, django_db_blocker):
    """A site with prepared requests of some addresses; one organisation each, so that most is another's."""
    sites = []

    def make(names):
        deeds = []
        for name in names:
            with tenant.outside():
                deeds.append(replace(prepare(name), name=name))
        with connection.cursor() as cursor:
            cursor.execute("SET LOCAL statement_timeout = '20s'")
        sites.append(Site(World(deeds)))
        for number in range(-20, 0):  # loads templates and whatever else the first request does
            sites[-1].try_request(Random(number))  # noqa: S311 — the same in each run
        return sites[-1]

    logging.disable(logging.CRITICAL)
    with django_db_blocker.unblock(), tenant.outside(), transaction.atomic():
        yield make
        logging.disable(logging.NOTSET)
        for site in sites:
            site.close()
        transaction.set_rollback(True)


def check(report) -> None:
    print(report.in_words())  # noqa: T201 — shown with -rP or -s
    assert not report.failures, "\n".join(report.failures[:20])


def test_records_by_chance_are_frozen_or_refused():
    check(run(numbers(ALL, f"1/{ALL // 300}"), "record", try_record))


def test_requests_by_chance_are_answered(make_site):
    names = Random("a few").sample(sorted(ENDPOINTS), 12)  # noqa: S311 — the same in each run

    check(run(numbers(ALL, f"1/{ALL // 300}"), "request", make_site(names).try_request))


@pytest.mark.exhaustive
def test_many_records_by_chance_are_frozen_or_refused():
    check(run(asked_for(ALL * RECORDS_A_REQUEST // (RECORDS_A_REQUEST + 1), "1/500"), "record", try_record))


@pytest.mark.exhaustive
def test_many_requests_to_all_addresses_by_chance_are_answered(make_site):
    check(run(asked_for(ALL // (RECORDS_A_REQUEST + 1), "1/50"), "request", make_site(sorted(ENDPOINTS)).try_request))
