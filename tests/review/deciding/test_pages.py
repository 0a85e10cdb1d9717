"""The list of conflicts for a lead and the page that decides one: the litany for each, and their content."""

from __future__ import annotations

from functools import partial

import pytest

from reviewers.review.labels import actions
from reviewers.review.models import Decision, Phase, QueueItem, Reopening, Rule, Verdict
from tests.events import events
from tests.factories import BOTH, NOW, choose, make_item, make_member, sign_in
from tests.markup import read_markup
from tests.review.deciding.cases import case_of, decide_all, make_conflict, phase_of
from tests.review.plans.planning import review, run_blind
from tests.review.signed import make_submitted
from tests.statements import statements_of

NOTE = "a quizzical note"


@pytest.fixture
def conflict(organisation, lead):
    return make_conflict(organisation, NOTE)


def read(member, path, status=200):
    response = sign_in(member).get(path)
    assert response.status_code == status
    return response.content.decode()


def form_of(item, member, place=0, **changes):
    row = case_of(item, member).conflicts[place]
    labels = ",".join(str(label.id) for label in row.labels)
    return {"attribution": str(item.attribution_id), "labels": labels, "verdict": "wrong", "reason": "so it is"} | changes


def test_what_awaits_a_decision_is_listed_with_who_reviewed_it(conflict, lead, alice, auditor):
    left = len(case_of(conflict, lead).conflicts)

    page = read_markup(sign_in(lead).get("/conflicts/"))

    (row,) = page.one("tbody").find("tr")
    assert "conversation-1" in row.text
    assert "Una Ulm, Vera Voss" in row.text
    assert row.find("td", data_name="to decide")[0].text == str(left)
    assert row.one("a", class_="button")["href"] == f"/conflicts/{conflict.pk}/"
    for member in (alice, auditor):
        text = read(member, "/conflicts/")
        assert "conversation-1" in text
        assert "Decide the conflicts" not in text


def test_without_conflicts_the_list_says_so(organisation, lead):
    assert "Nothing conflicts" in read(lead, "/conflicts/")


def test_the_list_is_narrowed_to_a_plan(conflict, lead):
    other = make_item(conflict.organisation, model="another")
    plan = run_blind(lead, name="Another", candidates={"facets": {"model": ["another"]}})

    assert "Nothing conflicts" in read(lead, f"/conflicts/?plan={plan.pk}")
    assert "Una Ulm" in read(lead, f"/conflicts/?plan={conflict.plan_id}")
    assert "Una Ulm" in read(lead, "/conflicts/?plan=none")
    assert other.pk != conflict.pk


@pytest.mark.parametrize("path", ["/conflicts/{item}/"])
def test_only_leads_decide(conflict, alice, auditor, coordinator, administrator, path):
    for member in (alice, auditor, coordinator, administrator):
        read(member, path.format(item=conflict.pk), 403)
        for name in ("decide", "reopen"):
            assert sign_in(member).post(f"/conflicts/{conflict.pk}/{name}/").status_code == 403


def test_an_answer_of_another_organisation_is_not_there(conflict, charlie):
    stranger = make_member(charlie.organisation, "lead")
    read(stranger, f"/conflicts/{conflict.pk}/", 404)
    for name in ("decide", "reopen"):
        assert sign_in(stranger).post(f"/conflicts/{conflict.pk}/{name}/", {"reason": "x"}).status_code == 404
    assert "Una Ulm" not in read(stranger, "/conflicts/")


def test_all_labels_of_a_row_stand_side_by_side_with_the_evidence(conflict, lead):
    page = read_markup(sign_in(lead).get(f"/conflicts/{conflict.pk}/"))

    rows = page.one("table", class_="plain stack voices").one("tbody").find("tr")
    said = [[cell.text for cell in row.find("th") + row.find("td")] for row in rows]
    assert said == [["Una Ulm", "Correct", ""], ["Vera Voss", "Wrong", NOTE]]
    assert page.one("div", class_="answer").find("mark")
    assert events("snapshot.viewed")[-1]["object"]["id"] == str(conflict.pk)


def test_deciding_leads_to_the_next_conflict_and_the_last_one_to_the_answer(conflict, lead):
    client, count = sign_in(lead), len(case_of(conflict, lead).conflicts)
    for left in range(count - 1, -1, -1):
        response = client.post(f"/conflicts/{conflict.pk}/decide/", form_of(conflict, lead))
        assert response["Location"] == (f"/conflicts/{conflict.pk}/" if left else f"/items/{conflict.pk}/")

    page = client.get(f"/items/{conflict.pk}/").content.decode()
    assert f"A lead has decided {count} conflicts." in page
    assert "Decided: Wrong" in page
    assert "so it is" in page
    assert client.get(f"/conflicts/{conflict.pk}/")["Location"] == f"/items/{conflict.pk}/"


def test_the_row_itself_says_what_was_decided(conflict, lead):
    sign_in(lead).post(f"/conflicts/{conflict.pk}/decide/", form_of(conflict, lead))

    page = read_markup(sign_in(lead).get(f"/items/{conflict.pk}/?unfound=1"))

    said = [word.text for line in page.find("td", class_="judge") for word in line.find("span", class_="said")]
    assert [words for words in said if words.startswith("Decided")] == ["Decided: Wrong"]


def test_a_decided_one_can_be_looked_at_and_decided_anew(conflict, lead):
    client = sign_in(lead)
    form = form_of(conflict, lead)
    client.post(f"/conflicts/{conflict.pk}/decide/", form)

    page = client.get(f"/conflicts/{conflict.pk}/?at=1").content.decode()
    assert "Decided: Wrong" in page
    assert "Decide it anew" in page
    client.post(f"/conflicts/{conflict.pk}/decide/", form | {"verdict": "correct"})
    assert Decision.objects.count() == 2


def test_what_lacks_something_is_refused_and_what_was_typed_stays(conflict, lead):
    client = sign_in(lead)

    for changes, status, why in (
        ({"reason": ""}, 422, "A decision needs a reason"),
        ({"verdict": ""}, 422, "Choose what is decided"),
        ({"labels": "nonsense"}, 422, "These are no labels"),
        ({"labels": str(conflict.pk)}, 409, "was changed since you opened the page"),
    ):
        response = client.post(f"/conflicts/{conflict.pk}/decide/", form_of(conflict, lead, **changes))
        assert response.status_code == status
        assert why in response.content.decode()
    kept = client.post(f"/conflicts/{conflict.pk}/decide/", form_of(conflict, lead, verdict="", reason="typed already"))
    assert "typed already" in kept.content.decode()
    assert not Decision.objects.exists()


def test_a_lead_who_reviewed_it_is_told_why_they_may_not(organisation, lead, alice):
    item = make_item(organisation)
    run_blind(lead)
    review(item, lead)
    review(item, alice, Verdict.WRONG)
    client = sign_in(lead)

    page = client.get(f"/conflicts/{item.pk}/").content.decode()
    assert "so another lead decides it" in page
    assert 'id="decide"' not in page
    response = client.post(f"/conflicts/{item.pk}/decide/", form_of(QueueItem.objects.get(pk=item.pk), lead))
    assert response.status_code == 409
    assert "yours, so another lead decides" in read(lead, "/conflicts/")
    assert "Decide</a>" not in read(lead, f"/items/{item.pk}/")


def test_citations_are_shown_with_their_source(organisation, lead, alice, bob):
    item = make_item(organisation, **BOTH)
    run_blind(lead, rule=Rule.LEAD)
    for reviewer in (alice, bob):
        review(item, reviewer)
    last = len(case_of(item, lead).conflicts)

    page = read(lead, f"/conflicts/{item.pk}/?at={last}")

    assert "Asking first" in page
    assert "Whoever takes other medicines should ask first" in page
    assert [f'value="{verdict}"' in page for verdict in ("supports", "does_not_say", "contradicts", "cannot_judge")] == [True] * 4


def test_the_queue_the_plan_and_the_answer_lead_there(conflict, lead, alice):
    for path in ("/queue/?state=submitted", f"/plans/{conflict.plan_id}/", "/plans/"):
        assert "/conflicts/" in read(lead, path)
    assert f"/conflicts/{conflict.pk}/" in read(lead, f"/items/{conflict.pk}/")
    assert f"/conflicts/{conflict.pk}/" not in read(alice, f"/items/{conflict.pk}/")
    assert "1 answer in conflict" in read(alice, "/queue/")


def test_reopening_takes_a_reason_and_says_it(alice, lead, bob):
    item = make_submitted(alice)
    client = sign_in(lead)
    assert "Reopen for review" in client.get(f"/items/{item.pk}/").content.decode()
    assert "Reopen for review" not in read(alice, f"/items/{item.pk}/")

    assert client.post(f"/conflicts/{item.pk}/reopen/", {"reason": ""}).status_code == 422
    assert client.post(f"/conflicts/{item.pk}/reopen/", {"reason": "another guide"})["Location"] == f"/items/{item.pk}/"

    assert Reopening.objects.get().reason == "another guide"
    assert "another guide" in read(bob, f"/items/{item.pk}/")
    assert client.post(f"/conflicts/{item.pk}/reopen/", {"reason": "again"}).status_code == 409


def test_why_a_blind_answer_was_reopened_is_not_told_to_those_who_may_review_it(conflict, lead, alice, auditor):
    decide_all(conflict, lead)
    sign_in(lead).post(f"/conflicts/{conflict.pk}/reopen/", {"reason": "Vera was wrong there"})

    assert "Vera was wrong" not in read(alice, f"/items/{conflict.pk}/")
    assert "Vera was wrong" in read(auditor, f"/items/{conflict.pk}/")


def test_pages_take_few_statements_however_much_conflicts(organisation, lead, conflict):
    client = sign_in(lead)
    paths = ("/conflicts/", f"/conflicts/{conflict.pk}/", f"/items/{conflict.pk}/")
    few = [len(statements_of(partial(client.get, path))) for path in paths]
    for number in range(3):
        item = make_item(organisation, model=f"more {number}")
        run_blind(lead, candidates={"facets": {"model": [f"more {number}"]}})
        review(item, make_member(organisation))
        review(item, make_member(organisation), Verdict.WRONG)
    actions.save_label(choice=choose(conflict, 0, "again"), verdict=Verdict.MISSTATED, by=first_reviewer(conflict), now=NOW)

    many = [len(statements_of(partial(client.get, path))) for path in paths]

    assert few == many
    assert max(many) <= 14, many
    assert phase_of(conflict) == Phase.CONSOLIDATING


def first_reviewer(item):
    return item.snapshot.submissions.order_by("id").first().reviewer.memberships.get()
