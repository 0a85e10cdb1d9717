from __future__ import annotations

import pytest

from reviewers.ledger.models import AuditEvent
from reviewers.review import actions
from reviewers.review.models import Label, Verdict
from tests.factories import NOW, choose, make_item, make_member, make_organisation


@pytest.mark.django_db
def test_a_label_is_kept_with_what_was_shown_and_its_event():
    organisation = make_organisation()
    alice = make_member(organisation)
    item = make_item(organisation)

    actions.save_label(choice=choose(item), verdict=Verdict.CORRECT, by=alice, now=NOW)

    label = Label.objects.get()
    assert (label.section, label.path, label.verdict, label.truth) == ("safety", "risk_level", "correct", "used")
    assert label.shown["method"] == "citation"
    assert AuditEvent.objects.filter(action="label.saved", object_id=item.pk).count() == 1
