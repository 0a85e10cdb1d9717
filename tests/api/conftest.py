"""A program with a key of Alice's organisation."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.api.sending import program_of


@pytest.fixture
def program(organisation) -> Client:
    return program_of(organisation)
