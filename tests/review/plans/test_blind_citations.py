"""The page of a blind review tells neither that a citation was dropped nor whether citations are the model's own."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from attribution import ReferenceStatus, attribute_documents
from reviewers.accounts.actions import switch_repair
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Membership, Organisation, Role, TokenScope
from reviewers.calibration.lifecycle.active_profiles import ask_recomputation
from reviewers.review.models import CitationLabel, CitationVerdict, QueueItem
from reviewers.review.plans.actions import start_plan, stop_plan
from reviewers.review.queries import load_item
from reviewers.review.visibility import without_checks
from reviewers.snapshots.models import SearchOutcome
from tests.accounts.tokens import program_of_member
from tests.calibration.standing import approve, propose, recompute_all
from tests.factories import NOW, label_citation, make_item, make_member, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import citations_on
from tests.review.plans.planning import make_plan, review, run_blind
from tests.review.plans.worlds import Forgetting
from tests.snapshots.searches import make_searched, run_all

FIRST, SECOND = "Whoever takes other medicines should ask first", "Adults start with 2 mg in the evening"
DOCUMENTS = [
    {"id": "ask", "title": "Asking first", "content": f"{FIRST}."},
    {"id": "sleep", "title": "Melatonin", "content": f"{SECOND}, an hour before bed."},
]
PLAIN = f"{FIRST}. {SECOND}."
_LEFT = re.compile(r'data-left="\d+"')
"""The seconds that are left of the session."""


def turn(response: str, name: str) -> dict[str, Any]:
    return {"id": name, "conversation_id": "", "response": response, "documents": DOCUMENTS}


def shown(member: Membership, item: QueueItem, query: str = "?sources=all&citations=all") -> str:
    """The page of an item, without what differs on any two pages."""
    return _LEFT.sub("", Forgetting()("item", sign_in(member).get(f"/items/{item.pk}/{query}").content).decode())


def told(member: Membership, item: QueueItem) -> str:
    """What a member's program reads of an item."""
    program = program_of_member(member, TokenScope.READ)
    return Forgetting()("get_item", program.get(f"/api/v1/items/{item.pk}").content).decode()


def find_and_attach(organisation: Organisation, response: str) -> QueueItem:
    """An answer that cites nothing, to which sources are attached, and whose citations are found afterwards."""
    switch_repair(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    organisation.refresh_from_db()
    item = make_searched(organisation, **turn(response, "both"))
    run_all()
    return item


@pytest.mark.parametrize("query", ["", "?sources=all&citations=all"])
@pytest.mark.parametrize(
    "dropped",
    [
        f"{FIRST} [1][9]. {SECOND} [2].",
        f"{FIRST} [1]. [9] {SECOND} [2].",
        f"{FIRST} [1]<sup>[9]</sup>. {SECOND} [2] (see [9]).",
        f"According to [9], {FIRST} [1]. {SECOND} [2] **[9]**.",
    ],
)
def test_nothing_on_the_page_counts_a_citation_that_was_dropped(organisation, lead, bob, auditor, dropped, query):
    plain, lacking = (make_item(organisation, **turn(text, text)) for text in (f"{FIRST} [1]. {SECOND} [2].", dropped))
    run_blind(lead)

    assert shown(bob, lacking, query) == shown(bob, plain, query)
    assert told(bob, lacking) == told(bob, plain)
    assert "means no source" in shown(auditor, lacking)


@pytest.mark.parametrize(
    "own",
    [
        f"{FIRST} [1]. {SECOND} [2].",
        f"{FIRST}. [1] {SECOND}. [2]",
        f"{FIRST} (source: [1]). {SECOND}<sup>[2]</sup>.",
        f"{FIRST}\u00a0[1]. {SECOND} **[2]**.",
    ],
)
def test_citations_that_were_found_afterwards_look_like_the_models_own(organisation, lead, bob, auditor, own):
    made, found = make_item(organisation, **turn(own, "own")), make_searched(organisation, **turn(f"{FIRST}. {SECOND}.", "found"))
    run_all()
    run_blind(lead)

    assert shown(bob, found) == shown(bob, made)
    assert told(bob, found) == told(bob, made)
    assert f"‘{FIRST}’" in shown(bob, found)
    assert "found afterwards" in shown(auditor, found)
    assert "found afterwards" not in shown(auditor, made)


def test_what_was_nearly_a_citation_stands_on_no_page(organisation, lead, bob, auditor):
    texts = (f"{FIRST} [1]. {SECOND} [2].", f"{FIRST} [1] [source: 1]. {SECOND}¹ [2].")
    plain, near = (make_item(organisation, **turn(text, text)) for text in texts)
    run_blind(lead)

    assert shown(bob, near) == shown(bob, plain)
    assert "is no citation as it is written" in shown(auditor, near)


def test_no_citation_arrives_while_an_answer_is_reviewed_blind(organisation, lead, alice, bob, auditor):
    """A plan waits minutes for a search, and the worker may take longer."""
    item = make_searched(organisation, **turn(f"{FIRST}. {SECOND}.", "slow"))
    plan = make_plan(lead, overlap=2, is_blind=True)
    start_plan(plan_id=plan.pk, by=lead, now=timezone.now() + timedelta(minutes=6))
    before = shown(bob, item)
    (result,) = run_all()

    assert shown(bob, item) == before
    assert "Documents: 0 of 2 cited" in before
    assert result.outcome == SearchOutcome.FAILED
    for member in (alice, bob):
        review(item, member)
    assert "look again once all reviews are in" in shown(auditor, item)
    client = sign_in(lead)
    assert client.post(f"/items/{item.pk}/look-again/").status_code == 302
    run_all()
    assert "found afterwards" in shown(auditor, item)


def test_answers_that_were_attributed_again_do_not_tell_whose_citations_were_found_afterwards(organisation, lead, bob):
    """A search belongs to an attribution. If only searched answers kept theirs, its profile would tell them from the others."""
    made, found = make_item(organisation, **turn(f"{FIRST} [1]. {SECOND} [2].", "own")), make_searched(organisation, **turn(PLAIN, "found"))
    other = make_item(organisation, id="no documents")
    run_all()
    profile = approve(propose(made, lead), make_member(organisation, Role.LEAD, "Lasse Lowe"))
    ask_recomputation(profile_id=profile.pk, by=lead, now=NOW)
    recompute_all()
    run_blind(lead)

    assert shown(bob, found) == shown(bob, made)
    under = [item.attribution.profile_id for item in (made, found, other) if item.refresh_from_db() is None]
    assert [each == profile.name for each in under] == [False, False, True]


@pytest.mark.parametrize("written", ["**{}**", "*{}*", "“{}”", '"{}"', "({})"])
def test_citations_stand_behind_what_closes_around_their_words(organisation, lead, bob, written):
    first, second = written.format(FIRST), written.format(SECOND)
    made = make_item(organisation, **turn(f"{first} [1]. {second} [2].", "own"))
    found = make_searched(organisation, **turn(f"{first}. {second}.", "found"))
    run_all()
    run_blind(lead)

    assert len(citations_on_page(bob, found)) == 2
    assert shown(bob, found) == shown(bob, made)


def test_attached_citations_are_counted_behind_those_at_a_place_in_the_answer(organisation, lead, bob, auditor):
    item = find_and_attach(organisation, f"{FIRST}. {SECOND}.")
    run_blind(lead)

    told = [each.text for each in sorted(citations_on_page(bob, item), key=lambda each: int(each["data-citation"]))]
    assert ["at no place" in each for each in told] == [False, False, True, True]
    assert 'data-cited="0"' in shown(bob, item)
    assert "found afterwards" in shown(auditor, item)


def test_what_a_blind_reviewer_labels_is_the_citation_that_they_saw(organisation, lead, bob):
    item = find_and_attach(organisation, f"{FIRST}. {SECOND}.")
    run_blind(lead)
    numbers = {each["data-citation"]: each.text for each in citations_on_page(bob, item)}
    (second,) = (int(number) for number, text in numbers.items() if f"‘{SECOND}’" in text)

    assert label_citation(sign_in(bob), item, second, CitationVerdict.DOES_NOT_SAY, blind="1").status_code == 302
    label = CitationLabel.objects.get()
    assert (label.source, label.start is None) == ("doc-2", False)
    review(item, bob)
    assert CitationLabel.objects.values("source", "start").distinct().count() == 4


@pytest.mark.parametrize("was_blind", [True, False])
def test_a_citation_is_not_labelled_by_its_number_in_another_order(organisation, lead, bob, was_blind):
    item = find_and_attach(organisation, f"{FIRST}. {SECOND}.")
    plan = run_blind(lead)
    if was_blind:
        stop_plan(plan_id=plan.pk, by=lead, now=NOW)

    response = label_citation(sign_in(bob), item, 0, "supports", **({"blind": "1"} if was_blind else {}))

    assert response.status_code == 409
    assert "the order of citations" in response.content.decode()
    assert not CitationLabel.objects.exists()


def test_a_claim_that_does_not_stand_in_the_answer_is_a_finding(organisation, lead, bob, auditor):
    claims = [{"text": "Something else entirely", "citations": ["sleep"]}, {"text": FIRST, "citations": ["ask"]}]
    item = make_item(organisation, **turn(json.dumps({"answer": f"{FIRST} [1].", "claims": claims}), "claims"))
    run_blind(lead)

    assert "does not stand in the answer" in shown(auditor, item)
    page = shown(bob, item)
    assert "Something else entirely" in page
    assert "does not stand in the answer" not in page


def test_a_claim_leads_to_its_citations_though_another_was_dropped(organisation, lead, bob):
    claims = [{"text": FIRST, "citations": ["none"]}, {"text": SECOND, "citations": ["sleep"]}]
    item = make_item(organisation, **turn(json.dumps({"answer": f"{FIRST}. {SECOND}.", "claims": claims}), "claims"))
    run_blind(lead)

    (citation,) = load_item(bob, item.pk).citations
    page = shown(bob, item)
    assert citation.source == "doc-2"
    assert 'href="#citation-0"' in page
    assert "peek-0-1" in page


def citations_on_page(member: Membership, item: QueueItem) -> list[Element]:
    return citations_on(read_markup(sign_in(member).get(f"/items/{item.pk}/?sources=all&citations=all")))


def test_long_runs_of_signs_are_passed_over_in_part():
    text = f"{FIRST}{'.' * 40}"
    documents = attribute_documents(response=f"{text} [1]", documents=DOCUMENTS)
    found = documents.references[0]._replace(status=ReferenceStatus.FOUND, position=len(text), span=(0, len(text)))

    (shown_as,) = without_checks(replace(documents, references=(found,))).references
    assert (shown_as.span, shown_as.position) == ((0, len(text)), len(text))
    short = replace(documents, references=(found._replace(span=(0, len(FIRST) + 3)),))
    assert without_checks(short).references[0].span == (0, len(FIRST))
