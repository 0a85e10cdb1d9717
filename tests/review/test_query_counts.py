"""How often the database is asked for a page or a label: the same whatever is on it."""

from __future__ import annotations

from functools import partial

import pytest
from django.db import connection

from reviewers.accounts.models import Role
from reviewers.review.labels import actions
from reviewers.review.models import Meaning, Verdict
from tests.factories import CITED, NOW, choose, choose_finding, flag_finding, label, label_citation, make_item, make_member, sign_in
from tests.review.desk import act
from tests.review.listed import make_view
from tests.review.signed import make_submitted, sign_as_it_stands
from tests.statements import statements_of

MOST_FOR_LIST, MOST_FOR_PAGE, MOST_FOR_LABEL = 12, 12, 8

FEW = {"response": "The risk is elevated.", "context": {"safety": {"risk_level": "elevated"}}}
MANY = {
    "response": " ".join(f"Level {number} is reached [[SF:level_{number}]]." for number in range(60)),
    "context": {
        "safety": {f"level_{number}": f"Level {number}" for number in range(60)} | {f"other_{number}": "x" for number in range(60)}
    },
}


@pytest.fixture
def desk(alice):
    return sign_in(alice)


def labelled_many_times(item, member):
    """Each of many rows labelled, some again and again, some taken back."""
    for number in range(0, 60, 2):
        actions.save_label(choice=choose(item, number), verdict=Verdict.WRONG, note="look", by=member, now=NOW)
    for _ in range(10):
        actions.undo(item_id=item.pk, by=member, now=NOW)
    actions.label_remaining(item_id=item.pk, by=member, now=NOW)


def test_the_list_takes_few_statements_however_long_it_is(organisation, alice, bob, desk):
    counts = []
    make_item(organisation, **FEW)
    counts.append(len(statements_of(lambda: desk.get("/queue/"))))
    for number in range(60):
        item = make_item(organisation, **FEW, model=f"model-{number}")
        if number % 3 == 0:
            actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=(alice, bob)[number % 2], now=NOW)
    statements = statements_of(lambda: desk.get("/queue/"))
    counts.append(len(statements))

    assert counts[1] <= MOST_FOR_LIST, statements
    assert counts[0] == counts[1]


@pytest.mark.parametrize(
    "query",
    ["state=held", "model=model-a&section=safety&guardrail=unknown", "flagged=on", "since=2026-01-01", "state=skipped&state=submitted"],
)
def test_a_filter_takes_no_further_statement_but_the_one_that_remembers_it(organisation, desk, query):
    make_item(organisation)
    plain, new, same = (len(statements_of(partial(desk.get, address))) for address in ("/queue/", f"/queue/?{query}", f"/queue/?{query}"))

    assert same <= plain
    assert new == same + 1 <= MOST_FOR_LIST


def test_a_search_takes_one_statement_more_which_remembers_it(organisation, desk):
    make_item(organisation)
    address = desk.post("/queue/search/", {"words": "risk"})["Location"]

    plain, searched = (len(statements_of(partial(desk.get, each))) for each in ("/queue/", address))

    assert searched <= plain + 1 <= MOST_FOR_LIST


def test_all_saved_views_are_counted_by_one_statement_more(organisation, alice, desk):
    make_item(organisation)
    plain = len(statements_of(partial(desk.get, "/queue/")))
    for number in range(3):
        make_view(alice, f"View {number}")

    assert len(statements_of(partial(desk.get, "/queue/"))) == plain + 1 <= MOST_FOR_LIST


@pytest.mark.parametrize("address", ["", "?unfound=1", "unfound/"])
def test_the_review_page_takes_few_statements_whatever_is_on_it(organisation, alice, desk, address):
    few, many = make_item(organisation, **FEW), make_item(organisation, **MANY)
    labelled_many_times(many, alice)
    for _ in range(5):
        flag_finding(choice=choose_finding(many, "over_cited"), note="look", by=alice, now=NOW)

    counts = [len(statements_of(partial(desk.get, f"/items/{item.pk}/{address}"))) for item in (few, many)]

    assert counts[0] == counts[1] <= MOST_FOR_PAGE


@pytest.mark.parametrize("as_fragment", [True, False], ids=["fragment", "page"])
def test_a_label_takes_few_statements_whatever_was_labelled_before(organisation, alice, desk, as_fragment):
    few, many = make_item(organisation, **FEW), make_item(organisation, **MANY)
    actions.take(item_id=few.pk, by=alice, now=NOW)
    labelled_many_times(many, alice)
    headers = {"HX-Request": "true"} if as_fragment else None
    for item in (few, many):
        label(desk, item, headers=headers)  # the lease, which lasts a while

    counts = [len(statements_of(partial(label, desk, item, 0, "wrong", headers=headers))) for item in (few, many)]

    assert counts[0] == counts[1] <= MOST_FOR_LABEL


CITES_OFTEN = {
    "response": " ".join(f"Whoever takes other medicines should ask first, on day {number} [{number % 3 + 1}]." for number in range(60)),
    "documents": CITED["documents"],
    "context": FEW["context"],
}


@pytest.mark.parametrize("as_fragment", [True, False], ids=["fragment", "page"])
def test_a_label_of_a_citation_takes_few_statements_whatever_was_labelled_before(organisation, desk, as_fragment):
    few, many = make_item(organisation, **CITED), make_item(organisation, **CITES_OFTEN)
    headers = {"HX-Request": "true"} if as_fragment else None
    for item, count in ((few, 1), (many, 60)):
        for number in range(count):
            label_citation(desk, item, number)

    counts = [len(statements_of(partial(label_citation, desk, item, 0, "cannot_judge", headers=headers))) for item in (few, many)]

    assert counts[0] == counts[1] <= MOST_FOR_LABEL


def test_labels_of_citations_cost_the_review_page_and_the_list_no_statement(organisation, desk):
    item = make_item(organisation, **CITES_OFTEN)
    act(desk, item, "take")
    desk.get("/queue/?state=held")  # a filter is remembered
    addresses = (f"/items/{item.pk}/", "/queue/?state=held")
    before = [len(statements_of(partial(desk.get, address))) for address in addresses]
    for number in range(0, 60, 2):
        label_citation(desk, item, number)

    after = [len(statements_of(partial(desk.get, address))) for address in addresses]

    assert after == before
    assert max(after) <= min(MOST_FOR_LIST, MOST_FOR_PAGE)


def test_taking_an_item_by_labelling_it_takes_two_statements_more(organisation, desk):
    item = make_item(organisation, **FEW)
    first = len(statements_of(partial(label, desk, item)))
    second = len(statements_of(partial(label, desk, item)))

    assert first - second == 2


def test_calling_the_rest_correct_takes_as_many_statements_for_many_rows_as_for_few(organisation, desk):
    few, many = make_item(organisation, **MANY), make_item(organisation, **MANY)
    for number in range(57):
        label(desk, few, number)
    act(desk, many, "take")

    counts = [len(statements_of(partial(act, desk, item, "label-remaining"))) for item in (few, many)]

    assert counts[0] == counts[1] <= MOST_FOR_LABEL + 1


@pytest.mark.parametrize("name", ["submit", "skip"])
def test_finishing_an_item_and_taking_the_next_asks_as_often_for_many_rows_as_for_few(organisation, desk, name):
    items = [make_item(organisation, **FEW), make_item(organisation, **MANY)]
    make_item(organisation, answered_at="2026-12-31T00:00:00Z")
    counts = []
    for item in items:
        act(desk, item, "label-remaining")
        counts.append(len(statements_of(partial(act, desk, item, name, reason="later"))))

    assert counts[0] == counts[1] <= 2 * MOST_FOR_LABEL


def signed_often(item, members):
    """Signed by a reviewer and by leads, changed, and signed again."""
    reviewer, *leads = members
    for number in (0, 1, 2):
        sign_as_it_stands(item, reviewer)
        for lead in leads:
            sign_as_it_stands(item, lead, Meaning.APPROVED)
        actions.save_label(choice=choose(item, number, "second look"), verdict=Verdict.WRONG, by=reviewer, now=NOW)


def test_signatures_cost_page_and_list_as_many_statements_however_many_there_are(organisation, alice, desk):
    once, often = (make_submitted(alice, **MANY) for _ in range(2))
    sign_as_it_stands(once, alice)
    signed_often(often, [alice, *(make_member(organisation, Role.LEAD, f"Leda {number}") for number in range(5))])
    desk.get("/queue/?state=submitted")  # a filter is remembered
    for most, addresses in (
        (MOST_FOR_PAGE, [f"/items/{item.pk}/" for item in (once, often)]),
        (MOST_FOR_PAGE, [f"/items/{item.pk}/signing/" for item in (once, often)]),
        (MOST_FOR_LIST, ["/queue/?state=submitted"]),
    ):
        counts = {len(statements_of(partial(desk.get, address))) for address in addresses}
        assert len(counts) == 1
        assert max(counts) <= most


def test_a_label_that_makes_signatures_void_takes_two_statements_more_to_say_so(alice, desk):
    item = make_submitted(alice, **MANY)
    sign_as_it_stands(item, alice)

    count = len(statements_of(partial(label, desk, item, 0, "wrong", reason="second look", headers={"HX-Request": "true"})))

    assert count <= MOST_FOR_LABEL + 2


def test_functions_that_follow_what_comes_in_plan_nothing_but_look_ups(db):
    """A connection keeps the plan it made at its first batch: a scan of a small table would be one of a large table later."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT proname, coalesce(proconfig, '{}') FROM pg_proc"
            " WHERE prosrc ~ 'JOIN|LATERAL|FROM snapshots_' AND prorettype = 'trigger'::regtype AND pronamespace = 'public'::regnamespace"
        )
        settings = {name: set(kept) for name, kept in cursor.fetchall() if name.startswith(("review_", "quality_"))}

    assert {"review_enqueue", "review_tell_documents", "quality_count_new", "quality_count_labels"} <= settings.keys()
    assert all(kept >= {"enable_seqscan=off", "enable_hashjoin=off", "enable_mergejoin=off"} for kept in settings.values()), settings
