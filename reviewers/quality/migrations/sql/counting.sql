-- Answers are counted as they come in and as they change: each statement writes what it changed as deltas, and waits for nobody. So every
-- answer and label is counted, however it comes in, and the slices below need not know of it. All triggers run once a statement, over
-- all its rows. What changed is looked up by key, however many answers there are: see review/migrations/sql/queue.sql.

-- The value of the first facet of a kind, such as 'model:'; empty where there is none.
CREATE FUNCTION quality_named(facets text[], kind text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
    SELECT coalesce((SELECT substr(facet, length(kind) + 1) FROM unnest(facets) AS facet WHERE starts_with(facet, kind) LIMIT 1), '')
$$;

-- The model and the prompt version that an item is counted under: see review/migrations/sql/queue.sql.
CREATE FUNCTION quality_model(organisation uuid, facets text[], item uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN review_counted_as(organisation, 'model', '', quality_named(facets, 'model:'), item);
END $$;

CREATE FUNCTION quality_prompt(organisation uuid, facets text[], item uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN review_counted_as(organisation, 'combination', quality_named(facets, 'model:'), quality_named(facets, 'prompt:'), item);
END $$;

-- True for an answer that was sent and cites a document without repair.
CREATE FUNCTION quality_cites(facets text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
    SELECT facets && ARRAY['validity:green', 'validity:yellow'] AND NOT facets && ARRAY['answer:withheld', 'answer:repaired']
$$;

-- Counts items that came in: by what the engine found, and by section of their context. OFFSET 0 keeps PostgreSQL from reading the
-- names of an item once more for each of its sections.
CREATE FUNCTION quality_count_new() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO quality_delta (
        organisation_id, model, prompt_version, day, section, answers,
        by_citation, by_mixed, by_heuristic, by_none,
        contradicted, unknown, absent, hidden, ambiguous, echoed, quoted, malformed, duplicate, over_cited,
        withheld, repaired, documented, citing, green, yellow, red, citations, quotes, opposed, unquoted, unsupported, well_sourced,
        sentences, submitted, not_in_record, blind
    )
    SELECT * FROM (
        SELECT
            changed.organisation_id,
            quality_model(changed.organisation_id, changed.facets, changed.snapshot_id) AS model,
            quality_prompt(changed.organisation_id, changed.facets, changed.snapshot_id) AS prompt_version,
            (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
            '', sum(sign) AS answers,
            coalesce(sum(sign) FILTER (WHERE 'source:citation' = ANY(facets)), 0) AS by_citation,
            coalesce(sum(sign) FILTER (WHERE 'source:mixed' = ANY(facets)), 0) AS by_mixed,
            coalesce(sum(sign) FILTER (WHERE 'source:heuristic' = ANY(facets)), 0) AS by_heuristic,
            coalesce(sum(sign) FILTER (WHERE 'source:none' = ANY(facets)), 0) AS by_none,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:contradicted' = ANY(facets)), 0) AS contradicted,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:unknown' = ANY(facets)), 0) AS unknown,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:absent' = ANY(facets)), 0) AS absent,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:hidden' = ANY(facets)), 0) AS hidden,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:ambiguous' = ANY(facets)), 0) AS ambiguous,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:echoed' = ANY(facets)), 0) AS echoed,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:quoted' = ANY(facets)), 0) AS quoted,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:malformed' = ANY(facets)), 0) AS malformed,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:duplicate' = ANY(facets)), 0) AS duplicate,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:over_cited' = ANY(facets)), 0) AS over_cited,
            coalesce(sum(sign) FILTER (WHERE 'answer:withheld' = ANY(facets)), 0) AS withheld,
            coalesce(sum(sign) FILTER (WHERE 'answer:repaired' = ANY(facets)), 0) AS repaired,
            coalesce(sum(sign) FILTER (WHERE facets && ARRAY['validity:green', 'validity:yellow', 'validity:red']), 0) AS documented,
            coalesce(sum(sign) FILTER (WHERE quality_cites(facets)), 0) AS citing,
            coalesce(sum(sign) FILTER (WHERE 'validity:green' = ANY(facets) AND NOT 'answer:withheld' = ANY(facets)), 0) AS green,
            coalesce(sum(sign) FILTER (WHERE 'validity:yellow' = ANY(facets) AND NOT 'answer:withheld' = ANY(facets)), 0) AS yellow,
            coalesce(sum(sign) FILTER (WHERE 'validity:red' = ANY(facets) AND NOT 'answer:withheld' = ANY(facets)), 0) AS red,
            coalesce(sum(sign * citation_counts[1]) FILTER (WHERE quality_cites(facets)), 0) AS citations,
            coalesce(sum(sign * citation_counts[2]) FILTER (WHERE quality_cites(facets)), 0) AS quotes,
            coalesce(sum(sign * citation_counts[3]) FILTER (WHERE quality_cites(facets)), 0) AS opposed,
            coalesce(sum(sign * citation_counts[4]) FILTER (WHERE quality_cites(facets)), 0) AS unquoted,
            coalesce(sum(sign * citation_counts[5]) FILTER (WHERE quality_cites(facets)), 0) AS unsupported,
            coalesce(sum(sign * citation_counts[6]) FILTER (WHERE quality_cites(facets)), 0) AS well_sourced,
            coalesce(sum(sign * citation_counts[7]) FILTER (WHERE quality_cites(facets)), 0) AS sentences,
            coalesce(sum(sign) FILTER (WHERE state = 'submitted'), 0) AS submitted,
            coalesce(sum(sign) FILTER (WHERE has_unsupported), 0) AS not_in_record,
            coalesce(sum(sign) FILTER (WHERE is_blind AND phase = 'independent'), 0) AS blind
        FROM (
            SELECT 1 AS sign, organisation_id, snapshot_id, answered_at, state, facets, citation_counts, is_blind, phase, has_unsupported
            FROM queued
        ) AS changed
        GROUP BY 1, 2, 3, 4
    ) AS counted
    WHERE (
        answers,
        by_citation, by_mixed, by_heuristic, by_none,
        contradicted, unknown, absent, hidden, ambiguous, echoed, quoted, malformed, duplicate, over_cited,
        withheld, repaired, documented, citing, green, yellow, red, citations, quotes, opposed, unquoted, unsupported, well_sourced,
        sentences, submitted, not_in_record, blind
    ) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, answers, given)
    SELECT organisation_id, model, prompt_version, day, section, sum(drawn), sum(given) FROM (
        SELECT
            changed.organisation_id,
            changed.model,
            changed.prompt_version,
            (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
            review_counted_as(changed.organisation_id, 'section', '', substr(facet, 9), changed.snapshot_id) AS section,
            sign AS drawn, 0 AS given
        FROM (
            SELECT 1 AS sign, organisation_id, snapshot_id, answered_at, facets,
                quality_model(organisation_id, facets, snapshot_id) AS model,
                quality_prompt(organisation_id, facets, snapshot_id) AS prompt_version
            FROM queued OFFSET 0
        ) AS changed, unnest(changed.facets) AS facet
        WHERE starts_with(facet, 'section:')
        UNION ALL
        SELECT
            changed.organisation_id,
            changed.model,
            changed.prompt_version,
            (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
            review_counted_as(changed.organisation_id, 'section', '', section, changed.snapshot_id), 0, sign
        FROM (
            SELECT 1 AS sign, organisation_id, snapshot_id, answered_at, facets,
                quality_model(organisation_id, facets, snapshot_id) AS model,
                quality_prompt(organisation_id, facets, snapshot_id) AS prompt_version
            FROM queued OFFSET 0
        ) AS changed, unnest((SELECT given_sections FROM snapshots_snapshot WHERE id = changed.snapshot_id)) AS section
    ) AS counted
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(drawn) <> 0 OR sum(given) <> 0;
    RETURN NULL;
END $$;

-- Items that came in.
CREATE TRIGGER count_quality AFTER INSERT ON review_queueitem
    REFERENCING NEW TABLE AS queued FOR EACH STATEMENT EXECUTE FUNCTION quality_count_new();

-- Counts items that changed: what they were is taken off (sign -1), what they are is added.
CREATE FUNCTION quality_count_changed() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO quality_delta (
        organisation_id, model, prompt_version, day, section, answers,
        by_citation, by_mixed, by_heuristic, by_none,
        contradicted, unknown, absent, hidden, ambiguous, echoed, quoted, malformed, duplicate, over_cited,
        withheld, repaired, documented, citing, green, yellow, red, citations, quotes, opposed, unquoted, unsupported, well_sourced,
        sentences, submitted, not_in_record, blind
    )
    SELECT * FROM (
        SELECT
            changed.organisation_id,
            quality_model(changed.organisation_id, changed.facets, changed.snapshot_id) AS model,
            quality_prompt(changed.organisation_id, changed.facets, changed.snapshot_id) AS prompt_version,
            (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
            '', sum(sign) AS answers,
            coalesce(sum(sign) FILTER (WHERE 'source:citation' = ANY(facets)), 0) AS by_citation,
            coalesce(sum(sign) FILTER (WHERE 'source:mixed' = ANY(facets)), 0) AS by_mixed,
            coalesce(sum(sign) FILTER (WHERE 'source:heuristic' = ANY(facets)), 0) AS by_heuristic,
            coalesce(sum(sign) FILTER (WHERE 'source:none' = ANY(facets)), 0) AS by_none,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:contradicted' = ANY(facets)), 0) AS contradicted,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:unknown' = ANY(facets)), 0) AS unknown,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:absent' = ANY(facets)), 0) AS absent,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:hidden' = ANY(facets)), 0) AS hidden,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:ambiguous' = ANY(facets)), 0) AS ambiguous,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:echoed' = ANY(facets)), 0) AS echoed,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:quoted' = ANY(facets)), 0) AS quoted,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:malformed' = ANY(facets)), 0) AS malformed,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:duplicate' = ANY(facets)), 0) AS duplicate,
            coalesce(sum(sign) FILTER (WHERE 'guardrail:over_cited' = ANY(facets)), 0) AS over_cited,
            coalesce(sum(sign) FILTER (WHERE 'answer:withheld' = ANY(facets)), 0) AS withheld,
            coalesce(sum(sign) FILTER (WHERE 'answer:repaired' = ANY(facets)), 0) AS repaired,
            coalesce(sum(sign) FILTER (WHERE facets && ARRAY['validity:green', 'validity:yellow', 'validity:red']), 0) AS documented,
            coalesce(sum(sign) FILTER (WHERE quality_cites(facets)), 0) AS citing,
            coalesce(sum(sign) FILTER (WHERE 'validity:green' = ANY(facets) AND NOT 'answer:withheld' = ANY(facets)), 0) AS green,
            coalesce(sum(sign) FILTER (WHERE 'validity:yellow' = ANY(facets) AND NOT 'answer:withheld' = ANY(facets)), 0) AS yellow,
            coalesce(sum(sign) FILTER (WHERE 'validity:red' = ANY(facets) AND NOT 'answer:withheld' = ANY(facets)), 0) AS red,
            coalesce(sum(sign * citation_counts[1]) FILTER (WHERE quality_cites(facets)), 0) AS citations,
            coalesce(sum(sign * citation_counts[2]) FILTER (WHERE quality_cites(facets)), 0) AS quotes,
            coalesce(sum(sign * citation_counts[3]) FILTER (WHERE quality_cites(facets)), 0) AS opposed,
            coalesce(sum(sign * citation_counts[4]) FILTER (WHERE quality_cites(facets)), 0) AS unquoted,
            coalesce(sum(sign * citation_counts[5]) FILTER (WHERE quality_cites(facets)), 0) AS unsupported,
            coalesce(sum(sign * citation_counts[6]) FILTER (WHERE quality_cites(facets)), 0) AS well_sourced,
            coalesce(sum(sign * citation_counts[7]) FILTER (WHERE quality_cites(facets)), 0) AS sentences,
            coalesce(sum(sign) FILTER (WHERE state = 'submitted'), 0) AS submitted,
            coalesce(sum(sign) FILTER (WHERE has_unsupported), 0) AS not_in_record,
            coalesce(sum(sign) FILTER (WHERE is_blind AND phase = 'independent'), 0) AS blind
        FROM (
            SELECT -1 AS sign,
                before.organisation_id, snapshot_id, before.answered_at, before.state, before.facets, before.citation_counts,
                before.is_blind, before.phase, before.has_unsupported
            FROM before JOIN after USING (snapshot_id)
            WHERE (before.facets, before.citation_counts, before.state, before.is_blind, before.phase,
                    before.has_unsupported, before.answered_at)
                IS DISTINCT FROM (after.facets, after.citation_counts, after.state, after.is_blind, after.phase,
                    after.has_unsupported, after.answered_at)
            UNION ALL
            SELECT 1,
                after.organisation_id, snapshot_id, after.answered_at, after.state, after.facets, after.citation_counts,
                after.is_blind, after.phase, after.has_unsupported
            FROM before JOIN after USING (snapshot_id)
            WHERE (before.facets, before.citation_counts, before.state, before.is_blind, before.phase,
                    before.has_unsupported, before.answered_at)
                IS DISTINCT FROM (after.facets, after.citation_counts, after.state, after.is_blind, after.phase,
                    after.has_unsupported, after.answered_at)
        ) AS changed
        GROUP BY 1, 2, 3, 4
    ) AS counted
    WHERE (
        answers,
        by_citation, by_mixed, by_heuristic, by_none,
        contradicted, unknown, absent, hidden, ambiguous, echoed, quoted, malformed, duplicate, over_cited,
        withheld, repaired, documented, citing, green, yellow, red, citations, quotes, opposed, unquoted, unsupported, well_sourced,
        sentences, submitted, not_in_record, blind
    ) <> (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, answers, given)
    SELECT organisation_id, model, prompt_version, day, section, sum(drawn), sum(given) FROM (
        SELECT
            changed.organisation_id,
            changed.model,
            changed.prompt_version,
            (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
            review_counted_as(changed.organisation_id, 'section', '', substr(facet, 9), changed.snapshot_id) AS section,
            sign AS drawn, 0 AS given
        FROM (
            SELECT -1 AS sign, before.organisation_id, snapshot_id, before.answered_at, before.facets,
                quality_model(before.organisation_id, before.facets, before.snapshot_id) AS model,
                quality_prompt(before.organisation_id, before.facets, before.snapshot_id) AS prompt_version
            FROM before JOIN after USING (snapshot_id)
            WHERE (before.facets, before.state, before.is_blind, before.phase, before.has_unsupported, before.answered_at)
                IS DISTINCT FROM (after.facets, after.state, after.is_blind, after.phase, after.has_unsupported, after.answered_at)
            UNION ALL
            SELECT 1, after.organisation_id, snapshot_id, after.answered_at, after.facets,
                quality_model(after.organisation_id, after.facets, after.snapshot_id),
                quality_prompt(after.organisation_id, after.facets, after.snapshot_id)
            FROM before JOIN after USING (snapshot_id)
            WHERE (before.facets, before.state, before.is_blind, before.phase, before.has_unsupported, before.answered_at)
                IS DISTINCT FROM (after.facets, after.state, after.is_blind, after.phase, after.has_unsupported, after.answered_at)
            OFFSET 0
        ) AS changed, unnest(changed.facets) AS facet
        WHERE starts_with(facet, 'section:')
        UNION ALL
        SELECT
            changed.organisation_id,
            changed.model,
            changed.prompt_version,
            (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
            review_counted_as(changed.organisation_id, 'section', '', section, changed.snapshot_id), 0, sign
        FROM (
            SELECT -1 AS sign, before.organisation_id, snapshot_id, before.answered_at, before.facets,
                quality_model(before.organisation_id, before.facets, before.snapshot_id) AS model,
                quality_prompt(before.organisation_id, before.facets, before.snapshot_id) AS prompt_version
            FROM before JOIN after USING (snapshot_id)
            WHERE (before.facets, before.state, before.is_blind, before.phase, before.has_unsupported, before.answered_at)
                IS DISTINCT FROM (after.facets, after.state, after.is_blind, after.phase, after.has_unsupported, after.answered_at)
            UNION ALL
            SELECT 1, after.organisation_id, snapshot_id, after.answered_at, after.facets,
                quality_model(after.organisation_id, after.facets, after.snapshot_id),
                quality_prompt(after.organisation_id, after.facets, after.snapshot_id)
            FROM before JOIN after USING (snapshot_id)
            WHERE (before.facets, before.state, before.is_blind, before.phase, before.has_unsupported, before.answered_at)
                IS DISTINCT FROM (after.facets, after.state, after.is_blind, after.phase, after.has_unsupported, after.answered_at)
            OFFSET 0
        ) AS changed, unnest((SELECT given_sections FROM snapshots_snapshot WHERE id = changed.snapshot_id)) AS section
    ) AS counted
    GROUP BY 1, 2, 3, 4, 5 HAVING sum(drawn) <> 0 OR sum(given) <> 0;
    RETURN NULL;
END $$;

-- Items that changed.
CREATE TRIGGER recount_quality AFTER UPDATE ON review_queueitem
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION quality_count_changed();

-- Counts labels of fields: one that replaces another counts once.
CREATE FUNCTION quality_count_labels() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, labels)
    SELECT
        changed.organisation_id,
        quality_model(changed.organisation_id, changed.facets, changed.snapshot_id) AS model,
        quality_prompt(changed.organisation_id, changed.facets, changed.snapshot_id) AS prompt_version,
        (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
        '', sum((label.verdict <> 'none')::int - (coalesce(replaced.verdict, 'none') <> 'none')::int)
    FROM labelled AS label JOIN review_queueitem AS changed ON changed.snapshot_id = label.snapshot_id
        LEFT JOIN review_label AS replaced ON replaced.id = label.replaces_id
    GROUP BY 1, 2, 3, 4
    HAVING sum((label.verdict <> 'none')::int - (coalesce(replaced.verdict, 'none') <> 'none')::int) <> 0;
    RETURN NULL;
END $$;

-- Labels of fields.
CREATE TRIGGER count_labels AFTER INSERT ON review_label
    REFERENCING NEW TABLE AS labelled FOR EACH STATEMENT EXECUTE FUNCTION quality_count_labels();

-- The same for labels of citations.
CREATE FUNCTION quality_count_citation_labels() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, labels)
    SELECT
        changed.organisation_id,
        quality_model(changed.organisation_id, changed.facets, changed.snapshot_id) AS model,
        quality_prompt(changed.organisation_id, changed.facets, changed.snapshot_id) AS prompt_version,
        (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
        '', sum((label.verdict <> 'none')::int - (coalesce(replaced.verdict, 'none') <> 'none')::int)
    FROM labelled AS label JOIN review_queueitem AS changed ON changed.snapshot_id = label.snapshot_id
        LEFT JOIN review_citationlabel AS replaced ON replaced.id = label.replaces_id
    GROUP BY 1, 2, 3, 4
    HAVING sum((label.verdict <> 'none')::int - (coalesce(replaced.verdict, 'none') <> 'none')::int) <> 0;
    RETURN NULL;
END $$;

-- Labels of citations.
CREATE TRIGGER count_citation_labels AFTER INSERT ON review_citationlabel
    REFERENCING NEW TABLE AS labelled FOR EACH STATEMENT EXECUTE FUNCTION quality_count_citation_labels();

-- Counts answers in which a search found citations afterwards, for the first time.
CREATE FUNCTION quality_count_found() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, found_afterwards)
    SELECT
        changed.organisation_id,
        quality_model(changed.organisation_id, changed.facets, changed.snapshot_id) AS model,
        quality_prompt(changed.organisation_id, changed.facets, changed.snapshot_id) AS prompt_version,
        (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
        '', count(*)
    FROM (
        SELECT DISTINCT search.attribution_id FROM ended AS result
        JOIN snapshots_citationsearch AS search ON search.id = result.search_id
        WHERE result.outcome = 'found' AND NOT EXISTS (
            SELECT FROM snapshots_citationsearch AS other JOIN snapshots_citationsearchresult AS earlier ON earlier.search_id = other.id
            WHERE other.attribution_id = search.attribution_id AND other.number < search.number AND earlier.outcome = 'found'
        )
    ) AS found JOIN review_queueitem AS changed ON changed.attribution_id = found.attribution_id
    GROUP BY 1, 2, 3, 4;
    RETURN NULL;
END $$;

-- Searches that ended.
CREATE TRIGGER count_found AFTER INSERT ON snapshots_citationsearchresult
    REFERENCING NEW TABLE AS ended FOR EACH STATEMENT EXECUTE FUNCTION quality_count_found();

-- Takes off the answers in which nothing is found any more: a redaction empties the results of searches.
CREATE FUNCTION quality_count_found_gone() RETURNS trigger LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
    INSERT INTO quality_delta (organisation_id, model, prompt_version, day, section, found_afterwards)
    SELECT
        changed.organisation_id,
        quality_model(changed.organisation_id, changed.facets, changed.snapshot_id) AS model,
        quality_prompt(changed.organisation_id, changed.facets, changed.snapshot_id) AS prompt_version,
        (changed.answered_at AT TIME ZONE 'UTC')::date AS day,
        '', -count(*)
    FROM (
        SELECT DISTINCT search.attribution_id FROM before JOIN after USING (id)
        JOIN snapshots_citationsearch AS search ON search.id = after.search_id
        WHERE before.outcome = 'found' AND after.outcome <> 'found' AND NOT EXISTS (
            SELECT FROM snapshots_citationsearch AS other JOIN snapshots_citationsearchresult AS kept ON kept.search_id = other.id
            WHERE other.attribution_id = search.attribution_id AND kept.outcome = 'found'
        )
    ) AS gone JOIN review_queueitem AS changed ON changed.attribution_id = gone.attribution_id
    GROUP BY 1, 2, 3, 4;
    RETURN NULL;
END $$;

-- Searches whose results were redacted.
CREATE TRIGGER count_found_gone AFTER UPDATE ON snapshots_citationsearchresult
    REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION quality_count_found_gone();
