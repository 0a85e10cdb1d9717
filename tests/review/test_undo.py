"""Undo takes back the last action that was not taken back yet, however many rows it changed; nothing is erased."""

from __future__ import annotations

import pytest

from reviewers.review import policies
from reviewers.review.models import CitationLabel, Label, QueueItem
from tests.events import events
from tests.factories import CITED, CONTEXT, as_seen_by, label, label_citation, make_item, sign_in
from tests.markup import read_markup
from tests.review.desk import act, notice_of, open_page, progress_of, rows_of
from tests.state import state_of_tables


@pytest.fixture
def desk(alice):
    return sign_in(alice)


def verdicts(alice, item) -> dict[str, str]:
    """Return the verdicts that count, by the last part of a row's path."""
    return {path: given.verdict.value for (_, path), given in as_seen_by(alice, item).current.items() if given.is_verdict}


def test_undoing_takes_the_last_label_back(item, desk, alice):
    label(desk, item, 0, "correct")
    label(desk, item, 2, "wrong")

    response = act(desk, item, "undo")

    assert response["Location"] == f"/items/{item.pk}/#row-2"
    assert verdicts(alice, item) == {"risk_level": "correct"}
    assert progress_of(open_page(alice, item)).endswith("1 labelled, 3 to go")


def test_undoing_a_change_brings_back_what_was_there(item, desk, alice):
    label(desk, item, 0, "correct")
    act(desk, item, "note", row=0, attribution=str(item.attribution_id), note="look")
    label(desk, item, 0, "wrong")

    act(desk, item, "undo")

    given = as_seen_by(alice, item).current["safety", "risk_level"]
    assert (given.verdict, given.note) == ("correct", "look")


def test_several_actions_are_undone_one_after_the_other(item, desk, alice):
    label(desk, item, 0, "correct")
    label(desk, item, 0, "wrong")
    act(desk, item, "note", row=0, attribution=str(item.attribution_id), note="look")
    label(desk, item, 2, "misstated")

    seen = []
    for _ in range(4):
        act(desk, item, "undo")
        seen.append((verdicts(alice, item), as_seen_by(alice, item).current["safety", "risk_level"].note))

    assert seen == [({"risk_level": "wrong"}, "look"), ({"risk_level": "wrong"}, ""), ({"risk_level": "correct"}, ""), ({}, "")]
    assert act(desk, item, "undo").status_code == 409


def test_labels_given_after_an_undo_are_undone_first(item, desk, alice):
    label(desk, item, 0, "correct")
    label(desk, item, 2, "correct")
    act(desk, item, "undo")
    label(desk, item, 2, "wrong")

    act(desk, item, "undo")
    assert verdicts(alice, item) == {"risk_level": "correct"}
    act(desk, item, "undo")
    assert verdicts(alice, item) == {}


def test_calling_the_rest_correct_is_undone_as_one(item, desk, alice):
    label(desk, item, 0, "wrong")
    act(desk, item, "label-remaining")

    act(desk, item, "undo")

    assert verdicts(alice, item) == {"risk_level": "wrong"}
    assert len({each.action_id for each in Label.objects.exclude(undoes=None)}) == 1


def test_with_htmx_the_row_that_changed_comes_back_in_its_place(item, desk):
    label(desk, item, 2, "wrong")

    response = act(desk, item, "undo", as_fragment=True)

    fragment = read_markup(response)
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#row-2", "outerHTML")
    assert [each["id"] for each in fragment.children if not isinstance(each, str)] == ["row-2", "progress", "lease", "notice"]
    assert fragment.one("tbody").get("data-verdict") is None
    assert fragment.one("span", id="progress").text.endswith("0 labelled, 4 to go")


def test_with_htmx_the_page_is_loaded_again_where_several_rows_changed(item, desk):
    act(desk, item, "label-remaining")

    response = act(desk, item, "undo", as_fragment=True)

    assert (response.status_code, response["HX-Redirect"], response.content) == (200, f"/items/{item.pk}/", b"")


def test_nothing_is_erased_and_undoing_is_an_event(item, desk):
    label(desk, item, 0, "correct")
    act(desk, item, "undo")

    given, taken_back = Label.objects.order_by("id")
    assert (given.verdict, taken_back.verdict, taken_back.truth) == ("correct", "none", "none")
    assert (taken_back.undoes, taken_back.replaces_id) == (given.action_id, given.pk)
    (event,) = events("label.undone")
    assert (event["details"]["label"], event["details"]["replaces"]) == (str(taken_back.pk), str(given.pk))


def test_where_there_is_nothing_to_undo_that_is_said_and_nothing_is_written(item, desk):
    before = state_of_tables()

    response = act(desk, item, "undo", as_fragment=True)

    assert response.status_code == 409
    assert notice_of(read_markup(response)) == "There is nothing to undo."
    assert state_of_tables() == before


def test_nobody_undoes_what_somebody_else_did(item, desk, alice, bob):
    label(desk, item, 0, "correct")
    act(desk, item, "let-go")

    assert act(sign_in(bob), item, "undo").status_code == 409
    assert verdicts(alice, item) == {"risk_level": "correct"}


def test_a_submitted_label_cannot_be_undone(item, desk, alice):
    act(desk, item, "label-remaining")
    act(desk, item, "submit")

    response = act(desk, item, "undo", as_fragment=True)

    assert response.status_code == 409
    assert notice_of(read_markup(response)) == "Submitted labels cannot be undone. Change the label instead, and give a reason."
    assert len(verdicts(alice, item)) == 4


def test_an_item_is_undone_by_itself(organisation, item, desk, alice):
    other = make_item(organisation)
    label(desk, item, 0, "correct")
    label(desk, other, 0, "wrong")

    act(desk, item, "undo")

    assert verdicts(alice, item) == {}
    assert verdicts(alice, other) == {"risk_level": "wrong"}
    assert rows_of(open_page(alice, other))["risk_level"]["data-verdict"] == "wrong"


def verdicts_on_citations(alice, item) -> dict[str, str]:
    """Return the verdicts that count, by the source."""
    return {key.source: given.verdict.value for key, given in as_seen_by(alice, item).current_citations.items() if given.is_verdict}


def test_rows_and_citations_are_undone_in_the_order_in_which_they_were_labelled(organisation, desk, alice):
    item = make_item(organisation, **CITED)
    label_citation(desk, item, 0, "supports")
    label(desk, item, 0, "wrong")
    label_citation(desk, item, 0, "does_not_say")
    label_citation(desk, item, 1, "supports")

    places, seen = [], []
    for _ in range(4):
        places.append(act(desk, item, "undo")["Location"].partition("#")[2])
        seen.append((verdicts(alice, item), verdicts_on_citations(alice, item)))

    assert places == ["citation-1", "citation-0", "row-0", "citation-0"]
    assert seen == [
        ({"risk_level": "wrong"}, {"doc-1": "does_not_say"}),
        ({"risk_level": "wrong"}, {"doc-1": "supports"}),
        ({}, {"doc-1": "supports"}),
        ({}, {}),
    ]
    assert act(desk, item, "undo").status_code == 409


def test_calling_the_rest_correct_is_undone_as_one_for_both_kinds(organisation, desk, alice):
    item = make_item(organisation, **CITED)
    label_citation(desk, item, 0, "does_not_say")
    act(desk, item, "label-remaining")

    response = act(desk, item, "undo", as_fragment=True)

    assert response["HX-Redirect"] == f"/items/{item.pk}/"
    assert (verdicts(alice, item), verdicts_on_citations(alice, item)) == ({}, {"doc-1": "does_not_say"})
    taken_back = [*Label.objects.exclude(undoes=None), *CitationLabel.objects.exclude(undoes=None)]
    assert {each.verdict for each in taken_back} == {"none"}
    assert len({each.action_id for each in taken_back}) == 1
    assert [event["action"] for event in events()][-2:] == ["label.undone", "citation_label.undone"]


def test_with_htmx_a_citation_that_was_undone_comes_back_in_its_place(organisation, desk):
    item = make_item(organisation, **CITED)
    label_citation(desk, item, 1, "supports")

    response = act(desk, item, "undo", as_fragment=True)

    fragment = read_markup(response)
    assert (response["HX-Retarget"], response["HX-Reswap"]) == ("#judged-1", "outerHTML")
    assert [each["id"] for each in fragment.children if not isinstance(each, str)] == ["judged-1", "progress", "lease", "notice"]
    assert "data-verdict" not in fragment.one("div", class_="judged").attributes


def test_a_label_of_a_citation_that_another_attribution_no_longer_has_is_taken_back_all_the_same(organisation, desk, alice):
    """As it would be if a later version of the engine read the answer otherwise."""
    item = make_item(organisation, **CITED)
    label(desk, item, 0, "wrong")
    label_citation(desk, item, 0, "supports")
    without = make_item(organisation, response="Good morning.", documents=CITED["documents"], context=CONTEXT)
    QueueItem.objects.filter(pk=item.pk).update(attribution=without.attribution_id)

    assert act(desk, item, "undo").status_code == 302

    kept = CitationLabel.objects.order_by("id").last()
    assert (kept.verdict, kept.shown) == ("none", {"attribution": str(without.attribution_id), "blind": False})


def test_labels_of_an_answer_end_somewhere_and_undoing_ends_before(item, desk, monkeypatch):
    monkeypatch.setattr(policies, "MOST_LABELS", 3)
    monkeypatch.setattr(policies, "MOST_LABELS_A_ROW", 0)
    given = [label(desk, item, 0, verdict) for verdict in ("correct", "wrong", "correct")]

    undone = act(desk, item, "undo")
    given += [label(desk, item, 0, verdict) for verdict in ("wrong", "correct", "wrong", "correct")]

    assert undone.status_code == 409
    assert [response.status_code for response in given] == [302] * 6 + [409]
    assert Label.objects.count() == 6


def test_what_is_written_of_an_answer_ends_somewhere_too(item, desk, monkeypatch):
    """Every page with the answer reads all notes, also those of labels that were replaced."""
    monkeypatch.setattr(policies, "MOST_WRITTEN", 1_000)
    label(desk, item, 0, "wrong")
    noted = [act(desk, item, "note", attribution=str(item.attribution_id), row=0, note="é" * 400) for _ in range(3)]

    undone = act(desk, item, "undo")
    given = [label(desk, item, 0, verdict) for verdict in ("correct", "wrong", "correct")]

    assert [response.status_code for response in (*noted, undone)] == [302, 302, 302, 409]
    assert [response.status_code for response in given] == [302, 302, 409]
    assert sum(len(each.note) for each in Label.objects.all()) == 2_000
