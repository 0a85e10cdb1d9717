"""The web's own role invents a redaction: none of its attempts puts words of its own into a record."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from uuid import UUID

import pytest
from django.db import DatabaseError, connection, transaction

from reviewers.accounts.models import Role
from reviewers.ledger.models import AuditEvent, EventSecret, Redaction, RedactionBasis, RedactionDecision
from reviewers.ledger.verification.checks import LedgerMismatch
from reviewers.review.models import HoldKind, Label, Signature
from reviewers.snapshots import redactable_parts
from reviewers.snapshots.models import Snapshot, SnapshotAttribution
from reviewers.snapshots.redactable_parts import BARS, remove_parts
from reviewers.snapshots.redaction import check_derived
from reviewers.web.models import redactable_columns, uuid7
from tests.factories import NOW, make_item, make_member
from tests.review.holds.held import make_hold
from tests.review.redacting.redactable import lead_and_administrator, make_redactable
from tests.sampling import sampled

ALL = ["user_text", "response", "context.safety.remark", "documents.0", "documents.1", "tool_calls.0"]


def forge(item, parts, proposer, approver, *touched: str, proposed_at=NOW, later=0) -> None:
    """A proposal and an approval as nobody made them, both in this transaction; ``later`` names one that is to come."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT txid_current()")
        number = cursor.fetchone()[0]
    redaction = Redaction.objects.create(
        organisation_id=item.organisation_id,
        object_type="snapshot",
        object_id=item.pk,
        parts=parts,
        basis=RedactionBasis.ORDER,
        reason="because",
        proposed_by=proposer.user_id,
        proposed_at=proposed_at,
    )
    RedactionDecision.objects.create(
        organisation_id=item.organisation_id,
        redaction=redaction,
        proposed_by=proposer.user_id,
        outcome="approved",
        decided_by=approver.user_id,
        decided_at=NOW,
        touched=list(touched),
        made_in=number + later,
    )


def ask(table: str, key: UUID, values: dict[str, object]) -> None:
    """As the web's role can."""
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT ledger_redact(%s, %s, %s::jsonb)", [table, key, json.dumps(values)])


def as_bytes(value: object) -> str:
    return "\\x" + json.dumps(value, ensure_ascii=False).encode().hex()


@pytest.fixture
def world(alice):
    return make_redactable(alice), *lead_and_administrator(alice)


def read(item) -> dict:
    return json.loads(bytes(Snapshot.objects.get(pk=item.pk).record))


HOSTILE = {
    "other words": lambda turn: turn | {"response": "Take all of them."},
    "bars with other words": lambda turn: turn | {"response": f"{BARS} take all of them"},
    "an identifier": lambda turn: turn | {"id": "another"},
    "a key more": lambda turn: turn | {"model": "another"},
    "a key less": lambda turn: {key: value for key, value in turn.items() if key != "documents"},
    "another field": lambda turn: turn | {"context": turn["context"] | {"safety": turn["context"]["safety"] | {"risk_level": BARS}}},
    "a field with other words": lambda turn: (
        turn | {"context": turn["context"] | {"safety": turn["context"]["safety"] | {"remark": "none"}}}
    ),
    "a whole section": lambda turn: turn | {"context": turn["context"] | {"safety": BARS}},
    "the whole context": lambda turn: turn | {"context": BARS},
    "an emptied section": lambda turn: turn | {"context": turn["context"] | {"safety": {}}},
    "a document less": lambda turn: turn | {"documents": turn["documents"][:1]},
    "documents in another order": lambda turn: turn | {"documents": turn["documents"][::-1]},
    "the name of a document": lambda turn: turn | {"documents": [turn["documents"][0] | {"id": "fish"}, turn["documents"][1]]},
    "a quote": lambda turn: turn | {"citations": [{"source": "birds", "quote": "and the fish is played"}]},
    "a quote with an end of its own": lambda turn: turn | {"citations": [{"source": "birds", "quote": f"and{BARS}fish"}]},
    "another kind": lambda turn: turn | {"user_text": ["is there"]},
    "nothing at all": lambda _: None,
    "a number": lambda _: 7,
}


@pytest.mark.parametrize("name", sampled(HOSTILE, more=6))
def test_no_words_are_put_into_a_record(world, name):
    item, lead, administrator = world
    before = bytes(Snapshot.objects.get(pk=item.pk).record)
    forge(item, ALL, lead, administrator, f"snapshots_snapshot {item.pk}")
    with pytest.raises(DatabaseError, match=r"nothing can be put in the place of snapshots_snapshot\.record"):
        ask("snapshots_snapshot", item.pk, {"search": "", "record": as_bytes(HOSTILE[name](json.loads(before)))})
    assert bytes(Snapshot.objects.get(pk=item.pk).record) == before


def test_only_what_was_proposed_becomes_bars(world):
    item, lead, administrator = world
    forge(item, ["user_text"], lead, administrator, f"snapshots_snapshot {item.pk}")
    turn = read(item)
    for changed in (turn | {"response": BARS}, {key: value for key, value in turn.items() if key != "citations"}):
        with pytest.raises(DatabaseError, match="nothing can be put"):
            ask("snapshots_snapshot", item.pk, {"search": "", "record": as_bytes(changed)})
    ask("snapshots_snapshot", item.pk, {"search": "'marzipan' 'invented'", "record": as_bytes(turn | {"user_text": BARS})})
    with connection.cursor() as cursor:
        cursor.execute("SELECT search::text, digest = sha256(record) FROM snapshots_snapshot WHERE id = %s", [item.pk])
        assert cursor.fetchone() == ("'marzipan'", True)


def test_a_redaction_that_was_approved_and_not_done_is_found(world):
    item, lead, administrator = world
    forge(item, ["user_text", "note.of.nothing"], lead, administrator)

    with pytest.raises(LedgerMismatch, match="column record: still has a part that was redacted"):
        check_derived(item.organisation_id)


def test_an_attribution_that_is_invented_beside_its_record_is_found(world):
    """The record stays as it is, so nothing of it was redacted: what the engine found in it may not become something else."""
    item, lead, administrator = world
    own = SnapshotAttribution.objects.filter(snapshot=item.pk).latest("attributed_at")
    forge(item, ["context.nothing.there"], lead, administrator, f"snapshots_snapshotattribution {own.pk}")
    ask("snapshots_snapshotattribution", own.pk, {"document": as_bytes({}), "digest": "\\x" + 32 * "ab"})

    with pytest.raises(LedgerMismatch, match="is not what the engine derives from the redacted record") as found:
        check_derived(item.organisation_id)
    assert (found.value.table, found.value.key) == ("snapshots_snapshotattribution", str(own.pk))


def test_the_digest_by_which_a_record_is_known_again_is_that_of_its_bars(world):
    item, lead, administrator = world
    forge(item, ["user_text"], lead, administrator, f"snapshots_snapshot {item.pk}")
    other = {"content_digest": "\\x" + 32 * "ab"}
    ask("snapshots_snapshot", item.pk, {"search": "", "record": as_bytes(remove_parts(read(item), ["user_text"])), **other})

    with pytest.raises(LedgerMismatch, match="column content_digest"):
        check_derived(item.organisation_id)


REFERENCES = {"client_reference": "", "conversation_id": "", "provider": BARS}


@pytest.mark.parametrize("name", REFERENCES)
def test_a_reference_goes_only_if_it_was_proposed_and_to_nothing_else(world, name):
    item, lead, administrator = world
    turn, left = read(item), REFERENCES[name]
    gone = as_bytes(turn | {name: BARS})
    forge(item, ["user_text"], lead, administrator, f"snapshots_snapshot {item.pk}")
    for values in ({"record": gone}, {"record": as_bytes(turn), name: left}):
        with pytest.raises(DatabaseError, match="nothing can be put"):
            ask("snapshots_snapshot", item.pk, {"search": "", **values})

    forge(item, [name], lead, administrator, f"snapshots_snapshot {item.pk}")
    for values in ({"record": as_bytes(turn)}, {"record": as_bytes(turn | {name: "another"})}, {"record": gone, name: "another"}):
        with pytest.raises(DatabaseError, match="nothing can be put"):
            ask("snapshots_snapshot", item.pk, {"search": "", **values})
    ask("snapshots_snapshot", item.pk, {"search": "", "record": gone, name: left})
    assert getattr(Snapshot.objects.get(pk=item.pk), name) == left


def test_what_is_not_read_goes_as_a_whole_and_only_if_it_was_proposed(world):
    item, lead, administrator = world
    turn = read(item)
    left = {key: value for key, value in turn.items() if key not in ("client_name", "labels_of_the_sender")}
    forge(item, ["user_text"], lead, administrator, f"snapshots_snapshot {item.pk}")
    with pytest.raises(DatabaseError, match="nothing can be put"):
        ask("snapshots_snapshot", item.pk, {"search": "", "record": as_bytes(left)})

    forge(item, ["rest"], lead, administrator, f"snapshots_snapshot {item.pk}")
    for kept in (turn, left | {"client_name": BARS}, left | {"something": "else"}, left | {"user_text": BARS}):
        with pytest.raises(DatabaseError, match="nothing can be put"):
            ask("snapshots_snapshot", item.pk, {"search": "", "record": as_bytes(kept)})
    ask("snapshots_snapshot", item.pk, {"search": "", "record": as_bytes(left)})
    assert read(item) == left


def test_the_database_knows_the_same_references_and_fields_as_the_program(db):
    with connection.cursor() as cursor:
        cursor.execute("SELECT prosrc FROM pg_proc WHERE proname IN ('redaction_concerns', 'redaction_without_names')")
        lists = [set(re.findall(r"'(\w+)'", told)) for (rule,) in cursor.fetchall() for told in re.findall(r"ARRAY\[([^\]]*)\]", rule)]
    assert len(lists) == 3
    assert all(told in (set(redactable_parts.REFERENCES), redactable_parts.READ) for told in lists)


def test_digests_and_first_words_cannot_be_chosen(world):
    item, lead, administrator = world
    signature = Signature.objects.get()
    forge(item, ALL, lead, administrator, f"snapshots_snapshot {item.pk}", f"review_signature {signature.pk}")
    with pytest.raises(DatabaseError, match=r"place of snapshots_snapshot\.excerpt"):
        ask("snapshots_snapshot", item.pk, {"excerpt": "other words"})
    with pytest.raises(DatabaseError, match=r"place of review_signature\.statement"):
        ask("review_signature", signature.pk, {"statement": "\\x00"})
    for column, value in (("printed_name", "Another"), ("signer_id", str(lead.user_id)), ("meaning", "approved")):
        with pytest.raises(DatabaseError, match=f"place of review_signature.{column}"):
            ask("review_signature", signature.pk, {column: value})
    ask("review_signature", signature.pk, {"digest": "\\x" + bytes(signature.digest).hex()})
    assert bytes(Signature.objects.get().digest) != bytes(signature.digest)


@pytest.mark.parametrize(
    ("column", "value"), [("note", "other words"), ("verdict", "correct"), ("truth", "wrong"), ("shown", {}), ("reviewer_id", None)]
)
def test_a_label_loses_its_note_and_nothing_else(world, column, value):
    item, lead, administrator = world
    label = Label.objects.exclude(note="").first()
    forge(item, [f"note.{label.pk}"], lead, administrator, f"review_label {label.pk}")
    with pytest.raises(DatabaseError, match=f"place of review_label.{column}"):
        ask("review_label", label.pk, {column: value})


def test_what_opens_an_event_is_closed_and_not_replaced(world):
    item, lead, administrator = world
    event = AuditEvent.objects.get(object_id=item.pk, action="snapshot.frozen")
    seed = bytes(EventSecret.objects.get(pk=event.pk).salt_seed)
    forge(item, ALL, lead, administrator, f"ledger_eventsecret {event.pk}")
    for column, value in (
        ("salt_seed", "\\x" + bytes(32).hex()),
        ("payload", "\\x7b7d"),
        ("column_checks", "\\x01020304"),
        ("salt_seed", ""),
    ):
        with pytest.raises(DatabaseError, match=f"place of ledger_eventsecret.{column}"):
            ask("ledger_eventsecret", event.pk, {column: value})
    assert bytes(EventSecret.objects.get(pk=event.pk).salt_seed) == seed


def test_rows_of_another_object_stay(world, organisation):
    item, lead, administrator = world
    other = make_item(organisation)
    attribution = SnapshotAttribution.objects.get(snapshot=other.pk)
    touched = [f"snapshots_snapshot {other.pk}", f"snapshots_snapshotattribution {attribution.pk}"]
    forge(item, ALL, lead, administrator, *touched)
    for place in touched:
        table, key = place.split()
        with pytest.raises(DatabaseError, match="no redaction that is approved now names"):
            ask(table, UUID(key), {"digest": "\\x" + bytes(32).hex()})


@transaction.atomic
def forge_and_ask(item, proposer, approver, at, values) -> None:
    """Either of them is refused."""
    forge(item, ["user_text"], proposer, approver, f"snapshots_snapshot {item.pk}", proposed_at=at)
    ask("snapshots_snapshot", item.pk, values)


def test_only_what_is_about_an_answer_is_closed(world):
    """Holds, exports and organisations have events as well, and nothing of these is redacted by their own names."""
    _, lead, administrator = world
    hold = make_hold(lead)
    event = AuditEvent.objects.get(object_id=hold.pk)
    forge(hold, ["user_text"], lead, administrator, f"ledger_eventsecret {event.pk}")

    with pytest.raises(DatabaseError, match="no redaction that is approved now names"):
        ask("ledger_eventsecret", event.pk, {"payload": None})


def test_it_takes_two_members_who_may_and_were_there(world, organisation):
    item, lead, administrator = world
    stranger, reviewer = make_member(make_item(organisation).organisation, Role.AUDITOR), make_member(organisation)
    values = {"search": "", "record": as_bytes(read(item) | {"user_text": BARS})}
    for proposer, approver, at in ((lead, stranger, NOW), (reviewer, lead, NOW), (lead, administrator, NOW - timedelta(days=1))):
        with pytest.raises(DatabaseError, match=r"takes two who may|two different members, both from before"):
            forge_and_ask(item, proposer, approver, at, values)


def test_every_column_that_may_be_redacted_has_a_rule(db):
    """Without one it cannot be; words and figures of one's own are refused in all that the engine does not derive."""
    derived = {"snapshots_snapshotattribution", "snapshots_snapshotdocuments"}
    made = {("snapshots_snapshot", "digest"), ("snapshots_snapshot", "search"), ("review_signature", "digest")}
    in_bytes = {("snapshots_snapshot", "content_digest"), ("snapshots_snapshot", "record")}
    columns = {(table, column) for table, names in redactable_columns().items() for column in names if table not in derived}
    with connection.cursor() as cursor:
        for table, column in columns - made - in_bytes:
            for value in ('"other words"', "7", "[]", "{}", "true"):
                cursor.execute("SELECT redaction_allows(%s, %s, '\"before\"', %s::jsonb, '[]')", [table, column, value])
                assert cursor.fetchone() == (False,), (table, column, value)


def test_an_approval_is_not_kept_for_a_later_transaction(world):
    """When it is written a legal hold is asked for: one that was written before the hold would redact what it covers."""
    item, lead, administrator = world
    with pytest.raises(DatabaseError, match="in the transaction that redacts"), transaction.atomic():
        forge(item, ["response"], lead, administrator, f"snapshots_snapshot {item.pk}", later=1)


def test_the_event_of_another_answer_is_no_search(world, alice):
    """By the name of a search the secret of any event could be closed, also that of an answer under a legal hold."""
    item, lead, administrator = world
    other = AuditEvent.objects.get(object_id=make_item(alice.organisation).pk, action="snapshot.frozen")
    forge(item, [f"search.{other.pk}"], lead, administrator, f"ledger_eventsecret {other.pk}")

    with pytest.raises(DatabaseError, match="names ledger_eventsecret"):
        ask("ledger_eventsecret", other.pk, {"payload": None})
    assert bytes(EventSecret.objects.get(pk=other.pk).salt_seed)


_APPROVE_BEFORE_PROPOSING = """
WITH decision AS (
    INSERT INTO ledger_redactiondecision
        (id, organisation_id, redaction_id, proposed_by, outcome, decided_by, decided_at, touched, made_in)
    SELECT gen_random_uuid(), %(organisation)s, %(redaction)s, %(proposer)s, 'approved', %(approver)s, %(at)s, %(touched)s::jsonb,
        txid_current()
    RETURNING 1
)
INSERT INTO ledger_redaction (id, organisation_id, object_type, object_id, parts, basis, reason, proposed_by, proposed_at)
SELECT %(redaction)s, %(organisation)s, 'snapshot', %(item)s, '["user_text"]', 'order', 'because', %(proposer)s, %(at)s FROM decision
"""
_APPROVE_ELSEWHERE = """
INSERT INTO ledger_redactiondecision
    (id, organisation_id, redaction_id, proposed_by, outcome, decided_by, decided_at, touched, made_in)
SELECT gen_random_uuid(), %(organisation)s, redaction.id, redaction.proposed_by, outcome,
    CASE outcome WHEN 'approved' THEN %(approver)s::uuid ELSE redaction.proposed_by END, %(at)s,
    CASE outcome WHEN 'approved' THEN %(touched)s::jsonb ELSE '[]' END, txid_current()
FROM (VALUES (1, 'withdrawn'), (2, 'approved')) AS wanted (place, outcome)
JOIN (SELECT *, row_number() OVER (ORDER BY id) AS place FROM ledger_redaction) AS redaction USING (place)
WHERE set_config('footnote.organisation', CASE place WHEN 1 THEN %(organisation)s ELSE %(elsewhere)s END, true) <> ''
"""


@pytest.mark.parametrize("statement", [_APPROVE_BEFORE_PROPOSING, _APPROVE_ELSEWHERE], ids=["before it is proposed", "from elsewhere"])
def test_nothing_under_a_hold_is_approved_in_a_statement_that_hides_what_it_is_about(world, statement):
    """The trigger looks the proposal up: where it finds none, it must not take it that nothing is held."""
    item, lead, administrator = world
    make_hold(lead, HoldKind.PERIOD, since=NOW.date() - timedelta(days=1_000))
    told = {"organisation_id": item.organisation_id, "object_type": "snapshot", "object_id": item.pk, "parts": ["user_text"]}
    for _ in range(2):
        Redaction.objects.create(**told, basis=RedactionBasis.ORDER, reason="because", proposed_by=lead.user_id, proposed_at=NOW)
    given = {"organisation": str(item.organisation_id), "elsewhere": str(uuid7()), "redaction": uuid7(), "item": item.pk, "at": NOW}
    given |= {"proposer": lead.user_id, "approver": administrator.user_id, "touched": json.dumps([f"snapshots_snapshot {item.pk}"])}

    with pytest.raises(DatabaseError, match="is proposed here before it is approved"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, given)
