"""Commitments: they bind an event to a text, tell nothing of it, and go on holding when a part of it is redacted."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution import canonical_bytes
from reviewers.ledger.commitments import Part, commit, new_seed, salts
from reviewers.ledger.models import EventSecret
from reviewers.review.models import CitationLabel, Flag, Label
from reviewers.snapshots.ingest.freeze import freeze, parts_of
from reviewers.snapshots.ingest.records import read_record
from reviewers.snapshots.models import Snapshot
from tests.events import events
from tests.factories import CITED, USUAL_TERMS, flag_form, label, label_citation, make_item, sign_in
from tests.ledger.deeds import PROTECTED, RECORD

SEED = bytes(range(32))
PARTS: list[Part] = [("user_text", b"is there somebody?"), ("response", b"yes"), ("context.safety.risk_level", b'"elevated"')]

part_lists = st.lists(st.tuples(st.text(st.characters(codec="utf-8"), max_size=20), st.binary(max_size=50)), min_size=1, max_size=6)


def opened(salt: bytes, name: str, content: bytes) -> bytes:
    """The commitment to one part, as somebody without our code computes it."""
    encoded = name.encode()
    return hashlib.sha256(b"footnote.part.v1\0" + salt + len(encoded).to_bytes(4, "big") + encoded + content).digest()


def sealed(commitments: Sequence[bytes]) -> str:
    """Return the event's digest over all commitments."""
    return hashlib.sha256(b"footnote.parts.v1\0" + b"".join(commitments)).hexdigest()


def salts_of(seed: bytes, count: int) -> list[bytes]:
    stream = hashlib.shake_256(seed).digest(32 * count)
    return [stream[32 * number : 32 * number + 32] for number in range(count)]


def test_a_commitment_is_what_its_description_says():
    found = commit(PARTS, SEED)

    expected = [opened(salt, *part) for salt, part in zip(salts_of(SEED, 3), PARTS, strict=True)]
    assert found == sealed(expected)


def test_these_bytes_never_change():
    """A later version that computes another digest for the same parts could not verify what is sealed."""
    assert commit(PARTS, SEED) == "ff006afaee44835fa3385628a68560091e62b83b2603dd7d2253462f4ee037af"


@given(part_lists)
def test_the_same_parts_under_another_seed_have_another_digest(parts):
    one, other = new_seed(), new_seed()

    assert commit(parts, one) != commit(parts, other)
    assert len(one) == len(other) == 32


@given(part_lists, st.data())
def test_a_part_that_differs_in_anything_is_another_commitment(parts, data):
    number = data.draw(st.integers(0, len(parts) - 1))
    name, content = parts[number]
    changed = data.draw(st.sampled_from([(name + "x", content), (name, content + b"\0"), ("x" + name, content), (name, b"\0" + content)]))

    assert commit([*parts[:number], changed, *parts[number + 1 :]], SEED) != commit(parts, SEED)


def test_a_name_and_its_content_cannot_be_shifted_into_each_other():
    assert commit([("ab", b"c")], SEED) != commit([("a", b"bc")], SEED)


def test_the_order_of_parts_counts():
    assert commit(PARTS[::-1], SEED) != commit(PARTS, SEED)


@given(st.binary(min_size=32, max_size=32), st.integers(1, 70))
def test_every_part_has_a_salt_of_its_own(seed, count):
    found = salts(seed, count)

    assert {len(salt) for salt in found} == {32}
    assert len(set(found)) == count
    assert found == salts_of(seed, count)


def test_the_salts_of_the_others_do_not_tell_that_of_one():
    """After a redaction salts remain, not the seed: one output of SHAKE-256 reveals nothing about another."""
    found = salts(SEED, 3)

    assert SEED not in found
    assert all(one != hashlib.shake_256(other).digest(32) for one, other in pairwise(found))


@given(part_lists, st.data())
def test_after_a_redaction_the_event_still_verifies(parts, data):
    """Gone are the payload of one part, its salt and the seed; kept are the salts of the others and the commitment to this one."""
    redacted = data.draw(st.integers(0, len(parts) - 1))
    digest = commit(parts, SEED)
    kept_salts = {number: salt for number, salt in enumerate(salts(SEED, len(parts))) if number != redacted}
    kept_parts = {number: part for number, part in enumerate(parts) if number != redacted}
    kept_commitment = opened(salts(SEED, len(parts))[redacted], *parts[redacted])

    again = [kept_commitment if number == redacted else opened(kept_salts[number], *kept_parts[number]) for number in range(len(parts))]

    assert sealed(again) == digest


def verify(event: Mapping, parts: Sequence[Part]) -> bool:
    """Return True if an event commits to these parts, by the seed that is stored beside it."""
    seed = bytes(EventSecret.objects.get(pk=event["id"]).salt_seed)
    commitments = [opened(salt, *part) for salt, part in zip(salts_of(seed, len(parts)), parts, strict=True)]
    return event["parts"] == {"count": len(parts), "sha256": sealed(commitments)}


def test_a_frozen_record_opens_the_event_of_its_freezing(organisation):
    item = make_item(organisation, **RECORD)
    frozen = freeze(read_record(bytes(item.snapshot.record)), item.snapshot.frozen_at, USUAL_TERMS)

    (event,) = events("snapshot.frozen")
    parts = parts_of(frozen)
    assert [name for name, _ in parts] == [
        "record.sha256",
        "attribution.sha256",
        "user_text",
        "response",
        "context.safety.risk_level",
        "context.safety.remark",
        "context.therapeutic_fit.fit_score",
        *(f"documents.{place}" for place in range(len(RECORD["documents"]))),
        "tool_calls.0",
        "citations",
        "native",
        "abstention_reason",
        "documents_attribution.sha256",
    ]
    assert verify(event, parts)
    assert not verify(event, [(name, content.replace(b"periwinkle", b"Periwinkle")) for name, content in parts])


def test_a_record_of_lone_surrogates_and_nul_is_committed_to_as_well(organisation):
    """Characters without a form in UTF-8 are stored byte for byte, and have to be committed to as well."""
    snapshot = Snapshot.objects.get(pk=make_item(organisation, response="a\ud800b\x00c", context={"s\ud800": {"f": "\udfff"}}).pk)
    frozen = freeze(read_record(bytes(snapshot.record)), snapshot.frozen_at, USUAL_TERMS)
    seed = bytes(EventSecret.objects.get(pk=events("snapshot.frozen")[-1]["id"]).salt_seed)

    assert commit(parts_of(frozen), seed) == events("snapshot.frozen")[-1]["parts"]["sha256"]


def test_labels_and_notes_open_the_events_of_their_saving(alice, item):
    client = sign_in(alice)
    label(client, item)
    client.post(f"/items/{item.pk}/note/", {"row": 0, "attribution": str(item.attribution_id), "note": PROTECTED["note"]})

    for event, row in zip(events("label.saved") + events("note.saved"), Label.objects.order_by("id"), strict=True):
        parts = [("field", canonical_bytes([row.section, row.path])), ("shown", canonical_bytes(row.shown))]
        parts += [("note", row.note.encode())] if row.note else []
        assert event["details"]["label"] == str(row.pk)
        assert verify(event, parts)
        assert not verify(event, [*parts[:-1], (parts[-1][0], b"something else")])


def test_labels_of_citations_open_the_events_of_their_saving(alice, organisation):
    item = make_item(organisation, **CITED)
    client = sign_in(alice)
    label_citation(client, item)
    note = {"citation": 1, "attribution": str(item.attribution_id), "note": PROTECTED["note"]}
    client.post(f"/items/{item.pk}/note-citation/", note)

    saved = events("citation_label.saved") + events("citation_note.saved")
    for event, row in zip(saved, CitationLabel.objects.order_by("id"), strict=True):
        name = [row.source, row.is_own, row.start, row.end, row.repeat]
        parts = [("citation", canonical_bytes(name)), ("shown", canonical_bytes(row.shown))]
        parts += [("note", row.note.encode())] if row.note else []
        assert event["details"]["label"] == str(row.pk)
        assert verify(event, parts)
        assert not verify(event, [*parts[:-1], (parts[-1][0], b"something else")])


def test_a_change_after_submission_commits_to_its_reason(alice, item):
    client = sign_in(alice)
    client.post(f"/items/{item.pk}/label-remaining/")
    client.post(f"/items/{item.pk}/submit/")
    label(client, item, 0, "wrong", reason=PROTECTED["reason"])

    event, row = events("label.saved")[-1], Label.objects.order_by("id").last()
    parts = [("field", canonical_bytes([row.section, row.path])), ("shown", canonical_bytes(row.shown)), ("reason", row.reason.encode())]
    assert event["details"]["after_submission"] is True
    assert verify(event, parts)


def test_a_flag_opens_its_event(alice, organisation):
    item = make_item(organisation, **RECORD)
    sign_in(alice).post(f"/items/{item.pk}/flag/", flag_form(item, "contradicted", PROTECTED["note"]))

    (event,), (flag,) = events("finding.flagged"), Flag.objects.all()
    assert event["details"] == {"flag": str(flag.pk), "code": "contradicted"}
    assert verify(event, [("finding", flag.finding.encode()), ("note", flag.note.encode())])


@pytest.mark.parametrize(
    ("path", "form", "action", "parts"),
    [
        ("skip/", {"reason": PROTECTED["reason"]}, "review.skipped", ["reason"]),
        ("search", {"words": PROTECTED["search"], "query": "model=model-a"}, "queue.searched", ["filter", "words"]),
    ],
    ids=["skip", "search"],
)
def test_what_is_kept_beside_the_seed_opens_its_event(alice, item, path, form, action, parts):
    address = "/queue/search/" if path == "search" else f"/items/{item.pk}/{path}"
    sign_in(alice).post(address, form, follow=True)

    (event,) = events(action)
    kept = json.loads(bytes(EventSecret.objects.get(pk=event["id"]).payload))
    assert sorted(kept) == parts
    assert verify(event, [(part, kept[part].encode()) for part in parts])


def test_two_searches_for_the_same_words_cannot_be_told_to_be_the_same(alice, item):
    client = sign_in(alice)
    for _ in range(2):
        client.post("/queue/search/", {"words": PROTECTED["search"]}, follow=True)

    digests = [event["parts"]["sha256"] for event in events("queue.searched")]
    assert len(set(digests)) == 2
