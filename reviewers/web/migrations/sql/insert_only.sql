-- Records are inserted, never changed or deleted. `reviewers/web/insert_only.py` puts the triggers that call this on each table of records.
-- The web's role may not update records at all; the setting lets through what a redaction does with the rights of the owner.

-- Refuses a change of a record, but for a redaction of the columns that the trigger names.
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' AND TG_NARGS > 0 AND current_setting('footnote.redaction', true) <> '' THEN
        IF to_jsonb(OLD) - TG_ARGV = to_jsonb(NEW) - TG_ARGV THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION '% is a record: rows are inserted, never changed or deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
