-- The one way to change a record: a redaction that was proposed by one person and approved, in this very transaction, by another.
-- Whether the row and what is to stand in it are what these two decided on is looked up here, whoever calls.

-- A decision names the proposer of what it decides on.
ALTER TABLE ledger_redactiondecision ADD CONSTRAINT decision_names_its_proposer
    FOREIGN KEY (redaction_id, proposed_by) REFERENCES ledger_redaction (id, proposed_by);

-- Changes a row that an approved redaction names, with the rights of the owner; raises if the rules do not allow it.
CREATE FUNCTION ledger_redact(target text, target_key uuid, changes jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET bytea_output = hex AS $$
DECLARE
    organisation uuid := NULLIF(current_setting('footnote.organisation', true), '')::uuid;
    key_column text := CASE target WHEN 'ledger_eventsecret' THEN 'event_id' ELSE 'id' END;
    decided record;
    before jsonb;
    changed_column text;
    columns text;
    changed integer;
BEGIN
    SELECT redaction.object_id, redaction.parts, redaction.proposed_by, redaction.proposed_at, decision.decided_by INTO decided
        FROM ledger_redactiondecision AS decision JOIN ledger_redaction AS redaction ON redaction.id = decision.redaction_id
        WHERE decision.outcome = 'approved' AND decision.made_in = txid_current()
        AND decision.organisation_id = organisation AND redaction.organisation_id = organisation
        AND decision.proposed_by = redaction.proposed_by AND decision.decided_by <> redaction.proposed_by
        AND redaction.object_type = 'snapshot'
        AND EXISTS (SELECT FROM snapshots_snapshot WHERE id = redaction.object_id AND organisation_id = organisation)
        AND decision.touched ? (target || ' ' || target_key)
        AND redaction_concerns(target, target_key, redaction.object_id, redaction.parts)
        ORDER BY decision.id DESC LIMIT 1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no redaction that is approved now names % %', target, target_key USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF (SELECT count(DISTINCT user_id) FROM accounts_membership
        WHERE organisation_id = organisation AND user_id IN (decided.proposed_by, decided.decided_by)
        AND role IN ('lead', 'administrator') AND ended_at IS NULL AND NOT is_external AND created_at <= decided.proposed_at) <> 2
    THEN
        RAISE EXCEPTION 'a redaction takes two who may, and were members when it was proposed' USING ERRCODE = 'insufficient_privilege';
    END IF;
    EXECUTE format('SELECT to_jsonb(kept) FROM public.%1$I AS kept WHERE %2$I = $1 AND organisation_id = $2', target, key_column)
        INTO before USING target_key, organisation;
    IF before IS NULL THEN
        RAISE EXCEPTION 'there is no % % here', target, target_key USING ERRCODE = 'no_data_found';
    END IF;
    FOR changed_column IN SELECT jsonb_object_keys(changes) LOOP
        IF NOT before ? changed_column
            OR NOT redaction_allows(target, changed_column, before -> changed_column, changes -> changed_column, decided.parts) THEN
            RAISE EXCEPTION 'nothing can be put in the place of %.%', target, changed_column USING ERRCODE = 'insufficient_privilege';
        END IF;
    END LOOP;
    IF target = 'snapshots_snapshot' THEN
        IF NOT changes ?& ARRAY['record', 'search'] THEN
            RAISE EXCEPTION 'a record is redacted with what is found by it' USING ERRCODE = 'insufficient_privilege';
        END IF;
        changes := changes || jsonb_build_object(
            'digest', '\x' || encode(sha256((changes ->> 'record')::bytea), 'hex'),
            'search', ts_delete((changes ->> 'search')::tsvector, ARRAY(
                SELECT unnest(tsvector_to_array((changes ->> 'search')::tsvector))
                EXCEPT SELECT unnest(tsvector_to_array((before ->> 'search')::tsvector))))::text);
    ELSIF target = 'review_signature' THEN  -- by chance: nobody makes it again, and nobody chooses it
        changes := changes || jsonb_build_object('statement', '\x', 'digest',
            '\x' || encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'));
    END IF;
    SELECT string_agg(quote_ident(name), ', ') INTO columns FROM jsonb_object_keys(changes) AS name;
    PERFORM set_config('footnote.redaction', target_key::text, true);
    EXECUTE format(
        'UPDATE public.%1$I AS changed SET (%2$s) = (SELECT %2$s FROM jsonb_populate_record(changed, $1)) '
        'WHERE changed.%3$I = $2 AND changed.organisation_id = $3', target, columns, key_column
    ) USING changes, target_key, organisation;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM set_config('footnote.redaction', '', true);
    IF changed <> 1 THEN
        RAISE EXCEPTION 'there is no % % here', target, target_key USING ERRCODE = 'no_data_found';
    END IF;
END $$;

-- Only the web's role may call it, which `reviewers/web/tenancy/row_level_security.py` lets.
REVOKE EXECUTE ON FUNCTION ledger_redact FROM PUBLIC;

-- Raises unless proposer and decider of a redaction may decide together, and it names the transaction that it is written in: what refuses
-- an approval, such as a legal hold, is asked when it is written, so it must not be kept for later.
CREATE FUNCTION ledger_redaction_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.made_in <> txid_current() THEN
        RAISE EXCEPTION 'a redaction is approved in the transaction that redacts' USING ERRCODE = 'restrict_violation';
    END IF;
    PERFORM check_two_people(NEW.organisation_id, r.proposed_by, r.proposed_at, NEW.decided_by)
        FROM ledger_redaction AS r WHERE r.id = NEW.redaction_id AND r.organisation_id = NEW.organisation_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a redaction is proposed here before it is approved' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Whoever writes the row: an approval takes two people.
CREATE TRIGGER takes_two AFTER INSERT ON ledger_redactiondecision
    FOR EACH ROW WHEN (NEW.outcome = 'approved' AND NEW.decided_by <> NEW.proposed_by) EXECUTE FUNCTION ledger_redaction_takes_two();
