"""A trace that is being frozen keeps no request waiting: the exporter sends the same again."""

from __future__ import annotations

from time import monotonic

import pytest
from django.db import connections, transaction

from reviewers.snapshots.models import Trace
from reviewers.web.config import OWNER
from reviewers.web.tenancy import tenant
from tests.api.sending import program_of
from tests.factories import make_organisation
from tests.snapshots.otlp.tracing import accepted, child, send, span

pytestmark = pytest.mark.usefixtures("committed")


def test_spans_of_a_trace_that_is_being_frozen_are_to_be_sent_again():
    organisation = make_organisation()
    program = program_of(organisation)
    send(program, span({"output.value": "Your risk is elevated."}))

    with transaction.atomic(using=OWNER), connections[OWNER].cursor() as cursor:
        cursor.execute("SELECT FROM snapshots_trace FOR UPDATE")
        begun = monotonic()
        response = send(program, child())
        took = monotonic() - begun

    assert (response.status_code, response["Retry-After"]) == (429, "5")
    assert took < 20
    assert accepted(send(program, child())) == (0, "")
    with tenant.within(organisation.pk):
        assert Trace.objects.get().span_count == 2
