"""A redaction is approved by two people, whoever writes the row."""

from django.db import migrations

TRIGGER = """
CREATE FUNCTION ledger_redaction_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_two_people(NEW.organisation_id, r.proposed_by, r.proposed_at, NEW.decided_by)
        FROM ledger_redaction AS r WHERE r.id = NEW.redaction_id;
    RETURN NEW;
END $$;
CREATE TRIGGER takes_two AFTER INSERT ON ledger_redactiondecision
    FOR EACH ROW WHEN (NEW.outcome = 'approved' AND NEW.decided_by <> NEW.proposed_by) EXECUTE FUNCTION ledger_redaction_takes_two();
"""


class Migration(migrations.Migration):
    dependencies = [("ledger", "0007_only_by_nothing"), ("accounts", "0012_two_people")]

    operations = [
        migrations.RunSQL(
            TRIGGER, "DROP TRIGGER takes_two ON ledger_redactiondecision; DROP FUNCTION ledger_redaction_takes_two()"
        )
    ]
