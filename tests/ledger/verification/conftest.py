"""Two organisations with everything in them, made once for this folder."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from reviewers.web.tenancy import tenant
from tests.databases import empty_all_tables
from tests.factories import make_organisation
from tests.ledger.opened import opened_tables
from tests.ledger.sealed import forget_published
from tests.ledger.verification.everything import do_everything


@pytest.fixture(scope="package")
def committed_for_package(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Commit writes for all tests of this folder, and empty everything afterwards."""
    with django_db_blocker.unblock(), tenant.outside():
        yield
        empty_all_tables()


@pytest.fixture(scope="package")
def world(committed_for_package) -> list[Any]:
    """Two organisations with everything in them."""
    forget_published()
    organisations = [make_organisation(), make_organisation("Elsewhere Clinic")]
    for organisation in organisations:
        with tenant.within(organisation.pk):
            do_everything(organisation)
    tenant.enter(tenant.ALL_ORGANISATIONS)
    return organisations


@pytest.fixture(scope="package")
def opened(world) -> Iterator[list[Any]]:
    """One transaction for all tests: to open each table anew takes longer than to verify what is in it."""
    with opened_tables():
        yield world
