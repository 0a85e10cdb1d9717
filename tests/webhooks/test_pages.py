"""The pages of webhooks: an administrator adds an endpoint, sees its secret once, and what was delivered."""

from __future__ import annotations

import re

import pytest

from reviewers.webhooks.models import Endpoint
from tests.factories import make_member, sign_in, without_proofs
from tests.webhooks.endpoints import make_delivery

pytestmark = pytest.mark.django_db

FORM = {"address": "https://desk.example.org/hook", "kinds": ["alarm.raised", "flag.raised"]}


@pytest.fixture
def admin(organisation):
    return sign_in(make_member(organisation, "administrator"))


def test_the_secret_is_shown_once_and_stored_encrypted(admin):
    (secret,) = re.findall(r"whsec_[A-Za-z0-9+/=]{44}", admin.post("/settings/webhooks/add/", FORM).text)

    endpoint = Endpoint.objects.get()
    assert (endpoint.address, endpoint.kinds) == (FORM["address"], FORM["kinds"])
    assert secret not in endpoint.sealed_secret
    assert "whsec_" not in admin.get("/settings/webhooks/").text


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("http://desk.example.org/", "begins with https://"),
        ("https://", "no address of a page"),
        ("https://desk.example.org:x/", "no address of a page"),
        ("https://me:secret@desk.example.org/", "no sign-in"),
        ("https://10.1.2.3/hook", "private network"),
        ("https://localhost:8000/hook", "private network"),
        ("https://169.254.169.254/latest/", "private network"),
        ("https://[::ffff:10.0.0.1]/", "private network"),
        ("https://[64:ff9b::a00:1]/", "private network"),
        ("https://[2002:a00:1::]/", "private network"),
    ],
)
def test_an_address_where_nothing_is_sent_is_refused(admin, address, reason):
    response = admin.post("/settings/webhooks/add/", FORM | {"address": address})

    assert (response.status_code, Endpoint.objects.count()) == (422, 0)
    assert reason in response.text


def test_without_a_proof_nothing_is_added(organisation):
    without_proofs(make_member(organisation, "administrator")).post("/settings/webhooks/add/", FORM)

    assert not Endpoint.objects.exists()


def test_the_page_of_an_endpoint_shows_what_was_answered_and_sends_again(admin, organisation):
    delivery = make_delivery(organisation)
    path = f"/settings/webhooks/{delivery.endpoint_id}/"

    page = admin.get(path).text
    assert "The endpoint answered 500" in page
    assert "given up" in page
    assert "Send again" in page

    assert admin.post(f"/settings/webhooks/deliveries/{delivery.pk}/again/").url == path
    assert "waiting" in admin.get(path).text
