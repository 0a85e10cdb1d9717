"""Organisations are separate worlds: an id of another one is a 404 wherever an address takes one, and nothing of it is ever listed."""

from __future__ import annotations

import re
import uuid
from functools import partial

import pytest
from django.test import Client

from reviewers.accounts.actions import create_service_key
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role, Scope, TokenScope
from reviewers.accounts.permissions import ROLE_PERMISSIONS
from reviewers.accounts.policies import Refused
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Verdict
from reviewers.review.queue import counts
from reviewers.web.tenancy import tenant
from tests.accounts.invited import invite_one
from tests.accounts.tokens import program_of_member, token_of
from tests.calibration.judged import make_run
from tests.calibration.standing import Standing
from tests.events import last_event
from tests.factories import NOW, choose_finding, flag_finding, make_item, make_key, make_member, make_organisation, sign_in
from tests.quality.alarmed import make_alarm
from tests.reports.exporting.made import make_export
from tests.review.deciding.cases import make_conflict
from tests.review.holds.held import make_lifting
from tests.review.plans.planning import make_plan
from tests.review.redacting.redactable import make_proposal
from tests.review.signed import make_signed
from tests.snapshots.schemas import make_schema
from tests.snapshots.trust_tables import make_table
from tests.state import state_of_tables
from tests.web.endpoints import ENDPOINTS, READ_BY_TOKENS, Address, addresses
from tests.web.forms import valid_body, valid_form
from tests.webhooks.endpoints import make_delivery, make_endpoint

WITH_IDS = [address for address in addresses() if address.takes]
FOR_PEOPLE = [address for address in WITH_IDS if not isinstance(ENDPOINTS[address.name][0], Scope | TokenScope)]
FOR_PROGRAMS = [address for address in WITH_IDS if isinstance(ENDPOINTS[address.name][0], Scope)]
FOR_MEMBERS = [address for address in WITH_IDS if isinstance(ENDPOINTS[address.name][0], TokenScope) or address.name in READ_BY_TOKENS]

FOREIGN_WORDS = "zeppelin quartz"
FOREIGN = {
    "model": "model-foreign",
    "provider": "Provider Foreign",
    "prompt_version": "prompt foreign",
    "conversation_id": "conversation-foreign",
    "response": f"A {FOREIGN_WORDS} at elevated risk [[SF:risk_level]] [[SF:nothing_like_it]].",
    "context": {"safety": {"risk_level": "elevated"}, "foreign_section": {"goal": "elevated"}},
}


MADE = {
    "signature_id": lambda _, charlie: make_signed(charlie),
    "redaction_id": lambda item, _: make_proposal(item),
    "schema_id": lambda item, _: make_schema(item.organisation),
    "table_id": lambda item, _: make_table(item.organisation),
    "endpoint_id": lambda item, _: make_endpoint(item.organisation)[0],
    "delivery_id": lambda item, _: make_delivery(item.organisation),
    "hold_id": lambda item, _: make_lifting(item.organisation).hold,
    "invitation_id": lambda _, charlie: invite_one(charlie.organisation),
    "case_id": lambda _, charlie: make_conflict(charlie.organisation),
    "plan_id": lambda _, charlie: make_plan(make_member(charlie.organisation, Role.LEAD)),
    "alarm_id": lambda _, charlie: make_alarm(charlie.organisation),
    "run_id": lambda _, charlie: make_run(make_member(charlie.organisation, Role.LEAD)),
    "flag_id": lambda item, charlie: flag_finding(choice=choose_finding(item, "unknown"), note="look", by=charlie, now=NOW),
    "token_id": lambda _, charlie: token_of(charlie)[0],
    "export_id": lambda _, charlie: make_export(make_member(charlie.organisation, Role.AUDITOR)),
}
"""Other parameters of addresses, and how each is made."""


@pytest.fixture
def foreign_item(charlie) -> QueueItem:
    """In Charlie's organisation, where Alice has no business."""
    return make_item(charlie.organisation, **FOREIGN)


@pytest.fixture
def foreign_ids(charlie, foreign_item):
    """Everything that an address may name, of Charlie's organisation."""
    with tenant.within(charlie.organisation_id):
        key, _ = create_service_key(
            organisation=charlie.organisation, owner=charlie.user, name="runtime", scopes=[Scope.READ], at=NOW, by=SYSTEM
        )
        ids = {name: make(foreign_item, charlie).pk for name, make in MADE.items()} | Standing(charlie.organisation).ids_for("")
    ids |= {"item_id": foreign_item.pk, "key_id": key.pk, "snapshot_id": foreign_item.pk, "event_id": last_event(charlie.organisation)}
    return ids | {"member_id": charlie.pk, "organisation_id": charlie.organisation_id}


@pytest.fixture
def own_clients(organisation) -> dict[str, Client]:
    """Somebody of each role."""
    return {role: sign_in(make_member(organisation, role)) for role in Role}


def who_may(own_clients, address: Address) -> Client:
    return next(client for role, client in own_clients.items() if ENDPOINTS[address.name][0] in ROLE_PERMISSIONS[role])


def ask(client: Client, address: Address, ids, item: QueueItem, **headers: str):
    (method,) = ENDPOINTS[address.name][1]
    form = dict(valid_form(address.name, item)) if method == "POST" else {}
    return client.get(address.path(**ids)) if method == "GET" else client.post(address.path(**ids), form, headers=headers)


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
def test_an_id_of_another_organisation_is_not_found_and_nothing_happens(own_clients, foreign_ids, foreign_item, headers):
    before = state_of_tables()

    statuses = {each.name: ask(who_may(own_clients, each), each, foreign_ids, foreign_item, **headers).status_code for each in FOR_PEOPLE}

    assert {name: status for name, status in statuses.items() if status != 404} == {}
    assert state_of_tables() == before


def test_an_id_of_another_organisation_looks_like_one_that_nobody_has(own_clients, foreign_ids, foreign_item):
    unknown = dict.fromkeys(foreign_ids, uuid.uuid4())
    for address in FOR_PEOPLE:
        client = who_may(own_clients, address)

        foreign, missing = ask(client, address, foreign_ids, foreign_item), ask(client, address, unknown, foreign_item)

        assert (foreign.status_code, missing.status_code) == (404, 404), address.name
        assert _without_token_and_time(foreign) == _without_token_and_time(missing), address.name


def _without_token_and_time(response) -> str:
    """Return the page without the token and the seconds that the session has left, which differ between any two requests."""
    return re.sub(r'data-left="\d+"|name="csrfmiddlewaretoken" value="[^"]*"', "", response.content.decode())


def test_a_key_of_another_organisation_finds_nothing_by_id(organisation, foreign_ids):
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation, *Scope)}"})
    before = state_of_tables()
    for address in FOR_PROGRAMS:
        foreign, missing = client.get(address.path(**foreign_ids)), client.get(address.path(**dict.fromkeys(foreign_ids, uuid.uuid4())))

        assert (foreign.status_code, missing.status_code) == (404, 404), address.name
        assert foreign.content == missing.content, address.name
    assert state_of_tables() == before


def test_a_token_of_another_organisation_finds_nothing_by_id(lead, foreign_ids, foreign_item):
    program = program_of_member(lead)
    program.get("/api/v1/items")  # its last use is written down
    before = state_of_tables()
    for address in FOR_MEMBERS:
        ask_as_program = partial(
            program.generic, *ENDPOINTS[address.name][1], data=valid_body(address.name, foreign_item), content_type="application/json"
        )
        foreign, missing = (ask_as_program(address.path(**ids)) for ids in (foreign_ids, dict.fromkeys(foreign_ids, uuid.uuid4())))

        assert (foreign.status_code, missing.status_code) == (404, 404), address.name
        assert foreign.content == missing.content, address.name
    assert state_of_tables() == before


def test_the_same_external_id_is_another_record_in_another_organisation(organisation, charlie):
    ours, theirs = make_item(organisation, id="turn-x"), make_item(charlie.organisation, id="turn-x", response="something else")

    assert ours.pk != theirs.pk
    assert {ours.organisation_id, theirs.organisation_id} == {organisation.pk, charlie.organisation_id}


@pytest.mark.parametrize(
    ("query", "own"),
    [
        ("", 1),
        ("state=to_do&state=held&state=skipped&state=submitted", 1),
        ("model=model-foreign", 0),
        ("prompt=prompt+foreign", 0),
        ("section=foreign_section", 0),
        ("guardrail=unknown", 0),
        ("flagged=on", 0),
        ("signed=holds&signed=void&signed=none", 0),
    ],
)
def test_the_queue_lists_and_counts_nothing_of_another_organisation(alice, charlie, item, foreign_item, query, own):
    with tenant.within(charlie.organisation_id):
        flag_finding(choice=choose_finding(foreign_item, "unknown"), note="look", by=charlie, now=NOW)

    response = sign_in(alice).get(f"/queue/?{query}")

    page, offered = response.context["page"], {option.value for _, _, options in response.context["options"] for option, _ in options}
    assert (page.count, len(page.rows)) == (own, own)
    assert response.context["counts"] == {"all": 1, "to_do": 1}
    assert offered & {"model-foreign", "prompt foreign", "foreign_section", "unknown"} == set()
    assert "conversation-foreign" not in response.content.decode()


def test_words_of_another_organisation_are_found_only_there(alice, charlie, item, foreign_item):
    counts = {}
    for member in (alice, charlie):
        client = sign_in(member)
        found = client.post("/queue/search/", {"words": FOREIGN_WORDS}, follow=True)
        counts[member] = found.context["page"].count
    assert counts == {alice: 0, charlie: 1}


def test_a_search_of_somebody_else_cannot_be_used(alice, bob):
    address = sign_in(alice).post("/queue/search/", {"words": "somebody soon"})["Location"]

    shown = sign_in(bob).get(address)

    assert "somebody soon" not in shown.content.decode()


def test_the_next_item_is_never_one_of_another_organisation(alice, foreign_item):
    response = sign_in(alice).post("/queue/next/")

    assert response["Location"] == "/queue/?nothing=1"
    with tenant.within(foreign_item.organisation_id):
        assert foreign_item.leases.count() == 0


@pytest.mark.parametrize("direction", ["previous", "next"])
def test_beside_the_own_items_lies_the_queue_and_no_foreign_item(alice, charlie, item, foreign_item, direction):
    make_item(charlie.organisation, answered_at="2020-01-01T00:00:00Z")
    make_item(charlie.organisation, answered_at="2030-01-01T00:00:00Z")

    assert sign_in(alice).get(f"/items/{item.pk}/{direction}/")["Location"] == "/queue/"


def test_reviews_of_another_organisation_do_not_count_today(alice, charlie, item):
    """Somebody may be a member of both."""
    both = make_member(make_organisation(), Role.REVIEWER)
    theirs = make_item(charlie.organisation)
    with tenant.within(charlie.organisation_id):
        other = type(both).objects.create(organisation=charlie.organisation, user=both.user, role=Role.REVIEWER)
        actions.label_remaining(item_id=theirs.pk, by=other, now=NOW)
        actions.submit(item_id=theirs.pk, by=other, now=NOW)
        assert counts.count_today(other, NOW) == 1
    assert counts.count_today(both, NOW) == 0


def test_a_page_key_of_another_organisation_leads_to_nothing_foreign(alice, item, foreign_item):
    key = f"{foreign_item.answered_at.isoformat()}~{foreign_item.pk}"

    for way in ("after", "before"):
        response = sign_in(alice).get("/queue/", {way: key})
        assert str(foreign_item.pk) not in response.content.decode().replace(key, "")


def test_a_row_of_another_organisations_attribution_is_no_row_of_this_item(alice, item, foreign_item):
    choice = actions.RowChoice(item.pk, foreign_item.attribution_id, 0)

    with pytest.raises(Refused, match="attributed again"):
        actions.save_label(choice=choice, verdict=Verdict.CORRECT, by=alice, now=NOW)
