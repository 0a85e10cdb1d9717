"""A profile is approved by two people, whoever writes the row."""

from django.db import migrations

TRIGGER = """
CREATE FUNCTION calibration_profile_takes_two() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM check_two_people(NEW.organisation_id, p.proposed_by_id, p.proposed_at, NEW.decided_by_id)
        FROM calibration_calibrationprofile AS p WHERE p.id = NEW.profile_id;
    RETURN NEW;
END $$;
CREATE TRIGGER takes_two AFTER INSERT ON calibration_profiledecision
    FOR EACH ROW WHEN (NEW.outcome = 'approved' AND NEW.decided_by_id <> NEW.proposed_by_id) EXECUTE FUNCTION calibration_profile_takes_two();
"""


class Migration(migrations.Migration):
    dependencies = [("calibration", "0008_suspended_by_hand"), ("accounts", "0012_two_people")]

    operations = [
        migrations.RunSQL(
            TRIGGER, "DROP TRIGGER takes_two ON calibration_profiledecision; DROP FUNCTION calibration_profile_takes_two()"
        )
    ]
