"""Keys of maps that are data, such as the name of a contact: auditors from outside and de-identified reports do not tell them."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import Role
from reviewers.reports.disclosure.profiles import DisclosureProfile
from reviewers.reports.exports.formats.registry import FORMATS, VOLUMES
from reviewers.reports.exports.scope import Kind, Scope
from reviewers.review.masking.masks import mask_key, mask_path
from tests.accounts.outside import make_external
from tests.factories import make_member, make_organisation, sign_in
from tests.least.canaries import file_of, make_reviewed

KEY = "Calliope Doe 1970"
CHANGES = {
    "context": {
        "safety": {"risk_level": "elevated", "contacts": {KEY: {"lives": "nightingale road"}}},
        "Calliope’s own": {"fit_score": 0.85, "style": "nightingale"},
        "provider_genome": {"style": "sousaphone lessons"},
    },
}


@pytest.fixture(scope="module")
def reviewed(committed_for_module):
    organisation = make_organisation()
    return make_reviewed(organisation, **CHANGES), make_member(organisation, Role.AUDITOR, "Audra Ashe"), make_external(organisation)


@pytest.mark.parametrize("form", sorted(set(FORMATS) - {VOLUMES}))
def test_no_file_tells_them_to_somebody_from_outside(reviewed, form):
    item, auditor, outside = reviewed

    for member, profile in ((outside, DisclosureProfile.FULL), (auditor, DisclosureProfile.DEIDENTIFIED)):
        text = file_of(
            member, form, Scope(Kind.ITEM, item.pk, all_fields=True, profile=DisclosureProfile.MASKED if member is outside else profile)
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


def test_dots_within_a_key_do_not_end_it():
    assert mask_path("contacts.Dr\\. Jane.phone").count(".") == 2
