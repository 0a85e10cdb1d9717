"""An organisation's row says how many alarms wait for somebody, so that every page can say so without asking."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("accounts", "0007_asks_why")]

    operations = [migrations.AddField("organisation", "open_alarms", models.IntegerField(default=0, db_default=0))]
