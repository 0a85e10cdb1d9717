"""Parts of reports about labels taken together: decisions, agreement, calibration, sampling; and their pictures."""

from __future__ import annotations

import csv
import io

import openpyxl
import pypdf
import pytest

from reviewers.accounts.models import Role
from reviewers.calibration.lifecycle import actions as profiles
from reviewers.reports.exports.bundle.verifier.main import verify
from reviewers.reports.exports.formats.html import pictures_of
from reviewers.reports.exports.formats.wording import decisions_in
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.reports.exports.summary import summary_of
from reviewers.review.agreement.statistics import load_field_ratings, reviewed_items
from reviewers.review.models import ControlRow, PlanItem, Verdict
from tests.calibration.labelled import CONTEXT, RESPONSE, make_active
from tests.factories import NOW, make_item, make_member
from tests.reports.exporting.made import lines, make_bundle, of_item, report_of, written
from tests.review.deciding.cases import REASON, decide_all, make_conflict
from tests.review.plans.planning import review, run_blind

BOOK = ("jsonl", "csv", "html", "pdf", "xlsx")


def text_of(by, form, scope):
    content = written(by, form, scope)
    if form == "pdf":
        return " ".join("".join(page.extract_text().replace("\u200b", "") for page in pypdf.PdfReader(io.BytesIO(content)).pages).split())
    if form == "xlsx":
        sheets = openpyxl.load_workbook(io.BytesIO(content), read_only=True)
        return " ".join(str(cell) for sheet in sheets for row in sheet.values for cell in row if cell is not None)
    return content.decode()


@pytest.fixture
def decided(organisation, lead):
    item = make_conflict(organisation)
    decide_all(item, lead)
    return item


def test_a_report_tells_who_decided_what_when_and_why(decided, auditor, lead):
    (answer,) = report_of(auditor, of_item(decided.pk)).answers

    assert {(each.verdict, each.by, each.reason, each.round) for each in answer.decisions if each.kind == "field"} == {
        ("wrong", lead.user.name, REASON, 1)
    }
    assert {each.kind for each in answer.decisions} == {"field", "citation"}
    assert {each.action for each in answer.events} >= {"conflict.decided"}
    for form in BOOK:
        text = text_of(auditor, form, of_item(decided.pk))
        assert REASON in text, form
        assert lead.user.name in text, form


def test_what_nobody_has_decided_is_told_as_a_conflict(organisation, auditor):
    item = make_conflict(organisation)

    (answer,) = report_of(auditor, of_item(item.pk)).answers

    fields = [each for each in answer.decisions if each.kind == "field"]
    assert {(each.outcome, each.verdict, each.by) for each in fields} == {("conflict", "", "")}
    assert "nobody has decided yet" in text_of(auditor, "html", of_item(item.pk))


def test_attention_checks_say_so_and_are_counted_nowhere_else(organisation, lead, auditor, alice, bob):
    item = make_item(organisation)
    run_blind(lead)
    drawn = PlanItem.objects.get(item=item)
    ControlRow.objects.create(organisation=organisation, drawn=drawn, section="provider_genome", path="fee_range", is_right=False)
    for reviewer in (alice, bob):
        review(item, reviewer, Verdict.WRONG)
    (answer,) = report_of(auditor, of_item(item.pk)).answers
    checks = [each for each in decisions_in(answer) if "attention check" in each]

    assert [each.partition(":")[0] for each in checks] == ["Fee (provider_genome.fee_range), attention check"]
    assert sum(each.count for each in summary_of(answer).decisions) == len(answer.decisions) - 1
    ratings = load_field_ratings(reviewed_items(organisation, None, None))
    assert len(ratings) == sum(each.kind == "field" for each in answer.decisions) - 1


def test_nothing_is_decided_while_reviews_are_out(organisation, lead, auditor):
    item = make_item(organisation)
    run_blind(lead)
    review(item, make_member(organisation, name="Una Ulm"))

    assert [report_of(by, of_item(item.pk)).answers[0].decisions for by in (lead, auditor)] == [(), ()]


def test_a_bundle_with_decisions_is_verified(decided, auditor):
    assert verify(io.BytesIO(make_bundle(auditor, of_item(decided.pk)))).answers == 1


def test_a_report_of_a_plan_says_how_it_draws_and_how_far_reviewers_agree(organisation, lead, auditor):
    item = make_conflict(organisation, record={})
    for number in range(9):
        make_item(organisation, external_id=f"other {number}")
    scope = ReportScope(ScopeKind.PLAN, item.plan_id)

    report = report_of(auditor, scope)

    (fields, citations) = report.closing.agreement
    assert (fields.what, fields.rows > 0, fields.figures) == ("fields", True, ())
    assert citations.rows == 0
    assert report.answers[0].sampled.method
    assert "too few to tell anything" in text_of(auditor, "html", scope)
    assert report_of(auditor, of_item(item.pk)).closing.agreement == ()


def test_figures_of_agreement_have_their_intervals_in_every_format(organisation, lead, auditor):
    una, vera = make_member(organisation, name="Uma Un"), make_member(organisation, name="Vea Von")
    items = [make_item(organisation, model="agreed", conversation_id=f"talk {number}") for number in range(6)]
    plan = run_blind(lead, name="Agreed", candidates={"facets": {"model": ["agreed"]}})
    for number, item in enumerate(items):
        review(item, una, Verdict.CORRECT)
        review(item, vera, Verdict.WRONG if number == 0 else Verdict.CORRECT)
    scope = ReportScope(ScopeKind.PLAN, plan.pk)

    fields = report_of(auditor, scope).closing.agreement[0]

    found = {each.name: each for each in fields.figures}
    assert fields.rows >= 20
    assert found["percent"].low < found["percent"].value < found["percent"].high
    told = f"{found['ac1'].value:.2f} ({found['ac1'].low:.2f} to {found['ac1'].high:.2f})"
    for form in ("html", "pdf", "xlsx"):
        assert told in text_of(auditor, form, scope), form
    rows = list(csv.DictReader(io.StringIO(text_of(auditor, "csv", scope), newline="")))
    assert [row["confidence"] for row in rows if row["kind"] == "agreement" and row["method"] == "ac1"] == [repr(found["ac1"].value)]
    assert lines(written(auditor, "jsonl", scope))[-1]["agreement"][0]["what"] == "fields"


def test_a_report_says_how_its_profiles_stand_with_the_picture_of_the_page(organisation, lead, alice, auditor):
    other = make_member(organisation, Role.LEAD, "Other Lead")
    profile = make_active(lead, other, alice)
    make_item(organisation, response="Your level is 1.", context={"safety": {"level": 1}}, model="another")
    item = calibrated(organisation, profile)
    scope = of_item(item.pk)

    (shown,) = report_of(auditor, scope).closing.calibration

    assert (shown.profile, shown.state, shown.approved_by, shown.answers) == (profile.name, "active", "Other Lead", 1)
    (picture,) = pictures_of(report_of(auditor, scope).closing)
    assert "<title id" in text_of(auditor, "html", scope)
    assert picture.diagram.description in text_of(auditor, "pdf", scope)
    profiles.retire(profile_id=profile.pk, reason="its labels were wrong", by=lead, now=NOW)
    for form in BOOK:
        assert "its labels were wrong" in text_of(auditor, form, scope), form


def calibrated(organisation, profile):
    """An answer that was frozen under a profile."""
    seen = profile.combination
    record = {"response": RESPONSE, "context": CONTEXT, "model": seen.model, "prompt_version": seen.prompt_version}
    return make_item(organisation, **record)


def test_answers_without_a_profile_are_said_to_be_uncalibrated(organisation, auditor):
    make_item(organisation)

    (shown,) = report_of(auditor).closing.calibration

    assert (shown.state, shown.answers, shown.groups) == ("uncalibrated", 1, ())
    assert "which is uncalibrated: what is shown are scores" in text_of(auditor, "html", ReportScope(ScopeKind.PERIOD))
