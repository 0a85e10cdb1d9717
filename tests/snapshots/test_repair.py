"""Evidence is attached to an answer that cites nothing, by the switch at that moment, and each time is an event."""

from __future__ import annotations

import json
import zlib

import pytest

from reviewers.accounts.models import Organisation
from reviewers.snapshots.models import SnapshotDocuments
from tests.events import actions_of, events
from tests.factories import CITED, UNCITED, make_item

USUAL = {"required": False, "quotes": "optional", "search_unit": "sentence"}
"""The rest of the policy that is kept with an answer."""


@pytest.fixture
def repairing(organisation) -> Organisation:
    organisation.repairs_answers = True
    organisation.save()
    return organisation


def stored(item) -> tuple[SnapshotDocuments, dict]:
    row = SnapshotDocuments.objects.get(attribution=item.attribution_id)
    return row, json.loads(zlib.decompress(bytes(row.document)))


def test_while_the_switch_is_off_an_answer_stays_as_it_came(organisation):
    row, document = stored(make_item(organisation, **UNCITED))

    assert (row.policy, row.repaired_count, row.validity, document["references"]) == (
        USUAL | {"repairs": False},
        0,
        "red",
        [],
    )
    assert events("answer.repaired") == []


def test_the_best_are_attached_without_a_place_and_lift_to_yellow_and_no_further(repairing):
    scored = [{"title": f"Leaflet {n}", "content": "Ask first.", "score": score} for n, score in enumerate([0.2, 0.9, 0.8, 0.1, 0.7, 0.6])]
    row, document = stored(make_item(repairing, **UNCITED | {"documents": scored}))

    assert [each["source_ids"] for each in document["references"]] == [["doc-2"], ["doc-3"], ["doc-5"], ["doc-6"]]
    assert {each["status"] for each in document["references"]} == {"repaired"}
    assert not [each for each in document["references"] if "position" in each or "start" in each]
    assert (row.policy, row.repaired_count, row.cited_count, row.validity) == (
        USUAL | {"repairs": True},
        4,
        0,
        "yellow",
    )


def test_each_repair_is_one_event_that_commits_to_what_was_attached(repairing):
    item = make_item(repairing, **UNCITED)

    (event,) = events("answer.repaired")
    assert event["object"]["id"] == str(item.pk)
    assert event["details"] == {"attribution": str(item.attribution_id), "attached": 3}
    assert event["parts"]["count"] == 1 + 3
    assert "medicines" not in json.dumps(event)


@pytest.mark.parametrize(
    "changes", [CITED, {}, {"abstention_reason": "nothing was found"}], ids=["it cites", "no documents", "nothing to attach"]
)
def test_an_answer_that_needs_or_can_have_none_is_not_repaired(repairing, changes):
    make_item(repairing, **changes)

    assert "answer.repaired" not in actions_of(events())


def test_a_withheld_answer_keeps_its_reason_and_its_text_and_is_not_repaired(repairing):
    item = make_item(repairing, **UNCITED | {"abstention_reason": "the sources disagree"})
    row, document = stored(item)

    assert (row.is_withheld, row.repaired_count) == (True, 0)
    assert document["abstention_reason"] == "the sources disagree"
    assert json.loads(bytes(item.snapshot.record))["response"] == UNCITED["response"]


def test_what_was_frozen_before_the_switch_was_turned_stays_as_it_was(repairing, organisation):
    item = make_item(organisation, **UNCITED)
    before = bytes(stored(item)[0].document)
    Organisation.objects.update(repairs_answers=False)
    again = make_item(Organisation.objects.get(pk=organisation.pk), **UNCITED)

    assert bytes(stored(item)[0].document) == before
    assert stored(again)[0].repaired_count == 0
