"""The list by what is found of documents: validity, what is wrong with citations, withheld, repaired; every number of it is true."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from reviewers.accounts.audit import SYSTEM
from reviewers.review.models import QueueItem, Tally
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from tests.factories import CITED, NOW, UNCITED, make_item, make_member, make_record, sign_in
from tests.markup import read_markup
from tests.review.test_queue import ask, make_named, options

KINDS = ("validity", "issue", "answer")
RIGHT = "Adults start with 2 mg in the evening [1]. Your risk is elevated [[SF:risk_level]], so ask first [2]."
TURNS = {
    "green": CITED | {"response": RIGHT},
    "yellow": {"response": "Ask first [2].", "documents": CITED["documents"]},
    "red": UNCITED,
    "withheld": {"response": "", "abstention_reason": "no source answers that"},
    "wrong": {"response": "Ask first [2]. See a doctor [7]. Adults start with 3 mg [1].", "documents": CITED["documents"]},
    "fields": {"response": "Risk is elevated [[SF:risk_level]]."},
}
FILTERS = {
    "validity=green": ["green"],
    "validity=yellow": ["yellow", "wrong", "repaired"],
    "validity=red": ["red", "withheld"],
    "validity=red&validity=yellow": ["yellow", "red", "withheld", "wrong", "repaired"],
    "issue=figure_not_found": ["wrong"],
    "issue=opposite": ["wrong"],
    "issue=out_of_range": ["wrong"],
    "issue=figure_not_found&guardrail=over_cited": [],
    "answer=withheld": ["withheld"],
    "answer=repaired": ["repaired"],
    "answer=withheld&answer=repaired": ["withheld", "repaired"],
    "answer=withheld&validity=green": [],
    "issue=unheard_of": [],
}


@pytest.fixture
def various(organisation):
    """Items named by what they are, the oldest first."""
    at = {name: f"2026-03-{day:02}T12:00:00Z" for day, name in enumerate((*TURNS, "repaired"), start=1)}
    items = make_named(organisation, {name: {"answered_at": at[name], **changes} for name, changes in TURNS.items()})
    organisation.repairs_answers = True
    return items | make_named(organisation, {"repaired": {"answered_at": at["repaired"], **UNCITED}})


def facets_of(item: QueueItem) -> set[str]:
    facets = QueueItem.objects.values_list("facets", flat=True).get(pk=item.pk)
    return {facet for facet in facets if facet.partition(":")[0] in KINDS}


def tallies() -> Counter[str]:
    counted: Counter[str] = Counter()
    for facet, count in Tally.objects.values_list("facet", "count"):
        counted[facet] += count
    return Counter({facet: count for facet, count in counted.items() if facet.partition(":")[0] in KINDS})


@pytest.mark.parametrize("query", FILTERS)
def test_a_filter_leaves_what_it_says(various, alice, query):
    page = ask(alice, query).context["page"]

    assert [row.name for row in page.rows] == FILTERS[query]
    assert page.count == len(FILTERS[query])


def test_each_value_is_offered_in_words_with_how_many_answers_have_it(various, alice):
    page = read_markup(ask(alice))

    assert options(page, "Validity") == {"Green": 1, "Red": 2, "Yellow": 3}
    assert options(page, "Citations of documents") == {"Figure not in the source": 1, "No such document": 1, "Seems to say the opposite": 1}
    assert options(page, "Answer") == {"Not sent": 1, "Sources added later": 1}


def test_a_row_says_how_valid_its_citations_are_where_it_has_documents(various, alice):
    rows = {row.name: row for row in ask(alice).context["page"].rows}

    assert {name: row.validity.text for name, row in rows.items() if row.validity} == {
        "green": "Validity green",
        "yellow": "Validity yellow",
        "red": "Validity red",
        "withheld": "Not sent",
        "wrong": "Validity yellow",
        "repaired": "Validity yellow",
    }
    assert rows["fields"].validity is None


def test_a_list_without_documents_offers_none_of_this(organisation, alice):
    make_item(organisation)

    titles = {legend.text for legend in read_markup(ask(alice)).find("legend")}
    assert titles.isdisjoint({"Validity", "Citations of documents", "Answer"})


def test_many_at_once_are_counted_like_one_by_one(organisation):
    records = [read_record(json.dumps(make_record(**changes)).encode()) for _ in range(3) for changes in TURNS.values()]
    ingest(records=records, organisation=organisation, by=SYSTEM, at=NOW)

    assert tallies() == {
        "validity:green": 3,
        "validity:yellow": 6,
        "validity:red": 6,
        "issue:figure_not_found": 3,
        "issue:opposite": 3,
        "issue:out_of_range": 3,
        "answer:withheld": 3,
    }


def test_the_page_tells_the_density_of_citations_under_its_own_name(organisation):
    cited, uncited = make_item(organisation, **CITED), make_item(organisation, **UNCITED)
    client = sign_in(make_member(organisation))
    pages = [read_markup(client.get(f"/items/{each.pk}/")).one("main").text for each in (cited, uncited)]

    assert "citation density 1.00 a sentence" in " ".join(pages[0].split())
    assert "citation density" not in pages[1]
