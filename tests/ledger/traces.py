"""Traces of a request: the events it wrote, and its other changes."""

from __future__ import annotations

from django.utils import timezone

from tests.events import actions_of, events
from tests.ledger.deeds import PROTECTED, Deed
from tests.state import state_of_tables

LEDGER = {"ledger_auditevent", "ledger_eventsecret", "ledger_pending"}
NO_RECORD = {"accounts_draft", "snapshots_trace", "snapshots_waitingspans", "procrastinate_jobs", "procrastinate_events"}
"""Tables of no act: a draft is recorded when it is saved where it belongs, and spans when their trace is frozen by a job."""

FRAGMENT = {"HX-Request": "true"}

SHOW_PROTECTED_TEXT = {
    *("get_snapshot", "list_items", "get_item", "queue", "item", "unfound", "sources", "passage", "conversation", "record", "conflict"),
    *("quality", "suggestions", "why", "compare", "export_file", "post_label", "post_citation_label"),
}
SHOW_IT_AS_A_PART = SHOW_PROTECTED_TEXT | {"label", "note", "label_citation", "note_citation", "undo"}


def done_by(deed: Deed, **headers: str):
    """Send a request; the answer, the events it wrote, and the tables it changed beside the ledger's."""
    written, before = len(events()), state_of_tables()
    response = deed.send(**headers)
    after = state_of_tables()
    return response, events()[written:], {table for table in after if after[table] != before[table]} - LEDGER - NO_RECORD


def check_events(deed: Deed, written, expected) -> None:
    assert actions_of(written) == [action for action, _ in expected]
    assert {(event["actor"]["kind"], event["actor"]["id"]) for event in written} <= {deed.actor}
    for event, (_, kind) in zip(written, expected, strict=True):
        assert event["object"]["id"] == deed.objects.get(kind, event["object"]["id"])
        assert event["at"] <= timezone.now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def protected_in(response) -> set[str]:
    text = (b"".join(response.streaming_content) if response.streaming else response.content).decode()
    return {kind for kind, words in PROTECTED.items() if kind != "search" and words in text}
