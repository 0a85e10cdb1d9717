-- What may stand where something was redacted: bars, or nothing, in the place of what was named, and no caller chooses anything else.
-- `ledger_redact` (redacting.sql) asks these functions about each column. Columns without a rule cannot be redacted. What the engine
-- derives again is the one thing that the database cannot make: of it only the form is checked here, and `manage.py verify` derives it
-- once more and compares. References are nothing in their columns, for records are grouped by clients and conversations, and those of
-- many people must not become one person's; a provider's column has bars, for a suggestion without a provider is none.

-- A record's JSON; NUL and lone surrogates, which jsonb cannot hold, become text of their own, in small letters however they were written.
CREATE FUNCTION redaction_readable(record bytea) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, public, pg_temp AS $$
    -- Every backslash is followed by what it was.
    SELECT regexp_replace(
        (SELECT string_agg(CASE WHEN left(piece, 2) = '\u' THEN lower(left(piece, 6)) || substr(piece, 7) ELSE piece END, '' ORDER BY place)
            FROM regexp_split_to_table(replace(convert_from(record, 'UTF8'), '\\', '\\e'), '(?=\\u[dD])')
                WITH ORDINALITY AS pieces (piece, place)),
        '\\(u0000|u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})'
            || '|(?<!\\u[dD][89abAB][0-9a-fA-F]{2}\\)u[dD][c-fC-F][0-9a-fA-F]{2})',
        '\\\\\1', 'g')::jsonb
$$;

-- Whether a text is another one with bars in the place of pieces of it.
CREATE FUNCTION redaction_bars_text(before text, after text) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    piece text;
    rest text := before;
    place integer;
    number integer := 0;
    pieces text[] := string_to_array(after, '█████');
BEGIN
    IF before = after OR after = '█████' THEN
        RETURN true;
    END IF;
    IF cardinality(pieces) < 2 OR left(before, length(pieces[1])) <> pieces[1]
        OR right(before, length(pieces[cardinality(pieces)])) <> pieces[cardinality(pieces)] THEN
        RETURN false;
    END IF;
    FOREACH piece IN ARRAY pieces LOOP
        number := number + 1;
        IF number = cardinality(pieces) THEN
            RETURN length(piece) <= length(rest);
        END IF;
        place := strpos(rest, piece);
        IF place = 0 AND piece <> '' THEN
            RETURN false;
        END IF;
        rest := substr(rest, greatest(place, 1) + length(piece));
    END LOOP;
    RETURN false;
END $$;

-- Whether JSON is what it was but for bars, or nothing, where the parts name something; called again for what is inside.
CREATE FUNCTION redaction_only_bars(before jsonb, after jsonb, path text[], parts jsonb) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    kind text := jsonb_typeof(before);
    top text := path[1];
    is_bars boolean := after = to_jsonb('█████'::text);
    is_response boolean := parts ? 'response';
    name text;
    above record;
BEGIN
    IF before = after THEN
        RETURN true;
    END IF;
    IF kind = 'number' AND jsonb_typeof(after) = 'number' THEN  -- a fraction as it is read, which has not all of its digits
        RETURN before::text LIKE '%.%' AND before::text::float8 = after::text::float8;
    END IF;
    IF is_bars THEN
        IF top IN ('user_text', 'response') AND cardinality(path) = 1 THEN
            RETURN parts ? top;
        ELSIF top = 'context' AND cardinality(path) >= 2 THEN
            SELECT string_agg(replace(replace(key, '\e', '\\'), '.', '\.'), '.' ORDER BY place) INTO name
                FROM unnest(path) WITH ORDINALITY AS keys (key, place);
            IF cardinality(path) > 2 THEN
                IF parts ? name THEN
                    RETURN true;
                END IF;
            ELSIF kind <> 'object' AND NOT (kind = 'array' AND before <> '[]' AND NOT EXISTS (
                SELECT FROM jsonb_array_elements(CASE kind WHEN 'array' THEN before ELSE '[]' END) AS element
                WHERE jsonb_typeof(element) <> 'object'
            )) THEN
                RETURN parts ? (name || '.value');
            END IF;
        ELSIF top = 'documents' OR top = 'tool_calls' THEN
            IF cardinality(path) = 2 THEN
                RETURN kind <> 'object' AND parts ? (top || '.' || path[2]);
            ELSIF cardinality(path) = 3 THEN
                RETURN path[3] <> 'id' AND (top <> 'tool_calls' OR path[3] <> 'name') AND parts ? (top || '.' || path[2]);
            END IF;
        ELSIF top = 'field_citations' THEN  -- what an entry says besides the field that it names: any of it may repeat what goes
            IF cardinality(path) = 2 THEN
                RETURN kind <> 'object';
            ELSIF cardinality(path) = 3 THEN
                RETURN NOT (path[3] IN ('tool', 'prefix', 'section', 'field', 'path') AND before #>> '{}' ~ '^[A-Za-z0-9_.-]{1,200}$');
            END IF;
        END IF;
    END IF;
    IF kind <> jsonb_typeof(after) THEN
        RETURN false;
    END IF;
    IF kind = 'object' THEN
        IF EXISTS (SELECT FROM jsonb_object_keys(after) AS key WHERE NOT before ? key) THEN
            RETURN false;
        END IF;
        FOR above IN SELECT key, value FROM jsonb_each(before) LOOP
            IF after ? above.key THEN
                IF NOT redaction_only_bars(above.value, after -> above.key, path || above.key, parts) THEN
                    RETURN false;
                END IF;
            ELSIF NOT (
                is_response AND cardinality(path) = 0
                AND above.key IN ('native', 'citations', 'field_citations', 'abstention_reason')
            ) THEN
                RETURN false;
            END IF;
        END LOOP;
        RETURN true;
    ELSIF kind = 'array' THEN
        IF jsonb_array_length(before) <> jsonb_array_length(after) THEN
            RETURN false;
        END IF;
        FOR above IN SELECT value, place - 1 AS place FROM jsonb_array_elements(before) WITH ORDINALITY AS elements (value, place) LOOP
            IF NOT redaction_only_bars(above.value, after -> above.place::integer, path || above.place::text, parts) THEN
                RETURN false;
            END IF;
        END LOOP;
        RETURN true;
    ELSIF kind = 'string' AND top IN ('native', 'citations') THEN
        RETURN EXISTS (SELECT FROM jsonb_array_elements_text(parts) AS part WHERE part ~ '^(documents|tool_calls)\.')
            AND redaction_bars_text(before #>> '{}', after #>> '{}');
    END IF;
    RETURN false;
END $$;

-- Whether what opens an event's commitments is what it was, or closed.
CREATE FUNCTION redaction_closes(before bytea, after bytea) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    entry bytea;
    was bytea;
BEGIN
    IF length(after) % 33 <> 0 OR length(before) NOT IN (32, length(after)) OR length(after) = 0 THEN
        RETURN false;
    END IF;
    FOR number IN 0 .. length(after) / 33 - 1 LOOP
        entry := substr(after, number * 33 + 1, 33);
        was := CASE WHEN length(before) = 32 THEN NULL ELSE substr(before, number * 33 + 1, 33) END;
        IF substr(entry, 1, 1) = '\x2d' AND substr(entry, 2) <> decode(repeat('00', 32), 'hex')
            OR substr(entry, 1, 1) NOT IN ('\x73', '\x63', '\x2d')
            OR was IS NOT NULL AND entry <> was AND (substr(was, 1, 1) = '\x63' OR substr(entry, 1, 1) = '\x73') THEN
            RETURN false;
        END IF;
    END LOOP;
    RETURN true;
END $$;

-- Whether checks of columns are what they were but for some that are left out.
CREATE FUNCTION redaction_leaves_checks(before bytea, after bytea) RETURNS boolean
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    place integer := 0;
BEGIN
    IF length(after) % 4 <> 0 THEN
        RETURN false;
    END IF;
    FOR number IN 0 .. length(after) / 4 - 1 LOOP
        WHILE substr(before, place * 4 + 1, 4) <> substr(after, number * 4 + 1, 4) LOOP
            place := place + 1;
            IF place * 4 >= length(before) THEN
                RETURN false;
            END IF;
        END LOOP;
        place := place + 1;
    END LOOP;
    RETURN true;
END $$;

-- Whether JSON is names with a number each, as the engine counts findings.
CREATE FUNCTION redaction_counts(counts jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT jsonb_typeof(counts) = 'object' AND NOT EXISTS (
        SELECT FROM jsonb_each(counts) WHERE key !~ '^[a-z_]{1,40}$' OR jsonb_typeof(value) <> 'number')
$$;

-- A record as it is to be once its references are bars, and what is not read is left out, where the parts name these.
CREATE FUNCTION redaction_without_names(record jsonb, parts jsonb) RETURNS jsonb
LANGUAGE sql IMMUTABLE STRICT SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(jsonb_object_agg(key, CASE
        WHEN key = ANY (ARRAY['client_reference', 'conversation_id', 'provider']) AND parts ? key THEN to_jsonb('█████'::text)
        ELSE value
    END), '{}')
    FROM jsonb_each(record)
    WHERE key = ANY (ARRAY[
        'id', 'response', 'user_text', 'context', 'documents', 'tool_calls', 'citations', 'field_citations', 'native', 'abstention_reason',
        'client_reference', 'conversation_id', 'provider', 'model', 'prompt_version', 'schema_version', 'turn_index', 'answered_at',
        'hidden_sections', 'completeness', 'completeness_threshold', 'citation_instruction'
    ]) OR NOT parts ? 'rest'
$$;

-- Whether `after` may stand in the place of `before` in a column of a table, when these parts are redacted.
CREATE FUNCTION redaction_allows(target text, name text, before jsonb, after jsonb, parts jsonb) RETURNS boolean
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, public, pg_temp AS $$
    SELECT coalesce(CASE target || '.' || name
        WHEN 'review_label.note' THEN after = '""'
        WHEN 'review_label.reason' THEN after = '""'
        WHEN 'review_citationlabel.note' THEN after = '""'
        WHEN 'review_citationlabel.reason' THEN after = '""'
        WHEN 'review_unsupportedclaim.note' THEN after = '""'
        WHEN 'review_unsupportedclaim.reason' THEN after = '""'
        WHEN 'review_flag.note' THEN after = '""'
        WHEN 'review_flag.finding' THEN after #>> '{}' = array_to_string((string_to_array(before #>> '{}', ':'))[1:2], ':') || ':'
        WHEN 'review_flagresolution.note' THEN after = '"█████"'
        WHEN 'review_comment.text' THEN after = '"█████"'
        WHEN 'review_decision.reason' THEN after = '"█████"'
        WHEN 'review_reopening.reason' THEN after = '"█████"'
        WHEN 'review_hold.reference' THEN before <> '""' AND after = '"█████"'
        WHEN 'review_hold.reason' THEN after = '"█████"'
        WHEN 'review_liftproposal.reason' THEN after = '"█████"'
        WHEN 'ledger_redaction.reason' THEN after = '"█████"'
        WHEN 'review_signature.statement' THEN after = '"\\x"'
        WHEN 'review_signature.digest' THEN true  -- made by ledger_redact
        WHEN 'ledger_eventsecret.payload' THEN after = 'null'
        WHEN 'ledger_eventsecret.salt_seed' THEN redaction_closes((before #>> '{}')::bytea, (after #>> '{}')::bytea)
        WHEN 'ledger_eventsecret.column_checks' THEN redaction_leaves_checks((before #>> '{}')::bytea, (after #>> '{}')::bytea)
        WHEN 'snapshots_citationsearchresult.outcome' THEN after = '"skipped"'
        WHEN 'snapshots_citationsearchresult.reason' THEN after = '"redacted"'
        WHEN 'snapshots_citationsearchresult.document' THEN after = 'null'
        WHEN 'snapshots_citationsearchresult.digest' THEN after = 'null'
        WHEN 'snapshots_citationsearchresult.found_count' THEN after = '0'
        WHEN 'snapshots_citationsearchresult.refused_count' THEN after = '0'
        WHEN 'snapshots_supportjudgement.verdict' THEN after = '""'
        WHEN 'snapshots_supportjudgement.reason' THEN after = '"redacted"'
        WHEN 'snapshots_supportjudgement.sentence_start' THEN after = 'null'
        WHEN 'snapshots_supportjudgement.sentence_end' THEN after = 'null'
        WHEN 'snapshots_supportjudgement.question_digest' THEN after = 'null'
        WHEN 'snapshots_snapshot.client_reference' THEN parts ? name AND after = '""'
        WHEN 'snapshots_snapshot.conversation_id' THEN parts ? name AND after = '""'
        WHEN 'snapshots_snapshot.provider' THEN after = '"█████"' AND (parts ? name OR EXISTS (
            SELECT FROM jsonb_array_elements_text(parts) AS part WHERE starts_with(part, 'context.')))  -- a field may have named it
        WHEN 'snapshots_snapshot.record' THEN redaction_only_bars(
            redaction_without_names(redaction_readable((before #>> '{}')::bytea), parts),
            redaction_readable((after #>> '{}')::bytea), '{}', parts)
        WHEN 'snapshots_snapshot.digest' THEN true  -- made by ledger_redact
        WHEN 'snapshots_snapshot.content_digest' THEN length((after #>> '{}')::bytea) = 32
        WHEN 'snapshots_snapshot.excerpt' THEN after IN (before, '"█████"', '""')
        WHEN 'snapshots_snapshot.search' THEN true  -- words that were not there are left out by ledger_redact
        WHEN 'snapshots_snapshotattribution.document' THEN jsonb_typeof(after) = 'string'
        WHEN 'snapshots_snapshotattribution.digest' THEN length((after #>> '{}')::bytea) = 32
        WHEN 'snapshots_snapshotattribution.source' THEN after #>> '{}' ~ '^[a-z_]{1,20}$'
        WHEN 'snapshots_snapshotattribution.guardrails' THEN redaction_counts(after)
        WHEN 'snapshots_snapshotattribution.sections' THEN jsonb_typeof(after) = 'array'
        WHEN 'snapshots_snapshotattribution.found_count' THEN jsonb_typeof(after) = 'number'
        WHEN 'snapshots_snapshotattribution.cited_count' THEN jsonb_typeof(after) = 'number'
        WHEN 'snapshots_snapshotattribution.below_count' THEN jsonb_typeof(after) = 'number'
        WHEN 'snapshots_snapshotdocuments.document' THEN jsonb_typeof(after) = 'string'
        WHEN 'snapshots_snapshotdocuments.digest' THEN length((after #>> '{}')::bytea) = 32
        WHEN 'snapshots_snapshotdocuments.issues' THEN redaction_counts(after)
        WHEN 'snapshots_snapshotdocuments.validity' THEN after #>> '{}' ~ '^[a-z_]{0,20}$'
        WHEN 'snapshots_snapshotdocuments.trust' THEN after #>> '{}' ~ '^[a-z_]{0,20}$'
        WHEN 'snapshots_snapshotdocuments.source_count' THEN jsonb_typeof(after) = 'number'
        WHEN 'snapshots_snapshotdocuments.cited_count' THEN jsonb_typeof(after) = 'number'
        WHEN 'snapshots_snapshotdocuments.repaired_count' THEN jsonb_typeof(after) = 'number'
        WHEN 'snapshots_snapshotdocuments.citation_counts' THEN after #>> '{}' ~ '^\[[0-9, ]*\]$'
        WHEN 'snapshots_snapshotdocuments.is_withheld' THEN jsonb_typeof(after) = 'boolean'
        ELSE false
    END, false)
$$;

-- Whether the parts name a hold that is over: it is lifted, and no hold in force has its reference.
CREATE FUNCTION redaction_names_hold(target uuid, parts jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
    RETURN parts ? ('hold.' || target)
        AND EXISTS (SELECT FROM review_liftdecision WHERE hold_id = target AND outcome = 'lifted')
        AND NOT EXISTS (
            SELECT FROM review_hold AS own JOIN review_hold AS other USING (organisation_id, reference)
            WHERE own.id = target AND own.reference <> ''
            AND NOT EXISTS (SELECT FROM review_liftdecision WHERE hold_id = other.id AND outcome = 'lifted'));
END $$;

-- Whether a row belongs to the object of a redaction, and to the parts that it names.
CREATE FUNCTION redaction_concerns(target text, target_key uuid, object uuid, parts jsonb) RETURNS boolean
LANGUAGE plpgsql STABLE SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE
    of_record boolean := parts ?| ARRAY['client_reference', 'conversation_id', 'provider'] OR parts ? 'rest' OR EXISTS (
        SELECT FROM jsonb_array_elements_text(parts) AS part
        WHERE part IN ('user_text', 'response') OR part ~ '^(context|documents|tool_calls)\.');
    of_signed boolean := of_record OR EXISTS (
        SELECT FROM jsonb_array_elements_text(parts) AS part WHERE part ~ '^(note|citation_note|claim_note|decision)\.');
BEGIN
    RETURN CASE target
        WHEN 'snapshots_snapshot' THEN of_record AND target_key = object
        WHEN 'snapshots_snapshotattribution' THEN of_record AND EXISTS (
            SELECT FROM snapshots_snapshotattribution WHERE id = target_key AND snapshot_id = object)
        WHEN 'snapshots_snapshotdocuments' THEN of_record AND EXISTS (
            SELECT FROM snapshots_snapshotdocuments AS derived JOIN snapshots_snapshotattribution AS own ON own.id = derived.attribution_id
            WHERE derived.id = target_key AND own.snapshot_id = object)
        WHEN 'snapshots_citationsearchresult' THEN of_record AND EXISTS (
            SELECT FROM snapshots_citationsearchresult AS result JOIN snapshots_citationsearch AS search ON search.id = result.search_id
            JOIN snapshots_snapshotattribution AS own ON own.id = search.attribution_id
            WHERE result.id = target_key AND own.snapshot_id = object)
        WHEN 'snapshots_supportjudgement' THEN of_record AND EXISTS (
            SELECT FROM snapshots_supportjudgement AS judgement JOIN snapshots_supportrequest AS request ON request.id = judgement.request_id
            JOIN snapshots_snapshotattribution AS own ON own.id = request.attribution_id
            WHERE judgement.id = target_key AND own.snapshot_id = object)
        WHEN 'review_label' THEN EXISTS (
            SELECT FROM review_label AS own JOIN review_label AS named USING (snapshot_id, reviewer_id, section, path)
            WHERE own.id = target_key AND own.snapshot_id = object AND parts ? ('note.' || named.id))
        WHEN 'review_citationlabel' THEN EXISTS (
            SELECT FROM review_citationlabel AS own JOIN review_citationlabel AS named USING (snapshot_id, reviewer_id, source, repeat)
            WHERE own.id = target_key AND own.snapshot_id = object AND own.start IS NOT DISTINCT FROM named.start
            AND own.end IS NOT DISTINCT FROM named.end AND parts ? ('citation_note.' || named.id))
        WHEN 'review_unsupportedclaim' THEN EXISTS (
            SELECT FROM review_unsupportedclaim AS own JOIN review_unsupportedclaim AS named USING (snapshot_id, reviewer_id, start)
            WHERE own.id = target_key AND own.snapshot_id = object AND own.end = named.end AND parts ? ('claim_note.' || named.id))
        WHEN 'review_flag' THEN (of_record OR parts ? ('remark.' || target_key)) AND EXISTS (
            SELECT FROM review_flag WHERE id = target_key AND snapshot_id = object)
        WHEN 'review_flagresolution' THEN parts ? ('resolution.' || target_key) AND EXISTS (
            SELECT FROM review_flagresolution AS own JOIN review_flag AS flag ON flag.id = own.flag_id
            WHERE own.id = target_key AND flag.snapshot_id = object)
        WHEN 'review_comment' THEN parts ? ('comment.' || target_key) AND EXISTS (
            SELECT FROM review_comment WHERE id = target_key AND snapshot_id = object)
        WHEN 'review_decision' THEN parts ? ('decision.' || target_key) AND EXISTS (
            SELECT FROM review_decision WHERE id = target_key AND snapshot_id = object)
        WHEN 'review_reopening' THEN parts ? ('reopening.' || target_key) AND EXISTS (
            SELECT FROM review_reopening WHERE id = target_key AND snapshot_id = object)
        WHEN 'review_signature' THEN of_signed AND EXISTS (
            SELECT FROM review_signature AS own JOIN review_submission AS review ON review.id = own.review_id
            WHERE own.id = target_key AND review.snapshot_id = object)
        WHEN 'review_hold' THEN redaction_names_hold(target_key, parts)
        WHEN 'review_liftproposal' THEN EXISTS (
            SELECT FROM review_liftproposal WHERE id = target_key AND redaction_names_hold(hold_id, parts))
        WHEN 'ledger_redaction' THEN parts ? ('ground.' || target_key) AND EXISTS (
            SELECT FROM ledger_redaction WHERE id = target_key AND object_id = object)
        WHEN 'ledger_eventsecret' THEN EXISTS (
            SELECT FROM ledger_auditevent WHERE id = target_key AND (object_id = object
            OR (parts ? ('search.' || target_key) AND action IN ('queue.searched', 'why.searched', 'exports.searched', 'access.viewed'))
            OR (action IN ('hold.placed', 'hold.lift_proposed') AND redaction_names_hold(object_id, parts))))
        ELSE false
    END;
END $$;
