"""What an organisation asks of citations: set by a lead, asked of the answers that come after, and kept with each of them."""

from __future__ import annotations

import json
import zlib

import pytest

from attribution import DEFAULT_PROFILE, read_profile
from reviewers.accounts.actions import switch_quotes, switch_required_citations
from reviewers.accounts.audit import SYSTEM
from reviewers.accounts.models import Organisation, QuoteDemand, Role
from reviewers.snapshots.models import Snapshot, SnapshotDocuments
from reviewers.snapshots.reattribution import attribute_again
from tests.events import events
from tests.factories import CITED, NOW, UNCITED, make_item, make_member, sign_in
from tests.markup import read_markup

REQUIRED, QUOTES = "/settings/required-citations/", "/settings/quotes/"
INVENTED = {
    "response": "Adults start with 2 mg.",
    "documents": CITED["documents"],
    "citations": [{"sourceId": "sleep-7", "quote": "melatonin cures insomnia in two days"}, {"sourceId": "sleep-7"}],
}


def stored(item) -> SnapshotDocuments:
    return SnapshotDocuments.objects.filter(attribution__snapshot=item.pk).order_by("-id")[0]


def codes(row: SnapshotDocuments) -> set[str]:
    return {issue["code"] for issue in json.loads(zlib.decompress(bytes(row.document)))["issues"]}


def test_an_answer_that_cites_nothing_has_an_issue_while_citations_are_required(organisation):
    before = make_item(organisation, **UNCITED)
    switch_required_citations(organisation=organisation, on=True, at=NOW, by=SYSTEM)
    after = make_item(organisation, **UNCITED)

    assert [(row.policy["required"], "missing" in codes(row)) for row in map(stored, (before, after))] == [(False, False), (True, True)]


@pytest.mark.parametrize("demand", QuoteDemand)
def test_quotes_are_compared_and_asked_for_as_the_organisation_has_set(organisation, demand):
    switch_quotes(organisation=organisation, to=demand, at=NOW, by=SYSTEM)
    row = stored(make_item(organisation, **INVENTED))

    assert row.policy["quotes"] == demand.value
    assert ("quote_not_found" in codes(row)) is (demand is not QuoteDemand.OFF)
    assert ("quote_missing" in codes(row)) is (demand is QuoteDemand.REQUIRED)


def test_an_answer_is_attributed_again_under_the_policy_it_was_frozen_under(organisation):
    switch_quotes(organisation=organisation, to=QuoteDemand.REQUIRED, at=NOW, by=SYSTEM)
    item = make_item(organisation, **INVENTED)
    switch_quotes(organisation=organisation, to=QuoteDemand.OFF, at=NOW, by=SYSTEM)
    first = stored(item)

    another = read_profile(DEFAULT_PROFILE.data | {"name": "another"})
    attribute_again(snapshots=Snapshot.objects.filter(pk=item.pk), profile=another, organisation=organisation, at=NOW)

    assert stored(item).pk != first.pk
    assert (stored(item).policy, codes(stored(item))) == (first.policy, codes(first))


def test_a_lead_sets_both_on_the_page_and_each_change_is_an_event(lead):
    client = sign_in(lead)
    for path, form in [(REQUIRED, {"on": "1"}), (QUOTES, {"to": "required"}), (QUOTES, {"to": "required"})]:
        assert client.post(path, form).status_code == 302
    page = read_markup(client.get("/settings/"))

    assert [each["value"] for each in page.one("form", action=QUOTES).find("input", type="radio") if "checked" in each.attributes] == [
        "required"
    ]
    assert [event["details"] for event in events("switch.changed")] == [
        {"switch": "requires_citations", "from": False, "to": True},
        {"switch": "quotes", "from": "optional", "to": "required"},
    ]


@pytest.mark.parametrize("form", [{}, {"to": ""}, {"to": "sometimes"}])
def test_a_form_that_says_nothing_known_changes_nothing(lead, form):
    assert sign_in(lead).post(QUOTES, form).status_code == 422
    assert Organisation.objects.get(pk=lead.organisation_id).quotes == "optional"


@pytest.mark.parametrize("role", [each for each in Role if each != Role.LEAD])
def test_only_a_lead_sets_them(organisation, role):
    client = sign_in(make_member(organisation, role))

    assert [client.post(REQUIRED, {"on": "1"}).status_code, client.post(QUOTES, {"to": "off"}).status_code] == [403, 403]
