"""A record is redacted however its sender wrote it, and what stays of it is written as it was."""

from __future__ import annotations

import json
from itertools import product
from operator import itemgetter

import pytest

from reviewers.accounts.audit import SYSTEM
from reviewers.ledger.verification.organisation import verify
from reviewers.review.models import QueueItem
from reviewers.snapshots.ingest.actions import ingest
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import Snapshot
from reviewers.snapshots.redactable_parts import BARS
from tests.factories import NOW, make_record
from tests.review.redacting.redactable import lead_and_administrator, names_of, redact
from tests.sampling import sampled

SPELLED = {
    "half a character in capitals": (b"Ada Quill", rb"Ada \uD83D Quill"),
    "half a character in a name": (b'"fit_score"', rb'"fit\uDE00_score"'),
    "halves in the wrong order": (b"Ada Quill", rb"\uDE00\ud83D\uD83d\uDE00 \\uD83D"),
    "more digits than a float has": (b"0.85", b"0.12345678901234567890123"),
    "a whole number with an exponent": (b"0.85", b"1.2345678901234567891e19"),
    "a number below the smallest": (b"0.85", b"1e-400"),
    "a negative zero": (b"0.85", b"-0.0"),
    "a list that begins with an object": (b"0.85", rb'0.85}, "mixed": [{"kind": "first"}, "second"], "more": {"fit": 1'),
}


def freeze(organisation, raw: bytes) -> QueueItem:
    (outcome,) = ingest(records=[read_record(raw)], organisation=organisation, by=SYSTEM, at=NOW)
    return QueueItem.objects.get(pk=outcome.snapshot_id)


@pytest.mark.parametrize(("name", "part"), sampled(product(SPELLED, ["user_text", "context."]), itemgetter(1), more=3))
def test_a_record_is_redacted_however_it_is_spelled(organisation, alice, name, part):
    before, after = SPELLED[name]
    item = freeze(organisation, json.dumps(make_record()).encode().replace(before, after))
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, part), lead, administrator)
    assert names_of(item, lead, part) == []
    assert verify(organisation_id=organisation.pk).redacted


def test_numbers_and_letters_stay_as_they_were_written(organisation, alice):
    raw = b'{"id":"t","context":{"a":{"x":1.50e3,"y":"\xc3\xa9 \xe2\x80\xa8","z":-0.0}},"user_text":"secret","response":"\\ud800"}'
    item = freeze(organisation, raw)
    redact(item, ["user_text"], *lead_and_administrator(alice))
    assert bytes(Snapshot.objects.get(pk=item.pk).record) == raw.replace(b"secret", BARS.encode())


def test_bars_may_make_a_record_longer_than_any_that_is_sent(organisation, alice, settings):
    raw = json.dumps(make_record(user_text="x")).encode()
    settings.LARGEST_RECORD = len(raw)
    item = freeze(organisation, raw)
    lead, administrator = lead_and_administrator(alice)
    redact(item, names_of(item, lead, "user_text", "context."), lead, administrator)
    assert len(bytes(Snapshot.objects.get(pk=item.pk).record)) > len(raw) // 2
    assert verify(organisation_id=organisation.pk).redacted


def test_a_long_record_in_another_script_is_redacted(organisation, alice, settings):
    raw = json.dumps(make_record(user_text="слово " * 2_000), ensure_ascii=False).encode()
    settings.LARGEST_RECORD = len(raw)
    item = freeze(organisation, raw)
    redact(item, ["response"], *lead_and_administrator(alice))
    assert verify(organisation_id=organisation.pk).redacted
