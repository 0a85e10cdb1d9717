"""What holds for every address: the headers and cookies of its answer, and that nothing which comes in breaks it."""

from __future__ import annotations

import itertools

import pytest
from django.test import Client

from tests.ledger.deeds import Deed, asking
from tests.web.endpoints import ENDPOINTS, find_address
from tests.web.hostile import BODIES, HEADERS, NAMES, ODD_IDS, VALUES, check_answer
from tests.web.safe import check_headers

POSTED = [name for name, (_, methods) in ENDPOINTS.items() if "POST" in methods]


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["page", "fragment"])
@asking(ENDPOINTS)
def test_it_answers_with_the_headers_of_safety(deed: Deed, headers):
    check_headers(deed.send(**headers))


@asking(ENDPOINTS)
def test_nobody_is_turned_away_without_them(deed: Deed):
    deed.client = Client()

    check_headers(deed.send())


@asking(ENDPOINTS)
def test_it_sets_no_other_cookie(deed: Deed):
    assert deed.send().cookies.keys() <= {"csrftoken", "sessionid"}


@asking(ENDPOINTS)
def test_no_parameter_in_the_address_breaks_it(deed: Deed):
    for value in VALUES.values():
        query = "&".join(f"{parameter}={value}" for parameter in NAMES)
        check_answer(deed.client.generic(deed.method, deed.path, QUERY_STRING=query))


@asking(POSTED)
def test_no_value_of_the_form_breaks_it(deed: Deed):
    fields = [*deed.form, "note", "words", "query", "unfound"]
    for value in ("\x00", "\x01\x1b", "9" * 5_000, "-1", "\ufffd", "x" * 10_000, "", "'\"<>&|!:*"):
        check_answer(deed.client.post(deed.path, dict.fromkeys(fields, value)))
    for field, value in itertools.product(fields, ("\x00", "9" * 5_000, "")):
        check_answer(deed.client.post(deed.path, {**deed.form, field: value}))


@asking(ENDPOINTS)
def test_no_body_breaks_it(deed: Deed):
    for body, content_type in BODIES.values():
        check_answer(deed.client.generic(deed.method, deed.path, body, content_type=content_type))


@pytest.mark.parametrize("odd", HEADERS)
@asking(ENDPOINTS)
def test_no_header_breaks_it(deed: Deed, odd):
    check_answer(deed.send(**HEADERS[odd]))


@asking([name for name in ENDPOINTS if find_address(name).takes])
def test_no_identifier_breaks_it(deed: Deed):
    address = find_address(deed.name)
    for odd in ODD_IDS:
        response = deed.client.generic(deed.method, address.path(**dict.fromkeys(address.takes, odd)))
        check_answer(response)
        assert response.status_code in (404, 422)


@asking(name for name in POSTED if name != "post_snapshots")
def test_a_form_that_is_too_large_is_refused(deed: Deed, settings):
    """Also where nothing of the form is wanted but the token against forged requests."""
    deed.client.handler.enforce_csrf_checks = True
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    deed.client.cookies["csrftoken"] = "x" * 32

    assert deed.client.post(deed.path, {**deed.form, "csrfmiddlewaretoken": "x" * 32, "more": "x" * 2_000}).status_code == 400
