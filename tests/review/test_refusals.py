"""Whoever may not, whatever is not there, whichever method is wrong: each is told in words, and nothing is shown or written."""

from __future__ import annotations

import uuid

import pytest
from django.test import Client

from tests.factories import ANSWER, sign_in
from tests.markup import read_markup
from tests.review.desk import FRAGMENT
from tests.sampling import sampled
from tests.state import state_of_tables
from tests.web.forms import NO_FORM, valid_form

READING = ["", "unfound/", "record/", "previous/", "next/"]
WRITING = [
    "take/",
    "let-go/",
    "renew/",
    "label/",
    "note/",
    "label-citation/",
    "note-citation/",
    "label-remaining/",
    "undo/",
    "submit/",
    "skip/",
    "flag/",
]


def ask(client, address, *, is_write, headers=None, form=NO_FORM):
    return client.post(address, form, headers=headers) if is_write else client.get(address, headers=headers)


CASES = [(name, False) for name in READING] + [(name, True) for name in WRITING]


@pytest.mark.parametrize("headers", sampled([None, FRAGMENT], more=1), ids=["page", "fragment"])
@pytest.mark.parametrize(("name", "is_write"), CASES)
def test_an_item_that_nobody_has_is_not_found(alice, item, name, is_write, headers):
    desk = sign_in(alice)
    form = valid_form(name.rstrip("/").replace("-", "_"), item) if is_write else NO_FORM
    before = state_of_tables()

    response = ask(desk, f"/items/{uuid.uuid4()}/{name}", is_write=is_write, headers=headers, form=form)

    assert response.status_code == 404
    assert read_markup(response).one("h1").text == "There is nothing here"
    assert state_of_tables() == before


@pytest.mark.parametrize(("name", "is_write"), CASES)
def test_a_role_that_may_not_is_told_what_it_may_not(coordinator, item, name, is_write):
    desk = sign_in(coordinator)
    before = state_of_tables()

    response = ask(desk, f"/items/{item.pk}/{name}", is_write=is_write)

    assert response.status_code == 403
    lede = read_markup(response).one("p", class_="lede").text
    assert lede == f"The role coordinator may not {'label' if is_write else 'read'} items."
    assert ANSWER[:20] not in response.content.decode()
    assert state_of_tables() == before


@pytest.mark.parametrize(("name", "is_write"), CASES)
def test_whoever_is_not_signed_in_sees_nothing_of_an_item(item, name, is_write):
    response = ask(Client(), f"/items/{item.pk}/{name}", is_write=is_write)

    assert response.status_code == 302
    assert response["Location"] == f"/accounts/login/?next=/items/{item.pk}/{name}"
    assert response.content == b""


@pytest.mark.parametrize(("name", "is_write"), CASES)
def test_the_wrong_method_is_refused_with_the_right_one(alice, item, name, is_write):
    desk = sign_in(alice)
    before = state_of_tables()

    response = ask(desk, f"/items/{item.pk}/{name}", is_write=not is_write)

    assert (response.status_code, response["Allow"]) == (405, "POST" if is_write else "GET")
    assert state_of_tables() == before


@pytest.mark.parametrize("name", ["label/", "note/", "label-citation/", "note-citation/", "skip/", "flag/"])
@pytest.mark.parametrize("headers", [None, FRAGMENT], ids=["page", "fragment"])
def test_an_empty_form_is_refused_in_words_beside_the_work(alice, item, name, headers):
    response = ask(sign_in(alice), f"/items/{item.pk}/{name}", is_write=True, headers=headers)

    answer = read_markup(response)
    assert response.status_code == 422
    assert len(answer.one("p", id="notice").text) > 20
    assert bool(answer.find("div", class_="desk")) is (headers is None)
    assert response.get("HX-Retarget") == (None if headers is None else "#notice")
