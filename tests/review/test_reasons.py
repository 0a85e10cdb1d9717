"""Where an organisation wants it, a record outside one's own queue is opened with a reason, and without one nothing of it is shown."""

from __future__ import annotations

from operator import itemgetter

import pytest
from django.utils import timezone

from reviewers.accounts.actions import switch_asking_why
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role
from reviewers.accounts.permissions import ROLE_PERMISSIONS
from reviewers.accounts.texts import Surface
from reviewers.review.labels import actions
from tests.events import events
from tests.factories import NOW, label, make_item, make_member, sign_in
from tests.review.redacting.redactable import make_proposal
from tests.review.signed import make_submitted, sign_as_it_stands
from tests.sampling import sampled
from tests.web.endpoints import ENDPOINTS, GET, addresses, find_address

WHY = {"kind": "audit", "reason": "the yearly look at Ada"}


@pytest.fixture(autouse=True)
def asking(organisation):
    switch_asking_why(organisation=organisation, on=True, at=NOW, by=SYSTEM)


def is_asked(response) -> bool:
    text = response.content.decode()
    assert "elevated" not in text or "Why do you open" not in text
    return "Why do you open this record?" in text


READING = [address for address in addresses() if "item_id" in address.takes and ENDPOINTS[address.name][1] == GET]


@pytest.mark.parametrize("address", READING, ids=lambda address: address.name)
@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
def test_before_a_reason_an_auditor_sees_nothing_of_it_by_any_address(auditor, item, address, headers):
    response = sign_in(auditor).get(address.path(item_id=item.pk, ordinal=0, place=0), headers=headers)

    assert "elevated" not in response.content.decode()
    assert events("snapshot.viewed") + events("record.viewed") == []


@pytest.mark.parametrize("part", ["", "record/", "sources/"])
def test_an_auditor_is_asked(auditor, item, part):
    assert is_asked(sign_in(auditor).get(f"/items/{item.pk}/{part}"))


def test_with_a_reason_it_opens_and_is_not_asked_again_in_this_session(auditor, item):
    client, path = sign_in(auditor), f"/items/{item.pk}/"
    opened = client.post(f"{path}why/", WHY | {"next": f"{path}?unfound=1"})

    assert opened["Location"] == f"{path}?unfound=1"
    assert not is_asked(client.get(path))
    assert is_asked(sign_in(auditor).get(path))


def test_the_reason_is_written_down_its_kind_told_and_its_words_kept_apart(auditor, item):
    client = sign_in(auditor)
    client.post(f"/items/{item.pk}/why/", WHY)

    (event,) = events("access.explained")
    assert (event["details"], event["object"]["id"], event["actor"]["id"]) == ({"kind": "audit"}, str(item.pk), str(auditor.user_id))
    assert "Ada" not in str(event)
    assert [row.reason for row in client.get("/access/").context["page"].rows] == [WHY["reason"]]


@pytest.mark.parametrize("form", [{}, {"kind": "audit"}, {"kind": "because", "reason": "x"}, {"kind": "audit", "reason": " "}])
def test_without_a_reason_it_stays_closed(auditor, item, form):
    client = sign_in(auditor)

    assert client.post(f"/items/{item.pk}/why/", form).status_code == 422
    assert is_asked(client.get(f"/items/{item.pk}/"))


def test_of_what_is_to_do_nobody_who_labels_is_asked(alice, lead, item):
    assert not is_asked(sign_in(alice).get(f"/items/{item.pk}/"))
    assert not is_asked(sign_in(lead).get(f"/items/{item.pk}/"))


def test_what_somebody_else_holds_is_not_ones_own(alice, bob, item):
    actions.take(item_id=item.pk, by=bob, now=timezone.now())

    assert not is_asked(sign_in(bob).get(f"/items/{item.pk}/"))
    assert is_asked(sign_in(alice).get(f"/items/{item.pk}/"))


def test_what_one_finished_is_ones_own_and_what_others_finished_is_not(alice, bob, item):
    actions.label_remaining(item_id=item.pk, by=alice, now=timezone.now())
    actions.submit(item_id=item.pk, by=alice, now=timezone.now())

    assert not is_asked(sign_in(alice).get(f"/items/{item.pk}/"))
    assert is_asked(sign_in(bob).get(f"/items/{item.pk}/"))


def test_a_refused_label_is_no_way_around_it(alice, bob, item):
    actions.take(item_id=item.pk, by=bob, now=timezone.now())

    assert is_asked(label(sign_in(alice), item))


def test_a_part_of_the_page_leads_to_the_question(auditor, item):
    headers = {"HX-Request": "true", "HX-Current-URL": f"http://testserver/items/{item.pk}/"}
    response = sign_in(auditor).get(f"/items/{item.pk}/unfound/", headers=headers)

    assert (response.content, response["HX-Redirect"]) == (b"", f"/items/{item.pk}/")


def test_where_it_is_off_nobody_is_asked(organisation, auditor, item):
    switch_asking_why(organisation=organisation, on=False, at=NOW, by=SYSTEM)

    assert not is_asked(sign_in(auditor).get(f"/items/{item.pk}/"))


def test_the_way_on_leads_to_no_other_site(auditor, item):
    response = sign_in(auditor).post(f"/items/{item.pk}/why/", WHY | {"next": "//elsewhere.example/"})

    assert response["Location"] == f"/items/{item.pk}/"


def test_a_record_of_another_organisation_is_not_asked_about(alice, charlie):
    theirs = make_item(charlie.organisation)

    assert sign_in(alice).get(f"/items/{theirs.pk}/").status_code == 404
    assert sign_in(alice).post(f"/items/{theirs.pk}/why/", WHY).status_code == 404


ONE_RECORD = {"item_id", "case_id", "signature_id", "redaction_id"}
"""Parameters of addresses of one record."""

TELLS_NO_TEXT = {
    "receipt": "a receipt commits to texts without telling any",
    "citation_search": "says how a search stands, and no word of the answer",
    "previous": "leads to another answer, which asks for itself",
    "next": "the same",
}

SHOWN_AT: dict[Surface, set[str]] = {
    Surface.ITEM: {"item", "unfound", "sources", "passage", "conversation", "client", "signing"},
    Surface.RECORD: {"record", "statement"},
    Surface.CONFLICT: {"conflict"},
    Surface.REDACTIONS: {"redact", "redaction"},
    Surface.WHY: {"why"},
    Surface.COMPARE: {"compare"},
}
"""Where the table of texts has the text of one record. Its other surfaces are lists, files that are exported with a reason, and the API."""

OPENING = sorted(
    (address.name, role)
    for address in addresses()
    if ONE_RECORD & set(address.takes) and ENDPOINTS[address.name][1] == GET and address.name not in TELLS_NO_TEXT
    for role in Role
    if ENDPOINTS[address.name][0] in ROLE_PERMISSIONS[role]
)


def test_every_address_of_one_record_shows_text_of_the_table_or_none():
    assert {name for name, _ in OPENING} == set().union(*SHOWN_AT.values())
    files = {surface for surface in Surface if surface.value.startswith("file")}
    lists = {Surface.QUEUE, Surface.CONFLICTS, Surface.SUGGESTIONS, Surface.PLANS, Surface.QUALITY, Surface.CALIBRATION, Surface.CHANGES}
    apart = {Surface.HOLDS, Surface.LABELS, Surface.ACCESS, Surface.LEDGER, Surface.EXPORTS, Surface.API, Surface.WEBHOOK}
    assert set(Surface) == SHOWN_AT.keys() | files | lists | apart, "a new surface says here whether it shows one record"


@pytest.mark.parametrize(("name", "role"), sampled(OPENING, itemgetter(1), more=10))
def test_whatever_shows_the_text_of_a_record_asks_first(organisation, bob, name, role):
    address, member = find_address(name), make_member(organisation, role, "Rita Reader")
    item = make_submitted(bob, provider="Ada Quill")
    signature = sign_as_it_stands(item, bob)
    ids = {"item_id": item.pk, "case_id": item.pk, "signature_id": signature.pk}
    if "redaction_id" in address.takes:
        ids["redaction_id"] = make_proposal(item).pk
    client = sign_in(member)

    assert is_asked(client.get(address.path(**ids, ordinal=0, place=0)))
    at = {"why": "explain_why", "compare": "explain_why", "redact": "explain_redaction", "redaction": "explain_redaction"}
    client.post(find_address(at.get(name, "explain")).path(item_id=item.pk), WHY)
    assert not is_asked(client.get(address.path(**ids, ordinal=0, place=0)))


def test_each_of_the_answers_side_by_side_is_asked_about(organisation, bob, coordinator):
    first, second = (make_submitted(bob, provider=name) for name in ("Ada Quill", "Bea Brook"))
    client, path = sign_in(coordinator), f"/why/{first.pk}/compare/"
    client.post(f"/why/{first.pk}/reason/", WHY)

    asked = client.get(path)
    assert is_asked(asked)
    assert asked.context["item_id"] == second.pk
    client.post(f"/why/{second.pk}/reason/", WHY)
    assert not is_asked(client.get(path))
