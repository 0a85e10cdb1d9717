"""What changed is counted by looking up what it belongs to, as in the queue's own functions, however many answers there are."""

from django.db import migrations

FUNCTIONS = (
    "quality_count_new",
    "quality_count_changed",
    "quality_count_labels",
    "quality_count_citation_labels",
    "quality_count_found",
)
SETTINGS = ("enable_seqscan", "enable_hashjoin", "enable_mergejoin")


class Migration(migrations.Migration):
    dependencies = [("quality", "0004_indexes_of_totals")]

    operations = [
        migrations.RunSQL(f"ALTER FUNCTION {function}() SET {setting} = off", f"ALTER FUNCTION {function}() RESET {setting}")
        for function in FUNCTIONS
        for setting in SETTINGS
    ]
