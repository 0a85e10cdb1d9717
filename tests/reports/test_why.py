"""The page says what the assistant said it used, what else matches, what was left out, who checked it, and what to beware of."""

from __future__ import annotations

import re

import pytest
from django.conf import settings

from reviewers.accounts.actions import switch_asking_why
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Role
from reviewers.review.items import ReviewItem
from reviewers.review.labels import actions
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.models import CitationVerdict, ControlRow, Label, PlanItem, Verdict
from reviewers.review.queries import load_item
from reviewers.review.review_status import ReviewStatus
from tests.events import events
from tests.factories import CITED, NOW, choose, make_item, make_member, sign_in
from tests.markup import Element, read_markup
from tests.reports.finding import cautions_of, make_suggestion, open_sheet, part
from tests.review.plans import planning
from tests.review.redacting.redactable import redact

_WORDS = "field attribution marker guardrail because snapshot heuristic profile citation path null true false enum"
JARGON = re.compile(rf"\b({_WORDS.replace(' ', '|')})s?\b", re.IGNORECASE)
READERS = [Role.COORDINATOR, Role.LEAD, Role.AUDITOR, Role.REVIEWER]


@pytest.fixture
def suggestion(organisation):
    return make_suggestion(organisation)


def rows_of(page: Element) -> dict[str, str]:
    """Return the fields that the assistant said it used: the value by its name, and the text beside it."""
    rows = part(page, "used").one("tbody").find("tr")
    return {row.one("th").one("span", class_="sub").text.partition(",")[0]: row.text for row in rows}


def review(item, member, verdicts=(), note=""):
    """Label some rows, the rest correct, and submit."""
    for number, verdict in verdicts:
        actions.save_label(choice=choose(item, number), verdict=verdict, note=note, by=member, now=NOW)
    actions.label_remaining(item_id=item.pk, by=member, now=NOW)
    for citation in load_item(member, item.pk).unlabelled_citations:
        save_citation_label(choice=choose(item, citation.number), verdict=CitationVerdict.DOES_NOT_SAY, by=member, now=NOW)
    actions.submit(item_id=item.pk, by=member, now=NOW)


def numbers_of(item) -> dict[str, int]:
    return {row.field.leaf: number for number, row in enumerate(ReviewItem(item, ReviewStatus(), ()).attribution.fields)}


@pytest.mark.parametrize("role", READERS)
def test_it_says_who_was_suggested_to_whom_and_when(organisation, suggestion, role):
    page = open_sheet(make_member(organisation, role), suggestion)

    assert page.one("h1").text == "Ada Quill"
    lede = page.find("p", class_="lede")[0].text
    when = "on Wednesday 4 March 2026 at 01:42 UTC, in conversation conversation-1."
    assert lede == f"Suggested to client client-1 by the assistant {when} Values are those of the record then."


def test_it_says_what_it_is_and_what_it_is_not(suggestion, coordinator):
    page = open_sheet(coordinator, suggestion)

    assert page.one("p", class_="is-not").text.endswith("It does not prove why the provider was chosen.")


def test_each_value_that_was_pointed_to_stands_beside_its_sentence(suggestion, coordinator):
    rows = rows_of(open_sheet(coordinator, suggestion))

    assert list(rows) == ["Risk level", "Match score"]
    assert rows["Risk level"] == "1 Risk level, Safety elevated Your risk is elevated at the moment, so I looked for somebody soon."
    assert "0.85" in rows["Match score"]
    assert "and the fit comes out at 85%" in rows["Match score"]


def test_a_value_that_is_pointed_to_and_not_seen_is_said_to_be_so(organisation, coordinator):
    item = make_suggestion(organisation, response="Somebody answers at night [[SF:crisis_plan_on_file]].")

    (row,) = rows_of(open_sheet(coordinator, item)).values()
    assert "The record’s own words for it were not found in the answer." in row


def test_what_else_matches_stands_apart(suggestion, coordinator):
    also = part(open_sheet(coordinator, suggestion), "also")

    assert [each.text for each in also.find("li")] == ["Provider’s name: Dr. Ada Quill", "Taking new clients: yes"]


def test_what_was_there_and_not_mentioned_is_counted_named_and_listed(suggestion, coordinator):
    unused = part(open_sheet(coordinator, suggestion), "unused")

    assert unused.find("p")[1].text == "2 entries of the record, among them: Crisis plan on file (yes), Fee ($81-$110)."
    assert [each.text for each in unused.one("details", class_="all").find("li")] == ["Crisis plan on file: yes", "Fee: $81-$110"]


def test_what_is_empty_or_was_kept_from_the_assistant_was_not_there(organisation, coordinator):
    context = {"safety": {"risk_level": "low", "plan": "secret plan"}, "client_signal": {"goals": [], "mood": None, "city": "Sedge"}}
    page = open_sheet(coordinator, make_suggestion(organisation, context=context, hidden_sections=["safety"], response="Ada Quill."))

    assert [each.text for each in part(page, "unused").one("details").find("li")] == ["City: Sedge"]
    assert "secret plan" not in page.text
    assert cautions_of(page)[0] == "Part of the record was kept from the assistant. It did not see: Safety."


def test_an_answer_that_points_to_nothing_says_so(organisation, coordinator):
    page = open_sheet(coordinator, make_suggestion(organisation, response="Try Ada Quill.", context={}))

    assert "It did not say." in part(page, "used").text
    assert "Nothing else was found in it." in part(page, "also").text
    assert "There was nothing in the record." in part(page, "unused").text


def test_where_all_of_the_record_is_used_nothing_was_left_out(organisation, coordinator):
    context = {"safety": {"risk_level": "elevated"}}
    page = open_sheet(coordinator, make_suggestion(organisation, response="Ada Quill. Your risk is elevated.", context=context))

    assert "Nothing: the answer speaks of all there was." in part(page, "unused").text


CAUTIONS = {
    "contradicted": (
        {"response": "Ada Quill. Your risk level is low.", "context": {"safety": {"risk_level": "elevated"}}},
        "The answer does not match the record. Risk level: the answer says “low”. The record said “elevated”. Go by the record.",
    ),
    "contradicted yes or no": (
        {"response": "Ada Quill is not taking new clients."},
        "The answer does not match the record. Taking new clients: the answer says “no”. The record said “yes”. Go by the record.",
    ),
    "hidden": (
        {"response": "Ada Quill is calm [[SF:risk_level]].", "hidden_sections": ["safety"]},
        "The assistant points once to a part of the record that was kept from it. It was not shown that part, so it cannot have read it.",
    ),
    "unknown": (
        {"response": "Ada Quill [[SF:mood]] is in [[XX:y]]."},
        "2 references could not be found. What the assistant points to is not in the record. It was left out here.",
    ),
    "over-cited": (
        {"response": "Ada Quill, elevated [[SF:risk_level]], 85% [[TF:fit_score]]."},
        "The assistant points to the record very often. So many references in so short an answer say less about each of them.",
    ),
    "not named": (
        {"response": "Somebody good."},
        "The name is not in the answer. The record says that Ada Quill was suggested, but this answer does not name them.",
    ),
    "documents": (
        CITED | {"response": "Ada Quill says: adults start with 3 mg in the evening [1]."},
        "1 sentence is not borne out by the document behind it. See below which sentence it is, and go by the document.",
    ),
    "held back": (
        {
            "response": "I cannot say. Ada Quill can.",
            "abstention_reason": "The texts disagree.",
            "documents": [{"title": "t", "content": "c"}],
        },
        "The assistant held back an answer. It gave this reason: The texts disagree.",
    ),
}


@pytest.mark.parametrize("name", CAUTIONS)
def test_what_to_beware_of_comes_first(organisation, coordinator, name):
    changes, caution = CAUTIONS[name]
    page = open_sheet(coordinator, make_suggestion(organisation, **changes))

    assert caution in cautions_of(page)
    assert next(iter(page.find("section")))["aria-labelledby"] == "cautions"


def test_no_caution_is_given_without_a_reason(organisation, coordinator, alice):
    item = make_suggestion(organisation, response="Ada Quill sees you. " + "She is kind and near and has time for you. " * 4)
    review(item, alice)

    assert cautions_of(open_sheet(coordinator, item)) == []


def test_an_answer_nobody_has_checked_says_so_twice(suggestion, coordinator):
    page = open_sheet(coordinator, suggestion)

    assert cautions_of(page)[-1].startswith("No reviewer has finished checking this answer.")
    assert part(page, "said").find("p")[0].text == "Nobody has finished checking this answer yet."


def test_a_finished_review_is_told_with_who_and_when(suggestion, coordinator, alice):
    numbers = numbers_of(suggestion)
    review(suggestion, alice, [(numbers["provider_name"], Verdict.MISSTATED)], note="another doctor is meant")
    page = open_sheet(coordinator, suggestion)

    said = part(page, "said")
    assert said.find("p")[1].text == (
        "Alice Aldous checked this answer and finished on Wednesday 4 March 2026 at 09:30 UTC. "
        "Verdicts on the entries of this sheet: 3 right, 1 with another value."
    )
    assert [each.text for each in said.find("li")] == ["Provider’s name: the answer gives another value. another doctor is meant"]
    assert "A reviewer found a value that is not the record’s. Provider’s name." in cautions_of(page)
    assert "A reviewer says: the answer uses it" in rows_of(page)["Risk level"]


def test_a_reviewer_may_disagree_with_the_lists_in_both_ways(suggestion, coordinator, alice):
    numbers = numbers_of(suggestion)
    review(suggestion, alice, [(numbers["risk_level"], Verdict.WRONG), (numbers["fee_range"], Verdict.WRONG)])
    page = open_sheet(coordinator, suggestion)

    assert "A reviewer says that the answer does not use all that is listed here. Not used: Risk level." in cautions_of(page)
    assert "A reviewer says that the answer uses more than is listed here. Used too: Fee." in cautions_of(page)
    assert "A reviewer says: the answer does not use it" in rows_of(page)["Risk level"]
    assert "Fee: the answer uses it too" in part(page, "said").text


def test_what_one_of_two_reviewers_doubts_is_said_at_the_top_and_beside_it(organisation, suggestion, coordinator, alice, bob, lead):
    planning.run_blind(lead)
    planning.review(suggestion, alice, Verdict.CORRECT)
    planning.review(suggestion, bob, Verdict.WRONG)
    page = open_sheet(coordinator, suggestion)

    assert "1 of 2 reviewers says that the answer does not use all that is listed here." in " ".join(cautions_of(page))
    assert "A reviewer says: the answer uses it" in rows_of(page)["Risk level"]
    assert "A reviewer says: the answer does not use it" in rows_of(page)["Risk level"]
    assert "a reviewer says: not used" in part(page, "also").text


def test_a_match_says_how_many_reviewers_doubt_it(organisation, suggestion, coordinator, alice, bob, lead):
    planning.run_blind(lead)
    for reviewer in (alice, bob):
        planning.review(suggestion, reviewer, Verdict.WRONG)

    assert "2 reviewers say: not used" in part(open_sheet(coordinator, suggestion), "also").text


def test_nothing_is_told_of_attention_checks(organisation, suggestion, coordinator, alice, bob, lead):
    planning.run_blind(lead)
    drawn = PlanItem.objects.get(item=suggestion)
    ControlRow.objects.create(organisation=organisation, drawn=drawn, section="provider_genome", path="fee_range", is_right=False)
    for reviewer in (alice, bob):
        planning.review(suggestion, reviewer, Verdict.WRONG, "It is not in it.")
    labels = Label.objects.filter(snapshot_id=suggestion.pk)
    assert labels.filter(path="fee_range").count() == 2
    page = open_sheet(coordinator, suggestion)

    assert "uses more than is listed" not in " ".join(cautions_of(page))
    assert "Fee" not in part(page, "said").text
    assert f"{labels.exclude(path='fee_range').count() // 2} wrong." in part(page, "said").text


@pytest.mark.parametrize("role", READERS)
def test_labels_of_a_review_that_is_not_finished_are_nobodys_to_read(organisation, suggestion, alice, role):
    actions.save_label(choice=choose(suggestion), verdict=Verdict.WRONG, note="a first thought", by=alice, now=NOW)

    page = open_sheet(make_member(organisation, role), suggestion)
    assert "a first thought" not in page.text
    assert "Alice Aldous" not in page.one("main").text.partition("Opened by")[0]
    assert "A reviewer says" not in page.text


def test_a_label_that_was_changed_later_counts_as_it_is_now(suggestion, coordinator, alice):
    number = numbers_of(suggestion)["risk_level"]
    review(suggestion, alice, [(number, Verdict.WRONG)])
    actions.save_label(choice=choose(suggestion, number, reason="read again"), verdict=Verdict.CORRECT, by=alice, now=NOW)

    assert "4 right" in part(open_sheet(coordinator, suggestion), "said").text


def test_documents_are_told_with_sentence_title_and_what_checking_came_to(organisation, coordinator):
    item = make_suggestion(organisation, **CITED)

    uses = [each.text for each in part(open_sheet(coordinator, item), "documents").find("li")]

    assert uses == [
        "1 Adults start with 3 mg in the evening. Melatonin for adults, www.fda.gov “3” is not in the document. The document seems to say the opposite.",  # noqa: E501  # a line as it is read
        "3 Your risk is elevated, so ask first. Asking first, notes.example.org Most of these words are in the document. Whether it says this, only reading it tells.",  # noqa: E501  # a line as it is read
    ]


def test_what_reviewers_said_of_a_document_stands_beside_its_sentence(organisation, coordinator, alice):
    item = make_suggestion(organisation, **CITED)
    for number, verdict in enumerate((CitationVerdict.DOES_NOT_SAY, CitationVerdict.SUPPORTS)):
        save_citation_label(choice=choose(item, number), verdict=verdict, note="two, not three" if number == 0 else "", by=alice, now=NOW)
    unfinished = open_sheet(coordinator, item)
    review(item, alice)
    page = open_sheet(coordinator, item)

    first, second = part(page, "documents").find("li")
    assert "Checked: the document does not say this. two, not three" in first.text
    assert "Checked: the document says this" in second.text
    assert "A reviewer says that a document does not say what it is cited for. The document: Melatonin for adults." in cautions_of(page)
    assert "two, not three" not in unfinished.text


def test_a_document_that_says_otherwise_is_a_graver_caution_than_one_that_does_not_say_it(organisation, coordinator, alice):
    item = make_suggestion(organisation, **CITED)
    for number, verdict in enumerate((CitationVerdict.CONTRADICTS, CitationVerdict.DOES_NOT_SAY)):
        save_citation_label(choice=choose(item, number), verdict=verdict, by=alice, now=NOW)
    review(item, alice)
    page = open_sheet(coordinator, item)

    first, second = part(page, "documents").find("li")
    assert "Checked: the document says otherwise" in first.text
    assert "Checked: the document does not say this" in second.text
    cautions = cautions_of(page)
    contradicted = "A reviewer says that a document contradicts what it is cited for. The document: Melatonin for adults."
    unsaid = "A reviewer says that a document does not say what it is cited for. The document: Asking first."
    assert cautions.index(contradicted) < cautions.index(unsaid)


def test_how_sure_is_not_told_in_figures_that_nobody_measured(suggestion, coordinator):
    page = open_sheet(coordinator, suggestion)

    assert "Not yet measured" in part(page, "used").text
    assert "in 100" not in page.text


def test_a_later_answer_leads_back_to_the_first_and_to_the_others(organisation, coordinator):
    first = make_suggestion(organisation, answered_at="2026-03-01T00:00:00Z")
    other = make_suggestion(organisation, provider="Bo Reed", answered_at="2026-03-02T00:00:00Z")
    later = make_suggestion(organisation, response="She is free.", answered_at="2026-03-03T00:00:00Z")
    page = open_sheet(coordinator, later)

    lede = page.find("p", class_="lede")[0]
    assert lede.text.startswith("Mentioned again to client client-1")
    assert [link["href"] for link in lede.find("a")] == [f"/why/{first.pk}/", f"/why/{other.pk}/", f"/why/{later.pk}/compare/"]
    assert not any("name is not in the answer" in caution for caution in cautions_of(page))


def test_it_has_a_link_for_a_case_note_that_asks_whoever_opens_it(suggestion, coordinator, charlie):
    client = sign_in(coordinator)
    address = read_markup(client.get(f"/why/{suggestion.pk}/")).one("input", data_address=True)["value"]

    assert address == f"{settings.ADDRESS}/why/{suggestion.pk}/"
    assert sign_in(charlie).get(address).status_code == 404


def test_its_link_leads_to_the_site_whatever_host_was_asked(suggestion, coordinator, settings):
    settings.ALLOWED_HOSTS, settings.ADDRESS = ["elsewhere.example"], "https://desk.example.org"
    page = sign_in(coordinator).get(f"/why/{suggestion.pk}/", headers={"Host": "elsewhere.example"})

    assert read_markup(page).one("input", data_address=True)["value"] == f"https://desk.example.org/why/{suggestion.pk}/"


def test_reading_it_is_an_event(suggestion, coordinator):
    open_sheet(coordinator, suggestion)

    (event,) = events("why.viewed")
    assert event["object"] == {"type": "snapshot", "id": str(suggestion.pk)}
    assert event["actor"]["id"] == str(coordinator.user_id)
    assert event["details"] == {"attribution": str(suggestion.attribution_id)}


def test_it_is_kept_by_no_browser(suggestion, coordinator):
    response = sign_in(coordinator).get(f"/why/{suggestion.pk}/")

    assert response["Cache-Control"] == "no-store"


def test_a_coordinator_finds_no_link_to_what_is_not_for_coordinators(suggestion, coordinator):
    client = sign_in(coordinator)
    links = [each["href"] for each in read_markup(client.get(f"/why/{suggestion.pk}/")).find("a") if each["href"].startswith("/")]

    assert {client.get(link).status_code for link in links} <= {200, 302}
    assert not [link for link in links if link.startswith(("/items/", "/queue/"))]


@pytest.mark.parametrize("changes", [{}, *(changes for changes, _ in CAUTIONS.values()), CITED])
def test_it_is_written_for_somebody_who_never_saw_a_record(organisation, coordinator, alice, changes):
    item = make_suggestion(organisation, **changes)
    review(item, alice)
    main = open_sheet(coordinator, item).one("main")

    assert JARGON.findall(main.text) == []


def test_raw_context_stays_where_it_is(organisation, coordinator):
    context = {"safety": {"risk_level": "elevated"}, "client_signal": {"story": "tale " * 600 + "zirconium"}}
    page = open_sheet(coordinator, make_suggestion(organisation, user_text="periwinkle", context=context))

    assert "periwinkle" not in page.text
    assert "zirconium" not in page.text


def test_an_id_that_nobody_has_is_not_found(coordinator):
    assert sign_in(coordinator).get("/why/01a2008f-3da2-7d9a-a775-f7b9f8f85ae5/").status_code == 404


def test_the_answer_of_an_item_is_not_changed_by_being_read(organisation, coordinator):
    item = make_item(organisation, provider="Ada Quill")
    texts = [open_sheet(coordinator, item).one("main").text.partition("Opened by")[0] for _ in range(2)]

    assert texts[0] == texts[1]


@pytest.mark.parametrize("more", ["", "compare/"])
def test_where_the_organisation_asks_why_so_does_this_page(organisation, coordinator, suggestion, more):
    switch_asking_why(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    client, path = sign_in(coordinator), f"/why/{suggestion.pk}/{more}"

    asked = client.get(path).content.decode()
    assert "Why do you open this record?" in asked
    assert "Ada Quill" not in asked
    assert events("why.viewed") == []

    opened = client.post(f"/why/{suggestion.pk}/reason/", {"kind": "question", "reason": "she called", "next": path})
    assert opened["Location"] == path
    assert "Ada Quill" in client.get(path).content.decode()
    assert [event["action"] for event in events() if event["action"] in ("access.explained", "why.viewed")] == [
        "access.explained",
        "why.viewed",
    ]


def test_what_was_redacted_is_told_there_as_well(organisation, coordinator, lead, administrator, suggestion):
    redact(suggestion, ["context.safety.risk_level"], lead, administrator)

    page = open_sheet(coordinator, suggestion)

    assert "Parts of this answer, or of what it rests on, were redacted" in page.text
    assert "Leda Lund and Ada Abbot" in page.text
    assert "█████" in page.text
