"""Rules for every address: the events it writes, its headers and cookies, and that no input breaks it."""

from __future__ import annotations

import copy
import itertools
from operator import methodcaller
from urllib.parse import quote_from_bytes

import pytest
from django.db import transaction
from django.test import Client, RequestFactory

from reviewers.accounts.models import TokenScope
from reviewers.review.page.views import AFTER_LABEL
from tests.ledger.deeds import EVENTS, Deed, asking
from tests.ledger.traces import FRAGMENT, SHOW_IT_AS_A_PART, SHOW_PROTECTED_TEXT, check_events, done_by, protected_in
from tests.sampling import chance, sampled
from tests.web.asked import parameters_asked_for
from tests.web.endpoints import ENDPOINTS, find_address
from tests.web.hostile import BODIES, HEADERS, NAMES, ODD_IDS, TEXTS, VALUES, check_answer
from tests.web.parameters import names_of, names_of_all
from tests.web.safe import check_headers

POSTED = [name for name, (_, methods) in ENDPOINTS.items() if "POST" in methods]
BODIES_OF_PROGRAMS = (
    "post_snapshots",
    "post_schema",
    "post_trust_table",
    "post_traces",
    "traces_of_exporters",
    "strip_markers",
    "strip_conversation",
    *(name for name, (access, _) in ENDPOINTS.items() if isinstance(access, TokenScope)),
)
"""These take no forms, and read bodies within limits of their own."""
AT_A_TIME = 3
"""So many names with a value each, of an address: a sample. `make test-all` tries them all."""


def check_answers(deed: Deed, response) -> None:
    """Its headers, and that it sets no other cookie; one address keeps a choice of the browser's in one."""
    check_headers(response)
    assert response.cookies.keys() <= {"csrftoken", "sessionid"} | ({AFTER_LABEL} if deed.name == "move_on" else set())


@asking(sampled(EVENTS, more=6))
def test_an_address_writes_down_what_the_table_says_and_what_it_shows(deed: Deed):
    response, written, changed = done_by(deed)

    check_answers(deed, response)
    assert response.status_code in (200, 201, 302)
    check_events(deed, written, EVENTS[deed.name])
    assert not changed or written, "something changed and nothing says so"
    assert bool(protected_in(response)) is (deed.name in SHOW_PROTECTED_TEXT)
    assert written or not protected_in(response)


@asking(sampled(EVENTS, more=6))
def test_a_part_of_a_page_is_no_way_around_that(deed: Deed):
    response, written, _ = done_by(deed, **FRAGMENT)

    check_answers(deed, response)
    shown = protected_in(response)
    assert not shown or deed.name in SHOW_IT_AS_A_PART
    assert written or not shown


@asking(sampled(EVENTS, more=6))
def test_nobody_leaves_no_trace_and_sees_nothing(deed: Deed):
    deed.client = Client()

    response, written, changed = done_by(deed)

    check_answers(deed, response)
    assert (written, changed, protected_in(response)) == ([], set(), set())


@asking(sampled(ENDPOINTS, more=4))
def test_no_parameter_in_the_address_breaks_it(deed: Deed):
    for value in VALUES.values():
        query = "&".join(f"{parameter}={value}" for parameter in NAMES)
        check_answer(deed.client.generic(deed.method, deed.path, QUERY_STRING=query))


def pairs_for(name: str) -> list[tuple[str, str]]:
    """Names that the view may read, each with each value, in an order of chance."""
    pairs = list(itertools.product(names_of(name) or ("page",), TEXTS))
    chance(name).shuffle(pairs)
    return pairs


def send_with(deed: Deed, name: str, value: str) -> None:
    """Send the request with one value replaced, in the form and in the address, where only the other half reads it."""
    given = value.encode("utf-8", "surrogatepass")
    query = f"{name}={quote_from_bytes(given)}"[:8_000]
    if deed.method == "GET" or deed.json:
        check_answer(deed.client.generic(deed.method, deed.path, deed.json, content_type="application/json", QUERY_STRING=query))
        return
    form = {**deed.form, name: value} if given == value.encode("utf-8", "replace") else deed.form
    check_answer(deed.client.post(deed.path, form, QUERY_STRING=query, follow=False))


def send_and_undo(deed: Deed, name: str, value: str) -> None:
    """Send it so that the next value meets what this one met."""
    with transaction.atomic():
        send_with(deed, name, value)
        transaction.set_rollback(True)


@asking(sampled(ENDPOINTS, more=6))
def test_no_single_parameter_that_is_read_breaks_it(deed: Deed):
    for name, value in pairs_for(deed.name)[:AT_A_TIME]:
        send_with(deed, name, value)


@pytest.mark.exhaustive
@asking(ENDPOINTS)
def test_no_parameter_that_is_read_breaks_it_with_any_value(deed: Deed):
    """A view that does not ask for a name when it has one value does not when it has another."""
    for name in names_of(deed.name) or ("page",):
        with parameters_asked_for() as asked:
            send_and_undo(deed, name, TEXTS[0])
        if name in asked:
            for value in TEXTS[1:]:
                send_and_undo(deed, name, value)


@asking(["enter", "reveal", "explain", "explain_redaction", "explain_why"])
def test_a_word_is_no_address_to_lead_to(deed: Deed):
    for given in (
        "abc",
        "item",
        "//elsewhere.example/",
        "/nowhere/at/all/",
        "/\\elsewhere.example",
        "x" * 20_000,
        "/queue/\r\nSet-Cookie: a=b",
    ):
        with transaction.atomic():
            response = deed.client.post(deed.path, {**deed.form, "next": given})
            transaction.set_rollback(True)
        assert response.status_code == 302
        assert response["Location"] not in (given, "/nowhere/at/all/")
    assert deed.client.post(deed.path, {**deed.form, "next": "/settings/?a=1#b"})["Location"] == "/settings/?a=1#b"


def test_names_that_are_read_are_found_in_the_code():
    """Otherwise nothing would be tried with them."""
    assert {"next", "client", "after", "since", "until", "page", "at", "by", "parts", "query"} <= set(names_of_all())
    assert {"next", "kind", "reason"} <= set(names_of("explain"))
    assert {"since", "until"} <= set(names_of("quality"))


def test_names_that_a_view_asks_for_are_noticed():
    """Otherwise no further value would be tried of those that it does ask for."""
    request = RequestFactory().get("/?a=1&b=2")
    with parameters_asked_for() as asked:
        assert (request.GET.get("a"), "c" in request.GET, request.GET.getlist("d")) == ("1", False, [])
    assert asked.names >= {"a", "c", "d"}
    assert "b" not in asked

    for read in (dict, list, repr, copy.copy, methodcaller("urlencode"), methodcaller("items"), lambda _: request.get_full_path()):
        with parameters_asked_for() as asked:
            read(request.GET)
        assert "b" in asked


@asking(sampled(POSTED, more=6))
def test_no_value_of_the_form_breaks_it(deed: Deed):
    fields = [*deed.form, "note", "words", "query", "unfound"]
    for value in ("\x00", "\x01\x1b", "9" * 5_000, "-1", "\ufffd", "x" * 10_000, "", "'\"<>&|!:*"):
        check_answer(deed.client.post(deed.path, dict.fromkeys(fields, value)))
    for field, value in itertools.product(fields, ("\x00", "9" * 5_000, "")):
        check_answer(deed.client.post(deed.path, {**deed.form, field: value}))


@asking(sampled(ENDPOINTS, more=4))
def test_no_body_breaks_it(deed: Deed):
    for body, content_type in BODIES.values():
        check_answer(deed.client.generic(deed.method, deed.path, body, content_type=content_type))


@asking(sampled(ENDPOINTS, more=4))
def test_no_header_breaks_it(deed: Deed):
    for headers in HEADERS.values():
        with transaction.atomic():
            check_answer(deed.send(**headers))
            transaction.set_rollback(True)


@asking(sampled([name for name in ENDPOINTS if find_address(name).takes], more=5))
def test_no_identifier_breaks_it(deed: Deed):
    address = find_address(deed.name)
    for odd in ODD_IDS:
        response = deed.client.generic(deed.method, address.path(**dict.fromkeys(address.takes, odd)))
        check_answer(response)
        assert response.status_code in (404, 422)


@asking(sampled([name for name in POSTED if name not in BODIES_OF_PROGRAMS], more=6))
def test_a_form_that_is_too_large_is_refused(deed: Deed, settings):
    """Also where nothing of the form is wanted but the token against forged requests."""
    deed.client.handler.enforce_csrf_checks = True
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000
    deed.client.cookies["csrftoken"] = "x" * 32

    assert deed.client.post(deed.path, {**deed.form, "csrfmiddlewaretoken": "x" * 32, "more": "x" * 2_000}).status_code == 400
