"""For every address: which events it writes, of whom and about what; and that it shows no protected text without one."""

from __future__ import annotations

from django.test import Client

from tests.ledger.deeds import EVENTS, Deed, asking
from tests.ledger.traces import FRAGMENT, SHOW_IT_AS_A_PART, SHOW_PROTECTED_TEXT, check_events, done_by, protected_in


@asking(EVENTS)
def test_an_address_writes_down_what_the_table_says(deed: Deed):
    response, written, changed = done_by(deed)

    assert response.status_code in (200, 201, 302)
    check_events(deed, written, EVENTS[deed.name])
    assert not changed or written, "something changed and nothing says so"


@asking(EVENTS)
def test_an_address_that_shows_protected_text_writes_that_down(deed: Deed):
    response, written, _ = done_by(deed)

    assert bool(protected_in(response)) is (deed.name in SHOW_PROTECTED_TEXT)
    assert written or not protected_in(response)


@asking(EVENTS)
def test_a_part_of_a_page_is_no_way_around_that(deed: Deed):
    response, written, _ = done_by(deed, **FRAGMENT)

    shown = protected_in(response)
    assert not shown or deed.name in SHOW_IT_AS_A_PART
    assert written or not shown


@asking(EVENTS)
def test_nobody_leaves_no_trace_and_sees_nothing(deed: Deed):
    deed.client = Client()

    response, written, changed = done_by(deed)

    assert (written, changed, protected_in(response)) == ([], set(), set())
