"""The table of Django's cache: what is counted or used once counts in every process."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = []

    operations = [
        migrations.RunSQL(
            """
            CREATE TABLE web_cache (cache_key varchar(255) PRIMARY KEY, value text NOT NULL, expires timestamptz NOT NULL);
            CREATE INDEX web_cache_expires ON web_cache (expires);
            """,
            "DROP TABLE web_cache",
        )
    ]
