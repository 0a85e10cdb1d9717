"""The database sees to it that no event misses the log, and that the log has neither gap nor two roots.

Every event that is written puts itself among those that wait, however it is written; those of before this migration wait as well.
Leaves follow each other without a gap, and a checkpoint's size is the number of leaves there are.
"""

from django.db import migrations

PENDING = """
CREATE FUNCTION ledger_wait() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO ledger_pending (event_id, organisation_id) SELECT id, organisation_id FROM written;
    RETURN NULL;
END $$;

CREATE TRIGGER wait AFTER INSERT ON ledger_auditevent
    REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION ledger_wait();

INSERT INTO ledger_pending (event_id, organisation_id) SELECT id, organisation_id FROM ledger_auditevent;
"""

NO_GAP = """
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

CREATE TRIGGER refuse_gap AFTER INSERT ON ledger_leaf
    REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_refuse_gap();

CREATE FUNCTION ledger_refuse_size() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.size IS DISTINCT FROM (SELECT max(index) + 1 FROM ledger_leaf WHERE log_id = NEW.log_id) THEN
        RAISE EXCEPTION 'a checkpoint is of all leaves there are' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER refuse_size BEFORE INSERT ON ledger_checkpoint FOR EACH ROW EXECUTE FUNCTION ledger_refuse_size();
"""

UNDO = """
DROP TRIGGER refuse_size ON ledger_checkpoint;
DROP FUNCTION ledger_refuse_size;
DROP TRIGGER refuse_gap ON ledger_leaf;
DROP FUNCTION ledger_refuse_gap;
DROP TRIGGER wait ON ledger_auditevent;
DROP FUNCTION ledger_wait;
"""


class Migration(migrations.Migration):
    dependencies = [("ledger", "0002_log")]

    operations = [migrations.RunSQL(PENDING + NO_GAP, UNDO)]
