"""A snapshot says which sections of its context the model was shown something of: what coverage is a share of."""

import django.contrib.postgres.fields
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("snapshots", "0003_citation_search")]

    operations = [
        migrations.AddField(
            "snapshot",
            "given_sections",
            django.contrib.postgres.fields.ArrayField(base_field=models.TextField(), null=True, size=None),
        ),
    ]
