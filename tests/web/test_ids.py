"""Identifiers that sort by the time they were made."""

from __future__ import annotations

import time
from itertools import pairwise

from reviewers.web.models import uuid7


def test_an_identifier_is_a_version_7_uuid_of_this_moment():
    before = time.time_ns() // 1_000_000
    made = uuid7()
    after = time.time_ns() // 1_000_000

    assert (made.version, made.variant) == (7, "specified in RFC 4122")
    assert before <= made.int >> 80 <= after


def test_identifiers_made_one_after_the_other_sort_in_that_order():
    """Labels and events are read back by them: many fall into one millisecond."""
    made = [uuid7() for _ in range(2_000)]

    assert all(earlier < later for earlier, later in pairwise(made))


def test_no_two_are_the_same_even_in_one_moment(monkeypatch):
    monkeypatch.setattr(time, "time_ns", lambda: 1_800_000_000_123_456_789)

    made = {uuid7() for _ in range(1_000)}

    assert len(made) == 1_000
    assert {identifier.int >> 64 for identifier in made} == {1_800_000_000_123 << 16 | 0x7 << 12 | 1871}
