"""Check that acts are stored as a whole: each with its rows, its proof and its events, or none of it."""

from __future__ import annotations

import psycopg

_TOLD = """
CREATE OR REPLACE TEMPORARY VIEW told AS
SELECT id, action, object_id, convert_from(body, 'UTF8')::jsonb -> 'details' AS details FROM ledger_auditevent
"""

HALVES = {
    "an invitation is accepted and has no membership of its address, or the other way round": """
SELECT invitation.id FROM accounts_invitation AS invitation
    LEFT JOIN accounts_membership AS member ON member.id = invitation.membership_id
    LEFT JOIN accounts_user AS person ON person.id = member.user_id
WHERE (ended_as = 'accepted') IS DISTINCT FROM (person.email IS NOT NULL AND person.email = invitation.email
    AND (member.organisation_id, member.role, member.external_until)
    IS NOT DISTINCT FROM (invitation.organisation_id, invitation.role, invitation.external_until))
""",
    "an invitation is accepted and its event is not there once, or the other way round": """
SELECT invitation.id FROM accounts_invitation AS invitation WHERE (ended_as = 'accepted')::int <> (SELECT count(*) FROM told
    WHERE action = 'invitation.ended' AND object_id = invitation.id AND details ->> 'outcome' = 'accepted')
""",
    "an event tells of an invitation that has not ended": """
SELECT id FROM told WHERE action = 'invitation.ended' AND NOT EXISTS (SELECT FROM accounts_invitation AS invitation
    WHERE invitation.id = object_id AND ended_at IS NOT NULL)
""",
    "a membership is there without its event, or from outside without that event": """
SELECT member.id FROM accounts_membership AS member WHERE
    (SELECT count(*) FROM told WHERE action = 'member.added' AND object_id = member.id) <> 1 OR
    (SELECT count(*) FROM told WHERE action = 'member.marked_external' AND object_id = member.id) <> is_external::int
""",
    "an event tells of a membership that is not there": """
SELECT id FROM told WHERE action LIKE 'member.%' AND NOT EXISTS (SELECT FROM accounts_membership AS member WHERE member.id = object_id)
""",
    "a person has an account and no membership": """
SELECT id FROM accounts_user AS person WHERE NOT EXISTS (SELECT FROM accounts_membership WHERE user_id = person.id)
""",
    "a signature is there without its used proof": """
SELECT signature.id FROM review_signature AS signature LEFT JOIN accounts_proof AS proof ON proof.id = proof_id
WHERE proof.used_at IS NULL OR proof.used_for <> 'sign ' || review_id OR proof.user_id <> signer_id
""",
    # Whoever repeats a signature that is there already uses a proof for the request alone.
    "a proof was used to sign and its signature is not there": """
SELECT id FROM accounts_proof AS proof WHERE purpose = 'sign' AND used_for LIKE 'sign %'
    AND NOT EXISTS (SELECT FROM review_signature WHERE proof_id = proof.id)
""",
    "a signature is there without its one event": """
SELECT signature.id FROM review_signature AS signature WHERE (SELECT count(*) FROM told WHERE action = 'signature.made'
    AND details ->> 'signature' = signature.id::text AND details ->> 'proof' = proof_id::text) <> 1
""",
    "an event tells of a signature that is not there": """
SELECT id FROM told WHERE action = 'signature.made'
    AND NOT EXISTS (SELECT FROM review_signature AS signature WHERE signature.id::text = details ->> 'signature')
""",
    "a proof was given without its event": """
SELECT id FROM accounts_proof AS proof WHERE (SELECT count(*) FROM told WHERE action = 'proof.given'
    AND details ->> 'proof' = proof.id::text) <> 1
""",
    "a redaction was decided without its one event": """
SELECT id FROM ledger_redactiondecision AS decision WHERE (SELECT count(*) FROM told WHERE action = 'redaction.approved'
    AND details ->> 'redaction' = redaction_id::text) <> (outcome = 'approved')::int
""",
    "an event tells of a redaction that was not decided": """
SELECT id FROM told WHERE action = 'redaction.approved'
    AND NOT EXISTS (SELECT FROM ledger_redactiondecision WHERE redaction_id::text = details ->> 'redaction')
""",
    "a proof was used for a redaction that was not decided": """
SELECT id FROM accounts_proof WHERE purpose = 'redact' AND used_at IS NOT NULL AND (SELECT count(*) FROM accounts_proof
    WHERE purpose = 'redact' AND used_at IS NOT NULL) <> (SELECT count(*) FROM ledger_redactiondecision WHERE outcome = 'approved')
""",
    "a hold is there without its used proof, or the other way round": """
SELECT organisation_id FROM (
    SELECT organisation_id, placed_by_id AS user_id, 1 AS holds, 0 AS proofs FROM review_hold
    UNION ALL SELECT organisation_id, user_id, 0, 1 FROM accounts_proof WHERE used_for = 'POST /holds/place/' AND purpose = 'hold'
) AS either GROUP BY organisation_id, user_id HAVING sum(holds) <> sum(proofs)
""",
    "a hold is there without its one event": """
SELECT id FROM review_hold AS hold WHERE (SELECT count(*) FROM told WHERE action = 'hold.placed' AND object_id = hold.id) <> 1
""",
    "an event tells of a hold that is not there": """
SELECT id FROM told WHERE action = 'hold.placed' AND NOT EXISTS (SELECT FROM review_hold AS hold WHERE hold.id = object_id)
""",
}
"""Queries that find what is there by half."""

_EVENTS = (
    "invitation.ended",
    "member.added",
    "member.marked_external",
    "signature.made",
    "proof.given",
    "redaction.approved",
    "hold.placed",
)
_PURPOSES = ("sign", "redact", "hold")
_LOSSES = {
    "review_signature": "DELETE FROM review_signature WHERE id = (SELECT id FROM review_signature WHERE proof_id IS NOT NULL LIMIT 1)",
    "review_hold": "DELETE FROM review_hold WHERE id = (SELECT id FROM review_hold LIMIT 1)",
    "ledger_redactiondecision": "DELETE FROM ledger_redactiondecision WHERE id = (SELECT id FROM ledger_redactiondecision LIMIT 1)",
    "accounts_invitation": "UPDATE accounts_invitation SET ended_at = NULL, ended_as = '', membership_id = NULL",
}

_REDACTED = """
SELECT encode(sha256(record), 'hex') <> %s, EXISTS (SELECT FROM ledger_redactiondecision WHERE redaction_id = %s)
FROM snapshots_snapshot WHERE id = %s
"""


def find_halves(connection: psycopg.Connection) -> dict[str, list[str]]:
    """Return what is there by half, by what is wrong with it."""
    connection.execute(_TOLD)
    found = {what: [str(key) for (key,) in connection.execute(query)] for what, query in HALVES.items()}  # type: ignore[call-overload]  # our own
    return {what: keys for what, keys in found.items() if keys}


def check_redactions(connection: psycopg.Connection, redactions: list[dict[str, str]]) -> int:
    """Check that a record has changed if and only if that was decided; return how many have."""
    rows = [connection.execute(_REDACTED, [each["record"], each["redaction"], each["item"]]).fetchone() for each in redactions]
    assert all(row is not None and row[0] == row[1] for row in rows)
    return sum(row is not None and row[0] for row in rows)


def check_halves_would_be_found(connection: psycopg.Connection) -> None:
    """Lose one row, used proof or event of each act for a moment: each loss has to be found."""
    for table, loss in _LOSSES.items():
        check_is_found(connection, table, loss)
    for purpose in _PURPOSES:
        one = f"SELECT id FROM accounts_proof WHERE purpose = '{purpose}' AND used_at IS NOT NULL LIMIT 1"  # noqa: S608 — our own
        check_is_found(connection, "accounts_proof", f"UPDATE accounts_proof SET used_at = NULL, used_for = '' WHERE id = ({one})")  # noqa: S608 — our own
    for action in _EVENTS:
        one = f"SELECT id FROM ledger_auditevent WHERE action = '{action}' LIMIT 1"  # noqa: S608 — our own
        check_is_found(connection, "ledger_auditevent", f"DELETE FROM ledger_auditevent WHERE id = ({one})")  # noqa: S608 — our own


def check_is_found(connection: psycopg.Connection, table: str, loss: str) -> None:
    with connection.transaction(force_rollback=True):
        connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER")
        assert connection.execute(loss).rowcount
        assert find_halves(connection), loss
