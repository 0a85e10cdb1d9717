"""What is redacted is gone from every table, whatever was derived from it; what is not stays, and every seal still holds."""

from __future__ import annotations

import pytest

from reviewers.ledger.verifying.organisation import verify
from tests.factories import make_member, make_organisation
from tests.ledger.sealed import seal_now
from tests.review.redacting.redactable import (
    CANARIES,
    lead_and_administrator,
    make_redactable,
    names_of,
    places_of,
    redact,
)

KINDS = {
    "user_text": ("user_text",),
    "response": ("response",),
    "context.safety.remark": ("context.safety.remark",),
    "context.safety.places\\.of\\.birth": ("context.safety.places",),
    "context.history.1.said": ("context.history.1",),
    "documents.0": ("documents.0",),
    "documents.1": ("documents.1",),
    "tool_calls.0": ("tool_calls.0",),
    "note": ("note.",),
    "citation_note": ("citation_note.",),
    "remark": ("remark.",),
}


@pytest.fixture(scope="module")
def world(committed_for_module):
    """An item with everything, in an organisation of its own; the database as it is committed is what is searched."""
    alice = make_member(make_organisation())
    return alice, make_redactable(alice), *lead_and_administrator(alice)


@pytest.mark.parametrize("name", CANARIES)
def test_each_part_is_gone_from_every_table_and_all_seals_hold(world, name):
    alice, item, lead, administrator = world
    assert places_of(CANARIES[name]), "The word is not where it could be redacted."
    names = names_of(item, lead, *KINDS[name])
    if names:
        redact(item, names, lead, administrator)
    assert places_of("piccolo") == [], "a draft about it is still there"
    assert places_of(CANARIES[name]) == []
    seal_now(alice.organisation_id)
    assert verify(organisation_id=alice.organisation_id).redacted
