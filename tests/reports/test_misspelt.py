"""A misspelt name finds its provider by spelling and by sound, and what was redacted is near to nothing."""

from __future__ import annotations

import json

import pytest
from django.db import connection

from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role
from reviewers.accounts.texts import Text
from reviewers.ledger.models import RedactionBasis
from reviewers.reports.models import SuggestionNames
from reviewers.reports.why.queries import check_names
from reviewers.reports.why.search import SuggestionSearch, distance, find_page, mask_page, names_near
from reviewers.review.redaction.actions import approve, propose
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from reviewers.web.protected_text import MASK
from tests.factories import NOW, make_member, make_record
from tests.markup import read_markup
from tests.reports.finding import found, make_suggestion, search
from tests.review.redacting.redactable import lead_and_administrator

NAMES = (
    "Dr. Leila Farahani",
    "Fennimore Oyelaran-Quist, LPC",
    "Kathryn Schmidt",
    "Жанна O'Brien-Ødegård",
    "Dr. Renée Nwosu-Brandt",
    "Geoffrey Whitlock",
    "Philippa Czerny",
    "Ximena Alcázar",
    "Tobiah Quill-Reyes",
)


@pytest.fixture
def providers(organisation):
    for number, name in enumerate(NAMES):
        make_suggestion(organisation, provider=name, conversation_id=f"talk {number}", client_reference=f"c-{number}")


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Farahany", "Dr. Leila Farahani"),
        ("Leyla", "Dr. Leila Farahani"),
        ("Layla Farahanni", "Dr. Leila Farahani"),
        ("Leila Farahni", "Dr. Leila Farahani"),
        ("Fenimore", "Fennimore Oyelaran-Quist, LPC"),
        ("Oyelarn", "Fennimore Oyelaran-Quist, LPC"),
        ("Catherine Schmitt", "Kathryn Schmidt"),
        ("Schmit", "Kathryn Schmidt"),
        ("Obrian", "Жанна O'Brien-Ødegård"),
        ("Жана", "Жанна O'Brien-Ødegård"),
        ("Nwoso", "Dr. Renée Nwosu-Brandt"),
        ("Rennee Brant", "Dr. Renée Nwosu-Brandt"),
        ("Jeffrey Witlock", "Geoffrey Whitlock"),
        ("Whitlokc", "Geoffrey Whitlock"),
        ("Filippa", "Philippa Czerny"),
        ("Jimena Alcasar", "Ximena Alcázar"),
        ("Tobia Quil", "Tobiah Quill-Reyes"),
        ("Dr. Farahany, LMFT", "Dr. Leila Farahani"),
    ],
)
def test_a_misspelt_name_finds_its_provider(providers, coordinator, typed, name):
    assert found(coordinator, typed)[:1] == [name]


def test_what_is_near_to_nobody_finds_nobody(providers, coordinator):
    assert [found(coordinator, typed) for typed in ("Zugspitz", "3044", "xy", "' & | ! :* ( \\", "--", "Farahany 3044")] == [[]] * 6


def test_the_page_says_what_it_shows_instead_and_offers_the_other_names(organisation, coordinator):
    for number, name in enumerate(("Mara Lindqvist", "Mara Lindquist", "Tom Lindqvist")):
        make_suggestion(organisation, provider=name, conversation_id=f"talk {number}")
    response = search(coordinator, "Lindqist", since="2026-03-01")
    page = read_markup(response)

    assert "Nothing has the words “Lindqist”" in page.text
    assert len(response.context["page"].rows) == 1
    (form,) = page.find("form", class_="meant")
    assert {button["value"] for button in form.find("button")} | {response.context["page"].meant} == {
        *("Mara Lindqvist", "Mara Lindquist", "Tom Lindqvist")
    }
    assert form.one("input", name="since")["value"] == "2026-03-01"
    assert "Lindq" not in response.redirect_chain[0][0]


def test_a_name_that_is_spelt_right_is_not_guessed_at(providers, coordinator):
    page = search(coordinator, "schmidt").context["page"]

    assert (page.meant, page.others) == ("", ())


def test_names_that_may_be_meant_are_masked_like_those_of_the_list(providers, coordinator):
    page = mask_page(find_page(coordinator, SuggestionSearch("Farahany Schmit")), frozenset({Text.PROVIDER}))

    assert {page.meant, *page.others, *(row.provider for row in page.rows)} == {MASK}
    assert page.others


def test_of_days_without_any_the_names_are_offered_all_the_same(providers, coordinator):
    page = search(coordinator, "Farahany", until="2020-01-01").context["page"]

    assert (page.rows, list(page.others)) == ([], ["Dr. Leila Farahani"])


def test_what_another_organisation_has_is_not_near(providers, charlie):
    assert found(make_member(charlie.organisation, Role.COORDINATOR), "Farahany") == []


def test_each_provider_is_kept_once_and_after_a_redaction_by_another_suggestion(organisation, alice):
    items = [make_suggestion(organisation, provider="Leila Farahani") for _ in range(3)]
    kept = SuggestionNames.objects.filter(near__isnull=False).values_list("pk", flat=True)
    assert list(kept) == [items[0].pk]

    lead, administrator = lead_and_administrator(alice)
    for item in items:
        assert names_near(organisation.pk, "Farahany") == ["Leila Farahani"]
        asked = propose(item_id=item.pk, parts=["provider"], basis=RedactionBasis.ERASURE, reason="She asked.", by=lead, now=NOW)
        approve(redaction_id=asked.pk, by=administrator, now=NOW)
        check_names(organisation.pk)
    assert names_near(organisation.pk, "Farahany") == []


def test_suggestions_of_a_new_provider_that_come_in_one_request_are_found_as_well(organisation):
    records = [read_record(json.dumps(make_record(provider="Leila Farahani")).encode()) for _ in range(3)]
    ingest(records=records, organisation=organisation, by=SYSTEM, at=NOW)
    assert SuggestionNames.objects.filter(near__isnull=False).count() == 1
    assert names_near(organisation.pk, "Farahany") == ["Leila Farahani"]
    check_names(organisation.pk)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("", "", 0), ("abc", "abc", 0), ("abc", "acb", 1), ("abc", "abcd", 1), ("farahany", "farahani", 1), ("ab", "xyz", 3)],
)
def test_the_distance_of_words(first, second, expected):
    assert distance(first, second) == distance(second, first) == expected


def test_the_index_is_used_behind_the_wall(providers):
    near = "SELECT snapshot_id FROM reports_suggestionnames WHERE near IS NOT NULL AND near @@ reports_near_query('Farahany', false)"
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL enable_seqscan = off")
        cursor.execute(f"EXPLAIN {near}")
        assert "reports_by_near_names" in "".join(line for (line,) in cursor.fetchall())


def test_a_name_that_several_have_is_not_called_the_nearest(organisation, coordinator):
    for number, name in enumerate(("Bertil Ravensworth", "Emrys Ravensworth", "Isolde Quennell")):
        make_suggestion(organisation, provider=name, conversation_id=f"talk {number}")
    several, one = (read_markup(search(coordinator, words)).one("main").text for words in ("Ravenswroth", "Quenell"))

    assert "Bertil Ravensworth, one of several whose names are spelt or sound like it." in several
    assert "Isolde Quennell, whose name is spelt or sounds most like it." in one
