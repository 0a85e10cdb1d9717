"""Whatever comes in, nothing breaks: no parameter, form, body, header or path makes an error of ours."""

from __future__ import annotations

import json
from urllib.parse import urlencode

import pytest
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.factories import make_item, sign_in
from tests.ledger.deeds import prepare
from tests.web.endpoints import ENDPOINTS, addresses

NAMES = ["state", "source", "guardrail", "section", "model", "prompt", "since", "until", "flagged", "search", "after", "before"]
NAMES += ["nothing", "unfound", "next", "page", "query", ""]

VALUES = {
    "NUL": "%00",
    "NUL within": "a%00b",
    "no UTF-8": "%ff%fe",
    "half a surrogate": "%ed%a0%80",
    "half an escape": "%",
    "control characters": "%01%0d%0a%1b%7f",
    "a huge number": "9" * 5_000,
    "a negative number": "-1",
    "no number": "1e999",
    "other digits": "%D9%A3%EF%BC%99",
    "the first day": "0001-01-01",
    "the last day": "9999-12-31",
    "no day": "2026-02-30",
    "a page key before time": "0001-01-01T00:00:00%2B14:00~" + "0" * 32,
    "a page key after time": "9999-12-31T23:59:59-14:00~" + "f" * 32,
    "a page key without a zone": "2026-01-01T00:00:00~" + "f" * 32,
    "a page key without an identifier": "2026-01-01T00:00:00Z~",
    "quotes": "%27%22%3B--%5C",
    "markup": "%3Cscript%3E",
    "operators": "%26%7C%21%3A%2A%28%29",
    "long": "x" * 7_000,
}

BODIES = {
    "nothing": ("", "application/x-www-form-urlencoded"),
    "no form": ("\x00\xff{[", "application/x-www-form-urlencoded"),
    "no UTF-8": (b"row=%ff&note=\xff\xfe&words=\xed\xa0\x80", "application/x-www-form-urlencoded"),
    "a thousand fields": ("&".join(f"f{number}=1" for number in range(1_500)), "application/x-www-form-urlencoded"),
    "JSON": ('{"row": 0}', "application/json"),
    "text": ("row=0", "text/plain"),
    "no type": ("row=0", ""),
    "a type of nonsense": ("row=0", "/;;=\x01"),
    "parts without a boundary": ("row=0", "multipart/form-data"),
    "parts that do not end": (b'--x\r\nContent-Disposition: form-data; name="row"\r\n\r\n0', "multipart/form-data; boundary=x"),
    "parts that are none": (b"\x00\x01", "multipart/form-data; boundary=x"),
    "a part that is a file": (
        b'--x\r\nContent-Disposition: form-data; name="row"; filename="../a"\r\nContent-Type: text/plain\r\n\r\n0\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    ),
    "a part in no base64": (
        b'--x\r\nContent-Disposition: form-data; name="row"\r\nContent-Transfer-Encoding: base64\r\n\r\n!\r\n--x--\r\n',
        "multipart/form-data; boundary=x",
    ),
    "another encoding": (b"\xff\xfer\x00=\x000\x00", "application/x-www-form-urlencoded; charset=utf-16"),
    "parts in no encoding of text": (
        b'--x\r\nContent-Disposition: form-data; name="row"\r\n\r\n0\r\n--x--\r\n',
        "multipart/form-data; boundary=x; charset=hex",
    ),
    "an encoding that is none": ("row=0", "application/x-www-form-urlencoded; charset=klingon"),
}

HEADERS = {
    "an unknown part": {"HX-Request": "true", "HX-Target": "\x00'\"<>", "HX-Current-URL": "::not an address::"},
    "an address in another script": {"HX-Request": "true", "HX-Current-URL": "http://[::1/%ff", "HX-Current-URL-URI-AutoEncoded": "true"},
    "a cookie of nonsense": {"Cookie": "sessionid=\x01\xff; csrftoken='; messages=x; =; ;"},
    "long tokens": {"X-CSRFToken": "x" * 5_000, "Accept-Language": "x" * 5_000, "Accept": "\xff"},
    "a method in a header": {"X-HTTP-Method-Override": "DELETE"},
    "a date of nonsense": {"If-Modified-Since": "yesterday", "If-None-Match": "\xff", "Range": "bytes=9-1"},
}

ODD_IDS = ["x", "0", "-1", "%00", "%ff", "..", "%2e%2e", "1" * 500, "00000000-0000-0000-0000-00000000000g", "\u0663" * 8]


def check_answer(response) -> None:
    """Refused or done, but answered."""
    assert response.status_code < 500
    assert b"Traceback" not in (b"".join(response.streaming_content) if response.streaming else response.content)


@pytest.mark.parametrize("name", ENDPOINTS)
def test_no_parameter_in_an_address_breaks_anything(db, name):
    deed = prepare(name)
    for value in VALUES.values():
        query = "&".join(f"{parameter}={value}" for parameter in NAMES)
        check_answer(deed.client.generic(deed.method, deed.path, QUERY_STRING=query))


@pytest.mark.parametrize("name", NAMES)
def test_no_parameter_of_the_queue_breaks_it(alice, item, name):
    client = sign_in(alice)

    statuses = {value: client.get("/queue/", QUERY_STRING=f"{name}={hostile}").status_code for value, hostile in VALUES.items()}

    assert statuses == dict.fromkeys(VALUES, 200)


@pytest.mark.parametrize("name", [name for name, (_, methods) in ENDPOINTS.items() if "POST" in methods])
def test_no_value_of_a_form_breaks_anything(db, name):
    deed = prepare(name)
    for field in {**deed.form, "note": "", "words": "", "query": "", "unfound": ""}:
        for value in ("\x00", "\x01\x1b", "9" * 5_000, "-1", "\ufffd", "x" * 10_000, "", "'\"<>&|!:*"):
            check_answer(deed.client.post(deed.path, {**deed.form, field: value}))


@pytest.mark.parametrize("name", ENDPOINTS)
def test_no_body_breaks_anything(db, name):
    deed = prepare(name)
    for body, content_type in BODIES.values():
        check_answer(deed.client.generic(deed.method, deed.path, body, content_type=content_type))


@pytest.mark.parametrize("name", ENDPOINTS)
def test_no_header_breaks_anything(db, name):
    for headers in HEADERS.values():
        check_answer(prepare(name).send(**headers))


@pytest.mark.parametrize("address", [address for address in addresses() if address.takes], ids=lambda address: address.name)
def test_no_identifier_breaks_anything(db, address):
    deed = prepare(address.name)
    for odd in ODD_IDS:
        response = deed.client.generic(deed.method, address.path(**dict.fromkeys(address.takes, odd)))
        check_answer(response)
        assert response.status_code in (404, 422)


@pytest.mark.parametrize("path", ["/accounts/login/", "/accounts/password/reset/", "/accounts/2fa/authenticate/", "/accounts/logout/"])
def test_the_sign_in_pages_stand_it_too(db, path):
    client = Client()
    for value in VALUES.values():
        check_answer(client.get(path, QUERY_STRING=f"next={value}&x={value}"))
    for body, content_type in BODIES.values():
        check_answer(client.generic("POST", path, body, content_type=content_type))
    for value in ("\x00", "\x01", "9" * 5_000, "a\x00@b.example", "x" * 10_000 + "@example.org", "\u202e@example.org"):
        check_answer(client.post(path, {"login": value, "email": value, "password": value, "code": value, "next": value}))


@pytest.mark.parametrize("path", ["/accounts/password/change/", "/accounts/reauthenticate/", "/accounts/2fa/totp/activate/"])
def test_the_account_pages_stand_it_too(alice, path):
    client = sign_in(alice)
    for value in ("\x00", "\x01", "9" * 5_000, "x" * 10_000, "\u202e"):
        check_answer(client.post(path, dict.fromkeys(["oldpassword", "password1", "password2", "password", "code", "next"], value)))


@pytest.mark.parametrize("key", ["1-%00", "%ff-x", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzz-x", "0-set-password", "1" * 3_000 + "-x"])
def test_a_link_for_a_new_password_stands_it_too(client, db, key):
    check_answer(client.get(f"/accounts/password/reset/key/{key}/"))


@pytest.mark.parametrize("secret", ["\x00", "fn_\x00", "fn_" + "x" * 100_000, "fn_\udcff", "fn_ÿ", "🗝"])
def test_no_key_breaks_the_api(db, secret):
    latin = secret.encode("utf-8", "surrogateescape").decode("latin-1")

    response = Client().get("/api/v1/instruction", HTTP_AUTHORIZATION=f"Bearer {latin}")

    assert response.status_code == 401


def test_a_body_that_is_too_large_is_refused_before_it_is_read(db, settings):
    deed = prepare("post_snapshots")
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    large = json.dumps({"id": "x", "response": "x" * 2_000, "context": {}})

    response = deed.client.post(deed.path, large, content_type="application/json")

    assert (response.status_code, response.json()["reason"]) == (413, "larger than 64 MB; send fewer records at once")


@pytest.mark.parametrize("name", [name for name, (_, methods) in ENDPOINTS.items() if "POST" in methods and name != "post_snapshots"])
def test_a_form_that_is_too_large_is_refused(db, settings, name):
    """Also where nothing of the form is wanted but the token against forged requests."""
    deed = prepare(name)
    deed.client.handler.enforce_csrf_checks = True
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    deed.client.cookies["csrftoken"] = "x" * 32

    assert deed.client.post(deed.path, {**deed.form, "csrfmiddlewaretoken": "x" * 32, "more": "x" * 2_000}).status_code == 400


def test_a_form_of_many_files_is_refused(alice):
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n0\r\n'

    response = sign_in(alice).generic("POST", "/queue/next/", part * 200 + b"--x--\r\n", content_type="multipart/form-data; boundary=x")

    assert response.status_code == 400


texts = st.text(max_size=30) | st.sampled_from(["to_do", "held", "skipped", "submitted", "unknown", "2026-03-04", "on", "1"])
queries = st.lists(st.tuples(st.sampled_from(NAMES) | st.text(max_size=5), texts), max_size=8)


@given(query=queries)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_queue_is_shown_for_any_query(alice, item, query):
    client = sign_in(alice)
    pairs = [(name.encode("utf-8", "surrogatepass"), value.encode("utf-8", "surrogatepass")) for name, value in query]

    response = client.get("/queue/", QUERY_STRING=urlencode(pairs))

    check_answer(response)
    assert response.status_code == 200


@given(words=st.text(max_size=200))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_words_can_be_searched_for(alice, item, words):
    client = sign_in(alice)

    response = client.post("/queue/search/", {"words": words.encode("utf-8", "replace").decode()}, follow=True)

    check_answer(response)
    assert response.status_code == 200


def test_pages_of_a_list_lead_back_where_they_came_from_whatever_stands_beside_them(alice):
    for day in range(1, 29):
        make_item(alice.organisation, answered_at=f"2026-03-{day:02}T10:00:00Z")
    client = sign_in(alice)

    first = client.get("/queue/", QUERY_STRING="model=%00&x=%ff&after=&before=")
    second = client.get("/queue/", {"after": client.get("/queue/").context["page"].after})

    assert first.status_code == 200
    assert len(second.context["page"].rows) == 3
