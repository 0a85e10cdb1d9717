"""The pages of redactions tell a lead who reviews an answer blind nothing of how the model cites in it."""

from __future__ import annotations

import re

import pytest

from reviewers.accounts.models import Membership
from reviewers.ledger.models import RedactionBasis
from reviewers.review.models import CitationLabel, QueueItem
from reviewers.review.redaction.actions import propose
from reviewers.review.redaction.parts import written_beside
from tests.factories import NOW, make_item, sign_in
from tests.review.plans.planning import review, run_blind
from tests.review.plans.test_blind_citations import FIRST, SECOND, turn
from tests.snapshots.searches import make_searched, run_all

MARKED = "Your risk is elevated [[SF:risk_level]] now, and the fit comes out at 85% [[TF:fit_score]]."


def note(member: Membership, item: QueueItem, words: str) -> str:
    """Have the member put a note on the first row of an answer; return the part that it is."""
    form = {"row": 0, "attribution": str(item.attribution_id), "note": words}
    assert sign_in(member).post(f"/items/{item.pk}/note/", form).status_code == 302
    return [each.part.name for each in written_beside(item.organisation_id, [item.pk]) if words in each.texts][-1]


def elsewhere(member: Membership, item: QueueItem, part: str) -> set[str]:
    """The parts that repeat one that the member proposes, as the page of the proposal names them."""
    proposal = propose(item_id=item.pk, parts=[part], basis=RedactionBasis.ERASURE, reason="Asked for.", by=member, now=NOW)
    page = sign_in(member).get(f"/redactions/{proposal.pk}/").content.decode()
    return set(re.findall(r'name="parts" value="([^"]+)"', page.partition('id="elsewhere"')[2]))


@pytest.mark.parametrize("words", ["TF:fit_score", "elevated [[SF:risk_level]] now, and", "citations footnote claims"])
def test_no_note_of_ones_own_finds_a_marker_or_what_stands_beside_the_text(organisation, lead, words):
    item = make_item(organisation, response=MARKED, sender={"origin": "footnote: citations, footnote: claims, citations footnote claims"})
    run_blind(lead)
    part = note(lead, item, words)

    assert {"response", "rest"}.isdisjoint(elsewhere(lead, item, part))


def test_nor_does_one_on_another_turn_of_the_conversation(organisation, lead):
    item, other = make_item(organisation, response=MARKED), make_item(organisation, response="Nothing of it.", model="model-b")
    run_blind(lead, candidates={"facets": {"model": ["model-a"]}})
    part = note(lead, other, "TF:fit_score")

    assert elsewhere(lead, other, part) == set()
    assert item.pk != other.pk


def test_words_that_the_page_shows_are_found_in_a_blind_answer(organisation, lead):
    item = make_item(organisation, response=MARKED)
    run_blind(lead)

    assert elsewhere(lead, item, note(lead, item, "elevated now, and the fit")) >= {"response"}


def test_markers_are_found_once_the_review_is_submitted(organisation, lead):
    item = make_item(organisation, response=MARKED)
    run_blind(lead)
    part = note(lead, item, "TF:fit_score")
    review(item, lead)

    assert elsewhere(lead, item, part) == {"response"}


@pytest.mark.parametrize("own", [f"{FIRST} [1]. {SECOND} [2].", f"{FIRST}. [1] {SECOND}. [2]", f"{FIRST} [1][9]. {SECOND} [2]."])
def test_notes_on_citations_do_not_tell_where_they_stand_in_the_answer_as_it_was_sent(organisation, lead, own):
    items = [make_item(organisation, **turn(own, "own")), make_searched(organisation, **turn(f"{FIRST}. {SECOND}.", "found"))]
    run_all()
    run_blind(lead)
    client, told = sign_in(lead), []
    for item in items:
        for number in (0, 1):
            form = {"citation": number, "attribution": str(item.attribution_id), "note": "hm", "blind": "1"}
            assert client.post(f"/items/{item.pk}/note-citation/", form).status_code == 302
        page = client.get(f"/items/{item.pk}/redact/").content.decode()
        told.append(re.findall(r"wrote about[^<]*", page))

    assert told[0] == told[1] == ["wrote about the citation of doc-1", "wrote about the citation of doc-2"]
    assert CitationLabel.objects.count() == 4


def test_notes_on_several_citations_of_one_source_are_counted(organisation, lead):
    item = make_item(organisation, **turn(f"{FIRST} [1]. {SECOND} [1].", "twice"))
    run_blind(lead)
    client = sign_in(lead)
    for number in (1, 0):
        form = {"citation": number, "attribution": str(item.attribution_id), "note": "hm", "blind": "1"}
        assert client.post(f"/items/{item.pk}/note-citation/", form).status_code == 302

    words = [each.part.words for each in written_beside(organisation.pk, [item.pk])]
    name = lead.user.name
    assert words == [f"what {name} wrote about the citation of doc-1", f"what {name} wrote about the citation of doc-1, no. 2"]
