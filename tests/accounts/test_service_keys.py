"""Service keys: shown once, kept as a digest, working for their scopes until revoked."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import pytest
from django.test import Client, RequestFactory
from django.utils import timezone

from reviewers.accounts import actions
from reviewers.accounts.actions import KEY_PREFIX, create_service_key, digest_secret, revoke_service_key
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, Organisation, Role, Scope, ServiceKey, User
from reviewers.accounts.queries import find_service_key
from reviewers.accounts.service_keys import FailureRate, KeyRate
from tests.events import events
from tests.factories import NOW, make_key, make_member, make_record, sign_in

KEYS = "/settings/keys/"


def bearer(secret: str) -> Client:
    return Client(headers={"Authorization": f"Bearer {secret}"})


def make(client: Client, **form: object):
    return client.post(KEYS, {"name": "agent runtime", "scopes": ["ingest"]} | form)


def status_of(secret: str) -> int:
    return bearer(secret).get("/api/v1/instruction").status_code


@pytest.fixture
def secret(administrator) -> str:
    """Of a key that was just made on the page."""
    return make(sign_in(administrator)).context["secret"]


def test_the_secret_is_shown_on_the_page_that_made_it_and_never_again(administrator):
    client = sign_in(administrator)
    shown = make(client)
    secret = shown.context["secret"]

    assert shown.content.decode().count(secret) == 1
    assert shown["Cache-Control"] == "no-store"
    assert secret not in client.get("/settings/").content.decode()


def test_the_secret_is_long_and_random_and_says_what_it_is(organisation):
    secrets = [make_key(organisation) for _ in range(5)]

    assert len(set(secrets)) == 5
    assert {(secret[: len(KEY_PREFIX)], len(secret)) for secret in secrets} == {("fn_", 46)}


def test_only_a_digest_and_the_beginning_are_kept(secret):
    key = ServiceKey.objects.get()

    assert bytes(key.digest) == hashlib.sha256(secret.encode()).digest() == digest_secret(secret)
    assert key.hint == secret[:8]
    kept = {field.name: str(getattr(key, field.attname)) for field in key._meta.concrete_fields}
    assert {name for name, value in kept.items() if secret in value or secret[8:] in value} == set()


def test_the_secret_stands_in_no_event(secret):
    assert secret[8:] not in str(events())


def test_the_page_lists_name_beginning_scopes_and_owner(administrator, secret):
    page = sign_in(administrator).get("/settings/").content.decode()

    for shown in ("agent runtime", f"{secret[:8]}…", "ingest", "Ada Abbot"):
        assert shown in page


def test_a_key_belongs_to_whoever_made_it_and_that_is_written_down(administrator, secret):
    key = ServiceKey.objects.get()

    assert (key.owner, key.organisation) == (administrator.user, administrator.organisation)
    (event,) = events("service_key.created")
    assert event["actor"] == {"kind": "user", "id": str(administrator.user_id)}
    assert event["object"] == {"type": "service_key", "id": str(key.pk)}
    assert event["details"] == {"owner": str(administrator.user_id), "scopes": ["ingest"]}


def test_what_a_program_does_is_written_down_as_done_by_its_key(organisation, secret):
    bearer(secret).post("/api/v1/snapshots", json.dumps(make_record()), content_type="application/json")

    (event,) = events("snapshot.frozen")
    assert event["actor"] == {"kind": "service_key", "id": str(ServiceKey.objects.get().pk)}


@pytest.mark.parametrize(
    "form",
    [
        {"name": ""},
        {"name": "x" * 101},
        {"name": "a\x00b"},
        {"scopes": []},
        {"scopes": ["everything"]},
        {"scopes": ["ingest", "everything"]},
        {"scopes": ["\x00"]},
    ],
    ids=["no name", "a long name", "NUL", "no scope", "an unknown scope", "one of them unknown", "NUL as scope"],
)
def test_a_form_that_makes_no_key_says_so_and_makes_none(administrator, form):
    response = make(sign_in(administrator), **form)

    assert response.status_code == 422
    assert 'class="errorlist"' in response.content.decode()
    assert not ServiceKey.objects.exists()


@pytest.mark.parametrize("role", [Role.REVIEWER, Role.LEAD, Role.COORDINATOR, Role.AUDITOR])
def test_only_administrators_make_and_revoke_keys(organisation, administrator, secret, role):
    other = sign_in(make_member(organisation, role))

    assert make(other).status_code == 403
    assert other.post(f"{KEYS}{ServiceKey.objects.get().pk}/revoke/").status_code == 403
    assert status_of(secret) == 200


@pytest.mark.parametrize("role", [Role.LEAD, Role.AUDITOR])
def test_who_may_only_read_the_settings_sees_no_button(organisation, secret, role):
    page = sign_in(make_member(organisation, role)).get("/settings/").content.decode()

    assert "agent runtime" in page
    assert "Make the key" not in page
    assert "/revoke/" not in page


def test_a_revoked_key_is_refused_at_once_and_that_is_written_down(administrator, secret):
    key = ServiceKey.objects.get()
    before = status_of(secret)

    sign_in(administrator).post(f"{KEYS}{key.pk}/revoke/")

    assert (before, status_of(secret)) == (200, 401)
    (event,) = events("service_key.revoked")
    assert event["object"] == {"type": "service_key", "id": str(key.pk)}
    assert event["actor"]["id"] == str(administrator.user_id)


def test_revoking_again_changes_nothing(administrator, secret):
    client, key = sign_in(administrator), ServiceKey.objects.get()
    client.post(f"{KEYS}{key.pk}/revoke/")
    first = ServiceKey.objects.get().revoked_at

    assert client.post(f"{KEYS}{key.pk}/revoke/").status_code == 302
    assert ServiceKey.objects.get().revoked_at == first
    assert len(events("service_key.revoked")) == 1


def test_a_revoked_key_stays_in_the_list(administrator, secret):
    client = sign_in(administrator)

    page = client.post(f"{KEYS}{ServiceKey.objects.get().pk}/revoke/", follow=True).content.decode()

    assert "“agent runtime” no longer works." in page
    assert secret[:8] in page
    assert "Revoked" in page


def test_a_key_stops_when_its_owners_account_is_closed(administrator, secret):
    User.objects.filter(pk=administrator.user_id).update(is_active=False)

    assert status_of(secret) == 401


def test_a_key_goes_on_when_its_owner_leaves_the_organisation(administrator, secret):
    """The programs of an organisation do not stop because somebody changes their post; an administrator revokes their keys."""
    Membership.objects.filter(pk=administrator.pk).update(ended_at=NOW)

    assert status_of(secret) == 200


def test_a_key_without_the_scope_is_told_which_one_it_lacks(organisation):
    response = bearer(make_key(organisation, Scope.READ)).get("/api/v1/instruction")

    assert (response.status_code, response.json()) == (403, {"detail": "This key has not the scope “ingest”."})


@pytest.mark.parametrize(
    "header",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic {secret}",
        "{secret}",
        "Bearer {secret}x",
        "Bearer {less}",
        "Bearer {upper}",
        "Bearer fn_",
        "Bearer {digest}",
        "Bearer fn_\x00",
        "Bearer fn_ÿþ",
        "Bearer " + "x" * 8_000,
    ],
)
def test_what_is_not_quite_a_key_is_refused(secret, header):
    forms = {"secret": secret, "less": secret[:-1], "upper": secret.upper(), "digest": digest_secret(secret).hex()}
    client = Client(headers={"Authorization": header.format(**forms)})

    response = client.get("/api/v1/instruction")

    assert (response.status_code, response.json()) == (401, {"detail": "Unauthorized"})


def test_a_key_is_looked_up_by_its_digest_alone(secret, django_assert_num_queries):
    """No comparison in Python whose time could tell how much of a guess was right."""
    key = ServiceKey.objects.get()
    with django_assert_num_queries(1):
        assert find_service_key(secret, NOW) == key
    with django_assert_num_queries(0):
        assert find_service_key("sk_" + secret, NOW) is None


def test_an_unknown_scope_makes_no_key(organisation, administrator):
    with pytest.raises(ValueError, match="everything"):
        create_service_key(organisation=organisation, owner=administrator.user, name="x", scopes=["everything"], at=NOW, by=SYSTEM)


def test_an_organisation_has_so_many_keys_that_work_and_no_more(administrator, monkeypatch):
    monkeypatch.setattr(actions, "MOST_KEYS", 1)
    client = sign_in(administrator)
    first, second = (make(client) for _ in range(2))
    assert (first.status_code, second.status_code) == (200, 409)
    assert "There are 1 keys that work. Revoke one" in second.content.decode()

    revoke_service_key(key=ServiceKey.objects.get(), at=NOW, by=SYSTEM)
    assert make(client).status_code == 200


def test_two_who_revoke_a_key_revoke_it_once(organisation, administrator):
    key, _ = create_service_key(organisation=organisation, owner=administrator.user, name="x", scopes=["read"], at=NOW, by=SYSTEM)
    stale = ServiceKey.objects.get(pk=key.pk)

    revoke_service_key(key=key, at=NOW, by=SYSTEM)
    revoke_service_key(key=stale, at=NOW, by=SYSTEM)

    assert len(events("service_key.revoked")) == 1


def test_a_key_opens_one_organisation(secret, charlie):
    """It answers for its own, whatever other organisations have switched."""
    Organisation.objects.filter(pk=charlie.organisation_id).update(asks_for_citations=True)

    assert bearer(secret).get("/api/v1/instruction").json()["on"] is False


def test_a_key_works_until_it_runs_out(administrator, organisation):
    client = sign_in(administrator)
    secret = client.post(KEYS, {"name": "short", "scopes": ["read"], "days": "30"}).context["secret"]
    now = timezone.now()

    assert find_service_key(secret, now + timedelta(days=29)) is not None
    assert find_service_key(secret, now + timedelta(days=31)) is None
    assert "expires" in events("service_key.created")[0]["details"]
    ServiceKey.objects.update(expires_at=now)
    assert bearer(secret).get("/api/v1/instruction").status_code == 401
    assert "Has run out" in client.get("/settings/").content.decode()


def test_the_settings_say_when_a_key_was_last_used(administrator, secret):
    client = sign_in(administrator)
    before = client.get("/settings/").context["keys"][0].last_used_at
    bearer(secret).get("/api/v1/instruction")
    used = client.get("/settings/").context["keys"][0].last_used_at
    bearer(secret).get("/api/v1/instruction")

    assert before is None
    assert timezone.now() - used < timedelta(minutes=1)
    assert client.get("/settings/").context["keys"][0].last_used_at == used, "written once a minute"


def test_a_key_and_an_address_of_the_same_text_are_counted_apart():
    key = ServiceKey()
    request = RequestFactory().get("/", REMOTE_ADDR="::1")
    request.auth = key
    key.pk = "::1"

    assert KeyRate().get_cache_key(request) == "key:::1"
    assert FailureRate().get_cache_key(request) == "failures:::/64"
