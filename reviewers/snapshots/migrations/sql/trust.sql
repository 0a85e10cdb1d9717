-- Tables of trust: a proposal is of tables of its organisation, a decision is of its proposal, an approval takes two people, and an answer
-- is judged under a table of its organisation that was approved.

ALTER TABLE snapshots_trustproposal ADD CONSTRAINT trust_proposal_is_of_its_organisation
    FOREIGN KEY (version_id, organisation_id) REFERENCES snapshots_trusttable (id, organisation_id);
ALTER TABLE snapshots_trustproposal ADD CONSTRAINT trust_base_is_of_its_organisation
    FOREIGN KEY (base_id, organisation_id) REFERENCES snapshots_trusttable (id, organisation_id);
ALTER TABLE snapshots_trustdecision ADD CONSTRAINT trust_decision_is_of_its_proposal
    FOREIGN KEY (proposal_id, version_id, proposed_by_id) REFERENCES snapshots_trustproposal (id, version_id, proposed_by_id);
ALTER TABLE snapshots_trustdecision ADD CONSTRAINT trust_decision_is_of_its_organisation
    FOREIGN KEY (version_id, organisation_id) REFERENCES snapshots_trusttable (id, organisation_id);
ALTER TABLE snapshots_snapshotdocuments ADD CONSTRAINT trust_table_is_of_its_organisation
    FOREIGN KEY (trust_table_id, organisation_id) REFERENCES snapshots_trusttable (id, organisation_id);

-- Raises unless proposer and decider may approve a table together.
CREATE FUNCTION snapshots_trust_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_two_people(NEW.organisation_id, p.proposed_by_id, p.proposed_at, NEW.decided_by_id)
        FROM snapshots_trustproposal AS p WHERE p.id = NEW.proposal_id AND p.organisation_id = NEW.organisation_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a table of trust is proposed here before it is approved' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Whoever writes the row: an approval takes two people.
CREATE TRIGGER takes_two BEFORE INSERT ON snapshots_trustdecision FOR EACH ROW
    WHEN (NEW.outcome = 'approved' AND NEW.decided_by_id <> NEW.proposed_by_id) EXECUTE FUNCTION snapshots_trust_takes_two();

-- Raises if an answer is judged under a table of trust that nobody approved.
CREATE FUNCTION snapshots_trust_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM snapshots_trustdecision AS d WHERE d.version_id = NEW.trust_table_id AND d.outcome = 'approved') THEN
        RAISE EXCEPTION 'the table of trust of an answer is approved first' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER trust_approved BEFORE INSERT ON snapshots_snapshotdocuments FOR EACH ROW
    WHEN (NEW.trust_table_id IS NOT NULL) EXECUTE FUNCTION snapshots_trust_is_approved();
