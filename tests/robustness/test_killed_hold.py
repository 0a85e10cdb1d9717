"""A process is killed while it places a legal hold: nothing of it is there, and it can be placed again."""

from __future__ import annotations

import psycopg
import pytest

from tests.robustness.processes import manage, managing, wait_until
from tests.robustness.test_worker import is_blocked

PLACE = """
from django.utils import timezone
from reviewers.accounts.models import Membership, Organisation
from reviewers.review.models.decisions import HoldKind
from reviewers.review.legal_holds.actions import place
from reviewers.review.legal_holds.actions import HoldTerms
from reviewers.web.tenancy import tenant
from reviewers.accounts.queries import list_organisation_ids
tenant.enter(list_organisation_ids()[0])
by = Membership.objects.filter(role="lead", organisation_id=tenant.current()).first()
place(terms=HoldTerms(HoldKind.CLIENT, "a lawsuit", reference="c-1"), by=by, now=timezone.now())
"""


def counts(connection):
    query = "SELECT (SELECT count(*) FROM review_hold), (SELECT count(*) FROM ledger_auditevent WHERE action = 'hold.placed')"
    return connection.execute(query).fetchone()


@pytest.mark.exhaustive
def test_a_hold_is_there_with_its_event_or_not_at_all(house, connection):
    with psycopg.connect(house.url()) as gate:
        gate.execute("LOCK TABLE ledger_auditevent IN EXCLUSIVE MODE")  # the hold is written, its event cannot be
        with managing(house.folder, "shell", "-c", PLACE):
            wait_until(lambda: is_blocked(connection))
    assert counts(connection) == (0, 0)

    placed = manage(house.folder, "shell", "-c", PLACE)
    assert placed.returncode == 0, placed.stderr
    assert counts(connection) == (1, 1)
