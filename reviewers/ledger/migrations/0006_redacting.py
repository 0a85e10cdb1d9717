"""The one way to change a record: a redaction that was proposed by one person and approved, in this very transaction, by another.

The function has the rights of the owner, which the web's role lacks. It changes a row that the decision names, and of it the columns
that a redaction may take away: the trigger that keeps the table's rows is told these, and refuses everything else here as well.
"""

from django.db import migrations

TWO = """
ALTER TABLE ledger_redactiondecision ADD CONSTRAINT decision_names_its_proposer
    FOREIGN KEY (redaction_id, proposed_by) REFERENCES ledger_redaction (id, proposed_by);
"""

REDACT = """
CREATE FUNCTION ledger_redact(target text, target_key uuid, changes jsonb) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    organisation uuid := NULLIF(current_setting('footnote.organisation', true), '')::uuid;
    secret_columns text[] := ARRAY['salt_seed', 'payload', 'column_checks'];
    key_column text;
    columns text;
    changed integer;
BEGIN
    PERFORM FROM ledger_redactiondecision AS decision
        WHERE decision.outcome = 'approved' AND decision.made_in = txid_current() AND decision.organisation_id = organisation
        AND decision.touched ? (target || ' ' || target_key);
    IF NOT FOUND THEN
        RAISE EXCEPTION 'no redaction that is approved now names % %', target, target_key USING ERRCODE = 'insufficient_privilege';
    END IF;
    IF target = 'ledger_eventsecret' THEN
        key_column := 'event_id';
        IF changes - secret_columns <> '{}' THEN
            RAISE EXCEPTION 'of what opens an event only that is changed' USING ERRCODE = 'insufficient_privilege';
        END IF;
    ELSE
        key_column := 'id';
        PERFORM FROM pg_trigger WHERE tgrelid = to_regclass(target) AND tgname = 'keep_rows' AND tgnargs > 0;
        IF NOT FOUND THEN
            RAISE EXCEPTION 'nothing of % can be redacted', target USING ERRCODE = 'insufficient_privilege';
        END IF;
    END IF;
    SELECT string_agg(quote_ident(name), ', ') INTO columns FROM jsonb_object_keys(changes) AS name;
    PERFORM set_config('footnote.redaction', target_key::text, true);
    EXECUTE format(
        'UPDATE %1$I AS changed SET (%2$s) = (SELECT %2$s FROM jsonb_populate_record(changed, $1)) '
        'WHERE changed.%3$I = $2 AND changed.organisation_id = $3', target, columns, key_column
    ) USING changes, target_key, organisation;
    GET DIAGNOSTICS changed = ROW_COUNT;
    PERFORM set_config('footnote.redaction', '', true);
    IF changed <> 1 THEN
        RAISE EXCEPTION 'there is no % % here', target, target_key USING ERRCODE = 'no_data_found';
    END IF;
END $$;

REVOKE EXECUTE ON FUNCTION ledger_redact FROM PUBLIC;
"""

UNDO = """
DROP FUNCTION ledger_redact;
ALTER TABLE ledger_redactiondecision DROP CONSTRAINT decision_names_its_proposer;
"""


class Migration(migrations.Migration):
    dependencies = [("ledger", "0005_redaction")]

    operations = [migrations.RunSQL(TWO + REDACT, UNDO)]
