"""How long records are kept: set by administrators, for each kind, and written down."""

from __future__ import annotations

import pytest

from reviewers.accounts.models import RetentionPeriod, Role
from reviewers.accounts.retention import RecordKind
from tests.events import events
from tests.factories import make_member, sign_in

PAGE = "/settings/retention/"


def years_of(client) -> dict[str, int]:
    return {row.kind: row.years for row in client.get(PAGE).context["periods"]}


def test_six_years_are_usual(administrator):
    assert years_of(sign_in(administrator)) == dict.fromkeys(RecordKind.values, 6)


def test_a_period_is_set_for_one_kind_here_only_and_written_down(administrator, charlie):
    client = sign_in(administrator)
    client.post(f"{PAGE}set/", {"kind": "reviews", "years": "10"})

    assert years_of(client) == {"answers": 6, "reviews": 10, "events": 6}
    (event,) = events("retention.changed")
    assert event["details"] == {"kind": "reviews", "from": 6, "to": 10}
    assert event["actor"]["id"] == str(administrator.user_id)
    assert RetentionPeriod.objects.filter(organisation=charlie.organisation).count() == 0


def test_the_same_again_is_no_change(administrator):
    sign_in(administrator).post(f"{PAGE}set/", {"kind": "reviews", "years": "6"})

    assert events("retention.changed") == []


@pytest.mark.parametrize(
    "form", [{"kind": "reviews", "years": years} for years in ("0", "31", "-1", "1.5", "")] + [{"kind": "x", "years": 6}]
)
def test_what_is_no_period_is_refused(administrator, form):
    client = sign_in(administrator)

    assert client.post(f"{PAGE}set/", form).status_code == 422
    assert years_of(client) == dict.fromkeys(RecordKind.values, 6)


@pytest.mark.parametrize("role", [Role.LEAD, Role.AUDITOR])
def test_who_reads_the_settings_sees_the_periods_and_no_button(organisation, role):
    client = sign_in(make_member(organisation, role))
    page = client.get(PAGE).content.decode()

    assert "6 years" in page
    assert "set/" not in page
    assert client.post(f"{PAGE}set/", {"kind": "reviews", "years": "10"}).status_code == 403


def test_the_page_says_that_nothing_is_deleted(administrator):
    assert "Nothing is deleted by these periods yet" in sign_in(administrator).get(PAGE).content.decode()
