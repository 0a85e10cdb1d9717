"""A trace whose record the database refuses ends alone: the others of its batch are frozen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.db import connections
from django.utils import timezone

from reviewers.snapshots.models import Snapshot, Trace
from reviewers.web.config import OWNER
from reviewers.web.tenancy import tenant
from tests.api.sending import program_of
from tests.factories import make_organisation
from tests.snapshots.otlp.tracing import age, freeze, send, span

ANSWER = {"output.value": "Your risk is elevated."}


@pytest.fixture
def refusing(committed) -> Iterator[None]:
    """The database takes no snapshot of one conversation."""
    with connections[OWNER].cursor() as cursor:
        cursor.execute("ALTER TABLE snapshots_snapshot ADD CONSTRAINT refused CHECK (conversation_id <> 'refused')")
        yield
        cursor.execute("ALTER TABLE snapshots_snapshot DROP CONSTRAINT refused")


def test_a_record_that_the_database_refuses_keeps_no_other_trace_waiting(refusing):
    organisation = make_organisation()
    program = program_of(organisation)
    send(program, span(ANSWER | {"session.id": "refused"}), span(ANSWER, trace_id=b"\7" * 16))

    with tenant.within(organisation.pk):
        age()
        freeze(organisation.pk, timezone.now())

        assert Snapshot.objects.count() == 1
        assert sorted(Trace.objects.values_list("state", flat=True)) == ["frozen", "refused"]
