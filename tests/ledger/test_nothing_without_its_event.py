"""An act without its event does not happen: if the event is refused, the action leaves nothing and shows nothing."""

from __future__ import annotations

import json
from uuid import UUID

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connections
from django.test import Client
from django.utils import timezone
from psycopg import sql

from reviewers.accounts.actions import add_member, create_organisation
from reviewers.accounts.models import Organisation, User
from reviewers.review import leases
from reviewers.review.models import Lease
from reviewers.snapshots.models import CitationSearchResult, Snapshot
from reviewers.web.config import OWNER
from reviewers.web.tenancy import tenant
from tests.accounts.signing_in import is_signed_in
from tests.factories import NOW, make_organisation, make_record
from tests.ledger.deeds import EVENTS, PROTECTED, RECORD, SIGN_IN, SIGN_IN_EVENTS, prepare, prepare_sign_in
from tests.sampling import sampled
from tests.snapshots.searches import make_searched, run, waiting
from tests.state import state_of_tables

REFUSE = """
CREATE FUNCTION refuse_event() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the ledger is full'; END $$;
CREATE TRIGGER full_up BEFORE INSERT ON {table} FOR EACH ROW EXECUTE FUNCTION refuse_event()
"""
ALLOW = "DROP TRIGGER full_up ON {table}; DROP FUNCTION refuse_event()"

WRITING = [name for name, expected in EVENTS.items() if expected]
COMMITTING = [
    *("post_snapshots", "label", "note", "label_citation", "note_citation", "label_remaining", "undo", "skip", "flag"),
    "resolve_flag",
    "claim",
    "comment",
    "suggestions",
    "explain",
    "explain_redaction",
    "explain_why",
    "reveal",
    "mark_external",
    "propose_redaction",
    "approve_redaction",
    "decline_redaction",
    "place_hold",
    "propose_lift",
    "decide",
    "reopen",
    "create_plan",
    "change_plan",
    "start_plan",
    "acknowledge_alarm",
]
"""Actions whose events commit to protected text and store the opening of the commitment beside them."""


def by_owner(statement: str, table: str) -> None:
    with connections[OWNER].cursor() as cursor:
        cursor.execute(sql.SQL(statement).format(table=sql.Identifier(table)))


@pytest.fixture(scope="module")
def deeds(request, committed_for_module):
    """Everything is ready for each request, and committed: only then may the owner put a trigger on the table."""
    asked = {item.callspec.params.get("name") for item in request.session.items if item.path == request.path and hasattr(item, "callspec")}
    ready = {name: prepare(name) for name in EVENTS if name in asked | {"search", "post_snapshots", "skip"}}
    for deed in ready.values():
        deed.client.raise_request_exception = False
    return ready


@pytest.fixture(scope="module")
def sign_in_deeds(committed_for_module):
    ready = {name: prepare_sign_in(name) for name in SIGN_IN}
    for deed in ready.values():
        deed.client.raise_request_exception = False
    return ready


@pytest.fixture
def full_ledger():
    """No event can be written."""
    by_owner(REFUSE, "ledger_auditevent")
    yield
    by_owner(ALLOW, "ledger_auditevent")


@pytest.fixture
def no_secrets():
    """No event can be written that commits to something."""
    by_owner(REFUSE, "ledger_eventsecret")
    yield
    by_owner(ALLOW, "ledger_eventsecret")


def check_nothing_happens(deed) -> None:
    own = [UUID(deed.objects["organisation"])] if "organisation" in deed.objects else []
    before = state_of_tables(*own)

    response = deed.send()

    assert response.status_code in (500, 503)
    assert state_of_tables(*own) == before
    assert [words for words in PROTECTED.values() if words in response.content.decode()] == []


@pytest.mark.parametrize("name", sampled(WRITING, more=12))
def test_an_address_does_and_shows_nothing_that_cannot_be_written_down(deeds, full_ledger, name):
    check_nothing_happens(deeds[name])


@pytest.mark.parametrize("name", sampled(COMMITTING, more=5))
def test_nor_anything_whose_commitment_could_not_be_opened(deeds, no_secrets, name):
    check_nothing_happens(deeds[name])


@pytest.mark.parametrize("name", sampled(sorted(EVENTS.keys() - set(WRITING)), more=5))
def test_what_writes_nothing_down_goes_on(deeds, full_ledger, name):
    assert deeds[name].send().status_code in (200, 302)


@pytest.mark.parametrize("name", SIGN_IN_EVENTS)
def test_nothing_about_an_account_changes_that_cannot_be_written_down(sign_in_deeds, full_ledger, name):
    deed = sign_in_deeds[name]
    was_signed_in = is_signed_in(deed.client)

    check_nothing_happens(deed)

    assert is_signed_in(deed.client) is was_signed_in


def test_a_search_that_cannot_be_written_down_finds_nothing(deeds, no_secrets):
    deed = deeds["search"]
    shown = Client(raise_request_exception=False)
    shown.cookies = deed.client.cookies

    address = deed.send()["Location"]

    assert shown.get(address).status_code == 500


def test_of_a_batch_nothing_stays(deeds, full_ledger):
    deed = deeds["post_snapshots"]
    tenant.enter(UUID(deed.objects["organisation"]))
    lines = "\n".join(json.dumps(make_record(**RECORD)) for _ in range(3))
    count = Snapshot.objects.count()

    response = deed.client.post(deed.path, lines, content_type="application/x-ndjson")

    assert response.status_code in (500, 503)
    assert Snapshot.objects.count() == count


@pytest.fixture
def organisation_from_before(committed_for_module) -> Organisation:
    """Of a time when events could be written."""
    organisation = make_organisation()
    tenant.enter(organisation.pk)
    return organisation


@pytest.fixture
def search_from_before(committed_for_module) -> str:
    """It waits for a worker."""
    organisation = make_organisation()
    tenant.enter(organisation.pk)
    make_searched(organisation)
    return waiting()[-1]


def test_a_search_for_citations_does_not_end_unseen(search_from_before, full_ledger):
    with pytest.raises(DatabaseError, match="the ledger is full"):
        run(search_from_before)

    assert not CitationSearchResult.objects.filter(search=search_from_before).exists()


def test_an_import_stops_and_leaves_nothing_of_the_batch(organisation_from_before, full_ledger, tmp_path):
    file = tmp_path / "turns.jsonl"
    file.write_text("\n".join(json.dumps(make_record()) for _ in range(3)))

    with pytest.raises(DatabaseError, match="the ledger is full"):
        call_command("import", str(file), organisation=organisation_from_before.slug)

    assert not Snapshot.objects.filter(organisation=organisation_from_before).exists()


def test_leases_do_not_run_out_unseen(deeds, full_ledger):
    tenant.enter(UUID(deeds["skip"].objects["organisation"]))
    held = Lease.objects.count()

    with pytest.raises(DatabaseError, match="the ledger is full"):
        leases.expire(now=timezone.now().replace(year=2990))

    assert Lease.objects.count() == held > 0


def test_no_organisation_and_no_member_comes_to_be_unseen(deeds, full_ledger):
    user = User.objects.create_user(email="new@example.org", name="Nora New")
    before = state_of_tables(tenant.ALL_ORGANISATIONS)

    with pytest.raises(DatabaseError, match="the ledger is full"):
        create_organisation(slug="unseen", name="Unseen", at=NOW)
    with pytest.raises(DatabaseError, match="the ledger is full"):
        add_member(organisation=Organisation.objects.get(), user=user, role="auditor", at=NOW)

    assert state_of_tables(tenant.ALL_ORGANISATIONS) == before
