"""Programs that send at once: one snapshot an id, each sender told the truth."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial

import pytest

from reviewers.ledger.models import AuditEvent
from reviewers.review.models import QueueItem
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from tests.api.sending import post, post_lines, program_of
from tests.factories import make_organisation, make_record
from tests.threads import at_once

PROGRAMS = 6
ROUNDS = 5

pytestmark = pytest.mark.usefixtures("committed")


def check_everything_once(count: int) -> None:
    frozen = AuditEvent.objects.filter(action="snapshot.frozen")
    assert [model.objects.count() for model in (Snapshot, SnapshotAttribution, QueueItem)] == [count] * 3
    assert frozen.count() == frozen.values("object_id").distinct().count() == count


def test_of_those_who_send_a_record_at_once_one_made_it_and_all_are_told_of_the_same():
    organisation = make_organisation()
    programs = [program_of(organisation) for _ in range(PROGRAMS)]
    for _ in range(ROUNDS):
        record = make_record()

        responses = at_once([partial(post, program, record) for program in programs])

        assert Counter(response.status_code for response in responses) == {201: 1, 200: PROGRAMS - 1}
        assert len({response.json()["id"] for response in responses}) == 1
    check_everything_once(ROUNDS)


def test_of_different_contents_sent_under_one_id_at_once_one_is_kept_and_only_its_sender_is_told_so():
    organisation = make_organisation()
    programs = [program_of(organisation) for _ in range(PROGRAMS)]
    for round_ in range(ROUNDS):
        records = [make_record(id=f"turn-{round_}", response=f"answer {number}") for number in range(PROGRAMS)]

        responses = at_once([partial(post, program, record) for program, record in zip(programs, records, strict=True)])

        assert Counter(response.status_code for response in responses) == {201: 1, 409: PROGRAMS - 1}
        (winner,) = (number for number, response in enumerate(responses) if response.status_code == 201)
        kept = Snapshot.objects.get(external_id=f"turn-{round_}")
        assert json.loads(bytes(kept.record)) == records[winner]
    check_everything_once(ROUNDS)


def test_batches_of_the_same_records_in_opposite_orders_do_not_block_each_other():
    organisation = make_organisation()
    programs = [program_of(organisation) for _ in range(2)]
    for _ in range(ROUNDS):
        records = [make_record() for _ in range(200)]

        forwards, backwards = at_once([partial(post_lines, programs[0], records), partial(post_lines, programs[1], records[::-1])])

        statuses = [{one["status"], other["status"]} for one, other in zip(forwards, backwards[::-1], strict=True)]
        assert all(pair == {200, 201} for pair in statuses)
        assert [result["id"] for result in forwards] == [result["id"] for result in backwards[::-1]]
    check_everything_once(200 * ROUNDS)
