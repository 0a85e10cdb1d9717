"""What rounds and decisions promise is kept by the database.

Slots count within the present round of an item: reopening frees them, and what was submitted stays. Whoever has reviewed an item in a
round decides none of its conflicts in it.
"""

from django.db import migrations

SLOTS = """
CREATE OR REPLACE FUNCTION review_check_lease() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    present smallint;
BEGIN
    SELECT round INTO present FROM review_queueitem WHERE snapshot_id = NEW.item_id FOR NO KEY UPDATE;
    IF EXISTS (
        SELECT FROM review_submission
        WHERE snapshot_id = NEW.item_id AND round = present AND (slot = NEW.slot OR reviewer_id = NEW.holder_id)
    ) THEN
        RAISE EXCEPTION 'slot % of item % is taken by a finished review, or its reviewer has finished one', NEW.slot, NEW.item_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_is_free';
    END IF;
    RETURN NEW;
END $$;

CREATE OR REPLACE FUNCTION review_check_submission() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM review_queueitem
    WHERE snapshot_id = NEW.snapshot_id AND round = NEW.round AND NEW.slot BETWEEN 1 AND overlap FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'item % has no slot % in round %', NEW.snapshot_id, NEW.slot, NEW.round
            USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_of_item';
    END IF;
    IF EXISTS (SELECT FROM review_lease WHERE item_id = NEW.snapshot_id AND slot = NEW.slot AND holder_id <> NEW.reviewer_id) THEN
        RAISE EXCEPTION 'slot % of item % is held by somebody else', NEW.slot, NEW.snapshot_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_is_own';
    END IF;
    RETURN NEW;
END $$;
"""

FOUR_EYES = """
CREATE FUNCTION review_check_decision() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM review_queueitem
    WHERE snapshot_id = NEW.snapshot_id AND round = NEW.round AND phase = 'consolidating' FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'item % has no conflicts in round %', NEW.snapshot_id, NEW.round
            USING ERRCODE = 'check_violation', CONSTRAINT = 'decided_in_conflict';
    END IF;
    IF EXISTS (
        SELECT FROM review_submission
        WHERE snapshot_id = NEW.snapshot_id AND round = NEW.round AND reviewer_id = NEW.decided_by_id
    ) THEN
        RAISE EXCEPTION 'whoever has reviewed item % decides none of its conflicts', NEW.snapshot_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'decided_by_somebody_else';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER check_decision BEFORE INSERT ON review_decision FOR EACH ROW EXECUTE FUNCTION review_check_decision();
"""

UNDO = """
DROP TRIGGER check_decision ON review_decision;
DROP FUNCTION review_check_decision;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0008_decisions")]

    operations = [migrations.RunSQL(SLOTS + FOUR_EYES, UNDO)]
