"""Pieces of files are compressed; those that are kept already stay as they are until they are let go of."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('reports', '0002_exports'),
    ]

    operations = [
        migrations.AddField(
            model_name='exportchunk',
            name='is_packed',
            field=models.BooleanField(default=False),
        ),
    ]
