"""The review page: the turn as it was, its rows by method, every footnote, row and span linked, every figure what is stored."""

from __future__ import annotations

import hashlib
import json
import re
from itertools import pairwise

import pytest

from attribution import DEFAULT_PROFILE
from reviewers.accounts.audit import SYSTEM
from reviewers.demonstration.loader import read_turns
from reviewers.review.labels import actions
from reviewers.review.models import QueueItem, Verdict
from reviewers.review.page.rows import MOST_ROWS
from reviewers.review.wording import METHODS
from reviewers.snapshots.ingest.actions import ingest
from tests.events import events
from tests.factories import ANSWER, NOW, choose, make_item, make_record, sign_in
from tests.markup import Element, read_markup
from tests.review.desk import FOUR_TRACKS, FRAGMENT, is_labelable, open_page, progress_of, rows_of
from tests.sampling import sampled

TURNS = [record for _, record in read_turns()]


def item_of(organisation, record) -> QueueItem:
    (outcome,) = ingest(records=[record], organisation=organisation, by=SYSTEM, at=NOW)
    return QueueItem.objects.select_related("snapshot", "attribution").get(pk=outcome.snapshot_id)


def groups_of(page: Element) -> list[tuple[str, int, list[Element]]]:
    """Title, told count and rows of each group of the main table."""
    groups: list[tuple[str, int, list[Element]]] = []
    for body in page.find("table", class_="rows")[0].find("tbody"):
        if body.get("data-row") is not None:
            groups[-1][2].append(body)
        elif body.find("tr", class_="group"):
            title = body.one("th")
            count = title.one("span").text.partition(" ")[0]
            groups.append((title.text.partition(f" {count}")[0], int(count), []))
    return groups


def score_of(row: Element) -> float:
    return float(row.one("span", class_="conf").one("b").text)


def test_of_very_many_rows_those_to_be_labelled_are_drawn_first_and_all_on_demand(organisation, alice):
    """Five thousand rows made a page of 16 MB."""
    names = [f"level_{number}" for number in range(MOST_ROWS + 2)]
    response = " ".join(f"Level {number} is reached." for number in range(len(names)))
    item = make_item(organisation, response=response, context={"safety": {name: name.replace("_", " ").title() for name in names}})
    client = sign_in(alice)

    first = rows_of(open_page(alice, item))
    number = next(iter(first.values())).get("data-row")
    client.post(f"/items/{item.pk}/label/", {"row": number, "attribution": item.attribution_id, "verdict": "wrong"})
    page = open_page(alice, item)

    assert len(first) == len(rows_of(page)) == MOST_ROWS
    assert number not in {row.get("data-row") for row in rows_of(page).values()}
    assert f"{MOST_ROWS} of {len(names)} rows are shown" in page.text
    everything = read_markup(client.get(f"/items/{item.pk}/?rows=all"))
    assert len(rows_of(everything)) == len(names)
    assert "rows are shown" not in everything.text


@pytest.mark.parametrize("record", sampled(TURNS, more=6), ids=lambda record: record.external_id)
def test_of_every_demonstration_turn_everything_on_the_page_is_linked_and_adds_up(organisation, alice, record):
    item = item_of(organisation, record)

    page = open_page(alice, item, unfound=True)

    assert [name for name, count in page.ids().items() if count > 1] == []
    check_links(page)
    check_groups(page, item)
    check_footnotes(page)


@pytest.mark.parametrize(
    "answer", ["[[SF:risk_level]]", "First.\n\n[[SF:risk_level]]\n\nSecond.", "elevated\n\nelevated [[SF:risk_level]]\n\n[[SF:risk_level]]"]
)
def test_wherever_markers_stand_everything_on_the_page_is_linked(organisation, alice, answer):
    page = open_page(alice, make_item(organisation, response=answer), unfound=True)

    assert [name for name, count in page.ids().items() if count > 1] == []
    check_links(page)
    check_footnotes(page)


def check_links(page: Element) -> None:
    """Whatever points to a place on the page points to one that is there."""
    links = {link["href"] for link in page.find("a", href=True) if link["href"].startswith("#")}
    assert {link.removeprefix("#") for link in links} <= page.ids().keys()
    drawn = {row["data-row"] for row in page.find("tbody", data_row=True)}
    for each in page.find(data_rows=True):
        assert set(each.words_of("data-rows")) <= drawn
        assert set(each.words_of("data-matched")) <= set(each.words_of("data-rows"))
    for control in page.find(form=True):
        assert page.find("form", id=control["form"])


def check_groups(page: Element, item: QueueItem) -> None:
    groups = groups_of(page)
    order = list(METHODS.values())
    assert all(order.index(one) < order.index(next_one) for (one, *_), (next_one, *_) in pairwise(groups))
    for _, count, rows in groups:
        assert count == len(rows)
        assert all(score_of(one) >= score_of(next_one) for one, next_one in pairwise(rows))
    found = sum(len(rows) for *_, rows in groups)
    unfound = len(page.one("div", id="unfound-rows").find("tbody", data_row=True)) if page.find("div", id="unfound-rows") else 0
    assert (found, found + unfound) == (item.attribution.found_count, item.attribution.field_count)
    cited = len(page.find("div", data_due=True))
    of_documents = f", {cited} citation{'' if cited == 1 else 's'} of documents" if cited else ""
    assert (
        progress_of(page) == f"{found} field{'' if found == 1 else 's'} found in the answer{of_documents} 0 labelled, {found + cited} to go"
    )


def check_footnotes(page: Element) -> None:
    """Row and footnote name each other, and footnotes are numbered in the order in which they first stand."""
    first = [sup for sup in page.one("div", class_="answer").find("sup") if (sup.get("id") or "").startswith("fn-")]
    assert [sup["id"] for sup in first] == [f"fn-{number}" for number in range(1, len(first) + 1)]
    for sup in first:
        link = sup.one("a")
        (back,) = page.one(id=link["href"].removeprefix("#")).find("a", class_="fn")
        assert (back["href"], back.text) == (f"#{sup['id']}", link.text)


def test_the_four_states_of_the_two_tracks_are_told_in_words(organisation, alice):
    rows = rows_of(open_page(alice, make_item(organisation, **FOUR_TRACKS), unfound=True))

    tracks = {name: row.find("span", class_="track") for name, row in rows.items()}
    told = {name: (track[0].text, track[0]["data-track"]) for name, track in tracks.items() if track}
    assert told == {
        "risk_level": ("cited + found", "cited_and_found"),
        "crisis_plan_on_file": ("cited only", "cited_only"),
        "provider_name": ("found only", "found_only"),
    }
    assert {name for name, track in tracks.items() if not track} == {"fit_score", "fee_range", "accepting_new"}
    assert all(rows[name].one("td", class_="how").text == "not found" for name in ("fit_score", "fee_range", "accepting_new"))


def test_a_field_that_was_not_found_says_in_words_what_kind_of_value_it_has(organisation, alice):
    rows = rows_of(open_page(alice, make_item(organisation, **FOUR_TRACKS), unfound=True))

    kinds = {name: rows[name].one("td", class_="sure").text for name in ("fit_score", "accepting_new")}
    assert kinds == {"fit_score": "number", "accepting_new": "yes or no"}


def test_a_row_shows_field_value_rule_and_score(organisation, alice):
    row = rows_of(open_page(alice, make_item(organisation)))["fit_score"]

    assert row.one("code", class_="path").text == "therapeutic_fit · fit_score"
    assert row.one("bdi", class_="value").text == "0.85"
    assert row.one("td", class_="how").text == "as a percentagecited + found"
    assert score_of(row) == 1.0


def test_a_row_is_explained_by_sentences_that_can_be_checked_in_the_text(organisation, alice):
    page = open_page(alice, make_item(organisation))

    (cited, found) = rows_of(page)["risk_level"].one("tr", class_="trace").find("dd")
    assert cited.text == "[[SF:risk_level]] follows ‘Your risk is elevated’"
    quoted, start, end = re.match(r"‘(.+?)’ at (\d+)–(\d+)", found.text).groups()
    assert page.one("div", class_="answer").find("p")[0].raw_text[int(start) : int(end)] == quoted == "elevated"


def test_a_field_that_is_cited_and_not_visible_says_so(organisation, alice):
    row = rows_of(open_page(alice, make_item(organisation, **FOUR_TRACKS)))["crisis_plan_on_file"]

    assert "its value is not visible in the answer; a paraphrase may still draw on it" in row.one("tr", class_="trace").text


def test_a_contradiction_is_told_in_the_row_the_text_and_the_findings(organisation, alice):
    item = make_item(organisation, response="The fit score is 75%.", context={"therapeutic_fit": {"fit_score": 0.85}})

    page = open_page(alice, item, unfound=True)

    (finding,) = page.one("ul", class_="findings").find("li")
    assert finding.one("strong").text == "Contradicted"
    assert "Match score: the record says" in finding.text
    row = page.one("tbody", id=finding.one("a")["href"].removeprefix("#"))
    assert row.one("span", class_="flag").text.startswith("answer says ")
    assert page.one("div", class_="answer").find("mark", data_span="contradicted")


def test_whoever_calls_all_rows_correct_is_told_of_those_that_are_contradicted(organisation, alice):
    context = {"therapeutic_fit": {"fit_score": 0.85}}
    contradicted = make_item(organisation, response="The fit score is 75% [[TF:fit_score]].", context=context)
    said_right = make_item(organisation, response="The fit score is 85% [[TF:fit_score]].", context=context)

    asked = open_page(alice, contradicted).one("details", id="all-correct")
    asked_of_the_other = open_page(alice, said_right).one("details", id="all-correct")

    words = "In one row the answer gives another value than the record: look at it first."
    assert words in asked.text
    assert words not in asked_of_the_other.text


def test_an_ambiguous_row_says_that_and_by_how_much_it_was_capped(organisation, alice):
    item = make_item(organisation, response="He has elevated mood swings.", context={"safety": {"risk_level": "elevated"}})

    row = rows_of(open_page(alice, item))["risk_level"]

    assert row.one("span", class_="flag").text == "ambiguous"
    assert row.one("td", class_="how").text == "common word (score limited)found only"
    assert row.one("tr", class_="trace").find("dd")[-1].text == "capped from 0.95 to 0.50"
    assert score_of(row) == 0.5


def test_the_rows_that_were_not_found_are_folded_and_counted(organisation, alice):
    page = open_page(alice, make_item(organisation, **FOUR_TRACKS))

    fold = page.one("details", id="unfound")
    assert fold.one("summary").text.startswith("3 fields not found")
    assert "open" not in fold.attributes
    assert not fold.find("tbody")
    assert fold["hx-get"] == f"/items/{page.one('div', class_='desk')['data-item']}/unfound/"


@pytest.mark.parametrize("way", ["fragment", "link"])
def test_the_fold_is_opened_by_a_fragment_or_by_a_link_and_both_show_the_same(organisation, alice, way):
    item = make_item(organisation, **FOUR_TRACKS)
    folded = open_page(alice, item)

    if way == "fragment":
        response = sign_in(alice).get(folded.one("details", id="unfound")["hx-get"], headers=FRAGMENT)
        assert response.content.lstrip().startswith(b"<table")
    else:
        response = sign_in(alice).get(folded.one("details", id="unfound").one("a")["href"].partition("#")[0], follow=True)

    rows = [row for row in read_markup(response).find("tbody", data_row=True) if "data-used" not in row.attributes]
    assert [row.find("b")[0].text for row in rows] == ["Taking new clients", "Fee", "Match score"]
    assert all(is_labelable(row) for row in rows)
    assert [row.one("span", class_="sub").text for row in rows] == ["yes or no", "money", "number"]


def test_looking_at_a_page_at_what_was_not_found_and_at_the_record_are_events(item, alice):
    browser = sign_in(alice)
    for address in ("", "unfound/", "record/"):
        assert browser.get(f"/items/{item.pk}/{address}").status_code == 200

    seen = [event for event in events() if event["actor"]["id"] == str(alice.user_id)][1:]
    assert [event["action"] for event in seen] == ["snapshot.viewed", "snapshot.viewed", "record.viewed"]
    assert {event["object"]["id"] for event in seen} == {str(item.pk)}
    assert {event["details"]["attribution"] for event in seen} == {str(item.attribution_id)}


def test_where_everything_was_found_there_is_no_fold(organisation, alice):
    page = open_page(alice, make_item(organisation, context={"safety": {"risk_level": "elevated"}}))

    assert page.find("details", id="unfound") == []


def test_where_nothing_was_found_the_page_says_so_and_takes_reports(organisation, alice):
    page = open_page(alice, make_item(organisation, response="Good morning."))

    assert "No field of the context is cited or found in this answer." in page.one("section", class_="evidence").text
    assert page.one("details", id="unfound").one("summary").text.startswith("6 fields not found")
    assert progress_of(page) == "0 fields found in the answer 0 labelled, 0 to go"


def test_an_empty_answer_and_an_empty_context_are_shown_as_such(organisation, alice):
    page = open_page(alice, make_item(organisation, response="", context={}, user_text=None))

    assert page.one("div", class_="answer").text == "The answer is empty."
    assert page.find("section", class_="asked") == []
    assert page.find("details", id="unfound") == []


def facts_of(page: Element) -> dict[str, Element]:
    return {each.one("dt").text: each.one("dd") for each in page.find("dl", class_="meta")[0].find("div")}


def test_the_digest_on_the_page_is_that_of_the_record_as_it_came(item, alice):
    raw = sign_in(alice).get(f"/items/{item.pk}/record/").content

    code = facts_of(open_page(alice, item))["snapshot"].one("code")

    assert code["title"] == f"sha256:{hashlib.sha256(raw).hexdigest()}"
    assert code["title"].startswith(code.text.partition("…")[0])
    assert code["title"].endswith(code.text.partition("…")[2])


def test_the_frozen_record_is_a_file_of_its_own_name(item, alice):
    response = sign_in(alice).get(f"/items/{item.pk}/record/")

    assert response["Content-Type"] == "application/json; charset=utf-8"
    assert response["Content-Disposition"] == f'attachment; filename="{item.pk}.json"'
    assert response.content == bytes(item.snapshot.record)


def test_the_page_names_client_model_prompt_profile_and_times(organisation, alice):
    item = make_item(organisation, schema_version="schema 9")

    facts = facts_of(open_page(alice, item))

    assert {name: fact.text for name, fact in facts.items() if name not in ("snapshot", "citation instruction")} == {
        "client": "client-1",
        "model": "model-a",
        "prompt": "prompt 1",
        "schema": "schema 9",
        "answered": "4 Mar 2026, 01:42",
        "frozen": "4 Mar 2026, 09:30",
        "profile": DEFAULT_PROFILE.id,
    }
    assert facts["answered"].one("time")["datetime"] == "2026-03-04T01:42:08+00:00"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (ANSWER, "Mixed: 2 cited + found, 2 found only"),
        ("Elevated risk [[SF:risk_level]].", "Citation: 1 cited + found"),
        ("The risk is elevated.", "Heuristic: 1 found only"),
        ("Good morning.", "None"),
    ],
)
def test_the_badge_says_where_the_attribution_comes_from(organisation, alice, answer, told):
    page = open_page(alice, make_item(organisation, response=answer))

    assert page.one("article").find("span", class_="badge")[0].text == told


def test_without_labels_in_the_profile_the_page_says_uncalibrated_and_shows_scores(item, alice):
    page = open_page(alice, item)

    badge = page.one("article").find("span", class_="badge")[1]
    assert badge.text == "Not calibrated: raw scores"
    assert "raw scores, not probabilities" in badge["title"]
    heading = page.find("table", class_="rows")[0].one("thead").find("th")[3]
    assert heading.one("a", href="/glossary/#score").text == "Score"
    assert "It is no probability" in heading.one("span", role="tooltip").text
    assert "Confidence" not in page.text


def test_the_page_says_what_it_is_and_is_not(item, alice):
    assert "reported and visible use, not proof of cause" in open_page(alice, item).one("p", class_="disclaimer").text


def test_every_key_is_listed_and_has_a_button(item, alice):
    page = open_page(alice, item)

    listed = {key for each in page.one("dl", class_="keys").find("kbd") for key in each.text.split("+")}
    assert listed >= {"1", "2", "3", "0", "↑", "↓", "j", "k", "←", "→", "e", "o", "n", "a", "u", "Ctrl", "Enter", "s", "/", "?"}
    named = {key.text for each in page.walk() if each.tag in ("a", "button", "summary", "label", "th") for key in each.find("kbd")}
    assert named >= {"1", "2", "3", "0", "←", "→", "e", "o", "n", "a", "u", "s", "?", "Ctrl", "Enter"}


def test_the_users_text_is_shown_as_typed_and_never_read_for_citations(organisation, alice):
    page = open_page(alice, make_item(organisation, user_text="My [[SF:risk_level]] is **high**\n\n<b>now</b>", response="I see."))

    assert page.one("section", class_="asked").one("p").raw_text == "My [[SF:risk_level]] is **high**\n\n<b>now</b>"
    assert page.one("section", class_="asked").find("sup") == []
    assert progress_of(page).startswith("0 fields found")


@pytest.mark.parametrize("written", ["[SF:risk_level]", "[[SF risk_level]]", "【SF:risk_level】", "[[SF:risk_\u200blevel]]"], ids=ascii)
def test_what_is_nearly_a_marker_stays_in_the_text_is_marked_and_counted(organisation, alice, written):
    page = open_page(alice, make_item(organisation, response=f"Your risk {written} is elevated."))

    (mark,) = page.one("div", class_="answer").find("mark", data_span="malformed")
    assert mark.raw_text == written.replace("\u200b", "ZWSP")
    findings = [each.one("strong").text for each in page.one("ul", class_="findings").find("li")]
    assert "Malformed marker" in findings


def test_every_marker_that_does_not_count_is_shown_where_it_stood_with_the_reason(organisation, alice):
    answer = "A [[SF:nothing]] b [[XX:risk_level]] c `[[SF:risk_level]]` d [[TF:fit_score]] e."
    page = open_page(
        alice, make_item(organisation, response=answer, user_text="why [[TF:fit_score]]?", context={"safety": {"risk_level": "x"}})
    )

    dropped = page.one("div", class_="answer").find("span", class_="dropped")
    assert [each["data-status"] for each in dropped] == ["unknown", "unknown", "quoted", "echoed"]
    assert dropped[0]["title"] == "unknown: safety has no field nothing"
    assert all(each.one("span", class_="hidden").text == f"Citation dropped, {each['data-status']}" for each in dropped)


def test_a_field_that_is_cited_again_has_one_footnote_that_stands_twice(organisation, alice):
    page = open_page(alice, make_item(organisation, response="Risk is elevated [[SF:risk_level]], yes elevated [[SF:risk_level]]."))

    first, again = page.one("div", class_="answer").find("sup")
    assert (first.text, again.text, first["id"]) == ("1", "1", "fn-1")
    duplicate = next(each for each in page.one("ul", class_="findings").find("li") if "Cited twice" in each.text)
    assert duplicate.one("a")["href"] == f"#{again['id']}"


def test_long_values_are_cut_and_the_record_has_the_rest(organisation, alice):
    long = "quiet evening " * 60
    item = make_item(organisation, context={"safety": {"note": long}})
    page = open_page(alice, item, unfound=True)

    value = rows_of(page)["note"].one("bdi", class_="value")
    assert value.one("details").one("summary").text == "more"
    assert value.text.endswith("…")
    record = page.one("article").one("a", href=f"/items/{item.pk}/record/")["href"]
    assert json.loads(sign_in(alice).get(record).content)["context"]["safety"]["note"] == long


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (["one", "two", 3, True], "one; two; 3; true"),
        ([], "empty"),
        ({}, "empty"),
        (None, "empty"),
        (False, "false"),
        (0, "0"),
        (1e22, "1e+22"),
        ([["a"], None], '[["a"], null]'),
    ],
    ids=str,
)
def test_values_are_shown_in_plain_form(organisation, alice, value, shown):
    page = open_page(alice, make_item(organisation, context={"safety": {"thing": value}}), unfound=True)

    assert rows_of(page)["thing"].one("bdi", class_="value").text == shown


def test_a_nested_field_shows_where_it_stands(organisation, alice):
    page = open_page(alice, make_item(organisation, context={"safety": {"plan": [{"contact": {"day.time": "Monday"}}]}}), unfound=True)

    assert rows_of(page)["time"].one("code", class_="path").text == "safety · plan.0.contact.day.time"


def test_an_auditor_reads_the_page_without_any_button_to_label(item, auditor):
    page = open_page(auditor, item, unfound=True)

    assert not any(is_labelable(row) for row in rows_of(page).values())
    own = {"/accounts/logout/", "/session/stay/", f"/items/{item.pk}/comment/"}
    assert {form["action"] for form in page.find("form")} == own
    assert page.one("div", id="lease").text == "Nobody is reviewing this"


def test_labels_are_shown_to_whoever_gave_them_and_after_submission_to_everybody(item, alice, bob):
    actions.save_label(choice=choose(item), verdict=Verdict.WRONG, by=alice, now=NOW, note="not at all")
    before = [rows_of(open_page(member, item))["risk_level"].get("data-verdict") for member in (alice, bob)]
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)

    row = rows_of(open_page(bob, item))["risk_level"]

    assert before == ["wrong", None]
    assert (row["data-verdict"], row.one("span", class_="said").text, row.one("bdi", class_="note").text) == (
        "wrong",
        "Wrong",
        "not at all",
    )


def test_the_page_is_named_after_its_conversation_and_turn(organisation, alice):
    item = make_item(organisation)
    other = make_item(organisation, conversation_id=None, client_reference=None, turn_index=None)

    assert open_page(alice, item).one("title").text == "Review conversation-1, turn 3 · Footnote"
    assert open_page(alice, other).one("h1").text == other.snapshot.external_id


def test_the_page_is_drawn_from_its_template_and_so_is_every_row_of_it(item, alice):
    response = sign_in(alice).get(f"/items/{item.pk}/")

    assert "review/item.html" in [template.name for template in response.templates]


@pytest.mark.parametrize("direction", ["previous", "next"])
def test_the_items_beside_it_are_the_ones_before_and_after_in_the_queue(organisation, alice, direction):
    days = [make_item(organisation, answered_at=f"2026-03-0{day}T00:00:00Z") for day in (1, 2, 3)]
    expected = {"previous": days[0], "next": days[2]}[direction]

    assert sign_in(alice).get(f"/items/{days[1].pk}/{direction}/")["Location"] == f"/items/{expected.pk}/"
    assert sign_in(alice).get(f"/items/{expected.pk}/{direction}/")["Location"] == "/queue/"


def test_items_of_one_moment_are_passed_one_by_one(organisation, alice):
    items = [make_item(organisation) for _ in range(4)]
    browser = sign_in(alice)
    walked = [f"/items/{min(items, key=lambda item: item.pk).pk}/"]
    while walked[-1] != "/queue/":
        walked.append(browser.get(walked[-1] + "next/")["Location"])

    assert walked == [*(f"/items/{pk}/" for pk in sorted(item.pk for item in items)), "/queue/"]


def test_the_record_that_was_posted_is_the_one_that_is_shown(organisation, alice):
    record = make_record(response="A plain answer of one line.")
    page = open_page(alice, make_item(organisation, **record))

    assert page.one("div", class_="answer").text == record["response"]


def test_a_value_that_is_mentioned_and_not_asserted_comes_first_among_what_was_not_found(organisation, alice):
    context = {"provider": {"city": "Fernwick", "specialty": "trauma", "language": "Welsh"}, "client": {"allergy": "penicillin"}}
    item = make_item(organisation, context=context, response="If you were allergic to penicillin, we would ask the pharmacist.")

    page = open_page(alice, item, unfound=True)

    rows = rows_of(page)
    assert next(iter(rows)) == "allergy"
    assert rows["allergy"].one("span", class_="flag").text == "only if …"
    assert "not asserted" in rows["allergy"].one("td", class_="how").text
    assert "1 of them mentioned but not asserted" in page.one("details", id="unfound").one("summary").text
