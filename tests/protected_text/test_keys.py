"""Keys of maps that are data, such as the name of a contact: auditors from outside and de-identified reports do not tell them."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import Role
from reviewers.calibration.wording import place_in_words
from reviewers.ledger.models import RedactionBasis
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.formats.registry import FORMATS, VOLUMES
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from reviewers.review.labels.actions import save_citation_label
from reviewers.review.masking.masks import mask_key, mask_path
from reviewers.review.models import CitationVerdict, Draw, PlanItem
from reviewers.review.plans.queries import called_for, strata_of_plan
from reviewers.review.plans.sampling import Design, Triggers
from reviewers.review.queries import load_item
from reviewers.review.redaction.actions import approve, propose
from reviewers.review.redaction.parts import parts_of
from tests.accounts.outside import make_external
from tests.factories import NOW, choose, make_item, make_member, make_organisation, sign_in
from tests.protected_text.canaries import file_of, make_reviewed
from tests.reports.exporting.made import report_of
from tests.review.plans.planning import make_plan, review, run_plan
from tests.sampling import sampled

KEY, OWN = "Calliope Doe 1970", "Calliope’s own"
CHANGES = {
    "context": {
        "safety": {"risk_level": "elevated", "contacts": {KEY: {"lives": "nightingale road"}}},
        OWN: {"fit_score": 0.85, "style": "nightingale"},
        "provider_genome": {"style": "sousaphone lessons"},
    },
}


@pytest.fixture(scope="module")
def reviewed(committed_for_module):
    organisation = make_organisation()
    return make_reviewed(organisation, **CHANGES), make_member(organisation, Role.AUDITOR, "Audra Ashe"), make_external(organisation)


@pytest.mark.parametrize("form", sampled(sorted(set(FORMATS) - {VOLUMES}), more=4))
def test_no_file_tells_them_to_somebody_from_outside(reviewed, form):
    item, auditor, outside = reviewed

    for member, profile in ((outside, DisclosureProfile.FULL), (auditor, DisclosureProfile.DEIDENTIFIED)):
        text = file_of(
            member,
            form,
            ReportScope(ScopeKind.ITEM, item.pk, all_fields=True, profile=DisclosureProfile.MASKED if member is outside else profile),
        )
        assert "Calliope" not in text


@pytest.mark.parametrize("path", ["/items/{}/?unfound=1&sources=all", "/items/{}/unfound/", "/why/{}/", "/why/{}/compare/", "/queue/"])
def test_no_page_tells_them_to_somebody_from_outside(reviewed, path):
    item, auditor, outside = reviewed

    shown, told = (sign_in(member).get(path.format(item.pk)) for member in (outside, auditor))

    assert shown.status_code == told.status_code == 200
    assert "Calliope" not in shown.content.decode()
    if "unfound" in path:
        assert "Calliope" in told.content.decode(), "somebody from inside sees them"
        assert "[key " in shown.content.decode()


@pytest.fixture(scope="module")
def beside(reviewed):
    """Store other things that name such keys: sections and their completeness, a redacted field, a plan, and a calibrated field."""
    organisation = reviewed[1].organisation
    given = CHANGES | {"id": "turn-beside", "completeness": {OWN: 0.9}, "hidden_sections": [OWN], "provider": "Ada Quill"}
    item = make_item(organisation, **given)
    lead, one, other = (make_member(organisation, role) for role in (Role.LEAD, Role.ADMINISTRATOR, Role.ADMINISTRATOR))
    (part,) = (each.name for each in parts_of(load_item(one, item.pk)) if KEY in each.name)
    asked = propose(item_id=item.pk, parts=[part], basis=RedactionBasis.ERASURE, reason="They asked.", by=one, now=NOW)
    approve(redaction_id=asked.pk, by=other, now=NOW)
    plan = make_plan(lead, candidates={"facets": {"section": [OWN]}}, triggers=Triggers(missing=(f"safety.contacts.{KEY}",)))
    return {"item": item.pk, "plan": plan.pk}


@pytest.mark.parametrize("path", ["/items/{item}/", "/why/{item}/", "/plans/{plan}/", "/quality/"])
def test_no_page_beside_it_tells_them_to_somebody_from_outside(reviewed, beside, path):
    _, auditor, outside = reviewed

    shown, told = (sign_in(member).get(path.format(**beside)).content.decode() for member in (outside, auditor))

    assert "Calliope" in told, "somebody from inside sees them"
    assert "Calliope" not in shown
    assert "[key " in shown.replace("[Key ", "[key ")


def test_nobody_from_outside_narrows_a_list_by_a_section_that_is_masked(reviewed):
    item, auditor, outside = reviewed

    def is_listed(member, section):
        return str(item.pk) in sign_in(member).get("/queue/", {"state": "submitted", "section": section}).content.decode()

    assert [is_listed(auditor, section) for section in (OWN, "Nobody’s")] == [True, False]
    assert [is_listed(outside, section) for section in (OWN, "Nobody’s")] == [True, True], "the list is not narrowed"
    assert [is_listed(outside, section) for section in ("safety", "other")] == [True, False]


def test_names_of_calibrated_fields_and_of_strata_are_masked(organisation):
    path = ("enum.whole_word", "enum", f"safety.contacts.{KEY}")
    plan = make_plan(make_member(organisation, Role.LEAD), triggers=Triggers(missing=(f"safety.{KEY}",)))
    item = make_item(organisation)
    PlanItem.objects.create(
        organisation=organisation,
        plan=plan,
        item=item,
        ordinal=0,
        stratum=called_for(f"safety.{KEY} not found"),
        probability=1,
        added_at=NOW,
    )

    assert KEY in place_in_words(path, masks_keys=False)
    assert place_in_words(path, masks_keys=True) == f"safety.contacts.{mask_key(KEY)}"
    assert [row["stratum"] for row in strata_of_plan(plan, masks_keys=True)] == [f"called: safety.{mask_key(KEY)} not found"]
    assert [row["stratum"] for row in strata_of_plan(plan, masks_keys=False)] == [f"called: safety.{KEY} not found"]


def test_labels_of_such_fields_are_still_theirs(reviewed):
    item, _, outside = reviewed
    page = sign_in(outside).get(f"/items/{item.pk}/?unfound=1").content.decode()
    full = sign_in(reviewed[1]).get(f"/items/{item.pk}/?unfound=1").content.decode()

    assert page.count("data-verdict=") == full.count("data-verdict=")


@pytest.mark.parametrize("key", ["risk_level", "phq9_score", "fullName", "zip-code", "value", "0", "12", "DOB", "q1", "_note", "ICD10"])
def test_names_of_fields_stay(key):
    if not key.startswith("_"):
        assert mask_key(key) == key


@pytest.mark.parametrize(
    "key", ["Jane Doe 1970", "Jane", "client-778812", "jane@example.org", "1970-06-05", "+12175550143", "a b", "78805"]
)
def test_any_other_key_is_masked_the_same_each_time(key):
    assert mask_key(key).startswith("[key ")
    assert mask_key(key) == mask_key(key) == mask_key(mask_key(key))
    assert mask_path(f"contacts.{key}.phone".replace("1970-06", "1970-06")).endswith(".phone")


def test_masks_hold_no_digits():
    assert not any(letter.isdigit() for number in range(200) for letter in mask_key(f"Jane Doe {number}"))


def test_dots_within_a_key_do_not_end_it():
    assert mask_path("contacts.Dr\\. Jane.phone").count(".") == 2


@pytest.mark.parametrize("profile", [DisclosureProfile.MASKED, DisclosureProfile.DEIDENTIFIED])
def test_a_report_does_not_tell_them_by_what_called_an_answer_into_a_plan(organisation, profile):
    lead, outside = make_member(organisation, Role.LEAD), make_external(organisation)
    item = make_item(organisation)
    run_plan(lead, design=Design(Draw.TRIGGERED), triggers=Triggers(missing=(f"safety.{KEY}",)))
    (answer,) = report_of(
        outside if profile is DisclosureProfile.MASKED else lead, ReportScope(ScopeKind.ITEM, item.pk, profile=profile)
    ).answers

    assert answer.sampled.trigger == f"safety.{mask_key(KEY)} not found"
    assert answer.sampled.stratum == called_for(answer.sampled.trigger)


def test_nobody_from_outside_reads_the_identifier_of_a_call_in_the_name_of_a_source(organisation, alice, auditor):
    found = {"title": "Asking", "link": "https://notes.example.org/ask", "snippet": "Your risk is elevated."}
    calls = [{"id": KEY, "name": "web_search", "parameters": {}, "output": {"results": [found]}}]
    item = make_item(organisation, **CHANGES | {"tool_calls": calls, "response": "Your risk is elevated [1].", "provider": "Ada Quill"})
    save_citation_label(choice=choose(item), verdict=CitationVerdict.SUPPORTS, by=alice, now=NOW)
    review(item, alice)
    outside = make_external(organisation)

    for path in ("/items/{}/?sources=all", "/why/{}/", "/why/{}/compare/"):
        shown = sign_in(outside).get(path.format(item.pk))
        assert shown.status_code == 200
        assert KEY not in shown.content.decode()
    shown, told = (sign_in(member).get(f"/items/{item.pk}/").content.decode() for member in (outside, auditor))
    assert (f"{mask_key(f'{KEY}-1')} ·" in shown, f"{KEY}-1 ·" in told) == (True, True)
    assert ['data-verdict="supports"' in page for page in (shown, told)] == [True, True], "its label is found under the masked name"
