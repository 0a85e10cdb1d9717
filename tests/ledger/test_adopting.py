"""Records of before the log are named by verify until they are adopted; from then on a change of them is found."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.ledger.verifying.difference import Differs
from reviewers.ledger.verifying.organisation import verify, verify_shared
from reviewers.review import actions
from reviewers.review.models import Label, Verdict
from reviewers.snapshots.models import Profile
from reviewers.web import walls
from tests.factories import NOW, choose, make_item, make_member, make_organisation
from tests.ledger.sealed import by_the_owner, seal_now

TABLES = ("ledger_auditevent", "ledger_eventsecret", "ledger_pending", "review_label")


@pytest.fixture
def before(committed):
    """An organisation as it was before there was a log: records, and no events of them."""
    organisation = make_organisation()
    alice, item = make_member(organisation), make_item(organisation)
    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, note="seen", by=alice, now=NOW)
    with by_the_owner(*TABLES) as cursor:
        for table in TABLES[:3]:
            cursor.execute(f"TRUNCATE {table}")
    return organisation


def test_what_is_from_before_is_named_with_what_to_do_and_then_adopted(before, capsys):
    with pytest.raises(Differs, match=r"no event tells of this row. If it is from before the log, manage.py adopt_records makes it"):
        verify(organisation_id=before.pk)

    call_command("adopt_records", before.slug)

    seal_now(before.pk)
    assert capsys.readouterr().out == "7 rows adopted.\n"
    verify(organisation_id=before.pk)
    verify_shared()
    with walls.within(before.pk):
        adopted = AuditEvent.objects.filter(action="records.adopted")
        assert adopted.count() == EventSecret.objects.filter(pk__in=adopted.values("pk")).count() == 7
    assert Profile.objects.exists()


def test_from_then_on_a_change_is_found(before):
    call_command("adopt_records", before.slug)
    with by_the_owner(*TABLES) as cursor:
        cursor.execute("UPDATE review_label SET note = 'another'")
    with pytest.raises(Differs, match=r"review_label .* column note: is not what was written"):
        verify(organisation_id=before.pk)
    with walls.within(before.pk):
        assert Label.objects.get().note == "another"


def test_there_is_nothing_to_adopt_twice(before, capsys):
    call_command("adopt_records", before.slug)
    call_command("adopt_records", before.slug)

    assert capsys.readouterr().out.splitlines()[-1] == "0 rows adopted."
    with pytest.raises(CommandError, match="There is no organisation 'nobody'"):
        call_command("adopt_records", "nobody")
