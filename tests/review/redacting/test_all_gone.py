"""Once all parts of an answer are redacted, references included, nothing of them is left anywhere."""

from __future__ import annotations

import pytest

from reviewers.accounts.texts import Text
from reviewers.ledger.verification.organisation import verify
from reviewers.reports.exports.formats.registry import FORMATS
from reviewers.reports.exports.scope import ReportScope, ScopeKind
from tests.factories import make_member, make_organisation, without_proofs
from tests.ledger.sealed import seal_now
from tests.protected_text.canaries import CANARIES, file_of, make_reviewed
from tests.review.redacting.redactable import lead_and_administrator, names_of, places_of, redact


@pytest.mark.usefixtures("committed")
def test_once_all_parts_are_gone_nothing_of_them_is_left_in_any_table_or_file():
    """But the record's own identifier, by which it is known, and the names of who reviewed it."""
    alice = make_member(make_organisation())
    item = make_reviewed(alice.organisation, notes_of_the_sender="a xylophone")
    lead, administrator = lead_and_administrator(alice)
    words = [word for kind, several in CANARIES.items() if kind != Text.NAMES for word in several if not word.startswith("turn-")]
    assert [word for word in words if not places_of(word)] == []

    redact(item, names_of(item, lead), lead, administrator)

    words.append("xylophone")
    assert places_of(*words) == []
    for form in FORMATS:
        told = file_of(lead, form, ReportScope(ScopeKind.ITEM, item.pk, all_fields=True))
        assert [word for word in words if word.lower() in told.lower()] == [], form
    for path in ("/items/{}/?unfound=1&sources=all", "/items/{}/record/", "/why/{}/", "/redactions/", "/queue/?state=submitted"):
        page = without_proofs(lead).get(path.format(item.pk))
        assert page.status_code == 200
        assert [word for word in words if word.encode().lower() in b"".join(page).lower()] == [], path
    seal_now(alice.organisation_id)
    assert verify(organisation_id=alice.organisation_id).redacted
