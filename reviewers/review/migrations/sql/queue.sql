-- The queue keeps itself: each snapshot's first attribution puts it in, and the tallies follow, however a snapshot comes in (one request, a
-- batch, COPY). The snapshots slice need not know of review.
--
-- A connection plans the statements of a trigger once and keeps the plan, perhaps from when there were few answers. Only a look-up by key
-- is right for what comes in, so functions that look something up have enable_seqscan, enable_hashjoin and enable_mergejoin off.

-- Adds the snapshots of new attributions to the queue, with the facets that the list is filtered by.
CREATE FUNCTION review_enqueue() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
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

-- Once a statement, over all its attributions.
CREATE TRIGGER enqueue AFTER INSERT ON snapshots_snapshotattribution
    REFERENCING NEW TABLE AS attributed FOR EACH STATEMENT EXECUTE FUNCTION review_enqueue();

-- Adds what was found of an answer's documents to the facets of its item, and to the tallies.
CREATE FUNCTION review_tell_documents() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    WITH told AS (
        SELECT documents.attribution_id, attribution.snapshot_id,
            ARRAY['validity:' || documents.validity]
                || ARRAY(SELECT 'issue:' || code FROM jsonb_object_keys(documents.issues) AS code)
                || CASE WHEN documents.is_withheld THEN ARRAY['answer:withheld'] ELSE '{}' END
                || CASE WHEN documents.repaired_count > 0 THEN ARRAY['answer:repaired'] ELSE '{}' END AS facets
        FROM documented AS documents JOIN snapshots_snapshotattribution AS attribution ON attribution.id = documents.attribution_id
    ), changed AS (
        UPDATE review_queueitem AS item SET facets = item.facets || told.facets
        FROM told WHERE item.snapshot_id = told.snapshot_id AND item.attribution_id = told.attribution_id
        RETURNING item.organisation_id, told.facets
    )
    INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
    SELECT organisation_id, facet, mod(pg_backend_pid(), 16), count(*)
    FROM changed, unnest(changed.facets) AS facet GROUP BY organisation_id, facet ORDER BY organisation_id, facet
    ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count;
    RETURN NULL;
END $$;

-- Once a statement: documents are written after the attribution that put the item in, in the same transaction.
CREATE TRIGGER tell_documents AFTER INSERT ON snapshots_snapshotdocuments
    REFERENCING NEW TABLE AS documented FOR EACH STATEMENT EXECUTE FUNCTION review_tell_documents();

-- Counts new items by facet, in one of 16 shards, so that those who write at once seldom wait for each other.
CREATE FUNCTION review_tally_new() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
    SELECT organisation_id, facet, pg_backend_pid() % 16, count(*)
    FROM queued, unnest(facets || 'all'::text) AS facet GROUP BY organisation_id, facet ORDER BY organisation_id, facet
    ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count;
    RETURN NULL;
END $$;

-- Once a statement, over all its items.
CREATE TRIGGER tally_new AFTER INSERT ON review_queueitem
    REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION review_tally_new();

-- Moves an item from the count of one state to that of another; those to do are what is left of all.
CREATE FUNCTION review_tally_state() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO review_tally AS tally (organisation_id, facet, shard, count)
    SELECT NEW.organisation_id, 'state:' || changed.state, pg_backend_pid() % 16, changed.by
    FROM (VALUES (OLD.state, -1), (NEW.state, 1)) AS changed (state, by) WHERE changed.state <> 'to_do' ORDER BY changed.state
    ON CONFLICT (organisation_id, facet, shard) DO UPDATE SET count = tally.count + excluded.count;
    RETURN NULL;
END $$;

-- For items whose state has changed.
CREATE TRIGGER tally_state AFTER UPDATE OF state ON review_queueitem
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION review_tally_state();
