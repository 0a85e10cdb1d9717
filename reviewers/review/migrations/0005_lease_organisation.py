"""A lease names its organisation, as every row does that belongs to one: that of its item."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
UPDATE review_lease AS lease SET organisation_id = item.organisation_id FROM review_queueitem AS item WHERE item.snapshot_id = lease.item_id
"""

OPEN_WALL = "DROP POLICY IF EXISTS own_rows ON review_lease; ALTER TABLE review_lease DISABLE ROW LEVEL SECURITY"
"""The way back: a column cannot go while the wall between organisations stands on it."""


class Migration(migrations.Migration):
    dependencies = [("accounts", "0002_switches_afterwards"), ("review", "0004_document_facets")]

    operations = [
        migrations.AddField(
            "lease",
            "organisation",
            models.ForeignKey(
                db_index=False, null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.organisation"
            ),
        ),
        migrations.RunSQL(FILL + "; SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        migrations.AlterField(
            "lease",
            "organisation",
            models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="accounts.organisation"),
        ),
        migrations.RunSQL(migrations.RunSQL.noop, OPEN_WALL),
    ]
