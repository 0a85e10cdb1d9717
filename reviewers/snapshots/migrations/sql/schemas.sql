-- Schemas: a decision is of its proposal and of the version of its schema, an approval takes two people, and a snapshot uses a schema of
-- the version that it names.

ALTER TABLE snapshots_schemadecision ADD CONSTRAINT schema_decision_is_of_its_proposal
    FOREIGN KEY (proposal_id, version_id, proposed_by_id) REFERENCES snapshots_schemaproposal (id, version_id, proposed_by_id);
ALTER TABLE snapshots_schemadecision ADD CONSTRAINT schema_decision_is_of_its_version
    FOREIGN KEY (version_id, organisation_id, schema_version) REFERENCES snapshots_schema (id, organisation_id, version);
ALTER TABLE snapshots_snapshot ADD CONSTRAINT schema_is_of_the_version_named
    FOREIGN KEY (schema_id, organisation_id, schema_version) REFERENCES snapshots_schema (id, organisation_id, version);

-- Raises unless proposer and decider may approve a schema together.
CREATE FUNCTION snapshots_schema_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_two_people(NEW.organisation_id, p.proposed_by_id, p.proposed_at, NEW.decided_by_id)
        FROM snapshots_schemaproposal AS p WHERE p.id = NEW.proposal_id AND p.organisation_id = NEW.organisation_id;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a schema is proposed here before it is approved' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Whoever writes the row: an approval takes two people.
CREATE TRIGGER takes_two BEFORE INSERT ON snapshots_schemadecision FOR EACH ROW
    WHEN (NEW.outcome = 'approved' AND NEW.decided_by_id <> NEW.proposed_by_id) EXECUTE FUNCTION snapshots_schema_takes_two();

-- Raises if a snapshot is attributed under a schema that nobody approved.
CREATE FUNCTION snapshots_schema_is_approved() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM snapshots_schemadecision AS d WHERE d.version_id = NEW.schema_id AND d.outcome = 'approved') THEN
        RAISE EXCEPTION 'the schema of a snapshot is approved first' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER schema_approved BEFORE INSERT ON snapshots_snapshot FOR EACH ROW
    WHEN (NEW.schema_id IS NOT NULL) EXECUTE FUNCTION snapshots_schema_is_approved();
