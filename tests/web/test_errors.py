"""When something goes wrong the page says what, in plain words, and nothing of what was sent or stored."""

from __future__ import annotations

from html import unescape

import pytest
from django.core.cache import cache
from django.test import Client

from reviewers.review.models import QueueItem
from reviewers.snapshots.models import SnapshotAttribution
from tests.factories import make_key, sign_in
from tests.ledger.deeds import PROTECTED, prepare

SAID = {
    400: "That request makes no sense",
    403: "You don’t have access",
    404: "There is nothing here",
    405: "This address takes a form",
    429: "Too many attempts",
    500: "Something failed on our side",
}
NEVER = ("Traceback", "Exception", "psycopg", "/reviewers/", "site-packages", "DEBUG", "SELECT", "urlpatterns")


def check_page(response, status: int) -> str:
    """A whole page with a heading, words and a way on."""
    text = response.content.decode()
    assert response.status_code == status
    assert text.startswith("<!doctype html>")
    assert f"<h1>{SAID[status]}</h1>" in text
    assert '<a href="/">Home</a>' in text
    assert [word for word in NEVER if word in text] == []
    return text


@pytest.mark.parametrize("path", ["/nowhere/", "/items/not-an-id/", "/items/00000000-0000-0000-0000-000000000000/", "/accounts/nowhere/"])
def test_nothing_is_found_and_the_page_says_so(alice, path):
    for client in (sign_in(alice), Client()):
        response = client.get(path)
        if response.status_code != 302:
            check_page(response, 404)
    check_page(sign_in(alice).get(path), 404)


def test_the_page_does_not_repeat_what_was_looked_for(client, db):
    text = check_page(client.get(f"/{PROTECTED['value'].replace(' ', '-')}/?q=vermilion"), 404)

    assert PROTECTED["value"].replace(" ", "-") not in text
    assert "vermilion" not in text


def test_what_a_role_may_not_do_is_said_with_the_role(coordinator):
    assert "The role coordinator may not read items." in check_page(sign_in(coordinator).get("/queue/"), 403)


def test_a_form_that_is_not_ours_is_refused_in_words(alice):
    text = check_page(sign_in(alice, enforce_csrf_checks=True).post("/queue/next/"), 403)

    assert "This form is from an earlier session. Reload the page and try again." in text


def test_a_form_under_an_address_that_the_site_does_not_expect_is_told_apart(alice):
    there = {"Origin": "https://testserver:8443"}
    text = check_page(sign_in(alice, enforce_csrf_checks=True).post("/queue/next/", headers=there), 403)

    assert "a proxy has to pass on the host name and the port" in text


@pytest.mark.parametrize("path", ["/queue/next/", "/queue/search/", "/settings/keys/", "/settings/citations/"])
def test_an_address_for_forms_that_is_opened_as_a_page_explains_itself(alice, path):
    """It happens to whoever was signed out meanwhile: signing in leads back to where the form went."""
    response = sign_in(alice).get(path)

    assert "go back and send the form once more" in check_page(response, 405)
    assert response["Allow"] == "POST"


def test_a_program_that_errs_in_the_method_gets_a_status_and_no_page(organisation):
    client = Client(headers={"Authorization": f"Bearer {make_key(organisation)}"})

    response = client.put("/api/v1/snapshots", "{}", content_type="application/json")

    assert response.status_code == 405
    assert "<html" not in response.content.decode()


def test_a_request_that_makes_no_sense_is_told_so(alice):
    fields = "&".join(f"field{number}=x" for number in range(1_001))
    client = sign_in(alice)

    check_page(client.post("/queue/next/", fields, content_type="application/x-www-form-urlencoded"), 400)
    check_page(client.post("/queue/next/", b"x", content_type="multipart/form-data"), 400)


def test_a_form_that_is_too_large_is_told_so(alice, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000

    check_page(sign_in(alice).post("/queue/search/", {"words": "x" * 2_000}), 400)


def test_who_tries_too_often_is_told_to_wait(client, db, settings):
    del settings.ACCOUNT_RATE_LIMITS
    cache.clear()
    for _ in range(20):
        client.post("/accounts/password/reset/", {"email": "nobody@example.org"})

    response = client.post("/accounts/password/reset/", {"email": "nobody@example.org"})

    cache.clear()
    assert "Wait a minute and try again." in check_page(response, 429)


def test_a_host_that_is_not_ours_is_told_nothing(client, db):
    text = check_page(client.get("/accounts/login/", headers={"Host": "elsewhere.example"}), 400)

    assert "elsewhere" not in text


@pytest.fixture
def damaged_item(item) -> QueueItem:
    """Its attribution cannot be read."""
    attribution = SnapshotAttribution.objects.get(pk=item.attribution_id)
    attribution.pk, attribution.engine_version, attribution.document = None, "damaged", PROTECTED["value"].encode()
    attribution.save(force_insert=True)
    QueueItem.objects.filter(pk=item.pk).update(attribution=attribution)
    return item


def test_what_fails_on_our_side_is_said_without_what_failed(alice, damaged_item):
    client = sign_in(alice, raise_request_exception=False)

    text = check_page(client.get(f"/items/{damaged_item.pk}/"), 500)

    assert str(damaged_item.pk) not in text
    assert PROTECTED["value"] not in text


def test_where_not_even_the_page_can_be_drawn_its_words_are_said(client, settings, tmp_path):
    """As before static files are collected."""
    settings.STATIC_ROOT = tmp_path
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"}}
    client.raise_request_exception = False

    response = client.get("/nowhere/")

    assert response.status_code == 500
    assert "<h1>Something failed on our side</h1>" in response.content.decode()
    assert "manifest" not in response.content.decode()


@pytest.mark.parametrize("form", [{"verdict": "perhaps"}, {"row": "99"}, {"row": "-1"}, {"attribution": "x"}, {"reason": "x" * 2_001}])
def test_a_form_that_lacks_something_is_answered_with_its_page_and_the_reason(alice, item, form):
    valid = {"row": "0", "attribution": str(item.attribution_id), "verdict": "correct"}

    response = sign_in(alice).post(f"/items/{item.pk}/label/", valid | form)

    text = response.content.decode()
    assert response.status_code == 422
    assert response.context["notice"] in unescape(text)
    assert "Dr. Ada Quill" in text
    assert [word for word in NEVER if word in text] == []


def test_a_refusal_keeps_the_page_in_sight(db):
    deed = prepare("submit")
    deed.form = {}
    first = deed.send()
    again = deed.send()

    assert (first.status_code, again.status_code) == (302, 409)
    assert "This review has been submitted." in again.content.decode()
    assert PROTECTED["answer"] in again.content.decode()
