"""Whatever a record or a reviewer says is text on the sheet, nothing invisible stays so, and nothing is too large."""

from __future__ import annotations

from collections import Counter
from itertools import product
from operator import itemgetter

import pytest

from reviewers.accounts.models import Role
from reviewers.review.labels import actions
from reviewers.review.models import Verdict
from reviewers.web.tenancy import tenant
from tests.factories import NOW, choose, make_member, make_organisation, sign_in
from tests.markup import Element, read_markup
from tests.reports.finding import make_suggestion
from tests.review.test_hostile_text import INVISIBLE, TAGS, as_typed, everywhere
from tests.sampling import sampled

PAGES = ("/why/", "/why/{}/", "/why/{}/compare/")
LARGE = 4_900_000


def read(member, item, address) -> Element:
    response = sign_in(member).get(address.format(item.pk))
    assert response.status_code == 200
    return read_markup(response)


def tags_of(page: Element) -> Counter[str]:
    """Which elements the page has, but for the chips of invisible characters."""
    return Counter(each.tag for each in page.walk() if each.get("class") != "chip")


def make_hostile(organisation, text):
    """Everything says it, a reviewer too; and another provider of the same conversation."""
    item = make_suggestion(organisation, **everywhere(text))
    make_suggestion(organisation, **everywhere(text) | {"provider": f"Bo {everywhere(text)['provider']}"[:200], "id": "other"})
    reviewer = make_member(organisation, name=f"Alice {as_typed(text)}"[:200])
    actions.save_label(choice=choose(item), verdict=Verdict.MISSTATED, note=as_typed(text), by=reviewer, now=NOW)
    actions.label_remaining(item_id=item.pk, by=reviewer, now=NOW)
    actions.submit(item_id=item.pk, by=reviewer, now=NOW)
    return item


@pytest.fixture
def reader():
    return make_member(make_organisation(), Role.COORDINATOR, "Cora Cole")


@pytest.mark.parametrize("address", PAGES)
def test_markup_is_shown_as_it_is_written_and_makes_no_element(db, reader, address):
    calm = read(reader, make_hostile(reader.organisation, "plain text"), address)
    other = make_member(make_organisation(), Role.COORDINATOR, "Cora Cole")
    with tenant.within(other.organisation_id):
        item = make_hostile(other.organisation, TAGS)
    hostile = read(other, item, address)

    assert all(each.get("src") for each in hostile.find("script"))
    assert not hostile.find("img")
    assert set(tags_of(hostile)) <= set(tags_of(calm)) | {"details", "summary"}
    assert "<script>alert(1)</script>" in hostile.one("main").text
    assert "&lt;script" not in hostile.one("main").text.replace("&lt;b&gt;", "")


@pytest.mark.parametrize("address", PAGES[1:])
def test_nothing_invisible_stays_invisible(db, reader, address):
    page = read(reader, make_hostile(reader.organisation, INVISIBLE), address)

    assert {each.text for each in page.find("span", class_="chip")} >= {"RLO", "ZWSP"}
    assert not {"\u202e", "\u200b", "\0"} & set(page.raw_text)


@pytest.mark.parametrize("address", PAGES[1:])
def test_a_right_to_left_name_turns_nothing_round_it(db, reader, address):
    page = read(reader, make_suggestion(reader.organisation, provider="يسرى حداد", client_reference="مراجع"), address)

    assert "يسرى حداد" in {each.text for each in page.find("bdi")}


LARGEST = {
    "answer": {"response": "Ada Quill. Elevated [[SF:risk_level]] " + "word " * (LARGE // 5)},
    "answer without a space": {"response": "x" * LARGE + " [[SF:risk_level]]"},
    "value": {"context": {"safety": {"risk_level": "elevated", "story": "tale " * (LARGE // 5)}}, "response": "Ada Quill."},
    "entries": {"context": {"safety": {f"key_{number}": number for number in range(4_000)}}, "response": "Ada Quill."},
    "references": {"response": "Ada Quill. " + "Elevated [[SF:risk_level]]. " * 10_000},
}


@pytest.mark.parametrize(("address", "name"), sampled(product(PAGES[1:], LARGEST), itemgetter(0), itemgetter(1)))
def test_the_largest_records_make_a_page_that_can_be_read(db, reader, name, address):
    item = make_suggestion(reader.organisation, **LARGEST[name])
    response = sign_in(reader).get(address.format(item.pk))

    assert response.status_code == 200
    assert len(response.content) < 200_000
