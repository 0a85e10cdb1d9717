"""Verifying compares where items stand in the queue with what was said and decided of them."""

from __future__ import annotations

import pytest

from reviewers.ledger.hooks import run_verification_checks
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.review.labels import actions
from reviewers.review.models import Phase, QueueItem
from tests.factories import NOW, make_item
from tests.review.deciding.cases import decide_all, make_conflict
from tests.review.redacting.redactable import lead_and_administrator, names_of, redact


def test_a_conflict_that_is_said_to_be_resolved_is_named(organisation):
    item = make_conflict(organisation)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(phase=Phase.COMPLETE)

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column phase"):
        run_verification_checks(organisation.pk)


def test_an_item_that_waits_for_a_lead_without_a_conflict_is_named(organisation, lead):
    item = make_conflict(organisation)
    decide_all(item, lead)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(phase=Phase.CONSOLIDATING)

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column phase"):
        run_verification_checks(organisation.pk)


def test_one_review_alone_never_waits_for_a_lead(organisation, alice):
    item = make_item(organisation)
    actions.take(item_id=item.pk, by=alice, now=NOW)
    actions.label_remaining(item_id=item.pk, by=alice, now=NOW)
    actions.submit(item_id=item.pk, by=alice, now=NOW)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(phase=Phase.CONSOLIDATING)

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column phase"):
        run_verification_checks(organisation.pk)


def test_another_reason_for_skipping_than_was_given_is_named(organisation, alice):
    item = make_item(organisation)
    actions.skip(item_id=item.pk, reason="not mine", by=alice, now=NOW)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(skip_reason="never mind")

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column skip_reason"):
        run_verification_checks(organisation.pk)


def test_words_in_the_place_of_a_redacted_reason_are_named(organisation, alice):
    item = make_item(organisation)
    actions.skip(item_id=item.pk, reason="a xylophone is too loud", by=alice, now=NOW)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, "skip."), lead, administrator)
    run_verification_checks(organisation.pk)

    QueueItem.objects.filter(pk=item.pk).update(skip_reason="never mind")

    with pytest.raises(LedgerMismatch, match=f"review_queueitem {item.pk}, column skip_reason"):
        run_verification_checks(organisation.pk)
