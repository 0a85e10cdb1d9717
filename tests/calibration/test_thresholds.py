"""Costs and gains of cut-offs, and the number of labels that a claim takes: the pages, in one world that no test changes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest

from attribution.calibration import Stream
from reviewers.accounts.models import Membership, Role
from reviewers.calibration.combinations import key_of
from reviewers.calibration.labels.dataset import build_dataset
from reviewers.calibration.labels.queries import count_labels
from reviewers.calibration.lifecycle import actions
from reviewers.calibration.models import CalibrationProfile, SeenCombination
from reviewers.calibration.pages.planner import build_planner
from reviewers.calibration.pages.thresholds import CUTOFF_BASES, build_sweep
from reviewers.calibration.shadow import record_of
from reviewers.review.models import QueueItem
from reviewers.review.models import Stream as PlanStream
from reviewers.web.tenancy import tenant
from tests.calibration.labelled import compare, make_labelled
from tests.calibration.standing import approve
from tests.factories import NOW, make_item, make_member, make_organisation, sign_in
from tests.markup import read_markup
from tests.review.plans.planning import review, run_blind
from tests.statements import statements_of

MOST = 12
AUDITED = 3


@dataclass
class World:
    """A combination with an active profile, labels to learn from, and answers that an audit drew."""

    lead: Membership
    seen: SeenCombination
    profile: CalibrationProfile
    items: list[QueueItem]

    def get(self, path: str, status: int = 200):
        response = sign_in(self.lead).get(f"/calibration/{self.seen.pk}/{path}")
        assert response.status_code == status
        return read_markup(response)


@pytest.fixture(scope="module")
def world(committed_for_module) -> World:
    organisation = make_organisation()
    with tenant.within(organisation.pk):
        lead, other = (make_member(organisation, Role.LEAD) for _ in range(2))
        alice = make_member(organisation)
        seen = make_labelled(alice, 7)
        items = [make_item(organisation, conversation_id=f"audited {number}") for number in range(AUDITED)]
        audit = {"overlap": 1, "stream": PlanStream.AUDIT}
        run_blind(lead, **audit, candidates={"facets": {"model": ["model-a"], "prompt": ["prompt 1"]}})
        narrow = make_item(organisation, conversation_id="narrowed")
        run_blind(lead, **audit, candidates={"facets": {"source": ["mixed", "citation", "heuristic"]}})
        for item in (*items, narrow):
            review(item, alice)
        profile = actions.propose(combination_id=seen.pk, by=lead, now=NOW)
        compare(profile)
        approve(profile, other)
        seen.refresh_from_db()
    return World(lead, seen, profile, [*items, narrow])


@pytest.fixture(autouse=True)
def _within(world):
    with tenant.within(world.seen.organisation_id):
        yield


def test_only_what_was_drawn_out_of_all_answers_is_an_audit(world):
    gathered = build_dataset(world.seen)

    audited = {each.message for each in gathered.observations if each.stream is Stream.AUDIT}
    assert audited == {str(item.pk) for item in world.items[:AUDITED]}
    counted = count_labels(world.seen.organisation_id, NOW)[key_of(world.seen), world.seen.engine]
    assert counted.audited == counted.audited_lately == AUDITED
    assert counted.answers == 7 + AUDITED + 1


def test_a_proposal_keeps_its_audits_apart_and_says_what_it_can_promise(world):
    record = record_of(CalibrationProfile.objects.get(pk=world.profile.pk))

    assert record["labels"]["streams"] == {"boost": record["labels"]["labels"]}
    assert record["audit"]["conversations"] == AUDITED
    missing = record["certificates"][0]["missing"]
    assert (missing["labels"], missing["errors"], missing["more"]) == (AUDITED, 0, 45 - AUDITED)


def test_each_cutoff_has_its_figures_with_intervals_and_one_is_chosen_in_words(world):
    page = world.get("thresholds/")

    rows = {row.find("th")[0].text[:4]: row for row in page.find("table")[0].one("tbody").find("tr")}
    assert list(rows) == [f"{number / 20:.2f}" for number in range(6, 20)]
    assert [name for name, row in rows.items() if "chosen" in row.text] == ["0.50"]
    assert [cell.text[:4] for cell in rows["0.90"].find("td")][2] == "1.00"
    assert "0.50 stays: no other cut-off has an F1 that is better" in page.text
    assert "audit labels are kept apart for promises" in page.text
    first, second = page.find("svg", class_="chart")
    assert "At 0.50: precision" in first.one("desc").text
    assert "kappa" in second.one("title", id="both-title").text


def test_one_cutoff_is_looked_at_by_a_plain_form(world):
    page = world.get("thresholds/?at=0.9")

    section = page.one("section", **{"aria-labelledby": "one"}).text
    assert "From 0.90 up" in section
    assert "precision1.00" in section
    assert page.one("input", id="at")["value"] == "0.9"


@pytest.mark.parametrize("typed", ["high", "1.5", "-1", "nan"])
def test_what_is_no_cutoff_is_told(world, typed):
    assert "A cut-off is a number from 0 to 1" in world.get(f"thresholds/?at={typed}", 422).one("p", role="alert").text


def test_a_comma_is_a_point_to_who_types_it():
    read = CUTOFF_BASES["confidence"].read
    assert (read("0,85"), read("nan"), read("")) == (0.85, None, None)
    assert (CUTOFF_BASES["density"].read("30"), CUTOFF_BASES["density"].read("-1")) == (30, None)


@pytest.mark.parametrize(
    ("way", "said"),
    [("score", "Raw score"), ("nonsense", "Confidence"), ("share", "Share of a long text"), ("density", "Words to a marker")],
)
def test_rows_are_cut_off_by_more_than_one_number(world, way, said):
    assert world.get(f"thresholds/?by={way}").one("a", **{"aria-current": "page"}).text == said


def test_scores_and_confidences_are_compared_on_the_same_labels(world):
    by_confidence, by_score = (build_sweep(world.seen, way) for way in ("confidence", "score"))

    assert by_confidence.labels == by_score.labels > 200
    assert by_confidence.lines[0].rows == by_score.lines[0].rows


def test_the_planner_says_what_claims_take_and_that_there_is_no_pace(world):
    page = world.get("planner/")

    assert "No label came in in the last two weeks" in page.text
    assert "388 labels tell a share of about 90% to ±3%, with 95% confidence" in page.text
    promises = page.find("table")[1].one("tbody").find("tr")
    assert [[cell.text for cell in row.find("td")][:2] for row in promises] == [["45", "42"], ["77", "74"], ["105", "102"], ["132", "129"]]
    assert f"{AUDITED} audited answers are kept for it" in page.text


def test_at_a_pace_it_says_by_when(world):
    now = NOW + timedelta(days=1)

    page = build_planner(world.seen, (0.9, 0.03), now)

    assert page.promises[0].wanted.need.days == 42 / (AUDITED / 14)
    assert page.promises[0].wanted.by == (now + timedelta(days=196)).date()


def test_another_claim_is_reckoned_with_and_what_is_none_is_told(world):
    assert "682 labels" in world.get("planner/?expected=80&margin=3").text
    page = world.get("planner/?expected=high&margin=3", 422)
    assert "A share is from 0 to 100" in page.one("p", role="alert").text
    assert "388 labels" in page.text


def test_it_leads_to_plans_that_are_filled_in(world):
    links = {link.text: link["href"] for link in world.get("planner/").find("a") if link.text.startswith("Plan ")}
    audit = next(href for words, href in links.items() if words == "Plan an audit of 42 answers")

    assert parse_qs(urlsplit(audit).query) == {"model": ["model-a"], "prompt": ["prompt 1"], "for": ["audit"], "size": ["42"]}
    form = read_markup(sign_in(world.lead).get(audit))
    assert (form.one("input", name="size")["value"], form.one("input", name="query")["value"]) == ("42", "model=model-a&prompt=prompt+1")
    assert [select.one("option", selected=True)["value"] for select in form.find("select")] == ["number", "unanimous", "audit"]
    assert form.one("input", name="is_blind").get("checked") is not None


@pytest.mark.parametrize("query", ["for=audit&size=many", "for=audit&size=99999999999", "for=nothing&size=5"])
def test_what_a_plan_cannot_be_asked_for_is_left_open(world, query):
    form = read_markup(sign_in(world.lead).get(f"/plans/new/?{query}"))

    assert not form.one("input", name="size").get("value")


def test_the_pages_lead_to_each_other(world):
    hrefs = {link["href"] for link in world.get("").find("a")}
    address = f"/calibration/{world.seen.pk}/"

    assert {f"{address}thresholds/", f"{address}planner/"} <= hrefs
    assert {address, f"{address}planner/"} <= {link["href"] for link in world.get("thresholds/").find("a")}
    assert {address, f"{address}thresholds/"} <= {link["href"] for link in world.get("planner/").find("a")}


def test_the_page_of_a_profile_says_its_cutoff_and_its_promise(world):
    text = read_markup(sign_in(world.lead).get(f"/calibration/profiles/{world.profile.pk}/")).text

    assert "Its cut-off is 0.50: no other is better by more than one standard error." in text
    assert "it needs 42 more audit labels without an error" in text
    assert "nothing was learned from them" in text


def test_pages_take_few_statements(world):
    client = sign_in(world.lead)
    paths = [
        f"/calibration/{world.seen.pk}/{more}"
        for more in ("thresholds/", "thresholds/?by=score&at=0.8", "thresholds/?by=density", "planner/")
    ]

    assert max(len(statements_of(partial(client.get, path))) for path in paths) <= MOST
