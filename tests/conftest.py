"""One PostgreSQL for all tests that need one: a new database in the server the site itself would use."""

from __future__ import annotations

import copy
import gc
import os
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatchcase

import psycopg
import pytest
from django.db import connections, transaction
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from reviewers.accounts.models import Membership, Organisation, Role
from reviewers.review.models import QueueItem
from reviewers.web.config import OWNER
from reviewers.web.tenancy import tenant
from tests import factories
from tests.databases import drop_database, empty_all_tables, make_database
from tests.ledger.deeds import Deed, Ground, make_ground, prepare

LONGEST = ("tests/browser/", "tests/robustness/", "tests/web/test_every_address.py", "tests/ledger/", "tests/web/test_matrix.py")
"""Whatever takes long begins first, so that no processor is left without work at the end."""

TOGETHER = (
    "tests/browser/test_[a-m]*",
    "tests/browser/test_[n-z]*",
    "tests/robustness/test_slow_*",
    "tests/robustness/*",
    "tests/ledger/verification/*",
)
"""Modules whose tests share a site or a world that takes long to start. The browser's are halved: each half waits for most of its time."""


class OneWorkerAModule(LoadScopeScheduling):
    """Tests that share a world run in one process: those of a module, or of several."""

    def _split_scope(self, nodeid: str) -> str:
        module = nodeid.partition("::")[0]
        return next((modules for modules in TOGETHER if fnmatchcase(module, modules)), module)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: there is always somebody who waits for a browser or a server."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneWorkerAModule:
    """In the order in which tests are collected."""
    config.option.loadscopereorder = False
    return OneWorkerAModule(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the longest tests first, and within a module those with the same prepared request together, so that it is made once."""
    modules = {item.nodeid.partition("::")[0]: None for item in items}
    places = {module: number for number, module in enumerate(modules)}

    def order(item: pytest.Item) -> tuple[int, int, str]:
        longest = next((place for place, name in enumerate(LONGEST) if item.nodeid.startswith(name)), len(LONGEST))
        return longest, places[item.nodeid.partition("::")[0]], _prepared(item)

    items.sort(key=order)


def _prepared(item: pytest.Item) -> str:
    """The address whose request the test asks for, if it does."""
    call = getattr(item, "callspec", None)
    return str(call.params.get("prepared", "")) if call else ""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Write out half surrogate pairs in what a test logged or said: a worker could not send its report otherwise, and all would end."""
    report = yield
    report.sections = [(name, _encodable(text)) for name, text in report.sections]
    if report.longrepr is not None and not isinstance(report.longrepr, tuple) and _encodable(str(report.longrepr)) != str(report.longrepr):
        report.longrepr = _encodable(str(report.longrepr))
    return report


def _encodable(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def pytest_collection_finish() -> None:
    """Freeze the imported objects: otherwise garbage collection visits them again and again, which took a fifth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session")
def django_db_setup(django_db_blocker) -> Iterator[None]:
    """A database of this run, migrated by its owner. The site's connection is that of the web's role, which owns nothing."""
    with django_db_blocker.unblock():
        name = f"footnote_test_{os.getpid()}"
        owner = connections[OWNER].get_connection_params() | {"dbname": "postgres"}
        owner = {key: value for key, value in owner.items() if key in ("dbname", "user", "password", "host", "port")}
        with psycopg.connect(**owner, autocommit=True) as server:
            make_database(server, name)
            yield
            connections.close_all()
            drop_database(server, name)


@pytest.fixture(autouse=True)
def _leaves_organisations() -> Iterator[None]:
    """Each test leaves the organisation it entered: the next one begins outside of all, or within that of its module."""
    with tenant.within(before) if (before := tenant.current()) else tenant.outside():
        yield


@pytest.fixture
def committed(django_db_setup, django_db_blocker) -> Iterator[None]:
    """For tests of what several connections do at once: writes are committed, and everything is emptied afterwards."""
    with django_db_blocker.unblock():
        yield
        empty_all_tables()


@pytest.fixture(scope="module")
def committed_for_module(django_db_setup, django_db_blocker) -> Iterator[None]:
    """Commit writes for all tests of a module: the last one finds what the first one finds."""
    with django_db_blocker.unblock(), tenant.outside():
        yield
        empty_all_tables()


@pytest.fixture(scope="module")
def one_transaction(django_db_setup, django_db_blocker) -> Iterator[None]:
    """For a world that takes long to make: it is made once for the tests of a module, each of which is ``undone``, and then undone itself.

    Such a module has no test that asks for ``db``, for that closes the connection.
    """
    with django_db_blocker.unblock(), tenant.outside(), transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture
def undone(one_transaction) -> Iterator[None]:
    """Whatever the test does to the world of its module."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@pytest.fixture(scope="module")
def ground(one_transaction) -> Ground:
    """Return the objects that the requests of a module use, made once; each request's changes are undone."""
    return make_ground()


@pytest.fixture(scope="module")
def prepared(request, ground) -> Iterator[Deed]:
    """The request for an address (see ``asking``): all tests of a module that ask for the same one come one after the other."""
    with tenant.outside(), transaction.atomic():
        yield replace(prepare(request.param, ground), name=request.param)
        transaction.set_rollback(True)


@pytest.fixture
def deed(prepared) -> Iterator[Deed]:
    """A prepared request that has not been sent; what it does is undone."""
    client = copy.copy(prepared.client)
    client.handler = copy.copy(client.handler)
    client.cookies = copy.deepcopy(prepared.client.cookies)
    with transaction.atomic():
        yield replace(prepared, client=client)
        transaction.set_rollback(True)


@pytest.fixture
def organisation(db) -> Organisation:
    """Alice's and Bob's."""
    return factories.make_organisation()


@pytest.fixture
def item(organisation) -> QueueItem:
    """Something to review, of Alice's organisation."""
    return factories.make_item(organisation)


@pytest.fixture
def alice(organisation) -> Membership:
    """The reviewer whose work it is."""
    return factories.make_member(organisation, Role.REVIEWER, "Alice Aldous")


@pytest.fixture
def bob(organisation) -> Membership:
    """Her teammate."""
    return factories.make_member(organisation, Role.REVIEWER, "Bob Birch")


@pytest.fixture
def charlie(db) -> Membership:
    """A stranger: a reviewer of another organisation."""
    return factories.make_member(factories.make_organisation("Elsewhere Clinic"), Role.REVIEWER, "Charlie Crane")


@pytest.fixture
def lead(organisation) -> Membership:
    return factories.make_member(organisation, Role.LEAD, "Leda Lund")


@pytest.fixture
def coordinator(organisation) -> Membership:
    return factories.make_member(organisation, Role.COORDINATOR, "Cora Cole")


@pytest.fixture
def auditor(organisation) -> Membership:
    return factories.make_member(organisation, Role.AUDITOR, "Audra Ashe")


@pytest.fixture
def administrator(organisation) -> Membership:
    return factories.make_member(organisation, Role.ADMINISTRATOR, "Ada Abbot")
