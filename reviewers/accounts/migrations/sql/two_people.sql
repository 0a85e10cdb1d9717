-- "By two people", as the triggers of decisions ask for it. `reviewers/accounts/policies.py` has the same rule for pages.

-- How long an invited member is no second person, and whether all need a second factor: set from the settings after each migration.
CREATE FUNCTION two_people_terms(OUT apart interval, OUT strong boolean) LANGUAGE sql IMMUTABLE AS $$ SELECT interval '7 days', false $$;

-- Raises unless proposer and decider are two members who may decide together. Those who call it look the proposal up and raise without one:
-- a decision that is written before its proposal, or where the caller sees another organisation's rows, must not go unjudged. Nor may one be
-- judged by what was there long ago: in a transaction that repeats its reads, a hold that was placed or a member who left since is not seen.
CREATE FUNCTION check_two_people(organisation uuid, proposer uuid, proposed_at timestamptz, decider uuid) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    terms record;
    one accounts_membership;
    other accounts_membership;
BEGIN
    IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'decisions are judged by what is there now, so in a transaction that reads what is committed'
            USING ERRCODE = 'restrict_violation';
    END IF;
    SELECT * INTO terms FROM two_people_terms();
    SELECT * INTO one FROM accounts_membership AS m
        WHERE m.organisation_id = organisation AND m.user_id = proposer AND m.created_at <= proposed_at
        AND (m.ended_at IS NULL OR m.ended_at > proposed_at) ORDER BY m.created_at DESC LIMIT 1;
    SELECT * INTO other FROM accounts_membership AS m
        WHERE m.organisation_id = organisation AND m.user_id = decider AND m.created_at <= proposed_at AND m.ended_at IS NULL
        ORDER BY m.created_at DESC LIMIT 1;
    IF proposer = decider OR one.id IS NULL OR other.id IS NULL THEN
        RAISE EXCEPTION 'two different members, both from before the proposal, decide this' USING ERRCODE = 'check_violation';
    END IF;
    IF (terms.strong OR (SELECT o.requires_second_factor FROM accounts_organisation AS o WHERE o.id = organisation))
        AND (COALESCE(one.second_factor_at, 'infinity') > proposed_at OR COALESCE(other.second_factor_at, 'infinity') > proposed_at) THEN
        RAISE EXCEPTION 'both who decide this must have signed in with a second factor' USING ERRCODE = 'check_violation';
    END IF;
    IF (one.invited_by_id IS NOT NULL AND one.created_at > now() - terms.apart)
        OR (other.invited_by_id IS NOT NULL AND other.created_at > now() - terms.apart) THEN
        RAISE EXCEPTION 'one of the two who decide this came by an invitation lately' USING ERRCODE = 'check_violation';
    END IF;
END $$;
