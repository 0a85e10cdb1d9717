-- What a plan promises: its terms stay once it has started, an item has as many slots as the plan's overlap, and no slot is used twice.
-- An item repeats the overlap and blindness of its plan, a lease the overlap of its item; foreign keys hold them to each other, so that the
-- limit of slots is a plain check on the lease. Slots count within the present round of an item: reopening frees them.

-- An item has the overlap and blindness of its plan.
ALTER TABLE review_queueitem ADD CONSTRAINT item_has_its_plans_terms
    FOREIGN KEY (plan_id, overlap, is_blind) REFERENCES review_plan (id, overlap, is_blind) DEFERRABLE INITIALLY DEFERRED;

-- A lease has the overlap of its item.
ALTER TABLE review_lease ADD CONSTRAINT lease_has_its_items_overlap
    FOREIGN KEY (item_id, overlap) REFERENCES review_queueitem (snapshot_id, overlap) ON UPDATE CASCADE;

-- Lets a draft change, a running plan only end, and a plan that has ended stay as it is.
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

-- Each change of a plan is looked at.
CREATE TRIGGER keep_plan BEFORE UPDATE OR DELETE ON review_plan FOR EACH ROW EXECUTE FUNCTION review_keep_plan();

-- Raises if the slot, or its reviewer, has a finished review in this round; holds the item's row meanwhile.
CREATE FUNCTION review_check_lease() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    present smallint;
BEGIN
    SELECT round INTO present FROM review_queueitem WHERE snapshot_id = NEW.item_id FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no item % here', NEW.item_id USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_is_free';
    END IF;
    IF EXISTS (
        SELECT FROM review_submission
        WHERE snapshot_id = NEW.item_id AND round = present AND (slot = NEW.slot OR reviewer_id = NEW.holder_id)
    ) THEN
        RAISE EXCEPTION 'slot % of item % is taken by a finished review, or its reviewer has finished one', NEW.slot, NEW.item_id
            USING ERRCODE = 'check_violation', CONSTRAINT = 'slot_is_free';
    END IF;
    RETURN NEW;
END $$;

-- Each lease that is taken or handed on is looked at.
CREATE TRIGGER check_lease BEFORE INSERT OR UPDATE OF item_id, slot, holder_id ON review_lease
    FOR EACH ROW EXECUTE FUNCTION review_check_lease();

-- Raises unless the item has such a slot in this round, and nobody else holds it.
CREATE FUNCTION review_check_submission() RETURNS trigger LANGUAGE plpgsql AS $$
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

-- Each review that is submitted is looked at.
CREATE TRIGGER check_submission BEFORE INSERT ON review_submission FOR EACH ROW EXECUTE FUNCTION review_check_submission();

-- Raises unless the item has conflicts in this round, and who decides has not reviewed it in this round.
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

-- Each decision is looked at.
CREATE TRIGGER check_decision BEFORE INSERT ON review_decision FOR EACH ROW EXECUTE FUNCTION review_check_decision();
