-- Proofs of identity are rows, and each is used once.

-- A proof comes unused and from a member, changes only by being used, and goes only if it expired unused.
CREATE FUNCTION accounts_keep_proof() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM FROM accounts_membership
            WHERE organisation_id = NEW.organisation_id AND user_id = NEW.user_id AND ended_at IS NULL;
        IF NOT FOUND OR NEW.used_at IS NOT NULL THEN
            RAISE EXCEPTION 'a proof is given by a member, and not used yet' USING ERRCODE = 'restrict_violation';
        END IF;
        RETURN NEW;
    ELSIF TG_OP = 'UPDATE' THEN
        IF OLD.used_at IS NULL AND NEW.used_at IS NOT NULL
            AND to_jsonb(NEW) - 'used_at' - 'used_for' = to_jsonb(OLD) - 'used_at' - 'used_for' THEN
            RETURN NEW;
        END IF;
        RAISE EXCEPTION 'a proof is used once, and nothing else of it changes' USING ERRCODE = 'restrict_violation';
    END IF;
    IF OLD.used_at IS NULL AND OLD.expires_at < now() THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'a proof that was used, or can be, is kept' USING ERRCODE = 'restrict_violation';
END $$;

-- Each change of a proof is looked at.
CREATE TRIGGER keep_proof BEFORE INSERT OR UPDATE OR DELETE ON accounts_proof FOR EACH ROW EXECUTE FUNCTION accounts_keep_proof();
