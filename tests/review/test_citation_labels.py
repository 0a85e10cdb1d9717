"""Labels of citations: whether a source supports what it is cited for, kept in terms of the frozen record and saved one by one."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from attribution import CitationPolicy, ReferenceStatus, attribute_documents
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.labels.writer import RowChoice
from reviewers.review.models import CitationLabel, CitationVerdict, Label, Lease
from reviewers.snapshots.citations import citations_of
from reviewers.snapshots.models import SnapshotDocuments
from tests.events import events
from tests.factories import BOTH, CITED, NOW, as_seen_by, label, label_citation, make_item, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import act, citations_on, notice_of, open_page, progress_of
from tests.review.test_labelling import outline

UNSOUND, SOUND = 0, 1
"""Citations of the item: the first has a figure that its source has not, of the second every word is found."""

QUOTED = {
    "response": "Start low. Ask first.",
    "documents": CITED["documents"],
    "citations": [
        {"sourceId": "sleep-7", "quote": "Adults start with 3 mg in the evening"},
        {"sourceId": "sleep-7", "quote": "in the evening"},
    ],
}


@pytest.fixture
def item(organisation):
    return make_item(organisation, **CITED)


@pytest.fixture
def desk(alice):
    return sign_in(alice)


def form_of(item, number=UNSOUND, **more):
    return {"citation": number, "attribution": str(item.attribution_id)} | more


def give(item, member, number=UNSOUND, verdict=CitationVerdict.SUPPORTS, **more):
    choice = RowChoice(item.pk, item.attribution_id, number, more.pop("reason", ""))
    return save_citation_label(choice=choice, verdict=verdict, by=member, now=NOW, **more)


def finish(item, desk):
    """Everything labelled and submitted."""
    for number in (UNSOUND, SOUND):
        label_citation(desk, item, number)
    act(desk, item, "label-remaining")
    assert act(desk, item, "submit").status_code == 302


def test_a_citation_is_named_by_its_source_and_the_words_as_the_model_wrote_them(item, alice):
    for number in (UNSOUND, SOUND):
        give(item, alice, number)

    written = CITED["response"]
    kept = list(CitationLabel.objects.order_by("id"))
    assert [(each.source, each.is_own, each.repeat) for each in kept] == [("doc-1", True, 0), ("doc-2", True, 0)]
    assert [written[each.start : each.end] for each in kept] == [
        "Adults start with 3 mg in the evening",
        "Your risk is elevated [[SF:risk_level]], so ask first",
    ]


def test_citations_of_one_source_for_the_same_words_are_told_apart(organisation, alice):
    item = make_item(organisation, **QUOTED)

    for number in (0, 1):
        give(item, alice, number)

    names = [(each.source, each.start, each.end, each.repeat) for each in CitationLabel.objects.order_by("id")]
    assert names == [("doc-1", None, None, 0), ("doc-1", None, None, 1)]


def test_a_reference_on_several_sources_is_as_many_citations(organisation, alice):
    item = make_item(organisation, response="Whoever takes other medicines should ask first [2, 3].", documents=CITED["documents"])

    assert [each.source for each in as_seen_by(alice, item).citations] == ["doc-2", "doc-3"]


def test_a_citation_keeps_its_name_when_more_is_taken_out_of_the_text_before_it():
    """As another version of the engine might do: only the clean text is another one then."""
    given = {"documents": CITED["documents"]}
    answer = "See the list. Adults start with 2 mg in the evening [1]."
    found = attribute_documents(response=answer, **given)
    (citation,) = citations_of(found)

    reference = found.references[0]._replace(span=tuple(place - len("See the list. ") for place in found.references[0].span))
    (again,) = citations_of(_without_opening(found, reference, len("See the list. ")))

    assert again.reference.span != citation.reference.span
    assert again.key == citation.key


def _without_opening(found, reference, length):
    return replace(found, references=(reference,), removed=((0, length), *found.removed), clean_text=found.clean_text[length:])


def test_what_was_found_or_attached_afterwards_is_kept_apart_from_what_the_model_cited():
    given = {"response": "Whoever takes other medicines should ask first.", "documents": CITED["documents"]}
    for policy in (CitationPolicy(repairs=True), CitationPolicy(searches_afterwards=True)):
        citations = citations_of(attribute_documents(**given, policy=policy))
        assert citations
        assert {(each.key.is_own, each.is_due) for each in citations} == {(False, False)}
        assert {each.reference.status for each in citations} <= {ReferenceStatus.FOUND, ReferenceStatus.REPAIRED}


def test_a_label_is_kept_with_what_was_shown(item, alice):
    give(item, alice, UNSOUND)

    kept = CitationLabel.objects.get()
    support = kept.shown.pop("support")
    assert 0 < support < 0.5
    assert kept.shown == {
        "attribution": str(item.attribution_id),
        "documents": "sha256:" + bytes(SnapshotDocuments.objects.get().digest).hex(),
        "engine": item.attribution.engine_version,
        "grammar": "numbered",
        "status": "resolved",
        "reference": 0,
        "words": [0, 37],
        "checked": True,
        "failures": ["figure_not_found", "opposite"],
        "quote": None,
        "quote_verified": None,
        "trust": 0.95,
        "blind": False,
    }


def test_of_a_quote_it_is_kept_whether_it_was_found(organisation, alice):
    item = make_item(organisation, **QUOTED)
    for number in (0, 1):
        give(item, alice, number)

    shown = [each.shown for each in CitationLabel.objects.order_by("id")]
    assert [(each["quote"], each["quote_verified"]) for each in shown] == [("altered_figure", False), ("exact", True)]
    assert ["quote_not_verified" in each["failures"] for each in shown] == [True, False]


def test_a_label_is_an_event_that_tells_neither_source_nor_words_nor_note(item, alice):
    give(item, alice, UNSOUND, CitationVerdict.DOES_NOT_SAY, note="said zeppelin")

    (event,) = events("citation_label.saved")
    kept = CitationLabel.objects.get()
    assert event["object"] == {"type": "snapshot", "id": str(item.pk)}
    assert event["actor"] == {"kind": "user", "id": str(alice.user_id)}
    assert event["details"] == {
        "label": str(kept.pk),
        "verdict": "does_not_say",
        "own": True,
        "replaces": None,
        "after_submission": False,
    }
    assert event["parts"]["count"] == 3
    assert not any(word in json.dumps(event) for word in ("zeppelin", "doc-1", "sleep-7"))


def test_the_label_that_counts_is_the_newest_and_the_others_stay(item, desk):
    for verdict in ("supports", "does_not_say", "contradicts", "cannot_judge"):
        label_citation(desk, item, UNSOUND, verdict)

    labels = list(CitationLabel.objects.order_by("id"))
    assert [each.verdict for each in labels] == ["supports", "does_not_say", "contradicts", "cannot_judge"]
    assert [each.replaces_id for each in labels] == [None, *(each.pk for each in labels[:-1])]


def test_labels_of_two_people_stand_beside_each_other(item, alice, bob):
    give(item, alice, UNSOUND)
    act(sign_in(alice), item, "let-go")
    give(item, bob, UNSOUND, CitationVerdict.CANNOT_JUDGE)

    kept = CitationLabel.objects.order_by("id")
    assert [(each.reviewer_id, each.replaces_id) for each in kept] == [(alice.user_id, None), (bob.user_id, None)]
    told = [citations_on(open_page(member, item))[UNSOUND].one("div", class_="judged").get("data-verdict") for member in (alice, bob)]
    assert told == ["supports", "cannot_judge"]


def test_as_a_plain_form_a_label_leads_back_to_its_citation(item, desk):
    response = label_citation(desk, item, SOUND, "does_not_say")

    assert (response.status_code, response["Location"]) == (302, f"/items/{item.pk}/#citation-{SOUND}")
    judged = citations_on(read_markup(desk.get(f"/items/{item.pk}/")))[SOUND].one("div", class_="judged")
    assert judged["data-verdict"] == "does_not_say"


@pytest.mark.parametrize("verdict", [each for each in CitationVerdict if each is not CitationVerdict.NONE])
def test_with_htmx_a_label_brings_its_own_part_the_progress_the_lease_and_an_empty_notice(item, desk, verdict):
    fragment = read_markup(label_citation(desk, item, UNSOUND, verdict.value, headers={"HX-Request": "true"}))

    parts = [each for each in fragment.children if not isinstance(each, str)]
    assert [each["id"] for each in parts] == [f"judged-{UNSOUND}", "progress", "lease", "notice"]
    assert [each.get("hx-swap-oob") for each in parts] == [None, "true", "true", "true"]
    judged, progress, *_ = parts
    assert judged["data-verdict"] == verdict.value
    assert judged.one("span", class_="said").text == verdict.label
    assert [each["value"] for each in judged.find("button", name="verdict", aria_pressed="true")] == [verdict.value]
    assert progress.text == "1 field found in the answer, 2 citations of documents 1 labelled, 2 to go"


def test_the_part_of_a_fragment_is_the_part_of_the_page(item, desk, alice):
    fragment = read_markup(label_citation(desk, item, SOUND, headers={"HX-Request": "true"}))

    on_the_page = citations_on(open_page(alice, item))[SOUND].one("div", class_="judged")
    assert outline(fragment.one("div", class_="judged")) == outline(on_the_page)


def test_every_citation_has_the_four_buttons_in_the_order_of_the_keys_in_words(item, alice):
    for citation in citations_on(open_page(alice, item)):
        buttons = citation.one("form", class_="verdict").find("button")
        assert [(button["value"], button.text, button["title"]) for button in buttons] == [
            ("supports", "Supports", "Supports (1): the source says this"),
            ("does_not_say", "Does not say", "Does not say (2): the source does not say this"),
            ("contradicts", "Contradicts", "Contradicts (3): the source says otherwise"),
            ("cannot_judge", "Can’t judge", "Can’t judge (0): the source cannot be read or understood"),
        ]
        assert {button["aria-pressed"] for button in buttons} == {"false"}


def test_a_citation_names_its_words_in_the_answer(item, alice):
    page = open_page(alice, item)
    cited = page.one("div", class_="answer").find("mark", data_cited=True)

    for citation, first_words in zip(citations_on(page), ("Adults start with", "Your risk is"), strict=True):
        assert next(mark.text for mark in cited if mark["data-cited"] == citation["data-mark"]) == first_words
        assert page.one("sup", id=citation["data-place"])


def test_a_note_is_put_to_a_citation_without_giving_it_a_verdict_and_stays_when_it_gets_one(item, desk, alice):
    response = act(desk, item, "note-citation", **form_of(item, note="  read on  "))
    assert response["Location"] == f"/items/{item.pk}/#citation-{UNSOUND}"
    assert [each["action"] for each in events() if each["action"].startswith("citation")] == ["citation_note.saved"]
    assert "data-verdict" not in citations_on(open_page(alice, item))[UNSOUND].one("div", class_="judged").attributes

    label_citation(desk, item, UNSOUND, "cannot_judge")

    judged = citations_on(open_page(alice, item))[UNSOUND].one("div", class_="judged")
    assert judged.one("bdi", class_="note").text == judged.one("input", name="note")["value"] == "read on"
    assert judged["data-verdict"] == "cannot_judge"


def test_the_progress_counts_both_kinds(item, desk, alice):
    told = []
    for step in (lambda: label(desk, item), lambda: label_citation(desk, item, SOUND), lambda: label_citation(desk, item, SOUND)):
        step()
        told.append(progress_of(open_page(alice, item)).removeprefix("1 field found in the answer, 2 citations of documents "))

    assert told == ["1 labelled, 2 to go", "2 labelled, 1 to go", "2 labelled, 1 to go"]


def test_the_list_tells_labels_of_citations_beside_those_of_rows(item, desk):
    label_citation(desk, item, SOUND)
    label_citation(desk, item, UNSOUND)
    act(desk, item, "undo")

    cell = read_markup(desk.get("/queue/?state=held&state=to_do")).one("td", data_name="labelled")
    assert cell.text == "0 of 1 1 citation"


def test_the_rest_are_the_citations_whose_checks_found_nothing_wrong(item, desk, alice):
    response = act(desk, item, "label-remaining")

    assert response.status_code == 302
    (kept,) = CitationLabel.objects.all()
    assert (kept.source, kept.verdict) == ("doc-2", "supports")
    assert Label.objects.get().action_id == kept.action_id
    assert progress_of(open_page(alice, item)).endswith("2 labelled, 1 to go")


def test_where_only_citations_with_a_failed_check_are_left_that_is_said_and_nothing_is_written(item, desk):
    act(desk, item, "label-remaining")

    response = act(desk, item, "label-remaining", as_fragment=True)

    assert response.status_code == 409
    assert notice_of(read_markup(response)).endswith("judge them one by one.")
    assert CitationLabel.objects.count() == 1


def test_a_citation_that_could_not_be_checked_is_not_called_supported_with_the_rest(organisation, desk, alice):
    documents = [{"title": "Asking first", "content": ""}]
    item = make_item(organisation, response="Ask your doctor first [1].", documents=documents, context={})
    (citation,) = as_seen_by(alice, item).citations

    act(desk, item, "label-remaining")

    assert (citation.is_due, citation.is_sound) == (True, False)
    assert not CitationLabel.objects.exists()


REFUSED = {
    "no verdict": {"verdict": ""},
    "a verdict on a row": {"verdict": "correct"},
    "the verdict that takes back": {"verdict": "none"},
    "no citation": {"citation": ""},
    "a citation before the first": {"citation": "-1"},
    "a citation behind the last": {"citation": "2"},
    "no attribution": {"attribution": ""},
    "a reason too long": {"reason": "x" * 2_001},
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("as_fragment", [False, True], ids=["page", "fragment"])
def test_a_form_that_makes_no_sense_is_refused_with_the_reason_and_writes_no_label(item, desk, name, as_fragment):
    response = act(desk, item, "label-citation", as_fragment=as_fragment, **form_of(item, verdict="supports") | REFUSED[name])

    assert response.status_code == 422
    assert notice_of(read_markup(response)) != ""
    assert not CitationLabel.objects.exists()
    assert not Lease.objects.exists()


@pytest.mark.parametrize("name", ["label-citation", "note-citation"])
def test_a_page_of_an_older_attribution_is_told_to_reload(organisation, item, desk, name):
    stale = {"attribution": str(make_item(organisation).attribution_id)}

    response = act(desk, item, name, as_fragment=True, **form_of(item, verdict="supports") | stale)

    assert response.status_code == 409
    assert notice_of(read_markup(response)) == "This item has been attributed again since you opened it. Reload the page."
    assert not CitationLabel.objects.exists()


def test_nobody_labels_what_somebody_else_holds_and_reads_no_buttons_there(item, desk, alice, bob):
    label_citation(desk, item)

    response = label_citation(sign_in(bob), item, headers={"HX-Request": "true"})

    assert response.status_code == 409
    assert notice_of(read_markup(response)) == "Alice Aldous is reviewing this answer. You can read it meanwhile."
    assert not any(citation.find("form") for citation in citations_on(open_page(bob, item)))


def test_a_change_after_submission_needs_a_reason_and_the_old_label_stays_on_the_page(item, desk, alice):
    finish(item, desk)

    refused = label_citation(desk, item, UNSOUND, "does_not_say", headers={"HX-Request": "true"})
    changed = label_citation(desk, item, UNSOUND, "does_not_say", reason="read it again")

    assert (refused.status_code, changed.status_code) == (422, 302)
    judged = citations_on(open_page(alice, item))[UNSOUND].one("div", class_="judged")
    assert judged["data-verdict"] == "does_not_say"
    assert "Was Supports, until it was changed: read it again" in judged.text
    assert [field.get("form") for field in judged.find("input", name="reason")] == [judged.one("form", class_="verdict")["id"], None]
    assert events("citation_label.saved")[-1]["details"]["after_submission"] is True
    assert not Lease.objects.exists()


def test_nobody_else_changes_a_submitted_review(item, desk, bob):
    finish(item, desk)

    refused = label_citation(sign_in(bob), item, UNSOUND, "does_not_say", reason="no", headers={"HX-Request": "true"})

    assert refused.status_code == 409
    assert notice_of(read_markup(refused)).startswith("Somebody else has submitted this review.")
    said: list[Element] = [each.one("span", class_="said") for each in citations_on(open_page(bob, item))]
    assert [each.text for each in said] == ["Supports", "Supports"]


def test_a_claim_leads_to_its_citations_where_they_are_judged(organisation, alice):
    answer = {
        "answer": "Adults start with 2 mg. Ask first.",
        "claims": [{"text": "Adults start with 2 mg.", "citations": ["c2", "c1"]}, {"text": "Ask first.", "citations": ["c2"]}],
        "citations": [{"id": "c1", "source": "sleep-7"}, {"id": "c2", "source": "doc-2"}],
    }
    page = open_page(alice, make_item(organisation, response=json.dumps(answer), documents=CITED["documents"], context={}))

    judged = {citation["id"]: citation["aria-label"] for citation in citations_on(page)}
    claims = [each for each in page.find("ul", class_="claims")[0].children if isinstance(each, Element)]
    led = [[judged[link["href"][1:]] for link in claim.find("a", class_="fn")] for claim in claims]
    assert [[name.partition(", of ")[2] for name in names] for names in led] == [["Asking first", "Melatonin for adults"], ["Asking first"]]
    assert len({link["href"] for claim in claims for link in claim.find("a", class_="fn")}) == 3


def test_an_item_without_documents_has_no_citations_to_label(organisation, desk, alice):
    item = make_item(organisation)

    response = label_citation(desk, item, headers={"HX-Request": "true"})

    assert response.status_code == 422
    assert notice_of(read_markup(response)) == "There is no such citation."
    assert "documents" not in progress_of(open_page(alice, item))


def test_all_citations_are_shown_on_demand_however_many_there_are(organisation, desk):
    item = make_item(organisation, response="Coffee keeps awake [3]. " * 25, documents=CITED["documents"])
    few, all_of_them = (read_markup(desk.get(f"/items/{item.pk}/{query}")) for query in ("", "?citations=all"))

    assert [len(citations_on(page)) for page in (few, all_of_them)] == [20, 25]
    (link,) = few.find("a", data_more_citations=True)
    assert link["href"].startswith(f"/items/{item.pk}/?citations=all#source-")
    form = {each["name"]: each["value"] for each in citations_on(all_of_them)[24].one("form", class_="verdict").find("input")}
    response = desk.post(f"/items/{item.pk}/label-citation/", form | {"verdict": "supports"})
    assert response["Location"] == f"/items/{item.pk}/?citations=all#citation-24"


def test_a_record_of_both_is_submitted_after_the_rest_was_called_correct(organisation, desk):
    item = make_item(organisation, **BOTH)
    act(desk, item, "label-remaining")

    assert act(desk, item, "submit").status_code == 302
