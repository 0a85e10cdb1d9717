"""The page: its figures are those of the answers, each leads to them, and it tells nothing of one answer under blind review."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from datetime import date, timedelta
from itertools import pairwise

import pytest

from attribution.calibration import wilson
from reviewers.accounts.models import Role
from reviewers.quality.abstentions import LONGEST_REASON
from reviewers.quality.charts import Dot, draw_line, top_of
from reviewers.quality.jobs import fold
from reviewers.quality.management.commands.rollup import figures_of
from reviewers.quality.page import MEASURES
from reviewers.quality.queries import Period, period_of
from reviewers.review.models import Draw, QueueItem
from reviewers.review.plans.sampling import Design
from reviewers.snapshots.models import visible
from reviewers.web.jinja import percent
from tests.accounts.outside import make_external
from tests.calibration.standing import Standing
from tests.events import events
from tests.factories import CITED, CONTEXT, UNCITED, make_item, make_member, make_organisation, sign_in
from tests.markup import read_markup
from tests.quality.cited import ASKS_BACK, GREEN, OPPOSED, RED, UNQUOTED, UNSUPPORTED, WITHHELD
from tests.review.plans.planning import review, run_blind
from tests.statements import statements_of

MOST_STATEMENTS = 12
TURNS = (
    {"model": "a", "prompt_version": "1", "response": "Your risk is elevated [[SF:risk_level]], as far as anybody can say for now."},
    {"model": "a", "prompt_version": "1", "response": "Your risk is elevated."},
    {"model": "a", "prompt_version": "2", "response": "Risk [[SF:nonsense]] is so."},
    {"model": "b", "prompt_version": "2", "response": "Nothing of it at all."},
    {"model": "b", "prompt_version": "2", **CITED},
    {"model": "b", "prompt_version": "2", **UNCITED},
    {"model": "b", "prompt_version": None, "response": "", "abstention_reason": "no source answers that"},
)


@pytest.fixture
def answers(organisation):
    """Two a week over some weeks."""
    for number in range(28):
        day = date(2026, 1, 5) + timedelta(days=3 * number)
        make_item(organisation, answered_at=f"{day}T12:00:00Z", **TURNS[number % len(TURNS)])
    fold()
    make_item(organisation, answered_at="2026-03-30T12:00:00Z", **TURNS[0])


@pytest.fixture
def auditor(organisation):
    return sign_in(make_member(organisation, Role.AUDITOR, "Arno Ames"))


def page_of(client, query: str = ""):
    response = client.get(f"/quality/?{query}")
    assert response.status_code == 200
    return response.context["page"]


def test_figures_are_those_of_the_answers(answers, auditor):
    page = page_of(auditor)
    figures = {panel.measure.key: (panel.whole.hits, panel.whole.trials) for panel in page.panels}

    assert page.counts["answers"] == 29
    assert figures["adoption"] == (13, 29)
    assert figures["unknown"] == (4, 29)
    assert figures["coverage"] == (4, 8)
    assert figures["withheld"] == (4, 12)
    assert sum(row.answers for row in page.table) == 29
    assert {(row.model, row.prompt): row.answers for row in page.combinations} == {
        ("b", "2"): 12,
        ("a", "1"): 9,
        ("a", "2"): 4,
        ("b", ""): 4,
    }


def test_citations_of_documents_have_their_own_figures(organisation, auditor):
    for changes in (GREEN, GREEN, RED, OPPOSED, UNQUOTED, UNSUPPORTED, WITHHELD, ASKS_BACK):
        make_item(organisation, **changes)

    page = page_of(auditor)
    figures = {panel.measure.key: (panel.whole.hits, panel.whole.trials) for panel in page.of_documents}

    assert figures == {
        "coverage": (5, 6),
        "green": (2, 6),
        "yellow": (3, 6),
        "red": (1, 6),
        "opposed": (2, 9),
        "unquoted": (1, 1),
        "unsupported": (1, 9),
        "well_sourced": (1, 5),
        "withheld": (2, 7),
        "repaired": (0, 7),
        "found_afterwards": (0, 7),
    }
    assert all(panel.whole.is_few for panel in page.of_documents)
    assert [*page.of_fields, *page.of_documents, *page.of_reviews] == page.panels


WITHHELD_FOR = (("not sure", 3), ("no source <b>says</b> so", 2), ("a question about an overdose", 1))


@pytest.fixture
def withheld(organisation):
    """Answers that were withheld, for each reason in capitals once."""
    for reason, count in WITHHELD_FOR:
        for number in range(count):
            written = {"response": "", "abstention_reason": f"  {reason} " if number else reason.upper()}
            make_item(organisation, answered_at=f"2026-03-0{1 + number}T12:00:00Z", model=f"model-{reason[:3]}", **written)
    make_item(organisation, **GREEN)
    make_item(make_organisation("Another"), response="", abstention_reason="elsewhere")


def reasons_of(page):
    return [(each.reason, each.answers) for each in page.abstentions.reasons]


def test_reasons_of_withheld_answers_are_counted_and_lead_to_these(withheld, auditor):
    page = page_of(auditor)
    table = read_markup(auditor.get("/quality/")).text

    assert [(reason.lower(), count) for reason, count in reasons_of(page)] == list(WITHHELD_FOR)
    assert "Why answers were withheld" in table
    assert "no source <b>says</b> so" in table
    for each in page.abstentions.reasons:
        assert len(each.newest) == each.answers
        assert each.reason in read_markup(auditor.get(each.newest[0][1])).text
    assert reasons_of(page_of(auditor, "model=model-not")) == [("not sure", 3)]
    assert reasons_of(page_of(auditor, "since=2026-03-03&until=2026-03-03")) == [("not sure", 1)]
    assert page_of(auditor, "model=model-a").abstentions is None
    assert "Why answers were withheld" not in read_markup(auditor.get("/quality/?model=model-a")).text


def test_reasons_are_masked_for_an_auditor_from_outside(withheld, organisation):
    outside = sign_in(make_external(organisation))

    assert [count for _, count in reasons_of(page_of(outside))] == [3, 2, 1]
    assert "overdose" not in outside.get("/quality/").content.decode().lower()
    assert events("quality.viewed") == [], "nothing was shown"


def test_reading_reasons_is_an_event_that_names_the_answers_whose_words_they_are(withheld, organisation, auditor):
    auditor.get("/quality/?model=model-a")
    assert events("quality.viewed") == []

    shown = page_of(auditor).abstentions.shown

    (event,) = events("quality.viewed")
    assert event["details"] == {"filters": ["answer"], "shown": [str(each) for each in shown]}
    assert len(shown) == 3
    administrator = sign_in(make_member(organisation, Role.ADMINISTRATOR, "Ines Ixworth"))
    assert "read why answers were withheld" in administrator.get("/access/").content.decode()


def test_what_others_read_of_reasons_is_told_to_nobody_who_reviews_blind(withheld, lead, auditor):
    run_blind(make_member(lead.organisation, Role.LEAD, "Lena Lovelace"), candidates={"facets": {"model": ["model-not"]}})
    auditor.get("/quality/")

    assert "read why answers were withheld" not in sign_in(lead).get("/ledger/").content.decode()


def test_reasons_of_answers_under_blind_review_are_told_to_nobody_who_may_label(withheld, alice, auditor):
    run_blind(make_member(alice.organisation, Role.LEAD, "Lena Lovelace"), candidates={"facets": {"model": ["model-not"]}})

    assert [reason for reason, _ in reasons_of(page_of(sign_in(alice)))] == ["no source <b>says</b> so", "A QUESTION ABOUT AN OVERDOSE"]
    assert "not sure" not in sign_in(alice).get("/quality/").content.decode().lower()
    assert len(reasons_of(page_of(auditor))) == 3


def test_of_very_many_reasons_the_most_frequent_are_shown(withheld, auditor, monkeypatch):
    monkeypatch.setattr("reviewers.quality.abstentions.MOST_REASONS", 1)
    monkeypatch.setattr("reviewers.quality.abstentions.MOST_READ", 6)
    text = read_markup(auditor.get("/quality/")).text

    assert "Another 3 for rarer reasons." in text
    assert "Of the 6 newest that were withheld." in text


@pytest.mark.parametrize("length", [LONGEST_REASON - 1, 2_000, 200_000])
@pytest.mark.parametrize("characters", ['"\\', "\x01\x02", "\ud800𝄞", "心配"], ids=["quotes", "controls", "surrogates", "wide"])
def test_a_reason_is_read_whatever_its_length_and_its_characters(organisation, auditor, length, characters):
    """The answer object of a model may give any; that of a record is bounded."""
    chance = random.Random(7)  # noqa: S311 — a text, no secret
    reason = "".join(chance.choices(characters, k=length))
    written = json.dumps({"answer": "", "citations": [], "claims": [], "abstention_reason": reason})
    make_item(organisation, response=written, documents=[{"content": "Rest."}], context={})

    ((shown, count),) = reasons_of(page_of(auditor))

    assert (shown, count) == (visible(reason[:LONGEST_REASON]), 1)


def test_the_density_of_citations_is_told_of_the_answers_that_cite(organisation, auditor):
    make_item(organisation, **RED)
    assert page_of(auditor).density is None
    for _ in range(2):
        make_item(organisation, **GREEN, model="b")
    make_item(organisation, **UNQUOTED | {"response": "Coffee keeps awake. So does tea. Rest helps. Sleep well."})
    make_item(organisation, **WITHHELD)

    page = page_of(auditor)

    assert page.density == 5 / 8
    assert {row.model: row.density for row in page.combinations} == {"b": 1.0, "model-a": 0.25}
    assert "Citation density: 0.62 citations a sentence in the 3 answers that cite documents." in read_markup(auditor.get("/quality/")).text


def test_the_interval_of_a_share_of_citations_takes_those_of_an_answer_for_one(organisation, auditor):
    for _ in range(4):
        make_item(organisation, **OPPOSED)

    whole = next(panel.whole for panel in page_of(auditor).of_documents if panel.measure.key == "opposed")

    assert (whole.hits, whole.trials, whole.independent) == (4, 8, 4)
    assert whole.interval == wilson(2, 4)


def test_each_figure_leads_to_its_answers(answers, auditor):
    page = page_of(auditor)
    figures = [panel.whole for panel in page.panels if not panel.measure.leads_to]
    figures += [figure for row in page.table[:3] for figure, measure in zip(row.figures, MEASURES, strict=True) if not measure.leads_to]
    figures += [figure for row in page.combinations for figure, measure in zip(row.figures, MEASURES, strict=True) if not measure.leads_to]

    for figure in figures:
        assert auditor.get(figure.address).context["page"].count == figure.hits
    for row in page.table:
        assert auditor.get(row.address).context["page"].count == row.answers


def test_each_point_of_a_line_leads_to_the_answers_of_its_piece(answers, auditor):
    page = page_of(auditor, "model=a")
    picture = next(panel.picture for panel in page.panels if panel.measure.key == "unknown")
    points = re.findall(r'<a href="([^"]+)" tabindex="-1"><title>[^:]+: [^,]+, (\d+) of', picture)

    assert len(points) == len(page.table) == 5
    for address, hits in points:
        assert auditor.get(address.replace("&amp;", "&")).context["page"].count == int(hits)


def test_it_is_narrowed_by_model_prompt_and_days(answers, auditor):
    assert page_of(auditor, "model=a").counts["answers"] == 13
    assert page_of(auditor, "model=a&prompt=2").counts["answers"] == 4
    assert page_of(auditor, "prompt=").counts["answers"] == 4
    assert page_of(auditor, "since=2026-01-05&until=2026-01-10").counts["answers"] == 2
    assert page_of(auditor, "model=nobody").counts == {}
    assert page_of(auditor, "since=nonsense&until=2026-01-10").counts["answers"] == 2
    assert page_of(auditor, "since=0001-01-01&until=9999-12-31").chosen.period.unit == "month"


def test_sections_are_shares_of_the_answers_that_were_given_them(organisation, auditor):
    make_item(organisation)
    make_item(organisation, response="Nothing of it.")
    make_item(organisation, response="Elevated.", context={"safety": {"risk_level": "elevated"}})
    make_item(organisation, response="Elevated.", context={"safety": {"risk_level": "elevated"}}, hidden_sections=["safety"])

    sections = {row.name: (row.figure.hits, row.figure.trials) for row in page_of(auditor).sections}

    assert sections["therapeutic_fit"] == (1, 2)
    assert sections["safety"][1] == 3


def test_what_is_not_folded_yet_is_counted_as_well(organisation, auditor):
    make_item(organisation)
    fold()
    make_item(organisation)

    assert page_of(auditor).counts["answers"] == 2


def test_answers_under_blind_review_are_in_no_sum_of_whoever_may_label(organisation, alice, bob, auditor):
    for turn in TURNS:
        make_item(organisation, answered_at="2026-03-01T12:00:00Z", **turn)
    fold()
    lead = make_member(organisation, Role.LEAD, "Lena Lovelace")
    run_blind(lead, candidates={"facets": {"model": ["b"]}}, design=Design(Draw.NUMBER, size=3))  # two of the four have no rows
    hidden = list(QueueItem.objects.filter(is_blind=True))
    for item in hidden:
        review(item, alice)
    columns = ("facets", "citation_counts", "state", "is_blind", "phase", "has_unsupported")
    seen = Counter(figure for item in QueueItem.objects.filter(is_blind=False).values(*columns) for figure in figures_of(item))

    for member in (alice, bob, lead):
        page = page_of(sign_in(member))
        assert (page.left_out, +Counter(page.counts)) == (3, seen)
        assert {row.name: row.figure.trials for row in page.sections} == dict.fromkeys(CONTEXT, 4)
    assert "3 answers are excluded from every figure" in read_markup(sign_in(bob).get("/quality/")).text
    everything = page_of(auditor)
    assert (everything.left_out, everything.counts["answers"]) == (0, 7)
    assert everything.counts["labels"] > 0
    assert {row.figure.trials for row in everything.sections} == {7}

    for item in hidden:
        review(QueueItem.objects.get(pk=item.pk), bob)
    page = page_of(sign_in(alice))
    assert (page.left_out, page.counts) == (0, page_of(auditor).counts)


def test_nothing_of_another_organisation_is_counted(answers, auditor):
    make_item(make_organisation("Another"), model="elsewhere")

    assert "elsewhere" not in read_markup(auditor.get("/quality/")).text
    assert page_of(auditor).counts["answers"] == 29


def test_without_answers_it_says_so(auditor):
    assert "There are no answers yet" in read_markup(auditor.get("/quality/")).text


def test_the_page_takes_few_statements_however_much_there_is(organisation, auditor):
    make_item(organisation)
    few = len(statements_of(lambda: auditor.get("/quality/")))
    for number in range(20):
        make_item(organisation, model=f"model-{number}", answered_at=f"2026-0{1 + number % 3}-03T12:00:00Z")

    assert len(statements_of(lambda: auditor.get("/quality/"))) == few <= MOST_STATEMENTS


def test_the_table_says_what_the_lines_show(answers, auditor):
    page = read_markup(auditor.get("/quality/"))
    table = page.one("div", aria_label="Figures by week").one("table")

    assert [cell.text for cell in table.one("thead").find("th")][:4] == ["Week", "Answers", "Adoption", "Contradiction"]
    assert all(svg["aria-hidden"] == "true" for svg in page.find("svg", class_="lines"))


ENDS = Period(date(2025, 1, 1), date(2026, 3, 20))


def test_a_period_is_the_last_year_unless_another_is_asked_for():
    assert period_of(None, None, ENDS) == Period(date(2025, 3, 21), date(2026, 3, 20))
    assert period_of(None, None, Period(date(2026, 2, 1), date(2026, 3, 20))).since == date(2026, 2, 1)
    assert period_of(date(2026, 3, 9), date(2026, 3, 2), ENDS) == Period(date(2026, 3, 2), date(2026, 3, 9))


def test_days_that_no_calendar_has_are_taken_for_others():
    assert period_of(date(9999, 12, 31), date(9999, 12, 31), ENDS).pieces()
    assert period_of(date(1, 1, 1), date(1, 1, 2), ENDS).pieces()


def test_pieces_are_whole_weeks_but_for_the_ends_and_leave_no_day_out():
    pieces = Period(date(2026, 1, 7), date(2026, 3, 17)).pieces()

    assert pieces[0] == Period(date(2026, 1, 7), date(2026, 1, 11))
    assert pieces[-1] == Period(date(2026, 3, 16), date(2026, 3, 17))
    assert all(after.since - before.until == timedelta(days=1) for before, after in pairwise(pieces))
    assert Period(date(2026, 1, 1), date(2026, 2, 10)).unit == "day"
    assert Period(date(2023, 1, 31), date(2026, 3, 17)).pieces()[1] == Period(date(2023, 2, 1), date(2023, 2, 28))


def test_a_line_is_interrupted_where_there_is_nothing_and_hollow_where_there_is_little():
    dots = [Dot(place, 0.1, 0.05, 0.2, place == 4, "/queue/", "a <title>") for place in (0, 1, 4)]
    drawn = draw_line(dots, 5, ("first", "last"))

    assert re.search(r'class="line" d="M[^M]+L[^M]+M[^ML]+"', drawn)
    assert (drawn.count('class="many"'), drawn.count('class="few"')) == (2, 1)
    assert "a &lt;title&gt;" in drawn
    assert "style" not in drawn


def test_a_scale_ends_at_a_round_share():
    assert [top_of(shares) for shares in ([], [0.0], [0.03], [0.1, 0.2], [1.0])] == [0.02, 0.02, 0.05, 0.25, 1.0]


def test_what_is_not_nothing_is_never_shown_as_nothing():
    assert [percent(share) for share in (None, 0.0, 0.0004, 0.004, 0.124, 0.996, 0.9999, 1.0)] == [
        *("–", "0%", "<0.1%", "0.4%", "12%", "99.6%", ">99.9%", "100%"),
    ]


def test_a_model_with_its_prompt_says_how_its_calibration_stands(organisation, lead):
    standing = Standing(organisation)
    make_item(organisation, model="two schemas", schema_version="7")
    make_item(organisation, model="two schemas", schema_version="8")

    table = read_markup(sign_in(lead).get("/quality/")).one("div", **{"aria-labelledby": "combinations"})

    links = {row.find("th")[0].text: row.find("td")[3].one("a") for row in table.one("tbody").find("tr")}
    calibrated, uncalibrated = links["calibratedprompt 1"], links["two schemasprompt 1"]
    assert calibrated.text.startswith("Calibrated")
    assert calibrated["href"] == f"/calibration/{standing.active.combination_id}/"
    assert (uncalibrated.text.startswith("Uncalibrated combination"), uncalibrated["href"]) == (True, "/calibration/")


def test_of_very_many_names_the_tables_have_the_most_frequent(answers, auditor, organisation, monkeypatch):
    for where in ("queries", "page", "views"):
        monkeypatch.setattr(f"reviewers.quality.{where}.MOST_ROWS", 2)
    page, text = page_of(auditor), read_markup(auditor.get("/quality/")).text

    assert [(row.model, row.prompt) for row in page.combinations] == [("b", "2"), ("a", "1")]
    assert [row.name for row in page.sections] == ["safety", "provider_genome"]
    assert page.counts["answers"] == 29
    assert "The 2 with the most answers; there may be more." in text
    assert "The 2 that most answers draw on; there may be more." in text
