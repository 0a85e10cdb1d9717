"""A house of its own for these tests: its processes are killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from tests.robustness.processes import House, Web, manage

_NAME = "a folder with spaces in its name, and with so long a name that a socket in it can have no address of its own"


@pytest.fixture(scope="session")
def loaded_house() -> Iterator[House]:
    """The demonstration is in it."""
    with TemporaryDirectory(prefix="footnote-", ignore_cleanup_errors=True) as parent:
        folder = Path(parent) / _NAME / "var"
        loading = manage(folder, "demo", "--no-serve")
        assert loading.returncode == 0, loading.stderr
        yield House(folder)


@pytest.fixture(scope="session")
def house(loaded_house) -> Iterator[House]:
    """Its database runs."""
    loaded_house.start_database()
    yield loaded_house
    loaded_house.stop_database()


@pytest.fixture
def closed_house(loaded_house) -> Iterator[House]:
    """Nobody but the test uses its database."""
    was_open = loaded_house.is_open
    loaded_house.stop_database()
    yield loaded_house
    if was_open:
        loaded_house.start_database()


@pytest.fixture(scope="session")
def web(house) -> Iterator[Web]:
    """Its web server runs too."""
    server = Web(house)
    server.start()
    yield server
    server.stop()


@pytest.fixture
def connection(house) -> Iterator[psycopg.Connection]:
    """The owner's, to see what is there."""
    with psycopg.connect(house.url(), autocommit=True) as connection:
        yield connection
