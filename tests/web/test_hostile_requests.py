"""Whatever comes in, nothing breaks: no parameter, form, body, header or path makes an error of ours."""

from __future__ import annotations

import json
from itertools import product
from operator import itemgetter
from urllib.parse import urlencode

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.test import Client, RequestFactory
from django.utils import timezone
from gunicorn.config import Config
from gunicorn.http.parser import RequestParser
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reviewers.accounts.models import Role
from reviewers.web.http import server
from reviewers.web.http.middleware import refuse_unreadable_bodies
from tests.factories import make_item, make_member, sign_in
from tests.ledger.deeds import prepare
from tests.sampling import sampled
from tests.web.hostile import BODIES, NAMES, VALUES, check_answer


@pytest.mark.parametrize("name", sampled(NAMES, more=5))
def test_no_parameter_of_the_queue_breaks_it(alice, item, name):
    client = sign_in(alice)

    statuses = {value: client.get("/queue/", QUERY_STRING=f"{name}={hostile}").status_code for value, hostile in VALUES.items()}

    assert statuses == dict.fromkeys(VALUES, 200)


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


FORMS = ["application/x-www-form-urlencoded", "Application/X-WWW-Form-URLEncoded ; charset=utf-8"]


def largest(size: int) -> bytes:
    return b"login=" + b"%41" * ((size - 6) // 3)


@pytest.mark.parametrize("content_type", FORMS)
def test_a_form_is_not_read_if_it_is_larger_than_any_of_ours(alice, settings, content_type):
    """Reading 64 MB of escaped characters takes seconds and gigabytes."""
    client = sign_in(alice)
    client.handler.enforce_csrf_checks = True
    client.cookies["csrftoken"] = "x" * 32
    fits = largest(settings.LARGEST_FORM)

    statuses = [client.generic("POST", "/queue/next/", body, content_type=content_type).status_code for body in (fits, fits + b"%41")]

    assert statuses == [403, 400]


@pytest.mark.parametrize("content_type", FORMS)
def test_a_form_of_somebody_who_is_not_signed_in_is_smaller(db, settings, content_type):
    """Anybody can send one again and again, with a cookie of their own."""
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "x" * 32
    fits = largest(settings.LARGEST_ANONYMOUS_FORM)

    statuses = [client.generic("POST", "/accounts/login/", body, content_type=content_type).status_code for body in (fits, fits + b"%41")]

    assert statuses == [403, 400]


def test_so_is_one_with_files(db, settings):
    """A megabyte of headers of parts takes a second and a half to read."""
    client = Client(enforce_csrf_checks=True)
    client.cookies["csrftoken"] = "x" * 32
    head, tail = b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n', b"\r\n--x--\r\n"
    fits = settings.LARGEST_ANONYMOUS_FORM - len(head) - len(tail)

    statuses = [
        client.generic("POST", "/accounts/login/", head + b"x" * size + tail, content_type="multipart/form-data; boundary=x").status_code
        for size in (fits, fits + 1)
    ]

    assert statuses == [403, 400]


def test_a_record_that_is_sent_as_if_it_were_a_form_is_taken(db, settings):
    """Some programs name that type for whatever they send."""
    deed = prepare("post_snapshots")
    settings.LARGEST_FORM = 10
    record = json.dumps({"id": "x", "response": "x" * 20, "context": {}})

    assert deed.client.post(deed.path, record, content_type="application/x-www-form-urlencoded").status_code == 201


def test_a_form_of_many_files_is_refused(alice):
    part = b'--x\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n0\r\n'

    response = sign_in(alice).generic("POST", "/queue/next/", part * 200 + b"--x--\r\n", content_type="multipart/form-data; boundary=x")

    assert response.status_code == 400


@pytest.mark.parametrize(
    "cookie", ['a="\\\\\\\\"', 'a="\\101"', "\\", 'a="' + "\\\\" * 30_000 + '"'], ids=["quoted", "octal", "bare", "long"]
)
def test_a_cookie_with_escaped_characters_is_not_read(db, cookie):
    """Reading a long one takes old versions of Python seconds, for anybody who asks for any page."""
    response = Client().get("/health/", HTTP_COOKIE=f"{cookie}; sessionid=x; {cookie};csrftoken=y")

    assert response.wsgi_request.COOKIES == {"sessionid": "x", "csrftoken": "y"}


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


DAYS, ZONES = ("0001-01-01", "9999-12-31", "1899-12-31", "9000-01-02"), ("UTC", "Asia/Tokyo", "America/New_York")


@pytest.mark.parametrize(("zone", "day"), sampled(product(ZONES, DAYS), itemgetter(0), itemgetter(1)))
def test_the_ends_of_the_calendar_are_days_like_others(organisation, day, zone):
    """In a site without an answer too, where nothing bounds the period, and in time zones in which such a day has no beginning."""
    client = sign_in(make_member(organisation, Role.LEAD))
    for path in ("/quality/", "/queue/", "/access/", "/why/", "/ledger/"):
        for names in (("since",), ("until",), ("since", "until")):
            with timezone.override(zone):
                assert client.get(path, dict.fromkeys(names, day)).status_code in (200, 403)


@pytest.mark.parametrize("charset", ["hex", "base64", "rot13", "zlib", "utf-16", "idna", "undefined", '"hex"', "hex;charset=utf-8"])
def test_an_encoding_that_is_of_no_text_is_refused(db, charset):
    """Django would read the query in it, before anything of the site is asked."""
    handler = refuse_unreadable_bodies(WSGIHandler())
    for said in (f"text/plain; charset={charset}", f"multipart/form-data; boundary=x; CharSet={charset}"):
        told = []
        environ = RequestFactory().generic("GET", "/accounts/login/?next=%ff", content_type="text/plain").environ | {"CONTENT_TYPE": said}
        response = handler(environ, lambda status, _, told=told: told.append(status))
        assert b"".join(response)
        assert told[0].startswith(("400", "200"))


@pytest.mark.parametrize("given", ["", "application/json", "application/json; charset=UTF-8", 'text/plain; charset="utf-8"'])
def test_text_is_read(given):
    assert refuse_unreadable_bodies(lambda _, __: [b"read"])({"CONTENT_TYPE": given}, lambda *_: None) == [b"read"]


@pytest.mark.parametrize("name", [b"SCRIPT_NAME", b"PATH_INFO"])
def test_no_client_moves_the_site_below_a_prefix(name):
    config = Config()
    config.set("forwarder_headers", server.forwarder_headers)
    sent = b"GET /x/accounts/2fa/ HTTP/1.1\r\nHost: localhost\r\n" + name + b": /x\r\n\r\n"

    request = next(RequestParser(config, iter([sent]), ("127.0.0.1", 1)))

    assert request.headers == [("HOST", "localhost")]
