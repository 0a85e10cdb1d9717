"""What a plan promises is kept by the database: terms once it has started, slots within its overlap, no slot twice.

An item repeats the overlap and blindness of its plan, a lease the overlap of its item; foreign keys over the repeated columns hold them
to each other, so that the limit of slots is a plain check on the lease. That a slot in which somebody has submitted is free for nobody
stands in two tables, so a trigger looks, holding the item's row meanwhile.
"""

from django.db import migrations

TERMS = """
ALTER TABLE review_queueitem ADD CONSTRAINT item_has_its_plans_terms
    FOREIGN KEY (plan_id, overlap, is_blind) REFERENCES review_plan (id, overlap, is_blind) DEFERRABLE INITIALLY DEFERRED;
ALTER TABLE review_lease ADD CONSTRAINT lease_has_its_items_overlap
    FOREIGN KEY (item_id, overlap) REFERENCES review_queueitem (snapshot_id, overlap) ON UPDATE CASCADE;
"""

FROZEN = """
CREATE FUNCTION review_keep_plan() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    may_change text[] := CASE OLD.state
        WHEN 'draft' THEN NULL
        WHEN 'running' THEN ARRAY['state', 'ended_by_id', 'ended_at', 'watched_until']
        ELSE ARRAY[]::text[] END;
BEGIN
    IF TG_OP = 'DELETE' THEN
        RAISE EXCEPTION 'a plan is stopped, never deleted' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.state = 'draft' AND NEW.state = 'finished' OR OLD.state = 'running' AND NEW.state = 'draft' THEN
        RAISE EXCEPTION 'a plan that is % cannot become %', OLD.state, NEW.state USING ERRCODE = 'restrict_violation';
    END IF;
    IF may_change IS NOT NULL AND to_jsonb(NEW) - may_change IS DISTINCT FROM to_jsonb(OLD) - may_change THEN
        RAISE EXCEPTION 'a plan that is % stays as it is', OLD.state USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER keep_plan BEFORE UPDATE OR DELETE ON review_plan FOR EACH ROW EXECUTE FUNCTION review_keep_plan();
"""

SLOTS = """
CREATE FUNCTION review_check_lease() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM review_queueitem WHERE snapshot_id = NEW.item_id FOR NO KEY UPDATE;
    IF EXISTS (SELECT FROM review_submission WHERE snapshot_id = NEW.item_id AND (slot = NEW.slot OR reviewer_id = NEW.holder_id)) THEN
        RAISE EXCEPTION 'slot % of item % is taken by a finished review, or its reviewer has finished one', NEW.slot, NEW.item_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_is_free';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER check_lease BEFORE INSERT OR UPDATE OF item_id, slot, holder_id ON review_lease
    FOR EACH ROW EXECUTE FUNCTION review_check_lease();

CREATE FUNCTION review_check_submission() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM FROM review_queueitem WHERE snapshot_id = NEW.snapshot_id AND NEW.slot BETWEEN 1 AND overlap FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'item % has no slot %', NEW.snapshot_id, NEW.slot USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_of_item';
    END IF;
    IF EXISTS (SELECT FROM review_lease WHERE item_id = NEW.snapshot_id AND slot = NEW.slot AND holder_id <> NEW.reviewer_id) THEN
        RAISE EXCEPTION 'slot % of item % is held by somebody else', NEW.slot, NEW.snapshot_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_is_own';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER check_submission BEFORE INSERT ON review_submission FOR EACH ROW EXECUTE FUNCTION review_check_submission();
"""

UNDO = """
DROP TRIGGER check_submission ON review_submission;
DROP FUNCTION review_check_submission;
DROP TRIGGER check_lease ON review_lease;
DROP FUNCTION review_check_lease;
DROP TRIGGER keep_plan ON review_plan;
DROP FUNCTION review_keep_plan;
ALTER TABLE review_lease DROP CONSTRAINT lease_has_its_items_overlap;
ALTER TABLE review_queueitem DROP CONSTRAINT item_has_its_plans_terms;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0005_plans")]

    operations = [migrations.RunSQL(TERMS + FROZEN + SLOTS, UNDO)]
