-- Legal holds: what they cover, and that nothing of it is redacted. Whoever places or lifts a hold or approves a redaction takes the turn
-- of the organisation's holds first, here and in `reviewers/review/legal_holds/actions.py`: of two at the same moment the second sees the first.

-- A decision to lift a hold is of that hold's proposal, and names who proposed it.
ALTER TABLE review_liftdecision ADD CONSTRAINT decision_is_of_its_proposal
    FOREIGN KEY (proposal_id, hold_id, proposed_by_id) REFERENCES review_liftproposal (id, hold_id, proposed_by_id);

-- Whether a hold covers a snapshot; the page, the policy and the trigger all ask this.
CREATE FUNCTION review_is_covered(snapshot snapshots_snapshot, hold review_hold) RETURNS boolean LANGUAGE sql STABLE AS $$
    SELECT snapshot.organisation_id = hold.organisation_id AND CASE hold.kind
        WHEN 'client' THEN snapshot.client_reference = hold.reference
        WHEN 'conversation' THEN snapshot.conversation_id = hold.reference
        WHEN 'plan' THEN EXISTS (SELECT FROM review_planitem AS drawn WHERE drawn.plan_id = hold.plan_id AND drawn.item_id = snapshot.id)
        WHEN 'period' THEN (snapshot.answered_at AT TIME ZONE 'UTC')::date
            BETWEEN COALESCE(hold.since, '-infinity') AND COALESCE(hold.until, 'infinity')
    END
$$;

-- The holds on a snapshot that have not been lifted.
CREATE FUNCTION review_holds_of(target uuid) RETURNS SETOF review_hold LANGUAGE sql STABLE AS $$
    SELECT hold.* FROM snapshots_snapshot AS snapshot JOIN review_hold AS hold ON hold.organisation_id = snapshot.organisation_id
    WHERE snapshot.id = target AND review_is_covered(snapshot, hold)
    AND NOT EXISTS (SELECT FROM review_liftdecision AS decision WHERE decision.hold_id = hold.id AND decision.outcome = 'lifted')
$$;

-- Waits until nobody else places or lifts holds of this organisation.
CREATE FUNCTION review_take_turn_of_holds() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('holds ' || NEW.organisation_id, 0));
    RETURN NEW;
END $$;

-- Whoever places a hold takes the turn.
CREATE TRIGGER take_turn BEFORE INSERT ON review_hold FOR EACH ROW EXECUTE FUNCTION review_take_turn_of_holds();

-- Whoever decides on lifting one does, too.
CREATE TRIGGER take_turn BEFORE INSERT ON review_liftdecision FOR EACH ROW EXECUTE FUNCTION review_take_turn_of_holds();

-- Raises if the object of a redaction is under a hold, or if there is no such redaction to judge.
CREATE FUNCTION review_refuse_redaction_of_held() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
    redacted uuid;
    held uuid;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('holds ' || NEW.organisation_id, 0));
    SELECT object_id INTO redacted FROM ledger_redaction WHERE id = NEW.redaction_id AND organisation_id = NEW.organisation_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a redaction is proposed here before it is approved' USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT hold.id INTO held FROM review_holds_of(redacted) AS hold LIMIT 1;
    IF held IS NOT NULL THEN
        RAISE EXCEPTION 'this is under the legal hold %: nothing of it is redacted', held USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Whichever way an approval is written.
CREATE TRIGGER refuse_held BEFORE INSERT ON ledger_redactiondecision FOR EACH ROW WHEN (NEW.outcome = 'approved')
    EXECUTE FUNCTION review_refuse_redaction_of_held();

-- Raises unless proposer and decider may lift a hold together.
CREATE FUNCTION review_lifting_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_two_people(NEW.organisation_id, p.proposed_by_id, p.proposed_at, NEW.decided_by_id)
        FROM review_liftproposal AS p WHERE p.id = NEW.proposal_id AND p.organisation_id = NEW.organisation_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'lifting a hold is proposed here before it is decided' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Whoever writes the row: lifting takes two people.
CREATE TRIGGER takes_two BEFORE INSERT ON review_liftdecision FOR EACH ROW
    WHEN (NEW.outcome = 'lifted' AND NEW.decided_by_id <> NEW.proposed_by_id) EXECUTE FUNCTION review_lifting_takes_two();
