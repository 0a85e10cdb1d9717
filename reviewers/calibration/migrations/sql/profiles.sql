-- A profile is active in its own combination only, and approved by two people.

-- The active profile of a combination is one that was proposed for it.
ALTER TABLE calibration_seencombination ADD CONSTRAINT active_is_of_its_combination
    FOREIGN KEY (active_id, id) REFERENCES calibration_calibrationprofile (id, combination_id) DEFERRABLE INITIALLY DEFERRED;

-- A decision names who proposed what it decides on.
ALTER TABLE calibration_profiledecision ADD CONSTRAINT decided_of_whose_proposal
    FOREIGN KEY (profile_id, proposed_by_id) REFERENCES calibration_calibrationprofile (id, proposed_by_id) DEFERRABLE INITIALLY DEFERRED;

-- Raises unless proposer and decider may approve a profile together.
CREATE FUNCTION calibration_profile_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_two_people(NEW.organisation_id, p.proposed_by_id, p.proposed_at, NEW.decided_by_id)
        FROM calibration_calibrationprofile AS p WHERE p.id = NEW.profile_id AND p.organisation_id = NEW.organisation_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a profile is proposed here before it is approved' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Whoever writes the row: an approval takes two people.
CREATE TRIGGER takes_two AFTER INSERT ON calibration_profiledecision
    FOR EACH ROW WHEN (NEW.outcome = 'approved' AND NEW.decided_by_id <> NEW.proposed_by_id)
    EXECUTE FUNCTION calibration_profile_takes_two();
