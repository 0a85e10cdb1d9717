-- No event misses the log, and the log has neither a gap nor two roots.

-- Puts new events among those that wait to be sealed.
CREATE FUNCTION ledger_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_pending (event_id, organisation_id) SELECT id, organisation_id FROM written;
    RETURN NULL;
END $$;

-- However an event is written, it waits.
CREATE TRIGGER wait AFTER INSERT ON ledger_auditevent
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ledger_wait();

-- Raises unless new leaves follow those of their log without a gap.
CREATE FUNCTION ledger_refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM (SELECT log_id, min(index) AS first, max(index) AS last, count(*) AS count FROM added GROUP BY log_id) AS run
        WHERE run.count <> run.last - run.first + 1 OR run.first <> 0 AND NOT EXISTS (
            SELECT FROM ledger_leaf AS leaf WHERE leaf.log_id = run.log_id AND leaf.index = run.first - 1
        )
    ) THEN
        RAISE EXCEPTION 'leaves follow each other without a gap' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
END $$;

-- Once a statement, over all leaves that it added.
CREATE TRIGGER refuse_gap AFTER INSERT ON ledger_leaf
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_gap();

-- Raises unless a checkpoint's size is the number of leaves that its log has.
CREATE FUNCTION ledger_refuse_size() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.size IS DISTINCT FROM (SELECT max(index) + 1 FROM ledger_leaf WHERE log_id = NEW.log_id) THEN
        RAISE EXCEPTION 'a checkpoint is of all leaves there are' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

-- Each checkpoint is looked at.
CREATE TRIGGER refuse_size BEFORE INSERT ON ledger_checkpoint FOR EACH ROW EXECUTE FUNCTION ledger_refuse_size();
