"""A house of its own for these tests: its processes are killed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from tests.robustness.processes import House, Web, copy_of, manage

_NAME = "a folder with spaces in its name, and with so long a name that a socket in it can have no address of its own"


@pytest.fixture(scope="session")
def loaded_folder() -> Iterator[Path]:
    """The demonstration as it was loaded. Nobody uses it itself."""
    with TemporaryDirectory(prefix="footnote-", ignore_cleanup_errors=True) as parent:
        folder = Path(parent) / _NAME / "var"
        loading = manage(folder, "demo", "--no-serve")
        assert loading.returncode == 0, loading.stderr
        yield folder


@pytest.fixture(scope="session")
def loaded_house(loaded_folder) -> Iterator[House]:
    """The demonstration is in it."""
    with copy_of(loaded_folder) as folder:
        yield House(folder)


@pytest.fixture
def own_web(loaded_folder) -> Iterator[Web]:
    """A site in which nothing but the demonstration was written, so that all of it can be verified."""
    with copy_of(loaded_folder) as folder:
        house = House(folder)
        house.start_database()
        server = Web(house)
        server.start()
        yield server
        server.stop()
        house.stop_database()


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
