"""The bytes of an event are the same for the same thing, in the order of writing, with what they commit to kept beside them."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta, timezone

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from reviewers.accounts.audit import SYSTEM, user_actor
from reviewers.ledger.actions import record, record_all
from reviewers.ledger.events import Action, Event, body_of, canonical
from reviewers.ledger.models import AuditEvent, EventSecret
from reviewers.web.tenancy import tenant
from tests.events import events
from tests.factories import NOW, make_item, sign_in
from tests.ledger.deeds import RECORD


def test_what_no_other_table_keeps_is_kept_beside_the_seed(alice):
    make_item(alice.organisation, **RECORD)
    client = sign_in(alice)
    client.post("/queue/search/", {"words": "Périwinkle  zirconium"}, follow=True)

    (event,) = events("queue.searched")
    assert json.loads(bytes(EventSecret.objects.get(pk=event["id"]).payload)) == {
        "filter": '{"facets":{},"flagged":false,"plans":[],"signed":[],"since":null,"states":["to_do"],"until":null}',
        "words": "Périwinkle  zirconium",
    }


def test_why_an_item_was_skipped_is_kept_when_somebody_takes_it_up_again(alice, item):
    client = sign_in(alice)
    client.post(f"/items/{item.pk}/skip/", {"reason": "not my language"})
    client.post(f"/items/{item.pk}/take/")

    item.refresh_from_db()
    (event,) = events("review.skipped")
    assert item.skip_reason == ""
    assert json.loads(bytes(EventSecret.objects.get(pk=event["id"]).payload)) == {"reason": "not my language"}


def make_event(**changes: object) -> Event:
    given = {
        "action": Action.LABEL_SAVED,
        "organisation_id": uuid.UUID(int=1),
        "by": user_actor(uuid.UUID(int=2)),
        "at": NOW,
        "object_type": "snapshot",
        "object_id": uuid.UUID(int=3),
        "details": {"b": 1, "a": [True, None, "ä"]},
    }
    return Event(**(given | changes))


def test_the_bytes_of_an_event_are_these():
    """Written out: a later version that changes them for the same event breaks what was sealed."""
    assert body_of(make_event(parts=[("a", b""), ("b", b"")]), uuid.UUID(int=4), "ab" * 32).decode() == (
        '{"action":"label.saved","actor":{"id":"00000000-0000-0000-0000-000000000002","kind":"user"},'
        '"at":"2026-03-04T09:30:00.000000Z","details":{"a":[true,null,"ä"],"b":1},"id":"00000000-0000-0000-0000-000000000004",'
        '"object":{"id":"00000000-0000-0000-0000-000000000003","type":"snapshot"},'
        '"organisation":"00000000-0000-0000-0000-000000000001",'
        f'"parts":{{"count":2,"sha256":"{"ab" * 32}"}},"v":1}}'
    )


def test_the_rows_written_with_an_event_stand_in_it_like_this():
    rows = [{"table": "review_flag", "id": "5", "columns": "cd" * 8, "sha256": "ef" * 32}]

    told = json.loads(body_of(make_event(), uuid.UUID(int=4), rows=rows))
    assert told["rows"] == rows
    assert "rows" not in json.loads(body_of(make_event(), uuid.UUID(int=4)))


@given(
    st.dictionaries(st.text(max_size=5), st.one_of(st.none(), st.booleans(), st.integers(-(2**53) + 1, 2**53 - 1), st.text(max_size=8))),
    st.integers(-14 * 60, 14 * 60),
)
def test_the_same_event_has_the_same_bytes_in_whatever_order_and_zone_it_is_told(details, minutes):
    details = {name: value for name, value in details.items() if _has_utf8(name) and _has_utf8(value)}
    backwards = dict(reversed(details.items()))
    elsewhere = NOW.astimezone(timezone(timedelta(minutes=minutes)))

    told = [body_of(make_event(details=each, at=at), uuid.UUID(int=4)) for each, at in ((details, NOW), (backwards, elsewhere))]

    assert told[0] == told[1]


def _has_utf8(value: object) -> bool:
    return not isinstance(value, str) or value.isascii() or value.encode("utf-8", "ignore").decode() == value


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 2**53])
def test_what_has_no_canonical_form_is_written_by_nobody(db, number):
    with pytest.raises(rfc8785.CanonicalizationError):
        record(make_event(details={"number": number}))

    assert not AuditEvent.objects.exists()


def test_events_of_an_organisation_lie_in_the_order_in_which_they_were_written(db):
    """Even where a hundred fall into one moment."""
    tenant.enter(uuid.UUID(int=1))
    written = [record(make_event(by=SYSTEM)) for _ in range(100)]
    record_all([make_event(details={"number": number}) for number in range(100)])

    stored = list(AuditEvent.objects.order_by("id"))
    assert [row.id for row in stored[:100]] == written
    assert [json.loads(bytes(row.body))["details"]["number"] for row in stored[100:]] == list(range(100))


_LEAVES = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(allow_nan=False, allow_infinity=False)
_TEXTS = st.text(st.characters(max_codepoint=0x7F)) | st.text(st.characters(exclude_categories=["Cs"]))


@given(st.recursive(_LEAVES | _TEXTS, lambda each: st.lists(each, max_size=3) | st.dictionaries(_TEXTS, each, max_size=3), max_leaves=8))
def test_the_quick_way_writes_the_same_bytes(value):
    assert canonical(value) == rfc8785.dumps(value)
