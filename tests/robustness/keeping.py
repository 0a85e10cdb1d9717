"""Check that the database contains everything acknowledged: once, whole, and nothing else."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Mapping

import psycopg

from tests.robustness.runtimes import Memory

_SNAPSHOTS = """
SELECT external_id, id::text, encode(sha256(record), 'hex'), encode(digest, 'hex') FROM snapshots_snapshot
WHERE starts_with(external_id, %s)
"""

_NOT_WHOLE = """
SELECT external_id FROM snapshots_snapshot AS snapshot
    LEFT JOIN (SELECT snapshot_id, count(*) FROM snapshots_snapshotattribution GROUP BY 1) AS attribution ON attribution.snapshot_id = id
    LEFT JOIN (SELECT snapshot_id, count(*) FROM review_queueitem GROUP BY 1) AS item ON item.snapshot_id = id
    LEFT JOIN (
        SELECT object_id, count(*), count(event_id) AS secrets FROM ledger_auditevent AS event
            LEFT JOIN ledger_eventsecret ON event_id = event.id
        WHERE action = 'snapshot.frozen' GROUP BY 1
    ) AS event ON event.object_id = id
WHERE (attribution.count, item.count, event.count, event.secrets) IS DISTINCT FROM (1, 1, 1, 1)
"""

_EVENTS_OF_NOTHING = """
SELECT id FROM ledger_auditevent AS event
WHERE action = 'snapshot.frozen' AND NOT EXISTS (SELECT FROM snapshots_snapshot WHERE id = event.object_id)
"""

_MISCOUNTED = """
WITH counted AS (
    SELECT organisation_id, review_counted_facet(organisation_id, facet, snapshot_id) AS facet, count(*)
    FROM review_queueitem, unnest(facets || 'all'::text || CASE WHEN state = 'to_do'
        THEN ARRAY[]::text[] ELSE ARRAY['state:' || state] END) AS facet GROUP BY 1, 2
), told AS (SELECT organisation_id, facet, sum(count) AS count FROM review_tally GROUP BY 1, 2)
SELECT facet, counted.count, told.count FROM counted FULL JOIN told USING (organisation_id, facet)
WHERE coalesce(counted.count, 0) <> coalesce(told.count, 0)
"""

_ATTRIBUTIONS = """
SELECT snapshot.external_id, encode(attribution.digest, 'hex'), document FROM snapshots_snapshotattribution AS attribution
    JOIN snapshots_snapshot AS snapshot ON snapshot.id = snapshot_id WHERE starts_with(external_id, %s)
"""


def check_is_sound(connection: psycopg.Connection) -> None:
    """No record is there by half, and the tallies say what the rows say."""
    assert connection.execute(_NOT_WHOLE).fetchall() == []
    assert connection.execute(_EVENTS_OF_NOTHING).fetchall() == []
    assert connection.execute(_MISCOUNTED).fetchall() == []


def check_is_there(connection: psycopg.Connection, series: str, sent: Mapping[str, str]) -> dict[str, str]:
    """All that was sent is there once, with the SHA-256 of its bytes, and nothing else; returns the snapshots' ids."""
    check_is_sound(connection)
    rows = connection.execute(_SNAPSHOTS, [series]).fetchall()
    assert len({name for name, *_ in rows}) == len(rows), "an external id is there twice"
    assert {name: (record, digest) for name, _, record, digest in rows} == {name: (sha256, sha256) for name, sha256 in sent.items()}
    return {name: snapshot_id for name, snapshot_id, _, _ in rows}


def check_is_kept(connection: psycopg.Connection, memory: Memory) -> None:
    """Check that acknowledged records are stored as they were sent and acknowledged."""
    assert memory.surprises == []
    kept = check_is_there(connection, memory.series, memory.sent)
    assert kept == {name: told.snapshot_id for name, told in memory.acknowledged.items()}
    _check_attributions(connection, memory)


def _check_attributions(connection: psycopg.Connection, memory: Memory) -> None:
    with connection.transaction(), connection.cursor("attributions") as cursor:
        for name, digest, document in cursor.execute(_ATTRIBUTIONS, [memory.series]):
            assert hashlib.sha256(zlib.decompress(document)).hexdigest() == digest
            assert memory.acknowledged[name].attribution_digest == f"sha256:{digest}"
