import django.contrib.postgres.indexes
import django.contrib.postgres.search
import django.db.models.deletion
from django.db import migrations, models

KEEP = """
CREATE FUNCTION reports_keep_names() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'UPDATE' THEN
        DELETE FROM public.reports_suggestionnames WHERE snapshot_id = NEW.id;
    END IF;
    IF NEW.provider <> '' THEN
        INSERT INTO public.reports_suggestionnames (snapshot_id, organisation_id, terms)
        VALUES (NEW.id, NEW.organisation_id, public.reports_terms(NEW.provider, NEW.client_reference, NEW.conversation_id));
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER reports_names_come AFTER INSERT ON snapshots_snapshot
    FOR EACH ROW WHEN (NEW.provider <> '') EXECUTE FUNCTION reports_keep_names();
CREATE TRIGGER reports_names_change AFTER UPDATE OF provider, client_reference, conversation_id ON snapshots_snapshot
    FOR EACH ROW EXECUTE FUNCTION reports_keep_names();
INSERT INTO reports_suggestionnames (snapshot_id, organisation_id, terms)
    SELECT id, organisation_id, reports_terms(provider, client_reference, conversation_id) FROM snapshots_snapshot WHERE provider <> '';
DROP INDEX reports_by_name;
"""

UNDO = """
CREATE INDEX reports_by_name ON snapshots_snapshot USING gin (reports_terms(provider, client_reference, conversation_id))
    WITH (gin_pending_list_limit = 256) WHERE provider <> '';
DROP TRIGGER reports_names_change ON snapshots_snapshot;
DROP TRIGGER reports_names_come ON snapshots_snapshot;
DROP FUNCTION reports_keep_names;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0001_initial"),
        ("reports", "0004_all_pieces_are_packed"),
        ("snapshots", "0004_given_sections"),
    ]

    operations = [
        migrations.CreateModel(
            name="SuggestionNames",
            fields=[
                (
                    "snapshot",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT,
                        primary_key=True,
                        related_name="names",
                        serialize=False,
                        to="snapshots.snapshot",
                    ),
                ),
                ("terms", django.contrib.postgres.search.SearchVectorField()),
                (
                    "organisation",
                    models.ForeignKey(
                        db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.organisation"
                    ),
                ),
            ],
            options={
                "indexes": [django.contrib.postgres.indexes.GinIndex(models.F("terms"), name="reports_by_names")],
            },
        ),
        migrations.RunSQL(KEEP, UNDO),
    ]
