-- A signature rests on a proof that its signer gave for the act that made it. One act may sign several reviews, all at one moment.

-- Raises unless the signer used this proof for signing at the moment of the signature.
CREATE FUNCTION review_signature_rests_on_proof() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
    PERFORM FROM accounts_proof
        WHERE id = NEW.proof_id AND organisation_id = NEW.organisation_id AND user_id = NEW.signer_id
        AND purpose = 'sign' AND used_at = NEW.signed_at;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'a signature rests on a proof that its signer has used for it' USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NEW;
END $$;

-- Each signature is looked at.
CREATE TRIGGER rests_on_proof BEFORE INSERT ON review_signature FOR EACH ROW EXECUTE FUNCTION review_signature_rests_on_proof();
