"""Pages are drawn by Django's templates, and what they were drawn from goes at once."""

from __future__ import annotations

import gc
from weakref import ref

import pytest
from django.template import TemplateDoesNotExist, engines
from django.template.loader import get_template


class Thing:
    name = "a thing"


@pytest.fixture
def uncollected():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_what_a_page_was_drawn_from_goes_with_it_and_not_when_the_collector_comes(rf):
    thing = Thing()
    kept = ref(thing)

    assert engines["django"].from_string("{{ thing.name }}").render({"thing": thing}, rf.get("/")) == "a thing"
    del thing

    assert kept() is None


def test_a_template_that_is_not_there_is_named():
    with pytest.raises(TemplateDoesNotExist, match=r"nowhere\.html"):
        get_template("nowhere.html")
    with pytest.raises(TemplateDoesNotExist, match=r"nowhere\.html") as raised:
        engines["django"].from_string('{% include "nowhere.html" %}').render({"a": 1})
    assert raised.value.backend is engines["django"]
