"""What is found of an answer's documents becomes facets of its item: validity, what is wrong with citations, withheld, repaired.

It is written after the attribution that put the item in the queue, in the same transaction, so a trigger of its own adds to the item and
to the tallies. Answers that are in the queue already are given theirs here; whether one of them was withheld stands only in its document.
"""

import json
import zlib

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

FACETS = """
    SELECT documents.attribution_id, attribution.snapshot_id,
        ARRAY['validity:' || documents.validity]
            || ARRAY(SELECT 'issue:' || code FROM jsonb_object_keys(documents.issues) AS code)
            || CASE WHEN documents.is_withheld THEN ARRAY['answer:withheld'] ELSE '{{}}' END
            || CASE WHEN documents.repaired_count > 0 THEN ARRAY['answer:repaired'] ELSE '{{}}' END AS facets
    FROM {documents} AS documents JOIN snapshots_snapshotattribution AS attribution ON attribution.id = documents.attribution_id
"""

ADD = """
    WITH told AS ({facets}), changed AS (
        UPDATE review_queueitem AS item SET facets = item.facets || told.facets
        FROM told WHERE item.snapshot_id = told.snapshot_id AND item.attribution_id = told.attribution_id
        RETURNING item.organisation_id, told.facets
    )
    INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
    SELECT organisation_id, facet, mod(pg_backend_pid(), 16), count(*)
    FROM changed, unnest(changed.facets) AS facet GROUP BY organisation_id, facet ORDER BY organisation_id, facet
    ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count;
"""

TRIGGER = f"""
CREATE FUNCTION review_tell_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {ADD.format(facets=FACETS.format(documents="documented"))}
    RETURN NULL;
END $$;

CREATE TRIGGER tell_documents AFTER INSERT ON snapshots_snapshotdocuments
    REFERENCING NEW TABLE AS documented FOR EACH STATEMENT EXECUTE FUNCTION review_tell_documents();
"""

THOSE_THERE = ADD.format(facets=FACETS.format(documents="snapshots_snapshotdocuments"))

WITHHELD = """
    SELECT attribution.id AS attribution_id, attribution.snapshot_id, ARRAY['answer:withheld'] AS facets
    FROM snapshots_snapshotattribution AS attribution WHERE attribution.id = ANY(%s)
"""

UNDO = """
DROP TRIGGER tell_documents ON snapshots_snapshotdocuments;
DROP FUNCTION review_tell_documents;
DELETE FROM review_tally WHERE facet ~ '^(validity|issue|answer):';
UPDATE review_queueitem SET facets = ARRAY(SELECT facet FROM unnest(facets) AS facet WHERE facet !~ '^(validity|issue|answer):')
    WHERE EXISTS (SELECT FROM unnest(facets) AS facet WHERE facet ~ '^(validity|issue|answer):');
"""


def tell_withheld(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Those from before it was kept beside their document."""
    with schema_editor.connection.cursor() as cursor:
        cursor.execute("SELECT attribution_id, document FROM snapshots_snapshotdocuments WHERE is_withheld IS NULL")
        withheld = [name for name, document in cursor if json.loads(zlib.decompress(bytes(document)))["abstention_reason"]]
        cursor.execute(ADD.format(facets=WITHHELD), [withheld])


class Migration(migrations.Migration):
    dependencies = [("review", "0003_citation_labels"), ("snapshots", "0003_citation_search")]

    operations = [
        migrations.RunSQL(TRIGGER + THOSE_THERE, UNDO),
        migrations.RunPython(tell_withheld, migrations.RunPython.noop),
    ]
