-- The queue keeps itself: each snapshot's first attribution puts it in, and the tallies follow, however a snapshot comes in (one request, a
-- batch, COPY). The snapshots slice need not know of review.
--
-- A connection plans the statements of a trigger once and keeps the plan, perhaps from when there were few answers. Only a look-up by key
-- is right for what comes in, so functions that look something up have enable_seqscan, enable_hashjoin and enable_mergejoin off. What came in
-- is read first and each row's own looked up behind it, by LATERAL with OFFSET 0, which keeps PostgreSQL from turning the two around.

-- Names that come with answers are counted apart while there is room: the first 200 models, prompts, combinations of both and sections of an
-- organisation, and 40 new ones of each kind every month. Other names are counted together as "other names", so a program that sends a new
-- name with each answer does not make counts slow. Answers keep their names, and lists are filtered by them: only counts are bounded.

-- The name that an item is counted under. It never changes for an item: a name is counted apart from the item on that first had it.
CREATE FUNCTION review_counted_as(organisation uuid, its_kind text, its_model text, its_name text, item uuid) RETURNS text
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
    IF its_name = '' OR EXISTS (
        SELECT FROM review_countedname AS known
        WHERE known.organisation_id = organisation AND known.kind = its_kind AND known.of_model = its_model AND known.name = its_name
            AND known.first_id <= item
    ) THEN
        RETURN its_name;
    END IF;
    RETURN 'other names';
END $$;

-- The facet that an item is counted under in the tallies.
CREATE FUNCTION review_counted_facet(organisation uuid, facet text, item uuid) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT CASE WHEN split_part(facet, ':', 1) IN ('model', 'prompt', 'section') THEN split_part(facet, ':', 1) || ':'
        || review_counted_as(organisation, split_part(facet, ':', 1), '', substr(facet, strpos(facet, ':') + 1), item) ELSE facet END
$$;

-- The number of names of a kind that are counted apart if they come in now.
CREATE FUNCTION review_room_for_names(organisation uuid, its_kind text, at timestamptz) RETURNS bigint LANGUAGE sql STABLE AS $$
    SELECT greatest(0, 200 - count(*), 40 - count(*) FILTER (WHERE first_at >= date_trunc('month', at, 'UTC')))
    FROM review_countedname WHERE organisation_id = organisation AND kind = its_kind
$$;

-- Finds what is riskiest first. The expression is that of `RiskRank`.
CREATE INDEX queue_by_risk ON review_queueitem (
    organisation_id, state,
    (CASE WHEN 'guardrail:contradicted' = ANY(facets) THEN 0 WHEN 'confidence:low' = ANY(facets) THEN 1
        WHEN 'validity:red' = ANY(facets) AND 'answer:withheld' <> ALL(facets) THEN 2 ELSE 3 END),
    answered_at, snapshot_id
);

-- Adds the snapshots of new attributions to the queue, with the facets that the list is filtered by. New names are
-- remembered before they are counted.
CREATE FUNCTION review_enqueue() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    WITH came AS (
        SELECT snapshot.organisation_id, named.kind, named.of_model, named.name,
            (array_agg(snapshot.id ORDER BY snapshot.id))[1] AS first_id, max(attributed.attributed_at) AS first_at
        FROM attributed, LATERAL (SELECT * FROM snapshots_snapshot WHERE id = attributed.snapshot_id OFFSET 0) AS snapshot, LATERAL (
            VALUES ('model', '', snapshot.model), ('prompt', '', snapshot.prompt_version),
                ('combination', snapshot.model, snapshot.prompt_version)
            UNION ALL SELECT 'section', '', section FROM unnest(snapshot.given_sections || attributed.sections) AS section
        ) AS named (kind, of_model, name)
        WHERE named.name <> '' GROUP BY 1, 2, 3, 4
    ), new AS (
        SELECT came.*, row_number() OVER (PARTITION BY organisation_id, kind ORDER BY first_id, of_model, name) AS place FROM came
        WHERE NOT EXISTS (
            SELECT FROM review_countedname AS known
            WHERE (known.organisation_id, known.kind, known.of_model, known.name)
                = (came.organisation_id, came.kind, came.of_model, came.name)
        )
    ), room AS (
        SELECT organisation_id, kind, review_room_for_names(organisation_id, kind, max(first_at)) AS names FROM new GROUP BY 1, 2
    )
    INSERT INTO review_countedname (organisation_id, kind, of_model, name, first_id, first_at)
    SELECT organisation_id, kind, of_model, name, first_id, first_at FROM new JOIN room USING (organisation_id, kind)
    WHERE place <= room.names ORDER BY organisation_id, kind, of_model, name
    ON CONFLICT (organisation_id, kind, of_model, name) DO NOTHING;

    INSERT INTO review_queueitem (snapshot_id, organisation_id, attribution_id, answered_at, state, facets, found_count, skip_reason)
    SELECT snapshot.id, snapshot.organisation_id, attributed.id, snapshot.answered_at, 'to_do',
        ARRAY['model:' || snapshot.model, 'prompt:' || snapshot.prompt_version, 'source:' || attributed.source]
            || ARRAY(SELECT 'guardrail:' || code FROM jsonb_object_keys(attributed.guardrails) AS code)
            || ARRAY(SELECT 'section:' || section FROM unnest(attributed.sections) AS section)
            || CASE WHEN attributed.below_count > 0 THEN ARRAY['confidence:low'] ELSE '{}' END,
        attributed.found_count, ''
    FROM attributed, LATERAL (SELECT * FROM snapshots_snapshot WHERE id = attributed.snapshot_id OFFSET 0) AS snapshot
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
        SELECT documents.attribution_id, attribution.snapshot_id, documents.citation_counts,
            ARRAY['validity:' || documents.validity]
                || ARRAY(SELECT 'issue:' || code FROM jsonb_object_keys(documents.issues) AS code)
                || CASE WHEN documents.is_withheld THEN ARRAY['answer:withheld'] ELSE '{}' END
                || CASE WHEN documents.repaired_count > 0 THEN ARRAY['answer:repaired'] ELSE '{}' END AS facets
        FROM documented AS documents, LATERAL (
            SELECT snapshot_id FROM snapshots_snapshotattribution WHERE id = documents.attribution_id OFFSET 0
        ) AS attribution
    ), changed AS (
        UPDATE review_queueitem AS item SET facets = item.facets || told.facets, citation_counts = told.citation_counts
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
    SELECT organisation_id, counted, pg_backend_pid() % 16, count(*) FROM (
        SELECT organisation_id, review_counted_facet(organisation_id, facet, snapshot_id) AS counted
        FROM queued, unnest(facets || 'all'::text) AS facet
    ) AS each GROUP BY organisation_id, counted ORDER BY organisation_id, counted
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

-- True if a review of an item's present round says that words of its answer are not in the record.
CREATE FUNCTION review_has_unsupported(item uuid, its_round smallint) RETURNS boolean LANGUAGE sql STABLE SET enable_seqscan = off AS $$
    SELECT EXISTS (
        SELECT FROM review_submission AS review JOIN review_unsupportedclaim AS claim USING (snapshot_id, reviewer_id)
        WHERE review.snapshot_id = item AND review.round = its_round AND claim.verdict <> 'none' AND NOT EXISTS (
            SELECT FROM review_unsupportedclaim AS newer
            WHERE (newer.snapshot_id, newer.reviewer_id) = (claim.snapshot_id, claim.reviewer_id) AND newer.replaces_id = claim.id
        )
    )
$$;

-- An item tells it once all its reviews are in, and no longer when it is opened again.
CREATE FUNCTION review_tell_unsupported() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.has_unsupported := NEW.state = 'submitted' AND review_has_unsupported(NEW.snapshot_id, NEW.round);
    RETURN NEW;
END $$;

-- For items whose state has changed.
CREATE TRIGGER tell_unsupported BEFORE UPDATE OF state ON review_queueitem
    FOR EACH ROW WHEN (OLD.state IS DISTINCT FROM NEW.state) EXECUTE FUNCTION review_tell_unsupported();

-- Reviewers may say so, and take it back, after they have submitted.
CREATE FUNCTION review_tell_unsupported_later() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    UPDATE review_queueitem AS item SET has_unsupported = review_has_unsupported(item.snapshot_id, item.round)
    FROM (SELECT DISTINCT snapshot_id FROM claimed) AS changed
    WHERE item.snapshot_id = changed.snapshot_id AND item.state = 'submitted'
        AND item.has_unsupported <> review_has_unsupported(item.snapshot_id, item.round);
    RETURN NULL;
END $$;

-- Once a statement, over all its labels.
CREATE TRIGGER tell_unsupported_later AFTER INSERT ON review_unsupportedclaim
    REFERENCING NEW TABLE AS claimed FOR EACH STATEMENT EXECUTE FUNCTION review_tell_unsupported_later();
