"""The queue keeps itself: each snapshot's first attribution puts it in, and the tallies follow.

Triggers rather than Python, so that however a snapshot comes in (one request, a batch, COPY) it cannot miss the queue, and so that
the snapshots slice need not know of review. All run once a statement, over all its rows.
"""

from django.db import migrations

ENQUEUE = """
CREATE FUNCTION review_enqueue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO review_queueitem (snapshot_id, organisation_id, attribution_id, answered_at, state, facets, found_count, skip_reason)
    SELECT snapshot.id, snapshot.organisation_id, attributed.id, snapshot.answered_at, 'to_do',
        ARRAY['model:' || snapshot.model, 'prompt:' || snapshot.prompt_version, 'source:' || attributed.source]
            || ARRAY(SELECT 'guardrail:' || code FROM jsonb_object_keys(attributed.guardrails) AS code)
            || ARRAY(SELECT 'section:' || section FROM unnest(attributed.sections) AS section),
        attributed.found_count, ''
    FROM attributed JOIN snapshots_snapshot AS snapshot ON snapshot.id = attributed.snapshot_id
    ON CONFLICT (snapshot_id) DO NOTHING;
    RETURN NULL;
END $$;

CREATE TRIGGER enqueue AFTER INSERT ON snapshots_snapshotattribution
    REFERENCING NEW TABLE AS attributed FOR EACH STATEMENT EXECUTE FUNCTION review_enqueue();
"""

TALLY = """
CREATE FUNCTION review_tally_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
    SELECT organisation_id, facet, pg_backend_pid() % 16, count(*)
    FROM queued, unnest(facets || 'all'::text) AS facet GROUP BY organisation_id, facet ORDER BY organisation_id, facet
    ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count;
    RETURN NULL;
END $$;

CREATE TRIGGER tally_new AFTER INSERT ON review_queueitem
    REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION review_tally_new();

CREATE FUNCTION review_tally_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
    SELECT NEW.organisation_id, 'state:' || changed.state, pg_backend_pid() % 16, changed.by
    FROM (VALUES (OLD.state, -1), (NEW.state, 1)) AS changed (state, by) WHERE changed.state <> 'to_do' ORDER BY changed.state
    ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count;
    RETURN NULL;
END $$;

CREATE TRIGGER tally_state AFTER UPDATE OF state ON review_queueitem
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION review_tally_state();
"""

UNDO = """
DROP TRIGGER tally_state ON review_queueitem;
DROP FUNCTION review_tally_state;
DROP TRIGGER tally_new ON review_queueitem;
DROP FUNCTION review_tally_new;
DROP TRIGGER enqueue ON snapshots_snapshotattribution;
DROP FUNCTION review_enqueue;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial")]

    operations = [migrations.RunSQL(ENQUEUE + TALLY, UNDO)]
